//! Kept rows -> a NumPy file in C order.
//!
//! The header comes first and says how many rows there are, which is known last. So rows are collected in a temporary
//! file and then copied after the header.

use super::Rows;
use crate::raw::{Form, RawRecords};
use crate::sink::{Disposition, Output, SinkOptions, Target};
use crate::{Error, Result, Source};
use files::{Access, OutFile};
use std::fs::File;
use std::io::{Read, Write};
use std::path::{Path, PathBuf};

/// The number of bytes that are copied at once.
const COPIED_AT_ONCE: usize = 128 << 10;

/// Writes the kept rows of an array.
#[derive(Debug)]
pub(crate) struct NpySink {
    target: Target,
    source: Source,
    aside: PathBuf,
    options: SinkOptions,
    rows: Option<(Rows, PathBuf, OutFile)>,
    written: u64,
}

impl NpySink {
    pub(crate) fn create(
        target: &Target,
        source: &Source,
        aside: &Path,
        options: SinkOptions,
    ) -> Result<Self> {
        if options.annotate {
            return Err(Error::Invalid(format!(
                "{}: rows of an array cannot be annotated; run `lookalike clusters` to see which of them belong together",
                source.name
            )));
        }
        let (target, source, aside) = (target.clone(), source.clone(), aside.to_owned());
        Ok(Self { target, source, aside, options, rows: None, written: 0 })
    }

    fn error(&self, cause: std::io::Error) -> Error {
        Error::Io { action: "write", name: self.source.output.clone(), cause }
    }

    /// Writes the kept rows of a block, and returns how many there are.
    pub(crate) fn write(
        &mut self,
        records: &RawRecords,
        fate: &mut dyn FnMut(usize) -> Disposition,
    ) -> Result<u64> {
        let Form::Npy(rows) = &records.form else {
            return Err(Error::Invalid(format!("{} is not an array", self.source.name)));
        };
        if self.rows.is_none() {
            let path = self.aside.join("rows").join(&self.source.output);
            if let Some(folder) = path.parent() {
                self.target.files().make_folder(folder)?;
            }
            let file = self.target.files().create(&path, Access::Shared)?;
            self.rows = Some((rows.clone(), path, file));
        }
        let mut kept = Vec::new();
        let mut count = 0;
        for (slot, row) in records.slots().enumerate() {
            if matches!(fate(slot), Disposition::Keep) {
                kept.extend_from_slice(row);
                count += 1;
            }
        }
        self.written += count;
        let (_, _, file) = self.rows.as_mut().expect("it was just made");
        file.write_all(&kept).map_err(|cause| Error::Io {
            action: "write",
            name: self.source.output.clone(),
            cause,
        })?;
        Ok(count)
    }

    /// Writes the header and the rows, and returns the number of stored bytes.
    pub(crate) fn finish(mut self) -> Result<Option<u64>> {
        let Some((rows, path, mut file)) = self.rows.take() else { return Ok(None) };
        file.flush().map_err(|cause| self.error(cause))?;
        drop(file);
        let mut output =
            Output::create(&self.target, &self.source, &self.aside, self.source.compression, self.options)?;
        output.put(&rows.header.of_rows(self.written))?;
        let mut collected = File::open(&path).map_err(|cause| self.error(cause))?;
        let mut piece = vec![0; COPIED_AT_ONCE];
        loop {
            let read = collected.read(&mut piece).map_err(|cause| self.error(cause))?;
            if read == 0 {
                break;
            }
            output.put(&piece[..read])?;
        }
        let bytes = output.finish()?;
        self.target.files().remove_file(&path)?;
        Ok(Some(bytes))
    }
}
