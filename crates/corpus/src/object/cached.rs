//! An object -> ranges of it in any order, fetched in pieces of which the most recent ones are cached.
//!
//! A Parquet file is read in many small pieces from several columns at the same time. A request for each small piece
//! would wait for the network every time; fetching the whole file would need too much memory. So pieces of a fixed
//! size are fetched, and the cache holds two pieces for each column.

use super::read::Object;
use bytes::Bytes;
use std::collections::VecDeque;
use std::io::{self, Read};
use std::sync::{Arc, Mutex, PoisonError};

/// Size of a piece in bytes.
const PIECE: u64 = 1 << 20;
/// Smallest number of pieces in the cache.
const LEAST: usize = 8;

/// An object, and the pieces of it that were used last.
#[derive(Debug)]
pub(crate) struct CachedObject {
    object: Object,
    cache: Mutex<Cache>,
}

#[derive(Debug)]
struct Cache {
    /// The pieces, most recently used last.
    pieces: VecDeque<(u64, Bytes)>,
    capacity: usize,
}

impl CachedObject {
    pub(crate) fn new(object: Object) -> Self {
        let cache = Mutex::new(Cache { pieces: VecDeque::new(), capacity: LEAST });
        Self { object, cache }
    }

    pub(crate) fn size(&self) -> u64 {
        self.object.size
    }

    /// Sets how many pieces the cache holds.
    pub(crate) fn set_capacity(&self, pieces: usize) {
        self.cache.lock().unwrap_or_else(PoisonError::into_inner).capacity = pieces.max(LEAST);
    }

    /// The bytes of a range.
    pub(crate) fn range(&self, start: u64, length: usize) -> io::Result<Bytes> {
        let end = start.checked_add(length as u64).filter(|end| *end <= self.object.size);
        let end = end.ok_or(io::ErrorKind::UnexpectedEof)?;
        if length == 0 {
            return Ok(Bytes::new());
        }
        if length as u64 > PIECE {
            return self.object.range(start..end);
        }
        let first = self.piece_from(start)?;
        if first.len() >= length {
            return Ok(first.slice(..length));
        }
        let mut bytes = Vec::with_capacity(length);
        bytes.extend_from_slice(&first);
        let second = self.piece_from(start + first.len() as u64)?;
        let rest = length - bytes.len();
        bytes.extend_from_slice(second.get(..rest).ok_or(io::ErrorKind::UnexpectedEof)?);
        Ok(bytes.into())
    }

    /// Reads the bytes from `start` on.
    pub(crate) fn read_from(this: &Arc<Self>, start: u64) -> impl Read + use<> {
        CachedRead { object: Arc::clone(this), position: start }
    }

    /// The rest, from `start` on, of the piece that contains `start`. Empty at the end of the object.
    fn piece_from(&self, start: u64) -> io::Result<Bytes> {
        if start >= self.object.size {
            return Ok(Bytes::new());
        }
        let number = start / PIECE;
        let begin = number * PIECE;
        let mut cache = self.cache.lock().unwrap_or_else(PoisonError::into_inner);
        let bytes = match cache.pieces.iter().position(|(there, _)| *there == number) {
            Some(at) => cache.pieces.remove(at).map(|(_, bytes)| bytes).unwrap_or_default(),
            None => self.object.range(begin..self.object.size.min(begin + PIECE))?,
        };
        cache.pieces.push_back((number, bytes.clone()));
        while cache.pieces.len() > cache.capacity {
            cache.pieces.pop_front();
        }
        let from = usize::try_from(start - begin).expect("it is within a piece");
        if from > bytes.len() {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        Ok(bytes.slice(from..))
    }
}

struct CachedRead {
    object: Arc<CachedObject>,
    position: u64,
}

impl Read for CachedRead {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let piece = self.object.piece_from(self.position)?;
        let taken = buffer.len().min(piece.len());
        buffer[..taken].copy_from_slice(&piece[..taken]);
        self.position += taken as u64;
        Ok(taken)
    }
}
