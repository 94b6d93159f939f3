//! Blocks that are read again, in any order, from files whose pages are short, long, compressed or not.

use super::*;
use parquet::basic::Encoding;
use parquet::file::properties::{EnabledStatistics, WriterVersion};

/// How a test file is written.
#[derive(Debug, Clone, Copy)]
struct Layout {
    has_dictionary: bool,
    version: WriterVersion,
    codec: Codec,
    group_rows: usize,
    /// Number of rows per page.
    page_rows: usize,
}

impl Layout {
    fn all() -> Vec<Self> {
        let mut layouts = Vec::new();
        for has_dictionary in [false, true] {
            for version in [WriterVersion::PARQUET_1_0, WriterVersion::PARQUET_2_0] {
                for codec in [Codec::UNCOMPRESSED, Codec::ZSTD(ZstdLevel::default())] {
                    for (group_rows, page_rows) in [(1000, 1000), (1000, 7), (40, 1000)] {
                        layouts.push(Self { has_dictionary, version, codec, group_rows, page_rows });
                    }
                }
            }
        }
        layouts
    }

    fn properties(self) -> WriterPropertiesBuilder {
        plain()
            .set_writer_version(self.version)
            .set_encoding(Encoding::PLAIN)
            .set_dictionary_enabled(self.has_dictionary)
            .set_compression(self.codec)
            .set_max_row_group_row_count(Some(self.group_rows))
            .set_data_page_row_count_limit(self.page_rows)
            .set_write_batch_size(self.page_rows)
            .set_statistics_enabled(EnabledStatistics::None)
    }
}

/// Texts of different lengths, with nulls and empty texts between them, and each long text several times.
fn texts(count: usize) -> Vec<Option<String>> {
    let text = |n: usize| match n % 11 {
        3 => None,
        5 => Some(String::new()),
        _ => Some(format!("text {} {}", n % 60, "é".repeat((n % 60) * 5))),
    };
    (0..count).map(text).collect()
}

fn write(folder: &Folder, layout: Layout, texts: &[Option<String>]) -> Source {
    let borrowed: Vec<_> = texts.iter().map(Option::as_deref).collect();
    let numbers = Int64Array::from_iter_values(0..texts.len() as i64);
    folder.write(vec![("text", strings(&borrowed)), ("n", Arc::new(numbers))], layout.properties())
}

fn expected(texts: &[Option<String>]) -> Vec<String> {
    texts
        .iter()
        .map(|text| text.clone().unwrap_or_else(|| "bad: the field `text` is null".to_owned()))
        .collect()
}

#[test]
fn blocks_are_the_same_in_any_order_and_with_any_layout() {
    let texts = texts(310);
    let all = expected(&texts);
    for layout in Layout::all() {
        let folder = Folder::new();
        let source = write(&folder, layout, &texts);
        let with_id = Fields { id: Some(FieldPath::new("n")), ..fields("text") };
        assert_eq!(rows(&source, &fields("text"), ReadMode::Fields, 900).unwrap(), all, "{layout:?}");
        assert_eq!(rows(&source, &fields("text"), ReadMode::Whole, 900).unwrap(), all, "{layout:?}");
        let numbered = rows(&source, &with_id, ReadMode::Fields, 900).unwrap();
        let good = |row: &String| !row.starts_with("bad");
        let row = |(n, text): (usize, &String)| if good(text) { format!("{text}|{n}") } else { text.clone() };
        assert_eq!(numbered, all.iter().enumerate().map(row).collect::<Vec<_>>(), "{layout:?}");

        // The blocks of all modes begin and end with the same rows.
        let mut reader = Reader::open(&source, ReadMode::Fields, &with_id, limits(900)).unwrap();
        let (mut block, mut places) = (Block::default(), Vec::new());
        while reader.next_block(&mut block).unwrap() {
            places.push((block.position, block.len()));
        }
        assert!(places.len() > 3, "{layout:?}");
        let backwards = places.iter().rev().copied().collect();
        let sparse = places.iter().step_by(3).copied().collect();
        let mixed = (0..places.len()).map(|at| places[at * 7 % places.len()]).collect();
        for order in [places.clone(), backwards, sparse, mixed] {
            for mode in [ReadMode::Text, ReadMode::Fields] {
                let mut reader = Reader::open(&source, mode, &with_id, limits(900)).unwrap();
                for &(position, length) in &order {
                    reader.advance_to(position).unwrap();
                    assert!(reader.next_block(&mut block).unwrap());
                    assert_eq!((block.position, block.len()), (position, length), "{layout:?}");
                    let mut found = Vec::new();
                    visit(&block, &fields("text"), &mut found).unwrap();
                    let first = position.record as usize;
                    assert_eq!(found, all[first..first + length], "{layout:?}");
                }
            }
        }
        // Beyond the last row there is no block, and before it there is one again.
        let mut reader = Reader::open(&source, ReadMode::Text, &with_id, limits(900)).unwrap();
        reader.advance_to(Position { offset: 310, record: 310 }).unwrap();
        assert!(!reader.next_block(&mut block).unwrap());
        reader.advance_to(places[1].0).unwrap();
        assert!(reader.next_block(&mut block).unwrap());
        assert_eq!((block.position, block.len()), places[1]);
    }
}

#[test]
fn rows_that_are_kept_are_the_same_with_any_layout() {
    let texts = texts(310);
    let kept = |row: u64| row % 4 != 1;
    let borrowed: Vec<_> = texts.iter().map(Option::as_deref).collect();
    let expected: Vec<_> =
        borrowed.iter().enumerate().filter(|(row, _)| kept(*row as u64)).map(|(_, text)| *text).collect();
    for layout in Layout::all() {
        let folder = Folder::new();
        write(&folder, layout, &texts);
        let fate = &mut |row| if kept(row) { Disposition::Keep } else { Disposition::Drop };
        folder.copy(false, 900, fate).unwrap();
        let (batch, _) = read_back(&folder.output());
        assert_eq!(batch.column(0), &strings(&expected), "{layout:?}");
    }
}

#[test]
fn a_long_page_of_short_texts_is_read_with_little_memory() {
    let texts: Vec<_> = (0..400).map(|n| Some(format!("{n} {}", "x".repeat(100)))).collect();
    let all = expected(&texts);
    for has_dictionary in [false, true] {
        let folder = Folder::new();
        let layout = Layout {
            has_dictionary,
            version: WriterVersion::PARQUET_1_0,
            codec: Codec::UNCOMPRESSED,
            group_rows: 1000,
            page_rows: 1000,
        };
        let source = write(&folder, layout, &texts);
        // Each page has more than 40 KB.
        let read = |record_bytes| {
            let limits = crate::Limits { block_bytes: 900, record_bytes, records: 8_192 };
            let mut reader = Reader::open(&source, ReadMode::Text, &fields("text"), limits)?;
            let (mut block, mut rows) = (Block::default(), Vec::new());
            while reader.next_block(&mut block)? {
                visit(&block, &fields("text"), &mut rows)?;
            }
            Ok(rows)
        };
        // The places of 400 values of a dictionary take 6400 bytes.
        assert_eq!(read(7000).unwrap(), all);
        // A text of 104 bytes does not fit.
        assert!(matches!(read(200), Err(Error::TooLarge { .. })));
    }
}

#[test]
fn a_damaged_long_page_is_an_error_or_is_read_and_never_a_panic() {
    let texts = texts(90);
    for layout in Layout::all().into_iter().filter(|layout| layout.codec == Codec::UNCOMPRESSED) {
        let folder = Folder::new();
        let source = write(&folder, layout, &texts);
        let whole = std::fs::read(folder.path()).unwrap();
        let mut refused = 0;
        for at in (0..whole.len()).step_by(29) {
            let mut bytes = whole.clone();
            bytes[at] ^= 1 << (at % 8);
            std::fs::write(folder.path(), &bytes).unwrap();
            let small = crate::Limits { block_bytes: 300, record_bytes: 1 << 20, records: 8_192 };
            let read = || -> Result<usize> {
                let mut reader = Reader::open(&source, ReadMode::Text, &fields("text"), small)?;
                let (mut block, mut rows) = (Block::default(), Vec::new());
                while reader.next_block(&mut block)? {
                    visit(&block, &fields("text"), &mut rows)?;
                    let next = block.position.record + 2 * block.len() as u64;
                    reader.advance_to(Position { offset: next, record: next })?;
                    assert!(rows.len() <= 1000, "it does not end");
                }
                Ok(rows.len())
            };
            if let Err(error) = read() {
                refused += 1;
                assert!(error.to_string().contains("in.parquet"), "{error}");
            }
        }
        assert!(refused > 0, "{layout:?}");
    }
}

#[test]
fn a_string_column_that_is_not_utf8_is_damaged() {
    let folder = Folder::new();
    let source = folder.write(
        vec![("text", strings(&[Some("good"), Some("bad text")]))],
        plain().set_statistics_enabled(EnabledStatistics::None).set_dictionary_enabled(false),
    );
    let mut bytes = std::fs::read(folder.path()).unwrap();
    let at = bytes.windows(3).position(|part| part == b"bad").unwrap();
    bytes[at + 1] = 0xff;
    std::fs::write(folder.path(), bytes).unwrap();
    for mode in [ReadMode::Text, ReadMode::Fields, ReadMode::Whole] {
        let error = rows(&source, &fields("text"), mode, 1000).unwrap_err();
        assert!(matches!(&error, Error::Damaged { name, .. } if *name == source.name), "{error:?}");
    }
}
