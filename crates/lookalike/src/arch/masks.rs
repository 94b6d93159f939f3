//! ASCII bytes -> 64-bit masks of words, 64 bytes at a time.
//!
//! A block of 64 bytes becomes a few bit masks (letters, digits, ...), one bit per byte. Words are then found by
//! arithmetic on masks. For ASCII, UAX 29 is simple: a word is a run of letters, digits and underscores. One of
//! `' . :` between two letters joins them, and so does one of `' . , ;` between two digits.

/// The length of a block in bytes.
pub(crate) const BLOCK: usize = 64;

/// Classes of ASCII bytes, as bits of [`CLASS`].
pub(crate) mod class {
    pub(crate) const LETTER: u8 = 1;
    pub(crate) const DIGIT: u8 = 2;
    pub(crate) const UNDERSCORE: u8 = 4;
    /// The byte joins two letters (UAX 29: MidLetter, MidNumLet, Single_Quote).
    pub(crate) const MID_LETTER: u8 = 8;
    /// The byte joins two digits (UAX 29: MidNum, MidNumLet, Single_Quote).
    pub(crate) const MID_DIGIT: u8 = 16;
    pub(crate) const UPPER: u8 = 32;
    pub(crate) const WORD: u8 = LETTER | DIGIT | UNDERSCORE;
}

/// The class of every byte. Bytes from 128 up have no class.
pub(crate) static CLASS: [u8; 256] = {
    let mut table = [0; 256];
    let mut byte = 0;
    while byte < 128 {
        table[byte] = match byte as u8 {
            b'a'..=b'z' => class::LETTER,
            b'A'..=b'Z' => class::LETTER | class::UPPER,
            b'0'..=b'9' => class::DIGIT,
            b'_' => class::UNDERSCORE,
            b'\'' | b'.' => class::MID_LETTER | class::MID_DIGIT,
            b':' => class::MID_LETTER,
            b',' | b';' => class::MID_DIGIT,
            _ => 0,
        };
        byte += 1;
    }
    table
};

/// The classes of the bytes of a block, as masks. Bit i belongs to byte i.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Masks {
    pub(crate) letter: u64,
    pub(crate) digit: u64,
    /// Letters, digits and underscores.
    pub(crate) word: u64,
    pub(crate) mid_letter: u64,
    pub(crate) mid_digit: u64,
    pub(crate) non_ascii: u64,
}
