//! A line of JSON -> where the values of some of its fields are.
//!
//! A parser builds a tree, or a tape, of all that a line holds. Here one string of it is wanted, and perhaps an id, so
//! nothing is built: the line is gone through once, checked to the last byte against RFC 8259, and the places of the
//! wanted values are noted.
//!
//! Naively that is a step per byte. Nearly all bytes of a document, though, are inside strings, and inside a string
//! only three things matter: the quote that ends it, the backslash of an escape, and control characters, which are
//! not allowed. So
//!
//! - control characters are looked for in many lines at once, by the smallest byte, which the compiler turns into
//!   vector instructions ([`has_controls`]); usually there are none, and then strings need not be looked at for them;
//! - the next quote or backslash is found by [`memchr::memchr2`], 32 bytes at a time;
//! - a string without escapes is handed out as it stands; one with escapes is copied, whole stretches at a time
//!   ([`unescape`](unescape::unescape)).
//!
//! UTF-8 is checked by the caller, many lines at once, so that a line is a `&str` here. Nesting is kept as a bit per
//! level, not on the stack, and is limited to [`MAX_DEPTH`] levels.
//!
//! Of two members of one name the last counts, as in most parsers.

mod scan;
mod unescape;
mod wanted;

pub(crate) use scan::{Kind, Value, check, has_controls};
pub(crate) use wanted::{Found, Wanted, names_along};

/// How deep arrays and objects may be nested.
pub(crate) const MAX_DEPTH: usize = 1024;

/// What is wrong with a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Problem {
    /// It is not JSON: what is wrong, and before which byte.
    Syntax(&'static str, usize),
    /// It is JSON, but not an object.
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

#[cfg(test)]
mod tests;
