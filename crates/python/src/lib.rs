//! `lookalike._native`: the native part of the Python package.
//!
//! It converts values between Python and Rust, releases the interpreter while it works, and turns errors into
//! exceptions. It has no algorithms of its own.

mod arrays;
mod blocks;
mod cluster;
mod command;
mod compat;
mod errors;
mod index;
mod jobs;
mod stages;
mod table;
mod watch;

use pyo3::prelude::*;

/// The native part of `lookalike`.
#[pymodule]
mod _native {
    use super::*;

    #[pymodule_export]
    use super::blocks::similarity::{
        containment, cosine, dice, edit_distance, jaccard, overlap_coefficient, weighted_jaccard,
    };
    #[pymodule_export]
    use super::blocks::{
        BBitMinHash, HammingIndex, HyperLogLog, Lsh, MinHash, SCurve, Shingler, Signature, Signatures,
        SimHash, WeightedMinHash,
    };
    #[pymodule_export]
    use super::cluster::{NativeClusterRun, NativeDeciding, add_tallies, connect, edges_of_links, members};
    #[pymodule_export]
    use super::command::run_command;
    #[pymodule_export]
    use super::compat::{
        CompatBandTable, CompatBlockTable, CompatForest, CompatKind, CompatStoredTable, compat_bands,
        compat_bulk, compat_containment_bands, compat_hyperloglog_tables, compat_hyperloglog_update,
        compat_partitions, compat_quicken, compat_simhash_features, compat_simhash_text, compat_simhash_vote,
        compat_update_bytes, compat_update_hashes, compat_weighted,
    };
    #[pymodule_export]
    use super::index::{NativeIndex, repair_index, restore_index};
    #[pymodule_export]
    use super::stages::{
        NativeStages, candidate_pairs, copies, edges, key_blocks, large_star, new_key, small_star,
    };
    #[pymodule_export]
    use super::table::ArrowTable;

    #[pymodule_init]
    fn init(module: &Bound<'_, PyModule>) -> PyResult<()> {
        module.add("__version__", env!("CARGO_PKG_VERSION"))?;
        jobs::register(module)
    }
}
