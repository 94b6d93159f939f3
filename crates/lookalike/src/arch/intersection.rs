//! Two ascending sets -> the number of elements they share.
//!
//! Merging is the definition: hold a finger on each set, move the one on the smaller element, count when both
//! show the same. On unrelated sets which finger moves is a coin toss that a CPU cannot predict, so even the
//! branchless merge ([`scalar`]) pays the latency of a load, a compare and an add for each element: about 8 cycles.
//!
//! The vector kernels ([`x86`]) compare a block of one set with a block of the other, every element against every element, and
//! then move past the block with the smaller maximum (past both when the maxima are equal). A pair of blocks
//! meets at most once, and two equal elements are always in blocks that meet, so each shared element is counted
//! exactly once. A step costs about as much as one step of the merge but moves 8 elements at a time (Inoue,
//! Ohara and Taura 2014; Schlegel, Willhalm and Lehner 2011). Those papers rotate one block within a register;
//! here the other block's elements are broadcast from memory, which the load ports do for free.
//!
//! When one set is more than [`GALLOP_RATIO`] times the other, each element of the small one is looked up in the
//! large one by exponential search: O(small * log(large / small)).
//!
//! The cost is linear in `a.len() + b.len()`, and less when `needed` turns out to be out of reach.

mod scalar;
#[cfg(test)]
mod tests;
#[cfg(target_arch = "x86_64")]
mod x86;

use std::sync::OnceLock;

/// From this ratio of lengths on, looking up the elements of the smaller set beats merging.
const GALLOP_RATIO: usize = 32;

/// How many steps a kernel makes between two looks at whether `needed` can still be reached.
const STEPS_BETWEEN_CHECKS: usize = 16;

/// One way to count the shared elements of two ascending sets. All give the same answer.
///
/// A value exists only if this CPU can run it. Use [`best`](Self::best), unless the point is to compare them.
///
/// ```
/// use lookalike::similarity::IntersectionKernel;
///
/// for kernel in IntersectionKernel::available() {
///     assert_eq!(kernel.intersection_size(&[1, 3, 5], &[2, 3, 5, 8]), 2);
/// }
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Kernel(Instructions);

/// Private, so that a [`Kernel`] can be made only by the functions below that ask the CPU first.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Instructions {
    Scalar,
    #[cfg(target_arch = "x86_64")]
    Avx2,
    #[cfg(target_arch = "x86_64")]
    Avx512,
}

impl Kernel {
    /// The definition, which every CPU can run.
    #[must_use]
    pub const fn scalar() -> Self {
        Self(Instructions::Scalar)
    }

    /// The kernel with 256-bit registers, if this CPU has AVX2.
    #[must_use]
    pub fn avx2() -> Option<Self> {
        #[cfg(target_arch = "x86_64")]
        if std::arch::is_x86_feature_detected!("avx2") && std::arch::is_x86_feature_detected!("popcnt") {
            return Some(Self(Instructions::Avx2));
        }
        None
    }

    /// The kernel with 512-bit registers, if this CPU has AVX-512.
    #[must_use]
    pub fn avx512() -> Option<Self> {
        #[cfg(target_arch = "x86_64")]
        if std::arch::is_x86_feature_detected!("avx512f") && std::arch::is_x86_feature_detected!("popcnt") {
            return Some(Self(Instructions::Avx512));
        }
        None
    }

    /// The fastest kernel of this CPU. The choice is made once.
    #[must_use]
    pub fn best() -> Self {
        static BEST: OnceLock<Kernel> = OnceLock::new();
        *BEST.get_or_init(|| Self::avx512().or_else(Self::avx2).unwrap_or(Self::scalar()))
    }

    /// All kernels of this CPU, the definition first.
    pub fn available() -> impl Iterator<Item = Self> {
        [Some(Self::scalar()), Self::avx2(), Self::avx512()].into_iter().flatten()
    }

    /// Its name: `scalar`, `avx2` or `avx512`.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self.0 {
            Instructions::Scalar => "scalar",
            #[cfg(target_arch = "x86_64")]
            Instructions::Avx2 => "avx2",
            #[cfg(target_arch = "x86_64")]
            Instructions::Avx512 => "avx512",
        }
    }

    /// How many elements `a` and `b` share. Both must be strictly ascending, else the number means nothing.
    #[must_use]
    pub fn intersection_size(self, a: &[u64], b: &[u64]) -> usize {
        self.intersection_at_least(a, b, 0).unwrap_or(0)
    }

    /// How many elements `a` and `b` share, or `None` if fewer than `needed`; stops as soon as that is certain.
    /// Both must be strictly ascending, else the number means nothing.
    #[must_use]
    pub fn intersection_at_least(self, a: &[u64], b: &[u64], needed: usize) -> Option<usize> {
        let (small, large) = if a.len() <= b.len() { (a, b) } else { (b, a) };
        if small.len() < needed {
            return None;
        }
        let mut merge = Merge::new(small, large, needed);
        if !merge.is_lopsided() {
            let reachable = match self.0 {
                Instructions::Scalar => Reachable::Yes,
                // SAFETY: a `Kernel` of these instructions is made only after asking the CPU for them.
                #[cfg(target_arch = "x86_64")]
                Instructions::Avx2 => unsafe { x86::avx2(&mut merge) },
                // SAFETY: as above.
                #[cfg(target_arch = "x86_64")]
                Instructions::Avx512 => unsafe { x86::avx512(&mut merge) },
            };
            if reachable == Reachable::No {
                return None;
            }
        }
        // What is left after the blocks can be lopsided even when the sets are not.
        if merge.is_lopsided() {
            scalar::gallop(&mut merge);
        } else {
            scalar::merge(&mut merge);
        }
        (merge.common >= needed).then_some(merge.common)
    }
}

/// Whether the wanted number of shared elements can still be reached.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Reachable {
    Yes,
    No,
}

/// How far the merge of two ascending sets has come.
struct Merge<'a> {
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

impl<'a> Merge<'a> {
    fn new(a: &'a [u64], b: &'a [u64], needed: usize) -> Self {
        Self { a, b, i: 0, j: 0, common: 0, needed }
    }

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
