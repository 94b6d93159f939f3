//! Compares blocks of 8 elements with blocks of 8 elements.

use super::{Progress, Reachable, STEPS_BETWEEN_CHECKS};
use crate::arch::{SET_BLOCK, task};

/// Compares whole blocks until one set has no whole block left, or until it is certain that too few elements are
/// shared. On narrow registers it does nothing, because the merge is faster there.
pub(super) struct CompareBlocks<'a, 'b>(pub(super) &'a mut Progress<'b>);

task! {
    impl['a, 'b] CompareBlocks<'a, 'b> => Reachable, |task, simd: S| {
        let Self(progress) = task;
        if S::REGISTER_BYTES < 32 {
            return Reachable::Yes;
        }
        let (a, b) = (progress.a, progress.b);
        loop {
            if progress.reachable() == Reachable::No {
                return Reachable::No;
            }
            // So many steps that neither set can run out of blocks.
            let steps = (progress.shorter_rest() / SET_BLOCK).min(STEPS_BETWEEN_CHECKS);
            if steps == 0 {
                return Reachable::Yes;
            }
            let (mut i, mut j, mut common) = (progress.i, progress.j, 0);
            // `j` is stored as `i + j`. The compiler would pack two similar updates into one vector register, and
            // moving them from there to an address doubles the latency of a step.
            let mut i_plus_j = i + j;
            for _ in 0..steps {
                let (Some(block_a), Some(block_b)) = (block_at(a, i), block_at(b, j)) else { break };
                common += simd.shared_elements(block_a, block_b);
                let (max_a, max_b) = (block_a[SET_BLOCK - 1], block_b[SET_BLOCK - 1]);
                i += SET_BLOCK * usize::from(max_a <= max_b);
                i_plus_j += SET_BLOCK + SET_BLOCK * usize::from(max_a == max_b);
                j = i_plus_j - i;
            }
            (progress.i, progress.j) = (i, j);
            progress.common += common as usize;
        }
    }
}

/// The block that begins at `start`, if there is a whole one.
#[inline(always)]
fn block_at(set: &[u64], start: usize) -> Option<&[u64; SET_BLOCK]> {
    set.get(start..)?.first_chunk()
}
