//! A folder for the files of one benchmark, in the system's folder for temporary files.

use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use testkit::corpora::{Document, write_jsonl};

/// The folder. It is removed with everything in it when the value is dropped.
#[derive(Debug)]
pub struct Scratch {
    folder: PathBuf,
}

impl Scratch {
    /// A new folder for the benchmark `name`.
    pub fn new(name: &str) -> io::Result<Self> {
        let folder = std::env::temp_dir().join(format!("lookalike-{name}-{}", std::process::id()));
        std::fs::create_dir_all(&folder)?;
        Ok(Self { folder })
    }

    /// The path of a file or folder in it.
    #[must_use]
    pub fn path(&self, name: &str) -> PathBuf {
        self.folder.join(name)
    }

    /// The path of a folder in it that does not exist. If it existed, it is removed.
    pub fn fresh(&self, name: &str) -> io::Result<PathBuf> {
        let folder = self.path(name);
        match std::fs::remove_dir_all(&folder) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
            _ => Ok(folder),
        }
    }

    /// Writes bytes to a file in it. Afterwards the file is in the page cache.
    pub fn write(&self, name: &str, bytes: &[u8]) -> io::Result<PathBuf> {
        let file = self.path(name);
        std::fs::write(&file, bytes)?;
        Ok(file)
    }

    /// Writes documents to a JSON Lines file in it, without holding them in memory.
    pub fn write_documents(
        &self,
        name: &str,
        documents: impl Iterator<Item = Document>,
    ) -> io::Result<PathBuf> {
        let file = self.path(name);
        let mut out = BufWriter::with_capacity(1 << 20, File::create(&file)?);
        write_jsonl(documents, &mut out)?;
        out.flush()?;
        Ok(file)
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        // A drop cannot report errors, and the folder is in the system's folder for temporary files.
        let _ = std::fs::remove_dir_all(&self.folder);
    }
}

/// True if two files contain the same bytes.
pub fn same_bytes(a: &Path, b: &Path) -> io::Result<bool> {
    use std::io::Read;
    let (mut a, mut b) = (File::open(a)?, File::open(b)?);
    if a.metadata()?.len() != b.metadata()?.len() {
        return Ok(false);
    }
    let (mut of_a, mut of_b) = (vec![0; 1 << 20], vec![0; 1 << 20]);
    loop {
        let read = a.read(&mut of_a)?;
        if read == 0 {
            return Ok(true);
        }
        b.read_exact(&mut of_b[..read])?;
        if of_a[..read] != of_b[..read] {
            return Ok(false);
        }
    }
}
