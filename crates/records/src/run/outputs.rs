//! Which outputs a run has finished, and how long they are: `outputs.jsonl` in the work folder.
//!
//! It is written once all outputs are in their places, and before `report.json`. The same command keeps an output if its line
//! exists and it is not shorter than the line says; what is missing or was cut off is written again, with the same bytes. An
//! output that is longer was changed by somebody, who would lose the change: it is left as it is.

use super::{Error, Result};
use corpus::{Target, WORK_FOLDER};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// The list in the target.
pub(super) fn list() -> String {
    format!("{WORK_FOLDER}/outputs.jsonl")
}

/// A finished output.
#[derive(Serialize, Deserialize)]
struct Line {
    output: String,
    /// `None` for an output that is absent, because all of its source is removed.
    bytes: Option<u64>,
}

/// The finished outputs with their sizes.
#[derive(Debug, Default)]
pub(super) struct Outputs {
    bytes: BTreeMap<String, Option<u64>>,
}

impl Outputs {
    /// Those that an earlier run has listed.
    pub(super) fn in_target(target: &Target) -> Result<Self> {
        if target.is_stdout() {
            return Ok(Self::default());
        }
        let written = target.read(&list())?.unwrap_or_default();
        let lines = written.split_inclusive(|&byte| byte == b'\n').filter(|line| line.ends_with(b"\n"));
        let lines = lines.map_while(|line| serde_json::from_slice::<Line>(line).ok());
        Ok(Self { bytes: lines.map(|line| (line.output, line.bytes)).collect() })
    }

    /// True if all outputs are as they were listed, or longer. What is not is said to `note`.
    pub(super) fn are_there(&self, target: &Target, note: &mut dyn FnMut(String)) -> bool {
        let mut all = !self.bytes.is_empty();
        for (output, &listed) in &self.bytes {
            let name = format!("{}/{output}", target.name().trim_end_matches('/'));
            match (listed, size(target, output)) {
                (None, _) => {}
                (Some(_), None) => {
                    note(format!("{name} is missing; it is written again"));
                    all = false;
                }
                (Some(listed), Some(found)) if found < listed => {
                    note(format!(
                        "{name} is shorter than the run wrote it: {found} bytes instead of {listed}; it is written again"
                    ));
                    all = false;
                }
                (Some(listed), Some(found)) if found > listed => note(format!(
                    "{name} is longer than the run wrote it: {found} bytes instead of {listed}; it is left as it is; \
                     remove it and run the same command to write it again"
                )),
                _ => {}
            }
        }
        all
    }

    /// True if an earlier run finished this output, and it is still there.
    pub(super) fn is_finished(&self, target: &Target, output: &str) -> bool {
        match self.bytes.get(output) {
            None => false,
            Some(None) => true,
            Some(Some(listed)) => size(target, output).is_some_and(|found| found >= *listed),
        }
    }

    /// Their names.
    pub(super) fn names(&self) -> impl Iterator<Item = &str> {
        self.bytes.keys().map(String::as_str)
    }

    /// Lists an output.
    pub(super) fn add(&mut self, output: &str, bytes: Option<u64>) {
        self.bytes.insert(output.to_owned(), bytes);
    }

    /// Writes the list.
    pub(super) fn write(&self, target: &Target) -> Result<()> {
        let mut written = Vec::new();
        for (output, bytes) in &self.bytes {
            let line = Line { output: output.clone(), bytes: *bytes };
            let line = serde_json::to_vec(&line).map_err(|cause| Error::Target(cause.to_string()))?;
            written.extend_from_slice(&line);
            written.push(b'\n');
        }
        Ok(target.write(&list(), &written)?)
    }
}

/// The size of an output; nothing if it is no file.
fn size(target: &Target, output: &str) -> Option<u64> {
    let path = target.folder()?.join(files::name_to_path(output));
    std::fs::metadata(path).ok().filter(std::fs::Metadata::is_file).map(|found| found.len())
}
