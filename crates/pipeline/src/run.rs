//! The whole run, stage by stage.

use crate::candidates;
use crate::claim::{self, Claim};
use crate::copies::{self, Copies};
use crate::decisions::{self, Removal};
use crate::decisions_file::Decided;
use crate::forest::Forest;
use crate::grouping::{Taker, groups};
use crate::identity::{Identity, check_unchanged};
use crate::key::KeySeed;
use crate::memory::Budget;
use crate::method::Means;
use crate::missing_fields;
use crate::order::KeepOrder;
use crate::ordered::{caught, no_thread};
use crate::outputs::Outputs;
use crate::recall::{FoundPair, estimate};
use crate::removed;
use crate::report::{Counts, PairCounts, Plan, Recall, Report, Run, SourceReport};
use crate::sketch_file::stored_key;
use crate::sketching::{Sources, sketch};
use crate::solve::{Evidence, Found, NearMiss, NearMisses};
use crate::stages::Stages;
use crate::store::{Number, Store};
use crate::verify::{Task, similarities, verify};
use crate::view::View;
use crate::work::Work;
use crate::{Clusters, Error, Job, LARGEST_TEXT, Observer, Outcome, RemovedFormat, Result, Stage, Verify};
use corpus::{RemovedRow, Target, output_names};
use files::Access;
use std::collections::BTreeMap;
use std::io::{BufWriter, Write};

/// The folder of the run's own in the target.
pub(crate) const WORK_FOLDER: &str = corpus::WORK_FOLDER;

/// Which sketch file the run began from, if any, and where its parts begin.
pub(crate) const SKETCH_FILE: &str = "sketch-file";

/// A job, checked and worked out.
pub(crate) struct Prepared<'a> {
    pub job: &'a Job,
    pub means: Means,
    pub budget: Budget,
    pub order: KeepOrder,
    pub sources: Sources<'a>,
    pub threads: usize,
}

impl<'a> Prepared<'a> {
    /// Checks a job.
    pub(crate) fn new(job: &'a Job) -> Result<Self> {
        let sources = Sources { against: &job.against, corpus: &job.sources };
        job.resources.check()?;
        // Sources have 32-bit numbers.
        if u32::try_from(sources.len()).is_err() {
            return Err(Error::Invalid(format!("{} sources are more than a run can have", sources.len())));
        }
        if job.settings.max_text > LARGEST_TEXT {
            return Err(Error::Invalid(format!(
                "--max-text {} is not allowed: at most {}",
                job.settings.max_text,
                corpus::readable_size(LARGEST_TEXT)
            )));
        }
        let mut means = Means::new(&job.settings)?;
        let budget = Budget::new(&job.resources)?;
        if job.settings.against_only && job.against.is_empty() {
            return Err(Error::Invalid("--against-only needs --against".into()));
        }
        if let (Some((file, _)), crate::Store::Shingles) = (&job.sketch, job.settings.store) {
            means.use_key(&stored_key(file)?);
        }
        means.plan.input_bytes = sources.bytes();
        let order = KeepOrder::new(&job.settings, sources)?;
        Ok(Self { job, means, budget, order, sources, threads: job.resources.threads.max(1) })
    }

    /// Runs `work` with as many rayon threads as the job allows.
    pub(crate) fn in_pool<R: Send>(&self, work: impl FnOnce() -> Result<R> + Send) -> Result<R> {
        let pool = rayon::ThreadPoolBuilder::new()
            .num_threads(self.threads)
            .build()
            .map_err(|error| no_thread(std::io::Error::other(error)))?;
        caught(|| pool.install(work))
    }

    /// Sketches, and finds exact copies and candidates.
    pub(crate) fn sketch(&self, work: &mut Work, stages: &mut Stages<'_>) -> Result<Store> {
        stages.begin(Stage::Sketch, self.sources.bytes());
        let store = sketch(self.sources, &self.means, &self.budget, self.threads, work, stages.observer())?;
        stages.end(store.counts().text_bytes);
        self.budget.check_documents(store.count())?;
        missing_fields::check(&self.means, self.sources, &self.budget, store.counts())?;
        Ok(store)
    }

    /// Exact copies.
    pub(crate) fn copies(&self, store: &Store, stages: &mut Stages<'_>) -> Result<Copies> {
        stages.begin_quietly(Stage::ExactCopies);
        let copies = copies::find(self.view(store, stages))?;
        stages.end(copies.pairs.len() as u64);
        Ok(copies)
    }

    /// Candidates, and the task on them.
    pub(crate) fn verify(
        &self,
        store: &Store,
        copies: &Copies,
        work: &Work,
        stages: &mut Stages<'_>,
        task: Task<'_>,
    ) -> Result<PairCounts> {
        stages.begin_quietly(Stage::Candidates);
        let candidates = candidates::find(self.view(store, stages), copies, work)?;
        stages.end(self.means.bands() as u64);
        stages.begin_quietly(Stage::Verify);
        let counts = verify(self.view(store, stages), candidates, work, task)?;
        stages.end(counts.compared);
        Ok(counts)
    }

    pub(crate) fn view<'c>(&'c self, store: &'c Store, stages: &Stages<'c>) -> View<'c> {
        View {
            store,
            sources: self.sources,
            means: &self.means,
            order: &self.order,
            budget: &self.budget,
            threads: self.threads,
            observer: stages.observer(),
        }
    }

    fn is_protected(&self, store: &Store, number: Number) -> bool {
        self.sources.is_against(store.source_of(number))
    }

    /// What becomes of every document: the removed ones, in input order.
    pub(crate) fn decide(
        &self,
        store: &Store,
        copies: &Copies,
        work: &Work,
        stages: &mut Stages<'_>,
    ) -> Result<(Vec<Removal>, PairCounts, Vec<NearMiss>)> {
        let near_misses = NearMisses::default();
        let mut near: Vec<Removal> = Vec::new();
        let counts = match self.job.settings.clusters {
            Clusters::Stars => {
                let mut visit = |found: Found| near.push(Removal::near(&found));
                let task = Task::Survivors { near_misses: &near_misses, visit: &mut visit };
                self.verify(store, copies, work, stages, task)?
            }
            Clusters::Components => {
                let mut forest = Forest::new(store.count());
                self.verify(store, copies, work, stages, Task::Components { forest: &mut forest })?;
                near = self.removals_of_components(store, forest, work, stages)?;
                PairCounts { verified: near.len() as u64, ..PairCounts::default() }
            }
        };
        let against_only = self.job.settings.against_only;
        let removals =
            decisions::decide(near, copies, against_only, |number| self.is_protected(store, number));
        Ok((removals, counts, near_misses.into_vec()))
    }

    /// Of each component, all but the first in keep order, each with its similarity to that one.
    fn removals_of_components(
        &self,
        store: &Store,
        mut forest: Forest,
        work: &Work,
        stages: &Stages<'_>,
    ) -> Result<Vec<Removal>> {
        let mut members: Vec<(Number, Number)> = Vec::new();
        for number in 0..store.count() {
            stages.observer().go_on_at(number as usize)?;
            let root = forest.root(number);
            if root != number {
                members.push((root, number));
            }
        }
        drop(forest);
        members.sort_unstable();
        let mut pairs: Vec<(Number, Number)> = Vec::new();
        for component in members.chunk_by(|a, b| a.0 == b.0) {
            stages.observer().go_on()?;
            let mut numbers: Vec<Number> = vec![component[0].0];
            numbers.extend(component.iter().map(|&(_, number)| number));
            let entries = store.entries_of(&numbers)?;
            let first = numbers
                .iter()
                .zip(&entries)
                .min_by_key(|(number, entry)| self.order.rank(store.source_of(**number), entry, **number));
            let Some((&first, _)) = first else { continue };
            let goes = |number: &Number| *number != first && !self.is_protected(store, *number);
            pairs.extend(numbers.iter().copied().filter(goes).map(|number| (number, first)));
        }
        pairs.sort_unstable_by_key(|&(number, first)| (first, number));
        let exact = self.job.settings.verify == Verify::Exact;
        let similarities = if exact {
            similarities(self.view(store, stages), &pairs, work)?
        } else {
            vec![f64::NAN; pairs.len()]
        };
        Ok(pairs
            .iter()
            .zip(similarities)
            .map(|(&(number, other), similarity)| {
                let evidence = Evidence { similarity, distance: 0, sole_band: None };
                Removal::near(&Found { number, other, evidence })
            })
            .collect())
    }

    /// The report, but for the time it took.
    pub(crate) fn report(
        &self,
        store: &Store,
        removals: &[Removal],
        pairs: PairCounts,
        stages: Stages<'_>,
        work: &Work,
    ) -> Result<Report> {
        let settings = &self.job.settings;
        let mut counts = Counts { ..store.counts().clone() };
        counts.exact = removals.iter().filter(|removal| removal.is_exact()).count() as u64;
        counts.near = removals.len() as u64 - counts.exact;
        counts.kept = counts.documents - counts.exact - counts.near - counts.bad_skipped;
        let mut kept: Vec<Number> = removals.iter().map(|removal| removal.kept).collect();
        kept.sort_unstable();
        counts.clusters = kept.chunk_by(|a, b| a == b).count() as u64;
        counts.largest_cluster =
            kept.chunk_by(|a, b| a == b).map(|same| same.len() as u64 + 1).max().unwrap_or(0);
        if settings.id_field.is_some() {
            counts.repeated_ids = self.repeated_ids(store, stages.observer())?;
        }
        let mut histogram = vec![0; 21];
        for removal in removals.iter().filter(|removal| !removal.is_exact() && !removal.similarity.is_nan()) {
            histogram[(removal.similarity * 20.0) as usize] += 1;
        }
        let mut removed_by_source = vec![0; self.sources.len()];
        removals.iter().for_each(|removal| removed_by_source[store.source_of(removal.number)] += 1);
        if settings.on_bad_record == crate::OnBadRecord::Skip {
            store.bad().iter().for_each(|(number, _)| removed_by_source[store.source_of(*number)] += 1);
        }
        let mut records = vec![0; self.sources.len()];
        for (_, block) in store.blocks() {
            records[block.source as usize] += u64::from(block.slots);
        }
        let sources = (0..self.sources.len())
            .map(|at| SourceReport {
                name: self.sources.get(at).name.clone(),
                against: self.sources.is_against(at),
                records: records[at],
                removed: if self.sources.is_against(at) { 0 } else { removed_by_source[at] },
            })
            .collect();
        let recall = self.recall(store, removals)?;
        Ok(Report {
            version: 1,
            lookalike: env!("CARGO_PKG_VERSION").into(),
            settings: settings.clone(),
            plan: self.means.plan.clone(),
            sources,
            counts,
            verified_pairs: pairs.verified,
            histogram,
            recall,
            capped: BTreeMap::new(),
            run: Run {
                threads: self.threads,
                memory: self.job.resources.memory,
                resumed: work.is_resumed(),
                spilled: store.is_spilled(),
                pairs,
                ..stages.finish()
            },
        })
    }

    /// The estimate of the recall from near-duplicates that were found by their keys.
    pub(crate) fn recall(&self, store: &Store, removals: &[Removal]) -> Result<Option<Recall>> {
        let settings = &self.job.settings;
        if settings.verify != Verify::Exact || settings.clusters == Clusters::Components {
            return Ok(None);
        }
        let found: Vec<&Removal> = removals.iter().filter(|removal| !removal.is_exact()).collect();
        let numbers: Vec<Number> = found.iter().map(|removal| removal.number).collect();
        debug_assert!(numbers.is_sorted());
        let entries = store.entries_of(&numbers)?;
        let pairs = found.iter().zip(&entries).map(|(removal, entry)| FoundPair {
            similarity: removal.similarity,
            size: u64::from(entry.size),
            sole_band: removal.sole_band(),
            kept: removal.kept,
        });
        Ok(estimate(pairs, &self.means))
    }

    /// How many documents have an id that another one before had.
    fn repeated_ids(&self, store: &Store, observer: &dyn Observer) -> Result<u64> {
        let scan = |visit: &mut Taker<'_>| {
            let mut keys: Vec<(Number, u64)> = Vec::new();
            for part in 0..store.parts() {
                observer.go_on()?;
                let (first, entries) = store.entries(part)?;
                let numbers: Vec<Number> = (first..first + entries.len() as Number).collect();
                keys.clear();
                store.visit_ids(&numbers, |number, id| {
                    if !id.is_empty() {
                        keys.push((
                            number,
                            lookalike::hashing::mix64(lookalike::hashing::hash_bytes(id.as_bytes())),
                        ));
                    }
                })?;
                visit(&keys);
            }
            Ok(())
        };
        let mut repeated = 0;
        groups(store.count(), self.budget.grouping(), observer, &scan, &mut |group| {
            repeated += group.len() as u64 - 1;
        })?;
        Ok(repeated)
    }
}

/// See [`crate::plan`].
pub(crate) fn plan(job: &Job) -> Result<Plan> {
    Ok(Prepared::new(job)?.means.plan)
}

/// See [`crate::dedup`].
pub(crate) fn dedup(job: &Job, target: &Target, dry_run: bool, observer: &dyn Observer) -> Result<Outcome> {
    let prepared = Prepared::new(job)?;
    if dry_run {
        check_outputs(job)?;
        return decide_prepared(&prepared, observer, &mut |_| Ok(())).map(Outcome::Finished);
    }
    dedup_prepared(&prepared, target, observer)
}

/// See [`crate::decide`].
pub(crate) fn decide(
    job: &Job,
    observer: &dyn Observer,
    visit: &mut (dyn FnMut(RemovedRow) -> Result<()> + Send),
) -> Result<Report> {
    decide_prepared(&Prepared::new(job)?, observer, visit)
}

fn decide_prepared(
    prepared: &Prepared<'_>,
    observer: &dyn Observer,
    visit: &mut (dyn FnMut(RemovedRow) -> Result<()> + Send),
) -> Result<Report> {
    let job = prepared.job;
    observer.planned(&prepared.means.plan);
    let mut work = Work::temporary(&temp_folder(job))?;
    if let Some((file, offset)) = &job.sketch {
        work.use_sketch_file(file.clone(), *offset);
    }
    prepared.in_pool(|| {
        let mut stages = Stages::new(observer);
        let store = prepared.sketch(&mut work, &mut stages)?;
        let copies = prepared.copies(&store, &mut stages)?;
        let (removals, pairs, _) = prepared.decide(&store, &copies, &work, &mut stages)?;
        removed::rows(&removals, &store, prepared.sources, &job.settings, &mut |row| {
            observer.go_on()?;
            visit(row)
        })?;
        prepared.report(&store, &removals, pairs, stages, &work)
    })
}

/// The name of the list of removed documents; an error if an output would have a name that is taken.
fn check_outputs(job: &Job) -> Result<&'static str> {
    let removed_name = match job.settings.removed_format {
        RemovedFormat::Jsonl => "removed.jsonl",
        RemovedFormat::Parquet => "removed.parquet",
    };
    output_names(&job.sources, &[WORK_FOLDER, "report.json", "report.html", removed_name])?;
    Ok(removed_name)
}

/// Runs a job that was checked before.
pub(crate) fn dedup_prepared(
    prepared: &Prepared<'_>,
    target: &Target,
    observer: &dyn Observer,
) -> Result<Outcome> {
    let job = prepared.job;
    check_outputs(job)?;
    job.sources.iter().try_for_each(|source| target.check(&source.output))?;
    let identity = Identity::new(&prepared.means, prepared.sources)?;
    let json = identity.to_json();
    let lasting = !target.is_stdout();
    if lasting && let Some(report) = claim::finished(target, &json)? {
        return Ok(Outcome::AlreadyFinished(report));
    }
    observer.planned(&prepared.means.plan);
    if !lasting {
        let work = Work::temporary_on(target.files().clone(), &temp_folder(job))?;
        return dedup_in(prepared, target, &identity, work.with_spill(job), observer).0;
    }
    let (claim, work) = Claim::new(job, target, &json, observer)?;
    let (outcome, mut work) = dedup_in(prepared, target, &identity, work.with_spill(job), observer);
    match &outcome {
        Ok(_) => claim.finish(&mut work, observer),
        Err(error) => claim.fail(&mut work, error),
    }
    outcome
}

/// Runs a job in a work folder, and gives that back.
fn dedup_in(
    prepared: &Prepared<'_>,
    target: &Target,
    identity: &Identity,
    mut work: Work,
    observer: &dyn Observer,
) -> (Result<Outcome>, Work) {
    let outcome = prepared.in_pool(|| dedup_stages(prepared, target, identity, &mut work, observer));
    (outcome, work)
}

/// The stages of a run.
fn dedup_stages(
    prepared: &Prepared<'_>,
    target: &Target,
    identity: &Identity,
    work: &mut Work,
    observer: &dyn Observer,
) -> Result<Outcome> {
    let job = prepared.job;
    let removed_name = check_outputs(job)?;
    let lasting = !target.is_stdout();
    if let Some((file, offset)) = &job.sketch {
        if lasting {
            let path = std::path::absolute(file).unwrap_or_else(|_| file.clone());
            work.write(SKETCH_FILE, format!("{offset} {}", corpus::path_to_name(&path)).as_bytes())?;
        }
        work.use_sketch_file(file.clone(), *offset);
    }
    let mut stages = Stages::new(observer);
    if lasting && job.sketch.is_none() && job.settings.store == crate::Store::Shingles {
        prepared.means.use_key(&key_of(work)?);
    }
    let store = prepared.sketch(work, &mut stages)?;
    let (removals, decided) = match work.stored_decisions()? {
        Some(stored) => {
            work.reuse();
            stored.into_all()?
        }
        None => {
            let copies = prepared.copies(&store, &mut stages)?;
            let (removals, pairs, near) = prepared.decide(&store, &copies, work, &mut stages)?;
            let near_misses = near.iter().map(|miss| (miss.number, miss.other, miss.similarity)).collect();
            let decided = Decided { pairs, near_misses };
            if lasting {
                work.write_decisions(&removals, &decided)?;
            }
            (removals, decided)
        }
    };
    stages.begin(Stage::Write, job.sources.iter().map(|source| source.size).sum());
    let aside = work.unfinished()?;
    let outputs = Outputs {
        store: &store,
        sources: prepared.sources,
        means: &prepared.means,
        removals: &removals,
        budget: &prepared.budget,
        threads: prepared.threads,
        observer,
    };
    outputs.write(target, &aside)?;
    if lasting {
        write_removed(prepared, &store, &removals, target, &aside, removed_name, observer)?;
        write_near_misses(prepared, &store, &decided, work)?;
    }
    stages.end(store.counts().text_bytes);
    check_unchanged(prepared.sources, identity)?;
    let report = prepared.report(&store, &removals, decided.pairs, stages, work)?;
    if lasting {
        work.tidy()?;
        work.publish(target)?;
        let mut json = serde_json::to_vec_pretty(&report).expect("a report is plain data");
        json.push(b'\n');
        target.write("report.json", &json)?;
    }
    Ok(Outcome::Finished(report))
}

/// The key of the shingles that are stored in a work folder: a run that goes on must have the one it began with.
fn key_of(work: &Work) -> Result<KeySeed> {
    if let Some(written) = work.read("key")? {
        let seed = std::str::from_utf8(&written).ok().and_then(KeySeed::from_hex);
        return seed.ok_or_else(|| Error::Damaged {
            name: format!("{WORK_FOLDER}/key"),
            cause: "it is no key; begin again in another target folder".into(),
        });
    }
    let seed = KeySeed::random()?;
    work.write("key", seed.to_hex().as_bytes())?;
    Ok(seed)
}

/// Where temporary files go.
pub(crate) fn temp_folder(job: &Job) -> std::path::PathBuf {
    job.resources.temp_dir.clone().unwrap_or_else(std::env::temp_dir)
}

fn write_removed(
    prepared: &Prepared<'_>,
    store: &Store,
    removals: &[Removal],
    target: &Target,
    aside: &std::path::Path,
    name: &str,
    observer: &dyn Observer,
) -> Result<()> {
    let settings = &prepared.job.settings;
    let file = aside.join(name);
    let io = |cause| Error::Io { action: "write", name: file.display().to_string(), cause };
    let out = target.files().create(&file, Access::Shared)?;
    match settings.removed_format {
        RemovedFormat::Jsonl => {
            let mut out = BufWriter::with_capacity(1 << 18, out);
            removed::rows(removals, store, prepared.sources, settings, &mut |row| {
                observer.go_on()?;
                out.write_all(&removed::json_line(&row)).map_err(io)
            })?;
            out.into_inner().map_err(|error| io(error.into_error()))?.sync()?;
        }
        RemovedFormat::Parquet => {
            let mut rows = Vec::new();
            removed::rows(removals, store, prepared.sources, settings, &mut |row| {
                observer.go_on()?;
                rows.push(row);
                Ok(())
            })?;
            corpus::write_removed_parquet(out, &mut rows.into_iter().map(Ok))?;
        }
    }
    Ok(target.publish(&file, name)?)
}

/// The sample of pairs just below the threshold, for people.
fn write_near_misses(prepared: &Prepared<'_>, store: &Store, decided: &Decided, work: &Work) -> Result<()> {
    let numbers = decided.near_misses.iter().flat_map(|&(a, b, _)| [a, b]).collect();
    let names = crate::naming::Names::new(numbers, store, prepared.job.settings.id_field.is_some())?;
    let mut lines = Vec::new();
    for &(number, other, similarity) in &decided.near_misses {
        let (a, b) = (
            names.reference(other, store, prepared.sources),
            names.reference(number, store, prepared.sources),
        );
        let line = serde_json::json!({
            "a": a.id, "a_source": a.source, "a_line": a.line,
            "b": b.id, "b_source": b.source, "b_line": b.line,
            "similarity": similarity,
        });
        lines.extend_from_slice(line.to_string().as_bytes());
        lines.push(b'\n');
    }
    work.write("near-misses.jsonl", &lines)
}
