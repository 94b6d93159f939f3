//! The identity of a run: its settings and sources. A target folder belongs to one run.

use crate::method::Recipe;
use crate::method::weights;
use crate::sketch::Sources;
use crate::{Error, Indexes, Result, Settings};
use corpus::{Format, Location, Source, Stamp, name_to_path, path_to_name};
use serde::{Deserialize, Serialize};
use std::ffi::OsString;

/// The version of the format of work folders.
const VERSION: u32 = 5;

/// The location of a source that can be read only once: standard input or a pipe.
const READ_ONCE: &str = "-";

/// The identity of a run, as it is written to `run.json`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct Identity {
    version: u32,
    /// The seed of the key of stored shingles, in hexadecimal.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub key: Option<String>,
    pub settings: Settings,
    /// The hash of the file of weights.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    weights: Option<String>,
    /// The index whose documents are not kept again.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    against_index: Option<IndexIdentity>,
    /// The index to which kept documents are added.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    add_to: Option<IndexIdentity>,
    pub against: Vec<SourceIdentity>,
    pub sources: Vec<SourceIdentity>,
}

/// An index, as it is written to `run.json`. Its documents may change: see `Work::begin_with`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct IndexIdentity {
    name: String,
    identity: String,
    /// Where it was when the run began.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    place: String,
}

impl IndexIdentity {
    /// True if both are one index: copies have other places, and one that was moved may have its old name.
    fn is_same(&self, other: &Self) -> bool {
        let has_place = !self.place.is_empty() && self.place == other.place;
        self.identity == other.identity && (has_place || self.name == other.name)
    }
}

/// The identity of a source, as it is written to `run.json`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct SourceIdentity {
    pub name: String,
    pub output: String,
    pub location: String,
    pub format: String,
    pub size: u64,
    pub stamp: String,
    /// What stands for the file of ids.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ids: Option<String>,
}

impl SourceIdentity {
    /// The identity of a source. A file is identified by its size and a checksum, not by its modification time.
    pub(crate) fn new(source: &Source) -> Result<Self> {
        let checksum = corpus::checksum(source)?;
        let location = match &source.location {
            Location::Local(path) => path_to_name(path),
            // It is identified by its content, and not by the location of the copy.
            Location::Stdin | Location::Pipe(_) | Location::Copy(_) => READ_ONCE.into(),
            Location::Object(address) => address.clone(),
            Location::Memory(_) => "memory".into(),
        };
        let stamp = match &source.stamp {
            _ if checksum.is_some() => String::new(),
            Stamp::Modified(time) => time.to_string(),
            Stamp::Tag(tag) => tag.clone(),
            Stamp::Unknown => String::new(),
        };
        let format = match source.format {
            Format::Jsonl => "jsonl",
            Format::Csv { delimiter: b'\t' } => "tsv",
            Format::Csv { .. } => "csv",
            Format::Parquet => "parquet",
            Format::Text => "text",
            Format::Table => "table",
            Format::Npy => "npy",
        };
        let (size, stamp) = checksum.unwrap_or((source.size, stamp));
        Ok(Self {
            name: source.name.clone(),
            output: source.output.clone(),
            location,
            format: format.into(),
            size,
            stamp,
            ids: source.ids.as_ref().map(corpus::Ids::identity),
        })
    }

    /// True if the source was standard input or a pipe, which cannot be read again.
    pub(crate) fn was_read_once(&self) -> bool {
        self.location == READ_ONCE
    }

    /// The location of the source as a command-line argument: an address or a path.
    pub(crate) fn argument(&self) -> OsString {
        if self.location.contains("://") {
            return self.location.clone().into();
        }
        name_to_path(&self.location).into()
    }

    /// The format of the source.
    pub(crate) fn format(&self) -> Result<Format> {
        self.format.parse().map_err(|wrong| Error::Invalid(format!("{}: {wrong}", self.name)))
    }
}

impl Identity {
    /// The identity of a run.
    pub(crate) fn new(recipe: &Recipe, sources: Sources<'_>, indexes: &Indexes) -> Result<Self> {
        let all = |sources: &[Source]| sources.iter().map(SourceIdentity::new).collect::<Result<Vec<_>>>();
        Ok(Self {
            version: VERSION,
            key: None,
            settings: recipe.settings.clone(),
            weights: recipe.weights_hash.clone(),
            against_index: indexes.against.as_ref().map(|index| IndexIdentity {
                name: index.name().into(),
                identity: index.identity(),
                place: index.place(),
            }),
            add_to: indexes.add_to.as_ref().map(|index| IndexIdentity {
                name: index.name().into(),
                identity: index.identity(),
                place: index.place(),
            }),
            against: all(sources.against)?,
            sources: all(sources.corpus)?,
        })
    }

    /// The identity with its indexes written as in the `run.json` that a target has, where these are the same: however
    /// the path of an index is written, the run is the same.
    pub(crate) fn named_as_in(mut self, found: Option<&[u8]>) -> Self {
        let Some(found) = found.and_then(Self::from_json) else { return self };
        for (own, found) in [(&mut self.against_index, found.against_index), (&mut self.add_to, found.add_to)]
        {
            if let (Some(own), Some(found)) = (own, found)
                && own.is_same(&found)
            {
                *own = found;
            }
        }
        self
    }

    /// The name of the index that the run asked, if it asked one.
    pub(crate) fn index_name(&self) -> &str {
        self.against_index.as_ref().map_or("", |index| index.name.as_str())
    }

    /// Returns an error if the file of weights has changed since `name` was made.
    pub(crate) fn check_weights(&self, name: &str) -> Result<()> {
        let Some(file) = &self.settings.signature.weights else { return Ok(()) };
        let (_, hash) = weights::read(file, &self.settings.shingler()?)?;
        if self.weights.as_ref().is_some_and(|weights| *weights != hash) {
            let file = file.display();
            return Err(Error::Target(format!("{file} has changed since {name} was made; sketch it again")));
        }
        Ok(())
    }

    /// True if the files of weights of both are the same, or if neither has one.
    pub(crate) fn has_same_weights(&self, other: &Self) -> bool {
        self.weights == other.weights
    }

    /// The first setting in which `other` differs: its name, its value here, and its value there.
    pub(crate) fn other_setting(&self, other: &Self) -> Option<(String, String, String)> {
        let settings = |identity: &Self| serde_json::to_value(&identity.settings).unwrap_or_default();
        let (here, there) = (settings(self), settings(other));
        let (here, there) = (here.as_object()?, there.as_object()?);
        let (name, value) = there.iter().find(|(name, value)| here.get(*name) != Some(value))?;
        let written = |value: Option<&serde_json::Value>| match value {
            None | Some(serde_json::Value::Null) => "not set".to_owned(),
            Some(value) => value.to_string(),
        };
        Some((name.clone(), written(here.get(name)), written(Some(value))))
    }

    /// Reads an identity; `None` if another version wrote it, or if it is damaged.
    pub(crate) fn from_json(json: &[u8]) -> Option<Self> {
        serde_json::from_slice(json).ok().filter(|identity: &Self| identity.version == VERSION)
    }

    /// The identity as JSON.
    pub(crate) fn to_json(&self) -> String {
        let mut json = serde_json::to_string_pretty(self).expect("an identity is plain data");
        json.push('\n');
        json
    }
}

/// The advice for a target that belongs to another run.
const ADVICE: &str = "choose another target folder, or remove this one";

/// The message for a target that has outputs, but no `run.json`.
pub(crate) fn missing(target: &str) -> String {
    let own = corpus::WORK_FOLDER;
    format!(
        "{target} contains outputs of a run, but {own}/run.json, which describes the run, is missing; {ADVICE}"
    )
}

/// The message for a target that belongs to another run: how that run differs from this one, and what to do.
pub(crate) fn refusal(found: &str, asked: &str, target: &str) -> String {
    format!("{}; {ADVICE}", difference(found, asked, target))
}

/// What to say if the run in a target is of another version of the program, so that its description cannot be read.
pub(crate) fn other_version(found: &[u8], target: &str) -> Option<String> {
    let value: serde_json::Value = serde_json::from_slice(found).ok()?;
    let version = value["version"].as_u64().filter(|version| *version != u64::from(VERSION))?;
    Some(format!(
        "{target} contains a run of another version of lookalike (its work folder has format {version}, this version \
         writes {VERSION})"
    ))
}

/// How the run in a target differs from this one.
pub(crate) fn difference(found: &str, asked: &str, target: &str) -> String {
    let own = corpus::WORK_FOLDER;
    if let Some(other) = other_version(found.as_bytes(), target) {
        return other;
    }
    let (Some(found), Some(asked)) =
        (Identity::from_json(found.as_bytes()), Identity::from_json(asked.as_bytes()))
    else {
        return format!("{target}/{own}/run.json is damaged, so it is unknown which run it describes");
    };
    if let Some((setting, before, now)) = found.other_setting(&asked) {
        return format!("{target} contains a run where {setting} is {before}, but now it is {now}");
    }
    if let (Some(file), true) = (&asked.settings.signature.weights, found.weights != asked.weights) {
        let file = file.display();
        return format!("{file} has changed since the run in {target} began");
    }
    let changed = |kind: &str, old: &[SourceIdentity], new: &[SourceIdentity]| -> Option<String> {
        other_sources(kind, old, new)
            .map(|other| format!("{target} contains a run with other sources: {other}"))
            .or_else(|| {
                let (before, changed) = old.iter().zip(new).find(|(old, new)| old != new)?;
                let rows_are_equal = SourceIdentity { ids: before.ids.clone(), ..changed.clone() } == *before;
                let (what, name) = (if rows_are_equal { "the file of ids of " } else { "" }, &changed.name);
                Some(format!("{what}{name} has changed since the run in {target} began"))
            })
    };
    for (what, found, asked) in [
        ("`against`", &found.against_index, &asked.against_index),
        ("`add-to`", &found.add_to, &asked.add_to),
    ] {
        if found != asked {
            let name = |index: &Option<IndexIdentity>| {
                index
                    .as_ref()
                    .map_or_else(|| "no index".to_owned(), |index| format!("the index {}", index.name))
            };
            let (before, now) = (name(found), name(asked));
            return match before == now {
                true => {
                    format!("{target} contains a run with another index at {}", &now["the index ".len()..])
                }
                false => format!("{target} contains a run with {before} for {what}, but now it is {now}"),
            };
        }
    }
    changed("`against` ", &found.against, &asked.against)
        .or_else(|| changed("", &found.sources, &asked.sources))
        .unwrap_or_else(|| format!("{target} contains another run"))
}

/// How the names in two lists of sources differ, if they do.
fn other_sources(kind: &str, old: &[SourceIdentity], new: &[SourceIdentity]) -> Option<String> {
    let only = |these: &[SourceIdentity], those: &[SourceIdentity]| {
        let names: std::collections::BTreeSet<&str> =
            those.iter().map(|source| source.name.as_str()).collect();
        let mut only = these.iter().map(|source| source.name.as_str()).filter(|name| !names.contains(name));
        let first = only.next()?;
        Some(match only.count() {
            0 => format!("{kind}{first}"),
            more => format!("{kind}{first} and {more} more"),
        })
    };
    match (only(new, old), only(old, new)) {
        (Some(new), Some(old)) => Some(format!("it has {old}, but now there is {new} instead")),
        (Some(new), None) => Some(format!("it does not have {new}")),
        (None, Some(old)) => Some(format!("it also has {old}")),
        (None, None) => {
            let moved = old.iter().zip(new).find(|(old, new)| old.name != new.name)?;
            Some(format!("their order differs, it has {kind}{} where now {} is", moved.0.name, moved.1.name))
        }
    }
}

/// Returns an error if a source has changed since the run began.
pub(crate) fn check_unchanged(sources: Sources<'_>, identity: &Identity) -> Result<()> {
    let all: Vec<&Source> = (0..sources.len()).map(|at| sources.get(at)).collect();
    let stamps = identity.against.iter().chain(&identity.sources).map(|source| source.stamp.as_str());
    match corpus::changed(&all, &stamps.collect::<Vec<_>>())? {
        Some(source) => Err(Error::Target(format!(
            "{} changed while it was being read; run again with another target folder",
            source.name
        ))),
        None => Ok(()),
    }
}
