//! Files that are damaged, that are no Parquet, or that ask for too much memory.

use super::*;

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
