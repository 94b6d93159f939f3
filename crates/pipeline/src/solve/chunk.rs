//! The documents that are compared with one another at a time.

use super::Evidence;
use crate::method::{Means, Sketching, fingerprint};
use crate::store::Number;
use crate::{Result, Verify};
use lookalike::minhash::lanes::{estimate_cutoff, estimate_of_lanes, matching_lanes};
use lookalike::similarity::SortedSet;

/// What a document does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Role {
    /// It may be removed, and may remove others.
    Both,
    /// It may only remove others: it is kept already.
    Listed,
    /// It may only be removed.
    Asking,
}

/// Documents in keep order. What the method does not need is empty.
#[derive(Debug, Default)]
pub(crate) struct Chunk {
    pub numbers: Vec<Number>,
    pub roles: Vec<Role>,
    /// Hash of the value of `--within`.
    pub within: Vec<u64>,
    /// Lanes, a fixed number per document.
    pub lanes: Vec<u16>,
    /// Sorted sets, in any order, and where each document's is.
    pub sets: Vec<u64>,
    pub set_spans: Vec<(usize, usize)>,
}

/// What is known of a pair after looking at it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Verdict {
    /// The signatures say no: not even a candidate.
    Unlike,
    /// The lengths say no.
    Filtered,
    /// Compared, and below the threshold.
    Below,
    /// At or above.
    Similar(Evidence),
}

impl Chunk {
    /// How many documents there are.
    pub(crate) fn len(&self) -> usize {
        self.numbers.len()
    }

    /// The lanes of a document.
    #[inline]
    pub(crate) fn lanes(&self, at: usize, means: &Means) -> &[u16] {
        let width = means.lanes();
        &self.lanes[at * width..(at + 1) * width]
    }

    /// The set of a document.
    #[inline]
    pub(crate) fn set(&self, at: usize) -> SortedSet<'_> {
        let (start, end) = self.set_spans[at];
        SortedSet::assume_sorted(&self.sets[start..end])
    }

    /// All bucket keys of a document.
    pub(crate) fn visit_keys(&self, at: usize, means: &Means, mut visit: impl FnMut(u64)) {
        if let Sketching::Samples = means.sketching {
            means.samples(self.set(at).as_slice(), self.within[at]).for_each(visit);
        } else {
            let lanes = self.lanes(at, means);
            (0..means.bands()).for_each(|band| visit(means.key(band, lanes, self.within[at])));
        }
    }

    /// Looks at a pair: is `at` a duplicate of `other`? They share `shared` buckets.
    pub(crate) fn compare(&self, at: usize, other: usize, shared: u32, means: &Means) -> Result<Verdict> {
        let mut evidence = Evidence { similarity: f64::NAN, distance: 0, sole_band: None };
        match &means.sketching {
            Sketching::Bands { cutoff, hasher: _, banding: _ } => {
                let (a, b) = (self.lanes(at, means), self.lanes(other, means));
                let matching = matching_lanes(a, b);
                if shared == 1 {
                    evidence.sole_band = self.shared_band(at, other, means);
                }
                match means.settings.verify {
                    Verify::None => return Ok(Verdict::Similar(evidence)),
                    Verify::Estimate => {
                        evidence.similarity = estimate_of_lanes(matching, a.len())?.similarity;
                        let similar = evidence.similarity >= means.settings.threshold;
                        return Ok(if similar { Verdict::Similar(evidence) } else { Verdict::Below });
                    }
                    Verify::Exact if matching < *cutoff => return Ok(Verdict::Unlike),
                    Verify::Exact => {}
                }
            }
            Sketching::Tables { distance, .. } => {
                let (a, b) = (self.lanes(at, means), self.lanes(other, means));
                evidence.distance = (fingerprint(a) ^ fingerprint(b)).count_ones();
                if evidence.distance > *distance {
                    return Ok(Verdict::Unlike);
                }
                if means.settings.verify != Verify::Exact {
                    return Ok(Verdict::Similar(evidence));
                }
            }
            Sketching::Samples => {
                let sampled = means.samples(self.set(at).as_slice(), self.within[at]).count();
                if (shared as usize) < samples_needed(sampled, means.settings.threshold)? {
                    return Ok(Verdict::Unlike);
                }
            }
        }
        let (a, b) = (self.set(at), self.set(other));
        if means.verifier.needed_overlap(a.len(), b.len()).is_none() {
            return Ok(Verdict::Filtered);
        }
        Ok(match means.verifier.verify(a, b) {
            Some(similarity) => Verdict::Similar(Evidence { similarity, ..evidence }),
            None => Verdict::Below,
        })
    }

    /// The exact similarity of a pair, whatever it is.
    pub(crate) fn similarity(&self, at: usize, other: usize, means: &Means) -> f64 {
        means.verifier.measure().similarity(self.set(at), self.set(other))
    }

    /// The first band that two documents share.
    fn shared_band(&self, at: usize, other: usize, means: &Means) -> Option<u32> {
        let (a, b) = (self.lanes(at, means), self.lanes(other, means));
        let within = self.within[at];
        (0..means.bands())
            .find(|&band| means.key(band, a, within) == means.key(band, b, within))
            .map(|band| band as u32)
    }
}

/// How many of the sampled shingles of a document another one must have: so few that a pair at the threshold has fewer
/// once in a million times.
fn samples_needed(sampled: usize, threshold: f64) -> Result<usize> {
    // Beyond this the tail is close to normal, and five standard deviations are one in 3.5 million.
    if sampled > 4_096 {
        let (n, p) = (sampled as f64, threshold);
        return Ok((n * p - 5.0 * (n * p * (1.0 - p)).sqrt()).max(1.0) as usize);
    }
    Ok(if sampled == 0 { 1 } else { estimate_cutoff(sampled, threshold, 1e-6)?.max(1) })
}
