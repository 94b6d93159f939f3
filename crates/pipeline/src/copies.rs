//! Fingerprints -> exact copies: equal normalised text, by 128 bits of a cryptographic hash.
//!
//! Texts that are equal after normalisation have the same shingles, so the same fingerprint. Only documents that share
//! their fingerprint with another are read again and hashed: the texts as they are, and normalised only where these
//! differ. Copies go no further: they never reach a bucket.

use crate::bits::Bits;
use crate::grouping::{Taker, groups};
use crate::method::{TextBuffers, content_hash};
use crate::order::Rank;
use crate::reread::reread;
use crate::store::Number;
use crate::store::columns::Within;
use crate::view::View;
use crate::{Result, Stage};
use std::ops::Range;

/// Entries that are looked up at a time.
const ENTRIES_AT_A_TIME: usize = 1 << 14;

/// Documents whose text an earlier one (in keep order) has.
#[derive(Debug, Default)]
pub(crate) struct Copies {
    /// Copy and original, ascending by copy.
    pub pairs: Vec<(Number, Number)>,
    members: Bits,
}

impl Copies {
    /// Whether a document is a copy.
    #[inline]
    pub(crate) fn contains(&self, number: Number) -> bool {
        self.members.contains(number)
    }

    fn new(mut pairs: Vec<(Number, Number)>, count: Number) -> Self {
        pairs.sort_unstable();
        let mut members = Bits::new(count);
        pairs.iter().for_each(|&(copy, _)| members.insert(copy));
        Self { pairs, members }
    }
}

/// Finds all exact copies.
pub(crate) fn find(view: View<'_>) -> Result<Copies> {
    let View { store, means, order, budget, threads, observer, .. } = view;
    let scan = |visit: &mut Taker<'_>| {
        let mut keys = Vec::new();
        for part in 0..store.parts() {
            observer.go_on()?;
            let (first, entries) = store.entries(part)?;
            keys.clear();
            keys.extend(
                (first..)
                    .zip(entries.iter())
                    .filter(|(_, e)| e.is_document())
                    .map(|(n, e)| (n, e.fingerprint)),
            );
            visit(&keys);
        }
        Ok(())
    };
    let mut suspects: Vec<Number> = Vec::new();
    groups(store.count(), budget.grouping() * threads as u64, observer, &scan, &mut |group| {
        suspects.extend(group.iter().map(|&(number, _)| number));
    })?;
    suspects.sort_unstable();
    observer.started(Stage::ExactCopies, suspects.len() as u64);
    let mut hashed: Vec<Hashed> = Vec::with_capacity(suspects.len());
    for some in suspects.chunks(ENTRIES_AT_A_TIME) {
        observer.go_on()?;
        hashed.extend(some.iter().zip(store.entries_of(some)?).map(|(&number, entry)| Hashed {
            fingerprint: (entry.fingerprint, entry.within),
            hash: 0,
            rank: order.rank(store.source_of(number), &entry, number),
            number,
        }));
    }
    drop(suspects);
    let advance = |documents: usize| observer.advanced(Stage::ExactCopies, documents as u64);
    hash(view, &mut hashed, |text, _| content_hash(text.as_bytes()), advance)?;
    // Where the texts as they are differ, the normalised ones decide.
    hashed.sort_unstable_by_key(|document| (document.fingerprint, document.number));
    let same = |a: &Hashed, b: &Hashed| a.fingerprint == b.fingerprint;
    let mut open: Vec<Hashed> = Vec::new();
    for group in hashed.chunk_by(same).filter(|group| group.iter().any(|it| it.hash != group[0].hash)) {
        open.extend(group);
    }
    open.sort_unstable_by_key(|document| document.number);
    hash(view, &mut open, |text, buffers| means.content_hash(text, buffers), |_| {})?;
    open.sort_unstable_by_key(|document| (document.fingerprint, document.number));
    let mut normalised = open.iter().peekable();
    for document in &mut hashed {
        if let Some(again) = normalised.next_if(|again| again.number == document.number) {
            document.hash = again.hash;
        }
    }
    drop(open);
    hashed.sort_unstable_by_key(|document| (document.fingerprint, document.hash, document.rank));
    let mut pairs = Vec::new();
    for equal in hashed.chunk_by(|a, b| (a.fingerprint, a.hash) == (b.fingerprint, b.hash)) {
        pairs.extend(equal[1..].iter().map(|copy| (copy.number, equal[0].number)));
    }
    Ok(Copies::new(pairs, store.count()))
}

/// A document that may be a copy, and what decides it.
#[derive(Debug, Clone, Copy)]
struct Hashed {
    /// Of its shingles, and of the value of `--within`.
    fingerprint: (u64, Within),
    hash: u128,
    rank: Rank,
    number: Number,
}

/// Reads the documents (ascending) again and hashes them; `advance` hears how many at a time.
fn hash(
    view: View<'_>,
    documents: &mut [Hashed],
    hash_of: impl Fn(&str, &mut TextBuffers) -> u128 + Sync,
    advance: impl Fn(usize) + Sync,
) -> Result<()> {
    let numbers: Vec<Number> = documents.iter().map(|document| document.number).collect();
    let begin = |places: Range<usize>| Vec::with_capacity(places.len());
    let add = |hashes: &mut Vec<u128>, _, text: &str, buffers: &mut TextBuffers| {
        hashes.push(hash_of(text, buffers));
        Ok(())
    };
    reread(view, &numbers, begin, add, |places, hashes| {
        advance(places.len());
        documents[places].iter_mut().zip(hashes).for_each(|(document, hash)| document.hash = hash);
        Ok(())
    })
}
