//! One output while it is written: bytes -> a temporary file -> its place in the target.

use super::frames::Frames;
use super::target::TargetKind;
use super::{SinkOptions, Target, names};
use crate::PatientStdout;
use crate::{Compression, Error, Result, Source};
use files::{Access, OutFile};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

/// Bytes are collected up to this size before they are passed to the system. Larger pieces are passed on directly.
const BUFFER: usize = 64 << 10;

/// An output that is being written. If it is dropped before [`finish`](Self::finish), its temporary file is removed.
#[derive(Debug)]
pub(crate) struct Output {
    target: Target,
    /// The path of the output below the target.
    output: String,
    aside: Option<PathBuf>,
    stream: Option<Stream>,
}

#[derive(Debug)]
enum Stream {
    Plain(BufWriter<Counted>),
    Compressed(Frames<Counted>),
}

/// Counts the bytes that are written to the temporary file or to standard output.
#[derive(Debug)]
struct Counted {
    destination: Destination,
    bytes: u64,
}

#[derive(Debug)]
enum Destination {
    File(OutFile),
    Stdout(PatientStdout),
}

impl Write for Counted {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let written = match &mut self.destination {
            Destination::File(file) => file.write(bytes)?,
            Destination::Stdout(stdout) => stdout.write(bytes)?,
        };
        self.bytes += written as u64;
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        match &mut self.destination {
            Destination::File(file) => file.flush(),
            Destination::Stdout(stdout) => stdout.flush(),
        }
    }
}

impl Output {
    /// Creates the output of `source`, compressed with `compression`. Standard output is never compressed.
    pub(crate) fn create(
        target: &Target,
        source: &Source,
        aside: &Path,
        compression: Compression,
        options: SinkOptions,
    ) -> Result<Self> {
        let mut output =
            Self { target: target.clone(), output: source.output.clone(), aside: None, stream: None };
        if let TargetKind::Stdout(_) = target.kind {
            let stdout = PatientStdout::new().map_err(|cause| output.error(cause))?;
            let to = Counted { destination: Destination::Stdout(stdout), bytes: 0 };
            output.stream = Some(Stream::Plain(BufWriter::with_capacity(BUFFER, to)));
            return Ok(output);
        }
        // Outputs have different names, so their temporary files have too. A file that a killed run left there is
        // overwritten.
        names::check_name(&source.output)?;
        let file = aside.join("outputs").join(&source.output);
        if let Some(folder) = file.parent() {
            target.files().make_folder(folder)?;
        }
        let to = target.files().create(&file, Access::Shared)?;
        output.aside = Some(file);
        let to = Counted { destination: Destination::File(to), bytes: 0 };
        output.stream = Some(match compression {
            Compression::None => Stream::Plain(BufWriter::with_capacity(BUFFER, to)),
            Compression::Gzip | Compression::Zstd | Compression::Bzip2 | Compression::Xz => {
                let frames = Frames::new(to, compression, options.threads);
                Stream::Compressed(frames.map_err(|cause| output.error(cause))?)
            }
        });
        Ok(output)
    }

    /// Writes bytes. An error names this output.
    pub(crate) fn put(&mut self, bytes: &[u8]) -> Result<()> {
        self.write_all(bytes).map_err(|cause| self.error(cause))
    }

    /// An error of the system, as an error about this output.
    pub(crate) fn error(&self, cause: io::Error) -> Error {
        let name = match (&self.target.kind, &self.aside) {
            (TargetKind::Stdout(_), _) => "standard output".to_owned(),
            (_, Some(aside)) => format!("{} (the output {}, unfinished)", aside.display(), self.output),
            (_, None) => self.output.clone(),
        };
        Error::Io { action: "write", name, cause }
    }

    /// Completes the output, syncs it, moves it to its place, and returns the number of stored bytes.
    pub(crate) fn finish(mut self) -> Result<u64> {
        let stream = self.stream.take().expect("it is taken here only");
        let ended = match stream {
            Stream::Plain(writer) => writer.into_inner().map_err(io::IntoInnerError::into_error),
            Stream::Compressed(frames) => frames.finish(),
        };
        let flushed = ended.and_then(|mut to| to.flush().map(|()| to.bytes));
        let bytes = flushed.map_err(|cause| self.error(cause))?;
        if let Some(aside) = &self.aside {
            self.target.publish(aside, &self.output)?;
        }
        self.aside = None;
        Ok(bytes)
    }
}

impl Write for Output {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match self.stream.as_mut().expect("it is there until the end") {
            Stream::Plain(writer) => writer.write(bytes),
            Stream::Compressed(frames) => frames.write(bytes),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match self.stream.as_mut().expect("it is there until the end") {
            Stream::Plain(writer) => writer.flush(),
            Stream::Compressed(frames) => frames.flush(),
        }
    }
}

impl Drop for Output {
    fn drop(&mut self) {
        self.stream = None;
        if let Some(aside) = &self.aside {
            // The temporary file is of no use. The reason for stopping is already being reported.
            let _ = self.target.files().remove_file(aside);
        }
    }
}
