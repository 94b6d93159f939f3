use super::{Limits, ReadMode, Reader};
use crate::{
    Block, Compression, Discovery, Error, FieldPath, Fields, Format, Location, Position, Record, Result,
    Scratch, Source, Stamp, discover,
};
use proptest::prelude::*;
use std::io::Write;
use std::path::Path;

fn fields() -> Fields {
    Fields::text(FieldPath::new("text"))
}

fn limits(block_bytes: usize) -> Limits {
    Limits { block_bytes, record_bytes: 1 << 30, records: 8_192 }
}

/// The only source, if `bytes` are in a file of this name.
fn source(folder: &Path, name: &str, bytes: &[u8]) -> Source {
    let path = folder.join(name);
    std::fs::write(&path, bytes).unwrap();
    discover(&[path.display().to_string()], &Discovery::default()).unwrap().remove(0)
}

/// A block: its position, the raw bytes of its slots, and the records taken from them, each with its number.
type Seen = (Position, Vec<Vec<u8>>, Vec<String>);

fn look(block: &Block) -> Seen {
    let mut taken = Vec::new();
    let visit = &mut |slot, record: Record<'_>| {
        assert_eq!(slot, taken.len());
        taken.push(match record {
            Record::Bad(bad) => format!("bad: {}", bad.reason),
            Record::Document(document) if document.replaced => format!("replaced: {}", document.text),
            Record::Document(document) => format!("{} {}", block.number(slot), document.text),
        });
        Ok(())
    };
    block.visit(&fields(), None, &mut Scratch::default(), visit).unwrap();
    assert_eq!(taken.len(), block.len());
    let crate::block::Content::Raw(records) = &block.content else { panic!("not raw") };
    (block.position, records.slots().map(<[u8]>::to_vec).collect(), taken)
}

fn try_blocks(source: &Source, limits: Limits) -> Result<Vec<Seen>> {
    let mut reader = Reader::open(source, ReadMode::Whole, &fields(), limits)?;
    let (mut block, mut blocks) = (Block::default(), Vec::new());
    while reader.next_block(&mut block)? {
        blocks.push(look(&block));
    }
    assert!(!reader.next_block(&mut block)?);
    Ok(blocks)
}

fn blocks(source: &Source, block_bytes: usize) -> Vec<Seen> {
    try_blocks(source, limits(block_bytes)).unwrap()
}

fn texts(blocks: &[Seen]) -> Vec<String> {
    blocks.iter().flat_map(|(_, _, taken)| taken.clone()).collect()
}

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

fn zstd(bytes: &[u8]) -> Vec<u8> {
    zstd::encode_all(bytes, 3).unwrap()
}

fn bzip2(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = bzip2::write::BzEncoder::new(Vec::new(), bzip2::Compression::best());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

fn xz(bytes: &[u8]) -> Vec<u8> {
    let options = lzma_rust2::XzOptions::with_preset(1);
    let mut encoder = lzma_rust2::XzWriter::new(Vec::new(), options).unwrap();
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

/// Lines of many lengths, some of them empty.
fn lines(count: usize) -> Vec<u8> {
    let line = |n: usize| match n % 11 {
        7 => "\n".to_owned(),
        _ => format!("{{\"text\": \"{n} {}\"}}\n", "ab\\n".repeat(n * n % 97)),
    };
    (0..count).flat_map(|n| line(n).into_bytes()).collect()
}

#[test]
fn blocks_end_with_the_record_that_reaches_their_size() {
    let folder = tempfile::tempdir().unwrap();
    let source =
        source(folder.path(), "a.jsonl", b"{\"text\":\"a\"}\n\n{\"text\":\"b\"}\r\n{\"text\":\"c\"}");
    let positions = |size| {
        blocks(&source, size)
            .iter()
            .map(|(p, slots, _)| (p.offset, p.record, slots.len()))
            .collect::<Vec<_>>()
    };
    // The empty line belongs to a block, but is not a record.
    assert_eq!(positions(1), [(0, 0, 1), (13, 1, 0), (14, 2, 1), (28, 3, 1)]);
    assert_eq!(positions(13), [(0, 0, 1), (13, 1, 1), (28, 3, 1)]);
    assert_eq!(positions(14), [(0, 0, 1), (14, 2, 1), (28, 3, 1)]);
    assert_eq!(positions(1000), [(0, 0, 3)]);
    assert_eq!(texts(&blocks(&source, 5)), ["1 a", "3 b", "4 c"]);
}

#[test]
fn blank_lines_are_no_records_and_lines_keep_their_numbers() {
    let folder = tempfile::tempdir().unwrap();
    let bytes = b"\xef\xbb\xbf \n\n{\"text\":\"a\"}\n\t\r\n\n{\"text\":\"b\"}\n{\"text\":\"c\"}\n\n\n";
    let jsonl = source(folder.path(), "a.jsonl", bytes);
    let count = |source: &Source, block_bytes| {
        let mut reader = Reader::open(source, ReadMode::Whole, &fields(), limits(block_bytes)).unwrap();
        let (mut block, mut blank) = (Block::default(), 0);
        while reader.next_block(&mut block).unwrap() {
            blank += block.blank_lines();
        }
        blank
    };
    for block_bytes in [1, 7, 20, 1000] {
        assert_eq!(texts(&blocks(&jsonl, block_bytes)), ["3 a", "6 b", "7 c"], "{block_bytes}");
        assert_eq!(count(&jsonl, block_bytes), 6);
    }
    let csv = source(folder.path(), "a.csv", b"text\n\na\n\r\n\n\"b\n\nb\"\n\n");
    for block_bytes in [1, 7, 20, 1000] {
        assert_eq!(texts(&blocks(&csv, block_bytes)), ["2 a", "5 b\n\nb"], "{block_bytes}");
        assert_eq!(count(&csv, block_bytes), 4);
    }
    // A source of many empty lines has no slots.
    let blank = source(folder.path(), "b.jsonl", &vec![b'\n'; 100_000]);
    assert_eq!(texts(&blocks(&blank, 1000)), [""; 0]);
    assert_eq!(count(&blank, 1000), 100_000);
}

#[test]
fn compression_changes_neither_records_nor_blocks() {
    let folder = tempfile::tempdir().unwrap();
    let plain = lines(3000);
    let (first, second) = plain.split_at(plain.len() / 3);
    let skippable = [
        &[0x50, 0x2a, 0x4d, 0x18, 3, 0, 0, 0, 1, 2, 3][..],
        &zstd(first),
        &[0x5f, 0x2a, 0x4d, 0x18, 0, 0, 0, 0],
        &zstd(second),
    ]
    .concat();
    let as_it_is = source(folder.path(), "a.jsonl", &plain);
    let versions = [
        // The name does not tell the compression.
        source(folder.path(), "b.jsonl", &gzip(&plain)),
        source(folder.path(), "c.jsonl.gz", &[gzip(first), gzip(b""), gzip(second)].concat()),
        source(folder.path(), "d.jsonl.zst", &[zstd(first), zstd(second)].concat()),
        source(folder.path(), "e.jsonl.zst", &skippable),
        source(folder.path(), "g.jsonl.bz2", &[bzip2(first), bzip2(b""), bzip2(second)].concat()),
        source(folder.path(), "h.jsonl.xz", &[xz(first), xz(b""), xz(second)].concat()),
        source(folder.path(), "i.jsonl", &xz(&plain)),
        // The name tells a compression that the bytes do not have.
        source(folder.path(), "f.jsonl.gz", &plain),
    ];
    for block_bytes in [1, 1000, 50_000, 10_000_000] {
        let expected = blocks(&as_it_is, block_bytes);
        let raw: Vec<u8> = expected.iter().flat_map(|(_, slots, _)| slots.concat()).collect();
        let without_blank: Vec<u8> = plain
            .split_inclusive(|&byte| byte == b'\n')
            .filter(|line| *line != b"\n")
            .flatten()
            .copied()
            .collect();
        assert_eq!(raw, without_blank);
        for version in &versions {
            assert_eq!(blocks(version, block_bytes), expected, "{}", version.name);
        }
    }
}

#[test]
fn every_block_is_found_again() {
    let folder = tempfile::tempdir().unwrap();
    let plain = lines(2000);
    let rows: String = (0..2000).map(|n| format!("{n},\"a\n{}\"\n", "é\"\"".repeat(n % 50))).collect();
    let csv = format!("id,text\n{rows}");
    for source in [
        source(folder.path(), "a.jsonl", &plain),
        source(folder.path(), "b.jsonl", &gzip(&plain)),
        source(folder.path(), "c.csv", csv.as_bytes()),
        source(folder.path(), "d.csv", &zstd(csv.as_bytes())),
    ] {
        let expected = blocks(&source, 2000);
        assert!(expected.len() > 5);
        for step in [1, 2, 5] {
            let mut reader = Reader::open(&source, ReadMode::Whole, &fields(), limits(2000)).unwrap();
            let mut block = Block::default();
            for wanted in expected.iter().step_by(step) {
                reader.advance_to(wanted.0).unwrap();
                assert!(reader.next_block(&mut block).unwrap());
                assert_eq!(look(&block), *wanted);
            }
        }
    }
}

#[test]
fn damage_is_said_with_its_place() {
    let folder = tempfile::tempdir().unwrap();
    let plain = lines(3000);
    for (name, whole) in [
        ("a.jsonl.gz", gzip(&plain)),
        ("a.jsonl.zst", zstd(&plain)),
        ("a.jsonl.bz2", bzip2(&plain)),
        ("a.jsonl.xz", xz(&plain)),
    ] {
        let mut corrupt = whole.clone();
        let middle = corrupt.len() / 2;
        corrupt[middle..middle + 30].fill(0xa5);
        for bytes in [
            whole[..whole.len() / 2].to_vec(),
            whole[..whole.len() - 1].to_vec(),
            whole[..13].to_vec(),
            corrupt,
            [&whole, &b"garbage"[..]].concat(),
            [&whole, &b"more than ten bytes of garbage"[..]].concat(),
            [&whole, &whole[..5]].concat(),
        ] {
            let source = source(folder.path(), name, &bytes);
            match try_blocks(&source, limits(10_000)) {
                Err(error @ Error::Damaged { .. }) => {
                    let said = error.to_string();
                    assert!(said.contains(name) && said.contains("byte"), "{said}");
                }
                other => panic!("{name}, {} bytes: {other:?}", bytes.len()),
            }
        }
    }
}

#[test]
fn a_record_that_memory_does_not_allow_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let long = format!("{{\"text\": \"a\"}}\n{{\"text\": \"{}\"}}\n", "x".repeat(1 << 20));
    let rows = format!("text\na\n\"{}", "x\n".repeat(1 << 19));
    for (name, bytes) in [("a.jsonl", long.clone()), ("b.csv", rows)] {
        let source = source(folder.path(), name, bytes.as_bytes());
        let small = Limits { block_bytes: 10, record_bytes: 1 << 19, records: 8_192 };
        match try_blocks(&source, small) {
            // The end of a quoted value that is too long is not searched.
            Err(Error::TooLarge { record: 2, bytes, .. }) if name == "b.csv" => assert!(bytes > 1 << 19),
            Err(Error::TooLarge { record: 2, bytes, .. }) => assert_eq!(bytes, (1 << 20) + 13),
            other => panic!("{name}: {other:?}"),
        }
    }
    let source = source(folder.path(), "c.txt", long.as_bytes());
    let just = |record_bytes| try_blocks(&source, Limits { block_bytes: 10, record_bytes, records: 8_192 });
    for limit in [1, 1_000, long.len() as u64 - 1] {
        match just(limit) {
            Err(Error::TooLarge { record: 1, bytes, .. }) => assert_eq!(bytes, long.len() as u64),
            other => panic!("{other:?}"),
        }
    }
    assert_eq!(just(long.len() as u64).unwrap().len(), 1);
}

#[test]
fn a_text_file_is_one_document() {
    let folder = tempfile::tempdir().unwrap();
    for (bytes, text) in [
        (&b""[..], "1 "),
        (b"one\ntwo\r\n", "1 one\ntwo\r\n"),
        (b"a\xffb\xc3", "replaced: a\u{fffd}b\u{fffd}"),
        (b"\xef\xbb\xbfmarked", "1 marked"),
    ] {
        for stored in [bytes.to_vec(), gzip(bytes), zstd(bytes), bzip2(bytes), xz(bytes)] {
            let source = source(folder.path(), "a.txt", &stored);
            assert_eq!(
                blocks(&source, 1),
                [(Position::default(), vec![bytes.to_vec()], vec![text.to_owned()])]
            );
        }
    }
    let long = vec![b'x'; 3_000_000];
    let source = source(folder.path(), "a.txt", &gzip(&long));
    assert_eq!(blocks(&source, 1)[0].1, [long]);
}

#[test]
fn csv_without_records_still_shows_its_header() {
    let folder = tempfile::tempdir().unwrap();
    let read = |bytes: &[u8]| {
        let source = source(folder.path(), "a.csv", bytes);
        let mut reader = Reader::open(&source, ReadMode::Whole, &fields(), limits(10)).unwrap();
        let (mut block, mut headers) = (Block::default(), Vec::new());
        while reader.next_block(&mut block).unwrap() {
            let crate::block::Content::Raw(records) = &block.content else { panic!("not raw") };
            let crate::raw::Form::Csv(header) = &records.form else { panic!("not CSV") };
            headers.push((header.bytes.clone(), block.len()));
        }
        headers
    };
    assert_eq!(read(b""), []);
    assert_eq!(read(b"\r\n\n"), []);
    assert_eq!(read(b"text,id"), [(b"text,id".to_vec(), 0)]);
    assert_eq!(read(b"\xef\xbb\xbf\ntext,id\r\n"), [(b"\xef\xbb\xbf\ntext,id\r\n".to_vec(), 0)]);
    assert_eq!(read(b"text\na\nb\n"), [(b"text\n".to_vec(), 2)]);
}

#[test]
fn csv_and_tsv_are_read() {
    let folder = tempfile::tempdir().unwrap();
    let csv = source(folder.path(), "a.csv", b"id,text\r\n1,\"a,\r\nb\"\r\n\r\n2,c\r\n3,\"open\r\n");
    let expected = ["1 a,\r\nb", "3 c", "bad: a quote is opened and not closed before the end of the file"];
    for block_bytes in [1, 5, 1000] {
        let blocks = blocks(&csv, block_bytes);
        assert_eq!(texts(&blocks), expected);
        assert_eq!(blocks[0].0, Position { offset: 9, record: 0 });
    }
    let tsv = source(folder.path(), "a.tsv", b"text\tid\na, b\t1");
    assert_eq!(texts(&blocks(&tsv, 1)), ["1 a, b"]);
    let other = source(folder.path(), "b.tsv", b"body\tid\na, b\t1");
    let error = try_blocks(&other, limits(1)).unwrap_err().to_string();
    assert!(error.ends_with("b.tsv has no column `text`; its columns are: `body`, `id`"), "{error}");
}

#[test]
fn an_empty_file_has_no_records() {
    let folder = tempfile::tempdir().unwrap();
    for name in ["a.jsonl", "a.csv", "a.tsv"] {
        for stored in [Vec::new(), gzip(b""), zstd(b""), bzip2(b""), xz(b"")] {
            assert_eq!(blocks(&source(folder.path(), name, &stored), 10), []);
        }
    }
}

#[test]
fn a_file_that_got_shorter_is_noticed() {
    let folder = tempfile::tempdir().unwrap();
    let source = source(folder.path(), "a.jsonl", &gzip(b"{}\n"));
    let mut reader = Reader::open(&source, ReadMode::Whole, &fields(), limits(10)).unwrap();
    let error = reader.advance_to(Position { offset: 100, record: 1 }).unwrap_err();
    assert!(matches!(error, Error::Damaged { .. }), "{error}");
}

#[test]
fn readers_and_blocks_can_go_to_other_threads() {
    fn send<T: Send>() {}
    fn sync<T: Sync>() {}
    send::<Reader>();
    send::<Block>();
    sync::<Block>();
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn any_bytes_give_the_same_records_in_blocks_of_any_size(
        bytes in "([{}\\[\\]\",:\n\ré ]|\"text\"|\\PC){0,80}",
        csv in any::<bool>(),
        block_bytes in 1..40usize,
    ) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("x");
        let bytes = if csv { format!("text,b\n{bytes}") } else { bytes };
        std::fs::write(&path, &bytes).unwrap();
        let source = Source {
            name: "x".to_owned(),
            output: "x".to_owned(),
            location: Location::Local(path),
            format: if csv { Format::Csv { delimiter: b',' } } else { Format::Jsonl },
            compression: Compression::None,
            size: 0,
            stamp: Stamp::Unknown,
            ids: None,
        };
        let flat = |blocks: Vec<Seen>| {
            let mut at = Position::default();
            let mut slots = Vec::new();
            for (position, raw, taken) in blocks {
                assert!(position >= at);
                at = Position { offset: position.offset + raw.concat().len() as u64, record: position.record + raw.len() as u64 };
                slots.extend(raw.into_iter().zip(taken));
            }
            slots
        };
        prop_assert_eq!(flat(blocks(&source, block_bytes)), flat(blocks(&source, 1 << 20)));
    }
}

/// A frame that needs a window of `1 << log` bytes.
fn with_window(log: u32) -> Vec<u8> {
    let mut encoder = zstd::Encoder::new(Vec::new(), 1).unwrap();
    encoder.window_log(log).unwrap();
    encoder.write_all(b"{\"text\": \"a\"}\n").unwrap();
    encoder.finish().unwrap()
}

#[test]
fn a_window_that_memory_does_not_allow_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let source = |bytes: &[u8]| source(folder.path(), "a.jsonl.zst", bytes);
    let read = |bytes: &[u8], record_bytes| {
        try_blocks(&source(bytes), Limits { block_bytes: 100, record_bytes, records: 8_192 })
            .map(|blocks| texts(&blocks))
    };
    // The smallest window that is always allowed, and above that, half of a record.
    assert_eq!(read(&with_window(23), 1000).unwrap(), ["1 a"]);
    assert_eq!(read(&with_window(27), 1 << 28).unwrap(), ["1 a"]);
    match read(&with_window(27), (1 << 28) - 2) {
        Err(Error::TooWide { wanted: Some(wanted), allowed, .. }) => {
            assert_eq!((wanted, allowed), (1 << 27, (1 << 27) - 1));
        }
        other => panic!("{other:?}"),
    }
    // A later frame, or a frame after a skippable one, is only checked by the decompressor.
    let later = [with_window(20), with_window(27)].concat();
    let behind = [&[0x50, 0x2a, 0x4d, 0x18, 40, 0, 0, 0][..], &[0; 40], &with_window(27)].concat();
    for bytes in [later, behind] {
        match read(&bytes, 1000) {
            Err(error @ Error::TooWide { wanted: None, .. }) => {
                assert!(error.needed_memory().is_some_and(|needed| needed > 1 << 27), "{error}");
            }
            other => panic!("{other:?}"),
        }
    }
    let wide = |source: &Source, record_bytes| {
        Reader::open(
            source,
            ReadMode::Whole,
            &fields(),
            Limits { block_bytes: 100, record_bytes, records: 8_192 },
        )
        .unwrap()
        .has_large_window()
    };
    assert!(wide(&source(&with_window(27)), 1 << 30));
    assert!(!wide(&source(&with_window(23)), 1 << 30));
    // The dictionary size of an xz stream plays the same role.
    let mut options = lzma_rust2::XzOptions::with_preset(0);
    options.lzma_options.dict_size = 32 << 20;
    let mut encoder = lzma_rust2::XzWriter::new(Vec::new(), options).unwrap();
    encoder.write_all(b"{\"text\": \"a\"}\n").unwrap();
    let large = encoder.finish().unwrap();
    let large = self::source(folder.path(), "a.jsonl.xz", &large);
    let read = |record_bytes| try_blocks(&large, Limits { block_bytes: 100, record_bytes, records: 8_192 });
    assert!(matches!(read(1000), Err(Error::TooWide { .. })));
    assert_eq!(texts(&read(1 << 26).unwrap()), ["1 a"]);
}

/// Zeros without end: a search for the end of the record would never finish.
#[test]
fn a_record_that_is_endless_is_not_read_to_its_end() {
    let folder = tempfile::tempdir().unwrap();
    // Members of 1 MiB of zeros: 2 GiB in total, compressed to 2 MB.
    let bomb = gzip(&vec![0; 1 << 20]).repeat(2 << 10);
    for name in ["a.jsonl.gz", "b.csv.gz", "c.txt.gz"] {
        let source = source(folder.path(), name, &bomb);
        match try_blocks(&source, Limits { block_bytes: 1000, record_bytes: 1 << 20, records: 8_192 }) {
            Err(Error::TooLarge { record: 1, bytes, .. }) => assert!(bytes < 1 << 29, "{name}: {bytes}"),
            other => panic!("{name}: {other:?}"),
        }
    }
}
