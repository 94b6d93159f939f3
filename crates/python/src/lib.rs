//! `lookalike._native`: what the Python package is made of.
//!
//! It converts, releases the interpreter while it works, and maps errors. It has no algorithm of its own.

mod compat;
mod errors;

use pyo3::prelude::*;

/// The native part of `lookalike`.
#[pymodule]
mod _native {
    use super::*;

    // lookalike.compat
    #[pymodule_export]
    use crate::compat::{
        CompatBandTable, CompatBlockTable, CompatForest, compat_bands, compat_bulk, compat_containment_bands,
        compat_partitions, compat_simhash_features, compat_simhash_text, compat_simhash_vote,
        compat_update_bytes, compat_update_hashes, compat_weighted,
    };

    #[pymodule_init]
    fn init(module: &Bound<'_, PyModule>) -> PyResult<()> {
        module.add("__version__", env!("CARGO_PKG_VERSION"))
    }
}
