//! The commands, and which choices each of them takes.

use super::choices::{Choices, Keeping, Matching, Reading, Sketching, Storing, Using, Writing};
use super::examples;
use super::values::shown_at_most;
use clap::{ArgGroup, Args, Subcommand};
use std::ffi::OsString;
use std::path::PathBuf;

/// What to do.
#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Remove near-duplicates: kept records, the list of what went and why, and a report
    #[command(long_about = examples::DEDUP_ABOUT, after_long_help = examples::DEDUP)]
    Dedup(Box<DedupArguments>),
    /// List all pairs of similar documents
    #[command(long_about = examples::PAIRS_ABOUT, after_long_help = examples::PAIRS)]
    Pairs(Box<PairsArguments>),
    /// List the groups of similar documents, the one that would be kept first
    #[command(long_about = examples::CLUSTERS_ABOUT, after_long_help = examples::CLUSTERS)]
    Clusters(Box<ClustersArguments>),
    /// Find the documents that look like a given text
    #[command(long_about = examples::QUERY_ABOUT, after_long_help = examples::QUERY)]
    Query(Box<QueryArguments>),
    /// Hash a corpus once, for any number of later runs with other thresholds
    #[command(long_about = examples::SKETCH_ABOUT, after_long_help = examples::SKETCH)]
    Sketch(Box<SketchArguments>),
    /// Compare two texts: how similar they are, what sketches make of it, and the passages they share
    #[command(long_about = examples::COMPARE_ABOUT, after_long_help = examples::COMPARE)]
    Compare(Box<CompareArguments>),
    /// Plan bands and rows for a threshold: what is found, what it costs, and the curve
    #[command(long_about = examples::PLAN_ABOUT, after_long_help = examples::PLAN)]
    Plan(Box<PlanArguments>),
    /// Look into a finished run: clusters, pairs near the threshold, the fate of a document, another threshold
    #[command(long_about = examples::INSPECT_ABOUT, after_long_help = examples::INSPECT)]
    Inspect(Box<InspectArguments>),
    /// Write the report of a finished run as a page
    #[command(long_about = examples::REPORT_ABOUT, after_long_help = examples::REPORT)]
    Report(ReportArguments),
    /// List the presets: what other tools run with, and what share of the pairs that finds
    #[command(long_about = examples::PRESETS_ABOUT, after_long_help = examples::PRESETS)]
    Presets,
    /// Write the completions of a shell to standard output
    #[command(after_long_help = examples::COMPLETIONS)]
    Completions(CompletionsArguments),
    /// Write the manual page to standard output, or the pages of all commands to a folder
    #[command(after_long_help = examples::MAN)]
    Man(ManArguments),
    /// Write the reference of all commands to standard output, in Markdown
    #[command(hide = true)]
    Reference,
}

/// `lookalike dedup`
#[derive(Debug, Args)]
pub(crate) struct DedupArguments {
    /// Files, folders, globs, object-store addresses, `-` for standard input, or one sketch file
    #[arg(required = true, value_name = "INPUT")]
    pub(crate) inputs: Vec<OsString>,
    /// A folder or an object-store prefix for the outputs; `-` writes the kept records to standard output
    #[arg(long, short, value_name = "TARGET", required_unless_present = "dry_run")]
    pub(crate) output: Option<String>,
    /// Do everything but write: the report says what would be removed
    #[arg(long)]
    pub(crate) dry_run: bool,
    /// Write the report as a page too: report.html in the target folder, or this file
    #[arg(long, value_name = "FILE", num_args = 0..=1, require_equals = true, conflicts_with = "dry_run")]
    pub(crate) report: Option<Option<PathBuf>>,
    #[command(flatten)]
    pub(crate) matching: Matching,
    #[command(flatten)]
    pub(crate) keeping: Keeping,
    #[command(flatten)]
    pub(crate) writing: Writing,
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
    /// Files, folders, globs, object-store addresses, `-` for standard input, or one sketch file
    #[arg(required = true, value_name = "INPUT")]
    pub(crate) inputs: Vec<OsString>,
    /// List the first N pairs only, and say how many there are beyond; n equal documents alone make n (n - 1) / 2
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    pub(crate) max_pairs: Option<u64>,
    #[command(flatten)]
    pub(crate) matching: Matching,
    #[command(flatten)]
    pub(crate) reading: Reading,
    #[command(flatten)]
    pub(crate) sketching: Sketching,
    #[command(flatten)]
    pub(crate) using: Using,
}

/// `lookalike clusters`
#[derive(Debug, Args)]
pub(crate) struct ClustersArguments {
    /// Files, folders, globs, object-store addresses, `-` for standard input, or one sketch file
    #[arg(required = true, value_name = "INPUT")]
    pub(crate) inputs: Vec<OsString>,
    #[command(flatten)]
    pub(crate) matching: Matching,
    #[command(flatten)]
    pub(crate) keeping: Keeping,
    #[command(flatten)]
    pub(crate) reading: Reading,
    #[command(flatten)]
    pub(crate) sketching: Sketching,
    #[command(flatten)]
    pub(crate) using: Using,
}

/// `lookalike query`
#[derive(Debug, Args)]
#[command(group(ArgGroup::new("asked").args(["text", "text_file"]).required(true)))]
pub(crate) struct QueryArguments {
    /// Files, folders, globs, object-store addresses, `-` for standard input, or one sketch file
    #[arg(required = true, value_name = "INPUT")]
    pub(crate) inputs: Vec<OsString>,
    /// The text to look for
    #[arg(long, value_name = "TEXT")]
    pub(crate) text: Option<String>,
    /// A file with the text to look for; `-` for standard input
    #[arg(long, value_name = "FILE")]
    pub(crate) text_file: Option<PathBuf>,
    /// How many documents to show, at most
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
    /// The least similarity of a match, from 0 to 1; with 0, everything that shares a shingle
    #[arg(long, short, value_name = "SIMILARITY")]
    pub(crate) threshold: Option<f64>,
    /// Which similarity: of both texts, or how much of the smaller one is in the other
    #[arg(long, value_name = "MEASURE", value_parser = super::values::one_of::<pipeline::Measure>(pipeline::Measure::WRITTEN))]
    pub(crate) measure: Option<pipeline::Measure>,
}

/// `lookalike sketch`
#[derive(Debug, Args)]
pub(crate) struct SketchArguments {
    /// Files, folders, globs, object-store addresses, or `-` for standard input
    #[arg(required = true, value_name = "INPUT")]
    pub(crate) inputs: Vec<OsString>,
    /// The sketch file
    #[arg(long, short, value_name = "FILE")]
    pub(crate) output: PathBuf,
    #[command(flatten)]
    pub(crate) storing: Storing,
    #[command(flatten)]
    pub(crate) reading: Reading,
    #[command(flatten)]
    pub(crate) sketching: Sketching,
    #[command(flatten)]
    pub(crate) using: Using,
}

/// `lookalike compare`
#[derive(Debug, Args)]
pub(crate) struct CompareArguments {
    /// The first text: a file, or an id with --corpus
    #[arg(value_name = "A")]
    pub(crate) a: String,
    /// The second text: a file, or an id with --corpus
    #[arg(value_name = "B")]
    pub(crate) b: String,
    /// The corpus that has the two documents; A and B are ids then, or SOURCE:LINE
    #[arg(long, value_name = "INPUT", num_args = 1..)]
    pub(crate) corpus: Vec<String>,
    /// Write the comparison as a page
    #[arg(long, value_name = "FILE")]
    pub(crate) html: Option<PathBuf>,
    /// Show the texts whole, with nothing folded
    #[arg(long)]
    pub(crate) whole: bool,
    #[command(flatten)]
    pub(crate) planning: Planning,
    #[command(flatten)]
    pub(crate) reading: Reading,
    #[command(flatten)]
    pub(crate) sketching: Sketching,
    #[command(flatten)]
    pub(crate) using: Using,
}

/// What a plan follows from.
#[derive(Debug, Clone, Default, Args)]
#[command(next_help_heading = "Plan")]
pub(crate) struct Planning {
    /// The least similarity of a duplicate, from 0 to 1
    #[arg(long, short, value_name = "SIMILARITY")]
    pub(crate) threshold: Option<f64>,
    /// The wanted chance of finding a pair at the threshold; bands and rows are planned from it
    #[arg(long, value_name = "CHANCE")]
    pub(crate) recall: Option<f64>,
    /// Bands and rows, instead of planned ones
    #[arg(long, value_name = "BxR", conflicts_with = "recall")]
    pub(crate) bands: Option<pipeline::BandsAndRows>,
    /// The largest Hamming distance of a duplicate (SimHash)
    #[arg(long, value_name = "BITS")]
    pub(crate) distance: Option<u32>,
}

/// `lookalike plan`
#[derive(Debug, Args)]
pub(crate) struct PlanArguments {
    /// How many documents to plan for
    #[arg(long, short = 'n', value_name = "N", default_value = "1000000", value_parser = clap::value_parser!(u64).range(1..=1_000_000_000_000_000))]
    pub(crate) documents: u64,
    /// Plan the permuted tables of SimHash instead
    #[arg(long)]
    pub(crate) simhash: bool,
    /// Measure the similarities of a sample of this corpus: how many candidates to expect, and which k to choose
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
    /// What became of this document, and why: an id, or SOURCE:LINE
    #[arg(long, value_name = "ID", conflicts_with = "threshold")]
    pub(crate) id: Option<String>,
    /// What would change at another threshold
    #[arg(long, short, value_name = "SIMILARITY")]
    pub(crate) threshold: Option<f64>,
    /// How many of each to show, at most
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
    /// The page; without it `report.html` in the run's folder
    #[arg(long, short, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) using: Using,
}

/// `lookalike completions`
#[derive(Debug, Args)]
pub(crate) struct CompletionsArguments {
    /// The shell
    pub(crate) shell: clap_complete::Shell,
}

/// `lookalike man`
#[derive(Debug, Args)]
pub(crate) struct ManArguments {
    /// A folder for the pages of all commands
    #[arg(value_name = "FOLDER")]
    pub(crate) folder: Option<PathBuf>,
}

impl DedupArguments {
    /// What was chosen.
    pub(crate) fn choices(&self) -> Choices {
        Choices {
            keeping: self.keeping.clone(),
            writing: self.writing.clone(),
            ..chosen(&self.matching, &self.reading, &self.sketching, &self.using)
        }
    }
}

impl PairsArguments {
    /// What was chosen.
    pub(crate) fn choices(&self) -> Choices {
        chosen(&self.matching, &self.reading, &self.sketching, &self.using)
    }
}

impl ClustersArguments {
    /// What was chosen.
    pub(crate) fn choices(&self) -> Choices {
        Choices {
            keeping: self.keeping.clone(),
            ..chosen(&self.matching, &self.reading, &self.sketching, &self.using)
        }
    }
}

impl QueryArguments {
    /// What was chosen.
    pub(crate) fn choices(&self) -> Choices {
        let QueryMatching { threshold, measure } = self.matching;
        let matching = Matching { threshold, measure, ..Matching::default() };
        chosen(&matching, &self.reading, &self.sketching, &self.using)
    }
}

impl CompareArguments {
    /// What was chosen.
    pub(crate) fn choices(&self) -> Choices {
        chosen(&self.planning.matching(), &self.reading, &self.sketching, &self.using)
    }
}

impl PlanArguments {
    /// What was chosen.
    pub(crate) fn choices(&self) -> Choices {
        let mut choices = chosen(&self.planning.matching(), &self.reading, &self.sketching, &self.using);
        if self.simhash {
            choices.sketching.method = Some(pipeline::Method::Simhash);
        }
        choices
    }
}

impl Planning {
    fn matching(&self) -> Matching {
        let Self { threshold, recall, bands, distance } = *self;
        Matching { threshold, recall, bands, distance, ..Matching::default() }
    }
}

impl SketchArguments {
    /// What was chosen.
    pub(crate) fn choices(&self) -> Choices {
        Choices {
            storing: self.storing.clone(),
            ..chosen(&Matching::default(), &self.reading, &self.sketching, &self.using)
        }
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
