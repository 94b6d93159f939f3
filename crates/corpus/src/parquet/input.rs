//! A file or an object -> the ranges of it that the Parquet reader asks for.

#[cfg(feature = "object-store")]
use crate::object::CachedObject;
use crate::{Compression, Error, Location, Result, Source};
use bytes::Bytes;
use parquet::arrow::arrow_reader::{ArrowReaderMetadata, ArrowReaderOptions};
use parquet::errors::{ParquetError, Result as ParquetResult};
use parquet::file::reader::{ChunkReader, Length};
use std::fs::File;
use std::io::{self, Read};
use std::sync::Arc;

/// An open Parquet file.
#[derive(Debug, Clone)]
pub(crate) enum Input {
    File(Arc<File>),
    #[cfg(feature = "object-store")]
    Object(Arc<CachedObject>),
}

impl Input {
    /// Opens `source` and reads its footer.
    pub(crate) fn open(source: &Source) -> Result<(Self, ArrowReaderMetadata)> {
        if source.compression != Compression::None {
            return Err(Error::Invalid(format!(
                "{} is a compressed Parquet file, which has to be read in any order; decompress it first",
                source.name
            )));
        }
        let input = match &source.location {
            Location::Local(path) | Location::Copy(path) => {
                let file = File::open(path).map_err(|cause| Error::Io {
                    action: "read",
                    name: source.name.clone(),
                    cause,
                })?;
                Self::File(Arc::new(file))
            }
            Location::Stdin | Location::Pipe(_) => {
                return Err(Error::Invalid(
                    "Parquet cannot be read from standard input or a pipe, as its end must be read first; name the file"
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
                Self::Object(Arc::new(CachedObject::new(object)))
            }
            #[cfg(not(feature = "object-store"))]
            Location::Object(address) => {
                return Err(match crate::object::Object::of(address, 0, &source.stamp) {
                    Err(error) => error,
                    Ok(_) => Error::Invalid(format!("{address} cannot be read")),
                });
            }
        };
        let metadata = ArrowReaderMetadata::load(&input, ArrowReaderOptions::new())
            .map_err(|cause| damaged(&source.name, cause))?;
        #[cfg(feature = "object-store")]
        if let Self::Object(object) = &input {
            // Each column is read from one end to the other, so two pieces of each are enough.
            object.set_capacity(2 * metadata.parquet_schema().num_columns());
        }
        Ok((input, metadata))
    }
}

impl Length for Input {
    fn len(&self) -> u64 {
        match self {
            Self::File(file) => Length::len(file.as_ref()),
            #[cfg(feature = "object-store")]
            Self::Object(object) => object.size(),
        }
    }
}

impl ChunkReader for Input {
    type T = Box<dyn Read>;

    fn get_read(&self, start: u64) -> ParquetResult<Self::T> {
        match self {
            Self::File(file) => Ok(Box::new(file.get_read(start)?)),
            #[cfg(feature = "object-store")]
            Self::Object(object) => Ok(Box::new(CachedObject::read_from(object, start))),
        }
    }

    fn get_bytes(&self, start: u64, length: usize) -> ParquetResult<Bytes> {
        match self {
            Self::File(file) => file.get_bytes(start, length),
            #[cfg(feature = "object-store")]
            Self::Object(object) => {
                object.range(start, length).map_err(|cause| ParquetError::External(Box::new(cause)))
            }
        }
    }
}

/// What the Parquet reader said, as an error about the source.
pub(crate) fn damaged(name: &str, cause: ParquetError) -> Error {
    let name = name.to_owned();
    match cause {
        ParquetError::External(inner) => match inner.downcast::<io::Error>() {
            Ok(cause) if cause.kind() != io::ErrorKind::UnexpectedEof => {
                Error::Io { action: "read", name, cause: *cause }
            }
            Ok(cause) => Error::Damaged { name, cause: format!("its Parquet data is cut off ({cause})") },
            Err(cause) => Error::Damaged { name, cause: cause.to_string() },
        },
        cause => Error::Damaged { name, cause: format!("it cannot be read as Parquet ({cause})") },
    }
}
