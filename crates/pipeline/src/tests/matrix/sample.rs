//! The options of a run -> few runs in which every two values of two options meet.
//!
//! All combinations would be some hundred thousand runs. Most mistakes need two values at once (containment and little memory, a preferred
//! source and components), so the sample has each such pair at least once: rows are drawn from a seed, and of many the one that has most
//! pairs that are still missing is taken, until none is missing.

use lookalike::hashing::SplitMix64;
use std::collections::BTreeSet;

/// An option and its values.
pub(super) type Option = (&'static str, &'static [&'static str]);

/// Everything that is varied. The last three may not change the answer.
pub(super) const OPTIONS: &[Option] = &[
    ("corpus", &["planted", "templates", "slots", "edges"]),
    ("finds", &["minhash", "containment", "simhash"]),
    ("verify", &["exact", "estimate", "none"]),
    ("keep", &["first", "longest", "max:score", "min:score"]),
    ("prefer", &["", "*part-001.jsonl", "*part-002.jsonl,*part-001.jsonl"]),
    ("within", &["", "domain"]),
    ("elements", &["set", "bag"]),
    ("clusters", &["stars", "components"]),
    ("against", &["none", "some", "only"]),
    ("bad", &["skip", "keep"]),
    ("threshold", &["0.5", "0.8", "1"]),
    ("max-text", &["16777216", "500"]),
    ("asks", &["dedup", "pairs"]),
    ("memory", &["plenty", "tiny"]),
    ("threads", &["1", "2", "3", "4"]),
];

/// Two values that the command refuses together, or that mean nothing together.
const IMPOSSIBLE: &[[(&str, &str); 2]] = &[
    [("finds", "containment"), ("verify", "estimate")],
    [("finds", "containment"), ("verify", "none")],
    [("finds", "containment"), ("keep", "longest")],
    [("finds", "containment"), ("keep", "max:score")],
    [("finds", "containment"), ("keep", "min:score")],
    // Pairs are symmetric: nobody is kept.
    [("asks", "pairs"), ("keep", "longest")],
    [("asks", "pairs"), ("keep", "max:score")],
    [("asks", "pairs"), ("keep", "min:score")],
    [("asks", "pairs"), ("prefer", "*part-001.jsonl")],
    [("asks", "pairs"), ("prefer", "*part-002.jsonl,*part-001.jsonl")],
    [("asks", "pairs"), ("clusters", "components")],
    [("asks", "pairs"), ("against", "some")],
    [("asks", "pairs"), ("against", "only")],
];

/// A run: the place of the value of each option.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Row(Vec<usize>);

impl Row {
    /// The value of an option.
    pub(super) fn get(&self, option: &str) -> &'static str {
        let at = OPTIONS.iter().position(|(name, _)| *name == option).expect("the option is in the list");
        OPTIONS[at].1[self.0[at]]
    }

    /// As it is said when something is wrong.
    pub(super) fn name(&self) -> String {
        let values = OPTIONS.iter().map(|(name, _)| format!("{name}={}", self.get(name)));
        values.collect::<Vec<_>>().join(" ")
    }

    fn is_possible(&self) -> bool {
        !IMPOSSIBLE.iter().any(|[(a, x), (b, y)]| self.get(a) == *x && self.get(b) == *y)
    }

    fn pairs(&self) -> impl Iterator<Item = Pair> + '_ {
        (0..OPTIONS.len()).flat_map(move |a| (0..a).map(move |b| [(b, self.0[b]), (a, self.0[a])]))
    }
}

/// Two options, each with the place of a value.
type Pair = [(usize, usize); 2];

/// All pairs of values that may meet.
fn possible_pairs() -> BTreeSet<Pair> {
    let mut pairs = BTreeSet::new();
    for (a, (name, values)) in OPTIONS.iter().enumerate() {
        for (b, (before, others)) in OPTIONS[..a].iter().enumerate() {
            for (x, value) in values.iter().enumerate() {
                for (y, other) in others.iter().enumerate() {
                    let both = [(*name, *value), (*before, *other)];
                    let impossible = |pair: &[(&str, &str); 2]| *pair == both || *pair == [both[1], both[0]];
                    if !IMPOSSIBLE.iter().any(impossible) {
                        pairs.insert([(b, y), (a, x)]);
                    }
                }
            }
        }
    }
    pairs
}

/// Rows in which all pairs of values that may meet do.
pub(super) fn rows(seed: u64) -> Vec<Row> {
    let mut random = SplitMix64::new(seed);
    let mut missing = possible_pairs();
    let mut rows = Vec::new();
    while let Some(&wanted) = missing.first() {
        let mut draw = || {
            let mut row =
                Row(OPTIONS.iter().map(|(_, values)| random.below(values.len() as u64) as usize).collect());
            wanted.iter().for_each(|&(option, value)| row.0[option] = value);
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

#[test]
fn every_two_values_of_two_options_meet_in_some_run() {
    for seed in super::SEEDS {
        let rows = rows(seed);
        assert!(rows.len() < 60, "{} runs are more than a test should take", rows.len());
        for (a, (name, values)) in OPTIONS.iter().enumerate() {
            for (before, others) in &OPTIONS[..a] {
                for value in *values {
                    for other in *others {
                        let meet =
                            rows.iter().any(|row| row.get(name) == *value && row.get(before) == *other);
                        let impossible = IMPOSSIBLE
                            .iter()
                            .any(|pair| pair.contains(&(name, value)) && pair.contains(&(before, other)));
                        assert!(meet != impossible, "{name} {value} and {before} {other}: {meet}");
                    }
                }
            }
        }
        assert!(rows.iter().all(Row::is_possible));
    }
}
