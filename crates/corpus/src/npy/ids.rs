//! A file of lines -> the ids of the rows of arrays.

use super::reader::header_of;
use crate::{Error, Format, Result, Source, read_file};
use std::path::Path;
use std::sync::Arc;

/// The ids of the rows of a source: some lines of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Ids {
    lines: Arc<Lines>,
    first: usize,
}

#[derive(Debug, PartialEq, Eq)]
struct Lines {
    text: String,
    /// Where each line begins and ends.
    spans: Vec<(usize, usize)>,
    hash: String,
}

impl Ids {
    /// The id of a row, counted from 0.
    #[must_use]
    pub fn get(&self, row: u64) -> Option<&str> {
        let line = self.first.checked_add(usize::try_from(row).ok()?)?;
        let (begin, end) = *self.lines.spans.get(line)?;
        Some(&self.lines.text[begin..end])
    }

    /// A hash of all lines of the file, and of where those of this source begin.
    #[must_use]
    pub fn identity(&self) -> String {
        format!("{}:{}", self.lines.hash, self.first)
    }
}

/// Gives the rows of these sources, which are arrays, the lines of a file as ids: one after the other, in the order of
/// the sources. It is an error if there are more or fewer lines than rows, or if a source is not an array.
pub fn with_ids(sources: &mut [Source], file: &Path, most_bytes: u64) -> Result<()> {
    let name = crate::path_to_name(file);
    let bytes = read_file(file.as_os_str(), most_bytes)?;
    let text = String::from_utf8(bytes).map_err(|wrong| {
        let before = &wrong.as_bytes()[..wrong.utf8_error().valid_up_to()];
        let line = before.iter().filter(|&&byte| byte == b'\n').count() + 1;
        Error::Invalid(format!("{name}, line {line}: it is not valid UTF-8"))
    })?;
    let mut spans = Vec::new();
    let mut begin = 0;
    for line in text.split_inclusive('\n') {
        let end = begin
            + line.strip_suffix('\n').map_or(line, |line| line.strip_suffix('\r').unwrap_or(line)).len();
        spans.push((begin, end));
        begin += line.len();
    }
    let hash = blake3::hash(text.as_bytes()).to_hex().to_string();
    let lines = Arc::new(Lines { text, spans, hash });
    let mut first = 0usize;
    for source in sources.iter_mut() {
        if source.format != Format::Npy {
            return Err(Error::Invalid(format!(
                "{name} has ids for the rows of arrays (.npy), and {} is none; its ids can be in a field",
                source.name
            )));
        }
        let rows = usize::try_from(header_of(source)?.rows).unwrap_or(usize::MAX);
        source.ids = Some(Ids { lines: Arc::clone(&lines), first });
        first = first.saturating_add(rows);
    }
    let found = lines.spans.len();
    if found != first {
        let few = if found < first { "too few" } else { "too many" };
        return Err(Error::Invalid(format!(
            "{name} has {few} ids: {found} lines for {first} rows; it has a line for each row"
        )));
    }
    Ok(())
}
