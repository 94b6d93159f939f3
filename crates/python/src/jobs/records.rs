//! Tables of records -> matches, clusters and decisions, as columns.

use super::input::{Documents, Inputs, Options};
use crate::errors::{Raise, damaged, outside, setting};
use crate::watch::watched;
use corpus::{Target, TemporaryCopy};
use numpy::IntoPyArray;
use pipeline::{Clusters, Keep, OnBadRecord};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList};
use records::run::{Claim, Decision, Decisions, Job, LabelsWritten, Matched, Records, Report};
use records::{Match, ModelFile, OneTo};
use std::time::Instant;

/// What is asked about records, beside the options that they share with texts.
#[derive(FromPyObject)]
pub(crate) struct Asked {
    #[pyo3(item)]
    fields: Option<String>,
    #[pyo3(item)]
    block: Vec<Vec<String>>,
    #[pyo3(item)]
    one_to_one: bool,
    #[pyo3(item)]
    one_to_many: bool,
    #[pyo3(item)]
    against_only: bool,
    /// A model as JSON.
    #[pyo3(item)]
    model: Option<String>,
    #[pyo3(item)]
    threshold: Option<f64>,
    /// The name of a file of labels, and what is in it.
    #[pyo3(item)]
    labels: Option<(String, String)>,
}

impl Asked {
    fn job(
        &self,
        documents: &Documents<'_>,
        against: Option<&Documents<'_>>,
        target: Option<&str>,
        options: &Options,
    ) -> PyResult<(Job, usize, Vec<TemporaryCopy>)> {
        let settings = options.settings_as_given()?;
        let Inputs { own: sources, against, resources, copies } =
            options.inputs(documents, against, target, &settings)?;
        let one_to = match (self.one_to_one, self.one_to_many) {
            (true, true) => return Err(setting("one_to_one and one_to_many contradict each other")),
            (true, _) => OneTo::One,
            (_, true) => OneTo::OneToMany,
            _ => OneTo::Many,
        };
        let mut how = records::Options::default()
            .with_recall(settings.matching.recall)
            .with_one_to(one_to)
            .with_against_only(self.against_only)
            .with_threads(resources.threads);
        for fields in &self.block {
            how = how.with_block(fields.iter().cloned());
        }
        let mut fields: Option<records::run::FieldsWritten> =
            self.fields.as_ref().map(|fields| fields.parse().map_err(setting)).transpose()?;
        for field in fields.iter().flat_map(|fields| &fields.fields) {
            if let Some(kind) = field.kind {
                how = how.with_kind(field.names[0].clone(), kind);
            }
        }
        if let Some(model) = &self.model {
            let model = read(model)?;
            let all = match &fields {
                Some(told) => {
                    model.fields_with(told).map_err(|cause| setting(format_args!("the model {cause}")))?
                }
                None => model.fields(),
            };
            how = how.with_threshold(model.threshold);
            fields = Some(all);
            how = how.with_model(model);
        }
        if let Some(threshold) = self.threshold {
            how = how.with_threshold(threshold);
        }
        let keep = match settings.matching.keep {
            Keep::First => records::run::Keep::First,
            Keep::Fullest => records::run::Keep::Fullest,
            Keep::Max(field) => records::run::Keep::Max(field),
            Keep::Min(field) => records::run::Keep::Min(field),
            Keep::Longest => {
                return Err(setting("keep=\"longest\" is for texts; of records, keep the fullest"));
            }
        };
        let job = Job {
            sources,
            against,
            against_only: self.against_only,
            fields,
            id_field: settings.files.id_field,
            on_bad_record: match settings.files.on_bad_record {
                OnBadRecord::Fail => records::run::OnBadRecord::Fail,
                OnBadRecord::Skip => records::run::OnBadRecord::Skip,
                OnBadRecord::Keep => records::run::OnBadRecord::Keep,
            },
            keep,
            components: settings.matching.clusters == Clusters::Components,
            labels: self.labels.clone().map(|(name, content)| LabelsWritten { name, content }),
            options: how,
            memory: resources.memory,
            temp_dir: resources.temp_dir,
        };
        Ok((job, resources.threads, copies))
    }
}

/// A run: what was matched, what becomes of the records, and its report.
struct Ran {
    matched: Matched,
    decisions: Decisions,
    report: Report,
}

fn run(
    py: Python<'_>,
    work: impl FnOnce(records::run::Stop<'_>) -> records::run::Result<Ran> + Send,
) -> PyResult<Ran> {
    watched(py, None, |observer| Ok(work(&|| observer.interrupted())))?.or_raise()
}

/// Finds the matches, and says what becomes of each record: matches, clusters and removed records as columns, the report,
/// and the model as JSON if there is one.
#[pyfunction]
pub(crate) fn records_found<'py>(
    py: Python<'py>,
    documents: Documents<'py>,
    against: Option<Documents<'py>>,
    options: Options,
    asked: Asked,
) -> PyResult<(Bound<'py, PyDict>, String, Option<String>)> {
    let begun = Instant::now();
    let (job, _, _temporary_copies) = asked.job(&documents, against.as_ref(), None, &options)?;
    let ran = run(py, |stop| {
        let matched = job.link(job.read(stop)?, stop)?;
        let decisions = matched.decide(&job)?;
        let report = Report::new(&job, &matched, &decisions, begun.elapsed().as_secs_f64());
        Ok(Ran { matched, decisions, report })
    })?;
    let Ran { matched, decisions, report } = &ran;
    let (records, matches) = (&matched.records, &matched.linked.matches);
    let columns = PyDict::new(py);
    let fields = PyList::new(py, matched.linked.field_names())?;
    columns.set_item("fields", fields)?;
    named(py, &columns, "a", records, matches.iter().map(|found| found.a))?;
    named(py, &columns, "b", records, matches.iter().map(|found| found.b))?;
    scores(py, &columns, matches)?;
    let removed = decisions.of.iter().enumerate().filter_map(|(record, decision)| match decision {
        Decision::Removed { by, found } => Some((record, *by, found.map_or(-1, |found| found as i64))),
        Decision::Kept => None,
    });
    let removed: Vec<(usize, usize, i64)> = removed.collect();
    named(py, &columns, "removed", records, removed.iter().map(|it| it.0))?;
    named(py, &columns, "kept", records, removed.iter().map(|it| it.1))?;
    let found: Vec<i64> = removed.iter().map(|it| it.2).collect();
    columns.set_item("removed_match", found.into_pyarray(py))?;
    named(py, &columns, "member", records, decisions.clusters.iter().flatten().copied())?;
    let of_record = |record: &usize| match decisions.of[*record] {
        Decision::Removed { found: Some(found), .. } => found as i64,
        _ => -1,
    };
    let found: Vec<i64> = decisions.clusters.iter().flatten().map(of_record).collect();
    columns.set_item("member_match", found.into_pyarray(py))?;
    let sizes: Vec<i64> = decisions.clusters.iter().map(|cluster| cluster.len() as i64).collect();
    columns.set_item("sizes", sizes.into_pyarray(py))?;
    let skipped = records.skipped(&job);
    let lines: Vec<i64> = skipped.iter().map(|bad| bad.0 as i64).collect();
    columns.set_item("bad_line", lines.into_pyarray(py))?;
    columns.set_item("bad_id", PyList::new(py, skipped.iter().map(|bad| &bad.1))?)?;
    columns.set_item("bad_reason", PyList::new(py, skipped.iter().map(|bad| &bad.2))?)?;
    Ok((columns, json(report)?, ModelFile::of(matched).map(|model| model.to_json())))
}

/// Runs dedup into a folder. Returns the report, the model as JSON if there is one, and the names of the inputs.
#[pyfunction]
pub(crate) fn records_written<'py>(
    py: Python<'py>,
    documents: Documents<'py>,
    against: Option<Documents<'py>>,
    output: &str,
    options: Options,
    asked: Asked,
) -> PyResult<(String, Option<String>, Vec<String>)> {
    let begun = Instant::now();
    let (job, threads, _temporary_copies) =
        asked.job(&documents, against.as_ref(), Some(output), &options)?;
    let target = Target::new(output).or_raise()?;
    let own: Vec<String> = job.sources.iter().map(|source| source.name.clone()).collect();
    if let Some(report) = outside(py, || records::run::finished(&job, &target, &mut |_| {}))?.or_raise()? {
        let model = target.read("model.json").or_raise()?;
        return Ok((json(&report)?, model.and_then(|model| String::from_utf8(model).ok()), own));
    }
    let ran = run(py, |stop| {
        let claim = Claim::new(&job, &target)?;
        let written = || -> records::run::Result<Ran> {
            let (matched, decisions, _) = claim.link_and_decide(&job, job.read(stop)?, stop)?;
            let how = (begun.elapsed().as_secs_f64(), threads);
            let report = records::run::dedup(&job, &matched, &decisions, &target, how, stop)?;
            Ok(Ran { matched, decisions, report })
        };
        written().inspect_err(|_| claim.fail())
    })?;
    Ok((json(&ran.report)?, ModelFile::of(&ran.matched).map(|model| model.to_json()), own))
}

/// The fields of a model with their types, its threshold, and its bands in words.
type ModelInWords = (Vec<(String, &'static str)>, f64, Vec<String>);

/// What a model says. An error if it is no model.
#[pyfunction]
pub(crate) fn record_model(written: &str) -> PyResult<ModelInWords> {
    let model = read(written)?;
    let fields = model.fields.iter().map(|field| (field.names[0].clone(), field.kind.as_str())).collect();
    Ok((fields, model.threshold, model.bands.iter().map(ToString::to_string).collect()))
}

fn read(written: &str) -> PyResult<ModelFile> {
    ModelFile::of_json(written).map_err(|cause| damaged(format_args!("the model {cause}")))
}

fn json(report: &Report) -> PyResult<String> {
    serde_json::to_string(report).map_err(setting)
}

/// Records by name: the line, the id, and whether they are of `against`.
fn named<'py>(
    py: Python<'py>,
    columns: &Bound<'py, PyDict>,
    name: &str,
    records: &Records,
    of: impl Iterator<Item = usize>,
) -> PyResult<()> {
    let of: Vec<usize> = of.collect();
    let names: Vec<_> = of.iter().map(|&record| records.named(record)).collect();
    let lines: Vec<i64> = names.iter().map(|named| named.line as i64).collect();
    columns.set_item(format!("{name}_line"), lines.into_pyarray(py))?;
    columns.set_item(format!("{name}_id"), PyList::new(py, names.iter().map(|named| &named.id))?)?;
    let against: Vec<bool> = of.iter().map(|&record| records.is_against(record)).collect();
    columns.set_item(format!("{name}_against"), against.into_pyarray(py))
}

/// What was found out about each match.
fn scores<'py>(py: Python<'py>, columns: &Bound<'py, PyDict>, matches: &[Match]) -> PyResult<()> {
    let probabilities: Vec<f64> = matches.iter().map(|found| found.probability).collect();
    columns.set_item("probability", probabilities.into_pyarray(py))?;
    let rounded = records::run::rounded;
    let weights: Vec<f64> = matches.iter().map(|found| rounded(found.weight)).collect();
    columns.set_item("weight", weights.into_pyarray(py))?;
    let by_field: Vec<f64> = matches.iter().flat_map(|found| &found.weights).map(|it| rounded(*it)).collect();
    columns.set_item("weights", by_field.into_pyarray(py))
}
