//! The commands. Each one goes from arguments to settings, calls the pipeline, and prints the output.

pub(crate) mod clusters;
pub(crate) mod compare;
pub(crate) mod completions;
pub(crate) mod dedup;
pub(crate) mod evaluate;
mod files;
pub(crate) mod index;
mod indexes;
pub(crate) mod inspect;
mod job;
pub(crate) mod label;
pub(crate) mod man;
pub(crate) mod pairs;
pub(crate) mod plan;
pub(crate) mod presets;
pub(crate) mod query;
mod records;
pub(crate) mod reference;
pub(crate) mod report;
#[cfg(feature = "server")]
pub(crate) mod serve;
pub(crate) mod sketch;
