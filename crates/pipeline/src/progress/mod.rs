//! How far along a run is, who watches it, and who may stop it.

pub(crate) mod observer;
pub(crate) mod pace;
pub(crate) mod timing;
