use std::ops::Range;

use super::{incompatible, rejected};
use crate::banding::plan;
use crate::hashing::SplitMix64;
use crate::index::{ContainmentMatch, EnsembleConfig, LshEnsemble};
use crate::minhash::{Family, FastSketch, MultiplyShift, Signature};
use crate::statistics::sketch;

const HASHES: usize = 96;
const QUERY_SIZE: usize = 60;
/// The elements of the query.
const QUERY: Range<u64> = 0..QUERY_SIZE as u64;

/// A query and documents that contain a known share of it, in sizes from the query's own to twenty times that.
struct Collection {
    hasher: FastSketch,
    /// (id, size, signature). Each document has `shared[id]` of the query's elements.
    documents: Vec<(u64, usize, Signature)>,
    shared: Vec<u64>,
}

fn collection(seed: u64, count: u64) -> Collection {
    let hasher = FastSketch::new(HASHES, seed).unwrap();
    let mut random = SplitMix64::new(seed);
    let (mut documents, mut shared) = (Vec::new(), Vec::new());
    for id in 0..count {
        // Half of the documents have containment 0.8 exactly, the others any containment. Sizes follow a power law.
        let part = if id % 2 == 0 { 48 } else { random.below(QUERY.end + 1) };
        let size = (48.0 / (1.0 - 0.96 * random.next_f64())) as u64;
        let size = size.max(part);
        let own = (0..size - part).map(|x| ((id + 1) << 32) + x);
        documents.push((id, size as usize, sketch(&hasher, (0..part).chain(own))));
        shared.push(part);
    }
    Collection { hasher, documents, shared }
}

fn found(matches: &[ContainmentMatch], id: u64) -> bool {
    matches.iter().any(|found| found.id == id)
}

/// Documents at the threshold itself are the hardest: 300 of them, missed with probability at most delta = 0.1. One
/// query has one set of hash values, so misses are correlated. 20 collections with their own hash functions, of 30
/// documents each (15 at the threshold), are nearly independent. 4.5 standard errors of 300 coins are 0.078.
#[test]
fn the_recall_is_as_promised() {
    let (mut at_threshold, mut caught) = (0_u32, 0_u32);
    let (mut pairs, mut returned) = (0, 0);
    for seed in 0..20 {
        let Collection { hasher, documents, shared } = collection(seed, 30);
        let config = EnsembleConfig { partitions: 4, delta: 0.1 };
        let ensemble =
            LshEnsemble::build(documents.iter().map(|(id, size, s)| (*id, *size, s)), config).unwrap();
        let matches = ensemble.query(&sketch(&hasher, QUERY), QUERY_SIZE, 0.8).unwrap();
        for id in 0..30 {
            if shared[id as usize] >= 48 {
                at_threshold += 1;
                caught += u32::from(found(&matches, id));
            }
        }
        pairs += 30;
        returned += matches.len();
    }
    assert!(at_threshold >= 300);
    let recall = f64::from(caught) / f64::from(at_threshold);
    assert!(recall >= 0.9 - 0.078, "{recall}");
    assert!(returned < pairs, "everything was returned: the index does not select");
}

/// When all documents of a partition have one size, the converted threshold is exact, and the share found is that
/// of the planned curve: 400 documents at the threshold, each with its own hash functions; 4.5 standard errors
/// (0.07), false alarms 7e-6.
#[test]
fn the_planned_bands_are_those_searched() {
    let similarity = 0.8 / (2.0 + 1.0 - 0.8);
    let planned = plan::by_recall(32, similarity, 0.8).unwrap().recall;
    let config = EnsembleConfig { partitions: 1, delta: 0.2 };
    let caught = (0..400_u64)
        .filter(|&seed| {
            let hasher = MultiplyShift::new(32, seed).unwrap();
            let document = sketch(&hasher, (0..48).chain(1000..1072));
            let ensemble = LshEnsemble::build([(seed, 120, document)], config).unwrap();
            found(&ensemble.query(&sketch(&hasher, 0..60), 60, 0.8).unwrap(), seed)
        })
        .count();
    let observed = caught as f64 / 400.0;
    assert!(planned < 0.95, "{planned} leaves nothing to see");
    assert!(
        (observed - planned).abs() < 4.5 * (planned * (1.0 - planned) / 400.0).sqrt(),
        "{observed}, {planned}"
    );
}

/// The delta cannot be reached, so all documents are compared and only the filter decides. It loses a document at the
/// threshold with probability at most 1e-6 (400 of them: false alarms 4e-4) and drops a document that agrees nowhere.
#[test]
fn the_filter_loses_nothing_at_the_threshold() {
    let config = EnsembleConfig { partitions: 1, delta: 1e-9 };
    for seed in 0..400 {
        let hasher = FastSketch::new(32, seed).unwrap();
        let documents =
            [(0, 120, sketch(&hasher, (0..48).chain(1000..1072))), (1, 120, sketch(&hasher, 2000..2120))];
        let ensemble = LshEnsemble::build(documents, config).unwrap();
        let matches = ensemble.query(&sketch(&hasher, 0..60), 60, 0.8).unwrap();
        assert!(found(&matches, 0) && !found(&matches, 1), "seed {seed}: {matches:?}");
    }
}

/// Unrelated documents are not compared, because the converted thresholds are strict enough to skip them.
#[test]
fn unrelated_documents_are_not_returned() {
    let hasher = FastSketch::new(HASHES, 3).unwrap();
    let documents = (0..400_u64).map(|id| {
        let size = 40 + id % 100;
        (id, size as usize, sketch(&hasher, (0..size).map(|x| ((id + 1) << 32) + x)))
    });
    let ensemble = LshEnsemble::build(documents, EnsembleConfig::default()).unwrap();
    assert_eq!(ensemble.len(), 400);
    let matches = ensemble.query(&sketch(&hasher, QUERY), QUERY_SIZE, 0.8).unwrap();
    assert_eq!(matches, []);
}

/// The estimate is within 5 standard errors (plus the resolution of one slot) of the truth: 600 documents, false
/// alarms 3e-4 if the errors were normal.
#[test]
fn estimates_are_near_the_truth_and_sorted() {
    for seed in 0..10 {
        let Collection { hasher, documents, shared } = collection(100 + seed, 60);
        let ensemble = LshEnsemble::build(documents, EnsembleConfig::default()).unwrap();
        let matches = ensemble.query(&sketch(&hasher, QUERY), QUERY_SIZE, 0.3).unwrap();
        for m in &matches {
            let truth = shared[m.id as usize] as f64 / QUERY_SIZE as f64;
            let slot = (1.0 + m.size as f64 / QUERY_SIZE as f64) / HASHES as f64;
            let bound = 5.0 * m.standard_error + slot;
            assert!((m.containment - truth).abs() <= bound, "{m:?} against {truth}");
        }
        let in_order = |pair: &[ContainmentMatch]| {
            pair[0].containment > pair[1].containment
                || (pair[0].containment == pair[1].containment && pair[0].id < pair[1].id)
        };
        assert!(!matches.is_empty() && matches.windows(2).all(in_order));
    }
}

/// Identical sets and supersets are always found, whatever the number of partitions. Sets that are too small never
/// are.
#[test]
fn certain_cases() {
    let hasher = FastSketch::new(HASHES, 8).unwrap();
    let documents = [
        ("same", QUERY_SIZE, sketch(&hasher, QUERY)),
        ("half", QUERY_SIZE / 2, sketch(&hasher, 0..QUERY.end / 2)),
        ("empty", 0, sketch(&hasher, [])),
        // The document is so large that no banding reaches the recall, so the whole partition is compared.
        ("huge", 100_000, sketch(&hasher, 0..100_000)),
    ];
    for partitions in [1, 2, 4, 100] {
        let config = EnsembleConfig { partitions, ..EnsembleConfig::default() };
        let ensemble = LshEnsemble::build(documents.clone(), config).unwrap();
        let matches = ensemble.query(&documents[0].2, QUERY_SIZE, 1.0).unwrap();
        let ids: Vec<_> = matches.iter().map(|m| m.id).collect();
        assert!(ids.contains(&"same") && ids.contains(&"huge"), "{ids:?}");
        assert!(!ids.contains(&"half") && !ids.contains(&"empty"), "{ids:?}");
        let matches = ensemble.query(&documents[0].2, QUERY_SIZE, 0.5).unwrap();
        assert!(matches.iter().any(|m| m.id == "half" && m.containment <= 0.5));
    }
}

#[test]
fn what_does_not_fit_is_rejected() {
    let signature = |hashes: usize| Signature::from_slots(Family::MultiplyShift, 1, vec![7; hashes]).unwrap();
    let build = |documents: Vec<(u64, usize, Signature)>, partitions, delta| {
        LshEnsemble::build(documents, EnsembleConfig { partitions, delta })
    };
    for delta in [f64::NAN, 0.0, 1.0] {
        rejected(build(vec![], 4, delta));
    }
    rejected(build(vec![], 0, 0.1));
    rejected(build(vec![(1, 5, signature(8)), (1, 6, signature(8))], 1, 0.1));
    incompatible(build(vec![(1, 5, signature(8)), (2, 6, signature(9))], 1, 0.1));
    let empty = build(vec![], 4, 0.1).unwrap();
    assert!(empty.is_empty() && empty.query(&signature(8), 3, 0.5).unwrap().is_empty());
    let ensemble = build(vec![(1, 5, signature(8))], 4, 0.1).unwrap();
    for threshold in [f64::NAN, 0.0, -0.5, 1.5] {
        rejected(ensemble.query(&signature(8), 5, threshold));
    }
    rejected(ensemble.query(&signature(8), 0, 0.5));
    incompatible(ensemble.query(&signature(9), 5, 0.5));
    assert_eq!(ensemble.query(&signature(8), 5, 0.5).unwrap()[0].containment, 1.0);
}
