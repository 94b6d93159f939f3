//! Documents of connected sets -> which of them are removed, and for which one each.

use crate::columns::{Flags, bytes, ids, lanes_of, lists, signatures};
use crate::copies::twice;
use crate::sets::Sets;
use crate::{Error, Result, Stages};
use arrow_array::builder::{Float64Builder, Int64Builder, StringBuilder};
use arrow_array::cast::AsArray;
use arrow_array::types::Int64Type;
use arrow_array::{Array, ArrayRef, Int64Array, LargeBinaryArray, ListArray, RecordBatch};
use arrow_schema::{DataType, Field, Schema, SchemaRef};
use pipeline::{Clusters, Group, GroupMember, OnBadRecord};
use std::sync::Arc;

/// What [`decide`](Stages::decide), [`removed_copies`](Stages::removed_copies) and [`bad_records`](Stages::bad_records)
/// return: the list of removed documents, as a run on one machine has it.
#[must_use]
pub fn removed_schema() -> SchemaRef {
    Arc::new(Schema::new(vec![
        Field::new("id", DataType::Int64, false),
        Field::new("kept", DataType::Int64, true),
        Field::new("kind", DataType::Utf8, false),
        Field::new("similarity", DataType::Float64, true),
        Field::new("distance", DataType::Int64, true),
        Field::new("reason", DataType::Utf8, true),
    ]))
}

/// Why a document is removed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    /// Another one has the same text.
    Exact,
    /// Another one is similar.
    Near,
    /// There is no text.
    Bad,
}

/// Removed documents.
#[derive(Debug, Default)]
pub(crate) struct Removed {
    ids: Int64Builder,
    kept: Int64Builder,
    kinds: StringBuilder,
    similarities: Float64Builder,
    distances: Int64Builder,
    reasons: StringBuilder,
}

impl Removed {
    pub(crate) fn push(
        &mut self,
        id: i64,
        kept: Option<i64>,
        kind: Kind,
        similarity: Option<f64>,
        distance: Option<i64>,
        reason: Option<&str>,
    ) {
        self.ids.append_value(id);
        self.kept.append_option(kept);
        self.kinds.append_value(match kind {
            Kind::Exact => "exact",
            Kind::Near => "near",
            Kind::Bad => "bad",
        });
        self.similarities.append_option(similarity);
        self.distances.append_option(distance);
        self.reasons.append_option(reason);
    }

    pub(crate) fn finish(mut self) -> Vec<ArrayRef> {
        vec![
            Arc::new(self.ids.finish()),
            Arc::new(self.kept.finish()),
            Arc::new(self.kinds.finish()),
            Arc::new(self.similarities.finish()),
            Arc::new(self.distances.finish()),
            Arc::new(self.reasons.finish()),
        ]
    }
}

impl Stages {
    /// Which documents of connected sets are removed as near-duplicates, and for which kept one each.
    ///
    /// The batch has a row for each document of a set, with its `component` and what [`sketch`](Self::sketch) returned of
    /// it: `id`, `rank`, `signature`, `against`, with `within` also `within_hash`, with containment also `keys`. Where texts
    /// are compared (`verify` is `exact`) it has the text too, or the `set` that was [prepared](Self::prepare) of it. All
    /// documents of a set must be in the batch; a batch may hold many sets.
    ///
    /// A set that is too large for one worker can be decided in pieces, in keep order: each with the documents that were
    /// kept of the earlier pieces, which are true in the column `kept`. (With `clusters` = `components` it cannot.)
    pub fn decide(&self, batch: &RecordBatch) -> Result<RecordBatch> {
        let rows = Members::of(self, batch)?;
        let mut order: Vec<usize> = (0..batch.num_rows()).collect();
        order.sort_unstable_by(|&a, &b| rows.key(a).cmp(&rows.key(b)));
        let mut removed = Removed::default();
        for set in order.chunk_by(|&a, &b| rows.components.value(a) == rows.components.value(b)) {
            self.decide_set(&rows, set, &mut removed)?;
        }
        Ok(RecordBatch::try_new(removed_schema(), removed.finish())?)
    }

    /// Decides one connected set, whose rows are in keep order.
    fn decide_set(&self, rows: &Members, set: &[usize], removed: &mut Removed) -> Result<()> {
        let id = |at: usize| rows.ids.value(set[at]);
        if let Some(at) = (1..set.len()).find(|&at| id(at - 1) == id(at)) {
            return Err(twice(id(at)));
        }
        let mut group = Group::default();
        let (mut lanes, mut keys) = (Vec::new(), Vec::new());
        for &row in set {
            rows.read(row, &mut lanes, &mut keys)?;
            let member = GroupMember { lanes: &lanes, keys: &keys, ..rows.member(row)? };
            self.documents.add_to(&mut group, &member);
        }
        for decision in self.documents.decide(&group, 1)? {
            removed.push(
                id(decision.document),
                Some(id(decision.kept)),
                Kind::Near,
                decision.similarity,
                decision.distance.map(i64::from),
                decision.reason.as_deref(),
            );
        }
        Ok(())
    }

    /// The documents of sketches (the columns `id`, `against` and `reason`) that are removed because they have no text:
    /// those with a reason, if `on-bad-record` is `skip`.
    pub fn bad_records(&self, sketches: &RecordBatch) -> Result<RecordBatch> {
        let (ids, against) = (ids(sketches, "id")?, Flags::of(sketches, "against")?);
        let reasons = crate::columns::Texts::of(sketches, "reason")?;
        let mut removed = Removed::default();
        let skipped = self.documents.settings().files.on_bad_record == OnBadRecord::Skip;
        for row in (0..sketches.num_rows()).filter(|&row| skipped && !against.get(row)) {
            if let Some(reason) = reasons.get(row) {
                removed.push(ids.value(row), None, Kind::Bad, None, None, Some(reason));
            }
        }
        Ok(RecordBatch::try_new(removed_schema(), removed.finish())?)
    }
}

/// The columns of documents of connected sets.
struct Members {
    components: Int64Array,
    ids: Int64Array,
    ranks: LargeBinaryArray,
    against: Flags,
    kept: Flags,
    within: Option<LargeBinaryArray>,
    /// Nothing if sketches have no lanes.
    signatures: Option<LargeBinaryArray>,
    /// Nothing if keys follow from the lanes.
    keys: Option<ListArray>,
    /// Nothing if sketches decide.
    sets: Option<Sets>,
}

impl Members {
    fn of(stages: &Stages, batch: &RecordBatch) -> Result<Self> {
        let documents = &stages.documents;
        let settings = documents.settings();
        let ids = ids(batch, "id")?;
        let kept = Flags::of(batch, "kept")?;
        if settings.matching.clusters == Clusters::Components
            && (0..batch.num_rows()).any(|row| kept.get(row))
        {
            return Err(Error::Batch(
                "with clusters = components a connected set is decided whole: leave out the column `kept`"
                    .into(),
            ));
        }
        let members = Self {
            components: crate::columns::ids(batch, "component")?,
            ranks: bytes(batch, "rank")?,
            against: Flags::of(batch, "against")?,
            kept,
            within: settings.matching.within.is_some().then(|| bytes(batch, "within_hash")).transpose()?,
            signatures: (documents.lanes() > 0)
                .then(|| signatures(batch, "signature", documents))
                .transpose()?,
            keys: documents.has_samples().then(|| lists(batch, "keys")).transpose()?,
            sets: documents.compares_sets().then(|| stages.sets(batch, ids.values())).transpose()?,
            ids,
        };
        if let Some(row) = (0..members.ranks.len()).find(|&row| members.ranks.is_null(row)) {
            return Err(members.lacks(row, "rank"));
        }
        Ok(members)
    }

    /// What rows are sorted by: set by set, each in keep order.
    fn key(&self, row: usize) -> (i64, &[u8], i64) {
        (self.components.value(row), self.ranks.value(row), self.ids.value(row))
    }

    /// Writes the lanes and the keys of a row over these.
    fn read(&self, row: usize, lanes: &mut Vec<u16>, keys: &mut Vec<u64>) -> Result<()> {
        if let Some(signatures) = &self.signatures {
            if signatures.is_null(row) {
                return Err(self.lacks(row, "signature"));
            }
            lanes_of(signatures.value(row), lanes);
        }
        if let Some(lists) = &self.keys {
            keys.clear();
            if lists.is_null(row) || lists.value(row).null_count() > 0 {
                return Err(self.lacks(row, "keys"));
            }
            let list = lists.value(row);
            keys.extend(list.as_primitive::<Int64Type>().values().iter().map(|key| key.cast_unsigned()));
        }
        Ok(())
    }

    /// The document of a row, but for its lanes and keys.
    fn member(&self, row: usize) -> Result<GroupMember<'_>> {
        let set = match &self.sets {
            Some(sets) => sets.get(row).ok_or_else(|| self.lacks(row, "text"))?,
            None => &[],
        };
        let within = self.within.as_ref().filter(|within| within.is_valid(row));
        let within =
            within.map(|within| half_words(within.value(row)).ok_or_else(|| self.lacks(row, "within_hash")));
        Ok(GroupMember {
            is_against: self.against.get(row),
            is_kept: self.kept.get(row),
            within: within.transpose()?.unwrap_or_default(),
            set,
            ..GroupMember::default()
        })
    }

    fn lacks(&self, row: usize, what: &str) -> Error {
        Error::Batch(format!(
            "the document with the id {} has no {what} as `sketch` returns it, and is in a connected set",
            self.ids.value(row)
        ))
    }
}

/// The two halves of 16 bytes.
fn half_words(bytes: &[u8]) -> Option<[u64; 2]> {
    let (words, rest) = bytes.as_chunks::<8>();
    match (words, rest) {
        ([low, high], []) => Some([u64::from_le_bytes(*low), u64::from_le_bytes(*high)]),
        _ => None,
    }
}
