//! Kept rows, annotations and removed lists -> Parquet files.

use super::*;

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
    let mut list = ListBuilder::new(StringBuilder::new());
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
