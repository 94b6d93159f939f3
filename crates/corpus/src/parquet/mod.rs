//! Parquet files: reading rows, and writing the kept rows.
//!
//! ```text
//! file or object -> columns that are needed -> batches of rows -> documents         kept rows -> file, same schema
//!       input           projection (reader)       reader          columns, rows                  sink
//! ```
//!
//! A stage that needs only texts reads them without Arrow (`texts`), and leaves out the rows it does not need.
//!
//! A block is a batch of rows. Files are read page by page, never as a whole; a long page is read in parts if it is
//! not compressed (`long_pages`). The number of rows in a block is
//! computed from the file's own statistics, so that a block holds about as many bytes as blocks of other formats.

mod columns;
mod groups;
mod guard;
mod hybrid;
mod input;
mod json;
mod long_pages;
mod page_header;
mod paths;
mod reader;
mod removed;
mod rows;
mod sink;
mod table;
mod texts;
mod values;

pub(crate) use reader::ParquetReader;
pub use reader::parquet_schema;
pub(crate) use reader::{names_of_columns, text_column_of};
pub(crate) use removed::RemovedSink;
pub(crate) use rows::ArrowRows;
pub(crate) use sink::ParquetSink;
pub use table::Table;
pub(crate) use table::TableReader;
pub(crate) use texts::Texts;

#[cfg(test)]
mod tests;
