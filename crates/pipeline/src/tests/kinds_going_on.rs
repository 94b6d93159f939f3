//! Runs over every kind of document that are stopped anywhere, and go on: the outputs are those of a run that was not stopped.

use super::stops::{Answer, Asked, attempt};
use crate::{BandsAndRows, Common, Error, Find, Job, Kind, Measure, Outcome, Settings, Silent};
use corpus::{Discovery, Target, discover};
use lookalike::hashing::SplitMix64;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::Path;
use std::sync::atomic::Ordering;

/// The number of documents of a corpus.
const DOCUMENTS: u64 = 400;

/// Documents that look like an earlier one, half of them: each a value of the kind.
fn values(kind: Kind, seed: u64) -> Vec<Value> {
    let mut random = SplitMix64::new(seed);
    let mut values: Vec<Vec<u64>> = Vec::new();
    for at in 0..DOCUMENTS {
        let mut value: Vec<u64> = (0..16).map(|_| random.below(256)).collect();
        if at > 0 && random.below(2) == 0 {
            value = values[random.below(at) as usize].clone();
            value[random.below(16) as usize] ^= 1;
        }
        values.push(value);
    }
    let made = |value: &Vec<u64>| match kind {
        Kind::Sets | Kind::Vectors => json!(value),
        Kind::Fingerprints => json!(value.iter().map(|byte| format!("{byte:02x}")).collect::<String>()),
        _ => {
            let frame = (0..30).fold(String::new(), |frame, at| frame + &format!("frame{at} "));
            json!(value.iter().fold(frame, |text, word| text + &format!("word{word} and{} ", word / 7)))
        }
    };
    values.iter().map(made).collect()
}

/// The kinds, with whether rows of (set, item) are gathered first.
fn ways() -> Vec<(&'static str, Settings, bool)> {
    let of =
        |kind: Kind| Settings::default().with_kind(kind).with_threshold(0.8).with_id_field(Some("id".into()));
    vec![
        ("sets", of(Kind::Sets), false),
        ("contained sets", of(Kind::Sets).with_measure(Measure::Containment), false),
        ("rows", of(Kind::Sets).with_set_of(Some("id".into())), true),
        ("fingerprints", of(Kind::Fingerprints).with_bits(Some(128)).with_distance(3), false),
        ("vectors", of(Kind::Vectors).with_measure(Measure::Cosine).with_threshold(0.9999), false),
        (
            "vectors by bands",
            of(Kind::Vectors)
                .with_measure(Measure::Cosine)
                .with_threshold(0.9999)
                .with_find(Find::Bands)
                .with_bands(Some(BandsAndRows { bands: 12, rows: 6 })),
            false,
        ),
        ("framed sets", of(Kind::Sets).with_common(Some(Common::MoreThan(30))).with_threshold(0.6), false),
        ("frames", of(Kind::Text).with_common(Some(Common::MoreThan(50))).with_threshold(0.5), false),
    ]
}

fn job_of(folder: &Path, settings: &Settings, rows: bool) -> Job {
    let mut lines = String::new();
    for (id, value) in values(settings.signature.kind, 3).iter().enumerate() {
        match rows {
            false => {
                let _ = writeln!(lines, "{}", json!({"id": id.to_string(), "text": value}));
            }
            true => value.as_array().into_iter().flatten().for_each(|item| {
                let _ = writeln!(lines, "{}", json!({"id": id.to_string(), "text": item}));
            }),
        }
    }
    let path = folder.join("in.jsonl");
    std::fs::write(&path, lines).unwrap();
    super::job(settings, discover(&[path], &Discovery::default()).unwrap(), Vec::new(), 2)
}

fn outputs(out: &Path) -> BTreeMap<String, Vec<u8>> {
    let files = std::fs::read_dir(out).unwrap().map(|entry| entry.unwrap().path());
    let written = files.filter(|path| path.is_file() && !path.ends_with("report.json"));
    written.map(|path| (path.display().to_string(), std::fs::read(path).unwrap())).collect()
}

#[test]
fn every_kind_goes_on_wherever_it_was_stopped() {
    for (name, settings, rows) in ways() {
        for free in [None, Some(150_000)] {
            let folder = tempfile::tempdir().unwrap();
            let out = folder.path().join("out");
            let mut job = job_of(folder.path(), &settings, rows);
            let held = crate::gather_rows(&mut job).unwrap();
            let counted = Asked::new(u64::MAX, Answer::Stop);
            attempt(&job, free, false, folder.path(), &counted).unwrap();
            let wanted = outputs(&out);
            let removed = String::from_utf8_lossy(&wanted[&out.join("removed.jsonl").display().to_string()])
                .lines()
                .count();
            assert!((20..DOCUMENTS as usize).contains(&removed), "{name}: {removed} are removed");
            std::fs::remove_dir_all(&out).unwrap();
            let all = counted.questions.load(Ordering::Relaxed);
            drop(held);
            for last in (0..all).step_by(all as usize / 6 + 1) {
                // Rows are gathered again by every run.
                let mut job = job_of(folder.path(), &settings, rows);
                let held = crate::gather_rows(&mut job).unwrap();
                let stopped = attempt(&job, free, false, folder.path(), &Asked::new(last, Answer::Stop));
                assert!(matches!(stopped, Err(Error::Interrupted)), "{name}, {last} of {all}: {stopped:?}");
                drop(held);
                let mut job = job_of(folder.path(), &settings, rows);
                let _held = crate::gather_rows(&mut job).unwrap();
                let target = Target::new(&out.display().to_string()).unwrap();
                let outcome = crate::dedup(&job, &target, false, &Silent).unwrap();
                assert!(matches!(outcome, Outcome::Finished(_)));
                assert!(outputs(&out) == wanted, "{name}, {free:?}: stopped at {last} of {all}");
                std::fs::remove_dir_all(&out).unwrap();
            }
        }
    }
}
