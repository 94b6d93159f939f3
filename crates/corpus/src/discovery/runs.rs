//! Folders that hold a run of lookalike: what it wrote is not what a later run is about.

use crate::path_to_name;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// The folder of a run's own in its target.
pub const WORK_FOLDER: &str = "_lookalike";

/// What is in it as soon as the run has begun.
pub const RUN_FILE: &str = "run.json";

/// What a run writes into its target beside the outputs.
const OWN: [&str; 5] = [WORK_FOLDER, "report.json", "report.html", "removed.jsonl", "removed.parquet"];

/// What of a run a folder holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Held {
    /// None.
    Nothing,
    /// One that has not come to its end.
    Unfinished,
    /// A whole one.
    Finished,
}

/// What of a run `folder` holds.
pub(crate) fn held(folder: &Path) -> Held {
    if !folder.join(WORK_FOLDER).join(RUN_FILE).is_file() {
        Held::Nothing
    } else if folder.join("report.json").is_file() {
        Held::Finished
    } else {
        Held::Unfinished
    }
}

/// Whether a run writes `name`, a path below its target, about itself.
pub(crate) fn is_own(name: &str) -> bool {
    OWN.contains(&name.split('/').next().unwrap_or(name))
}

/// The files that are in no folder of a run and not in `target`; for each such folder a sentence goes to `skipped`. A folder
/// that is `written_out` was meant: of that one only what the run wrote about itself is passed over.
pub(super) fn without_runs(
    files: Vec<PathBuf>,
    written_out: &Path,
    target: Option<&Path>,
    skipped: &mut Vec<String>,
) -> Vec<PathBuf> {
    let mut known: BTreeMap<PathBuf, Option<&'static str>> = BTreeMap::new();
    let mut reason = |folder: &Path| {
        let look = || match held(folder) {
            _ if target.is_some() && folder.canonicalize().ok().as_deref() == target => {
                Some("it is the target of this run")
            }
            Held::Nothing => None,
            Held::Unfinished | Held::Finished => Some("it holds what an earlier run of lookalike wrote"),
        };
        *known.entry(folder.to_owned()).or_insert_with(look)
    };
    let mut taken = Vec::new();
    let mut left_out: BTreeMap<PathBuf, &'static str> = BTreeMap::new();
    for file in files {
        let below = file.strip_prefix(written_out).unwrap_or(&file).to_owned();
        let folders = below.ancestors().skip(1).filter(|folder| !folder.as_os_str().is_empty());
        let run = folders
            .map(|folder| written_out.join(folder))
            .filter_map(|folder| Some((reason(&folder)?, folder)));
        match run.last() {
            Some((reason, folder)) => drop(left_out.insert(folder, reason)),
            None if is_own(&path_to_name(&below)) && held(here(written_out)) != Held::Nothing => {
                left_out.insert(file, "an earlier run of lookalike wrote it about itself");
            }
            None => taken.push(file),
        }
    }
    let say = |(path, reason): (PathBuf, &str)| format!("{} is skipped: {reason}", path_to_name(&path));
    skipped.extend(left_out.into_iter().map(say));
    taken
}

/// A folder as the system names it: nothing means this one.
fn here(folder: &Path) -> &Path {
    if folder.as_os_str().is_empty() { Path::new(".") } else { folder }
}
