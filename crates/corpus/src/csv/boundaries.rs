//! Bytes -> where CSV records end, while they arrive.

use memchr::{memchr, memchr2};

/// Finds the ends of records, one read after the other.
#[derive(Debug, Clone)]
pub(crate) struct Boundaries {
    delimiter: u8,
    quoted: bool,
}

impl Boundaries {
    /// At the beginning of a record.
    pub(crate) fn new(delimiter: u8) -> Self {
        Self { delimiter, quoted: false }
    }

    /// The end of the record that `record` begins with, its line end included, or where to look on once there is
    /// more. All before `from` has been looked at; `complete` if no more will come.
    pub(crate) fn end(&mut self, record: &[u8], mut from: usize, complete: bool) -> Result<usize, usize> {
        loop {
            if self.quoted {
                let Some(found) = memchr(b'"', &record[from..]) else { return Err(record.len()) };
                let quote = from + found;
                match record.get(quote + 1) {
                    Some(b'"') => from = quote + 2,
                    // Whether it closes the field is known with the next byte.
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
