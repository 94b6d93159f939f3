//! The documents of a batch, read as a run on one machine reads a table.

use crate::columns::check_name;
use crate::{Error, Result};
use arrow_array::RecordBatch;
use corpus::{Block, Fields, Limits, ReadMode, Reader, Record, Scratch, Table};
use pipeline::{LARGEST_TEXT, Settings};

/// How a batch is cut into blocks. It changes nothing.
const LIMITS: Limits = Limits { block_bytes: 1 << 20, record_bytes: LARGEST_TEXT, records: 8_192 };

/// Hands every row to `visit`, with its text and the fields that are asked for.
pub(crate) fn visit_rows(
    batch: &RecordBatch,
    fields: &Fields,
    mut visit: impl FnMut(usize, Record<'_>) -> Result<()>,
) -> Result<()> {
    let named = [Some(&fields.text), fields.order.as_ref(), fields.within.as_ref()];
    named.into_iter().flatten().try_for_each(|path| check_name(batch, &path.written()))?;
    let table = Table::new(batch.schema(), vec![batch.clone()]);
    let source = table.into_source("the batch", &fields.text.written());
    let mut reader = Reader::open(&source, ReadMode::Fields, fields, LIMITS)?;
    let (mut block, mut scratch) = (Block::default(), Scratch::default());
    let mut first = 0;
    while reader.next_block(&mut block)? {
        let mut failure = None;
        block.visit(fields, None, &mut scratch, &mut |slot, record| {
            if failure.is_none() {
                failure = visit(first + slot, record).err();
            }
            Ok(())
        })?;
        if let Some(error) = failure {
            return Err(error);
        }
        first += block.len();
    }
    Ok(())
}

/// The text, and nothing else.
pub(crate) fn text_only(fields: &Fields) -> Fields {
    Fields::text(fields.text.clone())
}

/// The name of the column of ids.
pub(crate) fn id_name(settings: &Settings) -> &str {
    settings.files.id_field.as_deref().unwrap_or("id")
}

/// The text of a record that must have one.
pub(crate) fn text_of<'r>(record: &'r Record<'_>, id: i64) -> Result<&'r str> {
    match record {
        Record::Document(document) => Ok(document.text),
        Record::Bad(bad) => Err(Error::BadRecord { id, reason: bad.reason.clone() }),
    }
}
