//! What else is asked of a corpus: all pairs, all clusters, who looks like this.

use crate::decisions::Removal;
use crate::method::TextBuffers;
use crate::naming::Names;
use crate::report::Report;
use crate::run::{Prepared, temp_folder};
use crate::scan::{At, scan};
use crate::solve::Found;
use crate::stages::Stages;
use crate::store::Number;
use crate::verify::Task;
use crate::work::Work;
use crate::{Cluster, Error, Job, Match, Method, Observer, Pair, Result, Settings};
use corpus::Document;
use lookalike::shingling::ShingleSet;
use lookalike::similarity::SetMeasure;
use std::collections::HashMap;

fn temporary_work(job: &Job) -> Result<Work> {
    let mut work = Work::temporary(&temp_folder(job))?;
    if let Some((file, offset)) = &job.sketch {
        work.use_sketch_file(file.clone(), *offset);
    }
    Ok(work)
}

/// What a report calls pairs beyond [`Resources::max_pairs`](crate::Resources::max_pairs).
pub const PAIRS_LEFT_OUT: &str = "pairs left out by --max-pairs";

/// See [`crate::pairs`].
pub(crate) fn pairs(
    job: &Job,
    observer: &dyn Observer,
    visit: &mut (dyn FnMut(Pair) -> Result<()> + Send),
) -> Result<Report> {
    pairs_prepared(&Prepared::new(job)?, observer, visit)
}

/// Runs a job that was checked before.
pub(crate) fn pairs_prepared(
    prepared: &Prepared<'_>,
    observer: &dyn Observer,
    visit: &mut (dyn FnMut(Pair) -> Result<()> + Send),
) -> Result<Report> {
    let job = prepared.job;
    observer.planned(&prepared.means.plan);
    let mut work = temporary_work(job)?;
    prepared.in_pool(|| {
        let mut stages = Stages::new(observer);
        let store = prepared.sketch(&mut work, &mut stages)?;
        let copies = prepared.copies(&store, &mut stages)?;
        let mut found: Vec<Removal> = Vec::new();
        let mut push = |pair: Found| found.push(Removal::near(&pair));
        let counts =
            prepared.verify(&store, &copies, &work, &mut stages, Task::Pairs { visit: &mut push })?;
        found.sort_unstable_by_key(|pair| (pair.number, pair.kept));
        let mut report = prepared.report(&store, &[], counts, stages, &work)?;
        let recall = prepared.recall(&store, &found)?;
        let mut all = found;
        with_copies(&mut all, &copies.pairs, observer)?;
        for pair in &mut all {
            if pair.kept > pair.number {
                std::mem::swap(&mut pair.kept, &mut pair.number);
            }
        }
        all.sort_unstable_by_key(|pair| (pair.kept, pair.number));
        let simhash = job.settings.method == Method::Simhash;
        let most = job.resources.max_pairs.and_then(|most| usize::try_from(most).ok());
        let (given, left_out) = all.split_at(all.len().min(most.unwrap_or(usize::MAX)));
        if !left_out.is_empty() {
            report.capped.insert(PAIRS_LEFT_OUT.into(), left_out.len() as u64);
        }
        for batch in given.chunks(1 << 14) {
            let numbers = batch.iter().flat_map(|pair| [pair.number, pair.kept]).collect();
            let names = Names::new(numbers, &store, job.settings.id_field.is_some())?;
            for pair in batch {
                observer.go_on()?;
                visit(Pair {
                    a: names.reference(pair.kept, &store, prepared.sources),
                    b: names.reference(pair.number, &store, prepared.sources),
                    similarity: (!pair.similarity.is_nan()).then_some(pair.similarity),
                    distance: simhash.then_some(pair.distance),
                })?;
            }
        }
        Ok(Report { recall, ..report })
    })
}

/// Adds the pairs that follow from exact copies: of each other, and of all that is similar to their original.
fn with_copies(pairs: &mut Vec<Removal>, copies: &[(Number, Number)], observer: &dyn Observer) -> Result<()> {
    let mut of: HashMap<Number, Vec<Number>> = HashMap::new();
    for &(copy, original) in copies {
        of.entry(original).or_default().push(copy);
    }
    let all = |number: Number| std::iter::once(number).chain(of.get(&number).into_iter().flatten().copied());
    let mut more: Vec<Removal> = Vec::new();
    for pair in pairs.iter() {
        for number in all(pair.number) {
            observer.go_on()?;
            for kept in all(pair.kept) {
                if (number, kept) != (pair.number, pair.kept) {
                    more.push(Removal { number, kept, ..*pair });
                }
            }
        }
    }
    for &(copy, original) in copies {
        observer.go_on()?;
        let earlier = all(original).take_while(|&other| other != copy);
        more.extend(earlier.map(|kept| Removal::exact(copy, kept)));
    }
    pairs.extend(more);
    Ok(())
}

/// See [`crate::clusters`].
pub(crate) fn clusters(
    job: &Job,
    observer: &dyn Observer,
    visit: &mut (dyn FnMut(Cluster) -> Result<()> + Send),
) -> Result<Report> {
    let prepared = Prepared::new(job)?;
    observer.planned(&prepared.means.plan);
    let mut work = temporary_work(job)?;
    prepared.in_pool(|| {
        let mut stages = Stages::new(observer);
        let store = prepared.sketch(&mut work, &mut stages)?;
        let copies = prepared.copies(&store, &mut stages)?;
        let (mut removals, counts, _) = prepared.decide(&store, &copies, &work, &mut stages)?;
        let report = prepared.report(&store, &removals, counts, stages, &work)?;
        removals.sort_unstable_by_key(|removal| (removal.kept, removal.number));
        for cluster in removals.chunk_by(|a, b| a.kept == b.kept) {
            observer.go_on()?;
            let numbers = cluster.iter().map(|r| r.number).chain([cluster[0].kept]).collect();
            let names = Names::new(numbers, &store, job.settings.id_field.is_some())?;
            let name = |number| names.reference(number, &store, prepared.sources);
            let similarity = |removal: &Removal| (!removal.similarity.is_nan()).then_some(removal.similarity);
            visit(Cluster {
                members: [name(cluster[0].kept)]
                    .into_iter()
                    .chain(cluster.iter().map(|r| name(r.number)))
                    .collect(),
                similarities: [Some(1.0)].into_iter().chain(cluster.iter().map(similarity)).collect(),
            })?;
        }
        Ok(report)
    })
}

/// See [`crate::query`]. One pass over the corpus compares the query with every document, exactly.
pub(crate) fn query(job: &Job, text: &str, top: usize, observer: &dyn Observer) -> Result<Vec<Match>> {
    let threshold = job.settings.threshold;
    if !(0.0..=1.0).contains(&threshold) {
        return Err(Error::Invalid(format!("--threshold {threshold} is not in [0, 1]")));
    }
    // Everything is compared, so nothing is planned, and any threshold will do.
    let settings = Settings { threshold: 1.0, bands: None, ..job.settings.clone() };
    let job = &Job { settings, ..job.clone() };
    let prepared = Prepared::new(job)?;
    let means = &prepared.means;
    let asked = ShingleSet::from_hashes(means.elements(text, &mut TextBuffers::default())?.to_vec());
    let look = |document: &Document<'_>, at: At, buffers: &mut TextBuffers| {
        let similarity =
            similarity_to(&asked, means.elements(document.text, buffers)?, means.verifier.measure());
        let found = similarity >= threshold && similarity > 0.0;
        Ok(found.then(|| (similarity, at, document.id.as_ref().map(|id| id.text.to_string()))))
    };
    let mut best: Vec<(f64, At, Option<String>)> = Vec::new();
    scan(&prepared, observer, look, |found| {
        best.push(found);
        if best.len() >= 2 * top {
            keep_best(&mut best, top);
        }
    })?;
    keep_best(&mut best, top);
    let sources = prepared.sources;
    Ok(best
        .into_iter()
        .map(|(similarity, at, id)| Match { document: at.reference(id, sources), similarity })
        .collect())
}

/// The `top` most similar ones, those of the same similarity in input order.
fn keep_best(found: &mut Vec<(f64, At, Option<String>)>, top: usize) {
    found.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
    found.truncate(top);
}

/// The exact similarity of the query to a document, whose elements come in any order; for containment, how much of the
/// query is in it.
fn similarity_to(asked: &ShingleSet, elements: &[u64], measure: SetMeasure) -> f64 {
    // Most documents share nothing with the query: then their set need not be made.
    if !asked.is_empty() && !elements.iter().any(|&element| asked.contains(element)) {
        return 0.0;
    }
    measure.similarity(asked, &ShingleSet::from_hashes(elements.to_vec()))
}
