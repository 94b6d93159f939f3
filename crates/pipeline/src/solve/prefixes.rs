//! Many candidates -> those that share a rare shingle.
//!
//! Documents of one template share most of their shingles, and are candidates for each other by the million without
//! being similar enough. Comparing them one by one is quadratic. But put the shingles of every document in one order,
//! the rare ones first: two sets with an overlap of at least o have a common element among the first `|A| - o + 1` of
//! the one and the first `|B| - o + 1` of the other. What documents of a template do not share is rare and comes first,
//! so their beginnings have nothing in common, and they never meet. Nothing is lost: this is exact.
//!
//! Chaudhuri, Ganti and Kaushik, *A primitive operator for similarity joins in data cleaning* (2006), for the
//! beginnings; Bayardo, Ma and Srikant, *Scaling up all pairs similarity search* (2007), for the order.

use super::buckets::Buckets;
use super::chunk::Chunk;
use crate::method::{Means, Sketching};
use crate::{Measure, Verify};

/// A chunk is crowded if its buckets hold more pairs per document than this.
const CROWDED: u64 = if cfg!(test) { 3 } else { 64 };

/// Slots of the table in which shingles are counted. Two shingles in one slot count as one more frequent one, which
/// changes the order for all documents alike.
const COUNTED: usize = 1 << 21;

/// The key of documents without shingles.
const NO_SHINGLES: u64 = u64::MAX;

/// Buckets by rare shingles instead of bands, if the chunk is crowded and the measure allows it.
pub(crate) fn by_rare_shingles(
    chunk: &Chunk,
    means: &Means,
    bands: &Buckets,
    threads: usize,
) -> Option<Buckets> {
    let settings = &means.settings;
    let possible = matches!(means.sketching, Sketching::Bands { .. })
        && settings.verify == Verify::Exact
        && settings.measure == Measure::Jaccard;
    if !possible || bands.pairs() <= CROWDED * chunk.len() as u64 {
        return None;
    }
    let slot = |element: u64| {
        (element.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> (64 - COUNTED.trailing_zeros())) as usize
    };
    let mut counts = vec![0u32; COUNTED];
    for at in 0..chunk.len() {
        chunk.set(at).as_slice().iter().for_each(|&element| counts[slot(element)] += 1);
    }
    let (mut keys, mut ends, mut ordered) = (Vec::new(), Vec::with_capacity(chunk.len()), Vec::new());
    for at in 0..chunk.len() {
        let set = chunk.set(at).as_slice();
        ordered.clear();
        ordered.extend(set.iter().map(|&element| (counts[slot(element)], element)));
        let length = beginning(set.len(), means);
        if length < ordered.len() {
            ordered.select_nth_unstable(length);
        }
        keys.extend(ordered.iter().take(length).map(|&(_, element)| element));
        if set.is_empty() {
            keys.push(NO_SHINGLES);
        }
        ends.push(keys.len());
    }
    Some(Buckets::of_keys(keys, &ends, threads))
}

/// How many of its rarest elements a set of `size` must show.
fn beginning(size: usize, means: &Means) -> usize {
    // The other set is at best a subset: then the overlap is all of it.
    let (measure, threshold) = (means.verifier.measure(), means.verifier.threshold());
    let enough = |overlap: usize| measure.of_counts(size, overlap, overlap) >= threshold;
    let mut least = (size as f64 * threshold).ceil() as usize;
    while least > 0 && enough(least - 1) {
        least -= 1;
    }
    while least < size && !enough(least) {
        least += 1;
    }
    (size - least + 1).min(size)
}
