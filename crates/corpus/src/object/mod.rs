//! Object stores: S3, Google Cloud Storage, Azure.
//!
//! ```text
//! address -> store and key -> ranges -> bytes            outputs -> objects below a prefix
//!             store            read                                  target
//! ```
//!
//! Sources are read in ranges of a fixed size, so that memory is bounded and a request that breaks is made again for
//! its range only. Parquet files are not downloaded: their columns are read where they are.

#[cfg(feature = "parquet")]
mod cached;
mod credentials;
mod discovery;
mod read;
mod store;
mod target;

#[cfg(feature = "parquet")]
pub(crate) use cached::CachedObject;
pub(crate) use discovery::discover;
pub(crate) use read::Object;
pub(crate) use target::Prefix;

use crate::Result;
use std::io::Read;

/// The bytes of the object at `address` from `offset` on, as they are stored.
pub(crate) fn open(address: &str, offset: u64) -> Result<Box<dyn Read + Send>> {
    Ok(Box::new(Object::open(address)?.read_from(offset)))
}

#[cfg(test)]
mod tests;
