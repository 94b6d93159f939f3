//! A method finds candidates. It defines how text becomes a sketch, which documents share a key, and what two
//! sketches say about the similarity of their documents.
//!
//! | file | a sketch is | candidates |
//! |---|---|---|
//! | `bands.rs` | a min-hash signature | agree in all rows of a band |
//! | `short.rs`, part of `bands.rs` | the rarest shingles of a short document | share one of them, and enough of them |
//! | `tables.rs` | a SimHash fingerprint | agree in the blocks of a table |
//! | `samples.rs` | some of the shingles | share one of them |
//! | `vectors.rs` | the vector itself | are all pairs, or share a band of random functions |
//!
//! To add a method, add a file here and an arm to [`of`]. `recipe.rs` has everything else that follows from the
//! settings.

pub(crate) mod bands;
pub(crate) mod chances;
pub(crate) mod key;
pub(crate) mod rarity;
mod recipe;
pub(crate) mod samples;
mod shingler;
pub(crate) mod short;
mod tables;
pub(crate) mod vectors;
pub(crate) mod weights;

pub use recipe::content_hash;
pub(crate) use recipe::{Recipe, TextBuffers, within_hash};

use crate::candidates::grouping::Share;
use crate::kind::fingerprints::Near;
use crate::report::Plan;
use crate::store::columns::Columns;
use crate::store::entries::Within;
use crate::{Kind, Measure, Method, Result, Settings};
use lookalike::vectors::{NearBands, Nearness};
use short::{Short, Standing};
use std::collections::HashMap;
use std::fmt::Debug;

/// A way to find candidates.
pub(crate) trait Sketcher: Debug + Send + Sync {
    /// The plan: the number of bands and rows, and the expected recall.
    fn plan(&self) -> Plan;

    /// The plan as a phrase: `21 bands of 6 rows`.
    fn label(&self) -> String;

    /// The number of 16-bit lanes of each sketch. Sketches of [short documents](short) may have fewer or more.
    fn lanes(&self) -> usize;

    /// What finds short documents, if the method finds them in another way. Then sketches differ in length.
    fn short(&self) -> Option<&Short> {
        None
    }

    /// True if the sketches of documents differ in length.
    fn has_uneven_lanes(&self) -> bool {
        self.short().is_some()
    }

    /// When documents are near, if they are vectors. Then all of them are compared, and there are no candidates.
    fn nearness(&self) -> Option<Nearness> {
        None
    }

    /// Takes note of how many documents there are, where this decides how pairs are found.
    fn settle(&self, _documents: u64) {}

    /// The bands that find near vectors. Without them, all vectors are compared.
    fn near_bands(&self) -> Option<NearBands> {
        None
    }

    /// The number of bands that find pairs independently of each other.
    fn independent_bands(&self) -> usize {
        self.bands()
    }

    /// The number of keys that are computed from the lanes of a document. Documents that share a key are candidates.
    fn bands(&self) -> usize;

    /// True if the keys of a document are stored with its lanes, because they cannot be computed from the lanes.
    fn stores_keys(&self) -> bool {
        false
    }

    /// Appends the sketch of a document to `columns`, and returns how many shingles the document has.
    fn sketch(
        &self,
        document: &Shingled<'_>,
        buffers: &mut SketchBuffers,
        columns: &mut Columns,
    ) -> Result<usize>;

    /// True if these lanes can be a sketch of a document. Others must not be passed to the functions below.
    fn is_sketch(&self, lanes: &[u16]) -> bool {
        lanes.len() == self.lanes()
    }

    /// True if a document has keys of bands.
    fn has_bands(&self, _lanes: &[u16]) -> bool {
        self.bands() > 0
    }

    /// The key of a band, of a document that has bands.
    fn key(&self, band: usize, lanes: &[u16]) -> u64;

    /// Hands out the keys of a document in a share that are not keys of bands, each with its [`Standing`].
    fn visit_listed_keys(&self, _lanes: &[u16], _share: Share, _visit: &mut dyn FnMut(u64, Standing)) {}

    /// True if a key that has this standing in two documents brings them together.
    fn may_meet(&self, _a: Standing, _b: Standing) -> bool {
        true
    }

    /// The beginning of a sketch of a short document, which has [`HEAD`](short::HEAD) lanes. Two of them suffice to ask
    /// whether the documents [may be similar](Short::heads_may_be_similar).
    fn head<'l>(&self, _lanes: &'l [u16]) -> Option<&'l [u16]> {
        None
    }

    /// The number of keys that are not keys of bands.
    fn listed_keys(&self, _lanes: &[u16]) -> usize {
        0
    }

    /// The number of keys that two documents share. It is 0 if their sketches show that they are no candidates.
    fn shared_keys(&self, a: &[u16], b: &[u16]) -> u32;

    /// What found a pair of documents that share so many keys.
    fn found_by(&self, _a: &[u16], _b: &[u16], _shared: u32) -> FoundBy {
        FoundBy::Several
    }

    /// Decides from the sketches of a candidate pair whether it is similar, dissimilar, or must be compared exactly.
    fn screen(&self, pair: Sketches<'_>) -> Result<Screening>;

    /// The similarity of two documents that their lanes estimate, whether or not they are candidates.
    fn likeness(&self, a: &[u16], b: &[u16]) -> Likeness;

    /// True if the lanes are fingerprints, which have a Hamming distance.
    fn has_distances(&self) -> bool {
        false
    }

    /// The Hamming distance of two fingerprints, if the lanes are fingerprints.
    fn distance(&self, _a: &[u16], _b: &[u16]) -> Option<u32> {
        None
    }

    /// The similarity of two documents at this distance, if the distance is what is compared.
    fn similarity_at(&self, _distance: u32) -> Option<f64> {
        None
    }

    /// True if [`near`](Self::near) compares the documents of a group.
    fn compares_groups(&self) -> bool {
        false
    }

    /// Adds the pairs of documents that are similar, by their places among those whose lanes these are. Returns false if the
    /// lanes do not say.
    fn near(&self, _lanes: &[u16], _pairs: &mut Vec<(u32, u32)>) -> bool {
        false
    }

    /// True if [`may_be_similar`](Self::may_be_similar) can say no.
    fn compares_signatures(&self) -> bool {
        false
    }

    /// True unless the sketches of two documents show that they are not similar.
    fn may_be_similar(&self, _a: &[u16], _b: &[u16]) -> bool {
        true
    }

    /// The probability that a pair of this similarity becomes a candidate; `size` is the number of shingles of the
    /// removed document. With `without_one`, the probability with one band less.
    fn probability(&self, similarity: f64, size: u64, without_one: bool) -> f64;

    /// True if the method can miss similar pairs.
    fn misses_pairs(&self) -> bool {
        true
    }

    /// The memory that the method itself needs, in bytes.
    fn memory(&self) -> u64 {
        0
    }
}

/// What sketches are used for, which decides how short documents are sketched.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum UseOfSketches {
    /// By one run, and then no more.
    OneRun,
    /// By another engine, which also estimates similarities. It knows of no order of shingles.
    Engine,
    /// By later runs, whose thresholds are not known yet. Every document has a signature, and no more.
    LaterRuns,
}

/// What found a pair.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum FoundBy {
    /// Several bands, or something else of which nothing needs to be known.
    Several,
    /// One band only.
    Band(u32),
    /// A way that finds every similar pair.
    Proof,
}

impl FoundBy {
    /// What found the copy of a document. It was not the band that found the document; a proof holds for both.
    pub(crate) fn of_copy(self) -> Self {
        match self {
            Self::Proof => Self::Proof,
            Self::Band(_) | Self::Several => Self::Several,
        }
    }

    /// The number that is stored: 0 for several bands, then the bands from 1, and the largest for a proof.
    pub(crate) fn to_number(self) -> u32 {
        match self {
            Self::Several => 0,
            Self::Band(band) => band + 1,
            Self::Proof => u32::MAX,
        }
    }

    /// What a stored number means.
    pub(crate) fn of_number(number: u32) -> Self {
        match number {
            0 => Self::Several,
            u32::MAX => Self::Proof,
            band => Self::Band(band - 1),
        }
    }

    pub(crate) fn of_band(band: Option<usize>) -> Self {
        band.map_or(Self::Several, |band| Self::Band(band as u32))
    }
}

/// The method that the settings choose. `weights` has the weights of shingles.
fn of(settings: &Settings, weights: HashMap<u64, f64>, use_of: UseOfSketches) -> Result<Box<dyn Sketcher>> {
    if settings.signature.kind == Kind::Fingerprints {
        return Ok(Box::new(Near::new(settings)));
    }
    if settings.signature.kind == Kind::Vectors {
        return Ok(Box::new(vectors::Vectors::new(settings)?));
    }
    Ok(match (settings.signature.method, settings.signature.measure) {
        (Method::Simhash, _) => Box::new(tables::Tables::new(settings, weights)?),
        (Method::Minhash, Measure::Containment) => Box::new(samples::Samples::new(settings)),
        (Method::Minhash, _) => Box::new(bands::Bands::new(settings, use_of)?),
    })
}

/// A document, cut into shingles.
pub(crate) struct Shingled<'a> {
    /// The hashes of its shingles, with repeats, in any order.
    pub hashes: &'a [u64],
    /// The elements that are compared: the same hashes, or the elements of the bag.
    pub elements: &'a [u64],
    /// True if repeated shingles count.
    pub is_bag: bool,
    pub within: Within,
}

/// Working memory of one thread.
#[derive(Debug, Default)]
pub(crate) struct SketchBuffers {
    slots: Vec<u64>,
    set: Vec<u64>,
}

/// The sketches of a candidate pair. The question is whether `a` is a duplicate of `b`.
#[derive(Clone, Copy)]
pub(crate) struct Sketches<'a> {
    pub a: &'a [u16],
    pub b: &'a [u16],
    /// The number of keys that the two documents share.
    pub shared: u32,
    /// The number of stored keys of `a`.
    pub stored_keys: usize,
}

/// What the sketches of a pair say about it.
pub(crate) enum Screening {
    /// The sketches differ so much that the pair is not compared.
    Unlike,
    /// The estimated similarity is below the threshold.
    Below,
    /// The two documents are duplicates. The similarity is NaN if it was not estimated.
    Similar { similarity: f64, distance: u32 },
    /// The sketches do not decide; the sets of shingles must be compared.
    Open { distance: u32 },
}

/// What the signatures of two documents say about their similarity.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Likeness {
    /// The estimated similarity. Min-hashing estimates the Jaccard similarity of the shingles; with SimHash it is the
    /// share of equal bits.
    pub similarity: f64,
    /// True if a run would compare the two documents, provided that they share a key.
    pub is_compared: bool,
}

/// A count with its noun in singular or plural: `1 band`, `2 bands`.
fn number(count: usize, of: &str) -> String {
    format!("{count} {of}{}", if count == 1 { "" } else { "s" })
}
