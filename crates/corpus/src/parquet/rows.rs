//! A batch of rows -> documents.

use super::columns::Column;
use super::values::{Strings, number, printed};
use crate::{Document, Error, FieldPath, Fields, Record, Result, Scratch};
use arrow_array::RecordBatch;
use std::borrow::Cow;

/// Rows of a Parquet file or of a table in memory.
#[derive(Debug)]
pub(crate) struct ArrowRows {
    pub(crate) batch: RecordBatch,
    /// Bytes that it holds.
    pub(crate) bytes: usize,
}

impl ArrowRows {
    pub(crate) fn len(&self) -> usize {
        self.batch.num_rows()
    }

    pub(crate) fn bytes(&self) -> usize {
        self.bytes
    }

    /// As [`Block::visit`](crate::Block::visit).
    pub(crate) fn visit(
        &self,
        fields: &Fields,
        selected: Option<&[u32]>,
        _scratch: &mut Scratch,
        visit: &mut dyn FnMut(usize, Record<'_>) -> Result<()>,
    ) -> Result<()> {
        let text = self.column(&fields.text)?;
        let strings = Strings::new(text.values().as_ref()).ok_or_else(|| no_column(&fields.text))?;
        let column = |path: &Option<FieldPath>| path.as_ref().map(|path| self.column(path)).transpose();
        let (id, order, within) = (column(&fields.id)?, column(&fields.order)?, column(&fields.within)?);
        let mut row = |row: usize| {
            let record = match text.value_of(row).map(|value| strings.get(value)) {
                None => Record::Bad(format!("the field `{}` is null", fields.text.written())),
                Some(Err(byte)) => Record::Bad(format!(
                    "the field `{}` is not valid UTF-8 at byte {byte}",
                    fields.text.written()
                )),
                Some(Ok(text)) => Record::Document(Document {
                    text,
                    replaced: false,
                    id: value(id.as_ref(), row),
                    order: order.as_ref().and_then(|order| number(order.values(), order.value_of(row)?)),
                    within: value(within.as_ref(), row),
                }),
            };
            visit(row, record)
        };
        match selected {
            None => (0..self.len()).try_for_each(row),
            Some(selected) => selected.iter().try_for_each(|&slot| row(slot as usize)),
        }
    }

    fn column(&self, path: &FieldPath) -> Result<Column<'_>> {
        Column::find(&self.batch, path).ok_or_else(|| no_column(path))
    }
}

fn value<'a>(column: Option<&Column<'a>>, row: usize) -> Option<Cow<'a, str>> {
    let column = column?;
    printed(column.values(), column.value_of(row)?)
}

/// The reader looks for the columns when it opens a file, so only a block of another reader can lack them.
fn no_column(path: &FieldPath) -> Error {
    Error::Invalid(format!("the block was read without a column of text `{}`", path.written()))
}
