//! A line of JSON -> the positions of the values of some of its fields.
//!
//! A parser builds a tree, or a tape, of everything in a line. Here only one string is wanted, and perhaps an id, so
//! nothing is built: one pass checks every byte of the line against RFC 8259 and notes the positions of the wanted
//! values.
//!
//! The simple way takes one step per byte. But nearly all bytes of a document are inside strings, and inside a string
//! only three things matter: the quote that ends it, the backslash of an escape, and control characters, which are
//! not allowed. Therefore:
//!
//! - control characters are searched in many lines at once, as the minimum of all bytes, which the compiler turns
//!   into vector instructions ([`has_controls`]); usually there are none, and then no string is searched for them;
//! - the first quote or backslash is found by [`memchr::memchr2`], 32 bytes at a time; once there is one escape, there are
//!   often many, and the others are found [64 bytes at a time](marks), as bits in a word;
//! - a string without escapes is borrowed from the line; one with escapes is copied, whole stretches at a time
//!   ([`unescape`](unescape::unescape)).
//!
//! The caller checks UTF-8 for many lines at once, so that a line is a `&str` here. The nesting is stored as one bit
//! per level instead of on the stack, and is limited to [`MAX_DEPTH`] levels.
//!
//! If two members have the same name, the last one counts, as in most parsers. (In values that are kept whole, this is an
//! error: see [`unique_json`].)

mod marks;
mod scan;
mod unescape;
mod unique;
mod wanted;

pub(crate) use scan::{Kind, Value, check, has_controls};
pub use unique::unique_json;
pub(crate) use wanted::{Found, Wanted, names_along, visit_names};

/// The largest depth of nested arrays and objects.
pub(crate) const MAX_DEPTH: usize = 1024;

/// Why a line cannot be used.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Problem {
    /// The line is not JSON: what is wrong, and at which byte (from 0).
    Syntax(&'static str, usize),
    /// The line is JSON, but not an object.
    NotAnObject(Kind),
}

impl std::fmt::Display for Problem {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Syntax(what, at) => write!(formatter, "it is not valid JSON: {what} at byte {}", at + 1),
            Self::NotAnObject(kind) => write!(formatter, "it is {kind}, not an object"),
        }
    }
}

/// A string as JSON writes it. `quoted` is memory for it.
pub(crate) fn in_quotes<'a>(text: &str, quoted: &'a mut String) -> &'a str {
    quoted.clear();
    quoted.push('"');
    for (at, character) in text.char_indices() {
        match character {
            '"' => quoted.push_str("\\\""),
            '\\' => quoted.push_str("\\\\"),
            control if control < ' ' => {
                use std::fmt::Write as _;
                let _ = write!(quoted, "\\u{:04x}", u32::from(control));
            }
            other => quoted.push_str(&text[at..at + other.len_utf8()]),
        }
    }
    quoted.push('"');
    quoted
}

#[cfg(test)]
mod tests;
