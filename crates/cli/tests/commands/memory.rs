//! Resident memory against `--memory`, for every shape of corpus in which something grows; and the same bytes with
//! little memory as with much.

use super::lookalike::Folder;
use lookalike::hashing::SplitMix64;
use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::process::Command;
use testkit::corpora::{
    bulk_bad, bulk_copies, bulk_equal, bulk_files, bulk_near_copies, bulk_template, bulk_text,
};
use testkit::memory::run_and_measure;

/// What resident memory may exceed 1.1 times the limit by: the program's own code, and what the allocator keeps.
const CONSTANT: u64 = 16 << 20;

/// A corpus, and commands on it within limits.
struct Limited {
    folder: Folder,
}

impl Limited {
    /// A folder with a file `in.jsonl`.
    fn with(write: impl Fn(&mut dyn Write) -> io::Result<()>) -> Self {
        let folder = Folder::new();
        let mut file = BufWriter::new(File::create(folder.path("in.jsonl")).unwrap());
        write(&mut file).unwrap();
        file.flush().unwrap();
        Self { folder }
    }

    /// Runs a command with so many MiB, which must be enough; what it wrote to standard output.
    fn run(&self, arguments: &str, limit: u64) -> Vec<u8> {
        self.run_on(2, arguments, limit).0
    }

    /// The same on so many threads; and what it took.
    fn run_on(&self, threads: usize, arguments: &str, limit: u64) -> (Vec<u8>, u64) {
        self.run_beside(CONSTANT, threads, arguments, limit)
    }

    /// The same, where resident memory may exceed 1.1 times the limit by `beside`.
    fn run_beside(&self, beside: u64, threads: usize, arguments: &str, limit: u64) -> (Vec<u8>, u64) {
        let mut command = Command::new(env!("CARGO_BIN_EXE_lookalike"));
        command.args(arguments.split_whitespace()).args([
            "--threads",
            &threads.to_string(),
            "--memory",
            &format!("{limit}MiB"),
        ]);
        let (output, most) = run_and_measure(command.current_dir(self.folder.path(""))).unwrap();
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{arguments}: {said}");
        let allowed = (limit << 20) * 11 / 10 + beside;
        let mib = |bytes: u64| bytes >> 20;
        assert!(most <= allowed, "{arguments}: {} MiB at {limit}, at most {}", mib(most), mib(allowed));
        eprintln!("{arguments}: {} MiB at {limit}", mib(most));
        (output.stdout, most)
    }

    /// Runs `dedup` with little and with much memory; the outputs are the same bytes.
    fn dedup(&self, arguments: &str, limit: u64) {
        self.run(&format!("dedup {arguments} -o little"), limit);
        self.run(&format!("dedup {arguments} -o much"), 4096);
        let (little, much) = (self.folder.path("little"), self.folder.path("much"));
        let names = files_below(&little);
        assert_eq!(names, files_below(&much));
        for name in names {
            let same = std::fs::read(little.join(&name)).unwrap() == std::fs::read(much.join(&name)).unwrap();
            assert!(same || name == Path::new("report.json"), "{} differs", name.display());
        }
        let report = |folder: &Path| {
            let text = std::fs::read_to_string(folder.join("report.json")).unwrap();
            let mut report: serde_json::Value = serde_json::from_str(&text).unwrap();
            report["run"].take();
            report
        };
        assert_eq!(report(&little), report(&much));
        std::fs::remove_dir_all(little).unwrap();
        std::fs::remove_dir_all(much).unwrap();
    }

    /// Runs a command that answers on standard output, likewise.
    fn answers(&self, arguments: &str, limit: u64) {
        let (little, much) = (self.run(arguments, limit), self.run(arguments, 4096));
        assert!(little == much && !much.is_empty(), "{arguments}: {} and {} bytes", little.len(), much.len());
    }
}

/// The files of a target but for those of the run's own, in order.
fn files_below(folder: &Path) -> Vec<PathBuf> {
    let mut files = Vec::new();
    let mut folders = vec![PathBuf::new()];
    while let Some(below) = folders.pop() {
        for entry in std::fs::read_dir(folder.join(&below)).unwrap().map(io::Result::unwrap) {
            let name = below.join(entry.file_name());
            match entry.file_type().unwrap().is_dir() {
                true if name == Path::new("_lookalike") => {}
                true => folders.push(name),
                false => files.push(name),
            }
        }
    }
    files.sort();
    files
}

#[test]
fn copies() {
    let corpus = Limited::with(|out| bulk_copies(800_000, 16_000, out));
    corpus.dedup("in.jsonl", 64);
    corpus.dedup("in.jsonl --id-field id --removed-format parquet", 64);
    corpus.answers("clusters in.jsonl --id-field id --json", 64);
}

#[test]
fn near_copies_annotated() {
    let corpus = Limited::with(|out| bulk_near_copies(200_000, out));
    corpus.dedup("in.jsonl --id-field id --annotate", 64);
}

/// Texts of 64 words of which one is different in each: all are near-duplicates of each other.
fn alike(count: u64, out: &mut dyn Write) -> io::Result<()> {
    let words = |from: u64| (from..from + 32).map(|word| format!("w{word} ")).collect::<String>();
    let (before, after) = (words(0), words(32));
    (0..count).try_for_each(|at| writeln!(out, "{{\"id\":{at},\"text\":\"{before}n{at} {after}\"}}"))
}

#[test]
fn near_copies_of_one_text() {
    let corpus = Limited::with(|out| alike(300_000, out));
    corpus.dedup("in.jsonl", 64);
    let of_half = Limited::with(|out| alike(150_000, out));
    let (_, half) = of_half.run_on(2, "dedup in.jsonl -o half", 64);
    let (_, whole) = corpus.run_on(2, "dedup in.jsonl -o whole", 64);
    assert!(whole < half + (12 << 20), "{half} bytes for half of the documents, {whole} for all");
}

/// Pages of one template, each with words of its own in other places, so that all share very many pieces.
fn edited_pages(count: u64, out: &mut dyn Write) -> io::Result<()> {
    const WORDS: u64 = 800;
    let mut random = SplitMix64::new(11);
    for id in 0..count {
        let mut words: Vec<String> = (0..WORDS).map(|word| format!("w{word}")).collect();
        for _ in 0..4 + random.below(30) {
            words[random.below(WORDS) as usize] = format!("r{}", random.below(10_000_000));
        }
        writeln!(out, "{{\"id\":{id},\"text\":\"{}\"}}", words.join(" "))?;
    }
    Ok(())
}

#[test]
fn containment_of_documents_with_many_pieces_in_common() {
    let corpus = Limited::with(|out| edited_pages(3_000, out));
    corpus.run_on(1, "dedup in.jsonl -o out --measure containment", 64);
}

#[test]
fn near_copies_two_by_two() {
    let corpus = Limited::with(|out| bulk_near_copies(1_000_000, out));
    corpus.run("dedup in.jsonl -o stars", 64);
    corpus.run("dedup in.jsonl --clusters components -o components", 64);
}

#[test]
fn all_pairs_of_near_copies() {
    let corpus = Limited::with(|out| alike(2_200, out));
    corpus.answers("pairs in.jsonl --id-field id", 64);
}

#[test]
fn many_hashes_of_bad_records() {
    let corpus = Limited::with(|out| bulk_bad(40_000, out));
    corpus.dedup("in.jsonl --on-bad-record skip --hashes 4096", 64);
}

#[test]
fn long_values_to_rank() {
    let corpus = Limited::with(|out| {
        let long = "x".repeat(60);
        (0..300_000u64).try_for_each(|at| {
            let value = at.wrapping_mul(0x9e37_79b9_7f4a_7c15);
            writeln!(out, "{{\"text\":\"the text of {}\",\"value\":\"{long}{value}\"}}", at / 2)
        })
    });
    corpus.dedup("in.jsonl --keep max:value", 64);
}

#[test]
fn long_records_of_several_files_are_written_in_turn() {
    let corpus = Limited { folder: Folder::new() };
    std::fs::create_dir(corpus.folder.path("in")).unwrap();
    // Small as they are stored.
    for file in 0..8 {
        let out = File::create(corpus.folder.path(&format!("in/{file}.jsonl.gz"))).unwrap();
        let mut out = flate2::write::GzEncoder::new(out, flate2::Compression::fast());
        write!(out, "{{\"text\":\"the text of {file}\",\"other\":\"").unwrap();
        let piece = vec![b'x'; 1 << 20];
        (0..80).for_each(|_| out.write_all(&piece).unwrap());
        out.write_all(b"\"}\n").unwrap();
        out.finish().unwrap();
    }
    corpus.run_on(8, "dedup in -o out", 512);
}

#[test]
fn a_question_takes_long_documents_in_turn() {
    let corpus = Limited::with(|out| {
        (0..4).try_for_each(|at| {
            write!(out, "{{\"id\":{at},\"text\":\"")?;
            bulk_text(40 << 20, out)?;
            out.write_all(b"\"}\n")
        })
    });
    let refused = corpus.folder.run("query in.jsonl --text word --memory 256MiB --threads 4");
    assert_eq!(refused.code, 5, "{refused}");
    let needed = refused.stderr.split("needs ").nth(1).unwrap().split(" MiB").next().unwrap();
    corpus.run_on(4, "query in.jsonl --text word", needed.parse().unwrap());
}

#[test]
fn one_template() {
    let corpus = Limited::with(|out| bulk_template(30_000, out));
    corpus.dedup("in.jsonl --id-field id", 64);
}

#[test]
fn all_equal() {
    let corpus = Limited::with(|out| bulk_equal(2_000, out));
    corpus.answers("pairs in.jsonl --id-field id", 64);
    let corpus = Limited::with(|out| bulk_equal(300_000, out));
    corpus.dedup("in.jsonl --annotate --id-field id", 64);
    corpus.answers("clusters in.jsonl --json", 64);
}

#[test]
fn bad_records() {
    let corpus = Limited::with(|out| bulk_bad(1_000_000, out));
    corpus.dedup("in.jsonl --on-bad-record skip", 64);
}

#[test]
fn many_small_files() {
    let corpus = Limited { folder: Folder::new() };
    bulk_files(&corpus.folder.path("in"), 9_000).unwrap();
    corpus.answers("pairs in", 80);
    corpus.run("dedup in --dry-run", 80);
    let little = corpus.folder.run("dedup in -o refused --memory 64MiB --threads 2");
    assert_eq!(little.code, 5, "{little}");
    assert!(little.stderr.contains("over 9000 sources needs"), "{little}");
}

#[test]
fn parquet_in_and_out() {
    let corpus = Limited { folder: Folder::new() };
    // The list of removed documents is a Parquet file as good as any.
    let file =
        files::Files::default().create(&corpus.folder.path("in.parquet"), files::Access::Shared).unwrap();
    let mut rows = corpus::RemovedWriter::new(file).unwrap();
    for number in 0..300_000u64 {
        let text = format!("{} some words that are the same everywhere", number / 3);
        let row = corpus::RemovedRow { id: format!("doc-{number}"), source: text, ..Default::default() };
        rows.push(&row).unwrap();
    }
    rows.finish().unwrap();
    let fields = "--text-field source --id-field id --removed-format parquet";
    corpus.dedup(&format!("in.parquet {fields}"), 64);
    corpus.dedup(&format!("in.parquet {fields} --annotate"), 64);
}

#[test]
fn parquet_with_a_dictionary_of_long_texts() {
    let corpus = Limited { folder: Folder::new() };
    let file =
        files::Files::default().create(&corpus.folder.path("in.parquet"), files::Access::Shared).unwrap();
    let mut rows = corpus::RemovedWriter::new(file).unwrap();
    let mut text = Vec::new();
    bulk_text(400 << 10, &mut text).unwrap();
    let text = String::from_utf8(text).unwrap();
    for number in 0..1_000u64 {
        let (id, source) = (format!("doc-{number}"), text.clone());
        rows.push(&corpus::RemovedRow { id, source, ..Default::default() }).unwrap();
    }
    rows.finish().unwrap();
    assert!(std::fs::metadata(corpus.folder.path("in.parquet")).unwrap().len() < 2 << 20);
    corpus.run("dedup in.parquet --text-field source --id-field id -o out", 64);
    corpus.run("dedup in.parquet --text-field source --id-field id --annotate -o annotated", 64);
}

/// What the store of an index takes itself comes on top.
#[test]
fn documents_of_an_index() {
    let corpus = Limited::with(|out| bulk_copies(250_000, u64::MAX, out));
    corpus.run_beside(64 << 20, 2, "index add seen in.jsonl --id-field id", 64);
}

#[test]
fn one_long_document() {
    // What one long document takes is what two of them take.
    let long = |out: &mut dyn Write| {
        for _ in 0..2 {
            out.write_all(b"{\"id\":\"long\",\"text\":\"")?;
            bulk_text(60 << 20, out)?;
            out.write_all(b"\"}\n{\"id\":\"short\",\"text\":\"short\"}\n")?;
        }
        Ok(())
    };
    let corpus = Limited::with(long);
    let refused = corpus.folder.run("dedup in.jsonl -o refused --memory 64MiB --threads 2");
    assert_eq!(refused.code, 5, "{refused}");
    let needed = refused.stderr.split("needs ").nth(1).unwrap().split(" MiB").next().unwrap();
    corpus.dedup("in.jsonl --id-field id", needed.parse().unwrap());
}

/// Vectors that are all near one another.
fn near_vectors(count: u64, out: &mut dyn Write) -> io::Result<()> {
    let mut random = SplitMix64::new(5);
    (0..count).try_for_each(|id| {
        let vector: Vec<String> =
            (0..16).map(|at| format!("{}.{:03}", at + 1, random.below(1_000))).collect();
        writeln!(out, "{{\"id\":{id},\"v\":[{}]}}", vector.join(","))
    })
}

#[test]
fn vectors_with_many_look_alikes() {
    let vectors = "in.jsonl --kind vectors --field v --id-field id --threshold 0.9 --find all";
    let few = Limited::with(|out| near_vectors(2_500, out));
    few.answers(&format!("pairs {vectors}"), 64);
    let many = Limited::with(|out| near_vectors(30_000, out));
    many.dedup(vectors, 64);
    many.answers(&format!("clusters {vectors}"), 64);
    many.run(&format!("dedup {vectors} --clusters components -o components"), 64);
}

#[test]
fn sets_with_many_look_alikes() {
    let sets = |count: u64| {
        Limited::with(|out| {
            let mut random = SplitMix64::new(6);
            (0..count).try_for_each(|id| {
                let items: Vec<String> = (0..20 + random.below(6)).map(|item| item.to_string()).collect();
                writeln!(out, "{{\"id\":{id},\"items\":[{},\"own{id}\"]}}", items.join(","))
            })
        })
    };
    let arguments = "in.jsonl --kind sets --items items --id-field id --threshold 0.6";
    sets(2_200).answers(&format!("pairs {arguments}"), 64);
    sets(200_000).dedup(arguments, 64);
}
