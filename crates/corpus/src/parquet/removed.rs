//! The list of what was removed -> a Parquet file.

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

/// Rows of a batch: what is in memory before it is encoded.
const BATCH_ROWS: usize = 8_192;
/// Rows of a row group: what is in memory, encoded, before it is written.
const ROW_GROUP_ROWS: usize = 1 << 18;

/// As [`write_removed_parquet`](crate::write_removed_parquet).
pub(crate) fn write_removed(file: OutFile, rows: &mut dyn Iterator<Item = Result<RemovedRow>>) -> Result<()> {
    let name = file.path().display().to_string();
    let failed = |cause: ParquetError| Error::Io {
        action: "write",
        name: name.clone(),
        cause: match cause {
            ParquetError::External(inner) => match inner.downcast::<io::Error>() {
                Ok(cause) => *cause,
                Err(cause) => io::Error::other(cause),
            },
            cause => io::Error::other(cause),
        },
    };
    let schema = schema();
    let properties = WriterProperties::builder()
        .set_compression(Compression::ZSTD(ZstdLevel::default()))
        .set_max_row_group_row_count(Some(ROW_GROUP_ROWS))
        .build();
    let mut writer = ArrowWriter::try_new(file, schema.clone(), Some(properties)).map_err(failed)?;
    let mut columns = Columns::default();
    let mut count = 0;
    for row in rows {
        columns.push(&row?);
        count += 1;
        if count % BATCH_ROWS == 0 {
            writer.write(&columns.finish(&schema).map_err(failed)?).map_err(failed)?;
        }
    }
    writer.write(&columns.finish(&schema).map_err(failed)?).map_err(failed)?;
    Ok(writer.into_inner().map_err(failed)?.sync()?)
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

    /// The rows since the last time, as a batch.
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
