//! The journals of a store, read before the store is opened.
//!
//! fjall replays its journals when a store is opened, and cuts each of them at the first place that it cannot read: what
//! came after that place is gone from the disk then. So they are read here before, and nothing is written. A store that
//! would lose something is opened as a copy, and its own files stay as they are.
//!
//! A journal is a row of batches, and zeros up to its reserved length. Numbers are little-endian.
//!
//! ```text
//! batch   1, items (u32), sequence number (u64); the items; 3, checksum (u64), `FJL` 3
//! item    2, kind (u8), compression (u8), keyspace (u64), lengths of key (u16), value (u32) and stored value (u32), key, value
//!      or 4, keyspace (u64)
//! ```
//!
//! The checksum is XXH3 of the bytes of all items.

use super::Space;
use crate::Result;
use crate::folder::io_error;
use crate::values::{COUNTERS_KEY, Counters};
use std::fs::File;
use std::io::{BufReader, ErrorKind, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};
use xxhash_rust::xxh3::Xxh3;

const START: u8 = 1;
const ITEM: u8 = 2;
const END: u8 = 3;
const CLEAR: u8 = 4;
const TRAILER: [u8; 4] = *b"FJL\x03";

/// What the journals of a store have.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Journals {
    /// The number of the last batch that is replayed; 0 if there is none.
    newest: u64,
    /// Batches that cannot be read, although later ones can.
    pub(crate) missing: u64,
    /// True if there are journals, and none has a byte, as after a clean close. Then there is nothing to cut.
    are_empty: bool,
}

impl Journals {
    /// Reads the journals of the store at `store`.
    pub(crate) fn read(store: &Path) -> Result<Self> {
        let mut journals = Self { newest: 0, missing: 0, are_empty: false };
        let paths = paths(store)?;
        let mut is_cut = false;
        for path in &paths {
            let journal = Journal::read(path).map_err(|cause| io_error("read", path, cause))?;
            let between = match journal.batches {
                // What is older than the oldest journal is in tables.
                Some((first, _)) if journals.newest > 0 => first.saturating_sub(journals.newest + 1),
                _ => 0,
            };
            journals.missing += between.max(u64::from(is_cut));
            journals.newest = journal.batches.map_or(journals.newest, |(_, last)| last);
            is_cut = journal.is_cut;
        }
        let is_empty = |path: &PathBuf| path.metadata().is_ok_and(|metadata| metadata.len() == 0);
        journals.are_empty = !paths.is_empty() && paths.iter().all(is_empty);
        Ok(journals)
    }

    /// True if opening the store certainly leaves every batch up to this one where it is.
    pub(crate) fn keep(&self, acknowledged: u64) -> bool {
        self.are_empty || (self.missing == 0 && self.newest >= acknowledged)
    }
}

/// The journals, the oldest first.
fn paths(store: &Path) -> Result<Vec<PathBuf>> {
    let entries = std::fs::read_dir(store).map_err(|cause| io_error("list", store, cause))?;
    let mut all: Vec<(u64, PathBuf)> = Vec::new();
    for entry in entries {
        let path = entry.map_err(|cause| io_error("list", store, cause))?.path();
        let name = path.file_name().and_then(|name| name.to_str());
        if let Some(Ok(number)) = name.and_then(|name| name.strip_suffix(".jnl")).map(str::parse) {
            all.push((number, path));
        }
    }
    all.sort_unstable();
    Ok(all.into_iter().map(|(_, path)| path).collect())
}

/// What one journal has.
struct Journal {
    /// The numbers of the first and the last batch.
    batches: Option<(u64, u64)>,
    /// True if something comes after the last whole batch.
    is_cut: bool,
}

impl Journal {
    fn read(path: &Path) -> std::io::Result<Self> {
        let file = File::open(path)?;
        let bytes = file.metadata()?.len();
        let file = BufReader::with_capacity(1 << 16, file);
        let mut reader = Reader { file, at: 0, bytes, hash: Xxh3::new(), item: Vec::new() };
        let mut batches: Option<(u64, u64)> = None;
        let mut whole = 0;
        loop {
            match reader.batch() {
                Ok(number) => {
                    whole = reader.at;
                    if let Some(number) = number {
                        batches = Some((batches.map_or(number, |(first, _)| first), number));
                    }
                }
                Err(cause) if matches!(cause.kind(), ErrorKind::UnexpectedEof | ErrorKind::InvalidData) => {
                    break;
                }
                Err(cause) => return Err(cause),
            }
        }
        Ok(Self { batches, is_cut: !reader.is_zero_from(whole)? })
    }
}

/// Reads batches of a journal.
struct Reader {
    file: BufReader<File>,
    at: u64,
    bytes: u64,
    /// The hash of the items of the batch.
    hash: Xxh3,
    /// The key and the value of an item.
    item: Vec<u8>,
}

impl Reader {
    /// The number of the next batch, if it has one: batches that fjall writes for itself have none.
    fn batch(&mut self) -> std::io::Result<Option<u64>> {
        if self.take()? != [START] {
            return Err(wrong());
        }
        let items = u32::from_le_bytes(self.take()?);
        let _sequence_number: [u8; 8] = self.take()?;
        self.hash.reset();
        let mut number = None;
        for _ in 0..items {
            number = self.item()?.or(number);
        }
        let hash = self.hash.digest();
        let is_whole =
            self.take()? == [END] && u64::from_le_bytes(self.take()?) == hash && self.take()? == TRAILER;
        if is_whole { Ok(number) } else { Err(wrong()) }
    }

    /// The number of the batch, if this item has it.
    fn item(&mut self) -> std::io::Result<Option<u64>> {
        let tag = self.hashed()?;
        match tag {
            [CLEAR] => {
                let _keyspace: [u8; 8] = self.hashed()?;
                Ok(None)
            }
            [ITEM] => {
                let [_kind, _compression] = self.hashed()?;
                let keyspace = u64::from_le_bytes(self.hashed()?);
                let key = usize::from(u16::from_le_bytes(self.hashed()?));
                let _length: [u8; 4] = self.hashed()?;
                let stored = u32::from_le_bytes(self.hashed()?) as usize;
                let length = key + stored;
                if length as u64 > self.bytes - self.at {
                    return Err(wrong());
                }
                self.item.resize(length, 0);
                self.file.read_exact(&mut self.item)?;
                self.at += length as u64;
                self.hash.update(&self.item);
                let (key, value) = self.item.split_at(key);
                let is_counters = keyspace == Space::Meta as u64 + 1 && key == COUNTERS_KEY;
                // They are too short to be compressed.
                let counters = is_counters.then(|| Counters::decode(value)).flatten();
                Ok(counters.map(|counters| counters.batch))
            }
            _ => Err(wrong()),
        }
    }

    fn take<const N: usize>(&mut self) -> std::io::Result<[u8; N]> {
        let mut bytes = [0; N];
        self.file.read_exact(&mut bytes)?;
        self.at += N as u64;
        Ok(bytes)
    }

    fn hashed<const N: usize>(&mut self) -> std::io::Result<[u8; N]> {
        let bytes = self.take()?;
        self.hash.update(&bytes);
        Ok(bytes)
    }

    /// True if all bytes from a place on are zero.
    fn is_zero_from(&mut self, at: u64) -> std::io::Result<bool> {
        self.file.seek(SeekFrom::Start(at))?;
        let mut bytes = vec![0; 1 << 16];
        loop {
            match self.file.read(&mut bytes)? {
                0 => return Ok(true),
                read if bytes[..read].iter().any(|&byte| byte != 0) => return Ok(false),
                _ => {}
            }
        }
    }
}

fn wrong() -> std::io::Error {
    ErrorKind::InvalidData.into()
}
