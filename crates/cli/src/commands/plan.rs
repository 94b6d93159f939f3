//! `lookalike plan`: a threshold and a corpus's size -> bands and rows, what they find and what they cost.

use super::files::{check_page, write_page};
use super::job::job;
use crate::arguments::PlanArguments;
use crate::failure::Result;
use crate::interruption;
use crate::output::{Printer, Progress};
use crate::settings::{Layers, Resolved};
use explain::plan::{MOST_SAMPLED, MeasuredSample, Planned, Sample};

/// Runs the command.
pub(crate) fn run(arguments: &PlanArguments, layers: &Layers, printer: &Printer) -> Result<()> {
    let Resolved { settings, resources, .. } = layers.resolve()?;
    if let Some(path) = &arguments.svg {
        check_page(path)?;
    }
    let planned = Planned::new(settings, arguments.documents, resources.threads)?;
    let sample = match arguments.sample.as_slice() {
        [] => None,
        inputs => Some(measure(&planned, inputs, layers, printer)?),
    };
    if let Some(path) = &arguments.svg {
        write_page(path, &planned.plot().svg().standalone())?;
        printer.written("the curve", path);
    }
    printer.planned(&planned, sample.as_ref())
}

/// What a sample of the inputs says.
fn measure(
    planned: &Planned,
    inputs: &[String],
    layers: &Layers,
    printer: &Printer,
) -> Result<MeasuredSample> {
    planned.check_sample()?;
    let (job, temporary_copies) = job(inputs, None, layers, printer)?;
    interruption::begin_run(false)?;
    let progress = Progress::new(printer, &job).without_plan();
    let sampled = pipeline::sample(&job, MOST_SAMPLED, &progress);
    progress.end();
    let (texts, documents) = sampled?;
    drop(temporary_copies);
    interruption::end_run();
    Ok(planned.measure(Sample { texts: &texts, documents }, &job.settings)?)
}
