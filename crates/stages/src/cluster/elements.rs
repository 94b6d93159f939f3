//! The sets of many documents: in memory up to a limit, beyond that in a temporary file without a name.

use crate::{Error, Result};
use std::fs::File;
use std::io::{Read, Seek, SeekFrom, Write};
use std::ops::Range;
use std::path::PathBuf;

/// Sets, one after the other.
#[derive(Debug, Default)]
pub(super) struct Elements {
    /// The last ones, which are not in the file.
    tail: Vec<u64>,
    /// How many elements are in the file.
    written: usize,
    file: Option<File>,
    /// Where the file is made; without one, in the folder of the system for temporary files.
    folder: Option<PathBuf>,
}

impl Elements {
    /// No sets yet. The file is made in this folder, if it is needed.
    pub(super) fn in_folder(folder: Option<PathBuf>) -> Self {
        Self { folder, ..Self::default() }
    }

    /// Appends a set, and says where it is. Once there are more than `limit` elements in memory, they go to the file.
    pub(super) fn push(&mut self, set: &[u64], limit: usize) -> Result<Range<usize>> {
        let start = self.written + self.tail.len();
        self.tail.extend_from_slice(set);
        if self.tail.len() > limit {
            let bytes: Vec<u8> = self.tail.iter().flat_map(|element| element.to_le_bytes()).collect();
            let file = self.file()?;
            let wrote = file.seek(SeekFrom::End(0)).and_then(|_| file.write_all(&bytes));
            wrote.map_err(|cause| self.failed(cause))?;
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
        let read = file.seek(SeekFrom::Start(8 * set.start as u64)).and_then(|_| file.read_exact(&mut bytes));
        read.map_err(|cause| self.failed(cause))?;
        let (words, _) = bytes.as_chunks::<8>();
        all.extend(words.iter().map(|&word| u64::from_le_bytes(word)));
        Ok(())
    }

    /// How many elements are in memory.
    pub(super) fn in_memory(&self) -> usize {
        self.tail.len()
    }

    fn file(&mut self) -> Result<&mut File> {
        let file = match self.file.take() {
            Some(file) => file,
            None => match &self.folder {
                Some(folder) => tempfile::tempfile_in(folder),
                None => tempfile::tempfile(),
            }
            .map_err(|cause| self.failed(cause))?,
        };
        Ok(self.file.insert(file))
    }

    fn failed(&self, cause: std::io::Error) -> Error {
        Error::LocalFile { folder: self.folder.clone().unwrap_or_else(std::env::temp_dir), cause }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sets_are_read_back_from_memory_and_from_the_file() {
        let folder = tempfile::tempdir().unwrap();
        for limit in [0, 5, 1_000] {
            let mut elements = Elements::in_folder((limit == 5).then(|| folder.path().to_owned()));
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

    #[test]
    fn sets_are_added_after_others_were_read() {
        let mut elements = Elements::default();
        let first = elements.push(&[1, 2, 3], 0).unwrap();
        elements.push(&[4], 0).unwrap();
        let mut found = Vec::new();
        elements.read(&first, &mut found).unwrap();
        let last = elements.push(&[5, 6], 0).unwrap();
        elements.read(&first, &mut found).unwrap();
        elements.read(&last, &mut found).unwrap();
        assert_eq!(found, [1, 2, 3, 1, 2, 3, 5, 6]);
    }

    #[test]
    fn a_file_that_cannot_be_written_is_named() {
        let folder = tempfile::tempdir().unwrap();
        let gone = folder.path().join("gone");
        let mut elements = Elements::in_folder(Some(gone.clone()));
        elements.push(&[1, 2], 2).unwrap();
        let said = elements.push(&[3], 2).unwrap_err().to_string();
        assert!(said.contains(&gone.display().to_string()) && said.contains("spark.local.dir"), "{said}");
    }
}
