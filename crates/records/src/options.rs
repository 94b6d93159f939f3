//! What is asked for: see [`Options`].

use crate::bands::Pair;
use crate::kind::Kind;
use crate::model_file::ModelFile;
use std::collections::BTreeMap;
use std::path::PathBuf;

/// How many partners a record may have.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum OneTo {
    /// As many as match.
    #[default]
    Many,
    /// One at the most, for the records of both tables: the best.
    One,
    /// One at the most for the records of the second table, the inputs.
    OneToMany,
}

/// What is asked for.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Options {
    /// The least probability of a match.
    pub threshold: f64,
    /// The share of the matches that bands should find.
    pub recall: f64,
    /// How many partners a record may have.
    pub one_to: OneTo,
    /// True if two tables are compared with each other, and neither with itself.
    pub against_only: bool,
    /// The kinds of fields, as far as they are known.
    pub kinds: Vec<(String, Kind)>,
    /// Fields that must agree together, in place of bands that are chosen.
    pub blocks: Vec<Vec<String>>,
    /// A model, in place of one that is learnt.
    pub(crate) model: Option<Box<ModelFile>>,
    /// Two records that should be explained.
    pub(crate) explained: Option<(usize, usize)>,
    /// Pairs whose log odds are wanted, whether they match or not.
    pub(crate) weighed: Vec<Pair>,
    /// Pairs that a person has judged, the record that comes first in front.
    pub(crate) labels: BTreeMap<Pair, bool>,
    /// The number of threads; it does not change the answer.
    pub(crate) threads: Threads,
    /// The memory, and where pairs go that do not fit; it does not change the answer.
    pub(crate) memory: Memory,
}

/// A number of threads: no part of what makes two runs the same.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) struct Threads(pub(crate) usize);

impl std::fmt::Debug for Threads {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("any")
    }
}

/// Memory: no part of what makes two runs the same.
#[derive(Clone, PartialEq, Eq)]
pub(crate) struct Memory {
    pub(crate) bytes: u64,
    /// The folder for files; that of the system if none was named.
    pub(crate) folder: Option<PathBuf>,
}

impl Memory {
    pub(crate) fn folder(&self) -> PathBuf {
        self.folder.clone().unwrap_or_else(std::env::temp_dir)
    }
}

impl std::fmt::Debug for Memory {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("any")
    }
}

impl Default for Options {
    fn default() -> Self {
        Self {
            threshold: 0.5,
            recall: 0.99,
            one_to: OneTo::Many,
            against_only: true,
            kinds: Vec::new(),
            blocks: Vec::new(),
            model: None,
            explained: None,
            weighed: Vec::new(),
            labels: BTreeMap::new(),
            threads: Threads(1),
            memory: Memory { bytes: u64::MAX, folder: None },
        }
    }
}

impl Options {
    /// The least probability of a match.
    #[must_use]
    pub fn with_threshold(mut self, threshold: f64) -> Self {
        self.threshold = threshold;
        self
    }

    /// The share of the matches that bands should find.
    #[must_use]
    pub fn with_recall(mut self, recall: f64) -> Self {
        self.recall = recall;
        self
    }

    /// The kind of a field, if looking at its values would not tell it.
    #[must_use]
    pub fn with_kind(mut self, field: impl Into<String>, kind: Kind) -> Self {
        self.kinds.push((field.into(), kind));
        self
    }

    /// How many partners a record may have.
    #[must_use]
    pub fn with_one_to(mut self, one_to: OneTo) -> Self {
        self.one_to = one_to;
        self
    }

    /// Whether two tables are compared with each other only.
    #[must_use]
    pub fn with_against_only(mut self, against_only: bool) -> Self {
        self.against_only = against_only;
        self
    }

    /// Compares records that agree in these fields; several calls are several ways to be compared.
    #[must_use]
    pub fn with_block(mut self, fields: impl IntoIterator<Item = String>) -> Self {
        self.blocks.push(fields.into_iter().collect());
        self
    }

    /// Uses a model, and learns nothing.
    #[must_use]
    pub fn with_model(mut self, model: ModelFile) -> Self {
        self.model = Some(Box::new(model));
        self
    }

    /// True if a model was given.
    #[must_use]
    pub fn has_model(&self) -> bool {
        self.model.is_some()
    }

    /// Explains two records.
    #[must_use]
    pub fn with_explained(mut self, a: usize, b: usize) -> Self {
        self.explained = Some((a.min(b), a.max(b)));
        self
    }

    /// Says the log odds of two records in any case: see [`Linked::weighed`](crate::Linked::weighed).
    #[must_use]
    pub fn with_weighed(mut self, a: usize, b: usize) -> Self {
        self.weighed.push((a.min(b) as u32, a.max(b) as u32));
        self
    }

    /// Says whether two records match. All log odds are shifted by what such labels say, and the pair itself is decided:
    /// it matches, even if no band finds it, and comes before other partners of its records; or it does not match.
    #[must_use]
    pub fn with_label(mut self, a: usize, b: usize, is_match: bool) -> Self {
        self.labels.insert((a.min(b) as u32, a.max(b) as u32), is_match);
        self
    }

    /// How many pairs were judged.
    #[must_use]
    pub fn labels(&self) -> usize {
        self.labels.len()
    }

    /// The number of threads.
    #[must_use]
    pub fn with_threads(mut self, threads: usize) -> Self {
        self.threads = Threads(threads.max(1));
        self
    }

    /// Uses so many bytes of memory, with the table, and files without names in a folder for pairs that do not fit. What must be
    /// in memory and does not fit is an error. Without it, everything is in memory.
    #[must_use]
    pub fn with_memory(mut self, bytes: u64, folder: impl Into<PathBuf>) -> Self {
        self.memory = Memory { bytes, folder: Some(folder.into()) };
        self
    }
}
