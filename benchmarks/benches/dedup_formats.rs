//! The same texts in every format: what the whole command costs with each, as a ratio to JSON Lines, and beside it what
//! other programs' readers need to decompress and parse the file once.
//!
//! The removed documents and the kept texts must be the same with every format.
#![allow(clippy::print_stdout, reason = "a benchmark prints its result")]

use arrow_array::cast::AsArray;
use arrow_array::{ArrayRef, RecordBatch, StringArray};
use benchmarks::dedup::{self, Program, Removal};
use benchmarks::scratch::Scratch;
use benchmarks::{child, least_cpu_seconds, parse_only, prose, sized, verdict};
use corpus::{Block, Discovery, FieldPath, Fields, Limits, ReadMode, Reader, Record};
use parquet::arrow::ArrowWriter;
use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;
use parquet::basic::{Compression, ZstdLevel};
use parquet::file::properties::WriterProperties;
use std::fs::File;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::hint::black_box;
use std::io::Write;
use std::path::Path;
use std::sync::Arc;

const REPETITIONS: usize = 3;

/// A program that writes a row group may write a page only after this many rows, however long they are.
const ROWS_PER_PAGE: usize = 1024;

#[derive(Debug, Clone, Copy)]
enum Kind {
    Jsonl,
    Gzip,
    Zstd,
    Csv,
    Parquet { has_dictionary: bool, is_compressed: bool, group_bytes: usize },
}

/// A format, the format with which it is compared, and how many times as much it may cost.
struct Case {
    name: &'static str,
    kind: Kind,
    against: usize,
    at_most: Option<f64>,
}

fn cases() -> Vec<Case> {
    let case = |name, kind, against, at_most| Case { name, kind, against, at_most };
    let parquet = |name, has_dictionary, is_compressed, group_bytes| {
        let (against, at_most) = if is_compressed { (2, 1.6) } else { (0, 1.3) };
        case(name, Kind::Parquet { has_dictionary, is_compressed, group_bytes }, against, Some(at_most))
    };
    vec![
        case("JSON Lines", Kind::Jsonl, 0, None),
        case("JSON Lines, gzip", Kind::Gzip, 0, None),
        case("JSON Lines, zstd", Kind::Zstd, 0, None),
        case("CSV", Kind::Csv, 0, None),
        parquet("Parquet, plain, one group", false, false, usize::MAX),
        parquet("Parquet, plain, groups of 1 MB", false, false, 1 << 20),
        parquet("Parquet, dictionary, one group", true, false, usize::MAX),
        parquet("Parquet, dictionary, 1 MB", true, false, 1 << 20),
        parquet("Parquet, zstd, plain, one group", false, true, usize::MAX),
        parquet("Parquet, zstd, dictionary", true, true, usize::MAX),
        parquet("Parquet, zstd, dictionary, 1 MB", true, true, 1 << 20),
    ]
}

fn main() -> Result<(), String> {
    let program = Program::build()?;
    let (name, lines) = prose();
    let mut long = Vec::new();
    parse_only(&lines, |text| long.push(text.to_owned()));
    let short = short_texts(&long, sized(200_000));
    measure(&program, &name, &long)?;
    measure(&program, "texts of 400 bytes", &short)
}

/// Texts of about 400 bytes. Each twentieth is a copy of another.
fn short_texts(long: &[String], count: usize) -> Vec<String> {
    let pieces = long.iter().flat_map(|text| {
        let mut rest = text.as_str();
        std::iter::from_fn(move || {
            let (piece, after) = rest.split_at(rest.floor_char_boundary(400));
            rest = after;
            (!piece.is_empty()).then(|| piece.to_owned())
        })
    });
    let mut texts: Vec<String> = pieces.take(count).collect();
    for copy in (0..texts.len()).step_by(20) {
        texts[copy] = texts[copy * 7 % texts.len()].clone();
    }
    texts
}

fn measure(program: &Program, name: &str, texts: &[String]) -> Result<(), String> {
    let scratch = Scratch::new("formats").map_err(|error| error.to_string())?;
    let bytes: usize = texts.iter().map(String::len).sum();
    println!("\n{name}: {} documents, {:.1} MB of text, 1 thread", texts.len(), bytes as f64 / 1e6);
    let mut seconds: Vec<f64> = Vec::new();
    let mut expected: Option<(Vec<Removal>, Vec<u64>)> = None;
    for case in cases() {
        let file = scratch.path(file_name(case.kind));
        write(case.kind, texts, &file)?;
        let target = scratch.path("clean");
        let usage = child::least_of(REPETITIONS, || {
            scratch.fresh("clean").map_err(|error| error.to_string())?;
            Ok(program.dedup(&file, &target, 1, &[]))
        })?;
        let answer = (dedup::removals(&target)?, text_hashes(&dedup::kept_file(&target, &file))?);
        match &expected {
            None => expected = Some(answer),
            Some(expected) => assert!(answer == *expected, "{}: another answer than JSON Lines", case.name),
        }
        let once = least_cpu_seconds(REPETITIONS, || read_once(case.kind, &file));
        seconds.push(usage.cpu_seconds);
        let ratio = usage.cpu_seconds / seconds[case.against];
        println!(
            "  {:32} {:6.2} s CPU {:4.0} MiB   {ratio:5.2} times {}   its parsing alone {once:.2} s {}",
            case.name,
            usage.cpu_seconds,
            usage.peak_bytes as f64 / f64::from(1 << 20),
            if case.against == 0 { "JSON Lines      " } else { "JSON Lines, zstd" },
            case.at_most.map_or(String::new(), |most| verdict(ratio, most)),
        );
        std::fs::remove_file(&file).map_err(|error| error.to_string())?;
    }
    println!("  the same documents are removed, and the same texts are kept, with every format");
    Ok(())
}

fn file_name(kind: Kind) -> &'static str {
    match kind {
        Kind::Jsonl => "documents.jsonl",
        Kind::Gzip => "documents.jsonl.gz",
        Kind::Zstd => "documents.jsonl.zst",
        Kind::Csv => "documents.csv",
        Kind::Parquet { .. } => "documents.parquet",
    }
}

fn write(kind: Kind, texts: &[String], file: &Path) -> Result<(), String> {
    let failed = |cause: &dyn std::fmt::Display| format!("{}: {cause}", file.display());
    let out = File::create(file).map_err(|cause| failed(&cause))?;
    let written = match kind {
        Kind::Jsonl => (&out).write_all(&json_lines(texts)),
        Kind::Gzip => {
            let mut compressed = flate2::write::GzEncoder::new(out, flate2::Compression::default());
            compressed.write_all(&json_lines(texts)).and_then(|()| compressed.finish().map(drop))
        }
        Kind::Zstd => zstd::stream::copy_encode(json_lines(texts).as_slice(), out, 3),
        Kind::Csv => {
            let mut records = csv::Writer::from_writer(out);
            let mut all = std::iter::once("text").chain(texts.iter().map(String::as_str));
            all.try_for_each(|text| records.write_record([text])).map_err(|cause| failed(&cause))?;
            records.flush()
        }
        Kind::Parquet { has_dictionary, is_compressed, group_bytes } => {
            return write_parquet(texts, out, has_dictionary, is_compressed, group_bytes)
                .map_err(|cause| failed(&cause));
        }
    };
    written.map_err(|cause| failed(&cause))
}

fn json_lines(texts: &[String]) -> Vec<u8> {
    let mut lines = Vec::new();
    for text in texts {
        lines.extend_from_slice(serde_json::json!({ "text": text }).to_string().as_bytes());
        lines.push(b'\n');
    }
    lines
}

fn write_parquet(
    texts: &[String],
    out: File,
    has_dictionary: bool,
    is_compressed: bool,
    group_bytes: usize,
) -> parquet::errors::Result<()> {
    let bytes: usize = texts.iter().map(String::len).sum();
    let rows = group_bytes / (bytes / texts.len().max(1)).max(1);
    let codec =
        if is_compressed { Compression::ZSTD(ZstdLevel::default()) } else { Compression::UNCOMPRESSED };
    let properties = WriterProperties::builder()
        .set_compression(codec)
        .set_dictionary_enabled(has_dictionary)
        .set_write_batch_size(ROWS_PER_PAGE)
        .set_max_row_group_row_count(Some(rows.clamp(1, texts.len())))
        .build();
    let batch = |texts: &[String]| {
        let column: ArrayRef = Arc::new(StringArray::from_iter_values(texts));
        RecordBatch::try_from_iter([("text", column)])
    };
    let mut writer = ArrowWriter::try_new(out, batch(&[])?.schema(), Some(properties))?;
    for texts in texts.chunks(ROWS_PER_PAGE) {
        writer.write(&batch(texts)?)?;
    }
    writer.close().map(drop)
}

/// Reads the texts of a file with the reader that a program would use that does nothing else.
fn read_once(kind: Kind, file: &Path) {
    let visit = |text: &str| {
        black_box(text);
    };
    let read = || std::fs::read(file).expect("it was written here");
    match kind {
        Kind::Jsonl => parse_only(&read(), visit),
        Kind::Gzip => {
            let mut lines = Vec::new();
            let stored = read();
            std::io::copy(&mut flate2::read::GzDecoder::new(stored.as_slice()), &mut lines)
                .expect("it was written here");
            parse_only(&lines, visit);
        }
        Kind::Zstd => parse_only(&zstd::decode_all(read().as_slice()).expect("it was written here"), visit),
        Kind::Csv => {
            let mut records = csv::Reader::from_path(file).expect("it was written here");
            let mut record = csv::StringRecord::new();
            while records.read_record(&mut record).expect("it was written here") {
                visit(&record[0]);
            }
        }
        Kind::Parquet { .. } => {
            let file = File::open(file).expect("it was written here");
            let batches = ParquetRecordBatchReaderBuilder::try_new(file).and_then(|builder| builder.build());
            for batch in batches.expect("it was written here") {
                let batch = batch.expect("it was written here");
                batch.column(0).as_string::<i32>().iter().flatten().for_each(visit);
            }
        }
    }
}

/// A hash of each text of a file, in order.
fn text_hashes(file: &Path) -> Result<Vec<u64>, String> {
    let arguments = [file.to_string_lossy().into_owned()];
    let sources = corpus::discover(&arguments, &Discovery::default()).map_err(|error| error.to_string())?;
    let fields = Fields::text(FieldPath::new("text"));
    let limits = Limits { block_bytes: 1 << 20, record_bytes: u64::MAX, records: 8_192 };
    let (mut block, mut scratch, mut hashes) = (Block::default(), corpus::Scratch::default(), Vec::new());
    for source in &sources {
        let mut reader =
            Reader::open(source, ReadMode::Fields, &fields, limits).map_err(|error| error.to_string())?;
        while reader.next_block(&mut block).map_err(|error| error.to_string())? {
            let mut visit = |_, record: Record<'_>| {
                if let Record::Document(document) = record {
                    let mut hasher = DefaultHasher::new();
                    document.text.hash(&mut hasher);
                    hashes.push(hasher.finish());
                }
                Ok(())
            };
            block.visit(&fields, None, &mut scratch, &mut visit).map_err(|error| error.to_string())?;
        }
    }
    Ok(hashes)
}
