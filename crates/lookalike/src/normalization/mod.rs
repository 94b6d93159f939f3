//! Original text -> normalised text.
//!
//! Two pages that differ only in capitals, line breaks or the encoding of an accent should give the same
//! shingles. Normalisation removes such differences. These are the steps, in order; each can be configured or
//! switched off, except the first:
//!
//! 1. bytes that are not UTF-8 become U+FFFD, one for each maximal invalid part (as the Unicode standard and
//!    [`String::from_utf8_lossy`] do);
//! 2. case: canonical decomposition, then full Unicode case folding (`Straße` and `STRASSE` become equal); or case is
//!    kept;
//! 3. Unicode normalisation form: NFC by default, so that `é` is one character however it was typed. The
//!    compatibility forms can produce new capitals (`℡` becomes `TEL`), so with them steps 2 and 3 are done twice;
//! 4. punctuation (every character that is not a letter, digit, mark or whitespace): it is kept or dropped;
//! 5. whitespace: every run becomes one space and the ends are trimmed; or all whitespace is removed; or it is kept.
//!
//! The lecture notes show why the last choice matters, with shingles of 9 characters. If spaces are kept, "The plane
//! was ready for touch down" and "The quarterback scored a touchdown" have no shingle in common. If spaces are
//! removed, both have the shingle `touchdown`.
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
//! Canonically equivalent texts (Unicode regards them as the same text in two encodings) become equal, unless the
//! form is [`UnicodeForm::Keep`]. This is why case folding begins with a decomposition: the Greek iota subscript
//! U+0345 folds to a letter, and an accent cannot move across a letter any more (Unicode 17.0, section 3.13,
//! definition 145: *canonical caseless matching*). All character classes are those of [one version of
//! Unicode](crate::format::UNICODE_VERSION).
//!
//! # Cost
//!
//! One pass over the text. With the default settings, stretches of ASCII whose only change is lower case are found in
//! blocks, copied whole and lower-cased together. With other settings ASCII is copied byte by byte. The general
//! path, with its tables, is taken only for stretches between spaces that contain other characters. Even these are
//! copied as they are if neither case folding nor NFC changes any of their characters, which is true of most dashes,
//! quotation marks and small letters.

mod located;
#[cfg(test)]
mod tests;
mod writer;

pub(crate) use located::LocatedText;
pub(crate) use writer::{ASCII_RUN, fold_and_compose};

/// How text is normalised before it is cut into shingles. Every field changes the answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
#[non_exhaustive]
pub struct Normalization {
    /// Whether capital letters are folded to small ones.
    pub case: Case,
    /// The Unicode normalisation form, which decides how accented and other composed characters are encoded.
    pub form: UnicodeForm,
    /// Whether characters other than letters, digits, marks and whitespace are dropped.
    pub punctuation: Punctuation,
    /// What happens to spaces, tabs, line breaks and all other Unicode whitespace.
    pub whitespace: Whitespace,
}

/// What happens to capital letters.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
#[non_exhaustive]
pub enum Case {
    /// Full Unicode case folding is applied.
    #[default]
    Fold,
    /// Capital letters are kept.
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
    /// Compatibility composition: ligatures, full-width letters and similar variants become plain letters.
    Nfkc,
    /// Compatibility decomposition.
    Nfkd,
    /// The encoding of the text is not changed.
    Keep,
}

/// What happens to punctuation and symbols.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
#[non_exhaustive]
pub enum Punctuation {
    /// Punctuation and symbols are kept.
    #[default]
    Keep,
    /// Punctuation and symbols are removed without a replacement: `don't` becomes `dont`.
    Drop,
}

/// What happens to whitespace.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
#[non_exhaustive]
pub enum Whitespace {
    /// Every run of whitespace becomes one space; whitespace at the ends is removed.
    #[default]
    Collapse,
    /// All whitespace is removed.
    Remove,
    /// All whitespace is kept.
    Keep,
}

impl Normalization {
    /// The settings that change nothing.
    pub const NONE: Self = Self {
        case: Case::Keep,
        form: UnicodeForm::Keep,
        punctuation: Punctuation::Keep,
        whitespace: Whitespace::Keep,
    };

    /// The same settings with this treatment of capitals.
    #[must_use]
    pub const fn with_case(self, case: Case) -> Self {
        Self { case, ..self }
    }

    /// The same settings with this Unicode form.
    #[must_use]
    pub const fn with_form(self, form: UnicodeForm) -> Self {
        Self { form, ..self }
    }

    /// The same settings with this treatment of punctuation.
    #[must_use]
    pub const fn with_punctuation(self, punctuation: Punctuation) -> Self {
        Self { punctuation, ..self }
    }

    /// The same settings with this treatment of whitespace.
    #[must_use]
    pub const fn with_whitespace(self, whitespace: Whitespace) -> Self {
        Self { whitespace, ..self }
    }

    /// Returns the normalised text.
    #[must_use]
    pub fn normalize(&self, text: &str) -> String {
        let mut out = String::new();
        self.normalize_into(text, &mut out);
        out
    }

    /// Returns the normalised text of bytes that may not be UTF-8. Invalid parts become U+FFFD.
    #[must_use]
    pub fn normalize_bytes(&self, bytes: &[u8]) -> String {
        self.normalize(&String::from_utf8_lossy(bytes))
    }

    /// Like [`normalize`](Self::normalize), but writes to `out`, so that its memory can be reused. The old content of
    /// `out` is replaced.
    pub fn normalize_into(&self, text: &str, out: &mut String) {
        out.clear();
        out.reserve(text.len());
        writer::write(self, text, out, ());
    }

    /// The definition of [`normalize`](Self::normalize), for tests: each step is applied to the whole text, one
    /// character after the other.
    #[doc(hidden)]
    #[must_use]
    pub fn normalize_plainly(&self, text: &str) -> String {
        writer::write_plainly(self, text)
    }
}
