//! CSV and TSV: comma- or tab-separated values with a header (RFC 4180).
//!
//! ```text
//! bytes -> where records end -> fields of a record -> document
//!           boundaries           split                extract
//! ```
//!
//! A field that begins with a quote goes on to the next quote that is not doubled, over delimiters and line ends.
//! A quote inside a field that did not begin with one is a quote. A line end is `\n` or `\r\n`; a record of no bytes
//! is not a record.

mod boundaries;
mod extract;
mod header;
mod split;

pub(crate) use boundaries::Boundaries;
pub(crate) use extract::visit;
pub(crate) use header::Header;
pub(crate) use split::{Span, without_line_end};

#[cfg(test)]
mod tests;
