//! SimHash fingerprints of 64 bits, stored in four 16-bit lanes. There is a table for each choice of two blocks of
//! bits.

use super::{Likeness, Screening, Shingled, SketchBuffers, Sketcher, Sketches, weights};
use crate::report::Plan;
use crate::settings::not_allowed;
use crate::store::columns::Columns;
use crate::{Result, SettingName, Settings, Verify};
use lookalike::banding::band_key;
use lookalike::simhash::SimHasher;
use std::collections::HashMap;

/// The number of lanes of a fingerprint.
const LANES: usize = 4;

/// Documents whose fingerprints agree in the blocks of a table are candidates.
#[derive(Debug)]
pub(crate) struct Tables {
    hasher: SimHasher<u64>,
    distance: u32,
    masks: Vec<u64>,
    weights: HashMap<u64, f64>,
    verify: Verify,
}

impl Tables {
    pub(super) fn new(settings: &Settings, weights: HashMap<u64, f64>) -> Result<Self> {
        let distance = settings.matching.distance;
        if distance > 32 {
            return Err(not_allowed(SettingName::Distance, distance, "at most 32 of 64 bits"));
        }
        let hasher = SimHasher::new(settings.signature.seed);
        Ok(Self { hasher, distance, masks: table_masks(distance), weights, verify: settings.matching.verify })
    }

    fn fingerprint_of(&self, features: &[u64]) -> Result<u64> {
        if self.weights.is_empty() {
            return Ok(self.hasher.fingerprint(features).bits());
        }
        let weight = |feature| self.weights.get(&feature).copied().unwrap_or(1.0);
        let weighted: Vec<_> = features.iter().map(|&feature| (feature, weight(feature))).collect();
        Ok(self.hasher.fingerprint_weighted(&weighted)?.bits())
    }
}

impl Sketcher for Tables {
    fn plan(&self) -> Plan {
        Plan { bands: self.masks.len(), recall_at_threshold: 1.0, ..Plan::default() }
    }

    fn label(&self) -> String {
        format!("{} for a distance of {}", super::number(self.masks.len(), "table"), self.distance)
    }

    fn lanes(&self) -> usize {
        LANES
    }

    fn bands(&self) -> usize {
        self.masks.len()
    }

    fn sketch(
        &self,
        document: &Shingled<'_>,
        buffers: &mut SketchBuffers,
        columns: &mut Columns,
    ) -> Result<usize> {
        let features = &mut buffers.set;
        features.clear();
        features.extend_from_slice(document.hashes);
        if !document.is_bag {
            features.sort_unstable();
            features.dedup();
        }
        let bits = self.fingerprint_of(features)?;
        columns.lanes.extend((0..LANES).map(|lane| (bits >> (16 * lane)) as u16));
        Ok(document.hashes.len())
    }

    fn key(&self, band: usize, lanes: &[u16]) -> u64 {
        band_key(band, &[fingerprint(lanes) & self.masks[band]])
    }

    fn shared_keys(&self, a: &[u16], b: &[u16]) -> u32 {
        let differing = fingerprint(a) ^ fingerprint(b);
        self.masks.iter().filter(|&mask| differing & mask == 0).count() as u32
    }

    fn screen(&self, pair: Sketches<'_>) -> Result<Screening> {
        let distance = bits_apart(pair.a, pair.b);
        Ok(match self.verify {
            _ if distance > self.distance => Screening::Unlike,
            Verify::Exact => Screening::Open { distance },
            Verify::Estimate | Verify::None => Screening::Similar { similarity: f64::NAN, distance },
        })
    }

    fn likeness(&self, a: &[u16], b: &[u16]) -> Likeness {
        let distance = bits_apart(a, b);
        Likeness { similarity: 1.0 - f64::from(distance) / 64.0, is_compared: distance <= self.distance }
    }

    fn has_distances(&self) -> bool {
        true
    }

    fn distance(&self, a: &[u16], b: &[u16]) -> Option<u32> {
        Some(bits_apart(a, b))
    }

    fn probability(&self, _similarity: f64, _size: u64, _without_one: bool) -> f64 {
        1.0
    }

    fn misses_pairs(&self) -> bool {
        false
    }

    fn memory(&self) -> u64 {
        self.weights.len() as u64 * weights::WEIGHT_BYTES
    }
}

/// Puts the fingerprint together from its four lanes.
fn fingerprint(lanes: &[u16]) -> u64 {
    lanes.iter().rev().fold(0, |bits, &lane| bits << 16 | u64::from(lane))
}

fn bits_apart(a: &[u16], b: &[u16]) -> u32 {
    (fingerprint(a) ^ fingerprint(b)).count_ones()
}

/// The bits that each table compares: two of `distance + 2` blocks of bits. Fingerprints that differ in at most
/// `distance` bits agree in at least two blocks, and therefore in at least one table.
fn table_masks(distance: u32) -> Vec<u64> {
    let blocks = distance + 2;
    let edge = |block: u32| block * 64 / blocks;
    let block_mask = |block: u32| {
        let (from, to) = (edge(block), edge(block + 1));
        (u64::MAX >> (64 - (to - from))) << from
    };
    let mut masks = Vec::new();
    for first in 0..blocks {
        for second in first + 1..blocks {
            masks.push(block_mask(first) | block_mask(second));
        }
    }
    masks
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn any_two_fingerprints_within_the_distance_share_a_table() {
        let mut random = lookalike::hashing::SplitMix64::new(1);
        for distance in [0, 1, 3, 7, 20] {
            let masks = table_masks(distance);
            for _ in 0..2_000 {
                let a = random.next_u64();
                let mut b = a;
                for _ in 0..distance {
                    b ^= 1 << random.below(64);
                }
                assert!(masks.iter().any(|mask| a & mask == b & mask), "distance {distance}: {a:x} {b:x}");
            }
        }
    }
}
