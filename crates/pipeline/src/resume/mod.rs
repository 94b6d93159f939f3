//! How a run survives a kill: the folder with its work, whose run is in a target, and what makes two runs the same.

pub(crate) mod begin;
pub(crate) mod claim;
pub(crate) mod decisions_file;
pub(crate) mod identity;
pub(crate) mod work;
