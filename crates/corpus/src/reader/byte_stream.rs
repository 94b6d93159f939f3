//! Stored bytes -> the bytes that they stand for: decompressed, and where damage is, said so.

use crate::{Compression, Error, Location, Result, Source, object, stdin};
use memchr::memchr;
use std::fs::File;
use std::io::{BufRead, BufReader, ErrorKind, Read, Seek, SeekFrom};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// Bytes of a record that is too long are counted up to here, so that one that never ends is refused all the same.
const MOST_COUNTED: u64 = 4 << 30;

/// Compressed bytes that are read at once.
const COMPRESSED_BUFFER: usize = 128 << 10;

/// The bytes of a source after decompression, in order.
pub(crate) struct ByteStream {
    name: String,
    /// Bytes before the next one.
    offset: u64,
    inner: Inner,
    /// Set when the system, not the decoder, refused to read.
    refused: Arc<AtomicBool>,
    compression: Compression,
}

enum Inner {
    /// A plain file, which can seek.
    File(File),
    Stream(Box<dyn Read + Send>),
    /// An object as it is stored: another request takes up at another place.
    Object(String, Box<dyn Read + Send>),
}

impl std::fmt::Debug for ByteStream {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self { name, offset, .. } = self;
        formatter
            .debug_struct("ByteStream")
            .field("name", name)
            .field("offset", offset)
            .finish_non_exhaustive()
    }
}

impl ByteStream {
    /// Opens a source at its beginning.
    pub(crate) fn open(source: &Source) -> Result<Self> {
        let refused = Arc::new(AtomicBool::new(false));
        let inner = match (&source.location, source.compression) {
            (Location::Local(path), Compression::None) => Inner::File(open_file(path, &source.name)?),
            (Location::Object(address), Compression::None) => {
                Inner::Object(address.clone(), object::open(address, 0)?)
            }
            (location, compression) => {
                let stored: Box<dyn Read + Send> = match location {
                    Location::Local(path) => Box::new(open_file(path, &source.name)?),
                    Location::Stdin => Box::new(stdin::Stdin),
                    Location::Object(address) => object::open(address, 0)?,
                    Location::Memory(_) => return Err(not_bytes(&source.name)),
                };
                let watched = Watched { stored, refused: Arc::clone(&refused) };
                let stream = decompress(watched, compression).map_err(|cause| Error::Io {
                    action: "read",
                    name: source.name.clone(),
                    cause,
                })?;
                Inner::Stream(stream)
            }
        };
        Ok(Self { name: source.name.clone(), offset: 0, inner, refused, compression: source.compression })
    }

    /// The source, for errors.
    pub(crate) fn name(&self) -> &str {
        &self.name
    }

    /// Reads some bytes; 0 at the end only.
    pub(crate) fn read(&mut self, into: &mut [u8]) -> Result<usize> {
        let reader: &mut dyn Read = match &mut self.inner {
            Inner::File(file) => file,
            Inner::Stream(stream) | Inner::Object(_, stream) => stream,
        };
        loop {
            match reader.read(into) {
                Ok(read) => {
                    self.offset += read as u64;
                    return Ok(read);
                }
                Err(cause) if cause.kind() == ErrorKind::Interrupted => {}
                Err(cause) => return Err(self.failure(cause)),
            }
        }
    }

    /// How many bytes there are up to the next line feed, that included, or to the end; at least so many if there are
    /// very many. They are read over `buffer` and gone then.
    pub(crate) fn bytes_of_line(&mut self, buffer: &mut [u8]) -> Result<u64> {
        let mut bytes = 0;
        loop {
            let read = self.read(buffer)?;
            if let Some(at) = memchr(b'\n', &buffer[..read]) {
                return Ok(bytes + at as u64 + 1);
            }
            bytes += read as u64;
            if read == 0 || bytes >= MOST_COUNTED {
                return Ok(bytes);
            }
        }
    }

    /// How many bytes there are up to the end, likewise.
    pub(crate) fn bytes_left(&mut self, buffer: &mut [u8]) -> Result<u64> {
        let mut bytes = 0;
        loop {
            match self.read(buffer)? {
                0 => return Ok(bytes),
                _ if bytes >= MOST_COUNTED => return Ok(bytes),
                read => bytes += read as u64,
            }
        }
    }

    /// Goes forward to `offset`: by seeking or another request where that is possible, else by reading on.
    pub(crate) fn advance_to(&mut self, offset: u64) -> Result<()> {
        match &mut self.inner {
            Inner::File(file) => {
                let name = &self.name;
                file.seek(SeekFrom::Start(offset)).map_err(|cause| Error::Io {
                    action: "seek in",
                    name: name.clone(),
                    cause,
                })?;
                self.offset = offset;
            }
            Inner::Object(address, stream) if offset != self.offset => {
                *stream = object::open(address, offset)?;
                self.offset = offset;
            }
            Inner::Stream(_) | Inner::Object(..) => self.read_on_to(offset)?,
        }
        Ok(())
    }

    fn read_on_to(&mut self, offset: u64) -> Result<()> {
        let Some(mut left) = offset.checked_sub(self.offset) else {
            let name = &self.name;
            return Err(Error::Invalid(format!(
                "{name} cannot be read backwards: it is a stream or compressed"
            )));
        };
        let mut passed = vec![0; usize::try_from(left).unwrap_or(usize::MAX).min(COMPRESSED_BUFFER)];
        while left > 0 {
            let piece = usize::try_from(left).unwrap_or(usize::MAX).min(passed.len());
            let read = self.read(&mut passed[..piece])?;
            if read == 0 {
                return Err(Error::Damaged {
                    name: self.name.clone(),
                    cause: format!("it ends at byte {}, before byte {offset}: it has changed", self.offset),
                });
            }
            left -= read as u64;
        }
        Ok(())
    }

    fn failure(&self, cause: std::io::Error) -> Error {
        let name = self.name.clone();
        let kind = match self.compression {
            Compression::None => return Error::Io { action: "read", name, cause },
            _ if self.refused.load(Ordering::Relaxed) => return Error::Io { action: "read", name, cause },
            Compression::Gzip => "gzip",
            Compression::Zstd => "zstd",
        };
        let offset = self.offset;
        let cause = if cause.kind() == ErrorKind::UnexpectedEof {
            format!("its {kind} data is cut off at byte {offset} after decompression")
        } else {
            format!("its {kind} data cannot be decompressed beyond byte {offset} ({cause})")
        };
        Error::Damaged { name, cause }
    }
}

/// A table is not read as bytes.
fn not_bytes(name: &str) -> Error {
    Error::Invalid(format!("{name} is a table in memory, which has no bytes to read"))
}

fn open_file(path: &std::path::Path, name: &str) -> Result<File> {
    File::open(path).map_err(|cause| Error::Io { action: "read", name: name.to_owned(), cause })
}

/// Decompresses to the end of the last gzip member or Zstandard frame.
pub(crate) fn decompress(
    stored: impl Read + Send + 'static,
    compression: Compression,
) -> std::io::Result<Box<dyn Read + Send>> {
    Ok(match compression {
        Compression::None => Box::new(stored),
        Compression::Gzip => Box::new(Members {
            members: flate2::bufread::MultiGzDecoder::new(BufReader::with_capacity(
                COMPRESSED_BUFFER,
                stored,
            )),
        }),
        Compression::Zstd => Box::new(zstd::stream::read::Decoder::with_buffer(BufReader::with_capacity(
            COMPRESSED_BUFFER,
            stored,
        ))?),
    })
}

/// gzip members, one after the other, until the stored bytes end.
struct Members<R> {
    members: flate2::bufread::MultiGzDecoder<R>,
}

impl<R: BufRead> Read for Members<R> {
    fn read(&mut self, into: &mut [u8]) -> std::io::Result<usize> {
        let read = self.members.read(into)?;
        if read == 0 && !into.is_empty() && !self.members.get_mut().fill_buf()?.is_empty() {
            return Err(std::io::Error::new(ErrorKind::InvalidData, "bytes follow that are not gzip"));
        }
        Ok(read)
    }
}

/// Notes whether the stored bytes could not be read, to tell that from damage in them.
struct Watched {
    stored: Box<dyn Read + Send>,
    refused: Arc<AtomicBool>,
}

impl Read for Watched {
    fn read(&mut self, into: &mut [u8]) -> std::io::Result<usize> {
        let read = self.stored.read(into);
        if read.as_ref().is_err_and(|cause| cause.kind() != ErrorKind::Interrupted) {
            self.refused.store(true, Ordering::Relaxed);
        }
        read
    }
}
