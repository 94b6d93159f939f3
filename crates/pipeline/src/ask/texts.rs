//! Texts of a corpus: of documents by their ids, and of a sample.

use crate::ask::scan::{At, scan};
use crate::method::TextBuffers;
use crate::prepared::Prepared;
use crate::{Error, Job, Observer, Reference, Result};
use corpus::Document;
use lookalike::hashing::mix64;
use lookalike::similarity::edit_distance_at_most;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Mutex;
use std::sync::PoisonError;

/// A document with its text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TextOf {
    /// Which document.
    pub document: Reference,
    /// Its text.
    pub text: String,
}

/// How many ids an unknown one is answered with.
const SUGGESTED: usize = 3;

/// See [`crate::ask::texts`].
pub(crate) fn texts(job: &Job, ids: &[&str], observer: &dyn Observer) -> Result<Vec<TextOf>> {
    let prepared = Prepared::new(job)?;
    let sources = prepared.sources;
    // The nearest ids to each that is asked for.
    let like: Mutex<BTreeMap<&str, BTreeSet<(usize, String)>>> = Mutex::default();
    let look = |document: &Document<'_>, at: At, _: &mut TextBuffers| {
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
        Ok(is_asked.then(|| TextOf { document: reference, text: document.text.to_owned() }))
    };
    let mut found: Vec<TextOf> = Vec::new();
    let mut repeated = BTreeSet::new();
    scan(&prepared, observer, look, |text| {
        // Of several with one id, the first.
        let known = |other: &TextOf| {
            other.document.id == text.document.id && !ids.contains(&place_of(&text.document).as_str())
        };
        if found.iter().any(known) {
            repeated.insert(text.document.id);
        } else {
            found.push(text);
        }
    })?;
    for id in repeated {
        observer.note(&format!(
            "several documents have the id {id}; the first one is taken (SOURCE:LINE names another)"
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

/// Where a document is, as it is typed.
fn place_of(document: &Reference) -> String {
    format!("{}:{}", document.source, document.line)
}

/// No document has this id.
pub(crate) fn unknown_id(id: &str, suggested: &[String]) -> Error {
    Error::NoSuchDocument { id: id.into(), nearest: suggested.to_vec() }
}

/// See [`crate::sample`].
pub(crate) fn sample(job: &Job, most: usize, observer: &dyn Observer) -> Result<(Vec<String>, u64)> {
    let prepared = Prepared::new(job)?;
    let mut kept: BTreeMap<(u64, At), String> = BTreeMap::new();
    let mut documents = 0;
    // Whether a document is in the sample depends on where it is only.
    let limit = Mutex::new(u64::MAX);
    let look = |document: &Document<'_>, at: At, _: &mut TextBuffers| {
        let hash = mix64(mix64(u64::from(at.source)) ^ at.line);
        let wanted = hash <= *limit.lock().unwrap_or_else(PoisonError::into_inner);
        Ok(Some((hash, at, wanted.then(|| document.text.to_owned()))))
    };
    scan(&prepared, observer, look, |(hash, at, text)| {
        documents += 1;
        let Some(text) = text else { return };
        kept.insert((hash, at), text);
        if kept.len() > most {
            kept.pop_last();
            if let Some(((largest, _), _)) = kept.last_key_value() {
                *limit.lock().unwrap_or_else(PoisonError::into_inner) = *largest;
            }
        }
    })?;
    Ok((kept.into_values().collect(), documents))
}
