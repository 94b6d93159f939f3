//! The batch run: finds and removes the near-duplicates of a corpus of any size, on one machine.
//!
//! ```text
//! sources -> sketches -> exact copies -> candidates -> verified pairs -> decisions -> outputs
//! ```

mod ask;
mod candidates;
mod copies;
mod decide;
mod error;
mod frames;
mod kind;
mod limits;
mod method;
mod prepared;
mod progress;
pub mod report;
mod resume;
mod run;
mod seen;
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
pub use ask::texts::{ReadDocument, TextOf};
pub use decide::CopyFate;
pub use decide::group::{Decision, Group, GroupMember};
pub use decide::recall::LEAST_PLANNED;
pub use error::{Error, Result};
pub use frames::{FrameReport, LEAST_ITEMS, LEAST_REST, SITE_PAGES};
pub use kind::compared::{ComparedAngle, ComparedValues, compare_values};
pub use limits::machine::available_memory;
pub use limits::memory::least_memory;
pub use method::Likeness;
pub use method::chances::Chances;
pub use method::content_hash;
pub use method::samples::{PLANNED_SHINGLES, SAMPLED_ONE_IN};
pub use method::short::may_be_short_sketch;
pub use progress::observer::{Observer, Silent, Stage};
pub use report::{RemovedDocument, Report, Tally};
pub use seen::{Indexes, ReadKept, SeenAnswer, SeenBefore, SeenMatch, TakesKept};
pub use settings::presets;
pub use settings::{
    BandsAndRows, Case, Choice, Clusters, Common, Elements, FileSettings, Find, Form, Keep, Kind,
    LARGEST_TEXT, Limit, MOST_MEMORY, MOST_THREADS, MatchSettings, Measure, Method, NormalizeSettings,
    OnBadRecord, Punctuation, RemovedFormat, Resources, SettingName, Settings, SignatureSettings, Stored,
    Verify, Whitespace, WithinDays, WrongSetting,
};
pub use sketch::document::{DocumentBuffers, Documents, Origin, Sketch};
pub use sketch::sketch_file::{SKETCH_MAGIC, SketchFiles};
pub use sketch::stored::{SketchFile, StoredSketch};

use corpus::{MoreFields, RemovedRow, Source, Target};
use limits::ordered::caught;
use std::ops::ControlFlow;

/// The smallest memory limit that a run accepts, in bytes.
pub const LEAST_MEMORY: u64 = 64 << 20;

/// One job: the corpus, the settings and the resources of a run.
#[derive(Debug, Clone)]
pub struct Job {
    /// The corpus, in input order.
    pub sources: Vec<Source>,
    /// Reference documents. Documents of the corpus that duplicate one of them are removed; the reference documents
    /// themselves come first in keep order, and are neither removed nor written.
    pub against: Vec<Source>,
    /// All settings that can change the answer.
    pub settings: Settings,
    /// The memory, threads and temporary folder that the run may use.
    pub resources: Resources,
    /// The sketch files that the job was opened from.
    pub sketch: Option<SketchFiles>,
    /// The indexes that [`dedup`] and [`decide`] ask, and the one to which [`dedup`] adds what it keeps.
    pub indexes: Indexes,
}

impl Job {
    /// The folder for temporary files.
    pub(crate) fn temp_folder(&self) -> std::path::PathBuf {
        self.resources.temp_dir.clone().unwrap_or_else(std::env::temp_dir)
    }

    /// What stands for the inputs of the job and the fields that are read of them; `None` if the same inputs cannot be known
    /// again, as tables in memory and standard input.
    #[must_use]
    pub fn identity(&self) -> Option<String> {
        let is_lasting = |source: &Source| {
            matches!(source.location, corpus::Location::Local(_) | corpus::Location::Object(_))
        };
        if !self.sources.iter().all(is_lasting) {
            return None;
        }
        let (files, within) = (&self.settings.files, &self.settings.matching.within);
        let all = format!("{:?} {:?} {:?} {within:?}", self.sources, files.text_field, files.id_field);
        Some(format!("{:032x}", content_hash(all.as_bytes())))
    }

    /// True if [`dedup`] of this job into `folder` would write `file`, or if `file` is the folder itself.
    #[must_use]
    pub fn writes(&self, folder: &std::path::Path, file: &std::path::Path) -> bool {
        ask::finished::is_output(folder, self.sources.iter().map(|source| source.output.as_str()), file)
    }
}

/// If the job has rows of (set, item), replaces its sources by one source of sets: one for the corpus, and one for `against`. What
/// comes back holds the files of these sources, and must live as long as the job; the number says how many rows could not be
/// used and were left out. [`dedup`] and [`decide`] list those of the corpus among what is removed.
pub fn gather_rows(job: &mut Job) -> Result<(Vec<corpus::TemporaryCopy>, u64)> {
    kind::rows::gather(job)
}

/// The result of [`dedup`].
#[derive(Debug)]
pub enum Outcome {
    /// The run was carried out.
    Finished(Report),
    /// The target already holds the finished run of the same job, so nothing was done.
    AlreadyFinished(Report),
}

/// Two similar documents. With `Verify::None` the similarity was not checked.
#[derive(Debug, Clone, PartialEq)]
pub struct Pair {
    /// The document that comes first in input order.
    pub a: Reference,
    /// The document that comes second in input order.
    pub b: Reference,
    /// The similarity of the two documents; `None` with `Verify::None`.
    pub similarity: Option<f64>,
    /// The Hamming distance of the two fingerprints; `None` unless the method is SimHash.
    pub distance: Option<u32>,
}

/// The name of a document: its id, and where it was read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reference {
    /// The id of the document, or `source:line` if it has none.
    pub id: String,
    /// The name of the source that contains it.
    pub source: String,
    /// The number of its record in the source, counted from 1.
    pub line: u64,
}

/// A document of a cluster. Clusters are handed out one after the other. Each begins with the kept document; the
/// other documents follow in input order.
#[derive(Debug, Clone, PartialEq)]
pub struct Member {
    /// The document.
    pub document: Reference,
    /// Its similarity to the kept document of the cluster. The kept document itself has similarity 1.
    pub similarity: Option<f64>,
    /// True for the kept document, which begins the cluster.
    pub is_kept: bool,
}

/// A document that is similar to the text of a [`query`].
#[derive(Debug, Clone, PartialEq)]
pub struct Match {
    /// The document.
    pub document: Reference,
    /// Its exact similarity to the text of the query.
    pub similarity: f64,
}

/// Works out how a job will be run, without reading any text: the bands and rows, the expected recall, and the memory
/// and disk space per document.
pub fn plan(job: &Job) -> Result<report::Plan> {
    run::plan(job)
}

/// Removes near-duplicates, and writes the kept records, the list of removed documents and the report to `target`.
/// With `dry_run` nothing is written, and the report says what would have been removed.
pub fn dedup(job: &Job, target: &Target, dry_run: bool, observer: &dyn Observer) -> Result<Outcome> {
    caught(|| run::dedup(job, target, dry_run, observer))
}

/// Hands each document that [`dedup`] would remove to `visit`, in input order, and writes nothing.
pub fn decide(
    job: &Job,
    observer: &dyn Observer,
    visit: &mut (dyn FnMut(RemovedRow) -> Result<()> + Send),
) -> Result<Report> {
    caught(|| run::decide(job, observer, visit))
}

/// Hands all verified pairs to `visit`, until it returns `Break`. Pairs are in input order of the first document,
/// then of the second. Each pair is made when it is handed out, so that very many pairs need no memory.
pub fn pairs(
    job: &Job,
    observer: &dyn Observer,
    visit: &mut (dyn FnMut(Pair) -> Result<ControlFlow<()>> + Send),
) -> Result<Report> {
    caught(|| ask::pairs(job, observer, visit))
}

/// Hands the documents of all clusters of at least two documents to `visit`. Clusters are in input order of their
/// kept documents.
pub fn clusters(
    job: &Job,
    observer: &dyn Observer,
    visit: &mut (dyn FnMut(Member) -> Result<()> + Send),
) -> Result<Report> {
    caught(|| ask::clusters(job, observer, visit))
}

/// Finds the `top` documents that are most similar to `text`, most similar first, by exact similarity. Documents
/// below the threshold of the settings are left out.
pub fn query(job: &Job, text: &str, top: usize, observer: &dyn Observer) -> Result<Vec<Match>> {
    caught(|| ask::query(job, text, top, observer))
}

/// Sketches the corpus and writes the sketches to one file. Later runs can start from that file: see [`open_sketch`].
pub fn sketch(job: &Job, file: &std::path::Path, observer: &dyn Observer) -> Result<Report> {
    caught(|| sketch::sketch_file::sketch(job, file, observer))
}

/// Reads the sources and settings of a sketch file and makes a job of them, with the resources of the caller. A run
/// of this job reads signatures from the file instead of text where it can.
pub fn open_sketch(file: &std::path::Path, resources: Resources) -> Result<Job> {
    open_sketches(&[file], resources)
}

/// Makes one job of several sketch files, as if all their sources had been sketched into one file in this order. It is
/// an error if their settings differ.
pub fn open_sketches(files: &[&std::path::Path], resources: Resources) -> Result<Job> {
    sketch::sketch_file::open(files, resources)
}

/// The texts of the documents with these ids (an id, or `source:line`), in the order of `ids`. An unknown id is an
/// error that suggests the most similar ids.
pub fn texts(job: &Job, ids: &[&str], observer: &dyn Observer) -> Result<Vec<TextOf>> {
    caught(|| ask::texts::texts(job, ids, observer))
}

/// Hands all documents of the corpus to `visit`, in input order. A bad record is an error, or it is left out if the
/// settings say so; returns how many were.
pub fn documents(
    job: &Job,
    observer: &dyn Observer,
    visit: &mut (dyn FnMut(ReadDocument) -> Result<()> + Send),
) -> Result<u64> {
    documents_with(job, &[], observer, visit)
}

/// The same, with the values of further fields of each record: `a.b` is the field `b` of the object in the field `a`.
pub fn documents_with(
    job: &Job,
    more: &[String],
    observer: &dyn Observer,
    visit: &mut (dyn FnMut(ReadDocument) -> Result<()> + Send),
) -> Result<u64> {
    caught(|| ask::texts::documents(job, &MoreFields::new(more), observer, visit))
}

/// The texts of up to `most` documents, and how many documents there are. The same corpus gives the same documents
/// every time.
pub fn sample(job: &Job, most: usize, observer: &dyn Observer) -> Result<(Vec<String>, u64)> {
    caught(|| ask::texts::sample(job, most, observer))
}
