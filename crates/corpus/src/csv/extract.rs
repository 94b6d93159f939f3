//! A CSV record -> its document.

use super::header::{Columns, Header};
use super::split::{Span, split, unquote, without_line_end};
use crate::json::in_quotes;
use crate::raw::RawRecords;
use crate::{Absent, BadRecord, Document, Fields, Id, OrderKey, Record, Result, Scratch, order_key};
use std::borrow::Cow;

/// [`Block::visit`](crate::Block::visit) for CSV.
pub(crate) fn visit(
    records: &RawRecords,
    header: &Header,
    fields: &Fields,
    selected: Option<&[u32]>,
    scratch: &mut Scratch,
    visit: &mut dyn FnMut(usize, Record<'_>) -> Result<()>,
) -> Result<()> {
    let columns = header.columns(fields);
    let mut visit_slot = |slot: usize| {
        let record = match columns {
            Ok(columns) => record(records.slot(slot), header, columns, fields.text.is_json, scratch),
            Err(path) => {
                let reason = format!("the field `{}` is missing", path.written());
                Record::Bad(BadRecord { reason, id: None, lacks_text: true })
            }
        };
        visit(slot, record)
    };
    match selected {
        Some(selected) => selected.iter().try_for_each(|&slot| visit_slot(slot as usize)),
        None => (0..records.len()).try_for_each(visit_slot),
    }
}

fn record<'a>(
    bytes: &'a [u8],
    header: &Header,
    columns: Columns,
    is_json: bool,
    scratch: &'a mut Scratch,
) -> Record<'a> {
    let bytes = without_line_end(bytes);
    let Scratch { text, quoted, id: id_text, other, within, spans, order: key, .. } = scratch;
    let is_split = split(bytes, header.delimiter, spans).is_ok();
    let Columns { text: text_column, id: id_column, order, within: within_column } = columns;
    // A bad record keeps its id if the id can be read.
    let mut bad = |reason: String| {
        let span = id_column.and_then(|column| spans.get(column)).filter(|_| is_split);
        let id = span.and_then(|&span| {
            // The id may be UTF-8 even if the record as a whole is not.
            let written = std::str::from_utf8(&bytes[span.begin..span.end]).ok()?;
            let whole = Span { begin: 0, end: written.len(), ..span };
            Some(Id::string(field(written, whole, &mut *id_text).to_owned()))
        });
        Record::Bad(BadRecord { reason, id, lacks_text: false })
    };
    let line = match simdutf8::compat::from_utf8(bytes) {
        Ok(line) => line,
        Err(error) => return bad(format!("it is not valid UTF-8 at byte {}", error.valid_up_to() + 1)),
    };
    if !is_split {
        return bad("a quote is opened and not closed before the end of the file".to_owned());
    }
    if spans.len() > header.names.len() {
        let reason = too_many(spans.len(), header);
        return bad(reason);
    }
    let needed = [Some(text_column), id_column, order, within_column].into_iter().flatten().max();
    if let Some(column) = needed.filter(|&column| column >= spans.len()) {
        return bad(format!(
            "it has {} of {} fields, and the field `{}` is not among them",
            spans.len(),
            header.names.len(),
            header.names[column]
        ));
    }
    let kind = order.and_then(|column| order_key::of_text(field(line, spans[column], other), key));
    let text = field(line, spans[text_column], text);
    Record::Document(Document {
        text: if is_json { in_quotes(text, quoted) } else { text },
        replaced: false,
        id: id_column.map(|column| Id::string(field(line, spans[column], id_text))),
        order: kind.map(|kind| OrderKey { kind, bytes: key }),
        within: within_column.map(|column| Cow::Borrowed(field(line, spans[column], within))),
        absent: Absent::default(),
    })
}

/// The value of a column of a record; `None` if the record ends before it, or cannot be read.
pub(crate) fn value(bytes: &[u8], header: &Header, column: usize) -> Option<String> {
    let bytes = without_line_end(bytes);
    let mut spans = Vec::new();
    split(bytes, header.delimiter, &mut spans).ok()?;
    let line = std::str::from_utf8(bytes).ok()?;
    Some(field(line, *spans.get(column)?, &mut String::new()).to_owned())
}

/// The values of some columns of a record; a record that ends before a column has none in it. The error is the end of a
/// sentence.
pub(crate) fn cells<'a>(
    bytes: &'a [u8],
    header: &Header,
    columns: &[Option<usize>],
    spans: &mut Vec<Span>,
    cells: &mut Vec<Cow<'a, str>>,
) -> std::result::Result<(), String> {
    cells.clear();
    let bytes = without_line_end(bytes);
    let line = simdutf8::compat::from_utf8(bytes)
        .map_err(|error| format!("it is not valid UTF-8 at byte {}", error.valid_up_to() + 1))?;
    split(bytes, header.delimiter, spans)
        .map_err(|_| "a quote is opened and not closed before the end of the file".to_owned())?;
    if spans.len() > header.names.len() {
        return Err(too_many(spans.len(), header));
    }
    cells.extend(columns.iter().map(|column| match column.and_then(|column| spans.get(column)) {
        Some(&span) if span.plain => Cow::Borrowed(&line[span.begin..span.end]),
        Some(&span) => Cow::Owned(field(line, span, &mut String::new()).to_owned()),
        None => Cow::Borrowed(""),
    }));
    Ok(())
}

/// More fields than names: probably a field contains a delimiter without quotes. The text would be cut there.
fn too_many(found: usize, header: &Header) -> String {
    let (named, delimiter) = (header.names.len(), header.delimiter as char);
    format!(
        "it has {found} fields, and the header has {named}; a field with {delimiter:?} in it must be in quotes"
    )
}

fn field<'a>(line: &'a str, span: Span, unquoted: &'a mut String) -> &'a str {
    let written = &line[span.begin..span.end];
    if span.plain {
        return written;
    }
    unquote(written, unquoted);
    unquoted
}
