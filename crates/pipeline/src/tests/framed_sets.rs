//! Sets without what many of them share, and weights in steps, against plain definitions.

use super::job;
use crate::frames::{LEAST_ITEMS, SITE_PAGES};
use crate::{Common, Kind, Measure, Settings, Silent};
use corpus::{Discovery, Source, discover};
use lookalike::hashing::SplitMix64;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::ops::ControlFlow;
use std::path::Path;

/// A set of items with weights, and its site.
pub(super) type Basket = (BTreeMap<String, u64>, usize);

/// Baskets that vary a few, each with items that all have and items of its site.
pub(super) fn baskets(count: usize, seed: u64) -> Vec<Basket> {
    let mut random = SplitMix64::new(seed);
    let mut baskets: Vec<Basket> = Vec::new();
    for at in 0..count {
        let mut items: BTreeMap<String, u64> = BTreeMap::new();
        if at % 3 == 0 && at > 0 {
            let other = &baskets[random.below(at as u64) as usize].0;
            items
                .extend(other.iter().filter(|(item, _)| item.starts_with('i')).map(|(a, b)| (a.clone(), *b)));
        }
        for _ in 0..random.below(if at % 3 == 0 { 2 } else { 9 }) {
            items.insert(format!("i{}", random.below(400)), 1 + random.below(4));
        }
        let site = random.below(12) as usize;
        for shared in 0..6 {
            if random.below(3) > 0 {
                items.insert(format!("all{shared}"), 1 + random.below(3));
            }
            if random.below(3) > 0 {
                items.insert(format!("s{}", site * 6 + shared), 2);
            }
        }
        baskets.push((items, site));
    }
    baskets
}

pub(super) fn write(folder: &Path, baskets: &[Basket], weights: impl Fn(u64) -> Option<String>) -> Source {
    let mut text = String::new();
    for (id, (items, site)) in baskets.iter().enumerate() {
        let written: Vec<String> = items
            .iter()
            .map(|(item, &weight)| match weights(weight) {
                Some(weight) => format!("\"{item}\":{weight}"),
                None => format!("\"{item}\""),
            })
            .collect();
        let all = match weights(1).is_some() {
            true => format!("{{{}}}", written.join(",")),
            false => format!("[{}]", written.join(",")),
        };
        let _ = writeln!(text, "{{\"id\":\"{id}\",\"items\":{all},\"site\":\"{site}\"}}");
    }
    let path = folder.join("sets.jsonl");
    std::fs::write(&path, text).unwrap();
    discover(&[path], &Discovery::default()).unwrap().remove(0)
}

pub(super) fn settings(measure: Measure) -> Settings {
    Settings::default()
        .with_kind(Kind::Sets)
        .with_text_field("items".into())
        .with_id_field(Some("id".into()))
        .with_measure(measure)
        .with_threshold(0.6)
}

/// All pairs, by the plain definition.
pub(super) fn expected(baskets: &[Basket], settings: &Settings) -> BTreeMap<(usize, usize), f64> {
    let is_weighted = settings.signature.measure == Measure::WeightedJaccard;
    let by_site = settings.matching.site_field.is_some();
    let (mut documents, mut in_site) = (BTreeMap::new(), BTreeMap::new());
    for (items, site) in baskets {
        for item in items.keys() {
            *documents.entry(item.as_str()).or_insert(0u64) += 1;
            *in_site.entry((*site, item.as_str())).or_insert(0u64) += 1;
        }
    }
    let is_left_out = |item: &str, site: usize| {
        matches!(settings.matching.common, Some(Common::MoreThan(most)) if documents[item] > most)
            || by_site && in_site[&(site, item)] >= SITE_PAGES
    };
    let rests: Vec<BTreeMap<&str, u64>> = baskets
        .iter()
        .map(|(items, site)| {
            let rest = items.iter().filter(|(item, _)| !is_left_out(item, *site));
            rest.map(|(item, &weight)| (item.as_str(), if is_weighted { weight } else { 1 })).collect()
        })
        .collect();
    let is_little = |at: usize| rests[at].len() < LEAST_ITEMS && rests[at].len() < baskets[at].0.len();
    let mut pairs = BTreeMap::new();
    for b in 0..baskets.len() {
        for a in 0..b {
            let is_copy = match is_weighted {
                true => baskets[a].0 == baskets[b].0,
                false => baskets[a].0.keys().eq(baskets[b].0.keys()),
            };
            if is_copy && (!by_site || baskets[a].1 == baskets[b].1) {
                pairs.insert((a, b), 1.0);
                continue;
            }
            if is_little(a) || is_little(b) {
                continue;
            }
            let items: BTreeSet<&str> = rests[a].keys().chain(rests[b].keys()).copied().collect();
            let weight = |at: usize, item: &str| rests[at].get(item).copied().unwrap_or(0);
            let smaller: u64 = items.iter().map(|item| weight(a, item).min(weight(b, item))).sum();
            let larger: u64 = items.iter().map(|item| weight(a, item).max(weight(b, item))).sum();
            if larger > 0 && smaller as f64 / larger as f64 >= settings.matching.threshold {
                pairs.insert((a, b), smaller as f64 / larger as f64);
            }
        }
    }
    pairs
}

fn found(source: &Source, settings: &Settings, threads: usize) -> BTreeMap<(usize, usize), f64> {
    let job = job(settings, vec![source.clone()], Vec::new(), threads);
    let mut found = BTreeMap::new();
    crate::pairs(&job, &Silent, &mut |pair| {
        let number = |id: &str| id.parse::<usize>().unwrap();
        found.insert((number(&pair.a.id), number(&pair.b.id)), pair.similarity.unwrap());
        Ok(ControlFlow::Continue(()))
    })
    .unwrap();
    found
}

#[test]
fn what_many_sets_share_is_left_out() {
    let folder = tempfile::tempdir().unwrap();
    let baskets = baskets(360, 3);
    for measure in [Measure::Jaccard, Measure::WeightedJaccard] {
        let source = write(folder.path(), &baskets, |weight| {
            (measure == Measure::WeightedJaccard).then(|| weight.to_string())
        });
        let whole = expected(&baskets, &settings(measure));
        for (common, site) in [
            (Some(Common::MoreThan(40)), None),
            (None, Some("site")),
            (Some(Common::MoreThan(15)), Some("site")),
        ] {
            let settings = settings(measure).with_common(common).with_site_field(site.map(str::to_owned));
            let expected = expected(&baskets, &settings);
            assert!(expected.len() > 20, "{} pairs", expected.len());
            assert_ne!(expected, whole);
            for threads in [1, 2, 7] {
                assert_eq!(found(&source, &settings, threads), expected, "{measure} {common:?} {site:?}");
            }
        }
    }
}

#[test]
fn steps_that_make_no_sense_are_refused() {
    for (wrong, expected) in [
        (settings(Measure::Jaccard).with_weight_step(Some(0.1)), "needs measure weighted-jaccard"),
        (settings(Measure::WeightedJaccard).with_weight_step(Some(0.0)), "weight-step"),
        (settings(Measure::WeightedJaccard).with_weight_step(Some(f64::NAN)), "weight-step"),
    ] {
        let said = crate::Chances::new(&wrong).unwrap_err().to_string();
        assert!(said.contains(expected), "{said}");
    }
}
