//! A column of texts -> blocks of texts, read forwards, with rows left out at little cost.
//!
//! Most stages need nothing but texts, and the later ones need only some of them. An Arrow reader cannot leave rows
//! out once it has begun: it has to begin again, and then it reads the dictionary of the row group again. This reader
//! stays in its row group. It leaves out pages without reading them, and values without copying them.

use super::input::Input;
use super::long_pages::pages;
use crate::{Absent, BadRecord, Document, Error, Fields, Record, Result};
use parquet::column::reader::{ColumnReaderImpl, get_column_reader, get_typed_column_reader};
use parquet::data_type::{ByteArray, ByteArrayType};
use parquet::errors::{ParquetError, Result as ParquetResult};
use parquet::file::metadata::ParquetMetaData;
use std::sync::Arc;

/// The largest number of values that are taken from the column at once.
const VALUES: usize = 256;

/// The texts of some rows.
#[derive(Debug, Default)]
pub(crate) struct Texts {
    bytes: Vec<u8>,
    slots: Vec<Slot>,
    /// The name of the source, if its column promises that all texts are UTF-8.
    promised_by: Option<Arc<str>>,
}

#[derive(Debug, Clone, Copy)]
struct Slot {
    end: usize,
    is_null: bool,
}

impl Texts {
    pub(crate) fn len(&self) -> usize {
        self.slots.len()
    }

    pub(crate) fn bytes(&self) -> usize {
        self.bytes.len() + size_of_val(self.slots.as_slice())
    }

    /// Removes all texts. The memory is kept. `promised_by` is the name of the source if its column promises that all
    /// texts are UTF-8.
    pub(crate) fn begin(&mut self, promised_by: Option<Arc<str>>) {
        self.bytes.clear();
        self.slots.clear();
        self.promised_by = promised_by;
    }

    fn push(&mut self, text: Option<&[u8]>) {
        self.bytes.extend_from_slice(text.unwrap_or_default());
        self.slots.push(Slot { end: self.bytes.len(), is_null: text.is_none() });
    }

    fn text(&self, slot: usize) -> Option<&[u8]> {
        let begin = slot.checked_sub(1).map_or(0, |before| self.slots[before].end);
        let Slot { end, is_null } = self.slots[slot];
        (!is_null).then(|| &self.bytes[begin..end])
    }

    /// [`Block::visit`](crate::Block::visit) for texts.
    pub(crate) fn visit(
        &self,
        fields: &Fields,
        selected: Option<&[u32]>,
        visit: &mut dyn FnMut(usize, Record<'_>) -> Result<()>,
    ) -> Result<()> {
        let mut row = |row: usize| visit(row, self.record(row, fields)?);
        match selected {
            None => (0..self.len()).try_for_each(row),
            Some(selected) => selected.iter().try_for_each(|&slot| row(slot as usize)),
        }
    }

    fn record(&self, row: usize, fields: &Fields) -> Result<Record<'_>> {
        let name = || fields.text.written();
        let bad = |reason| Ok(Record::Bad(BadRecord { reason, id: None, lacks_text: false }));
        let Some(bytes) = self.text(row) else { return bad(format!("the field `{}` is null", name())) };
        match simdutf8::compat::from_utf8(bytes) {
            Ok(text) => Ok(Record::Document(Document {
                text,
                replaced: false,
                id: None,
                order: None,
                within: None,
                site: None,
                date: None,
                absent: Absent::default(),
            })),
            Err(error) => {
                let byte = error.valid_up_to() + 1;
                match &self.promised_by {
                    None => bad(format!("the field `{}` is not valid UTF-8 at byte {byte}", name())),
                    Some(source) => Err(Error::Damaged {
                        name: source.as_ref().into(),
                        cause: format!("a text in the column `{}` is not valid UTF-8 at byte {byte}", name()),
                    }),
                }
            }
        }
    }
}

/// Reads a column of texts.
pub(super) struct TextColumn {
    input: Input,
    metadata: Arc<ParquetMetaData>,
    leaf: usize,
    /// The row group that is read next, and the number of rows before it.
    next_group: usize,
    rows_before: u64,
    /// The row group that is being read.
    column: Option<ColumnReaderImpl<ByteArrayType>>,
    /// Rows of it that were not read.
    rows_left: u64,
    levels: Vec<i16>,
    values: Vec<ByteArray>,
}

impl TextColumn {
    /// Opens the leaf column `leaf`, which must be a column of byte arrays outside of lists, at its first row.
    pub(super) fn new(input: Input, metadata: Arc<ParquetMetaData>, leaf: usize) -> Self {
        Self {
            input,
            metadata,
            leaf,
            next_group: 0,
            rows_before: 0,
            column: None,
            rows_left: 0,
            levels: Vec::new(),
            values: Vec::new(),
        }
    }

    /// Opens the next row group. Returns false if there is none.
    fn open_group(&mut self) -> ParquetResult<bool> {
        let Some(group) = self.metadata.row_groups().get(self.next_group) else { return Ok(false) };
        let rows = rows_of_group(&self.metadata, self.next_group);
        let chunk = group.column(self.leaf);
        let pages = pages(&self.input, chunk, usize::try_from(rows)?)?;
        let column = get_column_reader(chunk.column_descr_ptr(), pages);
        self.column = Some(get_typed_column_reader(column));
        self.next_group += 1;
        self.rows_before += rows;
        self.rows_left = rows;
        Ok(true)
    }

    /// Goes to the row `row`. This is quick forwards; backwards, the row group is begun again.
    pub(super) fn go_to(&mut self, row: u64) -> ParquetResult<()> {
        if row < self.rows_before - self.rows_left {
            (self.column, self.next_group, self.rows_before, self.rows_left) = (None, 0, 0, 0);
        }
        while row >= self.rows_before {
            if self.next_group == self.metadata.num_row_groups() {
                (self.column, self.rows_left) = (None, 0);
                return Ok(());
            }
            if self.rows_before + rows_of_group(&self.metadata, self.next_group) > row {
                self.open_group()?;
            } else {
                (self.column, self.rows_left) = (None, 0);
                self.rows_before += rows_of_group(&self.metadata, self.next_group);
                self.next_group += 1;
            }
        }
        let skipped = row - (self.rows_before - self.rows_left);
        if let Some(column) = &mut self.column
            && column.skip_records(usize::try_from(skipped)?)? as u64 != skipped
        {
            return Err(too_few_rows(self.next_group));
        }
        self.rows_left -= skipped;
        Ok(())
    }

    /// Adds the next `rows` rows to `texts`, or as many as there are.
    pub(super) fn read(&mut self, rows: usize, texts: &mut Texts) -> ParquetResult<()> {
        let mut wanted = rows;
        while wanted > 0 {
            if self.rows_left == 0 {
                if !self.open_group()? {
                    break;
                }
                continue;
            }
            let most = wanted.min(VALUES).min(usize::try_from(self.rows_left)?);
            let read = self.read_values(most, texts)?;
            self.rows_left -= read as u64;
            wanted -= read;
        }
        Ok(())
    }

    /// Adds at most `most` rows of the open row group to `texts`, and at least one.
    fn read_values(&mut self, most: usize, texts: &mut Texts) -> ParquetResult<usize> {
        let Self { column: Some(column), levels, values, .. } = self else {
            return Err(too_few_rows(self.next_group));
        };
        levels.clear();
        values.clear();
        let (rows, ..) = column.read_records(most, Some(levels), None, values)?;
        let max_level = self.metadata.file_metadata().schema_descr().column(self.leaf).max_def_level();
        let mut present = values.iter();
        for row in 0..rows {
            let is_null = max_level > 0 && levels.get(row) != Some(&max_level);
            let text = if is_null { None } else { present.next() };
            if !is_null && text.is_none() {
                return Err(too_few_rows(self.next_group));
            }
            texts.push(text.map(ByteArray::data));
        }
        // The values share the memory of their page.
        values.clear();
        if rows == 0 { Err(too_few_rows(self.next_group)) } else { Ok(rows) }
    }
}

fn rows_of_group(metadata: &ParquetMetaData, group: usize) -> u64 {
    u64::try_from(metadata.row_group(group).num_rows()).unwrap_or(0)
}

/// `group` is counted from 1.
fn too_few_rows(group: usize) -> ParquetError {
    ParquetError::General(format!("row group {group} has fewer texts than rows"))
}
