//! Matches -> which records are kept, and because of which one the others are removed.

use super::{Error, Job, Records, Result};
use crate::link::Match;
use lookalike::clustering::{Fate, KeepOrder, connected_components, survivors};
use std::collections::BTreeMap;

/// Which record of a cluster is kept. Of equal ones, the first in input order.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum Keep {
    /// The first one.
    #[default]
    First,
    /// The one with the most values.
    Fullest,
    /// The one with the largest value in a field.
    Max(String),
    /// The one with the smallest value in a field.
    Min(String),
}

/// What becomes of a record.
#[derive(Debug, Clone, PartialEq)]
pub enum Decision {
    /// It is kept.
    Kept,
    /// It is removed.
    Removed {
        /// The record that is kept.
        by: usize,
        /// The match of the two; none within a component whose ends do not match.
        found: Option<usize>,
    },
}

/// What becomes of all records.
#[derive(Debug)]
pub struct Decisions {
    /// By record.
    pub of: Vec<Decision>,
    /// The clusters of two records or more: the kept one first.
    pub clusters: Vec<Vec<usize>>,
}

impl Decisions {
    pub(super) fn new(job: &Job, records: &Records, matches: &[Match]) -> Result<Self> {
        let count = records.table.len();
        let order = order(job, records)?;
        // Matches are in the order of their records.
        let match_of = |a: usize, b: usize| {
            matches.binary_search_by_key(&(a.min(b), a.max(b)), |found| (found.a, found.b)).ok()
        };
        let mut of = vec![Decision::Kept; count];
        if job.components {
            let pairs = matches.iter().map(|found| (found.a, found.b));
            let components = connected_components(count, pairs).map_err(internal)?;
            for cluster in components.clusters() {
                let kept = cluster.iter().copied().min_by_key(|&record| order.rank(record));
                for &record in &cluster {
                    if let Some(kept) = kept.filter(|&kept| kept != record && !records.is_against(record)) {
                        of[record] = Decision::Removed { by: kept, found: match_of(kept, record) };
                    }
                }
            }
        } else {
            let pair = |found: &Match| lookalike::verification::Pair {
                a: found.a,
                b: found.b,
                similarity: found.probability,
            };
            let pairs: Vec<_> = matches.iter().map(pair).collect();
            let survivors = survivors(&order, &pairs).map_err(internal)?;
            for (record, fate) in survivors.fates().iter().enumerate() {
                if let Fate::Removed { by, .. } = *fate {
                    of[record] = Decision::Removed { by, found: match_of(by, record) };
                }
            }
        }
        let mut clusters: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
        for (record, decision) in of.iter().enumerate() {
            if let Decision::Removed { by, .. } = decision {
                clusters.entry(*by).or_insert_with(|| vec![*by]).push(record);
            }
        }
        Ok(Self { of, clusters: clusters.into_values().collect() })
    }

    /// How many records are removed.
    #[must_use]
    pub fn removed(&self) -> u64 {
        self.of.iter().filter(|decision| **decision != Decision::Kept).count() as u64
    }
}

fn internal(error: lookalike::Error) -> Error {
    Error::Usage(error.to_string())
}

/// The records in the order in which they are kept: those of `--against` first.
fn order(job: &Job, records: &Records) -> Result<KeepOrder> {
    let count = records.table.len();
    let key = |record: usize| -> (bool, i64, Value) {
        let is_input = !records.is_against(record);
        let written = || records.order.as_ref().map_or("", |order| order[record].trim());
        match &job.keep {
            Keep::First => (is_input, 0, Value::Missing),
            Keep::Fullest => (is_input, -(records.table.filled(record) as i64), Value::Missing),
            Keep::Max(_) => (is_input, 0, Value::of(written()).reversed()),
            Keep::Min(_) => (is_input, 0, Value::of(written())),
        }
    };
    KeepOrder::by_key(count, key).map_err(internal)
}

/// A value of the field of `--keep`: numbers before text; what is missing comes last.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
enum Value {
    Number(i64),
    Text(Vec<u8>),
    Missing,
}

impl Value {
    fn of(written: &str) -> Self {
        match written.parse::<f64>() {
            _ if written.is_empty() => Self::Missing,
            Ok(number) if number.is_finite() => {
                // The bits of a number, so that smaller ones come first.
                let bits = (number + 0.0).to_bits() as i64;
                Self::Number(if bits < 0 { i64::MIN ^ !bits } else { bits })
            }
            _ => {
                let mut bytes = written.as_bytes().to_vec();
                bytes.push(0);
                Self::Text(bytes)
            }
        }
    }

    fn reversed(self) -> Self {
        match self {
            Self::Number(number) => Self::Number(!number),
            Self::Text(bytes) => Self::Text(bytes.into_iter().map(|byte| !byte).collect()),
            Self::Missing => Self::Missing,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_in_their_order() {
        let written = ["-10", "-1.5", "0", "2", "10", "a", "ab", "b", ""];
        let up: Vec<Value> = written.iter().map(|it| Value::of(it)).collect();
        assert!(up.is_sorted(), "{up:?}");
        let down: Vec<Value> = ["10", "2", "0", "-1.5", "-10", "b", "ab", "a", ""]
            .iter()
            .map(|it| Value::of(it).reversed())
            .collect();
        assert!(down.is_sorted(), "{down:?}");
    }
}
