//! Documents of a crowded chunk -> for each the earlier ones that may be similar, by [segments](super::segments).
//!
//! Where pages of a template have text of their own, few may be similar to each, and this is found in time that grows with
//! the shingles, not with the pairs. Where many may be similar it gives up.

use super::Using;
use super::buckets::Lookup;
use super::chunk::{Chunk, Role};
use super::segments::{PATIENCE, Segments};
use crate::Result;
use crate::method::Recipe;

/// For each document of a chunk the earlier ones that may be similar.
#[derive(Debug)]
pub(super) struct Neighbours {
    /// Those of all documents, each ascending, and where those of each end.
    earlier: Vec<u32>,
    ends: Vec<usize>,
}

impl Neighbours {
    /// For a chunk, if the measure allows it, the memory that may be used is enough, and it seems that no more than `most`
    /// documents will be met.
    pub(super) fn new(chunk: &Chunk, recipe: &Recipe, using: Using<'_>, most: u64) -> Result<Option<Self>> {
        if !recipe.has_rare_shingles() || !chunk.has_sets() {
            return Ok(None);
        }
        // Those before this one are compared with nobody before them.
        let first = chunk.roles.iter().position(|&role| role != Role::Listed).unwrap_or(chunk.len());
        let mut segments = Segments::new(chunk.len(), using.memory);
        let mut made = Self { earlier: Vec::new(), ends: Vec::with_capacity(chunk.len()) };
        for at in 0..chunk.len() {
            using.observer.go_on()?;
            let elements = chunk.elements(at);
            let own = 8 * (made.earlier.capacity() + chunk.len()) as u64;
            let fits = segments.bytes_with(elements.len()).is_some_and(|bytes| bytes + own <= using.memory);
            // Pairs grow with the square of the documents: so many would be met in the end.
            let share = at as f64 / chunk.len() as f64;
            let is_crowded = segments.met() as f64 > PATIENCE as f64 + most as f64 * share * share;
            if !fits || is_crowded {
                return Ok(None);
            }
            let known = segments.begin(elements);
            if at >= first {
                segments.find_candidates(known, recipe);
                made.earlier.extend_from_slice(segments.candidates());
            }
            made.ends.push(made.earlier.len());
            segments.list(known, recipe);
        }
        Ok(Some(made))
    }

    /// The documents before `at` that may be similar to it, ascending.
    pub(super) fn of(&self, at: usize) -> &[u32] {
        let start = if at == 0 { 0 } else { self.ends[at - 1] };
        &self.earlier[start..self.ends[at]]
    }

    /// The same, as other indexes hand them out.
    pub(super) fn look_up_members(&self, at: usize, lookup: &mut Lookup) {
        lookup.found.clear();
        lookup.found.extend(self.of(at).iter().map(|&other| (other, 1)));
    }
}
