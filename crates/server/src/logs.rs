//! Where the log is written: to the error output, a line per event, as text or as JSON.

use std::io::IsTerminal;

/// The format of the log.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum LogFormat {
    /// For people.
    #[default]
    Text,
    /// One JSON object per line, for programs.
    Json,
}

/// Writes the log of the service to the error output from now on. Only the first call of a process has an effect.
pub fn write_logs(format: LogFormat) {
    let written = tracing_subscriber::fmt()
        .with_max_level(tracing::Level::INFO)
        .with_target(false)
        .with_ansi(std::io::stderr().is_terminal())
        .with_writer(std::io::stderr);
    // An error says that there is a log already.
    let _ = match format {
        LogFormat::Text => written.try_init(),
        LogFormat::Json => written.json().flatten_event(true).try_init(),
    };
}
