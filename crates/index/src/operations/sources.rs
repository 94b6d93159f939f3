//! The documents of files and tables -> an index: added, or checked one after the other.
//!
//! One thread reads, another one adds or checks. What is read of a record is the caller's to say; what a signature is,
//! the index's.

use super::bulk::{BulkOptions, BulkReport};
use super::feeding::{Documents, Take, in_another_thread};
use crate::document::{Checked, Document, Lifetime, MOST_METADATA_BYTES, OnMatch};
use crate::engine::check_id;
use crate::{Error, Index, Result};
use pipeline::{Job, Observer, OnBadRecord, ReadDocument, ReadKept};
use std::collections::HashSet;

/// So many documents are added, updated or checked with one sync.
const BATCH: usize = 256;

/// Fewer documents than this are added one batch after the other; more are loaded in bulk.
const FEW: usize = 2_048;

/// How documents are added whose id is there already.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum IfPresent {
    /// It is an error.
    #[default]
    Refuse,
    /// They are left out.
    Skip,
    /// They are left out if they have the same normalised text, and are an error otherwise.
    SkipSame,
    /// They replace those that are there.
    Update,
}

/// What the documents of records get besides what their records say.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Extras {
    /// The fields of each record that are kept as metadata, as they are there. A path such as `a.b` is the field `b` of the
    /// object in the field `a`, and is the name of the value in the metadata.
    pub metadata: Vec<String>,
    /// How long each of them stays.
    pub lifetime: Lifetime,
}

/// What adding many documents has done.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub struct Added {
    /// Documents that were added or replaced.
    pub added: u64,
    /// Documents that were left out, because their id is there already.
    pub present: u64,
    /// Documents that an earlier call had added before it was killed.
    pub resumed: u64,
    /// Records that cannot be used, if the settings say that these are left out.
    pub bad: u64,
}

impl std::ops::AddAssign for Added {
    fn add_assign(&mut self, other: Self) {
        self.added += other.added;
        self.present += other.present;
        self.resumed += other.resumed;
        self.bad += other.bad;
    }
}

impl Index {
    /// Adds the documents of a job. Its settings say which fields are read, and how much memory may be used. Few documents
    /// are added all or none. Of many, chunk after chunk is added; after a kill, the same job goes on, if its inputs are
    /// files or objects.
    pub fn add_sources(&self, job: &Job, if_present: IfPresent, observer: &dyn Observer) -> Result<Added> {
        self.add_sources_with(job, &Extras::default(), if_present, observer)
    }

    /// The same, with metadata and a time to stay.
    pub fn add_sources_with(
        &self,
        job: &Job,
        extras: &Extras,
        if_present: IfPresent,
        observer: &dyn Observer,
    ) -> Result<Added> {
        let (added, bad) = self.read(job, extras, observer, |job, documents| {
            let name = job.identity().map(|inputs| match extras.metadata.as_slice() {
                [] => inputs,
                fields => format!("{inputs} {:032x}", pipeline::content_hash(fields.join("\0").as_bytes())),
            });
            let name = name.map(|name| name_with(name, extras.lifetime));
            self.add_documents(documents, if_present, job.resources.free(), name)
        })?;
        Ok(Added { bad, ..added })
    }

    /// Adds documents within so many bytes of memory. A load with a name goes on after a kill.
    pub(super) fn add_documents(
        &self,
        documents: &mut Documents<'_>,
        if_present: IfPresent,
        memory: u64,
        name: Option<String>,
    ) -> Result<Added> {
        self.writer.check()?;
        if if_present == IfPresent::Update {
            let update = &mut |batch: Vec<Document>| self.update_batch(&batch).map(|all| all.len() as u64);
            let added = in_batches(documents, update)?;
            return Ok(Added { added, ..Added::default() });
        }
        let first = documents.take(FEW).collect::<Result<Vec<_>>>()?;
        if first.len() < FEW {
            return self.add_few(first, if_present);
        }
        let options = BulkOptions::default()
            .with_memory(usize::try_from(memory / 2).unwrap_or(usize::MAX))
            .with_job(name)
            .with_if_present(if_present);
        let report = self.bulk_load(first.into_iter().map(Ok).chain(documents), &options)?;
        let BulkReport { added, present, resumed, .. } = report;
        Ok(Added { added, present, resumed, ..Added::default() })
    }

    /// Checks the documents of a job in order, and hands batches of them with their answers to `visit`. What was added is on
    /// disk by then. Returns how many records could not be used and were left out.
    pub fn check_sources<E: From<Error>>(
        &self,
        job: &Job,
        add: bool,
        on_match: OnMatch,
        observer: &dyn Observer,
        visit: impl FnMut(&[Document], Vec<Result<Checked>>) -> std::result::Result<(), E>,
    ) -> std::result::Result<u64, E> {
        self.check_sources_with(job, &Extras::default(), add, on_match, observer, visit)
    }

    /// The same, with metadata and a time to stay for what is added.
    pub fn check_sources_with<E: From<Error>>(
        &self,
        job: &Job,
        extras: &Extras,
        add: bool,
        on_match: OnMatch,
        observer: &dyn Observer,
        mut visit: impl FnMut(&[Document], Vec<Result<Checked>>) -> std::result::Result<(), E>,
    ) -> std::result::Result<u64, E> {
        if add {
            self.writer.check().map_err(E::from)?;
        }
        let mut failed = None;
        let outcome = self.read(job, extras, observer, |_, documents| {
            in_batches(documents, &mut |batch| {
                let answers = self.check_batch(&batch, add, on_match)?;
                if let Err(error) = visit(&batch, answers) {
                    failed = Some(error);
                    return Err(pipeline::Error::Interrupted.into());
                }
                Ok(batch.len() as u64)
            })
        });
        match failed {
            Some(error) => Err(error),
            None => Ok(outcome.map(|(_, bad)| bad)?),
        }
    }

    /// Reads the documents of a job in one thread, and hands them to `take` in this one. The error of a bad record is in its
    /// place, if it is not left out; how many were left out is returned.
    fn read<R>(
        &self,
        job: &Job,
        Extras { metadata, lifetime }: &Extras,
        observer: &dyn Observer,
        take: impl FnOnce(&Job, &mut Documents<'_>) -> Result<R>,
    ) -> Result<(R, u64)> {
        pipeline::Documents::check_for_index(&job.settings)?;
        let job = &self.job_with_settings(job);
        let leaves_out = job.settings.files.on_bad_record != OnBadRecord::Fail;
        let read = |visit: &mut Take<'_>| {
            let mut absent: Vec<&String> = metadata.iter().collect();
            let mut useless = 0;
            let left_out = pipeline::documents_with(job, metadata, observer, &mut |read| {
                if let Ok(values) = &read.more {
                    absent.retain(|field| !values.contains_key(*field));
                }
                match check(&read) {
                    Ok(()) => visit(document(read).with_lifetime(*lifetime)),
                    Err(_) if leaves_out => {
                        useless += 1;
                        Ok(())
                    }
                    Err(wrong) => Err(bad_record(&read.document, wrong)),
                }
            })?;
            for field in absent {
                observer.note(&format!("no record has the field `{field}`, so it is in no metadata"));
            }
            Ok(left_out + useless)
        };
        in_another_thread(read, |documents| take(job, documents))
    }

    /// Adds the documents that `read` hands out, within so many bytes of memory.
    pub(super) fn add_read(&self, read: &ReadKept<'_>, if_present: IfPresent, memory: u64) -> Result<Added> {
        let read = |visit: &mut Take<'_>| {
            read(&mut |read| match check(&read) {
                Ok(()) => visit(document(read)),
                Err(wrong) => Err(bad_record(&read.document, wrong)),
            })?;
            Ok(0)
        };
        let add = |documents: &mut Documents<'_>| self.add_documents(documents, if_present, memory, None);
        in_another_thread(read, add).map(|(added, _)| added)
    }

    /// The job with the settings of the index, but for the fields that are read.
    fn job_with_settings(&self, job: &Job) -> Job {
        let mut settings = self.config().settings.clone();
        settings.matching.within.clone_from(&job.settings.matching.within);
        let max_text = settings.files.max_text;
        settings.files = job.settings.files.clone();
        settings.files.max_text = max_text;
        Job { settings, ..job.clone() }
    }

    /// Adds documents, all or none.
    fn add_few(&self, documents: Vec<Document>, if_present: IfPresent) -> Result<Added> {
        let (mut new, mut seen, mut present) = (Vec::with_capacity(documents.len()), HashSet::new(), 0);
        for document in documents {
            let is_there = match if_present {
                IfPresent::Skip => !seen.insert(document.id.clone()) || self.contains(&document.id)?,
                // Another text under its id is found when it is added.
                IfPresent::SkipSame => self.has_same(&document)?,
                IfPresent::Refuse | IfPresent::Update => false,
            };
            if is_there {
                present += 1;
            } else {
                new.push(document);
            }
        }
        let added = self.add_batch(&new)?.len() as u64;
        Ok(Added { added, present, ..Added::default() })
    }

    /// True if the document with this id has the same normalised text.
    fn has_same(&self, document: &Document) -> Result<bool> {
        let snapshot = self.snapshot()?;
        let Some((_, there)) = self.find_live(snapshot.as_ref(), &document.id)? else { return Ok(false) };
        let prepared = self.engine.prepare(document, self.now())?;
        Ok(there.copy_hash() == prepared.copy_hash)
    }
}

/// The name of a load whose documents stay so long. Loads with other times are other loads.
pub(super) fn name_with(name: String, lifetime: Lifetime) -> String {
    match lifetime {
        Lifetime::Usual => name,
        other => format!("{name} {other:?}"),
    }
}

/// What makes a record useless, as the end of a sentence.
fn check(read: &ReadDocument) -> std::result::Result<(), String> {
    check_id(&read.document.id).map_err(|wrong| wrong.to_string())?;
    let metadata = read.more.as_ref().map_err(Clone::clone)?;
    match serde_json::to_string(metadata).map_or(0, |written| written.len()) {
        0..=MOST_METADATA_BYTES => Ok(()),
        bytes => Err(format!("its metadata has {bytes} bytes; at most {MOST_METADATA_BYTES} are allowed")),
    }
}

/// The error for a record that is useless.
pub(super) fn bad_record(record: &pipeline::Reference, reason: String) -> pipeline::Error {
    pipeline::Error::BadRecord {
        source_name: record.source.clone(),
        line: record.line,
        place: format!("record {}", record.line),
        reason,
        lacks_text: false,
    }
}

fn document(read: ReadDocument) -> Document {
    let ReadDocument { document, text, within, more, .. } = read;
    let metadata = more.ok().filter(|values| !values.is_empty());
    Document::new(document.id, text).with_within(within).with_metadata(metadata)
}

/// Hands documents on in batches, and sums what is returned.
fn in_batches(
    documents: &mut Documents<'_>,
    take: &mut dyn FnMut(Vec<Document>) -> Result<u64>,
) -> Result<u64> {
    let mut sum = 0;
    loop {
        let batch = documents.take(BATCH).collect::<Result<Vec<_>>>()?;
        if batch.is_empty() {
            return Ok(sum);
        }
        sum += take(batch)?;
    }
}
