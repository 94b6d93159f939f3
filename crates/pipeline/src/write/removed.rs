//! Decisions -> the list of removed documents.

use crate::decide::{Removal, Removals};
use crate::kind::bad_rows;
use crate::seen::asked_for;
use crate::sketch::Sources;
use crate::store::{BadRecords, Number, Store};
use crate::write::naming::{BATCH, Names};
use crate::{Method, OnBadRecord, Reference, Result, Settings, Verify};
use corpus::RemovedRow;
use std::collections::VecDeque;

/// Hands every removed document to `visit`, in input order. Rows of (set, item) that could not be used come first.
pub(crate) fn rows(
    removals: &Removals,
    store: &Store,
    sources: Sources<'_>,
    settings: &Settings,
    visit: &mut dyn FnMut(RemovedRow) -> Result<()>,
) -> Result<()> {
    if settings.files.set_of.is_some() {
        sources.corpus.iter().try_for_each(|source| bad_rows::visit(source, visit))?;
    }
    let has_ids = settings.files.id_field.is_some();
    let bad = (settings.files.on_bad_record == OnBadRecord::Skip).then(|| store.bad());
    let mut bad = BadRows { bad, store, sources, has_ids, named: VecDeque::new() };
    let mut bad_before = |number: Number, visit: &mut dyn FnMut(RemovedRow) -> Result<()>| -> Result<()> {
        while let Some(row) = bad.next_before(number)? {
            visit(row)?;
        }
        Ok(())
    };
    let mut removals = removals.iter();
    loop {
        let batch = removals.by_ref().take(BATCH).collect::<Result<Vec<Removal>>>()?;
        if batch.is_empty() {
            return bad_before(Number::MAX, visit);
        }
        let numbers = batch.iter().flat_map(|removal| [removal.number, removal.kept]).collect();
        let names = Names::new(numbers, store, sources, has_ids)?;
        for removal in &batch {
            bad_before(removal.number, visit)?;
            let Reference { id, source, line } = names.reference(removal.number)?;
            let kept = names.reference(removal.kept)?;
            visit(RemovedRow {
                id,
                source,
                line,
                kind: if removal.is_exact() { "exact" } else { "near" }.into(),
                kept_id: Some(kept.id),
                kept_source: Some(kept.source),
                kept_line: asked_for(removal.kept).is_none().then_some(kept.line),
                similarity: reported(removal, settings),
                distance: (settings.signature.method == Method::Simhash).then_some(removal.distance),
                reason: said_of(removal, settings),
            })?;
        }
    }
}

/// The rows of bad records, in input order. The names of a batch of them are in memory at a time.
struct BadRows<'a> {
    bad: Option<BadRecords<'a>>,
    store: &'a Store,
    sources: Sources<'a>,
    has_ids: bool,
    named: VecDeque<(Number, RemovedRow)>,
}

impl BadRows<'_> {
    /// The next row, if its record comes before `number`.
    fn next_before(&mut self, number: Number) -> Result<Option<RemovedRow>> {
        while self.named.is_empty() {
            if !self.name_some()? {
                return Ok(None);
            }
        }
        let is_before = self.named.front().is_some_and(|(first, _)| *first < number);
        Ok(if is_before { self.named.pop_front().map(|(_, row)| row) } else { None })
    }

    /// Looks up the names of the next batch. Returns false if there are no more bad records.
    fn name_some(&mut self) -> Result<bool> {
        let Some(bad) = &mut self.bad else { return Ok(false) };
        let some = bad.by_ref().take(BATCH).collect::<Result<Vec<(Number, String)>>>()?;
        let found = !some.is_empty();
        let of_corpus = |number: Number| !self.sources.is_against(self.store.source_of(number));
        let numbers = some.iter().map(|(number, _)| *number).filter(|&number| of_corpus(number)).collect();
        let names = Names::new(numbers, self.store, self.sources, self.has_ids)?;
        for (number, reason) in some.into_iter().filter(|(number, _)| of_corpus(*number)) {
            let Reference { id, source, line } = names.reference(number)?;
            let row = RemovedRow {
                id,
                source,
                line,
                kind: "bad".into(),
                reason: Some(reason),
                ..RemovedRow::default()
            };
            self.named.push_back((number, row));
        }
        Ok(found)
    }
}

/// The similarity as it is reported: exact, or none.
pub(crate) fn reported(removal: &Removal, settings: &Settings) -> Option<f64> {
    let exact = removal.is_exact() || settings.matching.verify == Verify::Exact;
    (exact && !removal.similarity.is_nan()).then_some(removal.similarity)
}

/// What is said of a similarity if frames are left out.
const REST: &str = "the similarity is that of the rest, without what many documents share";

/// What is said of a pair that was not verified, or that was compared without its frame.
pub(crate) fn said_of(removal: &Removal, settings: &Settings) -> Option<String> {
    match settings.matching.verify {
        _ if removal.is_exact() => None,
        Verify::Exact if crate::frames::is_wanted(settings) => Some(REST.into()),
        Verify::Exact => None,
        Verify::Estimate if removal.similarity.is_nan() => Some("not verified".into()),
        Verify::Estimate => Some(format!("estimated similarity {:.4}", removal.similarity)),
        Verify::None => Some("not verified".into()),
    }
}

/// A row as a line of JSON. The fields are in the documented order.
pub(crate) fn json_line(row: &RemovedRow) -> Vec<u8> {
    #[derive(serde::Serialize)]
    struct Line<'a> {
        id: &'a str,
        source: &'a str,
        line: u64,
        kind: &'a str,
        kept_id: &'a Option<String>,
        kept_source: &'a Option<String>,
        kept_line: &'a Option<u64>,
        similarity: &'a Option<f64>,
        #[serde(skip_serializing_if = "Option::is_none")]
        distance: &'a Option<u32>,
        #[serde(skip_serializing_if = "Option::is_none")]
        reason: &'a Option<String>,
    }
    let line = Line {
        id: &row.id,
        source: &row.source,
        line: row.line,
        kind: &row.kind,
        kept_id: &row.kept_id,
        kept_source: &row.kept_source,
        kept_line: &row.kept_line,
        similarity: &row.similarity,
        distance: &row.distance,
        reason: &row.reason,
    };
    let mut bytes = serde_json::to_vec(&line).expect("a row is plain data");
    bytes.push(b'\n');
    bytes
}
