//! What a run must come to, by the plain definition.

use super::super::differential::rules;
use super::sample::Row;
use crate::{Clusters, Measure, Method, Settings, Verify};
use lookalike::minhash::lanes::estimate_of_lanes;
use lookalike::shingling::{ShingleBuffer, Shingler};
use lookalike::simhash::SimHasher;
use testkit::reference::{self, Fate, Item, Lanes, Rules, lane_of};

/// What decides whether two documents are alike, worked out for all of them.
pub(super) struct Alike<'a> {
    settings: &'a Settings,
    items: Vec<Item>,
    rules: Rules,
    lanes: Option<Lanes>,
    fingerprints: Vec<u64>,
    samples: Vec<Vec<u64>>,
}

impl<'a> Alike<'a> {
    pub(super) fn new(settings: &'a Settings, items: Vec<Item>) -> Self {
        let rules = rules(settings);
        let simhash = settings.signature.method == Method::Simhash;
        let containment = settings.signature.measure == Measure::Containment;
        let lanes = (!simhash && !containment).then(|| Lanes::new(&items, &rules, lane_of).unwrap());
        let hasher = SimHasher::new(settings.signature.seed);
        let fingerprint = |item: &Item| {
            let mut buffer = ShingleBuffer::default();
            let mut hashes = Shingler::words(5).unwrap().hashes(&item.text, &mut buffer).to_vec();
            if !rules.bag {
                hashes.sort_unstable();
                hashes.dedup();
            }
            hasher.fingerprint(&hashes).bits()
        };
        let samples = |item: &Item| {
            let elements = rules.shingles.elements(&item.text, rules.bag).unwrap();
            crate::method::samples::sampled(&elements, crate::SAMPLED_ONE_IN, [0; 2]).collect()
        };
        Self {
            settings,
            lanes,
            fingerprints: if simhash { items.iter().map(fingerprint).collect() } else { Vec::new() },
            samples: if containment { items.iter().map(samples).collect() } else { Vec::new() },
            items,
            rules,
        }
    }

    /// The settings of the run.
    pub(super) fn settings(&self) -> &Settings {
        self.settings
    }

    /// Whether a pair is looked at.
    pub(super) fn are_candidates(&self, a: usize, b: usize) -> bool {
        match &self.lanes {
            Some(lanes) => lanes.are_candidates(a, b),
            None if self.samples.is_empty() => self.distance(a, b) <= self.settings.matching.distance,
            None => self.samples[a].iter().any(|sample| self.samples[b].contains(sample)),
        }
    }

    /// How many bits two fingerprints differ in.
    pub(super) fn distance(&self, a: usize, b: usize) -> u32 {
        (self.fingerprints[a] ^ self.fingerprints[b]).count_ones()
    }

    /// The estimate of a similarity from the signatures.
    fn estimate(&self, lanes: &Lanes, a: usize, b: usize) -> f64 {
        let hashes = self.settings.signature.hashes;
        let matching = (lanes.estimate(a, b) * hashes as f64).round() as usize;
        estimate_of_lanes(matching, hashes).unwrap().similarity
    }

    /// The similarity of a pair that is alike without being compared exactly; NaN where there is no such thing.
    fn unverified(&self, a: usize, b: usize) -> Option<f64> {
        if !self.are_candidates(a, b) {
            return None;
        }
        match (self.settings.matching.verify, &self.lanes) {
            (Verify::Estimate, Some(lanes)) => Some(self.estimate(lanes, a, b))
                .filter(|estimate| *estimate >= self.settings.matching.threshold),
            _ => Some(f64::NAN),
        }
    }

    /// What becomes of each document.
    pub(super) fn fates(&self) -> Vec<Fate> {
        let Self { items, rules, .. } = self;
        let exactly = self.settings.matching.verify == Verify::Exact;
        let candidates = |a: usize, b: usize| self.are_candidates(a, b);
        let unverified = |a: usize, b: usize| self.unverified(a, b);
        match (self.settings.matching.clusters, exactly) {
            (Clusters::Stars, true) => reference::decide(items, rules, &candidates),
            (Clusters::Stars, false) => reference::decide_with(items, rules, &unverified),
            (Clusters::Components, true) => reference::decide_components(items, rules, &candidates),
            (Clusters::Components, false) => reference::decide_components_with(items, rules, &unverified),
        }
        .unwrap()
    }

    /// All pairs that are alike.
    pub(super) fn pairs(&self) -> Vec<(usize, usize, f64)> {
        if self.settings.matching.verify == Verify::Exact {
            let candidates = |a: usize, b: usize| self.are_candidates(a, b);
            return reference::verified_pairs(&self.items, &self.rules, &candidates).unwrap();
        }
        reference::verified_pairs_with(&self.items, &self.rules, &|a, b| self.unverified(a, b)).unwrap()
    }
}

/// The settings of a row.
pub(super) fn settings(row: &Row) -> Settings {
    let list = |written: &str| written.split(',').filter(|it| !it.is_empty()).map(str::to_owned).collect();
    let finds = row.get("finds");
    Settings::default()
        .with_id_field(Some("id".into()))
        .with_method(if finds == "simhash" { Method::Simhash } else { Method::Minhash })
        .with_measure(if finds == "containment" { Measure::Containment } else { Measure::Jaccard })
        // Wide enough that documents of a few dozen shingles meet.
        .with_distance(12)
        .with_verify(row.get("verify").parse().unwrap())
        .with_keep(row.get("keep").parse().unwrap())
        .with_prefer(list(row.get("prefer")))
        .with_within(Some(row.get("within").to_owned()).filter(|field| !field.is_empty()))
        .with_elements(row.get("elements").parse().unwrap())
        .with_clusters(row.get("clusters").parse().unwrap())
        .with_against_only(row.get("against") == "only")
        .with_on_bad_record(row.get("bad").parse().unwrap())
        .with_threshold(row.get("threshold").parse().unwrap())
        .with_max_text(row.get("max-text").parse().unwrap())
}
