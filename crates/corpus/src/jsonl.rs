//! Lines of JSON -> documents.

use crate::raw::RawRecords;
use crate::{Fields, Record, Result, Scratch};

/// As [`Block::visit`](crate::Block::visit), for JSON Lines.
pub(crate) fn visit(
    _records: &RawRecords,
    _first: bool,
    _fields: &Fields,
    _selected: Option<&[u32]>,
    _scratch: &mut Scratch,
    _visit: &mut dyn FnMut(usize, Record<'_>) -> Result<()>,
) -> Result<()> {
    unimplemented!()
}
