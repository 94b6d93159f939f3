//! Fingerprints -> one permuted, sorted table.

use super::compressed::CompressedTable;
use super::directory::Directory;
use super::permutation::{BlockPermutation, mask};
use super::plan::TableStorage;
use crate::error::Result;
use crate::simhash::FingerprintBits;

/// A slot of the directory with up to this many entries is scanned whole instead of searched for the exact prefix. A
/// scan reads memory in order, while a binary search waits for each of its steps.
const SCAN_WHOLE: usize = 512;

/// All fingerprints with the bits of the chosen blocks in front, sorted. Fingerprints that agree with a query in the
/// chosen blocks are next to each other.
#[derive(Debug, Clone)]
pub(super) struct Table<B> {
    permutation: BlockPermutation<B>,
    /// A mask of the leading bits, which are the bits of the chosen blocks.
    prefix: B,
    entries: Entries<B>,
}

#[derive(Debug, Clone)]
enum Entries<B> {
    Plain { sorted: Vec<B>, directory: Directory },
    Compressed(CompressedTable<B>),
}

impl<B: FingerprintBits> Table<B> {
    /// Makes the table of different `fingerprints` for `chosen` blocks (ascending) of these widths.
    pub(super) fn new(
        fingerprints: &[B],
        widths: &[u32],
        chosen: &[usize],
        storage: TableStorage,
    ) -> Result<Self> {
        let others = (0..widths.len()).filter(|block| !chosen.contains(block));
        let order: Vec<usize> = chosen.iter().copied().chain(others).collect();
        let permutation = BlockPermutation::new(widths, &order)?;
        let prefix_bits = chosen.iter().map(|&block| widths[block]).sum();
        let mut sorted: Vec<B> = fingerprints.iter().map(|&f| permutation.apply(f)).collect();
        sorted.sort_unstable();
        let entries = match storage {
            TableStorage::Plain => {
                let directory = Directory::new(&sorted, prefix_bits);
                Entries::Plain { sorted, directory }
            }
            TableStorage::Compressed => Entries::Compressed(CompressedTable::new(&sorted)),
        };
        Ok(Self { permutation, prefix: mask(0..prefix_bits), entries })
    }

    /// The permutation of this table.
    pub(super) fn permutation(&self) -> &BlockPermutation<B> {
        &self.permutation
    }

    /// Reads the first candidate for the permuted `query` and does nothing with it. If a query touches all tables
    /// before it scans the first, the waits for memory overlap.
    #[inline]
    pub(super) fn touch(&self, query: B) {
        if let Entries::Plain { sorted, directory } = &self.entries {
            std::hint::black_box(sorted.get(directory.slot(query).start).copied());
        }
    }

    /// Calls `visit` with stretches of permuted fingerprints. Together they hold every fingerprint that agrees with
    /// the permuted `query` in the chosen blocks, and perhaps some that do not.
    #[inline]
    pub(super) fn visit_candidates(&self, query: B, mut visit: impl FnMut(&[B])) {
        let (low, high) = (query & self.prefix, query | !self.prefix);
        match &self.entries {
            Entries::Plain { sorted, directory } => {
                let slot = &sorted[directory.slot(query)];
                if slot.len() <= SCAN_WHOLE || directory.bits() >= self.prefix.count_ones() {
                    visit(slot);
                } else {
                    let start = slot.partition_point(|&entry| entry < low);
                    let length = slot[start..].partition_point(|&entry| entry <= high);
                    visit(&slot[start..start + length]);
                }
            }
            Entries::Compressed(table) => table.visit_range(low, high, visit),
        }
    }

    /// The number of bytes in memory.
    pub(super) fn bytes(&self) -> u64 {
        match &self.entries {
            Entries::Plain { sorted, directory } => size_of_val(&**sorted) as u64 + directory.bytes(),
            Entries::Compressed(table) => table.bytes(),
        }
    }
}
