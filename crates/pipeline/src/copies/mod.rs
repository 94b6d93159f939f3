//! Fingerprints -> exact copies. Documents are exact copies if 128 bits of a cryptographic hash of their normalised
//! texts are equal.
//!
//! Texts that are equal after normalisation have the same shingles, and therefore the same fingerprint. Only
//! documents that share their fingerprint with another are read again. First the raw texts are hashed. The normalised
//! texts are hashed only where the raw texts differ. Copies are not considered by the later stages, so they never
//! reach a bucket.
//!
//! All lists that grow with the number of copies are sorted in memory while they fit, and in files otherwise, and are
//! read one item at a time. Even if all documents are copies, each needs only a few bits of memory.

pub(crate) mod repeats;

use crate::copies::repeats::{Keys, repeats};
use crate::limits::bits::Bits;
use crate::limits::sorted::{Room, Sorted};
use crate::method::{TextBuffers, content_hash};
use crate::store::Number;
use crate::verify::reread::reread_stream;
use crate::view::View;
use crate::{Observer, Result, Stage};
use bytemuck::{Pod, Zeroable};

/// A copy, and the original: a document with the same text that comes earlier in keep order.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Zeroable, Pod)]
#[repr(C)]
pub(crate) struct ExactCopy {
    pub copy: Number,
    pub original: Number,
}

/// All copies: documents whose text is also the text of a document that comes earlier in keep order.
#[derive(Debug)]
pub(crate) struct Copies {
    /// Ascending by copy.
    pub pairs: Sorted<ExactCopy>,
    members: Bits,
}

impl Copies {
    /// True if a document is a copy.
    #[inline]
    pub(crate) fn contains(&self, number: Number) -> bool {
        self.members.contains(number)
    }
}

/// Finds all exact copies.
pub(crate) fn find(view: View<'_>) -> Result<Copies> {
    let View { store, recipe, budget, observer, .. } = view;
    let room = view.room();
    let suspects = suspects(view, room)?;
    observer.started(Stage::ExactCopies, suspects.count());
    let advance = |documents: u64| observer.advanced(Stage::ExactCopies, documents);
    let hashed = hashed(view, room, &suspects, |text, _| content_hash(text.as_bytes()), advance)?;
    drop(suspects);
    // Where the raw texts differ, the normalised texts decide.
    let differing = groups_that_differ(&hashed, observer)?;
    let mut open = Bits::new(store.count());
    let mut members = Bits::new(store.count());
    let mut pairs = room.sorter(budget.sorting(), |pair: &ExactCopy| pair.copy);
    let mut add = |copy: &Hashed, original: Number| {
        members.insert(copy.number);
        pairs.push(ExactCopy { copy: copy.number, original });
    };
    let mut last: Option<(Hashed, Number)> = None;
    let mut group = 0;
    for (step, document) in hashed.iter().enumerate() {
        observer.go_on_at(step)?;
        let document = document?;
        let original = match last {
            Some((last, original)) if last.has_fingerprint_of(&document) => original,
            last => {
                group += u64::from(last.is_some());
                document.number
            }
        };
        if differing.contains(group) {
            open.insert(document.number);
        } else if original != document.number {
            add(&document, original);
        }
        last = Some((document, original));
    }
    drop((hashed, differing));
    let hash = |text: &str, buffers: &mut TextBuffers| recipe.content_hash(text, buffers);
    let hashed = self::hashed(view, room, &open, hash, |_| {})?;
    let mut last: Option<(Hashed, Number)> = None;
    for (step, document) in hashed.iter().enumerate() {
        observer.go_on_at(step)?;
        let document = document?;
        let original = match last {
            Some((last, original)) if last.has_fingerprint_of(&document) && last.hash == document.hash => {
                add(&document, original);
                original
            }
            _ => document.number,
        };
        last = Some((document, original));
    }
    Ok(Copies { pairs: pairs.finish()?, members })
}

/// The documents that share their fingerprint with another document.
fn suspects(view: View<'_>, room: Room<'_>) -> Result<Bits> {
    let View { store, observer, .. } = view;
    let mut suspects = Bits::new(store.count());
    let mut keys = Vec::new();
    let scan = |visit: &mut Keys<'_>| {
        for part in 0..store.parts() {
            observer.go_on()?;
            let (first, entries) = store.entries(part)?;
            let documents = (first..).zip(entries.iter()).filter(|(_, entry)| entry.takes_part());
            keys.clear();
            keys.extend(documents.map(|(number, entry)| (entry.fingerprint, number)));
            visit(&keys);
        }
        Ok(())
    };
    repeats(store.count(), room, scan, &mut |number, _| suspects.insert(number))?;
    Ok(suspects)
}

/// A document that may be a copy, with the hashes that decide it.
#[derive(Debug, Clone, Copy, Zeroable, Pod)]
#[repr(C)]
struct Hashed {
    /// The fingerprint of the text, and the hash of the value of `--within`.
    fingerprint: [u64; 3],
    hash: [u64; 2],
    /// Together with the number: the position of the document in keep order.
    rank: [u64; 2],
    number: Number,
}

impl Hashed {
    fn has_fingerprint_of(&self, other: &Self) -> bool {
        self.fingerprint == other.fingerprint
    }
}

/// Reads documents again and hashes them. The result is sorted by fingerprint, then hash, then keep order. `advance`
/// is called with the number of documents in each batch.
fn hashed(
    view: View<'_>,
    room: Room<'_>,
    documents: &Bits,
    hash_of: impl Fn(&str, &mut TextBuffers) -> u128 + Sync,
    advance: impl Fn(u64) + Sync,
) -> Result<Sorted<Hashed>> {
    let View { store, order, budget, .. } = view;
    let key = |document: &Hashed| (document.fingerprint, document.hash, document.rank, document.number);
    let mut hashed = room.sorter(budget.sorting(), key);
    let add = |hashes: &mut Vec<u128>, _, _, text: &str, buffers: &mut TextBuffers| {
        hashes.push(hash_of(text, buffers));
        Ok(())
    };
    reread_stream(
        view,
        documents.iter(),
        |places| Vec::with_capacity(places.len()),
        add,
        |numbers, hashes| {
            advance(numbers.len() as u64);
            for ((&number, entry), hash) in numbers.iter().zip(store.entries_of(numbers)?).zip(hashes) {
                let (source, keep, _) = order.rank(store.source_of(number), &entry, number);
                hashed.push(Hashed {
                    fingerprint: [entry.fingerprint, entry.within[0], entry.within[1]],
                    hash: [(hash >> 64) as u64, hash as u64],
                    rank: [u64::from(source), keep],
                    number,
                });
            }
            Ok(())
        },
    )?;
    hashed.finish()
}

/// The groups of documents with equal fingerprints whose hashes are not all equal. Groups are numbered in the order
/// of `hashed`.
fn groups_that_differ(hashed: &Sorted<Hashed>, observer: &dyn Observer) -> Result<Bits> {
    let mut differing = Bits::new(hashed.len());
    let mut last: Option<Hashed> = None;
    let mut group = 0;
    for (step, document) in hashed.iter().enumerate() {
        observer.go_on_at(step)?;
        let document = document?;
        if let Some(last) = last {
            if !last.has_fingerprint_of(&document) {
                group += 1;
            } else if last.hash != document.hash {
                differing.insert(group);
            }
        }
        last = Some(document);
    }
    Ok(differing)
}
