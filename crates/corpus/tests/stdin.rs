//! Standard input as a source. Each test starts this test program again as a child and writes to its standard input.
#![allow(clippy::unwrap_used, reason = "tests may unwrap, and so may what they share")]

use corpus::{
    Block, Compression, Discovery, FieldPath, Fields, Format, Limits, ReadMode, Reader, Record, Scratch,
    discover,
};
use std::io::Write;
use std::process::{Command, Stdio};

const CHILD: &str = "LOOKALIKE_TEST_READS_STDIN";

/// The child prints how it recognised standard input, and the texts.
#[test]
fn child() {
    if std::env::var_os(CHILD).is_none() {
        return;
    }
    let source = discover(&["-".to_owned()], &Discovery::default()).unwrap().remove(0);
    let fields = Fields::text(FieldPath::new("text"));
    let limits = Limits { block_bytes: 50, record_bytes: 1 << 30, records: 8_192 };
    let mut reader = Reader::open(&source, ReadMode::Whole, &fields, limits).unwrap();
    let (mut block, mut scratch, mut said) = (Block::default(), Scratch::default(), Vec::new());
    while reader.next_block(&mut block).unwrap() {
        let visit = &mut |_, record: Record<'_>| {
            if let Record::Document(document) = record {
                said.push(document.text.to_owned());
            }
            Ok(())
        };
        block.visit(&fields, None, &mut scratch, visit).unwrap();
    }
    println!("<<{}|{:?}|{:?}|{}>>", source.output, source.format, source.compression, said.join(","));
}

/// The output of the child if these pieces are written to it, one after the other.
fn read(pieces: &[&[u8]]) -> String {
    let mut child = Command::new(std::env::current_exe().unwrap())
        .args(["child", "--exact", "--nocapture"])
        .env(CHILD, "1")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut stdin = child.stdin.take().unwrap();
    for piece in pieces {
        stdin.write_all(piece).unwrap();
        stdin.flush().unwrap();
    }
    drop(stdin);
    let output = child.wait_with_output().unwrap();
    let output = String::from_utf8(output.stdout).unwrap();
    let (_, said) = output.split_once("<<").expect("the child says something");
    said.split_once(">>").unwrap().0.to_owned()
}

fn expected(output: &str, format: Format, compression: Compression, texts: &str) -> String {
    format!("{output}|{format:?}|{compression:?}|{texts}")
}

#[test]
fn format_and_compression_are_seen_in_the_contents() {
    let lines: String = (0..30_000).map(|n| format!("{{\"text\": \"{n}\"}}\n")).collect();
    let texts = (0..30_000).map(|n| n.to_string()).collect::<Vec<_>>().join(",");
    let bytes = lines.as_bytes();
    let jsonl = Format::Jsonl;
    assert_eq!(read(&[bytes]), expected("stdin.jsonl", jsonl, Compression::None, &texts));
    let (one, rest) = bytes.split_at(1);
    assert_eq!(read(&[one, rest]), expected("stdin.jsonl", jsonl, Compression::None, &texts));
    let compressed = zstd::encode_all(bytes, 1).unwrap();
    assert_eq!(read(&[&compressed]), expected("stdin.jsonl.zst", jsonl, Compression::Zstd, &texts));
    assert_eq!(read(&[b"a text"]), expected("stdin.txt", Format::Text, Compression::None, "a text"));
    assert_eq!(read(&[]), expected("stdin.jsonl", jsonl, Compression::None, ""));
}
