//! Measure -> the locality-sensitive family for it, if there is one.

use crate::error::{Error, Result, check_unit};

/// What two items are compared by.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Measure {
    /// `|A and B| / |A or B|`, a similarity from 0 to 1.
    Jaccard,
    /// Sum of the smaller weights over sum of the larger ones, a similarity from 0 to 1.
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

/// The families of this crate.
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
    /// The family whose collision probability is governed by this measure.
    ///
    /// A family in which items collide with probability equal to a similarity `s` makes `1 - s` a metric (M.
    /// S. Charikar, *Similarity Estimation Techniques from Rounding Algorithms*, STOC 2002, Lemma 1): it is
    /// the probability that a random function tells the two apart, and a function that tells A from C tells A
    /// from B or B from C. For Dice and overlap the triangle inequality fails, with `A = {1}`, `B = {1, 2}`,
    /// `C = {2}`: A and C have nothing in common (distance 1), but `1 - Dice` of the others is 1/3 + 1/3, and
    /// `1 - overlap` 0 + 0. Containment is not even symmetric. Asking for these is an error that says what to
    /// use.
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

/// The Jaccard similarity that belongs to a Dice coefficient: `D / (2 - D)`.
pub fn jaccard_from_dice(dice: f64) -> Result<f64> {
    check_unit("Dice coefficient", dice)?;
    Ok(dice / (2.0 - dice))
}

/// The Dice coefficient that belongs to a Jaccard similarity: `2 J / (1 + J)`.
pub fn dice_from_jaccard(jaccard: f64) -> Result<f64> {
    check_unit("Jaccard similarity", jaccard)?;
    Ok(2.0 * jaccard / (1.0 + jaccard))
}

pub(super) fn check_distance(value: f64) -> Result<()> {
    if value >= 0.0 { Ok(()) } else { Err(Error::invalid("distance", value, "at least 0")) }
}
