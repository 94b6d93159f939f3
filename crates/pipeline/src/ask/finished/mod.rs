//! A finished run, to be asked about: what is in its folder answers most questions, the sources the others.

mod changes;
mod texts;

pub use changes::Change;
pub use texts::Excerpt;

use crate::ask::by_kept;
use crate::decide::{Removal, Removals};
use crate::limits::memory::Ledger;
use crate::limits::sorted::Room;
use crate::report::Report;
use crate::resume::begin::SKETCH_FILE;
use crate::resume::identity::{Identity, SourceIdentity};
use crate::resume::work::{BEGAN_IN, Work};
use crate::sketch::sketch_file::found_again;
use crate::store::columns::Class;
use crate::store::{Number, Store};
use crate::{Error, Job, Reference, Resources, Result, Settings, Silent};
use corpus::{Source, WORK_FOLDER, name_to_path, path_to_name};
use lookalike::similarity::edit_distance_at_most;
use serde::{Deserialize, Serialize};
use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// The form of `report.json` that is understood.
const REPORT_VERSION: u32 = 1;

/// A finished run.
#[derive(Debug)]
pub struct FinishedRun {
    folder: PathBuf,
    /// What relative paths are relative to.
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

/// A pair that was compared: a kept document, and one that was removed because of it or nearly was. Documents are
/// numbered through all sources, from 0.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct RunPair {
    /// The kept document.
    pub kept: u64,
    /// The other one.
    pub other: u64,
    /// Their similarity, if it was worked out.
    pub similarity: Option<f64>,
    /// Whether their normalised texts are equal.
    pub is_exact: bool,
}

/// A kept document and what was removed because of it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RunCluster {
    /// The kept document.
    pub kept: u64,
    /// The first of the others, in input order.
    pub removed: Vec<RunPair>,
    /// How many documents it has in all, with the kept one.
    pub size: u64,
}

/// The clusters of a run.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct RunClusters {
    /// The largest ones, the largest first.
    pub largest: Vec<RunCluster>,
    /// How many clusters there are of each size.
    pub sizes: BTreeMap<u64, u64>,
}

/// What became of a document.
#[derive(Debug, Clone, PartialEq)]
pub enum Fate {
    /// It stayed; these, and perhaps more, were removed because of it.
    Kept(Vec<RunPair>),
    /// It was removed because of another one.
    Removed(RunPair),
    /// It was only compared against; these, and perhaps more, were removed because of it.
    Against(Vec<RunPair>),
    /// It was no document, for this reason; `true` if it was kept all the same.
    Bad(String, bool),
}

/// Whether a run that writes these outputs to `folder` writes `file`, or `file` is the folder itself.
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
                format!("the run in {name} is not finished; run the same command again, and it goes on")
            } else {
                format!("{name} holds no run of lookalike; name the target folder of `lookalike dedup`")
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
            return Err(Error::Target(format!("{name} holds a run of another version of lookalike")));
        }
        let report: Report = serde_json::from_slice(&report).map_err(|_| damaged("report.json"))?;
        let run = read(&format!("{WORK_FOLDER}/run.json"))?.unwrap_or_default();
        let identity =
            Identity::from_json(&run).ok_or_else(|| damaged(&format!("{WORK_FOLDER}/run.json")))?;
        let began_in =
            read(&format!("{WORK_FOLDER}/{BEGAN_IN}"))?.and_then(|path| String::from_utf8(path).ok());
        let began_in = name_to_path(&began_in.unwrap_or_default());
        let mut settings = identity.settings.clone();
        settings.signature.weights = settings.signature.weights.map(|path| from_there(&began_in, &path));
        let mut work = Work::existing(own, &run);
        let sketch_file = work.read(SKETCH_FILE)?.and_then(|written| String::from_utf8(written).ok());
        if let Some((offset, path)) = sketch_file.as_deref().and_then(|written| written.split_once(' ')) {
            let offset = offset.parse().map_err(|_| damaged(&format!("{WORK_FOLDER}/{SKETCH_FILE}")))?;
            let file = name_to_path(path);
            if !file.exists() {
                return Err(Error::Target(format!(
                    "the run in {name} began from the sketch file {path}, which is not there any more; put it back there, \
                     or run `lookalike dedup` again in another folder"
                )));
            }
            work.use_sketch_file(file, offset);
        }
        let means = crate::method::Means::new(&settings)?;
        let sources = identity.against.len() + identity.sources.len();
        let ledger = Ledger::new(&resources, sources)?;
        let mut store = work.stored_parts(&means, sources, ledger.parts(), &Silent)?;
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
            // A document below the threshold to one kept document may be removed because of another.
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

    /// Its report.
    #[must_use]
    pub fn report(&self) -> &Report {
        &self.report
    }

    /// Its settings, with paths that lead to files from here.
    #[must_use]
    pub fn settings(&self) -> &Settings {
        &self.settings
    }

    /// Whether a file is one that the run wrote.
    #[must_use]
    pub fn has_written(&self, file: &Path) -> bool {
        is_output(&self.folder, self.identity.sources.iter().map(|source| source.output.as_str()), file)
    }

    /// The folder it is in.
    #[must_use]
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// All removed documents, in input order.
    pub fn removed(&self) -> impl Iterator<Item = Result<RunPair>> + '_ {
        self.removals.iter().map(|removal| removal.map(|removal| pair(&removal)))
    }

    /// Calls `visit` with every removed near-duplicate whose similarity was worked out, and that similarity.
    fn visit_near(&self, mut visit: impl FnMut(f64, RunPair)) -> Result<()> {
        for pair in self.removed() {
            let pair = pair?;
            if let (false, Some(similarity)) = (pair.is_exact, pair.similarity) {
                visit(similarity, pair);
            }
        }
        Ok(())
    }

    /// The `most` removed near-duplicates that are least similar to what was kept, the least similar first.
    pub fn least_similar(&self, most: usize) -> Result<Vec<RunPair>> {
        let mut least: BTreeMap<(u64, u64), RunPair> = BTreeMap::new();
        self.visit_near(|similarity, pair| {
            // Numbers that are not negative are in the order of their bits.
            least.insert((similarity.to_bits(), pair.other), pair);
            if least.len() > most {
                least.pop_last();
            }
        })?;
        Ok(least.into_values().collect())
    }

    /// Of each twentieth of the similarities the removed near-duplicate that is least similar.
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

    /// A sample of the pairs that were compared and found below the threshold, the most similar first.
    #[must_use]
    pub fn near_misses(&self) -> &[RunPair] {
        &self.near_misses
    }

    /// The `most` largest clusters with the first `members` of their removed documents, and the sizes of all.
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

    /// Documents by name, in the order asked for.
    pub fn references(&self, numbers: &[u64]) -> Result<Vec<Reference>> {
        let mut ascending: Vec<Number> = numbers.to_vec();
        ascending.sort_unstable();
        ascending.dedup();
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

    /// The documents with an id, or the one at `source:line`.
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
                    // A blank line is no document.
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

    /// The ids most like one that is not there.
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

    /// What became of a document; with at most `most` of the documents that were removed because of it, and how many these
    /// are in all.
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

    /// The job of the run, if its sources are what they were.
    fn job(&self) -> Result<Job> {
        let again = |sources: &[SourceIdentity]| {
            let advice = format!("the run in {} cannot be looked into any more", self.folder.display());
            sources.iter().map(|source| self.source_again(source, &advice)).collect::<Result<Vec<Source>>>()
        };
        Ok(Job {
            sources: again(&self.identity.sources)?,
            against: again(&self.identity.against)?,
            settings: self.settings.clone(),
            resources: self.resources.clone(),
            sketch: None,
        })
    }
}

impl FinishedRun {
    /// A source of the run: from where the run began, or from here.
    fn source_again(&self, source: &SourceIdentity, advice: &str) -> Result<Source> {
        if source.was_read_once() {
            return Err(Error::Target(format!(
                "the run read {}, which cannot be read again; {advice}",
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

/// A path as it was meant in the folder `began_in`, if there is something there.
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
