//! `lookalike._native`: what the Python package is made of.
//!
//! It converts, releases the interpreter while it works, and maps errors. It has no algorithm of its own.

mod blocks;
mod errors;

use pyo3::prelude::*;

/// The native part of `lookalike`.
#[pymodule]
mod _native {
    use super::*;

    // The building blocks.
    #[pymodule_export]
    use crate::blocks::similarity::{
        containment, cosine, dice, edit_distance, jaccard, overlap_coefficient, weighted_jaccard,
    };
    #[pymodule_export]
    use crate::blocks::{
        BBitMinHash, HammingIndex, Lsh, MinHash, SCurve, Shingler, Signature, Signatures, SimHash,
        WeightedMinHash,
    };

    #[pymodule_init]
    fn init(module: &Bound<'_, PyModule>) -> PyResult<()> {
        module.add("__version__", env!("CARGO_PKG_VERSION"))
    }
}
