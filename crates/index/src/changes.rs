//! Single changes inside a transaction: a document comes, goes, changes or stays longer.
//!
//! These are the only places that write `documents`, `bodies`, `ids`, `copies`, `buckets` and `expiry` in a
//! transaction, so that they always agree:
//!
//! - the list under the copy hash of a document has its number;
//! - the smallest number of that list, and no other, is in the buckets of its keys;
//! - its id has its number, and so has its time in `expiry`, if it expires.

use crate::clock::Millis;
use crate::config::Stored;
use crate::engine::{Engine, Prepared};
use crate::pages::List;
use crate::search::find_record;
use crate::store::{Read, Space, Value};
use crate::values::{Record, bucket_key, copies_key, damaged, expiry_key, id_number, id_value, number_key};
use crate::writer::Transaction;
use crate::{Error, Result};

/// The value of an entry of `expiry`: the key says it all.
pub(crate) const EXPIRY_VALUE: [u8; 1] = [0x61];

/// What happens to a document with the same id.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum IfThere {
    Refuse,
    Update,
}

/// The number and the record of a document, by its id.
pub(crate) fn find(engine: &Engine, read: &dyn Read, id: &str) -> Result<Option<(u64, Record)>> {
    let Some(value) = read.get(Space::Ids, id.as_bytes())? else { return Ok(None) };
    let number = id_number(id.as_bytes(), &value)?;
    match find_record(engine, read, number)? {
        Some(record) => Ok(Some((number, record))),
        None => Err(damaged(Space::Documents, &number_key(number), "the document is missing")),
    }
}

/// Adds a document and returns its number.
pub(crate) fn add(
    engine: &Engine,
    writes: &mut Transaction<'_>,
    prepared: &Prepared,
    if_there: IfThere,
    now: Millis,
) -> Result<u64> {
    let id = &prepared.record.id;
    if let Some((number, old)) = find(engine, writes, id)? {
        match if_there {
            // What has expired is not there any more, even if nobody has removed it yet.
            _ if old.is_expired(now) => remove(engine, writes, number, &old)?,
            IfThere::Refuse => return Err(Error::DuplicateId { id: id.clone() }),
            IfThere::Update if is_same(&old, &prepared.record) => {
                rewrite(writes, number, &old, prepared);
                return Ok(number);
            }
            IfThere::Update => remove(engine, writes, number, &old)?,
        }
    }
    let number = writes.counters.next;
    writes.counters.next += 1;
    writes.counters.documents += 1;
    put(writes, number, prepared);
    writes.put(Space::Ids, id.as_bytes(), id_value(number));
    let copies = copies_key(prepared.copy_hash);
    if (List { space: Space::Copies, key: &copies }).add(writes, number)? {
        writes.counters.distinct += 1;
        for (band, &key) in prepared.keys.iter().enumerate() {
            List { space: Space::Buckets, key: &bucket_key(band, key) }.add(writes, number)?;
        }
    }
    Ok(number)
}

/// True if two versions of a document are compared alike: then the document keeps its number and its age.
fn is_same(old: &Record, new: &Record) -> bool {
    (old.copy_hash(), old.within, &old.lanes) == (new.copy_hash(), new.within, &new.lanes)
}

/// Replaces what does not change how a document is compared.
fn rewrite(writes: &mut Transaction<'_>, number: u64, old: &Record, prepared: &Prepared) {
    if let Some(expires) = old.expires {
        writes.remove(Space::Expiry, expiry_key(expires, number));
    }
    let record = Record { added: old.added, ..prepared.record.clone() };
    put(writes, number, &Prepared { record, ..prepared.clone() });
}

fn put(writes: &mut Transaction<'_>, number: u64, prepared: &Prepared) {
    writes.put(Space::Documents, number_key(number), prepared.record.encode());
    if let Some(body) = &prepared.body {
        writes.put(Space::Bodies, number_key(number), body.encode());
    }
    if let Some(expires) = prepared.record.expires {
        writes.put(Space::Expiry, expiry_key(expires, number), Value::from(EXPIRY_VALUE));
    }
}

/// Removes a document.
pub(crate) fn remove(
    engine: &Engine,
    writes: &mut Transaction<'_>,
    number: u64,
    record: &Record,
) -> Result<()> {
    writes.remove(Space::Documents, number_key(number));
    if engine.config.store != Stored::Signatures {
        writes.remove(Space::Bodies, number_key(number));
    }
    writes.remove(Space::Ids, record.id.as_bytes());
    if let Some(expires) = record.expires {
        writes.remove(Space::Expiry, expiry_key(expires, number));
    }
    writes.counters.documents = writes.counters.documents.saturating_sub(1);
    let copies = copies_key(record.copy_hash());
    let copies = List { space: Space::Copies, key: &copies };
    let was_first = copies.first(writes)? == Some(number);
    copies.remove(writes, number)?;
    if !was_first {
        return Ok(());
    }
    // The next copy takes its place in the buckets.
    let next = copies.first(writes)?;
    if next.is_none() {
        writes.counters.distinct = writes.counters.distinct.saturating_sub(1);
    }
    if record.hash_only {
        return Ok(());
    }
    let mut keys = Vec::new();
    engine.documents.keys_into(&record.lanes, record.within, &mut keys);
    for (band, &key) in keys.iter().enumerate() {
        let key = bucket_key(band, key);
        let bucket = List { space: Space::Buckets, key: &key };
        match next {
            Some(next) => bucket.replace(writes, number, next)?,
            None => {
                bucket.remove(writes, number)?;
            }
        }
    }
    Ok(())
}

/// Lets a document stay until `expires`, or for ever, if that is longer than it would have stayed.
pub(crate) fn prolong(
    writes: &mut Transaction<'_>,
    number: u64,
    mut record: Record,
    expires: Option<Millis>,
) {
    let Some(old) = record.expires else { return };
    if expires.is_some_and(|expires| expires <= old) {
        return;
    }
    writes.remove(Space::Expiry, expiry_key(old, number));
    record.expires = expires;
    writes.put(Space::Documents, number_key(number), record.encode());
    if let Some(expires) = expires {
        writes.put(Space::Expiry, expiry_key(expires, number), Value::from(EXPIRY_VALUE));
    }
}
