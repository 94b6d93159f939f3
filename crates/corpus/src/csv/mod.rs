//! CSV and TSV: comma- or tab-separated values with a header (RFC 4180).
//!
//! ```text
//! bytes -> ends of records -> fields of a record -> document
//!           boundaries        split                extract
//! ```
//!
//! A field that begins with a quote ends at the next quote that is not doubled; delimiters and line ends in between
//! belong to the field. In a field that does not begin with a quote, a quote is an ordinary character. A line end is
//! `\n` or `\r\n`. A line without bytes is not a record.

mod boundaries;
mod extract;
mod header;
mod split;

pub(crate) use boundaries::Boundaries;
pub(crate) use extract::{cells, value, visit};
pub(crate) use header::Header;
pub(crate) use split::{Span, without_line_end};

#[cfg(test)]
mod tests;
