//! The documents of files and tables -> an index: added, or checked one after the other.
//!
//! One thread reads, another one adds or checks. What is read of a record is the caller's to say; what a signature is,
//! the index's.

use super::bulk::{BulkOptions, BulkReport};
use crate::document::{Checked, Document, OnMatch};
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

/// A batch of documents, or why there are no more.
type Batch = pipeline::Result<Vec<ReadDocument>>;

/// Takes what is read.
pub(super) type Visit<'v> = dyn FnMut(ReadDocument) -> pipeline::Result<()> + Send + 'v;

/// The documents of a job, one after the other.
type Documents<'d> = dyn Iterator<Item = Result<Document>> + 'd;

impl Index {
    /// Adds the documents of a job. Its settings say which fields are read, and how much memory may be used. Few documents
    /// are added all or none. Of many, chunk after chunk is added; after a kill, the same job goes on, if its inputs are
    /// files or objects.
    pub fn add_sources(&self, job: &Job, if_present: IfPresent, observer: &dyn Observer) -> Result<Added> {
        let (added, bad) = self.read(job, observer, |job, documents| {
            if if_present == IfPresent::Update {
                let update =
                    &mut |batch: Vec<Document>| self.update_batch(&batch).map(|all| all.len() as u64);
                let added = in_batches(documents, update)?;
                return Ok(Added { added, ..Added::default() });
            }
            let memory = usize::try_from(job.resources.memory / 2).unwrap_or(usize::MAX);
            let options = BulkOptions::default().with_memory(memory).with_job(job.identity());
            self.add_all(documents, if_present, &options)
        })?;
        Ok(Added { bad, ..added })
    }

    /// Checks the documents of a job in order, and hands batches of them with their answers to `visit`. What was added is on
    /// disk by then. Returns how many records could not be used and were left out.
    pub fn check_sources<E: From<Error>>(
        &self,
        job: &Job,
        add: bool,
        on_match: OnMatch,
        observer: &dyn Observer,
        mut visit: impl FnMut(&[Document], Vec<Result<Checked>>) -> std::result::Result<(), E>,
    ) -> std::result::Result<u64, E> {
        let mut failed = None;
        let outcome = self.read(job, observer, |_, documents| {
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
        observer: &dyn Observer,
        take: impl FnOnce(&Job, &mut Documents<'_>) -> Result<R>,
    ) -> Result<(R, u64)> {
        let job = &self.job_with_settings(job);
        let leaves_out = job.settings.files.on_bad_record != OnBadRecord::Fail;
        let read = |visit: &mut Visit<'_>| pipeline::documents(job, observer, visit);
        in_another_thread(read, leaves_out, |documents| take(job, documents))
    }

    /// Adds documents. Few are added all or none; of many, chunk after chunk, within `options`.
    fn add_all(
        &self,
        documents: &mut Documents<'_>,
        if_present: IfPresent,
        options: &BulkOptions,
    ) -> Result<Added> {
        let first = documents.take(FEW).collect::<Result<Vec<_>>>()?;
        if first.len() < FEW {
            return self.add_few(first, if_present);
        }
        let options = options.clone().with_skip_present(if_present == IfPresent::Skip);
        let report = self.bulk_load(first.into_iter().map(Ok).chain(documents), &options)?;
        let BulkReport { added, present, resumed, .. } = report;
        Ok(Added { added, present, resumed, ..Added::default() })
    }

    /// Adds the documents that `read` hands out, with bulk loads of so many bytes of memory.
    pub(super) fn add_read(
        &self,
        read: impl FnOnce(&mut Visit<'_>) -> pipeline::Result<u64> + Send,
        if_present: IfPresent,
        memory: usize,
    ) -> Result<Added> {
        let options = BulkOptions::default().with_memory(memory);
        let added =
            in_another_thread(read, false, |documents| self.add_all(documents, if_present, &options))?;
        Ok(added.0)
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
/// left out; those with ids that none can have are, if `leaves_out` says so.
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
        if let Err(wrong) = check_id(&document.document.id) {
            if leaves_out {
                bad.fetch_add(1, Ordering::Relaxed);
                return Ok(());
            }
            return Err(bad_record(&document.document, &wrong));
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

/// The error for a record with an id that no document can have.
fn bad_record(record: &pipeline::Reference, wrong: &Error) -> pipeline::Error {
    pipeline::Error::BadRecord {
        source_name: record.source.clone(),
        line: record.line,
        place: format!("record {}", record.line),
        reason: wrong.to_string(),
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
    let ReadDocument { document, text, within, .. } = read;
    Document::new(document.id, text).with_within(within)
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
