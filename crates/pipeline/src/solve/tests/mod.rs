//! What the solvers make of documents that were made by hand: a set of numbers, and four lanes in two bands of two.

mod arriving;
mod buckets;
mod bundles;
mod chunk;
mod dictionary;
mod near_misses;
mod prefixes;
mod solvers;

use super::chunk::{Chunk, Role, Span};
use super::{Found, Using};
use crate::method::Recipe;
use crate::{BandsAndRows, Settings, Silent};

/// Two bands of two rows, and a threshold of a half.
fn settings() -> Settings {
    let bands = Some(BandsAndRows { bands: 2, rows: 2 });
    Settings::default().with_hashes(4).with_bands(bands).with_threshold(0.5)
}

fn recipe() -> Recipe {
    Recipe::new(&settings()).unwrap()
}

fn using(threads: usize) -> Using<'static> {
    Using { threads, memory: 1 << 30, observer: &Silent }
}

/// Documents in keep order. Their numbers are not their places.
fn chunk(documents: &[([u16; 4], &[u64])]) -> Chunk {
    let mut chunk = Chunk::default();
    for (at, (lanes, set)) in documents.iter().enumerate() {
        chunk.numbers.push(number(at));
        chunk.roles.push(Role::Both);
        chunk.within.push([0; 2]);
        chunk.push_lanes(lanes);
        chunk.spans.push(Span { segment: at as u32, start: 0, end: set.len() as u32 });
        chunk.segments.push(set.to_vec());
    }
    chunk
}

/// The number of the document at a place.
fn number(at: usize) -> u64 {
    100 + 3 * at as u64
}

/// A found pair by places: the later document, the earlier one, their similarity.
fn by_place(found: &Found) -> (usize, usize, f64) {
    let place = |number: u64| (number as usize - 100) / 3;
    (place(found.number), place(found.other), found.evidence.similarity)
}
