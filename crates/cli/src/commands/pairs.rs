//! `lookalike pairs`: a corpus -> its similar pairs.

use super::job::job;
use crate::arguments::PairsArguments;
use crate::failure::{Result, of_answers};
use crate::interruption;
use crate::output::{Answers, Printer, Progress};
use crate::settings::Layers;
use std::ops::ControlFlow;

/// Runs the command.
pub(crate) fn run(arguments: &PairsArguments, layers: &Layers, printer: &Printer) -> Result<()> {
    if super::records::is_asked(&arguments.recording, &arguments.partners, layers)? {
        return super::records::pairs(arguments, layers, printer);
    }
    let (mut job, _put_by) = job(&arguments.inputs, None, layers, printer)?;
    job.resources.max_pairs = arguments.max_pairs;
    interruption::begin_run(false)?;
    printer.settings(&job);
    let progress = Progress::new(printer, &job);
    let mut answers = Answers::new(printer.json())?;
    let outcome =
        pipeline::pairs(&job, &progress, &mut |pair| answers.pair(&pair).map(ControlFlow::Continue));
    progress.end();
    match outcome.and_then(|report| answers.end().map(|()| report)) {
        Ok(report) => {
            printer.pairs(&report, answers.given());
            if let Some(left_out) = report.capped.get(pipeline::PAIRS_LEFT_OUT) {
                printer.cut(answers.given(), *left_out);
            }
            Ok(())
        }
        Err(error) => of_answers(error),
    }
}
