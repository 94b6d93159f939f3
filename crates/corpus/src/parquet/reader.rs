//! A Parquet file -> blocks of rows.

use super::columns::Column;
use super::input::Input;
use super::paths::projection;
use super::rows::ArrowRows;
use super::values::{is_comparable, is_printable, is_text};
use crate::block::Content;
use crate::{Block, Error, FieldPath, Fields, Limits, Position, ReadMode, Result, Source};
use arrow_array::RecordBatch;
use arrow_schema::{DataType, SchemaRef};
use parquet::arrow::ProjectionMask;
use parquet::arrow::arrow_reader::{
    ArrowReaderMetadata, ParquetRecordBatchReader, ParquetRecordBatchReaderBuilder,
};
use parquet::errors::ParquetError;
use parquet::file::metadata::ParquetMetaData;

/// Rows of a block at most.
const MOST_ROWS: usize = 8_192;

/// Reads the rows of a Parquet file.
pub(crate) struct ParquetReader {
    name: String,
    input: Input,
    metadata: ArrowReaderMetadata,
    projection: ProjectionMask,
    rows: usize,
    batches: ParquetRecordBatchReader,
    /// Rows before the next block.
    position: u64,
}

impl std::fmt::Debug for ParquetReader {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self { name, position, .. } = self;
        let mut written = formatter.debug_struct("ParquetReader");
        written.field("name", name).field("position", position).finish_non_exhaustive()
    }
}

impl ParquetReader {
    pub(crate) fn open(source: &Source, mode: ReadMode, fields: &Fields, limits: Limits) -> Result<Self> {
        let (input, metadata) = Input::open(source, limits.record_bytes)?;
        let named = projection(metadata.parquet_schema(), fields, &source.name)?;
        check_types(metadata.schema(), fields, &source.name)?;
        let projection = match mode {
            ReadMode::Fields => named,
            ReadMode::Whole => ProjectionMask::all(),
        };
        let rows = rows_of(limits.block_bytes, metadata.metadata()).min(MOST_ROWS);
        let batches = input.read(&source.name, 0, || batches(&input, &metadata, &projection, rows, 0))?;
        Ok(Self { name: source.name.clone(), input, metadata, projection, rows, batches, position: 0 })
    }

    /// As [`Reader::next_block`](crate::Reader::next_block).
    pub(crate) fn next_block(&mut self, block: &mut Block) -> Result<bool> {
        let Self { batches, input, name, position, .. } = self;
        let next = || batches.next().transpose().map_err(ParquetError::from);
        let Some(batch) = input.read(name, *position, next)? else { return Ok(false) };
        block.position = Position { offset: self.position, record: self.position };
        self.position += batch.num_rows() as u64;
        block.content = Content::Rows(ArrowRows { bytes: batch.get_array_memory_size(), batch });
        Ok(true)
    }

    /// As [`Reader::advance_to`](crate::Reader::advance_to).
    pub(crate) fn advance_to(&mut self, position: Position) -> Result<()> {
        if position.record != self.position {
            let Self { input, metadata, projection, rows, .. } = &*self;
            let first = position.record;
            let from = || batches(input, metadata, projection, *rows, first);
            self.batches = input.read(&self.name, first, from)?;
            self.position = position.record;
        }
        Ok(())
    }
}

/// The batches from the row `first` on. Row groups before it are not touched.
fn batches(
    input: &Input,
    metadata: &ArrowReaderMetadata,
    projection: &ProjectionMask,
    rows: usize,
    first: u64,
) -> parquet::errors::Result<ParquetRecordBatchReader> {
    let mut before = first;
    let mut groups = Vec::new();
    for (number, group) in metadata.metadata().row_groups().iter().enumerate() {
        let length = u64::try_from(group.num_rows()).unwrap_or(0);
        if groups.is_empty() && before >= length {
            before -= length;
        } else {
            groups.push(number);
        }
    }
    ParquetRecordBatchReaderBuilder::new_with_metadata(input.clone(), metadata.clone())
        .with_projection(projection.clone())
        .with_row_groups(groups)
        .with_offset(usize::try_from(before).unwrap_or(usize::MAX))
        .with_batch_size(rows)
        .build()
}

/// About how many rows have `bytes` bytes, by the row group with the longest rows; at least one.
pub(crate) fn rows_of(bytes: usize, metadata: &ParquetMetaData) -> usize {
    let longest =
        metadata.row_groups().iter().map(|group| group.total_byte_size() / group.num_rows().max(1)).max();
    let longest = usize::try_from(longest.unwrap_or(1)).unwrap_or(1).max(1);
    (bytes / longest).max(1)
}

/// An error if a column cannot be what it is wanted as.
pub(super) fn check_types(schema: &SchemaRef, fields: &Fields, source: &str) -> Result<()> {
    let empty = RecordBatch::new_empty(SchemaRef::clone(schema));
    let check = |path: Option<&FieldPath>, what: &str, fits: &dyn Fn(&DataType) -> bool| {
        let Some(path) = path else { return Ok(()) };
        let kind = Column::find(&empty, path).map(|column| column.values().data_type().clone());
        match kind {
            Some(kind) if fits(&kind) => Ok(()),
            Some(kind) => Err(Error::Invalid(format!(
                "the column `{}` of {source} has the type {kind}, which cannot be {what}; name another column",
                path.written()
            ))),
            // It is there, but inside a list or a map.
            None => Err(Error::Invalid(format!(
                "the column `{}` of {source} is inside a list or a map, of which a row may have many; name another \
                 column",
                path.written()
            ))),
        }
    };
    check(Some(&fields.text), "the text", &is_text)?;
    check(fields.id.as_ref(), "an id", &is_printable)?;
    check(fields.order.as_ref(), "put in order", &is_comparable)?;
    check(fields.within.as_ref(), "compared for equality", &is_printable)
}
