//! The decisions file of a work folder: the removed documents, and which documents they duplicate. It is written
//! once, after verification. It is used only if it is complete and belongs to this run and these sketches.
//!
//! ```text
//! "LKADECI1"  tie (32 bytes)  removals (40 bytes each)  other results of verification (JSON)
//! length of the JSON  number of removals  checksum (32 bytes)
//! ```
//!
//! The *tie* is a hash of the identity of the run and of its sketches. The checksum is the BLAKE3 hash of all bytes
//! before it. The file is written and read as a stream, so it may be larger than the memory.

use crate::Result;
use crate::decide::{Removal, Removals};
use crate::limits::memory::Ledger;
use crate::report::PairCounts;
use crate::store::Number;
use crate::store::part::Checksum;
use bytemuck::cast_slice;
use files::{Files, Unfinished};
use serde::{Deserialize, Serialize};
use std::fs::File;
use std::io::{BufReader, BufWriter, Read, Write};
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};

const MAGIC: &[u8; 8] = b"LKADECI1";

/// The number of bytes before the removals.
const HEAD: u64 = 8 + 32;

/// The number of bytes after the JSON.
const TAIL: u64 = 8 + 8 + 32;

/// A file whose JSON is longer than this is not used. The JSON has only a bounded sample of pairs.
const LONGEST_JSON: u64 = 1 << 28;

/// The results of verification, except the removals.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct Findings {
    pub pairs: PairCounts,
    /// Pairs just below the threshold: the later document in keep order, the earlier one, and their similarity.
    pub near_misses: Vec<(Number, Number, f64)>,
}

fn io(action: &'static str, path: &Path) -> impl FnOnce(std::io::Error) -> crate::Error {
    let name = path.display().to_string();
    move |cause| crate::Error::Io { action, name, cause }
}

/// Writes removals, in input order, as a stream.
pub(crate) struct DecisionsWriter {
    out: BufWriter<Unfinished>,
    path: PathBuf,
    hasher: blake3::Hasher,
    count: u64,
}

impl DecisionsWriter {
    /// Begins the file. It appears at `path` when it is finished.
    pub(crate) fn begin(files: &Files, path: &Path, tie: &Checksum) -> Result<Self> {
        let out = BufWriter::with_capacity(1 << 18, files.begin(path)?);
        let mut writer = Self { out, path: path.to_owned(), hasher: blake3::Hasher::new(), count: 0 };
        writer.put(MAGIC)?;
        writer.put(tie)?;
        Ok(writer)
    }

    fn put(&mut self, bytes: &[u8]) -> Result<()> {
        self.hasher.update(bytes);
        self.out.write_all(bytes).map_err(io("write", &self.path))
    }

    /// Adds removals.
    pub(crate) fn push(&mut self, removals: &[Removal]) -> Result<()> {
        self.count += removals.len() as u64;
        self.put(cast_slice(removals))
    }

    /// Ends the file.
    pub(crate) fn finish(mut self, decided: &Findings) -> Result<()> {
        let json = serde_json::to_vec(decided).expect("plain data");
        self.put(&json)?;
        self.put(&(json.len() as u64).to_le_bytes())?;
        self.put(&self.count.to_le_bytes())?;
        let checksum = self.hasher.finalize();
        self.out.write_all(checksum.as_bytes()).map_err(io("write", &self.path))?;
        let unfinished =
            self.out.into_inner().map_err(|error| io("write", &self.path)(error.into_error()))?;
        Ok(unfinished.finish()?)
    }
}

/// Reads removals, in input order.
pub(crate) struct DecisionsReader {
    file: File,
    path: PathBuf,
    count: u64,
    /// The other results of verification.
    pub decided: Findings,
}

impl DecisionsReader {
    /// Opens the file and checks its checksum. `None` if the file is absent or damaged, or belongs to another run or
    /// other sketches.
    pub(crate) fn open(files: &Files, path: &Path, tie: &Checksum) -> Result<Option<Self>> {
        if !files.exists(path)? {
            return Ok(None);
        }
        let file = files.open(path)?;
        let length = file.metadata().map_err(io("read", path))?.len();
        let mut head = [0; HEAD as usize];
        let mut tail = [0; TAIL as usize];
        if length < HEAD + TAIL {
            return Ok(None);
        }
        file.read_exact_at(&mut head, 0).map_err(io("read", path))?;
        file.read_exact_at(&mut tail, length - TAIL).map_err(io("read", path))?;
        let number = |at: usize| u64::from_le_bytes(tail[at..at + 8].try_into().expect("8 bytes"));
        let (json_bytes, count) = (number(0), number(8));
        let removals = count.checked_mul(size_of::<Removal>() as u64);
        let whole = removals.and_then(|bytes| bytes.checked_add(json_bytes)?.checked_add(HEAD + TAIL));
        if &head[..8] != MAGIC || head[8..] != tie[..] || whole != Some(length) || json_bytes > LONGEST_JSON {
            return Ok(None);
        }
        let mut reader = BufReader::with_capacity(1 << 18, file);
        let mut hasher = blake3::Hasher::new();
        std::io::copy(&mut (&mut reader).take(length - 32), &mut hasher).map_err(io("read", path))?;
        if hasher.finalize().as_bytes()[..] != tail[16..] {
            return Ok(None);
        }
        let mut json = vec![0; json_bytes as usize];
        let file = reader.into_inner();
        file.read_exact_at(&mut json, length - TAIL - json_bytes).map_err(io("read", path))?;
        let Ok(decided) = serde_json::from_slice(&json) else { return Ok(None) };
        Ok(Some(Self { file, path: path.to_owned(), count, decided }))
    }

    /// The removals, in memory if `ledger` has room for them, and the other results of verification.
    pub(crate) fn into_removals(self, ledger: &Ledger) -> Result<(Removals, Findings)> {
        let name = self.path.display().to_string();
        Ok((Removals::open(self.file, name, HEAD, self.count, ledger)?, self.decided))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn any_damage_is_noticed() {
        let folder = tempfile::tempdir().unwrap();
        let (files, path, tie) = (Files::default(), folder.path().join("decisions"), [7; 32]);
        let removals: Vec<Removal> = (0..10).map(|n| Removal::exact(2 * n + 1, 2 * n)).collect();
        let decided = Findings { near_misses: vec![(1, 2, 0.5)], ..Findings::default() };
        let mut writer = DecisionsWriter::begin(&files, &path, &tie).unwrap();
        writer.push(&removals[..3]).unwrap();
        writer.push(&removals[3..]).unwrap();
        writer.finish(&decided).unwrap();
        let resources = crate::Resources { memory: 1 << 30, threads: 1, temp_dir: None, max_pairs: None };
        for free in [0, 1 << 20] {
            let ledger = Ledger::new(&resources, 1).unwrap().with_free(free);
            let reader = DecisionsReader::open(&files, &path, &tie).unwrap().unwrap();
            let (found, also) = reader.into_removals(&ledger).unwrap();
            assert_eq!(
                (found.iter().collect::<Result<Vec<_>>>().unwrap(), also),
                (removals.clone(), decided.clone())
            );
        }
        assert!(DecisionsReader::open(&files, &path, &[8; 32]).unwrap().is_none(), "of another run");
        let bytes = std::fs::read(&path).unwrap();
        let is_believed = |bytes: &[u8]| {
            std::fs::write(&path, bytes).unwrap();
            DecisionsReader::open(&files, &path, &tie).unwrap().is_some()
        };
        assert!(is_believed(&bytes));
        for at in 0..bytes.len() {
            let mut flipped = bytes.clone();
            flipped[at] ^= 1 << (at % 8);
            assert!(!is_believed(&flipped), "byte {at}");
            assert!(!is_believed(&bytes[..at]), "cut at {at}");
        }
    }
}
