//! The whole run, stage by stage.

use crate::candidates;
use crate::candidates::forest::Forest;
use crate::copies::repeats::{Keys, repeats};
use crate::copies::{self, Copies};
use crate::decide::recall::{FoundPair, estimator};
use crate::decide::{self, Removal, Removals};
use crate::limits::machine::has_room_for;
use crate::limits::memory::Ledger;
use crate::limits::ordered::{caught, no_thread};
use crate::limits::sorted::{Room, Sorted};
use crate::method::Means;
use crate::method::key::KeySeed;
use crate::progress::timing::Stages;
use crate::report::{Counts, PairCounts, Plan, Recall, Report, Run, SourceReport};
use crate::resume::claim::{self, Claim};
use crate::resume::decisions_file::Decided;
use crate::resume::identity::{Identity, check_unchanged};
use crate::resume::work::{KEY, Work};
use crate::sketch::missing_fields;
use crate::sketch::order::{KeepOrder, Rank};
use crate::sketch::sketch_file::stored_key;
use crate::sketch::{Sources, sketch};
use crate::solve::{Evidence, Found, NearMiss, NearMisses};
use crate::store::{Number, Store};
use crate::verify::{Task, similarities, verify};
use crate::view::View;
use crate::write::Outputs;
use crate::write::naming::BATCH;
use crate::write::removed;
use crate::{
    Clusters, Error, Job, LARGEST_TEXT, Method, Observer, Outcome, RemovedFormat, Resources, Result, Stage,
    Verify,
};
use corpus::{RemovedRow, Target, output_names};
use files::Access;
use std::collections::BTreeMap;
use std::io::{BufWriter, Write};

/// The folder of the run's own in the target.
pub(crate) const WORK_FOLDER: &str = corpus::WORK_FOLDER;

/// Which sketch file the run began from, if any, and where its parts begin.
pub(crate) const SKETCH_FILE: &str = "sketch-file";

/// Bytes of a pair whose similarity is asked for: twice its numbers, these sorted, two entries, and the answer.
const PER_ASKED: u64 = 160;

/// A job, checked and worked out.
pub(crate) struct Prepared<'a> {
    pub job: &'a Job,
    pub means: Means,
    pub budget: Ledger,
    pub order: KeepOrder,
    pub sources: Sources<'a>,
    pub threads: usize,
}

impl<'a> Prepared<'a> {
    /// Checks a job.
    pub(crate) fn new(job: &'a Job) -> Result<Self> {
        let sources = Sources { against: &job.against, corpus: &job.sources };
        job.resources.check()?;
        if !has_room_for(job.resources.threads) {
            return Err(no_thread(std::io::ErrorKind::OutOfMemory.into()));
        }
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
        let weights = means.method.memory();
        if weights > job.resources.memory / 2 {
            let (what, limit) = ("the file of weights".to_owned(), job.resources.memory);
            return Err(Error::Memory { what, needed: 2 * weights, limit });
        }
        let left = Resources { memory: job.resources.memory - weights, ..job.resources.clone() };
        let budget = Ledger::new(&left, sources.len())?;
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
        missing_fields::check(&self.means, self.sources, &self.budget, store.counts())?;
        let mut store = store;
        store.hold(self.budget.for_documents(store.count(), store.blocks().len())?);
        Ok(store)
    }

    /// Exact copies.
    pub(crate) fn copies(&self, store: &Store, work: &Work, stages: &mut Stages<'_>) -> Result<Copies> {
        stages.begin_quietly(Stage::ExactCopies);
        let copies = copies::find(self.view(store, stages), work)?;
        stages.end(copies.pairs.len());
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

    pub(crate) fn room<'c>(&'c self, work: &'c Work, observer: &'c dyn Observer) -> Room<'c> {
        Room { ledger: &self.budget, work, observer }
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
    ) -> Result<(Removals, PairCounts, Vec<NearMiss>)> {
        let near_misses = NearMisses::default();
        let room = self.room(work, stages.observer());
        let mut near = room.sorter(self.budget.collecting(), |removal: &Removal| removal.number);
        let counts = match self.job.settings.clusters {
            Clusters::Stars => {
                let mut visit = |found: Found| near.push(Removal::near(&found));
                let task = Task::Survivors { near_misses: &near_misses, visit: &mut visit };
                self.verify(store, copies, work, stages, task)?
            }
            Clusters::Components => {
                let mut forest = Forest::new(store.count());
                let counts =
                    self.verify(store, copies, work, stages, Task::Components { forest: &mut forest })?;
                let mut verified = 0;
                self.visit_components(store, forest, work, stages, &mut |removal| {
                    verified += 1;
                    near.push(removal);
                })?;
                PairCounts { verified, ..counts }
            }
        };
        let (near, against_only) = (near.finish()?, self.job.settings.against_only);
        let protected = |number| self.is_protected(store, number);
        let removals = decide::decide(near, copies, store.count(), against_only, room, protected)?;
        Ok((removals, counts, near_misses.into_vec()))
    }

    /// Hands of each component all but the first in keep order to `visit`, each with its similarity to that one.
    fn visit_components(
        &self,
        store: &Store,
        mut forest: Forest,
        work: &Work,
        stages: &Stages<'_>,
        visit: &mut dyn FnMut(Removal),
    ) -> Result<()> {
        let room = self.room(work, stages.observer());
        let mut members = room.sorter(self.budget.sorting(), |item: &[u64; 2]| *item);
        for number in 0..store.count() {
            stages.observer().go_on_at(number as usize)?;
            let root = forest.root(number);
            if root != number {
                members.push([root, number]);
            }
        }
        drop(forest);
        let members = members.finish()?;
        let firsts = self.firsts(store, &members, room)?;
        let mut pairs = room.sorter(self.budget.sorting(), |item: &[u64; 2]| *item);
        let mut firsts = firsts.iter();
        let mut last = None;
        for (step, member) in members.iter().enumerate() {
            room.observer.go_on_at(step)?;
            let [root, number] = member?;
            let (_, first) = match last.filter(|&(last, _)| last == root) {
                Some(known) => known,
                None => {
                    let Some([root, first]) = firsts.next().transpose()? else { break };
                    if root != first && !self.is_protected(store, root) {
                        pairs.push([first, root]);
                    }
                    *last.insert((root, first))
                }
            };
            if number != first && !self.is_protected(store, number) {
                pairs.push([first, number]);
            }
        }
        drop(members);
        let pairs = pairs.finish()?;
        let mut pairs = pairs.iter();
        // As many as are read from the sources in one go, if they fit.
        let at_a_time = (self.budget.sorting() / PER_ASKED).clamp(1 << 10, 1 << 16);
        let mut reservation = self.budget.reservation();
        reservation.grow(at_a_time * PER_ASKED);
        loop {
            let some = pairs.by_ref().take(at_a_time as usize).collect::<Result<Vec<[u64; 2]>>>()?;
            if some.is_empty() {
                return Ok(());
            }
            let some: Vec<(Number, Number)> = some.iter().map(|&[first, number]| (number, first)).collect();
            let similarities = if self.job.settings.verify == Verify::Exact {
                similarities(self.view(store, stages), &some)?
            } else {
                vec![f64::NAN; some.len()]
            };
            let distances = self.distances(store, &some)?;
            for ((&(number, other), similarity), distance) in some.iter().zip(similarities).zip(distances) {
                let evidence = Evidence { similarity, distance, sole_band: None };
                visit(Removal::near(&Found { number, other, evidence }));
            }
        }
    }

    /// The Hamming distances of pairs, with SimHash; otherwise none is ever asked for, and they are 0.
    fn distances(&self, store: &Store, pairs: &[(Number, Number)]) -> Result<Vec<u32>> {
        if self.job.settings.method != Method::Simhash {
            return Ok(vec![0; pairs.len()]);
        }
        let mut numbers: Vec<Number> = pairs.iter().flat_map(|&(a, b)| [a, b]).collect();
        numbers.sort_unstable();
        numbers.dedup();
        let (lanes, width) = (store.lanes_of(&numbers)?, self.means.lanes());
        let of = |number: Number| {
            let at = numbers.partition_point(|&other| other < number) * width;
            &lanes[at..at + width]
        };
        Ok(pairs.iter().map(|&(a, b)| self.means.method.distance(of(a), of(b)).unwrap_or(0)).collect())
    }

    /// The first document in keep order of each component, by root. The root itself is not among `members`.
    fn firsts(&self, store: &Store, members: &Sorted<[u64; 2]>, room: Room<'_>) -> Result<Sorted<[u64; 2]>> {
        let mut firsts = room.sorter(self.budget.sorting(), |item: &[u64; 2]| *item);
        let mut members = members.iter();
        let mut best: Option<(Number, Rank)> = None;
        loop {
            room.observer.go_on()?;
            let some = members.by_ref().take(BATCH).collect::<Result<Vec<[u64; 2]>>>()?;
            if some.is_empty() {
                break;
            }
            let mut numbers: Vec<Number> = some.iter().flatten().copied().collect();
            numbers.sort_unstable();
            numbers.dedup();
            let entries = store.entries_of(&numbers)?;
            let rank = |number: Number| {
                let entry = &entries[numbers.partition_point(|&other| other < number)];
                self.order.rank(store.source_of(number), entry, number)
            };
            for [root, number] in some {
                let so_far = match best {
                    Some((last, so_far)) if last == root => so_far,
                    other => {
                        if let Some((root, (_, _, first))) = other {
                            firsts.push([root, first]);
                        }
                        rank(root)
                    }
                };
                best = Some((root, so_far.min(rank(number))));
            }
        }
        if let Some((root, (_, _, first))) = best {
            firsts.push([root, first]);
        }
        firsts.finish()
    }

    /// The report, but for the time it took.
    pub(crate) fn report(
        &self,
        store: &Store,
        removals: &Removals,
        pairs: PairCounts,
        stages: Stages<'_>,
        work: &Work,
    ) -> Result<Report> {
        let settings = &self.job.settings;
        let mut counts = Counts { ..store.counts().clone() };
        let observer = stages.observer();
        let mut histogram = vec![0; 21];
        let mut removed_by_source = vec![0; self.sources.len()];
        let mut kept = self.room(work, observer).sorter(self.budget.sorting(), |number: &Number| *number);
        for (step, removal) in removals.iter().enumerate() {
            observer.go_on_at(step)?;
            let removal = removal?;
            counts.exact += u64::from(removal.is_exact());
            kept.push(removal.kept);
            removed_by_source[store.source_of(removal.number)] += 1;
            if !removal.is_exact() && !removal.similarity.is_nan() {
                histogram[(removal.similarity * 20.0) as usize] += 1;
            }
        }
        counts.near = removals.len() - counts.exact;
        counts.kept = counts.documents - counts.exact - counts.near - counts.bad_skipped;
        let (mut last, mut members) = (None, 0);
        for (step, kept) in kept.finish()?.iter().enumerate() {
            observer.go_on_at(step)?;
            let kept = Some(kept?);
            if last != kept {
                counts.clusters += 1;
                members = 1;
                last = kept;
            }
            members += 1;
            counts.largest_cluster = counts.largest_cluster.max(members);
        }
        if settings.id_field.is_some() {
            counts.repeated_ids = self.repeated_ids(store, self.room(work, observer))?;
        }
        if settings.on_bad_record == crate::OnBadRecord::Skip {
            for (step, bad) in store.bad().enumerate() {
                observer.go_on_at(step)?;
                removed_by_source[store.source_of(bad?.0)] += 1;
            }
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
        let recall = self.recall(store, removals, self.room(work, observer))?;
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
    pub(crate) fn recall(
        &self,
        store: &Store,
        removals: &Removals,
        room: Room<'_>,
    ) -> Result<Option<Recall>> {
        let settings = &self.job.settings;
        if settings.verify != Verify::Exact || settings.clusters == Clusters::Components {
            return Ok(None);
        }
        let Some(mut estimator) = estimator(&self.means, room) else { return Ok(None) };
        let mut found = removals.iter().filter(|removal| !removal.as_ref().is_ok_and(Removal::is_exact));
        loop {
            room.observer.go_on()?;
            let some = found.by_ref().take(BATCH).collect::<Result<Vec<Removal>>>()?;
            if some.is_empty() {
                return estimator.finish().map(Some);
            }
            let numbers: Vec<Number> = some.iter().map(|removal| removal.number).collect();
            debug_assert!(numbers.is_sorted());
            for (removal, entry) in some.iter().zip(store.entries_of(&numbers)?) {
                estimator.add(FoundPair {
                    similarity: removal.similarity,
                    size: u64::from(entry.size),
                    sole_band: removal.sole_band(),
                    kept: removal.kept,
                });
            }
        }
    }

    /// How many documents have an id that another one before had.
    fn repeated_ids(&self, store: &Store, room: Room<'_>) -> Result<u64> {
        let mut keys: Vec<(u64, Number)> = Vec::new();
        let scan = |visit: &mut Keys<'_>| {
            for part in 0..store.parts() {
                room.observer.go_on()?;
                keys.clear();
                store.visit_ids(&store.numbers_of_part(part).collect::<Vec<_>>(), |number, id| {
                    if !id.is_empty() {
                        let hash = lookalike::hashing::hash_bytes(id.as_bytes());
                        keys.push((lookalike::hashing::mix64(hash), number));
                    }
                })?;
                visit(&keys);
            }
            Ok(())
        };
        let mut repeated = 0;
        repeats(store.count(), room, scan, &mut |_, first| repeated += u64::from(!first))?;
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
        let copies = prepared.copies(&store, &work, &mut stages)?;
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
    let removed_name = check_outputs(job)?;
    job.sources.iter().try_for_each(|source| target.check(&source.output))?;
    let identity = Identity::new(&prepared.means, prepared.sources)?;
    let json = identity.to_json();
    let lasting = !target.is_stdout();
    if lasting && let Some(report) = claim::finished(target, &json)? {
        if claim::has_outputs_of(job, target, removed_name)? {
            claim::say_touched(job, target, observer)?;
            claim::clear_after(job, target);
            return Ok(Outcome::AlreadyFinished(report));
        }
        observer.note(&format!("outputs of the run in {} are gone; they are made again", target.name()));
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
    } else {
        // A run that was killed may have begun from one.
        work.remove_file(SKETCH_FILE)?;
    }
    let mut stages = Stages::new(observer);
    if lasting && job.sketch.is_none() && job.settings.store == crate::Store::Shingles {
        prepared.means.use_key(&key_of(work)?);
    }
    let store = prepared.sketch(work, &mut stages)?;
    let (removals, decided) = match work.stored_decisions()? {
        Some(stored) => {
            work.reuse();
            stored.into_removals(&prepared.budget)?
        }
        None => {
            let copies = prepared.copies(&store, work, &mut stages)?;
            let (removals, pairs, near) = prepared.decide(&store, &copies, work, &mut stages)?;
            drop(copies);
            let near_misses = near.iter().map(|miss| (miss.number, miss.other, miss.similarity)).collect();
            let decided = Decided { pairs, near_misses };
            if lasting {
                work.write_decisions(&removals, &decided, observer)?;
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
        work,
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
    if let Some(written) = work.read(KEY)? {
        let seed = std::str::from_utf8(&written).ok().and_then(KeySeed::from_hex);
        return seed.ok_or_else(|| Error::Damaged {
            name: format!("{WORK_FOLDER}/{KEY}"),
            cause: "it is no key; begin again in another target folder".into(),
        });
    }
    let seed = KeySeed::random()?;
    work.write(KEY, seed.to_hex().as_bytes())?;
    Ok(seed)
}

/// Where temporary files go.
pub(crate) fn temp_folder(job: &Job) -> std::path::PathBuf {
    job.resources.temp_dir.clone().unwrap_or_else(std::env::temp_dir)
}

fn write_removed(
    prepared: &Prepared<'_>,
    store: &Store,
    removals: &Removals,
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
            let mut out = corpus::RemovedWriter::new(out)?;
            removed::rows(removals, store, prepared.sources, settings, &mut |row| {
                observer.go_on()?;
                Ok(out.push(&row)?)
            })?;
            out.finish()?;
        }
    }
    Ok(target.publish(&file, name)?)
}

/// The sample of pairs just below the threshold, for people.
fn write_near_misses(prepared: &Prepared<'_>, store: &Store, decided: &Decided, work: &Work) -> Result<()> {
    let numbers = decided.near_misses.iter().flat_map(|&(a, b, _)| [a, b]).collect();
    let has_ids = prepared.job.settings.id_field.is_some();
    let names = crate::write::naming::Names::new(numbers, store, prepared.sources, has_ids)?;
    let mut lines = Vec::new();
    for &(number, other, similarity) in &decided.near_misses {
        let (a, b) = (names.reference(other)?, names.reference(number)?);
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
