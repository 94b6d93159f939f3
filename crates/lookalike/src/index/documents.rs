//! Ids and signatures -> dense positions, and one table of lanes.
//!
//! A removed document keeps its position, and its lanes can be read, until [`Documents::sweep`].

use std::hash::{BuildHasher, RandomState};

use super::growth::{push, reserve};
use super::positions::Positions;
use super::{DocumentId, Match, buckets, sort_matches};
use crate::arch::Kernel;
use crate::error::{Error, Result};
use crate::minhash::lanes::{lanes_into, matching_lanes, near_rows};
use crate::minhash::{BBitSignature, Kind, Signature};

#[derive(Debug, Clone)]
pub(super) struct Documents<Id> {
    /// The family, seed and length of all signatures, taken from the first one.
    kind: Option<Kind>,
    /// The lanes of each position, one for each hash.
    lanes: Vec<u16>,
    /// The id at each position, also of removed documents.
    ids: Vec<Id>,
    /// A bit for each position: 1 if the document was removed.
    removed: Vec<u64>,
    num_removed: usize,
    by_id: Positions,
    hashing: RandomState,
}

impl<Id: DocumentId> Documents<Id> {
    pub(super) fn new() -> Self {
        Self {
            kind: None,
            lanes: Vec::new(),
            ids: Vec::new(),
            removed: Vec::new(),
            num_removed: 0,
            by_id: Positions::new(16),
            hashing: RandomState::new(),
        }
    }

    /// The family, seed and length of all signatures; `None` before the first signature.
    pub(super) fn kind(&self) -> Option<Kind> {
        self.kind
    }

    /// Sets the family, seed and length that all signatures must have.
    pub(super) fn set_kind(&mut self, kind: Option<Kind>) {
        self.kind = kind;
    }

    /// The number of documents that were not removed.
    pub(super) fn len(&self) -> usize {
        self.ids.len() - self.num_removed
    }

    /// One more than the largest position.
    pub(super) fn capacity(&self) -> usize {
        self.ids.len()
    }

    pub(super) fn num_removed(&self) -> usize {
        self.num_removed
    }

    pub(super) fn position(&self, id: &Id) -> Option<u32> {
        let position = self.by_id.value(self.slot(id)?);
        self.is_present(position).then_some(position)
    }

    /// The slot of an id, also if its document was removed.
    fn slot(&self, id: &Id) -> Option<usize> {
        self.by_id.find(self.hashing.hash_one(id), |position| self.ids[position as usize] == *id)
    }

    #[inline]
    pub(super) fn is_present(&self, position: u32) -> bool {
        self.removed[position as usize / 64] >> (position % 64) & 1 == 0
    }

    /// The document at `position`, if it was not removed.
    pub(super) fn id(&self, position: u32) -> Option<&Id> {
        self.is_present(position).then(|| &self.ids[position as usize])
    }

    /// The lanes at `position`.
    #[inline]
    pub(super) fn lanes(&self, position: u32) -> &[u16] {
        let width = self.width();
        &self.lanes[position as usize * width..][..width]
    }

    #[inline]
    fn width(&self) -> usize {
        self.kind.map_or(0, |kind| kind.num_hashes)
    }

    pub(super) fn signature(&self, position: u32) -> Option<BBitSignature> {
        Some(BBitSignature::of_lanes(self.kind?, self.lanes(position)))
    }

    /// Returns an error unless signatures of this kind can be compared with those here.
    pub(super) fn check(&self, signature: Kind) -> Result<()> {
        self.kind.map_or(Ok(()), |kind| kind.check(signature))
    }

    /// Stores a document and returns its position.
    pub(super) fn insert(&mut self, id: Id, kind: Kind, lanes: &[u16]) -> Result<u32> {
        self.check(kind)?;
        let slot = self.slot(&id);
        if slot.is_some_and(|slot| self.is_present(self.by_id.value(slot))) {
            return Err(Error::DuplicateId { id: format!("{id:?}") });
        }
        let most = u64::from(buckets::MAX_POSITIONS);
        let found = self.ids.len() as u64 + 1;
        let position = u32::try_from(self.ids.len()).ok().filter(|_| found <= most);
        let position = position.ok_or(Error::Capacity { what: "documents in one index", found, most })?;
        self.kind.get_or_insert(kind);
        reserve(&mut self.lanes, lanes.len());
        self.lanes.extend_from_slice(lanes);
        if position.is_multiple_of(64) {
            self.removed.push(0);
        }
        let Self { ids, by_id, hashing, .. } = self;
        match slot {
            // The document that had this id was removed.
            Some(slot) => by_id.set(slot, position),
            None => {
                by_id.insert(hashing.hash_one(&id), position, |other| hashing.hash_one(&ids[other as usize]));
            }
        }
        push(ids, id);
        Ok(position)
    }

    /// Removes a document. Returns true if there was one.
    pub(super) fn remove(&mut self, id: &Id) -> bool {
        let Some(position) = self.position(id) else { return false };
        self.removed[position as usize / 64] |= 1 << (position % 64);
        self.num_removed += 1;
        true
    }

    /// Forgets removed documents. The others get new positions, in the same order.
    pub(super) fn sweep(&mut self) {
        let width = self.width();
        let present: Vec<bool> =
            (0..self.ids.len() as u32).map(|position| self.is_present(position)).collect();
        let kept = present.iter().enumerate().filter(|(_, present)| **present);
        for (to, (from, _)) in kept.enumerate() {
            self.lanes.copy_within(from * width..(from + 1) * width, to * width);
        }
        let mut present = present.into_iter();
        self.ids.retain(|_| present.next() == Some(true));
        self.lanes.truncate(self.ids.len() * width);
        self.removed = vec![0; self.ids.len().div_ceil(64)];
        self.num_removed = 0;
        self.lanes.shrink_to_fit();
        self.ids.shrink_to_fit();
        self.by_id = Positions::new(16);
        for (position, id) in (0..).zip(&self.ids) {
            let hash_of = |other: u32| self.hashing.hash_one(&self.ids[other as usize]);
            self.by_id.insert(self.hashing.hash_one(id), position, hash_of);
        }
    }

    /// The estimated similarity of two documents: the share of their lanes that agree.
    pub(super) fn similarity(&self, a: u32, b: u32) -> f64 {
        matching_lanes(self.lanes(a), self.lanes(b)) as f64 / self.width().max(1) as f64
    }

    /// The documents at `positions` (each at most once) as matches, best first.
    pub(super) fn matches(&self, positions: &[u32], lanes: &[u16]) -> Vec<Match<Id>> {
        if positions.is_empty() {
            return Vec::new();
        }
        let mut near = Vec::with_capacity(positions.len());
        near_rows(Kernel::best(), lanes, &self.lanes, positions, 0, &mut near);
        let width = lanes.len().max(1) as f64;
        let found = near.into_iter().filter_map(|(position, matching)| {
            let id = self.id(position)?.clone();
            Some(Match { id, similarity: f64::from(matching) / width })
        });
        let mut matches: Vec<_> = found.collect();
        sort_matches(&mut matches);
        matches
    }

    /// The positions of all documents, by ascending id.
    pub(super) fn by_id(&self) -> Vec<u32> {
        let mut order: Vec<u32> =
            (0..self.ids.len() as u32).filter(|&position| self.is_present(position)).collect();
        order.sort_unstable_by(|&a, &b| self.ids[a as usize].cmp(&self.ids[b as usize]));
        order
    }

    pub(super) fn size_in_bytes(&self) -> usize {
        self.lanes.capacity() * size_of::<u16>()
            + self.ids.capacity() * size_of::<Id>()
            + self.removed.capacity() * size_of::<u64>()
            + self.by_id.size_in_bytes()
    }
}

/// The lanes of a signature.
pub(super) fn lanes_of(signature: &Signature) -> Vec<u16> {
    let mut lanes = vec![0; signature.num_hashes()];
    lanes_into(signature.slots(), &mut lanes);
    lanes
}
