//! What agreement says: Fellegi and Sunter's model, learnt without labels.
//!
//! Each field of a pair is in a level of agreement. How often matches are in each level (`m`) is learnt by expectation
//! maximisation over the candidates; how often others are (`u`) is counted (see `chance`). The weight of a level is the
//! logarithm of m / u; weights add up, with that of the prior, to the log odds.
//!
//! - *Rare agreement counts more*: equal values agree by chance as often as the value is frequent among entities.
//! - *Evidence that overlaps counts once*: fields that agree together more often than by chance, as suburb and postcode
//!   do, lose what the one says about the other.
//! - Candidates are not drawn at random, but all other pairs are as good as certain not to match: the prior is the number
//!   of expected matches among all pairs.

use crate::bands::Pair;
use crate::chance::Counted;
use crate::column::{Column, MISSING, ValueId};
use crate::compare::{self, NO_LEVEL};
use crate::kind::Kind;
use crate::strings::Scratch;
use crate::table::ByHash;
use crate::threads::{Stopped, Work};
use crate::together::{FEW, FewValues};
use lookalike::hashing::{hash_bytes, mix64};
use serde::{Deserialize, Serialize};
use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

/// Rounds of expectation maximisation, at the most.
const ROUNDS: usize = 40;

/// The rounds end when the expected number of matches moves by less than this share.
const SETTLED: f64 = 1e-5;

/// Candidates that are learnt from, at the most; of more, a sample.
pub(crate) const LEARNT_FROM: usize = 60_000;

/// How many matches the assumption about levels counts for before anything is learnt.
const ASSUMED: f64 = 4.0;

/// The share of matches that is always spread as assumed: anything can be mistaken.
const ALWAYS: f64 = 0.01;

/// A field that says less than this share of what all others say is left out.
const LEAST_SHARE: f64 = 0.01;

/// The last level in which a field agrees, as far as overlaps are concerned.
const AGREES: u8 = 2;

/// Frequent values of a field that a model keeps, at the most.
const MOST_FREQUENT: usize = 5_000;

/// Pairs whose levels one thread finds at a time.
const CHUNK: usize = 4_096;

/// The levels of pairs: one for each field, pair after pair.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Levels {
    fields: usize,
    levels: Vec<u8>,
}

impl Levels {
    pub(crate) fn of(columns: &[Column], pairs: &[Pair], work: Work<'_>) -> Result<Self, Stopped> {
        let chunks: Vec<&[Pair]> = pairs.chunks(CHUNK).collect();
        let found = work.each(chunks.len(), |at| {
            let mut scratch = Scratch::default();
            let mut levels = Vec::with_capacity(chunks[at].len() * columns.len());
            for &(a, b) in chunks[at] {
                levels.extend(columns.iter().map(|column| {
                    compare::level(column, column.of[a as usize], column.of[b as usize], &mut scratch)
                }));
            }
            Ok(levels)
        })?;
        Ok(Self { fields: columns.len(), levels: found.concat() })
    }

    /// The levels that are written one after the other.
    pub(crate) fn of_bytes(fields: usize, levels: Vec<u8>) -> Self {
        Self { fields, levels }
    }

    /// All levels, one after the other.
    pub(crate) fn bytes(&self) -> &[u8] {
        &self.levels
    }

    /// The levels of a pair.
    pub(crate) fn at(&self, pair: usize) -> &[u8] {
        &self.levels[pair * self.fields..(pair + 1) * self.fields]
    }
}

/// Pairs that stand for others.
pub(crate) struct Sample {
    pub(crate) pairs: Vec<Pair>,
    pub(crate) levels: Levels,
    /// For how many pairs each stands.
    pub(crate) scale: f64,
}

/// What was learnt about a field.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Field {
    /// Its name.
    pub name: String,
    /// What its values are.
    pub kind: Kind,
    /// The least similarity of each level: 1 for equality, and 0 for the last.
    pub levels: Vec<f64>,
    /// How often matches are in each level.
    pub matches: Vec<f64>,
    /// How often pairs that do not match are in each level.
    pub others: Vec<f64>,
    /// The weight of each level: the natural logarithm of the ratio of the two.
    pub weights: Vec<f64>,
    /// How many entities have a value.
    pub known: f64,
    /// The part of an entity that stands for others that have the same value and were not seen.
    pub unseen: f64,
    /// How many entities have a value, for values that several have: the most frequent ones, in their normal form.
    pub frequent: BTreeMap<String, u32>,
    /// What the weights are multiplied by, since fields are not independent.
    #[serde(default = "one")]
    pub factor: f64,
    /// Two values that matches have more or less often than their level says, for a field with few values.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub together: Vec<Together>,
}

fn one() -> f64 {
    1.0
}

/// Two values of a field, in their normal form.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Together {
    /// One of them.
    pub a: String,
    /// The other one.
    pub b: String,
    /// What is added to the weight of their level.
    pub weight: f64,
}

/// Weights, learnt from a table.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Model {
    /// The fields.
    pub fields: Vec<Field>,
    /// The log odds that two records match of which nothing is known.
    pub prior: f64,
    /// What is added to the prior if records have one partner at the most and no other pair excludes this one.
    #[serde(default)]
    pub alone: f64,
    /// By field that agrees, other field and level of that one: what the one says about the other is not counted twice.
    pub overlaps: Vec<Vec<Vec<f64>>>,
    /// The number of matches that are expected among the pairs that were compared.
    pub expected: f64,
    /// The rounds of learning.
    pub rounds: usize,
}

/// A model that fits the values of a table.
pub(crate) struct Fitted<'m> {
    model: &'m Model,
    /// By field and value: the logarithm of how often another entity has it.
    shares: Cow<'m, [Vec<f32>]>,
    /// By field: what is added for two values.
    together: Vec<Cells>,
    /// The fields, those that say most first.
    order: Vec<usize>,
    /// By field that agrees and other field: the weights of the levels of the other one, if it is known that the first agrees.
    given: Vec<Vec<Vec<f64>>>,
}

/// What is added for two values of a field.
#[derive(Default)]
struct Cells {
    /// By value: its number here; [`NO_CELL`] if it has none.
    number: Vec<u16>,
    count: usize,
    added: Vec<f32>,
}

/// The number of a value of which nothing is known but its level.
const NO_CELL: u16 = u16::MAX;

impl Cells {
    fn new(field: &Field, column: &Column) -> Self {
        if field.together.is_empty() {
            return Self::default();
        }
        let mut numbers: BTreeMap<&str, u16> = BTreeMap::new();
        for name in field.together.iter().flat_map(|it| [&it.a, &it.b]) {
            let next = numbers.len().min(usize::from(NO_CELL)) as u16;
            numbers.entry(name).or_insert(next);
        }
        let count = numbers.len();
        let mut added = vec![0.0; count * count];
        for it in &field.together {
            let (a, b) = (usize::from(numbers[it.a.as_str()]), usize::from(numbers[it.b.as_str()]));
            added[a * count + b] = it.weight as f32;
            added[b * count + a] = it.weight as f32;
        }
        let number = column.texts().map(|name| numbers.get(name).copied().unwrap_or(NO_CELL));
        Self { number: number.collect(), count, added }
    }

    fn of(&self, a: ValueId, b: ValueId) -> f64 {
        if self.count == 0 {
            return 0.0;
        }
        match (self.number[a as usize], self.number[b as usize]) {
            (NO_CELL, _) | (_, NO_CELL) => 0.0,
            (a, b) => f64::from(self.added[usize::from(a) * self.count + usize::from(b)]),
        }
    }
}

impl Model {
    /// Before anything is learnt: matches mostly agree.
    pub(crate) fn assumed(columns: &[Column], counted: &Counted, records: usize, all_pairs: f64) -> Self {
        let fields = columns.iter().map(|column| {
            let mut levels = vec![1.0];
            levels.extend(compare::thresholds(column.kind));
            levels.push(0.0);
            Field {
                name: column.name.clone(),
                kind: column.kind,
                matches: assumed(levels.len()),
                others: Vec::new(),
                weights: vec![0.0; levels.len()],
                levels,
                known: 2.0,
                unseen: 1.0,
                frequent: BTreeMap::new(),
                factor: 1.0,
                together: Vec::new(),
            }
        });
        let mut model = Self {
            fields: fields.collect(),
            prior: 0.0,
            overlaps: Vec::new(),
            alone: 0.0,
            expected: 0.0,
            rounds: 0,
        };
        model.set_chance(columns, counted);
        // As many matches as one record in four has.
        model.set_prior((records as f64 / 4.0).max(1.0), all_pairs);
        model
    }

    /// Leaves out fields that say next to nothing: their weights count nothing from now on. Returns their names, and why.
    pub(crate) fn leave_out(&mut self, columns: &[Column]) -> Vec<(String, String)> {
        let says: Vec<f64> = self.fields.iter().map(|field| field.says().max(0.0)).collect();
        let all: f64 = says.iter().sum();
        let mut left_out = Vec::new();
        for ((field, column), says) in self.fields.iter_mut().zip(columns).zip(says) {
            let share = says / (all - says);
            if share < LEAST_SHARE && all > says {
                field.factor = 0.0;
                let why = format!("{} values, {:.1} % of what the others say", column.len(), 100.0 * share);
                left_out.push((field.name.clone(), why));
            }
        }
        left_out
    }

    /// Takes over what was counted of chance.
    pub(crate) fn set_chance(&mut self, columns: &[Column], counted: &Counted) {
        for (at, (field, column)) in self.fields.iter_mut().zip(columns).enumerate() {
            field.others.clone_from(&counted.others[at]);
            (field.known, field.unseen) = (counted.known[at], counted.unseen[at]);
            let mut several: Vec<(u32, u32)> = counted.entities[at]
                .iter()
                .zip(0..)
                .filter(|(e, _)| **e > 1)
                .map(|(e, value)| (*e, value))
                .collect();
            several.sort_unstable_by_key(|&(e, value)| (u32::MAX - e, value));
            several.truncate(MOST_FREQUENT);
            let name = |value: u32| column.text(value).to_owned();
            field.frequent = several.into_iter().map(|(e, value)| (name(value), e)).collect();
            field.set_weights();
        }
        self.overlaps.clone_from(&counted.overlaps);
    }

    /// Learns from candidates, of so many pairs in all. If records have one partner at the most, only the best pair of each
    /// counts: others are told from matches by that.
    pub(crate) fn learn(
        &mut self,
        columns: &[Column],
        sample: &Sample,
        few: &FewValues,
        all_pairs: f64,
        partners: Partners,
        work: Work<'_>,
    ) -> Result<(), Stopped> {
        let Sample { pairs, levels, scale } = sample;
        let shares = Fitted::shares(self, columns);
        for round in 1..=ROUNDS {
            work.go_on()?;
            let mut probabilities: Vec<f64> = {
                let fitted = Fitted::with(self, columns, Cow::Borrowed(&shares));
                fitted.probabilities(columns, pairs, levels, work)?
            };
            if partners == Partners::One {
                let records = columns.first().map_or(0, |column| column.of.len());
                keep_best(records, pairs, &mut probabilities);
            }
            self.count_matches(levels, &probabilities);
            for (at, (field, column)) in self.fields.iter_mut().zip(columns).enumerate() {
                let pairs = pairs.iter().copied().zip(probabilities.iter().copied());
                let (weights, matches) = (field.weights.clone(), field.matches[0]);
                let equal = |value| equal(matches, &weights, shares[at][value as usize]);
                few.learn(at, (field, column), pairs, equal);
            }
            let expected: f64 = scale * probabilities.iter().sum::<f64>();
            let moved = (expected - self.expected).abs();
            self.set_prior(expected.max(0.5), all_pairs);
            self.rounds = round;
            if moved <= SETTLED * expected {
                break;
            }
        }
        Ok(())
    }

    pub(crate) fn set_prior(&mut self, expected: f64, all_pairs: f64) {
        self.expected = expected;
        self.prior = (expected / (all_pairs - expected).max(1.0)).ln();
    }

    /// How often matches are in each level, where each pair is a match with its probability.
    fn count_matches(&mut self, levels: &Levels, probabilities: &[f64]) {
        let mut counts: Vec<Vec<f64>> =
            self.fields.iter().map(|field| vec![0.0; field.levels.len()]).collect();
        for (at, probability) in probabilities.iter().enumerate() {
            for (counts, &level) in counts.iter_mut().zip(levels.at(at)) {
                if level != NO_LEVEL {
                    counts[usize::from(level)] += probability;
                }
            }
        }
        for (field, counts) in self.fields.iter_mut().zip(counts) {
            let seen: f64 = counts.iter().sum();
            let believed = ASSUMED.max(ALWAYS * seen);
            let assumed = assumed(counts.len());
            let share = |(count, assumed): (&f64, f64)| (count + believed * assumed) / (seen + believed);
            field.matches = counts.iter().zip(assumed).map(share).collect();
            field.set_weights();
        }
    }

    /// What is wrong with a model that was read.
    pub(crate) fn check(&self) -> Result<(), String> {
        let count = self.fields.len();
        let mut names = BTreeSet::new();
        if let Some(twice) = self.fields.iter().find(|field| !names.insert(&field.name)) {
            return Err(format!("it has the field `{}` twice", twice.name));
        }
        let values_of = |field: &Field| -> usize {
            field.together.iter().flat_map(|it| [&it.a, &it.b]).collect::<BTreeSet<_>>().len()
        };
        if let Some(field) = self.fields.iter().find(|field| values_of(field) > FEW) {
            return Err(format!("the field `{}` has more than {FEW} values that go together", field.name));
        }
        let is_positive = |number: f64| number.is_finite() && number > 0.0;
        let is_sound = |field: &Field| {
            let levels = field.levels.len();
            levels == compare::thresholds(field.kind).len() + 2
                && [&field.matches, &field.others, &field.weights]
                    .iter()
                    .all(|list| list.len() == levels && list.iter().all(|number| number.is_finite()))
                && field.matches.iter().all(|share| *share > 0.0)
                && field.others.iter().all(|share| *share >= 0.0)
                && field.levels.iter().all(|level| level.is_finite())
                && is_positive(field.known)
                && is_positive(field.unseen)
                && (0.0..1e3).contains(&field.factor)
                && field.together.iter().all(|it| it.weight.is_finite())
        };
        if let Some(field) = self.fields.iter().find(|field| !is_sound(field)) {
            return Err(format!(
                "the levels of the field `{}` are not those of its type, or its numbers are out of range",
                field.name
            ));
        }
        let fits = |row: &Vec<Vec<f64>>| {
            row.len() == count
                && row.iter().zip(&self.fields).all(|(list, field)| {
                    list.len() == field.levels.len() && list.iter().all(|number| number.is_finite())
                })
        };
        if self.overlaps.len() != count
            || !self.overlaps.iter().all(fits)
            || !(self.prior + self.alone).is_finite()
            || !self.expected.is_finite()
        {
            return Err("its numbers do not fit its fields".into());
        }
        Ok(())
    }
}

impl<'m> Fitted<'m> {
    /// By field and value: the logarithm of how often another entity has it.
    fn shares(model: &Model, columns: &[Column]) -> Vec<Vec<f32>> {
        let shares = model.fields.iter().zip(columns).map(|(field, column)| {
            let share = |entities: u32| field.share(entities);
            let alone = share(1);
            let mut shares = vec![alone; column.len()];
            if !field.frequent.is_empty() {
                let hash = |name: &str| hash_bytes(name.as_bytes());
                let by_hash: ByHash<(&str, f32)> = field
                    .frequent
                    .iter()
                    .map(|(name, &entities)| (hash(name), (name.as_str(), share(entities))))
                    .collect();
                for (name, into) in column.texts().zip(&mut shares) {
                    if let Some((_, share)) = by_hash.get(&hash(name)).filter(|(known, _)| *known == name) {
                        *into = *share;
                    }
                }
            }
            shares
        });
        shares.collect()
    }

    pub(crate) fn new(model: &'m Model, columns: &[Column]) -> Self {
        Self::with(model, columns, Cow::Owned(Self::shares(model, columns)))
    }

    /// With shares that are known: they change with chance only.
    fn with(model: &'m Model, columns: &[Column], shares: Cow<'m, [Vec<f32>]>) -> Self {
        let together = model.fields.iter().zip(columns).map(|(field, column)| Cells::new(field, column));
        let mut order: Vec<usize> = (0..model.fields.len()).collect();
        order.sort_by(|&a, &b| {
            let (one, other) = (&model.fields[a], &model.fields[b]);
            other.says().total_cmp(&one.says()).then_with(|| one.name.cmp(&other.name))
        });
        let given = |overlaps: &Vec<Vec<f64>>| -> Vec<Vec<f64>> {
            let of = |(field, overlap): (&Field, &Vec<f64>)| {
                let others = field.others.iter().zip(overlap).map(|(share, overlap)| share * overlap.exp());
                pooled(&field.matches, &others.collect::<Vec<f64>>())
            };
            model.fields.iter().zip(overlaps).map(of).collect()
        };
        let given = model.overlaps.iter().map(given).collect();
        Self { model, shares, together: together.collect(), order, given }
    }

    /// The weight of each field of a pair, less what other fields have said already.
    pub(crate) fn weights(&self, columns: &[Column], (a, b): Pair, levels: &[u8], weights: &mut Vec<f64>) {
        weights.clear();
        weights.resize(levels.len(), 0.0);
        for (rank, &at) in self.order.iter().enumerate() {
            let field = &self.model.fields[at];
            let level = levels[at];
            let weight = match level {
                NO_LEVEL => continue,
                0 => {
                    let value = columns[at].of[a as usize];
                    debug_assert!(value != MISSING && value == columns[at].of[b as usize]);
                    equal(field.matches[0], &field.weights, self.shares[at][value as usize])
                }
                level => field.weights[usize::from(level)],
            };
            let weight =
                weight + self.together[at].of(columns[at].of[a as usize], columns[at].of[b as usize]);
            weights[at] = weight;
            if weight > 0.0 {
                let agreeing = self.order[..rank]
                    .iter()
                    .filter(|&&other| levels[other] <= AGREES && weights[other] > 0.0);
                let less = |&other: &usize| {
                    field.weights[usize::from(level)] - self.given[other][at][usize::from(level)]
                };
                let said = agreeing.map(less).fold(0.0, f64::max);
                weights[at] = (weight - said).max(0.0);
            }
        }
        weights.iter_mut().zip(&self.model.fields).for_each(|(weight, field)| *weight *= field.factor);
    }

    /// The probability that a pair is a match.
    pub(crate) fn probability(
        &self,
        columns: &[Column],
        pair: Pair,
        levels: &[u8],
        buffer: &mut Vec<f64>,
    ) -> f64 {
        self.weights(columns, pair, levels, buffer);
        probability(self.model.prior + buffer.iter().sum::<f64>())
    }

    /// The probability of each pair.
    pub(crate) fn probabilities(
        &self,
        columns: &[Column],
        pairs: &[Pair],
        levels: &Levels,
        work: Work<'_>,
    ) -> Result<Vec<f64>, Stopped> {
        let chunks = pairs.len().div_ceil(CHUNK);
        let found = work.each(chunks, |chunk| {
            let mut buffer = Vec::new();
            let these = chunk * CHUNK..((chunk + 1) * CHUNK).min(pairs.len());
            let these = these.map(|at| self.probability(columns, pairs[at], levels.at(at), &mut buffer));
            Ok(these.collect::<Vec<f64>>())
        })?;
        Ok(found.concat())
    }
}

/// About so many pairs, or all: all pairs of which a record is the first, or none.
pub(crate) fn sampled(pairs: &[Pair], most: usize) -> impl Iterator<Item = Pair> {
    let step = pairs.len().div_ceil(most).max(1) as u64;
    pairs.iter().copied().filter(move |pair| step == 1 || mix64(u64::from(pair.0)).is_multiple_of(step))
}

/// How many partners a record has, as far as learning is concerned.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Partners {
    /// One at the most: two tables are linked, and neither has copies of its own.
    One,
    /// Any number.
    Any,
}

/// Leaves of each record its most probable pair.
fn keep_best(records: usize, pairs: &[Pair], probabilities: &mut [f64]) {
    let mut best = vec![0.0f64; records];
    for (&(a, b), &probability) in pairs.iter().zip(probabilities.iter()) {
        for record in [a, b] {
            best[record as usize] = best[record as usize].max(probability);
        }
    }
    for (&(a, b), probability) in pairs.iter().zip(probabilities) {
        if *probability < best[a as usize].max(best[b as usize]) {
            *probability = 0.0;
        }
    }
}

/// The weight of an equal value: never less than that of a level that agrees less.
fn equal(matches: f64, weights: &[f64], share: f32) -> f64 {
    let least = weights.get(1).copied().unwrap_or(0.0).min(0.0);
    (matches.ln() - f64::from(share)).max(least)
}

/// The probability of log odds.
pub(crate) fn probability(odds: f64) -> f64 {
    1.0 / (1.0 + (-odds).exp())
}

impl Field {
    /// The weights of equal values, but for the factor: of a value that nobody else has, and of the most frequent one.
    pub(crate) fn equal_weights(&self) -> [f64; 2] {
        let most = self.frequent.values().copied().max().unwrap_or(1);
        [1, most].map(|entities| equal(self.matches[0], &self.weights, self.share(entities)))
    }

    /// The logarithm of how often another entity has a value that so many entities have.
    fn share(&self, entities: u32) -> f32 {
        ((f64::from(entities.saturating_sub(1)) + self.unseen) / self.known).min(1.0).ln() as f32
    }

    /// What it says of a match, on average.
    pub(crate) fn says(&self) -> f64 {
        self.matches.iter().zip(&self.weights).map(|(m, w)| m * w).sum()
    }

    fn set_weights(&mut self) {
        self.weights = pooled(&self.matches, &self.others);
    }
}

/// The weights of levels. A lower level never weighs more than a higher one: levels for which the counts say so are taken
/// together.
fn pooled(matches: &[f64], others: &[f64]) -> Vec<f64> {
    let mut pools: Vec<(f64, f64, usize)> = Vec::new();
    for (m, u) in matches.iter().zip(others) {
        pools.push((*m, *u, 1));
        while let [.., (m, u, _), (n, v, _)] = pools[..]
            && n * u > m * v
        {
            let (n, v, levels) = pools.pop().unwrap_or_default();
            if let Some(last) = pools.last_mut() {
                *last = (last.0 + n, last.1 + v, last.2 + levels);
            }
        }
    }
    let weights = |&(m, u, levels): &(f64, f64, usize)| std::iter::repeat_n((m / u.max(1e-12)).ln(), levels);
    pools.iter().flat_map(weights).collect()
}

/// How matches are spread over levels before anything is learnt: the higher, the more, and some anywhere.
fn assumed(levels: usize) -> Vec<f64> {
    let falling: Vec<f64> = (0..levels).map(|level| 0.5f64.powi(level as i32)).collect();
    let sum: f64 = falling.iter().sum();
    falling.into_iter().map(|share| 0.7 * share / sum + 0.3 / levels as f64).collect()
}
