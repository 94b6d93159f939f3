//! Two records -> why they match, or do not, field by field.

use crate::bands::Pair;
use crate::column::Column;
use crate::compare::{self, NO_LEVEL};
use crate::model::probability;
use crate::strings::Scratch;
use serde::{Deserialize, Serialize};

/// Why two records match, or do not.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Explained {
    /// The record that comes first.
    pub a: usize,
    /// The other one.
    pub b: usize,
    /// The fields, those that say most first.
    pub fields: Vec<ExplainedField>,
    /// The log odds of two records of which nothing is known.
    pub prior: f64,
    /// The sum.
    pub weight: f64,
    /// The probability that they match.
    pub probability: f64,
    /// The bands that find them, from 1.
    pub bands: Vec<usize>,
}

/// What a field of two records says.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct ExplainedField {
    /// Its name.
    pub name: String,
    /// Its value in the first record.
    pub a: String,
    /// Its value in the second record.
    pub b: String,
    /// How similar they are, in words or as a number.
    pub similarity: String,
    /// What that says.
    pub weight: f64,
    /// `rare`, if equal values are seldom; `said by others`, if other fields said it already; or nothing.
    pub note: String,
}

/// What the fields of two records say. `records` are their places in the table, and `values` knows their values in a field of it.
pub(crate) fn explain<'t>(
    records: (usize, usize),
    (names, values): (&[String], &dyn Fn(usize) -> (&'t str, &'t str)),
    columns: &[Column],
    (pair, levels): (Pair, &[u8]),
    weights: &[f64],
    weight: f64,
) -> Explained {
    let mut scratch = Scratch::default();
    let mut fields: Vec<ExplainedField> = Vec::new();
    for (at, column) in columns.iter().enumerate() {
        let field = names.iter().position(|name| *name == column.name).unwrap_or(0);
        let (a, b) = (column.of[pair.0 as usize], column.of[pair.1 as usize]);
        let last = compare::thresholds(column.kind).len() + 1;
        let similarity = match levels[at] {
            NO_LEVEL => "missing".to_owned(),
            0 => "equal".to_owned(),
            level if usize::from(level) == last => "other".to_owned(),
            _ if compare::is_swap(column, a, b) => "two swapped".to_owned(),
            _ => format!("{:.2}", compare::similarity(column, a, b, &mut scratch)),
        };
        let is_rare = levels[at] == 0 && column.counts[a as usize] <= 3 && weights[at] > 0.0;
        let note = match levels[at] {
            0 if weights[at] == 0.0 => "said by others",
            _ if is_rare => "rare",
            _ => "",
        };
        fields.push(ExplainedField {
            name: column.name.clone(),
            a: values(field).0.to_owned(),
            b: values(field).1.to_owned(),
            similarity,
            weight: weights[at],
            note: note.to_owned(),
        });
    }
    fields.sort_by(|x, y| y.weight.total_cmp(&x.weight));
    let (a, b) = records;
    Explained { a, b, fields, prior: 0.0, weight, probability: probability(weight), bands: Vec::new() }
}
