//! Verified pairs -> clusters, and documents -> the ones that survive.
//!
//! Two answers to the question which look-alikes belong together:
//!
//! - [`survivors`]: who is kept. Documents are taken in a keep order, and one is removed when it is verified similar to
//!   one that was kept before it. Every removed document is similar to the very document it gives way to; similarity
//!   is never chained. This is the rule of deduplication.
//! - [`connected_components`]: the transitive closure. A and C share a cluster when a chain of pairs leads from one to
//!   the other, however different the two are. Right for exact copies; on near-duplicates a shared template
//!   can chain a whole collection into one cluster, so look before removing by it.
//!
//! Both depend on the set of pairs and the keep order only, never on the order in which pairs are found.
//!
//! ```
//! use lookalike::clustering::{Fate, KeepOrder, connected_components, survivors};
//! use lookalike::verification::Pair;
//!
//! // 0 ~ 1 ~ 2, but 0 and 2 are different: 2 stays, because 1, its only look-alike, is gone.
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

/// The most documents that can be clustered at a time, 2^32 - 1: as many as fit one index.
pub const MAX_DOCUMENTS: usize = u32::MAX as usize;

/// An error if there are more documents than can be clustered.
fn check_documents(n: usize) -> Result<()> {
    if n <= MAX_DOCUMENTS {
        return Ok(());
    }
    Err(Error::Capacity { what: "documents", found: n as u64, most: MAX_DOCUMENTS as u64 })
}
