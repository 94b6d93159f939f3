//! `lookalike report`: a finished run -> a page.

use super::files::{check_page, write_page};
use super::inspect::open;
use crate::arguments::ReportArguments;
use crate::failure::{Failure, Result};
use crate::output::Printer;
use pipeline::FinishedRun;
use std::path::Path;

/// The name of the page in the run's folder.
const PAGE: &str = "report.html";

/// Runs the command.
pub(crate) fn run(arguments: &ReportArguments, printer: &Printer) -> Result<()> {
    let run = open(&arguments.run, &arguments.using)?;
    write(&run, arguments.output.as_deref(), printer)
}

/// Writes the page of a run: to a file, or into its folder.
pub(super) fn write(run: &FinishedRun, file: Option<&Path>, printer: &Printer) -> Result<()> {
    let path = file.map_or_else(|| run.folder().join(PAGE), Path::to_owned);
    if run.has_written(&path) {
        return Err(Failure::usage(format!("{} is an output of the run", path.display()))
            .with_advice("name another file with -o"));
    }
    check_page(&path)?;
    let page = explain::report::of_run(run)?;
    write_page(&path, &page.html)?;
    if let Some(note) = page.note {
        printer.note(&note);
    }
    printer.written("the report", &path);
    Ok(())
}
