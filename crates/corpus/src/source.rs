//! A source: where documents are, and in which form.

use crate::{Pipe, Table};
use std::path::PathBuf;

/// Where a source is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Location {
    /// A file.
    Local(PathBuf),
    /// Standard input.
    Stdin,
    /// What gives its bytes only once, such as a named pipe.
    Pipe(Pipe),
    /// The temporary copy of what gave its bytes only once.
    Copy(PathBuf),
    /// An object in a store, by its address: `s3://bucket/key` and the like.
    Object(String),
    /// Rows in memory.
    Memory(Table),
}

/// How records are written in a source.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Format {
    /// A JSON object per line.
    Jsonl,
    /// Values separated by `delimiter`, the first record naming the fields.
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
            _ => Err(format!("format `{written}` is not one of jsonl, csv, tsv, parquet, text")),
        }
    }
}

/// How a source is compressed; recognised by its first bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Compression {
    /// Not at all.
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
    /// How names of files that are compressed so end; nothing for those that are not.
    pub(crate) fn suffix(self) -> &'static str {
        match self {
            Self::None => "",
            Self::Gzip => ".gz",
            Self::Zstd => ".zst",
            Self::Bzip2 => ".bz2",
            Self::Xz => ".xz",
        }
    }

    /// What it is called.
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

/// What tells that a source has changed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Stamp {
    /// Time of the last modification of a file, in nanoseconds.
    Modified(i128),
    /// The entity tag of an object, or its time of modification; the hash of what was copied from standard input or a
    /// pipe.
    Tag(String),
    /// Nothing is known: standard input.
    Unknown,
}

/// A file, an object, a table or standard input with documents in it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Source {
    /// What it is called in ids and reports: the path as the user gave it, or as found below the folder that the user gave,
    /// written as [`path_to_name`](crate::path_to_name) does.
    pub name: String,
    /// The path of its output below the target folder, written likewise, with `/`.
    pub output: String,
    /// Where it is.
    pub location: Location,
    /// How its records are written.
    pub format: Format,
    /// How it is compressed.
    pub compression: Compression,
    /// Stored bytes (0 if unknown).
    pub size: u64,
    /// What tells that it has changed.
    pub stamp: Stamp,
}
