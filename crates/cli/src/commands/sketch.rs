//! `lookalike sketch`: a corpus -> a sketch file, which later runs can use as their input.

use super::job::{STANDARD, job};
use crate::arguments::SketchArguments;
use crate::failure::{Failure, Result};
use crate::interruption;
use crate::output::{Printer, Progress};
use crate::settings::{Layers, is_sketch};
use corpus::Location;

/// Runs the command.
pub(crate) fn run(arguments: &SketchArguments, layers: &Layers, printer: &Printer) -> Result<()> {
    if arguments.output.as_os_str() == STANDARD {
        return Err(Failure::usage("a sketch cannot be written to standard output")
            .with_advice("name a file: -o corpus.sketch"));
    }
    if let Some(sketch) = arguments.inputs.iter().find(|input| is_sketch(input)) {
        let sketch = sketch.display();
        return Err(Failure::usage(format!("{sketch} is already a sketch file"))
            .with_advice(format!("use it as an input: lookalike dedup {sketch} -o TARGET")));
    }
    if arguments.inputs.iter().any(|input| input == STANDARD) {
        return Err(Failure::usage("standard input cannot be sketched: later runs read the sources again")
            .with_advice("save it to a file first"));
    }
    let (job, _put_by) = job(&arguments.inputs, None, layers, printer)?;
    if let Some(source) = job.sources.iter().find(|source| matches!(source.location, Location::Copy(_))) {
        let name = &source.name;
        return Err(Failure::usage(format!("{name} cannot be sketched: later runs read the sources again"))
            .with_advice("save it to a file first"));
    }
    interruption::begin_run(false)?;
    printer.settings(&job);
    let progress = Progress::new(printer, &job);
    let outcome = pipeline::sketch(&job, &arguments.output, &progress);
    progress.end();
    printer.sketched(&outcome?, &arguments.output)
}
