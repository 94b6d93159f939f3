//! Everything that follows from the documents, made again from them.
//!
//! A repair reads documents, bodies and counters, which nothing else implies. It writes a new store beside the old one, and
//! puts it in its place when it is whole. A kill at any moment leaves one of the two.

use crate::chunk::Chunk;
use crate::engine::{Engine, Prepared};
use crate::folder::{Folder, Head};
use crate::index::{Options, read_counters};
use crate::search::view;
use crate::store::{Batch, FjallStore, Journals, Snapshot, Space, Store};
use crate::values::{Body, COUNTERS_KEY, Counters, id_number, number_of};
use crate::{Error, Index, Result};
use std::collections::HashSet;
use std::path::Path;

/// Bytes of a chunk of a repair.
const CHUNK_BYTES: usize = 128 << 20;

/// What a repair has done.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, serde::Serialize)]
#[non_exhaustive]
pub struct Repaired {
    /// Documents that are there.
    pub documents: u64,
    /// Documents that could not be read and are lost.
    pub lost_documents: u64,
    /// Acknowledged batches that the store had lost.
    pub lost_batches: u64,
}

impl Index {
    /// Makes everything that follows from the documents again: ids, copies, buckets and expiry, however damaged they are. The
    /// index must not be open. With `accept_loss`, documents that cannot be understood are dropped, and the loss of
    /// acknowledged batches is accepted; without, either is an error and nothing is changed. If the tables of the documents
    /// themselves are damaged, that is an error in any case.
    pub fn repair(path: impl AsRef<Path>, accept_loss: bool, options: &Options) -> Result<Repaired> {
        let (folder, head) = Folder::open_for_repair(path.as_ref())?;
        let repaired = repair(&folder, &head, accept_loss, options);
        // What an attempt that failed leaves is of no use.
        folder.finish_repair()?;
        repaired
    }
}

fn repair(folder: &Folder, head: &Head, accept_loss: bool, options: &Options) -> Result<Repaired> {
    // The store itself is not even opened, so that nothing in it changes before all is well.
    let missing = Journals::read(&folder.store())?.missing;
    let place = folder.place_for_reading()?;
    FjallStore::link_sources(&folder.store(), &place)?;
    let old = FjallStore::open(&place, options.tuning()).map_err(unrepairable)?;
    let counters = read_counters(&old).map_err(unrepairable)?;
    // A file of acknowledged batches that is damaged or missing says nothing.
    let acknowledged = folder.acknowledged().map_or(counters.batch, |(number, _)| number);
    let lost_batches = acknowledged.saturating_sub(counters.batch).max(missing);
    if lost_batches > 0 && !accept_loss {
        let path = folder.path().to_owned();
        return Err(Error::Lost { path, lost: lost_batches, acknowledged });
    }
    let engine = Engine::new(head)?;
    let mut replaced = HashSet::new();
    let (new, rebuilt) = loop {
        let new = FjallStore::create(&folder.place_for_repair()?, options.tuning())?;
        let rebuilt = rebuild(&engine, old.snapshot()?.as_ref(), &new, counters, &replaced)?;
        let more = replaced_documents(&engine, new.snapshot()?.as_ref())?;
        if more.is_empty() {
            break (new, rebuilt);
        }
        replaced.extend(more);
    };
    drop((old, new));
    if rebuilt.lost_documents > 0 && !accept_loss {
        return Err(Error::WouldLose { documents: rebuilt.lost_documents });
    }
    folder.replace_store()?;
    folder.set_acknowledged(counters.batch + 1)?;
    Ok(Repaired { lost_batches, ..rebuilt })
}

/// The error of what a repair must be able to read.
fn unrepairable(error: Error) -> Error {
    match error {
        Error::Damaged { place, cause } => Error::Unrepairable { place, cause },
        error => error,
    }
}

/// Copies all documents that can be understood to an empty store, and makes the rest from them. Of documents with the same
/// id the youngest is kept; `replaced` are those whose younger one is in another chunk.
fn rebuild(
    engine: &Engine,
    old: &dyn Snapshot,
    new: &dyn Store,
    counters: Counters,
    replaced: &HashSet<u64>,
) -> Result<Repaired> {
    let mut rebuilt = Counters { batch: counters.batch + 1, next: counters.next, documents: 0, distinct: 0 };
    let mut lost_documents = 0;
    let mut last = None;
    let mut chunk = Chunk::default();
    let mut numbers = Vec::new();
    let mut finish = |chunk: &mut Chunk, numbers: &mut Vec<u64>| -> Result<u64> {
        let mut chunk = std::mem::take(chunk);
        let replaced = chunk.repeated_later();
        chunk.leave_out(&replaced);
        let mut is_out = replaced.iter();
        numbers.retain(|_| is_out.next() == Some(&false));
        chunk.number(std::mem::take(numbers));
        chunk.write_documents(new)?;
        rebuilt.documents += chunk.len() as u64;
        rebuilt.distinct += chunk.write_derived(new, engine.documents.bands())?;
        Ok(replaced.iter().filter(|&&is_out| is_out).count() as u64)
    };
    for entry in old.scan(Space::Documents, &[]) {
        let (key, value) = entry.map_err(unrepairable)?;
        let number = number_of(Space::Documents, &key)?;
        last = Some(number);
        let record = view(engine, number, &value).ok().and_then(|view| view.record());
        let body = if engine.is_exact() { old.get(Space::Bodies, &key).map_err(unrepairable)? } else { None };
        let is_whole = !engine.is_exact() || body.as_ref().is_some_and(|body| Body::decode(body).is_some());
        let Some(record) = record.filter(|_| is_whole && !replaced.contains(&number)) else {
            lost_documents += 1;
            continue;
        };
        let Prepared { record, keys, .. } = engine.prepared(record, None);
        numbers.push(number);
        chunk.push(engine, &record, &keys, Some((value.to_vec(), body.map(|body| body.to_vec()))));
        if chunk.bytes() > CHUNK_BYTES {
            lost_documents += finish(&mut chunk, &mut numbers)?;
        }
    }
    lost_documents += finish(&mut chunk, &mut numbers)?;
    rebuilt.next = rebuilt.next.max(last.map_or(0, |last| last + 1));
    let mut batch = Batch::default();
    batch.put(Space::Meta, COUNTERS_KEY.to_vec(), rebuilt.encode());
    new.commit(&batch)?;
    new.flush()?;
    Ok(Repaired { documents: rebuilt.documents, lost_documents, lost_batches: 0 })
}

/// The documents whose id a younger one has too. There are none, unless the store was damaged.
fn replaced_documents(engine: &Engine, rebuilt: &dyn Snapshot) -> Result<HashSet<u64>> {
    let mut replaced = HashSet::new();
    for entry in rebuilt.scan(Space::Documents, &[]) {
        let (key, value) = entry?;
        let number = number_of(Space::Documents, &key)?;
        let Some(record) = view(engine, number, &value)?.record() else { continue };
        let named = rebuilt.get(Space::Ids, record.id.as_bytes())?;
        let named = named.map(|value| id_number(record.id.as_bytes(), &value)).transpose()?;
        if named != Some(number) {
            replaced.insert(number);
        }
    }
    Ok(replaced)
}
