//! The native part of `lookalike.compat`: the sketches and tables of other libraries, with the algorithms of
//! lookalike.

mod bands;
mod blocks;
mod forest;
mod hyperloglog;
mod methods;
mod minhash;
mod plans;
mod simhash;
mod slots;
mod stored_bands;
mod weighted;

pub(crate) use bands::CompatBandTable;
pub(crate) use blocks::CompatBlockTable;
pub(crate) use forest::CompatForest;
pub(crate) use hyperloglog::{compat_hyperloglog_tables, compat_hyperloglog_update};
pub(crate) use methods::{CompatKind, compat_quicken};
pub(crate) use minhash::{compat_bulk, compat_update_bytes, compat_update_hashes};
pub(crate) use plans::{compat_bands, compat_containment_bands, compat_partitions};
pub(crate) use simhash::{compat_simhash_features, compat_simhash_text, compat_simhash_vote};
pub(crate) use stored_bands::CompatStoredTable;
pub(crate) use weighted::compat_weighted;
