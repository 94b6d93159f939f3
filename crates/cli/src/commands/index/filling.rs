//! `lookalike index create`, `add` and `check`.

use super::open;
use super::records::read;
use crate::arguments::{AddArguments, CheckArguments, CreateArguments, Creating};
use crate::failure::{Failure, Result};
use crate::interruption;
use crate::output::{Answers, Printer};
use crate::settings::Layers;
use index::{BulkOptions, Config, Document, Index, Options};
use pipeline::Job;
use std::path::Path;

/// So many documents are added, updated or checked with one sync.
const BATCH: usize = 256;

/// Up to so many documents are added one batch after the other; more are loaded in bulk.
const FEW: usize = 2_048;

/// Creates an empty index.
pub(crate) fn create(arguments: &CreateArguments, layers: &Layers, printer: &Printer) -> Result<()> {
    let config = configuration(&arguments.creating, layers)?;
    let index = Index::create(&arguments.folder, &config, &Options::default())?;
    printer.index_stats(&index.stats()?, &arguments.folder)
}

/// Adds documents.
pub(crate) fn add(arguments: &AddArguments, layers: &Layers, printer: &Printer) -> Result<()> {
    let AddArguments { folder, inputs, creating, update, skip_present, .. } = arguments;
    let index = open_or_create(folder, creating, layers)?;
    let memory = layers.resources()?.memory;
    let added = read(inputs, &index, layers, printer, |job, documents| {
        if *update {
            return in_batches(documents, BATCH, &mut |batch| {
                index.update_batch(&batch)?;
                Ok(batch.len() as u64)
            });
        }
        let (first, error) = first_few(documents);
        if let Some(error) = error {
            return Err(error);
        }
        if first.len() < FEW {
            return in_batches(&mut first.into_iter().map(Ok), BATCH, &mut |batch| {
                add_batch(&index, batch, *skip_present)
            });
        }
        let options = BulkOptions::default()
            .with_memory(usize::try_from(memory / 2).unwrap_or(usize::MAX))
            .with_job(Some(name_of(job)))
            .with_skip_present(*skip_present);
        let report = index.bulk_load(first.into_iter().map(Ok).chain(documents), &options)?;
        if report.resumed > 0 {
            printer.note(&format!("{} documents were added before the command was stopped", report.resumed));
        }
        if report.present > 0 {
            printer.note(&format!("{} documents are left out: their ids are in the index", report.present));
        }
        Ok(report.added)
    })
    .map_err(|failure| advised(failure, layers))?;
    printer.index_changed("added", added, &index.stats()?, folder)
}

/// Says of each record whether it is new.
pub(crate) fn check(arguments: &CheckArguments, layers: &Layers, printer: &Printer) -> Result<()> {
    let index = open(&arguments.folder, printer)?;
    let mut answers = Answers::new(printer.json())?;
    let (mut new, mut seen) = (0, 0);
    let mut failed = None;
    read(&arguments.inputs, &index, layers, printer, |_, documents| {
        in_batches(documents, BATCH, &mut |batch| {
            let checked = index.check_batch(&batch, arguments.add, arguments.on_match)?;
            for (document, checked) in batch.iter().zip(checked) {
                match checked {
                    Ok(checked) => {
                        *(if checked.is_new() { &mut new } else { &mut seen }) += 1;
                        answers.checked(&document.id, &checked)?;
                    }
                    Err(error) => {
                        answers.not_checked(&document.id, &error)?;
                        failed.get_or_insert((document.id.clone(), error));
                    }
                }
            }
            Ok(batch.len() as u64)
        })
    })
    .and_then(|_| Ok(answers.end()?))?;
    printer.index_checked(new, seen, arguments.add);
    match failed {
        Some((id, error)) => Err(Failure::from(error).about(Some(format!("the record {id}")))),
        None => Ok(()),
    }
}

/// The configuration that the flags ask for.
fn configuration(creating: &Creating, layers: &Layers) -> Result<Config> {
    let Creating { store, ttl, candidates } = creating;
    let config = Config::default().with_settings(layers.resolve()?.settings).with_ttl(*ttl);
    let config = config.with_store(store.unwrap_or_default());
    Ok(match candidates {
        Some(most) => config.with_most_candidates(usize::try_from(*most).unwrap_or(usize::MAX)),
        None => config,
    })
}

/// Opens an index that does not contradict the flags, or creates it as they ask.
fn open_or_create(folder: &Path, creating: &Creating, layers: &Layers) -> Result<Index> {
    let config = configuration(creating, layers)?;
    let is_asked = |setting: &str| creating.has(setting) || layers.has(setting);
    let opened = Index::open_or_create(folder, &config, is_asked, &Options::default());
    opened.map_err(|error| match error {
        index::Error::Contradiction { setting, index, asked } => {
            let asked = layers.name(&setting, Some(&asked));
            let made = crate::settings::flag(&setting, Some(&index));
            Failure::usage(format!(
                "{asked} does not fit {}, which was created with {made}",
                folder.display()
            ))
            .with_advice("leave it out, or create another index: it is fixed for good")
        }
        error => error.into(),
    })
}

/// The first documents, as many as are few or all there are, and what ended them if it was an error.
fn first_few(documents: &mut dyn Iterator<Item = Result<Document>>) -> (Vec<Document>, Option<Failure>) {
    let mut first = Vec::new();
    for document in documents.take(FEW) {
        match document {
            Ok(document) => first.push(document),
            Err(error) => return (first, Some(error)),
        }
    }
    (first, None)
}

fn add_batch(index: &Index, mut batch: Vec<Document>, skip_present: bool) -> Result<u64> {
    if skip_present {
        let mut seen = std::collections::BTreeSet::new();
        let mut present = Vec::new();
        for document in &batch {
            present.push(index.contains(&document.id)? || !seen.insert(document.id.clone()));
        }
        let mut present = present.into_iter();
        batch.retain(|_| !present.next().unwrap_or_default());
    }
    index.add_batch(&batch)?;
    Ok(batch.len() as u64)
}

/// Hands documents on in batches, and sums what is returned.
fn in_batches(
    documents: &mut dyn Iterator<Item = Result<Document>>,
    size: usize,
    take: &mut dyn FnMut(Vec<Document>) -> Result<u64>,
) -> Result<u64> {
    let mut sum = 0;
    loop {
        if interruption::requested() {
            return Err(Failure::interrupted());
        }
        let batch = documents.take(size).collect::<Result<Vec<_>>>()?;
        if batch.is_empty() {
            return Ok(sum);
        }
        sum += take(batch)?;
    }
}

/// What stands for the inputs of a load: the same inputs go on where it was stopped.
fn name_of(job: &Job) -> String {
    let sources: Vec<String> = job.sources.iter().map(|source| format!("{source:?}")).collect();
    let fields = &job.settings.files;
    let all = format!(
        "{sources:?} {:?} {:?} {:?}",
        fields.text_field, fields.id_field, job.settings.matching.within
    );
    format!("{:032x}", pipeline::content_hash(all.as_bytes()))
}

/// The advice of this command for an id that is there already.
fn advised(failure: Failure, layers: &Layers) -> Failure {
    match failure.is_duplicate_id() {
        true if layers.has("id-field") => failure
            .with_advice("use --update to replace documents, or --skip-present to leave out those that are there"),
        true => failure.with_advice(
            "use --skip-present to leave out documents that are there, or name the field of their ids with --id-field",
        ),
        false => failure,
    }
}
