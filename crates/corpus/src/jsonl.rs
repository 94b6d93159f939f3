//! Lines of JSON -> documents.

use crate::json::{Found, Kind, Value, Wanted, has_controls, names_along};
use crate::raw::{RawRecords, without_mark};
use crate::{
    Absent, BadRecord, Document, FieldPath, Fields, Id, OrderKey, Record, Result, Scratch, order_key,
};
use std::borrow::Cow;

/// Lines are checked for UTF-8 and for control characters in groups of about this many bytes. The groups are large
/// enough that the cost of the call does not matter, and small enough to be still in the fastest cache when the lines
/// are parsed.
const GROUP: usize = 16 << 10;

/// [`Block::visit`](crate::Block::visit) for JSON Lines. `first` is true if the block is the beginning of the source.
pub(crate) fn visit(
    records: &RawRecords,
    first: bool,
    fields: &Fields,
    selected: Option<&[u32]>,
    scratch: &mut Scratch,
    visit: &mut dyn FnMut(usize, Record<'_>) -> Result<()>,
) -> Result<()> {
    let mut lines = Lines::new(fields, scratch);
    // If the first line is empty, the byte order mark belongs to that line.
    let first = first && records.len() > 0 && records.begin(0) == 0;
    if let Some(selected) = selected {
        for &slot in selected {
            let slot = slot as usize;
            let bytes = records.slot(slot);
            let bytes = if first && slot == 0 { without_mark(bytes) } else { bytes };
            lines.unchecked(bytes, |record| visit(slot, record))?;
        }
        return Ok(());
    }
    let mut slot = 0;
    while slot < records.len() {
        let begin = records.begin(slot);
        let mut next = slot + 1;
        while next < records.len() && records.ends[next] - begin <= GROUP {
            next += 1;
        }
        let end = records.ends[next - 1];
        let group = simdutf8::basic::from_utf8(&records.bytes()[begin..end]).ok();
        let controls = has_controls(&records.bytes()[begin..end], b'\n');
        for slot in slot..next {
            let line_begin = records.begin(slot);
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
        }
        slot = next;
    }
    Ok(())
}

/// The fields to take from each line, and the working memory.
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

    /// Reads a line that may not be UTF-8.
    fn unchecked(&mut self, line: &[u8], visit: impl FnOnce(Record<'_>) -> Result<()>) -> Result<()> {
        match simdutf8::compat::from_utf8(line) {
            Ok(line) => visit(self.record(line, true)),
            Err(error) => {
                let at = error.valid_up_to() + 1;
                visit(bad(format!("it is not valid UTF-8 at byte {at}")))
            }
        }
    }

    /// Reads a line. `controls` is true if it may contain control characters.
    fn record<'b>(&'b mut self, line: &'b str, controls: bool) -> Record<'b> {
        let line = line.strip_suffix('\n').unwrap_or(line);
        let line = line.strip_suffix('\r').unwrap_or(line);
        if let Err(problem) = self.wanted.find(line, controls, &mut self.found) {
            return bad(problem.to_string());
        }
        self.document(line)
    }

    fn document<'b>(&'b mut self, line: &'b str) -> Record<'b> {
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
        let mut lacks_text = false;
        let text = match next(&fields.text, &mut scratch.text) {
            Ok((Some(Value { kind, begin, end, .. }), Some(_))) if fields.text.is_json => Ok(match kind {
                Kind::String => &line[begin - 1..end + 1],
                _ => &line[begin..end],
            }),
            Ok((Some(Value { kind: Kind::String, .. }), Some(text))) => Ok(text),
            Ok((unusable, _)) => {
                lacks_text = unusable.is_none();
                Err(unusable_text(&fields.text, unusable, line))
            }
            Err(reason) => Err(reason),
        };
        let mut optional = |path: &Option<FieldPath>, memory| match path {
            Some(path) => next(path, memory).map(|(value, said)| (value.map(|value| value.kind), said)),
            None => Ok((Some(Kind::Null), None)),
        };
        let id = optional(&fields.id, &mut scratch.id);
        let order = optional(&fields.order, &mut scratch.other);
        let within = optional(&fields.within, &mut scratch.within);
        let absent_id = matches!(id, Ok((None, _)));
        // A bad record keeps its id if the id can be read.
        let (id, unreadable) = match id {
            Ok((kind, said)) => {
                let is_bare = kind != Some(Kind::String);
                (said.map(|said| Id { text: Cow::Borrowed(said), is_bare }), None)
            }
            Err(reason) => (None, Some(reason)),
        };
        let (text, order, within) = match (text, order, within, unreadable) {
            (Ok(text), Ok(order), Ok(within), None) => (text, order, within),
            (Err(reason), ..) | (_, _, _, Some(reason)) | (_, Err(reason), ..) | (_, _, Err(reason), _) => {
                return Record::Bad(BadRecord { reason, id, lacks_text });
            }
        };
        let absent = Absent { id: absent_id, order: order.0.is_none(), within: within.0.is_none() };
        let key = &mut scratch.order;
        let kind = match order {
            (Some(Kind::String), Some(text)) => order_key::of_text(text, key),
            (Some(Kind::Number), Some(written)) => order_key::of_number(written, key),
            (Some(Kind::Bool), Some(written)) => Some(order_key::of_bool(written == "true", key)),
            _ => None,
        };
        let order = kind.map(|kind| OrderKey { kind, bytes: &scratch.order });
        let within = within.1.map(Cow::Borrowed);
        Record::Document(Document { text, replaced: false, id, order, within, absent })
    }
}

/// A record that cannot be read at all.
#[cold]
fn bad<'a>(reason: String) -> Record<'a> {
    Record::Bad(BadRecord { reason, id: None, lacks_text: false })
}

#[cold]
fn unusable_text(path: &FieldPath, value: Option<Value>, line: &str) -> String {
    let name = path.written();
    match value {
        None => format!("the field `{name}` is missing; {}", fields_there_are(&names_along(line, path))),
        Some(Value { kind: Kind::Null, .. }) => format!("the field `{name}` is null"),
        Some(Value { kind, .. }) => format!("the field `{name}` is {kind}, not a string"),
    }
}

/// The largest number of names that a message lists, and the largest number of characters of each name.
const LISTED: usize = 20;
const LISTED_CHARACTERS: usize = 60;

/// `its fields are: ...`. The names come from an untrusted file, so control characters are written as escapes.
#[must_use]
pub fn fields_there_are(names: &[String]) -> String {
    if names.is_empty() {
        return "it has no fields".to_owned();
    }
    let shown = |name: &String| {
        let mut shown: String = name.chars().take(LISTED_CHARACTERS).flat_map(char::escape_debug).collect();
        if name.chars().nth(LISTED_CHARACTERS).is_some() {
            shown.push_str("...");
        }
        format!("`{shown}`")
    };
    let listed: Vec<String> = names.iter().take(LISTED).map(shown).collect();
    let more =
        if names.len() > LISTED { format!(" and {} more", names.len() - LISTED) } else { String::new() };
    format!("its fields are: {}{more}", listed.join(", "))
}

#[cold]
fn not_unicode(path: &FieldPath) -> String {
    let name = path.written();
    format!("the field `{name}` is not valid Unicode (half of a surrogate pair is escaped without the other)")
}

#[cfg(test)]
mod tests;
