//! A kind says what a document is. Text is the kind that the rest of the pipeline was written for; the other kinds are
//! files here.
//!
//! | kind | what is read of a record | what becomes the sketch | which pairs become candidates | what is compared exactly |
//! |---|---|---|---|---|
//! | text | a string | its shingles | as `method/` says | the sets of shingles |
//! | [sets](sets) | an array, an object with weights, or a string that is split | its items | as with text: an item is a shingle | the sets of items |
//! | [fingerprints](fingerprints) | a string of digits, or a number | the bits | by [blocks] of bits, or by sampled bits | the bits, which are the sketch |
//! | [vectors](vectors) | an array of numbers, or the row of an array | the vector itself | all of them, or by bands of random functions | the vectors |
//!
//! A record with fields is a kind for users, but not here: the crate `records` has its own pipeline, and `Settings::check_kind` refuses it.
//!
//! A value that is not text is read as JSON: `Document.text` is the JSON text of the field, whatever the format of the source
//! ([`FieldPath::as_json`](corpus::FieldPath::as_json)). A kind turns it into 64-bit elements, with the fixed key for sketches and
//! with the random key of the run for what decides, as shingles are made. So all that comes after works on elements, and does
//! not know of kinds. To add a kind, add a file here, an arm to [`of`], and an arm to `Settings::check_kind`, which refuses
//! settings that make no sense for it.

pub(crate) mod bad_rows;
pub(crate) mod blocks;
pub(crate) mod compared;
pub(crate) mod fingerprints;
pub(crate) mod rows;
pub(crate) mod sets;
mod usable;
pub(crate) mod vectors;

use crate::sketch::Sources;
use crate::{Kind, Settings};
use corpus::{Block, FieldPath, Fields, Format, Limits, ReadMode, Reader, Record, Scratch};
use lookalike::hashing::Key;
use std::fmt::Debug;

/// How the values of a field become documents.
pub(crate) trait Values: Debug + Send + Sync {
    /// Appends the elements of a value to `elements`, which is empty. The error says why the value cannot be used, as the end of
    /// a sentence: "the field `items` has null as item 3".
    fn elements(&self, json: &str, key: &Key, elements: &mut Vec<u64>) -> Result<(), String>;

    /// The same without the elements of items that are left out: those of whose hash with the fixed key `is_left_out` says so.
    fn rest(
        &self,
        json: &str,
        key: &Key,
        is_left_out: &dyn Fn(u64) -> bool,
        elements: &mut Vec<u64>,
    ) -> Result<(), String> {
        let _ = is_left_out;
        self.elements(json, key, elements)
    }

    /// Appends the hashes of the items of a value with the fixed key, each once: what is counted to find what many documents share.
    fn items(&self, json: &str, items: &mut Vec<u64>) -> Result<(), String> {
        self.elements(json, Key::FIXED, items)
    }

    /// Appends bytes that are equal for equal documents only. What is exactly equal is a copy.
    fn content(&self, json: &str, bytes: &mut Vec<u8>) -> Result<(), String>;

    /// A value as it is shown, if not as it is written.
    fn shown(&self, _json: &str) -> Option<String> {
        None
    }

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
        // Records never come here: `Settings::check_kind` refuses them.
        Kind::Text | Kind::Records => None,
        Kind::Fingerprints => {
            let bits = settings.signature.bits.unwrap_or(fingerprints::USUAL_BITS);
            Some(Box::new(fingerprints::Fingerprints::new(field, bits)))
        }
        Kind::Vectors => Some(Box::new(vectors::Vectors::new(field))),
        Kind::Sets => Some(Box::new(sets::Sets::new(
            field,
            settings.signature.split.as_deref(),
            sets::Weights::of(settings),
        ))),
    }
}

/// The number of documents that are looked at to learn what the settings leave open.
const LOOKED_AT: usize = 100;

/// The settings with what they leave open and the first documents say: how many bits fingerprints have.
pub(crate) fn completed(settings: &Settings, sources: Sources<'_>) -> crate::Result<Settings> {
    if settings.signature.kind != Kind::Fingerprints || settings.signature.bits.is_some() {
        return Ok(settings.clone());
    }
    let path = |name: &String| FieldPath::new(name).as_json();
    let text = path(&settings.files.text_field);
    let fields = Fields { text, id: None, order: None, within: None, site: None, date: None };
    let limits = Limits { block_bytes: 1 << 16, record_bytes: 16 << 20, records: LOOKED_AT };
    let (mut block, mut scratch, mut bits) = (Block::default(), Scratch::default(), None);
    for at in 0..sources.len() {
        let mut reader = Reader::open(sources.get(at), ReadMode::Fields, &fields, limits)?;
        let mut numbers = fingerprints::NumbersInStrings::default();
        if reader.next_block(&mut block)? {
            block.visit(&fields, None, &mut scratch, &mut |_, record| {
                if let Record::Document(document) = record {
                    bits = bits.or_else(|| fingerprints::bits_of(document.text));
                    numbers.look(document.text);
                }
                Ok(())
            })?;
        }
        // The bytes of other formats become digits that nobody wrote.
        if matches!(sources.get(at).format, Format::Csv { .. } | Format::Jsonl) {
            numbers.check(&sources.get(at).name, &settings.files.text_field)?;
        }
        if bits.is_some() {
            break;
        }
    }
    Ok(settings.clone().with_bits(Some(bits.unwrap_or(fingerprints::USUAL_BITS))))
}
