//! What every command understands.

use clap::{Args, ValueEnum};

/// How much is said, and in which colours.
#[derive(Debug, Clone, Default, Args)]
#[command(next_help_heading = "Output")]
pub(crate) struct General {
    /// Answer in JSON on standard output, for machines
    #[arg(long, global = true)]
    pub(crate) json: bool,
    /// Say nothing but warnings and errors: no plan, no progress, no summary
    #[arg(long, short, global = true, conflicts_with = "log_level")]
    pub(crate) quiet: bool,
    /// How much is said on standard error [default: info]
    #[arg(long, global = true, value_name = "LEVEL")]
    pub(crate) log_level: Option<LogLevel>,
    /// When there are colours
    #[arg(long, global = true, value_name = "WHEN", default_value = "auto")]
    pub(crate) color: Color,
}

/// What is said on standard error, each with what stands before it.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, ValueEnum)]
pub(crate) enum LogLevel {
    /// Errors only
    Error,
    /// Also what is worth knowing
    Warn,
    /// Also the plan, progress on a terminal, and the summary
    #[default]
    Info,
    /// Also the settings, and the beginning and end of each stage
    Debug,
}

/// When there are colours.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum Color {
    /// On a terminal, unless the variable NO_COLOR is set
    #[default]
    Auto,
    /// Everywhere
    Always,
    /// Nowhere
    Never,
}
