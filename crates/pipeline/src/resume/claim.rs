//! Which run a target belongs to: no run, this run, or another run. Also what is kept of a run that fails.
//!
//! A target belongs to one run, which its `run.json` describes. The same run continues. Another run is refused,
//! unless nothing of value would be lost: there are no outputs, and either nothing was sketched, or the run ended
//! with an error that would happen again. In this case the other run replaces it, so that the command that an error
//! message suggests works.
//!
//! A folder is locked with the operating system. Object stores have no locks that end with their process. Instead, an
//! object says which process is working there, and only one run can create it. If a run finds such an object of an
//! earlier run with the same work folder, and has locked this folder, the earlier run is over, and it takes over the
//! object. In all other cases the user must decide.

use crate::report::Report;
use crate::resume::identity::{difference, missing, refusal};
use crate::resume::work::{BEGAN_IN, FAILED, LOCK, RUN, TIMES, Work};
use crate::{Error, Job, Observer, Result};
use corpus::{Source, Stamp, Target, WORK_FOLDER};
use files::{Files, Lock, path_to_name};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// The process that works at a prefix of an object store.
#[derive(Debug, PartialEq, Serialize, Deserialize)]
struct AtWork {
    computer: String,
    process: u32,
    /// Its work folder on that computer.
    folder: String,
}

impl AtWork {
    /// This process, with its work folder.
    fn here(folder: &Path) -> Self {
        let computer = rustix::system::uname().nodename().to_string_lossy().into_owned();
        Self { computer, process: std::process::id(), folder: path_to_name(folder) }
    }

    /// True if the work folder is `folder` on this computer.
    fn is_of(&self, folder: &Path) -> bool {
        let Self { computer, folder, .. } = Self::here(folder);
        (&self.computer, &self.folder) == (&computer, &folder)
    }
}

/// The name of a file of the work folder in the target.
pub(crate) fn own(name: &str) -> String {
    format!("{WORK_FOLDER}/{name}")
}

/// True if some of the names in a target are outputs, and not files in the work folder.
fn has_outputs(names: &[String]) -> bool {
    names.iter().any(|name| !name.starts_with(&own("")))
}

/// The report of a finished run of the same job, if the target contains one. A target that contains another finished
/// run, or files that do not belong to a run, is refused.
pub(crate) fn finished(target: &Target, identity: &str, observer: &dyn Observer) -> Result<Option<Report>> {
    let Some(report) = target.read("report.json")? else {
        let names = target.list()?;
        if has_outputs(&names) && !names.contains(&own(RUN)) {
            return Err(Error::Target(if names.iter().any(|name| name.starts_with(&own(""))) {
                missing(target.name())
            } else {
                format!(
                    "{} is not empty and contains no lookalike run; choose another target folder",
                    target.name()
                )
            }));
        }
        return Ok(None);
    };
    let Some(found) = target.read(&own(RUN))? else { return Err(Error::Target(missing(target.name()))) };
    let found = String::from_utf8_lossy(&found);
    if found != identity {
        return Err(Error::Target(refusal(&found, identity, target.name())));
    }
    match serde_json::from_slice(&report) {
        Ok(report) => Ok(Some(report)),
        // Nothing else depends on it.
        Err(cause) => {
            let name = target.name().trim_end_matches('/');
            observer.note(&format!("{name}/report.json is damaged ({cause}); it is written again"));
            Ok(None)
        }
    }
}

/// The modification times of large files, by name. The checksum of a large file does not cover all its bytes.
fn times(job: &Job) -> BTreeMap<&str, i128> {
    let large = job.against.iter().chain(&job.sources).filter(|source| !corpus::is_summed_whole(source));
    let time = |source: &Source| match source.stamp {
        Stamp::Modified(time) => Some(time),
        _ => None,
    };
    large.filter_map(|source| Some((source.name.as_str(), time(source)?))).collect()
}

/// Notes which large files have another modification time than when the run in the target began. Their checksum is
/// the same, but it does not cover all their bytes.
pub(crate) fn say_touched(job: &Job, target: &Target, observer: &dyn Observer) -> Result<()> {
    let Some(found) = target.read(&own(TIMES))? else { return Ok(()) };
    let Ok(found) = serde_json::from_slice::<BTreeMap<String, i128>>(&found) else { return Ok(()) };
    for (name, time) in times(job) {
        if found.get(name).is_some_and(|before| *before != time) {
            observer.note(&format!(
                "the modification time of {name} has changed since the run in {} began, but its size and the 4 MiB of it \
                 that were checked have not, so it is treated as unchanged; if it was edited, choose another target folder",
                target.name()
            ));
        }
    }
    Ok(())
}

/// Removes the files of a run that was killed right after it wrote its report: with an object store, the work folder
/// on this computer and the lock. Files that cannot be removed do no harm.
pub(crate) fn clear_after(job: &Job, target: &Target) {
    if target.folder().is_some() {
        return;
    }
    // If another process holds the lock, a run is still working.
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
    /// True if this run created the folder.
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

    /// Makes the work folder belong to this run, or returns an error.
    fn take(&self, folder: &Path, identity: &str, times: &[u8], observer: &dyn Observer) -> Result<()> {
        let (target, files) = (self.target, self.target.files());
        let text = |bytes: Vec<u8>| String::from_utf8_lossy(&bytes).into_owned();
        let here = files.read(&folder.join(RUN))?.map(text);
        let there = if target.folder().is_some() { here.clone() } else { target.read(&own(RUN))?.map(text) };
        if let Some(there) = there.as_deref().filter(|there| *there != identity) {
            let worth = Work::has_parts(files, folder)? && !files.exists(&folder.join(FAILED))?;
            if worth || has_outputs(&target.list()?) {
                return Err(Error::Target(refusal(there, identity, target.name())));
            }
            let differs = difference(there, identity, target.name());
            let ended =
                if files.exists(&folder.join(FAILED))? { "failed" } else { "ended before it kept anything" };
            observer.note(&format!(
                "{differs}; that run {ended}, so this run replaces it and starts from the beginning"
            ));
        }
        if here.as_deref() != Some(identity) {
            Work::clear(files, folder)?;
            // Questions about the run may be asked from another folder later.
            if let Ok(here) = std::env::current_dir() {
                files.write_whole(&folder.join(BEGAN_IN), path_to_name(&here).as_bytes())?;
            }
            files.write_whole(&folder.join(TIMES), times)?;
            files.write_whole(&folder.join(RUN), identity.as_bytes())?;
        }
        if let Some(folder) = target.folder() {
            files.remove_unfinished(folder)?;
        }
        // This comes before any output, so that outputs found later are known to belong to this run.
        if target.folder().is_none() && there.as_deref() != Some(identity) {
            target.write(&own(RUN), identity.as_bytes())?;
        }
        Ok(())
    }

    /// Creates the object that says that this run is working at the prefix.
    fn lock_prefix(&self, folder: &Path) -> Result<()> {
        let mine = AtWork::here(folder);
        let json = serde_json::to_vec(&mine).expect("plain data");
        if self.target.write_new(&own(LOCK), &json)? {
            return Ok(());
        }
        let found = self.target.read(&own(LOCK))?.unwrap_or_default();
        let found: Option<AtWork> = serde_json::from_slice(&found).ok();
        // This process has locked the work folder of that run, so that run is over.
        if found.as_ref().is_some_and(|found| found.is_of(folder)) {
            return Ok(self.target.write(&own(LOCK), &json)?);
        }
        let who = found.map_or_else(
            || "another run".to_owned(),
            |AtWork { computer, process, .. }| format!("process {process} on {computer}"),
        );
        let name = self.target.name().trim_end_matches('/');
        Err(Error::Target(format!(
            "{who} is working in {name}, or was killed while it did; wait for it to end, or, if it has ended, remove \
             {name}/{} and run the same command again",
            own(LOCK)
        )))
    }

    fn unlock_prefix(&self) {
        if self.target.folder().is_none() {
            // If it cannot be removed, it names this process, and the next run with this work folder takes it over.
            let _ = self.target.remove(&own(LOCK));
        }
    }

    /// Releases the target after a successful run. The report is written, and the work folder of an object store is
    /// removed.
    pub(crate) fn finish(&self, work: &mut Work, observer: &dyn Observer) {
        if self.target.folder().is_none() {
            self.unlock_prefix();
            if let Err(error) = work.remove() {
                observer.note(&error.to_string());
            }
        }
    }

    /// Releases the target after a failed run. Its files are kept if a later run can continue from them, and removed
    /// otherwise.
    pub(crate) fn fail(&self, work: &mut Work, error: &Error) {
        let files = self.target.files();
        // If something cannot be removed or written here, the next run finds it and decides in the same way.
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

/// True if the same command would fail with this error again.
fn is_lasting(error: &Error) -> bool {
    !matches!(error, Error::Interrupted | Error::Io { .. } | Error::Corpus(corpus::Error::Io { .. }))
}

fn lock(files: &Files, folder: &Path) -> Result<Lock> {
    files.lock(&folder.join(LOCK))?.ok_or_else(|| {
        Error::Target(format!("another run is working in {}; wait for it to end", folder.display()))
    })
}

/// The work folder of a run whose target is not local: a private folder in the folder for temporary files. Its name
/// is computed from the name of the target, so that it can be found again.
fn local_folder(job: &Job, target: &Target) -> Result<(PathBuf, Lock)> {
    let files = target.files();
    let parent = job.temp_folder();
    let parent = std::path::absolute(&parent).unwrap_or(parent);
    let name = blake3::hash(target.name().trim_end_matches('/').as_bytes()).to_hex();
    let mut refused = None;
    // Another user may have created a folder of this name, by accident or to do harm.
    for attempt in 0..16 {
        let folder = parent.join(format!("lookalike-run-{}-{attempt}", &name[..16]));
        match files.make_private_folder(&folder) {
            Ok(()) => return Ok((folder.clone(), lock(files, &folder)?)),
            Err(error) if error.cause.kind() == std::io::ErrorKind::AlreadyExists => refused = Some(error),
            Err(error) => return Err(error.into()),
        }
    }
    Err(refused.map_or_else(|| Error::Invalid("no work folder can be created".into()), Error::from))
}
