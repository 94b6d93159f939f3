//! `lookalike pairs`: a corpus -> its similar pairs.

use super::job::job;
use crate::arguments::PairsArguments;
use crate::failure::{Failure, Result, is_closed_pipe};
use crate::interruption;
use crate::output::{Answers, Printer, Progress};
use crate::settings::Purpose;
use std::ops::ControlFlow;

/// Runs the command.
pub(crate) fn run(arguments: &PairsArguments, printer: &Printer) -> Result<()> {
    let (job, _put_by) = job(&arguments.inputs, arguments.choices(), Purpose::Duplicates)?;
    interruption::listen(false);
    printer.settings(&job);
    let progress = Progress::new(printer, &job);
    let mut answers = Answers::new(printer.json());
    let outcome =
        pipeline::pairs(&job, &progress, &mut |pair| answers.pair(&pair).map(ControlFlow::Continue));
    progress.end();
    match outcome.and_then(|report| answers.end().map(|()| report)) {
        Ok(report) => {
            printer.pairs(&report, answers.given());
            Ok(())
        }
        Err(error) if is_closed_pipe(&error) => Ok(()),
        Err(pipeline::Error::Interrupted) => Err(Failure::interrupted(false)),
        Err(error) => Err(error.into()),
    }
}
