//! Command-line arguments -> the settings of a run.
//!
//! There are four layers, and each overrides the one before: the defaults of `pipeline::Settings` (or the settings of
//! a sketch file), a preset, the settings file, the flags.

mod config_file;
mod layers;
mod sketch_file;
#[cfg(test)]
mod tests;

pub(crate) use sketch_file::is_sketch;

use crate::arguments::{Bytes, Choices};
use crate::failure::{Failure, Result};
use corpus::{Discovery, Format, FormatChoice};
use pipeline::{Resources, SettingName, Settings, presets};
use std::path::{Path, PathBuf};

/// The settings of a run after all layers.
#[derive(Debug)]
pub(crate) struct Resolved {
    /// What decides the answer.
    pub(crate) settings: Settings,
    /// What may be used.
    pub(crate) resources: Resources,
    /// How inputs are found.
    pub(crate) discovery: Discovery,
    /// Inputs that the documents are also compared with. They are neither removed nor written.
    pub(crate) against: Vec<String>,
}

/// What the threshold is used for. Its default depends on this.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Purpose {
    /// The threshold decides which documents are duplicates.
    Duplicates,
    /// The threshold only shortens the list of matches. It is 0 unless the user sets it.
    Query,
}

/// The layers, not yet combined.
#[derive(Debug)]
pub(crate) struct Layers {
    purpose: Purpose,
    preset: Option<presets::Preset>,
    file: Choices,
    flags: Choices,
}

impl Layers {
    /// Reads the settings file, if one was named, and finds the preset.
    pub(crate) fn read(flags: Choices, purpose: Purpose) -> Result<Self> {
        let file = match &flags.using.config {
            Some(path) => config_file::read(path)?,
            None => Choices::default(),
        };
        let preset = match flags.using.preset.as_ref().or(file.using.preset.as_ref()) {
            Some(name) => Some(presets::find(name)?),
            None => None,
        };
        Ok(Self { purpose, preset, file, flags })
    }

    /// The settings for inputs that are documents.
    pub(crate) fn resolve(&self) -> Result<Resolved> {
        self.over(Settings::default())
    }

    /// What the run may use.
    pub(crate) fn resources(&self) -> Result<Resources> {
        let memory = match self.flags.using.memory.or(self.file.using.memory) {
            Some(Bytes(memory)) => memory,
            None => Resources::of_this_machine().memory,
        };
        let threads = match self.flags.using.threads.or(self.file.using.threads) {
            Some(threads) => threads.get(),
            None => Resources::of_this_machine().threads,
        };
        let temp_dir: Option<PathBuf> =
            self.flags.using.temp_dir.clone().or_else(|| self.file.using.temp_dir.clone());
        let resources = Resources { memory, threads, temp_dir, max_pairs: None };
        resources.check()?;
        Ok(resources)
    }

    /// The settings for the sketch file at `path`, which was made with the settings `made_with`.
    pub(crate) fn resolve_sketch(&self, path: &Path, made_with: &Settings) -> Result<Resolved> {
        let resolved = self.over(made_with.clone())?;
        sketch_file::check(path, made_with, &resolved.settings)?;
        Ok(resolved)
    }

    /// An error if the user gave a flag that has no effect with the method or measure.
    fn check_effects(&self, settings: &Settings) -> Result<()> {
        let Choices { sketching, matching, .. } = &self.flags;
        let is_typed = |setting| match setting {
            SettingName::Bands => matching.bands.is_some(),
            SettingName::Distance => matching.distance.is_some(),
            SettingName::Hashes => sketching.hashes.is_some(),
            SettingName::Recall => matching.recall.is_some(),
            _ => false,
        };
        Ok(settings.check_effects(is_typed)?)
    }

    /// Applies all layers to `settings`.
    fn over(&self, mut settings: Settings) -> Result<Resolved> {
        if let Some(preset) = &self.preset {
            preset.apply(&mut settings)?;
        }
        if self.purpose == Purpose::Query {
            settings.matching.threshold = 0.0;
        }
        layers::apply(&self.file, &mut settings);
        layers::apply(&self.flags, &mut settings);
        settings.check_ranges()?;
        self.check_effects(&settings)?;
        let written = self.flags.reading.format.as_ref().or(self.file.reading.format.as_ref());
        let format = written.map(|written| format(written)).transpose()?;
        let against = if self.flags.matching.against.is_empty() { &self.file } else { &self.flags };
        let against = against.matching.against.clone();
        Ok(Resolved {
            settings,
            resources: self.resources()?,
            discovery: Discovery {
                format: format.map_or(FormatChoice::Detect, FormatChoice::Always),
                target: None,
            },
            against,
        })
    }
}

/// The settings that result from a settings file with this text, without any flags.
#[cfg(feature = "fuzzing")]
pub(crate) fn of_text(text: &str) -> Result<Settings> {
    let file = config_file::parse(text, "lookalike.toml")?;
    let preset = file.using.preset.as_deref().map(presets::find).transpose()?;
    let layers = Layers { purpose: Purpose::Duplicates, preset, file, flags: Choices::default() };
    Ok(layers.resolve()?.settings)
}

/// The format that `written` names.
fn format(written: &str) -> Result<Format> {
    written.parse().map_err(|wrong: String| Failure::usage(wrong))
}
