//! A block of a source, read when it may be.

use crate::Result;
use crate::limits::memory::{LONG_BLOCK, Ledger, LongBlock};
use corpus::{Announce, Block, Reader};

/// A block that was read.
pub(crate) struct ReadBlock {
    pub(crate) block: Block,
    /// Held while a long block is in memory, so that no other long block is read meanwhile.
    pub(crate) long: Option<LongBlock>,
}

/// Reads the next block into the memory of `block`. Several threads may read at the same time, each with its own
/// reader: whoever comes to a long block waits for its turn before it reads on.
pub(crate) fn read_block(
    reader: &mut Reader,
    budget: &Ledger,
    mut block: Block,
) -> Result<Option<ReadBlock>> {
    budget.wait_for_long_block();
    let mut long: Option<LongBlock> = None;
    let mut announce = || long = long.take().or_else(|| budget.announced());
    let announce = Announce { above: LONG_BLOCK, announce: &mut announce };
    if !reader.next_block_announced(&mut block, announce)? {
        return Ok(None);
    }
    let long = long.or_else(|| budget.long_block(block.bytes() as u64));
    Ok(Some(ReadBlock { block, long }))
}
