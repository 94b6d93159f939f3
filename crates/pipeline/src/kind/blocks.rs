//! The bits and the distance of fingerprints -> masks: fingerprints that agree in all bits of a mask become candidates.
//!
//! **Tables that never miss.** Cut the bits into m blocks, and give block i a radius t_i so that the sum of all t_i + 1 is d + 1. Two
//! fingerprints at most d bits apart differ in at most t_i bits of some block i: otherwise they would differ in at least t_i + 1
//! bits of every block, which is d + 1 bits (the general pigeonhole principle; Qin and others, *GPH*, 2018). Cut that block again,
//! into g pieces. At most t_i pieces differ, so that all bits of some choice of g - t_i pieces agree. There is one mask for each
//! choice. With one block this is the method of Manku and others.
//!
//! **Sampled bits.** If this takes too many masks, or lets too many strangers meet, a mask is a random choice of r different bits,
//! and two fingerprints at distance d agree in it if none of the d bits is chosen, which has the probability
//! (n - d)(n - d - 1)... / n(n - 1)..., with r factors each and n bits. So many masks are made that one of them
//! agrees with the wanted probability.
//!
//! The cost of a mask is what it takes to bring equal keys together, and to compare the strangers that meet. It is computed for
//! [`ASSUMED`] random fingerprints, or as many as there can be, since a plan follows from the settings alone.

use lookalike::hashing::SplitMix64;

/// A plan is made for this many fingerprints.
const ASSUMED: f64 = 1e6;

/// Nanoseconds to bring one key together with its equals, and to compare two fingerprints; measured, about.
const KEY: f64 = 25.0;
const COMPARISON: f64 = 2.5;

/// Tables that never miss are made as long as their cost is at most this many nanoseconds: a minute.
const MOST_COST: f64 = 60e9;

/// The most masks that a plan has.
const MOST_MASKS: usize = 1_024;

/// The most bits of a fingerprint.
pub(crate) const MOST_BITS: u32 = 512;

/// The bits of a fingerprint that are compared.
pub(crate) type Mask = [u64; MOST_BITS as usize / 64];

/// How candidates are found.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Blocks {
    pub masks: Vec<Mask>,
    /// The number of sampled bits of each mask; `None` if no pair is missed.
    pub sampled: Option<u32>,
}

/// A way to make masks that never miss.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Way {
    blocks: u32,
    pieces: u32,
    cost: f64,
}

impl Blocks {
    /// The cheapest way to find the fingerprints of `bits` bits at most `distance` apart: all of them if that is affordable,
    /// otherwise the wanted share of those that are so far apart.
    pub(crate) fn new(bits: u32, distance: u32, recall: f64, seed: u64) -> Self {
        match cheapest(bits, distance) {
            Some(way) if way.cost <= MOST_COST => {
                Self { masks: masks(bits, distance, way.blocks, way.pieces), sampled: None }
            }
            _ => sampled(bits, distance, recall, seed),
        }
    }

    /// The probability that fingerprints agree in one of so many masks if this share of their bits is equal.
    pub(crate) fn probability(&self, bits: u32, share: f64, masks: usize) -> f64 {
        let Some(rows) = self.sampled else { return 1.0 };
        let distance = ((1.0 - share) * f64::from(bits)).clamp(0.0, f64::from(bits));
        1.0 - (1.0 - agreement(bits, distance, rows)).powi(masks as i32)
    }
}

/// The probability that none of the bits in which two fingerprints differ is among `rows` sampled ones.
fn agreement(bits: u32, distance: f64, rows: u32) -> f64 {
    let bits = f64::from(bits);
    (0..rows).map(f64::from).map(|at| ((bits - distance - at) / (bits - at)).max(0.0)).product()
}

/// The number of fingerprints that a plan is made for.
fn assumed(bits: u32) -> f64 {
    ASSUMED.min(f64::from(bits).exp2())
}

/// Where a part of `parts` parts of the bits from `from` to `to` begins.
fn edge(from: u32, to: u32, part: u32, parts: u32) -> u32 {
    from + (to - from) * part / parts
}

/// The radius of each block.
fn radius(distance: u32, block: u32, blocks: u32) -> u32 {
    (distance + 1 - block).div_ceil(blocks) - 1
}

/// The number of ways to choose some of many.
fn choices(of: u32, some: u32) -> f64 {
    (0..some).fold(1.0, |product, at| product * f64::from(of - at) / f64::from(at + 1))
}

fn cheapest(bits: u32, distance: u32) -> Option<Way> {
    let assumed = assumed(bits);
    let mut best: Option<Way> = None;
    for blocks in 1..=(distance + 1).min(bits) {
        let least = radius(distance, 0, blocks) + 1;
        for pieces in least..=(least + 15).min(bits / blocks) {
            let (mut cost, mut count) = (0.0, 0.0);
            for block in 0..blocks {
                let width = f64::from(edge(0, bits, block + 1, blocks) - edge(0, bits, block, blocks));
                let radius = radius(distance, block, blocks);
                let equal = width * f64::from(pieces - radius) / f64::from(pieces);
                let met = assumed * assumed / 2.0 / equal.exp2();
                count += choices(pieces, radius);
                cost += choices(pieces, radius) * (assumed * KEY + met * COMPARISON);
            }
            if count <= MOST_MASKS as f64 && best.is_none_or(|best| cost < best.cost) {
                best = Some(Way { blocks, pieces, cost });
            }
        }
    }
    best
}

/// A mask for each block and each choice of pieces of it.
fn masks(bits: u32, distance: u32, blocks: u32, pieces: u32) -> Vec<Mask> {
    let mut masks = Vec::new();
    for block in 0..blocks {
        let (from, to) = (edge(0, bits, block, blocks), edge(0, bits, block + 1, blocks));
        let left_out = radius(distance, block, blocks) as usize;
        let mut chosen: Vec<u32> = (0..left_out as u32).collect();
        loop {
            let mut mask = Mask::default();
            for piece in (0..pieces).filter(|piece| !chosen.contains(piece)) {
                for bit in edge(from, to, piece, pieces)..edge(from, to, piece + 1, pieces) {
                    mask[bit as usize / 64] |= 1 << (bit % 64);
                }
            }
            masks.push(mask);
            // The next choice of pieces to leave out.
            let movable = (0..left_out).rev().find(|&at| chosen[at] < pieces - (left_out - at) as u32);
            let Some(at) = movable else { break };
            chosen[at] += 1;
            for later in at + 1..left_out {
                chosen[later] = chosen[later - 1] + 1;
            }
        }
    }
    masks
}

/// Masks of sampled bits.
fn sampled(bits: u32, distance: u32, recall: f64, seed: u64) -> Blocks {
    let assumed = assumed(bits);
    let needed = |rows: u32| {
        let agreement = agreement(bits, f64::from(distance), rows);
        ((1.0 - recall).ln() / (-agreement).ln_1p()).ceil().max(1.0)
    };
    let cost = |rows: u32| {
        needed(rows) * (assumed * KEY + assumed * assumed / 2.0 / f64::from(rows).exp2() * COMPARISON)
    };
    let rows = (1..=bits.min(64))
        .filter(|&rows| rows == 1 || needed(rows) <= MOST_MASKS as f64)
        .min_by(|&a, &b| cost(a).total_cmp(&cost(b)))
        .unwrap_or(1);
    let mut random = SplitMix64::new(seed);
    let mask = |_| {
        let mut mask = Mask::default();
        let mut left = rows;
        while left > 0 {
            let bit = random.below(u64::from(bits)) as usize;
            if mask[bit / 64] >> (bit % 64) & 1 == 0 {
                mask[bit / 64] |= 1 << (bit % 64);
                left -= 1;
            }
        }
        mask
    };
    let count = (needed(rows) as usize).min(MOST_MASKS);
    Blocks { masks: (0..count).map(mask).collect(), sampled: Some(rows) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn agree(masks: &[Mask], differing: &Mask) -> bool {
        masks.iter().any(|mask| mask.iter().zip(differing).all(|(mask, differing)| mask & differing == 0))
    }

    #[test]
    fn any_two_fingerprints_within_the_distance_agree_in_a_mask() {
        let mut random = SplitMix64::new(1);
        for (bits, distance) in
            [(16, 0), (16, 3), (17, 3), (64, 0), (64, 3), (64, 8), (100, 10), (256, 31), (512, 20)]
        {
            let all = Blocks::new(bits, distance, 0.99, 1);
            assert_eq!(all.sampled, None, "{bits} {distance}");
            for _ in 0..2_000 {
                let mut differing = Mask::default();
                for _ in 0..distance {
                    let bit = random.below(u64::from(bits)) as usize;
                    differing[bit / 64] |= 1 << (bit % 64);
                }
                assert!(agree(&all.masks, &differing), "{bits} {distance}");
            }
        }
    }

    #[test]
    fn every_way_to_cut_never_misses() {
        let mut random = SplitMix64::new(2);
        for (blocks, pieces) in [(1, 8), (1, 12), (2, 4), (3, 3), (4, 2), (4, 4), (8, 1), (5, 3)] {
            let masks = masks(40, 7, blocks, pieces);
            for _ in 0..2_000 {
                let mut differing = Mask::default();
                (0..7).for_each(|_| differing[0] |= 1 << random.below(40));
                assert!(agree(&masks, &differing), "{blocks} {pieces}");
            }
        }
    }

    #[test]
    fn sampled_bits_find_the_stated_share() {
        let (bits, distance) = (256, 90);
        let plan = Blocks::new(bits, distance, 0.9, 1);
        let stated = plan.probability(bits, 1.0 - f64::from(distance) / f64::from(bits), plan.masks.len());
        assert!(plan.sampled.is_some() && stated >= 0.9 && plan.masks.len() <= MOST_MASKS, "{stated}");
        let mut random = SplitMix64::new(7);
        let trials = 2_000;
        let found = (0..trials)
            .filter(|_| {
                let mut differing = Mask::default();
                let mut left = distance;
                while left > 0 {
                    let bit = random.below(u64::from(bits)) as usize;
                    if differing[bit / 64] >> (bit % 64) & 1 == 0 {
                        differing[bit / 64] |= 1 << (bit % 64);
                        left -= 1;
                    }
                }
                agree(&plan.masks, &differing)
            })
            .count() as f64
            / f64::from(trials);
        // 4 standard errors: a false alarm for one seed in 16,000. The masks of a plan are drawn once, which adds a little.
        let error = (stated * (1.0 - stated) / f64::from(trials)).sqrt();
        assert!((found - stated).abs() < 4.0 * error + 0.02, "{found} {stated}");
    }
}
