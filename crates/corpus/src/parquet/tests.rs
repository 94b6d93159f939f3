//! Reading and writing Parquet files.

use crate::sink::tests::{copy, limits, local};
use crate::{
    Annotation, Block, Compression, Disposition, Error, FieldPath, Fields, Format, Id, Position, ReadMode,
    Reader, Record, RemovedRow, RemovedWriter, Result, Scratch, SinkOptions, Source, Target,
};
use arrow_array::builder::{ListBuilder, StringDictionaryBuilder};
use arrow_array::cast::AsArray;
use arrow_array::types::{Int32Type, Int64Type, UInt64Type};
use arrow_array::{
    Array, ArrayRef, BinaryArray, BinaryViewArray, BooleanArray, Date32Array, Decimal128Array,
    FixedSizeBinaryArray, Float64Array, Int64Array, LargeStringArray, RecordBatch, StringArray,
    StringViewArray, StructArray, TimestampMillisecondArray,
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
    Fields { text: FieldPath::new(text), id: None, order: None, within: None }
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

#[test]
fn text_of_every_string_type() {
    let mut dictionary = StringDictionaryBuilder::<Int32Type>::new();
    dictionary.append_option(Some("a"));
    dictionary.append_null();
    dictionary.append_option(Some("b"));
    let values = [Some("a"), None, Some("b")];
    let bytes = [Some(&b"a"[..]), None, Some(&b"b"[..])];
    let columns: Vec<ArrayRef> = vec![
        strings(&values),
        Arc::new(LargeStringArray::from(values.to_vec())),
        Arc::new(StringViewArray::from(values.to_vec())),
        Arc::new(BinaryArray::from(bytes.to_vec())),
        Arc::new(BinaryViewArray::from(bytes.to_vec())),
        Arc::new(dictionary.finish()),
    ];
    for column in columns {
        let folder = Folder::new();
        let kind = column.data_type().clone();
        let source = folder.write(vec![("text", column)], plain());
        for mode in [ReadMode::Fields, ReadMode::Whole] {
            let rows = rows(&source, &fields("text"), mode, 1000).unwrap();
            assert_eq!(rows, ["a", "bad: the field `text` is null", "b"], "{kind}");
        }
    }
}

#[test]
fn bytes_that_are_no_text_are_bad() {
    let folder = Folder::new();
    let column = BinaryArray::from(vec![&b"ok"[..], b"a\xff"]);
    let source = folder.write(vec![("text", Arc::new(column))], plain());
    let rows = rows(&source, &fields("text"), ReadMode::Fields, 1000).unwrap();
    assert_eq!(rows, ["ok", "bad: the field `text` is not valid UTF-8 at byte 2"]);
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

#[test]
fn nested_columns_and_dots_in_names() {
    let folder = Folder::new();
    let dotted = strings(&[Some("1"), Some("2"), Some("3")]);
    let source = folder.write(vec![("doc", nested()), ("a.b", dotted), ("other", nested())], plain());
    let mut wanted = fields("doc.body");
    wanted.id = Some(FieldPath::new("doc.id"));
    wanted.within = Some(FieldPath::new("a.b"));
    for mode in [ReadMode::Fields, ReadMode::Whole] {
        let bad = "bad: the field `doc.body` is null";
        assert_eq!(rows(&source, &wanted, mode, 1000).unwrap(), ["x|7|1", bad, bad]);
    }
    assert_eq!(rows(&source, &fields("a.b"), ReadMode::Fields, 1000).unwrap(), ["1", "2", "3"]);
    // Only the needed columns are read.
    let mut reader = Reader::open(&source, ReadMode::Fields, &fields("doc.body"), limits(1000)).unwrap();
    let mut block = Block::default();
    assert!(reader.next_block(&mut block).unwrap());
    let crate::block::Content::Rows(rows) = &block.content else { panic!("rows") };
    assert_eq!(rows.batch.num_columns(), 1);
    assert_eq!(rows.batch.column(0).as_struct().num_columns(), 1);
}

#[test]
fn ids_and_orders_of_many_types() {
    let one = |array: ArrayRef| array;
    let cases: Vec<(ArrayRef, &str, Option<&str>)> = vec![
        (one(strings(&[Some("12.5")])), "12.5", Some("numbers")),
        (one(strings(&[Some("nan")])), "nan", Some("text")),
        (one(Arc::new(Int64Array::from(vec![-3]))), "-3", Some("numbers")),
        (one(Arc::new(Float64Array::from(vec![2.0]))), "2.0", Some("numbers")),
        (one(Arc::new(Float64Array::from(vec![f64::NAN]))), "NaN", None),
        (one(Arc::new(Date32Array::from(vec![365]))), "1971-01-01", Some("times")),
        (
            one(Arc::new(TimestampMillisecondArray::from(vec![1500]))),
            "1970-01-01T00:00:01.500",
            Some("times"),
        ),
        (one(Arc::new(BooleanArray::from(vec![true]))), "true", Some("booleans")),
        (
            one(Arc::new(Decimal128Array::from(vec![1234]).with_precision_and_scale(9, 2).unwrap())),
            "12.34",
            Some("numbers"),
        ),
    ];
    for (column, id, order) in cases {
        let folder = Folder::new();
        let source = folder.write(vec![("text", strings(&[Some("x")])), ("v", column)], plain());
        let path = Some(FieldPath::new("v"));
        let wanted = Fields { id: path.clone(), order: path, ..fields("text") };
        let order = order.map_or(String::new(), |order| format!("|{order}"));
        assert_eq!(rows(&source, &wanted, ReadMode::Fields, 10).unwrap(), [format!("x|{id}{order}")]);
    }
    let folder = Folder::new();
    let uuid = FixedSizeBinaryArray::try_from_iter([[0xab_u8, 1]].into_iter()).unwrap();
    let flag = BooleanArray::from(vec![true]);
    let source = folder
        .write(vec![("text", strings(&[Some("x")])), ("u", Arc::new(uuid)), ("f", Arc::new(flag))], plain());
    let wanted =
        Fields { id: Some(FieldPath::new("u")), within: Some(FieldPath::new("f")), ..fields("text") };
    assert_eq!(rows(&source, &wanted, ReadMode::Fields, 10).unwrap(), ["x|ab01|true"]);
    let message =
        rows(&source, &Fields { order: Some(FieldPath::new("u")), ..fields("text") }, ReadMode::Fields, 10);
    assert!(message.unwrap_err().to_string().contains("cannot be put in order"));
}

#[test]
fn values_of_columns_order_by_value() {
    let strings_of = |days: &[&str]| strings(&days.iter().map(|day| Some(*day)).collect::<Vec<_>>());
    let decimals = Decimal128Array::from(vec![-150, 99, 100, 1234]).with_precision_and_scale(9, 2).unwrap();
    // Each of them is ascending.
    let columns: Vec<ArrayRef> = vec![
        Arc::new(Int64Array::from(vec![i64::MIN, -1, (1 << 53), (1 << 53) + 1])),
        Arc::new(arrow_array::UInt64Array::from(vec![0, 1 << 53, (1 << 53) + 1, u64::MAX])),
        Arc::new(Float64Array::from(vec![f64::NEG_INFINITY, -0.5, 0.1, 1e300])),
        Arc::new(arrow_array::Float32Array::from(vec![-1.0, 0.1, 16_777_216.0, f32::MAX])),
        Arc::new(BooleanArray::from(vec![false, false, true, true])),
        Arc::new(Date32Array::from(vec![-700_000, -1, 0, 20_000])),
        Arc::new(TimestampMillisecondArray::from(vec![i64::MIN, -1, 0, 1_700_000_000_000])),
        Arc::new(decimals),
        strings_of(&["2023-12-31", "2024-01-01", "2024-01-01T00:00:01", "2024-02-01"]),
    ];
    for column in columns {
        let kind = column.data_type().clone();
        let batch =
            RecordBatch::try_from_iter([("text", strings_of(&["a", "b", "c", "d"])), ("v", column)]).unwrap();
        let source = table_source(vec![batch]);
        let wanted = Fields { order: Some(FieldPath::new("v")), ..fields("text") };
        let mut reader = Reader::open(&source, ReadMode::Fields, &wanted, limits(1000)).unwrap();
        let (mut block, mut keys) = (Block::default(), Vec::new());
        while reader.next_block(&mut block).unwrap() {
            block
                .visit(&wanted, None, &mut Scratch::default(), &mut |_, record| {
                    let Record::Document(document) = record else { panic!("{record:?}") };
                    keys.push(document.order.unwrap().bytes.to_vec());
                    Ok(())
                })
                .unwrap();
        }
        assert_eq!(keys.len(), 4);
        assert!(keys.is_sorted(), "{kind}");
        assert!(kind == DataType::Boolean || keys.windows(2).all(|pair| pair[0] != pair[1]), "{kind}");
    }
}

#[test]
fn columns_that_are_not_there_or_not_text() {
    let folder = Folder::new();
    let mut list = ListBuilder::new(arrow_array::builder::StringBuilder::new());
    for _ in 0..3 {
        list.append_value([Some("x")]);
    }
    let numbers = Arc::new(Int64Array::from(vec![1, 2, 3]));
    let source =
        folder.write(vec![("n", numbers), ("doc", nested()), ("l", Arc::new(list.finish()))], plain());
    for (text, parts) in [
        ("text", &["no column `text`", "`n`", "`doc.body`"][..]),
        ("doc.title", &["no column `doc.title`"]),
        ("n", &["`n`", "Int64", "cannot be the text"]),
        ("doc", &["`doc`", "cannot be the text"]),
        ("l", &["`l`", "cannot be the text"]),
        ("l.list", &["`l.list`"]),
    ] {
        let error = rows(&source, &fields(text), ReadMode::Fields, 10).unwrap_err();
        assert!(matches!(error, Error::Invalid(_) | Error::NoSuchColumn { .. }));
        for part in parts {
            assert!(error.to_string().contains(part), "{error}");
        }
    }
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

#[test]
fn blocks_are_found_again() {
    let folder = Folder::new();
    let source = many(&folder, 1050);
    let all = rows(&source, &fields("text"), ReadMode::Fields, 1 << 20).unwrap();
    assert_eq!(all.len(), 1050);
    for block_bytes in [1, 500, 5000] {
        let mut positions = Vec::new();
        let mut reader =
            Reader::open(&source, ReadMode::Fields, &fields("text"), limits(block_bytes)).unwrap();
        let mut block = Block::default();
        while reader.next_block(&mut block).unwrap() {
            assert!(!block.is_empty() && block.bytes() > 0);
            positions.push((block.position, block.len()));
        }
        assert_eq!(positions.iter().map(|(_, rows)| rows).sum::<usize>(), 1050);
        assert!(positions.len() > 1);
        for step in [1, 2, positions.len() / 2 + 1] {
            let mut reader =
                Reader::open(&source, ReadMode::Whole, &fields("text"), limits(block_bytes)).unwrap();
            for &(position, length) in positions.iter().step_by(step) {
                reader.advance_to(position).unwrap();
                assert!(reader.next_block(&mut block).unwrap());
                assert_eq!((block.position, block.len()), (position, length));
                let mut found = Vec::new();
                visit(&block, &fields("text"), &mut found).unwrap();
                let first = position.record as usize;
                assert_eq!(found, all[first..first + length]);
            }
        }
    }
    let mut reader = Reader::open(&source, ReadMode::Fields, &fields("text"), limits(500)).unwrap();
    reader.advance_to(Position { offset: 1050, record: 1050 }).unwrap();
    assert!(!reader.next_block(&mut Block::default()).unwrap());
}

#[test]
fn only_the_selected_rows_are_visited() {
    let folder = Folder::new();
    let source = many(&folder, 20);
    let mut reader = Reader::open(&source, ReadMode::Fields, &fields("text"), limits(1 << 20)).unwrap();
    let mut block = Block::default();
    assert!(reader.next_block(&mut block).unwrap());
    let mut slots = Vec::new();
    let mut visit = |slot, record: Record<'_>| {
        let Record::Document(document) = record else { panic!("a document") };
        slots.push((slot, document.text.split(' ').nth(1).unwrap().to_owned()));
        Ok(())
    };
    block.visit(&fields("text"), Some(&[3, 11]), &mut Scratch::default(), &mut visit).unwrap();
    assert_eq!(slots, [(3, "3".into()), (11, "11".into())]);
}

#[test]
fn kept_rows_keep_their_form() {
    let folder = Folder::new();
    let source = many(&folder, 1050);
    let kept = |n: u64| n % 4 != 1;
    let mut fate = |n| if kept(n) { Disposition::Keep } else { Disposition::Drop };
    assert_eq!(folder.copy(false, 700, &mut fate).unwrap(), (0..1050).filter(|n| kept(*n)).count() as u64);
    let (before, old) = read_back(&folder.path());
    let (after, new) = read_back(&folder.output());
    let mask: BooleanArray = (0..1050).map(|n| Some(kept(n))).collect();
    assert_eq!(after, arrow_select::filter::filter_record_batch(&before, &mask).unwrap());
    assert_eq!(old.file_metadata().schema(), new.file_metadata().schema());
    let noted = |metadata: &ParquetMetaData| {
        let mut noted = metadata.file_metadata().key_value_metadata().unwrap().clone();
        noted.sort_by(|a, b| a.key.cmp(&b.key));
        noted
    };
    assert_eq!(noted(&old), noted(&new));
    assert!(noted(&new).iter().any(|entry| entry.key == "made by"));
    assert_eq!(new.num_row_groups(), 8);
    assert!(new.row_groups().iter().all(|group| group.num_rows() <= 100));
    for (a, b) in old.row_group(0).columns().iter().zip(new.row_group(0).columns()) {
        assert_eq!(a.compression(), b.compression());
        assert_eq!(a.dictionary_page_offset().is_some(), b.dictionary_page_offset().is_some());
    }
    // The output does not depend on the blocks in which the source was read.
    let bytes = std::fs::read(folder.output()).unwrap();
    folder.copy(false, 1 << 20, &mut fate).unwrap();
    assert!(bytes == std::fs::read(folder.output()).unwrap());
    assert_eq!(source.output, "out.parquet");
}

#[test]
fn nothing_kept_is_a_file_without_rows() {
    let folder = Folder::new();
    many(&folder, 300);
    assert_eq!(folder.copy(false, 700, &mut |_| Disposition::Drop).unwrap(), 0);
    let (after, new) = read_back(&folder.output());
    let (before, old) = read_back(&folder.path());
    assert_eq!((after.num_rows(), after.schema()), (0, before.schema()));
    assert_eq!(old.file_metadata().schema(), new.file_metadata().schema());
    // The annotated file can be a source again.
    std::fs::copy(folder.output(), folder.path()).unwrap();
    assert_eq!(folder.copy(false, 700, &mut |_| Disposition::Keep).unwrap(), 0);
    assert_eq!(read_back(&folder.output()).0.num_rows(), 0);
}

#[test]
fn nested_lists_and_dictionaries_survive() {
    let folder = Folder::new();
    let mut list = ListBuilder::new(arrow_array::builder::StringBuilder::new());
    list.append_value([Some("x"), None]);
    list.append_null();
    list.append_value(Vec::<Option<&str>>::new());
    let mut dictionary = StringDictionaryBuilder::<Int32Type>::new();
    for value in [Some("a"), None, Some("a")] {
        dictionary.append_option(value);
    }
    let text = strings(&[Some("1"), Some("2"), Some("3")]);
    folder.write(
        vec![
            ("text", text),
            ("doc", nested()),
            ("l", Arc::new(list.finish())),
            ("d", Arc::new(dictionary.finish())),
            ("v", Arc::new(StringViewArray::from(vec!["a longer string than twelve bytes", "", "c"]))),
        ],
        plain().set_compression(Codec::LZ4_RAW),
    );
    let mut fate = |n| if n == 1 { Disposition::Drop } else { Disposition::Keep };
    assert_eq!(folder.copy(false, 10, &mut fate).unwrap(), 2);
    let (before, old) = read_back(&folder.path());
    let (after, new) = read_back(&folder.output());
    let mask = BooleanArray::from(vec![true, false, true]);
    assert_eq!(after, arrow_select::filter::filter_record_batch(&before, &mask).unwrap());
    assert_eq!(old.file_metadata().schema(), new.file_metadata().schema());
}

#[test]
fn a_schema_that_arrow_has_no_words_for_stays() {
    let message = "message spark_schema { required binary text (STRING) = 4; optional binary kind (ENUM); optional binary j (JSON); }";
    let parsed = parquet::schema::parser::parse_message_type(message).unwrap();
    let folder = Folder::new();
    let batch = RecordBatch::try_new(
        Arc::new(Schema::new(vec![
            Field::new("text", DataType::Utf8, false),
            Field::new("kind", DataType::Binary, true),
            Field::new("j", DataType::Utf8, true),
        ])),
        vec![
            strings(&[Some("a"), Some("b")]),
            Arc::new(BinaryArray::from(vec![Some(&b"X"[..]), None])),
            strings(&[Some("{}"), None]),
        ],
    )
    .unwrap();
    let options = ArrowWriterOptions::new()
        .with_skip_arrow_metadata(true)
        .with_parquet_schema(SchemaDescriptor::new(Arc::new(parsed)));
    let file = File::create(folder.path()).unwrap();
    let mut writer = ArrowWriter::try_new_with_options(file, batch.schema(), options).unwrap();
    writer.write(&batch).unwrap();
    writer.close().unwrap();
    for annotate in [false, true] {
        folder.copy(annotate, 10, &mut |_| Disposition::Keep).unwrap();
        let (_, old) = read_back(&folder.path());
        let (after, new) = read_back(&folder.output());
        let (old, new) = (old.file_metadata(), new.file_metadata());
        assert_eq!(old.schema().name(), new.schema().name());
        assert_eq!(old.schema().get_fields(), &new.schema().get_fields()[..3]);
        assert_eq!(old.key_value_metadata(), new.key_value_metadata());
        assert_eq!(after.num_columns(), if annotate { 7 } else { 3 });
    }
}

#[test]
fn annotations_are_four_more_columns() {
    let folder = Folder::new();
    many(&folder, 250);
    let said = |n: u64| Annotation {
        cluster: Id::string(format!("c{n}")),
        duplicate: n.is_multiple_of(2),
        kept_id: n.is_multiple_of(2).then(|| Id::string("k")),
        similarity: n.is_multiple_of(2).then_some(0.9),
    };
    let mut fate = |n| match n {
        0..100 => Disposition::Annotate(said(n)),
        100..200 => Disposition::Drop,
        _ => Disposition::Keep,
    };
    assert_eq!(folder.copy(true, 700, &mut fate).unwrap(), 150);
    let (after, _) = read_back(&folder.output());
    let kinds: Vec<_> = after.schema().fields()[3..].iter().map(|field| field.data_type().clone()).collect();
    assert_eq!(kinds, [DataType::Utf8, DataType::Boolean, DataType::Utf8, DataType::Float64]);
    let cluster = after.column_by_name("lookalike_cluster").unwrap().as_string::<i32>();
    assert_eq!((cluster.value(99), cluster.is_null(100), cluster.null_count()), ("c99", true, 50));
    let kept = after.column_by_name("lookalike_kept_id").unwrap().as_string::<i32>();
    assert_eq!((kept.value(98), kept.is_null(99)), ("k", true));
    assert_eq!(after.column(1).as_primitive::<Int64Type>().value(99), 99);
    assert_eq!(after.schema().metadata().get("made by").map(String::as_str), Some("hand"));
    assert!(matches!(folder.copy(false, 700, &mut fate), Err(Error::Invalid(_))));
    std::fs::copy(folder.output(), folder.path()).unwrap();
    let message = folder.copy(true, 700, &mut fate).unwrap_err().to_string();
    assert!(message.contains("lookalike_cluster") && message.contains("already"), "{message}");
}

#[test]
fn damage_is_said_with_the_name() {
    let folder = Folder::new();
    let source = many(&folder, 500);
    let whole = std::fs::read(folder.path()).unwrap();
    for length in [0, 3, 8, 100, whole.len() / 2, whole.len() - 1] {
        std::fs::write(folder.path(), &whole[..length]).unwrap();
        let error = rows(&source, &fields("text"), ReadMode::Fields, 1000).unwrap_err();
        assert!(matches!(&error, Error::Damaged { name, .. } if *name == source.name), "{error:?}");
        assert!(matches!(folder.copy(false, 10, &mut |_| Disposition::Keep), Err(Error::Damaged { .. })));
        assert!(!folder.output().exists());
    }
    // Damaged pages in the middle are either read or an error; nothing else may happen.
    let mut refused = 0;
    for at in (4..whole.len()).step_by(97) {
        let mut bytes = whole.clone();
        bytes[at] ^= 0x55;
        std::fs::write(folder.path(), &bytes).unwrap();
        refused += usize::from(rows(&source, &fields("text"), ReadMode::Whole, 1000).is_err());
    }
    assert!(refused > 0);
}

#[test]
fn what_cannot_be_parquet_is_said_so() {
    let folder = Folder::new();
    let mut source = many(&folder, 5);
    source.compression = Compression::Gzip;
    let message = rows(&source, &fields("text"), ReadMode::Fields, 10).unwrap_err().to_string();
    assert!(message.contains("decompress"), "{message}");
    source.compression = Compression::None;
    source.location = crate::Location::Stdin;
    let message = rows(&source, &fields("text"), ReadMode::Fields, 10).unwrap_err().to_string();
    assert!(message.contains("standard input"), "{message}");
    source.location = crate::Location::Local(folder.folder.path().join("none"));
    assert!(matches!(rows(&source, &fields("text"), ReadMode::Fields, 10), Err(Error::Io { .. })));
}

#[test]
fn the_removed_list_reads_back() {
    let folder = Folder::new();
    let row = |n: u64| RemovedRow {
        id: format!("id{n}"),
        source: "s".into(),
        line: n,
        kind: "near".into(),
        kept_line: n.is_multiple_of(2).then_some(n + 1),
        similarity: Some(0.5),
        ..RemovedRow::default()
    };
    let write = |rows: &mut dyn Iterator<Item = RemovedRow>| {
        let file = files::Files::default().create(&folder.path(), files::Access::Shared).unwrap();
        let mut writer = RemovedWriter::new(file).unwrap();
        rows.for_each(|row| writer.push(&row).unwrap());
        writer.finish().unwrap();
    };
    write(&mut (0..20_000).map(row));
    let (batch, _) = read_back(&folder.path());
    assert_eq!((batch.num_rows(), batch.num_columns()), (20_000, 10));
    let line = batch.column_by_name("kept_line").unwrap().as_primitive::<UInt64Type>();
    assert_eq!((line.value(19_998), line.is_null(19_999)), (19_999, true));
    write(&mut std::iter::empty());
    assert_eq!(read_back(&folder.path()).0.num_rows(), 0);
    // Ids that take much memory lead to smaller row groups, and no row is lost.
    let mut state = 1u64;
    let mut letter = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        char::from(b'!' + (state >> 33) as u8 % 90)
    };
    let mut long = |n: u64| RemovedRow { id: (0..40_000).map(|_| letter()).collect(), ..row(n) };
    write(&mut (0..600).map(&mut long));
    let (batch, metadata) = read_back(&folder.path());
    assert_eq!(batch.num_rows(), 600);
    assert!(metadata.num_row_groups() > 1);
}

fn table_source(batches: Vec<RecordBatch>) -> Source {
    crate::Table::new(batches[0].schema(), batches).into_source("table", "text")
}

fn table(texts: &[Option<&str>]) -> RecordBatch {
    let numbers = Arc::new(Int64Array::from_iter_values(0..texts.len() as i64)) as ArrayRef;
    RecordBatch::try_from_iter_with_nullable([("text", strings(texts), true), ("n", numbers, true)]).unwrap()
}

#[test]
fn a_table_in_memory_is_read_block_by_block_and_again_from_the_middle() {
    let texts: Vec<String> = (0..1000).map(|n| format!("text number {n}")).collect();
    let all = table(&texts.iter().map(|text| Some(text.as_str())).collect::<Vec<_>>());
    let source =
        table_source(vec![all.slice(0, 10), all.slice(10, 0), all.slice(10, 690), all.slice(700, 300)]);
    assert_eq!(source.size, texts.iter().map(|text| text.len() as u64).sum::<u64>());
    let fields = Fields { id: Some(FieldPath::new("n")), ..fields("text") };
    for block_bytes in [1, 100, 4_000, 1 << 20] {
        let mut reader = Reader::open(&source, ReadMode::Fields, &fields, limits(block_bytes)).unwrap();
        let (mut block, mut seen, mut positions) = (Block::default(), 0, Vec::new());
        while reader.next_block(&mut block).unwrap() {
            assert_eq!(block.position.record, seen as u64);
            positions.push(block.position);
            let expected = &texts[seen..seen + block.len()];
            assert_eq!(block.bytes(), expected.iter().map(String::len).sum::<usize>());
            let visit = &mut |slot: usize, record: Record<'_>| {
                let Record::Document(document) = record else { panic!("it is a document") };
                assert_eq!(document.text, expected[slot]);
                assert_eq!(document.id.unwrap().text, (seen + slot).to_string());
                Ok(())
            };
            block.visit(&fields, None, &mut Scratch::default(), visit).unwrap();
            seen += block.len();
        }
        assert_eq!(seen, 1000);
        for &position in [positions[0], positions[positions.len() / 2], positions[positions.len() - 1]].iter()
        {
            reader.advance_to(position).unwrap();
            assert!(reader.next_block(&mut block).unwrap());
            assert_eq!(block.position, position);
        }
    }
}

#[test]
fn nulls_of_a_table_are_bad_records_and_missing_columns_are_named() {
    let source = table_source(vec![table(&[Some("a"), None])]);
    let read = rows(&source, &fields("text"), ReadMode::Fields, 100).unwrap();
    assert_eq!(read.len(), 2);
    assert!(read[1].contains("null"), "{read:?}");
    let message = rows(&source, &fields("body"), ReadMode::Fields, 100).unwrap_err().to_string();
    assert!(message.contains("no column `body`") && message.contains("`text`, `n`"), "{message}");
    let message = rows(&source, &fields("n"), ReadMode::Fields, 100).unwrap_err().to_string();
    assert!(message.contains("cannot be the text"), "{message}");
    let nothing: ArrayRef = Arc::new(arrow_array::NullArray::new(3));
    let source = table_source(vec![RecordBatch::try_from_iter([("text", nothing)]).unwrap()]);
    let read = rows(&source, &fields("text"), ReadMode::Fields, 100).unwrap();
    assert!(read.len() == 3 && read.iter().all(|row| row.contains("null")), "{read:?}");
}

/// A small file with several types, encodings and codecs.
fn small_file(folder: &Folder) -> Source {
    let count = 60;
    let texts: Vec<String> = (0..count).map(|n| format!("text number {n} {}", "é".repeat(n % 7))).collect();
    let text: Vec<Option<&str>> = texts.iter().map(|text| Some(text.as_str())).collect();
    let kinds: Vec<Option<&str>> = (0..count).map(|n| [Some("a"), Some("b"), None][n % 3]).collect();
    let columns = vec![
        ("text", strings(&text)),
        ("kind", strings(&kinds)),
        (
            "n",
            Arc::new(Int64Array::from_iter((0..count as i64).map(|n| (n % 4 != 0).then_some(n * n))))
                as ArrayRef,
        ),
        ("f", Arc::new(Float64Array::from_iter_values((0..count).map(|n| n as f64 / 3.0)))),
    ];
    let properties = plain()
        .set_max_row_group_row_count(Some(25))
        .set_compression(Codec::SNAPPY)
        .set_column_compression(ColumnPath::from("text"), Codec::ZSTD(ZstdLevel::default()));
    folder.write(columns, properties)
}

#[test]
fn a_damaged_file_is_an_error_or_is_read_and_never_a_panic() {
    let folder = Folder::new();
    let source = small_file(&folder);
    let wanted = Fields {
        id: Some(FieldPath::new("n")),
        order: Some(FieldPath::new("f")),
        within: Some(FieldPath::new("kind")),
        ..fields("text")
    };
    let whole = std::fs::read(folder.path()).unwrap();
    let expected = rows(&source, &wanted, ReadMode::Whole, 300).unwrap();
    let (mut refused, mut random) = (0, 0x2545_f491_4f6c_dd1d_u64);
    let mut below = |limit: usize| {
        random ^= random << 13;
        random ^= random >> 7;
        random ^= random << 17;
        (random % limit as u64) as usize
    };
    for round in 0..600 {
        let mut bytes = whole.clone();
        if round % 10 == 0 {
            bytes.truncate(below(whole.len()));
        }
        for _ in 0..=round % 4 {
            // Half of the changes are in the footer, which contains the positions of everything else.
            let from = if round % 2 == 0 { bytes.len() / 2 } else { 0 };
            let at = from + below((bytes.len() - from).max(1));
            if let Some(byte) = bytes.get_mut(at) {
                *byte ^= 1 << below(8);
            }
        }
        std::fs::write(folder.path(), &bytes).unwrap();
        // Nothing in the file is larger than this, so a larger length in a damaged header must be refused.
        let small = crate::Limits { block_bytes: 300, record_bytes: 1 << 20, records: 8_192 };
        let read = || -> Result<usize> {
            let mut reader = Reader::open(&source, ReadMode::Whole, &wanted, small)?;
            let (mut block, mut rows) = (Block::default(), Vec::new());
            while reader.next_block(&mut block)? {
                visit(&block, &wanted, &mut rows)?;
                assert!(rows.len() <= 10 * expected.len(), "it does not end");
            }
            Ok(rows.len())
        };
        match read() {
            Ok(_) => {}
            Err(error) => {
                refused += 1;
                assert!(error.to_string().contains("in.parquet"), "{error}");
            }
        }
    }
    assert!(refused > 200, "{refused}");
}

#[test]
fn a_page_that_memory_does_not_allow_is_refused() {
    let folder = Folder::new();
    // The text compresses to almost nothing, so its size is only known from its header.
    let long = "x".repeat(3 << 20);
    let source = folder
        .write(vec![("text", strings(&[Some("a"), Some(&long)]))], plain().set_compression(Codec::SNAPPY));
    let read = |record_bytes| {
        let limits = crate::Limits { block_bytes: 300, record_bytes, records: 8_192 };
        let mut reader = Reader::open(&source, ReadMode::Fields, &fields("text"), limits)?;
        let mut block = Block::default();
        let mut rows = 0;
        while reader.next_block(&mut block)? {
            rows += block.len();
        }
        Ok(rows)
    };
    match read(1 << 20) {
        Err(Error::TooLarge { name, bytes, .. }) => {
            assert!(name.ends_with("in.parquet"));
            assert!(bytes > 3 << 20 && bytes < 4 << 20, "{bytes}");
        }
        other => panic!("{other:?}"),
    }
    assert_eq!(read(4 << 20).unwrap(), 2);
}

#[test]
fn row_groups_of_the_output_are_bounded() {
    let folder = Folder::new();
    // 24 MB that cannot be compressed. The source has one row group.
    let texts: Vec<String> = (0..240u64)
        .map(|n| {
            (0..12_500u64)
                .map(|at| format!("{:08x}", (n * 12_500 + at).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 32))
                .collect()
        })
        .collect();
    let text: Vec<Option<&str>> = texts.iter().map(|text| Some(text.as_str())).collect();
    folder.write(vec![("text", strings(&text))], plain().set_dictionary_enabled(false));
    assert_eq!(folder.copy(false, 1 << 18, &mut |_| Disposition::Keep).unwrap(), 240);
    let (after, metadata) = read_back(&folder.output());
    assert_eq!(after.num_rows(), 240);
    assert!((2..=4).contains(&metadata.num_row_groups()), "{}", metadata.num_row_groups());
    for group in metadata.row_groups() {
        assert!(group.compressed_size() < 10 << 20, "{}", group.compressed_size());
    }
}
