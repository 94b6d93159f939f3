//! A set of characters, stored in two levels.

/// A set of characters. Each page of 256 characters refers to a block of 256 bits; equal pages share a block.
///
/// A lookup takes two loads, and a Unicode property takes a few kilobytes.
#[derive(Debug)]
pub(super) struct CharSet {
    /// The number of the block of each page. Pages beyond the last one are empty.
    pub(super) pages: &'static [u8],
    /// Blocks of 256 bits. The lowest bit of the first word belongs to the first character of the page.
    pub(super) blocks: &'static [[u64; 4]],
}

impl CharSet {
    /// True if the set has this character.
    #[inline]
    pub(super) fn contains(&self, character: char) -> bool {
        let code = character as usize;
        let Some(&block) = self.pages.get(code >> 8) else { return false };
        self.blocks[usize::from(block)][code >> 6 & 3] >> (code & 63) & 1 != 0
    }
}
