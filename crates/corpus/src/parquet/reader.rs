//! A Parquet file -> blocks of rows.

use super::columns::Column;
use super::groups::ChosenGroups;
use super::input::Input;
use super::long_pages::longest_in_dictionary;
use super::paths::projection;
use super::rows::ArrowRows;
use super::texts::TextColumn;
use super::values::{is_comparable, is_printable, is_text};
use crate::block::Content;
use crate::{
    Announce, Block, Error, FieldPath, Fields, Limits, Location, Position, ReadMode, Result, Source,
};
use arrow_array::RecordBatch;
use arrow_schema::{DataType, SchemaRef};
use parquet::arrow::arrow_reader::{
    ArrowReaderMetadata, ParquetRecordBatchReader, RowSelection, RowSelector,
};
use parquet::arrow::{ProjectionMask, parquet_to_arrow_field_levels};
use parquet::basic::{Encoding, Type};
use parquet::errors::ParquetError;
use parquet::file::metadata::{ColumnChunkMetaData, ParquetMetaData};
use std::sync::Arc;

/// The largest size of a block in bytes, as far as it can be computed from the dictionaries of a file.
const MOST_DECODED: u64 = 4 << 20;

/// The largest number of rows in a block of a delta-encoded column. There, a value can repeat nearly all of the
/// previous value, so a few encoded bytes can stand for a long text.
const MOST_DELTA_ROWS: usize = 16;

/// Reads the rows of a Parquet file.
pub(crate) struct ParquetReader {
    name: String,
    input: Input,
    metadata: ArrowReaderMetadata,
    projection: ProjectionMask,
    rows: usize,
    /// The expected size of a block in bytes.
    expected: u64,
    content: RowReader,
    /// Number of rows before the next block.
    position: u64,
}

/// What is read of each row.
enum RowReader {
    /// The text and nothing else.
    Texts {
        column: Box<TextColumn>,
        /// The name of the source, if its column promises that all texts are UTF-8.
        promised_by: Option<Arc<str>>,
    },
    /// Several columns.
    Batches(ParquetRecordBatchReader),
}

impl std::fmt::Debug for ParquetReader {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self { name, position, .. } = self;
        let mut written = formatter.debug_struct("ParquetReader");
        written.field("name", name).field("position", position).finish_non_exhaustive()
    }
}

/// The columns of a Parquet file.
pub fn parquet_schema(source: &Source) -> Result<SchemaRef> {
    let (_, metadata) = Input::open(source, u64::MAX)?;
    Ok(Arc::clone(metadata.schema()))
}

/// The columns of a Parquet file or of a table in memory.
fn schema_of(source: &Source) -> Result<SchemaRef> {
    match &source.location {
        Location::Memory(table) => Ok(Arc::clone(table.schema())),
        _ => parquet_schema(source),
    }
}

/// The names of the columns.
pub(crate) fn names_of_columns(source: &Source) -> Result<Vec<String>> {
    Ok(schema_of(source)?.fields().iter().map(|field| field.name().clone()).collect())
}

/// The first column that holds text; by its size rows are divided into blocks.
pub(crate) fn text_column_of(source: &Source) -> Result<String> {
    let schema = schema_of(source)?;
    let text = schema.fields().iter().find(|field| is_text(field.data_type()));
    text.map(|field| field.name().clone())
        .ok_or_else(|| Error::Invalid(format!("{} has no column of text", source.name)))
}

impl ParquetReader {
    pub(crate) fn open(source: &Source, mode: ReadMode, fields: &Fields, limits: Limits) -> Result<Self> {
        let (input, metadata) = Input::open(source, limits.record_bytes)?;
        let named = projection(metadata.parquet_schema(), fields, &source.name)?;
        check_types(metadata.schema(), fields, &source.name)?;
        let projection = match mode {
            ReadMode::Text | ReadMode::Fields => named,
            ReadMode::Whole => ProjectionMask::all(),
        };
        // Blocks have the same rows whether only the text or all fields are read.
        let rows = rows_of(limits.block_bytes, metadata.metadata()).min(limits.records);
        let rows = input.read(&source.name, 0, || {
            rows_that_fit(&input, metadata.metadata(), &projection, rows, MOST_DECODED)
        })?;
        let is_all = fields.id.is_none() && fields.order.is_none() && fields.within.is_none();
        let is_text_only = mode == ReadMode::Text || mode == ReadMode::Fields && is_all;
        let text = if is_text_only && !fields.text.is_json {
            text_column(&input, &metadata, fields, &source.name)?
        } else {
            None
        };
        let content = match text {
            Some(text) => text,
            None => input.read(&source.name, 0, || {
                batches(&input, &metadata, &projection, rows, 0).map(RowReader::Batches)
            })?,
        };
        let expected = longest_row(metadata.metadata()).saturating_mul(rows as u64);
        let name = source.name.clone();
        Ok(Self { name, input, metadata, projection, rows, expected, content, position: 0 })
    }

    /// [`Reader::next_block`](crate::Reader::next_block) for Parquet.
    pub(crate) fn next_block(&mut self, block: &mut Block, mut long: Announce<'_>) -> Result<bool> {
        long.expect(self.expected);
        let Self { content, input, name, position, rows, .. } = self;
        match content {
            RowReader::Texts { column, promised_by } => {
                let texts = block.content.texts_mut();
                texts.begin(promised_by.clone());
                input.read(name, *position, || column.read(*rows, texts))?;
            }
            RowReader::Batches(batches) => {
                let next = || batches.next().transpose().map_err(ParquetError::from);
                let Some(batch) = input.read(name, *position, next)? else { return Ok(false) };
                block.content = Content::Rows(ArrowRows { bytes: batch.get_array_memory_size(), batch });
            }
        }
        block.position = Position { offset: self.position, record: self.position };
        self.position += block.len() as u64;
        Ok(!block.is_empty())
    }

    /// [`Reader::advance_to`](crate::Reader::advance_to) for Parquet.
    pub(crate) fn advance_to(&mut self, position: Position) -> Result<()> {
        let first = position.record;
        if first != self.position {
            let Self { input, metadata, projection, rows, name, content, .. } = self;
            input.read(name, first, || {
                match content {
                    RowReader::Texts { column, .. } => column.go_to(first)?,
                    RowReader::Batches(old) => *old = batches(input, metadata, projection, *rows, first)?,
                }
                Ok(())
            })?;
            self.position = first;
        }
        Ok(())
    }
}

/// A reader of nothing but the texts. `None` if they are not stored as strings or bytes: a column that has only nulls
/// may be stored as numbers.
fn text_column(
    input: &Input,
    metadata: &ArrowReaderMetadata,
    fields: &Fields,
    source: &str,
) -> Result<Option<RowReader>> {
    let schema = metadata.parquet_schema();
    let only_text = Fields { text: fields.text.clone(), id: None, order: None, within: None };
    let projection = projection(schema, &only_text, source)?;
    let mut leaves = (0..schema.num_columns()).filter(|&leaf| projection.leaf_included(leaf));
    let (Some(leaf), None) = (leaves.next(), leaves.next()) else { return Ok(None) };
    let description = schema.column(leaf);
    if description.physical_type() != Type::BYTE_ARRAY || description.max_rep_level() > 0 {
        return Ok(None);
    }
    let empty = RecordBatch::new_empty(SchemaRef::clone(metadata.schema()));
    let kind = Column::find(&empty, &fields.text).map(|column| column.values().data_type().clone());
    let is_string = matches!(kind, Some(DataType::Utf8 | DataType::LargeUtf8 | DataType::Utf8View));
    let promised_by = is_string.then(|| Arc::from(source));
    let column = Box::new(TextColumn::new(input.clone(), Arc::clone(metadata.metadata()), leaf));
    Ok(Some(RowReader::Texts { column, promised_by }))
}

/// The batches from the row `first` on. Row groups before this row are not read.
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
    let levels = parquet_to_arrow_field_levels(
        metadata.parquet_schema(),
        projection.clone(),
        Some(metadata.schema().fields()),
    )?;
    let groups = ChosenGroups::new(input.clone(), Arc::clone(metadata.metadata()), groups);
    let before = usize::try_from(before).unwrap_or(usize::MAX);
    let selection = (before > 0).then(|| {
        let rest = groups.rows().saturating_sub(before);
        RowSelection::from(vec![RowSelector::skip(before), RowSelector::select(rest)])
    });
    ParquetRecordBatchReader::try_new_with_row_groups(&levels, &groups, rows, selection)
}

/// The approximate number of rows in `bytes` bytes, computed from the row group with the longest rows; at least one.
pub(crate) fn rows_of(bytes: usize, metadata: &ParquetMetaData) -> usize {
    (bytes / usize::try_from(longest_row(metadata)).unwrap_or(usize::MAX).max(1)).max(1)
}

/// The average number of encoded bytes per row in the row group with the longest rows.
fn longest_row(metadata: &ParquetMetaData) -> u64 {
    let longest =
        metadata.row_groups().iter().map(|group| group.total_byte_size() / group.num_rows().max(1)).max();
    u64::try_from(longest.unwrap_or(1)).unwrap_or(1).max(1)
}

/// How many of `rows` rows take at most `bytes` bytes after decoding; at least one.
///
/// A value from a dictionary takes only a few bits when it is encoded, however long it is, and the number of rows is
/// computed from encoded sizes. So the dictionaries are read, which are a small part of a file: no value is longer
/// than the longest value of its dictionary. The result depends only on the file, so that its blocks are always the
/// same.
pub(crate) fn rows_that_fit(
    input: &Input,
    metadata: &ParquetMetaData,
    projection: &ProjectionMask,
    rows: usize,
    bytes: u64,
) -> parquet::errors::Result<usize> {
    let mut fitting = rows;
    for group in metadata.row_groups() {
        let mut longest = 0;
        for (leaf, column) in group.columns().iter().enumerate() {
            if !projection.leaf_included(leaf) || column.column_type() != Type::BYTE_ARRAY {
                continue;
            }
            if column.encodings().any(|encoding| encoding == Encoding::DELTA_BYTE_ARRAY) {
                fitting = fitting.min(MOST_DELTA_ROWS);
            }
            // If the whole dictionary is short enough, each of its values is.
            if has_dictionary(column) && (column.uncompressed_size().max(0) as u64) > bytes / rows as u64 {
                longest += longest_in_dictionary(input, column, group.num_rows())?;
            }
        }
        if let Some(rows) = bytes.checked_div(longest) {
            fitting = fitting.min(usize::try_from(rows).unwrap_or(usize::MAX));
        }
    }
    Ok(fitting.max(1))
}

fn has_dictionary(column: &ColumnChunkMetaData) -> bool {
    let is_dictionary = |encoding| matches!(encoding, Encoding::RLE_DICTIONARY | Encoding::PLAIN_DICTIONARY);
    column.dictionary_page_offset().is_some() || column.encodings().any(is_dictionary)
}

/// An error if the type of a column does not fit its purpose.
pub(super) fn check_types(schema: &SchemaRef, fields: &Fields, source: &str) -> Result<()> {
    let empty = RecordBatch::new_empty(SchemaRef::clone(schema));
    let check = |path: Option<&FieldPath>, what: &str, fits: &dyn Fn(&DataType) -> bool| {
        let Some(path) = path else { return Ok(()) };
        let kind = Column::find(&empty, path).map(|column| column.values().data_type().clone());
        match kind {
            Some(kind) if fits(&kind) => Ok(()),
            Some(kind) => Err(Error::Invalid(format!(
                "the column `{}` of {source} has the type {kind}, which cannot be {what}; choose another column",
                path.written()
            ))),
            // The column exists, but is inside a list or a map.
            None => Err(Error::Invalid(format!(
                "the column `{}` of {source} is inside a list or a map, so that a row may have several \
                 values; choose another column",
                path.written()
            ))),
        }
    };
    if fields.text.is_json {
        // Whoever reads the JSON says what is wrong with it. A path that leads into a list is found nowhere.
        check(Some(&fields.text), "read", &|_| true)?;
    } else {
        check(Some(&fields.text), "the text", &is_text)?;
    }
    check(fields.id.as_ref(), "an id", &is_printable)?;
    check(fields.order.as_ref(), "put in order", &is_comparable)?;
    check(fields.within.as_ref(), "compared for equality", &is_printable)
}
