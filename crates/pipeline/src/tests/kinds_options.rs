//! Sets and fingerprints with the options that every kind has, against the plain rule: a document is removed if it is similar to
//! a kept one before it, in keep order.

use super::kinds::{job_of_file, prints, settings};
use super::{framed_sets, job};
use crate::prepared::Prepared;
use crate::run::dedup_prepared;
use crate::{Clusters, Common, Job, Keep, Kind, Measure, Outcome, Settings, Silent};
use corpus::Target;
use lookalike::hashing::SplitMix64;
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

/// How a run is made: threads, and bytes for the stages.
const WAYS: [(usize, Option<u64>); 3] = [(1, None), (2, Some(1 << 18)), (7, None)];

/// A document: its value, the site it is of, and a number by which it may be kept.
struct Document {
    value: Value,
    site: u64,
    stars: u64,
}

fn line(id: usize, Document { value, site, stars }: &Document) -> String {
    format!("{}\n", json!({"id": id, "value": value, "site": site, "stars": stars}))
}

fn documents(values: Vec<Value>, seed: u64) -> Vec<Document> {
    let mut random = SplitMix64::new(seed);
    let document = |value| Document { value, site: random.below(3), stars: random.below(5) };
    values.into_iter().map(document).collect()
}

fn sets(seed: u64) -> (Vec<Document>, Settings) {
    let mut random = SplitMix64::new(seed);
    let mut sets: Vec<BTreeSet<u64>> = Vec::new();
    for at in 0..400 {
        let mut set: BTreeSet<u64> = (0..1 + random.below(7)).map(|_| random.below(300)).collect();
        if at > 0 && random.below(2) == 0 {
            set = sets[random.below(at) as usize].clone();
            set.insert(random.below(300));
        }
        sets.push(set);
    }
    (documents(sets.iter().map(|set| json!(set)).collect(), seed), settings(Kind::Sets).with_threshold(0.6))
}

fn fingerprints(seed: u64) -> (Vec<Document>, Settings) {
    let hex = |print: &Vec<u8>| json!(print.iter().map(|byte| format!("{byte:02x}")).collect::<String>());
    let values = prints(400, 8, 6, seed).iter().map(hex).collect();
    (documents(values, seed), settings(Kind::Fingerprints).with_distance(4))
}

/// True if two documents are similar, by definition.
fn is_similar(settings: &Settings, a: &Document, b: &Document) -> bool {
    let is_near = match (a.value.as_array(), b.value.as_array()) {
        (Some(of_a), Some(of_b)) => {
            let shared = of_a.iter().filter(|item| of_b.contains(item)).count();
            shared as f64 / (of_a.len() + of_b.len() - shared) as f64 >= settings.matching.threshold
        }
        _ => {
            let [a, b] = [a, b].map(|it| u64::from_str_radix(it.value.as_str().unwrap(), 16).unwrap());
            (a ^ b).count_ones() <= settings.matching.distance
        }
    };
    is_near && (settings.matching.within.is_none() || a.site == b.site)
}

/// The ids of the documents that are kept, by the plain rule. The first `protected` are those of `--against`.
fn expected(settings: &Settings, all: &[Document], protected: usize) -> BTreeSet<usize> {
    let mut order: Vec<usize> = (protected..all.len()).collect();
    if settings.matching.keep != Keep::First {
        order.sort_by_key(|&at| (std::cmp::Reverse(all[at].stars), at));
    }
    let similar = |a: usize, b: usize| is_similar(settings, &all[a], &all[b]);
    if settings.matching.clusters == Clusters::Components {
        let mut of: Vec<usize> = (0..all.len()).collect();
        for b in 0..all.len() {
            for a in (0..b).filter(|&a| similar(a, b)) {
                let (old, new) = (of[b], of[a]);
                of.iter_mut().filter(|it| **it == old).for_each(|it| *it = new);
            }
        }
        let mut seen = BTreeSet::new();
        return order.into_iter().filter(|&at| seen.insert(of[at])).collect();
    }
    let mut kept: Vec<usize> = (0..protected).collect();
    let first_own = protected;
    for at in order {
        let others = if settings.matching.against_only { &kept[..first_own] } else { &kept[..] };
        if !others.iter().any(|&other| similar(other, at)) {
            kept.push(at);
        }
    }
    kept[first_own..].iter().copied().collect()
}

/// What a run wrote to the output of its source.
fn written(job: &Job, free: Option<u64>, folder: &Path) -> Vec<Value> {
    let out = folder.join("out");
    let _ = std::fs::remove_dir_all(&out);
    let mut prepared = Prepared::new(job).unwrap();
    if let Some(free) = free {
        prepared.budget = prepared.budget.clone().with_free(free);
    }
    let target = Target::new(&out.display().to_string()).unwrap();
    let outcome = dedup_prepared(&prepared, &target, &Silent).unwrap();
    assert!(matches!(outcome, Outcome::Finished(_)));
    let text = std::fs::read_to_string(out.join(&job.sources[0].output)).unwrap();
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

fn ids(records: &[Value]) -> BTreeSet<usize> {
    records.iter().map(|record| record["id"].as_u64().unwrap() as usize).collect()
}

#[test]
fn every_option_follows_the_plain_rule() {
    let folder = tempfile::tempdir().unwrap();
    for (all, plain) in [sets(1), fingerprints(2)] {
        let components = plain.clone().with_clusters(Clusters::Components);
        let cases = [
            (plain.clone(), 0),
            (plain.clone(), 120),
            (plain.clone().with_against_only(true), 120),
            (plain.clone().with_within(Some("site".into())), 0),
            (plain.clone().with_keep(Keep::Max("stars".into())), 0),
            (plain.clone().with_within(Some("site".into())).with_keep(Keep::Max("stars".into())), 80),
            (components.clone(), 0),
            (components.with_keep(Keep::Max("stars".into())), 0),
        ];
        for (settings, protected) in cases {
            let expected = expected(&settings, &all, protected);
            let own = all.len() - protected;
            assert!(expected.len() > own / 5 && expected.len() < own, "{} of {own}", expected.len());
            let lines = |from: usize, to: usize| (from..to).map(|id| line(id, &all[id])).collect::<String>();
            let mut job = job_of_file(folder.path(), "own.jsonl", &lines(protected, all.len()), &settings, 1);
            if protected > 0 {
                let against = lines(0, protected);
                job.against = job_of_file(folder.path(), "against.jsonl", &against, &settings, 1).sources;
            }
            for (threads, free) in WAYS {
                job.resources.threads = threads;
                let kept = written(&job, free, folder.path());
                let what = (settings.signature.kind, &settings.matching, protected, threads, free);
                assert_eq!(ids(&kept), expected, "{what:?}");
            }
        }
    }
}

#[test]
fn annotated_records_say_what_would_be_removed() {
    let folder = tempfile::tempdir().unwrap();
    for (all, settings) in [sets(3), fingerprints(4)] {
        let kept = expected(&settings, &all, 0);
        let lines: String = all.iter().enumerate().map(|(id, document)| line(id, document)).collect();
        let job = job_of_file(folder.path(), "own.jsonl", &lines, &settings.with_annotate(true), 2);
        let records = written(&job, None, folder.path());
        assert_eq!(records.len(), all.len());
        for record in records {
            let id = record["id"].as_u64().unwrap() as usize;
            assert_eq!(record["lookalike_duplicate"], !kept.contains(&id), "{record}");
            assert_eq!(record["value"], all[id].value);
        }
    }
}

#[test]
fn survivors_of_framed_sets_follow_the_plain_rule_in_little_memory() {
    let folder = tempfile::tempdir().unwrap();
    let baskets = framed_sets::baskets(500, 7);
    let source = framed_sets::write(folder.path(), &baskets, |_| None);
    for settings in [
        framed_sets::settings(Measure::Jaccard).with_common(Some(Common::MoreThan(60))),
        framed_sets::settings(Measure::Jaccard).with_site_field(Some("site".into())),
    ] {
        let similar: BTreeMap<(usize, usize), f64> = framed_sets::expected(&baskets, &settings);
        let mut kept: BTreeSet<usize> = BTreeSet::new();
        for at in 0..baskets.len() {
            if !kept.iter().any(|&other| similar.contains_key(&(other, at))) {
                kept.insert(at);
            }
        }
        assert!(kept.len() > 100 && kept.len() < baskets.len() - 20, "{}", kept.len());
        for (threads, free) in WAYS {
            let job = job(&settings, vec![source.clone()], Vec::new(), threads);
            let records = written(&job, free, folder.path());
            let ids: BTreeSet<usize> =
                records.iter().map(|record| record["id"].as_str().unwrap().parse().unwrap()).collect();
            assert_eq!(ids, kept, "{threads} {free:?}");
        }
    }
}
