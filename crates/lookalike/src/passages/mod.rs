//! Two texts -> the passages they share.
//!
//! Similarity is one number; people want to see *what* two texts share. A passage is text that stands in both: a run
//! of shingles that follow each other in A and in B, given by its bytes in the texts as they are, before normalisation.
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
//! A shingle of A is *shared* if its hash is among the hashes of B, wherever and however often; in the same way for
//! B. The [`Run`]s of all passages cover the shared shingles of both texts, all of them and no other. So what is
//! marked is what the Jaccard similarity counts, to the byte: the tokens of the shared shingles.
//!
//! 1. **Runs.** A run pairs shingles `i, i+1, ...` of A with equal ones `j, j+1, ...` of B. Every shingle of A is in at
//!    most one run *of A*, and the same for B. First come the shingles that occur once in each text: they have one partner
//!    only (the *unique anchors* of patience diff), and a run grows from each in both directions as long as the shingles
//!    are equal and free. The heaviest chain of these that ascends in both texts cuts them into gaps, and free shingles of
//!    a gap of A are paired with free ones of the same gap of B; then with any that are free; each time with the nearest to
//!    the beginning, unless one of the next few goes on for longer. What is left occurs more often in one
//!    text than in the other: it is paired with a shingle that has a partner already, and the run is a repetition.
//! 2. **Passages.** Runs that follow each other in both texts with at most k tokens between them are one passage: a
//!    changed word parts two runs of one passage, not two passages. What lies between is not shared, and no [`Run`] has it.
//! 3. **Order.** Of the passages that are not repetitions, the heaviest chain that ascends in both texts is
//!    [in order](Place::InOrder) (weight: shingles); the rest has [moved](Place::Moved).
//!
//! Shingles overlap, so two runs that are neighbours can share tokens; [`Comparison::segments`] cuts a text into pieces
//! that do not overlap. Shingles [led by stop words](crate::shingling::Unit::StopWordLed) have text between them, which
//! a run includes.
//!
//! **Cost.** Linear in the lengths of the texts, whatever they are, but for sorting the runs and finding repeated
//! shingles by bisection: every step of a growing run takes a shingle that no later step takes, and the choice among
//! repeated ones looks at a bounded number of them. Two prose texts of 5 MB take a few tenths of a second.
//!
//! Cohen's patience diff is where unique anchors come from; Heckel, *A technique for isolating differences between
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

/// What two texts share.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Comparison {
    /// Different shingles in each and in both.
    pub counts: SharedCounts,
    /// The shared passages, by their beginnings in A (then in B).
    pub passages: Vec<Passage>,
}

/// How many different shingles two texts have, and how many both have.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SharedCounts {
    /// Different shingles of A.
    pub a: usize,
    /// Different shingles of B.
    pub b: usize,
    /// Different shingles that are in both.
    pub common: usize,
}

impl SharedCounts {
    /// The exact Jaccard similarity.
    #[must_use]
    pub fn jaccard(&self) -> f64 {
        SetMeasure::Jaccard.of_counts(self.a, self.b, self.common)
    }

    /// The part of A that is in B.
    #[must_use]
    pub fn containment_of_a(&self) -> f64 {
        SetMeasure::Containment.of_counts(self.a, self.b, self.common)
    }

    /// The part of B that is in A.
    #[must_use]
    pub fn containment_of_b(&self) -> f64 {
        SetMeasure::Containment.of_counts(self.b, self.a, self.common)
    }
}

/// Text that stands in both.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Passage {
    /// Its bytes in A, from the first run to the last.
    pub a: Range<usize>,
    /// Its bytes in B.
    pub b: Range<usize>,
    /// How many shingles its runs have.
    pub shingles: usize,
    /// How it stands to the others.
    pub place: Place,
    /// What is equal in it, in order; at least one.
    pub runs: Vec<Run>,
}

/// Shingles that follow each other in both texts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Run {
    /// Its bytes in A.
    pub a: Range<usize>,
    /// Its bytes in B.
    pub b: Range<usize>,
    /// Its shingles in A, by number.
    pub shingles_of_a: Range<usize>,
    /// Its shingles in B; as many.
    pub shingles_of_b: Range<usize>,
}

/// How a passage stands to the others.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Place {
    /// In the same order in both texts.
    InOrder,
    /// Before or behind others in A, but not so in B.
    Moved,
    /// A has it more often: what it repeats in B belongs to other passages.
    RepeatedInA,
    /// B has it more often: what it repeats in A belongs to other passages.
    RepeatedInB,
}

/// One of two texts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Side {
    /// The first one.
    A,
    /// The second one.
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

    /// Whether no other passage has its shingles of that text. A passage is its own on at least one side.
    #[must_use]
    pub fn is_own(&self, side: Side) -> bool {
        match side {
            Side::A => self.place != Place::RepeatedInB,
            Side::B => self.place != Place::RepeatedInA,
        }
    }
}

/// The passages that two texts share, and how many shingles.
///
/// An error if a text has 4 GiB or more.
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
