//! An index that stays: documents in a folder, and which of them look like this one.
//!
//! "Have we seen something like this?" is asked of every new page, mail, ticket and upload, for years. An [`Index`] is
//! the place where documents stay. It finds look-alikes with the signatures and bands of a whole run, so a corpus that
//! is [checked](Index::check) in order into an empty index is what `lookalike dedup --keep first` keeps.
//!
//! ```
//! # let folder = tempfile::tempdir()?;
//! # let seen = folder.path().join("seen");
//! use index::{Config, Document, Index, OnMatch, Options, Query, Stored};
//!
//! let config = Config::default().with_threshold(0.7).with_store(Stored::Text);
//! let index = Index::create(&seen, &config, &Options::default())?;
//! let text = "A cat sat on the mat in the hall of the old house and watched the rain come down all day long.";
//! index.add(&Document::new("page-9", text))?;
//!
//! // Who looks like this?
//! let answer = index.query(&Query::text(text.replace("all day long", "all day")))?;
//! assert_eq!(answer.matches[0].id, "page-9");
//! assert!(answer.matches[0].exact && answer.matches[0].similarity >= 0.7);
//! assert!(answer.found_probability > 0.99);
//!
//! // Have we seen it? If not, it is added in the same step.
//! let checked = index.check(&Document::new("page-10", text.to_uppercase()), true, OnMatch::Skip)?;
//! assert_eq!(checked.matched.unwrap().id, "page-9");
//!
//! // It is there when the folder is opened again.
//! drop(index);
//! assert!(Index::open(&seen, &Options::default())?.contains("page-9")?);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # How it works
//!
//! ```text
//! text -> lanes -> a key per band -> buckets in the store -> candidates, oldest first -> similarity -> answer
//! ```
//!
//! - Signatures are lanes of 16 bits, and keys are keys of lanes: the bits of sketch files and of every run.
//! - A document at similarity s shares a band with probability 1 - (1 - s^r)^b; answers state it for the threshold
//!   that was asked for (`found_probability`).
//! - Exact copies are found by their content hash. Only the oldest is in buckets, so that what makes buckets hot stays
//!   out of them.
//! - The similarity is exact if shingles or texts are [stored](Stored), and otherwise estimated, with its standard error.
//! - A write that was acknowledged survives `kill -9`. A batch is there as a whole or not at all. Writers that wait
//!   share one sync; readers see one state each, and never wait.
//! - What has expired is in no answer from that moment on; [`Index::expire`] removes it.
//!
//! The store is [fjall](https://crates.io/crates/fjall), behind a small trait. `docs/index-format.md` describes the folder
//! byte for byte.
//!
//! # Cost
//!
//! With 21 bands, a query for something that was never seen is 21 reads that filters in memory answer. The filters
//! take 12 bits per key, 32 bytes per document. A document takes about 790 bytes on disk, besides its set or text.

mod changes;
mod chunk;
mod clock;
mod config;
mod document;
mod engine;
mod error;
mod folder;
#[cfg(feature = "fuzzing")]
#[doc(hidden)]
pub mod fuzzing;
mod index;
pub mod json;
mod key_table;
mod operations;
mod packed;
mod pages;
mod reading;
mod search;
mod sorting;
mod store;
#[cfg(test)]
mod tests;
pub mod time;
mod values;
mod writer;

pub use clock::{Clock, ManualClock, Millis, SystemClock};
pub use config::{Config, Stored};
pub use document::{
    Answer, Checked, Content, Document, Imported, Kept, KnownText, Lifetime, MOST_ID_BYTES,
    MOST_METADATA_BYTES, Match, Metadata, OnMatch,
};
pub use error::{Error, Result};
pub use index::{Index, Options};
pub use key_table::{Entry, KeyTable, KeyTableConfig};
#[cfg(feature = "parquet")]
pub use operations::SketchTable;
pub use operations::{
    AddTo, Added, Against, Applied, Ask, BucketSizes, BulkOptions, BulkReport, Change, Changed, Extras,
    Filter, IfPresent, Listing, LshFile, Query, Repaired, Sketches, Stats, Ticket, Verified,
};
