//! How a run stays within its limits: memory that is reserved before it is taken, sorts and lists that go to files, and
//! one pool of threads.

pub(crate) mod bits;
pub(crate) mod lists;
pub(crate) mod machine;
pub(crate) mod memory;
pub(crate) mod ordered;
pub(crate) mod sorted;
