//! Parquet files -> documents.

use super::*;

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
    wanted.within = None;
    let mut reader = Reader::open(&source, ReadMode::Fields, &wanted, limits(1000)).unwrap();
    let mut block = Block::default();
    assert!(reader.next_block(&mut block).unwrap());
    let crate::block::Content::Rows(rows) = &block.content else { panic!("rows") };
    assert_eq!(rows.batch.num_columns(), 1);
    assert_eq!(rows.batch.column(0).as_struct().num_columns(), 2);
    for (mode, fields) in [(ReadMode::Fields, &fields("doc.body")), (ReadMode::Text, &wanted)] {
        let mut reader = Reader::open(&source, mode, fields, limits(1000)).unwrap();
        assert!(reader.next_block(&mut block).unwrap());
        assert!(matches!(&block.content, crate::block::Content::Texts(texts) if texts.len() == 3));
    }
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
        Arc::new(UInt64Array::from(vec![0, 1 << 53, (1 << 53) + 1, u64::MAX])),
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
    let mut list = ListBuilder::new(StringBuilder::new());
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

/// Columns of the kinds of documents, of two rows and a null, and their values as JSON.
fn columns_of_kinds() -> Vec<(ArrayRef, [&'static str; 2])> {
    let mut numbers = ListBuilder::new(Int64Builder::new());
    numbers.append_value([Some(1), None, Some(-7)]);
    numbers.append_value([None::<i64>; 0]);
    numbers.append_null();
    let mut texts = LargeListBuilder::new(StringBuilder::new());
    texts.append_value([Some("milk"), Some("a \"b\",")]);
    texts.append_value([Some("")]);
    texts.append_null();
    let mut vectors = FixedSizeListBuilder::new(Float32Builder::new(), 2);
    for vector in [[0.5, -0.0], [1e20, f32::NAN]] {
        vectors.values().append_slice(&vector);
        vectors.append(true);
    }
    vectors.values().append_slice(&[0.0; 2]);
    vectors.append(false);
    let mut maps = MapBuilder::new(None, StringBuilder::new(), Float64Builder::new());
    maps.keys().append_value("milk");
    maps.values().append_value(2.5);
    maps.append(true).unwrap();
    maps.append(true).unwrap();
    maps.append(false).unwrap();
    let mut of_numbers = MapBuilder::new(None, Int64Builder::new(), Int64Builder::new());
    of_numbers.keys().append_slice(&[3, 4]);
    of_numbers.values().append_slice(&[1, 2]);
    of_numbers.append(true).unwrap();
    of_numbers.append(true).unwrap();
    of_numbers.append(false).unwrap();
    let bytes = [Some(&b"\xff\x00"[..]), Some(b"ab"), None];
    let fixed = FixedSizeBinaryArray::try_from_sparse_iter_with_size(bytes.into_iter(), 2).unwrap();
    vec![
        (Arc::new(numbers.finish()), ["[1,null,-7]", "[]"]),
        (Arc::new(texts.finish()), [r#"["milk","a \"b\","]"#, r#"[""]"#]),
        (Arc::new(vectors.finish()), ["[0.5,-0.0]", r#"[1e20,"NaN"]"#]),
        (Arc::new(maps.finish()), [r#"{"milk":2.5}"#, "{}"]),
        (Arc::new(of_numbers.finish()), [r#"{"3":1,"4":2}"#, "{}"]),
        (Arc::new(fixed), [r#""ff00""#, r#""6162""#]),
        (Arc::new(BinaryArray::from(bytes.to_vec())), [r#""ff00""#, r#""6162""#]),
        (Arc::new(BinaryViewArray::from(bytes.to_vec())), [r#""ff00""#, r#""6162""#]),
        (Arc::new(Int64Array::from(vec![Some(-1), Some(7), None])), ["-1", "7"]),
        (Arc::new(UInt64Array::from(vec![Some(u64::MAX), Some(0), None])), ["18446744073709551615", "0"]),
        (strings(&[Some("a,b"), Some("[1]"), None]), [r#""a,b""#, r#""[1]""#]),
    ]
}

#[test]
fn values_of_every_kind_are_json() {
    for (column, [first, second]) in columns_of_kinds() {
        let (folder, kind) = (Folder::new(), column.data_type().clone());
        let source = folder.write(vec![("v", Arc::clone(&column))], plain());
        let wanted = Fields::text(FieldPath::new("v").as_json());
        let expected = [first, second, "bad: the field `v` is null"];
        for mode in [ReadMode::Fields, ReadMode::Whole] {
            assert_eq!(rows(&source, &wanted, mode, 1000).unwrap(), expected, "{kind}");
        }
        let batch = RecordBatch::try_from_iter_with_nullable([("v", column, true)]).unwrap();
        let table = table_source(vec![batch]);
        assert_eq!(rows(&table, &wanted, ReadMode::Fields, 1000).unwrap(), expected, "{kind} of a table");
    }
}
