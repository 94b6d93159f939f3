//! Object stores, tested with a store in memory.

use super::store::{Address, memory_store};
use super::*;
use crate::sink::tests::{copy, fields, limits};
use crate::{
    Block, Compression, Discovery, Disposition, Error, Format, Location, ReadMode, Reader, SinkOptions,
    Stamp, Target, discover as sources,
};
use std::io::{Read, Write};

/// A new store that contains these objects.
fn store(name: &str, objects: &[(&str, &[u8])]) -> String {
    let root = memory_store(name);
    let prefix = Prefix::new(&root).unwrap();
    for (key, bytes) in objects {
        files::Place::write(&prefix, key, bytes).unwrap();
    }
    root
}

fn found(address: &str) -> Object {
    Object::find(&Address::new(address).unwrap()).unwrap().unwrap()
}

fn names(argument: &str) -> Vec<(String, String)> {
    let found = sources(&[argument.to_owned()], &Discovery::default()).unwrap();
    found.into_iter().map(|source| (source.name, source.output)).collect()
}

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

#[test]
fn objects_prefixes_and_patterns() {
    let root = store(
        "find",
        &[
            ("c/b.jsonl", b"{}"),
            ("c/a.txt", b"x"),
            ("c/d/e.csv", b"text\nx\n"),
            ("c/.hidden", b""),
            ("c/d", b""),
            ("cc/z", b"z"),
            ("c/[x].txt", b"literal"),
        ],
    );
    let pairs = |keys: &[(&str, &str)]| -> Vec<(String, String)> {
        keys.iter().map(|(key, output)| (format!("{root}/{key}"), (*output).to_owned())).collect()
    };
    let all =
        [("c/[x].txt", "[x].txt"), ("c/a.txt", "a.txt"), ("c/b.jsonl", "b.jsonl"), ("c/d/e.csv", "d/e.csv")];
    assert_eq!(names(&format!("{root}/c/")), pairs(&all));
    assert_eq!(names(&format!("{root}/c")), pairs(&all));
    assert_eq!(names(&format!("{root}/c/b.jsonl")), pairs(&[("c/b.jsonl", "b.jsonl")]));
    assert_eq!(names(&format!("{root}/c/*.txt")), pairs(&all[..2]));
    assert_eq!(names(&format!("{root}/c/[x].txt")), pairs(&all[..1]));
    assert_eq!(names(&format!("{root}/*/?")), pairs(&[("cc/z", "cc/z")]));
    assert_eq!(names(&format!("{root}/c/**/e.csv")), pairs(&[("c/d/e.csv", "d/e.csv")]));
    for (argument, part) in
        [("none", "there is no object"), ("c/*.gz", "no object matches"), ("c/[", "not a pattern")]
    {
        let error = sources(&[format!("{root}/{argument}")], &Discovery::default()).unwrap_err();
        assert!(error.to_string().contains(part), "{error}");
    }
}

#[test]
fn sources_know_their_form_and_version() {
    let root = store("form", &[("a", &gzip(b"{\"text\": \"x\"}\n")), ("b.parquet", b"PAR1")]);
    let of = |key: &str| sources(&[format!("{root}/{key}")], &Discovery::default()).unwrap().remove(0);
    let (a, b) = (of("a"), of("b.parquet"));
    assert_eq!((a.format, a.compression, b.format), (Format::Jsonl, Compression::Gzip, Format::Parquet));
    assert_eq!(a.location, Location::Object(format!("{root}/a")));
    assert_eq!((b.size, b.stamp == of("b.parquet").stamp), (4, true));
    assert!(matches!(&a.stamp, Stamp::Tag(tag) if !tag.is_empty()));
    store("form", &[("b.parquet", b"PAR2")]);
    assert_ne!(b.stamp, of("b.parquet").stamp);
}

#[test]
fn large_objects_are_read_in_ranges_and_from_anywhere() {
    let bytes: Vec<u8> = (0..20_000_000_u32).map(|n| (n.wrapping_mul(2_654_435_761) >> 24) as u8).collect();
    let root = store("large", &[("x", &bytes)]);
    let object = found(&format!("{root}/x"));
    for offset in [0, 1, 8 << 20, (8 << 20) + 5, bytes.len() - 1, bytes.len()] {
        let mut read = Vec::new();
        object.clone().read_from(offset as u64).read_to_end(&mut read).unwrap();
        assert!(read == bytes[offset..], "{offset}");
    }
    let absent = Object::of(&format!("{root}/y"), 10, &Stamp::Unknown).unwrap();
    let error = absent.read_from(0).read_to_end(&mut Vec::new()).unwrap_err();
    assert_eq!(error.kind(), std::io::ErrorKind::NotFound);
}

#[test]
fn an_object_that_changes_under_the_reader_is_an_error() {
    let root = store("changing", &[("x", &vec![1; 20 << 20])]);
    let mut reader = found(&format!("{root}/x")).read_from(0);
    reader.read_exact(&mut [0; 10]).unwrap();
    store("changing", &[("x", &vec![2; 20 << 20])]);
    let error = reader.read_to_end(&mut Vec::new()).unwrap_err();
    assert!(error.to_string().contains("changed"), "{error}");
}

/// After discovery, a read returns the bytes that discovery found, or an error. It never returns other bytes.
#[test]
fn an_object_that_was_replaced_since_it_was_found_is_an_error() {
    let root = store("replaced", &[("a.jsonl", b"{\"text\": \"old\"}\n"), ("b.parquet", b"PAR1 old PAR1")]);
    let found = sources(&[format!("{root}/")], &Discovery::default()).unwrap();
    let all: Vec<&crate::Source> = found.iter().collect();
    assert!(changed(&all).unwrap().is_none());
    store("replaced", &[("a.jsonl", b"{\"text\": \"new\"}\n"), ("b.parquet", b"PAR1 new PAR1")]);
    for source in &found {
        let read = Reader::open(source, ReadMode::Fields, &fields(), limits(500))
            .and_then(|mut reader| reader.next_block(&mut Block::default()));
        let message = read.unwrap_err().to_string();
        assert!(message.contains("has changed since the run began"), "{message}");
    }
    assert_eq!(changed(&all).unwrap().map(|source| &source.output), Some(&found[0].output));
}

#[test]
fn only_one_of_two_writes_a_new_object() {
    let root = store("new", &[]);
    let target = Target::new(&format!("{root}/x")).unwrap();
    assert!(target.write_new("lock", b"1").unwrap());
    assert!(!target.write_new("lock", b"2").unwrap());
    assert_eq!(target.read("lock").unwrap().unwrap(), b"1");
    target.remove("lock").unwrap();
    target.remove("lock").unwrap();
    assert!(target.write_new("lock", b"2").unwrap());
}

#[cfg(feature = "parquet")]
#[test]
fn any_range_of_a_cached_object() {
    use std::sync::Arc;
    let bytes: Vec<u8> = (0..5_000_000_u32).map(|n| (n.wrapping_mul(2_654_435_761) >> 24) as u8).collect();
    let root = store("cached", &[("x", &bytes)]);
    let object = Arc::new(CachedObject::new(found(&format!("{root}/x"))));
    let piece = 1 << 20;
    for start in [0, 1, piece - 1, piece, 3 * piece - 7, 4_999_990] {
        for length in [0, 1, 10, piece, piece + 1, 2 * piece] {
            let expected = bytes.get(start..start + length);
            let found = object.range(start as u64, length);
            assert!(found.as_ref().ok().map(|found| &found[..]) == expected, "{start} {length}");
        }
        let mut read = Vec::new();
        CachedObject::read_from(&object, start as u64).read_to_end(&mut read).unwrap();
        assert!(read == bytes[start..]);
    }
    assert!(object.range(u64::MAX, 2).is_err());
}

#[test]
fn a_target_in_a_store() {
    let root = store("target", &[("other/x", b"")]);
    let target = Target::new(&format!("{root}/clean/")).unwrap();
    assert!(target.folder().is_none() && target.list().unwrap().is_empty());
    target.write("d/report.json", b"{}").unwrap();
    target.write("B", b"b").unwrap();
    assert_eq!(target.list().unwrap(), ["B", "d/report.json"]);
    assert!(target.exists("B").unwrap() && !target.exists("d").unwrap());
    assert_eq!((target.read("B").unwrap(), target.read("C").unwrap()), (Some(b"b".to_vec()), None));
    assert!(target.write("../x", b"").is_err());

    let folder = tempfile::tempdir().unwrap();
    for size in [3, (8 << 20) + 1, 40 << 20] {
        let file = folder.path().join("finished");
        let bytes: Vec<u8> = (0..size).map(|n: u32| (n >> 10) as u8).collect();
        std::fs::write(&file, &bytes).unwrap();
        target.publish(&file, "big").unwrap();
        assert!(!file.exists());
        assert!(target.read("big").unwrap().unwrap() == bytes);
    }
}

#[test]
fn from_store_to_store() {
    let lines: Vec<u8> =
        (0..1000).flat_map(|n| format!("{{\"text\": \"line {n}\"}}\n").into_bytes()).collect();
    let root = store("copy", &[("in/a.jsonl", &lines), ("in/b.jsonl.gz", &gzip(&lines))]);
    let target = Target::new(&format!("{root}/out")).unwrap();
    let aside = tempfile::tempdir().unwrap();
    let options = SinkOptions { annotate: false, threads: 2 };
    for source in sources(&[format!("{root}/in/")], &Discovery::default()).unwrap() {
        let written =
            copy(&target, &source, aside.path(), options, 1000, &mut |_| Disposition::Keep).unwrap();
        assert_eq!(written.records, 1000);
    }
    assert_eq!(target.list().unwrap(), ["a.jsonl", "b.jsonl.gz"]);
    assert_eq!(target.read("a.jsonl").unwrap().unwrap(), lines);
    let mut plain = Vec::new();
    let stored = target.read("b.jsonl.gz").unwrap().unwrap();
    flate2::read::MultiGzDecoder::new(&stored[..]).read_to_end(&mut plain).unwrap();
    assert_eq!(plain, lines);

    let source = sources(&[format!("{root}/in/a.jsonl")], &Discovery::default()).unwrap().remove(0);
    let mut reader = Reader::open(&source, ReadMode::Fields, &fields(), limits(500)).unwrap();
    let (mut block, mut positions) = (Block::default(), Vec::new());
    while reader.next_block(&mut block).unwrap() {
        positions.push(block.position);
    }
    let mut reader = Reader::open(&source, ReadMode::Fields, &fields(), limits(500)).unwrap();
    reader.advance_to(positions[7]).unwrap();
    assert!(reader.next_block(&mut block).unwrap());
    assert_eq!(block.position, positions[7]);
}

#[cfg(feature = "parquet")]
#[test]
fn parquet_where_it_is() {
    use arrow_array::{ArrayRef, RecordBatch, StringArray};
    use std::sync::Arc;
    let texts: ArrayRef = Arc::new(StringArray::from(
        (0..5000).map(|n: u64| format!("{:x}", n.wrapping_mul(0x9e37_79b9_7f4a_7c15))).collect::<Vec<_>>(),
    ));
    let batch = RecordBatch::try_from_iter([("text", texts.clone()), ("other", texts)]).unwrap();
    let mut bytes = Vec::new();
    let mut writer = ::parquet::arrow::ArrowWriter::try_new(&mut bytes, batch.schema(), None).unwrap();
    writer.write(&batch).unwrap();
    writer.close().unwrap();
    let root = store("rows", &[("in/a.parquet", &bytes), ("bad/b.parquet", &bytes[..bytes.len() / 2])]);
    let source = sources(&[format!("{root}/in/")], &Discovery::default()).unwrap().remove(0);
    let target = Target::new(&format!("{root}/out")).unwrap();
    let aside = tempfile::tempdir().unwrap();
    let options = SinkOptions::default();
    let mut fate = |n| if n % 2 == 0 { Disposition::Keep } else { Disposition::Drop };
    let written = copy(&target, &source, aside.path(), options, 10_000, &mut fate).unwrap();
    assert_eq!(written.records, 2500);
    let stored = bytes::Bytes::from(target.read("a.parquet").unwrap().unwrap());
    let read = ::parquet::arrow::arrow_reader::ParquetRecordBatchReader::try_new(stored, 10_000).unwrap();
    assert_eq!(read.map(|batch| batch.unwrap().num_rows()).sum::<usize>(), 2500);
    let source = sources(&[format!("{root}/bad/")], &Discovery::default()).unwrap().remove(0);
    let error = Reader::open(&source, ReadMode::Fields, &fields(), limits(500)).unwrap_err();
    assert!(matches!(error, Error::Damaged { .. }), "{error:?}");
}

#[test]
fn keys_that_cannot_be_are_refused() {
    memory_store("bad");
    for address in ["memory://bad/a//b", "memory://bad/a/../b"] {
        assert!(Address::new(address).unwrap().path().is_err());
        assert!(sources(&[address.to_owned()], &Discovery::default()).is_err());
    }
}
