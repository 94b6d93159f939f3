//! Which outputs a run has finished, and how long they are: `outputs.jsonl` in the work folder.
//!
//! A line is appended when an output has been moved to its place. A run that goes on after a kill, and the same
//! command after the end of the run, keep an output if its line exists and its length is that of the line. So an
//! output that was cut off in between is written again.
//!
//! The lines are synced only at the end of the run: if a power cut takes some away, their outputs are written again,
//! with the same bytes. An object in a store is complete if it exists, so there the lengths are not compared.

use crate::resume::claim::own;
use crate::resume::work::{OUTPUTS, Work};
use crate::{Error, Observer, Result};
use corpus::Target;
use files::{OutFile, name_to_path};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::io::Write;
use std::sync::Mutex;

/// This many outputs are named in notes.
const NAMED: usize = 5;

/// A finished output.
#[derive(Serialize, Deserialize)]
struct Line<'a> {
    output: std::borrow::Cow<'a, str>,
    /// `None` for a text file that is removed: it has no output.
    bytes: Option<u64>,
}

/// What became of an output since it was listed.
#[derive(Debug, Clone, Copy, PartialEq)]
enum State {
    AsListed,
    /// Somebody appended to it. It is left as it is, because they would lose what they wrote.
    Longer {
        found: u64,
        listed: u64,
    },
    /// It was cut off.
    Shorter {
        found: u64,
        listed: u64,
    },
    Missing,
    /// It exists, but the list was lost before its line was synced.
    Unlisted,
}

impl State {
    fn is_finished(self) -> bool {
        matches!(self, Self::AsListed | Self::Longer { .. })
    }
}

/// The outputs that an earlier run listed.
#[derive(Debug, Default)]
pub(crate) struct Listed {
    bytes: BTreeMap<String, Option<u64>>,
}

impl Listed {
    /// The list of a finished run.
    pub(crate) fn in_target(target: &Target) -> Result<Self> {
        Ok(target.read(&own(OUTPUTS))?.map_or_else(Self::default, |bytes| Self::parse(&bytes)))
    }

    /// Reads the lines up to the first damaged one.
    fn parse(bytes: &[u8]) -> Self {
        let lines = bytes.split_inclusive(|&byte| byte == b'\n').filter(|line| line.ends_with(b"\n"));
        let lines = lines.map_while(|line| serde_json::from_slice::<Line<'_>>(line).ok());
        Self { bytes: lines.map(|line| (line.output.into_owned(), line.bytes)).collect() }
    }

    fn state(&self, target: &Target, output: &str) -> Result<State> {
        let listed = self.bytes.get(output).copied();
        if listed == Some(None) {
            return Ok(State::AsListed);
        }
        let Some(folder) = target.folder() else {
            return Ok(if target.exists(output)? { State::AsListed } else { State::Missing });
        };
        let found = std::fs::metadata(folder.join(name_to_path(output))).ok().map(|metadata| metadata.len());
        Ok(match (found, listed.flatten()) {
            (None, _) => State::Missing,
            (Some(_), None) => State::Unlisted,
            (Some(found), Some(listed)) if found < listed => State::Shorter { found, listed },
            (Some(found), Some(listed)) if found > listed => State::Longer { found, listed },
            (Some(_), Some(_)) => State::AsListed,
        })
    }

    /// True if all these outputs are finished. If so, notes name those that are longer than when the run ended.
    pub(crate) fn has_all<'o>(
        &self,
        outputs: impl Iterator<Item = &'o str>,
        target: &Target,
        observer: &dyn Observer,
    ) -> Result<bool> {
        let mut longer = Vec::new();
        for output in outputs {
            match self.state(target, output)? {
                State::AsListed => {}
                state @ State::Longer { .. } => longer.push((output, state)),
                _ => return Ok(false),
            }
        }
        say(&longer, target, observer);
        Ok(true)
    }
}

/// Notes what became of outputs: the first of them by name, the others by number.
fn say(outputs: &[(&str, State)], target: &Target, observer: &dyn Observer) {
    for (output, state) in outputs.iter().take(NAMED) {
        let name = format!("{}/{output}", target.name().trim_end_matches('/'));
        observer.note(&match state {
            State::AsListed => continue,
            State::Longer { found, listed } => format!(
                "{name} is longer than the run wrote it: {found} bytes instead of {listed}; it is left as it is; \
                 remove it and run the same command to write it again"
            ),
            State::Shorter { found, listed } => format!(
                "{name} is shorter than the run wrote it: {found} bytes instead of {listed}; it is written again"
            ),
            State::Missing => format!("{name} is missing; it is written again"),
            State::Unlisted => format!("nothing says that {name} is complete; it is written again"),
        });
    }
    let more = outputs.len().saturating_sub(NAMED);
    if more > 0 {
        observer.note(&format!("the same holds for {more} more outputs in {}", target.name()));
    }
}

/// The list while outputs are written.
#[derive(Debug)]
pub(crate) struct List<'t> {
    target: &'t Target,
    before: Listed,
    /// `None` for standard output.
    file: Option<Mutex<OutFile>>,
}

impl<'t> List<'t> {
    /// Begins the list again with the outputs that are finished already. Notes name the outputs among `outputs` that
    /// were finished and are so no longer.
    pub(crate) fn begin<'o>(
        target: &'t Target,
        work: &Work,
        outputs: impl Iterator<Item = &'o str>,
        observer: &dyn Observer,
    ) -> Result<Self> {
        if target.is_stdout() {
            return Ok(Self { target, before: Listed::default(), file: None });
        }
        let mut before = Listed::parse(&work.read(OUTPUTS)?.unwrap_or_default());
        let (mut kept, mut changed) = (Listed::default(), Vec::new());
        for output in outputs {
            let state = before.state(target, output)?;
            let listed = before.bytes.remove_entry(output);
            if state != State::AsListed && (state != State::Missing || listed.is_some()) {
                changed.push((output, state));
            }
            if let Some((output, bytes)) = listed.filter(|_| state.is_finished()) {
                kept.bytes.insert(output, bytes);
            }
        }
        say(&changed, target, observer);
        let list = Self { target, before: Listed::default(), file: Some(Mutex::new(work.create(OUTPUTS)?)) };
        for (output, bytes) in &kept.bytes {
            list.add(output, *bytes)?;
        }
        Ok(Self { before: kept, ..list })
    }

    /// True if an earlier run finished this output.
    pub(crate) fn is_finished(&self, output: &str) -> Result<bool> {
        Ok(self.file.is_some() && self.before.state(self.target, output)?.is_finished())
    }

    /// Lists an output that is finished. `bytes` is `None` for a text file that is removed.
    pub(crate) fn add(&self, output: &str, bytes: Option<u64>) -> Result<()> {
        let Some(file) = &self.file else { return Ok(()) };
        let mut line = serde_json::to_vec(&Line { output: output.into(), bytes }).expect("plain data");
        line.push(b'\n');
        let mut file = file.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        file.write_all(&line).map_err(|cause| Error::Io {
            action: "write",
            name: file.path().display().to_string(),
            cause,
        })
    }

    /// Syncs the list, when all outputs are in it.
    pub(crate) fn finish(self) -> Result<()> {
        let Some(file) = self.file else { return Ok(()) };
        Ok(file.into_inner().unwrap_or_else(std::sync::PoisonError::into_inner).sync()?)
    }
}
