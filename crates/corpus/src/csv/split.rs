//! A CSV record -> where its fields are.

use memchr::{memchr, memchr2};
use std::borrow::Cow;

/// The names of the fields, and how they are written.
#[derive(Debug)]
pub(crate) struct Header {
    /// As it stands in the source, with a byte order mark and the line end, if it has them.
    pub(crate) bytes: Vec<u8>,
    pub(crate) names: Vec<String>,
    pub(crate) delimiter: u8,
}

/// Where a field is in its record.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Span {
    /// Without the quotes around it.
    pub(crate) begin: usize,
    pub(crate) end: usize,
    /// It has doubled quotes, or goes on after the closing one: at this place, if so.
    pub(crate) plain: bool,
}
