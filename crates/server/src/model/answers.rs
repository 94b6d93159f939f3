//! Answers of the service, besides those that [`index::json`] has for everyone.

use super::config::ConfigOut;
use index::json::{DocumentAnswer, StatsAnswer};
use index::{BucketSizes, Stats};
use serde::Serialize;
use utoipa::ToSchema;

/// The state of the service.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct Health {
    /// `ok`
    pub(crate) status: &'static str,
    /// The version of the program.
    pub(crate) version: &'static str,
}

/// The service takes requests.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct Ready {
    /// `ok`
    pub(crate) status: &'static str,
    /// The version of the program.
    pub(crate) version: &'static str,
    /// How many collections are read only: they have lost writes, are damaged, a write has failed, or their files cannot be
    /// written to.
    pub(crate) read_only: usize,
}

/// A collection was compacted.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct Compacted {
    /// The bytes of all its files before.
    pub(crate) disk_bytes_before: u64,
    /// The bytes of all its files now.
    pub(crate) disk_bytes: u64,
}

/// Documents of another collection were added.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct Merged {
    /// How many.
    pub(crate) added: u64,
}

/// A document was added or replaced.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct PutAnswer {
    /// Its number. Older documents have smaller ones; no number is ever used again.
    pub(crate) number: u64,
    /// True if there was one with its id.
    pub(crate) replaced: bool,
}

/// Documents were removed.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct Removed {
    /// How many there were.
    pub(crate) removed: u64,
}

/// A backup was written.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct Backed {
    /// The name of the new folder.
    pub(crate) name: String,
}

/// A part of a listing.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct DocumentPage {
    /// The documents, oldest first.
    pub(crate) documents: Vec<DocumentAnswer>,
    /// Ask for more with `after_number` and this number. Absent if there are no more.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) next_number: Option<u64>,
}

/// A collection.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct CollectionAnswer {
    name: String,
    /// The documents, with those that have expired but are not removed yet.
    documents: u64,
    /// The plan as a phrase: `21 bands of 6 rows`.
    plan: String,
    /// The probability that a document at the threshold is found.
    found_probability: f64,
    /// True if the collection is read only: it has lost writes, it is damaged, a write has failed, or its files cannot be
    /// written to.
    read_only: bool,
    /// What was fixed when the collection was created.
    config: ConfigOut,
}

impl CollectionAnswer {
    pub(crate) fn new(name: String, stats: Stats) -> Self {
        let Stats { config, plan, found_probability, documents, read_only, .. } = stats;
        let config = ConfigOut::new(&config);
        Self { name, documents, plan, found_probability, read_only, config }
    }
}

/// Numbers about a collection.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct CollectionStats {
    #[serde(flatten)]
    stats: StatsAnswer,
    /// How large its buckets are.
    buckets: Buckets,
}

/// The sizes of buckets, of which some were looked at. Who asks for a large bucket has many candidates.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct Buckets {
    /// How many were looked at.
    looked_at: u64,
    /// The documents of the largest of them; it has at least so many if `cut` is not 0.
    largest: u64,
    /// How many of them are so large that only their first 64 pages were counted.
    cut: u64,
    /// How many of them have one document, 2, 3 or 4, 5 to 8, 9 to 16, and so on.
    counts: Vec<u64>,
}

impl CollectionStats {
    pub(crate) fn new(stats: &Stats, buckets: BucketSizes) -> Self {
        let BucketSizes { looked_at, largest, cut, counts, .. } = buckets;
        Self { stats: stats.into(), buckets: Buckets { looked_at, largest, cut, counts } }
    }
}

/// All collections.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct CollectionList {
    pub(crate) collections: Vec<CollectionAnswer>,
}
