//! The arguments of a Python call -> a job.

use crate::errors::{Raise, setting};
use crate::index::NativeIndex;
use crate::table::ArrowTable;
use corpus::{Discovery, FormatChoice, Source, Table, TemporaryCopy, discover};
use index::Index;
use pipeline::{Indexes, Job, Kind, Resources, Settings, presets};
use pyo3::prelude::*;
use serde_json::Value;
use std::ffi::OsString;
use std::path::PathBuf;
use std::sync::Arc;

/// The name of a table in messages and ids.
const TABLE: &str = "table";
/// The name of a table of `against` in messages and ids.
const AGAINST: &str = "against";

/// The documents of a job.
#[derive(FromPyObject)]
pub(crate) enum Documents<'py> {
    /// Rows in memory.
    Table(PyRef<'py, ArrowTable>),
    /// Files, folders, globs and addresses.
    Paths(Vec<OsString>),
}

/// The options of a job: settings as JSON, which replace those of a preset, and resources.
#[derive(FromPyObject)]
pub(crate) struct Options {
    #[pyo3(item)]
    settings: String,
    #[pyo3(item)]
    preset: Option<String>,
    #[pyo3(item)]
    format: Option<String>,
    #[pyo3(item)]
    memory: Option<String>,
    #[pyo3(item)]
    threads: Option<usize>,
    #[pyo3(item)]
    temp_dir: Option<PathBuf>,
}

/// The part of the memory limit that adding documents to an index may take, when the rest of the run is over.
const ADDING_SHARE: u64 = 4;

/// The indexes of a job.
#[derive(FromPyObject)]
pub(crate) struct OpenIndexes<'py> {
    /// The index whose documents come first in keep order.
    #[pyo3(item)]
    against: Option<PyRef<'py, NativeIndex>>,
    /// The index to which kept documents are added.
    #[pyo3(item)]
    add_to: Option<PyRef<'py, NativeIndex>>,
}

impl OpenIndexes<'_> {
    fn named(index: &Arc<Index>) -> String {
        index.path().display().to_string()
    }

    /// The indexes as a run with these settings takes them.
    fn for_run(&self, settings: &Settings, resources: &Resources) -> PyResult<Indexes> {
        let opened = |index: &Option<PyRef<'_, NativeIndex>>| index.as_ref().map(|it| it.index()).transpose();
        let (against, add_to) = (opened(&self.against)?, opened(&self.add_to)?);
        let mut indexes = Indexes::default();
        let is_one = matches!((&against, &add_to), (Some(a), Some(b)) if Arc::ptr_eq(a, b));
        for index in against.iter().chain(add_to.iter().filter(|_| !is_one)) {
            let wanted = index.config().clone().with_settings(settings.clone());
            index.config().check_same(&wanted, |setting| FIXED_BY_INDEX.contains(&setting)).or_raise()?;
            // Settings in which an index that is only added to differs would give other answers the next time.
            let state = index.against(Self::named(index), settings).or_raise()?;
            indexes.memory += index.memory().or_raise()?;
            if indexes.against.is_none() && against.is_some() {
                indexes.against = Some(Arc::new(state));
            }
        }
        if let Some(index) = add_to {
            let memory = resources.memory / ADDING_SHARE;
            indexes.add_to = Some(Arc::new(index.add_to(Self::named(&index), memory)));
        }
        Ok(indexes)
    }

    /// The settings of the index that decides those of the run.
    fn settings(&self) -> PyResult<Settings> {
        match self.against.as_ref().or(self.add_to.as_ref()) {
            Some(index) => Ok(index.index()?.config().settings.clone()),
            None => Ok(Settings::default()),
        }
    }
}

/// The settings that cannot differ from those that an index was created with.
const FIXED_BY_INDEX: [&str; 9] =
    ["kind", "shingles", "normalize", "elements", "method", "measure", "hashes", "seed", "max-text"];

impl Options {
    /// The settings of the job.
    pub(crate) fn settings(&self) -> PyResult<Settings> {
        self.settings_over(Settings::default())
    }

    /// The settings of the job, where `base` stands for what was not chosen.
    fn settings_over(&self, base: Settings) -> PyResult<Settings> {
        // All defaults may be handed over at once: they were not chosen.
        let default = serde_json::to_value(&base).map_err(setting)?;
        let settings = self.over(base)?;
        settings.check_ranges().or_raise()?;
        let given: Value = serde_json::from_str(&self.settings).map_err(setting)?;
        let differs = |given: &Value, default: &Value, name: &str| {
            given.get(name).is_some_and(|value| !value.is_null() && *value != default[name])
        };
        let is_chosen = |name: &str| {
            differs(&given, &default, name) || differs(&given["normalize"], &default["normalize"], name)
        };
        settings.check_effects(|setting| is_chosen(setting.as_str())).or_raise()?;
        Ok(settings)
    }

    /// The same without a check of what was chosen: for the settings of a run that are handed over as a whole.
    pub(crate) fn settings_as_given(&self) -> PyResult<Settings> {
        self.over(Settings::default())
    }

    fn over(&self, mut settings: Settings) -> PyResult<Settings> {
        if let Some(name) = &self.preset {
            presets::find(name).and_then(|preset| preset.apply(&mut settings)).or_raise()?;
        }
        let mut all = serde_json::to_value(&settings).map_err(setting)?;
        let given: Value = serde_json::from_str(&self.settings).map_err(setting)?;
        // Settings are read one after the other, so that an error can name the setting.
        let normalize = given.get("normalize").and_then(Value::as_object).into_iter().flatten();
        let others = given.as_object().into_iter().flatten().filter(|(name, _)| *name != "normalize");
        for (is_normalize, (name, value)) in
            normalize.map(|it| (true, it)).chain(others.map(|it| (false, it)))
        {
            let settings_of = if is_normalize { &mut all["normalize"] } else { &mut all };
            merge(&mut settings_of[name], value);
            settings = serde_json::from_value(all.clone()).map_err(|wrong| {
                setting(format!("{} = {value} is not allowed: {wrong}", name.replace('-', "_")))
            })?;
        }
        Ok(settings)
    }

    /// The resources that the job may use.
    pub(crate) fn resources(&self) -> PyResult<Resources> {
        let mut resources = Resources { temp_dir: self.temp_dir.clone(), ..Resources::of_this_machine() };
        if let Some(memory) = &self.memory {
            resources.memory = corpus::parse_size(memory).map_err(setting)?;
        }
        if let Some(threads) = self.threads {
            resources.threads = threads;
        }
        resources.check().or_raise()?;
        Ok(resources)
    }

    /// The job on these documents, and temporary copies of pipes among them, which must exist as long as the job.
    /// Files in `target` are not inputs.
    pub(crate) fn job(
        &self,
        documents: &Documents<'_>,
        against: Option<&Documents<'_>>,
        target: Option<&str>,
    ) -> PyResult<(Job, Vec<TemporaryCopy>)> {
        self.job_with(documents, against, target, self.settings()?)
    }

    /// The same for a job that asks an index, or adds to one. What was not chosen is as in the index.
    pub(crate) fn job_with_indexes(
        &self,
        documents: &Documents<'_>,
        against: Option<&Documents<'_>>,
        target: Option<&str>,
        indexes: &OpenIndexes<'_>,
    ) -> PyResult<(Job, Vec<TemporaryCopy>)> {
        let settings = self.settings_over(indexes.settings()?)?;
        let (mut job, copies) = self.job_with(documents, against, target, settings)?;
        job.indexes = indexes.for_run(&job.settings, &job.resources)?;
        Ok((job, copies))
    }

    fn job_with(
        &self,
        documents: &Documents<'_>,
        against: Option<&Documents<'_>>,
        target: Option<&str>,
        settings: Settings,
    ) -> PyResult<(Job, Vec<TemporaryCopy>)> {
        let Inputs { own, against, resources, copies: mut temporary_copies } =
            self.inputs(documents, against, target, &settings)?;
        let mut job =
            Job { sources: own, against, settings, resources, sketch: None, indexes: Indexes::default() };
        let (sets, _) = pipeline::gather_rows(&mut job).or_raise()?;
        temporary_copies.extend(sets);
        Ok((job, temporary_copies))
    }

    /// What a job with these settings reads.
    pub(super) fn inputs(
        &self,
        documents: &Documents<'_>,
        against: Option<&Documents<'_>>,
        target: Option<&str>,
        settings: &Settings,
    ) -> PyResult<Inputs> {
        let format = self.format.as_deref().map(|written| written.parse().map_err(setting)).transpose()?;
        let how = Discovery {
            format: format.map_or(FormatChoice::Detect, FormatChoice::Always),
            target: target.map(str::to_owned),
            arrays: matches!(settings.signature.kind, Kind::Vectors | Kind::Fingerprints),
        };
        let resources = self.resources()?;
        let mut own = sources(documents, TABLE, settings, &how)?;
        let mut against =
            against.map_or(Ok(Vec::new()), |against| sources(against, AGAINST, settings, &how))?;
        let folder = resources.temp_dir.clone().unwrap_or_else(std::env::temp_dir);
        let copied = |source: &mut Source| TemporaryCopy::stdin(source, &folder).transpose();
        let copies =
            own.iter_mut().chain(&mut against).filter_map(copied).collect::<Result<_, _>>().or_raise()?;
        Ok(Inputs { own, against, resources, copies })
    }
}

/// What a job reads, and what it may use.
pub(super) struct Inputs {
    /// The documents.
    pub(super) own: Vec<Source>,
    /// Those that they are compared with.
    pub(super) against: Vec<Source>,
    pub(super) resources: Resources,
    /// Files that must stay until the job ends.
    pub(super) copies: Vec<TemporaryCopy>,
}

/// Sets the given fields of an object, and leaves the others unchanged.
fn merge(setting: &mut Value, given: &Value) {
    match (setting, given) {
        (Value::Object(settings), Value::Object(given)) => {
            for (name, value) in given {
                merge(settings.entry(name).or_insert(Value::Null), value);
            }
        }
        (setting, given) => *setting = given.clone(),
    }
}

fn sources(
    documents: &Documents<'_>,
    name: &str,
    settings: &Settings,
    how: &Discovery,
) -> PyResult<Vec<Source>> {
    match documents {
        Documents::Table(table) => {
            let rows = Table::new(Arc::clone(&table.schema), table.batches.clone());
            Ok(vec![rows.into_source(name, &settings.files.text_field)])
        }
        Documents::Paths(paths) => {
            if let Some(path) = paths.iter().find(|path| Index::is_at(path)) {
                return Err(setting(format!(
                    "{0} is an index, not documents; dedup takes it: dedup(..., against=lookalike.Index({0:?}))",
                    path.display()
                )));
            }
            discover(paths, how).or_raise()
        }
    }
}

/// True if there is an index at a path.
#[pyfunction]
pub(crate) fn is_index(path: PathBuf) -> bool {
    Index::is_at(path)
}

/// The default settings, as JSON.
#[pyfunction]
pub(crate) fn default_settings() -> PyResult<String> {
    serde_json::to_string(&Settings::default().listed()).map_err(setting)
}

/// The names of the presets.
#[pyfunction]
pub(crate) fn preset_names() -> Vec<&'static str> {
    presets::names().collect()
}

/// The number of bytes that a size such as `2GiB` stands for.
#[pyfunction]
pub(crate) fn parse_size(written: &str) -> PyResult<u64> {
    corpus::parse_size(written).map_err(setting)
}
