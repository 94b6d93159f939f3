//! A method finds candidates. It defines how text becomes a sketch, which documents share a key, and what two
//! sketches say about the similarity of their documents.
//!
//! | file | a sketch is | candidates |
//! |---|---|---|
//! | `bands.rs` | a min-hash signature | agree in all rows of a band |
//! | `tables.rs` | a SimHash fingerprint | agree in the blocks of a table |
//! | `samples.rs` | some of the shingles | share one of them |
//!
//! To add a method, add a file here and an arm to [`of`]. `recipe.rs` has everything else that follows from the
//! settings.

pub(crate) mod bands;
pub(crate) mod chances;
pub(crate) mod key;
mod recipe;
pub(crate) mod samples;
mod shingler;
mod tables;
pub(crate) mod weights;

pub(crate) use recipe::{Recipe, TextBuffers, content_hash, within_hash};

use crate::report::Plan;
use crate::store::columns::{Columns, Within};
use crate::{Measure, Method, Result, Settings};
use std::collections::HashMap;
use std::fmt::Debug;

/// A way to find candidates.
pub(crate) trait Sketcher: Debug + Send + Sync {
    /// The plan: the number of bands and rows, and the expected recall.
    fn plan(&self) -> Plan;

    /// The plan as a phrase: `21 bands of 6 rows`.
    fn label(&self) -> String;

    /// The number of 16-bit lanes of each sketch.
    fn lanes(&self) -> usize;

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

    /// The key of a band.
    fn key(&self, band: usize, lanes: &[u16]) -> u64;

    /// True if two documents have the same lanes, or bits, from which the key of a band is computed.
    fn agree_in(&self, band: usize, a: &[u16], b: &[u16]) -> bool;

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

    /// A pair is compared only if at least this many lanes are equal; `None` if the method does not count equal
    /// lanes.
    fn least_matching(&self) -> Option<usize> {
        None
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

/// The method that the settings choose. `weights` has the weights of shingles.
fn of(settings: &Settings, weights: HashMap<u64, f64>) -> Result<Box<dyn Sketcher>> {
    Ok(match (settings.signature.method, settings.signature.measure) {
        (Method::Simhash, _) => Box::new(tables::Tables::new(settings, weights)?),
        (Method::Minhash, Measure::Containment) => Box::new(samples::Samples::new(settings)),
        (Method::Minhash, Measure::Jaccard) => Box::new(bands::Bands::new(settings)?),
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
