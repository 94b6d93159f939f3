//! Ids and signatures -> dense positions and one contiguous table of slots.
//!
//! Every index stores its documents here and refers to them by position (a `u32`), so that its own structure holds
//! four bytes per document and entry. A position is reused after its document was removed.

use std::collections::HashMap;

use super::{DocumentId, Match, sort_matches};
use crate::error::{Error, Result};
use crate::minhash::{Kind, Signature, count_equal};

#[derive(Debug, Clone)]
pub(super) struct SignatureStore<Id> {
    /// The family, seed and length of all signatures, taken from the first one.
    kind: Option<Kind>,
    /// The slots, `num_hashes` per position.
    slots: Vec<u64>,
    /// The document at each position; `None` where it was removed.
    ids: Vec<Option<Id>>,
    positions: HashMap<Id, u32>,
    free: Vec<u32>,
}

impl<Id: DocumentId> SignatureStore<Id> {
    pub(super) fn new() -> Self {
        Self { kind: None, slots: Vec::new(), ids: Vec::new(), positions: HashMap::new(), free: Vec::new() }
    }

    pub(super) fn len(&self) -> usize {
        self.positions.len()
    }

    pub(super) fn position(&self, id: &Id) -> Option<u32> {
        self.positions.get(id).copied()
    }

    pub(super) fn id(&self, position: u32) -> Option<&Id> {
        self.ids.get(position as usize)?.as_ref()
    }

    /// The slots of the document at `position`.
    pub(super) fn slots(&self, position: u32) -> &[u64] {
        let width = self.kind.map_or(0, |kind| kind.num_hashes);
        &self.slots[position as usize * width..][..width]
    }

    pub(super) fn signature(&self, position: u32) -> Option<Signature> {
        let kind = self.kind?;
        Signature::from_slots(kind.family, kind.seed, self.slots(position).to_vec()).ok()
    }

    /// Returns an error unless `signature` can be compared with those in the store.
    pub(super) fn check(&self, signature: &Signature) -> Result<()> {
        self.kind.map_or(Ok(()), |kind| kind.check(signature.kind()))
    }

    /// Stores a document and returns its position.
    pub(super) fn insert(&mut self, id: Id, signature: &Signature) -> Result<u32> {
        self.check(signature)?;
        if self.positions.contains_key(&id) {
            return Err(Error::DuplicateId { id: format!("{id:?}") });
        }
        let position = match self.free.last() {
            Some(&position) => position,
            None => self.next_position()?,
        };
        self.kind.get_or_insert(signature.kind());
        let (at, width) = (position as usize, signature.num_hashes());
        if self.free.pop().is_some() {
            self.slots[at * width..][..width].copy_from_slice(signature.slots());
            self.ids[at] = Some(id.clone());
        } else {
            self.slots.extend_from_slice(signature.slots());
            self.ids.push(Some(id.clone()));
        }
        self.positions.insert(id, position);
        Ok(position)
    }

    fn next_position(&self) -> Result<u32> {
        // The largest u32 is not a position. The indexes use it to mark "none".
        match u32::try_from(self.ids.len()) {
            Ok(position) if position < u32::MAX => Ok(position),
            _ => Err(Error::Capacity {
                what: "documents in one index",
                found: self.ids.len() as u64 + 1,
                most: u32::MAX.into(),
            }),
        }
    }

    /// Removes a document and returns the position it had. Its slots can be read until the next insertion.
    pub(super) fn remove(&mut self, id: &Id) -> Option<u32> {
        let position = self.positions.remove(id)?;
        self.ids[position as usize] = None;
        self.free.push(position);
        Some(position)
    }

    /// The estimated similarity of the document at `position` to a signature with `slots`.
    pub(super) fn similarity(&self, position: u32, slots: &[u64]) -> f64 {
        count_equal(self.slots(position), slots) as f64 / slots.len().max(1) as f64
    }

    /// The documents at `positions` (each at most once) as matches, best first.
    pub(super) fn matches(&self, positions: &[u32], slots: &[u64]) -> Vec<Match<Id>> {
        let found = positions.iter().filter_map(|&position| {
            let id = self.id(position)?.clone();
            Some(Match { id, similarity: self.similarity(position, slots) })
        });
        let mut matches: Vec<_> = found.collect();
        sort_matches(&mut matches);
        matches
    }

    /// The positions in use, by ascending id.
    pub(super) fn by_id(&self) -> Vec<u32> {
        let mut order: Vec<(&Id, u32)> =
            (0..).zip(&self.ids).filter_map(|(position, id)| Some((id.as_ref()?, position))).collect();
        order.sort_unstable();
        order.into_iter().map(|(_, position)| position).collect()
    }
}
