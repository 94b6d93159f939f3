//! Verified pairs and exact copies -> all pairs of the corpus, in order, one after the other.
//!
//! Only originals are compared. A copy is similar to the other copies of its text, and to all documents that its
//! original is similar to, so n equal documents have n(n-1)/2 pairs. The pairs are made when they are handed out: for
//! each document, its pairs with later documents. Only the verified pairs, in both directions, and the copies of each
//! original are stored. They are sorted, and are in files if they do not fit in memory.

use crate::Result;
use crate::copies::{Copies, ExactCopy};
use crate::decide::{Removal, Removals};
use crate::limits::bits::Bits;
use crate::limits::sorted::{Room, Sorted, Sorter};
use crate::store::Number;
use crate::view::View;
use std::ops::ControlFlow;

/// Which pairs are wanted. Pairs of two `--against` documents are not. With `--against-only`, one document of each
/// pair must be from `--against`.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Asked {
    /// The number of documents of `--against`, which come first.
    protected: Number,
    against_only: bool,
}

impl Asked {
    pub(crate) fn new(view: View<'_>) -> Self {
        let (mut low, mut high) = (0, view.store.count());
        while low < high {
            let middle = low + (high - low) / 2;
            if view.is_protected(middle) { low = middle + 1 } else { high = middle }
        }
        Self { protected: low, against_only: view.recipe.settings.matching.against_only }
    }

    /// True if a pair is wanted.
    fn has(&self, a: Number, b: Number) -> bool {
        match (a < self.protected, b < self.protected) {
            (true, true) => false,
            (false, false) => !self.against_only,
            _ => true,
        }
    }

    /// The documents of `--against` that have copies in the corpus.
    pub(crate) fn shared(&self, copies: &Copies, count: Number) -> Result<Bits> {
        let mut shared = Bits::new(count);
        if self.protected > 0 {
            for pair in copies.pairs.iter() {
                let pair = pair?;
                if pair.original < self.protected && pair.copy >= self.protected {
                    shared.insert(pair.original);
                }
            }
        }
        Ok(shared)
    }

    /// How many pairs of a document of `a` with a document of `b` are wanted. `a` and `b` are numbers of protected
    /// documents and of others.
    fn between(&self, a: (u64, u64), b: (u64, u64)) -> u64 {
        let mixed = a.0.saturating_mul(b.1).saturating_add(a.1.saturating_mul(b.0));
        if self.against_only { mixed } else { mixed.saturating_add(a.1.saturating_mul(b.1)) }
    }

    /// How many pairs among this many protected documents and others are wanted.
    fn within(&self, (protected, others): (u64, u64)) -> u64 {
        let mixed = protected.saturating_mul(others);
        let among = others.saturating_mul(others.saturating_sub(1)) / 2;
        if self.against_only { mixed } else { mixed.saturating_add(among) }
    }
}

/// All pairs of the corpus.
pub(crate) struct AllPairs<'a> {
    /// The verified pairs of originals in both directions: ascending by `number`, then by `kept`.
    near: Removals,
    /// All copies, sorted by original.
    copies_of: Sorted<ExactCopy>,
    /// All copies, sorted by copy.
    copies: &'a Copies,
    has_near: Bits,
    has_copies: Bits,
    asked: Asked,
    room: Room<'a>,
    count: Number,
}

impl<'a> AllPairs<'a> {
    /// All pairs that follow from `found`, the verified pairs of documents that are not copies.
    pub(crate) fn new(
        found: Removals,
        copies: &'a Copies,
        asked: Asked,
        count: Number,
        room: Room<'a>,
    ) -> Result<Self> {
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
        Ok(Self { near, copies_of: copies_of.finish()?, copies, has_near, has_copies, asked, room, count })
    }

    /// How many pairs there are.
    pub(crate) fn count(&self) -> Result<u64> {
        let mut pairs = 0u64;
        let mut original = None;
        for (step, pair) in self.copies_of.iter().enumerate() {
            self.room.observer.go_on_at(step)?;
            let pair = pair?;
            if original != Some(pair.original) {
                original = Some(pair.original);
                let within = self.asked.within(self.documents_like(pair.original)?);
                pairs = pairs.saturating_add(within);
            }
        }
        for (step, pair) in self.near.iter().enumerate() {
            self.room.observer.go_on_at(step)?;
            let pair = pair?;
            if pair.number < pair.kept {
                let (a, b) = (self.documents_like(pair.number)?, self.documents_like(pair.kept)?);
                pairs = pairs.saturating_add(self.asked.between(a, b));
            }
        }
        Ok(pairs)
    }

    /// How many documents have the text of an original, including itself: the number of protected documents and of
    /// others.
    fn documents_like(&self, original: Number) -> Result<(u64, u64)> {
        let protected = self.asked.protected;
        let itself = if original < protected { (1, 0) } else { (0, 1) };
        if !self.has_copies.contains(original) {
            return Ok(itself);
        }
        let first = self.copies_of.partition_point(|pair| pair.original < original)?;
        let between =
            self.copies_of.partition_point(|pair| (pair.original, pair.copy) < (original, protected))?;
        let end = self.copies_of.partition_point(|pair| pair.original <= original)?;
        Ok((itself.0 + between - first, itself.1 + end - between))
    }

    /// Hands every pair to `visit`, until it returns `Break`. The earlier document is `kept`, the later one is
    /// `number`. Pairs are in ascending order of the earlier document, then of the later one.
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

    /// Adds the pairs of `document` with all later documents that have the text of `original`. Their similarity is
    /// that of the pair `like`.
    fn add_class<F: Fn(&Removal) -> Number>(
        &self,
        original: Number,
        document: Number,
        like: &Removal,
        partners: &mut Sorter<'_, Removal, F>,
    ) -> Result<()> {
        let mut add = |other: Number| {
            if other > document && self.asked.has(document, other) {
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
