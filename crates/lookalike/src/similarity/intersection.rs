//! Two ascending sets -> the number of elements they share.
//!
//! Merging is the definition: hold a finger on each set, move the finger on the smaller element, and count when both
//! elements are equal. On unrelated sets, which finger moves is a coin toss that a CPU cannot predict. So even the
//! branchless merge ([`merge`]) pays the latency of a load, a compare and an add for each element: about 8 cycles.
//!
//! With vector registers ([`blocks`]) a block of one set is compared with a block of the other, every element with
//! every element. Then the block with the smaller maximum is finished (both if the maxima are equal). Two blocks are
//! compared at most once, and two equal elements are always in blocks that are compared, so each shared element is
//! counted exactly once. A step costs about as much as one step of the merge but advances by 8 elements (Inoue, Ohara
//! and Taura 2014; Schlegel, Willhalm and Lehner 2011). Those papers rotate one block within a register. Here the
//! other block's elements are broadcast from memory, which the load ports do for free.
//!
//! When one set is more than [`GALLOP_RATIO`] times as large as the other, each element of the small set is looked up
//! in the large one by exponential search ([`gallop`]): O(small * log(large / small)).
//!
//! The cost is linear in `a.len() + b.len()`, and less if it turns out early that `needed` cannot be reached.

mod blocks;
mod scalar;
#[cfg(test)]
mod tests;

use crate::arch::{Kernel, dispatch};
use blocks::CompareBlocks;
use scalar::{gallop, merge};

/// From this ratio of lengths on, looking up the elements of the smaller set is faster than merging.
const GALLOP_RATIO: usize = 32;

/// The number of steps between two checks whether `needed` can still be reached.
const STEPS_BETWEEN_CHECKS: usize = 16;

/// The number of elements that `a` and `b` share, or `None` if it is less than `needed`. It stops as soon as that is
/// certain. If `a` or `b` is not strictly ascending, the number has no meaning.
pub(crate) fn intersection_at_least(kernel: Kernel, a: &[u64], b: &[u64], needed: usize) -> Option<usize> {
    let (small, large) = if a.len() <= b.len() { (a, b) } else { (b, a) };
    if small.len() < needed {
        return None;
    }
    let mut progress = Progress { a: small, b: large, i: 0, j: 0, common: 0, needed };
    if !progress.is_lopsided() && dispatch(kernel, CompareBlocks(&mut progress)) == Reachable::No {
        return None;
    }
    // The rests after the blocks can differ much in length even if the sets do not. They gain nothing from vectors,
    // and handling them inside the task cost 20 ns more.
    if progress.is_lopsided() {
        gallop(&mut progress);
    } else {
        merge(&mut progress);
    }
    (progress.common >= needed).then_some(progress.common)
}

/// Whether the wanted number of shared elements can still be reached.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Reachable {
    Yes,
    No,
}

/// The state of the merge of two ascending sets.
struct Progress<'a> {
    a: &'a [u64],
    b: &'a [u64],
    /// The number of elements of `a` that are finished.
    i: usize,
    /// The number of elements of `b` that are finished.
    j: usize,
    /// The number of shared elements found so far.
    common: usize,
    /// The merge may stop when it is certain that fewer than this many shared elements will be found.
    needed: usize,
}

impl Progress<'_> {
    /// The number of elements left in the set that has fewer left.
    #[inline(always)]
    fn shorter_rest(&self) -> usize {
        (self.a.len() - self.i).min(self.b.len() - self.j)
    }

    /// Every shared element still to be found is in both rests, so their number is at most the length of the shorter
    /// one.
    #[inline(always)]
    fn reachable(&self) -> Reachable {
        if self.common + self.shorter_rest() >= self.needed { Reachable::Yes } else { Reachable::No }
    }

    fn is_lopsided(&self) -> bool {
        let (rest_a, rest_b) = (self.a.len() - self.i, self.b.len() - self.j);
        rest_a.min(rest_b).saturating_mul(GALLOP_RATIO) < rest_a.max(rest_b)
    }
}
