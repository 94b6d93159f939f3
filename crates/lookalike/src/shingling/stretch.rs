//! The words of a stretch of text that is not ASCII.

use super::simple_classes::{self, Class};
use super::tokens::Tokens;
use super::words::words;
use crate::arch::masks::{CLASS, class};
use crate::hashing::hash_bytes;
use crate::normalization::{Case, Normalization, UnicodeForm, Whitespace, fold_and_compose};
use caseless::Caseless;
use std::borrow::Cow;

/// Appends the hashes of the words of a stretch: in one pass if all its characters are simple, by the full
/// algorithms if not.
#[inline(never)]
pub(super) fn hash_words(bytes: &[u8], normalization: &Normalization, tokens: &mut Tokens) {
    if has_simple_characters(normalization)
        && let Ok(text) = std::str::from_utf8(bytes)
    {
        let begin = tokens.len();
        if SimpleWords::new(normalization.case, tokens).scan(text).is_some() {
            return;
        }
        tokens.truncate(begin);
    }
    hash_words_plainly(bytes, normalization, tokens);
}

/// Whether the classes of simple characters hold for these settings: they say nothing of decompositions.
pub(super) fn has_simple_characters(normalization: &Normalization) -> bool {
    matches!(normalization.form, UnicodeForm::Nfc | UnicodeForm::Keep)
}

/// A character of the class `Capital`, in lower case.
pub(super) fn fold_capital(character: char) -> Option<char> {
    std::iter::once(character).default_case_fold().next()
}

/// The definition.
fn hash_words_plainly(bytes: &[u8], normalization: &Normalization, tokens: &mut Tokens) {
    let text = String::from_utf8_lossy(bytes);
    let mut text = fold_and_compose(&text, normalization.case, normalization.form);
    // Of all whitespace only this one is a joiner to UAX 29, and the blank it collapses to is not.
    if normalization.whitespace == Whitespace::Collapse && text.contains('\u{202f}') {
        text = Cow::Owned(text.replace('\u{202f}', " "));
    }
    for word in words(&text) {
        tokens.push(hash_bytes(word.as_bytes()));
    }
}

/// What the last character of a word was: that decides what may join it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Last {
    Letter,
    Digit,
    Underscore,
}

/// UAX 29 for simple characters, one after the other.
struct SimpleWords<'a> {
    case: Case,
    tokens: &'a mut Tokens,
    /// The word so far, folded.
    word: Word,
    last: Last,
    has_letter_or_digit: bool,
    /// A character that stays in the word if what follows is of the same kind as what precedes.
    joiner: Option<char>,
}

impl<'a> SimpleWords<'a> {
    fn new(case: Case, tokens: &'a mut Tokens) -> Self {
        Self {
            case,
            tokens,
            word: Word::default(),
            last: Last::Underscore,
            has_letter_or_digit: false,
            joiner: None,
        }
    }

    /// Nothing, if there is a character that is not simple.
    fn scan(mut self, text: &str) -> Option<()> {
        for character in text.chars() {
            if character.is_ascii() {
                let byte = character as u8;
                let class = CLASS[usize::from(byte)];
                match class {
                    0 => self.end_word(),
                    _ if class & class::LETTER != 0 => {
                        let byte = if self.case == Case::Fold { byte.to_ascii_lowercase() } else { byte };
                        self.extend(char::from(byte), Last::Letter);
                    }
                    class::DIGIT => self.extend(character, Last::Digit),
                    class::UNDERSCORE => self.extend(character, Last::Underscore),
                    _ => self.join(character, class & class::MID_LETTER != 0, class & class::MID_DIGIT != 0),
                }
                continue;
            }
            match simple_classes::class(character) {
                Class::Separator => self.end_word(),
                Class::Letter => self.extend(character, Last::Letter),
                Class::Capital if self.case == Case::Keep => self.extend(character, Last::Letter),
                Class::Capital => self.extend(fold_capital(character)?, Last::Letter),
                Class::Ideograph => {
                    self.end_word();
                    self.extend(character, Last::Letter);
                    self.end_word();
                }
                Class::Joiner => self.join(character, true, true),
                Class::Complex => return None,
            }
        }
        self.end_word();
        Some(())
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
            self.tokens.push(self.word.hash());
        }
        self.word.clear();
        self.has_letter_or_digit = false;
        self.joiner = None;
    }
}

/// The bytes of a word, in a buffer that is used again for the next one.
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

    fn hash(&self) -> u64 {
        hash_bytes(&self.bytes)
    }
}
