//! How a run stays within its limits: memory is reserved before it is used, sorts and lists are written to files if
//! they do not fit in memory, and there is one pool of threads.

pub(crate) mod bits;
pub(crate) mod lists;
pub(crate) mod machine;
pub(crate) mod marks;
pub(crate) mod memory;
pub(crate) mod ordered;
pub(crate) mod reading;
pub(crate) mod sorted;
