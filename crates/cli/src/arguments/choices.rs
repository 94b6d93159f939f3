//! The settings that a user can choose, in groups. A setting that was not chosen is `None`.
//!
//! The same structs are read from flags (by clap) and from the settings file (by serde), so a flag and its key cannot
//! have different names. `commands.rs` says which groups a command takes. A settings file may hold all groups.

use super::bytes::Bytes;
use super::values::{distance, one_of, share, weight_step, whole};
use clap::Args;
use pipeline::{
    BandsAndRows, Case, Clusters, Common, Elements, Find, Form, Keep, Kind, Measure, Method, OnBadRecord,
    Punctuation, RemovedFormat, Stored, Verify, Whitespace, WithinDays,
};
use serde::Deserialize;
use std::num::NonZeroUsize;
use std::path::PathBuf;

/// Everything that can be chosen, by the flags of a command or in a settings file.
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

impl Choices {
    /// True if something was chosen for the flag with this name, without `--`. In a settings file it is the name of a key.
    pub(crate) fn has(&self, flag: &str) -> bool {
        let Self { reading, sketching, matching, keeping, writing, storing, using } = self;
        let normalize = &sketching.normalize;
        match flag {
            "kind" => reading.kind.is_some(),
            "bits" => reading.bits.is_some(),
            "set-of" => reading.set_of.is_some(),
            "weight" => reading.weight.is_some(),
            "split" => reading.split.is_some(),
            "text-field" => reading.text_field.is_some(),
            "id-field" => reading.id_field.is_some(),
            "ids" => reading.ids.is_some(),
            "format" => reading.format.is_some(),
            "on-bad-record" => reading.on_bad_record.is_some(),
            "max-text" => reading.max_text.is_some(),
            "within" => reading.within.is_some(),
            "weight-step" => reading.weight_step.is_some(),
            "within-days" => reading.within_days.is_some(),
            "site-field" => reading.site_field.is_some(),
            "common" => sketching.common.is_some(),
            "shingles" => sketching.shingles.is_some(),
            "case" => normalize.case.is_some(),
            "form" => normalize.form.is_some(),
            "punctuation" => normalize.punctuation.is_some(),
            "whitespace" => normalize.whitespace.is_some(),
            "elements" => sketching.elements.is_some(),
            "weights" => sketching.weights.is_some(),
            "method" => sketching.method.is_some(),
            "hashes" => sketching.hashes.is_some(),
            "seed" => sketching.seed.is_some(),
            "threshold" => matching.threshold.is_some(),
            "measure" => matching.measure.is_some(),
            "recall" => matching.recall.is_some(),
            "bands" => matching.bands.is_some(),
            "find" => matching.find.is_some(),
            "distance" => matching.distance.is_some(),
            "verify" => matching.verify.is_some(),
            "against" => !matching.against.is_empty(),
            "against-only" => matching.against_only.is_some(),
            "clusters" => keeping.clusters.is_some(),
            "keep" => keeping.keep.is_some(),
            "prefer" => keeping.prefer.is_some(),
            "annotate" => writing.annotate.is_some(),
            "removed-format" => writing.removed_format.is_some(),
            "store" => storing.store.is_some(),
            "memory" => using.memory.is_some(),
            "threads" => using.threads.is_some(),
            "temp-dir" => using.temp_dir.is_some(),
            "preset" => using.preset.is_some(),
            "config" => using.config.is_some(),
            _ => false,
        }
    }
}

/// How documents are read.
#[derive(Debug, Clone, Default, Args, Deserialize)]
#[serde(default, rename_all = "kebab-case")]
#[command(next_help_heading = "Reading")]
pub(crate) struct Reading {
    /// What a document is: a text, a set of items (sets), a fingerprint that was made elsewhere (fingerprints), a vector
    /// (vectors), or a record with fields, such as a person, a product or a paper (records). A set is an array of strings and
    /// numbers, or with --measure weighted-jaccard an object with weights; a fingerprint is a string of hexadecimal digits or
    /// base64, bytes, or a whole number; a vector is an array of numbers, or a row of a NumPy array
    #[arg(long, value_name = "KIND", value_parser = one_of::<Kind>(Kind::WRITTEN))]
    pub(crate) kind: Option<Kind>,
    /// The field that holds the text, the items of a set, or the fingerprint. `a.b` is the field b of the object in the field a
    #[arg(long, value_name = "FIELD", visible_aliases = ["field", "items"])]
    pub(crate) text_field: Option<String>,
    /// With --kind sets: a set may be a string, whose items are separated by this. White space around items is not part of
    /// them
    #[arg(long, value_name = "SEPARATOR")]
    pub(crate) split: Option<String>,
    /// With --kind sets: each record is one item of a set, which the value of this field names. Rows may be in any order. The
    /// items are in the field of --items
    #[arg(long, value_name = "FIELD")]
    pub(crate) set_of: Option<String>,
    /// With --set-of and --measure weighted-jaccard: the field that holds the weight of the item. Weights of the same item add up
    #[arg(long, value_name = "FIELD")]
    pub(crate) weight: Option<String>,
    /// With --measure weighted-jaccard: round weights to multiples of this, as in 0.1. Without this flag weights are whole numbers
    #[arg(long, value_name = "STEP", value_parser = weight_step)]
    pub(crate) weight_step: Option<f64>,
    /// With --kind fingerprints: how many bits they have, 16 to 512 [default: as many as the first one]
    #[arg(long, value_name = "N", value_parser = whole::<u32>)]
    pub(crate) bits: Option<u32>,
    /// The field that holds the id. Without this flag, the id of a document is SOURCE:LINE
    #[arg(long, value_name = "FIELD")]
    pub(crate) id_field: Option<String>,
    /// With NumPy arrays (.npy): a file with the ids of their rows, one on each line
    #[arg(long, value_name = "FILE")]
    pub(crate) ids: Option<PathBuf>,
    /// Read all inputs in this format. Without this flag, a file's format is known by its name and contents
    #[arg(long, value_name = "FORMAT", value_parser = ["jsonl", "csv", "tsv", "parquet", "text"])]
    pub(crate) format: Option<String>,
    /// What to do with a record that cannot be used: stop with an error (fail), list it as removed (skip), or write
    /// it to the output without comparing it (keep)
    #[arg(long, value_name = "WHAT", value_parser = one_of::<OnBadRecord>(OnBadRecord::WRITTEN))]
    pub(crate) on_bad_record: Option<OnBadRecord>,
    /// Texts longer than this are compared by content hash only, which finds exact copies but no near-duplicates
    #[arg(long, value_name = "SIZE")]
    pub(crate) max_text: Option<Bytes>,
    /// Compare only documents that have the same value in this field
    #[arg(long, value_name = "FIELD")]
    pub(crate) within: Option<String>,
    /// Compare only documents whose dates in a field are at most this many days apart: date:3. Dates are in an ISO form,
    /// such as 2024-02-29 or 2024-02-29T13:05:00Z
    #[arg(long, value_name = "FIELD:DAYS")]
    pub(crate) within_days: Option<WithinDays>,
    /// The field that names the site of a document. Shingles that three or more documents of one site have are the frame of that
    /// site, and are left out of the comparison
    #[arg(long, value_name = "FIELD")]
    pub(crate) site_field: Option<String>,
}

/// How text becomes a sketch.
#[derive(Debug, Clone, Default, Args, Deserialize)]
#[serde(default, rename_all = "kebab-case")]
#[command(next_help_heading = "Shingles and sketches")]
pub(crate) struct Sketching {
    /// What a shingle is: K consecutive words (words:K), K consecutive characters (characters:K), or K words of which
    /// the first is an English stop word (stop-words:K), or one of another language (stop-words-german:K)
    #[arg(long, value_name = "UNIT:K")]
    pub(crate) shingles: Option<String>,
    #[command(flatten)]
    pub(crate) normalize: NormalizeChoices,
    /// Leave shingles that more than N documents have out of the comparison; auto finds N itself
    #[arg(long, value_name = "N")]
    pub(crate) common: Option<Common>,
    /// Whether a repeated shingle counts once (set) or as often as it occurs (bag)
    #[arg(long, value_name = "KIND", value_parser = one_of::<Elements>(Elements::WRITTEN))]
    pub(crate) elements: Option<Elements>,
    /// A file of shingle weights for SimHash, with lines `SHINGLE<TAB>WEIGHT`. Shingles that are not in the file have
    /// the weight 1
    #[arg(long, value_name = "FILE")]
    pub(crate) weights: Option<PathBuf>,
    /// Which kind of sketch finds the candidate pairs
    #[arg(long, value_name = "METHOD", value_parser = one_of::<Method>(Method::WRITTEN))]
    pub(crate) method: Option<Method>,
    /// The number of hashes in a signature
    #[arg(long, value_name = "N", value_parser = whole::<usize>)]
    pub(crate) hashes: Option<usize>,
    /// The seed of the hash functions
    #[arg(long, value_name = "N", value_parser = whole::<u64>)]
    pub(crate) seed: Option<u64>,
}

/// How text is normalised before it is cut into shingles. Two texts are equal if their normalised forms are equal.
/// In a settings file this group is the table `[normalize]`.
#[derive(Debug, Clone, Default, Args, Deserialize)]
#[serde(default, rename_all = "kebab-case")]
pub(crate) struct NormalizeChoices {
    /// Treat upper and lower case as equal (fold), or as different (keep)
    #[arg(long, value_name = "CASE", value_parser = one_of::<Case>(Case::WRITTEN))]
    pub(crate) case: Option<Case>,
    /// The Unicode normalisation form that texts are brought into before they are compared; keep changes nothing
    #[arg(long, value_name = "FORM", value_parser = one_of::<Form>(Form::WRITTEN))]
    pub(crate) form: Option<Form>,
    /// Keep punctuation, or drop it. Dropping joins what it separated: "a-b" becomes "ab"
    #[arg(long, value_name = "WHAT", value_parser = one_of::<Punctuation>(Punctuation::WRITTEN))]
    pub(crate) punctuation: Option<Punctuation>,
    /// Replace each run of white space by one space (collapse), remove all white space, or keep it unchanged
    #[arg(long, value_name = "WHAT", value_parser = one_of::<Whitespace>(Whitespace::WRITTEN))]
    pub(crate) whitespace: Option<Whitespace>,
}

/// Which documents are duplicates of each other.
#[derive(Debug, Clone, Default, Args, Deserialize)]
#[serde(default, rename_all = "kebab-case")]
#[command(next_help_heading = "Duplicates")]
pub(crate) struct Matching {
    /// Documents that are at least this similar are duplicates: a number above 0 and at most 1. With --kind records it is the least
    /// probability of a match, and 0.5 if it is not given
    #[arg(long, short, value_name = "SIMILARITY", value_parser = share)]
    pub(crate) threshold: Option<f64>,
    /// How similarity is measured: the shared shingles divided by the different shingles of both documents together
    /// (jaccard), or by those of the smaller document (containment); of items with weights, the sum of the smaller weights
    /// divided by the sum of the larger ones (weighted-jaccard); of vectors, the cosine of their angle (cosine, the default for
    /// them), or their distance (euclidean)
    #[arg(long, value_name = "MEASURE", value_parser = one_of::<Measure>(Measure::WRITTEN))]
    pub(crate) measure: Option<Measure>,
    /// The chance of finding a pair whose similarity is exactly the threshold. Bands and rows are planned to reach it. With --kind
    /// records it is the share of the matches that bands should find
    #[arg(long, value_name = "CHANCE", value_parser = share)]
    pub(crate) recall: Option<f64>,
    /// Use these bands and rows, as in 21x6, instead of planning them. More bands find more pairs, more rows find
    /// fewer
    #[arg(long, value_name = "BxR", conflicts_with = "recall")]
    pub(crate) bands: Option<BandsAndRows>,
    /// With --kind vectors: compare all of them (all), which misses none; or find those that are near by bands of random hyperplanes
    /// (bands); or whichever is cheaper for so many vectors (auto). The plan says what the bands find
    #[arg(long, value_name = "HOW", value_parser = one_of::<Find>(Find::WRITTEN))]
    pub(crate) find: Option<Find>,
    /// With --kind fingerprints and with SimHash: the largest Hamming distance between the fingerprints of two duplicates. With
    /// --measure euclidean: the largest distance between two vectors
    #[arg(long, value_name = "BITS", value_parser = distance)]
    pub(crate) distance: Option<f64>,
    /// How a candidate pair is checked: by its exact similarity (exact), by the estimate from the signatures
    /// (estimate), or not at all (none)
    #[arg(long, value_name = "HOW", value_parser = one_of::<Verify>(Verify::WRITTEN))]
    pub(crate) verify: Option<Verify>,
    /// Also remove what duplicates a document in these files, or in this index; the files themselves are not written out
    #[arg(long, value_name = "INPUT", num_args = 1..)]
    pub(crate) against: Vec<String>,
    /// Compare the inputs only with the documents of --against, not with each other
    #[arg(long, num_args = 0..=1, require_equals = true, default_missing_value = "true", value_name = "BOOL", hide_possible_values = true)]
    pub(crate) against_only: Option<bool>,
}

/// Which document of a cluster is kept.
#[derive(Debug, Clone, Default, Args, Deserialize)]
#[serde(default, rename_all = "kebab-case")]
#[command(next_help_heading = "Kept documents")]
pub(crate) struct Keeping {
    /// What a cluster is: a kept document and the documents similar to it (stars), or all documents that are
    /// connected by similar pairs, chains included (components)
    #[arg(long, value_name = "KIND", value_parser = one_of::<Clusters>(Clusters::WRITTEN))]
    pub(crate) clusters: Option<Clusters>,
    /// Which document of a cluster is kept: first, longest, max:FIELD (the largest value in a field) or min:FIELD
    /// (the smallest). Of equal ones, the first in input order is kept
    #[arg(long, value_name = "ORDER")]
    pub(crate) keep: Option<Keep>,
    /// Keep documents of these sources rather than of others, most preferred source first: names, folders or patterns
    /// with *, separated by commas
    #[arg(long, value_name = "SOURCE", value_delimiter = ',')]
    pub(crate) prefer: Option<Vec<String>>,
}

/// What is written.
#[derive(Debug, Clone, Default, Args, Deserialize)]
#[serde(default, rename_all = "kebab-case")]
#[command(next_help_heading = "Writing")]
pub(crate) struct Writing {
    /// Remove nothing. Write every record with four added fields: lookalike_cluster, lookalike_duplicate,
    /// lookalike_kept_id and lookalike_similarity
    #[arg(long, num_args = 0..=1, require_equals = true, default_missing_value = "true", value_name = "BOOL", hide_possible_values = true)]
    pub(crate) annotate: Option<bool>,
    /// The file format of the list of removed documents
    #[arg(long, value_name = "FORMAT", value_parser = one_of::<RemovedFormat>(RemovedFormat::WRITTEN))]
    pub(crate) removed_format: Option<RemovedFormat>,
}

/// What a sketch file holds.
#[derive(Debug, Clone, Default, Args, Deserialize)]
#[serde(default, rename_all = "kebab-case")]
#[command(next_help_heading = "Writing")]
pub(crate) struct Storing {
    /// What the file holds: signatures only, or also shingles. With shingles, checking pairs does not read the
    /// sources again
    #[arg(long, value_name = "WHAT", value_parser = one_of::<Stored>(Stored::WRITTEN))]
    pub(crate) store: Option<Stored>,
}

/// What the run may use. A preset and a settings file can change the answer; memory, threads and folder cannot.
#[derive(Debug, Clone, Default, Args, Deserialize)]
#[serde(default, rename_all = "kebab-case")]
#[command(next_help_heading = "Resources and settings")]
pub(crate) struct Using {
    /// The most memory to use. What does not fit is written to temporary files [default: half of the memory that this
    /// process can have]
    #[arg(long, value_name = "SIZE")]
    pub(crate) memory: Option<Bytes>,
    /// The number of threads [default: the number of processor cores]
    #[arg(long, short = 'j', value_name = "N", value_parser = whole::<NonZeroUsize>)]
    pub(crate) threads: Option<NonZeroUsize>,
    /// The folder for temporary files [default: the target folder, or the system's temporary folder]
    #[arg(long, value_name = "FOLDER")]
    pub(crate) temp_dir: Option<PathBuf>,
    /// Start from the settings of another tool; `lookalike presets` lists them
    #[arg(long, value_name = "NAME", value_parser = clap::builder::PossibleValuesParser::new(pipeline::presets::names()), hide_possible_values = true)]
    pub(crate) preset: Option<String>,
    /// Read settings from this TOML file. Its keys are the names of the flags. A flag overrides the file
    #[arg(long, value_name = "FILE")]
    #[serde(skip)]
    pub(crate) config: Option<PathBuf>,
}
