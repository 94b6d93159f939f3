//! `lookalike query`: a corpus and a text -> the documents most similar to it.

use super::job::{STANDARD, job};
use crate::arguments::QueryArguments;
use crate::failure::{Failure, Result, of_answers};
use crate::interruption;
use crate::output::{Answers, Printer, Progress};
use crate::settings::Layers;
use pipeline::Kind;
use std::path::Path;

/// Each byte of the query text is estimated to take this many bytes of memory.
const MEMORY_PER_BYTE: u64 = 8;

/// Runs the command.
pub(crate) fn run(arguments: &QueryArguments, layers: &Layers, printer: &Printer) -> Result<()> {
    let memory = layers.resources()?.memory;
    let text = text(arguments, memory / MEMORY_PER_BYTE)?;
    let (job, _put_by) = job(&arguments.inputs, None, layers, printer)?;
    let text = of_kind(text, arguments, job.settings.signature.kind)?;
    interruption::begin_run(false)?;
    printer.settings(&job);
    let progress = Progress::new(printer, &job).without_plan();
    let outcome = pipeline::query(&job, &text, arguments.top, &progress);
    progress.end();
    let matches = outcome?;
    if matches.is_empty() {
        printer.note(match job.settings.signature.kind {
            Kind::Text => "no document shares a shingle with the text and reaches the threshold",
            _ => "no document shares anything with it and reaches the threshold",
        });
    }
    let mut answers = Answers::new(printer.json())?;
    let given = matches.iter().try_for_each(|found| answers.found(found));
    given.and_then(|()| answers.end()).or_else(of_answers)
}

/// What is searched for, as a document of this kind has it: a text, or the JSON of anything else.
fn of_kind(text: String, arguments: &QueryArguments, kind: Kind) -> Result<String> {
    let is_json = arguments.like.is_some() || arguments.file.is_some();
    match (kind, is_json) {
        (Kind::Text, false) => Ok(text),
        (Kind::Text, true) => serde_json::from_str(&text).map_err(|_| {
            Failure::usage("what to search for is not a JSON string")
                .with_advice("give a text with --text or --text-file")
        }),
        (_, true) => Ok(text),
        (_, false) => {
            Err(Failure::usage(format!("--text and --text-file are for texts, not for --kind {kind}"))
                .with_advice("give the value as JSON, with --like or --file"))
        }
    }
}

/// The text to search for. A text of more than `most` bytes is an error.
fn text(arguments: &QueryArguments, most: u64) -> Result<String> {
    let file = arguments.text_file.as_deref().or(arguments.file.as_deref());
    let is_stdin = file == Some(Path::new(STANDARD));
    if is_stdin && arguments.inputs.iter().any(|input| input == STANDARD) {
        return Err(Failure::usage("standard input cannot be both the corpus and the text to search for")
            .with_advice("read one of them from a file"));
    }
    let named = arguments.inputs.iter().map(AsRef::as_ref).chain(file.map(Path::as_os_str));
    corpus::refuse_stdin_twice(named)?;
    text_of(arguments.text.as_ref().or(arguments.like.as_ref()), file, most)
}

/// A text that was given, or that of a file or of standard input, of at most so many bytes. Bytes that are not UTF-8
/// become U+FFFD, as in the text files of a corpus.
pub(super) fn text_of(text: Option<&String>, file: Option<&Path>, most: u64) -> Result<String> {
    match file {
        None => Ok(text.cloned().unwrap_or_default()),
        Some(path) if path == Path::new(STANDARD) => Ok(corpus::read_text_of_stdin(most)?),
        Some(path) => Ok(corpus::read_text(path.as_os_str(), most)?),
    }
}
