//! The progress of a run, and the observer that watches it and can stop it.

pub(crate) mod observer;
pub(crate) mod pace;
pub(crate) mod timing;
