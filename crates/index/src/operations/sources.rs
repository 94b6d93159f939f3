//! The documents of files and tables -> an index: added, or checked one after the other.
//!
//! One thread reads, another one adds or checks. What is read of a record is the caller's to say; what a signature is,
//! the index's.

use super::bulk::BulkOptions;
use crate::document::{Checked, Document, OnMatch};
use crate::{Error, Index, Result};
use pipeline::{Job, Observer, ReadDocument};
use std::collections::HashSet;
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
}

/// A batch of documents, or why there are no more.
type Batch = pipeline::Result<Vec<ReadDocument>>;

impl Index {
    /// Adds the documents of a job. Its settings say which fields are read, and how much memory may be used. After a
    /// kill, the same job goes on.
    pub fn add_sources(&self, job: &Job, if_present: IfPresent, observer: &dyn Observer) -> Result<Added> {
        self.read(job, observer, |job, documents| {
            if if_present == IfPresent::Update {
                let update =
                    &mut |batch: Vec<Document>| self.update_batch(&batch).map(|all| all.len() as u64);
                let added = in_batches(documents, update)?;
                return Ok(Added { added, ..Added::default() });
            }
            let first = documents.take(FEW).collect::<Result<Vec<_>>>()?;
            if first.len() < FEW {
                return self.add_few(first, if_present);
            }
            let options = BulkOptions::default()
                .with_memory(usize::try_from(job.resources.memory / 2).unwrap_or(usize::MAX))
                .with_job(Some(name_of(job)))
                .with_skip_present(if_present == IfPresent::Skip);
            let report = self.bulk_load(first.into_iter().map(Ok).chain(documents), &options)?;
            Ok(Added { added: report.added, present: report.present, resumed: report.resumed })
        })
    }

    /// Checks the documents of a job in order, and hands each with its answer to `visit`.
    pub fn check_sources<E: From<Error>>(
        &self,
        job: &Job,
        add: bool,
        on_match: OnMatch,
        observer: &dyn Observer,
        mut visit: impl FnMut(&Document, Result<Checked>) -> std::result::Result<(), E>,
    ) -> std::result::Result<(), E> {
        let mut failed = None;
        let outcome = self.read(job, observer, |_, documents| {
            in_batches(documents, &mut |batch| {
                let answers = self.check_batch(&batch, add, on_match)?;
                for (document, answer) in batch.iter().zip(answers) {
                    if let Err(error) = visit(document, answer) {
                        failed = Some(error);
                        return Err(pipeline::Error::Interrupted.into());
                    }
                }
                Ok(batch.len() as u64)
            })
        });
        match failed {
            Some(error) => Err(error),
            None => Ok(outcome.map(drop)?),
        }
    }

    /// Reads the documents of a job in one thread, and hands them to `take` in this one. The error of a bad record is in its
    /// place.
    fn read<R>(
        &self,
        job: &Job,
        observer: &dyn Observer,
        take: impl FnOnce(&Job, &mut dyn Iterator<Item = Result<Document>>) -> Result<R>,
    ) -> Result<R> {
        let job = &self.job_with_settings(job);
        std::thread::scope(|scope| {
            let (send, receive) = sync_channel(WAITING);
            scope.spawn(move || send_all(job, observer, &send));
            take(job, &mut documents(receive))
        })
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

    fn add_few(&self, documents: Vec<Document>, if_present: IfPresent) -> Result<Added> {
        let mut report = Added::default();
        let mut seen = HashSet::new();
        for batch in documents.chunks(BATCH) {
            let mut new = Vec::with_capacity(batch.len());
            for document in batch {
                let skips = if_present == IfPresent::Skip;
                if skips && (!seen.insert(&document.id) || self.contains(&document.id)?) {
                    report.present += 1;
                } else {
                    new.push(document.clone());
                }
            }
            report.added += self.add_batch(&new)?.len() as u64;
        }
        Ok(report)
    }
}

fn send_all(job: &Job, observer: &dyn Observer, send: &SyncSender<Batch>) {
    let (mut batch, mut bytes) = (Vec::new(), 0);
    // Nobody hears of it if the other side has stopped: it has the reason.
    let stopped = |_| pipeline::Error::Interrupted;
    let outcome = pipeline::documents(job, observer, &mut |document| {
        bytes += document.text.len();
        batch.push(document);
        if bytes >= SENT_BYTES || batch.len() >= SENT {
            bytes = 0;
            send.send(Ok(std::mem::take(&mut batch))).map_err(stopped)?;
        }
        Ok(())
    });
    let _ = match outcome {
        Ok(()) => send.send(Ok(batch)),
        Err(error) => send.send(Ok(batch)).and_then(|()| send.send(Err(error))),
    };
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
    documents: &mut dyn Iterator<Item = Result<Document>>,
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

/// What stands for the inputs of a load: the same inputs go on where it was stopped.
fn name_of(job: &Job) -> String {
    let sources: Vec<String> = job.sources.iter().map(|source| format!("{source:?}")).collect();
    let (files, within) = (&job.settings.files, &job.settings.matching.within);
    let all = format!("{sources:?} {:?} {:?} {within:?}", files.text_field, files.id_field);
    format!("{:032x}", pipeline::content_hash(all.as_bytes()))
}
