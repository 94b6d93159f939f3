//! `lookalike compare`: two texts -> how similar they are, and what they share.

use super::files::{check_page, write_page};
use super::job::{STANDARD, job};
use crate::arguments::CompareArguments;
use crate::failure::{Failure, Result};
use crate::interruption;
use crate::output::{Printer, Progress, Shown};
use crate::settings::{Layers, Resolved};
use explain::comparison::{TwoTexts, compare, compare_rest};
use pipeline::{Kind, Settings, compare_values};
use std::path::Path;

/// Bytes of memory for each byte of a text: both texts, their shingles with positions, and the page.
const MEMORY_PER_BYTE: u64 = 32;

/// The settings, two texts, and which of their shingles or items are left out.
type Found = (Settings, TwoTexts, [Vec<bool>; 2]);

/// Runs the command.
pub(crate) fn run(arguments: &CompareArguments, layers: &Layers, printer: &Printer) -> Result<()> {
    if super::records::is_asked(&arguments.recording, &arguments.partners, layers)? {
        return super::records::compare(arguments, layers, printer);
    }
    if !arguments.against.is_empty() || arguments.against_only.is_some() {
        let flag = if arguments.against.is_empty() { "--against-only" } else { "--against" };
        return Err(Failure::usage(format!("{flag} is for records"))
            .with_advice("add --kind records, or leave it out"));
    }
    let (settings, texts, left_out) = if arguments.corpus.is_empty() {
        of_files(arguments, layers)?
    } else {
        of_corpus(arguments, layers, printer)?
    };
    if settings.signature.kind != Kind::Text {
        if arguments.html.is_some() {
            return Err(Failure::usage("--html is for texts").with_advice("leave it out, or use --json"));
        }
        let ([a, b], [of_a, of_b]) = (&texts.texts, &left_out);
        let compared = compare_values(&settings, [a, b], [of_a, of_b])?;
        return printer.compared_values(&compared, &texts.names);
    }
    if let Some(path) = &arguments.html {
        check_page(path)?;
    }
    let compared = match &left_out {
        [a, b] if !a.is_empty() || !b.is_empty() => compare_rest(texts, [a, b], &settings)?,
        _ => compare(texts, &settings)?,
    };
    if let Some(path) = &arguments.html {
        write_page(path, &compared.page())?;
        printer.written("the comparison", path);
    }
    let shown = match (&arguments.html, arguments.whole) {
        (Some(_), _) => Shown::Numbers,
        (None, true) => Shown::Whole,
        (None, false) => Shown::Folded,
    };
    printer.compared(&compared, shown)
}

/// Two files.
fn of_files(arguments: &CompareArguments, layers: &Layers) -> Result<Found> {
    let Resolved { mut settings, resources, .. } = layers.resolve()?;
    // What many documents have follows from a corpus; a preset may ask for it all the same.
    if let Some(flag) = ["common", "site-field"].into_iter().find(|flag| layers.has(flag)) {
        return Err(Failure::usage(format!("{} needs --corpus", layers.name(flag, None)))
            .with_advice("name the documents that the two are part of: --corpus INPUT"));
    }
    settings.matching.common = None;
    let most = resources.memory / MEMORY_PER_BYTE;
    if [&arguments.a, &arguments.b].iter().all(|name| *name == STANDARD) {
        return Err(Failure::usage("standard input cannot be both texts").with_advice("name a file"));
    }
    corpus::refuse_stdin_twice([&arguments.a, &arguments.b].map(AsRef::as_ref))?;
    let contents = [file(&arguments.a, most)?, file(&arguments.b, most)?];
    let texts = TwoTexts::of_bytes([arguments.a.clone(), arguments.b.clone()], contents);
    Ok((settings, texts, Default::default()))
}

/// The bytes of a file, or of standard input, at most so many.
fn file(name: &str, most: u64) -> Result<Vec<u8>> {
    if name == STANDARD {
        return Ok(corpus::read_stdin(most)?);
    }
    if Path::new(name).exists() {
        return Ok(corpus::read_file(name.as_ref(), most)?);
    }
    std::fs::read(name).map_err(|cause| {
        Failure::io("read", name, &cause)
            .with_advice("for documents of a corpus: lookalike compare ID ID --corpus INPUT")
    })
}

/// The two documents of a corpus.
fn of_corpus(arguments: &CompareArguments, layers: &Layers, printer: &Printer) -> Result<Found> {
    let (job, temporary_copies) = job(&arguments.corpus, None, layers, printer)?;
    interruption::begin_run(false)?;
    let progress = Progress::new(printer, &job).without_plan();
    let found = pipeline::texts(&job, &[&arguments.a, &arguments.b], &progress);
    progress.end();
    let mut found = found?.into_iter();
    drop(temporary_copies);
    interruption::end_run();
    let (Some(a), Some(b)) = (found.next(), found.next()) else {
        return Err(Failure::usage("two documents are needed"));
    };
    let names = [a.document.id, b.document.id];
    let texts = TwoTexts { names, texts: [a.text, b.text], is_binary: false };
    Ok((job.settings, texts, [a.left_out, b.left_out]))
}
