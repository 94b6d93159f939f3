//! A kind says what a document is. Text is the kind that the rest of the pipeline was written for; the other kinds are
//! files here.
//!
//! | kind | what is read of a record | what becomes the sketch | which pairs become candidates | what is compared exactly |
//! |---|---|---|---|---|
//! | text | a string | its shingles | as `method/` says | the sets of shingles |
//! | [sets](sets) | an array, an object with weights, or a string that is split | its items | as with text: an item is a shingle | the sets of items |
//!
//! A value that is not text is read as JSON: `Document.text` is the JSON text of the field, whatever the format of the source
//! ([`FieldPath::as_json`](corpus::FieldPath::as_json)). A kind turns it into 64-bit elements, with the fixed key for sketches and
//! with the random key of the run for what decides, as shingles are made. So all that comes after works on elements, and does
//! not know of kinds. To add a kind, add a file here, an arm to [`of`], and an arm to `Settings::check_kind`, which refuses
//! settings that make no sense for it.

pub(crate) mod sets;

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
}

/// How values of the kind of `settings` become documents; `None` for text.
pub(crate) fn of(settings: &Settings) -> Option<Box<dyn Values>> {
    let field = &settings.files.text_field;
    match settings.signature.kind {
        // Records never come here: `Settings::check_kind` refuses them.
        Kind::Text | Kind::Records => None,
        Kind::Sets => Some(Box::new(sets::Sets::new(
            field,
            settings.signature.split.as_deref(),
            settings.signature.measure == Measure::WeightedJaccard,
        ))),
    }
}
