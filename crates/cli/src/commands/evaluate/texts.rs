//! The worst mistakes -> their documents, read from a corpus.

use super::super::job::documents_job;
use crate::arguments::EvaluateArguments;
use crate::failure::{Failure, Result};
use crate::interruption;
use crate::output::{Evaluated, MistakenTexts, Printer, Progress};
use crate::settings::Layers;
use pipeline::Kind;

/// So many mistakes of each sort are shown with their documents, at most.
pub(super) const SHOWN: usize = 20;

/// The documents of the worst mistakes; `None` if there is no corpus to read them from.
pub(super) fn read(
    arguments: &EvaluateArguments,
    evaluated: &Evaluated<'_>,
    layers: &Layers,
    printer: &Printer,
) -> Result<Option<MistakenTexts>> {
    if arguments.corpus.is_empty() {
        return Ok(None);
    }
    if arguments.kind == Some(Kind::Records) {
        return Err(Failure::usage("--corpus shows no records")
            .with_advice("`lookalike compare --kind records` explains two of them"));
    }
    let shown = evaluated.wrong.iter().take(SHOWN).chain(evaluated.missed.iter().take(SHOWN));
    let mut ids: Vec<&str> = shown.flat_map(|mistake| [mistake.a, mistake.b]).collect();
    ids.sort_unstable();
    ids.dedup();
    let (job, copies) = documents_job(&arguments.corpus, layers, printer)?;
    interruption::begin_run(false)?;
    let progress = Progress::new(printer, &job).without_plan();
    // An id of the truth that the corpus does not have is a mistake without a text.
    let found = loop {
        match pipeline::texts(&job, &ids, &progress) {
            Err(pipeline::Error::NoSuchDocument { id, .. }) if ids.contains(&id.as_str()) => {
                printer.note(&format!("there is no document {id} in --corpus"));
                ids.retain(|other| *other != id);
            }
            found => break found,
        }
    };
    progress.end();
    let texts = found?.into_iter().map(|found| found.text);
    let texts = ids.iter().map(|id| (*id).to_owned()).zip(texts).collect();
    drop(copies);
    interruption::end_run();
    Ok(Some(MistakenTexts { texts, settings: job.settings }))
}
