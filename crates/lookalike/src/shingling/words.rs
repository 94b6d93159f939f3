//! Normalised text -> words.
//!
//! A word is what UAX 29 calls one, if it has a letter or digit: `don't`, `3.14`, `naïve`, `e.g` are one word
//! each. Scripts written without spaces have no word boundaries to find, so there each character (with its
//! combining marks) is a token: UAX 29 already cuts Han, Hiragana, Thai, Lao, Khmer and Myanmar in this way, and
//! we cut its runs of Katakana as well.
//!
//! [`words`] is the definition. `hash_words` gives the hashes of the same words at the speed of memory: ASCII is
//! read 64 bytes at a time into bit masks, a word is the stretch between two edges of a mask, and its hash takes
//! one multiplication. Text outside ASCII is left, stretch by stretch, to `stretch::hash_words`.

use super::stretch;
use super::tokens::Tokens;
use crate::arch::masks::{BLOCK, CLASS, Masks, class};
use crate::arch::{Kernel, Simd, Task, dispatch};
use crate::hashing::{finish_word, halves, hash_bytes};
use crate::normalization::{ASCII_RUN, Case, Normalization, Punctuation, Whitespace};
use unicode_segmentation::UnicodeSegmentation;

/// The words of a text, in order. Nothing is folded here: normalise first.
///
/// ```
/// use lookalike::shingling::words;
/// assert_eq!(words("I don't like 3.14 (really)").collect::<Vec<_>>(), ["I", "don't", "like", "3.14", "really"]);
/// assert_eq!(words("東京タワー").collect::<Vec<_>>(), ["東", "京", "タ", "ワ", "ー"]);
/// ```
pub fn words(text: &str) -> impl Iterator<Item = &str> {
    // UAX 29 hangs a stray combining mark on the blank before it; the blank is no part of the word.
    text.unicode_words().flat_map(|word| Pieces { rest: word.trim_start() })
}

/// A word of UAX 29, its Katakana cut into characters.
struct Pieces<'t> {
    rest: &'t str,
}

impl<'t> Iterator for Pieces<'t> {
    type Item = &'t str;

    fn next(&mut self) -> Option<&'t str> {
        while !self.rest.is_empty() {
            let end = match self.rest.find(is_katakana) {
                None => self.rest.len(),
                Some(0) => self.rest.graphemes(true).next().map_or(self.rest.len(), str::len),
                Some(start) => start,
            };
            let (piece, rest) = self.rest.split_at(end);
            self.rest = rest;
            if piece.contains(char::is_alphanumeric) {
                return Some(piece);
            }
        }
        None
    }
}

/// The characters that UAX 29 joins as Katakana.
const fn is_katakana(character: char) -> bool {
    matches!(character,
        '\u{3031}'..='\u{3035}' | '\u{309b}' | '\u{309c}' | '\u{30a0}'..='\u{30ff}' | '\u{31f0}'..='\u{31ff}'
        | '\u{32d0}'..='\u{32fe}' | '\u{3300}'..='\u{3357}' | '\u{ff66}'..='\u{ff9f}'
        | '\u{1aff0}'..='\u{1afff}' | '\u{1b000}' | '\u{1b120}'..='\u{1b122}' | '\u{1b155}' | '\u{1b164}'..='\u{1b167}')
}

/// Whether [`hash_words`] can normalise on the way: the other settings change what is a word.
pub(super) fn normalizes_on_the_way(normalization: &Normalization) -> bool {
    normalization.punctuation == Punctuation::Keep && normalization.whitespace != Whitespace::Remove
}

/// Appends to `tokens` the hash of every word of the text: [`hash_bytes`] of each of the [`words`] of the
/// normalised text, for settings that [`normalizes_on_the_way`] admits. `folded` is working memory.
pub(super) fn hash_words(
    kernel: Kernel,
    bytes: &[u8],
    normalization: Normalization,
    folded: &mut Vec<u8>,
    tokens: &mut Tokens,
) {
    // Words are read 16 bytes at a time, so there must be something to read after the last one.
    if folded.len() < bytes.len() + 2 * BLOCK {
        folded.resize(bytes.len() + 2 * BLOCK, 0);
    }
    dispatch(kernel, HashWords { bytes, normalization, folded, tokens });
}

struct HashWords<'a> {
    bytes: &'a [u8],
    normalization: Normalization,
    folded: &'a mut [u8],
    tokens: &'a mut Tokens,
}

/// Blocks that are classified before the words in them are hashed. The two steps are kept apart because reading
/// bytes right after they were written, across the edge of two writes, stalls a CPU.
const GROUP: usize = 32;

impl Task for HashWords<'_> {
    type Output = ();

    #[inline(always)]
    fn run<S: Simd>(self, simd: S) {
        let Self { bytes, normalization, folded, tokens } = self;
        let fold = normalization.case == Case::Fold;
        let mut scan = Scan::default();
        while scan.position < bytes.len() {
            let mut words = [0; GROUP];
            let (blocks, obstacle) = scan.classify(simd, bytes, fold, folded, &mut words);
            scan.hash(&words[..blocks], folded, tokens);
            if let Some(masks) = obstacle {
                let block_words = words[blocks];
                let stretch = scan.general_stretch(&masks, block_words, bytes);
                // What stands before the stretch in this block is settled.
                if let Some(before) = stretch.start.checked_sub(scan.position) {
                    scan.hash(&[block_words & low_bits(before as u32)], folded, tokens);
                }
                stretch::hash_words(&bytes[stretch.clone()], &normalization, tokens);
                scan = Scan { position: stretch.end, ..Scan::default() };
            }
        }
        if scan.in_word && is_word(folded, scan.start, bytes.len()) {
            tokens.push(word_hash(folded, scan.start, bytes.len()));
        }
    }
}

/// Where the scan stands.
#[derive(Debug, Default)]
struct Scan {
    /// The beginning of the next block whose words are to be hashed.
    position: usize,
    /// The beginning of the word that reaches into that block, if there is one.
    start: usize,
    in_word: bool,
    /// Whether the byte before the next block to classify is a letter (bit 0), a digit (bit 0).
    letter_before: u64,
    digit_before: u64,
}

impl Scan {
    /// Classifies blocks from `position` on and finds the bytes that belong to words, until the group is full, the
    /// text ends, or a block has a non-ASCII byte in it or behind it: that obstacle is returned as well.
    #[inline(always)]
    fn classify<S: Simd>(
        &mut self,
        simd: S,
        bytes: &[u8],
        fold: bool,
        folded: &mut [u8],
        words: &mut [u64; GROUP],
    ) -> (usize, Option<Masks>) {
        let mut position = self.position;
        for (block_number, words) in words.iter_mut().enumerate() {
            let Some(rest) = bytes.get(position..).filter(|rest| !rest.is_empty()) else {
                return (block_number, None);
            };
            let padded;
            let (block, next) = match rest.split_first_chunk::<BLOCK>() {
                Some((block, after)) => (block, after.first().copied().unwrap_or(b' ')),
                None => {
                    padded = pad(rest);
                    (&padded, b' ')
                }
            };
            let Some(folded) = folded[position..].first_chunk_mut::<BLOCK>() else {
                return (block_number, None);
            };
            let masks = simd.classify(block, folded, fold);
            *words = self.words(&masks, next);
            if masks.non_ascii != 0 || !next.is_ascii() {
                return (block_number, Some(masks));
            }
            self.letter_before = masks.letter >> 63;
            self.digit_before = masks.digit >> 63;
            position += BLOCK;
        }
        (GROUP, None)
    }

    /// The bytes that belong to words, `next` being the byte after the block.
    #[inline(always)]
    fn words(&self, masks: &Masks, next: u8) -> u64 {
        let next = CLASS[usize::from(next)];
        let between = |mask: u64, before: u64, after: u8| {
            (mask << 1 | before) & (mask >> 1 | u64::from(next & after != 0) << 63)
        };
        masks.word
            | masks.mid_letter & between(masks.letter, self.letter_before, class::LETTER)
            | masks.mid_digit & between(masks.digit, self.digit_before, class::DIGIT)
    }

    /// Hashes every word that ends in these blocks, the first of which is at `position`.
    #[inline(always)]
    fn hash(&mut self, blocks: &[u64], folded: &[u8], tokens: &mut Tokens) {
        let Self { mut position, mut start, mut in_word, .. } = *self;
        let room = tokens.room(blocks.len() * (BLOCK / 2) + 1);
        let mut count = 0;
        for &words in blocks {
            let shifted = words << 1 | u64::from(in_word);
            let mut starts = words & !shifted;
            let mut ends = !words & shifted;
            if !in_word {
                start = position + starts.trailing_zeros() as usize;
                starts &= starts.wrapping_sub(1);
            }
            while ends != 0 {
                let end = position + ends.trailing_zeros() as usize;
                ends &= ends - 1;
                if is_word(folded, start, end) {
                    room[count] = word_hash(folded, start, end);
                    count += 1;
                }
                start = position + starts.trailing_zeros() as usize;
                starts &= starts.wrapping_sub(1);
            }
            in_word = words >> 63 != 0;
            position += BLOCK;
        }
        tokens.occupy(count);
        *self = Self { position, start, in_word, ..*self };
    }

    /// The stretch around the first non-ASCII byte of the block (or right behind it) that the general path must
    /// see whole. It begins at a byte that is in no word, or at the beginning of a word, so that every word
    /// before it is complete; and it ends before a byte that is in no word.
    #[cold]
    #[inline(never)]
    fn general_stretch(&self, masks: &Masks, words: u64, bytes: &[u8]) -> std::ops::Range<usize> {
        let first = masks.non_ascii.trailing_zeros();
        // A joining byte right before the non-ASCII one may yet join: whether it does is not known here.
        let right_before = low_bits(first) & !(low_bits(first) >> 1);
        let undecided = (masks.mid_letter | masks.mid_digit) & right_before;
        let outside = !words & low_bits(first) & !undecided;
        let start = if outside != 0 {
            self.position + 63 - outside.leading_zeros() as usize
        } else if self.in_word {
            self.start
        } else {
            self.position
        };
        let mut end = self.position + first as usize;
        while let Some(offset) =
            bytes[end..].iter().position(|&byte| byte.is_ascii() && CLASS[usize::from(byte)] == 0)
        {
            end += offset;
            if bytes[end..bytes.len().min(end + ASCII_RUN)].is_ascii() {
                return start..end;
            }
            end += 1;
        }
        start..bytes.len()
    }
}

/// A run of underscores is no word.
#[inline(always)]
fn is_word(folded: &[u8], start: usize, end: usize) -> bool {
    folded[start] != b'_' || has_letter_or_digit(&folded[start..end])
}

#[cold]
#[inline(never)]
fn has_letter_or_digit(word: &[u8]) -> bool {
    word.iter().any(|&byte| byte != b'_')
}

/// [`hash_bytes`] of a word, of which there are 16 readable bytes even if it is shorter.
#[inline(always)]
fn word_hash(folded: &[u8], start: usize, end: usize) -> u64 {
    let len = end - start;
    match folded[start..].first_chunk::<16>() {
        Some(bytes) if len <= 16 => {
            let (low, high) = halves(bytes);
            let (low_mask, high_mask) = LENGTH_MASKS[len];
            finish_word(low & low_mask, high & high_mask, len)
        }
        _ => hash_bytes(&folded[start..end]),
    }
}

/// The last bytes of a text, blanks after them.
#[inline(always)]
fn pad(bytes: &[u8]) -> [u8; BLOCK] {
    let mut block = [b' '; BLOCK];
    block[..bytes.len()].copy_from_slice(bytes);
    block
}

/// The lowest `count` bits set (64 and more: all).
#[inline(always)]
const fn low_bits(count: u32) -> u64 {
    if count >= 64 { u64::MAX } else { (1 << count) - 1 }
}

/// What remains of 16 bytes, as two halves, when a word has `len` of them.
static LENGTH_MASKS: [(u64, u64); 17] = {
    let mut masks = [(0, 0); 17];
    let mut len = 0;
    while len <= 16 {
        let low = if len < 8 { low_bits(8 * len as u32) } else { u64::MAX };
        let high = if len > 8 { low_bits(8 * (len as u32 - 8)) } else { 0 };
        masks[len] = (low, high);
        len += 1;
    }
    masks
};
