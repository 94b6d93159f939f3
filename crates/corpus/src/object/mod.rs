//! Object stores: S3, Google Cloud Storage, Azure.
//!
//! ```text
//! address -> store and key -> ranges -> bytes            outputs -> objects below a prefix
//!             store            read                                  target
//! ```
//!
//! Sources are read in ranges of a fixed size, so that memory is bounded and a request that breaks is made again for
//! its range only. Every read is of the version that discovery found: an object that was replaced since is an error. Parquet files are not downloaded: their columns are read where they are.

#[cfg(feature = "parquet")]
mod cached;
mod credentials;
mod discovery;
mod read;
mod store;
mod target;

#[cfg(feature = "parquet")]
pub(crate) use cached::CachedObject;
pub(crate) use discovery::{changed, discover};
pub(crate) use read::Object;
#[cfg(feature = "memory-store")]
pub use store::memory_store;
pub(crate) use target::Prefix;

#[cfg(test)]
mod tests;
