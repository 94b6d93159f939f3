//! The estimated recall of runs on sets and on sampled fingerprints, against the truth by brute force; and what a hot item costs.

use super::kinds::{job_of, job_of_file, prints, settings};
use crate::report::Recall;
use crate::{BandsAndRows, Kind, Settings, Silent};
use lookalike::hashing::SplitMix64;
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::ops::ControlFlow;

/// The share of the true pairs that `pairs` finds, and what it says of that share.
fn measured(values: &[Value], settings: &Settings, all: usize) -> (f64, Recall) {
    let folder = tempfile::tempdir().unwrap();
    let job = job_of(folder.path(), values, settings, 2);
    let mut found = 0;
    let report = crate::pairs(&job, &Silent, &mut |_| {
        found += 1;
        Ok(ControlFlow::Continue(()))
    })
    .unwrap();
    (f64::from(found) / all as f64, report.recall.unwrap())
}

/// An estimate that is right is more than 3 standard errors off in one case of 370.
fn assert_right(what: &str, truth: f64, recall: Recall) {
    assert!(truth < 0.99, "{what}: {truth} leaves nothing to estimate");
    assert!(recall.standard_error > 0.0 && recall.standard_error < 0.1, "{what}: {recall:?}");
    let off = (recall.estimate - truth).abs() / recall.standard_error;
    assert!(off < 3.0, "{what}: found {truth}, estimated {recall:?}: {off} standard errors");
}

#[test]
fn the_recall_of_sampled_fingerprints_is_estimated_right() {
    for seed in 1..4 {
        let prints = prints(1_500, 32, 110, seed);
        let apart = |a: &[u8], b: &[u8]| a.iter().zip(b).map(|(a, b)| (a ^ b).count_ones()).sum::<u32>();
        let all = (0..prints.len())
            .flat_map(|b| (0..b).map(move |a| (a, b)))
            .filter(|&(a, b)| apart(&prints[a], &prints[b]) <= 80)
            .count();
        let hex = |print: &Vec<u8>| print.iter().map(|byte| format!("{byte:02x}")).collect::<String>();
        let values: Vec<Value> = prints.iter().map(|print| json!(hex(print))).collect();
        let settings = settings(Kind::Fingerprints).with_distance(80).with_recall(0.5);
        let (truth, recall) = measured(&values, &settings, all);
        assert_right(&format!("fingerprints, seed {seed}"), truth, recall);
    }
}

#[test]
fn the_recall_of_sets_is_estimated_right() {
    for seed in 1..4 {
        let mut random = SplitMix64::new(seed);
        let mut sets: Vec<BTreeSet<u64>> = Vec::new();
        for at in 0..1_200 {
            let mut set: BTreeSet<u64> = (0..150).map(|_| random.below(1 << 20)).collect();
            if at > 0 && random.below(2) == 0 {
                let other = &sets[random.below(at) as usize];
                let changed = random.below(60) as usize;
                set = other.iter().copied().skip(changed).chain(set.into_iter().take(changed)).collect();
            }
            sets.push(set);
        }
        let is_similar = |a: &BTreeSet<u64>, b: &BTreeSet<u64>| {
            let shared = a.intersection(b).count();
            shared as f64 / (a.len() + b.len() - shared) as f64 >= 0.6
        };
        let all = (0..sets.len())
            .flat_map(|b| (0..b).map(move |a| (a, b)))
            .filter(|&(a, b)| is_similar(&sets[a], &sets[b]))
            .count();
        let values: Vec<Value> = sets.iter().map(|set| json!(set)).collect();
        let bands = Some(BandsAndRows { bands: 4, rows: 6 });
        let (truth, recall) =
            measured(&values, &settings(Kind::Sets).with_threshold(0.6).with_bands(bands), all);
        assert_right(&format!("sets, seed {seed}"), truth, recall);
    }
}

#[test]
fn an_item_that_every_set_has_is_not_quadratic() {
    let (mut lines, mut random) = (String::new(), SplitMix64::new(1));
    let count = 200_000u64;
    for id in 0..count {
        let _ = write!(lines, "{{\"id\":{id},\"value\":[\"bag\"");
        for _ in 0..random.below(7) + 1 {
            let _ = write!(lines, ",{}", random.below(10_000_000));
        }
        lines.push_str("]}\n");
    }
    let folder = tempfile::tempdir().unwrap();
    let settings = settings(Kind::Sets).with_threshold(0.5);
    let job = job_of_file(folder.path(), "hot.jsonl", &lines, &settings, 2);
    let report = crate::pairs(&job, &Silent, &mut |_| Ok(ControlFlow::Continue(()))).unwrap();
    let pairs = report.run.pairs;
    // All pairs would be twenty thousand million.
    assert!(pairs.candidates < 10 * count && pairs.compared < 10 * count, "{pairs:?}");
    assert_eq!(report.counts.documents, count);
}
