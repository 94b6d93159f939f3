//! Texts and features -> the same fingerprints as those of the Python package simhash.
//!
//! That package hashes each feature with MD5 and takes the last f bits. Bit i of the fingerprint is 1 if features
//! with more than half of the total weight have a 1 there.

use lookalike::compat::WideSums;
use lookalike::simhash::majority;
use md5::{Digest, Md5};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyString};

use crate::errors::{Raise, setting};

/// The number of characters in a feature of a text.
const WIDTH: usize = 4;

fn hash(feature: &[u8]) -> u128 {
    u128::from_be_bytes(Md5::digest(feature).0)
}

/// A mask for the last `bits` bits. It is an error if an MD5 digest has fewer bits.
fn check_bits(bits: u32) -> PyResult<u128> {
    match bits {
        1..=128 => Ok(u128::MAX >> (128 - bits)),
        _ => Err(setting(format_args!("f = {bits}: MD5 has only 128 bits; use a hashfunc with more"))),
    }
}

/// The fingerprint of all sequences of four characters of a text. Repeated sequences count each time.
#[pyfunction]
pub(crate) fn compat_simhash_text(py: Python<'_>, content: &str, bits: u32) -> PyResult<u128> {
    let mask = check_bits(bits)?;
    Ok(py.detach(|| {
        let mut starts: Vec<usize> = content.char_indices().map(|(start, _)| start).collect();
        starts.push(content.len());
        // A text with fewer characters is one feature, even if it is empty.
        let features = starts.len().saturating_sub(WIDTH).max(1);
        let end = |i: usize| starts.get(i + WIDTH).copied().unwrap_or(content.len());
        majority((0..features).map(|i| (hash(&content.as_bytes()[starts[i]..end(i)]), 1))) & mask
    }))
}

/// The fingerprint of features with integer weights.
#[pyfunction]
pub(crate) fn compat_simhash_features(
    features: Vec<Bound<'_, PyString>>,
    weights: Option<Vec<u32>>,
    bits: u32,
) -> PyResult<u128> {
    let mask = check_bits(bits)?;
    if weights.as_ref().is_some_and(|weights| weights.len() != features.len()) {
        return Err(setting("there must be a weight for each feature"));
    }
    let mut hashes = Vec::with_capacity(features.len());
    for (i, feature) in features.iter().enumerate() {
        hashes.push((hash(feature.to_cow()?.as_bytes()), weights.as_ref().map_or(1, |weights| weights[i])));
    }
    Ok(majority(hashes) & mask)
}

/// The fingerprint of several hashes, which follow each other in `hashes`. A bit is 1 if the weights of the hashes
/// that have it sum to more than `limit`.
#[pyfunction]
pub(crate) fn compat_simhash_vote<'py>(
    py: Python<'py>,
    hashes: &[u8],
    weights: Vec<f64>,
    width: usize,
    limit: f64,
) -> PyResult<Bound<'py, PyBytes>> {
    if weights.len().checked_mul(width) != Some(hashes.len()) {
        return Err(setting(format_args!(
            "{} hashes of {width} bytes do not fit in {} bytes",
            weights.len(),
            hashes.len()
        )));
    }
    let bits = py.detach(|| -> lookalike::Result<Vec<u8>> {
        let mut sums = WideSums::new(width)?;
        for (hash, &weight) in hashes.chunks_exact(width).zip(&weights) {
            sums.add(hash, weight)?;
        }
        Ok(sums.bits_above(limit))
    });
    Ok(PyBytes::new(py, &bits.or_raise()?))
}
