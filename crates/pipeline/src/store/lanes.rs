//! The lanes of several documents.

use std::borrow::Cow;

/// The lanes of several documents, one after the other.
#[derive(Debug, PartialEq)]
pub(crate) struct Lanes<'s> {
    lanes: Cow<'s, [u16]>,
    ends: Ends<'s>,
}

/// Where the lanes of each document end.
#[derive(Debug, PartialEq)]
enum Ends<'s> {
    /// All documents have this many.
    Every(usize),
    /// They differ in number: those of a part, as it stores them.
    OfPart(Cow<'s, [u32]>),
    /// They differ in number: those of documents of any parts, which may be more than a part has.
    Gathered(Vec<u64>),
}

impl<'s> Lanes<'s> {
    /// Lanes of documents that have `width` each.
    pub(super) fn even(lanes: Cow<'s, [u16]>, width: usize) -> Self {
        Self { lanes, ends: Ends::Every(width) }
    }

    /// Lanes of documents that differ in their number.
    pub(super) fn uneven(lanes: Cow<'s, [u16]>, ends: Cow<'s, [u32]>) -> Self {
        Self { lanes, ends: Ends::OfPart(ends) }
    }

    /// Lanes of documents of any parts that differ in their number.
    pub(super) fn gathered(lanes: Vec<u16>, ends: Vec<u64>) -> Self {
        Self { lanes: Cow::Owned(lanes), ends: Ends::Gathered(ends) }
    }

    /// The lanes of one document.
    #[inline]
    pub(crate) fn of(&self, at: usize) -> &[u16] {
        match &self.ends {
            Ends::Every(width) => &self.lanes[at * width..(at + 1) * width],
            Ends::OfPart(ends) => super::columns::list(&self.lanes, ends, at),
            Ends::Gathered(ends) => super::columns::list(&self.lanes, ends, at),
        }
    }
}
