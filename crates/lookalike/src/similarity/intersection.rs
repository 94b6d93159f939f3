//! Two ascending sets -> the number of elements they share.
//!
//! Merging is the definition: hold a finger on each set, move the one on the smaller element, count when both
//! show the same. On unrelated sets which finger moves is a coin toss that a CPU cannot predict, so even the
//! branchless merge ([`merge`]) pays the latency of a load, a compare and an add for each element: about 8 cycles.
//!
//! With vector registers ([`blocks`]) a block of one set is compared with a block of the other, every element
//! against every element, and then the block with the smaller maximum is done with (both when the maxima are
//! equal). A pair of blocks meets at most once, and two equal elements are always in blocks that meet, so each
//! shared element is counted exactly once. A step costs about as much as one step of the merge but moves 8 elements
//! at a time (Inoue, Ohara and Taura 2014; Schlegel, Willhalm and Lehner 2011). Those papers rotate one block
//! within a register; here the other block's elements are broadcast from memory, which the load ports do for free.
//!
//! When one set is more than [`GALLOP_RATIO`] times the other, each element of the small one is looked up in the
//! large one by exponential search ([`gallop`]): O(small * log(large / small)).
//!
//! The cost is linear in `a.len() + b.len()`, and less when `needed` turns out to be out of reach.

mod blocks;
mod scalar;
#[cfg(test)]
mod tests;

use crate::arch::{Kernel, dispatch};
use blocks::CompareBlocks;
use scalar::{gallop, merge};

/// From this ratio of lengths on, looking up the elements of the smaller set beats merging.
const GALLOP_RATIO: usize = 32;

/// How many steps are made between two looks at whether `needed` can still be reached.
const STEPS_BETWEEN_CHECKS: usize = 16;

/// How many elements `a` and `b` share, or `None` if fewer than `needed`; stops as soon as that is certain.
/// Both must be strictly ascending, else the number means nothing.
pub(crate) fn intersection_at_least(kernel: Kernel, a: &[u64], b: &[u64], needed: usize) -> Option<usize> {
    let (small, large) = if a.len() <= b.len() { (a, b) } else { (b, a) };
    if small.len() < needed {
        return None;
    }
    let mut progress = Progress { a: small, b: large, i: 0, j: 0, common: 0, needed };
    if !progress.is_lopsided() && dispatch(kernel, CompareBlocks(&mut progress)) == Reachable::No {
        return None;
    }
    // What is left after the blocks can be lopsided even when the sets are not. It gains nothing from vectors, and
    // as part of the task it cost 20 ns more.
    if progress.is_lopsided() {
        gallop(&mut progress);
    } else {
        merge(&mut progress);
    }
    (progress.common >= needed).then_some(progress.common)
}

/// True if the wanted number of shared elements can still be reached.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Reachable {
    Yes,
    No,
}

/// How far the merge of two ascending sets has come.
struct Progress<'a> {
    a: &'a [u64],
    b: &'a [u64],
    /// Elements of `a` that are done with.
    i: usize,
    /// Elements of `b` that are done with.
    j: usize,
    /// Shared elements among those.
    common: usize,
    /// The merge may stop when fewer than these will be found.
    needed: usize,
}

impl Progress<'_> {
    /// How many elements are left on the side that has fewer.
    #[inline(always)]
    fn shorter_rest(&self) -> usize {
        (self.a.len() - self.i).min(self.b.len() - self.j)
    }

    /// Every element still to be found is in both rests, so the shorter rest bounds their number.
    #[inline(always)]
    fn reachable(&self) -> Reachable {
        if self.common + self.shorter_rest() >= self.needed { Reachable::Yes } else { Reachable::No }
    }

    fn is_lopsided(&self) -> bool {
        let (rest_a, rest_b) = (self.a.len() - self.i, self.b.len() - self.j);
        rest_a.min(rest_b).saturating_mul(GALLOP_RATIO) < rest_a.max(rest_b)
    }
}
