//! A CSV record -> the positions of its fields.

use memchr::memchr;

/// The position of a field in its record.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Span {
    /// First byte of the field, after the opening quote if there is one.
    pub(crate) begin: usize,
    /// End of the field. The closing quote is excluded if the field is plain.
    pub(crate) end: usize,
    /// True if the bytes between `begin` and `end` are the value. Otherwise the field contains doubled quotes, or
    /// continues after its closing quote.
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

/// Finds the fields of `record`, which has no line end.
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

/// Finds the quote that closes the field that begins at `from`, and tells whether there are doubled quotes before it.
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

/// Writes the value of a field that is not plain. `written` is everything after its first quote.
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
            // This is the closing quote. The bytes after it are copied unchanged.
            None => break,
        }
    }
    into.push_str(rest);
}
