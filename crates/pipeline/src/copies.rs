//! Fingerprints -> exact copies: equal normalised text, by 128 bits of a cryptographic hash.
//!
//! Texts that are equal after normalisation have the same shingles, so the same fingerprint. Only documents that share
//! their fingerprint with another are read again and hashed. Copies go no further: they never reach a bucket.

use crate::bits::Bits;
use crate::grouping::{Taker, groups};
use crate::reread::reread;
use crate::store::Number;
use crate::view::View;
use crate::{Result, Stage};
use std::ops::Range;

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
    groups(store.count(), budget.grouping() * threads as u64, &scan, &mut |group| {
        suspects.extend(group.iter().map(|&(number, _)| number));
    })?;
    suspects.sort_unstable();
    observer.started(Stage::ExactCopies, suspects.len() as u64);
    let entries = store.entries_of(&suspects)?;
    let mut hashed = Vec::with_capacity(suspects.len());
    let begin = |places: Range<usize>| Vec::with_capacity(places.len());
    let add = |hashes: &mut Vec<u128>, _, text: &str, buffers: &mut _| {
        hashes.push(means.content_hash(text, buffers));
        Ok(())
    };
    reread(view, &suspects, begin, add, |places, hashes| {
        observer.advanced(Stage::ExactCopies, places.len() as u64);
        for (place, hash) in places.zip(hashes) {
            let (number, entry) = (suspects[place], &entries[place]);
            let rank = order.rank(store.place(number).0, entry, number);
            hashed.push((hash, entry.within, rank));
        }
        Ok(())
    })?;
    hashed.sort_unstable();
    let mut pairs = Vec::new();
    for equal in hashed.chunk_by(|a, b| (a.0, a.1) == (b.0, b.1)) {
        let original = equal[0].2.2;
        pairs.extend(equal[1..].iter().map(|(_, _, rank)| (rank.2, original)));
    }
    Ok(Copies::new(pairs, store.count()))
}
