//! `lookalike index add` with sketches that were made before: no text is read.

use super::filling::{Before, advised, contradicted, if_present, lifetime, say_added, with_settings};
use crate::arguments::AddArguments;
use crate::failure::{Failure, Result};
use crate::interruption;
use crate::output::{Printer, Progress};
use crate::settings::{Layers, flag};
use index::{Index, Sketches};
use pipeline::Settings;
use std::ffi::OsString;
use std::path::Path;

/// The inputs as files of sketches; `None` if none of them is one.
pub(super) fn files_of(inputs: &[OsString]) -> Result<Option<Vec<Sketches>>> {
    let is_file = |input: &&OsString| Sketches::is_file(Path::new(input));
    let Some(sketch) = inputs.iter().find(is_file) else { return Ok(None) };
    let mut files = Vec::new();
    for input in inputs {
        let Some(file) = Sketches::open(Path::new(input))? else {
            let (sketch, other) = (sketch.display(), input.display());
            return Err(Failure::usage(format!("{sketch} is a file of sketches, and {other} is not"))
                .with_advice("add them with two commands; what is added first is the older"));
        };
        files.push(file);
    }
    Ok(Some(files))
}

/// Adds the documents of files of sketches.
pub(super) fn add(
    files: &[Sketches],
    arguments: &AddArguments,
    layers: &Layers,
    printer: &Printer,
) -> Result<()> {
    let AddArguments { folder, creating, meta, .. } = arguments;
    for (is_given, name) in [(layers.has("format"), "format"), (!meta.is_empty(), "meta")] {
        if is_given {
            let (name, file) = (layers.name(name, None), files[0].name());
            return Err(Failure::usage(format!(
                "{name} cannot be used with {file}, which has sketches only"
            ))
            .with_advice("leave it out, or add the files that the sketches were made of"));
        }
    }
    let mut settings = files.iter().map(|file| settings_for(file, layers)).collect::<Result<Vec<_>>>()?;
    let config = with_settings(creating, settings.swap_remove(0));
    let is_asked = |setting: &str| creating.fixes(setting) || layers.has(setting);
    let before = Before::look(folder);
    let opened = Index::open_or_create_for(&files[0], folder, &config, is_asked, &super::options(layers)?);
    let index = opened.map_err(|error| unfitting(error, &files[0], folder, layers))?;
    for file in files {
        if let Err(error) = index.check_sketches(file) {
            before.come_back(index);
            return Err(unfitting(error, file, folder, layers));
        }
        if let Some(unknown) = file.unknown() {
            printer.note(&format!("{}: {unknown}", file.name()));
        }
    }
    let memory = layers.resources()?.memory;
    interruption::begin_run(true)?;
    let progress = Progress::quiet_about_plan(printer);
    let stay = lifetime(creating.ttl, &index);
    let outcome = index.add_all_sketches(files, stay, if_present(arguments), memory, &progress);
    progress.end();
    interruption::end_run();
    match outcome {
        Ok(added) => say_added(&added, &index, folder, printer),
        Err(error) => {
            before.come_back(index);
            Err(advised(error, layers))
        }
    }
}

/// The settings of an index that is created for a file: its own where it says them, and no others than those that were
/// chosen.
fn settings_for(file: &Sketches, layers: &Layers) -> Result<Settings> {
    if let Sketches::File(file) = file {
        return Ok(layers.resolve_sketch(file.path(), file.settings())?.settings);
    }
    let chosen = layers.resolve()?.settings;
    let mut settings = file.settings(&chosen);
    let (own, chosen) = (&mut settings.signature, chosen.signature);
    if layers.has("hashes") {
        own.hashes = chosen.hashes;
    }
    if layers.has("seed") {
        own.seed = chosen.seed;
    }
    if layers.has("shingles") {
        own.shingles = chosen.shingles;
    }
    if ["case", "form", "punctuation", "whitespace"].into_iter().any(|setting| layers.has(setting)) {
        own.normalize = chosen.normalize;
    }
    Ok(settings)
}

/// The failure of a file that does not fit the index.
fn unfitting(error: index::Error, file: &Sketches, folder: &Path, layers: &Layers) -> Failure {
    match error {
        // What a flag contradicts is the flag's fault.
        index::Error::Contradiction { ref setting, .. } if layers.has(setting) => {
            contradicted(error, folder, layers)
        }
        index::Error::Contradiction { setting, index, asked } => {
            let (asked, made) = (flag(&setting, Some(&asked)), flag(&setting, Some(&index)));
            let folder = folder.display();
            let message = format!("{} was made with {asked}, and {folder} has {made}", file.name());
            Failure::usage(message)
                .with_advice("create another index for it, or add the files that it was made of")
        }
        error => advised(error, layers),
    }
}
