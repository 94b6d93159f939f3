//! The memory, threads and temporary folder that a run may use.

use super::{SettingName, not_allowed};
use crate::limits::memory::fixed;
use crate::{Error, LEAST_MEMORY, Result, available_memory};
use corpus::written_size;
use std::path::PathBuf;

/// The largest number of threads. Each thread takes memory, and more threads than this are surely a mistake.
pub const MOST_THREADS: usize = 1_024;

/// The largest memory limit, in bytes: processors cannot address more than 48 bits.
pub const MOST_MEMORY: u64 = 1 << 48;

/// The largest value of `max_text`, in bytes: the shingles of a document are counted with 32 bits.
pub const LARGEST_TEXT: u64 = 2 << 30;

/// The resources that a run may use. Only `max_pairs` can change the answer.
#[derive(Debug, Clone)]
pub struct Resources {
    /// The memory limit, in bytes.
    pub memory: u64,
    /// The number of threads.
    pub threads: usize,
    /// The folder for temporary files. Without it, the work folder of the target is used.
    pub temp_dir: Option<PathBuf>,
    /// The largest number of pairs that are handed out: the first ones. The report says how many were left out.
    pub max_pairs: Option<u64>,
}

impl Resources {
    /// Half of the available memory and all processors of this machine.
    #[must_use]
    pub fn of_this_machine() -> Self {
        Self {
            memory: (available_memory() / 2).max(LEAST_MEMORY),
            threads: std::thread::available_parallelism().map_or(1, usize::from),
            temp_dir: None,
            max_pairs: None,
        }
    }

    /// What the memory limit leaves to a command that reads documents and holds something besides: all but what the program and
    /// its threads take, and at least a quarter of the limit.
    #[must_use]
    pub fn free(&self) -> u64 {
        self.memory.saturating_sub(fixed(self.threads as u64, 1)).max(self.memory / 4)
    }

    /// Returns an error if the memory or the number of threads is too small or too large.
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
