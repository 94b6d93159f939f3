//! The commands, and which choices each of them takes.

use super::choices::{Choices, Keeping, Matching, Reading, Sketching, Storing, Using, Writing};
use super::examples;
use clap::{ArgGroup, Args, Subcommand};
use std::num::NonZeroUsize;
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
    pub(crate) inputs: Vec<String>,
    /// A folder or an object-store prefix for the outputs; `-` writes the kept records to standard output
    #[arg(long, short, value_name = "TARGET", required_unless_present = "dry_run")]
    pub(crate) output: Option<String>,
    /// Do everything but write: the report says what would be removed
    #[arg(long)]
    pub(crate) dry_run: bool,
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
    pub(crate) inputs: Vec<String>,
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
    pub(crate) inputs: Vec<String>,
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
    pub(crate) inputs: Vec<String>,
    /// The text to look for
    #[arg(long, value_name = "TEXT")]
    pub(crate) text: Option<String>,
    /// A file with the text to look for; `-` for standard input
    #[arg(long, value_name = "FILE")]
    pub(crate) text_file: Option<PathBuf>,
    /// How many documents to show, at most
    #[arg(long, value_name = "N", default_value = "10")]
    pub(crate) top: NonZeroUsize,
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
    pub(crate) inputs: Vec<String>,
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
