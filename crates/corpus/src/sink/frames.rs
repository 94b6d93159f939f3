//! Bytes -> compressed frames. Each frame holds the same number of bytes before compression.
//!
//! ```text
//! bytes -> frames of 4 MiB -> gzip members, zstd frames, bzip2 or xz streams, by several threads -> one file, in order
//! ```
//!
//! A gzip file may have any number of members, a zstd file any number of frames, a bzip2 or xz file any number of
//! streams. A frame always holds the same bytes, so the output does not depend on the number of threads. Frames are
//! independent of each other, so threads need not wait for each other. The cost is that no match can reach back
//! across the beginning of a frame: far below 1 % of the size with frames of 4 MiB.
//!
//! At most twice as many frames as threads are in progress: 8 MiB per thread, plus 4 MiB for the frame that is being
//! filled, plus their compressed form. For text the compressed form takes a few MiB; for bytes that cannot be
//! compressed, the same amount again.

use crate::Compression;
use std::any::Any;
use std::collections::VecDeque;
use std::io::{self, Write};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::mpsc::{Receiver, Sender, SyncSender, channel, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;

/// Bytes of a frame before compression. This value changes the bytes of outputs.
const FRAME: usize = 4 << 20;
/// The default level of zlib.
const GZIP_LEVEL: u32 = 6;
/// The default level of Zstandard.
const ZSTD_LEVEL: i32 = 3;
/// A level of xz with a window of 1 MiB. Higher levels need so much memory per thread that a small memory limit would
/// be exceeded.
const XZ_LEVEL: u32 = 1;

/// Compresses the bytes that are written to it, frame by frame.
#[derive(Debug)]
pub(crate) struct Frames<W: Write> {
    inner: W,
    compression: Compression,
    /// The frame that is being filled.
    frame: Vec<u8>,
    begun: bool,
    workers: Option<Workers>,
}

impl<W: Write> Frames<W> {
    /// Compresses with `threads` additional threads. If `threads` is 0 or 1, the calling thread compresses.
    pub(crate) fn new(inner: W, compression: Compression, threads: usize) -> io::Result<Self> {
        let compress = move |frame: &[u8]| compress(compression, frame);
        let workers = if threads > 1 { Some(Workers::new(compress, threads)?) } else { None };
        Ok(Self { inner, compression, frame: Vec::new(), begun: false, workers })
    }

    /// Compresses and writes the last frame.
    pub(crate) fn finish(mut self) -> io::Result<W> {
        // An output without bytes must still be a valid file of its format: one empty frame.
        if !self.frame.is_empty() || !self.begun {
            self.end_frame()?;
        }
        if let Some(workers) = &mut self.workers {
            while let Some(compressed) = workers.next()? {
                self.inner.write_all(&compressed)?;
            }
        }
        Ok(self.inner)
    }

    fn end_frame(&mut self) -> io::Result<()> {
        self.begun = true;
        let Some(workers) = &mut self.workers else {
            let compressed = compress(self.compression, &self.frame)?;
            self.frame.clear();
            return self.inner.write_all(&compressed);
        };
        if workers.full()
            && let Some(compressed) = workers.next()?
        {
            self.inner.write_all(&compressed)?;
        }
        workers.submit(std::mem::take(&mut self.frame))
    }
}

impl<W: Write> Write for Frames<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if self.frame.capacity() == 0 {
            self.frame.reserve_exact(FRAME);
        }
        let taken = bytes.len().min(FRAME - self.frame.len());
        self.frame.extend_from_slice(&bytes[..taken]);
        if self.frame.len() == FRAME {
            self.end_frame()?;
        }
        Ok(taken)
    }

    /// Does nothing, because ending a frame early would change the bytes.
    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Compresses one gzip member, zstd frame, or bzip2 or xz stream.
fn compress(compression: Compression, bytes: &[u8]) -> io::Result<Vec<u8>> {
    match compression {
        Compression::None => Ok(bytes.to_vec()),
        Compression::Gzip => {
            // The header contains neither a time nor a name: they would make every run different.
            let mut encoder = flate2::GzBuilder::new()
                .write(Vec::with_capacity(bytes.len() / 2), flate2::Compression::new(GZIP_LEVEL));
            encoder.write_all(bytes)?;
            encoder.finish()
        }
        Compression::Zstd => {
            let mut compressor = zstd::bulk::Compressor::new(ZSTD_LEVEL)?;
            compressor.include_checksum(true)?;
            compressor.compress(bytes)
        }
        Compression::Bzip2 => {
            let mut encoder =
                bzip2::write::BzEncoder::new(Vec::with_capacity(bytes.len() / 4), bzip2::Compression::best());
            encoder.write_all(bytes)?;
            encoder.finish()
        }
        Compression::Xz => {
            let options = lzma_rust2::XzOptions::with_preset(XZ_LEVEL);
            let mut encoder = lzma_rust2::XzWriter::new(Vec::with_capacity(bytes.len() / 4), options)?;
            encoder.write_all(bytes)?;
            encoder.finish()
        }
    }
}

type Job = (Vec<u8>, SyncSender<io::Result<Vec<u8>>>);

/// Threads that compress frames, and the frames in progress, in order.
#[derive(Debug)]
struct Workers {
    jobs: Option<Sender<Job>>,
    pending: VecDeque<Receiver<io::Result<Vec<u8>>>>,
    threads: Vec<JoinHandle<()>>,
    most: usize,
}

impl Workers {
    /// Starts threads that call `compress`. If a thread cannot be started, this is an error, and the threads before
    /// it end.
    fn new(
        compress: impl Fn(&[u8]) -> io::Result<Vec<u8>> + Clone + Send + 'static,
        threads: usize,
    ) -> io::Result<Self> {
        let (jobs, receiver) = channel::<Job>();
        let receiver = Arc::new(Mutex::new(receiver));
        let mut workers =
            Self { jobs: Some(jobs), pending: VecDeque::new(), threads: Vec::new(), most: 2 * threads };
        for _ in 0..threads {
            let (receiver, compress) = (Arc::clone(&receiver), compress.clone());
            let thread = std::thread::Builder::new().spawn(move || work(compress, &receiver));
            workers.threads.push(thread.map_err(|cause| {
                io::Error::new(cause.kind(), format!("cannot start a thread for compression: {cause}"))
            })?);
        }
        Ok(workers)
    }

    fn full(&self) -> bool {
        self.pending.len() >= self.most
    }

    fn submit(&mut self, frame: Vec<u8>) -> io::Result<()> {
        let (result, receiver) = sync_channel(1);
        self.pending.push_back(receiver);
        self.jobs
            .as_ref()
            .and_then(|jobs| jobs.send((frame, result)).ok())
            .ok_or_else(|| io::Error::other("all threads for compression have stopped"))
    }

    /// The oldest frame in progress, as soon as it is ready.
    fn next(&mut self) -> io::Result<Option<Vec<u8>>> {
        let Some(receiver) = self.pending.pop_front() else { return Ok(None) };
        receiver.recv().map_err(|_| io::Error::other("a thread for compression has stopped"))?.map(Some)
    }
}

impl Drop for Workers {
    fn drop(&mut self) {
        self.jobs = None;
        for thread in self.threads.drain(..) {
            // The thread does not panic: panics of the compressor are caught.
            let _ = thread.join();
        }
    }
}

fn work(compress: impl Fn(&[u8]) -> io::Result<Vec<u8>>, jobs: &Mutex<Receiver<Job>>) {
    loop {
        let job = jobs.lock().unwrap_or_else(PoisonError::into_inner).recv();
        let Ok((frame, result)) = job else { return };
        let compressed = catch_unwind(AssertUnwindSafe(|| compress(&frame)));
        // If the output was dropped, nobody waits for the result any more.
        let _ = result.send(compressed.unwrap_or_else(|panic| Err(panicked(panic.as_ref()))));
    }
}

/// A panic as an error.
fn panicked(panic: &(dyn Any + Send)) -> io::Error {
    let literal = panic.downcast_ref::<&str>().copied();
    let message = literal.or_else(|| panic.downcast_ref::<String>().map(String::as_str));
    let message = message.unwrap_or("the panic has no message");
    io::Error::other(format!("a bug in lookalike: {message}; please report it"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Read;

    fn compressed(compression: Compression, threads: usize, bytes: &[u8], piece: usize) -> Vec<u8> {
        let mut frames = Frames::new(Vec::new(), compression, threads).unwrap();
        for piece in bytes.chunks(piece) {
            frames.write_all(piece).unwrap();
        }
        frames.finish().unwrap()
    }

    fn plain(compression: Compression, bytes: &[u8]) -> Vec<u8> {
        let mut plain = Vec::new();
        match compression {
            Compression::None => plain = bytes.to_vec(),
            Compression::Gzip => {
                flate2::read::MultiGzDecoder::new(bytes).read_to_end(&mut plain).unwrap();
            }
            Compression::Zstd => plain = zstd::decode_all(bytes).unwrap(),
            Compression::Bzip2 => {
                bzip2::read::MultiBzDecoder::new(bytes).read_to_end(&mut plain).unwrap();
            }
            Compression::Xz => {
                lzma_rust2::XzReader::new(bytes, true).read_to_end(&mut plain).unwrap();
            }
        }
        plain
    }

    const ALL: [Compression; 4] = [Compression::Gzip, Compression::Zstd, Compression::Bzip2, Compression::Xz];

    /// Text that can be compressed, but not to almost nothing.
    fn text(length: usize) -> Vec<u8> {
        let mut state = 1_u64;
        (0..length)
            .map(|_| {
                state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
                b"etaoin shrdlu\n .."[(state >> 60) as usize]
            })
            .collect()
    }

    #[test]
    fn same_bytes_for_any_threads_and_pieces() {
        let bytes = text(3 * FRAME + 12_345);
        for compression in ALL {
            let one = compressed(compression, 1, &bytes, 1 << 20);
            assert_eq!(plain(compression, &one), bytes);
            assert_eq!(compressed(compression, 3, &bytes, 100_003), one, "{compression:?}");
            assert_eq!(compressed(compression, 2, &bytes, bytes.len()), one, "{compression:?}");
        }
    }

    #[test]
    fn frames_end_where_they_should() {
        for compression in ALL {
            for length in [0, 1, FRAME - 1, FRAME, FRAME + 1, 2 * FRAME] {
                let bytes = text(length);
                let written = compressed(compression, 2, &bytes, 1 << 20);
                assert!(!written.is_empty());
                let pieces: Vec<u8> = if length == 0 {
                    compress(compression, &[]).unwrap()
                } else {
                    bytes.chunks(FRAME).flat_map(|frame| compress(compression, frame).unwrap()).collect()
                };
                assert_eq!(written, pieces, "{compression:?} {length}");
            }
        }
    }

    #[test]
    fn gzip_carries_no_time() {
        let member = compress(Compression::Gzip, b"x").unwrap();
        assert_eq!(&member[..8], [0x1f, 0x8b, 8, 0, 0, 0, 0, 0]);
    }

    #[test]
    fn a_panic_of_a_thread_is_an_error_with_its_message_and_the_others_go_on() {
        for threads in [1, 2, 4] {
            let compress = |frame: &[u8]| {
                assert_ne!(frame, b"3", "not that frame");
                Ok(frame.to_vec())
            };
            let mut workers = Workers::new(compress, threads).unwrap();
            for frame in 0..8 {
                workers.submit(frame.to_string().into_bytes()).unwrap();
            }
            for frame in 0..8 {
                match workers.next() {
                    Ok(compressed) => assert_eq!(compressed.unwrap(), frame.to_string().into_bytes()),
                    Err(error) => {
                        assert!(frame == 3 && error.to_string().contains("not that frame"), "{error}");
                    }
                }
            }
        }
    }

    #[test]
    fn a_failing_writer_is_an_error() {
        struct Full;
        impl Write for Full {
            fn write(&mut self, _: &[u8]) -> io::Result<usize> {
                Err(io::Error::from(io::ErrorKind::StorageFull))
            }
            fn flush(&mut self) -> io::Result<()> {
                Ok(())
            }
        }
        for threads in [1, 2] {
            let mut frames = Frames::new(Full, Compression::Zstd, threads).unwrap();
            let result = frames.write_all(&text(6 * FRAME)).and_then(|()| frames.finish().map(|_| ()));
            assert_eq!(result.unwrap_err().kind(), io::ErrorKind::StorageFull);
        }
    }
}
