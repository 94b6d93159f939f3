//! A CSV record -> where its fields are.

use memchr::memchr;

/// Where a field is in its record.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Span {
    /// Without the quote that it begins with.
    pub(crate) begin: usize,
    /// Without the quote that it ends with, if it is plain.
    pub(crate) end: usize,
    /// Whether it is what stands there. If not, it has doubled quotes in it, or goes on after the closing one.
    pub(crate) plain: bool,
}

/// A quote was opened and not closed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Unclosed;

/// A record without its line end.
pub(crate) fn without_line_end(record: &[u8]) -> &[u8] {
    let record = record.strip_suffix(b"\n").unwrap_or(record);
    record.strip_suffix(b"\r").unwrap_or(record)
}

/// Where the fields of `record` are, which has no line end.
pub(crate) fn split(record: &[u8], delimiter: u8, spans: &mut Vec<Span>) -> Result<(), Unclosed> {
    spans.clear();
    let next_delimiter =
        |from: usize| memchr(delimiter, &record[from..]).map_or(record.len(), |at| from + at);
    let mut begin = 0;
    loop {
        let end = if record.get(begin) == Some(&b'"') {
            begin += 1;
            let (quote, doubled) = closing_quote(record, begin)?;
            let end = next_delimiter(quote + 1);
            let plain = !doubled && end == quote + 1;
            spans.push(Span { begin, end: if plain { quote } else { end }, plain });
            end
        } else {
            let end = next_delimiter(begin);
            spans.push(Span { begin, end, plain: true });
            end
        };
        if end == record.len() {
            return Ok(());
        }
        begin = end + 1;
    }
}

/// The quote that closes a field that begins at `from`, and whether quotes are doubled before it.
fn closing_quote(record: &[u8], mut from: usize) -> Result<(usize, bool), Unclosed> {
    let mut doubled = false;
    loop {
        let quote = from + memchr(b'"', &record[from..]).ok_or(Unclosed)?;
        if record.get(quote + 1) != Some(&b'"') {
            return Ok((quote, doubled));
        }
        doubled = true;
        from = quote + 2;
    }
}

/// What a field says that is not plain: `written` is all after its first quote.
pub(crate) fn unquote(written: &str, into: &mut String) {
    into.clear();
    let mut rest = written;
    while let Some(at) = memchr(b'"', rest.as_bytes()) {
        into.push_str(&rest[..at]);
        rest = &rest[at + 1..];
        match rest.strip_prefix('"') {
            Some(after) => {
                into.push('"');
                rest = after;
            }
            // The closing one: what comes after it is as it stands.
            None => break,
        }
    }
    into.push_str(rest);
}
