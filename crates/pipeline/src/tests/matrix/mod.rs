//! Every option with every other one, over small corpora with much structure: the outputs are byte for byte those of the plain definition.
//!
//! Which runs are made is said in [`sample`], what a corpus is in [`lines`], what must come out in [`expected`].

mod expected;
mod lines;
mod sample;

use crate::ask::pairs_prepared;
use crate::prepared::Prepared;
use crate::run::dedup_prepared;
use crate::{Job, Method, OnBadRecord, Outcome, Report, Resources, Settings, Silent, Verify};
use corpus::{Discovery, Source, Target, discover};
use expected::Alike;
use lines::Line;
use sample::Row;
use serde_json::Value;
use std::collections::BTreeMap;
use std::path::Path;
use testkit::corpora::Document;
use testkit::reference::{Fate, Item, Kind};

/// What the runs and the corpora are drawn from.
const SEEDS: [u64; 3] = [1, 2, 3];

/// Bytes for the stages with which these corpora spill.
const TINY: u64 = 30_000;

/// The least with which the longest text of the edges can be shingled.
const TINY_FOR_EDGES: u64 = 420_000;

/// A corpus in files: of `--against`, and three others.
struct Files<'a> {
    against: &'a [Line],
    parts: Vec<&'a [Line]>,
}

impl<'a> Files<'a> {
    fn new(lines: &'a [Line], row: &Row) -> Self {
        let protected = if row.get("against") == "none" { 0 } else { lines.len() / 4 };
        let (against, rest) = lines.split_at(protected);
        Self { against, parts: rest.chunks(rest.len().div_ceil(3)).collect() }
    }

    /// The documents in input order, with the number of their file; none for those of `--against`.
    fn documents(&self) -> impl Iterator<Item = (Option<usize>, &'a Document)> {
        let numbered = self.parts.iter().enumerate().map(|(number, lines)| (Some(number), *lines));
        std::iter::once((None, self.against)).chain(numbered).flat_map(|(number, lines)| {
            lines.iter().filter_map(move |line| match line {
                Line::Document(document) => Some((number, document)),
                Line::Bad(_) | Line::Blank => None,
            })
        })
    }

    fn items(&self, settings: &Settings) -> Vec<Item> {
        let place = |number: usize| {
            let named = |pattern: &String| pattern.contains(&format!("part-{number:03}"));
            settings.matching.prefer.iter().position(named).unwrap_or(settings.matching.prefer.len())
        };
        self.documents()
            .map(|(number, document)| Item {
                text: document.text.clone(),
                score: document.score.clone(),
                within: settings.matching.within.is_some().then(|| document.domain.clone()).flatten(),
                protected: number.is_none(),
                priority: number.map_or(0, place),
            })
            .collect()
    }
}

fn sources(folder: &Path, files: &[&[Line]]) -> Vec<Source> {
    discover(&lines::write(folder, files), &Discovery::default()).unwrap()
}

fn job(folder: &Path, files: &Files<'_>, settings: &Settings, row: &Row) -> Job {
    let against = match files.against {
        [] => Vec::new(),
        lines => sources(&folder.join("against"), &[lines]),
    };
    let threads = row.get("threads").parse().unwrap();
    let resources = Resources { memory: 1 << 30, threads, ..Resources::of_this_machine() };
    let sources = sources(&folder.join("in"), &files.parts);
    Job {
        sources,
        against,
        settings: settings.clone(),
        resources,
        sketch: None,
        indexes: crate::Indexes::default(),
    }
}

fn prepared<'a>(job: &'a Job, row: &Row) -> Prepared<'a> {
    let mut prepared = Prepared::new(job).unwrap();
    if row.get("memory") == "tiny" {
        let free = if row.get("corpus") == "edges" { TINY_FOR_EDGES } else { TINY };
        prepared.budget = prepared.budget.clone().with_free(free);
    }
    prepared
}

/// Runs dedup, and compares every file.
fn check_dedup(row: &Row, files: &Files<'_>, settings: &Settings) -> Report {
    let folder = tempfile::tempdir().unwrap();
    let job = job(folder.path(), files, settings, row);
    let out = folder.path().join("out");
    let target = Target::new(&out.display().to_string()).unwrap();
    let outcome = dedup_prepared(&prepared(&job, row), &target, &Silent);
    let Outcome::Finished(report) = outcome.unwrap_or_else(|error| panic!("{}: {error}", row.name())) else {
        panic!("it was finished before it began");
    };
    let alike = Alike::new(settings, files.items(settings));
    let fates = alike.fates();
    let documents: Vec<&Document> = files.documents().map(|(_, document)| document).collect();
    let removed = std::fs::read_to_string(out.join("removed.jsonl")).unwrap();
    let mut rows: BTreeMap<String, Value> = BTreeMap::new();
    for line in removed.lines() {
        let value: Value = serde_json::from_str(line).unwrap();
        let at = format!("{}:{}", value["source"].as_str().unwrap(), value["line"]);
        assert!(rows.insert(at, value).is_none(), "{}: {line} comes twice", row.name());
    }
    let mut at = documents.len() - files.parts.iter().map(|lines| count(lines)).sum::<usize>();
    for (lines, source) in files.parts.iter().zip(&job.sources) {
        let mut kept = Vec::new();
        for (number, line) in (1..).zip(lines.iter()) {
            let removed = rows.remove(&format!("{}:{number}", source.name));
            let what = || format!("{}: {line:?} is {removed:?}", row.name());
            let stays = match line {
                Line::Blank => continue,
                Line::Bad(_) if settings.files.on_bad_record == OnBadRecord::Keep => true,
                Line::Bad(_) => {
                    assert!(removed.as_ref().is_some_and(|row| row["kind"] == "bad"), "{}", what());
                    continue;
                }
                Line::Document(_) => {
                    let fate = fates[at];
                    if let Fate::Removed { kind, kept, similarity } = fate {
                        let found = removed.as_ref().unwrap_or_else(|| panic!("{} not {fate:?}", what()));
                        let wanted = Wanted { alike: &alike, at, kind, kept, similarity };
                        wanted.check(found, documents[kept], &what());
                    }
                    at += 1;
                    fate == Fate::Kept
                }
            };
            assert_eq!(stays, removed.is_none(), "{}", what());
            if stays {
                kept.extend(line.bytes());
            }
        }
        let written = std::fs::read(out.join(&source.output)).unwrap();
        assert!(written == kept, "{}: {} differs", row.name(), source.output);
    }
    assert!(rows.is_empty(), "{}: {rows:?}", row.name());
    report
}

fn count(lines: &[Line]) -> usize {
    lines.iter().filter(|line| matches!(line, Line::Document(_))).count()
}

/// What must be said of a removed document.
struct Wanted<'a> {
    alike: &'a Alike<'a>,
    at: usize,
    kind: Kind,
    kept: usize,
    similarity: f64,
}

impl Wanted<'_> {
    fn check(&self, row: &Value, kept: &Document, what: &str) {
        let settings = self.alike.settings();
        let exact = self.kind == Kind::Exact;
        assert_eq!(row["kind"], if exact { "exact" } else { "near" }, "{what}");
        assert_eq!(row["kept_id"], *kept.id, "{what}");
        let is_known = exact || settings.matching.verify == Verify::Exact;
        assert_eq!(row["similarity"].as_f64(), is_known.then_some(self.similarity), "{what}");
        let estimated = format!("estimated similarity {:.4}", self.similarity);
        let reason = match is_known {
            true => None,
            false if self.similarity.is_nan() => Some("not verified"),
            false => Some(estimated.as_str()),
        };
        assert_eq!(row["reason"].as_str(), reason, "{what}");
        if settings.signature.method == Method::Simhash {
            let distance = self.alike.distance(self.at, self.kept);
            assert_eq!(row["distance"].as_u64(), Some(u64::from(distance)), "{what}");
        }
    }
}

/// Asks for all pairs, and compares them.
fn check_pairs(row: &Row, files: &Files<'_>, settings: &Settings) -> Report {
    let folder = tempfile::tempdir().unwrap();
    let job = job(folder.path(), files, settings, row);
    let alike = Alike::new(settings, files.items(settings));
    let documents: Vec<&Document> = files.documents().map(|(_, document)| document).collect();
    let mut expected = alike.pairs().into_iter();
    let report = pairs_prepared(&prepared(&job, row), &Silent, &mut |pair| {
        let (a, b, similarity) = expected.next().unwrap_or_else(|| panic!("{}: {pair:?}", row.name()));
        assert_eq!([&pair.a.id, &pair.b.id], [&documents[a].id, &documents[b].id], "{}", row.name());
        let similarity = Some(similarity).filter(|similarity| !similarity.is_nan());
        assert_eq!(pair.similarity, similarity, "{} {pair:?}", row.name());
        if settings.signature.method == Method::Simhash {
            assert_eq!(pair.distance, Some(alike.distance(a, b)), "{} {pair:?}", row.name());
        }
        Ok(std::ops::ControlFlow::Continue(()))
    })
    .unwrap_or_else(|error| panic!("{}: {error}", row.name()));
    assert_eq!(expected.next(), None, "{}: it is missing", row.name());
    report
}

#[test]
fn every_option_with_every_other_one_is_as_defined() {
    let (mut near, mut exact, mut spilled) = (0, 0, 0);
    for seed in SEEDS {
        for row in sample::OPTIONS.rows(seed) {
            let lines = lines::lines(row.get("corpus"), seed);
            let (settings, files) = (expected::settings(&row), Files::new(&lines, &row));
            let report = match row.get("asks") {
                "pairs" => check_pairs(&row, &files, &settings),
                _ => check_dedup(&row, &files, &settings),
            };
            near += report.counts.near;
            exact += report.counts.exact;
            spilled += u64::from(report.run.spilled);
        }
    }
    assert!(near > 1_500 && exact > 300 && spilled > 5, "{near} near, {exact} exact, {spilled} spilled");
}
