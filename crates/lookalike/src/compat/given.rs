//! Hash values -> minima under permutations that the caller supplies.
//!
//! The other families draw their own functions from a seed. Here the caller supplies the parameters, so that the
//! minima are bit for bit those of stored sketches that another program made. A [`Scheme`] defines the meaning of the
//! parameters:
//!
//! | scheme | value of element hash `x` under (a, b) | words |
//! |---|---|---|
//! | [`Affine32`] | `a fmix(x) + b` modulo 2^32 | `u32` |
//! | [`Affine64`] | `a fmix(x) + b` modulo 2^64 | `u64` |
//! | [`Mersenne`] | `((a x + b) mod 2^64) mod (2^61 - 1)`, its low 32 bits | `u64` |
//!
//! These are the three schemes of the Python library datasketch (`affine32`, `affine64`, `legacy`). `fmix` is the
//! finaliser of MurmurHash3, which is a bijection. With odd `a` the affine schemes are bijections too, so they add no
//! collisions. The third scheme loses the carries beyond 64 bits and cuts 61 bits to 32. It is neither a permutation
//! nor 2-universal, and is here only for stored values.
//!
//! **Cost.** One multiplication per permutation and element, in SIMD lanes.
//!
//! ```
//! use lookalike::compat::given::{Affine32, GivenPermutations};
//!
//! let (a, b) = ([0x9e37_79b1, 0x85eb_ca6b], [1, 2]);
//! let permutations = GivenPermutations::<Affine32>::new(&a, &b)?;
//! let mut minima = permutations.empty();
//! permutations.update(&[17, 4], &mut minima)?;
//! let mut again = minima.clone();
//! permutations.update(&[4], &mut again)?; // an element that is there already
//! assert_eq!(minima, again);
//! # Ok::<(), lookalike::Error>(())
//! ```

#[cfg(test)]
mod tests;

use crate::arch::{Kernel, dispatch, task};
use crate::error::{Error, Result, check_length};

mod sealed {
    pub trait Sealed {}
}

/// The meaning of the parameters of a permutation: [`Affine32`], [`Affine64`] or [`Mersenne`].
pub trait Scheme: sealed::Sealed + Copy + std::fmt::Debug {
    /// The integer type of hash values, parameters and minima.
    type Word: Copy + Ord + Default + std::fmt::Debug + Send + Sync + 'static;
    /// The minimum of the empty set.
    const EMPTY: Self::Word;

    /// Mixes a hash value. This is done once, before all permutations.
    fn premix(hash: Self::Word) -> Self::Word;
    /// The value of a premixed hash under the permutation (a, b).
    fn permute(a: Self::Word, b: Self::Word, x: Self::Word) -> Self::Word;
}

/// `a fmix(x) + b` modulo 2^32.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Affine32;

/// `a fmix(x) + b` modulo 2^64.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Affine64;

/// `((a x + b) mod 2^64) mod (2^61 - 1)`, its low 32 bits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Mersenne;

impl sealed::Sealed for Affine32 {}
impl sealed::Sealed for Affine64 {}
impl sealed::Sealed for Mersenne {}

impl Scheme for Affine32 {
    type Word = u32;
    const EMPTY: u32 = u32::MAX;

    #[inline(always)]
    fn premix(hash: u32) -> u32 {
        let x = (hash ^ hash >> 16).wrapping_mul(0x85eb_ca6b);
        let x = (x ^ x >> 13).wrapping_mul(0xc2b2_ae35);
        x ^ x >> 16
    }

    #[inline(always)]
    fn permute(a: u32, b: u32, x: u32) -> u32 {
        a.wrapping_mul(x).wrapping_add(b)
    }
}

impl Scheme for Affine64 {
    type Word = u64;
    const EMPTY: u64 = u64::MAX;

    #[inline(always)]
    fn premix(hash: u64) -> u64 {
        let x = (hash ^ hash >> 33).wrapping_mul(0xff51_afd7_ed55_8ccd);
        let x = (x ^ x >> 33).wrapping_mul(0xc4ce_b9fe_1a85_ec53);
        x ^ x >> 33
    }

    #[inline(always)]
    fn permute(a: u64, b: u64, x: u64) -> u64 {
        a.wrapping_mul(x).wrapping_add(b)
    }
}

impl Scheme for Mersenne {
    type Word = u64;
    const EMPTY: u64 = u32::MAX as u64;

    #[inline(always)]
    fn premix(hash: u64) -> u64 {
        hash
    }

    #[inline(always)]
    fn permute(a: u64, b: u64, x: u64) -> u64 {
        const PRIME: u64 = (1 << 61) - 1;
        let sum = a.wrapping_mul(x).wrapping_add(b);
        // 2^61 is 1 modulo the prime, so the three top bits are added to the rest. The sum is below 2 * PRIME.
        let folded = (sum & PRIME) + (sum >> 61);
        (if folded >= PRIME { folded - PRIME } else { folded }) & u64::from(u32::MAX)
    }
}

/// Permutations whose parameters the caller supplies.
#[derive(Debug, Clone, Copy)]
pub struct GivenPermutations<'a, S: Scheme> {
    kernel: Kernel,
    multipliers: &'a [S::Word],
    offsets: &'a [S::Word],
}

impl<'a, S: Scheme> GivenPermutations<'a, S> {
    /// Makes one permutation for each pair of a multiplier and an offset. There must be at least one.
    pub fn new(multipliers: &'a [S::Word], offsets: &'a [S::Word]) -> Result<Self> {
        check_length(multipliers.len(), offsets.len())?;
        if multipliers.is_empty() {
            return Err(Error::invalid("permutations", 0, "at least 1"));
        }
        Ok(Self { kernel: Kernel::best(), multipliers, offsets })
    }

    /// The same permutations with these CPU instructions. The answers are the same; only the speed differs.
    #[must_use]
    pub fn with_kernel(self, kernel: Kernel) -> Self {
        Self { kernel, ..self }
    }

    /// The number of permutations.
    #[must_use]
    pub fn num_hashes(&self) -> usize {
        self.multipliers.len()
    }

    /// The minima of the empty set.
    #[must_use]
    pub fn empty(&self) -> Vec<S::Word> {
        vec![S::EMPTY; self.num_hashes()]
    }

    /// Adds the elements with these hash values to `minima`, which has one minimum for each permutation.
    pub fn update(&self, hashes: &[S::Word], minima: &mut [S::Word]) -> Result<()> {
        check_length(self.num_hashes(), minima.len())?;
        dispatch(self.kernel, Update { permutations: *self, hashes, minima });
        Ok(())
    }

    /// The definition of [`update`](Self::update).
    #[doc(hidden)]
    pub fn update_plainly(&self, hashes: &[S::Word], minima: &mut [S::Word]) -> Result<()> {
        check_length(self.num_hashes(), minima.len())?;
        for ((&a, &b), least) in self.multipliers.iter().zip(self.offsets).zip(minima) {
            for &hash in hashes {
                *least = (*least).min(S::permute(a, b, S::premix(hash)));
            }
        }
        Ok(())
    }
}

struct Update<'a, S: Scheme> {
    permutations: GivenPermutations<'a, S>,
    hashes: &'a [S::Word],
    minima: &'a mut [S::Word],
}

task! {
    impl['a, S: Scheme] Update<'a, S> => (), |task, _: I| {
        /// The number of permutations that are computed together. The last ones are padded.
        const LANES: usize = 32;
        /// The number of elements that are premixed at a time.
        const BATCH: usize = 256;
        let Update { permutations, hashes, minima } = task;
        for batch in hashes.chunks(BATCH) {
            let mut premixed = [S::Word::default(); BATCH];
            for (premixed, &hash) in premixed.iter_mut().zip(batch) {
                *premixed = S::premix(hash);
            }
            let premixed = &premixed[..batch.len()];
            let parameters = permutations.multipliers.chunks(LANES).zip(permutations.offsets.chunks(LANES));
            for ((multipliers, offsets), minima) in parameters.zip(minima.chunks_mut(LANES)) {
                let (mut a, mut b) = ([S::Word::default(); LANES], [S::Word::default(); LANES]);
                a[..multipliers.len()].copy_from_slice(multipliers);
                b[..offsets.len()].copy_from_slice(offsets);
                let mut least = [S::EMPTY; LANES];
                for &x in premixed {
                    for lane in 0..LANES {
                        least[lane] = least[lane].min(S::permute(a[lane], b[lane], x));
                    }
                }
                for (minimum, least) in minima.iter_mut().zip(least) {
                    *minimum = (*minimum).min(least);
                }
            }
        }
    }
}
