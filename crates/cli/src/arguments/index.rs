//! `lookalike index`: its commands, and the flags of each.

use super::choices::{Choices, Matching, Reading, Sketching, Using};
use super::commands::Planning;
use super::examples;
use super::values::{duration, field_and_value, one_of, share, shown_at_most};
use clap::builder::{PossibleValuesParser, TypedValueParser};
use clap::{ArgGroup, Args, Subcommand};
use index::{OnMatch, Stored};
use serde_json::Value;
use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;

/// What to do with an index.
#[derive(Debug, Subcommand)]
pub(crate) enum IndexCommand {
    /// Create an empty index
    #[command(after_long_help = examples::INDEX_CREATE)]
    Create(Box<CreateArguments>),
    /// Add documents; an index that does not exist yet is created
    #[command(long_about = examples::INDEX_ADD_ABOUT, after_long_help = examples::INDEX_ADD)]
    Add(Box<AddArguments>),
    /// Find the documents that look like a text or like another document
    #[command(long_about = examples::INDEX_QUERY_ABOUT, after_long_help = examples::INDEX_QUERY)]
    Query(Box<IndexQueryArguments>),
    /// Say of each record whether it is new, or which document it duplicates
    #[command(long_about = examples::INDEX_CHECK_ABOUT, after_long_help = examples::INDEX_CHECK)]
    Check(Box<CheckArguments>),
    /// Show which passages a document of the index shares with a text
    #[command(after_long_help = examples::INDEX_PASSAGES)]
    Passages(PassagesArguments),
    /// Show a document: when it came, how many shingles it has, its metadata and its text
    Get(GetArguments),
    /// Remove documents, by their ids or by their metadata
    #[command(after_long_help = examples::INDEX_REMOVE)]
    Remove(RemoveArguments),
    /// Remove the documents whose time is over. They are in no answer already; this frees their space
    Expire(FolderArguments),
    /// Show the configuration of an index, and how large it is
    Stats(FolderArguments),
    /// Check every entry of an index
    Verify(FolderArguments),
    /// Build everything again that follows from the documents themselves
    Repair(RepairArguments),
    /// Merge the tables on disk, and free the space of what was removed
    Compact(FolderArguments),
    /// Write a consistent copy of an index to a new folder
    Backup(BackupArguments),
    /// Make an index of a backup
    Restore(RestoreArguments),
    /// Write all documents as JSON Lines
    Export(FolderArguments),
    /// Add all documents of other indexes of the same configuration
    Merge(MergeArguments),
}

/// The folder of an index.
#[derive(Debug, Args)]
pub(crate) struct FolderArguments {
    /// The folder of the index
    #[arg(value_name = "INDEX")]
    pub(crate) folder: PathBuf,
}

/// What is fixed when an index is created, besides the settings that a run has too.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "A new index")]
pub(crate) struct Creating {
    /// What is stored of each document besides its signature: nothing (signatures), so that similarities are
    /// estimated; its shingles, so that they are exact; or its text, so that shared passages can be shown too
    #[arg(long, value_name = "WHAT", value_parser = one_of::<Stored>(&["signatures", "shingles", "text"]))]
    pub(crate) store: Option<Stored>,
    /// How long documents stay, as in 30d; without this flag they stay for ever. When documents are added to an index that
    /// exists, how long these stay, whatever the index says
    #[arg(long, value_name = "TIME", value_parser = duration)]
    pub(crate) ttl: Option<Duration>,
    /// How many candidates a question looks at, the oldest first. If there are more, the answer says so
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..=1_000_000_000))]
    pub(crate) candidates: Option<u64>,
}

impl Creating {
    /// True if something was chosen for the setting with this name that an index which exists must have. How long documents
    /// stay may be chosen for each.
    pub(crate) fn fixes(&self, setting: &str) -> bool {
        match setting {
            "store" => self.store.is_some(),
            "candidates" => self.candidates.is_some(),
            _ => false,
        }
    }
}

/// `lookalike index create`
#[derive(Debug, Args)]
pub(crate) struct CreateArguments {
    /// The folder of the index. It must be empty, or not exist yet
    #[arg(value_name = "INDEX")]
    pub(crate) folder: PathBuf,
    /// Take the configuration of this index, and its secret key, so that the two can be merged. Other settings have no
    /// effect then
    #[arg(long, value_name = "OTHER")]
    pub(crate) like: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) creating: Creating,
    #[command(flatten)]
    pub(crate) planning: Planning,
    /// Texts longer than this are compared by content hash only, which finds exact copies but no near-duplicates
    #[arg(long, value_name = "SIZE", help_heading = "Reading")]
    pub(crate) max_text: Option<super::Bytes>,
    #[command(flatten)]
    pub(crate) sketching: Sketching,
    #[command(flatten)]
    pub(crate) using: Using,
}

/// `lookalike index add`
#[derive(Debug, Args)]
pub(crate) struct AddArguments {
    /// The folder of the index
    #[arg(value_name = "INDEX")]
    pub(crate) folder: PathBuf,
    /// What to read: files, folders, globs, object-store addresses, or `-` for standard input
    #[arg(required = true, value_name = "INPUT")]
    pub(crate) inputs: Vec<OsString>,
    /// Replace documents whose id is in the index already
    #[arg(long, conflicts_with = "skip_present")]
    pub(crate) update: bool,
    /// Leave out documents whose id is in the index already
    #[arg(long)]
    pub(crate) skip_present: bool,
    /// Keep the values of these fields of each record as metadata, which answers show and --where looks at: names with
    /// commas between them; author.name is the field name of the object in the field author
    #[arg(long, value_name = "FIELD,...", value_delimiter = ',', value_parser = clap::builder::NonEmptyStringValueParser::new())]
    pub(crate) meta: Vec<String>,
    #[command(flatten)]
    pub(crate) reading: Reading,
    #[command(flatten)]
    pub(crate) creating: Creating,
    #[command(flatten)]
    pub(crate) planning: Planning,
    #[command(flatten)]
    pub(crate) sketching: Sketching,
    #[command(flatten)]
    pub(crate) using: Using,
}

/// Which documents a question is about.
#[derive(Debug, Args)]
#[command(next_help_heading = "Which documents")]
pub(crate) struct Selecting {
    /// Look only at documents with this value of `within`. Without this flag, only documents without a value are looked
    /// at
    #[arg(long, value_name = "VALUE")]
    pub(crate) within: Option<String>,
    /// Show only documents whose metadata have this value in this field: see --meta of `lookalike index add`
    #[arg(long = "where", value_name = "FIELD=VALUE", value_parser = field_and_value)]
    pub(crate) filter: Vec<(String, Value)>,
}

/// `lookalike index query`
#[derive(Debug, Args)]
#[command(group(ArgGroup::new("asked").args(["text", "text_file", "id", "signature"]).required(true)))]
pub(crate) struct IndexQueryArguments {
    /// The folder of the index
    #[arg(value_name = "INDEX")]
    pub(crate) folder: PathBuf,
    /// The text to search for
    #[arg(long, value_name = "TEXT")]
    pub(crate) text: Option<String>,
    /// A file that holds the text to search for; `-` reads it from standard input
    #[arg(long, value_name = "FILE")]
    pub(crate) text_file: Option<PathBuf>,
    /// Search for what looks like this document of the index
    #[arg(long, value_name = "ID", conflicts_with = "within")]
    pub(crate) id: Option<String>,
    /// A file that holds the signature to search for, as `Signature.to_bytes()` of the Python package and
    /// `Signature::to_bytes` of the library write it. It must have been made with the settings of the index; similarities to it
    /// are estimated
    #[arg(long, value_name = "FILE")]
    pub(crate) signature: Option<PathBuf>,
    /// Show at most this many documents
    #[arg(long, value_name = "N", default_value = "10", value_parser = shown_at_most())]
    pub(crate) top: usize,
    /// Show documents that are at least this similar [default: the threshold of the index]
    #[arg(long, short, value_name = "SIMILARITY", value_parser = share)]
    pub(crate) threshold: Option<f64>,
    #[command(flatten)]
    pub(crate) selecting: Selecting,
}

/// `lookalike index check`
#[derive(Debug, Args)]
pub(crate) struct CheckArguments {
    /// The folder of the index
    #[arg(value_name = "INDEX")]
    pub(crate) folder: PathBuf,
    /// What to read: files, folders, globs, object-store addresses, or `-` for standard input
    #[arg(required = true, value_name = "INPUT")]
    pub(crate) inputs: Vec<OsString>,
    /// Add the records that are new, in the same step
    #[arg(long)]
    pub(crate) add: bool,
    /// With --add, what to do with a record that is not new: nothing (skip), let the document that it duplicates stay
    /// longer (touch), put the record in its place (replace), or add the record all the same (add)
    #[arg(long, value_name = "WHAT", requires = "add", default_value = "skip",
        value_parser = on_match())]
    pub(crate) on_match: OnMatch,
    /// With --add, keep the values of these fields of each record as metadata: names with commas between them
    #[arg(long, value_name = "FIELD,...", requires = "add", value_delimiter = ',',
        value_parser = clap::builder::NonEmptyStringValueParser::new())]
    pub(crate) meta: Vec<String>,
    /// With --add, how long the added records stay, as in 30d; without this flag as long as the index says
    #[arg(long, value_name = "TIME", requires = "add", value_parser = duration)]
    pub(crate) ttl: Option<Duration>,
    #[command(flatten)]
    pub(crate) reading: Reading,
    #[command(flatten)]
    pub(crate) using: Using,
}

/// `lookalike index passages`
#[derive(Debug, Args)]
#[command(group(ArgGroup::new("asked").args(["text", "text_file"]).required(true)))]
pub(crate) struct PassagesArguments {
    /// The folder of the index, which must store texts
    #[arg(value_name = "INDEX")]
    pub(crate) folder: PathBuf,
    /// The document of the index
    #[arg(long, value_name = "ID")]
    pub(crate) id: String,
    /// The text to compare it with
    #[arg(long, value_name = "TEXT")]
    pub(crate) text: Option<String>,
    /// A file that holds the text; `-` reads it from standard input
    #[arg(long, value_name = "FILE")]
    pub(crate) text_file: Option<PathBuf>,
}

/// `lookalike index get`
#[derive(Debug, Args)]
pub(crate) struct GetArguments {
    /// The folder of the index
    #[arg(value_name = "INDEX")]
    pub(crate) folder: PathBuf,
    /// The document
    #[arg(value_name = "ID")]
    pub(crate) id: String,
}

/// `lookalike index remove`
#[derive(Debug, Args)]
#[command(group(ArgGroup::new("which").args(["id", "ids", "filter"]).required(true).multiple(true)))]
pub(crate) struct RemoveArguments {
    /// The folder of the index
    #[arg(value_name = "INDEX")]
    pub(crate) folder: PathBuf,
    /// Remove the document with this id
    #[arg(long, value_name = "ID")]
    pub(crate) id: Vec<String>,
    /// Remove the documents whose ids are in this file, one per line; `-` reads standard input
    #[arg(long, value_name = "FILE")]
    pub(crate) ids: Option<PathBuf>,
    /// Remove the documents whose metadata have this value in this field: see --meta of `lookalike index add`
    #[arg(long = "where", value_name = "FIELD=VALUE", value_parser = field_and_value, conflicts_with_all = ["id", "ids"])]
    pub(crate) filter: Vec<(String, Value)>,
}

/// `lookalike index repair`
#[derive(Debug, Args)]
pub(crate) struct RepairArguments {
    /// The folder of the index
    #[arg(value_name = "INDEX")]
    pub(crate) folder: PathBuf,
    /// Go on without acknowledged changes that the disk has lost
    #[arg(long)]
    pub(crate) accept_loss: bool,
}

/// `lookalike index backup`
#[derive(Debug, Args)]
pub(crate) struct BackupArguments {
    /// The folder of the index
    #[arg(value_name = "INDEX")]
    pub(crate) folder: PathBuf,
    /// The folder of the copy. It must be empty, or not exist yet
    #[arg(value_name = "BACKUP")]
    pub(crate) to: PathBuf,
}

/// `lookalike index restore`
#[derive(Debug, Args)]
pub(crate) struct RestoreArguments {
    /// The folder of the backup
    #[arg(value_name = "BACKUP")]
    pub(crate) backup: PathBuf,
    /// The folder of the new index. It must be empty, or not exist yet
    #[arg(value_name = "INDEX")]
    pub(crate) folder: PathBuf,
}

/// `lookalike index merge`
#[derive(Debug, Args)]
pub(crate) struct MergeArguments {
    /// The folder of the index that grows
    #[arg(value_name = "INDEX")]
    pub(crate) folder: PathBuf,
    /// The folders of the indexes whose documents are added
    #[arg(required = true, value_name = "OTHER")]
    pub(crate) others: Vec<PathBuf>,
    /// Leave out documents whose id is in the index already
    #[arg(long)]
    pub(crate) skip_present: bool,
}

/// Reads what a check does when it finds a match.
fn on_match() -> impl TypedValueParser<Value = OnMatch> {
    PossibleValuesParser::new(["skip", "touch", "replace", "add"]).map(|word| match word.as_str() {
        "touch" => OnMatch::Touch,
        "replace" => OnMatch::Replace,
        "add" => OnMatch::Add,
        _ => OnMatch::Skip,
    })
}

impl CreateArguments {
    /// The settings that were chosen.
    pub(crate) fn choices(&self) -> Choices {
        let reading = Reading { max_text: self.max_text, ..Reading::default() };
        chosen(&reading, &self.planning.matching(), &self.sketching, &self.using)
    }
}

impl AddArguments {
    /// The settings that were chosen.
    pub(crate) fn choices(&self) -> Choices {
        chosen(&self.reading, &self.planning.matching(), &self.sketching, &self.using)
    }
}

impl CheckArguments {
    /// The settings that were chosen.
    pub(crate) fn choices(&self) -> Choices {
        chosen(&self.reading, &Matching::default(), &Sketching::default(), &self.using)
    }
}

fn chosen(reading: &Reading, matching: &Matching, sketching: &Sketching, using: &Using) -> Choices {
    Choices {
        reading: reading.clone(),
        matching: matching.clone(),
        sketching: sketching.clone(),
        using: using.clone(),
        ..Choices::default()
    }
}
