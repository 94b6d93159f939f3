//! A table in memory -> blocks of its rows, without copying.

use super::columns::Column;
use super::reader::check_types;
use super::rows::ArrowRows;
use crate::block::Content;
use crate::{
    Block, Compression, Error, FieldPath, Fields, Format, Limits, Location, Position, Result, Source, Stamp,
};
use arrow_array::cast::AsArray;
use arrow_array::{Array, RecordBatch};
use arrow_schema::{DataType, SchemaRef};
use std::sync::Arc;

/// Largest number of rows in a block.
const MOST_ROWS: usize = 8_192;

/// Rows in memory: batches of one schema.
#[derive(Clone)]
pub struct Table {
    schema: SchemaRef,
    batches: Arc<[RecordBatch]>,
}

impl Table {
    /// A table of these batches, which must all have the given schema.
    #[must_use]
    pub fn new(schema: SchemaRef, batches: Vec<RecordBatch>) -> Self {
        Self { schema, batches: batches.into() }
    }

    pub(crate) fn schema(&self) -> &SchemaRef {
        &self.schema
    }

    /// The number of rows of all batches.
    #[must_use]
    pub fn rows(&self) -> usize {
        self.batches.iter().map(RecordBatch::num_rows).sum()
    }

    /// The table as a source with this name. The text is in the column `text`.
    #[must_use]
    pub fn into_source(self, name: &str, text: &str) -> Source {
        let text = FieldPath::new(text);
        let size: usize = self.batches.iter().map(|batch| bytes_of(batch, &text)).sum();
        Source {
            name: name.to_owned(),
            output: name.to_owned(),
            location: Location::Memory(self),
            format: Format::Table,
            compression: Compression::None,
            size: size as u64,
            stamp: Stamp::Unknown,
        }
    }
}

/// Two tables are equal if they share the same memory.
impl PartialEq for Table {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.batches, &other.batches)
    }
}

impl Eq for Table {}

impl std::fmt::Debug for Table {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("Table").field("rows", &self.rows()).finish_non_exhaustive()
    }
}

/// Divides the batches of a table into blocks.
#[derive(Debug)]
pub(crate) struct TableReader {
    table: Table,
    text: FieldPath,
    block_bytes: usize,
    /// The batch of the next block, and the number of rows of this batch before the block.
    batch: usize,
    row: usize,
    /// Number of rows of a block in each batch, as far as it was computed.
    block_rows: Vec<Option<usize>>,
    /// Number of rows of the table before the next block.
    position: u64,
}

impl TableReader {
    pub(crate) fn open(source: &Source, fields: &Fields, limits: Limits) -> Result<Self> {
        let Location::Memory(table) = &source.location else {
            return Err(Error::Invalid(format!("{} is not a table in memory", source.name)));
        };
        let named = [Some(&fields.text), fields.id.as_ref(), fields.order.as_ref(), fields.within.as_ref()];
        let empty = RecordBatch::new_empty(Arc::clone(&table.schema));
        for path in named.into_iter().flatten() {
            if Column::find(&empty, path).is_none() {
                let columns = table.schema.fields().iter().map(|field| field.name().clone()).collect();
                let (name, column) = (source.name.clone(), path.written());
                return Err(Error::NoSuchColumn { name, column, columns });
            }
        }
        check_types(&table.schema, fields, &source.name)?;
        Ok(Self {
            table: table.clone(),
            text: fields.text.clone(),
            block_bytes: limits.block_bytes,
            batch: 0,
            row: 0,
            block_rows: vec![None; table.batches.len()],
            position: 0,
        })
    }

    /// [`Reader::next_block`](crate::Reader::next_block) for tables.
    pub(crate) fn next_block(&mut self, block: &mut Block) -> Result<bool> {
        let batch = loop {
            let Some(batch) = self.table.batches.get(self.batch) else { return Ok(false) };
            if self.row < batch.num_rows() {
                break batch;
            }
            self.batch += 1;
            self.row = 0;
        };
        // Computed once for each batch, because some types require a look at every row.
        let block_rows = *self.block_rows[self.batch].get_or_insert_with(|| {
            let bytes = bytes_of(batch, &self.text).max(1);
            let rows = batch.num_rows() as u128 * self.block_bytes as u128 / bytes as u128;
            (rows as usize).clamp(1, MOST_ROWS)
        });
        let rows = block_rows.min(batch.num_rows() - self.row);
        let slice = batch.slice(self.row, rows);
        block.position = Position { offset: self.position, record: self.position };
        self.row += rows;
        self.position += rows as u64;
        let bytes = bytes_of(&slice, &self.text);
        block.content = Content::Rows(ArrowRows { batch: slice, bytes });
        Ok(true)
    }

    /// [`Reader::advance_to`](crate::Reader::advance_to) for tables.
    pub(crate) fn advance_to(&mut self, position: Position) -> Result<()> {
        (self.batch, self.position) = (0, position.record);
        let mut before = usize::try_from(position.record).unwrap_or(usize::MAX);
        for batch in self.table.batches.iter() {
            if before < batch.num_rows() {
                break;
            }
            before -= batch.num_rows();
            self.batch += 1;
        }
        self.row = before;
        Ok(())
    }
}

/// Approximate number of bytes of text in a batch.
fn bytes_of(batch: &RecordBatch, text: &FieldPath) -> usize {
    let Some(column) = Column::find(batch, text) else { return 0 };
    let values = column.values();
    let bytes = match values.data_type() {
        DataType::Utf8 => values.as_string::<i32>().value_offsets().span(),
        DataType::LargeUtf8 => values.as_string::<i64>().value_offsets().span(),
        DataType::Binary => values.as_binary::<i32>().value_offsets().span(),
        DataType::LargeBinary => values.as_binary::<i64>().value_offsets().span(),
        DataType::Utf8View => values.as_string_view().lengths().map(|length| length as usize).sum(),
        DataType::BinaryView => values.as_binary_view().lengths().map(|length| length as usize).sum(),
        kind => wide_bytes(values.as_ref(), kind),
    };
    // In a dictionary column each row refers to one value, so its length is about the average.
    bytes / values.len().max(1) * batch.num_rows() + bytes % values.len().max(1)
}

/// Approximate number of bytes of values that are lists, maps, or bytes of a fixed number.
fn wide_bytes(values: &dyn Array, kind: &DataType) -> usize {
    let of_items = |items: &dyn Array, count: usize| {
        let all = items.get_buffer_memory_size();
        // The items may be a part of a longer array; all of them count then.
        all / items.len().max(1) * count
    };
    match kind {
        DataType::List(_) => {
            let lists = values.as_list::<i32>();
            of_items(lists.values().as_ref(), lists.value_offsets().span())
        }
        DataType::LargeList(_) => {
            let lists = values.as_list::<i64>();
            of_items(lists.values().as_ref(), lists.value_offsets().span())
        }
        DataType::FixedSizeList(_, length) => {
            let lists = values.as_fixed_size_list();
            of_items(lists.values().as_ref(), *length as usize * values.len())
        }
        DataType::Map(..) => {
            let maps = values.as_map();
            of_items(maps.entries(), maps.value_offsets().span())
        }
        DataType::FixedSizeBinary(length) => *length as usize * values.len(),
        _ => 0,
    }
}

/// The distance between the first and the last of some offsets.
trait Span {
    fn span(&self) -> usize;
}

impl<T: Copy + TryInto<usize>> Span for [T] {
    fn span(&self) -> usize {
        let at = |offset: Option<&T>| offset.and_then(|&offset| offset.try_into().ok()).unwrap_or(0);
        at(self.last()) - at(self.first())
    }
}
