//! The whole run against the plain definition, over seeded corpora.

mod attacks;
mod differential;
mod framed_sets;
mod frames;
mod going_on;
mod kinds;
mod kinds_going_on;
mod kinds_options;
mod kinds_recall;
mod matrix;
mod recall;
mod sketches;
mod stops;
mod vectors;
mod vectors_banded;

use crate::prepared::Prepared;
use crate::run::dedup_prepared;
use crate::{Job, Outcome, Report, Resources, Settings, Silent};
use corpus::{Discovery, Source, Target, discover};
use serde_json::Value;
use std::collections::BTreeMap;
use std::path::Path;
use testkit::corpora::{Document, write_files};

/// What a run came to: the removed list by id, the kept ids in order, the report, and all output bytes.
#[derive(Debug, Clone, PartialEq)]
struct Result {
    removed: BTreeMap<String, Value>,
    kept: Vec<String>,
    report: Report,
    /// `removed.jsonl` and the kept files.
    bytes: Vec<(String, Vec<u8>)>,
}

/// How a run is made: none of it may change the answer.
#[derive(Debug, Clone, Copy)]
struct How {
    threads: usize,
    /// Bytes for the stages; plenty if none.
    free: Option<u64>,
    /// Documents per file.
    split: usize,
}

impl How {
    const PLAIN: Self = Self { threads: 1, free: None, split: usize::MAX };
}

fn sources_of(folder: &Path, documents: &[Document], split: usize) -> Vec<Source> {
    let splits: Vec<usize> =
        (1..).map(|n| split.saturating_mul(n)).take_while(|&at| at < documents.len()).collect();
    let files = write_files(folder, documents.iter().cloned(), &splits).unwrap();
    let arguments: Vec<String> = files.iter().map(|file| file.display().to_string()).collect();
    discover(&arguments, &Discovery::default()).unwrap()
}

fn job(settings: &Settings, sources: Vec<Source>, against: Vec<Source>, threads: usize) -> Job {
    let resources = Resources { memory: 1 << 30, threads, ..Resources::of_this_machine() };
    Job {
        sources,
        against,
        settings: settings.clone(),
        resources,
        sketch: None,
        indexes: crate::Indexes::default(),
    }
}

/// Runs dedup over `documents`, of which the first `protected` are those of `--against`.
fn run(documents: &[Document], protected: usize, settings: &Settings, how: How) -> Result {
    let folder = tempfile::tempdir().unwrap();
    let against = if protected == 0 {
        Vec::new()
    } else {
        sources_of(&folder.path().join("against"), &documents[..protected], how.split)
    };
    let sources = sources_of(&folder.path().join("in"), &documents[protected..], how.split);
    let job = job(settings, sources, against, how.threads);
    let mut prepared = Prepared::new(&job).unwrap();
    if let Some(free) = how.free {
        prepared.budget = prepared.budget.clone().with_free(free);
    }
    let out = folder.path().join("out");
    let target = Target::new(&out.display().to_string()).unwrap();
    let Outcome::Finished(report) = dedup_prepared(&prepared, &target, &Silent).unwrap() else {
        panic!("it was finished before it began");
    };
    // The names of the folders differ between runs.
    let name = folder.path().display().to_string();
    let text = std::fs::read_to_string(out.join("removed.jsonl")).unwrap().replace(&name, "");
    let rows = text.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
    let removed = rows.map(|row| (row["id"].as_str().unwrap().to_owned(), row)).collect();
    let mut bytes = vec![("removed.jsonl".to_owned(), text.into_bytes())];
    let mut kept = Vec::new();
    for source in &job.sources {
        let output = std::fs::read(out.join(&source.output)).unwrap();
        for line in String::from_utf8_lossy(&output).lines() {
            kept.push(serde_json::from_str::<Value>(line).unwrap()["id"].as_str().unwrap().to_owned());
        }
        bytes.push((source.output.clone(), output));
    }
    for (_, bytes) in &mut bytes {
        *bytes = String::from_utf8_lossy(bytes).replace(&name, "").into_bytes();
    }
    let mut report = report;
    report.run = Default::default();
    report.plan.input_bytes = 0;
    report.sources.iter_mut().for_each(|source| source.name = source.name.replace(&name, ""));
    Result { removed, kept, report, bytes }
}
