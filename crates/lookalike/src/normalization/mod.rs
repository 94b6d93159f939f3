//! Text as it came -> normalised text.
//!
//! Two pages that differ only in capitals, line breaks or in how an accent is encoded should give the same
//! shingles. Normalisation takes such differences away, in this order, each step an option:
//!
//! 1. bytes that are not UTF-8 become U+FFFD, one for each maximal invalid part (as the Unicode standard and
//!    [`String::from_utf8_lossy`] do);
//! 2. case: canonical decomposition, then full Unicode case folding (`Straße` and `STRASSE` become equal); or kept;
//! 3. Unicode normalisation form: NFC by default, so that `é` is one character however it was typed. The
//!    compatibility forms can bring capitals back (`℡` becomes `TEL`), so with them 2 and 3 are done twice;
//! 4. punctuation: kept, or dropped: all that is not a letter, digit, mark or whitespace;
//! 5. whitespace: every run of it becomes one space and the ends are trimmed, or it is removed, or kept.
//!
//! The notes show why the last choice matters (k = 9): with spaces kept, "The plane was ready for touch down"
//! and "The quarterback scored a touchdown" have no shingle in common; with spaces removed both have
//! `touchdown`.
//!
//! ```
//! use lookalike::normalization::{Normalization, Whitespace};
//!
//! let collapse = Normalization::default();
//! assert_eq!(collapse.normalize("  Touch\n\tDOWN "), "touch down");
//!
//! let remove = Normalization::default().with_whitespace(Whitespace::Remove);
//! assert_eq!(remove.normalize("  Touch\n\tDOWN "), "touchdown");
//! ```
//!
//! # What is equal afterwards
//!
//! Canonically equivalent texts (those that Unicode calls the same text in two encodings) normalise alike, unless
//! the form is [`UnicodeForm::Keep`]. That is why folding begins with a decomposition: the Greek iota subscript
//! U+0345 folds to a letter, and behind a letter no accent can change places any more (Unicode 17.0, section 3.13,
//! definition 145: *canonical caseless matching*). All classes of characters are those of
//! [one version of Unicode](crate::format::UNICODE_VERSION).
//!
//! # Cost
//!
//! One pass. With the default settings, stretches of ASCII that need lower case at most are found in
//! blocks, copied whole and put into lower case together; with other settings ASCII is copied byte by byte. The general
//! path, with its tables, is entered only for the stretches between spaces that hold something else, and not for
//! those whose characters neither case folding nor NFC changes, as most dashes, quotation marks and small letters.

mod located;
#[cfg(test)]
mod tests;
mod writer;

pub(crate) use located::LocatedText;
pub(crate) use writer::{ASCII_RUN, fold_and_compose};

/// What is done to a text before it is cut into shingles. Every field changes the answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
#[non_exhaustive]
pub struct Normalization {
    /// Capital letters.
    pub case: Case,
    /// How composed characters are written.
    pub form: UnicodeForm,
    /// Everything that is not a letter, digit, mark or whitespace.
    pub punctuation: Punctuation,
    /// Spaces, tabs, line breaks and their Unicode relatives.
    pub whitespace: Whitespace,
}

/// What happens to capital letters.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
#[non_exhaustive]
pub enum Case {
    /// Full Unicode case folding.
    #[default]
    Fold,
    /// They are kept.
    Keep,
}

/// The Unicode normalisation form (UAX 15).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
#[non_exhaustive]
pub enum UnicodeForm {
    /// Canonical composition.
    #[default]
    Nfc,
    /// Canonical decomposition.
    Nfd,
    /// Compatibility composition: ligatures, full-width letters and the like become plain.
    Nfkc,
    /// Compatibility decomposition.
    Nfkd,
    /// The text is kept as it is encoded.
    Keep,
}

/// What happens to punctuation and symbols.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
#[non_exhaustive]
pub enum Punctuation {
    /// It is kept.
    #[default]
    Keep,
    /// It is removed, with nothing in its place: `don't` becomes `dont`.
    Drop,
}

/// What happens to whitespace.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
#[non_exhaustive]
pub enum Whitespace {
    /// Every run of it becomes one space; none is left at the ends.
    #[default]
    Collapse,
    /// It is removed.
    Remove,
    /// It is kept.
    Keep,
}

impl Normalization {
    /// Changes nothing.
    pub const NONE: Self = Self {
        case: Case::Keep,
        form: UnicodeForm::Keep,
        punctuation: Punctuation::Keep,
        whitespace: Whitespace::Keep,
    };

    /// The same settings with another treatment of capitals.
    #[must_use]
    pub const fn with_case(self, case: Case) -> Self {
        Self { case, ..self }
    }

    /// The same settings with another Unicode form.
    #[must_use]
    pub const fn with_form(self, form: UnicodeForm) -> Self {
        Self { form, ..self }
    }

    /// The same settings with another treatment of punctuation.
    #[must_use]
    pub const fn with_punctuation(self, punctuation: Punctuation) -> Self {
        Self { punctuation, ..self }
    }

    /// The same settings with another treatment of whitespace.
    #[must_use]
    pub const fn with_whitespace(self, whitespace: Whitespace) -> Self {
        Self { whitespace, ..self }
    }

    /// The normalised text.
    #[must_use]
    pub fn normalize(&self, text: &str) -> String {
        let mut out = String::new();
        self.normalize_into(text, &mut out);
        out
    }

    /// The normalised text of bytes that may not be UTF-8: invalid parts become U+FFFD.
    #[must_use]
    pub fn normalize_bytes(&self, bytes: &[u8]) -> String {
        self.normalize(&String::from_utf8_lossy(bytes))
    }

    /// Like [`normalize`](Self::normalize), into a string that can be used again. Its old content is replaced.
    pub fn normalize_into(&self, text: &str, out: &mut String) {
        out.clear();
        out.reserve(text.len());
        writer::write(self, text, out, ());
    }

    /// The definition: all steps on the whole text, one character after the other. For tests.
    #[doc(hidden)]
    #[must_use]
    pub fn normalize_plainly(&self, text: &str) -> String {
        writer::write_plainly(self, text)
    }
}
