//! Reads texts of a corpus: the texts of documents with given ids, and of a sample.

use crate::ask::scan::{At, scan, scan_blocks};
use crate::frames;
use crate::method::TextBuffers;
use crate::prepared::Prepared;
use crate::resume::begin::temporary_work;
use crate::{Error, Job, Observer, Reference, Result, Stage};
use corpus::{Block, Document, MoreFields, ReadMode};
use lookalike::hashing::mix64;
use lookalike::similarity::edit_distance_at_most;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Mutex;
use std::sync::PoisonError;

/// A document with its text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TextOf {
    /// The document.
    pub document: Reference,
    /// The text of the document.
    pub text: String,
    /// Which of its shingles, in order, are left out of comparisons; empty if the settings leave nothing out. Of a set, which of
    /// its items, as [`compare_values`](crate::compare_values) takes them.
    pub left_out: Vec<bool>,
}

/// A document as it was read.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct ReadDocument {
    /// Its name, and where it was read.
    pub document: Reference,
    /// Its text.
    pub text: String,
    /// Its value in the field of `within`, if there is such a setting.
    pub within: Option<String>,
    /// Its values in further fields that were asked for, as JSON; or what is wrong with one, as the end of a sentence.
    pub more: std::result::Result<serde_json::Map<String, serde_json::Value>, String>,
}

/// See [`crate::documents`].
pub(crate) fn documents(
    job: &Job,
    more: &MoreFields,
    observer: &dyn Observer,
    visit: &mut (dyn FnMut(ReadDocument) -> Result<()> + Send),
) -> Result<u64> {
    let prepared = Prepared::new(job)?;
    let sources = prepared.sources;
    // Other fields are there only if whole records are read.
    let mode = if more.is_empty() { ReadMode::Fields } else { ReadMode::Whole };
    let look = |document: &Document<'_>, at: At, block: &Block, slot: usize, _: &mut TextBuffers| {
        let values = if more.is_empty() { Ok(Default::default()) } else { more.of(block, slot) };
        Ok(Some(ReadDocument { more: values, ..at.read(document, sources) }))
    };
    scan_blocks(&prepared, Stage::Sketch, observer, mode, look, visit)
}

/// How many similar ids are suggested for an unknown one.
const SUGGESTED: usize = 3;

/// See [`crate::texts`].
pub(crate) fn texts(job: &Job, ids: &[&str], observer: &dyn Observer) -> Result<Vec<TextOf>> {
    let prepared = Prepared::new(job)?;
    let sources = prepared.sources;
    frames::learn(&prepared, &temporary_work(job)?, observer)?;
    // For each wanted id, the ids that are most similar to it.
    let like: Mutex<BTreeMap<&str, BTreeSet<(usize, String)>>> = Mutex::default();
    let look = |document: &Document<'_>, at: At, buffers: &mut TextBuffers| {
        let reference = at.reference(document.id.as_ref().map(|id| id.text.to_string()), sources);
        let is_asked = ids.contains(&reference.id.as_str()) || ids.contains(&place_of(&reference).as_str());
        for &id in ids {
            if let Some(distance) = edit_distance_at_most(id, &reference.id, id.chars().count() / 3 + 1) {
                let mut like = like.lock().unwrap_or_else(PoisonError::into_inner);
                let nearest = like.entry(id).or_default();
                nearest.insert((distance, reference.id.clone()));
                if nearest.len() > SUGGESTED {
                    nearest.pop_last();
                }
            }
        }
        Ok(is_asked.then(|| TextOf {
            document: reference,
            text: document.text.to_owned(),
            left_out: prepared.recipe.left_out(document.text, buffers),
        }))
    };
    let mut found: Vec<TextOf> = Vec::new();
    let mut repeated = BTreeSet::new();
    scan(&prepared, Stage::Sketch, observer, look, |text| {
        // If several documents have the id, the first is taken.
        let known = |other: &TextOf| {
            other.document.id == text.document.id && !ids.contains(&place_of(&text.document).as_str())
        };
        if found.iter().any(known) {
            repeated.insert(text.document.id);
        } else {
            found.push(text);
        }
        Ok(())
    })?;
    for id in repeated {
        observer.note(&format!(
            "several documents have the id {id}; the first one is used (write SOURCE:LINE to choose another)"
        ));
    }
    let named = |id: &str| {
        let is_it = |text: &&TextOf| text.document.id == id || place_of(&text.document) == id;
        found.iter().find(is_it).cloned().ok_or_else(|| {
            let like = like.lock().unwrap_or_else(PoisonError::into_inner);
            let nearest = like.get(id).into_iter().flatten();
            let suggested: Vec<String> = nearest.map(|(_, id)| id.clone()).collect();
            unknown_id(id, &suggested)
        })
    };
    ids.iter().map(|id| named(id)).collect()
}

/// The position of a document, as a user types it.
fn place_of(document: &Reference) -> String {
    format!("{}:{}", document.source, document.line)
}

/// The error for an id that no document has.
pub(crate) fn unknown_id(id: &str, suggested: &[String]) -> Error {
    Error::NoSuchDocument { id: id.into(), nearest: suggested.to_vec() }
}

/// See [`crate::sample`].
pub(crate) fn sample(job: &Job, most: usize, observer: &dyn Observer) -> Result<(Vec<String>, u64)> {
    let prepared = Prepared::new(job)?;
    let mut kept: BTreeMap<(u64, At), String> = BTreeMap::new();
    let mut documents = 0;
    // Whether a document is in the sample depends only on its position.
    let limit = Mutex::new(u64::MAX);
    let look = |document: &Document<'_>, at: At, _: &mut TextBuffers| {
        let hash = mix64(mix64(u64::from(at.source)) ^ at.line);
        let wanted = hash <= *limit.lock().unwrap_or_else(PoisonError::into_inner);
        Ok(Some((hash, at, wanted.then(|| document.text.to_owned()))))
    };
    scan(&prepared, Stage::Sketch, observer, look, |(hash, at, text)| {
        documents += 1;
        let Some(text) = text else { return Ok(()) };
        kept.insert((hash, at), text);
        if kept.len() > most {
            kept.pop_last();
            if let Some(((largest, _), _)) = kept.last_key_value() {
                *limit.lock().unwrap_or_else(PoisonError::into_inner) = *largest;
            }
        }
        Ok(())
    })?;
    Ok((kept.into_values().collect(), documents))
}
