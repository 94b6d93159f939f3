//! Questions about a finished run. Most are answered from the files in its folder; some need the sources.

mod changes;
mod texts;

pub use changes::Change;
pub use texts::Excerpt;

use crate::ask::by_kept;
use crate::decide::{Removal, Removals};
use crate::limits::memory::Ledger;
use crate::limits::sorted::Room;
use crate::method::{Recipe, UseOfSketches};
use crate::report::Report;
use crate::resume::begin::SKETCH_FILE;
use crate::resume::identity::{Identity, SourceIdentity, other_version};
use crate::resume::work::{BEGAN_IN, Work};
use crate::seen::{asked_for, seen_by};
use crate::sketch::sketch_file::{SketchFiles, found_again};
use crate::store::entries::Class;
use crate::store::{Number, Store};
use crate::{Error, Indexes, Job, Reference, Resources, Result, Settings, Silent};
use corpus::{Source, WORK_FOLDER, name_to_path, path_to_name};
use lookalike::similarity::edit_distance_at_most;
use serde::{Deserialize, Serialize};
use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// The version of `report.json` that can be read.
const REPORT_VERSION: u32 = 1;

/// A finished run, which can be asked questions.
#[derive(Debug)]
pub struct FinishedRun {
    folder: PathBuf,
    /// The folder to which relative paths are relative.
    began_in: PathBuf,
    report: Report,
    settings: Settings,
    identity: Identity,
    store: Store,
    removals: Removals,
    ledger: Ledger,
    near_misses: Vec<RunPair>,
    resources: Resources,
}

/// A pair that was compared: a kept document, and a document that was removed because of it, or nearly was. Documents
/// are numbered from 0 through all sources.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct RunPair {
    /// The number of the kept document.
    pub kept: u64,
    /// The number of the other document.
    pub other: u64,
    /// The similarity of the two documents, if it was computed.
    pub similarity: Option<f64>,
    /// True if the normalised texts are equal.
    pub is_exact: bool,
}

/// A kept document and the documents that were removed because of it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RunCluster {
    /// The number of the kept document.
    pub kept: u64,
    /// The first of the removed documents, in input order.
    pub removed: Vec<RunPair>,
    /// The number of documents in the cluster, including the kept one.
    pub size: u64,
}

/// The clusters of a run.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct RunClusters {
    /// The largest clusters, the largest first.
    pub largest: Vec<RunCluster>,
    /// How many clusters there are of each size.
    pub sizes: BTreeMap<u64, u64>,
}

/// What happened to a document.
#[derive(Debug, Clone, PartialEq)]
pub enum Fate {
    /// It was kept. These documents, and perhaps more, were removed because of it.
    Kept(Vec<RunPair>),
    /// It was removed because of another document.
    Removed(RunPair),
    /// It is a reference document of `against`. These documents, and perhaps more, were removed because of it.
    Against(Vec<RunPair>),
    /// It is a bad record, for this reason. `true` if it was written nevertheless.
    Bad(String, bool),
}

/// True if a run that writes these outputs to `folder` writes `file`, or if `file` is the folder itself.
pub(crate) fn is_output<'o>(folder: &Path, outputs: impl Iterator<Item = &'o str>, file: &Path) -> bool {
    let absolute = |path: &Path| std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
    let fixed = ["", "report.json", "removed.jsonl", "removed.parquet"].map(PathBuf::from);
    outputs.map(name_to_path).chain(fixed).any(|output| absolute(&folder.join(output)) == absolute(file))
}

impl FinishedRun {
    /// Opens the run in a target folder.
    pub fn open(folder: &Path, resources: Resources) -> Result<Self> {
        let name = folder.display().to_string();
        let own = folder.join(WORK_FOLDER);
        let read = |file: &str| match std::fs::read(folder.join(file)) {
            Ok(bytes) => Ok(Some(bytes)),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(None),
            Err(cause) => Err(Error::Io { action: "read", name: format!("{name}/{file}"), cause }),
        };
        let Some(report) = read("report.json")? else {
            return Err(Error::Target(if own.is_dir() {
                format!("the run in {name} is not finished; run the same command again to continue it")
            } else {
                format!(
                    "{name} does not contain a lookalike run; give the target folder of `lookalike dedup`"
                )
            }));
        };
        let damaged = |file: &str| {
            Error::Target(format!(
                "{name}/{file} is missing or damaged; run `lookalike dedup` again in another folder"
            ))
        };
        let version = serde_json::from_slice::<serde_json::Value>(&report)
            .map_err(|_| damaged("report.json"))?["version"]
            .as_u64();
        if version != Some(u64::from(REPORT_VERSION)) {
            return Err(Error::Target(format!("{name} contains a run of another version of lookalike")));
        }
        let report: Report = serde_json::from_slice(&report).map_err(|_| damaged("report.json"))?;
        let run = read(&format!("{WORK_FOLDER}/run.json"))?.unwrap_or_default();
        let identity = Identity::from_json(&run).ok_or_else(|| match other_version(&run, &name) {
            Some(other) => Error::Target(other),
            None => damaged(&format!("{WORK_FOLDER}/run.json")),
        })?;
        let began_in =
            read(&format!("{WORK_FOLDER}/{BEGAN_IN}"))?.and_then(|path| String::from_utf8(path).ok());
        let began_in = name_to_path(&began_in.unwrap_or_default());
        let mut settings = identity.settings.clone();
        settings.signature.weights = settings.signature.weights.map(|path| from_there(&began_in, &path));
        let mut work = Work::existing(own, &run);
        let mut use_of = UseOfSketches::OneRun;
        if let Some(written) = work.read(SKETCH_FILE)? {
            let sketch = SketchFiles::from_bytes(&written);
            let sketch = sketch.ok_or_else(|| damaged(&format!("{WORK_FOLDER}/{SKETCH_FILE}")))?;
            if let Some((missing, _)) = sketch.files().iter().find(|(file, _)| !file.exists()) {
                return Err(Error::Target(format!(
                    "the run in {name} began from the sketch file {}, which is missing; put it back, \
                     or run `lookalike dedup` again in another folder",
                    missing.display()
                )));
            }
            work.use_sketch_files(sketch);
            use_of = UseOfSketches::LaterRuns;
        }
        let recipe = Recipe::with_use(&settings, use_of)?;
        let sources = identity.against.len() + identity.sources.len();
        let ledger = Ledger::new(&resources, sources)?;
        let mut store = work.stored_parts(&recipe, sources, ledger.parts(), &Silent)?;
        if store.has_long_values() {
            let temporary = resources.temp_dir.clone().unwrap_or_else(std::env::temp_dir);
            let spill = Work::temporary(&temporary)?;
            store.rank_values(Room { ledger: &ledger, work: &spill, observer: &Silent })?;
        }
        if !work.is_sketched() {
            return Err(damaged(&format!("{WORK_FOLDER}/sketches")));
        }
        store.hold(ledger.for_documents(store.count(), store.blocks().len())?);
        let decisions = work.stored_decisions()?;
        let (removals, decided) =
            decisions.ok_or_else(|| damaged(&format!("{WORK_FOLDER}/decisions")))?.into_removals(&ledger)?;
        let mut near_misses = Vec::new();
        for &(other, kept, similarity) in &decided.near_misses {
            // A document that is below the threshold with one kept document may be removed because of another.
            if removals.find(&other, |removal| removal.number)?.is_none() {
                near_misses.push(RunPair { kept, other, similarity: Some(similarity), is_exact: false });
            }
        }
        Ok(Self {
            folder: folder.to_owned(),
            began_in,
            report,
            settings,
            identity,
            store,
            removals,
            ledger,
            near_misses,
            resources,
        })
    }

    /// The report of the run.
    #[must_use]
    pub fn report(&self) -> &Report {
        &self.report
    }

    /// The settings of the run. Paths in them are valid in the current folder.
    #[must_use]
    pub fn settings(&self) -> &Settings {
        &self.settings
    }

    /// True if the run wrote this file.
    #[must_use]
    pub fn has_written(&self, file: &Path) -> bool {
        is_output(&self.folder, self.identity.sources.iter().map(|source| source.output.as_str()), file)
    }

    /// The target folder of the run.
    #[must_use]
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// All removed documents, in input order.
    pub fn removed(&self) -> impl Iterator<Item = Result<RunPair>> + '_ {
        self.removals.iter().map(|removal| removal.map(|removal| pair(&removal)))
    }

    /// Calls `visit` with every removed near-duplicate whose similarity was computed, and with the similarity.
    fn visit_near(&self, mut visit: impl FnMut(f64, RunPair)) -> Result<()> {
        for pair in self.removed() {
            let pair = pair?;
            if let (false, Some(similarity)) = (pair.is_exact, pair.similarity) {
                visit(similarity, pair);
            }
        }
        Ok(())
    }

    /// The `most` removed near-duplicates that are least similar to their kept documents, the least similar first.
    pub fn least_similar(&self, most: usize) -> Result<Vec<RunPair>> {
        let mut least: BTreeMap<(u64, u64), RunPair> = BTreeMap::new();
        self.visit_near(|similarity, pair| {
            // Non-negative floating-point numbers have the same order as their bits.
            least.insert((similarity.to_bits(), pair.other), pair);
            if least.len() > most {
                least.pop_last();
            }
        })?;
        Ok(least.into_values().collect())
    }

    /// For each similarity range of width 0.05, the removed near-duplicate that is least similar.
    pub fn by_similarity(&self) -> Result<Vec<RunPair>> {
        let mut least: BTreeMap<u32, (u64, u64, RunPair)> = BTreeMap::new();
        self.visit_near(|similarity, pair| {
            let of_twentieth = least.entry((similarity * 20.0) as u32).or_insert((u64::MAX, u64::MAX, pair));
            if (similarity.to_bits(), pair.other) < (of_twentieth.0, of_twentieth.1) {
                *of_twentieth = (similarity.to_bits(), pair.other, pair);
            }
        })?;
        Ok(least.into_values().map(|(_, _, pair)| pair).collect())
    }

    /// A sample of the compared pairs that are below the threshold, the most similar first.
    #[must_use]
    pub fn near_misses(&self) -> &[RunPair] {
        &self.near_misses
    }

    /// The `most` largest clusters, each with its first `members` removed documents, and the sizes of all clusters.
    pub fn clusters(&self, most: usize, members: usize) -> Result<RunClusters> {
        let folder = self.resources.temp_dir.clone().unwrap_or_else(std::env::temp_dir);
        let work = Work::temporary(&folder)?;
        let by_kept = by_kept(&self.removals, Room { ledger: &self.ledger, work: &work, observer: &Silent })?;
        let mut sizes: BTreeMap<u64, u64> = BTreeMap::new();
        let mut largest: BTreeMap<(Reverse<u64>, u64), RunCluster> = BTreeMap::new();
        let mut end = |cluster: RunCluster| {
            *sizes.entry(cluster.size).or_default() += 1;
            largest.insert((Reverse(cluster.size), cluster.kept), cluster);
            if largest.len() > most {
                largest.pop_last();
            }
        };
        let mut open: Option<RunCluster> = None;
        for removal in by_kept.iter() {
            let removal = removal?;
            if open.as_ref().is_some_and(|cluster| cluster.kept != removal.kept) {
                open.take().into_iter().for_each(&mut end);
            }
            let cluster =
                open.get_or_insert_with(|| RunCluster { kept: removal.kept, removed: Vec::new(), size: 1 });
            cluster.size += 1;
            if cluster.removed.len() < members {
                cluster.removed.push(pair(&removal));
            }
        }
        open.into_iter().for_each(&mut end);
        Ok(RunClusters { largest: largest.into_values().collect(), sizes })
    }

    /// The names of documents, in the order of `numbers`. A document of an index has line 0.
    pub fn references(&self, numbers: &[u64]) -> Result<Vec<Reference>> {
        let mut ascending: Vec<Number> = numbers.to_vec();
        ascending.sort_unstable();
        ascending.dedup();
        let of_index = ascending.partition_point(|&number| asked_for(number).is_none());
        let of_index: Vec<Number> = ascending.split_off(of_index).into_iter().filter_map(asked_for).collect();
        let mut seen: BTreeMap<Number, Reference> = BTreeMap::new();
        let index = self.identity.index_name();
        self.store.visit_seen_ids(&of_index, |number, id| {
            seen.insert(seen_by(number), Reference { id: id.into(), source: index.into(), line: 0 });
        })?;
        let mut ids = vec![String::new(); ascending.len()];
        if self.identity.settings.files.id_field.is_some() {
            let mut place = 0;
            self.store.visit_ids(&ascending, |_, id| {
                ids[place].push_str(id);
                place += 1;
            })?;
        }
        let lines = self.store.lines_of(&ascending)?;
        let reference = |number: &u64| {
            if let Some(reference) = seen.get(number) {
                return reference.clone();
            }
            let at = ascending.partition_point(|other| other < number);
            let (source, line) = (self.source(self.store.source_of(*number)).name.clone(), lines[at]);
            let id = &ids[at];
            let id = if id.is_empty() { format!("{source}:{line}") } else { id.clone() };
            Reference { id, source, line }
        };
        Ok(numbers.iter().map(reference).collect())
    }

    fn source(&self, at: usize) -> &SourceIdentity {
        let Identity { against, sources, .. } = &self.identity;
        against.get(at).unwrap_or_else(|| &sources[at - against.len()])
    }

    fn is_against(&self, number: Number) -> bool {
        self.store.source_of(number) < self.identity.against.len()
    }

    /// The numbers of the documents with this id, or of the document at `source:line`.
    pub fn find(&self, id: &str) -> Result<Vec<u64>> {
        let mut found = Vec::new();
        self.visit_ids(|number, other| {
            if other == id {
                found.push(number);
            }
        })?;
        if found.is_empty()
            && let Some((source, line)) = id.rsplit_once(':')
            && let Ok(line) = line.parse::<u64>()
        {
            for (first, block) in self.store.blocks() {
                let lines = u64::from(block.slots) + u64::from(block.blank_lines);
                let is_here = (block.record + 1..block.record + 1 + lines).contains(&line);
                if is_here && self.source(block.source as usize).name == source {
                    let numbers: Vec<Number> = (*first..*first + Number::from(block.slots)).collect();
                    // A blank line is not a document.
                    let at = self.store.lines_of(&numbers)?.binary_search(&line);
                    found.extend(at.map(|at| numbers[at]));
                }
            }
        }
        Ok(found)
    }

    fn visit_ids(&self, mut visit: impl FnMut(Number, &str)) -> Result<()> {
        if self.identity.settings.files.id_field.is_none() {
            return Ok(());
        }
        for part in 0..self.store.parts() {
            let numbers: Vec<Number> = self.store.numbers_of_part(part).collect();
            self.store.visit_ids(&numbers, &mut visit)?;
        }
        Ok(())
    }

    /// The existing ids that are most similar to an unknown one.
    pub fn similar_ids(&self, id: &str, most: usize) -> Result<Vec<String>> {
        let mut best: Vec<(usize, String)> = Vec::new();
        let mut consider = |other: &str| {
            let limit = if best.len() < most { id.chars().count() / 2 + 1 } else { best[most - 1].0 };
            if !other.is_empty()
                && let Some(distance) = edit_distance_at_most(id, other, limit)
                && !best.iter().any(|(_, known)| known == other)
            {
                let at = best.partition_point(|(better, _)| *better <= distance);
                best.insert(at, (distance, other.to_owned()));
                best.truncate(most);
            }
        };
        if self.identity.settings.files.id_field.is_some() {
            self.visit_ids(|_, other| consider(other))?;
        } else {
            let line = id.rsplit_once(':').and_then(|(_, line)| line.parse::<u64>().ok()).unwrap_or(1);
            for (at, source) in self.report.sources.iter().enumerate() {
                if self.report.sources[at].records > 0 {
                    consider(&format!("{}:{}", source.name, line.clamp(1, source.records)));
                }
            }
        }
        Ok(best.into_iter().map(|(_, id)| id).collect())
    }

    /// What happened to a document, with at most `most` of the documents that were removed because of it. Also how
    /// many these are in all.
    pub fn fate(&self, number: u64, most: usize) -> Result<(Fate, u64)> {
        let Some(&entry) = self.store.entries_of(&[number])?.first() else {
            return Err(Error::Invalid(format!("the run has no document {number}")));
        };
        if entry.class() == Class::Bad {
            let mut reason = String::new();
            for bad in self.store.bad() {
                let (bad, why) = bad?;
                if bad == number {
                    reason = why;
                    break;
                }
            }
            let kept = self.identity.settings.files.on_bad_record == crate::OnBadRecord::Keep;
            return Ok((Fate::Bad(reason, kept), 0));
        }
        if let Some(removal) = self.removals.find(&number, |removal| removal.number)? {
            return Ok((Fate::Removed(pair(&removal)), 1));
        }
        let (mut others, mut all) = (Vec::new(), 0);
        for pair in self.removed() {
            let pair = pair?;
            if pair.kept == number {
                all += 1;
                if others.len() < most.max(1) {
                    others.push(pair);
                }
            }
        }
        let fate = if self.is_against(number) { Fate::Against(others) } else { Fate::Kept(others) };
        Ok((fate, all))
    }

    /// The job of the run. It is an error if a source has changed.
    fn job(&self) -> Result<Job> {
        let again = |sources: &[SourceIdentity]| {
            let advice = format!("the texts of the run in {} can no longer be shown", self.folder.display());
            sources.iter().map(|source| self.source_again(source, &advice)).collect::<Result<Vec<Source>>>()
        };
        Ok(Job {
            sources: again(&self.identity.sources)?,
            against: again(&self.identity.against)?,
            settings: self.settings.clone(),
            resources: self.resources.clone(),
            sketch: None,
            indexes: Indexes::default(),
        })
    }
}

impl FinishedRun {
    /// Finds a source of the run: relative to the folder in which the run began, or to the current folder.
    fn source_again(&self, source: &SourceIdentity, advice: &str) -> Result<Source> {
        if source.was_read_once() {
            return Err(Error::Target(format!(
                "the run read {} from a stream, which cannot be read again; {advice}",
                source.name
            )));
        }
        let path = name_to_path(&source.location);
        let there = from_there(&self.began_in, &path);
        if there == path {
            return found_again(source, advice);
        }
        found_again(&SourceIdentity { location: path_to_name(&there), ..source.clone() }, advice)
    }
}

/// A relative path, as seen from the folder `began_in`, if it exists there. Otherwise the path is unchanged.
fn from_there(began_in: &Path, path: &Path) -> PathBuf {
    let there = began_in.join(path);
    if path.is_relative() && there.exists() { there } else { path.to_owned() }
}

fn pair(removal: &Removal) -> RunPair {
    RunPair {
        kept: removal.kept,
        other: removal.number,
        similarity: (!removal.similarity.is_nan()).then_some(removal.similarity),
        is_exact: removal.is_exact(),
    }
}
