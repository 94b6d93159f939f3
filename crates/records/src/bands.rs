//! Records -> pairs that are worth comparing.
//!
//! A *row* is something in which two records of one entity may agree: a value, its beginning or end, a min-hash of its
//! shingles, a rare word. A *band* is one or two rows that must agree together. Records that share the key of a band are
//! compared. Which bands there are follows from the data: those that find the most pairs that look like matches, at the
//! fewest comparisons.

use crate::column::{Column, MISSING};
use crate::kind::Kind;
use lookalike::hashing::{SplitMix64, hash_bytes};
use serde::{Deserialize, Serialize};
use std::collections::HashMap;

/// The records of the two tables; one table has all on the same side.
pub(crate) type Side = u8;

/// The key of a value, from its letters and its shingles; `None` if it has none.
type KeyOf<'k> = dyn Fn(&[char], &[u32]) -> Option<u64> + 'k;

/// Two records, the smaller number first.
pub(crate) type Pair = (u32, u32);

/// How many of the rarest words of a record are rows.
const RARE_WORDS: usize = 5;

/// Records with one key, at the most; more share something that says little.
const MOST_IN_BLOCK: usize = 100;

/// Costs are counted on so many records, and extrapolated.
const COUNTED: usize = 20_000;

/// A pair should be found by so many bands, so that those that differ in what was not seen are found too.
const DEPTH: usize = 3;

/// Something in which two records may agree.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", tag = "row", content = "field")]
pub enum Row {
    /// A whole value.
    Value(String),
    /// The first four letters of a value.
    First(String),
    /// The last four letters of a value.
    Last(String),
    /// The least hash of the three-letter shingles of a value.
    MinHash(String),
    /// The least hash of the three-letter shingles of a value, by another hash function.
    MinHash2(String),
    /// A rare word of the record.
    RareWord,
    /// Two rare words of the record.
    RareWords,
}

impl std::fmt::Display for Row {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Value(field) => write!(f, "{field}"),
            Self::First(field) => write!(f, "the beginning of {field}"),
            Self::Last(field) => write!(f, "the end of {field}"),
            Self::MinHash(field) => write!(f, "a shingle of {field}"),
            Self::MinHash2(field) => write!(f, "another shingle of {field}"),
            Self::RareWord => write!(f, "a rare word"),
            Self::RareWords => write!(f, "two rare words"),
        }
    }
}

/// Rows that must agree together.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Band {
    /// The rows.
    pub rows: Vec<Row>,
}

impl std::fmt::Display for Band {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let rows: Vec<String> = self.rows.iter().map(Row::to_string).collect();
        write!(f, "{}", rows.join(" and "))
    }
}

/// The keys of all records in all rows.
#[derive(Debug)]
pub(crate) struct Rows {
    rows: Vec<Row>,
    /// The column of each row; rows of the whole record have none.
    columns: Vec<Option<usize>>,
    /// The keys of each record in each row: where they end in `keys`.
    ends: Vec<Vec<u32>>,
    keys: Vec<Vec<u64>>,
    sides: Vec<Side>,
    compared: Compared,
}

/// Which records are compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Compared {
    /// All with each other.
    All,
    /// Those of different sides.
    Across,
    /// Those of the same side.
    Within,
}

impl Rows {
    /// The rows of these columns.
    pub(crate) fn new(columns: &[Column], sides: Vec<Side>, compared: Compared) -> Self {
        let mut rows = Self {
            rows: Vec::new(),
            columns: Vec::new(),
            ends: Vec::new(),
            keys: Vec::new(),
            sides,
            compared,
        };
        for (at, column) in columns.iter().enumerate() {
            let name = || column.name.clone();
            let mut add = |row: Row, key: &KeyOf<'_>| {
                let of_value = |value: &crate::column::Value| {
                    let solid: Vec<char> = value.letters.iter().copied().filter(|c| *c != ' ').collect();
                    key(&solid, &value.grams)
                };
                let keys: Vec<Option<u64>> = column.values.iter().map(of_value).collect();
                let of_record = |id: &u32| (*id != MISSING).then(|| keys[*id as usize]).flatten();
                rows.push(row, Some(at), column.of.iter().map(|id| of_record(id).into_iter().collect()));
            };
            add(Row::Value(name()), &|letters, _| Some(hash(letters)));
            if column.kind == Kind::Category {
                continue;
            }
            add(Row::First(name()), &|letters, _| letters.get(..4).map(hash));
            add(Row::Last(name()), &|letters, _| {
                letters.len().checked_sub(4).map(|from| hash(&letters[from..]))
            });
            if matches!(column.kind, Kind::Name | Kind::Text | Kind::Address | Kind::Place) {
                for (row, salt) in [(Row::MinHash(name()), 1u64), (Row::MinHash2(name()), 2)] {
                    let least = move |grams: &[u32]| {
                        grams.iter().map(|&gram| mixed(u64::from(gram) << 2 | salt)).min()
                    };
                    add(row, &move |_, grams| least(grams));
                }
            }
        }
        rows.add_words(columns);
        rows
    }

    fn push(&mut self, row: Row, column: Option<usize>, of_records: impl Iterator<Item = Vec<u64>>) {
        let (mut ends, mut keys) = (Vec::new(), Vec::new());
        for of_record in of_records {
            keys.extend(of_record);
            ends.push(keys.len() as u32);
        }
        self.rows.push(row);
        self.columns.push(column);
        self.ends.push(ends);
        self.keys.push(keys);
    }

    /// The rows of rare words, wherever in the record they stand.
    fn add_words(&mut self, columns: &[Column]) {
        let count = self.sides.len();
        let words: Vec<Vec<u64>> = (0..count)
            .map(|record| {
                let of = |column: &Column| -> Vec<u64> {
                    let value = column.value(record);
                    let tokens = value.into_iter().flat_map(|value| &value.tokens);
                    let long = tokens.filter(|&&token| column.tokens[token as usize].letters.len() > 2);
                    long.map(|&token| column.tokens[token as usize].hash).collect()
                };
                let mut words: Vec<u64> = columns.iter().flat_map(of).collect();
                words.sort_unstable();
                words.dedup();
                words
            })
            .collect();
        let mut counts: HashMap<u64, u32> = HashMap::new();
        words.iter().flatten().for_each(|word| *counts.entry(*word).or_default() += 1);
        let rare: Vec<Vec<u64>> = words
            .into_iter()
            .map(|mut words| {
                // A word that no other record has finds nothing.
                words.retain(|word| counts[word] > 1);
                words.sort_by_key(|word| (counts[word], *word));
                words.truncate(RARE_WORDS);
                words
            })
            .collect();
        let two = |words: &Vec<u64>| -> Vec<u64> {
            let pairs =
                words.iter().enumerate().flat_map(|(at, a)| words[at + 1..].iter().map(move |b| (a, b)));
            pairs.map(|(a, b)| mixed(a.min(b) ^ mixed(*a.max(b)))).collect()
        };
        self.push(Row::RareWords, None, rare.iter().map(two));
        self.push(Row::RareWord, None, rare.into_iter());
    }

    fn of(&self, row: usize, record: usize) -> &[u64] {
        let start = record.checked_sub(1).map_or(0, |before| self.ends[row][before]);
        &self.keys[row][start as usize..self.ends[row][record] as usize]
    }

    fn keys(&self, band: &[usize], record: usize, into: &mut Vec<u64>) {
        into.clear();
        match *band {
            [one] => into.extend_from_slice(self.of(one, record)),
            [one, other] => {
                for a in self.of(one, record) {
                    into.extend(self.of(other, record).iter().map(|b| mixed(a.rotate_left(1) ^ mixed(*b))));
                }
            }
            _ => {}
        }
    }

    /// True if a band finds a pair by a key that is not among those, in ascending order, that too many records have.
    fn finds(&self, band: &[usize], (a, b): Pair, large: &[u64]) -> bool {
        let shares =
            |&row: &usize| self.of(row, a as usize).iter().any(|key| self.of(row, b as usize).contains(key));
        if !band.iter().all(shares) {
            return false;
        }
        let (mut one, mut other) = (Vec::new(), Vec::new());
        self.keys(band, a as usize, &mut one);
        self.keys(band, b as usize, &mut other);
        one.iter().any(|key| other.contains(key) && large.binary_search(key).is_err())
    }

    /// The blocks of a band: records with the same key, of these records.
    fn blocks(&self, band: &[usize], records: impl Iterator<Item = u32>) -> Vec<(u64, u32)> {
        let (mut blocks, mut keys) = (Vec::new(), Vec::new());
        for record in records {
            self.keys(band, record as usize, &mut keys);
            blocks.extend(keys.iter().map(|&key| (key, record)));
        }
        blocks.sort_unstable();
        blocks
    }

    /// Adds the pairs of a band, but for blocks that are too large. Returns how many records those have.
    fn pairs(&self, band: &[usize], most: usize, pairs: &mut Vec<Pair>) -> u64 {
        let blocks = self.blocks(band, 0..self.sides.len() as u32);
        let mut left_out = 0;
        for block in blocks.chunk_by(|a, b| a.0 == b.0) {
            if block.len() > most {
                left_out += block.len() as u64;
                continue;
            }
            for (at, &(_, a)) in block.iter().enumerate() {
                let others = block[at + 1..].iter().map(|&(_, b)| b);
                let others = others.filter(|&b| b != a && self.compares(a, b));
                pairs.extend(others.map(|b| (a.min(b), a.max(b))));
            }
        }
        left_out
    }

    /// The pairs that the first look compares: records that agree in two values, or in rare words.
    pub(crate) fn first_look(&self, most_pairs: usize) -> Vec<Pair> {
        let values: Vec<usize> =
            (0..self.rows.len()).filter(|&row| matches!(self.rows[row], Row::Value(_))).collect();
        let mut bands: Vec<Vec<usize>> = Vec::new();
        for (at, &one) in values.iter().enumerate() {
            bands.extend(values[at + 1..].iter().map(|&other| vec![one, other]));
            bands.push(vec![one]);
        }
        let words = |row: &Row| matches!(row, Row::RareWord | Row::RareWords);
        bands.extend((0..self.rows.len()).filter(|&row| words(&self.rows[row])).map(|row| vec![row]));
        let mut all = Vec::new();
        for band in bands {
            self.pairs(&band, 10, &mut all);
            if all.len() > 2 * most_pairs {
                thin(&mut all, most_pairs);
            }
        }
        thin(&mut all, most_pairs);
        all.sort_unstable();
        all.dedup();
        all
    }

    /// Chooses bands that find these pairs, each with its share of them and its cost in pairs for each record.
    pub(crate) fn choose(&self, alike: &[Pair], wanted: f64, most_cost: f64) -> Vec<Chosen> {
        let count = self.sides.len();
        let step = count.div_ceil(COUNTED).max(1);
        let counted = count.div_ceil(step) as f64;
        // What a band costs, and the keys that too many records have.
        let survey = |band: &[usize]| -> (f64, Vec<u64>) {
            let blocks = self.blocks(band, (0..count as u32).step_by(step));
            let (small, large): (Vec<_>, Vec<_>) =
                blocks.chunk_by(|a, b| a.0 == b.0).partition(|block| block.len() * step <= MOST_IN_BLOCK);
            let pairs = small.into_iter().map(|block| {
                let first = block.iter().filter(|(_, record)| self.sides[*record as usize] == 0).count();
                match self.compared {
                    Compared::Across => first * (block.len() - first),
                    _ => block.len() * (block.len() - 1) / 2,
                }
            });
            let sampled = pairs.sum::<usize>() as f64;
            let cost = sampled * (count as f64 / counted).powi(2) / count as f64;
            (cost, large.into_iter().map(|block| block[0].0).collect())
        };
        let mut offered: Vec<(Vec<usize>, f64, Vec<u32>)> = Vec::new();
        for one in 0..self.rows.len() {
            let others = (one + 1..self.rows.len()).filter(|&other| self.columns[other] != self.columns[one]);
            for band in std::iter::once(vec![one]).chain(others.map(|other| vec![one, other])) {
                let mut found: Vec<u32> = (0..alike.len() as u32)
                    .filter(|&at| self.finds(&band, alike[at as usize], &[]))
                    .collect();
                // A band that finds little costs more to look at than it is worth.
                if found.len() * 50 > alike.len() {
                    let (cost, large) = survey(&band);
                    found.retain(|&at| self.finds(&band, alike[at as usize], &large));
                    offered.push((band, cost, found));
                }
            }
        }
        let (mut chosen, mut spent, mut times) = (Vec::<Chosen>::new(), 0.0, vec![0u8; alike.len()]);
        let gain = |found: &[u32], times: &[u8]| -> f64 {
            // To be found for the first time counts most.
            found
                .iter()
                .map(|&at| [1.0, 0.3, 0.1].get(usize::from(times[at as usize])).copied().unwrap_or(0.0))
                .sum()
        };
        loop {
            let once = times.iter().filter(|&&times| times > 0).count() as f64;
            let deep = times.iter().filter(|&&times| usize::from(times) >= DEPTH).count() as f64;
            if alike.is_empty()
                || (once >= 0.9999 * alike.len() as f64 && deep >= wanted * alike.len() as f64)
            {
                break;
            }
            let worth = |(_, cost, found): &(Vec<usize>, f64, Vec<u32>)| {
                gain(found, &times) / alike.len() as f64 / (cost + 0.05)
            };
            let affordable = offered.iter().enumerate().filter(|(_, offer)| spent + offer.1 <= most_cost);
            let best = affordable.map(|(at, offer)| (at, worth(offer)));
            let Some((at, worth)) = best.max_by(|(i, a), (j, b)| a.total_cmp(b).then(j.cmp(i))) else {
                break;
            };
            if worth <= 0.0 {
                break;
            }
            let (band, cost, found) = offered.swap_remove(at);
            found.iter().for_each(|&at| times[at as usize] = times[at as usize].saturating_add(1));
            spent += cost;
            let rows = band.iter().map(|&row| self.rows[row].clone()).collect();
            let finds = found.len() as f64 / alike.len() as f64;
            chosen.push(Chosen { band: Band { rows }, at: band, finds, cost });
        }
        chosen
    }

    /// The pairs of the chosen bands, and how many records in blocks that are too large were left out.
    pub(crate) fn candidates(&self, chosen: &[Chosen]) -> (Vec<Pair>, u64) {
        let (mut pairs, mut left_out) = (Vec::new(), 0);
        for band in chosen {
            left_out += self.pairs(&band.at, MOST_IN_BLOCK, &mut pairs);
        }
        pairs.sort_unstable();
        pairs.dedup();
        (pairs, left_out)
    }

    /// Pairs that are drawn at random, for how often records agree by chance.
    pub(crate) fn random(&self, wanted: usize) -> Vec<Pair> {
        let count = self.sides.len() as u64;
        let mut random = SplitMix64::new(7);
        let mut pairs = Vec::new();
        if self.all_pairs() < 1.0 {
            return pairs;
        }
        let of_side = |side: Side| -> Vec<u32> {
            (0..count as u32).filter(|&record| self.sides[record as usize] == side).collect()
        };
        let across = (self.compared == Compared::Across).then(|| (of_side(0), of_side(1)));
        while pairs.len() < wanted {
            let (a, b) = match &across {
                Some((one, other)) => {
                    let mut of = |side: &[u32]| side[random.below(side.len() as u64) as usize];
                    (of(one), of(other))
                }
                None => (random.below(count) as u32, random.below(count) as u32),
            };
            if a != b && self.compares(a, b) {
                pairs.push((a.min(b), a.max(b)));
            }
        }
        pairs
    }

    /// Of how many pairs the candidates are chosen.
    pub(crate) fn all_pairs(&self) -> f64 {
        let count = self.sides.len() as f64;
        let first = self.sides.iter().filter(|&&side| side == 0).count() as f64;
        let (all, across) = (count * (count - 1.0) / 2.0, first * (count - first));
        match self.compared {
            Compared::All => all,
            Compared::Across => across,
            Compared::Within => all - across,
        }
    }

    /// The same rows, for other pairs.
    pub(crate) fn comparing(self, compared: Compared) -> Self {
        Self { compared, ..self }
    }

    fn compares(&self, a: u32, b: u32) -> bool {
        let is_same = self.sides[a as usize] == self.sides[b as usize];
        match self.compared {
            Compared::All => true,
            Compared::Across => !is_same,
            Compared::Within => is_same,
        }
    }
}

/// A band that was chosen.
#[derive(Debug, Clone)]
pub(crate) struct Chosen {
    pub(crate) band: Band,
    at: Vec<usize>,
    /// The share of the pairs that look like matches that it finds.
    pub(crate) finds: f64,
    /// Its pairs for each record.
    pub(crate) cost: f64,
}

/// Leaves at most so many different pairs, from all parts of the table.
fn thin(pairs: &mut Vec<Pair>, most: usize) {
    pairs.sort_unstable();
    pairs.dedup();
    if pairs.len() > most {
        pairs.sort_unstable_by_key(|&(a, b)| mixed(u64::from(a) << 32 | u64::from(b)));
        pairs.truncate(most);
    }
}

fn hash(letters: &[char]) -> u64 {
    let text: String = letters.iter().collect();
    hash_bytes(text.as_bytes())
}

fn mixed(x: u64) -> u64 {
    SplitMix64::new(x).next_u64()
}
