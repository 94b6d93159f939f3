//! The bytes of an index in memory, in a file or in memory, read at any place.

use std::fs::File;
use std::io::{self, Read};
use std::ops::Range;
use std::path::Path;

/// The bytes that a section holds in memory.
const BUFFER: usize = 64 << 10;

/// Bytes that stay where they are.
#[derive(Debug)]
pub(super) enum LshBytes {
    /// Those of a file that is open, so that it is the same file until the end, whatever its path leads to by then.
    File(File),
    /// Those that the caller has.
    Memory(Vec<u8>),
}

impl LshBytes {
    pub(super) fn open(path: &Path) -> io::Result<Self> {
        File::open(path).map(Self::File)
    }

    /// How many there are.
    pub(super) fn size(&self) -> io::Result<u64> {
        match self {
            Self::File(file) => file.metadata().map(|found| found.len()),
            Self::Memory(bytes) => Ok(bytes.len() as u64),
        }
    }

    /// A reader of some of them.
    pub(super) fn section(&self, place: Range<u64>) -> Section<'_> {
        Section { bytes: self, place, buffer: Vec::new(), read: 0 }
    }

    fn read_at(&self, buffer: &mut [u8], at: u64) -> io::Result<usize> {
        match self {
            Self::File(file) => read_at(file, buffer, at),
            Self::Memory(bytes) => {
                let from = usize::try_from(at).map_or(bytes.len(), |at| at.min(bytes.len()));
                (&bytes[from..]).read(buffer)
            }
        }
    }
}

/// Some of the bytes, read in order. Any number of sections can be read at the same time.
#[derive(Debug)]
pub(super) struct Section<'b> {
    bytes: &'b LshBytes,
    /// What was not read from the file yet.
    place: Range<u64>,
    buffer: Vec<u8>,
    /// So many bytes of the buffer were handed out.
    read: usize,
}

impl Section<'_> {
    /// How many bytes were not handed out yet.
    pub(super) fn left(&self) -> u64 {
        self.place.end - self.place.start + (self.buffer.len() - self.read) as u64
    }

    fn fill(&mut self) -> io::Result<()> {
        let room = (self.place.end - self.place.start).min(BUFFER as u64);
        self.buffer.resize(usize::try_from(room).expect("at most the size of the buffer"), 0);
        self.read = 0;
        let read = self.bytes.read_at(&mut self.buffer, self.place.start);
        self.buffer.truncate(*read.as_ref().unwrap_or(&0));
        self.place.start += self.buffer.len() as u64;
        match read {
            Ok(0) if room > 0 => Err(io::ErrorKind::UnexpectedEof.into()),
            read => read.map(|_| ()),
        }
    }
}

impl Read for Section<'_> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        if self.read == self.buffer.len() {
            self.fill()?;
        }
        let read = (&self.buffer[self.read..]).read(into)?;
        self.read += read;
        Ok(read)
    }
}

#[cfg(unix)]
fn read_at(file: &File, buffer: &mut [u8], at: u64) -> io::Result<usize> {
    loop {
        match std::os::unix::fs::FileExt::read_at(file, buffer, at) {
            Err(cause) if cause.kind() == io::ErrorKind::Interrupted => {}
            read => return read,
        }
    }
}

#[cfg(not(unix))]
fn read_at(mut file: &File, buffer: &mut [u8], at: u64) -> io::Result<usize> {
    use std::io::{Seek, SeekFrom};
    file.seek(SeekFrom::Start(at))?;
    file.read(buffer)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::io::Write;

    proptest! {
        /// Sections of a file and of memory hand out the same bytes, whatever is read at a time and in which order.
        #[test]
        fn sections_are_slices(
            size in 0..200_000_usize,
            places in prop::collection::vec((0..200_000_u64, 0..200_000_u64), 1..4),
            piece in 1..100_000_usize,
        ) {
            let bytes: Vec<u8> = (0..size).map(|at| (at * at % 253) as u8).collect();
            let mut file = tempfile::tempfile().unwrap();
            file.write_all(&bytes).unwrap();
            let all = [LshBytes::File(file), LshBytes::Memory(bytes.clone())];
            let places: Vec<_> = places.into_iter()
                .map(|(a, b)| a.min(b).min(size as u64)..a.max(b).min(size as u64))
                .collect();
            for from in &all {
                let mut open: Vec<_> = places.iter().map(|place| (from.section(place.clone()), vec![])).collect();
                let mut buffer = vec![0; piece];
                while open.iter().any(|(section, _)| section.left() > 0) {
                    for (section, got) in &mut open {
                        let read = section.read(&mut buffer).unwrap();
                        got.extend_from_slice(&buffer[..read]);
                    }
                }
                for ((mut section, got), place) in open.into_iter().zip(&places) {
                    prop_assert_eq!(section.read(&mut buffer).unwrap(), 0);
                    prop_assert_eq!(&got[..], &bytes[place.start as usize..place.end as usize]);
                }
                let mut beyond = from.section(size as u64..size as u64 + 1);
                prop_assert_eq!(beyond.read(&mut buffer).unwrap_err().kind(), io::ErrorKind::UnexpectedEof);
            }
        }
    }
}
