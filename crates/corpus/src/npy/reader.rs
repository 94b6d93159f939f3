//! A NumPy file -> blocks of rows.

use super::header::{Header, LONGEST, damaged};
use super::{Ids, Rows};
use crate::raw::Form;
use crate::reader::{ByteStream, too_large};
use crate::{Block, Compression, Error, Limits, Location, Position, Result, Source};
use std::fs::File;
use std::io::{Read, Seek, SeekFrom};
use std::sync::Arc;

/// Reads the rows of a NumPy file.
#[derive(Debug)]
pub(crate) struct NpyReader {
    stream: ByteStream,
    /// A file in Fortran order, of which every block reads a piece of each column.
    columns: Option<File>,
    header: Arc<Header>,
    ids: Option<Ids>,
    limits: Limits,
    /// The number of the next row.
    row: u64,
    begun: bool,
}

impl NpyReader {
    pub(crate) fn open(source: &Source, limits: Limits) -> Result<Self> {
        let mut stream = ByteStream::open(source, limits.window())?;
        let header = read_header(&mut stream, &source.name)?;
        let Header { rows, columns, length, .. } = header;
        let is_plain = source.compression == Compression::None;
        let is_known = is_plain
            && matches!(source.location, Location::Local(_) | Location::Copy(_) | Location::Object(_));
        let expected = length + header.bytes();
        if is_known && source.size != expected {
            let what = if source.size < expected { "missing" } else { "too many" };
            return Err(damaged(
                &source.name,
                &format!(
                    "its header says {rows} x {columns} numbers of {} bytes, but {} bytes are {what}",
                    header.number.bytes(),
                    source.size.abs_diff(expected)
                ),
            ));
        }
        let columns = match (&source.location, header.is_fortran) {
            (_, false) => None,
            (Location::Local(path) | Location::Copy(path), true) if is_plain => {
                let failure = |cause| Error::Io { action: "read", name: source.name.clone(), cause };
                Some(File::open(path).map_err(failure)?)
            }
            (_, true) => {
                return Err(Error::Invalid(format!(
                    "{} is in Fortran order, and can only be read as a plain file; decompress it, or save it in C order \
                     (numpy.ascontiguousarray)",
                    source.name
                )));
            }
        };
        if header.row_bytes() as u64 > limits.record_bytes {
            return Err(too_large(&source.name, 1, "record", header.row_bytes() as u64));
        }
        let ids = source.ids.clone();
        Ok(Self { stream, columns, header: Arc::new(header), ids, limits, row: 0, begun: false })
    }

    /// The window of the decompressor in bytes.
    pub(crate) fn window(&self) -> u64 {
        self.stream.window()
    }

    /// [`Reader::next_block`](crate::Reader::next_block) for rows. The first block is returned even if it has no rows.
    pub(crate) fn next_block(&mut self, block: &mut Block) -> Result<bool> {
        let header = &self.header;
        let bytes = header.row_bytes();
        let most = (self.limits.block_bytes / bytes.max(1)).clamp(1, self.limits.records.max(1));
        let rows = (header.rows - self.row).min(most as u64) as usize;
        if rows == 0 && self.begun {
            return Ok(false);
        }
        self.begun = true;
        let records = block.content.raw_mut();
        records.clear();
        records.make_room(rows * bytes);
        records.form = Form::Npy(Rows { header: Arc::clone(header), first: self.row, ids: self.ids.clone() });
        let piece = &mut records.buffer[..rows * bytes];
        match &mut self.columns {
            Some(file) => read_columns(file, header, self.row, rows, piece).map_err(|cause| Error::Io {
                action: "read",
                name: self.stream.name().to_owned(),
                cause,
            })?,
            None => read_whole(&mut self.stream, piece)?,
        }
        records.filled = rows * bytes;
        records.ends.extend((1..=rows).map(|row| row * bytes));
        block.position = Position { offset: header.length + self.row * bytes as u64, record: self.row };
        self.row += rows as u64;
        let is_end = self.row == header.rows && self.columns.is_none();
        if is_end && self.stream.read(&mut [0])? > 0 {
            return Err(damaged(self.stream.name(), "it has more numbers than its header says"));
        }
        Ok(true)
    }

    /// [`Reader::advance_to`](crate::Reader::advance_to) for rows.
    pub(crate) fn advance_to(&mut self, position: Position) -> Result<()> {
        (self.row, self.begun) = (position.record, position.record > 0);
        if self.columns.is_none() {
            self.stream.advance_to(self.header.length + self.row * self.header.row_bytes() as u64)?;
        }
        Ok(())
    }
}

/// The header of a source.
pub(super) fn header_of(source: &Source) -> Result<Header> {
    read_header(&mut ByteStream::open(source, 8 << 20)?, &source.name)
}

fn read_header(stream: &mut ByteStream, name: &str) -> Result<Header> {
    let mut first = [0; 10];
    let cut_off = |_| damaged(name, "it ends within its header");
    read_whole(stream, &mut first).map_err(cut_off)?;
    let (mut first, mut more) = (first.to_vec(), [0; 2]);
    if first[6] > 1 {
        read_whole(stream, &mut more).map_err(cut_off)?;
        first.extend(more);
    }
    let (before, length) = Header::lengths(&first, name)?;
    let mut dictionary = vec![0; length.min(LONGEST)];
    read_whole(stream, &mut dictionary).map_err(cut_off)?;
    Header::parse(&dictionary, (before + length) as u64, name)
}

fn read_whole(stream: &mut ByteStream, mut into: &mut [u8]) -> Result<()> {
    while !into.is_empty() {
        let read = stream.read(into)?;
        if read == 0 {
            return Err(damaged(stream.name(), "it ends before its last row"));
        }
        into = &mut into[read..];
    }
    Ok(())
}

/// Reads some rows of a file in Fortran order: a piece of each column.
fn read_columns(
    file: &mut File,
    header: &Header,
    first: u64,
    rows: usize,
    into: &mut [u8],
) -> std::io::Result<()> {
    let (size, bytes) = (header.number.bytes(), header.row_bytes());
    let mut piece = vec![0; rows * size];
    for column in 0..header.columns {
        file.seek(SeekFrom::Start(header.length + (column as u64 * header.rows + first) * size as u64))?;
        file.read_exact(&mut piece)?;
        for (row, number) in piece.chunks_exact(size).enumerate() {
            into[row * bytes + column * size..][..size].copy_from_slice(number);
        }
    }
    Ok(())
}
