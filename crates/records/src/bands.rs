//! Records -> pairs that are worth comparing.
//!
//! A *row* is something in which two records of one entity may agree: a value, its beginning or end, a min-hash of its
//! shingles, a rare word. A *band* is one or two rows that must agree together. Records that share the key of a band are
//! compared. Which bands there are follows from the data: those that find the most pairs that look like matches, at the
//! fewest comparisons.

use crate::column::{Column, MISSING, Value};
use crate::kind::Kind;
use crate::table::ByHash;
use crate::threads::{Stopped, Work};
use lookalike::hashing::{SplitMix64, mix64};
use serde::{Deserialize, Serialize};

/// The records of the two tables; one table has all on the same side.
pub(crate) type Side = u8;

/// Two records, the smaller number first.
pub(crate) type Pair = (u32, u32);

/// How many of the rarest words of a record are rows.
const RARE_WORDS: usize = 5;

/// Records with one key, at the most; more share something that says little, and are told apart by another row.
const MOST_IN_BLOCK: usize = 60;

/// Records with one key of a large block and of another row, at the most.
const MOST_IN_REFINED: usize = 12;

/// Records with one key in the first look, at the most.
const MOST_AT_FIRST: usize = 10;

/// The first look and the costs of bands look at the keys of about so many records; of larger tables, at a share of all keys.
const COUNTED: usize = 30_000;

/// A pair should be found by so many bands, so that those that differ in what was not seen are found too.
const DEPTH: u8 = 3;

/// A value that costs at most so many pairs for each record is always a band.
const CHEAP: f64 = 0.5;

/// Of how many likely matches a band must find one to be looked at.
const LEAST_FOUND: usize = 100;

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

/// The keys of all records in all rows. A key is never 0.
#[derive(Debug)]
pub(crate) struct Rows<'c> {
    rows: Vec<Row>,
    /// The column of each row; rows of the whole record have none.
    of_column: Vec<Option<usize>>,
    /// The key of each value, for rows of a column; 0 if it has none.
    keys: Vec<Vec<u64>>,
    columns: &'c [Column],
    /// The rarest words of each record.
    rare: Vec<[u64; RARE_WORDS]>,
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
    /// All but those that are both of the first side.
    NotWithinFirst,
}

impl<'c> Rows<'c> {
    /// The rows of these columns.
    pub(crate) fn new(
        columns: &'c [Column],
        sides: Vec<Side>,
        compared: Compared,
        work: Work<'_>,
    ) -> Result<Self, Stopped> {
        let count = sides.len();
        let mut rows = Self {
            rows: Vec::new(),
            of_column: Vec::new(),
            keys: Vec::new(),
            columns,
            rare: Vec::new(),
            sides,
            compared,
        };
        for (at, column) in columns.iter().enumerate() {
            let name = || column.name.clone();
            let mut add = |row: Row, key: &dyn Fn(&Value) -> Option<u64>| -> Result<(), Stopped> {
                work.go_on()?;
                rows.keys
                    .push(column.values.iter().map(|value| key(value).map_or(0, |key| key | 1)).collect());
                rows.rows.push(row);
                rows.of_column.push(Some(at));
                Ok(())
            };
            add(Row::Value(name()), &|value| Some(hash(solid(value))))?;
            if column.kind == Kind::Category {
                continue;
            }
            add(Row::First(name()), &|value| (value.letters.len() >= 4).then(|| hash(solid(value).take(4))))?;
            add(Row::Last(name()), &|value| {
                let skipped = solid(value).count().checked_sub(4)?;
                Some(hash(solid(value).skip(skipped)))
            })?;
            if matches!(column.kind, Kind::Name | Kind::Text | Kind::Address | Kind::Place) {
                for (row, salt) in [(Row::MinHash(name()), 1u64), (Row::MinHash2(name()), 2)] {
                    add(row, &move |value| {
                        value.grams.iter().map(|&gram| mix64(u64::from(gram) << 2 | salt)).min()
                    })?;
                }
            }
        }
        rows.rare = rare_words(columns, count, work)?;
        for row in [Row::RareWords, Row::RareWord] {
            rows.rows.push(row);
            rows.of_column.push(None);
            rows.keys.push(Vec::new());
        }
        Ok(rows)
    }

    /// The key of a record in a row of a column; 0 if it has none.
    fn key(&self, row: usize, record: usize) -> u64 {
        match self.of_column[row].map(|column| self.columns[column].of[record]) {
            Some(value) if value != MISSING => self.keys[row][value as usize],
            _ => 0,
        }
    }

    /// The keys of a record in a row of the whole record.
    fn of_words(&self, row: usize, record: usize, into: &mut Vec<u64>) {
        into.clear();
        let words = self.rare[record];
        let words = words.iter().copied().filter(|word| *word != 0);
        match self.rows[row] {
            Row::RareWord => into.extend(words),
            _ => {
                let words: Vec<u64> = words.collect();
                for (at, a) in words.iter().enumerate() {
                    into.extend(words[at + 1..].iter().map(|b| mix64(a.min(b) ^ mix64(*a.max(b))) | 1));
                }
            }
        }
    }

    /// Hands the keys of a record in a band to `visit`.
    fn keys_of(&self, band: &[usize], record: usize, buffer: &mut Vec<u64>, mut visit: impl FnMut(u64)) {
        let mut joined = 0x5bd1_e995_u64;
        let mut of_words = None;
        for &row in band {
            if self.of_column[row].is_none() {
                of_words = Some(row);
                continue;
            }
            let key = self.key(row, record);
            if key == 0 {
                return;
            }
            joined = mix64(joined.rotate_left(9) ^ key);
        }
        match of_words {
            None => visit(joined),
            Some(row) => {
                self.of_words(row, record, buffer);
                buffer.iter().for_each(|key| visit(mix64(joined ^ key)));
            }
        }
    }

    /// True if a record pair agrees in a row.
    fn agrees(&self, row: usize, (a, b): Pair, buffers: &mut (Vec<u64>, Vec<u64>)) -> bool {
        match self.of_column[row] {
            Some(_) => {
                let key = self.key(row, a as usize);
                key != 0 && key == self.key(row, b as usize)
            }
            None => {
                self.of_words(row, a as usize, &mut buffers.0);
                self.of_words(row, b as usize, &mut buffers.1);
                buffers.0.iter().any(|key| buffers.1.contains(key))
            }
        }
    }

    /// The bits of a number of a record.
    fn bits(&self) -> u32 {
        usize::BITS - self.sides.len().leading_zeros()
    }

    /// The keys of a band with their records, ascending: one key in `of` only. The key is in the upper bits, and the record
    /// in the lower ones.
    fn blocks(&self, band: &[usize], of: u64, work: Work<'_>) -> Result<Vec<u64>, Stopped> {
        let mask = (1u64 << self.bits()) - 1;
        let mut keys = Vec::with_capacity(self.sides.len() / of as usize + 16);
        let mut buffer = Vec::new();
        for record in 0..self.sides.len() {
            work.go_on_at(record)?;
            self.keys_of(band, record, &mut buffer, |key| {
                if of == 1 || (key >> 32) % of == 0 {
                    keys.push(key & !mask | record as u64);
                }
            });
        }
        keys.sort_unstable();
        Ok(keys)
    }

    /// Adds the pairs of a band. A block that is too large is taken apart by other rows; what is then still too large is left
    /// out. Returns how many records that are.
    fn pairs(
        &self,
        band: &[usize],
        of: u64,
        most: usize,
        pairs: &mut Vec<u64>,
        work: Work<'_>,
    ) -> Result<u64, Stopped> {
        let (blocks, bits) = (self.blocks(band, of, work)?, self.bits());
        let mask = (1u64 << bits) - 1;
        let mut left_out = 0;
        for (step, block) in blocks.chunk_by(|a, b| a >> bits == b >> bits).enumerate() {
            work.go_on_at(step)?;
            if block.len() <= most {
                self.pairs_of(block.iter().map(|key| (key & mask) as u32), pairs);
            } else if most > MOST_AT_FIRST {
                left_out += self.refine(band, block, mask, pairs, work)?;
            }
        }
        work.go_on()?;
        pairs.sort_unstable();
        pairs.dedup();
        Ok(left_out)
    }

    /// The pairs of a large block that agree in one more value.
    fn refine(
        &self,
        band: &[usize],
        block: &[u64],
        mask: u64,
        pairs: &mut Vec<u64>,
        work: Work<'_>,
    ) -> Result<u64, Stopped> {
        let mut found = vec![false; block.len()];
        for row in 0..self.rows.len() {
            work.go_on()?;
            let is_new = band.iter().all(|&known| self.of_column[known] != self.of_column[row]);
            if !is_new || !matches!(self.rows[row], Row::Value(_)) {
                continue;
            }
            let mut keyed: Vec<(u64, u32)> = block
                .iter()
                .enumerate()
                .map(|(at, key)| (self.key(row, (key & mask) as usize), at as u32))
                .filter(|(key, _)| *key != 0)
                .collect();
            keyed.sort_unstable();
            for smaller in keyed.chunk_by(|a, b| a.0 == b.0) {
                if (2..=MOST_IN_REFINED).contains(&smaller.len()) {
                    smaller.iter().for_each(|(_, at)| found[*at as usize] = true);
                    self.pairs_of(smaller.iter().map(|(_, at)| (block[*at as usize] & mask) as u32), pairs);
                } else if smaller.len() == 1 {
                    found[smaller[0].1 as usize] = true;
                }
            }
        }
        Ok(found.iter().filter(|found| !**found).count() as u64)
    }

    fn pairs_of(&self, block: impl Iterator<Item = u32> + Clone, pairs: &mut Vec<u64>) {
        let mut rest = block;
        while let Some(a) = rest.next() {
            let others = rest.clone().filter(|&b| b != a && self.compares(a, b));
            pairs.extend(others.map(|b| u64::from(a.min(b)) << 32 | u64::from(a.max(b))));
        }
    }

    /// One key in this many is looked at where a sample is enough.
    pub(crate) fn sampled(&self) -> u64 {
        self.sides.len().div_ceil(COUNTED).max(1) as u64
    }

    /// The pairs that the first look compares: records that agree in two values, or in rare words.
    pub(crate) fn first_look(&self, work: Work<'_>) -> Result<Vec<Pair>, Stopped> {
        let values: Vec<usize> =
            (0..self.rows.len()).filter(|&row| matches!(self.rows[row], Row::Value(_))).collect();
        let mut bands: Vec<Vec<usize>> = Vec::new();
        for (at, &one) in values.iter().enumerate() {
            bands.extend(values[at + 1..].iter().map(|&other| vec![one, other]));
            bands.push(vec![one]);
        }
        bands.extend((0..self.rows.len()).filter(|&row| self.of_column[row].is_none()).map(|row| vec![row]));
        let found = work.each(bands.len(), |at| {
            let mut pairs = Vec::new();
            self.pairs(&bands[at], self.sampled(), MOST_AT_FIRST, &mut pairs, work)?;
            Ok(pairs)
        })?;
        let mut all: Vec<u64> = found.into_iter().flatten().collect();
        all.sort_unstable();
        all.dedup();
        Ok(all.into_iter().map(unpacked).collect())
    }

    /// Pairs that share two rare words.
    pub(crate) fn sharing_rare_words(&self, work: Work<'_>) -> Result<Vec<Pair>, Stopped> {
        let mut pairs = Vec::new();
        if let Some(row) = self.rows.iter().position(|row| *row == Row::RareWords) {
            self.pairs(&[row], self.sampled(), MOST_AT_FIRST, &mut pairs, work)?;
        }
        Ok(pairs.into_iter().map(unpacked).collect())
    }

    /// The bands with these fields, as a user gave them; `None` if there is no such field.
    pub(crate) fn by_fields(&self, fields: &[String]) -> Option<Chosen> {
        let row = |field: &String| self.rows.iter().position(|row| *row == Row::Value(field.clone()));
        let at: Vec<usize> = fields.iter().map(row).collect::<Option<_>>()?;
        Some(self.chosen(at, 0.0, 0.0))
    }

    /// The bands of a model; `None` if a row is not there.
    pub(crate) fn by_band(&self, band: &Band) -> Option<Chosen> {
        let row = |wanted: &Row| self.rows.iter().position(|row| row == wanted);
        let at: Vec<usize> = band.rows.iter().map(row).collect::<Option<_>>()?;
        Some(self.chosen(at, 0.0, 0.0))
    }

    fn chosen(&self, at: Vec<usize>, finds: f64, cost: f64) -> Chosen {
        let rows = at.iter().map(|&row| self.rows[row].clone()).collect();
        Chosen { band: Band { rows }, at, finds, cost }
    }

    /// Chooses bands that find these pairs, each with its share of them and its cost in pairs for each record. Returns also
    /// the share of the pairs that is found by a band.
    pub(crate) fn choose(
        &self,
        alike: &[Pair],
        wanted: f64,
        most_cost: f64,
        work: Work<'_>,
    ) -> Result<(Vec<Chosen>, f64), Stopped> {
        let count = self.sides.len().max(1);
        let of = self.sampled();
        let survey = |band: &[usize]| -> Result<f64, Stopped> {
            let (blocks, bits) = (self.blocks(band, of, work)?, self.bits());
            let sizes = blocks.chunk_by(|a, b| a >> bits == b >> bits).map(<[u64]>::len);
            let pairs: f64 = sizes
                .map(|size| match size {
                    ..=MOST_IN_BLOCK => size as f64 * (size as f64 - 1.0) / 2.0,
                    size => size as f64 * MOST_IN_REFINED as f64 / 2.0,
                })
                .sum();
            Ok(pairs * of as f64 / count as f64)
        };
        // Which rows agree in which pairs, a bit for each pair.
        let words = alike.len().div_ceil(64);
        let mut buffers = (Vec::new(), Vec::new());
        let agreeing: Vec<Vec<u64>> = (0..self.rows.len())
            .map(|row| {
                work.go_on()?;
                let mut bits = vec![0u64; words];
                for (at, &pair) in alike.iter().enumerate() {
                    bits[at / 64] |= u64::from(self.agrees(row, pair, &mut buffers)) << (at % 64);
                }
                Ok(bits)
            })
            .collect::<Result<_, Stopped>>()?;
        // The chance that two records have the same key, as far as rows are independent.
        let chance: Vec<f64> = (0..self.rows.len())
            .map(|row| work.go_on().map(|()| self.chance(row)))
            .collect::<Result<_, Stopped>>()?;
        let mut offered: Vec<Offer> = Vec::new();
        for one in 0..self.rows.len() {
            let others =
                (one + 1..self.rows.len()).filter(|&other| self.of_column[other] != self.of_column[one]);
            for band in std::iter::once(vec![one]).chain(others.map(|other| vec![one, other])) {
                let found: Vec<u64> = (0..words)
                    .map(|word| band.iter().fold(u64::MAX, |bits, &row| bits & agreeing[row][word]))
                    .collect();
                let number: u32 = found.iter().map(|bits| bits.count_ones()).sum();
                if number as usize * LEAST_FOUND > alike.len() {
                    let cost = band.iter().map(|&row| chance[row]).product::<f64>() * count as f64 / 2.0;
                    offered.push(Offer { band, cost, is_exact: false, found, number });
                }
            }
        }
        let (mut chosen, mut spent, mut times) = (Vec::<Chosen>::new(), 0.0, vec![0u8; alike.len()]);
        let share = |times: &[u8], least: u8| {
            times.iter().filter(|&&times| times >= least).count() as f64 / alike.len().max(1) as f64
        };
        // A value that few records share is a band of its own: matches that were not seen may have nothing else in common.
        for row in (0..self.rows.len()).filter(|&row| matches!(self.rows[row], Row::Value(_))) {
            let cost = survey(&[row])?;
            if alike.is_empty() || cost > CHEAP {
                continue;
            }
            if let Some(at) = offered.iter().position(|offer| offer.band == [row]) {
                let offer = offered.swap_remove(at);
                for (at, times) in times.iter_mut().enumerate() {
                    *times = times.saturating_add((offer.found[at / 64] >> (at % 64) & 1) as u8);
                }
                spent += cost;
                chosen.push(self.chosen(offer.band, f64::from(offer.number) / alike.len() as f64, cost));
            }
        }
        while !alike.is_empty() && (share(&times, 1) < 0.9999 || share(&times, DEPTH) < wanted) {
            work.go_on()?;
            let worth = |offer: &Offer| {
                let mut gain = 0.0;
                for (word, bits) in offer.found.iter().enumerate() {
                    let mut bits = *bits;
                    while bits != 0 {
                        let at = word * 64 + bits.trailing_zeros() as usize;
                        // To be found for the first time counts most.
                        gain += [1.0, 0.3, 0.1].get(usize::from(times[at])).copied().unwrap_or(0.0);
                        bits &= bits - 1;
                    }
                }
                gain / alike.len() as f64 / (offer.cost + 0.05)
            };
            let mut worths: Vec<(f64, usize)> =
                offered.iter().enumerate().map(|(at, offer)| (worth(offer), at)).collect();
            worths.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
            // Costs are guessed until a band is about to be chosen.
            let mut best: Option<(f64, usize)> = None;
            for &(guessed, at) in &worths {
                if guessed <= 0.0 || best.is_some_and(|(known, _)| known >= guessed) {
                    break;
                }
                if !offered[at].is_exact {
                    offered[at].cost = survey(&offered[at].band)?;
                    offered[at].is_exact = true;
                }
                let exact = worth(&offered[at]);
                if spent + offered[at].cost <= most_cost && best.is_none_or(|(known, _)| exact > known) {
                    best = Some((exact, at));
                }
            }
            let Some((_, at)) = best else { break };
            let offer = offered.swap_remove(at);
            for (at, times) in times.iter_mut().enumerate() {
                *times = times.saturating_add((offer.found[at / 64] >> (at % 64) & 1) as u8);
            }
            spent += offer.cost;
            chosen.push(self.chosen(offer.band, f64::from(offer.number) / alike.len() as f64, offer.cost));
        }
        Ok((chosen, share(&times, 1)))
    }

    /// The chance that two records have the same key in a row.
    fn chance(&self, row: usize) -> f64 {
        let count = self.sides.len().max(1) as f64;
        let mut counts: ByHash<f64> = ByHash::default();
        match self.of_column[row] {
            Some(column) => {
                let values = self.keys[row].iter().zip(&self.columns[column].counts);
                values.filter(|(key, _)| **key != 0).for_each(|(key, times)| {
                    *counts.entry(*key).or_default() += f64::from(*times);
                });
            }
            None => {
                let mut buffer = Vec::new();
                for record in 0..self.sides.len() {
                    self.of_words(row, record, &mut buffer);
                    buffer.iter().for_each(|key| *counts.entry(*key).or_default() += 1.0);
                }
            }
        }
        let mut squares: Vec<f64> = counts.into_values().map(|times| times * (times - 1.0)).collect();
        squares.sort_by(f64::total_cmp);
        squares.iter().sum::<f64>() / (count * count)
    }

    /// The pairs of the chosen bands, with how many of them find each, and how many records in blocks that are too large were
    /// left out.
    pub(crate) fn candidates(
        &self,
        chosen: &[Chosen],
        work: Work<'_>,
    ) -> Result<(Vec<Pair>, Vec<u8>, u64), Stopped> {
        let found = work.each(chosen.len(), |at| {
            let mut pairs = Vec::new();
            let left_out = self.pairs(&chosen[at].at, 1, MOST_IN_BLOCK, &mut pairs, work)?;
            Ok((pairs, left_out))
        })?;
        let left_out = found.iter().map(|(_, left_out)| left_out).sum();
        let mut all: Vec<u64> = Vec::with_capacity(found.iter().map(|(pairs, _)| pairs.len()).sum());
        found.into_iter().for_each(|(pairs, _)| all.extend(pairs));
        all.sort_unstable();
        let (mut pairs, mut times) = (Vec::new(), Vec::new());
        for same in all.chunk_by(|a, b| a == b) {
            pairs.push(unpacked(same[0]));
            times.push(same.len().min(255) as u8);
        }
        Ok((pairs, times, left_out))
    }

    /// The chosen bands, by number from 1, that find a pair.
    pub(crate) fn finding(&self, chosen: &[Chosen], pair: Pair) -> Vec<usize> {
        let mut buffers = (Vec::new(), Vec::new());
        let finds =
            |band: &Chosen, buffers: &mut _| band.at.iter().all(|&row| self.agrees(row, pair, buffers));
        (1..).zip(chosen).filter(|(_, band)| finds(band, &mut buffers)).map(|(number, _)| number).collect()
    }

    /// Pairs that are drawn at random, for how often records agree by chance; of linked tables, pairs within one of them.
    pub(crate) fn random(&self, wanted: usize) -> Vec<Pair> {
        let count = self.sides.len() as u64;
        let mut random = SplitMix64::new(7);
        let mut pairs = Vec::with_capacity(wanted);
        if self.all_pairs() < 1.0 {
            return pairs;
        }
        let fits = |a: u32, b: u32| match self.compared {
            Compared::Across => self.sides[a as usize] == self.sides[b as usize],
            _ => self.compares(a, b),
        };
        // Two tables of one record each have no such pair.
        for _ in 0..4 * wanted {
            let (a, b) = (random.below(count) as u32, random.below(count) as u32);
            if a != b && fits(a, b) {
                pairs.push((a.min(b), a.max(b)));
            }
            if pairs.len() == wanted {
                break;
            }
        }
        pairs
    }

    /// Of how many pairs the candidates are chosen.
    pub(crate) fn all_pairs(&self) -> f64 {
        let count = self.sides.len() as f64;
        let first = self.sides.iter().filter(|&&side| side == 0).count() as f64;
        let all = count * (count - 1.0) / 2.0;
        match self.compared {
            Compared::All => all,
            Compared::Across => first * (count - first),
            Compared::NotWithinFirst => all - first * (first - 1.0) / 2.0,
        }
    }

    pub(crate) fn compares(&self, a: u32, b: u32) -> bool {
        let (one, other) = (self.sides[a as usize], self.sides[b as usize]);
        match self.compared {
            Compared::All => true,
            Compared::Across => one != other,
            Compared::NotWithinFirst => one != 0 || other != 0,
        }
    }
}

/// A band that may be chosen.
struct Offer {
    band: Vec<usize>,
    cost: f64,
    /// True if the cost was counted.
    is_exact: bool,
    /// The pairs that it finds, a bit for each.
    found: Vec<u64>,
    number: u32,
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

/// The rarest words of each record, wherever in it they stand; 0 where it has fewer.
fn rare_words(columns: &[Column], count: usize, work: Work<'_>) -> Result<Vec<[u64; RARE_WORDS]>, Stopped> {
    let is_long = |column: &Column, token: u32| column.tokens[token as usize].letters.len() > 2;
    let mut counts: ByHash<u32> = ByHash::default();
    for column in columns {
        for (step, (value, times)) in column.values.iter().zip(&column.counts).enumerate() {
            work.go_on_at(step)?;
            for &token in value.tokens.iter().filter(|token| is_long(column, **token)) {
                *counts.entry(column.tokens[token as usize].hash).or_default() += times;
            }
        }
    }
    let mut words: Vec<(u32, u64)> = Vec::new();
    let of_record = |record: usize| {
        work.go_on_at(record)?;
        words.clear();
        for column in columns {
            let Some(value) = column.value(record) else { continue };
            for &token in value.tokens.iter().filter(|token| is_long(column, **token)) {
                let hash = column.tokens[token as usize].hash;
                let times = counts.get(&hash).copied().unwrap_or(0);
                // A word that no other record has finds nothing.
                if times > 1 {
                    words.push((times, hash | 1));
                }
            }
        }
        words.sort_unstable();
        words.dedup();
        let mut rare = [0; RARE_WORDS];
        rare.iter_mut().zip(&words).for_each(|(into, (_, word))| *into = *word);
        Ok(rare)
    };
    (0..count).map(of_record).collect()
}

fn unpacked(pair: u64) -> Pair {
    ((pair >> 32) as u32, pair as u32)
}

/// The letters of a value without spaces.
fn solid(value: &Value) -> impl Iterator<Item = char> {
    value.letters.iter().copied().filter(|letter| *letter != ' ')
}

fn hash(letters: impl Iterator<Item = char>) -> u64 {
    letters.fold(0x2545_f491_4f6c_dd1d, |hash, letter| mix64(hash ^ u64::from(u32::from(letter))))
}
