//! First bytes -> the container that they belong to, if lookalike cannot open it.
//!
//! If an archive or an image were taken for text, it would resemble nothing, and nobody would notice. Formats are
//! recognised by their magic bytes. Some magic bytes can also begin ordinary text. For these, the format is only
//! assumed if the first bytes cannot be text (a NUL, or bytes that are not UTF-8).

use std::borrow::Cow;

/// A container that lookalike does not read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Container {
    /// What the container is, with its article.
    pub(crate) what: Cow<'static, str>,
    /// What the user can do.
    pub(crate) advice: Cow<'static, str>,
    /// True if lookalike itself wrote the file.
    pub(crate) is_own: bool,
}

/// Number of first bytes that are examined to tell text from other data.
const LOOKED_AT: usize = 512;

const UNPACK: &str = "unpack it first";
const DECOMPRESS: &str = "decompress it first, or compress it with gzip, zstd, bzip2 or xz";
const CONVERT: &str = "convert it to Parquet or JSON Lines first";
const EXTRACT: &str = "extract its text first";
const NO_TEXT: &str = "it holds no text";

/// Magic bytes, the format that they mark, and what the user can do. The first entry that matches counts.
const MAGIC: &[(&[u8], &str, &str)] = &[
    (b"PK\x03\x04", "a zip archive (or an office document, an e-book, a Java archive)", UNPACK),
    (b"PK\x05\x06", "an empty zip archive", UNPACK),
    (b"7z\xbc\xaf\x27\x1c", "a 7z archive", UNPACK),
    (b"Rar!\x1a\x07", "a RAR archive", UNPACK),
    (b"!<arch>\n", "an ar archive", UNPACK),
    (b"\x04\x22\x4d\x18", "compressed with LZ4", DECOMPRESS),
    (b"\x02\x21\x4c\x18", "compressed with LZ4", DECOMPRESS),
    (b"\xff\x06\x00\x00sNaPpY", "compressed with Snappy", DECOMPRESS),
    (b"\x1f\x9d", "compressed with the program compress", DECOMPRESS),
    (b"LZIP\x01", "compressed with lzip", DECOMPRESS),
    (b"%PDF-", "a PDF document", EXTRACT),
    (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "an office document", EXTRACT),
    (b"ARROW1\0\0", "an Arrow file (Feather)", CONVERT),
    (b"\xff\xff\xff\xff\x10\0\0\0", "an Arrow stream", CONVERT),
    (b"FEA1", "a Feather file", CONVERT),
    (b"Obj\x01", "an Avro file", CONVERT),
    (b"\x89HDF\r\n\x1a\n", "an HDF5 file", CONVERT),
    (b"CDF\x01", "a NetCDF file", CONVERT),
    (b"SQLite format 3\0", "an SQLite database", CONVERT),
    (b"DUCK", "a DuckDB database", CONVERT),
    (b"\x93NUMPY", "a NumPy array", CONVERT),
    (b"\x80\x02", "a Python pickle", CONVERT),
    (b"\x80\x03", "a Python pickle", CONVERT),
    (b"\x80\x04", "a Python pickle", CONVERT),
    (b"\x80\x05", "a Python pickle", CONVERT),
    (b"ORC", "an ORC file", CONVERT),
    (b"SEQ\x06", "a Hadoop sequence file", CONVERT),
    (b"\x89PNG\r\n\x1a\n", "a PNG image", NO_TEXT),
    (b"\xff\xd8\xff", "a JPEG image", NO_TEXT),
    (b"GIF87a", "a GIF image", NO_TEXT),
    (b"GIF89a", "a GIF image", NO_TEXT),
    (b"II*\0", "a TIFF image", NO_TEXT),
    (b"MM\0*", "a TIFF image", NO_TEXT),
    (b"RIFF", "an image, audio or video file (RIFF)", NO_TEXT),
    (b"OggS", "an audio or video file (Ogg)", NO_TEXT),
    (b"ID3", "an audio file (MP3)", NO_TEXT),
    (b"fLaC", "an audio file (FLAC)", NO_TEXT),
    (b"\x7fELF", "a program", NO_TEXT),
    (b"MZ", "a program", NO_TEXT),
    (b"\xcf\xfa\xed\xfe", "a program", NO_TEXT),
    (b"\xca\xfe\xba\xbe", "a program", NO_TEXT),
    (b"\0asm", "a program", NO_TEXT),
];

/// The container that begins with `head`, the first bytes of a source after decompression.
pub(crate) fn container(head: &[u8]) -> Option<Container> {
    if let Some(own) = own(head) {
        return Some(own);
    }
    let of = |what: &'static str, advice: &'static str| Container {
        what: what.into(),
        advice: advice.into(),
        is_own: false,
    };
    // The first bytes of a PDF document can be valid text, but its first line is unmistakable.
    if let [b'%', b'P', b'D', b'F', b'-', b'1' | b'2', b'.', b'0'..=b'9', b'\r' | b'\n', ..] = head {
        return Some(of("a PDF document", EXTRACT));
    }
    if is_text(head) {
        return None;
    }
    if let Some((_, what, advice)) = MAGIC.iter().find(|(magic, ..)| head.starts_with(magic)) {
        return Some(of(what, advice));
    }
    // In a tar archive the name of the first file comes before the magic bytes.
    if head.get(257..262) == Some(b"ustar") {
        return Some(of("a tar archive", UNPACK));
    }
    None
}

/// Files that lookalike itself writes beside the outputs.
fn own(head: &[u8]) -> Option<Container> {
    let of = |what: &'static str, advice: &'static str| {
        Some(Container { what: what.into(), advice: advice.into(), is_own: true })
    };
    if head.starts_with(b"LKASKETC") {
        return of(
            "a sketch file of lookalike",
            "a sketch file cannot be mixed with other inputs; give the sources that it was made from instead",
        );
    }
    if head.starts_with(b"LKAPART") {
        return of("an internal file of a lookalike run", "give the sources of the run instead");
    }
    None
}

/// True if the first bytes can be text: UTF-8 without NUL. The last character may be cut off.
pub(super) fn is_text(head: &[u8]) -> bool {
    let head = &head[..head.len().min(LOOKED_AT)];
    let is_utf8 = match std::str::from_utf8(head) {
        Ok(_) => true,
        Err(wrong) => wrong.error_len().is_none() && head.len() == LOOKED_AT,
    };
    is_utf8 && !head.contains(&0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn containers_are_known_by_their_first_bytes() {
        for (magic, what, _) in MAGIC {
            let head = [magic, &[0, 1, 2, 255][..]].concat();
            assert_eq!(container(&head).unwrap().what, *what, "{magic:?}");
        }
        let mut tar = vec![0; 600];
        tar[..5].copy_from_slice(b"a.txt");
        tar[257..262].copy_from_slice(b"ustar");
        assert_eq!(container(&tar).unwrap().what, "a tar archive");
        assert_eq!(container(b"%PDF-1.4\n1 0 obj").unwrap().what, "a PDF document");
        assert!(container(b"LKASKETC and more").unwrap().is_own);
        assert!(container(b"LKAPART1").unwrap().is_own);
    }

    #[test]
    fn texts_that_begin_alike_are_texts() {
        for text in [
            &b""[..],
            b"ORCHARDS and more",
            b"MZ is short for Mark",
            b"RIFF raff",
            b"DUCK soup",
            b"FEA1 is a name",
            b"%PDF-1.7 is how a PDF begins",
            b"a\0b",
            b"\xff\xfea\0",
            "é".repeat(400).as_bytes(),
        ] {
            assert_eq!(container(text), None, "{:?}", String::from_utf8_lossy(text));
        }
    }
}
