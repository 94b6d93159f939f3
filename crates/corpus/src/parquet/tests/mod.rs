//! Reading and writing Parquet files.

mod again;
mod damage;
mod reading;
mod tables;
mod writing;

use crate::sink::tests::{copy, limits, local};
use crate::{
    Annotation, Block, Compression, Disposition, Error, FieldPath, Fields, Format, Id, Position, ReadMode,
    Reader, Record, RemovedRow, RemovedWriter, Result, Scratch, SinkOptions, Source, Target,
};
use arrow_array::builder::{
    FixedSizeListBuilder, Float32Builder, Float64Builder, Int64Builder, LargeListBuilder, ListBuilder,
    MapBuilder, StringBuilder, StringDictionaryBuilder,
};
use arrow_array::cast::AsArray;
use arrow_array::types::{Int32Type, Int64Type, UInt64Type};
use arrow_array::{
    Array, ArrayRef, BinaryArray, BinaryViewArray, BooleanArray, Date32Array, Decimal128Array,
    FixedSizeBinaryArray, Float64Array, Int64Array, LargeStringArray, RecordBatch, StringArray,
    StringViewArray, StructArray, TimestampMillisecondArray, UInt64Array,
};
use arrow_schema::{DataType, Field, Schema};
use parquet::arrow::ArrowWriter;
use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;
use parquet::arrow::arrow_writer::ArrowWriterOptions;
use parquet::basic::{Compression as Codec, ZstdLevel};
use parquet::file::metadata::{KeyValue, ParquetMetaData};
use parquet::file::properties::{WriterProperties, WriterPropertiesBuilder};
use parquet::schema::types::{ColumnPath, SchemaDescriptor};
use std::fs::File;
use std::path::{Path, PathBuf};
use std::sync::Arc;

struct Folder {
    folder: tempfile::TempDir,
}

impl Folder {
    fn new() -> Self {
        Self { folder: tempfile::tempdir().unwrap() }
    }

    fn path(&self) -> PathBuf {
        self.folder.path().join("in.parquet")
    }

    fn write(&self, columns: Vec<(&str, ArrayRef)>, properties: WriterPropertiesBuilder) -> Source {
        let batch = RecordBatch::try_from_iter_with_nullable(
            columns.into_iter().map(|(name, column)| (name, column, true)),
        )
        .unwrap();
        let file = File::create(self.path()).unwrap();
        let mut writer = ArrowWriter::try_new(file, batch.schema(), Some(properties.build())).unwrap();
        writer.write(&batch).unwrap();
        writer.close().unwrap();
        self.source()
    }

    fn source(&self) -> Source {
        local(&self.path(), "out.parquet", Format::Parquet, Compression::None)
    }

    fn output(&self) -> PathBuf {
        self.folder.path().join("clean/out.parquet")
    }

    fn copy(
        &self,
        annotate: bool,
        block_bytes: usize,
        fate: &mut dyn FnMut(u64) -> Disposition,
    ) -> Result<u64> {
        let target = Target::new(self.folder.path().join("clean").to_str().unwrap()).unwrap();
        let aside = self.folder.path().join("aside");
        let options = SinkOptions { annotate, threads: 1 };
        copy(&target, &self.source(), &aside, options, block_bytes, fate).map(|written| written.records)
    }
}

fn plain() -> WriterPropertiesBuilder {
    WriterProperties::builder()
}

fn fields(text: &str) -> Fields {
    Fields::text(FieldPath::new(text))
}

fn strings(values: &[Option<&str>]) -> ArrayRef {
    Arc::new(StringArray::from(values.to_vec()))
}

/// Each row as a string.
fn rows(source: &Source, fields: &Fields, mode: ReadMode, block_bytes: usize) -> Result<Vec<String>> {
    let mut reader = Reader::open(source, mode, fields, limits(block_bytes))?;
    let (mut block, mut rows) = (Block::default(), Vec::new());
    while reader.next_block(&mut block)? {
        visit(&block, fields, &mut rows)?;
    }
    Ok(rows)
}

fn visit(block: &Block, fields: &Fields, rows: &mut Vec<String>) -> Result<()> {
    block.visit(fields, None, &mut Scratch::default(), &mut |_, record| {
        rows.push(match record {
            Record::Bad(bad) => format!("bad: {}", bad.reason),
            Record::Document(document) => {
                let kind = document.order.map(|order| order.kind.name().into());
                let parts = [document.id.map(|id| id.text), kind, document.within];
                let rest: String = parts.into_iter().flatten().map(|part| format!("|{part}")).collect();
                format!("{}{rest}", document.text)
            }
        });
        Ok(())
    })
}

fn read_back(path: &Path) -> (RecordBatch, Arc<ParquetMetaData>) {
    let builder = ParquetRecordBatchReaderBuilder::try_new(File::open(path).unwrap()).unwrap();
    let (metadata, schema) = (builder.metadata().clone(), builder.schema().clone());
    let batches: Vec<_> = builder.build().unwrap().map(|batch| batch.unwrap()).collect();
    (arrow_select::concat::concat_batches(&schema, &batches).unwrap(), metadata)
}

/// `doc: {body, id}`, where the second row has no `doc`.
fn nested() -> ArrayRef {
    let body = Arc::new(Field::new("body", DataType::Utf8, true));
    let id = Arc::new(Field::new("id", DataType::Int64, true));
    Arc::new(StructArray::new(
        vec![body, id].into(),
        vec![strings(&[Some("x"), Some("hidden"), None]), Arc::new(Int64Array::from(vec![7, 8, 9]))],
        Some(vec![true, false, true].into()),
    ))
}

/// `count` rows in row groups of 100.
fn many(folder: &Folder, count: usize) -> Source {
    let texts: Vec<String> = (0..count).map(|n| format!("row {n} {}", "x".repeat(n % 50))).collect();
    let numbers: Vec<Option<i64>> = (0..count as i64).map(|n| (n % 7 != 0).then_some(n)).collect();
    let flags: Vec<bool> = (0..count).map(|n| n % 3 == 0).collect();
    folder.write(
        vec![
            ("text", Arc::new(StringArray::from(texts))),
            ("n", Arc::new(Int64Array::from(numbers))),
            ("flag", Arc::new(BooleanArray::from(flags))),
        ],
        plain()
            .set_max_row_group_row_count(Some(100))
            .set_compression(Codec::ZSTD(ZstdLevel::default()))
            .set_column_compression(ColumnPath::from("n"), Codec::SNAPPY)
            .set_column_compression(ColumnPath::from("flag"), Codec::UNCOMPRESSED)
            .set_column_dictionary_enabled(ColumnPath::from("text"), false)
            .set_key_value_metadata(Some(vec![KeyValue::new("made by".into(), "hand".to_owned())])),
    )
}

fn table_source(batches: Vec<RecordBatch>) -> Source {
    crate::Table::new(batches[0].schema(), batches).into_source("table", "text")
}
