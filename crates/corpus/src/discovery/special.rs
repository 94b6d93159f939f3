//! A special file (neither a file nor a folder) -> a source that is read once, or why it is not read.
//!
//! A pipe ends when the program that writes to it ends. A device may never end (`/dev/zero`). A device is therefore
//! only read if it ends within its first bytes (`/dev/null`).

use super::recognition::{HEAD, by_name, compression, recognise};
use super::{Discovery, FormatChoice, Looked, Refusal};
use crate::discovery::containers::{Container, container};
use crate::reader::{LEAST_WINDOW, decompress};
use crate::stdin::{Stdin, look_ahead};
use crate::{Compression, Error, Format, Location, Pipe, Result, Source, Stamp, path_to_name};
use std::ffi::OsStr;
use std::fs::{File, Metadata};
use std::io::{IsTerminal, Read};
use std::path::Path;

/// The kinds of special files.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Pipe,
    CharacterDevice,
    Other(&'static str),
}

#[cfg(unix)]
fn kind(metadata: &Metadata) -> Kind {
    use std::os::unix::fs::FileTypeExt;
    let kind = metadata.file_type();
    if kind.is_fifo() {
        Kind::Pipe
    } else if kind.is_char_device() {
        Kind::CharacterDevice
    } else if kind.is_block_device() {
        Kind::Other("a disk, not a file; name the files on it")
    } else {
        Kind::Other("a socket, which cannot be read as a file; write what it sends to a file or a pipe")
    }
}

/// On other systems every special file that can be opened is read like a pipe.
#[cfg(not(unix))]
fn kind(_metadata: &Metadata) -> Kind {
    Kind::Pipe
}

/// Opens a special file, and reads its first bytes. For a named pipe this waits until another program writes to it.
fn open(path: &Path, metadata: &Metadata) -> Result<(Pipe, Vec<u8>)> {
    let name = path_to_name(path);
    let kind = kind(metadata);
    if let Kind::Other(what) = kind {
        return Err(Error::Invalid(format!("{name} is {what}")));
    }
    let failure = |cause| Error::Io { action: "read", name: name.clone(), cause };
    let (pipe, head) = Pipe::open(File::open(path).map_err(failure)?, HEAD).map_err(failure)?;
    if kind == Kind::CharacterDevice && head.len() as u64 == HEAD {
        return Err(endless(&name));
    }
    Ok((pipe, head))
}

fn endless(name: &str) -> Error {
    Error::Invalid(format!(
        "{name} is a device, which may never end; copy the part that you need to a file (head -c SIZE) and \
         use that file"
    ))
}

/// The source for a special file.
pub(super) fn of_special(
    path: &Path,
    output: String,
    metadata: &Metadata,
    how: &Discovery,
) -> Result<Looked> {
    let (pipe, head) = open(path, metadata)?;
    Ok(of_stream(path_to_name(path), output, Location::Pipe(pipe), &head, how))
}

/// A source that is read once and begins with `head`. If its name does not say the format, the output gets a name
/// that does.
pub(super) fn of_stream(
    name: String,
    output: String,
    location: Location,
    head: &[u8],
    how: &Discovery,
) -> Looked {
    let (format, compression) = match how.format {
        // Empty input has no records; it is not a document with an empty text.
        FormatChoice::Detect if head.is_empty() && by_name(&output).is_none() => {
            (Format::Jsonl, Compression::None)
        }
        _ => match recognise(&output, head, how) {
            Ok(recognised) => recognised,
            Err(container) => return Err(Refusal { name, container }),
        },
    };
    let extension = match format {
        Format::Jsonl => "jsonl",
        Format::Csv { delimiter: b'\t' } => "tsv",
        Format::Csv { .. } => "csv",
        Format::Parquet => "parquet",
        Format::Text => "txt",
        Format::Table => "table",
        Format::Npy => "npy",
    };
    let output = match by_name(&output) {
        Some(_) => output,
        None => format!("{output}.{extension}{}", compression.suffix()),
    };
    Ok(Source { name, output, location, format, compression, size: 0, stamp: Stamp::Unknown, ids: None })
}

/// An error if standard input is a device that has not ended within `head`. A terminal is allowed: its user ends the
/// input.
pub(super) fn refuse_endless_stdin(head: &[u8]) -> Result<()> {
    if (head.len() as u64) < HEAD || std::io::stdin().is_terminal() {
        return Ok(());
    }
    match std::fs::metadata("/dev/stdin") {
        Ok(metadata) if kind(&metadata) == Kind::CharacterDevice && cfg!(unix) => {
            Err(endless("standard input"))
        }
        _ => Ok(()),
    }
}

/// An error if more than one of these arguments is standard input, by whatever name: it can be read once.
pub fn refuse_stdin_twice<'a>(arguments: impl IntoIterator<Item = &'a OsStr>) -> Result<()> {
    let mut stdins = arguments.into_iter().filter(|argument| is_stdin(argument));
    match (stdins.next(), stdins.next()) {
        (Some(first), Some(second)) => {
            let (first, second) = (path_to_name(Path::new(first)), path_to_name(Path::new(second)));
            let names = if first == second { first } else { format!("{first} and {second}") };
            Err(Error::Invalid(format!(
                "standard input is named twice ({names}), and it can be read once; write it to a file and name that"
            )))
        }
        _ => Ok(()),
    }
}

/// True if an argument is standard input, which is not a file: a file can be read again.
fn is_stdin(argument: &OsStr) -> bool {
    #[cfg(unix)]
    {
        use std::os::unix::fs::MetadataExt;
        let file = |path: &Path| std::fs::metadata(path).ok();
        let stdin = file(Path::new("/dev/stdin"));
        if argument != "-"
            && let (Some(named), Some(stdin)) = (file(Path::new(argument)), stdin)
        {
            let is_stream = !named.is_file() && !named.is_dir();
            return is_stream && (named.dev(), named.ino()) == (stdin.dev(), stdin.ino());
        }
    }
    argument == "-"
}

/// Reads the bytes of one file or pipe, at most `most` bytes, without decompressing them: input of a comparison. An
/// error for a device that never ends, and for a file that lookalike itself wrote.
pub fn read_file(argument: &OsStr, most: u64) -> Result<Vec<u8>> {
    let (name, stored, _) = open_any(Path::new(argument))?;
    let bytes = read_within(&name, stored, most).map_err(|cause| Error::Io {
        action: "read",
        name: name.clone(),
        cause,
    })??;
    match container(&bytes) {
        Some(Container { what, advice, is_own: true }) => {
            Err(Error::Invalid(format!("{name} is {what}; {advice}")))
        }
        _ => Ok(bytes),
    }
}

/// Like [`read_file`], from standard input.
pub fn read_stdin(most: u64) -> Result<Vec<u8>> {
    const NAME: &str = "standard input";
    let failure = |cause| Error::Io { action: "read", name: NAME.to_owned(), cause };
    let head = look_ahead(HEAD as usize).map_err(failure)?;
    refuse_endless_stdin(&head)?;
    read_within(NAME, Stdin, most).map_err(failure)?
}

/// Reads the text of one file or pipe, decompressed, at most `most` bytes: the text of a query. Bytes that are not
/// UTF-8 are replaced by U+FFFD, as in text files of a corpus. An error for a device that never ends, and for a
/// container.
pub fn read_text(argument: &OsStr, most: u64) -> Result<String> {
    let (name, stored, head) = open_any(Path::new(argument))?;
    text_of(&name, stored, &head, most)
}

/// Like [`read_text`], from standard input.
pub fn read_text_of_stdin(most: u64) -> Result<String> {
    const NAME: &str = "standard input";
    let failure = |cause| Error::Io { action: "read", name: NAME.to_owned(), cause };
    let head = look_ahead(HEAD as usize).map_err(failure)?;
    refuse_endless_stdin(&head)?;
    text_of(NAME, Stdin, &head, most)
}

/// Opens a file or a pipe. Returns its name, its bytes, and the first of these bytes.
fn open_any(path: &Path) -> Result<(String, Pipe, Vec<u8>)> {
    let name = path_to_name(path);
    let failure = |cause| Error::Io { action: "read", name: name.clone(), cause };
    let metadata = std::fs::metadata(path).map_err(failure)?;
    let (stored, head) = if metadata.is_file() || metadata.is_dir() {
        Pipe::open(File::open(path).map_err(failure)?, HEAD).map_err(failure)?
    } else {
        open(path, &metadata)?
    };
    Ok((name, stored, head))
}

/// Does the work of [`read_text`]: reads the text from `stored`, which begins with `head`.
fn text_of(name: &str, stored: impl Read + Send + 'static, head: &[u8], most: u64) -> Result<String> {
    let compression = compression(head);
    let damaged = |cause: std::io::Error| match compression {
        Compression::None => Error::Io { action: "read", name: name.to_owned(), cause },
        _ => Error::Damaged { name: name.to_owned(), cause: format!("it cannot be decompressed ({cause})") },
    };
    let plain = decompress(stored, compression, most.max(LEAST_WINDOW)).map_err(damaged)?;
    let bytes = read_within(name, plain, most).map_err(damaged)??;
    if let Some(Container { what, advice, .. }) = container(&bytes) {
        return Err(Error::Invalid(format!("{name} is {what}; {advice}")));
    }
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

/// Reads all bytes. An error if there are more than `most`.
fn read_within(name: &str, stream: impl Read, most: u64) -> std::io::Result<Result<Vec<u8>>> {
    let mut bytes = Vec::new();
    stream.take(most.saturating_add(1)).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > most {
        return Ok(Err(Error::TooLong { name: name.into(), most }));
    }
    Ok(Ok(bytes))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Cursor;

    #[test]
    fn texts_are_decompressed_and_containers_refused() {
        let text = |bytes: &[u8], most| {
            text_of("a", Cursor::new(bytes.to_vec()), &bytes[..bytes.len().min(100)], most)
        };
        assert_eq!(text(b"caf\xe9", 10).unwrap(), "caf\u{fffd}");
        assert_eq!(text(&zstd::encode_all(&b"hello"[..], 1).unwrap(), 10).unwrap(), "hello");
        assert!(text(b"eleven byte", 10).unwrap_err().to_string().contains("is longer than"));
        assert!(text(b"LKASKETC", 10).unwrap_err().to_string().contains("sketch file"));
    }
}
