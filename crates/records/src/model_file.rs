//! What was learnt <-> `model.json`, with which the next run is the same.

use crate::bands::Band;
use crate::kind::Kind;
use crate::link::Linked;
use crate::misplaced::BETWEEN;
use crate::model::{Field, Model};
use crate::run::{FieldsWritten, Matched, WantedField};
use serde::{Deserialize, Serialize};

/// The version of the file. A reader refuses newer ones.
const VERSION: u32 = 1;

/// The format of the file, so that no other JSON is taken for it.
const FORMAT: &str = "lookalike-records-model";

/// A model as it is stored.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct ModelFile {
    format: String,
    version: u32,
    /// The fields with all their names.
    pub fields: Vec<StoredField>,
    /// The least probability of a match.
    pub threshold: f64,
    /// The bands that find pairs.
    pub bands: Vec<Band>,
    /// The weights, levels and frequencies.
    pub model: Model,
}

/// A field of a model.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct StoredField {
    /// The names that it has in sources.
    pub names: Vec<String>,
    /// What its values are.
    pub kind: Kind,
}

impl ModelFile {
    /// The model of a run.
    #[must_use]
    pub fn new(linked: &Linked, fields: &[WantedField]) -> Self {
        let of_field = |learnt: &Field| -> Vec<StoredField> {
            let stored = |name: &str| {
                let field = fields.iter().find(|field| field.names[0] == name);
                let names = field.map_or_else(|| vec![name.to_owned()], |field| field.names.clone());
                StoredField { names, kind: learnt.kind }
            };
            if fields.iter().any(|field| field.names[0] == learnt.name) {
                return vec![stored(&learnt.name)];
            }
            learnt.name.split(BETWEEN).map(stored).collect()
        };
        let stored = linked.model.fields.iter().flat_map(of_field);
        Self {
            format: FORMAT.into(),
            version: VERSION,
            fields: stored.collect(),
            threshold: linked.threshold,
            bands: linked.bands.iter().map(|figures| figures.band.clone()).collect(),
            model: linked.model.clone(),
        }
    }

    /// The model of a run; nothing if a rule decided, or if no bands could be chosen.
    #[must_use]
    pub fn of(matched: &Matched) -> Option<Self> {
        let Matched { records, linked } = matched;
        (linked.rule.is_none() && !linked.bands.is_empty()).then(|| Self::new(linked, &records.fields))
    }

    /// The fields, as they would be told.
    #[must_use]
    pub fn fields(&self) -> FieldsWritten {
        let field = |field: &StoredField| WantedField { names: field.names.clone(), kind: Some(field.kind) };
        FieldsWritten { fields: self.fields.iter().map(field).collect() }
    }

    /// The fields as they would be told, and those that were told and that it has no weights for: a model is learnt without
    /// fields that have one value. An error, as the end of a sentence, if fields of the model were not told.
    pub fn fields_with(&self, told: &FieldsWritten) -> Result<FieldsWritten, String> {
        let is_told =
            |stored: &StoredField| told.fields.iter().any(|field| field.names[0] == stored.names[0]);
        if self.fields.iter().all(is_told) {
            let mut all = self.fields();
            let is_new = |field: &&WantedField| all.fields.iter().all(|it| it.names[0] != field.names[0]);
            let new: Vec<WantedField> = told.fields.iter().filter(is_new).cloned().collect();
            all.fields.extend(new);
            return Ok(all);
        }
        let known: Vec<&str> = self.fields.iter().map(|field| field.names[0].as_str()).collect();
        Err(format!("is of other fields: {}", known.join(", ")))
    }

    /// The file's content.
    #[must_use]
    pub fn to_json(&self) -> String {
        let mut json = serde_json::to_string_pretty(self).unwrap_or_default();
        json.push('\n');
        json
    }

    /// Reads a file's content. The error is the end of a sentence.
    pub fn of_json(json: &str) -> Result<Self, String> {
        #[derive(Deserialize)]
        struct Head {
            format: String,
            version: u32,
        }
        let head: Head =
            serde_json::from_str(json).map_err(|cause| format!("is not a model of records: {cause}"))?;
        if head.format != FORMAT {
            return Err(format!("is not a model of records: its format is {:?}", head.format));
        }
        if head.version > VERSION {
            return Err(format!(
                "has version {}, and this program knows versions up to {VERSION}",
                head.version
            ));
        }
        let file: Self = serde_json::from_str(json).map_err(|cause| format!("is damaged: {cause}"))?;
        file.model.check().map_err(|cause| format!("is damaged: {cause}"))?;
        let is_stored =
            |name: &str| file.fields.iter().any(|field| field.names.first().is_some_and(|it| it == name));
        let mut learnt = file.model.fields.iter().map(|field| field.name.as_str());
        if !learnt.all(|name| is_stored(name) || name.split(BETWEEN).all(is_stored)) {
            return Err("is damaged: it has weights for other fields".into());
        }
        if file.bands.is_empty() || file.bands.iter().any(|band| band.rows.is_empty()) {
            return Err("is damaged: it has no bands, or a band of nothing".into());
        }
        if !(file.threshold > 0.0 && file.threshold <= 1.0) {
            return Err(format!("is damaged: its threshold is {}", file.threshold));
        }
        Ok(file)
    }
}
