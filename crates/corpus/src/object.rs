//! Object stores: S3, Google Cloud Storage, Azure.

use crate::{Discovery, Result, Source};
use std::io::Read;

/// The sources that the address `argument` names: an object, or all objects below a prefix, bytewise by key.
pub(crate) fn discover(_argument: &str, _how: &Discovery) -> Result<Vec<Source>> {
    unimplemented!()
}

/// The bytes of the object at `address` from `offset` on, as they are stored.
pub(crate) fn open(_address: &str, _offset: u64) -> Result<Box<dyn Read + Send>> {
    unimplemented!()
}
