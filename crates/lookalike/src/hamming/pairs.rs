//! Groups of equal fingerprints -> all pairs within distance k: listed, visited one by one, or grouped.
//!
//! The number of pairs may be quadratic (m equal fingerprints make m (m - 1) / 2 pairs). So only
//! [`FingerprintGroups::all_pairs`] holds them in memory; the functions that take a visitor hold no pairs.

use std::ops::ControlFlow;

use super::groups::FingerprintGroups;
use super::join::join;
use crate::arch::Kernel;
use crate::error::{Error, Result};
use crate::simhash::FingerprintBits;

/// Two near fingerprints of the collection.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Pair {
    /// The position of the first fingerprint, less than `b`.
    pub a: u32,
    /// The position of the second fingerprint.
    pub b: u32,
    /// The number of bits in which they differ.
    pub distance: u32,
}

impl Pair {
    /// The two positions as indices of documents. `pairs.iter().map(Pair::indices)` can be passed to
    /// [`connected_components`](crate::clustering::connected_components) and
    /// [`verify_pairs`](crate::verification::verify_pairs).
    ///
    /// ```
    /// use lookalike::clustering::connected_components;
    /// use lookalike::hamming::{HammingConfig, HammingIndex, Pair};
    ///
    /// let fingerprints: [u64; 3] = [0b1111, 0xffff_0000, 0b1110];
    /// let pairs = HammingIndex::build(&fingerprints, &HammingConfig::default())?.all_pairs(3)?;
    /// let components = connected_components(3, pairs.iter().map(Pair::indices))?;
    /// assert_eq!(components.clusters(), [[0, 2]]);
    /// # Ok::<(), lookalike::Error>(())
    /// ```
    #[must_use]
    pub const fn indices(&self) -> (usize, usize) {
        (self.a as usize, self.b as usize)
    }
}

/// Two groups of equal fingerprints that are near each other. Every position of `a` and every position of `b` make a
/// pair.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct GroupPair<'a> {
    /// The positions of the smaller fingerprint, ascending.
    pub a: &'a [u32],
    /// The positions of the larger fingerprint, ascending.
    pub b: &'a [u32],
    /// The number of bits in which the two fingerprints differ, at least 1.
    pub distance: u32,
}

impl<'a> GroupPair<'a> {
    /// Every pair of a position of `a` and one of `b`.
    pub fn pairs(self) -> impl Iterator<Item = Pair> + 'a {
        let distance = self.distance;
        self.a
            .iter()
            .flat_map(move |&a| self.b.iter().map(move |&b| Pair { a: a.min(b), b: a.max(b), distance }))
    }
}

impl<B: FingerprintBits> FingerprintGroups<B> {
    /// All pairs at most `k` bits apart, each once, sorted by (a, b).
    ///
    /// m equal fingerprints make m (m - 1) / 2 pairs. If these are too many, use
    /// [`visit_group_pairs`](Self::visit_group_pairs) together with [`equal`](Self::equal).
    pub fn all_pairs(&self, k: u32) -> Result<Vec<Pair>> {
        let mut pairs = Vec::new();
        let flow = self.visit_pairs(k, |pair| {
            pairs.push(pair);
            ControlFlow::Continue(())
        })?;
        debug_assert!(flow.is_continue());
        pairs.sort_unstable();
        Ok(pairs)
    }

    /// Calls `visit` once for every pair at most `k` bits apart, in a fixed but unspecified order, until it
    /// returns `Break`. It needs no memory for the pairs.
    pub fn visit_pairs(
        &self,
        k: u32,
        mut visit: impl FnMut(Pair) -> ControlFlow<()>,
    ) -> Result<ControlFlow<()>> {
        Self::check_pair_distance(k)?;
        for pair in self.equal_pairs() {
            if visit(pair).is_break() {
                return Ok(ControlFlow::Break(()));
            }
        }
        self.visit_group_pairs(k, |groups| groups.pairs().try_for_each(&mut visit))
    }

    /// Calls `visit` once for every two *different* fingerprints at most `k` bits apart, in a fixed but
    /// unspecified order, until it returns `Break`. Pairs of equal fingerprints are in [`equal`](Self::equal).
    pub fn visit_group_pairs<'a>(
        &'a self,
        k: u32,
        mut visit: impl FnMut(GroupPair<'a>) -> ControlFlow<()>,
    ) -> Result<ControlFlow<()>> {
        Self::check_pair_distance(k)?;
        Ok(join(Kernel::best(), self.values(), k, |a, b, distance| visit(self.group_pair(a, b, distance))))
    }

    /// The two groups at these positions in the values.
    pub(super) fn group_pair(&self, a: u32, b: u32, distance: u32) -> GroupPair<'_> {
        GroupPair { a: self.positions(a as usize), b: self.positions(b as usize), distance }
    }

    /// All pairs of equal fingerprints.
    pub(super) fn equal_pairs(&self) -> impl Iterator<Item = Pair> {
        self.equal().flat_map(|positions| {
            positions
                .iter()
                .enumerate()
                .flat_map(|(i, &a)| positions[i + 1..].iter().map(move |&b| Pair { a, b, distance: 0 }))
        })
    }

    pub(super) fn check_pair_distance(k: u32) -> Result<()> {
        if k > B::BITS {
            return Err(Error::invalid("k", k, format!("at most the number of bits, {}", B::BITS)));
        }
        Ok(())
    }
}
