//! Sets -> signatures, the fast default: fast similarity sketching.

mod bins;

use super::{EMPTY_SLOT, Family, MinHasher, check_num_hashes, check_slots};
use crate::arch::{CHUNK, Kernel, Simd, dispatch, task};
use crate::error::Result;
use crate::hashing::mix64;
use bins::Bins;

/// The number of low bits of a slot that hold the value. The bits above them hold the round.
pub const VALUE_BITS: u32 = 51;

/// Fast similarity sketching: the default min-hash family.
///
/// Classic min-hashing hashes every element once per slot: K n hashes for K slots and n elements. Fast similarity
/// sketching (Dahlgaard, Knudsen and Thorup, *Fast similarity sketching*, FOCS 2017) throws each element into one of
/// K bins instead, and keeps the smallest value in each bin. If a bin is still empty, all elements are thrown again
/// in another round, with different bins and with values larger than those of all earlier rounds. Rounds are repeated
/// until no bin is empty. If K rounds are not enough, a last series of K rounds gives every element to bin 0, then to
/// bin 1, and so on, so no bin can stay empty.
///
/// **Why it works.** In every bin of the union of two sets, the smallest element is equally likely to be any of its
/// elements. The two signatures agree there exactly if this element is in both sets. So each slot agrees with
/// probability J, and the fraction of agreeing slots is unbiased. The slots are not independent. They are drawn
/// almost without replacement, which is slightly better: the variance is at most about J(1-J)/K, and half of that for
/// small sets (see the tests and `docs/decisions/0001-default-min-hash.md`).
///
/// **Cost.** One round takes n steps, whatever K is. One round is enough if n is more than K ln K; a smaller set of n
/// elements takes about K (ln K + 1) / n rounds. So the time is about n + K ln K, compared with K n for the classic
/// way. If a list needs more rounds than usual because it has many repetitions, these are removed first.
///
/// **Merging.** The slot-wise minimum of two signatures is the signature of the union, because values of earlier
/// rounds are smaller than those of later rounds.
///
/// **Format.** A slot is `round << 51 | value`, where the value has 51 bits; see [the format](crate::format).
///
/// ```
/// use lookalike::minhash::{FastSketch, MinHasher};
///
/// let hasher = FastSketch::new(128, 1)?;
/// let a = hasher.sketch(&[1, 2, 3, 4]);
/// let b = hasher.sketch(&[2, 3, 4, 5]);
/// let estimate = a.estimate(&b)?; // the Jaccard similarity is 3/5
/// assert!((estimate.similarity - 0.6).abs() < 4.0 * 0.05);
/// # Ok::<(), lookalike::Error>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FastSketch {
    num_hashes: usize,
    seed: u64,
    kernel: Kernel,
}

impl FastSketch {
    /// Makes a sketcher for signatures of `num_hashes` slots (1 to 4096).
    pub fn new(num_hashes: usize, seed: u64) -> Result<Self> {
        check_num_hashes(num_hashes)?;
        Ok(Self { num_hashes, seed, kernel: Kernel::best() })
    }

    /// The same sketcher with these CPU instructions. The signatures are the same; only the speed differs.
    #[must_use]
    pub fn with_kernel(self, kernel: Kernel) -> Self {
        Self { kernel, ..self }
    }

    /// The definition: all rounds, one element after the other.
    #[doc(hidden)]
    #[must_use]
    pub fn sketch_plainly(&self, elements: &[u64]) -> Vec<u64> {
        let k = self.num_hashes as u64;
        let mut slots = vec![EMPTY_SLOT; self.num_hashes];
        for round in 0..2 * k {
            for &element in elements {
                let throw = throw(spread(element, self.seed), round);
                let (bin, value) =
                    if round < k { bin_and_value(throw, k) } else { (round - k, throw >> (64 - VALUE_BITS)) };
                let slot = &mut slots[bin as usize];
                *slot = (*slot).min(round << VALUE_BITS | value);
            }
            if round < k && slots.iter().all(|&slot| slot != EMPTY_SLOT) {
                break;
            }
        }
        slots
    }
}

impl MinHasher for FastSketch {
    fn family(&self) -> Family {
        Family::FastSketch
    }

    fn seed(&self) -> u64 {
        self.seed
    }

    fn num_hashes(&self) -> usize {
        self.num_hashes
    }

    fn sketch_into(&self, elements: &[u64], slots: &mut [u64]) -> Result<()> {
        check_slots(slots, self.num_hashes)?;
        slots.fill(EMPTY_SLOT);
        if !elements.is_empty() {
            dispatch(self.kernel, Sketch { elements, seed: self.seed, slots });
        }
        Ok(())
    }
}

/// The element mixed with the seed. The result is treated as a random number.
#[inline(always)]
const fn spread(element: u64, seed: u64) -> u64 {
    mix64(element ^ mix64(seed))
}

/// The random number of an element in a round.
#[inline(always)]
const fn throw(spread: u64, round: u64) -> u64 {
    if round == 0 { spread } else { throw_after_first(spread, round) }
}

#[inline(always)]
const fn throw_after_first(spread: u64, round: u64) -> u64 {
    mixed(before_mixing(spread, round))
}

/// The input from which the random number of a later round is mixed. It grows by the same step from round to round.
#[inline(always)]
const fn before_mixing(spread: u64, round: u64) -> u64 {
    spread.wrapping_add(round.wrapping_mul(0x9e37_79b9_7f4a_7c15))
}

#[inline(always)]
const fn mixed(x: u64) -> u64 {
    (x ^ x >> 32).wrapping_mul(0xd6e8_feb8_6659_fd93)
}

/// Reads the number as a fraction and multiplies it by k: the whole part is the bin, the rest is the value.
#[inline(always)]
const fn bin_and_value(throw: u64, k: u64) -> (u64, u64) {
    // throw * k / 2^64 is computed in two halves of 32 bits. The compiler can vectorise this, but not a 128-bit
    // product.
    let low = (throw & 0xffff_ffff) * k;
    let high = (throw >> 32) * k + (low >> 32);
    (high >> 32, (high & 0xffff_ffff) << (VALUE_BITS - 32) | (low & 0xffff_ffff) >> (64 - VALUE_BITS))
}

/// The same for k = 2^`log`, where k is at least 2.
#[inline(always)]
const fn leading_bits_and_value(throw: u64, log: u32) -> (u64, u64) {
    (throw >> (64 - log), throw << log >> (64 - VALUE_BITS))
}

struct Sketch<'a> {
    elements: &'a [u64],
    seed: u64,
    slots: &'a mut [u64],
}

task! {
    impl['a] Sketch<'a> => (), |task, simd: S| {
        let k = task.slots.len() as u64;
        if k.is_power_of_two() && k > 1 {
            let log = k.trailing_zeros();
            task.rounds(simd, |throw| leading_bits_and_value(throw, log));
        } else {
            task.rounds(simd, |throw| bin_and_value(throw, k));
        }
    }
}

impl Sketch<'_> {
    /// Runs all rounds. `split` turns a throw into a bin and a value.
    #[inline(always)]
    fn rounds<S: Simd>(self, simd: S, split: impl Fn(u64) -> (u64, u64) + Copy) {
        let Self { elements, seed, slots } = self;
        first_round(simd, elements, seed, slots, split);
        let mut bins = Bins::new(simd, slots);
        if elements.len() <= CHUNK {
            several_rounds_at_once(elements, seed, &mut bins, split);
            last_rounds(elements, seed, &mut bins);
            return;
        }
        let last_round = bins.slots.len() as u64;
        let patience = last_round.min(usual_rounds(bins.slots.len(), elements.len()));
        if let Some(spreads) = Spreads::of(elements, seed) {
            for round in 1..patience {
                later_round(spreads.as_slice(), |spread| spread, round, &mut bins, split);
            }
        } else {
            for round in 1..patience {
                later_round(elements, |element| spread(element, seed), round, &mut bins, split);
            }
        }
        if bins.any_empty() {
            // Only a list with few different elements is likely to need so many rounds.
            let distinct = without_repetitions(elements);
            for round in patience..last_round {
                later_round(&distinct, |element| spread(element, seed), round, &mut bins, split);
            }
            last_rounds(&distinct, seed, &mut bins);
        }
    }
}

/// A number of rounds that is nearly always enough to fill `k` bins with `len` different elements. About K ln K
/// throws fill the bins on average, and twice that many nearly always.
fn usual_rounds(k: usize, len: usize) -> u64 {
    let log2 = (usize::BITS - k.leading_zeros()) as usize;
    4 + (2 * k * log2 / len) as u64
}

#[cold]
#[inline(never)]
fn without_repetitions(elements: &[u64]) -> Vec<u64> {
    let mut distinct = elements.to_vec();
    distinct.sort_unstable();
    distinct.dedup();
    distinct
}

/// Round 0. Once every bin is filled, an element matters only if its value is below the largest slot. This soon
/// becomes rare, and most elements are then skipped many at a time.
#[inline(always)]
fn first_round<S: Simd>(
    simd: S,
    elements: &[u64],
    seed: u64,
    slots: &mut [u64],
    split: impl Fn(u64) -> (u64, u64) + Copy,
) {
    let mut limit = EMPTY_SLOT;
    let patience = (4 * slots.len() / CHUNK).max(4);
    for (number, chunk) in elements.chunks(CHUNK).enumerate() {
        let mut bins = [0; CHUNK];
        // Entries that are not written here have the largest value, so they are never below the limit.
        let mut values = [EMPTY_SLOT; CHUNK];
        for ((&element, bin), value) in chunk.iter().zip(&mut bins).zip(&mut values) {
            (*bin, *value) = split(spread(element, seed));
        }
        if limit == EMPTY_SLOT {
            for (&bin, &value) in bins.iter().zip(&values[..chunk.len()]) {
                let slot = &mut slots[bin as usize];
                *slot = (*slot).min(value);
            }
        } else {
            let mut below = simd.below(&values, limit);
            while below != 0 {
                let i = below.trailing_zeros() as usize;
                below &= below - 1;
                let slot = &mut slots[bins[i] as usize];
                *slot = (*slot).min(values[i]);
            }
        }
        if number % patience == patience - 1 {
            limit = slots.iter().copied().max().unwrap_or(EMPTY_SLOT);
        }
    }
}

/// The mixed elements of a set, if there are few enough to store them. They save mixing again in every round.
struct Spreads {
    spreads: [u64; Self::MOST],
    len: usize,
}

impl Spreads {
    const MOST: usize = 8 * CHUNK;

    #[inline(always)]
    fn of(elements: &[u64], seed: u64) -> Option<Self> {
        let mut spreads = [0; Self::MOST];
        for (kept, &element) in spreads.get_mut(..elements.len())?.iter_mut().zip(elements) {
            *kept = spread(element, seed);
        }
        Some(Self { spreads, len: elements.len() })
    }

    #[inline(always)]
    fn as_slice(&self) -> &[u64] {
        &self.spreads[..self.len]
    }
}

/// A round after the first. Only bins that were empty before this round can change.
#[inline(always)]
fn later_round<S: Simd>(
    items: &[u64],
    spread: impl Fn(u64) -> u64,
    round: u64,
    bins: &mut Bins<'_, S>,
    split: impl Fn(u64) -> (u64, u64) + Copy,
) {
    if !bins.any_empty() {
        return;
    }
    for chunk in items.chunks(CHUNK) {
        let (mut targets, mut throws) = ([0; CHUNK], [0; CHUNK]);
        for ((&item, target), throw) in chunk.iter().zip(&mut targets).zip(&mut throws) {
            *throw = throw_after_first(spread(item), round);
            *target = split(*throw).0;
        }
        bins.lower(&targets, chunk.len(), |i| round << VALUE_BITS | split(throws[i]).1);
    }
    bins.end_round();
}

/// Rounds 1 to K - 1 of a small set. As many rounds as fill a chunk are run at a time. It does no harm if some of
/// them are not needed, because the values of a later round are larger than all values of earlier rounds.
#[inline(always)]
fn several_rounds_at_once<S: Simd>(
    elements: &[u64],
    seed: u64,
    bins: &mut Bins<'_, S>,
    split: impl Fn(u64) -> (u64, u64) + Copy,
) {
    if !bins.any_empty() {
        return;
    }
    let k = bins.slots.len() as u64;
    let at_once = CHUNK / elements.len();
    // For each lane, the part of the throw that does not change: it depends on the element and on the number of the
    // round among those that run together.
    let (mut starts, mut ranks) = ([0; CHUNK], [0; CHUNK]);
    let mut spreads = [0; CHUNK];
    for (spread_element, &element) in spreads.iter_mut().zip(elements) {
        *spread_element = spread(element, seed);
    }
    let rounds = starts.chunks_exact_mut(elements.len()).zip(ranks.chunks_exact_mut(elements.len()));
    for (round, (starts, ranks)) in (1..).zip(rounds) {
        for (start, &spread) in starts.iter_mut().zip(&spreads) {
            *start = before_mixing(spread, round);
        }
        ranks.fill(round << VALUE_BITS);
    }
    let mut first_round = 1;
    while bins.any_empty() && first_round < k {
        let rounds = at_once.min((k - first_round) as usize);
        let (later, rank) = (before_mixing(0, first_round - 1), (first_round - 1) << VALUE_BITS);
        let (mut targets, mut throws) = ([0; CHUNK], [0; CHUNK]);
        for i in 0..CHUNK {
            throws[i] = mixed(starts[i].wrapping_add(later));
            targets[i] = split(throws[i]).0;
        }
        bins.lower(&targets, rounds * elements.len(), |i| (ranks[i] + rank) | split(throws[i]).1);
        bins.end_round();
        first_round += rounds as u64;
    }
}

/// Rounds K to 2K - 1, for the bins that are still empty. Each round gives all elements to one bin.
#[inline(always)]
fn last_rounds<S: Simd>(elements: &[u64], seed: u64, bins: &mut Bins<'_, S>) {
    if !bins.any_empty() {
        return;
    }
    let k = bins.slots.len() as u64;
    for (bin, slot) in bins.slots.iter_mut().enumerate() {
        if *slot == EMPTY_SLOT {
            let round = k + bin as u64;
            let least = elements.iter().map(|&element| throw(spread(element, seed), round)).min();
            *slot = round << VALUE_BITS | least.unwrap_or(u64::MAX) >> (64 - VALUE_BITS);
        }
    }
}
