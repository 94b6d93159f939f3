//! Command-line arguments -> the settings of a run.
//!
//! There are four layers, and each overrides the one before: the defaults of `pipeline::Settings` (or the settings of
//! a sketch file), a preset, the settings file, the flags.

mod config_file;
mod fixed;
mod layers;
#[cfg(test)]
mod tests;

pub(crate) use fixed::is_sketch;

use crate::arguments::{Bytes, Choices};
use crate::failure::{Failure, Result};
use config_file::ConfigFile;
use corpus::{Discovery, Format, FormatChoice};
use pipeline::{Kind, Measure, Resources, Settings, presets};
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
    /// A file with the ids of the rows of arrays.
    pub(crate) ids: Option<PathBuf>,
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

/// The settings that have no effect on records.
pub(crate) const OF_TEXTS: [&str; 31] = [
    "text-field",
    "set-of",
    "weight",
    "weight-step",
    "find",
    "bits",
    "ids",
    "common",
    "site-field",
    "within-days",
    "split",
    "max-text",
    "within",
    "shingles",
    "case",
    "form",
    "punctuation",
    "whitespace",
    "elements",
    "weights",
    "method",
    "hashes",
    "seed",
    "measure",
    "bands",
    "distance",
    "verify",
    "prefer",
    "annotate",
    "removed-format",
    "preset",
];

/// The layers, not yet combined.
#[derive(Debug)]
pub(crate) struct Layers {
    purpose: Purpose,
    preset: Option<presets::Preset>,
    file: ConfigFile,
    flags: Choices,
}

/// Reads the layers, and runs a command with them. If the command fails because of a setting, the failure says where
/// the setting comes from.
pub(crate) fn with_layers(
    flags: Choices,
    purpose: Purpose,
    command: impl FnOnce(&Layers) -> Result<()>,
) -> Result<()> {
    let layers = Layers::read(flags, purpose)?;
    command(&layers).map_err(|failure| failure.named_by(&layers))
}

impl Layers {
    /// Reads the settings file, if one was named, and finds the preset.
    pub(crate) fn read(flags: Choices, purpose: Purpose) -> Result<Self> {
        let file = match &flags.using.config {
            Some(path) => ConfigFile::read(path)?,
            None => ConfigFile::default(),
        };
        let preset = match flags.using.preset.as_ref().or(file.choices.using.preset.as_ref()) {
            Some(name) => Some(presets::find(name)?),
            None => None,
        };
        Ok(Self { purpose, preset, file, flags })
    }

    /// A setting and its value as the user wrote them: a flag, a key of the settings file, or a part of a preset. A
    /// setting that has its default is written as a flag.
    pub(crate) fn name(&self, setting: &str, value: Option<&str>) -> String {
        let place = self.file.place(setting).filter(|_| !self.flags.has(setting));
        if let Some(place) = place {
            return match value {
                Some(value) if is_bare(value) => format!("{setting} = {value} ({place})"),
                Some(value) => format!("{setting} = \"{value}\" ({place})"),
                None => format!("{setting} ({place})"),
            };
        }
        let preset = self.preset.filter(|preset| preset.changes(setting) && !self.flags.has(setting));
        match (preset, value) {
            (Some(preset), Some(value)) => format!("{setting} {value} (of the preset {})", preset.name),
            (Some(preset), None) => format!("{setting} (of the preset {})", preset.name),
            (None, value) => flag(setting, value),
        }
    }

    /// True if a setting was chosen, by a flag, in the settings file or by the preset.
    pub(crate) fn has(&self, setting: &str) -> bool {
        let of_preset = self.preset.is_some_and(|preset| preset.changes(setting));
        self.flags.has(setting) || self.file.place(setting).is_some() || of_preset
    }

    /// A setting and its place, if it comes from the settings file: `against (lookalike.toml, line 3)`.
    pub(crate) fn in_file(&self, setting: &str) -> Option<String> {
        let place = self.file.place(setting).filter(|_| !self.flags.has(setting))?;
        Some(format!("{setting} ({place})"))
    }

    /// The settings for inputs that are documents.
    pub(crate) fn resolve(&self) -> Result<Resolved> {
        self.over(Settings::default())
    }

    /// What a document is.
    pub(crate) fn kind(&self) -> Kind {
        self.flags
            .reading
            .kind
            .or(self.file.choices.reading.kind)
            .unwrap_or(Settings::default().signature.kind)
    }

    /// The settings for records. Those that only texts have are refused.
    pub(crate) fn resolve_records(&self) -> Result<Resolved> {
        if let Some(setting) = OF_TEXTS.iter().find(|setting| self.has(setting)) {
            return Err(Failure::usage(format!(
                "{} has no effect with --kind records",
                self.name(setting, None)
            ))
            .with_advice("leave it out"));
        }
        let mut settings = Settings::default().with_threshold(records::Options::default().threshold);
        layers::apply(&self.file.choices, &mut settings);
        layers::apply(&self.flags, &mut settings);
        let keep = std::mem::replace(&mut settings.matching.keep, pipeline::Keep::First);
        settings.check_ranges()?;
        settings.matching.keep = keep;
        let written = self.flags.reading.format.as_ref().or(self.file.choices.reading.format.as_ref());
        let format = written.map(|written| format(written)).transpose()?;
        Ok(Resolved {
            settings,
            resources: self.resources()?,
            discovery: Discovery {
                format: format.map_or(FormatChoice::Detect, FormatChoice::Always),
                target: None,
                arrays: false,
            },
            ids: None,
            against: self.against().to_vec(),
        })
    }

    /// What the run may use.
    pub(crate) fn resources(&self) -> Result<Resources> {
        let memory = match self.flags.using.memory.or(self.file.choices.using.memory) {
            Some(Bytes(memory)) => memory,
            None => Resources::of_this_machine().memory,
        };
        let threads = match self.flags.using.threads.or(self.file.choices.using.threads) {
            Some(threads) => threads.get(),
            None => Resources::of_this_machine().threads,
        };
        let temp_dir: Option<PathBuf> =
            self.flags.using.temp_dir.clone().or_else(|| self.file.choices.using.temp_dir.clone());
        let resources = Resources { memory, threads, temp_dir, max_pairs: None };
        resources.check()?;
        Ok(resources)
    }

    /// The settings for the sketch file at `path`, which was made with the settings `made_with`.
    pub(crate) fn resolve_sketch(&self, path: &Path, made_with: &Settings) -> Result<Resolved> {
        let resolved = self.over(made_with.clone())?;
        fixed::check_sketch(path, made_with, &resolved.settings, self)?;
        Ok(resolved)
    }

    /// The settings for a run with the index at `path`, which was created with the settings `made_with`.
    pub(crate) fn resolve_index(&self, path: &Path, made_with: &Settings) -> Result<Resolved> {
        let resolved = self.over(made_with.clone())?;
        fixed::check_index(path, made_with, &resolved.settings, self)?;
        Ok(resolved)
    }

    /// The inputs that the documents are also compared with, as they were named.
    pub(crate) fn against(&self) -> &[String] {
        let from = if self.flags.has("against") { &self.flags } else { &self.file.choices };
        &from.matching.against
    }

    /// An error if the user gave a flag that has no effect with the method or measure.
    fn check_effects(&self, settings: &Settings) -> Result<()> {
        Ok(settings.check_effects(|setting| self.flags.has(setting.as_str()))?)
    }

    /// A distance is a length between vectors, and otherwise a number of bits.
    fn set_distance(&self, distance: f64, settings: &mut Settings) -> Result<()> {
        if !(distance.is_finite() && distance >= 0.0) {
            let name = self.name("distance", Some(&distance.to_string()));
            return Err(Failure::usage(format!("{name} is not allowed: it is a number of at least 0")));
        }
        if settings.signature.measure == Measure::Euclidean {
            settings.matching.radius = Some(distance);
            return Ok(());
        }
        if distance.fract() != 0.0 || distance > f64::from(u32::MAX) {
            let name = self.name("distance", Some(&distance.to_string()));
            return Err(Failure::usage(format!("{name} is not allowed: it is a whole number of bits"))
                .with_advice("a distance of vectors needs --kind vectors and --measure euclidean"));
        }
        settings.matching.distance = distance as u32;
        Ok(())
    }

    /// Applies all layers to `settings`.
    fn over(&self, mut settings: Settings) -> Result<Resolved> {
        if let Some(preset) = &self.preset {
            preset.apply(&mut settings)?;
        }
        if self.purpose == Purpose::Query {
            settings.matching.threshold = 0.0;
        }
        layers::apply(&self.file.choices, &mut settings);
        layers::apply(&self.flags, &mut settings);
        if settings.signature.kind == Kind::Vectors && !self.has("measure") {
            settings.signature.measure = Measure::Cosine;
        }
        if let Some(distance) = self.flags.matching.distance.or(self.file.choices.matching.distance) {
            self.set_distance(distance, &mut settings)?;
        }
        settings.check_ranges()?;
        self.check_effects(&settings)?;
        let written = self.flags.reading.format.as_ref().or(self.file.choices.reading.format.as_ref());
        let format = written.map(|written| format(written)).transpose()?;
        let arrays = matches!(settings.signature.kind, Kind::Vectors | Kind::Fingerprints);
        Ok(Resolved {
            settings,
            resources: self.resources()?,
            discovery: Discovery {
                format: format.map_or(FormatChoice::Detect, FormatChoice::Always),
                target: None,
                arrays,
            },
            ids: self.flags.reading.ids.clone().or_else(|| self.file.choices.reading.ids.clone()),
            against: self.against().to_vec(),
        })
    }
}

/// The settings that result from a settings file with this text, without any flags.
#[cfg(feature = "fuzzing")]
pub(crate) fn of_text(text: &str) -> Result<Settings> {
    let file = ConfigFile::parse(text, "lookalike.toml")?;
    let preset = file.choices.using.preset.as_deref().map(presets::find).transpose()?;
    let layers = Layers { purpose: Purpose::Duplicates, preset, file, flags: Choices::default() };
    Ok(layers.resolve()?.settings)
}

/// A setting as a flag with its value: `--keep longest`.
pub(crate) fn flag(setting: &str, value: Option<&str>) -> String {
    value.map_or_else(|| format!("--{setting}"), |value| format!("--{setting} {value}"))
}

/// True if TOML writes this value without quotes.
fn is_bare(value: &str) -> bool {
    ["true", "false"].contains(&value) || value.parse::<f64>().is_ok()
}

/// The format that `written` names.
fn format(written: &str) -> Result<Format> {
    written.parse().map_err(|wrong: String| Failure::usage(wrong))
}
