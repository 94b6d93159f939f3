//! The arguments of a Python call -> a job.

use crate::errors::{Raise, setting};
use crate::table::ArrowTable;
use corpus::{Discovery, FormatChoice, Source, Table, TemporaryCopy, discover};
use pipeline::{Job, Resources, Settings, presets};
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

impl Options {
    /// The settings of the job.
    pub(crate) fn settings(&self) -> PyResult<Settings> {
        let settings = self.settings_as_given()?;
        settings.check_ranges().or_raise()?;
        let given: Value = serde_json::from_str(&self.settings).map_err(setting)?;
        // All defaults may be handed over at once: they were not chosen.
        let default = serde_json::to_value(Settings::default()).map_err(setting)?;
        let is_chosen =
            |name: &str| given.get(name).is_some_and(|value| !value.is_null() && *value != default[name]);
        settings.check_effects(|setting| is_chosen(setting.as_str())).or_raise()?;
        Ok(settings)
    }

    /// The same without a check of what was chosen: for the settings of a run that are handed over as a whole.
    pub(crate) fn settings_as_given(&self) -> PyResult<Settings> {
        let mut settings = Settings::default();
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
        let settings = self.settings()?;
        let format = self.format.as_deref().map(|written| written.parse().map_err(setting)).transpose()?;
        let how = Discovery {
            format: format.map_or(FormatChoice::Detect, FormatChoice::Always),
            target: target.map(str::to_owned),
        };
        let resources = self.resources()?;
        let mut own = sources(documents, TABLE, &settings, &how)?;
        let mut against =
            against.map_or(Ok(Vec::new()), |against| sources(against, AGAINST, &settings, &how))?;
        let folder = resources.temp_dir.clone().unwrap_or_else(std::env::temp_dir);
        let copied = |source: &mut Source| TemporaryCopy::stdin(source, &folder).transpose();
        let temporary_copies =
            own.iter_mut().chain(&mut against).filter_map(copied).collect::<Result<_, _>>().or_raise()?;
        Ok((
            Job {
                sources: own,
                against,
                settings,
                resources,
                sketch: None,
                indexes: pipeline::Indexes::default(),
            },
            temporary_copies,
        ))
    }
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
            if let Some(path) = paths.iter().find(|path| index::Index::is_at(path)) {
                return Err(setting(format!(
                    "{0} is an index, not documents; the command takes it: lookalike dedup INPUT --against {0}",
                    path.display()
                )));
            }
            discover(paths, how).or_raise()
        }
    }
}

/// The default settings, as JSON.
#[pyfunction]
pub(crate) fn default_settings() -> PyResult<String> {
    serde_json::to_string(&Settings::default()).map_err(setting)
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
