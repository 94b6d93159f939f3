//! Whose run is in the target: none, this one, or another; and what remains of a run that fails.
//!
//! A target belongs to one run, that of its `run.json`. The same run goes on. Another one is refused, unless what is there is
//! worth nothing: no output exists, and nothing was sketched or the run ended with an error that running it again would not mend.
//! Then it makes way, so that the command that the error message advises works.
//!
//! A folder is locked by the system. In an object store there are no locks that end with their process: an object that only one run can make says
//! who is at work. Whoever finds it left by a run of the same work folder, which it has locked, takes it over; in all other cases the user decides.

use crate::report::Report;
use crate::resume::identity::{difference, missing};
use crate::resume::work::{BEGAN_IN, FAILED, LOCK, RUN, TIMES, Work};
use crate::{Error, Job, Observer, Result};
use corpus::{Source, Stamp, Target, WORK_FOLDER};
use files::{Files, Lock, path_to_name};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, HashSet};
use std::path::{Path, PathBuf};

/// Who works at a prefix of an object store.
#[derive(Debug, PartialEq, Serialize, Deserialize)]
struct AtWork {
    computer: String,
    process: u32,
    /// The work folder there.
    folder: String,
}

impl AtWork {
    /// This process, with its work folder.
    fn here(folder: &Path) -> Self {
        let computer = rustix::system::uname().nodename().to_string_lossy().into_owned();
        Self { computer, process: std::process::id(), folder: path_to_name(folder) }
    }

    /// Whether the work folder is `folder` of this computer.
    fn is_of(&self, folder: &Path) -> bool {
        let Self { computer, folder, .. } = Self::here(folder);
        (&self.computer, &self.folder) == (&computer, &folder)
    }
}

fn own(name: &str) -> String {
    format!("{WORK_FOLDER}/{name}")
}

/// The names of a target: what the run keeps for itself, and outputs.
fn has_outputs(names: &[String]) -> bool {
    names.iter().any(|name| !name.starts_with(&own("")))
}

/// The report of a finished run of the same job, if the target holds one. A target that holds anything else is refused.
pub(crate) fn finished(target: &Target, identity: &str) -> Result<Option<Report>> {
    let Some(report) = target.read("report.json")? else {
        let names = target.list()?;
        if has_outputs(&names) && !names.contains(&own(RUN)) {
            return Err(Error::Target(if names.iter().any(|name| name.starts_with(&own(""))) {
                missing(target.name())
            } else {
                format!(
                    "{} is not empty and holds no run of lookalike; choose another target folder",
                    target.name()
                )
            }));
        }
        return Ok(None);
    };
    let Some(found) = target.read(&own(RUN))? else { return Err(Error::Target(missing(target.name()))) };
    let found = String::from_utf8_lossy(&found);
    if found != identity {
        return Err(Error::Target(difference(&found, identity, target.name())));
    }
    let report = serde_json::from_slice(&report).map_err(|error| Error::Damaged {
        name: format!("{}/report.json", target.name()),
        cause: error.to_string(),
    })?;
    Ok(Some(report))
}

/// Whether the outputs of a finished run are there.
pub(crate) fn has_outputs_of(job: &Job, target: &Target, removed_name: &str) -> Result<bool> {
    let names: HashSet<String> = target.list()?.into_iter().collect();
    let mut expected = job.sources.iter().map(|source| source.output.as_str()).chain([removed_name]);
    Ok(expected.all(|name| names.contains(name)))
}

/// The times of files whose checksum is not of all their bytes, by name.
fn times(job: &Job) -> BTreeMap<&str, i128> {
    let large = job.against.iter().chain(&job.sources).filter(|source| !corpus::is_summed_whole(source));
    let time = |source: &Source| match source.stamp {
        Stamp::Modified(time) => Some(time),
        _ => None,
    };
    large.filter_map(|source| Some((source.name.as_str(), time(source)?))).collect()
}

/// Says which large files were written to or touched since the run in the target began: their checksum is the same, but it is not of
/// all their bytes.
pub(crate) fn say_touched(job: &Job, target: &Target, observer: &dyn Observer) -> Result<()> {
    let Some(found) = target.read(&own(TIMES))? else { return Ok(()) };
    let Ok(found) = serde_json::from_slice::<BTreeMap<String, i128>>(&found) else { return Ok(()) };
    for (name, time) in times(job) {
        if found.get(name).is_some_and(|before| *before != time) {
            observer.note(&format!(
                "{name} has another time than when the run in {} began; its size and the 4 MiB of it that were looked at are the \
                 same, so it counts as unchanged (if it was edited, choose another target folder)",
                target.name()
            ));
        }
    }
    Ok(())
}

/// Removes what a run left that was killed right after its report: with an object store, the work folder on this computer and
/// the lock. What does not go is in nobody's way.
pub(crate) fn clear_after(job: &Job, target: &Target) {
    if target.folder().is_some() {
        return;
    }
    // If somebody holds it, a run is still at work.
    let Ok((folder, _lock)) = local_folder(job, target) else { return };
    let found = target.read(&own(LOCK)).ok().flatten();
    let found: Option<AtWork> = found.and_then(|found| serde_json::from_slice(&found).ok());
    if found.is_some_and(|found| found.is_of(&folder)) {
        let _ = target.remove(&own(LOCK));
    }
    let _ = target.files().remove_locked_tree(&folder, LOCK);
}

/// A target that this run has claimed.
#[derive(Debug)]
pub(crate) struct Claim<'t> {
    target: &'t Target,
    /// Whether this run made the folder.
    made: bool,
}

impl<'t> Claim<'t> {
    /// Claims a target, and opens the work folder that belongs to it.
    pub(crate) fn new(
        job: &Job,
        target: &'t Target,
        identity: &str,
        observer: &dyn Observer,
    ) -> Result<(Self, Work)> {
        let files = target.files();
        let claim = Self { target, made: target.folder().is_some_and(|folder| !folder.exists()) };
        let (folder, lock) = match target.folder() {
            Some(folder) => {
                let folder = folder.join(WORK_FOLDER);
                files.make_folder(&folder)?;
                let lock = lock(files, &folder)?;
                (folder, lock)
            }
            None => {
                let (folder, lock) = local_folder(job, target)?;
                claim.lock_prefix(&folder)?;
                (folder, lock)
            }
        };
        let times = serde_json::to_vec(&times(job)).expect("plain data");
        let taken = claim.take(&folder, identity, &times, observer);
        let work = taken.and_then(|()| Work::durable(files.clone(), folder, lock, identity));
        if work.is_err() {
            claim.unlock_prefix();
        }
        let mut work = work?;
        let outputs = target.list().map_err(Error::from).and_then(|names| {
            say_touched(job, target, observer)?;
            Ok(has_outputs(&names))
        });
        match outputs {
            Ok(true) => work.reuse(),
            Ok(false) => {}
            Err(error) => {
                claim.unlock_prefix();
                return Err(error);
            }
        }
        Ok((claim, work))
    }

    /// Makes the work folder that of this run, or refuses.
    fn take(&self, folder: &Path, identity: &str, times: &[u8], observer: &dyn Observer) -> Result<()> {
        let (target, files) = (self.target, self.target.files());
        let text = |bytes: Vec<u8>| String::from_utf8_lossy(&bytes).into_owned();
        let here = files.read(&folder.join(RUN))?.map(text);
        let there = if target.folder().is_some() { here.clone() } else { target.read(&own(RUN))?.map(text) };
        if let Some(there) = there.as_deref().filter(|there| *there != identity) {
            let worth = Work::has_parts(files, folder)? && !files.exists(&folder.join(FAILED))?;
            if worth || has_outputs(&target.list()?) {
                return Err(Error::Target(difference(there, identity, target.name())));
            }
            observer.note(&format!("the run in {} had failed; this one takes its place", target.name()));
        }
        if here.as_deref() != Some(identity) {
            Work::clear(files, folder)?;
            // Whoever asks about the run later may be elsewhere.
            if let Ok(here) = std::env::current_dir() {
                files.write_whole(&folder.join(BEGAN_IN), path_to_name(&here).as_bytes())?;
            }
            files.write_whole(&folder.join(TIMES), times)?;
            files.write_whole(&folder.join(RUN), identity.as_bytes())?;
        }
        if let Some(folder) = target.folder() {
            files.remove_unfinished(folder)?;
        }
        // Before any output: what is found there later is then known to be of this run.
        if target.folder().is_none() && there.as_deref() != Some(identity) {
            target.write(&own(RUN), identity.as_bytes())?;
        }
        Ok(())
    }

    /// Says at a prefix that this run is at work there.
    fn lock_prefix(&self, folder: &Path) -> Result<()> {
        let mine = AtWork::here(folder);
        let json = serde_json::to_vec(&mine).expect("plain data");
        if self.target.write_new(&own(LOCK), &json)? {
            return Ok(());
        }
        let found = self.target.read(&own(LOCK))?.unwrap_or_default();
        let found: Option<AtWork> = serde_json::from_slice(&found).ok();
        // Its work folder is locked by this process, so that run is over.
        if found.as_ref().is_some_and(|found| found.is_of(folder)) {
            return Ok(self.target.write(&own(LOCK), &json)?);
        }
        let who = found.map_or_else(
            || "another run".to_owned(),
            |AtWork { computer, process, .. }| format!("process {process} on {computer}"),
        );
        let name = self.target.name().trim_end_matches('/');
        Err(Error::Target(format!(
            "{who} works at {name}, or was killed there; wait for it to end, or if it has ended remove {name}/{} and run \
             the same command again",
            own(LOCK)
        )))
    }

    fn unlock_prefix(&self) {
        if self.target.folder().is_none() {
            // What stays names this process, whose next run takes it over.
            let _ = self.target.remove(&own(LOCK));
        }
    }

    /// The run has finished: its report is written, and nothing else is needed.
    pub(crate) fn finish(&self, work: &mut Work, observer: &dyn Observer) {
        if self.target.folder().is_none() {
            self.unlock_prefix();
            if let Err(error) = work.remove() {
                observer.note(&error.to_string());
            }
        }
    }

    /// The run has failed. What it left is kept if a later run can go on from it; else nothing of it remains.
    pub(crate) fn fail(&self, work: &mut Work, error: &Error) {
        let files = self.target.files();
        // What cannot be removed or written down here is found by the next run, which decides the same.
        let parts = Work::has_parts(files, work.folder()).unwrap_or(true);
        let outputs = self.target.list().map_or(true, |names| has_outputs(&names));
        if outputs || parts {
            let _ = work.tidy();
            if !outputs && is_lasting(error) {
                let _ = work.write(FAILED, error.to_string().as_bytes());
            }
        } else {
            if self.target.folder().is_none() {
                let _ = self.target.remove(&own(RUN));
            }
            let _ = work.remove();
            if let Some(folder) = self.target.folder().filter(|_| self.made) {
                files.remove_if_empty(folder);
            }
        }
        self.unlock_prefix();
    }
}

/// Whether running the same command again would end the same.
fn is_lasting(error: &Error) -> bool {
    !matches!(error, Error::Interrupted | Error::Io { .. } | Error::Corpus(corpus::Error::Io { .. }))
}

fn lock(files: &Files, folder: &Path) -> Result<Lock> {
    files.lock(&folder.join(LOCK))?.ok_or_else(|| {
        Error::Target(format!("another run is working in {}; wait for it to end", folder.display()))
    })
}

/// The work folder of a run whose target is not local: a private one in the folder for temporary files, found again by the name of the
/// target.
fn local_folder(job: &Job, target: &Target) -> Result<(PathBuf, Lock)> {
    let files = target.files();
    let parent = job.temp_folder();
    let parent = std::path::absolute(&parent).unwrap_or(parent);
    let name = blake3::hash(target.name().trim_end_matches('/').as_bytes()).to_hex();
    let mut refused = None;
    // Somebody else may have made a folder of this name, in ignorance or in malice.
    for attempt in 0..16 {
        let folder = parent.join(format!("lookalike-run-{}-{attempt}", &name[..16]));
        match files.make_private_folder(&folder) {
            Ok(()) => return Ok((folder.clone(), lock(files, &folder)?)),
            Err(error) if error.cause.kind() == std::io::ErrorKind::AlreadyExists => refused = Some(error),
            Err(error) => return Err(error.into()),
        }
    }
    Err(refused.map_or_else(|| Error::Invalid("no work folder can be made".into()), Error::from))
}
