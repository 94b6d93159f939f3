//! What agreement says: Fellegi and Sunter's model, learnt without labels.
//!
//! Each field of a pair is in a level of agreement. How often matches are in each level (`m`) is learnt by expectation
//! maximisation over the candidates; how often others are (`u`) is counted on pairs drawn at random, of which likely matches
//! do not count. The weight of a level is the logarithm of m / u; weights add up, with that of the prior, to the log odds.
//!
//! - *Rare agreement counts more*: equal values agree by chance as often as the value is frequent among entities.
//! - *Evidence that overlaps counts once*: fields that agree together more often than by chance, as suburb and postcode
//!   do, lose what the one says about the other.
//! - Candidates are not drawn at random, but all other pairs are as good as certain not to match: the prior is the number
//!   of expected matches among all pairs.

use crate::bands::Pair;
use crate::column::{Column, MISSING};
use crate::compare::{self, NO_LEVEL};
use crate::kind::Kind;
use crate::strings::Scratch;
use serde::{Deserialize, Serialize};

/// Rounds of expectation maximisation, at the most.
const ROUNDS: usize = 60;

/// The rounds end when the expected number of matches moves by less than this share.
const SETTLED: f64 = 1e-6;

/// How many matches the assumption about levels counts for before anything is learnt.
const ASSUMED: f64 = 8.0;

/// The share of matches that is always spread as assumed: anything can be mistaken.
const ALWAYS: f64 = 0.03;

/// The last level in which a field agrees, as far as overlaps are concerned.
const AGREES: u8 = 2;

/// So many pairs drawn at random say how often a level occurs.
const ENOUGH: f64 = 20.0;

/// Beyond what was seen, each level of agreement occurs by chance at most so many times as often as the one below it.
const MOST_FALL: f64 = 0.5;

/// Pairs that agree in two fields by chance are counted with this many more, since few are ever seen.
const DOUBT: f64 = 0.1;

/// The levels of pairs: one for each field, pair after pair.
pub(crate) struct Levels {
    fields: usize,
    levels: Vec<u8>,
}

impl Levels {
    pub(crate) fn of(columns: &[Column], pairs: &[Pair]) -> Self {
        let mut scratch = Scratch::default();
        let mut levels = Vec::with_capacity(pairs.len() * columns.len());
        for &(a, b) in pairs {
            let level = |column: &Column| {
                compare::level(column, column.of[a as usize], column.of[b as usize], &mut scratch)
            };
            levels.extend(columns.iter().map(level));
        }
        Self { fields: columns.len(), levels }
    }

    /// The levels of a pair.
    pub(crate) fn at(&self, pair: usize) -> &[u8] {
        &self.levels[pair * self.fields..(pair + 1) * self.fields]
    }

    fn len(&self) -> usize {
        self.levels.len() / self.fields.max(1)
    }

    fn iter(&self) -> impl Iterator<Item = &[u8]> {
        self.levels.chunks_exact(self.fields.max(1))
    }
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
}

/// Weights, learnt from a table.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Model {
    /// The fields.
    pub fields: Vec<Field>,
    /// The log odds that two records match of which nothing is known.
    pub prior: f64,
    /// For each two fields, what the agreement of one says about the other: this much is not counted twice.
    pub overlaps: Vec<Vec<f64>>,
    /// The number of matches that are expected among the pairs that were compared.
    pub expected: f64,
    /// The rounds of learning.
    pub rounds: usize,
}

/// How often each value occurs among entities, not among records: copies of a record say nothing about chance.
pub(crate) struct Frequencies {
    /// By field and value: how many entities have it.
    counts: Vec<Vec<u32>>,
    /// By field: how many entities have a value.
    known: Vec<f64>,
    /// By field: the part of an entity that stands for those that were not seen to have a value.
    unseen: Vec<f64>,
    /// By field: the chance that two entities have the same value.
    equal: Vec<f64>,
    /// The entity of each record.
    entity: Vec<u32>,
}

impl Frequencies {
    /// The frequencies before any entity is known: every record is one.
    pub(crate) fn unknown(columns: &[Column], records: usize) -> Self {
        Self::new(columns, (0..records as u32).collect())
    }

    /// The frequencies, where `entity` says of each record which entity it describes.
    pub(crate) fn new(columns: &[Column], entity: Vec<u32>) -> Self {
        let mut order: Vec<u32> = (0..entity.len() as u32).collect();
        order.sort_by_key(|&record| (entity[record as usize], record));
        let groups: Vec<&[u32]> = order.chunk_by(|&a, &b| entity[a as usize] == entity[b as usize]).collect();
        let (mut all_counts, mut equal, mut known, mut unseen) =
            (Vec::new(), Vec::new(), Vec::new(), Vec::new());
        for column in columns {
            let mut counts = vec![0u32; column.values.len()];
            let (mut values, mut with) = (Vec::new(), 0u64);
            for group in &groups {
                values.clear();
                values.extend(
                    group.iter().map(|&record| column.of[record as usize]).filter(|&value| value != MISSING),
                );
                values.sort_unstable();
                values.dedup();
                with += u64::from(!values.is_empty());
                values.iter().for_each(|&value| counts[value as usize] += 1);
            }
            let with = with.max(2) as f64;
            let pairs: f64 =
                counts.iter().map(|&count| f64::from(count) * (f64::from(count) - 1.0) / 2.0).sum();
            // Half a pair stands for what was not seen.
            equal.push((pairs + 0.5) / (with * (with - 1.0) / 2.0));
            // The more entities share their value with others, the likelier it is that one more does.
            let shared: u64 = counts.iter().filter(|&&count| count > 1).map(|&count| u64::from(count)).sum();
            unseen.push((shared as f64 + 0.5) / (with + 1.0));
            known.push(with);
            all_counts.push(counts);
        }
        Self { counts: all_counts, known, unseen, equal, entity }
    }

    /// The chance that an entity has the value that two records share, as others say that are not in this pair.
    fn share(&self, field: usize, value: u32, (a, b): Pair) -> f64 {
        let own = if self.entity[a as usize] == self.entity[b as usize] { 1 } else { 2 };
        let others = f64::from(self.counts[field][value as usize].saturating_sub(own));
        (others + self.unseen[field]) / self.known[field]
    }
}

/// Pairs that are known, or believed, not to match, of so many in all: how often fields agree together by chance.
pub(crate) struct Apart<'a> {
    pub(crate) levels: &'a Levels,
    /// The probability that each does not match; all are certain if it is empty.
    pub(crate) certainty: Vec<f64>,
    pub(crate) all_pairs: f64,
}

impl Apart<'_> {
    /// What the agreement of one field says about that of another, for each two: the logarithm of how much more often both
    /// agree than by chance.
    fn overlaps(&self, fields: &[Field]) -> Vec<Vec<f64>> {
        let count = fields.len();
        let mut together = vec![vec![0.0; count]; count];
        for (at, levels) in self.levels.iter().enumerate() {
            let certainty = self.certainty.get(at).copied().unwrap_or(1.0);
            for one in 0..count {
                for other in one + 1..count {
                    if levels[one] <= AGREES && levels[other] <= AGREES {
                        together[one][other] += certainty;
                    }
                }
            }
        }
        let alone: Vec<f64> =
            fields.iter().map(|field| field.others[..=usize::from(AGREES)].iter().sum()).collect();
        let mut overlaps = vec![vec![0.0; count]; count];
        for one in 0..count {
            for other in one + 1..count {
                let expected = alone[one] * alone[other] * self.all_pairs;
                let overlap = ((together[one][other] + DOUBT) / (expected + DOUBT)).ln().max(0.0);
                (overlaps[one][other], overlaps[other][one]) = (overlap, overlap);
            }
        }
        overlaps
    }
}

impl Model {
    /// Before anything is learnt: matches mostly agree.
    fn assumed(columns: &[Column]) -> Self {
        let fields = columns.iter().map(|column| {
            let mut levels = vec![1.0];
            levels.extend(compare::thresholds(column.kind));
            levels.push(0.0);
            let matches = assumed(levels.len());
            let others = vec![1.0 / levels.len() as f64; levels.len()];
            let weights = vec![0.0; levels.len()];
            Field { name: column.name.clone(), kind: column.kind, levels, matches, others, weights }
        });
        let count = columns.len();
        Self {
            fields: fields.collect(),
            prior: 0.0,
            overlaps: vec![vec![0.0; count]; count],
            expected: 0.0,
            rounds: 0,
        }
    }

    /// Learns from candidates, of so many pairs in all, and from pairs drawn at random.
    pub(crate) fn learn(
        columns: &[Column],
        (candidates, levels): (&[Pair], &Levels),
        (random, chance): (&[Pair], &Levels),
        frequencies: &Frequencies,
        all_pairs: f64,
        begin: Option<(&Self, Apart<'_>)>,
    ) -> Self {
        let mut model = match &begin {
            Some((begin, apart)) => {
                let overlaps = apart.overlaps(&begin.fields);
                Self { overlaps, ..(*begin).clone() }
            }
            None => Self::assumed(columns),
        };
        if begin.is_none() {
            // As many matches as there are records, at the most one in two candidates.
            let records = columns.first().map_or(0, |column| column.of.len()) as f64;
            model.set_prior((records / 4.0).min(candidates.len() as f64 / 2.0).max(1.0), all_pairs);
        }
        // Of the pairs drawn at random, those that the last pass took for matches do not count.
        let of_random = match begin {
            Some(_) => model.probabilities(columns, random, chance, frequencies),
            None => vec![0.0; random.len()],
        };
        let at_first = match begin {
            Some(_) => model.probabilities(columns, candidates, levels, frequencies),
            None => vec![0.0; candidates.len()],
        };
        model.count_others((chance, &of_random), (levels, &at_first), frequencies, all_pairs);
        for round in 1..=ROUNDS {
            let of_candidates = model.probabilities(columns, candidates, levels, frequencies);
            model.count_matches(levels, &of_candidates);
            model.count_others((chance, &of_random), (levels, &of_candidates), frequencies, all_pairs);
            let expected: f64 = of_candidates.iter().sum();
            let moved = (expected - model.expected).abs();
            model.set_prior(expected.max(0.5), all_pairs);
            model.rounds = round;
            if moved <= SETTLED * expected {
                break;
            }
        }
        model
    }

    fn set_prior(&mut self, expected: f64, all_pairs: f64) {
        self.expected = expected;
        self.prior = (expected / (all_pairs - expected).max(1.0)).ln();
    }

    /// How often matches are in each level, where each pair is a match with its probability.
    fn count_matches(&mut self, levels: &Levels, probabilities: &[f64]) {
        let mut counts: Vec<Vec<f64>> =
            self.fields.iter().map(|field| vec![0.0; field.levels.len()]).collect();
        for (levels, probability) in levels.iter().zip(probabilities) {
            for (counts, &level) in counts.iter_mut().zip(levels) {
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

    /// How often other pairs are in each level. Where pairs drawn at random say little, because few of them agree so much,
    /// the candidates say it: nearly all pairs that agree so much are among them.
    fn count_others(
        &mut self,
        (chance, of_random): (&Levels, &[f64]),
        (levels, of_candidates): (&Levels, &[f64]),
        frequencies: &Frequencies,
        all_pairs: f64,
    ) {
        let empty =
            || -> Vec<Vec<f64>> { self.fields.iter().map(|field| vec![0.0; field.levels.len()]).collect() };
        let count = |levels: &Levels, probabilities: &[f64]| {
            let mut counts = empty();
            for (levels, probability) in levels.iter().zip(probabilities) {
                for (counts, &level) in counts.iter_mut().zip(levels) {
                    if level != NO_LEVEL {
                        counts[usize::from(level)] += 1.0 - probability;
                    }
                }
            }
            counts
        };
        let (drawn, found) = (count(chance, of_random), count(levels, of_candidates));
        for (at, field) in self.fields.iter_mut().enumerate() {
            let (drawn, found) = (&drawn[at], &found[at]);
            let known = drawn.iter().sum::<f64>() + 0.5;
            let pairs = all_pairs * known / chance.len().max(1) as f64;
            let mut shares = vec![0.0; drawn.len()];
            for level in (0..drawn.len()).rev() {
                shares[level] = match level {
                    0 => frequencies.equal[at],
                    _ if drawn[level] >= ENOUGH => drawn[level] / known,
                    _ => {
                        // Chance does not grow with agreement: it goes on to fall as it does before.
                        let falls = match shares.get(level + 1..) {
                            Some([one, two, ..]) if *two > 0.0 => (one / two).min(MOST_FALL) * one,
                            Some([one]) => *one,
                            _ => 1.0,
                        };
                        ((found[level] + 0.5) / pairs.max(1.0)).min(falls).max(0.05 / pairs.max(1.0))
                    }
                };
            }
            let all: f64 = shares.iter().sum();
            field.others = shares.iter().map(|share| share / all.max(1e-12)).collect();
            field.set_weights();
        }
    }

    /// The probability that each pair is a match.
    pub(crate) fn probabilities(
        &self,
        columns: &[Column],
        pairs: &[Pair],
        levels: &Levels,
        frequencies: &Frequencies,
    ) -> Vec<f64> {
        let weights = pairs.iter().zip(levels.iter()).map(|(pair, levels)| {
            let odds = self.prior + self.weights(columns, *pair, levels, frequencies).iter().sum::<f64>();
            1.0 / (1.0 + (-odds).exp())
        });
        weights.collect()
    }

    /// The weight of each field of a pair, less what other fields have said already.
    pub(crate) fn weights(
        &self,
        columns: &[Column],
        pair: Pair,
        levels: &[u8],
        frequencies: &Frequencies,
    ) -> Vec<f64> {
        let mut weights: Vec<f64> = Vec::with_capacity(levels.len());
        for (at, (field, &level)) in self.fields.iter().zip(levels).enumerate() {
            let weight = match level {
                NO_LEVEL => 0.0,
                0 => {
                    let share = frequencies.share(at, columns[at].of[pair.0 as usize], pair);
                    (field.matches[0] / share).ln()
                }
                level => field.weights[usize::from(level)],
            };
            let said = weights.iter().zip(&self.overlaps[at]).filter(|(other, _)| **other > 0.0);
            let said = said.map(|(_, overlap)| *overlap).fold(0.0, f64::max);
            weights.push(if weight > 0.0 { (weight - said).max(0.0) } else { weight });
        }
        weights
    }
}

impl Field {
    /// The weights of the levels. A lower level never weighs more than a higher one: levels for which the counts say so are
    /// taken together.
    fn set_weights(&mut self) {
        let mut pools: Vec<(f64, f64, usize)> = Vec::new();
        for (m, u) in self.matches.iter().zip(&self.others) {
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
        self.weights = pools
            .iter()
            .flat_map(|&(m, u, levels)| std::iter::repeat_n((m / u.max(1e-12)).ln(), levels))
            .collect();
    }
}

/// How matches are spread over levels before anything is learnt: the higher, the more, and some anywhere.
fn assumed(levels: usize) -> Vec<f64> {
    let falling: Vec<f64> = (0..levels).map(|level| 0.5f64.powi(level as i32)).collect();
    let sum: f64 = falling.iter().sum();
    falling.into_iter().map(|share| 0.7 * share / sum + 0.3 / levels as f64).collect()
}
