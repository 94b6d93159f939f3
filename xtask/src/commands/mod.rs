//! One file per command.

pub(crate) mod bench;
pub(crate) mod dist;
pub(crate) mod fuzz;
mod python;
mod readme;
mod schemathesis;
mod spark;
mod store;
pub(crate) mod tables;
pub(crate) mod test;
pub(crate) mod torture;
