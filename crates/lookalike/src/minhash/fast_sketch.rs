//! Sets -> signatures, the fast default: fast similarity sketching.

mod bins;
mod rounds;

use super::{EMPTY_SLOT, Family, MinHasher, check_num_hashes, check_slots};
use crate::arch::{Kernel, dispatch};
use crate::error::Result;
use crate::hashing::mix64;
use rounds::Sketch;

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
        let cut = AnyNumber { k };
        let mut slots = vec![EMPTY_SLOT; self.num_hashes];
        for round in 0..2 * k {
            for &element in elements {
                let throw = throw(spread(element, self.seed), round);
                let (bin, value) = if round < k {
                    cut.bin_and_value(throw)
                } else {
                    (round - k, throw >> (64 - VALUE_BITS))
                };
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
    if round == 0 { spread } else { mixed(before_mixing(spread, round)) }
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

/// How a throw becomes a bin and a value: it is read as a fraction and multiplied by K. The whole part is the bin, the
/// rest is the value.
trait Cut: Copy {
    /// The bin and the value, in a form that the compiler can vectorise.
    fn bin_and_value(self, throw: u64) -> (u64, u64);

    /// The same in the form that is fastest for a single throw.
    fn bin_and_value_of_one(self, throw: u64) -> (u64, u64);

    /// The bin alone.
    #[inline(always)]
    fn bin(self, throw: u64) -> u64 {
        self.bin_and_value(throw).0
    }

    /// For K up to 256: a number that becomes the bin when it is shifted right by [`Self::shift`].
    fn top(self, throw: u64) -> u64;

    /// At least 56 if K is at most 256.
    fn shift(self) -> u32;
}

/// Any K.
#[derive(Clone, Copy)]
struct AnyNumber {
    k: u64,
}

impl Cut for AnyNumber {
    #[inline(always)]
    fn bin_and_value(self, throw: u64) -> (u64, u64) {
        // throw * k / 2^64 is computed in two halves of 32 bits. The compiler can vectorise this, but not a 128-bit
        // product.
        let low = (throw & 0xffff_ffff) * self.k;
        let high = (throw >> 32) * self.k + (low >> 32);
        (high >> 32, (high & 0xffff_ffff) << (VALUE_BITS - 32) | (low & 0xffff_ffff) >> (64 - VALUE_BITS))
    }

    #[inline(always)]
    fn bin_and_value_of_one(self, throw: u64) -> (u64, u64) {
        let product = u128::from(throw) * u128::from(self.k);
        ((product >> 64) as u64, product as u64 >> (64 - VALUE_BITS))
    }

    #[inline(always)]
    fn top(self, throw: u64) -> u64 {
        self.bin(throw) << 56
    }

    #[inline(always)]
    fn shift(self) -> u32 {
        56
    }
}

/// K = 2^`log`, where K is at least 2.
#[derive(Clone, Copy)]
struct PowerOfTwo {
    log: u32,
}

impl Cut for PowerOfTwo {
    #[inline(always)]
    fn bin_and_value(self, throw: u64) -> (u64, u64) {
        (throw >> (64 - self.log), throw << self.log >> (64 - VALUE_BITS))
    }

    #[inline(always)]
    fn bin_and_value_of_one(self, throw: u64) -> (u64, u64) {
        self.bin_and_value(throw)
    }

    #[inline(always)]
    fn top(self, throw: u64) -> u64 {
        throw
    }

    #[inline(always)]
    fn shift(self) -> u32 {
        64 - self.log
    }
}
