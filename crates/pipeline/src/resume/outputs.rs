//! Which outputs a run has finished, and how long they are: `outputs.jsonl` in the work folder.
//!
//! While outputs are written, a line is appended to `outputs-new.jsonl` for each one that has been moved to its place.
//! These lines are synced only at the end of the run, when all of them are in `outputs.jsonl`: if a power cut takes some
//! away, their outputs are written again, with the same bytes.
//!
//! A run that goes on after a kill, and the same command after the end of the run, keep an output if its line exists and
//! it is not shorter than the line says. So an output that was cut off in between is written again. An output that is
//! longer was changed by somebody, who would lose the change: it is left as it is. An object in a store is complete if it
//! exists, so there the lines are needed only for text files that are removed.

use crate::limits::ordered::lock;
use crate::resume::claim::own;
use crate::resume::work::{NEW_OUTPUTS, OUTPUTS, Work};
use crate::{Error, Observer, Result};
use corpus::Target;
use files::{OutFile, name_to_path};
use serde::{Deserialize, Serialize};
use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::io::Write;
use std::path::Path;
use std::sync::{Mutex, PoisonError};

/// This many outputs of each kind are named in notes.
const NAMED: usize = 5;

/// A finished output.
#[derive(Serialize, Deserialize)]
struct Line<'a> {
    output: Cow<'a, str>,
    /// `None` for a text file that is removed: it has no output.
    bytes: Option<u64>,
}

/// What became of an output since it was listed.
#[derive(Debug, Clone, Copy, PartialEq)]
enum State {
    AsListed,
    /// Somebody appended to it.
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
    /// It exists, and has no line.
    Unlisted,
}

impl State {
    fn is_finished(self) -> bool {
        matches!(self, Self::AsListed | Self::Longer { .. })
    }
}

/// Which outputs exist.
enum Existing<'t> {
    In(&'t Path),
    /// The names of all objects.
    Objects(BTreeSet<String>),
}

impl<'t> Existing<'t> {
    fn of(target: &'t Target) -> Result<Self> {
        Ok(match target.folder() {
            Some(folder) => Self::In(folder),
            None => Self::Objects(target.list()?.into_iter().collect()),
        })
    }
}

/// The outputs that have a line.
#[derive(Debug, Default)]
pub(crate) struct Listed {
    bytes: BTreeMap<String, Option<u64>>,
}

impl Listed {
    /// The list of a finished run.
    pub(crate) fn in_target(target: &Target) -> Result<Self> {
        let mut listed = Self::default();
        listed.read(&target.read(&own(OUTPUTS))?.unwrap_or_default());
        Ok(listed)
    }

    /// Adds the lines up to the first damaged one.
    fn read(&mut self, bytes: &[u8]) {
        let lines = bytes.split_inclusive(|&byte| byte == b'\n').filter(|line| line.ends_with(b"\n"));
        let lines = lines.map_while(|line| serde_json::from_slice::<Line<'_>>(line).ok());
        self.bytes.extend(lines.map(|line| (line.output.into_owned(), line.bytes)));
    }

    fn state(&self, existing: &Existing<'_>, output: &str) -> State {
        let listed = self.bytes.get(output).copied();
        if listed == Some(None) {
            return State::AsListed;
        }
        let folder = match existing {
            Existing::Objects(names) if names.contains(output) => return State::AsListed,
            Existing::Objects(_) => return State::Missing,
            Existing::In(folder) => folder,
        };
        let found = std::fs::metadata(folder.join(name_to_path(output))).ok();
        match (found.filter(std::fs::Metadata::is_file).map(|found| found.len()), listed.flatten()) {
            (None, _) => State::Missing,
            (Some(_), None) => State::Unlisted,
            (Some(found), Some(listed)) if found < listed => State::Shorter { found, listed },
            (Some(found), Some(listed)) if found > listed => State::Longer { found, listed },
            (Some(_), Some(_)) => State::AsListed,
        }
    }

    /// True if all these outputs are finished. If so, notes name those that are longer than the run wrote them.
    pub(crate) fn has_all<'o>(
        &self,
        outputs: impl Iterator<Item = &'o str>,
        target: &Target,
        observer: &dyn Observer,
    ) -> Result<bool> {
        let existing = Existing::of(target)?;
        let mut longer = Vec::new();
        for (step, output) in outputs.enumerate() {
            observer.go_on_at(step)?;
            match self.state(&existing, output) {
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
    for is_left in [true, false] {
        let some = outputs.iter().filter(|(_, state)| state.is_finished() == is_left);
        some.clone().take(NAMED).for_each(|(output, state)| say_one(output, *state, target, observer));
        let more = some.count().saturating_sub(NAMED);
        if more > 0 {
            let what = if is_left { "are longer and are left as they are" } else { "are written again" };
            observer.note(&format!("{more} more outputs in {} {what}", target.name()));
        }
    }
}

fn say_one(output: &str, state: State, target: &Target, observer: &dyn Observer) {
    let name = format!("{}/{output}", target.name().trim_end_matches('/'));
    observer.note(&match state {
        State::AsListed => return,
        State::Longer { found, listed } => format!(
            "{name} is longer than the run wrote it: {found} bytes instead of {listed}; it is left as it is; remove \
             it and run the same command to write it again"
        ),
        State::Shorter { found, listed } => format!(
            "{name} is shorter than the run wrote it: {found} bytes instead of {listed}; it is written again"
        ),
        State::Missing => format!("{name} is missing; it is written again"),
        State::Unlisted => format!("nothing says that {name} is complete; it is written again"),
    });
}

/// The list while outputs are written.
#[derive(Debug)]
pub(crate) struct List {
    /// The outputs that were finished before.
    finished: BTreeSet<String>,
    /// `None` for standard output.
    lines: Option<Mutex<Lines>>,
}

#[derive(Debug)]
struct Lines {
    /// All lines.
    all: Vec<u8>,
    /// The new ones.
    new: OutFile,
}

impl List {
    /// Begins with the outputs that an earlier run finished. Notes name the outputs among `outputs` that were finished
    /// and are so no longer.
    pub(crate) fn begin<'o>(
        target: &Target,
        work: &Work,
        outputs: impl Iterator<Item = &'o str>,
        observer: &dyn Observer,
    ) -> Result<Self> {
        if target.is_stdout() {
            return Ok(Self { finished: BTreeSet::new(), lines: None });
        }
        let mut before = Listed::default();
        for name in [OUTPUTS, NEW_OUTPUTS] {
            before.read(&work.read(name)?.unwrap_or_default());
        }
        let existing = Existing::of(target)?;
        let (mut finished, mut all, mut changed) = (BTreeSet::new(), Vec::new(), Vec::new());
        for (step, output) in outputs.enumerate() {
            observer.go_on_at(step)?;
            let state = before.state(&existing, output);
            let listed = before.bytes.get(output);
            if state != State::AsListed && (state != State::Missing || listed.is_some()) {
                changed.push((output, state));
            }
            if state.is_finished() {
                finished.insert(output.to_owned());
                all.extend(listed.map(|bytes| line(output, *bytes)).unwrap_or_default());
            }
        }
        say(&changed, target, observer);
        // From here on, the new lines of the earlier run are synced too.
        work.write(OUTPUTS, &all)?;
        let new = work.create(NEW_OUTPUTS)?;
        Ok(Self { finished, lines: Some(Mutex::new(Lines { all, new })) })
    }

    /// True if an earlier run finished this output.
    pub(crate) fn is_finished(&self, output: &str) -> bool {
        self.finished.contains(output)
    }

    /// Lists an output that is finished. `bytes` is `None` for a text file that is removed.
    pub(crate) fn add(&self, output: &str, bytes: Option<u64>) -> Result<()> {
        let Some(lines) = &self.lines else { return Ok(()) };
        let line = line(output, bytes);
        let Lines { all, new } = &mut *lock(lines);
        all.extend_from_slice(&line);
        let written = new.write_all(&line);
        written.map_err(|cause| Error::Io { action: "write", name: new.path().display().to_string(), cause })
    }

    /// Stores the list, when all outputs are in it.
    pub(crate) fn finish(self, work: &Work) -> Result<()> {
        let Some(lines) = self.lines else { return Ok(()) };
        let Lines { all, new } = lines.into_inner().unwrap_or_else(PoisonError::into_inner);
        drop(new);
        work.write(OUTPUTS, &all)?;
        work.remove_file(NEW_OUTPUTS)
    }
}

fn line(output: &str, bytes: Option<u64>) -> Vec<u8> {
    let mut line = serde_json::to_vec(&Line { output: output.into(), bytes }).expect("plain data");
    line.push(b'\n');
    line
}
