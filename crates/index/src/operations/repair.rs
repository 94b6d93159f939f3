//! Everything that follows from the documents, made again from them.
//!
//! A repair writes a new store beside the old one, and puts it in its place when it is whole. A kill at any moment leaves
//! one of the two.

use crate::chunk::Chunk;
use crate::engine::{Engine, Prepared};
use crate::folder::Folder;
use crate::index::{Options, read_counters};
use crate::search::view;
use crate::store::{Batch, FjallStore, Snapshot, Space, Store};
use crate::values::{Body, COUNTERS_KEY, Counters, id_number, number_key, number_of};
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
    /// Makes everything that follows from the documents again: ids, copies, buckets and expiry. The index must not be
    /// open. With `accept_loss`, documents that cannot be read are dropped, and the loss of acknowledged batches is
    /// accepted; without, either is an error and nothing is changed.
    pub fn repair(path: impl AsRef<Path>, accept_loss: bool, options: &Options) -> Result<Repaired> {
        let (folder, head) = Folder::open(path.as_ref())?;
        let old = FjallStore::open(&folder.store(), options.tuning())?;
        let counters = read_counters(&old)?;
        // A file of acknowledged batches that is damaged or missing says nothing.
        let acknowledged = folder.acknowledged().map_or(counters.batch, |(number, _)| number);
        let lost_batches = acknowledged.saturating_sub(counters.batch);
        if lost_batches > 0 && !accept_loss {
            let path = path.as_ref().to_owned();
            return Err(Error::Lost { path, lost: lost_batches, acknowledged });
        }
        let engine = Engine::new(&head)?;
        let place = folder.place_for_repair()?;
        let new = FjallStore::create(&place, options.tuning())?;
        let rebuilt = rebuild(&engine, old.snapshot()?.as_ref(), &new, counters, CHUNK_BYTES)?;
        drop((old, new));
        if rebuilt.lost_documents > 0 && !accept_loss {
            folder.place_for_repair()?;
            return Err(Error::WouldLose { documents: rebuilt.lost_documents });
        }
        folder.replace_store()?;
        folder.set_acknowledged(counters.batch + 1)?;
        Ok(Repaired { lost_batches, ..rebuilt })
    }
}

/// Copies all documents that can be read to an empty store, and makes the rest from them. Of documents with the same id
/// the youngest is kept.
fn rebuild(
    engine: &Engine,
    old: &dyn Snapshot,
    new: &dyn Store,
    counters: Counters,
    memory: usize,
) -> Result<Repaired> {
    let mut rebuilt = Counters { batch: counters.batch + 1, next: counters.next, documents: 0, distinct: 0 };
    let mut lost_documents = 0;
    let mut last = None;
    let mut chunk = Chunk::default();
    let mut numbers = Vec::new();
    let mut finish = |chunk: &mut Chunk, numbers: &mut Vec<u64>| -> Result<()> {
        let mut chunk = std::mem::take(chunk);
        chunk.number(std::mem::take(numbers));
        chunk.write_documents(new)?;
        rebuilt.documents += chunk.len() as u64;
        rebuilt.distinct += chunk.write_derived(new, engine.documents.bands())?;
        Ok(())
    };
    let replaced = replaced_documents(engine, old)?;
    for entry in old.scan(Space::Documents, &[]) {
        let (key, value) = entry?;
        let number = number_of(Space::Documents, &key)?;
        last = Some(number);
        let record = view(engine, number, &value).ok().and_then(|view| view.record());
        let body = if engine.is_exact() { old.get(Space::Bodies, &key)? } else { None };
        let is_whole = !engine.is_exact() || body.as_ref().is_some_and(|body| Body::decode(body).is_some());
        let Some(record) = record.filter(|_| is_whole && !replaced.contains(&number)) else {
            lost_documents += 1;
            continue;
        };
        let Prepared { record, keys, .. } = engine.prepared(record, None);
        numbers.push(number);
        chunk.push(engine, &record, &keys, Some((value.to_vec(), body.map(|body| body.to_vec()))));
        if chunk.bytes() > memory {
            finish(&mut chunk, &mut numbers)?;
        }
    }
    finish(&mut chunk, &mut numbers)?;
    rebuilt.next = rebuilt.next.max(last.map_or(0, |last| last + 1));
    let mut batch = Batch::default();
    batch.put(Space::Meta, COUNTERS_KEY.to_vec(), rebuilt.encode());
    new.commit(&batch)?;
    new.flush()?;
    Ok(Repaired { documents: rebuilt.documents, lost_documents, lost_batches: 0 })
}

/// The documents whose id a younger one has too. There are none, unless the store was damaged.
fn replaced_documents(engine: &Engine, old: &dyn Snapshot) -> Result<HashSet<u64>> {
    let mut replaced = HashSet::new();
    for entry in old.scan(Space::Documents, &[]) {
        let (key, value) = entry?;
        let number = number_of(Space::Documents, &key)?;
        let Some(record) = view(engine, number, &value).ok().and_then(|view| view.record()) else { continue };
        let named = old.get(Space::Ids, record.id.as_bytes())?;
        let named = named.and_then(|value| id_number(record.id.as_bytes(), &value).ok());
        let is_other = |other: u64| -> Result<bool> {
            let value = old.get(Space::Documents, &number_key(other))?;
            let other = value.and_then(|value| view(engine, other, &value).ok()?.record());
            Ok(other.is_some_and(|other| other.id == record.id))
        };
        if let Some(named) = named.filter(|&named| named > number)
            && is_other(named)?
        {
            replaced.insert(number);
        }
    }
    Ok(replaced)
}
