//! A sketch file: the sketches of a corpus in one file, from which later runs begin.
//!
//! ```text
//! "LKASKETC"  length of the head  head (JSON: settings and sources)  parts  "LKAPEND1"  number of parts
//! ```
//!
//! It has signatures and where each document is, not the text: what is compared exactly is read from the sources again,
//! which must not have changed (with `--store shingles` only what is written is).

use crate::identity::{Identity, SourceIdentity};
use crate::report::Report;
use crate::run::{Prepared, temp_folder};
use crate::sorted::Sorted;
use crate::stages::Stages;
use crate::work::{Work, sync_folder};
use crate::{Error, Job, Observer, Resources, Result};
use corpus::{Discovery, FormatChoice, Source, discover};
use std::fs::File;
use std::io::{Read, Write};
use std::path::{Path, PathBuf};

/// The first bytes of a sketch file.
pub const SKETCH_MAGIC: &[u8; 8] = b"LKASKETC";

/// Heads longer than this are none.
const LONGEST_HEAD: u64 = 1 << 30;

/// See [`crate::sketch`].
pub(crate) fn sketch(job: &Job, path: &Path, observer: &dyn Observer) -> Result<Report> {
    let io = |cause| Error::Io { action: "write", name: path.display().to_string(), cause };
    let prepared = Prepared::new(job)?;
    if path.exists() {
        return Err(Error::Target(format!(
            "{} exists already; remove it or choose another name",
            path.display()
        )));
    }
    observer.planned(&prepared.means.plan);
    let mut aside = path.as_os_str().to_owned();
    aside.push(".lookalike-unfinished");
    let aside = Unfinished(aside.into());
    let mut file = File::create(&aside.0).map_err(io)?;
    let mut head = Identity::new(&job.settings, prepared.sources).to_json().into_bytes();
    head.resize(head.len().next_multiple_of(8), b'\n');
    file.write_all(SKETCH_MAGIC).map_err(io)?;
    file.write_all(&(head.len() as u64).to_le_bytes()).map_err(io)?;
    file.write_all(&head).map_err(io)?;
    let mut work = Work::temporary(&temp_folder(job))?.appending_to(file, aside.0.clone());
    let report = prepared.in_pool(|| {
        let mut stages = Stages::new(observer);
        let store = prepared.sketch(&mut work, &mut stages)?;
        prepared.report(&store, &Sorted::empty(), Default::default(), stages, &work)
    })?;
    std::fs::rename(&aside.0, path).map_err(io)?;
    sync_folder(path)?;
    Ok(report)
}

/// A file on its way: it goes when the run fails, and has gone elsewhere when it succeeds.
struct Unfinished(PathBuf);

impl Drop for Unfinished {
    fn drop(&mut self) {
        // Nothing depends on a file that does not go.
        let _ = std::fs::remove_file(&self.0);
    }
}

/// See [`crate::open_sketch`].
pub(crate) fn open(path: &Path, resources: Resources) -> Result<Job> {
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
    let mut head = vec![0; length as usize];
    file.read_exact(&mut head).map_err(|_| damaged("its head ends too soon"))?;
    let identity = Identity::from_json(&head)
        .ok_or_else(|| damaged("its head cannot be read, or is of another version of lookalike"))?;
    let find = |sources: &[SourceIdentity]| {
        let again = |source| found_again(source, "sketch it again");
        sources.iter().map(again).collect::<Result<Vec<Source>>>()
    };
    Ok(Job {
        sources: find(&identity.sources)?,
        against: find(&identity.against)?,
        settings: identity.settings,
        resources,
        sketch: Some((path.to_owned(), 16 + length)),
    })
}

/// A source that was sketched, which must be what it was; otherwise `advice` says what to do.
pub(crate) fn found_again(sketched: &SourceIdentity, advice: &str) -> Result<Source> {
    let format = sketched.format()?;
    let how = Discovery { format: FormatChoice::Always(format) };
    let mut found = discover(std::slice::from_ref(&sketched.location), &how)?;
    let (Some(mut source), true) = (found.pop(), found.is_empty()) else {
        return Err(Error::Invalid(format!("{} is not one file any more", sketched.location)));
    };
    source.name.clone_from(&sketched.name);
    source.output.clone_from(&sketched.output);
    if SourceIdentity::new(&source) != *sketched {
        return Err(Error::Target(format!("{} has changed since it was sketched; {advice}", sketched.name)));
    }
    Ok(source)
}
