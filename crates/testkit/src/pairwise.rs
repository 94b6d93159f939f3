//! The options of a run -> few runs in which every two values of two options meet.
//!
//! All combinations would be some hundred thousand runs. Most mistakes need two values at once (containment and little memory, a preferred
//! source and components), so the sample has each such pair at least once: rows are drawn from a seed, and of many the one that has most
//! pairs that are still missing is taken, until none is missing.

use lookalike::hashing::SplitMix64;
use std::collections::BTreeSet;

/// An option and its values.
pub type Choice = (&'static str, &'static [&'static str]);

/// Two values that may not meet.
pub type Impossible = [(&'static str, &'static str); 2];

/// What is varied.
#[derive(Debug, Clone, Copy)]
pub struct Options {
    /// All options.
    pub choices: &'static [Choice],
    /// Values that may not meet.
    pub impossible: &'static [Impossible],
}

/// A run: the place of the value of each option.
#[derive(Debug, Clone)]
pub struct Row {
    options: Options,
    values: Vec<usize>,
}

/// Two options, each with the place of a value.
type Pair = [(usize, usize); 2];

impl Row {
    /// The value of an option.
    #[must_use]
    pub fn get(&self, option: &str) -> &'static str {
        let choices = self.options.choices;
        let at = choices.iter().position(|(name, _)| *name == option).expect("the option is in the list");
        choices[at].1[self.values[at]]
    }

    /// As it is said when something is wrong.
    #[must_use]
    pub fn name(&self) -> String {
        let values = self.options.choices.iter().map(|(name, _)| format!("{name}={}", self.get(name)));
        values.collect::<Vec<_>>().join(" ")
    }

    fn is_possible(&self) -> bool {
        !self.options.impossible.iter().any(|[(a, x), (b, y)]| self.get(a) == *x && self.get(b) == *y)
    }

    fn pairs(&self) -> impl Iterator<Item = Pair> + '_ {
        (0..self.values.len())
            .flat_map(move |a| (0..a).map(move |b| [(b, self.values[b]), (a, self.values[a])]))
    }
}

impl Options {
    /// All pairs of values that may meet.
    fn possible_pairs(&self) -> BTreeSet<Pair> {
        let mut pairs = BTreeSet::new();
        for (a, (name, values)) in self.choices.iter().enumerate() {
            for (b, (before, others)) in self.choices[..a].iter().enumerate() {
                for (x, value) in values.iter().enumerate() {
                    for (y, other) in others.iter().enumerate() {
                        let both = [(*name, *value), (*before, *other)];
                        let impossible = |pair: &Impossible| *pair == both || *pair == [both[1], both[0]];
                        if !self.impossible.iter().any(impossible) {
                            pairs.insert([(b, y), (a, x)]);
                        }
                    }
                }
            }
        }
        pairs
    }

    /// Rows in which all pairs of values that may meet do.
    #[must_use]
    pub fn rows(&self, seed: u64) -> Vec<Row> {
        let mut random = SplitMix64::new(seed);
        let mut missing = self.possible_pairs();
        let mut rows = Vec::new();
        while let Some(&wanted) = missing.first() {
            let mut draw = || {
                let value = |(_, values): &Choice| random.below(values.len() as u64) as usize;
                let mut row = Row { options: *self, values: self.choices.iter().map(value).collect() };
                wanted.iter().for_each(|&(option, value)| row.values[option] = value);
                row
            };
            let possible = std::iter::from_fn(|| Some(draw())).take(4_000).filter(Row::is_possible).take(60);
            let best = possible.max_by_key(|row| row.pairs().filter(|pair| missing.contains(pair)).count());
            let row = best.unwrap_or_else(|| panic!("no row has {wanted:?}: say that it is impossible"));
            row.pairs().for_each(|pair| {
                missing.remove(&pair);
            });
            rows.push(row);
        }
        rows
    }

    /// Panics unless every two values of two options meet in some row, or may not meet.
    pub fn check(&self, rows: &[Row]) {
        for (a, (name, values)) in self.choices.iter().enumerate() {
            for (before, others) in &self.choices[..a] {
                for value in *values {
                    for other in *others {
                        let meet =
                            rows.iter().any(|row| row.get(name) == *value && row.get(before) == *other);
                        let pair = |pair: &Impossible| {
                            pair.contains(&(name, value)) && pair.contains(&(before, other))
                        };
                        let impossible = self.impossible.iter().any(pair);
                        assert!(meet != impossible, "{name} {value} and {before} {other}: {meet}");
                    }
                }
            }
        }
        assert!(rows.iter().all(Row::is_possible));
    }
}
