//! Blocks and what becomes of their records -> outputs, whole or absent.

use crate::{Block, Result, Source};

/// What becomes of a record.
#[derive(Debug)]
pub enum Disposition {
    /// It is written as it is.
    Keep,
    /// It is not written.
    Drop,
    /// It is written with fields about itself.
    Annotate(Annotation),
}

/// What `--annotate` adds to a record: the fields `cluster`, `duplicate`, `kept_id` and `similarity`, each with the
/// prefix `lookalike_`.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Annotation {
    /// The cluster: the id of the kept document of the star, or of the first of the component.
    pub cluster: String,
    /// Whether it would have been removed.
    pub duplicate: bool,
    /// Which document it duplicates.
    pub kept_id: Option<String>,
    /// Their similarity.
    pub similarity: Option<f64>,
}

/// Where outputs go: a folder, an object store's prefix, or standard output.
#[derive(Debug, Clone)]
pub struct Target {}

/// How outputs are written. All of it changes bytes.
#[derive(Debug, Clone, Copy, Default)]
pub struct SinkOptions {
    /// Whether records get the fields of [`Annotation`] (CSV and Parquet need to know before the first record).
    pub annotate: bool,
    /// Threads for compression. (This one does not change bytes.)
    pub threads: usize,
}

/// What a finished output holds.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Written {
    /// Records.
    pub records: u64,
    /// Stored bytes.
    pub bytes: u64,
}

impl Target {
    /// The folder, prefix or `-` that the user named; nothing is made yet.
    pub fn new(_argument: &str) -> Result<Self> {
        unimplemented!()
    }

    /// The folder, if it is a local one.
    #[must_use]
    pub fn folder(&self) -> Option<&std::path::Path> {
        unimplemented!()
    }

    /// Whether there is an output of this name (a path below the target, with `/`).
    pub fn exists(&self, _name: &str) -> Result<bool> {
        unimplemented!()
    }

    /// All outputs there are, by name, bytewise. Empty if the target does not exist.
    pub fn list(&self) -> Result<Vec<String>> {
        unimplemented!()
    }

    /// Reads an output whole; `None` if there is none.
    pub fn read(&self, _name: &str) -> Result<Option<Vec<u8>>> {
        unimplemented!()
    }

    /// Writes an output whole or not at all: aside, synced, renamed.
    pub fn write(&self, _name: &str, _bytes: &[u8]) -> Result<()> {
        unimplemented!()
    }

    /// Moves a finished local file to its place: renamed, or uploaded.
    pub fn publish(&self, _file: &std::path::Path, _name: &str) -> Result<()> {
        unimplemented!()
    }
}

/// An error if two sources would be written to the same place, or to one that the run itself needs (`reserved`).
pub fn output_names(_sources: &[Source], _reserved: &[&str]) -> Result<()> {
    unimplemented!()
}

/// Writes what is kept of one source.
#[derive(Debug)]
pub struct SinkWriter {}

impl SinkWriter {
    /// Begins the output of `source` below `target`. `aside` is a local folder for unfinished files, on the same file
    /// system as a local target.
    pub fn create(
        _target: &Target,
        _source: &Source,
        _aside: &std::path::Path,
        _options: SinkOptions,
    ) -> Result<Self> {
        unimplemented!()
    }

    /// Writes the records of a block, in order; `fate` is asked for each slot.
    pub fn write(&mut self, _block: &Block, _fate: &mut dyn FnMut(usize) -> Disposition) -> Result<()> {
        unimplemented!()
    }

    /// Ends the output: synced and moved into its place. A text file that was dropped is not written.
    pub fn finish(self) -> Result<Written> {
        unimplemented!()
    }
}
