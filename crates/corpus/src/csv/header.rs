//! The first record of a CSV source: the names of the fields.

use super::split::{Span, split, unquote, without_line_end};
use crate::raw::without_mark;
use crate::{Error, FieldPath, Fields, Result};

/// The names of the fields, and the bytes of the header.
#[derive(Debug)]
pub(crate) struct Header {
    /// The header as it is written in the source, including the byte order mark and the line end, if it has them.
    pub(crate) bytes: Vec<u8>,
    pub(crate) names: Vec<String>,
    pub(crate) delimiter: u8,
}

/// The numbers of the columns that were asked for.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Columns {
    pub(crate) text: usize,
    pub(crate) id: Option<usize>,
    pub(crate) order: Option<usize>,
    pub(crate) within: Option<usize>,
}

impl Header {
    /// The header of a source that is empty, or whose header was not read yet.
    pub(crate) fn unknown(delimiter: u8) -> Self {
        Self { bytes: Vec::new(), names: Vec::new(), delimiter }
    }

    /// True if the bytes contain only empty lines and therefore no header.
    pub(crate) fn is_blank(bytes: &[u8]) -> bool {
        without_mark(bytes).iter().all(|byte| matches!(byte, b'\r' | b'\n'))
    }

    /// Reads the names from the header of the source `source`. `bytes` may contain empty lines before the header.
    pub(crate) fn parse(bytes: Vec<u8>, delimiter: u8, source: &str) -> Result<Self> {
        let invalid = |cause: &str| Error::Invalid(format!("{source}, header: {cause}"));
        let record = without_line_end(without_mark(&bytes));
        let blank = record.iter().take_while(|byte| matches!(byte, b'\r' | b'\n')).count();
        let record = std::str::from_utf8(&record[blank..]).map_err(|cause| {
            invalid(&format!("it is not valid UTF-8 at byte {}", cause.valid_up_to() + 1))
        })?;
        let mut spans = Vec::new();
        split(record.as_bytes(), delimiter, &mut spans)
            .map_err(|_| invalid("a quote is opened and not closed before the end of the file"))?;
        let mut name = String::new();
        let names = spans
            .iter()
            .map(|&Span { begin, end, plain }| {
                if plain {
                    return record[begin..end].to_owned();
                }
                unquote(&record[begin..end], &mut name);
                name.clone()
            })
            .collect();
        Ok(Self { bytes, names, delimiter })
    }

    /// The column of a field. In CSV a path with dots is the name of one column.
    pub(crate) fn column(&self, path: &FieldPath) -> Option<usize> {
        let wanted = path.written();
        self.names.iter().position(|name| *name == wanted)
    }

    /// The columns of all fields that were asked for, or the first field that has no column.
    pub(crate) fn columns<'a>(&self, fields: &'a Fields) -> std::result::Result<Columns, &'a FieldPath> {
        let find = |path: &'a FieldPath| self.column(path).ok_or(path);
        Ok(Columns {
            text: find(&fields.text)?,
            id: fields.id.as_ref().map(find).transpose()?,
            order: fields.order.as_ref().map(find).transpose()?,
            within: fields.within.as_ref().map(find).transpose()?,
        })
    }

    /// An error if a field that was asked for has no column.
    pub(crate) fn require(&self, fields: &Fields, source: &str) -> Result<()> {
        // Whoever takes cells needs no field.
        if fields.text.names.is_empty() {
            return Ok(());
        }
        match self.columns(fields) {
            Ok(_) => {
                let wanted =
                    [Some(&fields.text), fields.id.as_ref(), fields.order.as_ref(), fields.within.as_ref()];
                let is_twice =
                    |path: &&FieldPath| self.names.iter().filter(|name| **name == path.written()).count() > 1;
                match wanted.into_iter().flatten().find(is_twice) {
                    Some(path) => Err(Error::Invalid(format!(
                        "{source} has several columns `{}`; rename all but one of them",
                        path.written()
                    ))),
                    None => Ok(()),
                }
            }
            Err(path) => {
                let columns = self.names.iter().map(ToString::to_string).collect();
                Err(Error::NoSuchColumn { name: source.into(), column: path.written(), columns })
            }
        }
    }
}
