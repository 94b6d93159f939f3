//! Answers are those of the plain definition; bytes do not depend on threads, memory or file splits.

use super::{How, Result, job, run, sources_of};
use crate::ask::pairs_prepared;
use crate::prepared::Prepared;
use crate::{BandsAndRows, Clusters, Elements, Keep, Measure, Settings, Silent};
use std::collections::BTreeMap;
use testkit::corpora::{
    Document, Planted, Score, edge_documents, near_copies, slotted, templated, with_footer,
};
use testkit::oracle::Shingles;
use testkit::reference::{self, Fate, Item, Kind, Lanes, Rules, lane_of};

/// Ways to run that must all give the same bytes, with the file split of the first.
const WAYS: [How; 5] = [
    How { threads: 2, free: None, split: usize::MAX },
    How { threads: 7, free: None, split: 150 },
    How { threads: 1, free: Some(420_000), split: 37 },
    How { threads: 2, free: Some(600_000), split: usize::MAX },
    How { threads: 7, free: Some(1_000_000), split: 400 },
];

fn settings() -> Settings {
    Settings::default().with_id_field(Some("id".into()))
}

/// Documents of all kinds: planted near-duplicates, look-alikes of one template, and the edges.
fn corpus(seed: u64) -> Vec<Document> {
    let mut documents =
        Planted { documents: 300, bytes: (150, 4_000), near: 0.45, copies: 0.1, seed, ..Planted::default() }
            .collect();
    let renamed = |prefix: &'static str| {
        move |(at, document): (usize, Document)| Document { id: format!("{prefix}-{at}"), ..document }
    };
    documents.extend(near_copies(60, 600, seed).enumerate().map(renamed("hot")));
    documents.extend(templated(60, 600, 0.6, seed).enumerate().map(renamed("template")));
    documents.extend(slotted(80, 6, 3, 9, seed).enumerate().map(renamed("slotted")));
    documents.extend(with_footer(40, 40, 40, seed).enumerate().map(renamed("footed")));
    documents.extend(edge_documents().into_iter().enumerate().map(renamed("edge")));
    // The edges twice: copies of every kind.
    documents.extend(edge_documents().into_iter().enumerate().map(renamed("edge-again")));
    for (at, document) in documents.iter_mut().enumerate() {
        document.score = (at % 5 != 0).then_some(Score::Number(((at * 7919) % 13) as f64 - 6.0));
        document.domain = (at % 11 != 0).then(|| format!("domain-{}", at % 3));
    }
    documents
}

fn items(documents: &[Document], protected: usize, within: bool) -> Vec<Item> {
    documents
        .iter()
        .enumerate()
        .map(|(at, document)| Item {
            text: document.text.clone(),
            score: document.score.clone(),
            within: within.then(|| document.domain.clone()).flatten(),
            protected: at < protected,
            priority: 0,
        })
        .collect()
}

/// The settings in the words of the plain definition.
pub(super) fn rules(settings: &Settings) -> Rules {
    let recipe = crate::method::Recipe::new(settings).unwrap();
    let plan = &recipe.plan;
    Rules {
        shingles: Shingles::Words(5),
        bag: settings.signature.elements == Elements::Bag,
        hashes: settings.signature.hashes,
        seed: settings.signature.seed,
        bands: plan.bands,
        rows: plan.rows,
        short: recipe.method.short().map(crate::method::short::Short::most_elements),
        measure: match settings.signature.measure {
            Measure::Containment => reference::Measure::Containment,
            _ => reference::Measure::Jaccard,
        },
        threshold: settings.matching.threshold,
        keep: match settings.matching.keep {
            // Records alone are kept by how full they are.
            Keep::First | Keep::Fullest => reference::Keep::First,
            Keep::Longest => reference::Keep::Longest,
            Keep::Max(_) => reference::Keep::Max,
            Keep::Min(_) => reference::Keep::Min,
        },
        against_only: settings.matching.against_only,
        max_text: settings.files.max_text as usize,
    }
}

/// Pairs that share a sampled shingle, and enough of them: the candidates of containment.
fn share_samples(items: &[Item], settings: &Settings) -> impl Fn(usize, usize) -> bool {
    let recipe = crate::method::Recipe::new(settings).unwrap();
    let samples: Vec<Vec<u64>> = items
        .iter()
        .map(|item| {
            crate::method::samples::sampled(
                recipe.shingler.set(&item.text).as_slice(),
                crate::SAMPLED_ONE_IN,
                [0; 2],
            )
            .collect()
        })
        .collect();
    move |a, b| samples[a].iter().any(|sample| samples[b].contains(sample))
}

fn check(documents: &[Document], protected: usize, settings: &Settings, result: &Result) {
    let items = items(documents, protected, settings.matching.within.is_some());
    let rules = rules(settings);
    let fates = if settings.signature.measure == Measure::Containment {
        reference::decide(&items, &rules, &share_samples(&items, settings)).unwrap()
    } else {
        let lanes = Lanes::new(&items, &rules, lane_of).unwrap();
        reference::decide(&items, &rules, &|a, b| lanes.are_candidates(a, b)).unwrap()
    };
    let mut kept = Vec::new();
    for (document, fate) in documents.iter().zip(&fates).skip(protected) {
        let row = result.removed.get(&document.id);
        match *fate {
            Fate::Kept => {
                assert!(row.is_none(), "{} is kept, not {row:?}", document.id);
                kept.push(document.id.clone());
            }
            Fate::Removed { kind, kept, similarity } => {
                let row =
                    row.unwrap_or_else(|| panic!("{} goes: {fate:?} {}", document.id, documents[kept].id));
                assert_eq!(row["kept_id"], documents[kept].id, "{row}");
                assert_eq!(row["kind"], if kind == Kind::Exact { "exact" } else { "near" }, "{row}");
                assert_eq!(row["similarity"].as_f64(), Some(similarity), "{row}");
            }
        }
    }
    assert_eq!(result.kept, kept);
    assert_eq!(result.removed.len() + result.kept.len(), documents.len() - protected);
}

/// Everything but source and line, which depend on the split.
fn without_places(result: &Result) -> (BTreeMap<String, serde_json::Value>, Vec<String>, String) {
    let mut removed = result.removed.clone();
    for row in removed.values_mut() {
        for place in ["source", "line", "kept_source", "kept_line"] {
            row.as_object_mut().unwrap().remove(place);
        }
    }
    let report = crate::Report { sources: Vec::new(), ..result.report.clone() };
    (removed, result.kept.clone(), serde_json::to_string(&report).unwrap())
}

fn check_all_ways(documents: &[Document], protected: usize, settings: &Settings) {
    let plain = run(documents, protected, settings, How::PLAIN);
    check(documents, protected, settings, &plain);
    for how in WAYS {
        let other = run(documents, protected, settings, how);
        assert_eq!(without_places(&plain), without_places(&other), "{how:?} {settings:?}");
        if how.split == usize::MAX {
            assert!(plain.bytes == other.bytes, "{how:?} {settings:?}");
            assert_eq!(plain.report, other.report, "{how:?}");
        }
    }
}

#[test]
fn keep_policies_and_thresholds() {
    let documents = corpus(1);
    for keep in ["first", "longest", "max:score", "min:score"] {
        check_all_ways(&documents, 0, &settings().with_keep(keep.parse().unwrap()));
    }
    for (seed, threshold) in [(2, 0.3), (3, 0.5), (4, 0.95), (5, 1.0)] {
        check_all_ways(&corpus(seed), 0, &settings().with_threshold(threshold));
    }
}

/// Values that a comparison of numbers as floats, or of the first bytes of texts, would take for equal.
#[test]
fn keep_policies_compare_values_exactly() {
    let scores: [&dyn Fn(usize) -> Score; 4] = [
        &|at| Score::Integer((1 << 53) + (at % 3) as i128),
        &|at| Score::Text(format!("2024-05-{:02}T{:02}", at % 7 + 1, at % 5)),
        &|at| Score::Text("same beginning of every value ".repeat(at % 3 + 1) + ["", "a", "b"][at % 2]),
        &|at| match at % 5 {
            0 => Score::Boolean(at % 2 == 0),
            1 => Score::Integer(i128::from(u64::MAX) + (at % 3) as i128),
            2 => Score::Number(at as f64 / 8.0),
            3 => Score::Integer(-(1 << 60) - (at % 3) as i128),
            _ => Score::Text(format!("value {at}")),
        },
    ];
    for score in scores {
        let mut documents = corpus(10);
        for (at, document) in documents.iter_mut().enumerate() {
            document.score = (at % 11 != 0).then(|| score(at * 7919 % 1009));
        }
        for keep in ["max:score", "min:score"] {
            check_all_ways(&documents, 0, &settings().with_keep(keep.parse().unwrap()));
        }
    }
}

#[test]
fn against_and_within() {
    let documents = corpus(6);
    check_all_ways(&documents, 150, &settings());
    check_all_ways(&documents, 150, &settings().with_against_only(true).with_keep(Keep::Longest));
    check_all_ways(&documents, 0, &settings().with_within(Some("domain".into())));
}

/// A connected set that does not fit is decided piece by piece: a document that an earlier piece kept removes others only
/// if it would have done so in one piece.
#[test]
fn against_only_where_a_connected_set_does_not_fit() {
    let renamed = |prefix: &'static str| {
        move |(at, document): (usize, Document)| Document { id: format!("{prefix}-{at}"), ..document }
    };
    let mut documents: Vec<Document> =
        near_copies(20, 900, 21).enumerate().map(renamed("protected")).collect();
    documents.extend(near_copies(500, 900, 22).enumerate().map(renamed("alike")));
    documents.extend(near_copies(300, 900, 21).enumerate().map(renamed("like the protected")));
    for clusters in [Clusters::Stars, Clusters::Components] {
        let settings = settings().with_against_only(true).with_clusters(clusters);
        let plain = run(&documents, 20, &settings, How::PLAIN);
        assert!(plain.kept.len() >= 500 && plain.removed.len() >= 200, "{}", plain.kept.len());
        if clusters == Clusters::Stars {
            check(&documents, 20, &settings, &plain);
        }
        for how in WAYS {
            let other = run(&documents, 20, &settings, how);
            assert_eq!(without_places(&plain), without_places(&other), "{how:?}");
        }
    }
}

#[test]
fn measures_and_elements() {
    let documents = corpus(7);
    check_all_ways(&documents, 0, &settings().with_measure(Measure::Containment));
    check_all_ways(&documents, 100, &settings().with_measure(Measure::Containment).with_threshold(0.6));
    check_all_ways(&documents, 0, &settings().with_elements(Elements::Bag));
    let bands = Some(BandsAndRows { bands: 10, rows: 3 });
    check_all_ways(&documents, 0, &settings().with_bands(bands).with_hashes(64).with_seed(5));
    check_all_ways(&documents, 0, &settings().with_max_text(700));
}

#[test]
fn components_are_those_of_the_plain_definition() {
    let documents = corpus(8);
    let settings = settings().with_clusters(Clusters::Components).with_keep(Keep::Longest);
    let items = items(&documents, 0, false);
    let rules = rules(&settings);
    let lanes = Lanes::new(&items, &rules, lane_of).unwrap();
    let first = reference::components(&items, &rules, &|a, b| lanes.are_candidates(a, b)).unwrap();
    let plain = run(&documents, 0, &settings, How::PLAIN);
    for (at, document) in documents.iter().enumerate() {
        let kept = plain.removed.get(&document.id).map_or(&document.id, |row| match &row["kept_id"] {
            serde_json::Value::String(id) => id,
            other => panic!("{other}"),
        });
        assert_eq!(*kept, documents[first[at]].id, "{}", document.id);
    }
    for how in WAYS {
        let other = run(&documents, 0, &settings, how);
        assert_eq!(without_places(&plain), without_places(&other), "{how:?}");
    }
}

#[test]
fn pairs_are_those_of_the_plain_definition() {
    let documents = corpus(9);
    for settings in
        [settings(), settings().with_threshold(0.5), settings().with_measure(Measure::Containment)]
    {
        check_pairs(&documents, 0, &settings);
    }
}

/// Texts that are in both, in one alone, twice in one: pairs within `--against` are not asked for, but a text of it may have
/// a copy that is.
#[test]
fn pairs_with_against_are_those_that_are_asked_for() {
    let mut documents = corpus(12);
    documents.rotate_left(40);
    for (at, from) in (0..180).step_by(3).zip((180..).step_by(2)) {
        documents[from].text = documents[at].text.clone();
    }
    for settings in [
        settings(),
        settings().with_against_only(true),
        settings().with_measure(Measure::Containment),
        settings().with_measure(Measure::Containment).with_against_only(true),
    ] {
        check_pairs(&documents, 180, &settings);
    }
}

fn check_pairs(documents: &[Document], protected: usize, settings: &Settings) {
    let items = items(documents, protected, false);
    let rules = rules(settings);
    let lanes = Lanes::new(&items, &rules, lane_of).unwrap();
    let samples = share_samples(&items, settings);
    let candidates = |a, b| match settings.signature.measure {
        Measure::Containment => samples(a, b),
        _ => lanes.are_candidates(a, b),
    };
    let is_asked_for = |a: usize, b: usize| match (a < protected, b < protected) {
        (true, true) => false,
        (false, false) => !settings.matching.against_only,
        _ => true,
    };
    let expected: Vec<(String, String, f64)> = reference::verified_pairs(&items, &rules, &candidates)
        .unwrap()
        .into_iter()
        .filter(|&(a, b, _)| is_asked_for(a, b))
        .map(|(a, b, similarity)| (documents[a].id.clone(), documents[b].id.clone(), similarity))
        .collect();
    assert!(expected.len() > 50, "{}", expected.len());
    for how in [How::PLAIN, WAYS[1], WAYS[2], WAYS[3]] {
        let folder = tempfile::tempdir().unwrap();
        let against = match protected {
            0 => Vec::new(),
            _ => sources_of(&folder.path().join("against"), &documents[..protected], how.split),
        };
        let sources = sources_of(&folder.path().join("in"), &documents[protected..], how.split);
        let mut job = job(settings, sources, against, how.threads);
        for max_pairs in [None, Some(7)] {
            job.resources.max_pairs = max_pairs;
            let mut prepared = Prepared::new(&job).unwrap();
            if let Some(free) = how.free {
                prepared.budget = prepared.budget.clone().with_free(free);
            }
            let mut found = Vec::new();
            let report = pairs_prepared(&prepared, &Silent, &mut |pair| {
                found.push((pair.a.id, pair.b.id, pair.similarity.unwrap()));
                Ok(std::ops::ControlFlow::Continue(()))
            })
            .unwrap();
            let given = max_pairs.map_or(expected.len(), |most| most as usize);
            assert_eq!(found.len(), given, "{how:?}");
            for (found, expected) in found.iter().zip(&expected) {
                assert_eq!(found, expected, "{how:?}");
            }
            let left_out = report.capped.values().sum::<u64>() as usize;
            assert_eq!(left_out, expected.len() - given, "{how:?}");
        }
    }
}
