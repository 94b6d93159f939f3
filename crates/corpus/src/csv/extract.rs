//! Fields of a CSV record -> its document.

use super::Header;
use crate::raw::RawRecords;
use crate::{Fields, Record, Result, Scratch};

/// As [`Block::visit`](crate::Block::visit), for CSV.
pub(crate) fn visit(
    _records: &RawRecords,
    _header: &Header,
    _fields: &Fields,
    _selected: Option<&[u32]>,
    _scratch: &mut Scratch,
    _visit: &mut dyn FnMut(usize, Record<'_>) -> Result<()>,
) -> Result<()> {
    unimplemented!()
}
