//! Sketches that came back from a table -> what an index takes of them.

use crate::columns::{Texts, bytes, integers, lanes_of, lists};
use crate::{Error, Result};
use arrow_array::{Array, RecordBatch};
use arrow_schema::Schema;

/// The columns by which a table of sketches is known.
const NEEDED: [&str; 5] = ["id", "content_hash", "shingles", "signature", "keys"];

/// A document of a table of sketches.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct SketchRow {
    /// Its id, as text.
    pub id: String,
    /// What its exact copies have too: the column `content_hash`.
    pub copy_hash: u128,
    /// The number of its shingles.
    pub shingles: u64,
    /// The lanes of its signature.
    pub lanes: Vec<u16>,
    /// The hash of its `within` value; zeros without.
    pub within: [u64; 2],
    /// True if it is compared by the hash of its text only.
    pub hash_only: bool,
}

/// True if a table has the columns of [`Stages::sketch`](crate::Stages::sketch).
#[must_use]
pub fn are_sketches(schema: &Schema) -> bool {
    NEEDED.iter().all(|name| schema.field_with_name(name).is_ok())
}

/// The documents of a batch of sketches whose signatures have `lanes` lanes; `None` for a row without a text. What follows the
/// signature of a short document is for one run only, and is left out.
pub fn sketch_rows(batch: &RecordBatch, lanes: usize) -> Result<Vec<Option<SketchRow>>> {
    let ids = Ids::of(batch)?;
    let (hashes, signatures) = (bytes(batch, "content_hash")?, bytes(batch, "signature")?);
    let (shingles, keys) = (integers(batch, "shingles")?, lists(batch, "keys")?);
    let within = match batch.column_by_name("within_hash") {
        Some(_) => Some(bytes(batch, "within_hash")?),
        None => None,
    };
    let mut all = Vec::new();
    let row = |row: usize| -> Result<Option<SketchRow>> {
        let id = ids.get(row)?;
        if hashes.is_null(row) && signatures.is_null(row) {
            return Ok(None);
        }
        let wrong =
            |what: &str| Error::Batch(format!("the sketch of the document with the id {id} has {what}"));
        let hash = |bytes: &[u8], name: &str| -> Result<u128> {
            let bytes: [u8; 16] =
                bytes.try_into().map_err(|_| wrong(&format!("a {name} of {} bytes, not 16", bytes.len())))?;
            Ok(u128::from_le_bytes(bytes))
        };
        if hashes.is_null(row) || signatures.is_null(row) || shingles.is_null(row) {
            return Err(wrong("nulls"));
        }
        all.clear();
        lanes_of(signatures.value(row), &mut all);
        let size = shingles.value(row);
        let fits = |rest: &[u16]| rest.is_empty() || pipeline::may_be_short_sketch(rest, size);
        let is_signature = all.split_at_checked(lanes).is_some_and(|(_, rest)| fits(rest));
        if signatures.value(row).len() % 2 != 0 || !is_signature {
            let bytes = signatures.value(row).len();
            return Err(wrong(&format!(
                "a signature of {bytes} bytes, and this index has signatures of {} bytes",
                2 * lanes
            )));
        }
        let own = within.as_ref().filter(|within| within.is_valid(row));
        let within = own.map(|within| hash(within.value(row), "within_hash")).transpose()?.unwrap_or(0);
        let shingles = u64::try_from(shingles.value(row)).map_err(|_| wrong("fewer than 0 shingles"))?;
        let has_keys = keys.is_valid(row) && !keys.value(row).is_empty();
        // An empty text has a signature too; one that was not cut into shingles has zeros.
        let hash_only = !has_keys && all.len() == lanes && all.iter().all(|&lane| lane == 0);
        Ok(Some(SketchRow {
            copy_hash: hash(hashes.value(row), "content_hash")?,
            shingles,
            lanes: all[..lanes].to_vec(),
            within: [within as u64, (within >> 64) as u64],
            hash_only,
            id,
        }))
    };
    (0..batch.num_rows()).map(row).collect()
}

/// A column of ids: numbers or text.
enum Ids {
    Numbers(arrow_array::Int64Array),
    Texts(Texts),
}

impl Ids {
    fn of(batch: &RecordBatch) -> Result<Self> {
        let is_number = batch.column_by_name("id").is_some_and(|column| column.data_type().is_integer());
        match is_number {
            true => Ok(Self::Numbers(integers(batch, "id")?)),
            false => Texts::of(batch, "id").map(Self::Texts),
        }
    }

    fn get(&self, row: usize) -> Result<String> {
        let id = match self {
            Self::Numbers(numbers) => numbers.is_valid(row).then(|| numbers.value(row).to_string()),
            Self::Texts(texts) => texts.get(row).map(str::to_owned),
        };
        id.ok_or_else(|| Error::Batch("the column `id` has nulls, and every row needs an id".into()))
    }
}
