//! Blocks of 8 against blocks of 8, with AVX-512 and with AVX2.

use super::{Merge, Reachable, STEPS_BETWEEN_CHECKS};
use std::arch::x86_64::*;

/// Elements in a block.
const BLOCK: usize = 8;

/// Compares whole blocks until one set has no whole block left, or too few shared elements can be found.
#[target_feature(enable = "avx512f,popcnt")]
pub(super) fn avx512(merge: &mut Merge<'_>) -> Reachable {
    blocks(merge, |a, b| {
        // SAFETY: `a` is 8 elements of 8 bytes, and the load needs no alignment.
        let a = unsafe { _mm512_loadu_si512(a.as_ptr().cast()) };
        let mut shared = 0;
        for y in b {
            // `_mm512_set1_epi64(*y)` becomes a load and a shuffle for half of the elements; this form becomes
            // the compare's own memory operand.
            // SAFETY: the load reads the 8 bytes of `y`.
            let y = _mm512_broadcastq_epi64(unsafe { _mm_loadl_epi64((&raw const *y).cast()) });
            shared |= _mm512_cmpeq_epi64_mask(a, y);
        }
        shared.count_ones()
    })
}

/// Compares whole blocks until one set has no whole block left, or too few shared elements can be found.
#[target_feature(enable = "avx2,popcnt")]
pub(super) fn avx2(merge: &mut Merge<'_>) -> Reachable {
    blocks(merge, |a, b| {
        // SAFETY: `a` is 8 elements of 8 bytes: two loads of 4, which need no alignment.
        let (low, high) =
            unsafe { (_mm256_loadu_si256(a.as_ptr().cast()), _mm256_loadu_si256(a.as_ptr().add(4).cast())) };
        let (mut shared_low, mut shared_high) = (_mm256_setzero_si256(), _mm256_setzero_si256());
        for &y in b {
            let y = _mm256_set1_epi64x(y.cast_signed());
            shared_low = _mm256_or_si256(shared_low, _mm256_cmpeq_epi64(low, y));
            shared_high = _mm256_or_si256(shared_high, _mm256_cmpeq_epi64(high, y));
        }
        // One mask of all 8 would make the compiler pack the result of every single compare.
        let low = _mm256_movemask_pd(_mm256_castsi256_pd(shared_low));
        let high = _mm256_movemask_pd(_mm256_castsi256_pd(shared_high));
        low.count_ones() + high.count_ones()
    })
}

/// The walk over the blocks; `shared_in_blocks` counts the elements that two blocks have in common.
#[inline(always)]
fn blocks(
    merge: &mut Merge<'_>,
    shared_in_blocks: impl Fn(&[u64; BLOCK], &[u64; BLOCK]) -> u32,
) -> Reachable {
    loop {
        if merge.reachable() == Reachable::No {
            return Reachable::No;
        }
        // As many steps as neither set can run out of.
        let steps = (merge.shorter_rest() / BLOCK).min(STEPS_BETWEEN_CHECKS);
        if steps == 0 {
            return Reachable::Yes;
        }
        let (a, b) = (merge.a.as_ptr(), merge.b.as_ptr());
        let (mut i, mut j, mut common) = (merge.i, merge.j, 0);
        // `j` is kept as `i + j`: two like-shaped updates the compiler would pack into one vector register, whose
        // way back to an address doubles the latency of a step.
        let mut i_plus_j = i + j;
        for _ in 0..steps {
            // SAFETY: each step moves each side by at most one block, and before the loop both sides had at
            // least `steps` whole blocks left. `[u64; 8]` has the layout and alignment of 8 elements.
            let (block_a, block_b) = unsafe { (&*a.add(i).cast(), &*b.add(j).cast()) };
            common += shared_in_blocks(block_a, block_b);
            let (max_a, max_b) = (block_a[BLOCK - 1], block_b[BLOCK - 1]);
            i += BLOCK * usize::from(max_a <= max_b);
            i_plus_j += BLOCK + BLOCK * usize::from(max_a == max_b);
            j = i_plus_j - i;
        }
        (merge.i, merge.j) = (i, j);
        merge.common += common as usize;
    }
}
