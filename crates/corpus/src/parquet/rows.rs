//! A batch of rows -> documents.

use super::columns::{Column, locate};
use super::json::{json, kept, odd, write_json};
use super::values::{Strings, is_bare, order_kind, printed};
use crate::{Absent, BadRecord, Document, Error, FieldPath, Fields, Id, OrderKey, Record, Result, Scratch};
use arrow_array::{Array, ArrayRef, RecordBatch};
use std::borrow::Cow;

/// Rows of a Parquet file or of a table in memory.
#[derive(Debug)]
pub(crate) struct ArrowRows {
    pub(crate) batch: RecordBatch,
    /// Size of the rows in memory, in bytes.
    pub(crate) bytes: usize,
}

impl ArrowRows {
    pub(crate) fn len(&self) -> usize {
        self.batch.num_rows()
    }

    pub(crate) fn bytes(&self) -> usize {
        self.bytes
    }

    /// [`Block::visit`](crate::Block::visit) for rows.
    pub(crate) fn visit(
        &self,
        fields: &Fields,
        selected: Option<&[u32]>,
        scratch: &mut Scratch,
        visit: &mut dyn FnMut(usize, Record<'_>) -> Result<()>,
    ) -> Result<()> {
        let text = self.column(&fields.text)?;
        if fields.text.is_json {
            return self.visit_json(fields, selected, scratch, visit);
        }
        let strings = Strings::new(text.values().as_ref()).ok_or_else(|| no_column(&fields.text))?;
        let column = |path: &Option<FieldPath>| path.as_ref().map(|path| self.column(path)).transpose();
        let (id, order, within) = (column(&fields.id)?, column(&fields.order)?, column(&fields.within)?);
        let (site, date) = (column(&fields.site)?, column(&fields.date)?);
        let is_bare = id.as_ref().is_some_and(|id| is_bare(id.values().data_type()));
        let key = &mut scratch.order;
        let mut row = |row: usize| {
            let id = value(id.as_ref(), row).map(|text| Id { text, is_bare });
            let record = match text.value_of(row).map(|value| strings.get(value)) {
                None => {
                    let reason = format!("the field `{}` is null", fields.text.written());
                    Record::Bad(BadRecord { reason, id, lacks_text: false })
                }
                Some(Err(byte)) => {
                    let name = fields.text.written();
                    let reason = format!("the field `{name}` is not valid UTF-8 at byte {byte}");
                    Record::Bad(BadRecord { reason, id, lacks_text: false })
                }
                Some(Ok(text)) => {
                    let kind = order
                        .as_ref()
                        .and_then(|order| order_kind(order.values(), order.value_of(row)?, key));
                    Record::Document(Document {
                        text,
                        replaced: false,
                        id,
                        order: kind.map(|kind| OrderKey { kind, bytes: key }),
                        within: value(within.as_ref(), row),
                        site: value(site.as_ref(), row),
                        date: value(date.as_ref(), row),
                        absent: Absent::default(),
                    })
                }
            };
            visit(row, record)
        };
        match selected {
            None => (0..self.len()).try_for_each(row),
            Some(selected) => selected.iter().try_for_each(|&slot| row(slot as usize)),
        }
    }

    /// The same, with the text as JSON.
    fn visit_json(
        &self,
        fields: &Fields,
        selected: Option<&[u32]>,
        scratch: &mut Scratch,
        visit: &mut dyn FnMut(usize, Record<'_>) -> Result<()>,
    ) -> Result<()> {
        let column = |path: &Option<FieldPath>| path.as_ref().map(|path| self.column(path)).transpose();
        let (id, order, within) = (column(&fields.id)?, column(&fields.order)?, column(&fields.within)?);
        let (site, date) = (column(&fields.site)?, column(&fields.date)?);
        let (above, array) = locate(&self.batch, &fields.text).ok_or_else(|| no_column(&fields.text))?;
        let is_bare = id.as_ref().is_some_and(|id| is_bare(id.values().data_type()));
        let Scratch { order: key, quoted, .. } = scratch;
        let mut row = |row: usize| {
            let id = value(id.as_ref(), row).map(|text| Id { text, is_bare });
            quoted.clear();
            let is_null = above.iter().any(|above| above.is_null(row)) || !write_json(array, row, quoted);
            if is_null {
                let reason = format!("the field `{}` is null", fields.text.written());
                return visit(row, Record::Bad(BadRecord { reason, id, lacks_text: false }));
            }
            let kind = order.as_ref().and_then(|order| order_kind(order.values(), order.value_of(row)?, key));
            visit(
                row,
                Record::Document(Document {
                    text: quoted,
                    replaced: false,
                    id,
                    order: kind.map(|kind| OrderKey { kind, bytes: key }),
                    within: value(within.as_ref(), row),
                    site: value(site.as_ref(), row),
                    date: value(date.as_ref(), row),
                    absent: Absent::default(),
                }),
            )
        };
        match selected {
            None => (0..self.len()).try_for_each(row),
            Some(selected) => selected.iter().try_for_each(|&slot| row(slot as usize)),
        }
    }

    /// The value of a field of a row as JSON; `None` if the row has none.
    pub(crate) fn json(&self, path: &FieldPath, row: usize) -> Option<serde_json::Value> {
        self.at(path, row).and_then(|array| json(array, row))
    }

    /// The same for a value that is kept: see [`kept`].
    pub(crate) fn kept(&self, path: &FieldPath, row: usize) -> Option<serde_json::Value> {
        self.at(path, row).and_then(|array| kept(array, row))
    }

    /// Why a field of a row has no place in JSON, as the end of a sentence.
    pub(crate) fn odd(&self, path: &FieldPath, row: usize) -> Option<String> {
        self.at(path, row).and_then(|array| odd(array, row))
    }

    /// The column of a field; `None` if there is none, or if what it is in is null in this row.
    fn at(&self, path: &FieldPath, row: usize) -> Option<&ArrayRef> {
        let (above, array) = locate(&self.batch, path)?;
        (!above.iter().any(|above| above.is_null(row))).then_some(array)
    }

    fn column(&self, path: &FieldPath) -> Result<Column<'_>> {
        Column::find(&self.batch, path).ok_or_else(|| no_column(path))
    }
}

fn value<'a>(column: Option<&Column<'a>>, row: usize) -> Option<Cow<'a, str>> {
    let column = column?;
    printed(column.values(), column.value_of(row)?)
}

/// The reader checks the columns when it opens a file, so a column can only be missing in a block of another reader.
fn no_column(path: &FieldPath) -> Error {
    Error::Invalid(format!("the block was read without a column of text `{}`", path.written()))
}
