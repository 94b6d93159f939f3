//! Measure -> the locality-sensitive family for it, if there is one.

use crate::error::{Error, Result, check_unit};

/// A similarity or distance of two items.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Measure {
    /// `|A and B| / |A or B|`, a similarity from 0 to 1.
    Jaccard,
    /// The sum of the smaller weights over the sum of the larger ones, a similarity from 0 to 1.
    WeightedJaccard,
    /// The cosine of the angle, a similarity from -1 to 1.
    Cosine,
    /// The number of bits that differ, a distance.
    Hamming,
    /// The length of the difference (l2), a distance.
    Euclidean,
    /// The sum of the absolute differences (l1), a distance.
    Manhattan,
    /// `2 |A and B| / (|A| + |B|)`.
    Dice,
    /// `|A and B| / min(|A|, |B|)`.
    Overlap,
    /// `|A and B| / |A|`.
    Containment,
}

/// The locality-sensitive families of this crate.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum FamilyKind {
    /// [`MinHashFamily`](super::MinHashFamily) over any [`MinHasher`](crate::minhash::MinHasher).
    MinHash,
    /// [`WeightedMinHash`](crate::minhash::WeightedMinHash).
    WeightedMinHash,
    /// [`Hyperplanes`](super::Hyperplanes) and [`SparseHyperplanes`](super::SparseHyperplanes).
    Hyperplanes,
    /// [`BitSampling`](super::BitSampling).
    BitSampling,
    /// [`StableProjections`](super::StableProjections) with [`Stable::Gaussian`](super::Stable::Gaussian).
    GaussianProjections,
    /// [`StableProjections`](super::StableProjections) with [`Stable::Cauchy`](super::Stable::Cauchy).
    CauchyProjections,
}

impl Measure {
    /// The family whose collision probability is determined by this measure.
    ///
    /// If items collide with probability equal to a similarity `s`, then `1 - s` is a metric (M. S. Charikar,
    /// *Similarity Estimation Techniques from Rounding Algorithms*, STOC 2002, Lemma 1). The reason: `1 - s` is the
    /// probability that a random function separates the two items, and a function that separates A from C separates A
    /// from B or B from C. Dice and overlap violate the triangle inequality, for example with `A = {1}`,
    /// `B = {1, 2}`, `C = {2}`. A and C have nothing in common (distance 1), but the distances A to B and B to C add
    /// up to only 1/3 + 1/3 for `1 - Dice`, and to 0 + 0 for `1 - overlap`. Containment is not even symmetric. Asking
    /// for one of these gives an error that says what to use instead.
    ///
    /// ```
    /// use lookalike::vectors::{FamilyKind, Measure};
    ///
    /// assert_eq!(Measure::Cosine.lsh_family(), Ok(FamilyKind::Hyperplanes));
    /// let error = Measure::Dice.lsh_family().unwrap_err().to_string();
    /// assert!(error.contains("J = D/(2-D)"));
    /// ```
    pub fn lsh_family(self) -> Result<FamilyKind> {
        match self {
            Self::Jaccard => Ok(FamilyKind::MinHash),
            Self::WeightedJaccard => Ok(FamilyKind::WeightedMinHash),
            Self::Cosine => Ok(FamilyKind::Hyperplanes),
            Self::Hamming => Ok(FamilyKind::BitSampling),
            Self::Euclidean => Ok(FamilyKind::GaussianProjections),
            Self::Manhattan => Ok(FamilyKind::CauchyProjections),
            Self::Dice => Err(Error::NoLshFamily {
                measure: "the Dice coefficient",
                instead: "use Jaccard: J = D/(2-D) orders pairs the same way, so a threshold D becomes that J",
            }),
            Self::Overlap => Err(Error::NoLshFamily {
                measure: "the overlap coefficient",
                instead: "use Jaccard: for sizes a <= b, J = O a/(a+b-O a), and J = D/(2-D) with D = O where a = b; \
                          for very different sizes use the size-partitioned index for containment",
            }),
            Self::Containment => Err(Error::NoLshFamily {
                measure: "containment",
                instead: "use the size-partitioned index for containment, or Jaccard where sizes are alike",
            }),
        }
    }
}

/// The Jaccard similarity of two sets with this Dice coefficient: `D / (2 - D)`.
pub fn jaccard_from_dice(dice: f64) -> Result<f64> {
    check_unit("Dice coefficient", dice)?;
    Ok(dice / (2.0 - dice))
}

/// The Dice coefficient of two sets with this Jaccard similarity: `2 J / (1 + J)`.
pub fn dice_from_jaccard(jaccard: f64) -> Result<f64> {
    check_unit("Jaccard similarity", jaccard)?;
    Ok(2.0 * jaccard / (1.0 + jaccard))
}

pub(super) fn check_distance(value: f64) -> Result<()> {
    if value >= 0.0 { Ok(()) } else { Err(Error::invalid("distance", value, "at least 0")) }
}
