//! `lookalike clusters`: a corpus -> its groups of similar documents.

use super::job::job;
use crate::arguments::ClustersArguments;
use crate::failure::{Result, of_answers};
use crate::interruption;
use crate::output::{Answers, Printer, Progress};
use crate::settings::Layers;

/// Runs the command.
pub(crate) fn run(arguments: &ClustersArguments, layers: &Layers, printer: &Printer) -> Result<()> {
    if super::records::is_asked(&arguments.recording, &arguments.partners, layers)? {
        return super::records::clusters(arguments, layers, printer);
    }
    let (job, _put_by) = job(&arguments.inputs, None, layers, printer)?;
    interruption::begin_run(false)?;
    printer.settings(&job);
    let progress = Progress::new(printer, &job);
    let mut answers = Answers::new(printer.json())?;
    let outcome = pipeline::clusters(&job, &progress, &mut |member| answers.member(&member));
    progress.end();
    match outcome.and_then(|report| answers.end().map(|()| report)) {
        Ok(report) => {
            printer.clusters(&report);
            Ok(())
        }
        Err(error) => of_answers(error),
    }
}
