//! Vectors against brute force, for both measures, any number of threads, and little memory.

use super::job;
use crate::ask::pairs_prepared;
use crate::prepared::Prepared;
use crate::{Clusters, Job, Kind, Measure, Settings, Silent};
use corpus::{Discovery, Source, discover};
use lookalike::hashing::SplitMix64;
use lookalike::vectors::Nearness;
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::ops::ControlFlow;
use std::path::Path;

/// A vector with a value of `--within`.
pub(super) type Row = (Vec<f32>, u8);

/// Vectors around a few centres, with scaled ones, copies, and zero vectors.
pub(super) fn rows(count: usize, seed: u64) -> Vec<Row> {
    const DIMENSION: usize = 10;
    let mut random = SplitMix64::new(seed);
    let mut normal = move || random.next_normal_pair().0 as f32;
    let centres: Vec<Vec<f32>> = (0..9).map(|_| (0..DIMENSION).map(|_| normal()).collect()).collect();
    let mut rows: Vec<Row> = Vec::new();
    for i in 0..count {
        let vector = match i % 13 {
            11 => vec![0.0; DIMENSION],
            12 => rows[i / 2].0.clone(),
            _ => {
                let spread = [0.0, 0.1, 0.3, 0.6, 1.5][i % 5];
                let length = [1.0, 1.0, 2.0, 1.1][i % 4];
                centres[i % 9].iter().map(|x| (x + spread * normal()) * length).collect()
            }
        };
        rows.push((vector, (i % 7 / 4) as u8));
    }
    rows
}

/// Vectors in all directions of space: most of them are near to some that are not near to each other.
fn directions(count: usize, seed: u64) -> Vec<Row> {
    let mut random = SplitMix64::new(seed);
    let mut normal = move || random.next_normal_pair().0 as f32;
    (0..count).map(|_| ((0..3).map(|_| normal()).collect(), 0)).collect()
}

pub(super) fn write(folder: &Path, name: &str, rows: &[Row], first: usize) -> Source {
    let mut text = String::new();
    for (i, (vector, within)) in rows.iter().enumerate() {
        let _ = writeln!(text, "{{\"id\":\"{}\",\"v\":{vector:?},\"site\":\"{within}\"}}", first + i);
    }
    let path = folder.join(name);
    std::fs::write(&path, text).unwrap();
    discover(&[path], &Discovery::default()).unwrap().remove(0)
}

pub(super) fn settings(measure: Measure) -> Settings {
    let settings = Settings::default()
        .with_kind(Kind::Vectors)
        .with_text_field("v".into())
        .with_id_field(Some("id".into()))
        .with_measure(measure)
        .with_threshold(0.9);
    if measure == Measure::Euclidean { settings.with_radius(Some(0.9)) } else { settings }
}

pub(super) fn nearness(settings: &Settings) -> Nearness {
    crate::method::vectors::nearness(settings).unwrap()
}

/// The similarity of two rows, if they are near: by the plain definition.
pub(super) fn similarity(settings: &Settings, a: &Row, b: &Row) -> Option<f64> {
    if settings.matching.within.is_some() && a.1 != b.1 {
        return None;
    }
    if a.0 == b.0 {
        return Some(1.0);
    }
    let near = nearness(settings);
    let value = near.value(&a.0, &b.0);
    near.is_near(value).then(|| if near.is_cosine() { value } else { 1.0 / (1.0 + value) })
}

pub(super) const WAYS: [(usize, Option<u64>); 4] = [(1, None), (2, None), (7, None), (2, Some(300_000))];

pub(super) fn prepared(job: &Job, free: Option<u64>) -> Prepared<'_> {
    let mut prepared = Prepared::new(job).unwrap();
    if let Some(free) = free {
        prepared.budget = prepared.budget.clone().with_free(free);
    }
    prepared
}

#[test]
fn pairs_are_those_of_brute_force() {
    let folder = tempfile::tempdir().unwrap();
    for (seed, measure) in [(1, Measure::Cosine), (2, Measure::Euclidean)] {
        let all = rows(420, seed);
        for (within, protected, against_only) in
            [(None, 0, false), (Some("site".to_owned()), 0, false), (None, 90, false), (None, 90, true)]
        {
            let settings = settings(measure).with_within(within).with_against_only(against_only);
            let mut expected = BTreeMap::new();
            for b in 0..all.len() {
                for a in 0..b {
                    let asked = if against_only { a < protected && b >= protected } else { b >= protected };
                    if let Some(similarity) = similarity(&settings, &all[a], &all[b]).filter(|_| asked) {
                        expected.insert((a, b), similarity);
                    }
                }
            }
            assert!(expected.len() > 200);
            let against =
                (protected > 0).then(|| write(folder.path(), "against.jsonl", &all[..protected], 0));
            let source = write(folder.path(), "all.jsonl", &all[protected..], protected);
            for (threads, free) in WAYS {
                let against = against.iter().cloned().collect();
                let job = job(&settings, vec![source.clone()], against, threads);
                let mut found = BTreeMap::new();
                let report = pairs_prepared(&prepared(&job, free), &Silent, &mut |pair| {
                    let number = |id: &str| id.parse::<usize>().unwrap();
                    found.insert((number(&pair.a.id), number(&pair.b.id)), pair.similarity.unwrap());
                    Ok(ControlFlow::Continue(()))
                })
                .unwrap();
                assert_eq!(found.len(), expected.len(), "{measure} {threads} {free:?}");
                for (pair, similarity) in &expected {
                    let other = found.get(pair).unwrap_or_else(|| panic!("{pair:?} is missing"));
                    assert!((similarity - other).abs() < 1e-12, "{pair:?}: {similarity} {other}");
                }
                // Nothing can be missed, so nothing is estimated.
                assert!(report.recall.is_none());
            }
        }
    }
}

#[test]
fn survivors_follow_the_greedy_rule_without_chains() {
    let folder = tempfile::tempdir().unwrap();
    for (all, measure) in [
        (rows(400, 3), Measure::Cosine),
        (rows(400, 4), Measure::Euclidean),
        (directions(400, 5), Measure::Cosine),
    ] {
        let source = write(folder.path(), "all.jsonl", &all, 0);
        let settings = settings(measure);
        let mut expected: BTreeMap<usize, usize> = BTreeMap::new();
        for b in 0..all.len() {
            // An exact copy goes with its original.
            let original = (0..b).find(|&a| all[a].0 == all[b].0);
            let kept = match original {
                Some(original) => Some(expected.get(&original).copied().unwrap_or(original)),
                None => (0..b).find(|&a| {
                    !expected.contains_key(&a) && similarity(&settings, &all[a], &all[b]).is_some()
                }),
            };
            if let Some(kept) = kept {
                expected.insert(b, kept);
            }
        }
        assert!(expected.len() > 100 && expected.len() < 390);
        for (threads, free) in WAYS {
            let job = job(&settings, vec![source.clone()], Vec::new(), threads);
            let prepared = prepared(&job, free);
            let mut found = BTreeMap::new();
            prepared
                .with_view(&Silent, |view, mut stages| {
                    let copies = view.copies(&mut stages)?;
                    let (removals, _, _) = view.decide(&copies, &mut stages)?;
                    for removal in removals.iter() {
                        let removal = removal?;
                        let before = found.insert(removal.number as usize, removal.kept as usize);
                        assert!(before.is_none(), "{} is removed twice", removal.number);
                    }
                    Ok(())
                })
                .unwrap();
            assert_eq!(found, expected, "{measure} {threads} {free:?}");
        }
    }
}

#[test]
fn components_are_the_connected_vectors() {
    let folder = tempfile::tempdir().unwrap();
    let all = rows(300, 5);
    let source = write(folder.path(), "all.jsonl", &all, 0);
    let settings = settings(Measure::Cosine).with_clusters(Clusters::Components);
    let mut root: Vec<usize> = (0..all.len()).collect();
    for b in 0..all.len() {
        for a in 0..b {
            if similarity(&settings, &all[a], &all[b]).is_some() {
                let (x, y) = (root[a], root[b]);
                root.iter_mut().filter(|root| **root == x || **root == y).for_each(|root| *root = x.min(y));
            }
        }
    }
    let expected: BTreeMap<usize, usize> =
        (0..all.len()).filter(|&i| root[i] != i).map(|i| (i, root[i])).collect();
    for threads in [1, 7] {
        let job = job(&settings, vec![source.clone()], Vec::new(), threads);
        let mut found = BTreeMap::new();
        crate::decide(&job, &Silent, &mut |row| {
            found.insert(row.line as usize - 1, row.kept_line.unwrap() as usize - 1);
            Ok(())
        })
        .unwrap();
        assert_eq!(found, expected);
    }
}

#[test]
fn queries_give_the_nearest_first() {
    let folder = tempfile::tempdir().unwrap();
    let all = rows(200, 6);
    let source = write(folder.path(), "all.jsonl", &all, 0);
    for measure in [Measure::Cosine, Measure::Euclidean] {
        let settings = settings(measure).with_threshold(0.0).with_radius(None);
        let near = nearness(&self::settings(measure));
        let asked = &all[30].0;
        let mut expected: Vec<(f64, usize)> = (0..all.len())
            .map(|i| (near.value(asked, &all[i].0), i))
            .filter(|&(value, _)| !near.is_cosine() || value >= 0.0)
            .collect();
        expected.sort_by(|a, b| {
            let order = if near.is_cosine() { b.0.total_cmp(&a.0) } else { a.0.total_cmp(&b.0) };
            order.then(a.1.cmp(&b.1))
        });
        let job = job(&settings, vec![source.clone()], Vec::new(), 2);
        let found = crate::query(&job, &format!("{asked:?}"), 8, &Silent).unwrap();
        let ids: Vec<usize> = found.iter().map(|found| found.document.id.parse().unwrap()).collect();
        assert_eq!(ids, expected[..8].iter().map(|&(_, i)| i).collect::<Vec<_>>(), "{measure}");
        for wrong in ["[1, 2]", "[]", "\"a\"", "[1, null]"] {
            assert!(crate::query(&job, wrong, 8, &Silent).is_err(), "{wrong}");
        }
    }
}

#[test]
fn settings_and_records_that_make_no_sense_are_refused() {
    use crate::{Keep, Method, OnBadRecord, Verify};
    let folder = tempfile::tempdir().unwrap();
    let all = rows(20, 7);
    let source = write(folder.path(), "all.jsonl", &all, 0);
    for (wrong, expected) in [
        (settings(Measure::Jaccard), "measure"),
        (settings(Measure::Euclidean).with_radius(None), "distance"),
        (settings(Measure::Cosine).with_keep(Keep::Longest), "keep"),
        (settings(Measure::Cosine).with_verify(Verify::None), "verify"),
        (settings(Measure::Cosine).with_method(Method::Simhash), "method"),
        (settings(Measure::Cosine).with_kind(Kind::Text), "kind vectors"),
    ] {
        let job = job(&wrong, vec![source.clone()], Vec::new(), 1);
        let said = crate::plan(&job).unwrap_err().to_string();
        assert!(said.contains(expected), "{expected}: {said}");
    }
    let path = folder.path().join("bad.jsonl");
    std::fs::write(&path, "{\"v\": null}\n{\"v\": [1, 2]}\n{\"v\": [1, 2.1]}\n{\"v\": [1]}\n").unwrap();
    let source = discover(&[path], &Discovery::default()).unwrap().remove(0);
    let settings = settings(Measure::Cosine).with_id_field(None);
    let bad = job(&settings, vec![source.clone()], Vec::new(), 2);
    let said = crate::decide(&bad, &Silent, &mut |_| Ok(())).unwrap_err().to_string();
    assert!(said.contains("line 1") && said.contains("`v` is null"), "{said}");
    let skips = job(&settings.with_on_bad_record(OnBadRecord::Skip), vec![source], Vec::new(), 2);
    let mut rows = Vec::new();
    crate::decide(&skips, &Silent, &mut |row| {
        rows.push((row.line, row.reason.clone().unwrap_or_default()));
        Ok(())
    })
    .unwrap();
    assert_eq!(rows.iter().map(|(line, _)| *line).collect::<Vec<_>>(), [1, 3, 4]);
    assert!(rows[2].1.contains("the vector has 1 coordinates, and the first vector has 2"), "{rows:?}");
    // A query is what is wrong if it has another length, and not the corpus.
    for on_bad_record in [OnBadRecord::Skip, OnBadRecord::Keep] {
        let job = Job { settings: skips.settings.clone().with_on_bad_record(on_bad_record), ..skips.clone() };
        let said = crate::query(&job, "[1, 2, 3]", 5, &Silent).unwrap_err().to_string();
        let expected =
            "what is searched for cannot be used: the vector has 3 coordinates, and the first vector has 2";
        assert!(said.starts_with(expected), "{said}");
        assert_eq!(crate::query(&job, "[1, 2]", 5, &Silent).unwrap().len(), 2);
    }
}

#[test]
fn lengths_of_text_make_no_sense_for_vectors_and_fingerprints() {
    for kind in [Kind::Vectors, Kind::Fingerprints] {
        let chosen = match kind {
            Kind::Vectors => settings(Measure::Cosine),
            _ => Settings::default().with_kind(kind),
        };
        let said = chosen.check_effects(|name| name == crate::SettingName::MaxText).unwrap_err().to_string();
        assert_eq!(said, format!("max-text has no effect with kind {kind}"));
    }
}
