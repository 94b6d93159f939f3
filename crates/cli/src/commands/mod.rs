//! What each command does: arguments -> settings -> a call of the pipeline -> output.

pub(crate) mod clusters;
pub(crate) mod completions;
pub(crate) mod dedup;
mod job;
pub(crate) mod man;
pub(crate) mod pairs;
pub(crate) mod presets;
pub(crate) mod query;
pub(crate) mod reference;
pub(crate) mod sketch;
