//! `lookalike index query`, `passages`, `get`, `stats` and `export`.

use super::open;
use crate::arguments::{GetArguments, IndexQueryArguments, PassagesArguments, Selecting};
use crate::commands::query::text_of;
use crate::failure::{Failure, Result, of_answers};
use crate::output::{Answers, Printer, Shown};
use crate::settings::flag;
use explain::comparison::{TwoTexts, compare};
use index::{Filter, Index, Query};
use lookalike::minhash::{Signature, of_text};
use pipeline::Resources;
use std::path::Path;

/// Each byte of a text is estimated to take this many bytes of memory.
const MEMORY_PER_BYTE: u64 = 32;

/// The largest text that is read.
fn most_text() -> u64 {
    Resources::of_this_machine().memory / MEMORY_PER_BYTE
}

/// Lists the documents that look like a text or a document.
pub(crate) fn query(arguments: &IndexQueryArguments, printer: &Printer) -> Result<()> {
    let IndexQueryArguments { folder, text, text_file, id, signature, top, threshold, selecting } = arguments;
    let index = open(folder, printer)?;
    let query = match (id, signature) {
        (Some(id), _) => Query::id(id),
        (None, Some(file)) => Query::lanes(lanes_in(file, &index, folder)?),
        (None, None) => Query::text(text_of(text.as_ref(), text_file.as_deref(), most_text())?),
    };
    let Selecting { within, filter } = selecting;
    let query = query
        .with_top(Some(*top))
        .with_threshold(*threshold)
        .with_within(within.clone())
        .with_filter(filter.iter().cloned().collect::<Filter>());
    let answer = index.query(&query)?;
    let mut answers = Answers::new(printer.json())?;
    let given = answers.answer(&answer);
    printer.index_answer(&answer);
    given.and_then(|()| answers.end()).or_else(of_answers)
}

/// The lanes of the signature in a file.
fn lanes_in(file: &Path, index: &Index, folder: &Path) -> Result<Vec<u16>> {
    let wrong = |cause: &dyn std::fmt::Display| {
        Failure::usage(format!("{} holds no signature: {cause}", file.display()))
            .with_advice("write it with Signature.to_bytes()")
    };
    let unfitting = |error| match error {
        index::Error::Contradiction { setting, index, asked } => {
            let (asked, made) = (flag(&setting, Some(&asked)), flag(&setting, Some(&index)));
            let (file, folder) = (file.display(), folder.display());
            Failure::usage(format!("the signature in {file} was made with {asked}, and {folder} has {made}"))
                .with_advice("make it with the settings of the index: see `lookalike index stats`")
        }
        error => error.into(),
    };
    let bytes = std::fs::read(file).map_err(|cause| wrong(&cause))?;
    let bytes = match of_text(&bytes).map_err(|cause| wrong(&cause))? {
        Some((shingling, bytes)) => {
            index.check_shingling(shingling).map_err(unfitting)?;
            bytes
        }
        None => &bytes,
    };
    let signature = Signature::from_bytes(bytes).map_err(|cause| wrong(&cause))?;
    index.lanes_of(&signature).map_err(unfitting)
}

/// Shows what a document and a text share.
pub(crate) fn passages(arguments: &PassagesArguments, printer: &Printer) -> Result<()> {
    let PassagesArguments { folder, id, text, text_file } = arguments;
    let index = open(folder, printer)?;
    let asked = text_of(text.as_ref(), text_file.as_deref(), most_text())?;
    let kept = index.get(id)?.ok_or_else(|| index::Error::NoDocument { id: id.clone() })?;
    let Some(stored) = kept.text else {
        return Err(Failure::usage(format!("the index stores {}, and no texts", index.config().store))
            .with_advice("create an index with --store text"));
    };
    let name = text_file.as_deref().map_or_else(|| "the text".into(), |path| path.display().to_string());
    let texts = TwoTexts { names: [id.clone(), name], texts: [stored, asked], is_binary: false };
    printer.compared(&compare(texts, &index.config().settings)?, Shown::Folded)
}

/// Shows a document.
pub(crate) fn get(arguments: &GetArguments, printer: &Printer) -> Result<()> {
    let index = open(&arguments.folder, printer)?;
    let found = index.get(&arguments.id)?;
    let kept = found.ok_or_else(|| index::Error::NoDocument { id: arguments.id.clone() })?;
    printer.index_document(&kept)
}

/// Shows the configuration and the size of an index.
pub(crate) fn stats(folder: &Path, printer: &Printer) -> Result<()> {
    let index = open(folder, printer)?;
    printer.index_stats(&index.stats()?, folder)
}

/// Writes all documents as JSON Lines.
pub(crate) fn export(folder: &Path, printer: &Printer) -> Result<()> {
    let index = open(folder, printer)?;
    let mut answers = Answers::new(true)?;
    let mut failed = None;
    index.export(|kept| {
        failed = answers.exported(kept).err();
        Ok::<_, index::Error>(failed.is_none())
    })?;
    failed.map_or_else(|| answers.end(), Err).or_else(of_answers)
}
