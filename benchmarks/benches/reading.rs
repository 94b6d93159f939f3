//! From a JSON Lines file to its texts, as a ratio to parsing the JSON alone (of bytes that are already in memory).
//!
//! The texts must be equal to those of the parser, byte for byte.
#![allow(clippy::print_stdout, reason = "a benchmark prints its result")]

use benchmarks::{generated_prose, least_cpu_seconds, parse_only, prose, verdict};
use corpus::{
    Block, Compression, FieldPath, Fields, Format, Limits, Location, ReadMode, Reader, Record, Scratch,
    Source, Stamp,
};
use std::hint::black_box;
use std::path::Path;

const REPETITIONS: usize = 15;

fn main() {
    let file = std::env::temp_dir().join(format!("lookalike-reading-{}.jsonl", std::process::id()));
    let (name, long) = prose();
    measure(&name, &long, &file, 0.6);
    measure("short documents", &generated_prose(200_000, 55), &file, 0.5);
    std::fs::remove_file(&file).expect("it was written here");
}

fn measure(name: &str, lines: &[u8], file: &Path, at_most: f64) {
    std::fs::write(file, lines).expect("the folder for temporary files can be written");
    let source = Source {
        name: name.to_owned(),
        output: String::new(),
        location: Location::Local(file.to_owned()),
        format: Format::Jsonl,
        compression: Compression::None,
        ids: None,
        size: lines.len() as u64,
        stamp: Stamp::Unknown,
    };
    let mut parsed = Vec::new();
    parse_only(lines, |text| parsed.push(text.to_owned()));
    let mut number = 0;
    read(&source, 1 << 20, |text| {
        assert_eq!(text, parsed[number]);
        number += 1;
    });
    assert_eq!(number, parsed.len());

    let megabytes = lines.len() as f64 / 1e6;
    println!("{name}: {number} documents, {megabytes:.1} MB");
    let parse = least_cpu_seconds(REPETITIONS, || {
        parse_only(lines, |text| {
            black_box(text);
        });
    });
    println!("  parse only (simd-json)          {:6.0} MB/s", megabytes / parse);
    for kibibytes in [128, 256, 512, 1024, 4096] {
        let mut bytes = 0;
        let only_read =
            least_cpu_seconds(REPETITIONS, || blocks(&source, kibibytes << 10, |block| bytes += block.len()));
        let all = least_cpu_seconds(REPETITIONS, || {
            read(&source, kibibytes << 10, |text| {
                black_box(text);
            });
        });
        println!(
            "  blocks of {kibibytes:5} KiB: read {:6.0} MB/s  {:4.2} x; read and take texts {:6.0} MB/s  \
             {:4.2} x parse-only {}",
            megabytes / only_read,
            only_read / parse,
            megabytes / all,
            all / parse,
            verdict(all / parse, at_most)
        );
    }
}

fn blocks(source: &Source, block_bytes: usize, mut visit: impl FnMut(&Block)) {
    let limits = Limits { block_bytes, record_bytes: u64::MAX, records: 8_192 };
    let mut reader = Reader::open(source, ReadMode::Fields, &fields(), limits).expect("it can be read");
    let mut block = Block::default();
    while reader.next_block(&mut block).expect("it can be read") {
        visit(&block);
    }
}

fn read(source: &Source, block_bytes: usize, mut visit: impl FnMut(&str)) {
    let (fields, mut scratch) = (fields(), Scratch::default());
    blocks(source, block_bytes, |block| {
        block
            .visit(&fields, None, &mut scratch, &mut |_, record| {
                if let Record::Document(document) = record {
                    visit(document.text);
                }
                Ok(())
            })
            .expect("the visitor does not fail");
    });
}

fn fields() -> Fields {
    Fields { id: Some(FieldPath::new("id")), ..Fields::text(FieldPath::new("text")) }
}
