//! Inputs and choices -> a job.

use super::indexes::Named;
use crate::failure::{Failure, Result};
use crate::output::Printer;
use crate::settings::{Layers, Resolved, is_sketch};
use corpus::{Discovery, FormatChoice, Source, TemporaryCopy};
use index::Index;
use pipeline::{Indexes, Job};
use std::ffi::OsStr;
use std::path::Path;

/// The argument that means standard input or standard output.
pub(crate) const STANDARD: &str = "-";

/// At most this many notes about skipped inputs are shown. Of the others, only the number is shown.
const SHOWN: usize = 20;

/// The job that `inputs` and `layers` describe. The second value holds the temporary copies of inputs that can be
/// read only once; it must live as long as the job. Files in `target` are not taken as inputs.
pub(crate) fn job(
    inputs: &[impl AsRef<OsStr>],
    target: Option<&str>,
    layers: &Layers,
    printer: &Printer,
) -> Result<(Job, Vec<TemporaryCopy>)> {
    let (sketches, others): (Vec<&OsStr>, Vec<&OsStr>) =
        inputs.iter().map(AsRef::as_ref).partition(|input| is_sketch(input));
    if let Some(sketch) = sketches.first() {
        if let Some(other) = others.first() {
            let (sketch, other) = (sketch.display(), other.display());
            return Err(Failure::usage(format!("{sketch} is a sketch file, and {other} is not"))
                .with_advice("sketch the other inputs too: lookalike sketch INPUT... -o FILE"));
        }
        let sketches: Vec<&Path> = sketches.into_iter().map(Path::new).collect();
        return Ok((from_sketches(&sketches, layers)?, Vec::new()));
    }
    of_documents(inputs, target, layers.resolve()?, layers, printer)
}

/// The job of a dedup, which also asks an index or adds to one. Without indexes it is that of [`job`].
pub(crate) fn job_with_indexes(
    inputs: &[impl AsRef<OsStr>],
    target: Option<&str>,
    indexes: Named,
    layers: &Layers,
    printer: &Printer,
) -> Result<(Job, Vec<TemporaryCopy>)> {
    if indexes.is_empty() {
        return job(inputs, target, layers, printer);
    }
    if let Some(sketch) = inputs.iter().map(AsRef::as_ref).find(|input| is_sketch(input)) {
        let sketch = sketch.display();
        return Err(Failure::usage(format!(
            "{sketch} is a sketch file, which has no texts to ask an index for"
        ))
        .with_advice("give the files that it was made of"));
    }
    let mut resolved = match indexes.settings() {
        Some((folder, settings)) => layers.resolve_index(folder, settings)?,
        None => layers.resolve()?,
    };
    resolved.against.retain(|input| !indexes.has(input));
    let (mut job, copies) = of_documents(inputs, target, resolved, layers, printer)?;
    job.indexes = indexes.for_run((&job.settings, &job.resources), layers, printer)?;
    Ok((job, copies))
}

/// The job that reads the documents of `inputs`. A sketch file is refused: it has no documents.
pub(crate) fn documents_job(
    inputs: &[impl AsRef<OsStr>],
    layers: &Layers,
    printer: &Printer,
) -> Result<(Job, Vec<TemporaryCopy>)> {
    if let Some(sketch) = inputs.iter().map(AsRef::as_ref).find(|input| is_sketch(input)) {
        return Err(Failure::usage(format!("{} is a sketch file, which has no texts", sketch.display()))
            .with_advice("give the files that it was made of"));
    }
    of_documents(inputs, None, layers.resolve()?, layers, printer)
}

/// A file of ids may have this part of the memory.
const IDS_PART: u64 = 8;

fn of_documents(
    inputs: &[impl AsRef<OsStr>],
    target: Option<&str>,
    resolved: Resolved,
    layers: &Layers,
    printer: &Printer,
) -> Result<(Job, Vec<TemporaryCopy>)> {
    if let Some(input) = inputs.iter().map(AsRef::as_ref).find(|input| Index::is_at(input)) {
        let input = input.display();
        return Err(Failure::usage(format!("{input} is an index, not a corpus")).with_advice(format!(
            "list its documents with `lookalike index export {input}`, or compare with them: --against {input}"
        )));
    }
    if let Some(input) = resolved.against.iter().find(|input| Index::is_at(input)) {
        return Err(Failure::usage(format!(
            "{input} is an index, and only `lookalike dedup` compares with one"
        ))
        .with_advice("name files with --against"));
    }
    let how = Discovery { target: target.map(str::to_owned), ..resolved.discovery };
    let all = inputs.iter().map(AsRef::as_ref).chain(resolved.against.iter().map(AsRef::as_ref));
    corpus::refuse_stdin_twice(all)?;
    let corpus = corpus::find(inputs, &how)?;
    let against = corpus::find(&resolved.against, &how)
        .map_err(|error| Failure::from(error).about(layers.in_file("against")))?;
    say_skipped(corpus.skipped.iter().chain(&against.skipped), printer);
    let (mut sources, mut against) = (corpus.sources, against.sources);
    let mut settings = resolved.settings;
    if let Some(ids) = &resolved.ids {
        if settings.files.id_field.is_some() {
            let (ids, field) = (layers.name("ids", None), layers.name("id-field", None));
            return Err(Failure::usage(format!("{ids} and {field} cannot be used together"))
                .with_advice("rows of arrays have no fields; leave one of them out"));
        }
        corpus::with_ids(&mut sources, ids, resolved.resources.memory / IDS_PART)
            .map_err(|error| Failure::from(error).about(layers.in_file("ids")))?;
        settings.files.id_field = Some("id".to_owned());
    }
    let folder = resolved.resources.temp_dir.clone().unwrap_or_else(std::env::temp_dir);
    let copied = |source: &mut Source| TemporaryCopy::stdin(source, &folder).transpose();
    let temporary_copies =
        sources.iter_mut().chain(&mut against).filter_map(copied).collect::<Result<_, _>>()?;
    let mut temporary_copies: Vec<TemporaryCopy> = temporary_copies;
    let resources = resolved.resources;
    let mut job = Job { sources, against, settings, resources, sketch: None, indexes: Indexes::default() };
    let (sets, left_out) = pipeline::gather_rows(&mut job)?;
    if left_out > 0 {
        printer.note(&format!("{left_out} rows that cannot be used are left out"));
    }
    temporary_copies.extend(sets);
    Ok((job, temporary_copies))
}

fn say_skipped<'a>(skipped: impl Iterator<Item = &'a String> + Clone, printer: &Printer) {
    skipped.clone().take(SHOWN).for_each(|skipped| printer.note(skipped));
    let more = skipped.count().saturating_sub(SHOWN);
    if more > 0 {
        printer.note(&format!("{more} more are skipped for similar reasons"));
    }
}

/// The job of some sketch files. The settings that a sketch does not fix come from `layers`.
fn from_sketches(paths: &[&Path], layers: &Layers) -> Result<Job> {
    let job = pipeline::open_sketches(paths, layers.resources()?)?;
    let resolved = layers.resolve_sketch(paths[0], &job.settings)?;
    if resolved.discovery.format != FormatChoice::Detect {
        let format = layers.name("format", None);
        return Err(Failure::usage(format!("{format} cannot be used with a sketch file"))
            .with_advice("leave it out; a sketch file has the format of its sources"));
    }
    if !resolved.against.is_empty() {
        let against = layers.name("against", None);
        return Err(Failure::usage(format!("{against} cannot be used with a sketch file"))
            .with_advice("give the source files as inputs instead of the sketch"));
    }
    Ok(Job { settings: resolved.settings, ..job })
}
