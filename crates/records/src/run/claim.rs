//! A target -> the run that works in it, and what an earlier run of the same command has found there.
//!
//! A folder belongs to one run, which its `run.json` describes, and one process at a time works in it: that which holds the lock.
//! Once matches are found they are kept in the folder (`matched`), so that the same command goes on from there if it was killed.
//! A run that fails before it has kept anything leaves nothing.

use super::write::{identity, own};
use super::{Checksums, Decisions, Error, Job, Matched, Records, Result, Stop};
use super::{examples, matched_file, outputs};
use corpus::{RUN_FILE, Target, WORK_FOLDER};
use files::Lock;
use std::path::{Path, PathBuf};

/// The file of matches, in the work folder.
pub(super) const MATCHED: &str = "matched";

/// The lock, in the work folder.
const LOCK: &str = "lock";

/// A target in which this process works, and no other.
#[derive(Debug)]
pub struct Claim {
    target: Target,
    /// The folder and its lock; none for standard output.
    held: Option<(PathBuf, Lock)>,
    /// True if this run made the folder.
    made: bool,
}

impl Claim {
    /// Claims a target, which must be free or hold the same run. See also [`finished`](super::finished).
    pub fn new(job: &Job, target: &Target) -> Result<Self> {
        let Some(folder) = target.folder().map(Path::to_owned) else {
            return Ok(Self { target: target.clone(), held: None, made: false });
        };
        let identity = identity(job, &Checksums::of(job)?);
        let (files, work) = (target.files(), folder.join(WORK_FOLDER));
        let made = !folder.exists();
        files.make_folder(&work).map_err(corpus::Error::from)?;
        let lock = files.lock(&work.join(LOCK)).map_err(corpus::Error::from)?;
        let Some(lock) = lock else {
            return Err(Error::Target(format!(
                "another run is working in {}; wait for it to end",
                target.name()
            )));
        };
        let claim = Self { target: target.clone(), held: Some((folder.clone(), lock)), made };
        let found = target.read(&own(RUN_FILE))?;
        if found.as_deref() != Some(identity.as_bytes()) {
            // Another process may have begun since this one looked.
            if !is_worthless(target)? {
                return Err(other_run(target));
            }
            for left in [own(MATCHED), outputs::list(), examples::file()] {
                target.remove(&left)?;
            }
            target.write(&own(RUN_FILE), identity.as_bytes())?;
        }
        for folder in [&folder, &work] {
            files.remove_unfinished(folder).map_err(corpus::Error::from)?;
        }
        Ok(claim)
    }

    /// The matches that an earlier run of the same command has kept, or those that are found now, which are kept; and what becomes
    /// of the records. The flag says whether the matches were there.
    pub fn link_and_decide(
        &self,
        job: &Job,
        records: Records,
        stop: Stop<'_>,
    ) -> Result<(Matched, Decisions, bool)> {
        let Some((folder, _)) = &self.held else {
            let (matched, decisions) = job.link_and_decide(records, stop)?;
            return Ok((matched, decisions, false));
        };
        let (files, path) = (self.target.files(), folder.join(WORK_FOLDER).join(MATCHED));
        if let Some(linked) = matched_file::read(files, &path, records.table.len())? {
            let matched = Matched { records, linked };
            let decisions = matched.decide(job)?;
            return Ok((matched, decisions, true));
        }
        // What does not fit into memory is in the target, unless another folder was named.
        let temp_dir = job.temp_dir.clone().or_else(|| Some(folder.join(WORK_FOLDER)));
        let (matched, decisions) = Job { temp_dir, ..job.clone() }.link_and_decide(records, stop)?;
        // Matches of a source that has changed since are of no use.
        matched.records.check_unchanged(0..matched.records.sources.len())?;
        matched_file::write(files, &path, &matched.linked)?;
        Ok((matched, decisions, false))
    }

    /// Ends a run that failed: what it has left goes, unless the same command can go on from it.
    pub fn fail(&self) {
        let Some((folder, _)) = &self.held else { return };
        // What cannot be looked at or removed is found by the next run.
        if is_worthless(&self.target).unwrap_or(false)
            && self.target.exists(&own(MATCHED)).is_ok_and(|it| !it)
        {
            let files = self.target.files();
            let _ = files.remove_locked_tree(&folder.join(WORK_FOLDER), LOCK);
            if self.made {
                files.remove_if_empty(folder);
            }
        }
    }
}

/// True if a target has nothing that a run needed long for: no outputs, and no matches.
pub(super) fn is_worthless(target: &Target) -> Result<bool> {
    let names = target.list()?;
    Ok(names.iter().all(|name| name.starts_with(&own("")) && *name != own(MATCHED)))
}

/// A target is refused, because it has another run.
pub(super) fn other_run(target: &Target) -> Error {
    Error::Target(format!(
        "{} contains another run, with other inputs or settings; choose another target folder",
        target.name()
    ))
}
