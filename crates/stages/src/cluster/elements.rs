//! The sets of many documents: in memory up to a limit, beyond that in a temporary file without a name.

use crate::{Error, Result};
use std::fs::File;
use std::io::{Read, Seek, SeekFrom, Write};
use std::ops::Range;

/// Sets, one after the other.
#[derive(Debug, Default)]
pub(super) struct Elements {
    /// The last ones, which are not in the file.
    tail: Vec<u64>,
    /// How many elements are in the file.
    written: usize,
    file: Option<File>,
}

impl Elements {
    /// Appends a set, and says where it is. Once there are more than `limit` elements in memory, they go to the file.
    pub(super) fn push(&mut self, set: &[u64], limit: usize) -> Result<Range<usize>> {
        let start = self.written + self.tail.len();
        self.tail.extend_from_slice(set);
        if self.tail.len() > limit {
            let bytes: Vec<u8> = self.tail.iter().flat_map(|element| element.to_le_bytes()).collect();
            self.file()?.write_all(&bytes).map_err(Error::LocalFile)?;
            self.written += self.tail.len();
            self.tail.clear();
        }
        Ok(start..start + set.len())
    }

    /// Appends the elements of a set to `all`.
    pub(super) fn read(&mut self, set: &Range<usize>, all: &mut Vec<u64>) -> Result<()> {
        if set.start >= self.written {
            all.extend_from_slice(&self.tail[set.start - self.written..set.end - self.written]);
            return Ok(());
        }
        // A set is written whole.
        let mut bytes = vec![0; 8 * set.len()];
        let file = self.file()?;
        file.seek(SeekFrom::Start(8 * set.start as u64))
            .and_then(|_| file.read_exact(&mut bytes))
            .map_err(Error::LocalFile)?;
        let (words, _) = bytes.as_chunks::<8>();
        all.extend(words.iter().map(|&word| u64::from_le_bytes(word)));
        Ok(())
    }

    /// How many elements are in memory.
    pub(super) fn in_memory(&self) -> usize {
        self.tail.len()
    }

    fn file(&mut self) -> Result<&mut File> {
        if self.file.is_none() {
            self.file = Some(tempfile::tempfile().map_err(Error::LocalFile)?);
        }
        self.file.as_mut().ok_or_else(|| Error::LocalFile(std::io::ErrorKind::NotFound.into()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sets_are_read_back_from_memory_and_from_the_file() {
        for limit in [0, 5, 1_000] {
            let mut elements = Elements::default();
            let set = |at: u64| (0..at % 7).map(|element| at * 100 + element).collect::<Vec<u64>>();
            let places: Vec<_> = (0..50).map(|at| elements.push(&set(at), limit).unwrap()).collect();
            assert!(elements.in_memory() <= limit.max(6));
            for at in (0..50u64).rev() {
                let mut found = Vec::new();
                elements.read(&places[at as usize], &mut found).unwrap();
                assert_eq!(found, set(at));
            }
        }
    }
}
