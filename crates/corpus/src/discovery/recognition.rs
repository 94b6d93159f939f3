//! A name and first bytes -> format and compression.
//!
//! Compression is what the first bytes say, whatever the name is. The format is what the name says, without `.gz` or
//! `.zst`; where that is nothing, what the contents say.

use super::{Discovery, FormatChoice};
use crate::raw::without_mark;
use crate::reader::decompress;
use crate::{Compression, Format, json};
use std::io::Read;

/// First bytes that are looked at.
pub(crate) const HEAD: u64 = 64 << 10;

/// The format and the compression of a source that is called `name` and begins with `head`, up to [`HEAD`] bytes.
pub(crate) fn recognise(name: &str, head: &[u8], how: &Discovery) -> (Format, Compression) {
    let compression = compression(head);
    let format = match how.format {
        FormatChoice::Always(format) => format,
        FormatChoice::Detect => by_name(name).unwrap_or_else(|| by_content(head, compression)),
    };
    (format, compression)
}

fn compression(head: &[u8]) -> Compression {
    match head {
        [0x1f, 0x8b, ..] => Compression::Gzip,
        // A frame, or a skippable frame before it.
        [0x28, 0xb5, 0x2f, 0xfd, ..] | [0x50..=0x5f, 0x2a, 0x4d, 0x18, ..] => Compression::Zstd,
        _ => Compression::None,
    }
}

fn by_name(name: &str) -> Option<Format> {
    let name = name.to_ascii_lowercase();
    let compressed = [".gz", ".gzip", ".zst", ".zstd"];
    let name = compressed.iter().find_map(|suffix| name.strip_suffix(suffix)).unwrap_or(&name);
    let (_, extension) = name.rsplit_once('.')?;
    Some(match extension {
        "jsonl" | "ndjson" | "jsonlines" | "json" => Format::Jsonl,
        "csv" => Format::Csv { delimiter: b',' },
        "tsv" | "tab" => Format::Csv { delimiter: b'\t' },
        "parquet" | "pq" => Format::Parquet,
        "txt" | "text" | "md" | "rst" | "tex" | "html" | "htm" | "xml" => Format::Text,
        _ => return None,
    })
}

fn by_content(head: &[u8], compression: Compression) -> Format {
    let mut plain = Vec::new();
    if let Ok(stream) = decompress(std::io::Cursor::new(head.to_vec()), compression) {
        // The head of a compressed source is cut off somewhere: what comes before that is enough.
        let _ = stream.take(HEAD).read_to_end(&mut plain);
    }
    if plain.starts_with(b"PAR1") {
        return Format::Parquet;
    }
    let text = without_mark(&plain);
    // A long first line may not be here as a whole: then its beginning has to do.
    match text.split_inclusive(|&byte| byte == b'\n').find(|line| !line.trim_ascii().is_empty()) {
        Some(line) if is_object(line, line.len() as u64 >= HEAD / 2 && !line.ends_with(b"\n")) => {
            Format::Jsonl
        }
        _ => Format::Text,
    }
}

fn is_object(line: &[u8], cut_off: bool) -> bool {
    let line = line.trim_ascii();
    if cut_off {
        let after = line.strip_prefix(b"{").map(<[u8]>::trim_ascii_start);
        return after.is_some_and(|after| after.starts_with(b"\""));
    }
    line.starts_with(b"{") && std::str::from_utf8(line).is_ok_and(|line| json::check(line).is_ok())
}
