//! The flags that every command has.

use clap::{Args, ValueEnum};

/// What is printed, and in which form.
#[derive(Debug, Clone, Default, Args)]
#[command(next_help_heading = "Output")]
pub(crate) struct General {
    /// Write the answer to standard output as JSON, for other programs
    #[arg(long, global = true)]
    pub(crate) json: bool,
    /// Print only warnings and errors: no plan, no progress, no summary
    #[arg(long, short, global = true, conflicts_with = "log_level")]
    pub(crate) quiet: bool,
    /// How much is printed to standard error [default: info]
    #[arg(long, global = true, value_name = "LEVEL")]
    pub(crate) log_level: Option<LogLevel>,
    /// When to use colours
    #[arg(long, global = true, value_name = "WHEN", default_value = "auto")]
    pub(crate) color: Color,
}

/// How much is printed to standard error. Each level includes those before it.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, ValueEnum)]
pub(crate) enum LogLevel {
    /// Errors only
    Error,
    /// Also warnings and notes
    Warn,
    /// Also the plan, progress on a terminal, and the summary
    #[default]
    Info,
    /// Also the settings, and the start and end of each stage
    Debug,
}

/// When colours are used.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum Color {
    /// On a terminal, unless the environment variable NO_COLOR is set
    #[default]
    Auto,
    /// Always
    Always,
    /// Never
    Never,
}
