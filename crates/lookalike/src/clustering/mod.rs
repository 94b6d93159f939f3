//! Verified pairs -> clusters, and the documents that are kept.
//!
//! There are two ways to decide which similar documents belong together:
//!
//! - [`survivors`] decides which documents are kept. It goes through the documents in a keep order. A document is
//!   removed if it is similar to a document that was kept before it. So every removed document is itself similar to
//!   the document that replaces it, and similarity is never chained. This is the rule for deduplication.
//! - [`connected_components`] computes the transitive closure. A and C are in one cluster if a chain of pairs leads
//!   from one to the other, however different the two are. This is right for exact copies. Among near-duplicates, a
//!   shared template can chain a whole collection into one cluster, so check the clusters before you remove
//!   documents.
//!
//! Both depend only on the set of pairs and the keep order, never on the order in which pairs are found.
//!
//! ```
//! use lookalike::clustering::{Fate, KeepOrder, connected_components, survivors};
//! use lookalike::verification::Pair;
//!
//! // 0 ~ 1 ~ 2, but 0 and 2 are different. 2 is kept, because 1, the only document like it, is removed.
//! let pairs = [(0, 1), (1, 2)].map(|(a, b)| Pair { a, b, similarity: 0.9 });
//! let kept = survivors(&KeepOrder::input(3)?, &pairs)?;
//! assert_eq!(kept.fates(), [Fate::Kept, Fate::Removed { by: 0, similarity: 0.9 }, Fate::Kept]);
//!
//! let components = connected_components(3, pairs.iter().map(Pair::ids))?;
//! assert_eq!(components.clusters(), [[0, 1, 2]]);
//! # Ok::<(), lookalike::Error>(())
//! ```

mod components;
mod keep_order;
mod survivors;
mod union_find;

pub use components::{Components, connected_components};
pub use keep_order::KeepOrder;
pub use survivors::{Fate, Survivors, survivors, survivors_among_candidates};
pub use union_find::UnionFind;

use crate::error::{Error, Result};

/// The largest number of documents that can be clustered at a time, 2^32 - 1. An index holds as many.
pub const MAX_DOCUMENTS: usize = u32::MAX as usize;

/// Returns an error if there are more documents than can be clustered.
fn check_documents(n: usize) -> Result<()> {
    if n <= MAX_DOCUMENTS {
        return Ok(());
    }
    Err(Error::Capacity { what: "documents", found: n as u64, most: MAX_DOCUMENTS as u64 })
}
