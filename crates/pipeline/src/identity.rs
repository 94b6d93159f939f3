//! What a run is: settings and sources. A target folder belongs to one run.

use crate::sketching::Sources;
use crate::{Error, Result, Settings};
use corpus::{Format, Location, Source, Stamp};
use serde::{Deserialize, Serialize};
use std::path::Path;

/// The version of the work folder's form.
const VERSION: u32 = 2;

/// What is written down of a run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct Identity {
    version: u32,
    /// The seed of the key of stored shingles, in hexadecimal.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub key: Option<String>,
    pub settings: Settings,
    pub against: Vec<SourceIdentity>,
    pub sources: Vec<SourceIdentity>,
}

/// What is written down of a source.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct SourceIdentity {
    pub name: String,
    pub output: String,
    pub location: String,
    pub format: String,
    pub size: u64,
    pub stamp: String,
}

impl SourceIdentity {
    /// Of a source.
    pub(crate) fn new(source: &Source) -> Self {
        let location = match &source.location {
            Location::Local(path) => path.display().to_string(),
            Location::Stdin => "-".into(),
            Location::Object(address) => address.clone(),
            Location::Memory(_) => "memory".into(),
        };
        let stamp = match &source.stamp {
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
        };
        Self {
            name: source.name.clone(),
            output: source.output.clone(),
            location,
            format: format.into(),
            size: source.size,
            stamp,
        }
    }

    /// Its format.
    pub(crate) fn format(&self) -> Result<Format> {
        self.format.parse().map_err(|wrong| Error::Invalid(format!("{}: {wrong}", self.name)))
    }
}

impl Identity {
    /// Of a run.
    pub(crate) fn new(settings: &Settings, sources: Sources<'_>) -> Self {
        let all = |sources: &[Source]| sources.iter().map(SourceIdentity::new).collect();
        Self {
            version: VERSION,
            key: None,
            settings: settings.clone(),
            against: all(sources.against),
            sources: all(sources.corpus),
        }
    }

    /// Of what was written, if this version wrote it.
    pub(crate) fn from_json(json: &[u8]) -> Option<Self> {
        serde_json::from_slice(json).ok().filter(|identity: &Self| identity.version == VERSION)
    }

    /// As it is written.
    pub(crate) fn to_json(&self) -> String {
        let mut json = serde_json::to_string_pretty(self).expect("an identity is plain data");
        json.push('\n');
        json
    }
}

/// In what the run found in a folder differs from the one asked for, and what to do.
pub(crate) fn difference(found: &str, asked: &str, folder: &Path) -> String {
    let target = folder.parent().unwrap_or(folder).display();
    let advice = "choose another target folder, or remove this one";
    let (Some(found), Some(asked)) =
        (Identity::from_json(found.as_bytes()), Identity::from_json(asked.as_bytes()))
    else {
        return format!("{target} holds a run of another version of lookalike; {advice}");
    };
    let settings = |identity: &Identity| serde_json::to_value(&identity.settings).unwrap_or_default();
    let (old, new) = (settings(&found), settings(&asked));
    if let (Some(old), Some(new)) = (old.as_object(), new.as_object())
        && let Some((key, value)) = new.iter().find(|(key, value)| old.get(*key) != Some(value))
    {
        let written = |value: Option<&serde_json::Value>| match value {
            None | Some(serde_json::Value::Null) => "not set".to_owned(),
            Some(value) => value.to_string(),
        };
        let (before, now) = (written(old.get(key)), written(Some(value)));
        return format!("{target} holds a run where {key} is {before}, and now it is {now}; {advice}");
    }
    let changed = |old: &[SourceIdentity], new: &[SourceIdentity]| -> Option<String> {
        let names = |sources: &[SourceIdentity]| sources.iter().map(|s| s.name.clone()).collect::<Vec<_>>();
        if names(old) != names(new) {
            return Some(format!("{target} holds a run over other sources; {advice}"));
        }
        let (_, changed) = old.iter().zip(new).find(|(old, new)| old != new)?;
        Some(format!("{} has changed since the run in {target} began; {advice}", changed.name))
    };
    changed(&found.against, &asked.against)
        .or_else(|| changed(&found.sources, &asked.sources))
        .unwrap_or_else(|| format!("{target} holds another run; {advice}"))
}

/// An error if a local source is not what it was when it was found.
pub(crate) fn check_unchanged(sources: Sources<'_>) -> Result<()> {
    for at in 0..sources.len() {
        let source = sources.get(at);
        let (Location::Local(path), Stamp::Modified(time)) = (&source.location, &source.stamp) else {
            continue;
        };
        let metadata = std::fs::metadata(path).map_err(|cause| Error::Io {
            action: "read",
            name: source.name.clone(),
            cause,
        })?;
        let modified = metadata.modified().ok().and_then(|time| {
            time.duration_since(std::time::UNIX_EPOCH).ok().map(|since| since.as_nanos() as i128)
        });
        if metadata.len() != source.size || modified.is_some_and(|modified| modified != *time) {
            return Err(Error::Target(format!(
                "{} changed while it was being read; begin again in another target folder",
                source.name
            )));
        }
    }
    Ok(())
}
