//! The only slot of a text file -> its document.

use crate::json::in_quotes;
use crate::raw::RawRecords;
use crate::{Absent, Document, Record, Result, Scratch};
use std::borrow::Cow;

/// [`Block::visit`](crate::Block::visit) for a text file. A byte order mark is not part of the text. Bytes that are
/// not UTF-8 are replaced by U+FFFD.
pub(crate) fn visit(
    records: &RawRecords,
    is_json: bool,
    selected: Option<&[u32]>,
    scratch: &mut Scratch,
    visit: &mut dyn FnMut(usize, Record<'_>) -> Result<()>,
) -> Result<()> {
    if records.len() == 0 || selected.is_some_and(<[u32]>::is_empty) {
        return Ok(());
    }
    let bytes = crate::raw::without_mark(records.slot(0));
    let (text, replaced) = match simdutf8::basic::from_utf8(bytes) {
        Ok(text) => (text, false),
        Err(_) => {
            scratch.text.clear();
            match String::from_utf8_lossy(bytes) {
                Cow::Owned(replaced) => scratch.text = replaced,
                Cow::Borrowed(text) => scratch.text.push_str(text),
            }
            (scratch.text.as_str(), true)
        }
    };
    let text = if is_json { in_quotes(text, &mut scratch.quoted) } else { text };
    // The whole file is the text; there are no fields.
    let absent = Absent { id: true, order: true, within: true };
    visit(0, Record::Document(Document { text, replaced, id: None, order: None, within: None, absent }))
}
