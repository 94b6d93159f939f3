//! The settings that a user can choose, in groups, each `None` until chosen.
//!
//! The same structs are read from flags (by clap) and from the settings file (by serde), so a flag and its key cannot
//! have different names. Which groups a command takes stands in `commands.rs`; a settings file may hold all of them.

use super::bytes::Bytes;
use super::values::one_of;
use clap::Args;
use pipeline::{
    BandsAndRows, Case, Clusters, Elements, Form, Keep, Measure, Method, OnBadRecord, Punctuation,
    RemovedFormat, Stored, Verify, Whitespace,
};
use serde::Deserialize;
use std::num::NonZeroUsize;
use std::path::PathBuf;

/// Everything that can be chosen: by the flags of a command, or in a settings file.
#[derive(Debug, Clone, Default)]
pub(crate) struct Choices {
    pub(crate) reading: Reading,
    pub(crate) sketching: Sketching,
    pub(crate) matching: Matching,
    pub(crate) keeping: Keeping,
    pub(crate) writing: Writing,
    pub(crate) storing: Storing,
    pub(crate) using: Using,
}

/// How documents are read.
#[derive(Debug, Clone, Default, Args, Deserialize)]
#[serde(default, rename_all = "kebab-case")]
#[command(next_help_heading = "Reading")]
pub(crate) struct Reading {
    /// The field with the text; `a.b` is the field b of the object in the field a
    #[arg(long, value_name = "FIELD")]
    pub(crate) text_field: Option<String>,
    /// The field with the id; without it a document is called SOURCE:LINE
    #[arg(long, value_name = "FIELD")]
    pub(crate) id_field: Option<String>,
    /// The format of every source, instead of what its name and contents say
    #[arg(long, value_name = "FORMAT", value_parser = ["jsonl", "csv", "tsv", "parquet", "text"])]
    pub(crate) format: Option<String>,
    /// A record that cannot be used: stop and name it, list it as removed, or write it uncompared
    #[arg(long, value_name = "WHAT", value_parser = one_of::<OnBadRecord>(OnBadRecord::WRITTEN))]
    pub(crate) on_bad_record: Option<OnBadRecord>,
    /// Longer texts are compared as a whole only
    #[arg(long, value_name = "SIZE")]
    pub(crate) max_text: Option<Bytes>,
    /// Compare only documents with equal values of this field
    #[arg(long, value_name = "FIELD")]
    pub(crate) within: Option<String>,
}

/// How a text becomes a sketch.
#[derive(Debug, Clone, Default, Args, Deserialize)]
#[serde(default, rename_all = "kebab-case")]
#[command(next_help_heading = "Shingles and sketches")]
pub(crate) struct Sketching {
    /// What a shingle is: words:K, characters:K or stop-words:K
    #[arg(long, value_name = "UNIT:K")]
    pub(crate) shingles: Option<String>,
    #[command(flatten)]
    pub(crate) normalize: NormalizeChoices,
    /// Whether repeated shingles count: a set or a bag
    #[arg(long, value_name = "KIND", value_parser = one_of::<Elements>(Elements::WRITTEN))]
    pub(crate) elements: Option<Elements>,
    /// Token weights, a line `TOKEN<TAB>WEIGHT` each, 1 for all others (SimHash)
    #[arg(long, value_name = "FILE")]
    pub(crate) weights: Option<PathBuf>,
    /// Which sketch finds the candidates
    #[arg(long, value_name = "METHOD", value_parser = one_of::<Method>(Method::WRITTEN))]
    pub(crate) method: Option<Method>,
    /// Hashes per signature
    #[arg(long, value_name = "N")]
    pub(crate) hashes: Option<usize>,
    /// What the hash functions are drawn from
    #[arg(long, value_name = "N")]
    pub(crate) seed: Option<u64>,
}

/// What happens to a text before it is shingled, and what equal text means. `[normalize]` in a settings file.
#[derive(Debug, Clone, Default, Args, Deserialize)]
#[serde(default, rename_all = "kebab-case")]
pub(crate) struct NormalizeChoices {
    /// Upper and lower case: folded together, or kept
    #[arg(long, value_name = "CASE", value_parser = one_of::<Case>(Case::WRITTEN))]
    pub(crate) case: Option<Case>,
    /// Unicode normalisation form
    #[arg(long, value_name = "FORM", value_parser = one_of::<Form>(Form::WRITTEN))]
    pub(crate) form: Option<Form>,
    /// Punctuation: kept, or dropped with nothing in its place
    #[arg(long, value_name = "WHAT", value_parser = one_of::<Punctuation>(Punctuation::WRITTEN))]
    pub(crate) punctuation: Option<Punctuation>,
    /// White space: runs collapsed to one space, removed, or kept
    #[arg(long, value_name = "WHAT", value_parser = one_of::<Whitespace>(Whitespace::WRITTEN))]
    pub(crate) whitespace: Option<Whitespace>,
}

/// Which documents are duplicates of each other.
#[derive(Debug, Clone, Default, Args, Deserialize)]
#[serde(default, rename_all = "kebab-case")]
#[command(next_help_heading = "Duplicates")]
pub(crate) struct Matching {
    /// The least similarity of a duplicate, from 0 to 1
    #[arg(long, short, value_name = "SIMILARITY")]
    pub(crate) threshold: Option<f64>,
    /// Which similarity: of both documents, or how much of the smaller one is in the other
    #[arg(long, value_name = "MEASURE", value_parser = one_of::<Measure>(Measure::WRITTEN))]
    pub(crate) measure: Option<Measure>,
    /// The wanted chance of finding a pair at the threshold; bands and rows are planned from it
    #[arg(long, value_name = "CHANCE")]
    pub(crate) recall: Option<f64>,
    /// Bands and rows, instead of planned ones: more bands find more, more rows find less
    #[arg(long, value_name = "BxR", conflicts_with = "recall")]
    pub(crate) bands: Option<BandsAndRows>,
    /// The largest Hamming distance of a duplicate (SimHash)
    #[arg(long, value_name = "BITS")]
    pub(crate) distance: Option<u32>,
    /// What is checked before a pair counts: the exact similarity, the estimate of the signatures, or nothing
    #[arg(long, value_name = "HOW", value_parser = one_of::<Verify>(Verify::WRITTEN))]
    pub(crate) verify: Option<Verify>,
    /// Documents that come first and are neither removed nor written: what looks like them goes
    #[arg(long, value_name = "INPUT", num_args = 1..)]
    pub(crate) against: Vec<String>,
    /// Compare with the documents of --against only, not among the inputs themselves
    #[arg(long, num_args = 0..=1, require_equals = true, default_missing_value = "true", value_name = "BOOL", hide_possible_values = true)]
    pub(crate) against_only: Option<bool>,
}

/// Which document of several stays.
#[derive(Debug, Clone, Default, Args, Deserialize)]
#[serde(default, rename_all = "kebab-case")]
#[command(next_help_heading = "Survivors")]
pub(crate) struct Keeping {
    /// What a cluster is: a kept document and what is similar to it, or all that is connected by similar pairs
    #[arg(long, value_name = "KIND", value_parser = one_of::<Clusters>(Clusters::WRITTEN))]
    pub(crate) clusters: Option<Clusters>,
    /// Which document stays: first, longest, max:FIELD or min:FIELD; ties by input order
    #[arg(long, value_name = "ORDER")]
    pub(crate) keep: Option<Keep>,
    /// Sources whose documents come before all others, the first one first: globs, separated by commas
    #[arg(long, value_name = "SOURCE", value_delimiter = ',')]
    pub(crate) prefer: Option<Vec<String>>,
}

/// What is written.
#[derive(Debug, Clone, Default, Args, Deserialize)]
#[serde(default, rename_all = "kebab-case")]
#[command(next_help_heading = "Writing")]
pub(crate) struct Writing {
    /// Write every record, with the fields lookalike_cluster, _duplicate, _kept_id and _similarity
    #[arg(long, num_args = 0..=1, require_equals = true, default_missing_value = "true", value_name = "BOOL", hide_possible_values = true)]
    pub(crate) annotate: Option<bool>,
    /// The form of the list of removed documents
    #[arg(long, value_name = "FORMAT", value_parser = one_of::<RemovedFormat>(RemovedFormat::WRITTEN))]
    pub(crate) removed_format: Option<RemovedFormat>,
}

/// What a sketch file holds.
#[derive(Debug, Clone, Default, Args, Deserialize)]
#[serde(default, rename_all = "kebab-case")]
#[command(next_help_heading = "Writing")]
pub(crate) struct Storing {
    /// What the file holds: signatures, or the shingles too, so that verifying need not read the sources again
    #[arg(long, value_name = "WHAT", value_parser = one_of::<Stored>(Stored::WRITTEN))]
    pub(crate) store: Option<Stored>,
}

/// What the run may use; none of it changes the answer.
#[derive(Debug, Clone, Default, Args, Deserialize)]
#[serde(default, rename_all = "kebab-case")]
#[command(next_help_heading = "Resources and settings")]
pub(crate) struct Using {
    /// Memory, at most; beyond it the run spills to disk [default: half of what this process can have]
    #[arg(long, value_name = "SIZE")]
    pub(crate) memory: Option<Bytes>,
    /// Threads [default: as many as there are cores]
    #[arg(long, short = 'j', value_name = "N")]
    pub(crate) threads: Option<NonZeroUsize>,
    /// Where to spill [default: the target]
    #[arg(long, value_name = "FOLDER")]
    pub(crate) temp_dir: Option<PathBuf>,
    /// Settings that another tool runs with: see `lookalike presets`
    #[arg(long, value_name = "NAME", value_parser = clap::builder::PossibleValuesParser::new(pipeline::presets::names()), hide_possible_values = true)]
    pub(crate) preset: Option<String>,
    /// A file of settings (TOML), with the names of the flags as keys; flags go before it
    #[arg(long, value_name = "FILE")]
    #[serde(skip)]
    pub(crate) config: Option<PathBuf>,
}
