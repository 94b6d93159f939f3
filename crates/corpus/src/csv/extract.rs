//! A CSV record -> its document.

use super::header::{Columns, Header};
use super::split::{Span, split, unquote, without_line_end};
use crate::raw::RawRecords;
use crate::{Document, Fields, Record, Result, Scratch, block};
use std::borrow::Cow;

/// As [`Block::visit`](crate::Block::visit), for CSV.
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
            Ok(columns) => record(records.slot(slot), header, columns, scratch),
            Err(path) => Record::Bad(format!("the field `{}` is missing", path.written())),
        };
        visit(slot, record)
    };
    match selected {
        Some(selected) => selected.iter().try_for_each(|&slot| visit_slot(slot as usize)),
        None => (0..records.len()).try_for_each(visit_slot),
    }
}

fn record<'a>(bytes: &'a [u8], header: &Header, columns: Columns, scratch: &'a mut Scratch) -> Record<'a> {
    let bytes = without_line_end(bytes);
    if bytes.is_empty() {
        return Record::Blank;
    }
    let line = match simdutf8::compat::from_utf8(bytes) {
        Ok(line) => line,
        Err(error) => {
            return Record::Bad(format!("it is not valid UTF-8 at byte {}", error.valid_up_to() + 1));
        }
    };
    let Scratch { text, id, other, within, spans, .. } = scratch;
    if split(bytes, header.delimiter, spans).is_err() {
        return Record::Bad("a quote is opened and not closed before the end of the file".to_owned());
    }
    let Columns { text: text_column, id: id_column, order, within: within_column } = columns;
    let needed = [Some(text_column), id_column, order, within_column].into_iter().flatten().max();
    if let Some(column) = needed.filter(|&column| column >= spans.len()) {
        return Record::Bad(format!(
            "it has {} of {} fields, and the field `{}` is not among them",
            spans.len(),
            header.names.len(),
            header.names[column]
        ));
    }
    Record::Document(Document {
        text: field(line, spans[text_column], text),
        replaced: false,
        id: id_column.map(|column| Cow::Borrowed(field(line, spans[column], id))),
        order: order.and_then(|column| block::number(field(line, spans[column], other))),
        within: within_column.map(|column| Cow::Borrowed(field(line, spans[column], within))),
    })
}

fn field<'a>(line: &'a str, span: Span, unquoted: &'a mut String) -> &'a str {
    let written = &line[span.begin..span.end];
    if span.plain {
        return written;
    }
    unquote(written, unquoted);
    unquoted
}
