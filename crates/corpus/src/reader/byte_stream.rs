//! Stored bytes -> decompressed bytes, with a clear error if they are damaged.

use super::zstd_frame::window_of_first_frame;
use crate::{Compression, Error, Location, Result, Source, object, stdin};
use memchr::memchr;
use std::fs::File;
use std::io::{BufRead, BufReader, Cursor, ErrorKind, Read, Seek, SeekFrom};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// Number of compressed bytes per read.
const COMPRESSED_BUFFER: usize = 128 << 10;

/// The smallest window that a decompressor is allowed. zstd and xz use no more, except at their highest levels.
pub(crate) const LEAST_WINDOW: u64 = 8 << 20;

/// If a record is too long, this many bytes after its limit are read to learn its length.
const LOOKED_FOR_END: u64 = 256 << 20;

/// Number of first bytes of a zstd frame that are read. This is more than the longest header.
const FRAME_HEADER: u64 = 32;

/// The bytes of a source after decompression, in order.
pub(crate) struct ByteStream {
    name: String,
    /// Number of bytes before the next one.
    offset: u64,
    inner: Inner,
    /// Set if the system, not the decoder, reported the error.
    refused: Arc<AtomicBool>,
    compression: Compression,
    /// The window of the decompressor in bytes.
    window: u64,
}

enum Inner {
    /// A plain file, which supports seeking.
    File(File),
    Stream(Box<dyn Read + Send>),
    /// An object as it is stored. To continue at another position, another request is made.
    Object(object::Object, Box<dyn Read + Send>),
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
    /// Opens a source at its beginning. Its decompressor may use a window of at most `window` bytes.
    pub(crate) fn open(source: &Source, mut window: u64) -> Result<Self> {
        let refused = Arc::new(AtomicBool::new(false));
        let inner = match (&source.location, source.compression) {
            (Location::Local(path) | Location::Copy(path), Compression::None) => {
                Inner::File(open_file(path, &source.name)?)
            }
            (Location::Object(address), Compression::None) => {
                let object = object::Object::of(address, source.size, &source.stamp)?;
                Inner::Object(object.clone(), object.read_from(0))
            }
            (location, compression) => {
                let stored: Box<dyn Read + Send> = match location {
                    Location::Local(path) | Location::Copy(path) => Box::new(open_file(path, &source.name)?),
                    Location::Stdin => Box::new(stdin::Stdin),
                    Location::Pipe(pipe) => Box::new(pipe.clone()),
                    Location::Object(address) => {
                        object::Object::of(address, source.size, &source.stamp)?.read_from(0)
                    }
                    Location::Memory(_) => return Err(not_bytes(&source.name)),
                };
                let mut watched = Watched { stored, refused: Arc::clone(&refused) };
                let failure = |cause| Error::Io { action: "read", name: source.name.clone(), cause };
                let mut head = Vec::new();
                if compression == Compression::Zstd {
                    (&mut watched).take(FRAME_HEADER).read_to_end(&mut head).map_err(failure)?;
                    let wanted = window_of_first_frame(&head);
                    if wanted.is_some_and(|wanted| wanted > window) {
                        return Err(too_wide(&source.name, wanted, window));
                    }
                    // The caller has reserved memory for this window, so later frames may not have a larger one,
                    // except that the decompressor rounds windows up to powers of two.
                    window = wanted.map_or(window, |wanted| wanted.max(LEAST_WINDOW).next_power_of_two());
                }
                let whole = Cursor::new(head).chain(watched);
                Inner::Stream(decompress(whole, compression, window).map_err(failure)?)
            }
        };
        let (name, compression) = (source.name.clone(), source.compression);
        Ok(Self { name, offset: 0, inner, refused, compression, window })
    }

    /// The window of the decompressor in bytes.
    pub(crate) fn window(&self) -> u64 {
        match self.compression {
            Compression::Zstd | Compression::Xz => self.window,
            Compression::None | Compression::Gzip | Compression::Bzip2 => 0,
        }
    }

    /// The name of the source, for errors.
    pub(crate) fn name(&self) -> &str {
        &self.name
    }

    /// Reads some bytes. Returns 0 only at the end.
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

    /// The number of bytes up to and including the next line feed, or up to the end. This is a lower bound, because a
    /// line that never ends is not read completely. The bytes are read into `buffer` and lost.
    pub(crate) fn bytes_of_line(&mut self, buffer: &mut [u8]) -> Result<u64> {
        let mut bytes = 0;
        loop {
            let read = self.read(buffer)?;
            if let Some(at) = memchr(b'\n', &buffer[..read]) {
                return Ok(bytes + at as u64 + 1);
            }
            bytes += read as u64;
            if read == 0 || bytes > LOOKED_FOR_END {
                return Ok(bytes);
            }
        }
    }

    /// The number of bytes up to the end, with the same restriction.
    pub(crate) fn bytes_left(&mut self, buffer: &mut [u8]) -> Result<u64> {
        let mut bytes = 0;
        loop {
            match self.read(buffer)? {
                0 => return Ok(bytes),
                _ if bytes > LOOKED_FOR_END => return Ok(bytes),
                read => bytes += read as u64,
            }
        }
    }

    /// Moves forward to `offset`: by seeking or by another request where possible, otherwise by reading.
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
            Inner::Object(object, stream) if offset != self.offset => {
                *stream = object.clone().read_from(offset);
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
        if self.compression == Compression::None || self.refused.load(Ordering::Relaxed) {
            return Error::Io { action: "read", name, cause };
        }
        if wants_memory(&cause) {
            return too_wide(&name, None, self.window);
        }
        let kind = self.compression.name();
        let offset = self.offset;
        let cause = if cause.kind() == ErrorKind::UnexpectedEof {
            format!("its {kind} data is cut off at byte {offset} after decompression")
        } else {
            format!("its {kind} data cannot be decompressed beyond byte {offset} ({cause})")
        };
        Error::Damaged { name, cause }
    }
}

/// A table cannot be read as bytes.
fn not_bytes(name: &str) -> Error {
    Error::Invalid(format!("{name} is a table in memory, which has no bytes to read"))
}

fn open_file(path: &std::path::Path, name: &str) -> Result<File> {
    File::open(path).map_err(|cause| Error::Io { action: "read", name: name.to_owned(), cause })
}

/// The error for a source that needs a larger window than allowed. `wanted` is the window it needs, if known.
fn too_wide(name: &str, wanted: Option<u64>, allowed: u64) -> Error {
    Error::TooWide { name: name.to_owned(), wanted, allowed }
}

/// True if a decompressor needs more memory than it is allowed.
fn wants_memory(cause: &std::io::Error) -> bool {
    cause.kind() == ErrorKind::OutOfMemory || cause.to_string().contains(TOO_MUCH_MEMORY)
}

/// The message of zstd about a frame whose window is too large.
const TOO_MUCH_MEMORY: &str = "requires too much memory";

/// Decompresses up to the end of the last gzip member, Zstandard frame, bzip2 stream or xz stream. The window may be
/// at most `window` bytes.
pub(crate) fn decompress(
    stored: impl Read + Send + 'static,
    compression: Compression,
    window: u64,
) -> std::io::Result<Box<dyn Read + Send>> {
    if compression == Compression::None {
        return Ok(Box::new(stored));
    }
    let stored = BufReader::with_capacity(COMPRESSED_BUFFER, stored);
    Ok(match compression {
        Compression::None => Box::new(stored),
        Compression::Gzip => Box::new(Members { members: flate2::bufread::MultiGzDecoder::new(stored) }),
        Compression::Zstd => {
            let mut decoder = zstd::stream::read::Decoder::with_buffer(stored)?;
            decoder.window_log_max(window.max(LEAST_WINDOW).ilog2().min(LARGEST_WINDOW_LOG))?;
            Box::new(decoder)
        }
        Compression::Bzip2 => Box::new(bzip2::bufread::MultiBzDecoder::new(stored)),
        Compression::Xz => {
            // In addition to the window, the decompressor needs memory for tables.
            let kibibytes = window.max(LEAST_WINDOW).saturating_add(1 << 20) >> 10;
            let most = u32::try_from(kibibytes).unwrap_or(u32::MAX);
            Box::new(lzma_rust2::XzReader::new_mem_limit(stored, true, most))
        }
    })
}

/// The largest window of zstd, as the exponent of a power of two.
const LARGEST_WINDOW_LOG: u32 = 31;

/// gzip members, one after the other, up to the end of the stored bytes.
struct Members<R> {
    members: flate2::bufread::MultiGzDecoder<R>,
}

impl<R: BufRead> Read for Members<R> {
    fn read(&mut self, into: &mut [u8]) -> std::io::Result<usize> {
        let read = self.members.read(into)?;
        if read == 0 && !into.is_empty() && !self.members.get_mut().fill_buf()?.is_empty() {
            return Err(std::io::Error::new(ErrorKind::InvalidData, "bytes follow that are not gzip data"));
        }
        Ok(read)
    }
}

/// Notes when stored bytes cannot be read, to distinguish this from damaged bytes.
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
