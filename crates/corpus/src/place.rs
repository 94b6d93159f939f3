//! A record -> its location for a message; and the names of the fields in the records of a source.

use crate::block::Content;
use crate::json::names_along;
use crate::raw::without_mark;
use crate::reader::ByteStream;
use crate::{Block, FieldPath, Fields, Format, Limits, ReadMode, Reader, Result, Source};
use memchr::memchr_iter;

/// The location of a record for messages: `line 3`; in CSV, where a record may span several lines, `record 3 (line
/// 5)`; `row 3` of a table. CSV is read again up to the record to count its lines.
#[must_use]
pub fn place_of(source: &Source, block: &Block, slot: usize) -> String {
    let number = block.number(slot);
    match source.format {
        Format::Jsonl => format!("line {number}"),
        Format::Text => "the text".to_owned(),
        Format::Parquet | Format::Table | Format::Npy => format!("row {number}"),
        Format::Csv { .. } => {
            let Content::Raw(records) = &block.content else { return format!("record {number}") };
            match lines_before(source, block.position.offset + records.begin(slot) as u64) {
                Ok(lines) => format!("record {number} (line {})", lines + 1),
                // If the source cannot be read again, only the number is known.
                Err(_) => format!("record {number}"),
            }
        }
    }
}

/// The number of lines of a source before a byte.
fn lines_before(source: &Source, offset: u64) -> Result<u64> {
    // If the source needs a larger window than this, no line is given, because the memory is already in use.
    let mut stream = ByteStream::open(source, 8 << 20)?;
    let mut buffer = vec![0; 64 << 10];
    let (mut left, mut lines) = (offset, 0);
    while left > 0 {
        let most = usize::try_from(left).unwrap_or(usize::MAX).min(buffer.len());
        let read = stream.read(&mut buffer[..most])?;
        if read == 0 {
            break;
        }
        lines += memchr_iter(b'\n', &buffer[..read]).count() as u64;
        left -= read as u64;
    }
    Ok(lines)
}

/// Number of records whose field names are collected.
const LOOKED_AT: usize = 100;

/// The names of the fields in the first records of a JSON Lines source. If `path` leads into nested objects, also the
/// paths of the fields in these objects.
pub fn field_names(source: &Source, path: &FieldPath, limits: Limits) -> Result<Vec<String>> {
    let mut names = Vec::new();
    if source.format != Format::Jsonl {
        return Ok(names);
    }
    let fields = Fields::text(path.clone());
    let mut reader = Reader::open(source, ReadMode::Fields, &fields, limits)?;
    let (mut block, mut looked_at) = (Block::default(), 0);
    while looked_at < LOOKED_AT && reader.next_block(&mut block)? {
        let Content::Raw(records) = &block.content else { break };
        for line in records.slots().take(LOOKED_AT - looked_at) {
            looked_at += 1;
            let Ok(line) = std::str::from_utf8(without_mark(line)) else { continue };
            for name in names_along(line, path) {
                if !names.contains(&name) {
                    names.push(name);
                }
            }
        }
    }
    Ok(names)
}
