//! The operations of an [`Index`](crate::Index), besides adding and getting.

mod batch;
mod bulk;
mod check;
mod forget;
mod maintain;
mod merge;
mod query;
mod repair;
mod sketches;
mod sources;
mod verify;

pub use batch::{Change, Changed};
pub use bulk::{BulkOptions, BulkReport};
pub use maintain::Stats;
pub use query::{Ask, Filter, Query};
pub use repair::Repaired;
#[cfg(feature = "parquet")]
pub use sketches::SketchTable;
pub use sketches::{LshFile, Sketches};
pub use sources::{Added, IfPresent};
pub use verify::Verified;
