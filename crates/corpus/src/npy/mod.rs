//! NumPy files -> rows: each row of a two-dimensional array is a document, a vector.
//!
//! ```text
//! "\x93NUMPY" 1 0 <length> {'descr': '<f4', 'fortran_order': False, 'shape': (30000, 100), }   rows
//! ```
//!
//! Numbers of 16, 32 and 64 bits and 8-bit integers are read, in either byte order. A block has rows in C order, as they
//! are written out again. If the file is in Fortran order, they are collected column by column, for which it must be a
//! plain file.

mod header;
mod ids;
mod packed;
mod reader;
mod sink;
#[cfg(test)]
mod tests;

pub(crate) use header::{Header, MAGIC};
pub use ids::{Ids, with_ids};
pub use packed::{pack_bytes, pack_floats, unpack_bytes, unpack_floats};
pub(crate) use reader::NpyReader;
pub(crate) use sink::NpySink;

use crate::raw::RawRecords;
use crate::{Absent, Document, Format, Id, Record, Result, Scratch, Source};
use std::sync::Arc;

/// How many rows an array has, and how many numbers each; `None` if the source is no array that can be read.
#[must_use]
pub fn array_shape(source: &Source) -> Option<(u64, usize)> {
    (source.format == Format::Npy)
        .then(|| reader::header_of(source).ok())?
        .map(|header| (header.rows, header.columns))
}

/// The rows of a block.
#[derive(Debug, Clone)]
pub(crate) struct Rows {
    pub(crate) header: Arc<Header>,
    /// The number of the first row of the block.
    pub(crate) first: u64,
    pub(crate) ids: Option<Ids>,
}

/// [`Block::visit`](crate::Block::visit) for rows of an array. The text of a document has its numbers as
/// [`pack_floats`] writes them, or, if they are unsigned bytes, [`pack_bytes`].
pub(crate) fn visit(
    records: &RawRecords,
    rows: &Rows,
    selected: Option<&[u32]>,
    scratch: &mut Scratch,
    visit: &mut dyn FnMut(usize, Record<'_>) -> Result<()>,
) -> Result<()> {
    let mut one = |slot: usize| {
        rows.header.text_of(records.slot(slot), &mut scratch.text);
        let id = rows.ids.as_ref().and_then(|ids| ids.get(rows.first + slot as u64)).map(Id::string);
        let absent = Absent { id: id.is_none(), order: true, within: true, site: true, date: true };
        let text = scratch.text.as_str();
        let (order, within, site, date) = (None, None, None, None);
        visit(
            slot,
            Record::Document(Document { text, replaced: false, id, order, within, site, date, absent }),
        )
    };
    match selected {
        Some(selected) => selected.iter().try_for_each(|&slot| one(slot as usize)),
        None => (0..records.len()).try_for_each(one),
    }
}
