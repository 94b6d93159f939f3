//! Edges -> connected sets, in rounds that an engine repeats until nothing changes.
//!
//! A round is a *large star* and then a *small star* (R. Kiveris, S. Lattanzi, V. Mirrokni, V. Rastogi and S. Vassilvitskii,
//! "Connected components in MapReduce and beyond", 2014). Each looks at one document and its neighbours at a time, and
//! makes no more edges than it was given. After about log n rounds (in practice; the proof has its square) every document
//! has one edge, to the smallest id of its set:
//!
//! ```text
//! edges                                         a > b, as `edges` returns them
//! repeat
//!     both    = edges and (b, a) of each edge   grouped by a
//!     edges   = large_star(both)                grouped by a
//!     edges   = small_star(edges)
//! until the edges are those of the round before
//! components = (id: a, component: b) of each edge, and (id: b, component: b) of each b once
//! ```
//!
//! If all edges fit in one batch, [`edges`](crate::edges) of that batch are the answer already.

use crate::columns::ids;
use crate::edges::edge_batch;
use crate::{Error, Result};
use arrow_array::RecordBatch;

/// Connects the larger neighbours of each document with the smallest one. The batch has each edge in both directions (`a`,
/// `b`); the rows of one `a` must all be in it.
pub fn large_star(batch: &RecordBatch) -> Result<RecordBatch> {
    let edges = sorted(batch)?;
    edge_batch(edges.chunk_by(|x, y| x.0 == y.0).flat_map(|star| {
        // Neighbours are sorted, so the first is the smallest.
        let (centre, smallest) = (star[0].0, star[0].0.min(star[0].1));
        star.iter().filter(move |edge| edge.1 > centre).map(move |edge| (edge.1, smallest))
    }))
}

/// Connects each document and its neighbours, which are all smaller, with the smallest of them. The batch has edges as
/// [`large_star`] returns them, with `a` > `b`; the rows of one `a` must all be in it.
pub fn small_star(batch: &RecordBatch) -> Result<RecordBatch> {
    let edges = sorted(batch)?;
    if let Some((a, b)) = edges.iter().find(|(a, b)| a <= b) {
        return Err(Error::Batch(format!(
            "there is an edge from {a} to {b}, and edges must go from the larger id to the smaller"
        )));
    }
    edge_batch(edges.chunk_by(|x, y| x.0 == y.0).flat_map(|star| {
        let (centre, smallest) = star[0];
        let neighbours = star[1..].iter().map(move |edge| (edge.1, smallest));
        std::iter::once((centre, smallest)).chain(neighbours)
    }))
}

/// The edges of a batch, ascending, each once.
fn sorted(batch: &RecordBatch) -> Result<Vec<(i64, i64)>> {
    let (a, b) = (ids(batch, "a")?, ids(batch, "b")?);
    let mut edges: Vec<(i64, i64)> = a.values().iter().copied().zip(b.values().iter().copied()).collect();
    edges.sort_unstable();
    edges.dedup();
    Ok(edges)
}
