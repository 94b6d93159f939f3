//! What the process ends with.

/// What the process ends with; a script can tell what to do next.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ExitCode {
    /// Done, also when it had been done before, and when whoever read standard output has seen enough.
    Success = 0,
    /// Something outside failed: a file cannot be read or written, the disk is full.
    Failure = 1,
    /// The command line or the settings file makes no sense.
    Usage = 2,
    /// A record or a source cannot be used.
    BadInput = 3,
    /// The target holds something else: another run, or this one over inputs that have changed since.
    TargetRefused = 4,
    /// The memory limit is too small.
    Memory = 5,
    /// A mistake in this program.
    Bug = 70,
    /// Stopped by SIGHUP: the terminal was closed.
    HungUp = 129,
    /// Stopped by Ctrl-C.
    Interrupted = 130,
    /// Stopped by SIGTERM.
    Terminated = 143,
}

impl ExitCode {
    /// All of them, for the help text.
    pub(crate) const ALL: [Self; 10] = [
        Self::Success,
        Self::Failure,
        Self::Usage,
        Self::BadInput,
        Self::TargetRefused,
        Self::Memory,
        Self::Bug,
        Self::HungUp,
        Self::Interrupted,
        Self::Terminated,
    ];

    /// What it means, in the help text.
    pub(crate) fn meaning(self) -> &'static str {
        match self {
            Self::Success => "done; also when whoever read standard output has seen enough",
            Self::Failure => "something outside failed: a file cannot be read or written, the disk is full",
            Self::Usage => "the command line or the settings file makes no sense, or names what is not there",
            Self::BadInput => "a record or a source cannot be used (see --on-bad-record)",
            Self::TargetRefused => "the target holds something else: another run, or inputs changed since",
            Self::Memory => "the memory limit is too small (see --memory)",
            Self::Bug => "a bug in lookalike; please report it",
            Self::HungUp => "stopped by SIGHUP: the terminal was closed",
            Self::Interrupted => "stopped by Ctrl-C (SIGINT)",
            Self::Terminated => "stopped by SIGTERM",
        }
    }
}
