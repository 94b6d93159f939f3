//! Folders that hold a run of lookalike. What one run wrote is not an input of the next run.

use crate::path_to_name;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// The folder in the target in which a run keeps its internal files.
pub const WORK_FOLDER: &str = "_lookalike";

/// The file in [`WORK_FOLDER`] that exists as soon as the run has begun.
pub const RUN_FILE: &str = "run.json";

/// What a run writes into its target in addition to the outputs.
const OWN: [&str; 5] = [WORK_FOLDER, "report.json", "report.html", "removed.jsonl", "removed.parquet"];

/// What a run on records writes beside that.
const MODEL: &str = "model.json";

/// Whether a folder holds a run, and in which state.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Held {
    /// The folder holds no run.
    Nothing,
    /// The folder holds a run that is not finished.
    Unfinished,
    /// The folder holds a finished run.
    Finished,
}

/// Whether `folder` holds a run, and in which state.
pub(crate) fn held(folder: &Path) -> Held {
    if !folder.join(WORK_FOLDER).join(RUN_FILE).is_file() {
        Held::Nothing
    } else if folder.join("report.json").is_file() {
        Held::Finished
    } else {
        Held::Unfinished
    }
}

/// True if `name`, a path relative to the target of a run, is a report or an internal file of the run.
pub(crate) fn is_own(name: &str) -> bool {
    OWN.contains(&name.split('/').next().unwrap_or(name))
}

/// The same for a run in this folder, which also has a model if it was one on records. An output of another run may be named like
/// a model.
pub(super) fn is_own_in(folder: &Path, name: &str) -> bool {
    is_own(name) || name == MODEL && is_of_records(folder)
}

fn is_of_records(folder: &Path) -> bool {
    let written = std::fs::read(folder.join(WORK_FOLDER).join(RUN_FILE)).unwrap_or_default();
    serde_json::from_slice::<serde_json::Value>(&written).is_ok_and(|run| run["kind"] == "records")
}

/// Removes files that are in `target` or in the folder of a run. For each of these folders a sentence is added to
/// `skipped`. If the user wrote the folder `written_out` in full, its outputs are wanted: only the reports and the
/// internal files of its run are removed.
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
            None if is_own_in(here(written_out), &path_to_name(&below))
                && held(here(written_out)) != Held::Nothing =>
            {
                left_out.insert(file, "it is a report or an internal file of an earlier run of lookalike");
            }
            None => taken.push(file),
        }
    }
    let say = |(path, reason): (PathBuf, &str)| format!("{} is skipped: {reason}", path_to_name(&path));
    skipped.extend(left_out.into_iter().map(say));
    taken
}

/// A folder in the form that the system understands: an empty path is the current folder.
fn here(folder: &Path) -> &Path {
    if folder.as_os_str().is_empty() { Path::new(".") } else { folder }
}
