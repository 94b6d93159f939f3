//! The exit codes of the process.

/// The exit code of the process, from which a script can tell what to do next.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ExitCode {
    /// The command succeeded. This includes a run that was finished before, and a reader that closed standard output
    /// early.
    Success = 0,
    /// Something outside this program failed: a file cannot be read or written, or the disk is full.
    Failure = 1,
    /// The command line or the settings file is wrong.
    Usage = 2,
    /// A record or a source cannot be used.
    BadInput = 3,
    /// The target folder belongs to another run, or the inputs have changed since this run began.
    TargetRefused = 4,
    /// The memory limit is too small.
    Memory = 5,
    /// A bug in this program.
    Bug = 70,
    /// Stopped by SIGHUP: the terminal was closed.
    HungUp = 129,
    /// Stopped by Ctrl-C.
    Interrupted = 130,
    /// Stopped by SIGTERM.
    Terminated = 143,
}

impl ExitCode {
    /// All exit codes, for the help text.
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

    /// The meaning of the code, for the help text.
    pub(crate) fn meaning(self) -> &'static str {
        match self {
            Self::Success => "success; also if the reader of standard output closed it early",
            Self::Failure => "a file cannot be read or written, or the disk is full",
            Self::Usage => "the command line or the settings file is wrong, or names a missing file",
            Self::BadInput => "a record or a source cannot be used (see --on-bad-record)",
            Self::TargetRefused => "the target belongs to another run, or the inputs have changed since",
            Self::Memory => "the memory limit is too small (see --memory)",
            Self::Bug => "a bug in lookalike; please report it",
            Self::HungUp => "stopped by SIGHUP: the terminal was closed",
            Self::Interrupted => "stopped by Ctrl-C (SIGINT)",
            Self::Terminated => "stopped by SIGTERM",
        }
    }
}
