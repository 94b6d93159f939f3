//! Two texts -> the passages they share.
//!
//! Similarity is one number, but people want to see *what* two texts share. A passage is text that is in both: a run
//! of shingles that follow each other in A and in B. It is given by its bytes in the original texts, before
//! normalisation.
//!
//! ```
//! use lookalike::passages::{Place, compare};
//! use lookalike::shingling::Shingler;
//!
//! let a = "The cat sat on the mat. And then it slept all day long.";
//! let b = "And then it slept all day long! The cat sat on the mat.";
//! let comparison = compare(a, b, &Shingler::words(3)?)?;
//! assert_eq!(comparison.counts.jaccard(), 9.0 / 13.0);
//! let passages = &comparison.passages;
//! assert_eq!((&a[passages[0].a.clone()], passages[0].place), ("The cat sat on the mat", Place::Moved));
//! assert_eq!((&b[passages[1].b.clone()], passages[1].place), ("And then it slept all day long", Place::InOrder));
//! # Ok::<(), lookalike::Error>(())
//! ```
//!
//! # What is shared
//!
//! A shingle of A is *shared* if B has its hash, at any position and any number of times. The same is true for B. The
//! [`Run`]s of all passages cover all shared shingles of both texts and no others. So the marked bytes are exactly
//! those that the Jaccard similarity counts: the tokens of the shared shingles.
//!
//! 1. **Runs.** A run pairs shingles `i, i+1, ...` of A with equal shingles `j, j+1, ...` of B. Every shingle of A is
//!    in at most one run *of A*, and the same holds for B. A shingle is *free* while no run has it. The first runs
//!    come from shingles that occur exactly once in each text, and so have only one possible partner (the *unique
//!    anchors* of patience diff). A run grows from each of them in both directions as long as the shingles are equal
//!    and free. The heaviest chain of these runs that ascends in both texts divides the texts into gaps. Free
//!    shingles in a gap of A are paired with free ones in the same gap of B, and after that with free ones anywhere.
//!    Each time the first free occurrence is chosen, unless one of the next few gives a longer run. The remaining
//!    shingles occur more often in one text than in the other. Each is paired with a shingle that has a partner
//!    already, and the run is a repetition.
//! 2. **Passages.** Runs that follow each other in both texts with at most k tokens between them are one passage. So
//!    a changed word separates two runs of one passage, not two passages. The text between two runs is not shared and
//!    belongs to no [`Run`].
//! 3. **Order.** Among the passages that are not repetitions, the heaviest chain that ascends in both texts is
//!    [in order](Place::InOrder). (The weight is the number of shingles.) All other passages have
//!    [moved](Place::Moved).
//!
//! Shingles overlap, so two neighbouring runs can share tokens. [`Comparison::segments`] cuts a text into pieces that
//! do not overlap. Shingles [led by stop words](crate::shingling::Unit::StopWordLed) have text between them, which a
//! run includes.
//!
//! **Cost.** The cost is linear in the lengths of the texts, except for sorting the runs and finding repeated
//! shingles by bisection. Every step of a growing run uses up a shingle, and the choice among repeated shingles looks
//! at a bounded number of them. Two prose texts of 5 MB take a few tenths of a second.
//!
//! Unique anchors are from Cohen's patience diff. Heckel, *A technique for isolating differences between
//! files* (1978), grows runs from them and finds moved blocks. The chain is the longest increasing subsequence with
//! weights (Fredman 1975).

mod characters;
mod occurrences;
mod order;
mod runs;
mod segments;

pub use characters::Characters;
pub use segments::{Mark, Segment};

use crate::error::{Error, Result};
use crate::shingling::{LocatedShingles, Shingler};
use crate::similarity::SetMeasure;
use occurrences::Occurrences;
use std::ops::Range;

/// The comparison of two texts, A and B: what they share.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Comparison {
    /// The numbers of different shingles in each text and in both.
    pub counts: SharedCounts,
    /// The shared passages, sorted by where they begin in A (then in B).
    pub passages: Vec<Passage>,
}

/// The numbers of different shingles in two texts, and in both of them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SharedCounts {
    /// The number of different shingles of A.
    pub a: usize,
    /// The number of different shingles of B.
    pub b: usize,
    /// The number of different shingles that are in both.
    pub common: usize,
}

impl SharedCounts {
    /// The exact Jaccard similarity.
    #[must_use]
    pub fn jaccard(&self) -> f64 {
        SetMeasure::Jaccard.of_counts(self.a, self.b, self.common)
    }

    /// The share of A's shingles that are in B.
    #[must_use]
    pub fn containment_of_a(&self) -> f64 {
        SetMeasure::Containment.of_counts(self.a, self.b, self.common)
    }

    /// The share of B's shingles that are in A.
    #[must_use]
    pub fn containment_of_b(&self) -> f64 {
        SetMeasure::Containment.of_counts(self.b, self.a, self.common)
    }
}

/// A passage that is in both texts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Passage {
    /// Its bytes in A, from the first run to the last.
    pub a: Range<usize>,
    /// Its bytes in B, from the first run to the last.
    pub b: Range<usize>,
    /// The number of shingles in its runs.
    pub shingles: usize,
    /// Whether the passage is in order, moved or repeated.
    pub place: Place,
    /// The equal parts of the passage, in order; at least one.
    pub runs: Vec<Run>,
}

/// Shingles that follow each other in both texts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Run {
    /// Its bytes in A.
    pub a: Range<usize>,
    /// Its bytes in B.
    pub b: Range<usize>,
    /// The numbers of its shingles in A.
    pub shingles_of_a: Range<usize>,
    /// The numbers of its shingles in B. There are as many as in A.
    pub shingles_of_b: Range<usize>,
}

/// Where a passage is, relative to the other passages.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Place {
    /// The passage is in the same order in both texts.
    InOrder,
    /// The passage comes before or after others in A, but not in B.
    Moved,
    /// A has the passage more often than B. Its shingles in B belong to other passages too.
    RepeatedInA,
    /// B has the passage more often than A. Its shingles in A belong to other passages too.
    RepeatedInB,
}

/// One of two texts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Side {
    /// The first text.
    A,
    /// The second text.
    B,
}

impl Run {
    /// Its bytes in one of the texts.
    #[must_use]
    pub fn range(&self, side: Side) -> Range<usize> {
        match side {
            Side::A => self.a.clone(),
            Side::B => self.b.clone(),
        }
    }
}

impl Passage {
    /// Its bytes in one of the texts.
    #[must_use]
    pub fn range(&self, side: Side) -> Range<usize> {
        match side {
            Side::A => self.a.clone(),
            Side::B => self.b.clone(),
        }
    }

    /// True if no other passage has its shingles on this side. This is true on at least one side.
    #[must_use]
    pub fn is_own(&self, side: Side) -> bool {
        match side {
            Side::A => self.place != Place::RepeatedInB,
            Side::B => self.place != Place::RepeatedInA,
        }
    }
}

/// Finds the passages that two texts share, and counts their shingles.
///
/// It is an error if a text has 4 GiB or more.
pub fn compare(a: &str, b: &str, shingler: &Shingler) -> Result<Comparison> {
    for text in [a, b] {
        if u32::try_from(text.len()).is_err() {
            return Err(Error::invalid("text", format!("{} bytes", text.len()), "texts of less than 4 GiB"));
        }
    }
    let (a, b) = (shingler.locate(a), shingler.locate(b));
    let occurrences = Occurrences::new(a.hashes(), b.hashes());
    let mut found = runs::find(&occurrences);
    let groups = order::group(&mut found, &a, &b, shingler.settings().k);
    let mut passages: Vec<Passage> =
        groups.iter().filter_map(|group| passage(&found[group.runs.clone()], group.place, &a, &b)).collect();
    passages.sort_by_key(|passage| (passage.a.start, passage.b.start, passage.a.end));
    Ok(Comparison { counts: occurrences.counts(), passages })
}

/// Shingle numbers -> bytes.
fn passage(
    pairs: &[runs::Pairing],
    place: Place,
    a: &LocatedShingles,
    b: &LocatedShingles,
) -> Option<Passage> {
    let runs: Option<Vec<Run>> = pairs
        .iter()
        .map(|pairing| {
            let (shingles_of_a, shingles_of_b) = (pairing.a.range(), pairing.b.range());
            Some(Run {
                a: a.range(shingles_of_a.clone())?,
                b: b.range(shingles_of_b.clone())?,
                shingles_of_a,
                shingles_of_b,
            })
        })
        .collect();
    let runs = runs?;
    let (first, last) = (runs.first()?, runs.last()?);
    Some(Passage {
        a: first.a.start..last.a.end,
        b: first.b.start..last.b.end,
        shingles: runs.iter().map(|run| run.shingles_of_a.len()).sum(),
        place,
        runs,
    })
}
