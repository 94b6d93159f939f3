//! A source: where documents are, and in which format.

use crate::{Ids, Pipe, Table};
use std::path::PathBuf;

/// The location of a source.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Location {
    /// A file.
    Local(PathBuf),
    /// Standard input.
    Stdin,
    /// An input that delivers its bytes only once, such as a named pipe.
    Pipe(Pipe),
    /// The temporary copy of an input that delivered its bytes only once.
    Copy(PathBuf),
    /// An object in a store, by its address, such as `s3://bucket/key`.
    Object(String),
    /// Rows in memory.
    Memory(Table),
}

/// The format of the records in a source.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Format {
    /// A JSON object per line.
    Jsonl,
    /// Values separated by `delimiter`. The first record contains the names of the fields.
    Csv {
        /// A comma or a tab.
        delimiter: u8,
    },
    /// Apache Parquet.
    Parquet,
    /// The whole file is one document.
    Text,
    /// Rows of a table in memory.
    Table,
    /// A NumPy array: each row is a document.
    Npy,
}

impl std::str::FromStr for Format {
    type Err = String;

    fn from_str(written: &str) -> Result<Self, String> {
        match written {
            "jsonl" => Ok(Self::Jsonl),
            "csv" => Ok(Self::Csv { delimiter: b',' }),
            "tsv" => Ok(Self::Csv { delimiter: b'\t' }),
            "parquet" => Ok(Self::Parquet),
            "text" => Ok(Self::Text),
            "npy" => Ok(Self::Npy),
            _ => Err(format!("format `{written}` is not one of jsonl, csv, tsv, parquet, text")),
        }
    }
}

/// The compression of a source, recognised by its first bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Compression {
    /// Not compressed.
    None,
    /// gzip, any number of members.
    Gzip,
    /// Zstandard, any number of frames.
    Zstd,
    /// bzip2, any number of streams.
    Bzip2,
    /// xz, any number of streams.
    Xz,
}

impl Compression {
    /// The ending of names of files with this compression. Empty for files that are not compressed.
    pub(crate) fn suffix(self) -> &'static str {
        match self {
            Self::None => "",
            Self::Gzip => ".gz",
            Self::Zstd => ".zst",
            Self::Bzip2 => ".bz2",
            Self::Xz => ".xz",
        }
    }

    /// The name of the compression.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::None => "plain",
            Self::Gzip => "gzip",
            Self::Zstd => "zstd",
            Self::Bzip2 => "bzip2",
            Self::Xz => "xz",
        }
    }
}

/// Shows whether a source has changed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Stamp {
    /// The time of the last modification of a file, in nanoseconds.
    Modified(i128),
    /// The entity tag of an object, or its time of modification. For a copy of standard input or a pipe: the hash of
    /// its bytes.
    Tag(String),
    /// Nothing is known. This is the stamp of standard input.
    Unknown,
}

/// A file, an object, a table or standard input with documents in it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Source {
    /// The name of the source in ids and reports: the path that the user gave, or the path of a file in a folder that
    /// the user gave, written by [`path_to_name`](crate::path_to_name).
    pub name: String,
    /// The path of its output below the target folder, written in the same way, with `/`.
    pub output: String,
    /// The location of the source.
    pub location: Location,
    /// The format of its records.
    pub format: Format,
    /// Its compression.
    pub compression: Compression,
    /// Number of stored bytes (0 if unknown).
    pub size: u64,
    /// Shows whether the source has changed.
    pub stamp: Stamp,
    /// The ids of the rows of an array, if they are in a file of their own.
    pub ids: Option<Ids>,
}

impl Source {
    /// True if any block of the source can be read at once, without what comes before it.
    #[must_use]
    pub fn can_seek(&self) -> bool {
        let is_file = matches!(self.location, Location::Local(_) | Location::Copy(_));
        let has_records =
            matches!(self.format, Format::Jsonl | Format::Csv { .. } | Format::Text | Format::Npy);
        is_file && has_records && self.compression == Compression::None
    }
}
