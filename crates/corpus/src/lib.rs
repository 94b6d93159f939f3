//! The outside world: sources of documents, and sinks for the documents that are kept.
//!
//! ```text
//! arguments -> sources -> blocks -> records            blocks + the fate of each record -> sinks
//!  discovery    source     reader    block                                                      sink
//! ```
//!
//! A *source* is a file, an object, a table in memory or standard input. It is read in *blocks* of whole records. The
//! same source always gives the same blocks, so that a record is found again by the position of its block. Reading is
//! sequential; any thread may parse a block.

// Code that only Parquet files need is not separated from code for other formats.
#![cfg_attr(not(feature = "parquet"), allow(dead_code))]

mod block;
mod cells;
mod csv;
mod discovery;
mod error;
mod json;
mod jsonl;
mod more;
mod npy;
#[cfg(feature = "object-store")]
mod object;
#[cfg(not(feature = "object-store"))]
#[path = "object_absent.rs"]
mod object;
mod order_key;
#[cfg(feature = "parquet")]
mod parquet;
#[cfg(not(feature = "parquet"))]
#[path = "parquet_absent.rs"]
mod parquet;
mod pipe;
mod place;
mod raw;
mod reader;
mod sink;
mod size;
mod source;
mod stdin;
mod stopping;
mod text;
mod unchanged;

pub use block::{Absent, BadRecord, Block, Document, FieldPath, Fields, Id, Position, Record, Scratch};
pub use cells::{Cells, CellsOfRecord, MOST_COLUMNS, column_names};
pub use discovery::{
    Discovery, FormatChoice, Found, RUN_FILE, WORK_FOLDER, discover, find, read_file, read_stdin, read_text,
    read_text_of_stdin, refuse_stdin_twice,
};
pub use error::{Error, Result};
pub use files::{name_to_path, path_to_name};
pub use json::unique_json;
pub use jsonl::fields_there_are;
pub use more::MoreFields;
pub use npy::{Ids, array_shape, pack_bytes, pack_floats, unpack_bytes, unpack_floats, with_ids};
#[cfg(feature = "memory-store")]
pub use object::memory_store;
pub use order_key::{OrderKey, OrderKind, OrderKinds, number_key};
pub use parquet::Table;
#[cfg(feature = "parquet")]
pub use parquet::parquet_schema;
pub use pipe::Pipe;
pub use place::{field_names, place_of};
pub use reader::{Announce, Limits, ReadMode, Reader};
pub use sink::{
    Annotation, Disposition, RemovedRow, RemovedWriter, SinkOptions, SinkWriter, Target, Written,
    output_names,
};
pub use size::{parse_size, readable_size, written_size};
pub use source::{Compression, Format, Location, Source, Stamp};
pub use stdin::TemporaryCopy;
pub use stopping::{PatientStdout, go_on, is_stopped, stop_waiting_when};
pub use unchanged::{changed, checksum, is_summed_whole};
