//! The list of removed documents -> a Parquet file.

use crate::{Error, RemovedRow, Result};
use arrow_array::builder::{Float64Builder, StringBuilder, UInt32Builder, UInt64Builder};
use arrow_array::{ArrayRef, RecordBatch};
use arrow_schema::{DataType, Field, Schema, SchemaRef};
use files::OutFile;
use parquet::arrow::ArrowWriter;
use parquet::basic::{Compression, ZstdLevel};
use parquet::errors::ParquetError;
use parquet::file::properties::WriterProperties;
use std::io;
use std::sync::Arc;

/// Largest number of rows in a batch. A batch is in memory until it is encoded.
const BATCH_ROWS: usize = 8_192;
/// Largest size of a batch in bytes. A batch with long ids has fewer rows.
const BATCH_BYTES: usize = 1 << 20;
/// Number of rows in a row group. An encoded row group is in memory until it is written.
const ROW_GROUP_ROWS: usize = 1 << 18;
/// Approximate memory that a row group may take, in bytes.
const ROW_GROUP_BYTES: usize = 8 << 20;

/// Writes the list of removed documents.
pub(crate) struct RemovedSink {
    name: String,
    writer: ArrowWriter<OutFile>,
    schema: SchemaRef,
    columns: Columns,
    rows: usize,
    bytes: usize,
}

impl std::fmt::Debug for RemovedSink {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("RemovedSink").field("name", &self.name).finish_non_exhaustive()
    }
}

impl RemovedSink {
    pub(crate) fn new(file: OutFile) -> Result<Self> {
        let name = file.path().display().to_string();
        let schema = schema();
        let properties = WriterProperties::builder()
            .set_compression(Compression::ZSTD(ZstdLevel::default()))
            .set_max_row_group_row_count(Some(ROW_GROUP_ROWS))
            .build();
        let writer = ArrowWriter::try_new(file, schema.clone(), Some(properties))
            .map_err(|cause| failed(&name, cause))?;
        Ok(Self { name, writer, schema, columns: Columns::default(), rows: 0, bytes: 0 })
    }

    pub(crate) fn push(&mut self, row: &RemovedRow) -> Result<()> {
        self.columns.push(row);
        self.rows += 1;
        self.bytes += row.id.len() + row.kept_id.as_ref().map_or(0, String::len);
        if self.rows == BATCH_ROWS || self.bytes >= BATCH_BYTES {
            self.write_batch()?;
        }
        Ok(())
    }

    fn write_batch(&mut self) -> Result<()> {
        let failed = |cause| failed(&self.name, cause);
        let batch = self.columns.finish(&self.schema).map_err(failed)?;
        self.writer.write(&batch).map_err(failed)?;
        (self.rows, self.bytes) = (0, 0);
        if self.writer.memory_size() >= ROW_GROUP_BYTES {
            self.writer.flush().map_err(failed)?;
        }
        Ok(())
    }

    pub(crate) fn finish(mut self) -> Result<()> {
        self.write_batch()?;
        let failed = |cause| failed(&self.name, cause);
        Ok(self.writer.into_inner().map_err(failed)?.sync()?)
    }
}

fn failed(name: &str, cause: ParquetError) -> Error {
    Error::Io {
        action: "write",
        name: name.to_owned(),
        cause: match cause {
            ParquetError::External(inner) => match inner.downcast::<io::Error>() {
                Ok(cause) => *cause,
                Err(cause) => io::Error::other(cause),
            },
            cause => io::Error::other(cause),
        },
    }
}

fn schema() -> SchemaRef {
    Arc::new(Schema::new(vec![
        Field::new("id", DataType::Utf8, false),
        Field::new("source", DataType::Utf8, false),
        Field::new("line", DataType::UInt64, false),
        Field::new("kind", DataType::Utf8, false),
        Field::new("kept_id", DataType::Utf8, true),
        Field::new("kept_source", DataType::Utf8, true),
        Field::new("kept_line", DataType::UInt64, true),
        Field::new("similarity", DataType::Float64, true),
        Field::new("distance", DataType::UInt32, true),
        Field::new("reason", DataType::Utf8, true),
    ]))
}

#[derive(Default)]
struct Columns {
    id: StringBuilder,
    source: StringBuilder,
    line: UInt64Builder,
    kind: StringBuilder,
    kept_id: StringBuilder,
    kept_source: StringBuilder,
    kept_line: UInt64Builder,
    similarity: Float64Builder,
    distance: UInt32Builder,
    reason: StringBuilder,
}

impl Columns {
    fn push(&mut self, row: &RemovedRow) {
        self.id.append_value(&row.id);
        self.source.append_value(&row.source);
        self.line.append_value(row.line);
        self.kind.append_value(&row.kind);
        self.kept_id.append_option(row.kept_id.as_ref());
        self.kept_source.append_option(row.kept_source.as_ref());
        self.kept_line.append_option(row.kept_line);
        self.similarity.append_option(row.similarity);
        self.distance.append_option(row.distance);
        self.reason.append_option(row.reason.as_ref());
    }

    /// The rows since the last call, as a batch.
    fn finish(&mut self, schema: &SchemaRef) -> std::result::Result<RecordBatch, ParquetError> {
        let columns: Vec<ArrayRef> = vec![
            Arc::new(self.id.finish()),
            Arc::new(self.source.finish()),
            Arc::new(self.line.finish()),
            Arc::new(self.kind.finish()),
            Arc::new(self.kept_id.finish()),
            Arc::new(self.kept_source.finish()),
            Arc::new(self.kept_line.finish()),
            Arc::new(self.similarity.finish()),
            Arc::new(self.distance.finish()),
            Arc::new(self.reason.finish()),
        ];
        RecordBatch::try_new(schema.clone(), columns).map_err(ParquetError::from)
    }
}
