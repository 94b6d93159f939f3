//! Inputs -> documents for an index, one after the other.

use crate::commands::job::job_with;
use crate::failure::{Failure, Result};
use crate::interruption;
use crate::output::{Printer, Progress};
use crate::settings::Layers;
use index::{Document, Index};
use pipeline::{Error, Job, ReadDocument};
use std::ffi::OsString;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};

/// Documents are handed over in batches of about so many bytes of text, or of so many documents.
const BATCH_BYTES: usize = 1 << 20;
const BATCH: usize = 256;

/// Batches that wait to be taken.
const WAITING: usize = 2;

/// A batch, or why there are no more.
type Batch = Result<Vec<ReadDocument>, Error>;

/// Reads the inputs in one thread, and hands their documents to `take` in another. `take` gets the error of a bad record
/// in its place.
pub(super) fn read<R>(
    inputs: &[OsString],
    index: &Index,
    layers: &Layers,
    printer: &Printer,
    take: impl FnOnce(&Job, &mut dyn Iterator<Item = Result<Document>>) -> Result<R>,
) -> Result<R> {
    let (job, _copies) = job_with(inputs, layers, printer, |resolved| {
        // What a signature is, is the index's to say; which fields are read is the user's.
        let files = &mut resolved.settings.files;
        files.max_text = index.config().settings.files.max_text;
        resolved.settings.signature = index.config().settings.signature.clone();
        let (matching, of_index) = (&mut resolved.settings.matching, &index.config().settings.matching);
        (matching.threshold, matching.recall) = (of_index.threshold, of_index.recall);
        (matching.bands, matching.distance) = (of_index.bands, of_index.distance);
    })?;
    interruption::begin_run(true)?;
    let progress = Progress::new(printer, &job).without_plan();
    let outcome = std::thread::scope(|scope| {
        let (send, receive) = sync_channel(WAITING);
        let (job, progress) = (&job, &progress);
        scope.spawn(move || send_all(job, progress, &send));
        take(job, &mut documents(&receive))
    });
    progress.end();
    interruption::end_run();
    outcome
}

fn send_all(job: &Job, progress: &Progress<'_>, send: &SyncSender<Batch>) {
    let (mut batch, mut bytes) = (Vec::new(), 0);
    // Nobody hears of it if the other side has stopped: it has the reason.
    let stopped = |_| Error::Interrupted;
    let outcome = pipeline::documents(job, progress, &mut |document| {
        bytes += document.text.len();
        batch.push(document);
        if bytes >= BATCH_BYTES || batch.len() >= BATCH {
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

fn documents(receive: &Receiver<Batch>) -> impl Iterator<Item = Result<Document>> {
    receive.iter().flat_map(|batch| match batch {
        Ok(batch) => batch.into_iter().map(|read| Ok(document(read))).collect(),
        Err(error) => vec![Err(Failure::from(error))],
    })
}

fn document(read: ReadDocument) -> Document {
    let ReadDocument { document, text, within, .. } = read;
    Document::new(document.id, text).with_within(within)
}
