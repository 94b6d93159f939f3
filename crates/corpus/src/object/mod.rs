//! Object stores: S3, Google Cloud Storage, Azure.
//!
//! ```text
//! address -> store and key -> ranges -> bytes            outputs -> objects below a prefix
//!             store            read                                  target
//! ```
//!
//! Sources are read in ranges of a fixed size. This bounds the memory, and a request that fails is repeated for its
//! range only. Every read asks for the version that discovery found: an object that was replaced in the meantime is
//! an error. Parquet files are not downloaded as a whole: only the needed columns are read.

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
