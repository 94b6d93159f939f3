//! Row groups of a file -> the pages of their columns, for the Arrow reader of the Parquet crate.

use super::input::Input;
use super::long_pages::pages;
use parquet::arrow::arrow_reader::RowGroups;
use parquet::column::page::{PageIterator, PageReader};
use parquet::errors::Result;
use parquet::file::metadata::{ParquetMetaData, RowGroupMetaData};
use std::sync::Arc;

/// Some row groups of a file, in order.
pub(super) struct ChosenGroups {
    input: Input,
    metadata: Arc<ParquetMetaData>,
    groups: Vec<usize>,
}

impl ChosenGroups {
    pub(super) fn new(input: Input, metadata: Arc<ParquetMetaData>, groups: Vec<usize>) -> Self {
        Self { input, metadata, groups }
    }

    /// Number of rows in these groups.
    pub(super) fn rows(&self) -> usize {
        self.row_groups().map(rows_of).fold(0, usize::saturating_add)
    }
}

fn rows_of(group: &RowGroupMetaData) -> usize {
    usize::try_from(group.num_rows()).unwrap_or(0)
}

impl RowGroups for ChosenGroups {
    fn num_rows(&self) -> usize {
        self.rows()
    }

    fn column_chunks(&self, leaf: usize) -> Result<Box<dyn PageIterator>> {
        let (input, metadata) = (self.input.clone(), Arc::clone(&self.metadata));
        Ok(Box::new(Chunks { input, metadata, leaf, groups: self.groups.clone().into_iter() }))
    }

    fn row_groups(&self) -> Box<dyn Iterator<Item = &RowGroupMetaData> + '_> {
        Box::new(self.groups.iter().map(|&group| self.metadata.row_group(group)))
    }

    fn metadata(&self) -> &ParquetMetaData {
        &self.metadata
    }
}

/// The pages of one column, row group by row group.
struct Chunks {
    input: Input,
    metadata: Arc<ParquetMetaData>,
    leaf: usize,
    groups: std::vec::IntoIter<usize>,
}

impl Iterator for Chunks {
    type Item = Result<Box<dyn PageReader>>;

    fn next(&mut self) -> Option<Self::Item> {
        let group = self.metadata.row_group(self.groups.next()?);
        Some(pages(&self.input, group.column(self.leaf), rows_of(group)))
    }
}

impl PageIterator for Chunks {}
