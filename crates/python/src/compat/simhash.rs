//! Texts and features -> the fingerprints of the Python package simhash.
//!
//! There a feature is hashed by MD5, of which the last f bits are taken, and bit i of the fingerprint is 1 where more
//! than half of the weight has it.

use lookalike::compat::WideSums;
use lookalike::simhash::majority;
use md5::{Digest, Md5};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyString};

use crate::errors::{Raise, setting};

/// Characters of a feature of a text.
const WIDTH: usize = 4;

fn hash(feature: &[u8]) -> u128 {
    u128::from_be_bytes(Md5::digest(feature).0)
}

/// The last `bits` bits, as many as a digest has at most.
fn check_bits(bits: u32) -> PyResult<u128> {
    match bits {
        1..=128 => Ok(u128::MAX >> (128 - bits)),
        _ => Err(setting(format_args!("f = {bits}: MD5 has 128 bits; give a hashfunc that has more"))),
    }
}

/// The fingerprint of all runs of four characters of a text, as many times as they occur.
#[pyfunction]
pub(crate) fn compat_simhash_text(py: Python<'_>, content: &str, bits: u32) -> PyResult<u128> {
    let mask = check_bits(bits)?;
    Ok(py.detach(|| {
        let mut starts: Vec<usize> = content.char_indices().map(|(start, _)| start).collect();
        starts.push(content.len());
        // A text of fewer characters is one feature, an empty one too.
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

/// The bits of the hashes, one after the other in `hashes`, whose weights sum to more than `limit`.
#[pyfunction]
pub(crate) fn compat_simhash_vote<'py>(
    py: Python<'py>,
    hashes: &[u8],
    weights: Vec<f64>,
    width: usize,
    limit: f64,
) -> PyResult<Bound<'py, PyBytes>> {
    if weights.len().checked_mul(width) != Some(hashes.len()) {
        return Err(setting(format_args!("{} hashes of {width} bytes in {}", weights.len(), hashes.len())));
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
