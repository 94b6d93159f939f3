//! A kind says what a document is. Text is the kind that the rest of the pipeline was written for; the other kinds are
//! files here.
//!
//! | kind | what is read of a record | what becomes the sketch | which pairs become candidates | what is compared exactly |
//! |---|---|---|---|---|
//! | text | a string | its shingles | as `method/` says | the sets of shingles |
//! | [sets](sets) | an array, an object with weights, or a string that is split | its items | as with text: an item is a shingle | the sets of items |
//! | [vectors](vectors) | an array of numbers, or the row of an array | the vector itself | all of them | the vectors |
//!
//! A value that is not text is read as JSON: `Document.text` is the JSON text of the field, whatever the format of the source
//! ([`FieldPath::as_json`](corpus::FieldPath::as_json)). A kind turns it into 64-bit elements, with the fixed key for sketches and
//! with the random key of the run for what decides, as shingles are made. So all that comes after works on elements, and does
//! not know of kinds. To add a kind, add a file here, an arm to [`of`], and an arm to `Settings::check_kind`, which refuses
//! settings that make no sense for it.

pub(crate) mod sets;
pub(crate) mod vectors;

use crate::{Kind, Measure, Settings};
use lookalike::hashing::Key;
use std::fmt::Debug;

/// How the values of a field become documents.
pub(crate) trait Values: Debug + Send + Sync {
    /// Appends the elements of a value to `elements`, which is empty. The error says why the value cannot be used, as the end of
    /// a sentence: "the field `items` has null as item 3".
    fn elements(&self, json: &str, key: &Key, elements: &mut Vec<u64>) -> Result<(), String>;

    /// Appends bytes that are equal for equal documents only. What is exactly equal is a copy.
    fn content(&self, json: &str, bytes: &mut Vec<u8>) -> Result<(), String>;

    /// A number that is equal for equal documents, from their elements.
    fn sum(&self, elements: &[u64]) -> u64 {
        elements.iter().fold(0u64, |sum, &hash| sum.wrapping_add(hash))
    }

    /// True if the first document says how the others must be.
    fn learns(&self) -> bool {
        false
    }

    /// Takes a value for the first document, and returns what follows from it for the others; `None` if it cannot be used.
    fn learn(&self, _json: &str) -> Option<u64> {
        None
    }
}

/// How values of the kind of `settings` become documents; `None` for text.
pub(crate) fn of(settings: &Settings) -> Option<Box<dyn Values>> {
    let field = &settings.files.text_field;
    match settings.signature.kind {
        Kind::Text => None,
        Kind::Vectors => Some(Box::new(vectors::Vectors::new(field))),
        Kind::Sets => Some(Box::new(sets::Sets::new(
            field,
            settings.signature.split.as_deref(),
            settings.signature.measure == Measure::WeightedJaccard,
        ))),
    }
}
