//! What a run tells those who watch it.

use crate::{Error, Result};
use std::fmt;

/// The stages of a run, in order.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Stage {
    /// Text to signatures.
    Sketch,
    /// Equal texts.
    ExactCopies,
    /// Band keys to candidates.
    Candidates,
    /// Shingle sets of candidates, and their exact similarity.
    Verify,
    /// Kept records to the target.
    Write,
}

impl Stage {
    /// Its name, in reports too.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Sketch => "sketch",
            Self::ExactCopies => "exact-copies",
            Self::Candidates => "candidates",
            Self::Verify => "verify",
            Self::Write => "write",
        }
    }

    /// What its progress counts.
    #[must_use]
    pub fn unit(self) -> &'static str {
        match self {
            Self::Sketch | Self::Write => "bytes",
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

/// Watches a run, and can stop it. Called from any thread.
pub trait Observer: Sync {
    /// The plan is made, work begins.
    fn planned(&self, _plan: &crate::report::Plan) {}
    /// A stage begins; `total` is 0 if it is not known.
    fn started(&self, _stage: Stage, _total: u64) {}
    /// So much more of the current stage is done.
    fn advanced(&self, _stage: Stage, _amount: u64) {}
    /// A stage is over.
    fn finished(&self, _stage: Stage) {}
    /// Something worth knowing that is no error.
    fn note(&self, _message: &str) {}
    /// Whether to stop at the next good moment. Asked so often that every stage hears it within a second; so it should
    /// cost no more than looking at a flag.
    fn interrupted(&self) -> bool {
        false
    }
}

/// Steps between two questions in loops whose steps are short.
const STEPS: usize = 1 << 10;

impl dyn Observer + '_ {
    /// An error if the run is to stop.
    #[inline]
    pub(crate) fn go_on(&self) -> Result<()> {
        if self.interrupted() { Err(Error::Interrupted) } else { Ok(()) }
    }

    /// The same, asked in one of many short steps only.
    #[inline]
    pub(crate) fn go_on_at(&self, step: usize) -> Result<()> {
        if step.is_multiple_of(STEPS) { self.go_on() } else { Ok(()) }
    }
}

/// Watches nothing.
#[derive(Debug, Clone, Copy, Default)]
pub struct Silent;

impl Observer for Silent {}
