//! The library -> the figures of `docs/concepts`.
//!
//! Lines are formulae of the library, points and bars are what it does to sets and texts that are drawn with fixed
//! seeds. A file per group of pages; `tests/concepts.rs` compares what is drawn with what the pages show.

mod answers;
mod bands;
mod fingerprints;
mod sets;
mod signatures;

use figures::svg::Svg;
use lookalike::hashing::SplitMix64;

/// A figure and the name of its file.
pub(crate) type Drawing = (&'static str, Svg);

/// All figures.
pub(crate) fn drawings() -> lookalike::Result<Vec<Drawing>> {
    let groups = [
        sets::drawings()?,
        signatures::drawings()?,
        bands::drawings()?,
        fingerprints::drawings()?,
        answers::drawings()?,
    ];
    Ok(groups.into_iter().flatten().collect())
}

/// Two sets of `size` random elements together, of which the share `similarity` is in both and the rest is divided
/// evenly: their Jaccard similarity is `similarity`, to the nearest that the size allows.
fn pair_of_similarity(similarity: f64, size: usize, random: &mut SplitMix64) -> (Vec<u64>, Vec<u64>) {
    let alone = ((1.0 - similarity) * size as f64 / 2.0).round() as usize;
    let elements: Vec<u64> = (0..size).map(|_| random.next_u64()).collect();
    (elements[..size - alone].to_vec(), elements[alone..].to_vec())
}
