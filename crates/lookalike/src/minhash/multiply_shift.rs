//! Sets -> signatures, with one multiplication per slot and element: multiply-shift lanes.

use super::{EMPTY_SLOT, Family, MinHasher, check_num_hashes, check_slots};
use crate::arch::{Kernel, dispatch, task};
use crate::error::Result;
use crate::hashing::{SplitMix64, mix64};

/// Classic min-hashing with multiply-shift functions.
///
/// Slot i is the least `a_i x + b_i` modulo 2^32 over the elements x, with odd random a_i. This is the multiply-shift
/// scheme of Dietzfelbinger et al. (1997). Its high bits are the most random ones, and they decide the order. Each
/// element is first mixed to 32 bits, so structured input does no harm.
///
/// **Why it is here.** It is classic min-hashing in the form that suits SIMD best: 16 lanes per AVX-512 register.
/// [`FastSketch`](super::FastSketch) is more accurate for small sets and faster for large ones, so it is the
/// default. This family is the classic method to compare with (`docs/decisions/0001-default-min-hash.md`). A slot has
/// 32 bits, so it saturates on sets of billions of elements. The functions are 2-universal, which does not make them
/// min-wise independent, but no bias was found on mixed elements.
///
/// **Cost.** K multiplications per element.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MultiplyShift {
    seed: u64,
    kernel: Kernel,
    num_hashes: usize,
    /// The multipliers, padded to whole blocks of lanes.
    multipliers: Vec<u32>,
    offsets: Vec<u32>,
}

/// The number of lanes that are computed together: four AVX-512 registers.
const LANES: usize = 64;

impl MultiplyShift {
    /// Makes a family of `num_hashes` functions (1 to 4096).
    pub fn new(num_hashes: usize, seed: u64) -> Result<Self> {
        check_num_hashes(num_hashes)?;
        let mut random = SplitMix64::new(seed);
        let lanes = num_hashes.next_multiple_of(LANES);
        let (multipliers, offsets) =
            (0..lanes).map(|_| (random.next_u64() as u32 | 1, random.next_u64() as u32)).unzip();
        Ok(Self { seed, kernel: Kernel::best(), num_hashes, multipliers, offsets })
    }

    /// The same family with these CPU instructions. The signatures are the same; only the speed differs.
    #[must_use]
    pub fn with_kernel(self, kernel: Kernel) -> Self {
        Self { kernel, ..self }
    }

    /// The definition.
    #[doc(hidden)]
    #[must_use]
    pub fn sketch_plainly(&self, elements: &[u64]) -> Vec<u64> {
        self.multipliers[..self.num_hashes]
            .iter()
            .zip(&self.offsets)
            .map(|(&a, &b)| {
                let values = elements.iter().map(|&x| a.wrapping_mul(narrow(x, self.seed)).wrapping_add(b));
                values.min().map_or(EMPTY_SLOT, u64::from)
            })
            .collect()
    }
}

/// An element mixed with the seed, in 32 bits.
#[inline(always)]
const fn narrow(element: u64, seed: u64) -> u32 {
    (mix64(element ^ mix64(seed)) >> 32) as u32
}

impl MinHasher for MultiplyShift {
    fn family(&self) -> Family {
        Family::MultiplyShift
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
            dispatch(self.kernel, Minima { family: self, elements, slots });
        }
        Ok(())
    }
}

struct Minima<'a> {
    family: &'a MultiplyShift,
    elements: &'a [u64],
    slots: &'a mut [u64],
}

task! {
    impl['a] Minima<'a> => (), |task, _: S| {
        /// The number of elements that are narrowed at a time.
        const BATCH: usize = 256;
        let Minima { family, elements, slots } = task;
        let multipliers = family.multipliers.as_chunks::<LANES>().0;
        let offsets = family.offsets.as_chunks::<LANES>().0;
        for batch in elements.chunks(BATCH) {
            let mut narrowed = [0u32; BATCH];
            for (narrowed, &element) in narrowed.iter_mut().zip(batch) {
                *narrowed = narrow(element, family.seed);
            }
            let narrowed = &narrowed[..batch.len()];
            for ((a, b), slots) in multipliers.iter().zip(offsets).zip(slots.chunks_mut(LANES)) {
                let mut least = [u32::MAX; LANES];
                for &x in narrowed {
                    for lane in 0..LANES {
                        least[lane] = least[lane].min(a[lane].wrapping_mul(x).wrapping_add(b[lane]));
                    }
                }
                for (slot, least) in slots.iter_mut().zip(least) {
                    *slot = (*slot).min(u64::from(least));
                }
            }
        }
    }
}
