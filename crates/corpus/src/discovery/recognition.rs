//! A name and first bytes -> format and compression, or why the source is not read.
//!
//! The first bytes decide about the compression; the name does not matter. The name decides about the format, without
//! an ending such as `.gz`. If the name says nothing, the content decides. Containers that lookalike cannot open are
//! refused because of their first bytes. If the user states the format, only a source is refused that cannot have it;
//! any source can be text.

use super::containers::{Container, container, is_text};
use super::{Discovery, FormatChoice};
use crate::raw::without_mark;
use crate::reader::{LEAST_WINDOW, decompress};
use crate::{Compression, Format, json, npy};
use std::io::Read;

/// The first bytes of a Parquet file.
const PARQUET: &[u8] = b"PAR1";

/// The first bytes of a Parquet file that is encrypted as a whole.
const ENCRYPTED_PARQUET: &[u8] = b"PARE";

/// How the names of sketch files end. A file with this name that does not begin like one is not read as text.
const SKETCH_ENDING: &str = ".sketch";

/// Number of first bytes that are examined.
pub(crate) const HEAD: u64 = 64 << 10;

/// The format and the compression of the source `name`, which begins with `head` (at most [`HEAD`] bytes).
pub(crate) fn recognise(
    name: &str,
    head: &[u8],
    how: &Discovery,
) -> Result<(Format, Compression), Container> {
    let compression = compression(head);
    let plain = plain(head, compression);
    if let Some(container) = container(&plain)
        && (how.format == FormatChoice::Detect || container.is_own)
        && !(how.arrays && plain.starts_with(npy::MAGIC))
    {
        return Err(container);
    }
    if how.format == FormatChoice::Detect && name.to_ascii_lowercase().ends_with(SKETCH_ENDING) {
        return Err(Container {
            what: "called a sketch file by its name, but is empty or damaged, or something else".into(),
            advice: "make it again with `lookalike sketch`, or choose the format text if it is text".into(),
            is_own: false,
        });
    }
    let format = match how.format {
        FormatChoice::Always(format) if !fits(format, &plain) => return Err(misfit(format, name, &plain)),
        FormatChoice::Always(format) | FormatChoice::Known(format) => format,
        FormatChoice::Detect if how.arrays && plain.starts_with(npy::MAGIC) => Format::Npy,
        FormatChoice::Detect => {
            by_name(name).filter(|&format| format != Format::Npy).unwrap_or_else(|| by_content(&plain))
        }
    };
    if compression != Compression::None && self::compression(&plain) != Compression::None {
        return Err(Container {
            what: "compressed twice".into(),
            advice: "decompress it once first".into(),
            is_own: false,
        });
    }
    Ok((format, compression))
}

/// The compression that the first bytes `head` belong to.
pub(crate) fn compression(head: &[u8]) -> Compression {
    match head {
        [0x1f, 0x8b, ..] => Compression::Gzip,
        // A frame, or a skippable frame before it.
        [0x28, 0xb5, 0x2f, 0xfd, ..] | [0x50..=0x5f, 0x2a, 0x4d, 0x18, ..] => Compression::Zstd,
        // The size of a block, then a block or the end.
        [b'B', b'Z', b'h', b'1'..=b'9', 0x31, 0x41, 0x59, 0x26, 0x53, 0x59, ..]
        | [b'B', b'Z', b'h', b'1'..=b'9', 0x17, 0x72, 0x45, 0x38, 0x50, 0x90, ..] => Compression::Bzip2,
        [0xfd, b'7', b'z', b'X', b'Z', 0, ..] => Compression::Xz,
        _ => Compression::None,
    }
}

/// The first bytes after decompression. The head of a compressed source is cut off at some position; what can be
/// decompressed before that position is enough.
fn plain(head: &[u8], compression: Compression) -> Vec<u8> {
    if compression == Compression::None {
        return head.to_vec();
    }
    let mut plain = Vec::new();
    if let Ok(stream) = decompress(std::io::Cursor::new(head.to_vec()), compression, LEAST_WINDOW) {
        let _ = stream.take(HEAD).read_to_end(&mut plain);
    }
    plain
}

pub(crate) fn by_name(name: &str) -> Option<Format> {
    let name = name.to_ascii_lowercase();
    let compressed = [".gz", ".gzip", ".zst", ".zstd", ".bz2", ".xz"];
    let name = compressed.iter().find_map(|suffix| name.strip_suffix(suffix)).unwrap_or(&name);
    let (_, extension) = name.rsplit_once('.')?;
    Some(match extension {
        "jsonl" | "ndjson" | "jsonlines" | "json" => Format::Jsonl,
        "csv" => Format::Csv { delimiter: b',' },
        "tsv" | "tab" => Format::Csv { delimiter: b'\t' },
        "parquet" | "pq" => Format::Parquet,
        "npy" => Format::Npy,
        "txt" | "text" | "md" | "rst" | "tex" | "html" | "htm" | "xml" => Format::Text,
        _ => return None,
    })
}

/// False if a source that begins with `plain` clearly has another format.
fn fits(format: Format, plain: &[u8]) -> bool {
    let is_parquet = plain.starts_with(PARQUET) || plain.starts_with(ENCRYPTED_PARQUET);
    match format {
        _ if plain.is_empty() => true,
        Format::Parquet => is_parquet,
        Format::Npy => plain.starts_with(npy::MAGIC),
        // Bad records may come first, so that any line counts.
        Format::Jsonl => without_mark(plain).split(|&b| b == b'\n').any(|l| l.trim_ascii().starts_with(b"{")),
        Format::Csv { .. } => {
            (!is_parquet || is_text(plain))
                && container(plain).is_none()
                && by_content(plain) != Format::Jsonl
        }
        Format::Text | Format::Table => true,
    }
}

/// Why a source is not read whose format the user stated wrongly.
fn misfit(format: Format, name: &str, plain: &[u8]) -> Container {
    let stated = match format {
        Format::Jsonl => "JSON Lines",
        Format::Csv { delimiter: b'\t' } => "TSV",
        Format::Csv { .. } => "CSV",
        Format::Parquet => "Parquet",
        Format::Npy => "a NumPy array",
        Format::Text | Format::Table => "text",
    };
    let of = |looks: &str, advice: String| Container {
        what: format!("not {stated}: it looks like {looks}").into(),
        advice: advice.into(),
        is_own: false,
    };
    if let Some(Container { what, advice, .. }) = container(plain) {
        return of(&what, advice.into());
    }
    let (looks, word) = match (by_content(plain), by_name(name)) {
        (Format::Parquet, _) => ("Parquet", "parquet"),
        (Format::Jsonl, _) => ("JSON Lines", "jsonl"),
        (_, Some(Format::Csv { delimiter: b'\t' })) => ("TSV", "tsv"),
        (_, Some(Format::Csv { .. })) => ("CSV", "csv"),
        _ if is_text(plain) => ("plain text", "text"),
        _ => {
            let readable = "only JSON Lines, CSV, TSV, Parquet and text can be read";
            return of("data of an unknown format", readable.into());
        }
    };
    of(looks, format!("choose the format {word}, or none, so that it is recognised"))
}

fn by_content(plain: &[u8]) -> Format {
    if plain.starts_with(PARQUET) {
        return Format::Parquet;
    }
    let text = without_mark(plain);
    // If the first line is long, only its beginning is available and has to suffice.
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
