//! Standard output as a target: the kept records of all sources, one after the other.
//!
//! A stream has only one format. JSON Lines may follow JSON Lines. CSV may follow CSV with the same header, which is
//! written once. Text may follow text. A Parquet file must be the only source.

use crate::{Error, Format, Result};
use std::sync::{Arc, Mutex, PoisonError};

/// What was written to standard output so far.
#[derive(Debug, Clone, Default)]
pub(crate) struct Stdout {
    begun: Arc<Mutex<Option<Begun>>>,
}

#[derive(Debug)]
struct Begun {
    format: Format,
    header: Vec<u8>,
}

impl Stdout {
    /// Notes that a source of this format (and, for CSV, with this header) comes next. Returns false if the header
    /// was already written.
    pub(crate) fn begin(&self, name: &str, format: Format, header: &[u8]) -> Result<bool> {
        let mut begun = self.begun.lock().unwrap_or_else(PoisonError::into_inner);
        let Some(first) = &*begun else {
            *begun = Some(Begun { format, header: header.to_vec() });
            return Ok(true);
        };
        let problem = if first.format != format {
            "its format differs from the format of the sources before it"
        } else if format == Format::Npy {
            "two arrays cannot be written to one stream"
        } else if format == Format::Parquet {
            "two Parquet files cannot be written to one stream"
        } else if line(&first.header) != line(header) {
            "its header differs from the header of the sources before it"
        } else {
            return Ok(false);
        };
        Err(Error::NotForStdout { name: name.to_string(), problem })
    }
}

/// A header without its byte order mark and its line end.
fn line(header: &[u8]) -> &[u8] {
    let header = header.strip_prefix(b"\xef\xbb\xbf").unwrap_or(header);
    header.trim_ascii_end()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_stream_has_one_format() {
        let stdout = Stdout::default();
        let csv = Format::Csv { delimiter: b',' };
        assert!(stdout.begin("a", csv, b"\xef\xbb\xbfid,text\r\n").unwrap());
        assert!(!stdout.begin("b", csv, b"id,text\n").unwrap());
        for (format, header, part) in [
            (csv, &b"id,body\n"[..], "header"),
            (Format::Jsonl, b"", "format"),
            (Format::Csv { delimiter: b'\t' }, b"id,text\n", "format"),
        ] {
            let message = stdout.begin("c", format, header).unwrap_err().to_string();
            assert!(message.contains(part), "{message}");
        }
        let stdout = Stdout::default();
        assert!(stdout.begin("a", Format::Parquet, b"").unwrap());
        assert!(stdout.begin("b", Format::Parquet, b"").is_err());
    }
}
