//! What was learnt and found, as it stands in `report.json`: fields and their levels, bands, weights and labels.

use super::{Decisions, Matched};
use crate::link::Judged;
use crate::model::Field;
use crate::seen::WeightBin;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// What a level of agreement says.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct LevelFigures {
    /// The least similarity of the level: 1 for equal values, 0 for others.
    pub least: f64,
    /// Its weight; of equal values, the weight of those that nobody else has.
    pub weight: f64,
    /// The weight of the most frequent equal value; for other levels, `weight`.
    pub frequent: f64,
    /// The share of matches in this level.
    pub matches: f64,
    /// The share of pairs of other records in this level.
    pub others: f64,
}

/// What a field says.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct FieldFigures {
    /// Its name.
    pub name: String,
    /// The kind of its values.
    pub kind: String,
    /// What its weights are multiplied by, which the levels have in them: less than 1 if other fields say the same.
    pub factor: f64,
    /// Its levels, from equal values down.
    pub levels: Vec<LevelFigures>,
}

/// A field that says nothing.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct FieldLeftOut {
    /// Its name.
    pub name: String,
    /// Why it was left out.
    pub why: String,
}

/// A band, in words.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct BandInWords {
    /// What must agree.
    pub band: String,
    /// The share of the likely matches that it finds.
    pub finds: f64,
    /// The pairs that it costs for each record.
    pub cost: f64,
}

/// What was learnt and found.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Details {
    /// The fields that are compared.
    pub fields: Vec<FieldFigures>,
    /// Those that are not.
    pub fields_left_out: Vec<FieldLeftOut>,
    /// The rule in place of a model, in words.
    pub rule: Option<String>,
    /// The log odds of two records of which nothing is known.
    pub prior: f64,
    /// The bands.
    pub bands: Vec<BandInWords>,
    /// The share of the likely matches that the bands find together.
    pub planned: f64,
    /// The compared pairs by weight.
    pub weights: Vec<WeightBin>,
    /// How many clusters there are of each size.
    pub cluster_sizes: BTreeMap<u64, u64>,
    /// How far labels have shifted all log odds.
    pub shift: f64,
    /// The labels, with the log odds of their pairs before and after them.
    pub labels: Vec<Judged>,
}

impl Details {
    pub(super) fn new(matched: &Matched, decisions: &Decisions) -> Self {
        let linked = &matched.linked;
        let of_field = |field: &Field| {
            let [unseen, frequent] = field.equal_weights();
            let levels = field.levels.iter().enumerate().map(|(at, &least)| {
                let (weight, frequent) =
                    if at == 0 { (unseen, frequent) } else { (field.weights[at], field.weights[at]) };
                LevelFigures {
                    least,
                    weight: weight * field.factor,
                    frequent: frequent * field.factor,
                    matches: field.matches[at],
                    others: field.others[at],
                }
            });
            FieldFigures {
                name: field.name.clone(),
                kind: field.kind.as_str().to_owned(),
                factor: field.factor,
                levels: levels.collect(),
            }
        };
        let mut cluster_sizes = BTreeMap::new();
        for cluster in &decisions.clusters {
            *cluster_sizes.entry(cluster.len() as u64).or_default() += 1;
        }
        let bands = linked.bands.iter().map(|it| BandInWords {
            band: it.band.to_string(),
            finds: it.finds,
            cost: it.cost,
        });
        let left_out = linked.fields_left_out.iter().cloned().map(|(name, why)| FieldLeftOut { name, why });
        Self {
            fields: linked.model.fields.iter().filter(|it| it.factor > 0.0).map(of_field).collect(),
            fields_left_out: left_out.collect(),
            rule: linked.rule.clone(),
            prior: linked.model.prior,
            bands: bands.collect(),
            planned: linked.planned,
            weights: linked.weights.clone(),
            cluster_sizes,
            shift: linked.shift,
            labels: linked.judged.clone(),
        }
    }
}
