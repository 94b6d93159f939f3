//! Weighted features -> the sparse vector that represents a document.

use super::Namespace;
use crate::error::{Error, Result, check_weight};
use crate::math::powi;
use crate::shingling::ShingleBag;
use crate::similarity::{sparse_cosine, sparse_dot, weighted_jaccard};

const ENTRIES_ARE_CHECKED: &str = "entries ascend by feature and have finite weights above 0";

/// A sparse vector: a list of (feature, weight), ascending by feature, each feature once. Weights are positive and
/// finite.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct DocumentVector {
    entries: Vec<(u64, f64)>,
}

impl DocumentVector {
    /// The vector of these features and weights, in any order. Weights of the same feature are added, and
    /// features of weight 0 are dropped. A weight (or sum) that is negative, infinite or NaN gives an error.
    pub fn from_weights(weights: impl IntoIterator<Item = (u64, f64)>) -> Result<Self> {
        let mut builder = DocumentVectorBuilder::new();
        for (feature, weight) in weights {
            builder.add_hashed(feature, weight)?;
        }
        builder.build()
    }

    /// The vector of these entries, which must be strictly ascending by feature. Weights must be finite and at least
    /// 0.
    pub(super) fn from_ascending(entries: impl Iterator<Item = (u64, f64)>) -> Self {
        Self { entries: entries.filter(|&(_, weight)| weight > 0.0).collect() }
    }

    /// The features with their weights, ascending by feature. They can be passed to
    /// [`WeightedMinHash::sketch`](crate::minhash::WeightedMinHash::sketch) and to SimHash.
    #[must_use]
    pub fn entries(&self) -> &[(u64, f64)] {
        &self.entries
    }

    /// The number of features.
    #[must_use]
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// True if there is no feature, that is, for the zero vector.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// The Euclidean length. It is infinite if it is beyond the largest `f64`.
    #[must_use]
    pub fn norm(&self) -> f64 {
        let largest = self.largest();
        if largest == 0.0 { 0.0 } else { largest * self.relative_norm(largest) }
    }

    /// The inner product. It is infinite if it is beyond the largest `f64`.
    #[must_use]
    pub fn dot(&self, other: &Self) -> f64 {
        sparse_dot(&self.entries, &other.entries)
    }

    /// The cosine of the angle between the two vectors, from 0 to 1. This is [`sparse_cosine`], which cannot fail
    /// here.
    ///
    /// The cosine of a zero vector is undefined. As for empty sets everywhere in this crate, it is taken as 1 for two
    /// zero vectors and as 0 for a zero vector and another one.
    #[must_use]
    pub fn cosine(&self, other: &Self) -> f64 {
        sparse_cosine(&self.entries, &other.entries).expect(ENTRIES_ARE_CHECKED)
    }

    /// The weighted Jaccard similarity: the sum of the smaller weights over the sum of the larger ones. It is 1 for
    /// two zero vectors. This is [`similarity::weighted_jaccard`](weighted_jaccard), which cannot fail here.
    #[must_use]
    pub fn weighted_jaccard(&self, other: &Self) -> f64 {
        weighted_jaccard(&self.entries, &other.entries).expect(ENTRIES_ARE_CHECKED)
    }

    /// The vector with every weight multiplied by `factor`. The factor must be positive, and the new weights must be
    /// finite. Weights that become 0 are dropped.
    pub fn scale(&self, factor: f64) -> Result<Self> {
        if !(factor > 0.0 && factor.is_finite()) {
            return Err(Error::invalid("factor", factor, "a finite number above 0"));
        }
        Self::from_weights(self.entries.iter().map(|&(feature, weight)| (feature, weight * factor)))
    }

    /// The vector of length 1 in the same direction. The zero vector has no direction and is returned unchanged.
    #[must_use]
    pub fn normalized(&self) -> Self {
        let largest = self.largest();
        let norm = self.relative_norm(largest);
        let entries = self.entries.iter().map(|&(feature, weight)| (feature, weight / largest / norm));
        Self { entries: entries.filter(|&(_, weight)| weight > 0.0).collect() }
    }

    fn largest(&self) -> f64 {
        self.entries.iter().map(|&(_, weight)| weight).fold(0.0, f64::max)
    }

    fn relative_norm(&self, largest: f64) -> f64 {
        self.entries.iter().map(|&(_, weight)| powi(weight / largest, 2)).sum::<f64>().sqrt()
    }
}

impl From<&ShingleBag> for DocumentVector {
    /// The bag as a vector. The weight of a shingle is the number of times it occurs.
    fn from(bag: &ShingleBag) -> Self {
        Self::from_ascending(bag.as_slice().iter().map(|&(shingle, count)| (shingle, f64::from(count))))
    }
}

/// Collects weighted features for one [`DocumentVector`]. Weights of the same feature are added.
#[derive(Debug, Clone, Default)]
pub struct DocumentVectorBuilder {
    entries: Vec<(u64, f64)>,
}

impl DocumentVectorBuilder {
    /// A builder without features.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a feature by its kind and name: a word of anchor text, a page that links to the document, ...
    pub fn add_feature(&mut self, namespace: Namespace<'_>, name: &str, weight: f64) -> Result<&mut Self> {
        self.add_hashed(namespace.feature(name), weight)
    }

    /// Adds a feature by its hash. The weight must be finite and not negative.
    pub fn add_hashed(&mut self, feature: u64, weight: f64) -> Result<&mut Self> {
        check_weight("weight", weight)?;
        self.entries.push((feature, weight));
        Ok(self)
    }

    /// Adds the terms of a bag. The weight of each term is `weight(term, count)` (see [`TfIdf`](super::TfIdf)).
    pub fn add_bag(
        &mut self,
        bag: &ShingleBag,
        mut weight: impl FnMut(u64, u32) -> f64,
    ) -> Result<&mut Self> {
        for &(term, count) in bag.as_slice() {
            self.add_hashed(term, weight(term, count))?;
        }
        Ok(self)
    }

    /// Makes the vector. It is an error if the weights of one feature add up to more than the largest `f64`.
    pub fn build(mut self) -> Result<DocumentVector> {
        // The sort is stable, so that equal calls add in the same order and give the same bits.
        self.entries.sort_by_key(|&(feature, _)| feature);
        self.entries.dedup_by(|(feature, weight), (first, sum)| {
            let same = feature == first;
            if same {
                *sum += *weight;
            }
            same
        });
        if let Some((_, sum)) = self.entries.iter().find(|(_, sum)| sum.is_infinite()) {
            return Err(Error::invalid("sum of a feature's weights", sum, "a finite number"));
        }
        self.entries.retain(|&(_, weight)| weight > 0.0);
        Ok(DocumentVector { entries: self.entries })
    }
}
