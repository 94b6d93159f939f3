//! Decisions -> the kept records of every source byte for byte, `removed.jsonl`, `model.json` and `report.json`.
//!
//! The order in which a killed run leaves things: `run.json` says whose folder it is, and the matches are kept (`claim.rs`); outputs
//! appear one by one, each whole, and are listed (`outputs.rs`); `report.json` comes last, and the matches are removed. The same
//! command goes on from there, and writes the same bytes. Sources are read a second time here: one that has changed since it was first read is an error, and has no output.

use super::claim::{MATCHED, is_worthless, other_run};
use super::outputs::Outputs;
use super::reading::LIMITS;
use super::{
    Checksums, Decision, Decisions, Details, Error, Examples, FieldsWritten, Job, Keep, Matched, OnBadRecord,
    Records, Result, SourceFigures, Stop, removed,
};
use crate::model_file::ModelFile;
use crate::options::OneTo;
use corpus::{
    Block, Disposition, RUN_FILE, Reader, SinkOptions, SinkWriter, Source, Target, WORK_FOLDER, output_names,
};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::path::Path;
use std::time::{Duration, Instant};

/// The names in the target that are not outputs of sources.
const OWN: [&str; 4] = ["report.json", REMOVED, MODEL, WORK_FOLDER];

/// The list of removed records.
pub(super) const REMOVED: &str = "removed.jsonl";

/// The model.
const MODEL: &str = "model.json";

/// How often the finished outputs are listed while others are written.
const LISTED_EACH: Duration = Duration::from_secs(1);

/// The kind of documents in `report.json`.
const KIND: &str = "records";

/// What a run says about itself: `report.json`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Report {
    /// The kind of documents.
    pub kind: String,
    /// The version of the program.
    pub lookalike: String,
    /// The number of records.
    pub records: u64,
    /// Those that are kept.
    pub kept: u64,
    /// Those that are removed as matches.
    pub removed: u64,
    /// Those that could not be read and were listed as removed.
    pub bad_skipped: u64,
    /// Those that could not be read and were kept.
    pub bad_kept: u64,
    /// The pairs that match.
    pub matches: u64,
    /// Those of them whose probability is below 0.9.
    pub uncertain: u64,
    /// Clusters of two records or more.
    pub entities: u64,
    /// The records of the largest one.
    pub largest: u64,
    /// The pairs that were compared.
    pub compared: u64,
    /// Records in blocks that were too large to be compared, summed over bands.
    pub left_out: u64,
    /// The estimated share of matches that was found, and its standard error.
    pub recall: Option<(f64, f64)>,
    /// The rounds of learning.
    pub rounds: u64,
    /// The records whose id another one has: they are named by source and line.
    pub repeated_ids: u64,
    /// The least probability of a match.
    pub threshold: f64,
    /// True if the weights were learnt or given; false if a rule decided.
    pub learnt: bool,
    /// True if the weights can be used for another table: `model.json` has them.
    pub has_model: bool,
    /// The sources.
    pub sources: Vec<SourceFigures>,
    /// The settings by name.
    pub settings: BTreeMap<String, String>,
    /// What was learnt and found.
    pub details: Details,
    /// The part that differs between runs.
    pub run: RunFigures,
}

/// What differs between two runs of the same command.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct RunFigures {
    /// Seconds that the run took.
    pub seconds: f64,
}

impl Report {
    /// What can be said of a run.
    #[must_use]
    pub fn new(job: &Job, matched: &Matched, decisions: &Decisions, seconds: f64) -> Self {
        let Matched { records, linked } = matched;
        let bad: u64 = records.bad[records.against..].iter().map(|bad| bad.len() as u64).sum();
        let skipped = if job.on_bad_record == OnBadRecord::Skip { bad } else { 0 };
        let removed = decisions.removed();
        Self {
            kind: KIND.into(),
            lookalike: env!("CARGO_PKG_VERSION").into(),
            records: records.inputs(),
            kept: records.inputs() - removed - skipped,
            removed,
            bad_skipped: skipped,
            bad_kept: bad - skipped,
            matches: linked.matches.len() as u64,
            uncertain: linked.matches.iter().filter(|found| found.probability < 0.9).count() as u64,
            entities: decisions.clusters.len() as u64,
            largest: decisions.clusters.iter().map(Vec::len).max().unwrap_or(0) as u64,
            compared: linked.compared as u64,
            left_out: linked.left_out,
            recall: linked.recall,
            rounds: linked.model.rounds as u64,
            repeated_ids: records.repeated_ids,
            threshold: job.options.threshold,
            learnt: linked.rule.is_none(),
            has_model: linked.rule.is_none() && !linked.bands.is_empty(),
            sources: records.by_source(decisions),
            settings: settings(job),
            details: Details::new(matched, decisions),
            run: RunFigures { seconds },
        }
    }
}

/// The name of a file of the work folder in the target.
pub(super) fn own(name: &str) -> String {
    format!("{WORK_FOLDER}/{name}")
}

/// The settings by the names of their flags.
fn settings(job: &Job) -> BTreeMap<String, String> {
    let options = &job.options;
    let one_to = match options.one_to {
        OneTo::Many => "any number",
        OneTo::One => "one-to-one",
        OneTo::OneToMany => "one-to-many",
    };
    let keep = match &job.keep {
        Keep::First => "first".to_owned(),
        Keep::Fullest => "fullest".to_owned(),
        Keep::Max(field) => format!("max:{field}"),
        Keep::Min(field) => format!("min:{field}"),
    };
    let blocks: Vec<String> = options.blocks.iter().map(|fields| fields.join("+")).collect();
    let is_fixed = options.has_model() || !blocks.is_empty();
    let all = [
        ("against-only", job.against_only.to_string()),
        ("block", blocks.join(", ")),
        ("clusters", if job.components { "components" } else { "stars" }.into()),
        ("fields", job.fields.as_ref().map_or(String::new(), FieldsWritten::to_string)),
        ("id-field", job.id_field.clone().unwrap_or_default()),
        ("keep", keep),
        ("labels", job.labels.as_ref().map_or(String::new(), |labels| labels.name.clone())),
        ("model", if options.has_model() { "given" } else { "learnt" }.into()),
        ("on-bad-record", job.on_bad_record.as_str().into()),
        ("partners", one_to.into()),
        ("recall", if is_fixed { String::new() } else { options.recall.to_string() }),
        ("threshold", options.threshold.to_string()),
    ];
    all.into_iter().filter(|(_, value)| !value.is_empty()).map(|(name, value)| (name.into(), value)).collect()
}

/// True if a run with this job writes `file` into `folder`, or if it is the folder itself.
#[must_use]
pub fn writes(job: &Job, folder: &Path, file: &Path) -> bool {
    is_output(folder, job.sources.iter().map(|source| source.output.as_str()), file)
}

/// True if the finished run in a folder wrote `file`, or if it is the folder itself.
pub fn has_written(folder: &Path, file: &Path) -> Result<bool> {
    let outputs = Outputs::in_target(&Target::new(&folder.display().to_string())?)?;
    Ok(is_output(folder, outputs.names(), file))
}

fn is_output<'o>(folder: &Path, outputs: impl Iterator<Item = &'o str>, file: &Path) -> bool {
    let absolute = |path: &Path| std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
    let mut all = outputs.chain(OWN).map(files::name_to_path).chain([Path::new("").to_owned()]);
    all.any(|name| absolute(&folder.join(name)) == absolute(file))
}

/// What makes two runs the same; the checksums are those of [`Checksums`].
pub(super) fn identity(job: &Job, checksums: &Checksums) -> String {
    let source = |(source, checksum): (&Source, &String)| {
        let checksum = (!checksum.is_empty()).then_some(checksum);
        json!({"name": source.name, "output": source.output, "size": source.size, "checksum": checksum})
    };
    let (of_against, of_sources) = checksums.0.split_at(job.against.len().min(checksums.0.len()));
    let sources: Vec<Value> = job.sources.iter().zip(of_sources).map(source).collect();
    let against: Vec<Value> = job.against.iter().zip(of_against).map(source).collect();
    let settings = format!(
        "{:?} {:?} {:?} {:?} {:?} {:?} {:?} {:?}",
        job.against_only,
        job.fields,
        job.id_field,
        job.on_bad_record,
        job.keep,
        job.components,
        job.labels.as_ref().map(|labels| &labels.content),
        job.options
    );
    let identity = json!({"kind": "records", "sources": sources, "against": against, "settings": settings});
    format!("{identity:#}\n")
}

/// The report of the same run, if it has finished in this target and all its outputs are still there; what is missing or was cut
/// off is said to `note`. A target with anything else in it is refused.
pub fn finished(job: &Job, target: &Target, note: &mut dyn FnMut(String)) -> Result<Option<Report>> {
    output_names(&job.sources, &OWN)?;
    let names = target.list()?;
    if names.is_empty() {
        return Ok(None);
    }
    let Some(found) = target.read(&own(RUN_FILE))? else {
        if is_worthless(target)? {
            return Ok(None);
        }
        return Err(Error::Target(format!(
            "{} is not empty and contains no lookalike run; choose another target folder",
            target.name()
        )));
    };
    if found != identity(job, &Checksums::of(job)?).as_bytes() {
        if !is_worthless(target)? {
            return Err(other_run(target));
        }
        note(format!(
            "{} contains another run, with other inputs or settings; that run ended before it kept anything, so this run \
             replaces it",
            target.name()
        ));
        return Ok(None);
    }
    let Some(report) = target.read("report.json")? else { return Ok(None) };
    let Ok(report) = serde_json::from_slice(&report) else {
        note(format!("{}/report.json is damaged; it is written again", target.name().trim_end_matches('/')));
        return Ok(None);
    };
    Ok(Outputs::in_target(target)?.are_there(target, note).then_some(report))
}

/// The report of a finished run in a folder; nothing if there is none, or if it is not a run on records.
#[must_use]
pub fn report_in(folder: &Path) -> Option<Report> {
    let written = std::fs::read(folder.join("report.json")).ok()?;
    serde_json::from_slice::<Report>(&written).ok().filter(|report| report.kind == KIND)
}

/// Writes the outputs of a run that took so many seconds, on so many threads.
pub fn dedup(
    job: &Job,
    matched: &Matched,
    decisions: &Decisions,
    target: &Target,
    (seconds, threads): (f64, usize),
    stop: Stop<'_>,
) -> Result<Report> {
    let report = Report::new(job, matched, decisions, seconds);
    let Some(folder) =
        target.folder().map(Path::to_owned).or_else(|| target.is_stdout().then(std::env::temp_dir))
    else {
        return Err(Error::Usage(format!(
            "{} is in an object store; with --kind records the target is a local folder or standard output",
            target.name()
        )));
    };
    let records = &matched.records;
    if let Err(error) = records.check_unchanged(0..records.sources.len()) {
        if !target.is_stdout() {
            // Matches of what was there before are of no use.
            target.remove(&own(MATCHED))?;
        }
        return Err(error);
    }
    if !target.is_stdout() {
        target.files().make_folder(&folder).map_err(corpus::Error::from)?;
        target.write(&own(RUN_FILE), identity(job, &records.checksums).as_bytes())?;
    }
    let mut outputs = Outputs::in_target(target)?;
    let aside = target.files().temp_folder(&folder).map_err(corpus::Error::from)?;
    let dropped = dropped(job, matched, decisions);
    let mut listed = Instant::now();
    for (at, dropped) in (records.against..records.sources.len()).zip(&dropped) {
        let output = &records.sources[at].output;
        if !outputs.is_finished(target, output) {
            let bytes = write_source(records, dropped, at, (target, aside.path(), threads), stop)?;
            outputs.add(output, bytes);
            if listed.elapsed() > LISTED_EACH {
                outputs.write(target)?;
                listed = Instant::now();
            }
        }
    }
    if !outputs.is_finished(target, REMOVED) && !target.is_stdout() {
        let bytes = removed::write(job, matched, decisions, (target, &aside), stop)?;
        outputs.add(REMOVED, Some(bytes));
    }
    drop(aside);
    if let Some(model) = ModelFile::of(matched).filter(|_| !outputs.is_finished(target, MODEL)) {
        let written = model.to_json().into_bytes();
        target.write(MODEL, &written)?;
        outputs.add(MODEL, Some(written.len() as u64));
    }
    if !target.is_stdout() {
        Examples::of(matched, decisions).write(target)?;
    }
    outputs.write(target)?;
    let written = serde_json::to_string_pretty(&report).unwrap_or_default();
    target.write("report.json", format!("{written}\n").as_bytes())?;
    target.remove(&own(MATCHED))?;
    Ok(report)
}

/// The slots of each source that are not written, ascending.
fn dropped(job: &Job, matched: &Matched, decisions: &Decisions) -> Vec<Vec<u64>> {
    let records = &matched.records;
    let mut dropped = vec![Vec::new(); records.sources.len() - records.against];
    for (record, decision) in decisions.of.iter().enumerate() {
        if *decision != Decision::Kept {
            dropped[records.source_of(record) - records.against].push(records.slot(record));
        }
    }
    if job.on_bad_record == OnBadRecord::Skip {
        for (dropped, bad) in dropped.iter_mut().zip(&records.bad[records.against..]) {
            dropped.extend(bad.iter().map(|bad| bad.slot));
            dropped.sort_unstable();
        }
    }
    dropped
}

fn write_source(
    records: &Records,
    dropped: &[u64],
    at: usize,
    (target, aside, threads): (&Target, &Path, usize),
    stop: Stop<'_>,
) -> Result<Option<u64>> {
    let source = &records.sources[at];
    let mut writer = SinkWriter::create(target, source, aside, SinkOptions { annotate: false, threads })?;
    let mut reader = Reader::open_columns(source, LIMITS)?;
    let (mut block, mut first, mut dropped) = (Block::default(), 0, dropped.iter().peekable());
    while reader.next_block(&mut block)? {
        if stop() {
            return Err(Error::Interrupted);
        }
        writer.write(&block, &mut |slot| {
            let slot = first + slot as u64;
            while dropped.next_if(|next| **next < slot).is_some() {}
            match dropped.peek() {
                Some(next) if **next == slot => Disposition::Drop,
                _ => Disposition::Keep,
            }
        })?;
        first += block.len() as u64;
    }
    records.check_unchanged(at..at + 1)?;
    if first != records.slots_of[at] {
        return Err(Error::Changed { name: source.name.clone() });
    }
    Ok(writer.finish()?.bytes)
}

/// The weights of a match by field, as JSON.
#[must_use]
pub fn weights_json(fields: &[String], found: &crate::Match) -> Value {
    let weights: serde_json::Map<String, Value> = fields
        .iter()
        .zip(&found.weights)
        .map(|(name, weight)| (name.clone(), json!(rounded(*weight))))
        .collect();
    Value::Object(weights)
}

/// A weight with four decimals.
#[must_use]
pub fn rounded(weight: f64) -> f64 {
    (weight * 10_000.0).round() / 10_000.0 + 0.0
}
