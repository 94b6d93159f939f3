//! Kept rows -> a Parquet file with the same schema.
//!
//! The output keeps the schema and the values; the key-value metadata; for each column its compression and whether it
//! has a dictionary and a Bloom filter; and the number of rows in a row group. A row group ends earlier if it reaches
//! 8 MiB of encoded bytes, because it is in memory until it is complete. The output does not keep the division into
//! pages and the statistics; the statistics are those of the kept rows.
//!
//! Rows are written in batches whose size depends only on the source, because a page ends with its batch, and so the
//! size of batches changes the bytes of the output.

use super::input::{Input, damaged};
use super::reader::{rows_of, rows_that_fit};
use super::rows::ArrowRows;
use crate::sink::{Annotation, Disposition, NAMES, Output, SinkOptions, Target, has_already};
use crate::{Compression, Error, Result, Source};
use arrow_array::builder::{BooleanBuilder, Float64Builder, StringBuilder};
use arrow_array::{ArrayRef, BooleanArray, RecordBatch};
use arrow_schema::{ArrowError, DataType, Field, Schema, SchemaRef};
use arrow_select::coalesce::BatchCoalescer;
use arrow_select::filter::filter_record_batch;
use parquet::arrow::arrow_reader::ArrowReaderMetadata;
use parquet::arrow::arrow_writer::{ArrowWriter, ArrowWriterOptions};
use parquet::arrow::{ARROW_SCHEMA_META_KEY, ProjectionMask};
use parquet::basic::{LogicalType, Repetition, Type as Physical};
use parquet::errors::ParquetError;
use parquet::file::metadata::{KeyValue, ParquetMetaData};
use parquet::file::properties::WriterProperties;
use parquet::schema::types::{SchemaDescriptor, Type};
use std::path::Path;
use std::sync::Arc;

/// A row group ends with the batch that brings it to this many encoded bytes, because it is in memory until it is
/// complete. The output must not depend on the memory limit, so this size fits into the smallest limit.
const ROW_GROUP_BYTES: usize = 8 << 20;
/// Approximate size of a batch in bytes.
const BATCH_BYTES: usize = 1 << 20;
/// Largest size of a batch in bytes, as far as it can be computed from the dictionaries of the source. It is small,
/// because the allocator may keep the memory of several batches for each thread.
const MOST_BATCH_BYTES: u64 = 2 << 20;
/// Largest number of rows in a batch.
const BATCH_ROWS: usize = 8_192;
/// Number of rows in a row group if the source has no row groups.
const ROW_GROUP_ROWS: usize = 1 << 20;

/// Writes the kept rows of a Parquet file.
pub(crate) struct ParquetSink {
    name: String,
    writer: ArrowWriter<Output>,
    batches: BatchCoalescer,
    schema: SchemaRef,
    annotate: bool,
}

impl std::fmt::Debug for ParquetSink {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("ParquetSink").field("name", &self.name).finish_non_exhaustive()
    }
}

impl ParquetSink {
    pub(crate) fn create(
        target: &Target,
        source: &Source,
        aside: &Path,
        options: SinkOptions,
    ) -> Result<Self> {
        // Only the footer and the dictionaries are read here.
        let (input, metadata) = Input::open(source, u64::MAX)?;
        let schema = if options.annotate { annotated(&metadata, source)? } else { metadata.schema().clone() };
        let mut written = ArrowWriterOptions::new()
            .with_properties(properties(metadata.metadata(), options.annotate))
            .with_skip_arrow_metadata(!options.annotate || !notes_arrow_schema(metadata.metadata()));
        let name = source.name.clone();
        match parquet_schema(metadata.parquet_schema(), options.annotate) {
            Ok(Some(same)) => written = written.with_parquet_schema(same),
            Ok(None) => {
                let root = metadata.parquet_schema().root_schema().name().to_owned();
                written = written.with_schema_root(root);
            }
            Err(cause) => return Err(damaged(&name, cause)),
        }
        let output = Output::create(target, source, aside, Compression::None, options)?;
        let writer = ArrowWriter::try_new_with_options(output, schema.clone(), written)
            .map_err(|cause| failed(&name, cause))?;
        let rows = rows_of(BATCH_BYTES, metadata.metadata()).min(BATCH_ROWS);
        let all = ProjectionMask::all();
        let fitting = || rows_that_fit(&input, metadata.metadata(), &all, rows, MOST_BATCH_BYTES);
        let rows = input.read(&source.name, 0, fitting)?;
        let batches = BatchCoalescer::new(schema.clone(), rows);
        Ok(Self { name, writer, batches, schema, annotate: options.annotate })
    }

    /// Writes the kept rows of a block and returns their number.
    pub(crate) fn write(
        &mut self,
        rows: &ArrowRows,
        fate: &mut dyn FnMut(usize) -> Disposition,
    ) -> Result<u64> {
        let mut said = self.annotate.then(Annotations::default);
        let mut kept = Vec::with_capacity(rows.len());
        for row in 0..rows.len() {
            let annotation = match fate(row) {
                Disposition::Drop => {
                    kept.push(false);
                    continue;
                }
                Disposition::Keep => None,
                Disposition::Annotate(annotation) => Some(annotation),
            };
            kept.push(true);
            match (&mut said, annotation) {
                (Some(said), annotation) => said.push(annotation.as_ref()),
                (None, None) => {}
                (None, Some(_)) => {
                    return Err(Error::Invalid(format!(
                        "{} cannot be annotated: its output was created without the columns for annotations",
                        self.name
                    )));
                }
            }
        }
        let kept = BooleanArray::from(kept);
        let count = kept.true_count();
        if count == 0 {
            return Ok(0);
        }
        let name = &self.name;
        let arrow = |cause: ArrowError| failed(name, cause.into());
        let mut batch = if count == rows.len() {
            rows.batch.clone()
        } else {
            filter_record_batch(&rows.batch, &kept).map_err(arrow)?
        };
        let mut columns = batch.columns().to_vec();
        columns.extend(said.map(Annotations::finish).into_iter().flatten());
        batch = RecordBatch::try_new(self.schema.clone(), columns).map_err(arrow)?;
        self.batches.push_batch(batch).map_err(arrow)?;
        while let Some(batch) = self.batches.next_completed_batch() {
            self.writer.write(&batch).map_err(|cause| failed(name, cause))?;
            if self.writer.in_progress_size() >= ROW_GROUP_BYTES {
                self.writer.flush().map_err(|cause| failed(name, cause))?;
            }
        }
        Ok(count as u64)
    }

    /// Completes the output and returns the number of stored bytes.
    pub(crate) fn finish(mut self) -> Result<u64> {
        let name = &self.name;
        self.batches.finish_buffered_batch().map_err(|cause| failed(name, cause.into()))?;
        while let Some(batch) = self.batches.next_completed_batch() {
            self.writer.write(&batch).map_err(|cause| failed(name, cause))?;
        }
        self.writer.into_inner().map_err(|cause| failed(name, cause))?.finish()
    }
}

/// The annotations of rows, as columns.
#[derive(Default)]
struct Annotations {
    cluster: StringBuilder,
    duplicate: BooleanBuilder,
    kept_id: StringBuilder,
    similarity: Float64Builder,
}

impl Annotations {
    /// Adds the annotation of one row. A row without an annotation gets nulls.
    fn push(&mut self, said: Option<&Annotation>) {
        self.cluster.append_option(said.map(|said| &said.cluster.text));
        self.duplicate.append_option(said.map(|said| said.duplicate));
        self.kept_id.append_option(said.and_then(|said| said.kept_id.as_ref().map(|id| &id.text)));
        self.similarity.append_option(said.and_then(|said| said.similarity));
    }

    fn finish(mut self) -> [ArrayRef; 4] {
        [
            Arc::new(self.cluster.finish()),
            Arc::new(self.duplicate.finish()),
            Arc::new(self.kept_id.finish()),
            Arc::new(self.similarity.finish()),
        ]
    }
}

/// The schema of the source with the columns of annotations.
fn annotated(metadata: &ArrowReaderMetadata, source: &Source) -> Result<SchemaRef> {
    let schema = metadata.schema();
    if let Some(name) = NAMES.iter().find(|name| schema.field_with_name(name).is_ok()) {
        return Err(Error::Invalid(format!("{} cannot be annotated: {}", source.name, has_already(name))));
    }
    let kinds = [DataType::Utf8, DataType::Boolean, DataType::Utf8, DataType::Float64];
    let added = NAMES.iter().zip(kinds).map(|(name, kind)| Arc::new(Field::new(*name, kind, true)));
    let fields: Vec<_> = schema.fields().iter().cloned().chain(added).collect();
    // The metadata of the file is copied separately, and need not be in the schema too.
    Ok(Arc::new(Schema::new(fields)))
}

/// The schema of the source as Parquet describes it, so that nothing is lost by a conversion to an Arrow schema.
/// `None` if it contains a type that can be read but no longer written (`INT96`, an old form of time).
fn parquet_schema(
    schema: &SchemaDescriptor,
    annotate: bool,
) -> parquet::errors::Result<Option<SchemaDescriptor>> {
    if schema.columns().iter().any(|column| column.physical_type() == Physical::INT96) {
        return Ok(None);
    }
    let root = schema.root_schema();
    let mut fields = root.get_fields().to_vec();
    if annotate {
        let kinds = [Physical::BYTE_ARRAY, Physical::BOOLEAN, Physical::BYTE_ARRAY, Physical::DOUBLE];
        for (name, kind) in NAMES.into_iter().zip(kinds) {
            let text = (kind == Physical::BYTE_ARRAY).then_some(LogicalType::String);
            let field = Type::primitive_type_builder(name, kind)
                .with_repetition(Repetition::OPTIONAL)
                .with_logical_type(text)
                .build()?;
            fields.push(Arc::new(field));
        }
    }
    let root = Type::group_type_builder(root.name()).with_fields(fields).build()?;
    Ok(Some(SchemaDescriptor::new(Arc::new(root))))
}

/// True if the program that wrote the source stored an Arrow schema.
fn notes_arrow_schema(metadata: &ParquetMetaData) -> bool {
    let noted = metadata.file_metadata().key_value_metadata();
    noted.is_some_and(|noted| noted.iter().any(|entry| entry.key == ARROW_SCHEMA_META_KEY))
}

/// The properties with which the source was written.
fn properties(metadata: &ParquetMetaData, annotate: bool) -> WriterProperties {
    let file = metadata.file_metadata();
    let noted = file.key_value_metadata().map(|entries| {
        // The stored Arrow schema is kept, unless columns are added: then the writer stores its own.
        let stays = |entry: &&KeyValue| !annotate || entry.key != ARROW_SCHEMA_META_KEY;
        entries.iter().filter(stays).cloned().collect::<Vec<_>>()
    });
    let mut properties = WriterProperties::builder()
        .set_key_value_metadata(noted.filter(|noted| !noted.is_empty()))
        .set_max_row_group_row_count(Some(row_group_rows(metadata)));
    let Some(group) = metadata.row_groups().first() else { return properties.build() };
    if let Some(column) = group.columns().first() {
        // For the columns of annotations.
        properties = properties.set_compression(column.compression());
    }
    for column in group.columns() {
        let path = column.column_path();
        properties = properties
            .set_column_compression(path.clone(), column.compression())
            .set_column_dictionary_enabled(path.clone(), column.dictionary_page_offset().is_some())
            .set_column_bloom_filter_enabled(path.clone(), column.bloom_filter_offset().is_some());
    }
    properties.build()
}

fn row_group_rows(metadata: &ParquetMetaData) -> usize {
    let groups = metadata.row_groups();
    let rows = groups.iter().map(|group| group.num_rows()).max().and_then(|rows| usize::try_from(rows).ok());
    rows.filter(|rows| *rows > 0).unwrap_or(ROW_GROUP_ROWS)
}

/// An error of the writer. An error of the system is passed on unchanged.
fn failed(name: &str, cause: ParquetError) -> Error {
    let name = format!("the output of {name}");
    match cause {
        ParquetError::External(inner) => match inner.downcast::<std::io::Error>() {
            Ok(cause) => Error::Io { action: "write", name, cause: *cause },
            Err(cause) => Error::Io { action: "write", name, cause: std::io::Error::other(cause) },
        },
        cause => Error::Io { action: "write", name, cause: std::io::Error::other(cause) },
    }
}
