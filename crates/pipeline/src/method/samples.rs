//! Sampled shingles, for containment. A small document inside a large one shares its sampled shingles, although their
//! signatures differ.
//!
//! Of sets no item is left out: most sets are small, and a sample of them would often be empty. A pair at any threshold shares an
//! item, so none is missed.

use super::{Likeness, Screening, Shingled, SketchBuffers, Sketcher, Sketches};
use crate::report::Plan;
use crate::store::columns::Columns;
use crate::store::entries::Within;
use crate::{Kind, Result, Settings};
use lookalike::banding::sample_probability;
use lookalike::hashing::mix64;
use lookalike::minhash::lanes::estimate_cutoff;

/// Containment samples one of this many shingles. With 8, a document of 44 shingles is found with probability 0.99 at
/// a threshold of 0.8.
pub const SAMPLED_ONE_IN: u64 = 8;

/// The expected recall of containment is stated for a document of this many shingles. A shorter document is found
/// less often: see [`Chances::by_shingles`](crate::Chances::by_shingles).
pub const PLANNED_SHINGLES: u64 = 44;

/// Documents that share a sampled shingle are candidates.
#[derive(Debug)]
pub(crate) struct Samples {
    threshold: f64,
    one_in: u64,
}

/// One of how many elements is sampled.
pub(crate) fn one_in(settings: &Settings) -> u64 {
    if settings.signature.kind == Kind::Sets { 1 } else { SAMPLED_ONE_IN }
}

impl Samples {
    pub(super) fn new(settings: &Settings) -> Self {
        Self { threshold: settings.matching.threshold, one_in: one_in(settings) }
    }
}

impl Sketcher for Samples {
    fn plan(&self) -> Plan {
        let shared = self.threshold * PLANNED_SHINGLES as f64;
        Plan { recall_at_threshold: sample_probability(self.one_in, shared), ..Plan::default() }
    }

    fn label(&self) -> String {
        match self.one_in {
            1 => "every item".into(),
            one_in => format!("one of {one_in} shingles"),
        }
    }

    fn lanes(&self) -> usize {
        0
    }

    fn bands(&self) -> usize {
        0
    }

    fn stores_keys(&self) -> bool {
        true
    }

    fn sketch(
        &self,
        document: &Shingled<'_>,
        buffers: &mut SketchBuffers,
        columns: &mut Columns,
    ) -> Result<usize> {
        let set = &mut buffers.set;
        set.clear();
        set.extend_from_slice(document.elements);
        set.sort_unstable();
        set.dedup();
        columns.samples.extend(sampled(set, self.one_in, document.within));
        Ok(set.len())
    }

    fn key(&self, _band: usize, _lanes: &[u16]) -> u64 {
        0
    }

    fn shared_keys(&self, _a: &[u16], _b: &[u16]) -> u32 {
        0
    }

    fn screen(&self, pair: Sketches<'_>) -> Result<Screening> {
        let needed = samples_needed(pair.stored_keys, self.threshold)?;
        let unlike = (pair.shared as usize) < needed;
        Ok(if unlike { Screening::Unlike } else { Screening::Open { distance: 0 } })
    }

    fn likeness(&self, _a: &[u16], _b: &[u16]) -> Likeness {
        Likeness { similarity: f64::NAN, is_compared: true }
    }

    fn probability(&self, similarity: f64, size: u64, _without_one: bool) -> f64 {
        match size {
            // All documents without shingles share one key.
            0 => 1.0,
            _ => sample_probability(self.one_in, similarity * size as f64),
        }
    }

    fn misses_pairs(&self) -> bool {
        self.one_in > 1
    }
}

/// The keys of the sampled shingles of a sorted set, which was hashed with the fixed key. All sets without shingles
/// share one special key.
pub(crate) fn sampled(set: &[u64], one_in: u64, within: Within) -> impl Iterator<Item = u64> {
    let none = set.is_empty().then_some(u64::MAX);
    set.iter()
        .map(|&element| mix64(element))
        .filter(move |mixed| mixed.is_multiple_of(one_in))
        .chain(none)
        .map(move |mixed| mix64(mixed ^ within[0]))
}

/// An element for a number that every sample has, for documents that have only one.
pub(crate) fn sampled_element(mut number: u64) -> u64 {
    loop {
        let element = mix64(number);
        if mix64(element).is_multiple_of(SAMPLED_ONE_IN) {
            return element;
        }
        number = number.wrapping_add(1);
    }
}

/// How many of the `sampled` shingles of a document another one must share. A pair at the threshold shares fewer only
/// once in a million times.
fn samples_needed(sampled: usize, threshold: f64) -> Result<usize> {
    // With more samples the distribution is close to normal. Five standard deviations are one in 3.5 million.
    if sampled > 4_096 {
        let (n, p) = (sampled as f64, threshold);
        return Ok((n * p - 5.0 * (n * p * (1.0 - p)).sqrt()).max(1.0) as usize);
    }
    Ok(if sampled == 0 { 1 } else { estimate_cutoff(sampled, threshold, 1e-6)?.max(1) })
}
