//! A folder -> the files below it.

use super::runs::{Held, held, is_own_in};
use crate::{Error, Result, path_to_name};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// The result of searching a folder.
#[derive(Debug, Default)]
pub(super) struct Below {
    /// The files, as paths relative to the folder, in bytewise order.
    pub(super) files: Vec<PathBuf>,
    /// What was skipped and why, one sentence each.
    pub(super) skipped: Vec<String>,
}

/// Finds the files below `folder`. Skipped are names that begin with a dot, `target`, folders of other runs, and
/// everything that is neither a file nor a folder. Links are followed, but never into a folder that is already being
/// searched.
pub(super) fn files(folder: &Path, target: Option<&Path>) -> Result<Below> {
    let mut walk = Walk { target, above: BTreeSet::new(), below: Below::default() };
    walk.enter(folder, Path::new(""))?;
    let mut below = walk.below;
    if held(folder) != Held::Nothing {
        below.files.retain(|file| !is_own_in(folder, &path_to_name(file)));
        below.skipped.push(format!(
            "{} holds an earlier run of lookalike: its outputs are read as inputs, its reports and internal \
             files are skipped",
            path_to_name(folder)
        ));
    }
    below.files.sort_by(|a, b| a.as_os_str().as_encoded_bytes().cmp(b.as_os_str().as_encoded_bytes()));
    below.skipped.sort_unstable();
    Ok(below)
}

struct Walk<'a> {
    /// The target of this run, with all links resolved.
    target: Option<&'a Path>,
    above: BTreeSet<PathBuf>,
    below: Below,
}

impl Walk<'_> {
    fn enter(&mut self, folder: &Path, below: &Path) -> Result<()> {
        let failure = |cause| Error::Io { action: "read", name: path_to_name(folder), cause };
        // The system limits the length of a path, and therefore the depth of this recursion.
        let real = folder.canonicalize().map_err(failure)?;
        if let Some(reason) = reason_to_skip(folder, &real, below, self.target)? {
            self.below.skipped.push(format!("{} is skipped: {reason}", path_to_name(folder)));
            return Ok(());
        }
        if !self.above.insert(real.clone()) {
            return Ok(());
        }
        for entry in std::fs::read_dir(folder).map_err(failure)? {
            let entry = entry.map_err(failure)?;
            let name = entry.file_name();
            if name.as_encoded_bytes().starts_with(b".") {
                continue;
            }
            let path = entry.path();
            let metadata = std::fs::metadata(&path).map_err(|cause| Error::Io {
                action: "read",
                name: path_to_name(&path),
                cause,
            })?;
            if metadata.is_dir() {
                self.enter(&path, &below.join(name))?;
            } else if metadata.is_file() {
                self.below.files.push(below.join(name));
            } else {
                let path = path_to_name(&path);
                self.below.skipped.push(format!("{path} is skipped: it is neither a file nor a folder"));
            }
        }
        self.above.remove(&real);
        Ok(())
    }
}

/// Why `folder` is skipped: it is the target, or it belongs to another run. If the user named the folder itself
/// (`below` is empty then), this is an error instead, unless the folder holds the outputs of a finished run.
fn reason_to_skip(
    folder: &Path,
    real: &Path,
    below: &Path,
    target: Option<&Path>,
) -> Result<Option<&'static str>> {
    let is_named = below.as_os_str().is_empty();
    let name = path_to_name(folder);
    if target == Some(real) {
        return if is_named {
            Err(Error::Invalid(format!(
                "{name} is both an input and the target; choose another target with -o, or give single files \
                 of this folder as inputs"
            )))
        } else {
            Ok(Some("it is the target of this run"))
        };
    }
    match held(folder) {
        Held::Unfinished if is_named => Err(Error::Invalid(format!(
            "{name} holds a run of lookalike that is not finished; finish it with the same command, or give \
             its sources"
        ))),
        Held::Unfinished => Ok(Some("it holds an unfinished run of lookalike")),
        Held::Finished if !is_named => Ok(Some("it holds what an earlier run of lookalike wrote")),
        Held::Finished | Held::Nothing => Ok(None),
    }
}
