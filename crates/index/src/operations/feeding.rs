//! Documents that one thread reads and another one takes.

use crate::document::{Content, Document};
use crate::{Error, Result};
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};

/// Documents are handed from thread to thread in batches of about so many bytes of text, or of so many documents.
const SENT_BYTES: usize = 1 << 20;
const SENT: usize = 256;

/// Batches that wait to be taken.
const WAITING: usize = 2;

/// Takes a document; an error if no more are wanted.
pub(super) type Take<'t> = dyn FnMut(Document) -> pipeline::Result<()> + Send + 't;

/// Documents, one after the other.
pub(super) type Documents<'d> = dyn Iterator<Item = Result<Document>> + 'd;

/// A batch of documents, or why there are no more.
type Batch = Result<Vec<Document>>;

/// Calls `read` in another thread, and hands the documents that it hands out to `take` in this one, in order. What goes
/// wrong with reading is the last of them, so that nothing is taken for their end. Returns also what `read` returns: how
/// many records it left out.
pub(super) fn in_another_thread<R>(
    read: impl FnOnce(&mut Take<'_>) -> Result<u64> + Send,
    take: impl FnOnce(&mut Documents<'_>) -> Result<R>,
) -> Result<(R, u64)> {
    std::thread::scope(|scope| {
        let (send, receive) = sync_channel(WAITING);
        let reading = scope.spawn(move || send_all(read, &send));
        // If the other side has failed, it has the reason, and reading ends because nobody listens.
        let taken = take(&mut documents(receive));
        match reading.join() {
            Ok(left_out) => Ok((taken?, left_out)),
            Err(panic) => resume_unwind(panic),
        }
    })
}

/// Sends what `read` hands out, and then its error, if it has one. Returns how many records were left out. A panic is an
/// error for the other side too, and goes on in this thread afterwards.
fn send_all(read: impl FnOnce(&mut Take<'_>) -> Result<u64>, send: &SyncSender<Batch>) -> u64 {
    let (mut batch, mut bytes) = (Vec::new(), 0);
    let reading = || {
        read(&mut |document| {
            bytes += match &document.content {
                Content::Text(text) => text.len(),
                _ => 0,
            };
            batch.push(document);
            if bytes >= SENT_BYTES || batch.len() >= SENT {
                bytes = 0;
                return send.send(Ok(std::mem::take(&mut batch))).map_err(|_| pipeline::Error::Interrupted);
            }
            Ok(())
        })
    };
    // What `reading` changes is sent only if it came to its end.
    let outcome = catch_unwind(AssertUnwindSafe(reading)).unwrap_or_else(|panic| {
        let _ = send.send(Err(pipeline::Error::Interrupted.into()));
        resume_unwind(panic)
    });
    // Nobody hears of what cannot be sent: the other side has stopped.
    let _ = send.send(Ok(batch));
    outcome.unwrap_or_else(|error| {
        let _ = send.send(Err(error));
        0
    })
}

fn documents(receive: Receiver<Batch>) -> impl Iterator<Item = Result<Document>> {
    receive.into_iter().flat_map(|batch| -> Vec<Result<Document>> {
        match batch {
            Ok(batch) => batch.into_iter().map(Ok).collect(),
            Err(error) => vec![Err::<Document, Error>(error)],
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn documents_of(count: usize) -> impl Iterator<Item = Document> {
        (0..count).map(|number| Document::new(number.to_string(), "a text"))
    }

    #[test]
    fn documents_come_in_order_and_then_the_error() {
        for count in [0, 1, SENT - 1, SENT, 5 * SENT + 3] {
            for fails in [false, true] {
                let read = |take: &mut Take<'_>| {
                    documents_of(count).try_for_each(take)?;
                    if fails { Err(Error::Zero { what: "this" }) } else { Ok(7) }
                };
                let mut ids = Vec::new();
                let outcome = in_another_thread(read, |documents| {
                    for document in documents {
                        ids.push(document?.id);
                    }
                    Ok(())
                });
                assert_eq!(ids, documents_of(count).map(|document| document.id).collect::<Vec<_>>());
                assert_eq!(outcome.ok(), (!fails).then_some(((), 7)));
            }
        }
    }

    #[test]
    fn reading_ends_when_nobody_takes() {
        let read = |take: &mut Take<'_>| {
            (0..).try_for_each(|number: u64| take(Document::new(number.to_string(), "a text")))?;
            Ok(0)
        };
        let outcome = in_another_thread(read, |_| Err::<(), _>(Error::Zero { what: "this" }));
        assert!(matches!(outcome, Err(Error::Zero { .. })));
    }

    #[test]
    fn a_panic_of_the_reader_is_not_the_end_of_the_documents() {
        for count in [0, 3, 2 * SENT + 3] {
            let read = |take: &mut Take<'_>| {
                documents_of(count).try_for_each(take)?;
                panic!("the reader is broken");
            };
            let mut is_complete = false;
            let run = || {
                in_another_thread(read, |documents| {
                    for document in documents {
                        document?;
                    }
                    is_complete = true;
                    Ok(())
                })
            };
            let panic = catch_unwind(AssertUnwindSafe(run)).unwrap_err();
            assert_eq!(panic.downcast_ref(), Some(&"the reader is broken"));
            assert!(!is_complete, "{count} documents were taken for all");
        }
    }
}
