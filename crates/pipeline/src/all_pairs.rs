//! Verified pairs and exact copies -> all pairs of the corpus, in order, one after the other.
//!
//! Only originals are compared. A copy is similar to the other copies of its text, and to all that its original is
//! similar to, so that the pairs of n equal documents are n(n-1)/2. They are made when they are handed out: of one
//! document at a time, those with a later one. What is held is the verified pairs in both directions and the copies of
//! each original, sorted, in files if need be.

use crate::Result;
use crate::bits::Bits;
use crate::copies::{Copies, ExactCopy};
use crate::decisions::{Removal, Removals};
use crate::sorted::{Room, Sorted, Sorter};
use crate::store::Number;
use std::ops::ControlFlow;

/// All pairs, to be visited.
pub(crate) struct AllPairs<'a> {
    /// The verified pairs of originals in both directions: ascending by `number`, then by `kept`.
    near: Removals,
    /// Copies, by original.
    copies_of: Sorted<ExactCopy>,
    /// Copies, by copy.
    copies: &'a Copies,
    has_near: Bits,
    has_copies: Bits,
    room: Room<'a>,
    count: Number,
}

impl<'a> AllPairs<'a> {
    /// Of verified pairs among those documents that are not copies.
    pub(crate) fn new(found: Removals, copies: &'a Copies, count: Number, room: Room<'a>) -> Result<Self> {
        let (mut has_near, mut has_copies) = (Bits::new(count), Bits::new(count));
        let by_both = |pair: &Removal| (pair.number, pair.kept);
        let mut near = room.sorter(room.ledger.sorting(), by_both);
        for (step, pair) in found.iter().enumerate() {
            room.observer.go_on_at(step)?;
            let pair = pair?;
            for (number, kept) in [(pair.number, pair.kept), (pair.kept, pair.number)] {
                has_near.insert(number);
                near.push(Removal { number, kept, ..pair });
            }
        }
        drop(found);
        let near = near.finish()?;
        let by_original = |pair: &ExactCopy| (pair.original, pair.copy);
        let mut copies_of = room.sorter(room.ledger.sorting(), by_original);
        for (step, pair) in copies.pairs.iter().enumerate() {
            room.observer.go_on_at(step)?;
            let pair = pair?;
            has_copies.insert(pair.original);
            copies_of.push(pair);
        }
        Ok(Self { near, copies_of: copies_of.finish()?, copies, has_near, has_copies, room, count })
    }

    /// How many pairs there are.
    pub(crate) fn count(&self) -> Result<u64> {
        let mut pairs = 0u64;
        // A document that comes after n others with its text makes n pairs.
        let (mut original, mut earlier) = (None, 0u64);
        for (step, pair) in self.copies_of.iter().enumerate() {
            self.room.observer.go_on_at(step)?;
            let pair = pair?;
            earlier = if original == Some(pair.original) { earlier + 1 } else { 1 };
            original = Some(pair.original);
            pairs = pairs.saturating_add(earlier);
        }
        for (step, pair) in self.near.iter().enumerate() {
            self.room.observer.go_on_at(step)?;
            let pair = pair?;
            if pair.number < pair.kept {
                let both = self.documents_like(pair.number)?.saturating_mul(self.documents_like(pair.kept)?);
                pairs = pairs.saturating_add(both);
            }
        }
        Ok(pairs)
    }

    /// How many documents have the text of an original, with itself.
    fn documents_like(&self, original: Number) -> Result<u64> {
        if !self.has_copies.contains(original) {
            return Ok(1);
        }
        let first = self.copies_of.partition_point(|pair| pair.original < original)?;
        let end = self.copies_of.partition_point(|pair| pair.original <= original)?;
        Ok(1 + end - first)
    }

    /// Hands every pair to `visit`, until it says stop: the earlier document as `kept`, the later one as `number`;
    /// ascending by the earlier one, then by the later one.
    pub(crate) fn visit(
        &self,
        visit: &mut dyn FnMut(Removal) -> Result<ControlFlow<()>>,
    ) -> Result<ControlFlow<()>> {
        let mut originals = self.copies.pairs.iter();
        for document in 0..self.count {
            self.room.observer.go_on_at(document as usize)?;
            let is_copy = self.copies.contains(document);
            if !is_copy && !self.has_near.contains(document) && !self.has_copies.contains(document) {
                continue;
            }
            let mut original = document;
            if is_copy {
                originals.take_until(|pair| pair.copy >= document, |_| Ok(()))?;
                original = originals.peek()?.map_or(document, |pair| pair.original);
            }
            let mut partners = self.room.sorter(self.room.ledger.sorting(), |pair: &Removal| pair.number);
            self.add_class(original, document, &Removal::exact(0, 0), &mut partners)?;
            if self.has_near.contains(original) {
                let first = self.near.partition_point(|pair| pair.number < original)?;
                self.near.iter_from(first).take_until(
                    |pair| pair.number > original,
                    |pair| self.add_class(pair.kept, document, &pair, &mut partners),
                )?;
            }
            for pair in partners.finish()?.iter() {
                if visit(pair?)?.is_break() {
                    return Ok(ControlFlow::Break(()));
                }
            }
        }
        Ok(ControlFlow::Continue(()))
    }

    /// Adds pairs of `document` with those later ones that have the text of `original`, which is similar as `like` says.
    fn add_class<F: Fn(&Removal) -> Number>(
        &self,
        original: Number,
        document: Number,
        like: &Removal,
        partners: &mut Sorter<'_, Removal, F>,
    ) -> Result<()> {
        let mut add = |other: Number| {
            if other > document {
                partners.push(Removal { number: other, kept: document, ..*like });
            }
        };
        add(original);
        if self.has_copies.contains(original) {
            let after = |pair: &ExactCopy| (pair.original, pair.copy) <= (original, document);
            let first = self.copies_of.partition_point(after)?;
            self.copies_of.iter_from(first).take_until(
                |pair| pair.original != original,
                |pair| {
                    self.room.observer.go_on_at(pair.copy as usize)?;
                    add(pair.copy);
                    Ok(())
                },
            )?;
        }
        Ok(())
    }
}
