//! `lookalike index add` of one large file, against `lookalike sketch` of the same file; and of an eighth of it.

use crate::{Bench, Result};
use benchmarks::{child, verdict};
use index::{Index, Options, Query};
use std::path::Path;
use testkit::corpora::{Planted, Truth};

/// Fills the index that other parts use, and returns the CPU seconds per document.
pub(crate) fn run(bench: &Bench) -> Result<f64> {
    let Bench { program, scratch, corpus, file, texts, folder } = bench;
    let documents = texts.len();
    let sketches = scratch.path("sketches");
    let one = ["--quiet", "--threads", "1"];
    let sketch = child::least_of(3, || {
        let _ = std::fs::remove_file(&sketches);
        let mut command = program.command("sketch");
        command.arg(file).arg("-o").arg(&sketches).args(one);
        Ok(command)
    })?;
    let add = |name: &str, file: &Path, repetitions| {
        child::least_of(repetitions, || {
            let folder = scratch.fresh(name).map_err(|error| error.to_string())?;
            let mut command = program.command("index");
            command.arg("add").arg(folder).arg(file).args(["--id-field", "id"]).args(one);
            Ok(command)
        })
    };
    let whole = add("index", file, 2)?;
    let part = Planted { documents: documents / 8, ..corpus.clone() };
    let small = scratch.write_documents("small.jsonl", part.iter()).map_err(|error| error.to_string())?;
    let eighth = add("small", &small, 3)?;
    let row = |what: &str, seconds: f64, documents: usize| {
        println!("{what:34} {seconds:8.3} s CPU, {:6.2} us per document", seconds * 1e6 / documents as f64);
    };
    row("lookalike sketch, 1 thread", sketch.cpu_seconds, documents);
    row("lookalike index add, 1 thread", whole.cpu_seconds, documents);
    let ratio = whole.cpu_seconds / sketch.cpu_seconds;
    println!("{:34} {ratio:8.2} x sketch {}", "", verdict(ratio, 4.0));
    row("an eighth of the documents", eighth.cpu_seconds, documents / 8);
    let growth = whole.cpu_seconds / eighth.cpu_seconds;
    println!("{:34} {growth:8.2} x for 8 x the documents {}", "", verdict(growth, 9.0));
    check(bench)?;
    let _ = std::fs::remove_dir_all(scratch.path("small"));
    debug_assert!(folder.ends_with("index"));
    Ok(whole.cpu_seconds / documents as f64)
}

/// Every document is there, and is found by its text; a copy is found with its original.
fn check(bench: &Bench) -> Result<()> {
    let index = Index::open(&bench.folder, &Options::default()).map_err(|error| error.to_string())?;
    let stats = index.stats().map_err(|error| error.to_string())?;
    if stats.documents != bench.texts.len() as u64 {
        return Err(format!("{} documents were added, and {} are there", bench.texts.len(), stats.documents));
    }
    let documents: Vec<_> = bench.corpus.iter().take(2_000).collect();
    let mut copies = 0;
    for (number, document) in documents.iter().enumerate() {
        let answer = index.query(&Query::text(&document.text)).map_err(|error| error.to_string())?;
        let has = |id: &str| answer.matches.iter().any(|found| found.id == id && found.similarity == 1.0);
        let is_copy_found = match bench.corpus.truth(number) {
            Truth::Copy { of } => {
                copies += 1;
                has(&documents[of].id)
            }
            _ => true,
        };
        if !has(&document.id) || !is_copy_found {
            return Err(format!("{} is not found by its own text", document.id));
        }
    }
    println!("{:34} all there; 2,000 are found by their texts, {copies} copies with their originals", "");
    Ok(())
}
