//! The entry of a record slot: what is known of it besides its lists.
//!
//! Entries are kept in columns. What every slot has takes 16 bytes ([`Slot`]). The value that `--keep` compares and the
//! hash of the value of `--within` have columns of their own, which are empty where the settings do not use them. An
//! [`Entry`] is put together when it is read.

use bytemuck::{Pod, Zeroable};
use std::borrow::Cow;

/// 128 bits of a cryptographic hash of the value of `--within`; 0 if there is no value.
pub(crate) type Within = [u64; 2];

/// What is known of a record slot.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Entry {
    /// Texts that are equal after normalisation, and whose `within` is equal, have equal fingerprints.
    pub fingerprint: u64,
    /// The value that the keep order compares: of two duplicates, the document with the smaller value is kept. For a
    /// value longer than 8 bytes, these are its first bytes until [all values are ranked](crate::store::ranking). 0 if the
    /// column is empty.
    pub keep: u64,
    /// Only documents with equal `within` are compared.
    pub within: Within,
    /// The number of shingles.
    pub size: u32,
    flags: u32,
}

/// The part of an entry that every slot has.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Zeroable, Pod)]
#[repr(C)]
pub(crate) struct Slot {
    fingerprint: u64,
    size: u32,
    /// The lowest 2 bits are a [`Class`]. The next bit is set if the id is not a string. The other bits are the
    /// number of blank lines that come before the record in its block.
    flags: u32,
}

/// The bits of `flags` that hold the [`Class`].
const CLASS: u32 = 3;
/// The bit of `flags` that is set if the id is not a string.
const BARE_ID: u32 = 4;
/// The number of blank lines begins at this bit of `flags`. It has 29 bits; a block has far fewer lines.
const BLANK_LINES_SHIFT: u32 = 3;

/// What a record slot contains.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Class {
    /// A document that is compared by its shingles.
    Compared,
    /// A document that is compared by content hash only: it is longer than `max-text`, or has NUL characters, or too little of
    /// it is left without its frame.
    HashOnly,
    /// A bad record.
    Bad,
    /// A document that is removed because of a document of an index.
    Seen,
}

impl Entry {
    /// The entry of a document.
    pub(crate) fn document(class: Class, fingerprint: u64, keep: u64, within: Within, size: usize) -> Self {
        let size = u32::try_from(size).unwrap_or(u32::MAX);
        Self { fingerprint, keep, within, size, flags: class as u32 }
    }

    /// The entry of a bad record.
    pub(crate) fn bad() -> Self {
        Self { fingerprint: 0, keep: 0, within: [0; 2], size: 0, flags: Class::Bad as u32 }
    }

    /// The same entry, with what is known about its record.
    pub(crate) fn of_record(self, has_bare_id: bool, blank_lines_before: u64) -> Self {
        let blank_lines =
            u32::try_from(blank_lines_before).unwrap_or(u32::MAX).min(u32::MAX >> BLANK_LINES_SHIFT);
        let bare_id = if has_bare_id { BARE_ID } else { 0 };
        Self { flags: self.flags & CLASS | bare_id | blank_lines << BLANK_LINES_SHIFT, ..self }
    }

    /// What the slot contains.
    pub(crate) fn class(&self) -> Class {
        [Class::Compared, Class::HashOnly, Class::Bad, Class::Seen][(self.flags & CLASS) as usize]
    }

    /// True if the id is not a string.
    pub(crate) fn has_bare_id(&self) -> bool {
        self.flags & BARE_ID != 0
    }

    /// The number of blank lines that come before the record in its block.
    pub(crate) fn blank_lines_before(&self) -> u64 {
        u64::from(self.flags >> BLANK_LINES_SHIFT)
    }

    /// True if the slot contains a document, and not a bad record.
    pub(crate) fn is_document(&self) -> bool {
        self.class() != Class::Bad
    }

    /// True if the slot contains a document that can be a duplicate of another one of the run.
    pub(crate) fn takes_part(&self) -> bool {
        matches!(self.class(), Class::Compared | Class::HashOnly)
    }

    /// True if the slot contains a document with a sketch, which can be a near-duplicate. A document that is compared by its
    /// content only has one if dates are compared.
    pub(crate) fn is_sketched(&self) -> bool {
        match self.class() {
            Class::Compared => true,
            Class::HashOnly => self.size > 0,
            Class::Bad | Class::Seen => false,
        }
    }

    /// The part that every slot has.
    pub(super) fn slot(&self) -> Slot {
        Slot { fingerprint: self.fingerprint, size: self.size, flags: self.flags }
    }
}

/// The entries of consecutive slots.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Entries<'s> {
    pub(super) slots: Cow<'s, [Slot]>,
    /// One for each slot, or none.
    pub(super) keeps: Cow<'s, [u64]>,
    /// One for each slot, or none.
    pub(super) withins: Cow<'s, [Within]>,
}

impl Entries<'_> {
    /// How many there are.
    pub(crate) fn len(&self) -> usize {
        self.slots.len()
    }

    /// The entry of a slot.
    #[inline]
    pub(crate) fn get(&self, slot: usize) -> Entry {
        let Slot { fingerprint, size, flags } = self.slots[slot];
        let keep = self.keeps.get(slot).copied().unwrap_or(0);
        let within = self.withins.get(slot).copied().unwrap_or([0; 2]);
        Entry { fingerprint, keep, within, size, flags }
    }

    /// All entries, in order.
    pub(crate) fn iter(&self) -> impl ExactSizeIterator<Item = Entry> {
        (0..self.len()).map(|slot| self.get(slot))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_entry_holds_what_it_is_told() {
        for class in [Class::Compared, Class::HashOnly] {
            for (bare, blank, expected) in
                [(false, 0, 0), (true, 7, 7), (true, u64::MAX, u64::from(u32::MAX >> 3))]
            {
                let entry = Entry::document(class, 1, 2, [3, 4], 5).of_record(bare, blank);
                assert!(entry.is_document());
                assert_eq!(
                    (entry.class(), entry.has_bare_id(), entry.blank_lines_before()),
                    (class, bare, expected)
                );
                assert_eq!((entry.fingerprint, entry.keep, entry.within, entry.size), (1, 2, [3, 4], 5));
            }
        }
        let bad = Entry::bad().of_record(true, 3);
        assert!(bad.class() == Class::Bad && !bad.is_document() && bad.has_bare_id());
        assert_eq!(Entry::document(Class::Compared, 0, 0, [0; 2], usize::MAX).size, u32::MAX);
    }

    #[test]
    fn entries_are_put_together_from_the_columns_that_there_are() {
        let whole = [
            Entry::document(Class::Compared, 1, 2, [3, 4], 5).of_record(true, 6),
            Entry::document(Class::Seen, 7, u64::MAX, [8, 9], 10),
            Entry::bad(),
        ];
        for (with_keeps, with_withins) in [(true, true), (true, false), (false, true), (false, false)] {
            let none_if = |absent: bool| if absent { 0 } else { whole.len() };
            let entries = Entries {
                slots: whole.iter().map(Entry::slot).collect(),
                keeps: whole.iter().take(none_if(!with_keeps)).map(|entry| entry.keep).collect(),
                withins: whole.iter().take(none_if(!with_withins)).map(|entry| entry.within).collect(),
            };
            let expected = whole.map(|entry| Entry {
                keep: if with_keeps { entry.keep } else { 0 },
                within: if with_withins { entry.within } else { [0; 2] },
                ..entry
            });
            assert!(entries.iter().eq(expected) && entries.len() == 3);
        }
    }
}
