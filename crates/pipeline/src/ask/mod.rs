//! Questions about a corpus: all pairs, all clusters, and the documents that are similar to a text.

mod all_pairs;
pub(crate) mod finished;
pub(crate) mod scan;
pub(crate) mod texts;
mod vectors;

use crate::ask::all_pairs::{AllPairs, Asked};
use crate::ask::scan::{At, scan};
use crate::decide::{Removal, Removals};
use crate::frames;
use crate::limits::sorted::{Room, Sorted};
use crate::method::TextBuffers;
use crate::prepared::Prepared;
use crate::report::Report;
use crate::resume::begin::temporary_work;
use crate::settings::not_allowed;
use crate::solve::Found;
use crate::verify::Task;
use crate::view::View;
use crate::write::naming::{BATCH, Names};
use crate::{
    Choice, Error, Job, Kind, Match, Member, Observer, Pair, Result, SettingName, Stage, WrongSetting,
};
use corpus::Document;
use lookalike::shingling::ShingleSet;
use lookalike::similarity::SetMeasure;
use std::ops::ControlFlow;

/// The name in reports of the number of pairs beyond [`Resources::max_pairs`](crate::Resources::max_pairs).
pub const PAIRS_LEFT_OUT: &str = "pairs left out by --max-pairs";

/// See [`crate::pairs`].
pub(crate) fn pairs(
    job: &Job,
    observer: &dyn Observer,
    visit: &mut (dyn FnMut(Pair) -> Result<ControlFlow<()>> + Send),
) -> Result<Report> {
    let prepared = Prepared::new(job)?;
    prepared.check_against()?;
    pairs_prepared(&prepared, observer, visit)
}

/// Finds the pairs of a job that is already checked.
pub(crate) fn pairs_prepared(
    prepared: &Prepared<'_>,
    observer: &dyn Observer,
    visit: &mut (dyn FnMut(Pair) -> Result<ControlFlow<()>> + Send),
) -> Result<Report> {
    let job = prepared.job;
    prepared.with_view(observer, |view, mut stages| {
        let store = view.store;
        let copies = view.copies(&mut stages)?;
        let order = prepared.order.of_pairs();
        let view = View { order: &order, ..view };
        let room = view.room();
        let mut found = room.sorter(prepared.budget.collecting(), |pair: &Removal| (pair.number, pair.kept));
        let mut push = |pair: Found| found.push(Removal::near(&pair));
        let asked = Asked::new(view);
        let shared = asked.shared(&copies, store.count())?;
        let task = Task::Pairs { shared: &shared, visit: &mut push };
        let counts = view.verify(&copies, &mut stages, task)?;
        let found = found.finish()?;
        let mut report = view.report(&Sorted::empty(), counts, stages)?;
        let recall = view.recall(&found)?;
        let all = AllPairs::new(found, &copies, asked, store.count(), room)?;
        let has_distances = view.recipe.method.has_distances();
        let most = job.resources.max_pairs.unwrap_or(u64::MAX);
        if job.resources.max_pairs.is_some() {
            let left_out = all.count()?.saturating_sub(most);
            if left_out > 0 {
                report.capped.insert(PAIRS_LEFT_OUT.into(), left_out);
            }
        }
        let mut batch: Vec<Removal> = Vec::with_capacity(BATCH);
        let mut give = |batch: &mut Vec<Removal>| -> Result<ControlFlow<()>> {
            let numbers = batch.iter().flat_map(|pair| [pair.number, pair.kept]).collect();
            let names = Names::new(numbers, store, prepared.sources, job.settings.files.id_field.is_some())?;
            for pair in batch.drain(..) {
                observer.go_on()?;
                let flow = visit(Pair {
                    a: names.reference(pair.kept)?,
                    b: names.reference(pair.number)?,
                    similarity: (!pair.similarity.is_nan()).then_some(pair.similarity),
                    distance: has_distances.then_some(pair.distance),
                })?;
                if flow.is_break() {
                    return Ok(flow);
                }
            }
            Ok(ControlFlow::Continue(()))
        };
        let (mut given, mut stopped) = (0, false);
        // This ends when the visitor stops it, or after the first `most` pairs.
        let _ = all.visit(&mut |pair| {
            if given == most {
                return Ok(ControlFlow::Break(()));
            }
            given += 1;
            batch.push(pair);
            let flow = if batch.len() == BATCH { give(&mut batch)? } else { ControlFlow::Continue(()) };
            stopped = flow.is_break();
            Ok(flow)
        })?;
        if !stopped {
            // It does not matter whether the visitor stops here: these are the last pairs.
            let _ = give(&mut batch)?;
        }
        Ok(Report { recall, ..report })
    })
}

/// See [`crate::clusters`].
pub(crate) fn clusters(
    job: &Job,
    observer: &dyn Observer,
    visit: &mut (dyn FnMut(Member) -> Result<()> + Send),
) -> Result<Report> {
    let prepared = Prepared::new(job)?;
    prepared.check_against()?;
    prepared.with_view(observer, |view, mut stages| {
        let copies = view.copies(&mut stages)?;
        let (removals, counts, _) = view.decide(&copies, &mut stages)?;
        drop(copies);
        let report = view.report(&removals, counts, stages)?;
        let by_kept = by_kept(&removals, view.room())?;
        drop(removals);
        let mut removals = by_kept.iter();
        let mut last = None;
        loop {
            let batch = removals.by_ref().take(BATCH).collect::<Result<Vec<Removal>>>()?;
            if batch.is_empty() {
                return Ok(report);
            }
            observer.go_on()?;
            let numbers = batch.iter().flat_map(|removal| [removal.number, removal.kept]).collect();
            let has_ids = job.settings.files.id_field.is_some();
            let names = Names::new(numbers, view.store, prepared.sources, has_ids)?;
            for removal in batch {
                observer.go_on()?;
                if last != Some(removal.kept) {
                    last = Some(removal.kept);
                    let document = names.reference(removal.kept)?;
                    visit(Member { document, similarity: Some(1.0), is_kept: true })?;
                }
                let similarity = (!removal.similarity.is_nan()).then_some(removal.similarity);
                let document = names.reference(removal.number)?;
                visit(Member { document, similarity, is_kept: false })?;
            }
        }
    })
}

/// The removals, ascending by the kept document and then by the removed one.
pub(crate) fn by_kept(removals: &Removals, room: Room<'_>) -> Result<Removals> {
    let mut by_kept = room.sorter(room.ledger.sorting(), |removal: &Removal| (removal.kept, removal.number));
    for (step, removal) in removals.iter().enumerate() {
        room.observer.go_on_at(step)?;
        by_kept.push(removal?);
    }
    by_kept.finish()
}

/// See [`crate::query`]. One pass over the corpus compares the query with every document, exactly.
pub(crate) fn query(job: &Job, text: &str, top: usize, observer: &dyn Observer) -> Result<Vec<Match>> {
    let threshold = job.settings.matching.threshold;
    if !(0.0..=1.0).contains(&threshold) {
        return Err(not_allowed(SettingName::Threshold, threshold, "a number from 0 to 1"));
    }
    if job.settings.signature.kind == Kind::Vectors {
        return vectors::query(job, text, top, observer);
    }
    // Every document is compared, so no bands are planned, and any threshold is allowed.
    let settings = job.settings.clone().with_threshold(1.0).with_bands(None);
    let job = &Job { settings, ..job.clone() };
    let prepared = Prepared::new(job)?;
    let recipe = &prepared.recipe;
    // A value that is searched for has no other fields.
    let matching = &job.settings.matching;
    let refused = [
        matching.within_days.as_ref().map(|near| (Choice::new(SettingName::WithinDays, near), "date")),
        matching.within.as_ref().map(|field| (Choice::new(SettingName::Within, field), "other fields")),
    ];
    if let Some((choice, what)) = refused.into_iter().flatten().next() {
        let allowed = format!("what is searched for has no {what}");
        return Err(WrongSetting::NotAllowed { choice, allowed }.into());
    }
    if let Some(reason) = recipe.unusable(text, &mut TextBuffers::default()) {
        return Err(Error::Invalid(format!("what is searched for cannot be used: {reason}")));
    }
    frames::learn(&prepared, &temporary_work(job)?, observer)?;
    let mut buffers = TextBuffers::default();
    let words = recipe.elements(text, &mut buffers)?.to_vec();
    let asked = ShingleSet::from_hashes(words.clone());
    let content =
        recipe.has_little_left(text, &mut buffers)?.then(|| recipe.content_hash(text, &mut buffers));
    // Of fingerprints, the elements are the words.
    let similarity_of = |elements: &[u64]| {
        let differing = |(a, b): (&u64, &u64)| (a ^ b).count_ones();
        match recipe.method.similarity_at(words.iter().zip(elements).map(differing).sum()) {
            Some(similarity) => similarity,
            None => similarity_to(&asked, elements, recipe.verifier.measure()),
        }
    };
    let look = |document: &Document<'_>, at: At, buffers: &mut TextBuffers| {
        recipe.check_fits(document.text, &prepared.budget)?;
        let similarity = if recipe.has_little_left(document.text, buffers)? {
            // Of such a document only copies are similar to it.
            let is_copy =
                content.is_some_and(|content| recipe.content_hash(document.text, buffers) == content);
            f64::from(u8::from(is_copy))
        } else if content.is_some() {
            0.0
        } else {
            similarity_of(recipe.elements(document.text, buffers)?)
        };
        let found = similarity >= threshold && similarity > 0.0;
        Ok(found.then(|| (similarity, at, document.id.as_ref().map(|id| id.text.to_string()))))
    };
    best_matches(&prepared, top, observer, look)
}

/// A document that is similar to the query: how similar, where it is, and its id.
type Hit = (f64, At, Option<String>);

/// Looks at every document, and returns the `top` most similar of those that are similar.
fn best_matches(
    prepared: &Prepared<'_>,
    top: usize,
    observer: &dyn Observer,
    look: impl Fn(&Document<'_>, At, &mut TextBuffers) -> Result<Option<Hit>> + Sync,
) -> Result<Vec<Match>> {
    let mut best: Vec<Hit> = Vec::new();
    scan(prepared, Stage::Sketch, observer, look, |found| {
        best.push(found);
        if best.len() >= 2 * top {
            keep_best(&mut best, top);
        }
        Ok(())
    })?;
    keep_best(&mut best, top);
    let sources = prepared.sources;
    let as_match = |(similarity, at, id): Hit| Match { document: at.reference(id, sources), similarity };
    Ok(best.into_iter().map(as_match).collect())
}

/// Keeps the `top` most similar documents. Documents of equal similarity are in input order.
fn keep_best(found: &mut Vec<Hit>, top: usize) {
    found.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
    found.truncate(top);
}

/// The exact similarity of the query to a document, whose elements are in any order. For containment, it is the share
/// of the query that is in the document.
fn similarity_to(asked: &ShingleSet, elements: &[u64], measure: SetMeasure) -> f64 {
    // Most documents share no element with the query, so their set need not be built.
    if !asked.is_empty() && !elements.iter().any(|&element| asked.contains(element)) {
        return 0.0;
    }
    measure.similarity(asked, &ShingleSet::from_hashes(elements.to_vec()))
}
