//! What a run may use.

use super::{SettingName, not_allowed};
use crate::{Error, LEAST_MEMORY, Result, available_memory};
use corpus::written_size;
use std::path::PathBuf;

/// More threads than this are a mistake: each takes memory of its own, and no machine has so many processors.
pub const MOST_THREADS: usize = 1_024;

/// More memory than this cannot be had: processors address 48 bits.
pub const MOST_MEMORY: u64 = 1 << 48;

/// The largest value of `max_text`: shingles of a document are counted in 32 bits.
pub const LARGEST_TEXT: u64 = 2 << 30;

/// What a run may use. None of it changes the answer, but for `max_pairs`.
#[derive(Debug, Clone)]
pub struct Resources {
    /// Bytes of memory, at most.
    pub memory: u64,
    /// Threads.
    pub threads: usize,
    /// Where to spill; the target's own work folder if not given.
    pub temp_dir: Option<PathBuf>,
    /// Pairs that are handed out, at most: the first ones, of all that there are. How many were left out is in the report.
    pub max_pairs: Option<u64>,
}

impl Resources {
    /// Half of the memory and all processors.
    #[must_use]
    pub fn of_this_machine() -> Self {
        Self {
            memory: (available_memory() / 2).max(LEAST_MEMORY),
            threads: std::thread::available_parallelism().map_or(1, usize::from),
            temp_dir: None,
            max_pairs: None,
        }
    }

    /// An error if this is too little, or more than there can be.
    pub fn check(&self) -> Result<()> {
        let Self { memory, threads, .. } = *self;
        if threads == 0 {
            return Err(not_allowed(SettingName::Threads, threads, "at least 1"));
        }
        if memory < LEAST_MEMORY {
            return Err(Error::Memory { what: "a run".into(), needed: LEAST_MEMORY, limit: memory });
        }
        if threads > MOST_THREADS {
            return Err(not_allowed(SettingName::Threads, threads, format!("at most {MOST_THREADS}")));
        }
        if memory > MOST_MEMORY {
            let most = written_size(MOST_MEMORY);
            return Err(not_allowed(SettingName::Memory, memory, format!("no machine has more than {most}")));
        }
        Ok(())
    }
}
