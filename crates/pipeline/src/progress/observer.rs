//! The observer: what a run reports while it works.

use crate::{Error, Result};
use std::fmt;

/// The stages of a run, in order.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Stage {
    /// Counts which elements very many documents share.
    Frame,
    /// Reads all texts and computes their signatures.
    Sketch,
    /// Finds documents with equal texts.
    ExactCopies,
    /// Finds candidate pairs: documents that share a band key.
    Candidates,
    /// Computes the exact similarity of candidates from their shingles.
    Verify,
    /// Writes the kept records to the target.
    Write,
    /// Adds the kept documents to an index.
    Add,
}

impl Stage {
    /// The name of the stage, as it is written in reports.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Frame => "frame",
            Self::Sketch => "sketch",
            Self::ExactCopies => "exact-copies",
            Self::Candidates => "candidates",
            Self::Verify => "verify",
            Self::Write => "write",
            Self::Add => "add",
        }
    }

    /// The unit in which the progress of the stage is counted.
    #[must_use]
    pub fn unit(self) -> &'static str {
        match self {
            Self::Frame | Self::Sketch | Self::Write | Self::Add => "bytes",
            Self::ExactCopies | Self::Verify => "documents",
            Self::Candidates => "bands",
        }
    }
}

impl fmt::Display for Stage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// Watches a run, and can stop it. Its functions are called from any thread.
pub trait Observer: Sync {
    /// Called when the plan is made and the work begins.
    fn planned(&self, _plan: &crate::report::Plan) {}
    /// Called when a stage begins. `total` is the amount of its work, in the unit of the stage; 0 if it is not known.
    fn started(&self, _stage: Stage, _total: u64) {}
    /// Called when a further `amount` of the work of the current stage is done.
    fn advanced(&self, _stage: Stage, _amount: u64) {}
    /// Called when a stage is finished.
    fn finished(&self, _stage: Stage) {}
    /// Called with a message that the user should read, but that is not an error.
    fn note(&self, _message: &str) {}
    /// True if the run should stop at the next opportunity. It is called so often that every stage notices within a
    /// second, so it should only read a flag.
    fn interrupted(&self) -> bool {
        false
    }
}

/// In loops with short steps, the observer is asked once in this many steps whether to stop.
const STEPS: usize = 1 << 10;

impl dyn Observer + '_ {
    /// Returns an error if the run should stop.
    #[inline]
    pub(crate) fn go_on(&self) -> Result<()> {
        if self.interrupted() { Err(Error::Interrupted) } else { Ok(()) }
    }

    /// The same for one of many short steps: the observer is asked only once in a while.
    #[inline]
    pub(crate) fn go_on_at(&self, step: usize) -> Result<()> {
        if step.is_multiple_of(STEPS) { self.go_on() } else { Ok(()) }
    }
}

/// An observer that ignores everything and never stops the run.
#[derive(Debug, Clone, Copy, Default)]
pub struct Silent;

impl Observer for Silent {}
