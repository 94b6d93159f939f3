//! Lines of JSON -> documents.

use crate::json::{Found, Kind, Value, Wanted, has_controls};
use crate::raw::{RawRecords, without_mark};
use crate::{Document, FieldPath, Fields, Record, Result, Scratch, block};
use std::borrow::Cow;

/// Lines are checked to be UTF-8, and for control characters, in groups of about this many bytes: enough to make up
/// for the call, few enough to be in the nearest cache still when they are parsed.
const GROUP: usize = 16 << 10;

/// As [`Block::visit`](crate::Block::visit), for JSON Lines; `first` if the source begins here.
pub(crate) fn visit(
    records: &RawRecords,
    first: bool,
    fields: &Fields,
    selected: Option<&[u32]>,
    scratch: &mut Scratch,
    visit: &mut dyn FnMut(usize, Record<'_>) -> Result<()>,
) -> Result<()> {
    let mut lines = Lines::new(fields, scratch);
    if let Some(selected) = selected {
        for &slot in selected {
            let slot = slot as usize;
            let bytes = records.slot(slot);
            let bytes = if first && slot == 0 { without_mark(bytes) } else { bytes };
            lines.unchecked(bytes, |record| visit(slot, record))?;
        }
        return Ok(());
    }
    let (mut slot, mut begin) = (0, 0);
    while slot < records.len() {
        let mut next = slot + 1;
        while next < records.len() && records.ends[next] - begin <= GROUP {
            next += 1;
        }
        let end = records.ends[next - 1];
        let group = simdutf8::basic::from_utf8(&records.bytes()[begin..end]).ok();
        let controls = has_controls(&records.bytes()[begin..end], b'\n');
        let mut line_begin = begin;
        for slot in slot..next {
            let line_end = records.ends[slot];
            let mark = if first && slot == 0 {
                let line = &records.bytes()[line_begin..line_end];
                line.len() - without_mark(line).len()
            } else {
                0
            };
            match group {
                Some(group) => {
                    let line = &group[line_begin + mark - begin..line_end - begin];
                    visit(slot, lines.record(line, controls))?;
                }
                None => {
                    let line = &records.bytes()[line_begin + mark..line_end];
                    lines.unchecked(line, |record| visit(slot, record))?;
                }
            }
            line_begin = line_end;
        }
        (slot, begin) = (next, end);
    }
    Ok(())
}

/// What is taken from lines, and the memory for it.
struct Lines<'a> {
    fields: &'a Fields,
    wanted: Wanted,
    found: Found,
    scratch: &'a mut Scratch,
}

impl<'a> Lines<'a> {
    fn new(fields: &'a Fields, scratch: &'a mut Scratch) -> Self {
        let Fields { text, id, order, within } = fields;
        let paths = [Some(text), id.as_ref(), order.as_ref(), within.as_ref()];
        Self { fields, wanted: Wanted::new(paths.into_iter().flatten()), found: Found::default(), scratch }
    }

    /// A line that may not be UTF-8.
    fn unchecked(&mut self, line: &[u8], visit: impl FnOnce(Record<'_>) -> Result<()>) -> Result<()> {
        match simdutf8::compat::from_utf8(line) {
            Ok(line) => visit(self.record(line, true)),
            Err(error) => {
                let at = error.valid_up_to() + 1;
                visit(Record::Bad(format!("it is not valid UTF-8 at byte {at}")))
            }
        }
    }

    /// A line; `controls` if it may have control characters.
    fn record<'b>(&'b mut self, line: &'b str, controls: bool) -> Record<'b> {
        let line = line.strip_suffix('\n').unwrap_or(line);
        let line = line.strip_suffix('\r').unwrap_or(line);
        if let Err(problem) = self.wanted.find(line, controls, &mut self.found) {
            if line.bytes().all(|byte| matches!(byte, b' ' | b'\t' | b'\r' | b'\n')) {
                return Record::Blank;
            }
            return Record::Bad(problem.to_string());
        }
        match self.document(line) {
            Ok(document) => Record::Document(document),
            Err(reason) => Record::Bad(reason),
        }
    }

    fn document<'b>(&'b mut self, line: &'b str) -> std::result::Result<Document<'b>, String> {
        let Self { fields, wanted, found, scratch } = self;
        let mut number = 0;
        let mut next = |path: &FieldPath, memory: &'b mut String| {
            let value = wanted.value(number, line, found);
            number += 1;
            match value.filter(|value| value.kind != Kind::Null) {
                Some(usable) => match found.say(line, usable, memory) {
                    Ok(said) => Ok((value, Some(said))),
                    Err(_) => Err(not_unicode(path)),
                },
                None => Ok((value, None)),
            }
        };
        let text = match next(&fields.text, &mut scratch.text)? {
            (Some(Value { kind: Kind::String, .. }), Some(text)) => text,
            (unusable, _) => return Err(unusable_text(&fields.text, unusable)),
        };
        let mut optional = |path: &Option<FieldPath>, memory| match path {
            Some(path) => Ok::<_, String>(next(path, memory)?.1),
            None => Ok(None),
        };
        let id = optional(&fields.id, &mut scratch.id)?.map(Cow::Borrowed);
        let order = optional(&fields.order, &mut scratch.other)?.and_then(block::number);
        let within = optional(&fields.within, &mut scratch.within)?.map(Cow::Borrowed);
        Ok(Document { text, replaced: false, id, order, within })
    }
}

#[cold]
fn unusable_text(path: &FieldPath, value: Option<Value>) -> String {
    let name = path.written();
    match value {
        None => format!("the field `{name}` is missing"),
        Some(Value { kind: Kind::Null, .. }) => format!("the field `{name}` is null"),
        Some(Value { kind, .. }) => format!("the field `{name}` is {kind}, not a string"),
    }
}

#[cold]
fn not_unicode(path: &FieldPath) -> String {
    let name = path.written();
    format!("the field `{name}` is not valid Unicode (half of a surrogate pair is escaped without the other)")
}

#[cfg(test)]
mod tests;
