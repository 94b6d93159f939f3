//! A sketch file as a source of documents.

use super::Take;
use crate::document::{Content, Document, Imported, KnownText};
use crate::engine::check_id;
use crate::operations::sources::bad_record;
use crate::{Config, Result};
use pipeline::{Observer, SketchFile, StoredSketch};

/// The settings that decide a signature, by their names in a configuration.
const DECIDING: [&str; 8] =
    ["method", "measure", "shingles", "normalize", "elements", "hashes", "seed", "max-text"];

/// An error if the file was made with other settings.
pub(super) fn check_settings(config: &Config, file: &SketchFile) -> Result<()> {
    let made_with = Config::default().with_settings(file.settings().clone());
    config.check_same(&made_with, |setting| DECIDING.contains(&setting))?;
    made_with.check()
}

/// Hands out the documents of a file, with their sets if the index takes them.
pub(super) fn feed(
    file: &SketchFile,
    takes_sets: bool,
    observer: &dyn Observer,
    take: &mut Take<'_>,
) -> Result<u64> {
    Ok(file.visit(observer, &mut |sketch| {
        check_id(&sketch.document.id).map_err(|wrong| bad_record(&sketch.document, wrong.to_string()))?;
        take(document(sketch, takes_sets))
    })?)
}

fn document(sketch: StoredSketch, takes_set: bool) -> Document {
    let StoredSketch { document, content_hash, shingles, lanes, within, hash_only, set, .. } = sketch;
    let imported = Imported {
        text: KnownText::Content(content_hash),
        shingles,
        within,
        hash_only,
        set: set.filter(|_| takes_set),
        ..Imported::new(lanes)
    };
    Document::of(document.id, Content::Imported(Box::new(imported)))
}
