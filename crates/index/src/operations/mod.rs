//! The operations of an [`Index`](crate::Index), besides adding and getting.

mod batch;
mod bulk;
mod check;
mod forget;
mod maintain;
mod merge;
mod query;
mod verify;

pub use batch::{Change, Changed};
pub use bulk::{BulkOptions, BulkReport};
pub use maintain::Stats;
pub use query::{Ask, Filter, Query};
pub use verify::{Repaired, Verified};
