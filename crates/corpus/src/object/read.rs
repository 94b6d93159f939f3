//! An object -> its bytes: ranges of a fixed size. The next range is requested while the current one is used.

use super::store::{Address, answered, io_error, runtime, stamp, unmodified_since};
use crate::{Error, Result, Stamp};
use bytes::Bytes;
use object_store::path::Path;
use object_store::{GetOptions, ObjectMeta, ObjectStore, ObjectStoreExt};
use std::io::{self, Read};
use std::ops::Range;
use std::sync::Arc;
use tokio::runtime::Handle;
use tokio::task::JoinHandle;

/// Size of a range in bytes. It is large enough that the time to the first byte does not matter, and small enough to
/// hold two ranges in memory.
const RANGE: u64 = 8 << 20;

/// An object that is open for reading. Every range comes from the same version of it.
#[derive(Debug, Clone)]
pub(crate) struct Object {
    store: Arc<dyn ObjectStore>,
    path: Path,
    runtime: &'static Handle,
    /// The address, for messages.
    pub(crate) name: String,
    pub(crate) size: u64,
    pub(crate) stamp: Stamp,
}

impl Object {
    /// The object at `address`; `None` if it does not exist.
    pub(crate) fn find(address: &Address) -> Result<Option<Self>> {
        let (path, runtime) = (address.path()?, runtime()?);
        let meta = match runtime.block_on(answered(address.store.head(&path))) {
            Ok(meta) => meta,
            Err(object_store::Error::NotFound { .. }) => return Ok(None),
            Err(cause) => return Err(address.error("read", cause)),
        };
        Self::from_listing(address, &meta).map(Some)
    }

    /// The object at `address`, which a listing of the store described by `meta`.
    pub(crate) fn from_listing(address: &Address, meta: &ObjectMeta) -> Result<Self> {
        Ok(Self {
            store: Arc::clone(&address.store),
            path: meta.location.clone(),
            runtime: runtime()?,
            name: address.written(),
            size: meta.size,
            stamp: stamp(meta),
        })
    }

    /// An error of the store, as an error about this object.
    pub(crate) fn error(&self, cause: object_store::Error) -> Error {
        Error::Io { action: "read", name: self.name.clone(), cause: io_error(cause) }
    }

    /// The object at `address` with the size and the stamp that discovery found. No request is made yet.
    pub(crate) fn of(address: &str, size: u64, stamp: &Stamp) -> Result<Self> {
        let address = Address::new(address)?;
        Ok(Self {
            path: address.path()?,
            runtime: runtime()?,
            name: address.written(),
            store: address.store,
            size,
            stamp: stamp.clone(),
        })
    }

    /// The bytes of a range.
    pub(crate) fn range(&self, range: Range<u64>) -> io::Result<Bytes> {
        self.runtime.block_on(answered(self.fetch(range))).map_err(io_error)
    }

    pub(crate) fn fetch(
        &self,
        range: Range<u64>,
    ) -> impl Future<Output = object_store::Result<Bytes>> + use<> {
        let (store, path) = (Arc::clone(&self.store), self.path.clone());
        let mut options = GetOptions { range: Some(range.into()), ..GetOptions::default() };
        match &self.stamp {
            Stamp::Tag(tag) => options.if_match = Some(tag.clone()),
            stamp => options.if_unmodified_since = unmodified_since(stamp),
        }
        async move { store.get_opts(&path, options).await?.bytes().await }
    }

    /// Reads the bytes from `offset` on.
    pub(crate) fn read_from(self, offset: u64) -> Box<dyn Read + Send> {
        Box::new(ObjectRead { object: self, position: offset, current: Bytes::new(), next: None })
    }
}

/// Reads an object from beginning to end.
#[derive(Debug)]
pub(crate) struct ObjectRead {
    object: Object,
    /// Where the next range to request begins.
    position: u64,
    current: Bytes,
    next: Option<JoinHandle<object_store::Result<Bytes>>>,
}

impl ObjectRead {
    /// Requests the next range, if there is one.
    fn ask(&mut self) {
        let end = self.object.size.min(self.position + RANGE);
        if self.position < end {
            self.next = Some(self.object.runtime.spawn(self.object.fetch(self.position..end)));
            self.position = end;
        }
    }
}

impl Read for ObjectRead {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.current.is_empty() {
            if self.next.is_none() {
                self.ask();
            }
            let Some(next) = self.next.take() else { return Ok(0) };
            let answer = async {
                next.await.unwrap_or_else(|failed| Err(object_store::Error::JoinError { source: failed }))
            };
            self.current = self.object.runtime.block_on(answered(answer)).map_err(io_error)?;
            if self.current.is_empty() {
                return Err(io::ErrorKind::UnexpectedEof.into());
            }
            self.ask();
        }
        let taken = buffer.len().min(self.current.len());
        buffer[..taken].copy_from_slice(&self.current.split_to(taken));
        Ok(taken)
    }
}

impl Drop for ObjectRead {
    fn drop(&mut self) {
        if let Some(next) = &self.next {
            next.abort();
        }
    }
}
