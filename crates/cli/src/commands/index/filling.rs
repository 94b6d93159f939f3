//! `lookalike index create`, `add` and `check`.

use super::{open_with, options, sketched};
use crate::arguments::{AddArguments, CheckArguments, CreateArguments, Creating};
use crate::commands::job::documents_job;
use crate::failure::{Failure, Result, of_answers};
use crate::interruption;
use crate::output::{Answers, Printer, Progress};
use crate::settings::{Layers, flag};
use index::{Added, Config, Extras, IfPresent, Index, Lifetime, Options};
use pipeline::Settings;
use std::path::Path;
use std::time::Duration;

/// Creates an empty index.
pub(crate) fn create(arguments: &CreateArguments, layers: &Layers, printer: &Printer) -> Result<()> {
    let index = match &arguments.like {
        Some(other) => open_with(other, &options(layers)?, printer)?.create_sibling(&arguments.folder)?,
        None => {
            let config = configuration(&arguments.creating, layers)?;
            Index::create(&arguments.folder, &config, &Options::default())?
        }
    };
    printer.index_stats(&index.stats()?, &arguments.folder)
}

/// Adds documents.
pub(crate) fn add(arguments: &AddArguments, layers: &Layers, printer: &Printer) -> Result<()> {
    if let Some(files) = sketched::files_of(&arguments.inputs)? {
        return sketched::add(&files, arguments, layers, printer);
    }
    let AddArguments { folder, inputs, creating, .. } = arguments;
    // Inputs that are not there must not leave an index behind.
    let (job, _copies) = documents_job(inputs, layers, printer)?;
    #[cfg(feature = "parquet")]
    if let Some(table) = index::SketchTable::of(&job.sources, &job.settings.files.text_field)? {
        return sketched::add(&[index::Sketches::Table(table)], arguments, layers, printer);
    }
    let before = Before::look(folder);
    let index = open_or_create(folder, creating, layers)?;
    interruption::begin_run(true)?;
    let progress = Progress::new(printer, &job).without_plan();
    let extras = Extras { metadata: arguments.meta.clone(), lifetime: lifetime(creating.ttl, &index) };
    let outcome = index.add_sources_with(&job, &extras, if_present(arguments), &progress);
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

/// What was in the place of an index before the command.
pub(super) struct Before {
    is_folder: bool,
}

impl Before {
    pub(super) fn look(folder: &Path) -> Self {
        Self { is_folder: folder.exists() }
    }

    /// Removes the index that this command has created, if nothing came into it. One that another process created in the
    /// meantime stays, and so does a folder that was there. If it cannot be removed, an empty index is left: why nothing was
    /// added matters more.
    pub(super) fn come_back(&self, index: Index) {
        if !index.is_created() || !index.stats().is_ok_and(|stats| stats.documents == 0) {
            return;
        }
        let _ = index.remove_folder(self.is_folder);
    }
}

/// How long documents stay that are added to an index.
pub(super) fn lifetime(ttl: Option<Duration>, index: &Index) -> Lifetime {
    let is_usual = ttl.is_none() || ttl == index.config().ttl.map(Duration::from_millis);
    ttl.filter(|_| !is_usual).map_or(Lifetime::Usual, Lifetime::For)
}

/// What is done with documents whose id is there already.
pub(super) fn if_present(arguments: &AddArguments) -> IfPresent {
    match (arguments.update, arguments.skip_present) {
        (true, _) => IfPresent::Update,
        (_, true) => IfPresent::Skip,
        _ => IfPresent::Refuse,
    }
}

/// Says what adding has done.
pub(super) fn say_added(report: &Added, index: &Index, folder: &Path, printer: &Printer) -> Result<()> {
    if report.resumed > 0 {
        printer.note(&format!("{} documents were added before the command was stopped", report.resumed));
    }
    say_bad(report.bad, printer);
    if report.present > 0 {
        printer.note(&format!("{} documents are left out: their ids are in the index", report.present));
    }
    printer.index_changed("added", report.added, &index.stats()?, folder)
}

/// Says of each record whether it is new.
pub(crate) fn check(arguments: &CheckArguments, layers: &Layers, printer: &Printer) -> Result<()> {
    let index = open_with(&arguments.folder, &options(layers)?, printer)?;
    let (job, _copies) = documents_job(&arguments.inputs, layers, printer)?;
    let mut answers = Answers::to_the_end(printer.json());
    let (mut new, mut seen) = (0, 0);
    let (mut failed, mut unheard) = (None, None);
    interruption::begin_adding()?;
    let progress = Progress::new(printer, &job).without_plan();
    let CheckArguments { meta, ttl, add, on_match, .. } = arguments;
    let extras = Extras { metadata: meta.clone(), lifetime: lifetime(*ttl, &index) };
    let outcome = index.check_sources_with(&job, &extras, *add, *on_match, &progress, |batch, checked| {
        for (document, checked) in batch.iter().zip(checked) {
            let said = match checked {
                Ok(checked) => {
                    *(if checked.is_new() { &mut new } else { &mut seen }) += 1;
                    answers.checked(&document.id, &checked)
                }
                Err(error) => {
                    let said = answers.not_checked(&document.id, &error);
                    failed.get_or_insert((document.id.clone(), error));
                    said
                }
            };
            unheard = unheard.take().or(said.err());
        }
        // What was added is on the disk: whoever reads the answers must hear of it before anything else happens.
        unheard = unheard.take().or(answers.end().err());
        if unheard.is_some() { Err(Failure::interrupted()) } else { Ok(()) }
    });
    progress.end();
    if let Some(error) = unheard {
        return of_answers(error);
    }
    say_bad(outcome?, printer);
    interruption::end_run();
    printer.index_checked(new, seen, arguments.add);
    match failed {
        Some((id, error)) => Err(Failure::from(error).about(Some(format!("the record {id}"))).with_advice(
            "other records are not affected; give this one another id, or remove the document with its id",
        )),
        None => Ok(()),
    }
}

/// Says how many records were left out.
fn say_bad(bad: u64, printer: &Printer) {
    if bad > 0 {
        printer.note(&format!("{bad} records cannot be used and are left out"));
    }
}

/// The configuration that the flags ask for.
fn configuration(creating: &Creating, layers: &Layers) -> Result<Config> {
    Ok(with_settings(creating, layers.resolve()?.settings))
}

/// The configuration that the flags ask for, with these settings.
pub(super) fn with_settings(creating: &Creating, settings: Settings) -> Config {
    let Creating { store, ttl, candidates } = creating;
    let config = Config::default().with_settings(settings).with_ttl(*ttl);
    let config = config.with_store(store.unwrap_or_default());
    match candidates {
        Some(most) => config.with_most_candidates(usize::try_from(*most).unwrap_or(usize::MAX)),
        None => config,
    }
}

/// Opens an index that does not contradict the flags, or creates it as they ask.
fn open_or_create(folder: &Path, creating: &Creating, layers: &Layers) -> Result<Index> {
    let config = configuration(creating, layers)?;
    let is_asked = |setting: &str| creating.fixes(setting) || layers.has(setting);
    let opened = Index::open_or_create(folder, &config, is_asked, &options(layers)?);
    opened.map_err(|error| contradicted(error, folder, layers))
}

/// The failure of a flag that contradicts the index.
pub(super) fn contradicted(error: index::Error, folder: &Path, layers: &Layers) -> Failure {
    match error {
        index::Error::Contradiction { setting, index, asked } => {
            let (asked, made) = (layers.name(&setting, Some(&asked)), flag(&setting, Some(&index)));
            let folder = folder.display();
            Failure::usage(format!("{asked} does not fit {folder}, which was created with {made}"))
                .with_advice("leave it out, or create another index: it is fixed for good")
        }
        error => error.into(),
    }
}

/// The failure with the advice of this command for an id that is there already.
pub(super) fn advised(error: index::Error, layers: &Layers) -> Failure {
    let is_duplicate = matches!(error, index::Error::DuplicateId { .. });
    let failure = Failure::from(error);
    match (is_duplicate, layers.has("id-field")) {
        (true, true) => failure
            .with_advice("use --update to replace documents, or --skip-present to leave out those that are there"),
        (true, false) => failure.with_advice(
            "use --skip-present to leave out documents that are there, or name the field of their ids with --id-field",
        ),
        (false, _) => failure,
    }
}
