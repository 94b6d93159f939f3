//! `lookalike serve`: its flags.

use super::Bytes;
use super::values::duration;
use clap::Args;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::time::Duration;

/// `lookalike serve`
#[derive(Debug, Args)]
pub(crate) struct ServeArguments {
    /// The folders of indexes. Each is a collection with the name of its folder
    #[arg(value_name = "INDEX", required_unless_present = "root")]
    pub(crate) collections: Vec<PathBuf>,
    /// The address and port to listen on. Other machines cannot reach the default
    #[arg(long, value_name = "ADDRESS", default_value = "127.0.0.1:7171")]
    pub(crate) listen: SocketAddr,
    /// The folder below which clients may create and delete collections. The indexes in it are collections too
    #[arg(long, value_name = "FOLDER")]
    pub(crate) root: Option<PathBuf>,
    /// The folder below which backups are written. Without it, clients cannot ask for any
    #[arg(long, value_name = "FOLDER")]
    pub(crate) backups: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) access: Access,
    #[command(flatten)]
    pub(crate) limits: ServiceLimits,
    /// Write the log as one JSON object per line
    #[arg(long, help_heading = "Running")]
    pub(crate) json_log: bool,
    /// The memory in which parts of each index are kept, besides its filters
    #[arg(long, value_name = "SIZE", help_heading = "Running")]
    pub(crate) cache: Option<Bytes>,
}

/// Who may ask.
#[derive(Debug, Args)]
#[command(next_help_heading = "Access")]
pub(crate) struct Access {
    /// A file of tokens, one per line. Who sends one of them may ask. The environment variable LOOKALIKE_READ_TOKEN
    /// holds one more
    #[arg(long, value_name = "FILE")]
    pub(crate) read_tokens: Option<PathBuf>,
    /// A file of tokens, one per line. Who sends one of them may also add and remove. The environment variable
    /// LOOKALIKE_WRITE_TOKEN holds one more
    #[arg(long, value_name = "FILE")]
    pub(crate) write_tokens: Option<PathBuf>,
    /// Listen on an address that other machines can reach, although there is no token
    #[arg(long)]
    pub(crate) allow_anyone: bool,
}

/// What is refused.
#[derive(Debug, Args)]
#[command(next_help_heading = "Limits")]
pub(crate) struct ServiceLimits {
    /// The largest body of a request, except for bulk requests, which are streams
    #[arg(long, value_name = "SIZE")]
    pub(crate) max_body: Option<Bytes>,
    /// The largest line of a bulk request
    #[arg(long, value_name = "SIZE")]
    pub(crate) max_line: Option<Bytes>,
    /// The longest text of a request
    #[arg(long, value_name = "SIZE")]
    pub(crate) longest_text: Option<Bytes>,
    /// The most lines of a bulk request that share a sync
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=100_000))]
    pub(crate) batch: Option<u32>,
    /// The most requests at a time. Others are told to come back later
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=100_000))]
    pub(crate) requests: Option<u32>,
    /// The most connections at a time. Others wait
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    pub(crate) connections: Option<u32>,
    /// The time that a request may take, as in 30s
    #[arg(long, value_name = "TIME", value_parser = duration)]
    pub(crate) timeout: Option<Duration>,
    /// The time that requests have to finish when the service is stopped
    #[arg(long, value_name = "TIME", value_parser = duration)]
    pub(crate) grace: Option<Duration>,
}
