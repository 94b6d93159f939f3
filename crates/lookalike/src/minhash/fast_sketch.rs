//! Sets -> signatures, the fast default: fast similarity sketching.

mod bins;

use super::{EMPTY_SLOT, Family, MinHasher, check_num_hashes, check_slots};
use crate::arch::{CHUNK, Kernel, Simd, dispatch, task};
use crate::error::Result;
use crate::hashing::mix64;
use bins::Bins;

/// Bits of a slot that hold the value; the round stands above them.
pub const VALUE_BITS: u32 = 51;

/// Fast similarity sketching: the default min-hash family.
///
/// Classic min-hashing hashes every element once per slot: K n hashes for K slots and n elements. Fast similarity
/// sketching (Dahlgaard, Knudsen and Thorup, *Fast similarity sketching*, FOCS 2017) throws each element into one
/// of K bins instead, and keeps the smallest value in each bin. When a bin stays empty, all elements are thrown
/// again, in a further round, with other bins and with values that rank behind those of all earlier rounds; and
/// so on until no bin is empty. Should K rounds not be enough, a last series of K rounds gives every element to
/// bin 1, then to bin 2, and so on, so no bin can stay empty.
///
/// **Why it works.** In every bin of the union of two sets, the smallest element is equally likely to be any of
/// them; the two signatures agree there exactly when it is in both. So each slot agrees with probability J, and
/// the fraction of agreeing slots is unbiased. The slots are not independent but, being drawn almost without
/// replacement, a little better than that: the variance is at most about J(1-J)/K, and half of it for small sets
/// (see the tests and `docs/decisions/0001-default-min-hash.md`).
///
/// **Cost.** One round is n steps, whatever K. One round is enough when n is over K ln K; a set of n elements
/// takes about K (ln K + 1) / n rounds. So the time is about n + K ln K, against K n. Lists with
/// so many repetitions that the usual number of rounds is not enough are rid of them first.
///
/// **Merging.** The slot-wise minimum of two signatures is the signature of the union, since values of earlier
/// rounds are smaller than those of later rounds.
///
/// **Format.** A slot is `round << 51 | value`, the value having 51 bits; see [the format](crate::format).
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
    /// A sketcher for signatures of `num_hashes` slots (1 to 4096).
    pub fn new(num_hashes: usize, seed: u64) -> Result<Self> {
        check_num_hashes(num_hashes)?;
        Ok(Self { num_hashes, seed, kernel: Kernel::best() })
    }

    /// The same sketcher on other instructions: the same answers at another speed.
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

/// An element, mixed with the seed: from here on it is a random number.
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

/// What the number of a later round is mixed from: it goes on by the same step from round to round.
#[inline(always)]
const fn before_mixing(spread: u64, round: u64) -> u64 {
    spread.wrapping_add(round.wrapping_mul(0x9e37_79b9_7f4a_7c15))
}

#[inline(always)]
const fn mixed(x: u64) -> u64 {
    (x ^ x >> 32).wrapping_mul(0xd6e8_feb8_6659_fd93)
}

/// The number as a fraction of k: the whole part is the bin, the rest the value.
#[inline(always)]
const fn bin_and_value(throw: u64, k: u64) -> (u64, u64) {
    // throw * k / 2^64 in two halves of 32 bits, which vectorises where a 128-bit product does not.
    let low = (throw & 0xffff_ffff) * k;
    let high = (throw >> 32) * k + (low >> 32);
    (high >> 32, (high & 0xffff_ffff) << (VALUE_BITS - 32) | (low & 0xffff_ffff) >> (64 - VALUE_BITS))
}

/// The same for k = 2^`log`, from 2 on.
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
    /// All rounds; `split` makes bin and value of a throw.
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
            // So many rounds are hardly ever needed but for a list that has few different elements.
            let distinct = without_repetitions(elements);
            for round in patience..last_round {
                later_round(&distinct, |element| spread(element, seed), round, &mut bins, split);
            }
            last_rounds(&distinct, seed, &mut bins);
        }
    }
}

/// More rounds than a list of `len` different elements is likely to need for `k` bins: about K ln K throws fill
/// them, and twice that nearly always.
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

/// Round 0. Once every bin has something, an element matters only if its value is below the largest slot, which
/// soon is rare: most elements are then passed over many at a time.
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
        // A limit is a value, so what is not written here is not below it.
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

/// The spread of each element, for sets that take more than two rounds: not too many to be kept at hand.
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

/// A round after the first: only bins still empty, or first reached in this round, can change.
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

/// Rounds 1 up to K of a small set, as many at a time as fill a chunk. That some of them may not be needed does
/// no harm: what a later round throws ranks behind all that is there.
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
    // Lane by lane, the part of the throw that does not change: that of the element and of its place among the rounds
    // thrown together.
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

/// Rounds K to 2K - 1, each of which gives all elements to one bin, for the bins that are still empty.
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
