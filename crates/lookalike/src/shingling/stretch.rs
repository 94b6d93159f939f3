//! Finds the words of a stretch of text that is not ASCII.

use super::simple_classes::{self, Class};
use super::tokens::Tokens;
use super::words::words;
use crate::arch::masks::{CLASS, class};
use crate::hashing::Key;
use crate::normalization::{Case, Normalization, UnicodeForm, Whitespace, fold_and_compose};
use crate::unicode::fold_character;
use std::borrow::Cow;
use std::ops::Range;

/// Appends the hashes of the words of a stretch. Simple characters are handled in one pass; pieces that contain other
/// characters are handled by the full algorithms.
#[inline(never)]
pub(super) fn hash_words(key: &Key, bytes: &[u8], normalization: &Normalization, tokens: &mut Tokens) {
    let text = String::from_utf8_lossy(bytes);
    let mut rest = &*text;
    while has_simple_characters(normalization) && !rest.is_empty() {
        let Some(piece) = SimpleWords::new(key, normalization.case, tokens).scan(rest) else { return };
        let (before, after) = rest.split_at(piece.end);
        hash_words_plainly(key, &before[piece.start..], normalization, tokens);
        rest = after;
    }
    hash_words_plainly(key, rest, normalization, tokens);
}

/// True if the classes of simple characters are valid for these settings. They are not valid for decomposed forms.
pub(super) fn has_simple_characters(normalization: &Normalization) -> bool {
    matches!(normalization.form, UnicodeForm::Nfc | UnicodeForm::Keep)
}

/// A character of the class `Capital`, in lower case.
pub(super) fn fold_capital(character: char) -> Option<char> {
    fold_character(character).next()
}

/// The definition of [`hash_words`], by the full algorithms.
fn hash_words_plainly(key: &Key, text: &str, normalization: &Normalization, tokens: &mut Tokens) {
    let mut text = fold_and_compose(text, normalization.case, normalization.form);
    // U+202F is the only whitespace that UAX 29 treats as a joiner. The space that replaces it is not a joiner.
    if normalization.whitespace == Whitespace::Collapse && text.contains('\u{202f}') {
        text = Cow::Owned(text.replace('\u{202f}', " "));
    }
    for word in words(&text) {
        tokens.push(key.token(word.as_bytes()));
    }
}

/// The kind of the last character of a word. It decides which characters may join the word.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Last {
    Letter,
    Digit,
    Underscore,
}

/// The kind of a character of a stretch.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    /// An ASCII character, with its class bits.
    Ascii(u8),
    Other(Class),
    Complex,
}

impl Kind {
    fn of(character: char) -> Self {
        if character.is_ascii() {
            return Self::Ascii(CLASS[character as usize]);
        }
        match simple_classes::class(character) {
            Class::Complex => Self::Complex,
            class => Self::Other(class),
        }
    }

    fn may_be_cut_behind(self) -> bool {
        matches!(self, Self::Ascii(0) | Self::Other(Class::Separator | Class::Ideograph))
    }
}

/// The end of the piece that has a complex character at `at`: the next position where text can be cut.
fn end_of_piece(text: &str, at: usize) -> usize {
    let mut may_cut = false;
    for (offset, character) in text[at..].char_indices() {
        let kind = Kind::of(character);
        if may_cut && kind != Kind::Complex {
            return at + offset;
        }
        may_cut = kind.may_be_cut_behind();
    }
    text.len()
}

/// UAX 29 for simple characters, one after the other.
struct SimpleWords<'a> {
    key: &'a Key,
    case: Case,
    tokens: &'a mut Tokens,
    /// The word so far, folded.
    word: Word,
    last: Last,
    has_letter_or_digit: bool,
    /// A joiner after the word so far. It belongs to the word if the next character is of the same kind as the last
    /// one.
    joiner: Option<char>,
}

impl<'a> SimpleWords<'a> {
    fn new(key: &'a Key, case: Case, tokens: &'a mut Tokens) -> Self {
        Self {
            key,
            case,
            tokens,
            word: Word::default(),
            last: Last::Underscore,
            has_letter_or_digit: false,
            joiner: None,
        }
    }

    /// Hashes the words up to the first piece that is not simple, and returns that piece, if there is one.
    ///
    /// Text can be cut after a character that is in no word, or that is a word by itself, if the next character is
    /// simple. Neither a word nor a composition continues across such a cut.
    fn scan(mut self, text: &str) -> Option<Range<usize>> {
        let mut cut = (0, self.tokens.len());
        let mut may_cut = false;
        for (at, character) in text.char_indices() {
            let kind = Kind::of(character);
            if kind == Kind::Complex {
                self.tokens.truncate(cut.1);
                return Some(cut.0..end_of_piece(text, at));
            }
            if may_cut {
                cut = (at, self.tokens.len());
            }
            may_cut = kind.may_be_cut_behind();
            match kind {
                Kind::Ascii(class) => self.ascii(character, class),
                Kind::Other(Class::Letter) => self.extend(character, Last::Letter),
                Kind::Other(Class::Capital) if self.case == Case::Keep => {
                    self.extend(character, Last::Letter);
                }
                Kind::Other(Class::Capital) => {
                    self.extend(fold_capital(character).unwrap_or(character), Last::Letter);
                }
                Kind::Other(Class::Ideograph) => {
                    self.end_word();
                    self.extend(character, Last::Letter);
                    self.end_word();
                }
                Kind::Other(Class::Joiner) => self.join(character, true, true),
                Kind::Other(Class::Separator | Class::Complex) | Kind::Complex => self.end_word(),
            }
        }
        self.end_word();
        None
    }

    fn ascii(&mut self, character: char, class: u8) {
        if class == 0 {
            self.end_word();
        } else if class & class::LETTER != 0 {
            let folds = self.case == Case::Fold;
            self.extend(if folds { character.to_ascii_lowercase() } else { character }, Last::Letter);
        } else if class == class::DIGIT {
            self.extend(character, Last::Digit);
        } else if class == class::UNDERSCORE {
            self.extend(character, Last::Underscore);
        } else {
            self.join(character, class & class::MID_LETTER != 0, class & class::MID_DIGIT != 0);
        }
    }

    fn extend(&mut self, character: char, kind: Last) {
        if let Some(joiner) = self.joiner {
            if kind == self.last {
                self.word.push(joiner);
                self.joiner = None;
            } else {
                self.end_word();
            }
        }
        self.word.push(character);
        self.last = kind;
        self.has_letter_or_digit |= kind != Last::Underscore;
    }

    fn join(&mut self, joiner: char, letters: bool, digits: bool) {
        let may_join = match self.last {
            Last::Letter => letters,
            Last::Digit => digits,
            Last::Underscore => false,
        };
        if may_join && self.joiner.is_none() && !self.word.is_empty() {
            self.joiner = Some(joiner);
        } else {
            self.end_word();
        }
    }

    fn end_word(&mut self) {
        if self.has_letter_or_digit {
            self.tokens.push(self.key.token(&self.word.bytes));
        }
        self.word.clear();
        self.has_letter_or_digit = false;
        self.joiner = None;
    }
}

/// The bytes of a word, in a buffer that is reused for the next word.
#[derive(Debug, Default)]
struct Word {
    bytes: Vec<u8>,
}

impl Word {
    fn push(&mut self, character: char) {
        let mut utf8 = [0; 4];
        self.bytes.extend_from_slice(character.encode_utf8(&mut utf8).as_bytes());
    }

    fn is_empty(&self) -> bool {
        self.bytes.is_empty()
    }

    fn clear(&mut self) {
        self.bytes.clear();
    }
}
