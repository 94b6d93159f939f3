//! `lookalike report`: a finished run -> a page.

use super::files::{check_page, write_page};
use super::inspect::{check_folder, open};
use super::job::STANDARD;
use crate::arguments::ReportArguments;
use crate::failure::{Failure, Result};
use crate::output::Printer;
use crate::settings::Layers;
use files::marked_page;
use pipeline::FinishedRun;
use records::run::Report;
use std::path::Path;

/// The name of the page in the run's folder.
const PAGE: &str = "report.html";

/// Runs the command.
pub(crate) fn run(arguments: &ReportArguments, layers: &Layers, printer: &Printer) -> Result<()> {
    let to_stdout = arguments.output.as_ref().is_some_and(|output| output.as_os_str() == STANDARD);
    if to_stdout && printer.json() {
        let message = "the page and the report as JSON cannot both be written to standard output";
        return Err(Failure::usage(message).with_advice("leave out --json, or name a file with -o"));
    }
    check_folder(&arguments.run)?;
    if let Some(report) = records::run::report_in(&arguments.run) {
        return of_records(arguments, &report, to_stdout, printer);
    }
    let run = open(&arguments.run, layers)?;
    if to_stdout {
        let page = explain::report::of_run(&run)?;
        page.note.iter().for_each(|note| printer.note(note));
        return printer.document(marked_page(&page.html).as_bytes());
    }
    write(&run, arguments.output.as_deref(), printer)?;
    printer.report(run.report())
}

/// The same of a run on records.
fn of_records(
    arguments: &ReportArguments,
    report: &Report,
    to_stdout: bool,
    printer: &Printer,
) -> Result<()> {
    if to_stdout {
        let page = explain::records::of_run(&arguments.run, report);
        page.note.iter().for_each(|note| printer.note(note));
        return printer.document(marked_page(&page.html).as_bytes());
    }
    write_records(&arguments.run, report, arguments.output.as_deref(), printer)?;
    printer.records_report(report)
}

/// Writes the page of a run on records: to a file, or into its folder.
pub(super) fn write_records(
    folder: &Path,
    report: &Report,
    file: Option<&Path>,
    printer: &Printer,
) -> Result<()> {
    let path = file.map_or_else(|| folder.join(PAGE), Path::to_owned);
    if records::run::has_written(folder, &path)? {
        return Err(is_output(&path));
    }
    check_page(&path)?;
    let page = explain::records::of_run(folder, report);
    write_page(&path, &page.html)?;
    page.note.iter().for_each(|note| printer.note(note));
    printer.written("the report", &path);
    Ok(())
}

fn is_output(path: &Path) -> Failure {
    Failure::usage(format!("{} is an output of the run", path.display()))
        .with_advice("name another file with -o")
}

/// Writes the page of a run: to a file, or into its folder.
pub(super) fn write(run: &FinishedRun, file: Option<&Path>, printer: &Printer) -> Result<()> {
    let path = file.map_or_else(|| run.folder().join(PAGE), Path::to_owned);
    if run.has_written(&path) {
        return Err(is_output(&path));
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
