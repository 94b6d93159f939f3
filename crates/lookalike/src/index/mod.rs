//! (being written)
#[cfg(test)]
pub(crate) mod reference;
