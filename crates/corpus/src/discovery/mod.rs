//! Arguments -> sources, in the order of the contract.
//!
//! An argument is `-` (standard input), an address in an object store, a file, a folder or a pattern, tried in that
//! order. A folder stands for the files below it that are not hidden (no name on the way begins with a dot), a pattern
//! for the files that match it; both bytewise by path.

mod folder;
mod pattern;
mod recognition;
mod suggestion;

use crate::{Compression, Error, Format, Location, Result, Source, Stamp, object, stdin};
use pattern::{has_wildcards, matching_files};
pub(crate) use recognition::{HEAD, recognise};
use std::fs::{File, Metadata};
use std::io::Read;
use std::path::{Path, PathBuf};
use std::time::UNIX_EPOCH;

/// How sources are looked for.
#[derive(Debug, Clone, Default)]
pub struct Discovery {
    /// The format of every source, instead of what its name and contents say.
    pub format: FormatChoice,
}

/// Which format a source has.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum FormatChoice {
    /// By name; by content where the name says nothing; a plain text file if that says nothing either.
    #[default]
    Detect,
    /// This one.
    Always(Format),
}

/// The sources that `arguments` name: in the order of the arguments; those of a folder or a glob bytewise by path.
///
/// ```
/// use corpus::{Block, Discovery, FieldPath, Fields, Limits, ReadMode, Reader, Record, Scratch, discover};
///
/// let folder = std::env::temp_dir().join(format!("corpus-example-{}", std::process::id()));
/// std::fs::create_dir_all(&folder)?;
/// std::fs::write(folder.join("a.jsonl"), "{\"text\": \"one\"}\n{\"text\": \"two \\u2013 three\"}\n")?;
///
/// let fields = Fields { text: FieldPath::new("text"), id: None, order: None, within: None };
/// let mut texts = Vec::new();
/// for source in discover(&[folder.display().to_string()], &Discovery::default())? {
///     let limits = Limits { block_bytes: 1 << 20, record_bytes: 1 << 30 };
///     let mut reader = Reader::open(&source, ReadMode::Fields, &fields, limits)?;
///     let (mut block, mut scratch) = (Block::default(), Scratch::default());
///     while reader.next_block(&mut block)? {
///         block.visit(&fields, None, &mut scratch, &mut |_slot, record| {
///             if let Record::Document(document) = record {
///                 texts.push(document.text.to_owned());
///             }
///             Ok(())
///         })?;
///     }
/// }
/// assert_eq!(texts, ["one", "two – three"]);
/// # std::fs::remove_dir_all(&folder)?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn discover(arguments: &[String], how: &Discovery) -> Result<Vec<Source>> {
    let mut sources = Vec::new();
    for argument in arguments {
        sources.extend(of_argument(argument, how)?);
    }
    Ok(sources)
}

fn of_argument(argument: &str, how: &Discovery) -> Result<Vec<Source>> {
    if argument == "-" {
        return Ok(vec![of_stdin(how)?]);
    }
    if argument.contains("://") {
        return object::discover(argument, how);
    }
    let path = Path::new(argument);
    match std::fs::metadata(path) {
        Ok(metadata) if metadata.is_dir() => {
            let files = folder::files(path)?;
            if files.is_empty() {
                return Err(Error::Invalid(format!("there are no files in {argument}")));
            }
            files.into_iter().map(|below| of_file(path.join(&below), with_slashes(&below), how)).collect()
        }
        Ok(_) => {
            let output =
                path.file_name().map_or_else(|| argument.into(), |name| name.to_string_lossy().into_owned());
            Ok(vec![of_file(path.to_owned(), output, how)?])
        }
        Err(_) if has_wildcards(argument) => of_pattern(argument, how),
        Err(cause) if cause.kind() == std::io::ErrorKind::NotFound => {
            let hint = match suggestion::nearest(path) {
                Some(near) => format!("; did you mean {}?", near.display()),
                None => String::new(),
            };
            Err(Error::Invalid(format!("there is no file or folder {argument}{hint}")))
        }
        Err(cause) => Err(Error::Io { action: "read", name: argument.to_owned(), cause }),
    }
}

/// The files that match a pattern. Their outputs are named from the folder on that is written out in it.
fn of_pattern(pattern: &str, how: &Discovery) -> Result<Vec<Source>> {
    let mut files = matching_files(pattern)?;
    files.sort_by(|a, b| a.as_os_str().as_encoded_bytes().cmp(b.as_os_str().as_encoded_bytes()));
    files.dedup();
    if files.is_empty() {
        return Err(Error::Invalid(format!("no file matches {pattern}")));
    }
    let written_out: PathBuf = Path::new(pattern)
        .components()
        .take_while(|part| !has_wildcards(&part.as_os_str().to_string_lossy()))
        .collect();
    files
        .into_iter()
        .map(|path| {
            let output = with_slashes(path.strip_prefix(&written_out).unwrap_or(&path));
            of_file(path, output, how)
        })
        .collect()
}

fn of_file(path: PathBuf, output: String, how: &Discovery) -> Result<Source> {
    let name = path.display().to_string();
    let failure = |cause| Error::Io { action: "read", name: name.clone(), cause };
    let mut file = File::open(&path).map_err(failure)?;
    let metadata = file.metadata().map_err(failure)?;
    let mut head = Vec::new();
    // What is neither a file nor a folder, such as a named pipe, gives its bytes only once.
    if metadata.is_file() {
        (&mut file).take(HEAD).read_to_end(&mut head).map_err(failure)?;
    }
    let (format, compression) = recognise(&output, &head, how);
    Ok(Source {
        output,
        format,
        compression,
        size: metadata.len(),
        stamp: modified(&metadata),
        name,
        location: Location::Local(path),
    })
}

fn modified(metadata: &Metadata) -> Stamp {
    let Ok(time) = metadata.modified() else { return Stamp::Unknown };
    Stamp::Modified(match time.duration_since(UNIX_EPOCH) {
        Ok(after) => i128::try_from(after.as_nanos()).unwrap_or(i128::MAX),
        Err(before) => {
            i128::try_from(before.duration().as_nanos()).map_or(i128::MIN, |nanoseconds| -nanoseconds)
        }
    })
}

fn of_stdin(how: &Discovery) -> Result<Source> {
    let name = "standard input".to_owned();
    let head = stdin::look_ahead(usize::try_from(HEAD).unwrap_or(usize::MAX)).map_err(|cause| Error::Io {
        action: "read",
        name: name.clone(),
        cause,
    })?;
    let (format, compression) = match how.format {
        // Nothing at all is no records rather than a document without text.
        FormatChoice::Detect if head.is_empty() => (Format::Jsonl, Compression::None),
        _ => recognise("", &head, how),
    };
    let extension = match format {
        Format::Jsonl => "jsonl",
        Format::Csv { delimiter: b'\t' } => "tsv",
        Format::Csv { .. } => "csv",
        Format::Parquet => "parquet",
        Format::Text => "txt",
        Format::Table => "table",
    };
    let suffix = match compression {
        Compression::None => "",
        Compression::Gzip => ".gz",
        Compression::Zstd => ".zst",
    };
    let output = format!("stdin.{extension}{suffix}");
    Ok(Source {
        name,
        output,
        location: Location::Stdin,
        format,
        compression,
        size: 0,
        stamp: Stamp::Unknown,
    })
}

/// A relative path as outputs are named, on every system.
fn with_slashes(path: &Path) -> String {
    path.components().map(|part| part.as_os_str().to_string_lossy()).collect::<Vec<_>>().join("/")
}

#[cfg(test)]
mod tests;
