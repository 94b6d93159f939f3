//! Bytes -> the ends of CSV records, found while the bytes arrive.

use memchr::{memchr, memchr2};

/// Finds the ends of records. The bytes may arrive in several reads.
#[derive(Debug, Clone)]
pub(crate) struct Boundaries {
    delimiter: u8,
    quoted: bool,
}

impl Boundaries {
    /// A finder at the beginning of a record.
    pub(crate) fn new(delimiter: u8) -> Self {
        Self { delimiter, quoted: false }
    }

    /// Returns the end of the first record in `record`, including its line end. If the end has not arrived yet,
    /// returns the position at which to continue as an error. The bytes before `from` were already searched;
    /// `complete` is true if no more bytes will arrive.
    pub(crate) fn end(&mut self, record: &[u8], mut from: usize, complete: bool) -> Result<usize, usize> {
        loop {
            if self.quoted {
                let Some(found) = memchr(b'"', &record[from..]) else { return Err(record.len()) };
                let quote = from + found;
                match record.get(quote + 1) {
                    Some(b'"') => from = quote + 2,
                    // The next byte decides whether this quote closes the field.
                    None if !complete => return Err(quote),
                    _ => {
                        self.quoted = false;
                        from = quote + 1;
                    }
                }
            } else {
                let Some(found) = memchr2(b'"', b'\n', &record[from..]) else { return Err(record.len()) };
                let at = from + found;
                if record[at] == b'\n' {
                    return Ok(at + 1);
                }
                self.quoted = at == 0 || record[at - 1] == self.delimiter;
                from = at + 1;
            }
        }
    }
}
