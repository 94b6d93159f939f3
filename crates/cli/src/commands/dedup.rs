//! `lookalike dedup`: a corpus -> the corpus without its near-duplicates.

use super::files::check_page;
use super::indexes::{Named, check_place};
use super::job::{STANDARD, job_with_indexes};
use crate::arguments::DedupArguments;
use crate::failure::{Failure, Result, of_answers};
use crate::interruption;
use crate::output::{Printer, Progress};
use crate::settings::Layers;
use corpus::Target;
use pipeline::Outcome;

/// Runs the command.
pub(crate) fn run(arguments: &DedupArguments, layers: &Layers, printer: &Printer) -> Result<()> {
    if super::records::is_asked(&arguments.recording, &arguments.partners, layers)? {
        return super::records::dedup(arguments, layers, printer);
    }
    // A dry run writes nothing, so it needs no target.
    let argument = arguments.output.as_deref().unwrap_or(STANDARD);
    let to_stdout = argument == STANDARD && !arguments.dry_run;
    if to_stdout && printer.json() {
        return Err(Failure::usage("the records and the report cannot both be written to standard output")
            .with_advice(
                "leave out --json, or name a folder with -o; --json prints the same as its report.json",
            ));
    }
    let beside = arguments.output.as_deref();
    if to_stdout && arguments.add_to.is_some() {
        return Err(Failure::usage(
            "--add-to needs a target folder: with standard output, a stopped run cannot go on",
        )
        .with_advice("name a folder with -o"));
    }
    let target = Target::new(argument)?;
    if let Some(file) = target.folder().filter(|folder| folder.exists() && !folder.is_dir()) {
        return Err(Failure::usage(format!("{} is a file, but the target must be a folder", file.display()))
            .with_advice("name a folder with -o; it is created if it does not exist"));
    }
    let resumable = !to_stdout && !arguments.dry_run;
    if arguments.report.is_some() && target.folder().is_none() {
        return Err(Failure::usage("--report needs a local target folder")
            .with_advice("name one with -o, or leave out --report"));
    }
    if let Some(Some(page)) = &arguments.report
        && let Some(folder) = page.parent().filter(|folder| !folder.as_os_str().is_empty())
        && !folder.is_dir()
    {
        return Err(Failure::usage(format!("there is no folder {} for the page", folder.display()))
            .with_advice("create it first"));
    }
    // An index may be created here: what is wrong with the target is known by now.
    check_place(arguments.add_to.as_deref(), target.folder(), &arguments.inputs)?;
    let indexes = Named::open(arguments.add_to.as_deref(), layers, printer)?;
    let (job, _put_by) = job_with_indexes(&arguments.inputs, beside, indexes, layers, printer)?;
    if let (Some(Some(page)), Some(folder)) = (&arguments.report, target.folder()) {
        if job.writes(folder, page) {
            return Err(Failure::usage(format!("{} is an output of the run", page.display()))
                .with_advice("name another file with --report"));
        }
        check_page(page)?;
    }
    interruption::begin_run(resumable)?;
    printer.settings(&job);
    let progress = Progress::new(printer, &job);
    let outcome = pipeline::dedup(&job, &target, arguments.dry_run, &progress);
    progress.end();
    if outcome.is_ok() {
        interruption::end_run();
    }
    match outcome {
        Ok(Outcome::Finished(report)) => {
            let written = arguments.output.as_deref().filter(|_| !arguments.dry_run);
            printer.summary(&report, written)?;
        }
        Ok(Outcome::AlreadyFinished(report)) => printer.already_finished(&report, argument)?,
        Err(error) if to_stdout => return of_answers(error),
        Err(error) => return Err(refused_by_index(error)),
    }
    if let (Some(page), Some(folder)) = (&arguments.report, target.folder()) {
        let run = super::inspect::open(folder, layers)?;
        super::report::write(&run, page.as_deref(), printer)?;
    }
    Ok(())
}

/// The failure of a run, with the advice of this command for a kept document that the index of `--add-to` cannot take.
fn refused_by_index(error: pipeline::Error) -> Failure {
    let is_duplicate = matches!(&error, pipeline::Error::Index(cause)
        if matches!(cause.downcast_ref(), Some(index::Error::DuplicateId { .. })));
    let failure = Failure::from(error);
    match is_duplicate {
        true => failure.with_advice(
            "nothing was written; remove that document from the index, or name a field with other ids with --id-field",
        ),
        false => failure,
    }
}
