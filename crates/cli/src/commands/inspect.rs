//! `lookalike inspect`: a finished run -> what happened in it.

use crate::arguments::InspectArguments;
use crate::failure::{Failure, Result};
use crate::interruption;
use crate::output::{Inspected, Named, NamedPair, Printer, Progress};
use crate::settings::{Layers, is_sketch};
use corpus::WORK_FOLDER;
use pipeline::{FinishedRun, RunPair};
use std::io::ErrorKind;
use std::path::Path;

/// At most this many bytes of a document's text are shown.
const SHOWN: usize = 160;

/// Opens a finished run with the resources that the flags allow.
pub(super) fn open(run: &Path, layers: &Layers) -> Result<FinishedRun> {
    check_folder(run)?;
    Ok(FinishedRun::open(run, layers.resources()?)?)
}

/// An error if `run` is not a folder. It says what it is, and which folder to give.
pub(super) fn check_folder(run: &Path) -> Result<()> {
    const WANTED: &str = "give the folder of a finished run: the target of `lookalike dedup`";
    let name = run.display();
    if run.to_string_lossy().contains("://") {
        return Err(Failure::usage(format!("{name} is not a folder on this machine")).with_advice(
            "copy the whole run to a folder, with its folder _lookalike, and give that folder",
        ));
    }
    let advice = match std::fs::metadata(run) {
        Err(cause) if cause.kind() == ErrorKind::NotFound => {
            return Err(Failure::usage(format!("there is no folder {name}")).with_advice(WANTED));
        }
        // What else is wrong with it is said when it is opened.
        Err(_) => return Ok(()),
        Ok(found) if found.is_dir() => return Ok(()),
        Ok(_) if is_sketch(run) => {
            let message = format!("{name} is a sketch file, not the folder of a finished run");
            return Err(Failure::usage(message).with_advice(format!(
                "run `lookalike dedup {name} -o TARGET`, and then give TARGET instead of the sketch"
            )));
        }
        Ok(_) => match run.parent().filter(|folder| folder.join(WORK_FOLDER).is_dir()) {
            Some(folder) if folder.as_os_str().is_empty() => "give the folder of the run: .".into(),
            Some(folder) => format!("give the folder of the run: {}", folder.display()),
            None => WANTED.to_owned(),
        },
    };
    let message = format!("{name} is a file, not the folder of a finished run");
    Err(Failure::usage(message).with_advice(advice))
}

/// Runs the command.
pub(crate) fn run(arguments: &InspectArguments, layers: &Layers, printer: &Printer) -> Result<()> {
    if let Some(report) = records::run::report_in(&arguments.run) {
        return of_records(arguments, &report, printer);
    }
    let run = open(&arguments.run, layers)?;
    let top = arguments.top;
    let inspected = match (&arguments.id, arguments.threshold) {
        (Some(id), _) => fate(&run, id, top)?,
        (None, Some(threshold)) => change(&run, threshold, top, printer)?,
        (None, None) => overview(&run, top)?,
    };
    if let Some(note) = inspected.note() {
        printer.note(note);
    }
    printer.inspected(&inspected)
}

/// A run on records: what its report says. Its pairs are not kept, so that nothing can be said about other thresholds.
fn of_records(arguments: &InspectArguments, report: &records::run::Report, printer: &Printer) -> Result<()> {
    let name = arguments.run.display();
    let asked = [(arguments.id.is_some(), "--id"), (arguments.threshold.is_some(), "--threshold")];
    if let Some((_, flag)) = asked.iter().find(|(is_asked, _)| *is_asked) {
        return Err(Failure::usage(format!("{name} is a run on records, for which there is no {flag}"))
            .with_advice(format!(
                "{name}/removed.jsonl has each removed record with its weights by field; `lookalike compare` \
                explains two records"
            )));
    }
    printer.inspected_records(report, &name.to_string())
}

/// The documents with these numbers, by name. Each has the beginning of its text if the sources are still unchanged.
fn named(run: &FinishedRun, numbers: &[u64]) -> Result<(Vec<Named>, Option<String>)> {
    let references = run.references(numbers)?;
    let (texts, note) = match run.texts(numbers, SHOWN) {
        Ok(texts) => (texts, None),
        Err(error) => (Vec::new(), Some(format!("texts are not shown: {error}"))),
    };
    let mut texts = texts.into_iter();
    let named = references
        .into_iter()
        .map(|reference| {
            let excerpt = texts.next();
            Named { reference, text: excerpt.map(|excerpt| (excerpt.text, excerpt.is_cut)) }
        })
        .collect();
    Ok((named, note))
}

/// The pairs with both documents named.
fn pairs(run: &FinishedRun, pairs: &[RunPair]) -> Result<(Vec<NamedPair>, Option<String>)> {
    let numbers: Vec<u64> = pairs.iter().flat_map(|pair| [pair.kept, pair.other]).collect();
    let (named, note) = named(run, &numbers)?;
    let mut named = named.into_iter();
    let both = |pair: &RunPair| Some((named.next()?, named.next()?, *pair));
    Ok((pairs.iter().filter_map(both).collect(), note))
}

fn overview(run: &FinishedRun, top: usize) -> Result<Inspected> {
    let all = run.clusters(top, top)?;
    let mut clusters = Vec::new();
    let mut note = None;
    for cluster in &all.largest {
        let (members, missing) = pairs(run, &cluster.removed)?;
        note = note.or(missing);
        clusters.push((cluster.size, members));
    }
    let nearest = run.least_similar(top)?;
    let by_similarity = run.by_similarity()?;
    let misses: Vec<RunPair> = run.near_misses().iter().copied().take(top).collect();
    let (above, _) = pairs(run, &nearest)?;
    let (below, _) = pairs(run, &misses)?;
    let (by_similarity, _) = pairs(run, &by_similarity)?;
    Ok(Inspected::Overview {
        report: Box::new(run.report().clone()),
        clusters,
        above,
        below,
        by_similarity,
        note,
    })
}

fn fate(run: &FinishedRun, id: &str, top: usize) -> Result<Inspected> {
    let found = run.find(id)?;
    let Some(&number) = found.first() else {
        let suggested = run.similar_ids(id, 3)?;
        let failure = Failure::usage(format!("no document of the run has the id {id}"));
        return Err(failure.with_advice(match suggested.as_slice() {
            [] => "an id is a value of --id-field, or SOURCE:LINE".to_owned(),
            some => format!("did you mean {}?", some.join(", ")),
        }));
    };
    let (fate, all) = run.fate(number, top)?;
    let shown: Vec<RunPair> = match &fate {
        pipeline::Fate::Kept(others) | pipeline::Fate::Against(others) => {
            others.iter().copied().take(top).collect()
        }
        pipeline::Fate::Removed(pair) => vec![*pair],
        pipeline::Fate::Bad(..) => Vec::new(),
    };
    let (mut document, note) = match &fate {
        pipeline::Fate::Bad(..) => {
            let reference = run.references(&[number])?;
            (reference.into_iter().map(|reference| Named { reference, text: None }).collect(), None)
        }
        _ => named(run, &[number])?,
    };
    let (pairs, _) = pairs(run, &shown)?;
    let Some(document) = document.pop() else { return Err(Failure::usage("the run has no documents")) };
    let others = found.len() as u64 - 1;
    let limit = run.report().settings.limit();
    Ok(Inspected::Fate { document, fate, limit, pairs, all, others, note })
}

fn change(run: &FinishedRun, threshold: f64, top: usize, printer: &Printer) -> Result<Inspected> {
    let limit = run.report().settings.limit();
    if limit.is_distance() {
        return Err(Failure::usage(format!(
            "--threshold has no effect on {}, a run that compared distances ({limit})",
            run.folder().display()
        ))
        .with_advice("leave it out; for another distance, run `lookalike dedup` with another --distance"));
    }
    interruption::begin_run(false)?;
    let progress = Progress::quiet_about_plan(printer);
    let change = run.at_threshold(threshold, top, &progress);
    progress.end();
    let change = change?;
    interruption::end_run();
    let (stays, note) = pairs(run, &change.stays)?;
    let (goes, _) = pairs(run, &change.goes)?;
    Ok(Inspected::Change { before: Box::new(run.report().clone()), change, stays, goes, note })
}
