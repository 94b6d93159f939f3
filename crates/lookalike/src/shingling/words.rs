//! Normalised text -> words.

use super::simple_classes::{self, Class};
use super::stretch;
use super::tokens::Tokens;
use crate::arch::masks::{BLOCK, CLASS, Masks, class};
use crate::arch::word_hashes::Blocks;
use crate::arch::{Kernel, Simd, dispatch, task};
use crate::hashing::Key;
use crate::normalization::{ASCII_RUN, Case, Normalization, Punctuation, Whitespace};
use crate::unicode::{is_alphanumeric, is_whitespace};
use std::ops::Range;
use unicode_segmentation::UnicodeSegmentation;

/// The words of a text, in order. The text is not normalised here: normalise it first.
///
/// A word is a word of UAX 29 that has at least one letter or digit: `don't`, `3.14`, `naïve`, `e.g` are one word
/// each. Scripts written without spaces have no visible word boundaries, so each of their characters (with its
/// combining marks) is a token. UAX 29 already cuts Han, Hiragana, Thai, Lao, Khmer and Myanmar in this way, and
/// this function cuts runs of Katakana as well.
///
/// [`words`] is the definition. `hash_words` gives the hashes of the same words at the speed of memory. It reads the
/// text 64 bytes at a time into bit masks; a word lies between two edges of a mask, and eight words are hashed side
/// by side. Most characters outside ASCII either only join words or only separate them; these are added to the masks
/// one by one. Stretches that need more rules are left to `stretch::hash_words`.
///
/// ```
/// use lookalike::shingling::words;
/// assert_eq!(words("I don't like 3.14 (really)").collect::<Vec<_>>(), ["I", "don't", "like", "3.14", "really"]);
/// assert_eq!(words("東京タワー").collect::<Vec<_>>(), ["東", "京", "タ", "ワ", "ー"]);
/// ```
pub fn words(text: &str) -> impl Iterator<Item = &str> {
    // UAX 29 attaches a stray combining mark to the space before it. The space is not part of the word.
    text.unicode_words().flat_map(|word| Pieces { rest: word.trim_start_matches(is_whitespace) })
}

/// Cuts a word of UAX 29 so that each Katakana character is a piece of its own.
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
            if piece.contains(is_alphanumeric) {
                return Some(piece);
            }
        }
        None
    }
}

/// True for the characters that UAX 29 joins as Katakana.
const fn is_katakana(character: char) -> bool {
    matches!(character,
        '\u{3031}'..='\u{3035}' | '\u{309b}' | '\u{309c}' | '\u{30a0}'..='\u{30ff}' | '\u{31f0}'..='\u{31ff}'
        | '\u{32d0}'..='\u{32fe}' | '\u{3300}'..='\u{3357}' | '\u{ff66}'..='\u{ff9f}'
        | '\u{1aff0}'..='\u{1afff}' | '\u{1b000}' | '\u{1b120}'..='\u{1b122}' | '\u{1b155}' | '\u{1b164}'..='\u{1b167}')
}

/// True if [`hash_words`] can normalise while it reads. Other settings change where words begin and end.
pub(super) fn normalizes_on_the_way(normalization: &Normalization) -> bool {
    normalization.punctuation == Punctuation::Keep && normalization.whitespace != Whitespace::Remove
}

/// Appends the hash of every word of the text to `tokens`: [`Key::token`] of each of the [`words`] of the normalised
/// text. [`normalizes_on_the_way`] must be true for the settings. `folded` is working memory.
pub(super) fn hash_words(
    kernel: Kernel,
    key: &Key,
    bytes: &[u8],
    normalization: Normalization,
    folded: &mut Vec<u8>,
    tokens: &mut Tokens,
) {
    let room = bytes.len() + BLOCK + Blocks::READ_PAST;
    if folded.len() < room {
        folded.resize(room, 0);
    }
    dispatch(kernel, HashWords { key, bytes, normalization, folded, tokens });
}

struct HashWords<'a> {
    key: &'a Key,
    bytes: &'a [u8],
    normalization: Normalization,
    folded: &'a mut [u8],
    tokens: &'a mut Tokens,
}

/// This many blocks are classified before the words in them are hashed. The two steps are separate because a CPU
/// stalls when it reads bytes right after they were written, across the edge of two writes.
const GROUP: usize = 32;

task! {
    impl['a] HashWords<'a> => (), |task, simd: S| {
        let HashWords { key, bytes, normalization, folded, tokens } = task;
        let mut scan = Scan::new(bytes, &normalization);
        let mut position = 0;
        let mut open = None;
        while position < bytes.len() {
            let mut words = [0; GROUP];
            let (count, obstacle) = scan.classify(simd, position, folded, &mut words);
            let blocks = Blocks { words: &words[..count], position, open, folded, key };
            let (hashed, still_open) = simd.word_hashes(blocks, tokens.room(Blocks::most_words(count)));
            tokens.occupy(hashed);
            open = still_open;
            position += count * BLOCK;
            if let Some(obstacle) = obstacle {
                let stretch = scan.general_stretch(position, words[count], obstacle, open);
                // The words of this block before the stretch are complete.
                if let Some(before) = stretch.start.checked_sub(position) {
                    let words = [words[count] & low_bits(before as u32)];
                    let blocks = Blocks { words: &words, position, open, folded, key };
                    let (hashed, _) = simd.word_hashes(blocks, tokens.room(Blocks::most_words(1)));
                    tokens.occupy(hashed);
                }
                stretch::hash_words(key, &bytes[stretch.clone()], &normalization, tokens);
                scan = Scan::new(bytes, &normalization);
                position = stretch.end;
                open = None;
            }
        }
        if let Some(start) = open {
            // The text ends exactly at the end of a block. One more empty block ends the word.
            let blocks = Blocks { words: &[0], position, open: Some(start), folded, key };
            let (hashed, _) = simd.word_hashes(blocks, tokens.room(Blocks::most_words(1)));
            tokens.occupy(hashed);
        }
    }
}

/// What the classification of a block must know about the block before it.
#[derive(Debug)]
struct Scan<'a> {
    bytes: &'a [u8],
    fold: bool,
    /// True if the classes of simple characters are valid for the settings.
    simple: bool,
    /// Bit 0 is set if the byte before the block belongs to a letter; in `digit_before`, if it is a digit.
    letter_before: u64,
    digit_before: u64,
    /// How many bytes of the last character before the block reach into the block, and whether it is a letter.
    tail: u32,
    tail_is_letter: bool,
}

/// A character at which the general path must take over: its position in the block (64 if it is the first character
/// after the block), and the bytes before it that may or may not join words, depending on it.
#[derive(Debug, Clone, Copy)]
struct Obstacle {
    at: u32,
    undecided: u64,
}

impl<'a> Scan<'a> {
    fn new(bytes: &'a [u8], normalization: &Normalization) -> Self {
        Self {
            bytes,
            fold: normalization.case == Case::Fold,
            simple: stretch::has_simple_characters(normalization),
            letter_before: 0,
            digit_before: 0,
            tail: 0,
            tail_is_letter: false,
        }
    }

    /// Classifies blocks from `position` on and finds the bytes that belong to words. Stops when the group is full,
    /// the text ends, or there is an obstacle. Returns the number of complete blocks and the obstacle.
    #[inline(always)]
    fn classify<S: Simd>(
        &mut self,
        simd: S,
        mut position: usize,
        folded: &mut [u8],
        words: &mut [u64; GROUP],
    ) -> (usize, Option<Obstacle>) {
        for (number, words) in words.iter_mut().enumerate() {
            let rest = &self.bytes[position.min(self.bytes.len())..];
            let padded;
            let (block, next) = match rest.split_first_chunk::<BLOCK>() {
                Some((block, after)) => (block, after.first().copied().unwrap_or(b' ')),
                None if rest.is_empty() => return (number, None),
                None => {
                    padded = pad(rest);
                    (&padded, b' ')
                }
            };
            let Some(folded) = folded[position..].first_chunk_mut::<BLOCK>() else { return (number, None) };
            let mut masks = simd.classify(block, folded, self.fold);
            if (masks.non_ascii != 0) | !next.is_ascii() | (self.tail != 0) {
                let after = self.simple_characters(&mut masks, position, folded);
                *words = self.words(&masks, after.next_class);
                *words |= after.joined;
                if let Some(obstacle) = after.obstacle {
                    return (number, Some(obstacle));
                }
            } else {
                *words = self.words(&masks, CLASS[usize::from(next)]);
            }
            self.letter_before = masks.letter >> 63;
            self.digit_before = masks.digit >> 63;
            position += BLOCK;
        }
        (GROUP, None)
    }

    /// The bytes that belong to words, given the class of the byte after the block.
    #[inline(always)]
    fn words(&self, masks: &Masks, next: u8) -> u64 {
        let between = |mask: u64, before: u64, after: u8| {
            (mask << 1 | before) & (mask >> 1 | u64::from(next & after != 0) << 63)
        };
        masks.word
            | masks.mid_letter & between(masks.letter, self.letter_before, class::LETTER)
            | masks.mid_digit & between(masks.digit, self.digit_before, class::DIGIT)
    }

    /// Adds the simple characters of the block to the masks, up to the first character that is not simple.
    #[inline(never)]
    fn simple_characters(&mut self, masks: &mut Masks, position: usize, folded: &mut [u8; BLOCK]) -> Simple {
        let mut simple = Simple { next_class: 0, joined: 0, obstacle: None };
        let tail = low_bits(self.tail);
        if self.tail_is_letter {
            masks.letter |= tail;
            masks.word |= tail;
        }
        let mut left = masks.non_ascii & !tail;
        self.tail = 0;
        self.tail_is_letter = false;
        while left != 0 {
            let at = left.trailing_zeros();
            let here = position + at as usize;
            let (character, len) = decode(&self.bytes[here..]);
            let class = if self.simple {
                character.map_or(Class::Complex, simple_classes::class)
            } else {
                Class::Complex
            };
            let bits = low_bits(len) << at;
            let mut is_letter = false;
            let mut is_obstacle = false;
            match class {
                Class::Separator => {}
                Class::Letter => is_letter = true,
                Class::Capital if !self.fold => is_letter = true,
                Class::Capital => {
                    is_letter = true;
                    is_obstacle = !fold_in_place(character, len, at as usize, folded);
                }
                Class::Joiner => match self.joins(masks, at, here + len as usize) {
                    Some(true) if at + len <= 64 => simple.joined |= bits,
                    Some(false) => {}
                    Some(true) | None => is_obstacle = true,
                },
                Class::Ideograph | Class::Complex => is_obstacle = true,
            }
            if is_obstacle {
                simple.obstacle = Some(self.obstacle(masks, at));
                return simple;
            }
            if is_letter {
                masks.letter |= bits;
                masks.word |= bits;
            }
            left &= !bits;
            self.tail = (at + len).saturating_sub(64);
            self.tail_is_letter = is_letter;
        }
        simple.next_class = if self.tail > 0 {
            if self.tail_is_letter { class::LETTER } else { 0 }
        } else {
            match self.class_at(position + BLOCK) {
                Some(class) => class,
                None => {
                    simple.obstacle = Some(self.obstacle(masks, 64));
                    0
                }
            }
        };
        simple
    }

    /// The class of the character at `position`, as it matters for the character before it; `None` if it is not
    /// simple.
    fn class_at(&self, position: usize) -> Option<u8> {
        let rest = self.bytes.get(position..).unwrap_or_default();
        match rest.first() {
            None => Some(0),
            Some(byte) if byte.is_ascii() => Some(CLASS[usize::from(*byte)]),
            Some(_) if !self.simple => None,
            Some(_) => match simple_classes::class(decode(rest).0?) {
                Class::Letter | Class::Capital => Some(class::LETTER),
                Class::Separator | Class::Joiner | Class::Ideograph => Some(0),
                Class::Complex => None,
            },
        }
    }

    /// True if the joiner at `at` joins its neighbours. The next character is at `next`; `None` if it is not simple.
    fn joins(&self, masks: &Masks, at: u32, next: usize) -> Option<bool> {
        let before = |mask: u64, carried: u64| match at {
            0 => carried != 0,
            _ => mask >> (at - 1) & 1 != 0,
        };
        let next = self.class_at(next)?;
        Some(
            before(masks.letter, self.letter_before) && next & class::LETTER != 0
                || before(masks.digit, self.digit_before) && next & class::DIGIT != 0,
        )
    }

    /// The obstacle at `at`. If the ASCII byte right before it is a joiner, it is undecided whether that byte joins.
    fn obstacle(&self, masks: &Masks, at: u32) -> Obstacle {
        let right_before = low_bits(at) & !(low_bits(at) >> 1);
        Obstacle { at, undecided: (masks.mid_letter | masks.mid_digit) & right_before }
    }

    /// The stretch around an obstacle in the block at `position` that the general path must see whole. It begins
    /// at a byte that is in no word, or at the beginning of a word, so that every word before it is complete. It ends
    /// before an ASCII byte that is in no word.
    #[cold]
    #[inline(never)]
    fn general_stretch(
        &self,
        position: usize,
        words: u64,
        obstacle: Obstacle,
        open: Option<usize>,
    ) -> Range<usize> {
        let outside = !words & low_bits(obstacle.at) & !obstacle.undecided;
        let mut start = match (outside, open) {
            (0, Some(start)) => start,
            (0, None) => position,
            _ => position + 63 - outside.leading_zeros() as usize,
        };
        while start > 0 && self.bytes.get(start).is_some_and(|byte| byte & 0xc0 == 0x80) {
            start -= 1;
        }
        let mut end = position + obstacle.at as usize;
        let parts = |byte: &u8| byte.is_ascii() && CLASS[usize::from(*byte)] == 0;
        while let Some(offset) = self.bytes[end..].iter().position(parts) {
            end += offset;
            if self.bytes[end..self.bytes.len().min(end + ASCII_RUN)].is_ascii() {
                return start..end;
            }
            end += 1;
        }
        start..self.bytes.len()
    }
}

/// What `Scan::simple_characters` finds besides the masks.
#[derive(Debug)]
struct Simple {
    /// The class of the character after the block.
    next_class: u8,
    /// The bytes of the joiners that join their neighbours.
    joined: u64,
    obstacle: Option<Obstacle>,
}

/// The character of two or three bytes at the beginning of `bytes`, and its length. Other characters are left to the
/// general path.
#[inline]
fn decode(bytes: &[u8]) -> (Option<char>, u32) {
    let bits = |byte: u8| u32::from(byte & 0x3f);
    let is_continuation = |byte: u8| byte & 0xc0 == 0x80;
    match *bytes {
        [a @ 0xc2..=0xdf, b, ..] if is_continuation(b) => {
            (char::from_u32(u32::from(a & 0x1f) << 6 | bits(b)), 2)
        }
        [a @ 0xe0..=0xef, b, c, ..] if is_continuation(b) && is_continuation(c) => {
            let code = u32::from(a & 0x0f) << 12 | bits(b) << 6 | bits(c);
            (if code < 0x800 { None } else { char::from_u32(code) }, 3)
        }
        _ => (None, 1),
    }
}

/// Replaces a capital by its lower case in place, if both have the same length and lie within the block.
#[inline(never)]
fn fold_in_place(character: Option<char>, len: u32, at: usize, folded: &mut [u8; BLOCK]) -> bool {
    let mut utf8 = [0; 4];
    let Some(lower) = character.and_then(stretch::fold_capital) else { return false };
    let lower = lower.encode_utf8(&mut utf8).as_bytes();
    match folded.get_mut(at..at + len as usize) {
        Some(place) if place.len() == lower.len() => {
            place.copy_from_slice(lower);
            true
        }
        _ => false,
    }
}

/// The last bytes of a text, padded with spaces.
#[inline(always)]
fn pad(bytes: &[u8]) -> [u8; BLOCK] {
    let mut block = [b' '; BLOCK];
    block[..bytes.len()].copy_from_slice(bytes);
    block
}

/// A mask with the lowest `count` bits set; with all bits set if `count` is 64 or more.
#[inline(always)]
const fn low_bits(count: u32) -> u64 {
    if count >= 64 { u64::MAX } else { (1 << count) - 1 }
}
