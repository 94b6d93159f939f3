//! The documents of files and tables -> an index: added, or checked one after the other.
//!
//! One thread reads, another one adds or checks. What is read of a record is the caller's to say; what a signature is,
//! the index's.

use super::bulk::{BulkOptions, BulkReport};
use crate::document::{Checked, Document, MOST_METADATA_BYTES, OnMatch};
use crate::engine::check_id;
use crate::{Error, Index, Result};
use pipeline::{Job, Observer, OnBadRecord, ReadDocument};
use std::collections::HashSet;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};

/// Documents are handed from thread to thread in batches of about so many bytes of text, or of so many documents.
const SENT_BYTES: usize = 1 << 20;
const SENT: usize = 256;

/// Batches that wait to be taken.
const WAITING: usize = 2;

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
    /// They replace those that are there.
    Update,
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

/// A batch of documents, or why there are no more.
type Batch = pipeline::Result<Vec<ReadDocument>>;

/// Takes what is read.
pub(super) type Visit<'v> = dyn FnMut(ReadDocument) -> pipeline::Result<()> + Send + 'v;

/// The documents of a job, one after the other.
pub(super) type Documents<'d> = dyn Iterator<Item = Result<Document>> + 'd;

impl Index {
    /// Adds the documents of a job. Its settings say which fields are read, and how much memory may be used. Few documents
    /// are added all or none. Of many, chunk after chunk is added; after a kill, the same job goes on, if its inputs are
    /// files or objects.
    pub fn add_sources(&self, job: &Job, if_present: IfPresent, observer: &dyn Observer) -> Result<Added> {
        self.add_sources_with(job, &[], if_present, observer)
    }

    /// The same, with metadata: the values of these fields of each record, as they are there. A path such as `a.b` is the
    /// field `b` of the object in the field `a`, and is the name of the value in the metadata.
    pub fn add_sources_with(
        &self,
        job: &Job,
        metadata: &[String],
        if_present: IfPresent,
        observer: &dyn Observer,
    ) -> Result<Added> {
        let (added, bad) = self.read(job, metadata, observer, |job, documents| {
            let name = job.identity().map(|inputs| match metadata {
                [] => inputs,
                fields => format!("{inputs} {:032x}", pipeline::content_hash(fields.join("\0").as_bytes())),
            });
            self.add_documents(documents, if_present, job.resources.memory, name)
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
            .with_skip_present(if_present == IfPresent::Skip);
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
        self.check_sources_with(job, &[], add, on_match, observer, visit)
    }

    /// The same, with metadata for what is added: see [`add_sources_with`](Self::add_sources_with).
    pub fn check_sources_with<E: From<Error>>(
        &self,
        job: &Job,
        metadata: &[String],
        add: bool,
        on_match: OnMatch,
        observer: &dyn Observer,
        mut visit: impl FnMut(&[Document], Vec<Result<Checked>>) -> std::result::Result<(), E>,
    ) -> std::result::Result<u64, E> {
        let mut failed = None;
        let outcome = self.read(job, metadata, observer, |_, documents| {
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
        metadata: &[String],
        observer: &dyn Observer,
        take: impl FnOnce(&Job, &mut Documents<'_>) -> Result<R>,
    ) -> Result<(R, u64)> {
        let job = &self.job_with_settings(job);
        let leaves_out = job.settings.files.on_bad_record != OnBadRecord::Fail;
        let read = |visit: &mut Visit<'_>| {
            let mut absent: Vec<&String> = metadata.iter().collect();
            let left_out = pipeline::documents_with(job, metadata, observer, &mut |document| {
                if let Ok(values) = &document.more {
                    absent.retain(|field| !values.contains_key(*field));
                }
                visit(document)
            })?;
            for field in absent {
                observer.note(&format!("no record has the field `{field}`, so it is in no metadata"));
            }
            Ok(left_out)
        };
        in_another_thread(read, leaves_out, |documents| take(job, documents))
    }

    /// Adds the documents that `read` hands out, within so many bytes of memory.
    pub(super) fn add_read(
        &self,
        read: impl FnOnce(&mut Visit<'_>) -> pipeline::Result<u64> + Send,
        if_present: IfPresent,
        memory: u64,
    ) -> Result<Added> {
        let add = |documents: &mut Documents<'_>| self.add_documents(documents, if_present, memory, None);
        in_another_thread(read, false, add).map(|(added, _)| added)
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
            let skips = if_present == IfPresent::Skip;
            if skips && (!seen.insert(document.id.clone()) || self.contains(&document.id)?) {
                present += 1;
            } else {
                new.push(document);
            }
        }
        let added = self.add_batch(&new)?.len() as u64;
        Ok(Added { added, present, ..Added::default() })
    }
}

/// Calls `read` in another thread, and hands what it hands out to `take` in this one. Returns also how many documents were
/// left out; those that no index can have are, if `leaves_out` says so.
fn in_another_thread<R>(
    read: impl FnOnce(&mut Visit<'_>) -> pipeline::Result<u64> + Send,
    leaves_out: bool,
    take: impl FnOnce(&mut Documents<'_>) -> Result<R>,
) -> Result<(R, u64)> {
    let bad = AtomicU64::new(0);
    let taken = std::thread::scope(|scope| {
        let (send, receive) = sync_channel(WAITING);
        let bad = &bad;
        scope.spawn(move || send_all(read, leaves_out, &send, bad));
        take(&mut documents(receive))
    })?;
    Ok((taken, bad.into_inner()))
}

fn send_all(
    read: impl FnOnce(&mut Visit<'_>) -> pipeline::Result<u64>,
    leaves_out: bool,
    send: &SyncSender<Batch>,
    bad: &AtomicU64,
) {
    let (mut batch, mut bytes) = (Vec::new(), 0);
    // Nobody hears of it if the other side has stopped: it has the reason.
    let stopped = |_| pipeline::Error::Interrupted;
    let outcome = read(&mut |document| {
        if let Err(wrong) = check(&document) {
            if leaves_out {
                bad.fetch_add(1, Ordering::Relaxed);
                return Ok(());
            }
            return Err(bad_record(&document.document, wrong));
        }
        bytes += document.text.len();
        batch.push(document);
        if bytes >= SENT_BYTES || batch.len() >= SENT {
            bytes = 0;
            send.send(Ok(std::mem::take(&mut batch))).map_err(stopped)?;
        }
        Ok(())
    });
    let _ = match outcome {
        Ok(left_out) => {
            bad.fetch_add(left_out, Ordering::Relaxed);
            send.send(Ok(batch))
        }
        Err(error) => send.send(Ok(batch)).and_then(|()| send.send(Err(error))),
    };
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

fn documents(receive: Receiver<Batch>) -> impl Iterator<Item = Result<Document>> {
    receive.into_iter().flat_map(|batch| match batch {
        Ok(batch) => batch.into_iter().map(|read| Ok(document(read))).collect(),
        Err(error) => vec![Err(Error::from(error))],
    })
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
