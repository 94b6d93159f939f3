//! A set of characters in two levels.

/// A set of characters. Each page of 256 characters names a block of 256 bits; equal pages share one.
///
/// Two loads for a lookup, and a few kilobytes for a property of Unicode.
#[derive(Debug)]
pub(super) struct CharSet {
    /// The block of each page. Pages beyond the last are empty.
    pub(super) pages: &'static [u8],
    /// 256 bits each, the lowest bit of the first word for the first character.
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
