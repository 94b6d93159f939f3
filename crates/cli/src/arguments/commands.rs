//! The commands, and the groups of settings that each command takes.

use super::choices::{Choices, Keeping, Matching, Reading, Sketching, Storing, Using, Writing};
use super::examples;
use super::index::IndexCommand;
use super::records::{Partners, Recording};
#[cfg(feature = "server")]
use super::serve::ServeArguments;
use super::values::{distance, share, shown_at_most};
use clap::{ArgGroup, Args, Subcommand};
use std::ffi::OsString;
use std::path::PathBuf;

/// The command to run.
#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Remove near-duplicates, list what was removed and why, and write a report
    #[command(long_about = examples::DEDUP_ABOUT, after_long_help = examples::DEDUP)]
    Dedup(Box<DedupArguments>),
    /// List all pairs of similar documents
    #[command(long_about = examples::PAIRS_ABOUT, after_long_help = examples::PAIRS)]
    Pairs(Box<PairsArguments>),
    /// List the groups of similar documents; the first of each group is the one that dedup keeps
    #[command(long_about = examples::CLUSTERS_ABOUT, after_long_help = examples::CLUSTERS)]
    Clusters(Box<ClustersArguments>),
    /// Find the documents that are most similar to a given text
    #[command(long_about = examples::QUERY_ABOUT, after_long_help = examples::QUERY)]
    Query(Box<QueryArguments>),
    /// Hash a corpus once into a file, for later runs with other thresholds
    #[command(long_about = examples::SKETCH_ABOUT, after_long_help = examples::SKETCH)]
    Sketch(Box<SketchArguments>),
    /// Compare two texts: how similar they are, what sketches estimate, and which passages they share
    #[command(long_about = examples::COMPARE_ABOUT, after_long_help = examples::COMPARE)]
    Compare(Box<CompareArguments>),
    /// Plan bands and rows for a threshold: which pairs they find, what they cost, and the curve
    #[command(long_about = examples::PLAN_ABOUT, after_long_help = examples::PLAN)]
    Plan(Box<PlanArguments>),
    /// Look into a finished run: its clusters, the pairs near the threshold, why a document was removed
    #[command(long_about = examples::INSPECT_ABOUT, after_long_help = examples::INSPECT)]
    Inspect(Box<InspectArguments>),
    /// Write the report of a finished run as an HTML page
    #[command(long_about = examples::REPORT_ABOUT, after_long_help = examples::REPORT)]
    Report(ReportArguments),
    /// Compare pairs, clusters or a finished run with the truth: precision, recall, F1, the best threshold
    #[command(long_about = examples::EVALUATE_ABOUT, after_long_help = examples::EVALUATE)]
    Evaluate(Box<EvaluateArguments>),
    /// Judge pairs of records: answer y or n to the pairs that teach most, for `pairs --kind records --labels`
    #[command(long_about = examples::LABEL_ABOUT, after_long_help = examples::LABEL)]
    Label(Box<LabelArguments>),
    /// Keep documents in an index that stays, and ask which of them look like a new one
    #[command(subcommand, long_about = examples::INDEX_ABOUT, after_long_help = examples::INDEX)]
    Index(IndexCommand),
    /// Answer questions about indexes over HTTP, with a page for people
    #[cfg(feature = "server")]
    #[command(long_about = examples::SERVE_ABOUT, after_long_help = examples::SERVE)]
    Serve(Box<ServeArguments>),
    /// List the presets: the settings of other tools, and the share of similar pairs that each finds
    #[command(long_about = examples::PRESETS_ABOUT, after_long_help = examples::PRESETS)]
    Presets,
    /// Write the completion script for a shell to standard output
    #[command(after_long_help = examples::COMPLETIONS)]
    Completions(CompletionsArguments),
    /// Write the manual page to standard output, or the pages of all commands to a folder
    #[command(after_long_help = examples::MAN)]
    Man(ManArguments),
    /// Write the reference of all commands to standard output as Markdown
    #[command(hide = true)]
    Reference,
}

/// `lookalike dedup`
#[derive(Debug, Args)]
pub(crate) struct DedupArguments {
    /// What to read: files, folders, globs, object-store addresses, `-` for standard input, or sketch files
    #[arg(required = true, value_name = "INPUT")]
    pub(crate) inputs: Vec<OsString>,
    /// Where to write: a folder or an object-store prefix. With `-`, the kept records are written to standard output
    #[arg(long, short, value_name = "TARGET", required_unless_present = "dry_run")]
    pub(crate) output: Option<String>,
    /// When the outputs are complete, add the kept documents to this index (see `lookalike index`); it is created if it
    /// does not exist, with the settings of this run
    #[arg(long, value_name = "FOLDER", conflicts_with = "dry_run")]
    pub(crate) add_to: Option<PathBuf>,
    /// Write no outputs; only report what would be removed
    #[arg(long)]
    pub(crate) dry_run: bool,
    /// Also write the report as an HTML page, to report.html in the target folder or to this file
    #[arg(long, value_name = "FILE", num_args = 0..=1, require_equals = true, conflicts_with = "dry_run")]
    pub(crate) report: Option<Option<PathBuf>>,
    #[command(flatten)]
    pub(crate) matching: Matching,
    #[command(flatten)]
    pub(crate) keeping: Keeping,
    #[command(flatten)]
    pub(crate) writing: Writing,
    #[command(flatten)]
    pub(crate) recording: Recording,
    #[command(flatten)]
    pub(crate) partners: Partners,
    #[command(flatten)]
    pub(crate) reading: Reading,
    #[command(flatten)]
    pub(crate) sketching: Sketching,
    #[command(flatten)]
    pub(crate) using: Using,
}

/// `lookalike pairs`
#[derive(Debug, Args)]
pub(crate) struct PairsArguments {
    /// What to read: files, folders, globs, object-store addresses, `-` for standard input, or sketch files
    #[arg(required = true, value_name = "INPUT")]
    pub(crate) inputs: Vec<OsString>,
    /// List only the first N pairs, and say how many more there are. A corpus with n equal documents has at least
    /// n (n - 1) / 2 pairs
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    pub(crate) max_pairs: Option<u64>,
    #[command(flatten)]
    pub(crate) matching: Matching,
    #[command(flatten)]
    pub(crate) recording: Recording,
    #[command(flatten)]
    pub(crate) partners: Partners,
    #[command(flatten)]
    pub(crate) reading: Reading,
    #[command(flatten)]
    pub(crate) sketching: Sketching,
    #[command(flatten)]
    pub(crate) using: Using,
}

/// `lookalike label`
#[derive(Debug, Clone, Args)]
pub(crate) struct LabelArguments {
    /// What to read: tables as CSV, TSV, JSON Lines or Parquet; or the folder of a finished run of `dedup --kind records`, whose
    /// tables and settings are taken
    #[arg(required = true, value_name = "INPUT")]
    pub(crate) inputs: Vec<OsString>,
    /// The file with the labels. If it exists, its labels are used, and further ones are added
    #[arg(long, short, value_name = "FILE")]
    pub(crate) output: PathBuf,
    #[command(flatten)]
    pub(crate) matching: Matching,
    #[command(flatten)]
    pub(crate) recording: Recording,
    #[command(flatten)]
    pub(crate) partners: Partners,
    #[command(flatten)]
    pub(crate) reading: Reading,
    #[command(flatten)]
    pub(crate) sketching: Sketching,
    #[command(flatten)]
    pub(crate) using: Using,
    /// Which record is kept: its field is not compared. It follows from the run that is labelled.
    #[arg(skip)]
    pub(crate) keep: Option<pipeline::Keep>,
}

/// `lookalike clusters`
#[derive(Debug, Args)]
pub(crate) struct ClustersArguments {
    /// What to read: files, folders, globs, object-store addresses, `-` for standard input, or sketch files
    #[arg(required = true, value_name = "INPUT")]
    pub(crate) inputs: Vec<OsString>,
    #[command(flatten)]
    pub(crate) matching: Matching,
    #[command(flatten)]
    pub(crate) keeping: Keeping,
    #[command(flatten)]
    pub(crate) recording: Recording,
    #[command(flatten)]
    pub(crate) partners: Partners,
    #[command(flatten)]
    pub(crate) reading: Reading,
    #[command(flatten)]
    pub(crate) sketching: Sketching,
    #[command(flatten)]
    pub(crate) using: Using,
}

/// `lookalike query`
#[derive(Debug, Args)]
#[command(group(ArgGroup::new("asked").args(["text", "text_file", "like", "file"]).required(true)))]
pub(crate) struct QueryArguments {
    /// What to read: files, folders, globs, object-store addresses, `-` for standard input, or sketch files
    #[arg(required = true, value_name = "INPUT")]
    pub(crate) inputs: Vec<OsString>,
    /// The text to search for
    #[arg(long, value_name = "TEXT")]
    pub(crate) text: Option<String>,
    /// A file that holds the text to search for; `-` reads it from standard input
    #[arg(long, value_name = "FILE")]
    pub(crate) text_file: Option<PathBuf>,
    /// What to search for, as JSON: '["milk", "rolls"]' for sets, '"00ff..."' for fingerprints, '[0.1, 0.7]' for vectors
    #[arg(long, value_name = "VALUE")]
    pub(crate) like: Option<String>,
    /// A file that holds what to search for, as JSON; `-` reads it from standard input
    #[arg(long, value_name = "FILE")]
    pub(crate) file: Option<PathBuf>,
    /// Show at most this many documents
    #[arg(long, value_name = "N", default_value = "10", value_parser = shown_at_most())]
    pub(crate) top: usize,
    #[command(flatten)]
    pub(crate) matching: QueryMatching,
    #[command(flatten)]
    pub(crate) reading: Reading,
    #[command(flatten)]
    pub(crate) sketching: Sketching,
    #[command(flatten)]
    pub(crate) using: Using,
}

/// What a query compares.
#[derive(Debug, Args)]
#[command(next_help_heading = "Matches")]
pub(crate) struct QueryMatching {
    /// Show documents that are at least this similar, from 0 to 1. With 0, all that share a shingle with the text are
    /// shown
    #[arg(long, short, value_name = "SIMILARITY", value_parser = share)]
    pub(crate) threshold: Option<f64>,
    /// How similarity is measured: shared shingles as a share of all shingles of both texts (jaccard), or of the
    /// shingles of the smaller one (containment)
    #[arg(long, value_name = "MEASURE", value_parser = super::values::one_of::<pipeline::Measure>(pipeline::Measure::WRITTEN))]
    pub(crate) measure: Option<pipeline::Measure>,
}

/// `lookalike sketch`
#[derive(Debug, Args)]
pub(crate) struct SketchArguments {
    /// What to read: files, folders, globs or object-store addresses
    #[arg(required = true, value_name = "INPUT")]
    pub(crate) inputs: Vec<OsString>,
    /// The sketch file to write
    #[arg(long, short, value_name = "FILE")]
    pub(crate) output: PathBuf,
    #[command(flatten)]
    pub(crate) storing: Storing,
    #[command(flatten)]
    pub(crate) reading: Reading,
    #[command(flatten)]
    pub(crate) sketching: Sketching,
    /// How later runs measure similarity: by the shared shingles divided by the different shingles of both documents
    /// together (jaccard), or by those of the smaller document (containment). A sketch is made for one measure
    #[arg(long, value_name = "MEASURE", value_parser = super::values::one_of::<pipeline::Measure>(pipeline::Measure::WRITTEN), help_heading = "Shingles and sketches")]
    pub(crate) measure: Option<pipeline::Measure>,
    #[command(flatten)]
    pub(crate) using: Using,
}

/// `lookalike compare`
#[derive(Debug, Args)]
pub(crate) struct CompareArguments {
    /// The first text: a file, or with --corpus the id of a document
    #[arg(value_name = "A")]
    pub(crate) a: String,
    /// The second text: a file, or with --corpus the id of a document
    #[arg(value_name = "B")]
    pub(crate) b: String,
    /// Compare two documents of this corpus. A and B are then ids of documents, or SOURCE:LINE
    #[arg(long, value_name = "INPUT", num_args = 1..)]
    pub(crate) corpus: Vec<String>,
    /// Write the comparison as an HTML page
    #[arg(long, value_name = "FILE")]
    pub(crate) html: Option<PathBuf>,
    /// Show the whole texts, without leaving out long stretches
    #[arg(long)]
    pub(crate) whole: bool,
    #[command(flatten)]
    pub(crate) planning: Planning,
    #[command(flatten)]
    pub(crate) recording: Recording,
    #[command(flatten)]
    pub(crate) partners: Partners,
    /// With --kind records: the second table, with which the records of --corpus are linked
    #[arg(long, value_name = "INPUT", num_args = 1.., help_heading = "Records")]
    pub(crate) against: Vec<String>,
    /// With --kind records: the two tables are compared with each other only
    #[arg(long, num_args = 0..=1, require_equals = true, default_missing_value = "true", value_name = "BOOL", hide_possible_values = true, help_heading = "Records")]
    pub(crate) against_only: Option<bool>,
    #[command(flatten)]
    pub(crate) reading: Reading,
    #[command(flatten)]
    pub(crate) sketching: Sketching,
    #[command(flatten)]
    pub(crate) using: Using,
}

/// The settings that a plan is made from.
#[derive(Debug, Clone, Default, Args)]
#[command(next_help_heading = "Plan")]
pub(crate) struct Planning {
    /// Documents that are at least this similar are duplicates: a number from 0 to 1
    #[arg(long, short, value_name = "SIMILARITY", value_parser = share)]
    pub(crate) threshold: Option<f64>,
    /// How similarity is measured: the shared shingles divided by the different shingles of both documents together
    /// (jaccard), or by those of the smaller document (containment)
    #[arg(long, value_name = "MEASURE", value_parser = super::values::one_of::<pipeline::Measure>(pipeline::Measure::WRITTEN))]
    pub(crate) measure: Option<pipeline::Measure>,
    /// The chance of finding a pair whose similarity is exactly the threshold. Bands and rows are planned to reach it
    #[arg(long, value_name = "CHANCE", value_parser = share)]
    pub(crate) recall: Option<f64>,
    /// Use these bands and rows, as in 21x6, instead of planning them
    #[arg(long, value_name = "BxR", conflicts_with = "recall")]
    pub(crate) bands: Option<pipeline::BandsAndRows>,
    /// With --kind vectors: compare all of them (all), find near ones by bands of random hyperplanes (bands), or whichever is cheaper for
    /// so many vectors (auto)
    #[arg(long, value_name = "HOW", value_parser = super::values::one_of::<pipeline::Find>(pipeline::Find::WRITTEN))]
    pub(crate) find: Option<pipeline::Find>,
    /// With SimHash: the largest Hamming distance between the fingerprints of two duplicates
    #[arg(long, value_name = "BITS", value_parser = distance)]
    pub(crate) distance: Option<f64>,
}

/// `lookalike plan`
#[derive(Debug, Args)]
pub(crate) struct PlanArguments {
    /// The number of documents to plan for
    #[arg(long, short = 'n', value_name = "N", default_value = "1000000", value_parser = clap::value_parser!(u64).range(1..=1_000_000_000_000_000))]
    pub(crate) documents: u64,
    /// Plan the permuted tables of SimHash instead of bands and rows
    #[arg(long)]
    pub(crate) simhash: bool,
    /// Measure similarities in a sample of this corpus, to tell how many candidates to expect and which shingle
    /// length K to choose
    #[arg(long, value_name = "INPUT", num_args = 1.., conflicts_with = "simhash")]
    pub(crate) sample: Vec<String>,
    /// Write the curve as an SVG picture
    #[arg(long, value_name = "FILE")]
    pub(crate) svg: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) planning: Planning,
    #[command(flatten)]
    pub(crate) reading: Reading,
    #[command(flatten)]
    pub(crate) sketching: Sketching,
    #[command(flatten)]
    pub(crate) using: Using,
}

/// `lookalike inspect`
#[derive(Debug, Args)]
pub(crate) struct InspectArguments {
    /// The target folder of a finished `lookalike dedup`
    #[arg(value_name = "RUN")]
    pub(crate) run: PathBuf,
    /// Show what happened to this document, and why. Give its id, or SOURCE:LINE
    #[arg(long, value_name = "ID", conflicts_with = "threshold")]
    pub(crate) id: Option<String>,
    /// Show what would change at this threshold
    #[arg(long, short, value_name = "SIMILARITY", value_parser = share)]
    pub(crate) threshold: Option<f64>,
    /// Show at most this many clusters, pairs and documents
    #[arg(long, value_name = "N", default_value = "5", value_parser = shown_at_most())]
    pub(crate) top: usize,
    #[command(flatten)]
    pub(crate) using: Using,
}

/// `lookalike report`
#[derive(Debug, Args)]
pub(crate) struct ReportArguments {
    /// The target folder of a finished `lookalike dedup`
    #[arg(value_name = "RUN")]
    pub(crate) run: PathBuf,
    /// The file to write. With `-`, the page is written to standard output [default: report.html in the folder of the
    /// run]
    #[arg(long, short, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) using: Using,
}

/// `lookalike evaluate`
#[derive(Debug, Clone, Args)]
pub(crate) struct EvaluateArguments {
    /// What was found: the target folder of a finished `lookalike dedup`, or a file of pairs or clusters
    #[arg(value_name = "FOUND")]
    pub(crate) found: PathBuf,
    /// What is true: a file of pairs (id_a, id_b) or of groups (id, group)
    #[arg(long, value_name = "FILE")]
    pub(crate) truth: PathBuf,
    /// Leave out documents that the truth does not name. Otherwise their pairs count as wrong
    #[arg(long)]
    pub(crate) only_labelled: bool,
    /// List all true pairs that were not found, instead of the figures
    #[arg(long, conflicts_with = "wrong")]
    pub(crate) missed: bool,
    /// List all found pairs that are not true, instead of the figures
    #[arg(long)]
    pub(crate) wrong: bool,
    /// Write the evaluation as an HTML page: the figures, the curve, and the worst mistakes of both sorts
    #[arg(long, value_name = "FILE", conflicts_with_all = ["missed", "wrong"])]
    pub(crate) html: Option<PathBuf>,
    /// Show the documents of the worst mistakes side by side; they are read from this corpus
    #[arg(long, value_name = "INPUT", num_args = 1.., conflicts_with_all = ["missed", "wrong"])]
    pub(crate) corpus: Vec<String>,
    /// What a document of the corpus is
    #[arg(long, value_name = "KIND", requires = "corpus", value_parser = super::values::one_of::<pipeline::Kind>(pipeline::Kind::WRITTEN))]
    pub(crate) kind: Option<pipeline::Kind>,
    /// The field of the corpus that holds the text, the items of a set, the fingerprint or the vector
    #[arg(long, value_name = "FIELD", requires = "corpus", visible_aliases = ["field", "items"])]
    pub(crate) text_field: Option<String>,
    /// With --kind sets: what separates the items of a set that is a string
    #[arg(long, value_name = "SEPARATOR", requires = "corpus")]
    pub(crate) split: Option<String>,
    /// With --kind sets: each record of the corpus is one item of the set that the value of this field names
    #[arg(long, value_name = "FIELD", requires = "corpus")]
    pub(crate) set_of: Option<String>,
    /// With NumPy arrays (.npy): a file with the ids of their rows, one on each line
    #[arg(long, value_name = "FILE", requires = "corpus")]
    pub(crate) ids: Option<PathBuf>,
    /// How the similarity of two documents of the corpus is measured
    #[arg(long, value_name = "MEASURE", requires = "corpus", value_parser = super::values::one_of::<pipeline::Measure>(pipeline::Measure::WRITTEN))]
    pub(crate) measure: Option<pipeline::Measure>,
    /// The field of the corpus that holds the id. Without this flag, the id of a document is SOURCE:LINE
    #[arg(long, value_name = "FIELD", requires = "corpus")]
    pub(crate) id_field: Option<String>,
}

impl EvaluateArguments {
    /// The settings that were chosen.
    pub(crate) fn choices(&self) -> Choices {
        let Self { kind, text_field, split, set_of, ids, measure, id_field, .. } = self.clone();
        Choices {
            reading: Reading { kind, text_field, split, set_of, ids, id_field, ..Reading::default() },
            matching: Matching { measure, ..Matching::default() },
            ..Choices::default()
        }
    }
}

/// `lookalike completions`
#[derive(Debug, Args)]
pub(crate) struct CompletionsArguments {
    /// The shell to write the completion script for
    pub(crate) shell: clap_complete::Shell,
}

/// `lookalike man`
#[derive(Debug, Args)]
pub(crate) struct ManArguments {
    /// Write the pages of all commands to this folder. Without it, one page is written to standard output
    #[arg(value_name = "FOLDER")]
    pub(crate) folder: Option<PathBuf>,
}

impl DedupArguments {
    /// The settings that were chosen.
    pub(crate) fn choices(&self) -> Choices {
        Choices {
            keeping: self.keeping.clone(),
            writing: self.writing.clone(),
            ..chosen(&self.matching, &self.reading, &self.sketching, &self.using)
        }
    }
}

impl PairsArguments {
    /// The settings that were chosen.
    pub(crate) fn choices(&self) -> Choices {
        chosen(&self.matching, &self.reading, &self.sketching, &self.using)
    }
}

impl LabelArguments {
    /// The settings that were chosen. Only records are labelled.
    pub(crate) fn choices(&self) -> Choices {
        let mut choices = chosen(&self.matching, &self.reading, &self.sketching, &self.using);
        choices.reading.kind.get_or_insert(pipeline::Kind::Records);
        choices.keeping.keep.clone_from(&self.keep);
        choices
    }
}

impl ClustersArguments {
    /// The settings that were chosen.
    pub(crate) fn choices(&self) -> Choices {
        Choices {
            keeping: self.keeping.clone(),
            ..chosen(&self.matching, &self.reading, &self.sketching, &self.using)
        }
    }
}

impl QueryArguments {
    /// The settings that were chosen.
    pub(crate) fn choices(&self) -> Choices {
        let QueryMatching { threshold, measure } = self.matching;
        let matching = Matching { threshold, measure, ..Matching::default() };
        chosen(&matching, &self.reading, &self.sketching, &self.using)
    }
}

impl CompareArguments {
    /// The settings that were chosen.
    pub(crate) fn choices(&self) -> Choices {
        let tables = (self.against.clone(), self.against_only);
        let matching = Matching { against: tables.0, against_only: tables.1, ..self.planning.matching() };
        chosen(&matching, &self.reading, &self.sketching, &self.using)
    }
}

impl PlanArguments {
    /// The settings that were chosen.
    pub(crate) fn choices(&self) -> Choices {
        let mut choices = chosen(&self.planning.matching(), &self.reading, &self.sketching, &self.using);
        if self.simhash {
            choices.sketching.method = Some(pipeline::Method::Simhash);
        }
        choices
    }
}

impl Planning {
    pub(super) fn matching(&self) -> Matching {
        let Self { threshold, measure, recall, bands, find, distance } = *self;
        Matching { threshold, measure, recall, bands, find, distance, ..Matching::default() }
    }
}

impl SketchArguments {
    /// The settings that were chosen.
    pub(crate) fn choices(&self) -> Choices {
        let matching = Matching { measure: self.measure, ..Matching::default() };
        Choices {
            storing: self.storing.clone(),
            ..chosen(&matching, &self.reading, &self.sketching, &self.using)
        }
    }
}

impl InspectArguments {
    /// The settings that were chosen.
    pub(crate) fn choices(&self) -> Choices {
        Choices { using: self.using.clone(), ..Choices::default() }
    }
}

impl ReportArguments {
    /// The settings that were chosen.
    pub(crate) fn choices(&self) -> Choices {
        Choices { using: self.using.clone(), ..Choices::default() }
    }
}

/// The groups that almost every command has.
fn chosen(matching: &Matching, reading: &Reading, sketching: &Sketching, using: &Using) -> Choices {
    Choices {
        matching: matching.clone(),
        reading: reading.clone(),
        sketching: sketching.clone(),
        using: using.clone(),
        ..Choices::default()
    }
}
