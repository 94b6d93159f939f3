//! Outputs compared with the contents of their source.

use super::*;
use crate::{
    Block, Compression, Error, FieldPath, Fields, Format, Id, Limits, Location, ReadMode, Reader, Source,
    Stamp,
};
use std::io::{Read, Write};
use std::path::Path;

const CSV: Format = Format::Csv { delimiter: b',' };

pub(crate) fn fields() -> Fields {
    Fields::text(FieldPath::new("text"))
}

pub(crate) fn limits(block_bytes: usize) -> Limits {
    Limits { block_bytes, record_bytes: 1 << 30, records: 8_192 }
}

pub(crate) fn local(path: &Path, output: &str, format: Format, compression: Compression) -> Source {
    Source {
        name: path.display().to_string(),
        output: output.into(),
        location: Location::Local(path.into()),
        format,
        compression,
        size: std::fs::metadata(path).map_or(0, |meta| meta.len()),
        stamp: Stamp::Unknown,
        ids: None,
    }
}

/// Writes each record (identified by its number in the source) as `fate` decides.
pub(crate) fn copy(
    target: &Target,
    source: &Source,
    aside: &Path,
    options: SinkOptions,
    block_bytes: usize,
    fate: &mut dyn FnMut(u64) -> Disposition,
) -> crate::Result<Written> {
    let mut reader = Reader::open(source, ReadMode::Whole, &fields(), limits(block_bytes))?;
    let mut writer = SinkWriter::create(target, source, aside, options)?;
    let mut block = Block::default();
    while reader.next_block(&mut block)? {
        writer.write(&block, &mut |slot| fate(block.number(slot) - 1))?;
    }
    writer.finish()
}

fn stored(bytes: &[u8], compression: Compression) -> Vec<u8> {
    match compression {
        Compression::None => bytes.to_vec(),
        Compression::Gzip => {
            let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
            encoder.write_all(bytes).unwrap();
            encoder.finish().unwrap()
        }
        Compression::Zstd => zstd::encode_all(bytes, 1).unwrap(),
        Compression::Bzip2 => {
            let mut encoder = bzip2::write::BzEncoder::new(Vec::new(), bzip2::Compression::fast());
            encoder.write_all(bytes).unwrap();
            encoder.finish().unwrap()
        }
        Compression::Xz => {
            let options = lzma_rust2::XzOptions::with_preset(0);
            let mut encoder = lzma_rust2::XzWriter::new(Vec::new(), options).unwrap();
            encoder.write_all(bytes).unwrap();
            encoder.finish().unwrap()
        }
    }
}

fn plain(bytes: &[u8], compression: Compression) -> Vec<u8> {
    let mut plain = Vec::new();
    match compression {
        Compression::None => plain.extend_from_slice(bytes),
        Compression::Gzip => {
            flate2::read::MultiGzDecoder::new(bytes).read_to_end(&mut plain).unwrap();
        }
        Compression::Zstd => plain = zstd::decode_all(bytes).unwrap(),
        Compression::Bzip2 => {
            bzip2::read::MultiBzDecoder::new(bytes).read_to_end(&mut plain).unwrap();
        }
        Compression::Xz => {
            lzma_rust2::XzReader::new(bytes, true).read_to_end(&mut plain).unwrap();
        }
    }
    plain
}

/// The stored bytes of the output for a source of these bytes; `None` if there is no output.
struct Case {
    folder: tempfile::TempDir,
    format: Format,
    compression: Compression,
    options: SinkOptions,
    block_bytes: usize,
}

impl Case {
    fn new(format: Format, compression: Compression) -> Self {
        let options = SinkOptions { annotate: false, threads: 1 };
        Self { folder: tempfile::tempdir().unwrap(), format, compression, options, block_bytes: 50 }
    }

    fn target(&self) -> Target {
        Target::new(self.folder.path().join("clean").to_str().unwrap()).unwrap()
    }

    fn write(
        &self,
        bytes: &[u8],
        fate: &mut dyn FnMut(u64) -> Disposition,
    ) -> crate::Result<(Option<Vec<u8>>, Written)> {
        let path = self.folder.path().join("source");
        std::fs::write(&path, stored(bytes, self.compression)).unwrap();
        let source = local(&path, "deep/er/out", self.format, self.compression);
        let aside = self.folder.path().join("aside");
        let written = copy(&self.target(), &source, &aside, self.options, self.block_bytes, fate)?;
        Ok((self.target().read("deep/er/out")?, written))
    }

    /// The output after decompression.
    fn run(&self, bytes: &[u8], fate: &mut dyn FnMut(u64) -> Disposition) -> Vec<u8> {
        let (output, written) = self.write(bytes, fate).unwrap();
        let output = output.unwrap();
        assert_eq!(written.bytes, Some(output.len() as u64));
        plain(&output, self.compression)
    }
}

fn keep(kept: bool) -> Disposition {
    if kept { Disposition::Keep } else { Disposition::Drop }
}

const COMPRESSIONS: [Compression; 5] =
    [Compression::None, Compression::Gzip, Compression::Zstd, Compression::Bzip2, Compression::Xz];

fn lines(count: usize) -> Vec<u8> {
    (0..count)
        .flat_map(|n| format!("{{\"text\": \"line {n} \\u00e9 é\" ,\"n\":{n}}}\r\n").into_bytes())
        .collect()
}

#[test]
fn kept_lines_pass_byte_for_byte() {
    let source = lines(100);
    for compression in COMPRESSIONS {
        let case = Case::new(Format::Jsonl, compression);
        assert_eq!(case.run(&source, &mut |_| Disposition::Keep), source);
        for modulus in [2, 3, 7] {
            let expected: Vec<u8> = source
                .split_inclusive(|byte| *byte == b'\n')
                .enumerate()
                .filter(|(n, _)| n % modulus != 0)
                .flat_map(|(_, line)| line.to_vec())
                .collect();
            assert_eq!(case.run(&source, &mut |n| keep(n % modulus as u64 != 0)), expected);
        }
        assert_eq!(case.run(&source, &mut |_| Disposition::Drop), b"");
        assert_eq!(case.run(b"", &mut |_| Disposition::Keep), b"");
    }
}

#[test]
fn records_are_counted() {
    let case = Case::new(Format::Jsonl, Compression::None);
    let (_, written) = case.write(&lines(10), &mut |n| keep(n < 4)).unwrap();
    assert_eq!(written.records, 4);
}

#[test]
fn a_last_line_without_an_end_stays_so() {
    let case = Case::new(Format::Jsonl, Compression::None);
    assert_eq!(case.run(b"{}\n{\"a\":1}", &mut |_| Disposition::Keep), b"{}\n{\"a\":1}");
    assert_eq!(case.run(b"{}\n{\"a\":1}", &mut |n| keep(n == 0)), b"{}\n");
    assert_eq!(case.run(b"{}\n{\"a\":1}", &mut |n| keep(n == 1)), b"{\"a\":1}");
}

#[test]
fn csv_has_its_header_whatever_is_kept() {
    let source = b"\xef\xbb\xbfid,text\r\n1,\"a\nb\"\r\n2,c\r\n3,\"d \"\"e\"\"\"\r\n";
    for compression in COMPRESSIONS {
        let case = Case::new(CSV, compression);
        assert_eq!(case.run(source, &mut |_| Disposition::Keep), source);
        assert_eq!(
            case.run(source, &mut |n| keep(n != 0)),
            b"\xef\xbb\xbfid,text\r\n2,c\r\n3,\"d \"\"e\"\"\"\r\n"
        );
        assert_eq!(case.run(source, &mut |_| Disposition::Drop), b"\xef\xbb\xbfid,text\r\n");
        assert_eq!(case.run(b"id,text\n", &mut |_| Disposition::Keep), b"id,text\n");
        assert_eq!(case.run(b"", &mut |_| Disposition::Keep), b"");
    }
}

#[test]
fn text_is_there_or_not() {
    for compression in COMPRESSIONS {
        let case = Case::new(Format::Text, compression);
        assert_eq!(case.write(b"x", &mut |_| Disposition::Drop).unwrap().0, None);
        assert_eq!(case.target().list().unwrap(), Vec::<String>::new());
        assert_eq!(case.run(b"a\xff\n", &mut |_| Disposition::Keep), b"a\xff\n");
        assert_eq!(case.run(b"", &mut |_| Disposition::Keep), b"");
    }
}

#[test]
fn threads_do_not_change_bytes() {
    let source = lines(200_000);
    for compression in &COMPRESSIONS[1..] {
        let compression = *compression;
        let mut case = Case::new(Format::Jsonl, compression);
        let mut outputs = Vec::new();
        for (threads, block_bytes) in [(1, 1 << 20), (3, 100_000), (0, 5 << 20)] {
            case.options.threads = threads;
            case.block_bytes = block_bytes;
            outputs.push(case.write(&source, &mut |n| keep(n % 5 != 0)).unwrap().0.unwrap());
        }
        assert!(outputs.iter().all(|output| *output == outputs[0]), "{compression:?}");
    }
}

fn said(n: u64) -> Annotation {
    Annotation {
        cluster: Id::string(format!("c\"{n}")),
        duplicate: n.is_multiple_of(2),
        kept_id: n.is_multiple_of(2).then(|| Id::string(format!("k,{n}"))),
        similarity: n.is_multiple_of(2).then_some(0.875),
    }
}

#[test]
fn annotated_lines_are_the_original_and_four_fields() {
    let mut case = Case::new(Format::Jsonl, Compression::Zstd);
    case.options.annotate = true;
    let source = lines(30);
    let output = case.run(&source, &mut |n| match n % 3 {
        0 => Disposition::Annotate(said(n)),
        1 => Disposition::Keep,
        _ => Disposition::Drop,
    });
    let parse = |line: &[u8]| serde_json::from_slice::<serde_json::Value>(line).unwrap();
    let originals = source.split_inclusive(|byte| *byte == b'\n').enumerate().filter(|(n, _)| n % 3 != 2);
    let outputs: Vec<_> = output.split_inclusive(|byte| *byte == b'\n').collect();
    assert_eq!(outputs.len(), 20);
    for ((n, original), output) in originals.zip(outputs) {
        if n % 3 == 1 {
            assert_eq!(original, output);
            continue;
        }
        let said = said(n as u64);
        let mut expected = parse(original);
        expected["lookalike_cluster"] = said.cluster.text.into();
        expected["lookalike_duplicate"] = said.duplicate.into();
        expected["lookalike_kept_id"] = said.kept_id.map(|id| id.text).into();
        expected["lookalike_similarity"] = said.similarity.into();
        assert_eq!(parse(output), expected);
        assert!(output.ends_with(b"}\r\n") && output.starts_with(&original[..original.len() - 3]));
    }
}

#[test]
fn annotated_csv_has_four_more_columns_everywhere() {
    let mut case = Case::new(CSV, Compression::None);
    case.options.annotate = true;
    let output = case.run(b"id,text\n1,\"a\nb\"\n2,c\n3,d", &mut |n| match n {
        0 => Disposition::Annotate(said(0)),
        1 => Disposition::Drop,
        _ => Disposition::Keep,
    });
    let mut reader = csv::Reader::from_reader(&output[..]);
    assert_eq!(reader.headers().unwrap().len(), 6);
    let records: Vec<Vec<String>> =
        reader.records().map(|record| record.unwrap().iter().map(str::to_owned).collect()).collect();
    assert_eq!(records, [["1", "a\nb", "c\"0", "true", "k,0", "0.875"], ["3", "d", "", "", "", ""]]);
}

#[test]
fn what_cannot_be_annotated_is_said_with_its_record() {
    let mut case = Case::new(Format::Jsonl, Compression::None);
    let mut fate = |n| Disposition::Annotate(said(n));
    let message = case.write(b"{}\n\n[]\n", &mut fate).unwrap_err().to_string();
    assert!(message.contains("line 3") && message.contains("not a JSON object"), "{message}");
    let message = case.write(b"{\"lookalike_cluster\": 1}\n", &mut fate).unwrap_err().to_string();
    assert!(message.contains("line 1") && message.contains("already"), "{message}");
    case.format = CSV;
    assert!(matches!(case.write(b"text\nx\n", &mut fate), Err(Error::Invalid(_))));
    case.options.annotate = true;
    assert!(matches!(case.write(b"text,lookalike_kept_id\nx,y\n", &mut fate), Err(Error::Invalid(_))));
    case.format = Format::Text;
    for annotate in [false, true] {
        case.options.annotate = annotate;
        let message = case.write(b"x", &mut fate).unwrap_err().to_string();
        assert!(message.contains("plain text files cannot be annotated"), "{message}");
    }
    assert_eq!(case.target().list().unwrap(), Vec::<String>::new());
    assert_eq!(
        files::Files::default().list(&case.folder.path().join("aside")).unwrap(),
        Vec::<String>::new()
    );
}

#[test]
fn an_output_given_up_leaves_nothing() {
    let case = Case::new(Format::Jsonl, Compression::None);
    let path = case.folder.path().join("source");
    std::fs::write(&path, lines(10)).unwrap();
    let aside = case.folder.path().join("aside");
    let source = local(&path, "out", Format::Jsonl, Compression::None);
    let writer = SinkWriter::create(&case.target(), &source, &aside, case.options).unwrap();
    assert_eq!(files::Files::default().list(&aside).unwrap(), ["outputs/out"]);
    assert!(!case.target().exists("out").unwrap());
    drop(writer);
    assert_eq!(files::Files::default().list(&aside).unwrap(), Vec::<String>::new());
}

#[test]
fn a_target_that_is_a_file_is_an_error() {
    assert!(Target::new("").is_err(), "a name that is empty is not the current folder");
    let case = Case::new(Format::Jsonl, Compression::None);
    std::fs::write(case.folder.path().join("clean"), "mine").unwrap();
    let message = case.write(&lines(3), &mut |_| Disposition::Keep).unwrap_err().to_string();
    assert!(message.contains("clean: a file of this name exists"), "{message}");
    assert!(case.target().write("x", b"y").is_err());
    assert_eq!(std::fs::read(case.folder.path().join("clean")).unwrap(), b"mine");
    assert_eq!(
        files::Files::default().list(&case.folder.path().join("aside")).unwrap(),
        Vec::<String>::new()
    );
}

#[test]
fn a_folder_in_the_place_of_an_output_is_an_error() {
    let case = Case::new(Format::Jsonl, Compression::None);
    std::fs::create_dir_all(case.folder.path().join("clean/deep/er/out/x")).unwrap();
    assert!(matches!(case.write(&lines(3), &mut |_| Disposition::Keep), Err(Error::Io { .. })));
    assert!(case.target().write("deep/er/out", b"y").is_err());
    assert_eq!(case.target().list().unwrap(), Vec::<String>::new());
}

#[test]
fn targets_hold_what_was_written() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a/b");
    for target in [path.to_str().unwrap().to_owned(), format!("file://{}", path.display())] {
        let target = Target::new(&target).unwrap();
        assert_eq!(target.folder(), Some(path.as_path()));
        assert_eq!(target.read("none").unwrap(), None);
        for name in ["z.json", "d/y", "B"] {
            target.write(name, b"old").unwrap();
            target.write(name, name.as_bytes()).unwrap();
            assert!(target.exists(name).unwrap());
            assert_eq!(target.read(name).unwrap().unwrap(), name.as_bytes());
        }
        assert_eq!(target.list().unwrap(), ["B", "d/y", "z.json"]);
        assert!(!target.exists("B/c").unwrap());
        for name in ["../x", "d/../../x", "/x"] {
            assert!(
                target.write(name, b"").is_err()
                    && target.read(name).is_err()
                    && target.exists(name).is_err()
            );
        }
        let file = folder.path().join("finished");
        std::fs::write(&file, "f").unwrap();
        target.publish(&file, "p/q").unwrap();
        assert_eq!(target.read("p/q").unwrap().unwrap(), b"f");
        assert!(!file.exists());
        std::fs::remove_dir_all(&path).unwrap();
        assert_eq!(target.list().unwrap(), Vec::<String>::new());
    }
}

#[test]
fn an_interrupted_write_is_no_output() {
    let folder = tempfile::tempdir().unwrap();
    let target = Target::new(folder.path().to_str().unwrap()).unwrap();
    std::fs::write(folder.path().join("x.lookalike-unfinished"), "half").unwrap();
    assert_eq!(target.list().unwrap(), Vec::<String>::new());
    target.write("x", b"whole").unwrap();
    assert_eq!(target.list().unwrap(), ["x"]);
    assert_eq!(target.read("x").unwrap().unwrap(), b"whole");
}

#[test]
fn standard_output_holds_nothing() {
    let target = Target::new("-").unwrap();
    target.write("x", b"y").unwrap();
    assert!(target.is_stdout() && target.folder().is_none());
    assert!(
        !target.exists("x").unwrap()
            && target.list().unwrap().is_empty()
            && target.read("x").unwrap().is_none()
    );
}
