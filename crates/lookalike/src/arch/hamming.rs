//! Fingerprints near a given one: the comparison loop of the Hamming search, compiled for what the CPU has.
//!
//! [`scan`] is the definition and the only source. It is inlined into wrappers that differ in nothing but the
//! instructions the compiler may use: without `popcnt` counting the bits of a word takes about twelve of them,
//! with AVX-512 `vpopcntdq` one for eight words. A [`Kernel`] can only be made if the CPU can run it, and it is
//! chosen once per call, for a whole run of comparisons.

use std::ops::Range;

use crate::simhash::FingerprintBits;

/// A compiled form of the comparison loop. All forms give the same answers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Kernel(Level);

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Level {
    Portable,
    #[cfg(target_arch = "x86_64")]
    Popcnt,
    #[cfg(target_arch = "x86_64")]
    Avx512,
}

impl Kernel {
    /// What every CPU can run.
    pub(crate) const PORTABLE: Self = Self(Level::Portable);

    /// The fastest form this CPU can run.
    pub(crate) fn fastest() -> Self {
        #[cfg(target_arch = "x86_64")]
        {
            if let Some(kernel) = Self::avx512().or_else(Self::popcnt) {
                return kernel;
            }
        }
        Self::PORTABLE
    }

    #[cfg(target_arch = "x86_64")]
    fn popcnt() -> Option<Self> {
        is_x86_feature_detected!("popcnt").then_some(Self(Level::Popcnt))
    }

    #[cfg(target_arch = "x86_64")]
    fn avx512() -> Option<Self> {
        let able = is_x86_feature_detected!("popcnt")
            && is_x86_feature_detected!("avx512f")
            && is_x86_feature_detected!("avx512bw")
            && is_x86_feature_detected!("avx512dq")
            && is_x86_feature_detected!("avx512vl")
            && is_x86_feature_detected!("avx512bitalg")
            && is_x86_feature_detected!("avx512vpopcntdq");
        able.then_some(Self(Level::Avx512))
    }

    /// Appends the places of the `candidates` at most `k` bits from `query`, ascending.
    #[inline]
    pub(crate) fn near<B: FingerprintBits>(self, query: B, candidates: &[B], k: u32, hits: &mut Vec<u32>) {
        match self.0 {
            Level::Portable => near(query, candidates, k, hits),
            #[cfg(target_arch = "x86_64")]
            // SAFETY: `Kernel::popcnt` has seen that the CPU has `popcnt`.
            Level::Popcnt => unsafe { x86::near_popcnt(query, candidates, k, hits) },
            #[cfg(target_arch = "x86_64")]
            // SAFETY: `Kernel::avx512` has seen that the CPU has every feature of the wrapper.
            Level::Avx512 => unsafe { x86::near_avx512(query, candidates, k, hits) },
        }
    }

    /// Appends the places `(i, j)`, i in `rows` and i < j, of the pairs of `run` at most `k` bits apart, ascending.
    #[inline]
    pub(crate) fn near_pairs<B: FingerprintBits>(
        self,
        run: &[B],
        rows: Range<usize>,
        k: u32,
        hits: &mut Vec<(u32, u32)>,
    ) {
        match self.0 {
            Level::Portable => near_pairs(run, rows, k, hits),
            #[cfg(target_arch = "x86_64")]
            // SAFETY: `Kernel::popcnt` has seen that the CPU has `popcnt`.
            Level::Popcnt => unsafe { x86::near_pairs_popcnt(run, rows, k, hits) },
            #[cfg(target_arch = "x86_64")]
            // SAFETY: `Kernel::avx512` has seen that the CPU has every feature of the wrapper.
            Level::Avx512 => unsafe { x86::near_pairs_avx512(run, rows, k, hits) },
        }
    }
}

/// Calls `hit` with the place of every candidate at most `k` bits from `query`, ascending.
#[inline(always)]
fn scan<B: FingerprintBits>(query: B, candidates: &[B], k: u32, mut hit: impl FnMut(u32)) {
    // Long blocks for long scans; most runs of a join are shorter than those.
    let scanned = scan_blocks::<B, 32>(query, candidates, 0, k, &mut hit);
    let scanned = scan_blocks::<B, 8>(query, candidates, scanned, k, &mut hit);
    for (place, &candidate) in candidates.iter().enumerate().skip(scanned) {
        if query.hamming_distance(candidate) <= k {
            hit(place as u32);
        }
    }
}

/// Scans from `start` as far as there are whole blocks of `N`, and says how far that is.
///
/// A hit is rare: this looks for any in a block without a branch per candidate, then for which.
#[inline(always)]
fn scan_blocks<B: FingerprintBits, const N: usize>(
    query: B,
    candidates: &[B],
    mut start: usize,
    k: u32,
    hit: &mut impl FnMut(u32),
) -> usize {
    let (blocks, _) = candidates[start..].as_chunks::<N>();
    for block in blocks {
        let mut least = u32::MAX;
        for &candidate in block {
            least = least.min(query.hamming_distance(candidate));
        }
        if least <= k {
            for (lane, &candidate) in block.iter().enumerate() {
                if query.hamming_distance(candidate) <= k {
                    hit((start + lane) as u32);
                }
            }
        }
        start += N;
    }
    start
}

#[inline(always)]
fn near<B: FingerprintBits>(query: B, candidates: &[B], k: u32, hits: &mut Vec<u32>) {
    scan(query, candidates, k, |place| hits.push(place));
}

#[inline(always)]
fn near_pairs<B: FingerprintBits>(run: &[B], rows: Range<usize>, k: u32, hits: &mut Vec<(u32, u32)>) {
    for i in rows {
        let after = i + 1;
        scan(run[i], &run[after..], k, |place| hits.push((i as u32, after as u32 + place)));
    }
}

#[cfg(target_arch = "x86_64")]
mod x86 {
    use super::{FingerprintBits, Range};

    #[target_feature(enable = "popcnt")]
    pub(super) fn near_popcnt<B: FingerprintBits>(query: B, candidates: &[B], k: u32, hits: &mut Vec<u32>) {
        super::near(query, candidates, k, hits);
    }

    #[target_feature(enable = "popcnt")]
    pub(super) fn near_pairs_popcnt<B: FingerprintBits>(
        run: &[B],
        rows: Range<usize>,
        k: u32,
        hits: &mut Vec<(u32, u32)>,
    ) {
        super::near_pairs(run, rows, k, hits);
    }

    #[target_feature(enable = "popcnt,avx512f,avx512bw,avx512dq,avx512vl,avx512bitalg,avx512vpopcntdq")]
    pub(super) fn near_avx512<B: FingerprintBits>(query: B, candidates: &[B], k: u32, hits: &mut Vec<u32>) {
        super::near(query, candidates, k, hits);
    }

    #[target_feature(enable = "popcnt,avx512f,avx512bw,avx512dq,avx512vl,avx512bitalg,avx512vpopcntdq")]
    pub(super) fn near_pairs_avx512<B: FingerprintBits>(
        run: &[B],
        rows: Range<usize>,
        k: u32,
        hits: &mut Vec<(u32, u32)>,
    ) {
        super::near_pairs(run, rows, k, hits);
    }
}

#[cfg(test)]
impl Kernel {
    /// Every form this CPU can run, so that tests reach all of them.
    pub(crate) fn available() -> Vec<Self> {
        #[allow(unused_mut)]
        let mut kernels = vec![Self::PORTABLE];
        #[cfg(target_arch = "x86_64")]
        kernels.extend([Self::popcnt(), Self::avx512()].into_iter().flatten());
        kernels
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hashing::SplitMix64;

    /// Every kernel, every length from 0 to 70 and every alignment, against counting bits one by one.
    fn equals_the_definition<B: FingerprintBits>() {
        fn bits_apart<B: FingerprintBits>(a: B, b: B) -> u32 {
            let (a, b) = (a.widen(), b.widen());
            (0..128).filter(|bit| (a >> bit) & 1 != (b >> bit) & 1).count() as u32
        }
        let mut random = SplitMix64::new(9);
        // Few set bits, so that all small distances occur.
        let mut word = || B::truncate((0..3).fold(0, |w, _| w | 1u128 << random.below(u64::from(B::BITS))));
        let words: Vec<B> = (0..78).map(|_| word()).collect();
        for length in 0..70 {
            for start in 0..8 {
                let run = &words[start..start + length];
                for k in [0, 2, 4] {
                    let near: Vec<u32> =
                        (0..length as u32).filter(|&i| bits_apart(words[77], run[i as usize]) <= k).collect();
                    let rows = length / 3..length - length / 4;
                    let pairs: Vec<(u32, u32)> = rows
                        .clone()
                        .flat_map(|i| (i + 1..length).map(move |j| (i, j)))
                        .filter(|&(i, j)| bits_apart(run[i], run[j]) <= k)
                        .map(|(i, j)| (i as u32, j as u32))
                        .collect();
                    for kernel in Kernel::available() {
                        let mut hits = Vec::new();
                        kernel.near(words[77], run, k, &mut hits);
                        assert_eq!(hits, near, "{kernel:?}, length {length}, k {k}");
                        let mut hits = Vec::new();
                        kernel.near_pairs(run, rows.clone(), k, &mut hits);
                        assert_eq!(hits, pairs, "{kernel:?}, length {length}, k {k}");
                    }
                }
            }
        }
    }

    #[test]
    fn every_kernel_equals_the_definition_for_every_width() {
        equals_the_definition::<u16>();
        equals_the_definition::<u32>();
        equals_the_definition::<u64>();
        equals_the_definition::<u128>();
    }

    #[test]
    fn the_fastest_kernel_is_one_of_the_available() {
        assert!(Kernel::available().contains(&Kernel::fastest()));
    }
}
