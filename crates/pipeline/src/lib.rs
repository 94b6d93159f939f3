//! The batch run: a corpus of any size on one machine.
//!
//! ```text
//! sources -> sketches -> exact copies -> candidates -> verified pairs -> decisions -> outputs
//! ```

mod ask;
mod candidates;
mod copies;
mod decide;
mod error;
mod limits;
mod method;
mod prepared;
mod progress;
pub mod report;
mod resume;
mod run;
mod settings;
mod sketch;
mod solve;
mod store;
#[cfg(test)]
mod tests;
mod verify;
mod view;
mod write;

pub use ask::PAIRS_LEFT_OUT;
pub use ask::finished::{Change, Excerpt, Fate, FinishedRun, RunCluster, RunClusters, RunPair};
pub use ask::texts::TextOf;
pub use decide::CopyFate;
pub use decide::group::{Decision, Group, GroupMember};
pub use error::{Error, Result};
pub use limits::machine::available_memory;
pub use limits::memory::least_memory;
pub use method::Likeness;
pub use method::chances::Chances;
pub use method::samples::{PLANNED_SHINGLES, SAMPLED_ONE_IN};
pub use progress::observer::{Observer, Silent, Stage};
pub use report::Report;
pub use settings::presets;
pub use settings::{
    BandsAndRows, Case, Choice, Clusters, Elements, FileSettings, Form, Keep, LARGEST_TEXT, MOST_MEMORY,
    MOST_THREADS, MatchSettings, Measure, Method, NormalizeSettings, OnBadRecord, Punctuation, RemovedFormat,
    Resources, SettingName, Settings, SignatureSettings, Stored, Verify, Whitespace, WrongSetting,
};
pub use sketch::document::{DocumentBuffers, Documents, Origin, Sketch};
pub use sketch::sketch_file::SKETCH_MAGIC;

use corpus::{RemovedRow, Source, Target};
use limits::ordered::caught;
use std::ops::ControlFlow;

/// The smallest memory limit.
pub const LEAST_MEMORY: u64 = 64 << 20;

/// What to run on.
#[derive(Debug, Clone)]
pub struct Job {
    /// The corpus, in input order.
    pub sources: Vec<Source>,
    /// Documents that come first in keep order and are neither removed nor written.
    pub against: Vec<Source>,
    /// What decides the answer.
    pub settings: Settings,
    /// What may be used.
    pub resources: Resources,
    /// The sketch file that the job was opened from, and where its parts begin.
    pub sketch: Option<(std::path::PathBuf, u64)>,
}

impl Job {
    /// Where temporary files go.
    pub(crate) fn temp_folder(&self) -> std::path::PathBuf {
        self.resources.temp_dir.clone().unwrap_or_else(std::env::temp_dir)
    }

    /// Whether dedup of this job into `folder` writes `file`, or `file` is the folder itself.
    #[must_use]
    pub fn writes(&self, folder: &std::path::Path, file: &std::path::Path) -> bool {
        ask::finished::is_output(folder, self.sources.iter().map(|source| source.output.as_str()), file)
    }
}

/// What a dedup came to.
#[derive(Debug)]
pub enum Outcome {
    /// It ran.
    Finished(Report),
    /// The target holds the finished run of the same job: nothing was done.
    AlreadyFinished(Report),
}

/// A verified pair.
#[derive(Debug, Clone, PartialEq)]
pub struct Pair {
    /// The document that comes first in input order.
    pub a: Reference,
    /// The other one.
    pub b: Reference,
    /// Their similarity; `None` with `Verify::None`.
    pub similarity: Option<f64>,
    /// Hamming distance, with SimHash.
    pub distance: Option<u32>,
}

/// A document, named.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reference {
    /// Its id, or `source:line`.
    pub id: String,
    /// Its source.
    pub source: String,
    /// Its record number, from 1.
    pub line: u64,
}

/// A document of a cluster. Clusters come one after the other: the kept document first, then the others in input order.
#[derive(Debug, Clone, PartialEq)]
pub struct Member {
    /// Which.
    pub document: Reference,
    /// Its similarity to the kept one; 1 for that one itself.
    pub similarity: Option<f64>,
    /// Whether it is the kept one, with which a cluster begins.
    pub is_kept: bool,
}

/// A document that looks like the one asked about.
#[derive(Debug, Clone, PartialEq)]
pub struct Match {
    /// Which.
    pub document: Reference,
    /// Its exact similarity.
    pub similarity: f64,
}

/// What will be done, before it is done: what `--dry-run` and the first lines on stderr show.
pub fn plan(job: &Job) -> Result<report::Plan> {
    run::plan(job)
}

/// Removes near-duplicates: kept records, the list of what was removed and the report go to `target`.
/// With `dry_run` nothing is written and the report says what would be.
pub fn dedup(job: &Job, target: &Target, dry_run: bool, observer: &dyn Observer) -> Result<Outcome> {
    caught(|| run::dedup(job, target, dry_run, observer))
}

/// What a dedup would remove, in input order, without writing anything.
pub fn decide(
    job: &Job,
    observer: &dyn Observer,
    visit: &mut (dyn FnMut(RemovedRow) -> Result<()> + Send),
) -> Result<Report> {
    caught(|| run::decide(job, observer, visit))
}

/// All verified pairs, ascending by input order of the first and then the second document, until `visit` breaks. They
/// are made when they are handed out: there may be very many.
pub fn pairs(
    job: &Job,
    observer: &dyn Observer,
    visit: &mut (dyn FnMut(Pair) -> Result<ControlFlow<()>> + Send),
) -> Result<Report> {
    caught(|| ask::pairs(job, observer, visit))
}

/// The documents of all clusters of at least two, by input order of the kept one.
pub fn clusters(
    job: &Job,
    observer: &dyn Observer,
    visit: &mut (dyn FnMut(Member) -> Result<()> + Send),
) -> Result<Report> {
    caught(|| ask::clusters(job, observer, visit))
}

/// The `top` documents most similar to `text`, exactly, most similar first; none below the threshold of the settings.
pub fn query(job: &Job, text: &str, top: usize, observer: &dyn Observer) -> Result<Vec<Match>> {
    caught(|| ask::query(job, text, top, observer))
}

/// Sketches the corpus into one file, from which later runs begin.
pub fn sketch(job: &Job, file: &std::path::Path, observer: &dyn Observer) -> Result<Report> {
    caught(|| sketch::sketch_file::sketch(job, file, observer))
}

/// The job that a sketch file belongs to: its sources and settings. A run over it reads signatures instead of text
/// where it can; `resources` are the caller's.
pub fn open_sketch(file: &std::path::Path, resources: Resources) -> Result<Job> {
    sketch::sketch_file::open(file, resources)
}

/// The texts of documents, by id or `source:line`, in the order asked for. An unknown id is an error that suggests the
/// nearest ones.
pub fn texts(job: &Job, ids: &[&str], observer: &dyn Observer) -> Result<Vec<TextOf>> {
    caught(|| ask::texts::texts(job, ids, observer))
}

/// The texts of up to `most` documents, always the same ones, and how many documents there are.
pub fn sample(job: &Job, most: usize, observer: &dyn Observer) -> Result<(Vec<String>, u64)> {
    caught(|| ask::texts::sample(job, most, observer))
}
