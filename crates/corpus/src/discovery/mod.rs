//! Arguments -> sources, in the order of the contract.
//!
//! An argument is `-` (standard input), an address in an object store, a file, a folder or a pattern; the
//! possibilities are tried in this order. A folder stands for all files below it that are not hidden (a hidden path
//! has a name that begins with a dot). A pattern stands for the files that match it. Both are sorted bytewise by
//! path. Files that this run or an earlier run wrote are left out. A special file, such as a named pipe, delivers its
//! bytes only once: it is opened here, and the reader continues with the open file.

mod containers;
mod folder;
mod pattern;
mod recognition;
mod runs;
mod special;
mod suggestion;

use crate::{Error, Format, Location, Result, Source, Stamp, object, path_to_name, stdin};
pub(crate) use containers::Container;
use pattern::{has_wildcards, matching_files};
pub(crate) use recognition::{HEAD, recognise};
#[cfg(feature = "object-store")]
pub(crate) use runs::is_own;
pub use runs::{RUN_FILE, WORK_FOLDER};
pub use special::{read_file, read_stdin, read_text, read_text_of_stdin, refuse_stdin_twice};
use std::ffi::OsStr;
use std::fs::{File, Metadata};
use std::io::Read;
use std::path::{Path, PathBuf};
use std::time::UNIX_EPOCH;

/// How to look for sources.
#[derive(Debug, Clone, Default)]
pub struct Discovery {
    /// The format of the sources. By default, the name and the content of each source decide.
    pub format: FormatChoice,
    /// The target of the run, as the user named it. Files in it are not inputs.
    pub target: Option<String>,
    /// True if NumPy arrays are read. They have no text, and are refused otherwise.
    pub arrays: bool,
}

/// The sources that were found.
#[derive(Debug, Clone, Default)]
pub struct Found {
    /// The sources, in order.
    pub sources: Vec<Source>,
    /// What was found and is not an input (the target, files of earlier runs), one sentence each.
    pub skipped: Vec<String>,
}

/// Which format a source has.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum FormatChoice {
    /// The name decides, then the content. If neither decides, the source is a plain text file.
    #[default]
    Detect,
    /// Every source has this format. A source that clearly has another one is refused.
    Always(Format),
    /// Every source was found to have this format before. Its content is not looked at again.
    Known(Format),
}

/// The sources that `arguments` name, in the order of the arguments. Files from a folder or a pattern are sorted
/// bytewise by path.
///
/// ```
/// use corpus::{Block, Discovery, FieldPath, Fields, Limits, ReadMode, Reader, Record, Scratch, discover};
///
/// let folder = std::env::temp_dir().join(format!("corpus-example-{}", std::process::id()));
/// std::fs::create_dir_all(&folder)?;
/// std::fs::write(folder.join("a.jsonl"), "{\"text\": \"one\"}\n{\"text\": \"two \\u2013 three\"}\n")?;
///
/// let fields = Fields::text(FieldPath::new("text"));
/// let mut texts = Vec::new();
/// for source in discover(&[folder.display().to_string()], &Discovery::default())? {
///     let limits = Limits { block_bytes: 1 << 20, record_bytes: 1 << 30, records: 8_192 };
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
pub fn discover(arguments: &[impl AsRef<OsStr>], how: &Discovery) -> Result<Vec<Source>> {
    Ok(find(arguments, how)?.sources)
}

/// Like [`discover`], but also returns what was skipped.
pub fn find(arguments: &[impl AsRef<OsStr>], how: &Discovery) -> Result<Found> {
    refuse_stdin_twice(arguments.iter().map(AsRef::as_ref))?;
    let mut found = Found::default();
    for argument in arguments {
        of_argument(argument.as_ref(), how, &mut found)?;
    }
    Ok(found)
}

fn of_argument(argument: &OsStr, how: &Discovery, found: &mut Found) -> Result<()> {
    let written = argument.to_str().unwrap_or_default();
    if written == "-" {
        found.sources.push(of_stdin(how)?);
        return Ok(());
    }
    if let Some(path) = written.strip_prefix("file://") {
        return of_argument(OsStr::new(path), how, found);
    }
    if written.contains("://") {
        return object::discover(written, how, found);
    }
    let path = Path::new(argument);
    let name = path_to_name(path);
    match std::fs::metadata(path) {
        Ok(metadata) if metadata.is_dir() => {
            let below = folder::files(path, target_folder(how).as_deref())?;
            found.skipped.extend(below.skipped);
            let files = below.files.into_iter().map(|file| (path.join(&file), with_slashes(&file))).collect();
            if !of_files(files, how, found)? {
                return Err(Error::Invalid(format!("there are no files in {name}{}", all_skipped(found))));
            }
            Ok(())
        }
        Ok(metadata) => {
            let output = path.file_name().map_or(name, |name| path_to_name(Path::new(name)));
            let file = path.to_owned();
            let source = if metadata.is_file() {
                of_file(file, output, how)?
            } else {
                special::of_special(&file, output, &metadata, how)?
            };
            found.sources.push(source.map_err(Refusal::into_error)?);
            Ok(())
        }
        Err(_) if path.is_symlink() => {
            Err(Error::Invalid(format!("{name} is a link to a file that does not exist")))
        }
        Err(_) if has_wildcards(written) => of_pattern(written, how, found),
        Err(cause) if cause.kind() == std::io::ErrorKind::NotFound => {
            let hint = match suggestion::nearest(path) {
                Some(near) => format!("; did you mean {}?", path_to_name(&near)),
                None => String::new(),
            };
            Err(Error::Invalid(format!("there is no file or folder {name}{hint}")))
        }
        Err(cause) => Err(Error::Io { action: "read", name, cause }),
    }
}

/// The target, with all links resolved, if it is an existing folder.
fn target_folder(how: &Discovery) -> Option<PathBuf> {
    let target = how.target.as_deref()?;
    if target == "-" {
        return None;
    }
    let target = target.strip_prefix("file://").unwrap_or(target);
    Path::new(target).canonicalize().ok().filter(|target| target.is_dir())
}

/// The end of a message that no file was found.
fn all_skipped(found: &Found) -> String {
    found.skipped.iter().fold(String::new(), |all, skipped| format!("{all}; {skipped}"))
}

/// The files that match a pattern. The names of their outputs are relative to the part of the pattern that has no
/// wildcards.
fn of_pattern(pattern: &str, how: &Discovery, found: &mut Found) -> Result<()> {
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
    let taken = runs::without_runs(files, &written_out, target_folder(how).as_deref(), &mut found.skipped);
    let output = |path: &PathBuf| with_slashes(path.strip_prefix(&written_out).unwrap_or(path));
    let files = taken.into_iter().map(|path| (path.clone(), output(&path))).collect();
    if !of_files(files, how, found)? {
        return Err(Error::Invalid(format!("no file matches {pattern}{}", all_skipped(found))));
    }
    Ok(())
}

/// A source, or the reason why it is not read.
type Looked = std::result::Result<Source, Refusal>;

/// A source that is not read, and the reason.
#[derive(Debug)]
struct Refusal {
    name: String,
    container: Container,
}

impl Refusal {
    fn into_error(self) -> Error {
        let Self { name, container: Container { what, advice, .. } } = self;
        Error::Invalid(format!("{name} is {what}; {advice}"))
    }
}

/// Adds files that were found in a folder or by a pattern, with the names of their outputs. Files that lookalike
/// itself wrote are skipped. Returns false if no file is left.
fn of_files(files: Vec<(PathBuf, String)>, how: &Discovery, found: &mut Found) -> Result<bool> {
    let (before, mut refused, mut others) = (found.sources.len(), None, 0);
    for (path, output) in files {
        match of_file(path, output, how)? {
            Ok(source) => found.sources.push(source),
            Err(Refusal { name, container }) if container.is_own => {
                found.skipped.push(format!("{name} is skipped: it is {}", container.what));
            }
            Err(refusal) if refused.is_none() => refused = Some(refusal),
            Err(_) => others += 1,
        }
    }
    let Some(refusal) = refused else { return Ok(found.sources.len() > before) };
    let more = match others {
        0 => String::new(),
        1 => " (and another file cannot be read either)".to_owned(),
        more => format!(" (and {more} other files cannot be read either)"),
    };
    Err(Error::Invalid(format!(
        "{}{more}; or choose the files to read with a pattern, such as 'folder/**/*.txt'",
        refusal.into_error()
    )))
}

fn of_file(path: PathBuf, output: String, how: &Discovery) -> Result<Looked> {
    let name = path_to_name(&path);
    let failure = |cause| Error::Io { action: "read", name: name.clone(), cause };
    let mut file = File::open(&path).map_err(failure)?;
    let metadata = file.metadata().map_err(failure)?;
    let mut head = Vec::new();
    (&mut file).take(HEAD).read_to_end(&mut head).map_err(failure)?;
    let (format, compression) = match recognise(&output, &head, how) {
        Ok(recognised) => recognised,
        Err(container) => return Ok(Err(Refusal { name, container })),
    };
    Ok(Ok(Source {
        output,
        format,
        compression,
        size: metadata.len(),
        stamp: modified(&metadata),
        ids: None,
        name,
        location: Location::Local(path),
    }))
}

/// When the file was last modified.
pub(crate) fn modified(metadata: &Metadata) -> Stamp {
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
    let failure = |cause| Error::Io { action: "read", name: name.clone(), cause };
    let head = stdin::look_ahead(usize::try_from(HEAD).unwrap_or(usize::MAX)).map_err(failure)?;
    special::refuse_endless_stdin(&head)?;
    special::of_stream(name.clone(), "stdin".to_owned(), Location::Stdin, &head, how)
        .map_err(Refusal::into_error)
}

/// A relative path with slashes, as outputs are named on every system.
fn with_slashes(path: &Path) -> String {
    path.components().map(|part| path_to_name(Path::new(part.as_os_str()))).collect::<Vec<_>>().join("/")
}

#[cfg(test)]
mod tests;
