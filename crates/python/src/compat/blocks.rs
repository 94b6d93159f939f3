//! A table of fingerprints for `SimhashIndex`.

use lookalike::compat::BlockTable;
use pyo3::prelude::*;

use crate::errors::Raise;

/// A table of fingerprints by blocks of their bits. A fingerprint is given as little-endian bytes, in complete words.
#[pyclass(module = "lookalike._native")]
pub(crate) struct CompatBlockTable(BlockTable);

fn words(bytes: &[u8]) -> Vec<u64> {
    let word = |chunk: &[u8]| {
        let mut word = [0; 8];
        word[..chunk.len()].copy_from_slice(chunk);
        u64::from_le_bytes(word)
    };
    bytes.chunks(8).map(word).collect()
}

#[pymethods]
impl CompatBlockTable {
    #[new]
    fn new(bits: usize, max_distance: u32) -> PyResult<Self> {
        BlockTable::new(bits, max_distance).or_raise().map(Self)
    }

    fn insert(&mut self, fingerprint: &[u8]) -> PyResult<u32> {
        self.0.insert(&words(fingerprint)).or_raise()
    }

    fn remove(&mut self, position: u32) -> bool {
        self.0.remove(position)
    }

    /// The positions of the fingerprints within the distance.
    fn near(&self, fingerprint: &[u8]) -> PyResult<Vec<u32>> {
        let found = self.0.near(&words(fingerprint)).or_raise()?;
        Ok(found.into_iter().map(|(position, _)| position).collect())
    }

    fn bucket_count(&self) -> usize {
        self.0.bucket_count()
    }

    fn __len__(&self) -> usize {
        self.0.len()
    }
}
