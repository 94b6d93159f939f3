//! Sets and fingerprints against brute force, however the run is made.

use super::job;
use crate::ask::pairs_prepared;
use crate::prepared::Prepared;
use crate::run::dedup_prepared;
use crate::{Job, Kind, Measure, Outcome, Resources, Settings, Silent};
use corpus::{Discovery, Target, discover};
use lookalike::hashing::SplitMix64;
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};
use std::ops::ControlFlow;
use std::path::Path;

/// A pair of positions, and the bits of its similarity.
type Pairs = BTreeSet<(usize, usize, u64)>;

/// A job over these values, which stand in the field `value` of records with ids.
pub(super) fn job_of(folder: &Path, values: &[Value], settings: &Settings, threads: usize) -> Job {
    let lines: String = values
        .iter()
        .enumerate()
        .map(|(id, value)| format!("{}\n", json!({"id": id, "value": value})))
        .collect();
    job_of_file(folder, "values.jsonl", &lines, settings, threads)
}

pub(super) fn job_of_file(
    folder: &Path,
    name: &str,
    content: &str,
    settings: &Settings,
    threads: usize,
) -> Job {
    let file = folder.join(name);
    std::fs::write(&file, content).unwrap();
    let sources = discover(&[&file], &Discovery::default()).unwrap();
    job(settings, sources, Vec::new(), threads)
}

/// The pairs of a run, made with so many bytes for the stages.
fn pairs(job: &Job, free: Option<u64>) -> Pairs {
    let mut prepared = Prepared::new(job).unwrap();
    if let Some(free) = free {
        prepared.budget = prepared.budget.clone().with_free(free);
    }
    let mut found = Pairs::new();
    pairs_prepared(&prepared, &Silent, &mut |pair| {
        let id = |id: &str| id.parse::<usize>().unwrap();
        let (a, b) = (id(&pair.a.id), id(&pair.b.id));
        found.insert((a.min(b), a.max(b), pair.similarity.unwrap().to_bits()));
        Ok(ControlFlow::Continue(()))
    })
    .unwrap();
    found
}

pub(super) fn settings(kind: Kind) -> Settings {
    Settings::default().with_kind(kind).with_text_field("value".into()).with_id_field(Some("id".into()))
}

/// Baskets of few items of a small universe: some items are strings, some are numbers, one is in every basket. Weights are small.
fn baskets(count: usize, seed: u64) -> Vec<BTreeMap<String, (Value, u64)>> {
    let mut random = SplitMix64::new(seed);
    let mut all: Vec<BTreeMap<String, (Value, u64)>> = Vec::new();
    for _ in 0..count {
        let mut basket = BTreeMap::new();
        if !all.is_empty() && random.below(2) == 0 {
            basket = all[random.below(all.len() as u64) as usize].clone();
            let changed = random.below(3);
            for _ in 0..changed {
                let at = random.below(basket.len().max(1) as u64) as usize;
                let key = basket.keys().nth(at).cloned();
                key.map(|key| basket.remove(&key));
            }
        }
        for _ in 0..random.below(8) {
            let number = random.below(40);
            let item =
                if number.is_multiple_of(3) { json!(number) } else { json!(format!("item, {number}")) };
            basket.insert(item.to_string(), (item, 1 + random.below(3)));
        }
        if random.below(20) > 0 {
            basket.insert("\"bag\"".into(), (json!("bag"), 1));
        }
        all.push(basket);
    }
    all
}

/// The pairs by the definition of the measure.
fn expected(baskets: &[BTreeMap<String, (Value, u64)>], measure: Measure, threshold: f64) -> Pairs {
    let mut pairs = Pairs::new();
    for (b, of_b) in baskets.iter().enumerate() {
        for (a, of_a) in baskets[..b].iter().enumerate() {
            let weight = |of: &BTreeMap<String, (Value, u64)>, item: &String| {
                let weight = of.get(item).map_or(0, |(_, weight)| *weight);
                if measure == Measure::WeightedJaccard { weight } else { weight.min(1) }
            };
            let items: BTreeSet<&String> = of_a.keys().chain(of_b.keys()).collect();
            let sum = |of: &dyn Fn(u64, u64) -> u64| {
                items.iter().map(|item| of(weight(of_a, item), weight(of_b, item))).sum::<u64>()
            };
            let (least, most) = (sum(&u64::min), sum(&u64::max));
            let smaller = sum(&|a, _| a).min(sum(&|_, b| b));
            let of = if measure == Measure::Containment { smaller } else { most };
            let similarity = if of == 0 { 1.0 } else { least as f64 / of as f64 };
            if similarity >= threshold {
                pairs.insert((a, b, similarity.to_bits()));
            }
        }
    }
    pairs
}

fn array(basket: &BTreeMap<String, (Value, u64)>) -> Value {
    basket.values().map(|(item, _)| item.clone()).collect()
}

/// An array in which an item is repeated as often as its weight says: an object has no names that are numbers.
fn repeated(basket: &BTreeMap<String, (Value, u64)>) -> Value {
    basket.values().flat_map(|(item, weight)| vec![item.clone(); *weight as usize]).collect()
}

#[test]
fn sets_are_found_as_by_brute_force() {
    let baskets = baskets(400, 1);
    let folder = tempfile::tempdir().unwrap();
    for measure in [Measure::Jaccard, Measure::WeightedJaccard] {
        let values: Vec<Value> =
            baskets.iter().map(if measure == Measure::Jaccard { array } else { repeated }).collect();
        for threshold in [0.3, 0.5, 0.8] {
            let expected = expected(&baskets, measure, threshold);
            assert!(expected.len() > 100, "{measure} {threshold}: {}", expected.len());
            let settings = settings(Kind::Sets).with_measure(measure).with_threshold(threshold);
            for (threads, free) in [(1, None), (2, Some(1 << 16)), (7, Some(1 << 20))] {
                let found = pairs(&job_of(folder.path(), &values, &settings, threads), free);
                // Baskets are short, and of short documents no pair is missed.
                assert_eq!(found, expected, "{measure} {threshold} {threads}");
            }
        }
    }
}

#[test]
fn contained_sets_are_found_as_by_brute_force() {
    let folder = tempfile::tempdir().unwrap();
    for seed in 2..5 {
        let baskets = baskets(400, seed);
        let values: Vec<Value> = baskets.iter().map(array).collect();
        for threshold in [0.3, 0.8, 1.0] {
            let settings = settings(Kind::Sets).with_measure(Measure::Containment).with_threshold(threshold);
            // A set without items is like other such sets only, and not a part of every set.
            let are_comparable =
                |&(a, b, _): &(usize, usize, u64)| baskets[a].is_empty() == baskets[b].is_empty();
            let truth: Pairs = expected(&baskets, Measure::Containment, threshold)
                .into_iter()
                .filter(are_comparable)
                .collect();
            for (threads, free) in [(1, None), (2, None), (7, None), (2, Some(100_000))] {
                let found = pairs(&job_of(folder.path(), &values, &settings, threads), free);
                assert_eq!(found, truth, "{seed} {threshold} {threads} {free:?}");
            }
        }
    }
}

#[test]
fn rows_make_the_same_sets_in_any_order_and_any_memory() {
    let baskets = baskets(300, 3);
    let values: Vec<Value> = baskets.iter().map(repeated).collect();
    let folder = tempfile::tempdir().unwrap();
    let plain = settings(Kind::Sets).with_measure(Measure::WeightedJaccard).with_threshold(0.5);
    let without_empty = |pairs: Pairs| -> Pairs {
        // A set without items has no row.
        pairs.into_iter().filter(|&(a, b, _)| !baskets[a].is_empty() && !baskets[b].is_empty()).collect()
    };
    let expected = without_empty(pairs(&job_of(folder.path(), &values, &plain, 1), None));
    let mut rows: Vec<String> = Vec::new();
    for (id, basket) in baskets.iter().enumerate() {
        for (item, weight) in basket.values() {
            // Weights of the same item add up.
            for weight in [1, weight - 1] {
                rows.push(format!("{}\n", json!({"id": id, "value": item, "n": weight})));
            }
        }
    }
    let mut random = SplitMix64::new(4);
    let by_rows = plain.clone().with_set_of(Some("id".into())).with_weight(Some("n".into()));
    let mut bytes = BTreeSet::new();
    for memory in [1 << 30, 64 << 20, 8 << 10] {
        for at in (1..rows.len()).rev() {
            rows.swap(at, random.below(at as u64 + 1) as usize);
        }
        let mut job = job_of_file(folder.path(), "rows.jsonl", &rows.concat(), &by_rows, 2);
        job.resources = Resources { memory, ..job.resources };
        let (held, left_out) = crate::gather_rows(&mut job).unwrap();
        assert_eq!((held.len(), left_out, job.sources.len()), (1, 0, 1));
        job.resources.memory = 1 << 30;
        assert_eq!(pairs(&job, None), expected);
        let corpus::Location::Copy(path) = &job.sources[0].location else { panic!("it is a copy") };
        bytes.insert(std::fs::read(path).unwrap());
    }
    assert_eq!(bytes.len(), 1);
}

#[test]
fn rows_that_cannot_be_used_are_named_or_left_out() {
    let folder = tempfile::tempdir().unwrap();
    let by_rows = settings(Kind::Sets).with_set_of(Some("id".into()));
    for (row, expected) in [
        ("{\"value\": 1}", "line 2: the field `id` is missing or null"),
        ("{\"id\": 1, \"value\": null}", "line 2: the field `value` is null"),
        ("{\"id\": 1, \"value\": [1]}", "line 2: the field `value` is not one item"),
    ] {
        let content = format!("{{\"id\": 1, \"value\": 1}}\n{row}\n");
        let mut job = job_of_file(folder.path(), "bad.jsonl", &content, &by_rows, 1);
        let said = crate::gather_rows(&mut job).unwrap_err().to_string();
        assert!(said.contains(expected), "{said}");
        job.settings.files.on_bad_record = crate::OnBadRecord::Skip;
        assert_eq!(crate::gather_rows(&mut job).unwrap().1, 1);
    }
    let keep = by_rows.with_on_bad_record(crate::OnBadRecord::Keep);
    let mut job = job_of_file(folder.path(), "keep.jsonl", "{}\n", &keep, 1);
    let said = crate::gather_rows(&mut job).unwrap_err().to_string();
    assert!(said.starts_with("on-bad-record keep is not allowed"), "{said}");
}

#[test]
fn the_weights_of_a_set_of_rows_are_limited_together() {
    let folder = tempfile::tempdir().unwrap();
    let by_rows = settings(Kind::Sets)
        .with_measure(Measure::WeightedJaccard)
        .with_set_of(Some("id".into()))
        .with_weight(Some("n".into()));
    // Each of the two items is within the limit.
    let rows =
        "{\"id\": 7, \"value\": \"a\", \"n\": 3000000}\n{\"id\": 7, \"value\": \"b\", \"n\": 3000000}\n";
    let mut job = job_of_file(folder.path(), "heavy.jsonl", rows, &by_rows, 1);
    let said = crate::gather_rows(&mut job).unwrap_err().to_string();
    assert!(said.contains("the set 7 add up to more than 4194304 steps, with the item \"b\""), "{said}");
}

#[test]
fn rows_that_are_left_out_are_listed_with_their_place_and_make_another_run() {
    let folder = tempfile::tempdir().unwrap();
    let by_rows = settings(Kind::Sets)
        .with_set_of(Some("id".into()))
        .with_on_bad_record(crate::OnBadRecord::Skip)
        .with_threshold(0.9);
    let good = "{\"id\": \"a\", \"value\": 1}\n{\"id\": \"b\", \"value\": 1}\n";
    let bad = "not JSON\n{\"value\": 2}\n{\"id\": \"c\", \"value\": [1]}\n";
    let mut job = job_of_file(folder.path(), "rows.jsonl", &format!("{bad}{good}"), &by_rows, 2);
    let mut without = job_of_file(folder.path(), "good.jsonl", good, &by_rows, 2);
    // Rows of other documents are left out, and are in no list.
    job.against = job_of_file(folder.path(), "against.jsonl", bad, &by_rows, 2).sources;
    let (_held, count) = crate::gather_rows(&mut job).unwrap();
    let (_also, none) = crate::gather_rows(&mut without).unwrap();
    assert_eq!((count, none), (6, 0));
    assert_ne!(job.sources[0].stamp, without.sources[0].stamp);
    let target = Target::new(&folder.path().join("out").display().to_string()).unwrap();
    crate::dedup(&job, &target, false, &Silent).unwrap();
    let listed = std::fs::read_to_string(folder.path().join("out/removed.jsonl")).unwrap();
    let listed: Vec<Value> = listed.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let file = |row: &Value| row["source"].as_str().unwrap().to_owned();
    let facts: Vec<_> = listed.iter().map(|row| (row["kind"].clone(), row["line"].clone())).collect();
    assert_eq!(
        facts[..3],
        [(json!("bad"), json!(1)), (json!("bad"), json!(2)), (json!("bad"), json!(3))],
        "{listed:?}"
    );
    assert!(file(&listed[0]).ends_with("rows.jsonl") && listed.len() == 4, "{listed:?}");
    assert_eq!(
        (&listed[1]["reason"], &listed[2]["id"]),
        (&json!("the field `id` is missing or null"), &json!("c"))
    );
    assert_eq!((&listed[3]["kind"], file(&listed[3])), (&json!("exact"), "sets.jsonl".to_owned()));
    // Python and `--dry-run` get the same list.
    let mut kinds = Vec::new();
    crate::decide(&job, &Silent, &mut |row| {
        kinds.push(row.kind);
        Ok(())
    })
    .unwrap();
    assert_eq!(kinds, ["bad", "bad", "bad", "exact"]);
}

/// Fingerprints of which many are near another one, as bytes.
pub(super) fn prints(count: usize, bytes: usize, most_apart: u64, seed: u64) -> Vec<Vec<u8>> {
    let mut random = SplitMix64::new(seed);
    let mut all: Vec<Vec<u8>> = Vec::new();
    for at in 0..count {
        let mut made: Vec<u8> = (0..bytes).map(|_| random.next_u64() as u8).collect();
        if at > 0 && random.below(2) == 0 {
            made = all[random.below(at as u64) as usize].clone();
            for _ in 0..random.below(most_apart + 1) {
                let bit = random.below(8 * bytes as u64) as usize;
                made[bit / 8] ^= 1 << (bit % 8);
            }
        }
        all.push(made);
    }
    all
}

#[test]
fn fingerprints_are_found_as_by_brute_force() {
    let folder = tempfile::tempdir().unwrap();
    for (bytes, distance, most_apart) in [(2, 1, 2), (8, 3, 5), (32, 31, 40), (64, 20, 30)] {
        let prints = prints(300, bytes, most_apart, 5);
        let hex = |print: &Vec<u8>| print.iter().map(|byte| format!("{byte:02x}")).collect::<String>();
        let values: Vec<Value> = prints.iter().map(|print| json!(hex(print))).collect();
        let bits = 8 * bytes as u32;
        let mut truth = Pairs::new();
        for (b, of_b) in prints.iter().enumerate() {
            for (a, of_a) in prints[..b].iter().enumerate() {
                let apart: u32 = of_a.iter().zip(of_b).map(|(a, b)| (a ^ b).count_ones()).sum();
                if apart <= distance {
                    truth.insert((a, b, (1.0 - f64::from(apart) / f64::from(bits)).to_bits()));
                }
            }
        }
        assert!(truth.len() > 50, "{bits}: {}", truth.len());
        let settings = settings(Kind::Fingerprints).with_distance(distance);
        for (threads, free) in [(1, None), (2, Some(1 << 16)), (7, Some(1 << 20))] {
            let job = job_of(folder.path(), &values, &settings, threads);
            assert_eq!(pairs(&job, free), truth, "{bits} bits, {threads} threads");
            assert_eq!(Prepared::new(&job).unwrap().recipe.settings.signature.bits, Some(bits));
        }
        // Permuting the bits changes no distance.
        let turned: Vec<Value> =
            prints.iter().map(|print| json!(hex(&print.iter().rev().copied().collect()))).collect();
        assert_eq!(pairs(&job_of(folder.path(), &turned, &settings, 2), None), truth);
    }
}

#[test]
fn dedup_keeps_and_lists_documents_of_a_kind() {
    let folder = tempfile::tempdir().unwrap();
    let values =
        [json!(["a", "b", "c"]), json!(["c", "b", "a"]), json!(["a", "b", "c", "d"]), json!([]), json!([])];
    let job = job_of(folder.path(), &values, &settings(Kind::Sets).with_threshold(0.7), 1);
    let out = folder.path().join("out");
    let target = Target::new(&out.display().to_string()).unwrap();
    let Outcome::Finished(report) = dedup_prepared(&Prepared::new(&job).unwrap(), &target, &Silent).unwrap()
    else {
        panic!("it was finished before it began")
    };
    // Empty sets are copies of each other.
    assert_eq!(
        (report.counts.kept, report.counts.exact, report.counts.near, report.counts.empty),
        (2, 2, 1, 2)
    );
    assert_eq!(report.settings.signature.kind, Kind::Sets);
    let kept = std::fs::read_to_string(out.join("values.jsonl")).unwrap();
    assert!(kept.contains(r#"["a","b","c"]"#) && kept.lines().count() == 2, "{kept}");
    let removed = std::fs::read_to_string(out.join("removed.jsonl")).unwrap();
    assert!(removed.contains("0.75"), "{removed}");
}
