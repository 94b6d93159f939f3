//! A sketch file: the sketches of a corpus in one file. Later runs can start from it.
//!
//! ```text
//! "LKASKETC"  length of the head  head (JSON: settings and sources)  parts  "LKAPEND1"  number of parts
//! ```
//!
//! The file has the signature and the position of each document, but not its text. A run reads the texts that it
//! compares exactly, and the records that it writes, from the sources again, so these must not have changed. With
//! `--store shingles` the file also has the shingles, and a run reads only the records that it writes.
//!
//! Stored shingles decide which documents are removed, so they are hashed with a random key, which is in the head.
//! Such a file therefore has different bytes each time it is made. Anyone who can read it could write texts that
//! collide with those in it.

use crate::limits::sorted::Sorted;
use crate::method::key::KeySeed;
use crate::prepared::Prepared;
use crate::progress::timing::Stages;
use crate::report::Report;
use crate::resume::identity::{Identity, SourceIdentity};
use crate::resume::work::Work;
use crate::{Error, Indexes, Job, Observer, Resources, Result, Stored};
use corpus::{Discovery, FormatChoice, Source, discover, name_to_path, path_to_name};
use files::{Access, Files};
use std::fs::File;
use std::io::{Read, Write};
use std::path::{Path, PathBuf};

/// The first bytes of a sketch file.
pub const SKETCH_MAGIC: &[u8; 8] = b"LKASKETC";

/// The number of bytes before the head.
pub(crate) const FIRST: usize = 16;

/// A file whose head is longer than this is not a sketch file.
const LONGEST_HEAD: u64 = 1 << 30;

/// The sketch files from which a job was opened. Their documents follow each other in this order.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SketchFiles {
    /// Each file, and the byte offset at which its parts begin. There is at least one.
    files: Vec<(PathBuf, u64)>,
}

impl SketchFiles {
    /// The files, each with the byte offset at which its parts begin.
    pub(crate) fn files(&self) -> &[(PathBuf, u64)] {
        &self.files
    }

    /// The key of the shingles in the files, which is the same in all of them.
    pub(crate) fn stored_key(&self) -> Result<KeySeed> {
        stored_key(&self.files[0].0)
    }

    /// The files as they are named in a work folder, with absolute paths.
    pub(crate) fn to_bytes(&self) -> Vec<u8> {
        let written = |(file, offset): &(PathBuf, u64)| {
            let path = std::path::absolute(file).unwrap_or_else(|_| file.clone());
            format!("{offset} {}", path_to_name(&path))
        };
        self.files.iter().map(written).collect::<Vec<_>>().join("\0").into_bytes()
    }

    /// Reads what [`to_bytes`](Self::to_bytes) wrote; `None` if it is damaged.
    pub(crate) fn from_bytes(written: &[u8]) -> Option<Self> {
        let one = |written: &str| {
            let (offset, path) = written.split_once(' ')?;
            Some((name_to_path(path), offset.parse().ok()?))
        };
        let files = std::str::from_utf8(written).ok()?.split('\0').map(one).collect::<Option<_>>()?;
        Some(Self { files })
    }
}

/// See [`crate::sketch`].
pub(crate) fn sketch(job: &Job, path: &Path, observer: &dyn Observer) -> Result<Report> {
    let prepared = Prepared::for_sketch_file(job)?;
    let exists =
        || Error::Target(format!("{} exists already; remove it or choose another name", path.display()));
    if path.exists() {
        return Err(exists());
    }
    observer.planned(&prepared.recipe.plan);
    let files = Files::default();
    let beside = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    // The folder is removed with its content if the run fails. If the run is killed, the next run removes it.
    let aside = files.temp_folder(beside)?;
    // Other users must not read the key of stored shingles.
    let access = if job.settings.files.store == Stored::Shingles { Access::Private } else { Access::Shared };
    let mut file = files.create(&aside.path().join("sketch"), access)?;
    let io = |cause| Error::Io { action: "write", name: path.display().to_string(), cause };
    let mut identity = Identity::new(&prepared.recipe, prepared.sources, &prepared.job.indexes)?;
    if job.settings.files.store == Stored::Shingles {
        let seed = match &job.sketch {
            Some(files) => files.stored_key()?,
            None => KeySeed::random()?,
        };
        if job.sketch.is_none() {
            prepared.recipe.use_key(&seed);
        }
        identity.key = Some(seed.to_hex());
    }
    let mut head = identity.to_json().into_bytes();
    head.resize(head.len().next_multiple_of(8), b'\n');
    file.write_all(SKETCH_MAGIC).map_err(io)?;
    file.write_all(&(head.len() as u64).to_le_bytes()).map_err(io)?;
    file.write_all(&head).map_err(io)?;
    let mut work = Work::temporary(&job.temp_folder())?.appending_to(file, &head);
    let report = prepared.in_pool(|| {
        let mut stages = Stages::new(observer);
        let store = prepared.sketch(&mut work, &mut stages)?;
        prepared.view(&store, &work, observer).report(&Sorted::empty(), Default::default(), stages)
    })?;
    let file = work.into_appended().expect("parts were added to it");
    // Another run may have written this file in the meantime.
    if files.publish_new(file.path(), path)? { Ok(report) } else { Err(exists()) }
}

/// The key of the shingles in a sketch file.
fn stored_key(path: &Path) -> Result<KeySeed> {
    let (identity, _) = read_head(path)?;
    identity.key.as_deref().and_then(KeySeed::from_hex).ok_or_else(|| Error::Damaged {
        name: path.display().to_string(),
        cause: "its head does not contain the key of its shingles".into(),
    })
}

/// See [`crate::open_sketches`].
pub(crate) fn open(paths: &[&Path], resources: Resources) -> Result<Job> {
    let Some((first, others)) = paths.split_first() else {
        return Err(Error::Invalid("no sketch file is named".into()));
    };
    let (identity, offset) = read_head(first)?;
    identity.check_weights(&first.display().to_string())?;
    let mut sources = found_sources(&identity.sources, first)?;
    let against = found_sources(&identity.against, first)?;
    let mut files = vec![(first.to_path_buf(), offset)];
    for path in others {
        let (other, offset) = read_head(path)?;
        check_same(first, &identity, path, &other)?;
        sources.extend(found_sources(&other.sources, path)?);
        files.push((path.to_path_buf(), offset));
    }
    let sketch = Some(SketchFiles { files });
    Ok(Job { sources, against, settings: identity.settings, resources, sketch, indexes: Indexes::default() })
}

/// An error if the documents of two sketch files cannot be compared with each other, or not in this order.
fn check_same(first: &Path, identity: &Identity, path: &Path, other: &Identity) -> Result<()> {
    let (first, name) = (first.display(), path.display());
    if let Some((setting, there, here)) = identity.other_setting(other) {
        return Err(Error::Invalid(format!(
            "{setting} is {there} in {first}, but {here} in {name}; sketch their sources again with the same settings"
        )));
    }
    if !identity.has_same_weights(other) {
        return Err(Error::Invalid(format!(
            "the file of weights changed between {first} and {name}; sketch their sources again with the same weights"
        )));
    }
    if identity.key != other.key {
        return Err(Error::Invalid(format!(
            "the shingles of {first} and {name} are hashed with different keys, and cannot be compared; sketch their \
             sources again without storing shingles, or together into one file"
        )));
    }
    if !other.against.is_empty() {
        return Err(Error::Invalid(format!(
            "{name} was sketched with documents to compare with (`against`), which must come first; name it before {first}, \
             and make only one of the files with them"
        )));
    }
    Ok(())
}

/// The sources of the sketch file at `path`.
fn found_sources(sources: &[SourceIdentity], path: &Path) -> Result<Vec<Source>> {
    let name = path.display().to_string();
    let beside = path.parent().unwrap_or(Path::new(""));
    sources.iter().map(|source| found_beside(source, beside, &name)).collect()
}

/// Reads the head of a sketch file. Also returns the byte offset at which its parts begin.
pub(super) fn read_head(path: &Path) -> Result<(Identity, u64)> {
    let name = path.display().to_string();
    let damaged = |cause: &str| Error::Damaged { name: name.clone(), cause: cause.into() };
    let io = |cause| Error::Io { action: "read", name: name.clone(), cause };
    let mut file = File::open(path).map_err(io)?;
    let mut first = [0; 16];
    file.read_exact(&mut first).map_err(|_| damaged("it is too short for a sketch file"))?;
    let length = u64::from_le_bytes(first[8..].try_into().expect("8 bytes"));
    if &first[..8] != SKETCH_MAGIC || length > LONGEST_HEAD {
        return Err(damaged("it does not begin as a sketch file does"));
    }
    // The length may be wrong. It is checked before memory is allocated for it.
    if length > file.metadata().map_err(io)?.len() {
        return Err(damaged("its head ends too soon"));
    }
    let mut head = vec![0; length as usize];
    file.read_exact(&mut head).map_err(|_| damaged("its head ends too soon"))?;
    let identity = Identity::from_json(&head)
        .ok_or_else(|| damaged("its head cannot be read, or was written by another version of lookalike"))?;
    Ok((identity, 16 + length))
}

/// Finds a source of the sketch file `sketch`: relative to the current folder, or to the folder of the sketch file.
fn found_beside(source: &SourceIdentity, beside: &Path, sketch: &str) -> Result<Source> {
    let location = name_to_path(&source.location);
    let is_local = !source.location.contains("://") && !source.was_read_once();
    if !is_local || location.exists() {
        return found_again(source, "sketch it again");
    }
    let there = beside.join(&location);
    if location.is_relative() && there.exists() {
        let location = path_to_name(&there);
        return found_again(&SourceIdentity { location, ..source.clone() }, "sketch it again");
    }
    Err(Error::Target(format!(
        "{sketch} was made from {}, which is found neither from the current folder nor from the folder of the sketch; run the command in the folder where the sketch was made, put the sources back, or sketch them again",
        source.location
    )))
}

/// Finds a sketched source again, and checks that it has not changed. If it has, the error ends with `advice`.
pub(crate) fn found_again(sketched: &SourceIdentity, advice: &str) -> Result<Source> {
    let format = sketched.format()?;
    let how = Discovery { format: FormatChoice::Known(format), target: None, arrays: true };
    if sketched.was_read_once() {
        return Err(Error::Target(format!(
            "{} was read from a stream, which cannot be read again; {advice}",
            sketched.name
        )));
    }
    let mut found = discover(&[sketched.argument()], &how)?;
    let (Some(mut source), true) = (found.pop(), found.is_empty()) else {
        return Err(Error::Invalid(format!("{} is no longer a single file", sketched.location)));
    };
    source.name.clone_from(&sketched.name);
    source.output.clone_from(&sketched.output);
    if SourceIdentity::new(&source)? != *sketched {
        return Err(Error::Target(format!("{} has changed since it was sketched; {advice}", sketched.name)));
    }
    Ok(source)
}
