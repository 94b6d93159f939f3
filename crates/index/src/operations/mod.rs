//! The operations of an [`Index`](crate::Index), besides adding and getting.

mod batch;
mod bulk;
mod check;
mod feeding;
mod forget;
mod listing;
mod maintain;
mod merge;
mod once;
mod query;
mod repair;
mod runs;
mod sizes;
mod sketches;
mod sources;
mod verify;

pub use batch::{Change, Changed};
pub use bulk::{BulkOptions, BulkReport};
pub use listing::Listing;
pub use maintain::Stats;
pub use once::{Applied, Ticket};
pub use query::{Ask, Filter, Query};
pub use repair::Repaired;
pub use runs::{AddTo, Against};
pub use sizes::BucketSizes;
#[cfg(feature = "parquet")]
pub use sketches::SketchTable;
pub use sketches::{LshFile, Sketches};
pub use sources::{Added, Extras, IfPresent};
pub use verify::Verified;
