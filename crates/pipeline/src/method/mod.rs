//! A method finds candidates: how a text becomes a sketch, which documents share a key, what two sketches say.
//!
//! | file | a sketch is | candidates |
//! |---|---|---|
//! | `bands.rs` | a min-hash signature | agree in all rows of a band |
//! | `tables.rs` | a SimHash fingerprint | agree in the blocks of a table |
//! | `samples.rs` | some of the shingles | share one of them |
//!
//! Another method is another file here, and an arm of [`of`]. `means.rs` has what the settings come to besides.

pub(crate) mod bands;
pub(crate) mod chances;
pub(crate) mod key;
mod means;
pub(crate) mod samples;
mod shingler;
mod tables;
pub(crate) mod weights;

pub(crate) use means::{Means, TextBuffers, content_hash, within_hash};

use crate::report::Plan;
use crate::store::columns::{Columns, Within};
use crate::{Measure, Method, Result, Settings};
use std::collections::HashMap;
use std::fmt::Debug;

/// A way to find candidates.
pub(crate) trait Sketcher: Debug + Send + Sync {
    /// What is planned, and what it promises.
    fn plan(&self) -> Plan;

    /// The plan in words.
    fn label(&self) -> String;

    /// 16-bit lanes of each sketch.
    fn lanes(&self) -> usize;

    /// Keys of a document that follow from its lanes. Documents that share one are candidates.
    fn bands(&self) -> usize;

    /// Whether the keys of a document are stored beside its lanes, because they do not follow from them.
    fn stores_keys(&self) -> bool {
        false
    }

    /// Appends the sketch of a document to `columns`. Gives its size: how many shingles it has.
    fn sketch(
        &self,
        document: &Shingled<'_>,
        buffers: &mut SketchBuffers,
        columns: &mut Columns,
    ) -> Result<usize>;

    /// The key of a band.
    fn key(&self, band: usize, lanes: &[u16]) -> u64;

    /// Whether two documents agree in what the key of a band is made from.
    fn agree_in(&self, band: usize, a: &[u16], b: &[u16]) -> bool;

    /// What the sketches of a pair of candidates say.
    fn screen(&self, pair: Sketches<'_>) -> Result<Screening>;

    /// What the lanes of two documents say, whether or not they are candidates.
    fn likeness(&self, a: &[u16], b: &[u16]) -> Likeness;

    /// The Hamming distance of two fingerprints, if the lanes are fingerprints.
    fn distance(&self, _a: &[u16], _b: &[u16]) -> Option<u32> {
        None
    }

    /// The fewest equal lanes of two documents that are compared, where equal lanes decide that.
    fn least_matching(&self) -> Option<usize> {
        None
    }

    /// The probability that a pair of this similarity became a candidate; `size` is the number of shingles of the
    /// removed document. With one band less if `without_one`.
    fn probability(&self, similarity: f64, size: u64, without_one: bool) -> f64;

    /// Whether similar pairs can be missed.
    fn misses_pairs(&self) -> bool {
        true
    }

    /// Bytes that the method itself takes in memory.
    fn memory(&self) -> u64 {
        0
    }
}

/// The method that the settings ask for. Weights are those of shingles.
fn of(settings: &Settings, weights: HashMap<u64, f64>) -> Result<Box<dyn Sketcher>> {
    Ok(match (settings.signature.method, settings.matching.measure) {
        (Method::Simhash, _) => Box::new(tables::Tables::new(settings, weights)?),
        (Method::Minhash, Measure::Containment) => Box::new(samples::Samples::new(settings)),
        (Method::Minhash, Measure::Jaccard) => Box::new(bands::Bands::new(settings)?),
    })
}

/// A document, cut into shingles.
pub(crate) struct Shingled<'a> {
    /// The hashes of its shingles, with repeats, in any order.
    pub hashes: &'a [u64],
    /// What is compared: the same, or the elements of its bag.
    pub elements: &'a [u64],
    /// Whether repeated shingles count.
    pub is_bag: bool,
    pub within: Within,
}

/// Working memory of one thread.
#[derive(Debug, Default)]
pub(crate) struct SketchBuffers {
    slots: Vec<u64>,
    set: Vec<u64>,
}

/// The sketches of a pair of candidates: is `a` a duplicate of `b`?
#[derive(Clone, Copy)]
pub(crate) struct Sketches<'a> {
    pub a: &'a [u16],
    pub b: &'a [u16],
    /// Keys that the two share.
    pub shared: u32,
    /// Stored keys of `a`.
    pub stored_keys: usize,
}

/// What sketches say of a pair.
pub(crate) enum Screening {
    /// It is not even a candidate.
    Unlike,
    /// It is below the threshold.
    Below,
    /// It is one of duplicates; the similarity is NaN where none was estimated.
    Similar { similarity: f64, distance: u32 },
    /// The sets decide.
    Open { distance: u32 },
}

/// What signatures say of two documents.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Likeness {
    /// The similarity, by estimate: of shingles by min-hashing, of bits with SimHash.
    pub similarity: f64,
    /// Whether a run would compare the two if they share a key.
    pub is_compared: bool,
}

/// `1 band`, `2 bands`.
fn number(count: usize, of: &str) -> String {
    format!("{count} {of}{}", if count == 1 { "" } else { "s" })
}
