//! How a run survives a kill: its work folder, which run a target belongs to, and when two runs are the same.

pub(crate) mod begin;
pub(crate) mod claim;
pub(crate) mod decisions_file;
pub(crate) mod identity;
pub(crate) mod outputs;
pub(crate) mod work;
