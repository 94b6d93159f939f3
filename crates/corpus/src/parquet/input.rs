//! A file or an object -> the ranges of it that the Parquet reader asks for.

pub(super) use super::guard::Body;
use super::guard::{Divided, Pages, guarded};
#[cfg(feature = "object-store")]
use crate::object::CachedObject;
use crate::reader::too_large;
use crate::{Compression, Error, Location, Result, Source};
use bytes::Bytes;
use parquet::arrow::arrow_reader::{ArrowReaderMetadata, ArrowReaderOptions};
use parquet::errors::{ParquetError, Result as ParquetResult};
use parquet::file::FOOTER_SIZE;
use parquet::file::reader::{ChunkReader, Length};
use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// An open Parquet file.
#[derive(Debug, Clone)]
pub(crate) struct Input {
    stored: Stored,
    /// The largest page that is allowed, in bytes, stored and decompressed together.
    most_page_bytes: u64,
    /// The size of a page that was refused.
    refused: Arc<AtomicU64>,
    /// Of a body that is longer than [`LONG_BODY`] only the beginning is read, and this is noted here. `None` if every
    /// body is read as a whole.
    divided: Option<Arc<Divided>>,
}

/// The longest body of a page that is always read as a whole. The memory for a body of this size is taken once and used
/// again for each page; that for a longer one may be taken from the system each time.
const LONG_BODY: u64 = if cfg!(test) { 1 << 10 } else { 256 << 10 };

/// How much of a longer body is read: enough for its levels.
const BEGINNING: usize = if cfg!(test) { 64 } else { 16 << 10 };

#[derive(Debug, Clone)]
enum Stored {
    File(Arc<File>),
    #[cfg(feature = "object-store")]
    Object(Arc<CachedObject>),
}

impl Input {
    /// Opens `source` and reads its footer. A page that is larger than `most_page_bytes`, stored and decompressed
    /// together, is refused when it is reached.
    pub(crate) fn open(source: &Source, most_page_bytes: u64) -> Result<(Self, ArrowReaderMetadata)> {
        if source.compression != Compression::None {
            return Err(Error::Invalid(format!(
                "{} is a compressed Parquet file, which cannot be read because Parquet needs random access; \
                 decompress it first",
                source.name
            )));
        }
        let stored = match &source.location {
            Location::Local(path) | Location::Copy(path) => {
                let file = File::open(path).map_err(|cause| Error::Io {
                    action: "read",
                    name: source.name.clone(),
                    cause,
                })?;
                Stored::File(Arc::new(file))
            }
            Location::Stdin | Location::Pipe(_) => {
                return Err(Error::Invalid(
                    "Parquet cannot be read from standard input or a pipe, because its end must be read \
                     first; give the file itself"
                        .to_owned(),
                ));
            }
            Location::Memory(_) => {
                return Err(Error::Invalid(format!(
                    "{} is a table in memory, not a Parquet file",
                    source.name
                )));
            }
            #[cfg(feature = "object-store")]
            Location::Object(address) => {
                let object = crate::object::Object::of(address, source.size, &source.stamp)?;
                Stored::Object(Arc::new(CachedObject::new(object)))
            }
            #[cfg(not(feature = "object-store"))]
            Location::Object(address) => {
                return Err(match crate::object::Object::of(address, 0, &source.stamp) {
                    Err(error) => error,
                    Ok(_) => Error::Invalid(format!("{address} cannot be read")),
                });
            }
        };
        let input = Self { stored, most_page_bytes, refused: Arc::default(), divided: None };
        let load = || ArrowReaderMetadata::load(&input, ArrowReaderOptions::new());
        let metadata = guarded(&source.name, load)?;
        #[cfg(feature = "object-store")]
        if let Stored::Object(object) = &input.stored {
            // Each column is read from beginning to end, so two pieces of each column are enough.
            object.set_capacity(2 * metadata.parquet_schema().num_columns());
        }
        Ok((input, metadata))
    }
}

impl Input {
    /// Calls the Parquet crate for the rows from `row` on. An error if the crate fails, panics, or reaches a page
    /// that is too large.
    pub(crate) fn read<T>(&self, name: &str, row: u64, call: impl FnOnce() -> ParquetResult<T>) -> Result<T> {
        guarded(name, call).map_err(|error| match self.refused.load(Ordering::Relaxed) {
            0 => error,
            bytes => too_large(name, row + 1, "page", bytes),
        })
    }

    /// True if any bytes can be read at no more than the cost of a call to the system.
    pub(super) fn is_local_file(&self) -> bool {
        match &self.stored {
            Stored::File(_) => true,
            #[cfg(feature = "object-store")]
            Stored::Object(_) => false,
        }
    }

    /// The same input for one column whose long pages are divided.
    pub(super) fn dividing(&self) -> Self {
        Self { divided: Some(Arc::default()), ..self.clone() }
    }

    /// The whole body of the page that was read last, if only its beginning was read.
    pub(super) fn take_rest(&self) -> Option<Body> {
        self.divided.as_ref().and_then(|divided| divided.replace_rest(None))
    }

    /// True if the memory allows to read a body as a whole. As the header of such a page is not checked, the body is
    /// counted twice: stored, and decoded.
    pub(super) fn allows(&self, body: &Body) -> bool {
        body.bytes().saturating_mul(2) <= self.most_page_bytes
    }

    /// Reads a body as a whole. An error if it is too large.
    pub(super) fn whole_body(&self, body: &Body) -> ParquetResult<Bytes> {
        self.refuse_above(body.bytes().saturating_mul(2), "page")?;
        self.stored_bytes(body.begin, usize::try_from(body.bytes())?)
    }

    /// An error if a value is too long. A value that is read alone takes as much memory as a page that holds only this
    /// value.
    pub(super) fn check_value(&self, bytes: u64) -> ParquetResult<()> {
        self.refuse_above(bytes.saturating_mul(2), "value")
    }

    /// An error if the places of the values of a dictionary take too much memory.
    pub(super) fn check_dictionary(&self, bytes: u64) -> ParquetResult<()> {
        self.refuse_above(bytes, "dictionary")
    }

    fn refuse_above(&self, bytes: u64, what: &str) -> ParquetResult<()> {
        if bytes <= self.most_page_bytes {
            return Ok(());
        }
        self.refused.store(bytes, Ordering::Relaxed);
        Err(ParquetError::General(format!("a {what} of {bytes} bytes is too large")))
    }

    /// Reads `length` bytes from `start` on to the end of `into`.
    pub(super) fn append(&self, start: u64, length: u64, into: &mut Vec<u8>) -> ParquetResult<()> {
        match &self.stored {
            Stored::File(file) => {
                let mut file = file.as_ref();
                file.seek(SeekFrom::Start(start))?;
                let read = file.take(length).read_to_end(into)? as u64;
                if read < length {
                    return Err(ParquetError::EOF(format!(
                        "{length} bytes at byte {start} are beyond its end"
                    )));
                }
            }
            #[cfg(feature = "object-store")]
            Stored::Object(_) => into.extend_from_slice(&self.stored_bytes(start, usize::try_from(length)?)?),
        }
        Ok(())
    }

    fn stored_bytes(&self, start: u64, length: usize) -> ParquetResult<Bytes> {
        match &self.stored {
            Stored::File(file) => file.get_bytes(start, length),
            #[cfg(feature = "object-store")]
            Stored::Object(object) => {
                object.range(start, length).map_err(|cause| ParquetError::External(Box::new(cause)))
            }
        }
    }
}

impl Length for Input {
    fn len(&self) -> u64 {
        match &self.stored {
            Stored::File(file) => Length::len(file.as_ref()),
            #[cfg(feature = "object-store")]
            Stored::Object(object) => object.size(),
        }
    }
}

impl ChunkReader for Input {
    type T = Box<dyn Read>;

    fn get_read(&self, start: u64) -> ParquetResult<Self::T> {
        let stored: Box<dyn Read> = match &self.stored {
            Stored::File(file) => Box::new(file.get_read(start)?),
            #[cfg(feature = "object-store")]
            Stored::Object(object) => Box::new(CachedObject::read_from(object, start)),
        };
        // The crate reads the end of the file and the beginnings of pages in this way.
        if start.saturating_add(FOOTER_SIZE as u64) >= self.len() {
            return Ok(stored);
        }
        let pages = Pages::new(stored, self.most_page_bytes, Arc::clone(&self.refused));
        Ok(Box::new(pages.dividing(self.divided.clone())))
    }

    fn get_bytes(&self, start: u64, length: usize) -> ParquetResult<Bytes> {
        // A damaged file may state any length.
        if start.checked_add(length as u64).is_none_or(|end| end > self.len()) {
            return Err(ParquetError::EOF(format!("{length} bytes at byte {start} are beyond its end")));
        }
        let Some(divided) = &self.divided else { return self.stored_bytes(start, length) };
        let is_long = length as u64 > LONG_BODY.min(self.most_page_bytes / 2);
        if is_long && divided.can_be_divided() {
            divided.replace_rest(Some(Body { begin: start, end: start + length as u64 }));
            return self.stored_bytes(start, BEGINNING.min(length));
        }
        divided.replace_rest(None);
        self.stored_bytes(start, length)
    }
}

/// An error of the Parquet reader, as an error about the source.
pub(crate) fn damaged(name: &str, cause: ParquetError) -> Error {
    let name = name.to_owned();
    match cause {
        ParquetError::External(inner) => match inner.downcast::<io::Error>() {
            Ok(cause) if cause.kind() == io::ErrorKind::InvalidData => {
                Error::Damaged { name, cause: cause.to_string() }
            }
            Ok(cause) if cause.kind() != io::ErrorKind::UnexpectedEof => {
                Error::Io { action: "read", name, cause: *cause }
            }
            Ok(cause) => Error::Damaged { name, cause: format!("its Parquet data is cut off ({cause})") },
            Err(cause) => Error::Damaged { name, cause: cause.to_string() },
        },
        cause => Error::Damaged { name, cause: format!("it cannot be read as Parquet ({cause})") },
    }
}
