//! The keys of records in rows.

use super::words::{RARE_WORDS, rare_words};
use super::{Band, Chosen, Compared, Pair, Row, Side};
use crate::column::{Column, MISSING};
use crate::kind::Kind;
use crate::threads::{Stopped, Work};
use lookalike::hashing::{SplitMix64, mix64};
use std::sync::OnceLock;

/// The first look and the costs of bands look at the keys of about so many records; of larger tables, at a share of all keys.
const COUNTED: usize = 30_000;

/// The keys of all records in all rows. A key is never 0.
#[derive(Debug)]
pub(crate) struct Rows<'c> {
    pub(super) rows: Vec<Row>,
    /// The column of each row; rows of the whole record have none.
    pub(super) of_column: Vec<Option<usize>>,
    /// The key of each value, for rows of a column; 0 if it has none.
    pub(super) keys: Vec<Vec<u32>>,
    pub(super) columns: &'c [Column],
    /// The rarest words of each record.
    rare: Vec<[u32; RARE_WORDS]>,
    pub(super) sides: Vec<Side>,
    compared: Compared,
    /// By row of a column: the records whose key is in the sample of keys.
    samples: Vec<OnceLock<Vec<u32>>>,
}

impl<'c> Rows<'c> {
    /// The rows of these columns.
    pub(crate) fn new(
        columns: &'c [Column],
        sides: Vec<Side>,
        compared: Compared,
        work: Work<'_>,
    ) -> Result<Self, Stopped> {
        let rare = rare_words(columns, sides.len(), work)?;
        let (rows, of_column, keys) = (Vec::new(), Vec::new(), Vec::new());
        let samples = Vec::new();
        let mut rows = Self { rows, of_column, keys, columns, rare, sides, compared, samples };
        for (at, column) in columns.iter().enumerate() {
            for row in rows_of(column) {
                work.go_on()?;
                let mut keys = Vec::with_capacity(column.len());
                let mut buffer = Vec::new();
                for value in 0..column.len() as u32 {
                    work.go_on_at(value as usize)?;
                    keys.push(
                        key_of(&row, column, value, &mut buffer).map_or(0, |key| (key >> 32) as u32 | 1),
                    );
                }
                rows.keys.push(keys);
                rows.rows.push(row);
                rows.of_column.push(Some(at));
            }
        }
        for row in [Row::RareWords, Row::RareWord] {
            rows.rows.push(row);
            rows.of_column.push(None);
            rows.keys.push(Vec::new());
        }
        rows.samples.resize_with(rows.rows.len(), OnceLock::new);
        Ok(rows)
    }

    /// The row of a column whose keys a sample of a band is drawn by: that with the most values. None if the band has only
    /// words, or so few values that a sample of them is none.
    fn drawn_by(&self, band: &[usize]) -> Option<usize> {
        let values = |row: usize| self.of_column[row].map(|column| self.columns[column].len());
        let drawn = band.iter().filter_map(|&row| Some((values(row)?, row))).max()?;
        (drawn.0 as u64 >= 20 * self.sampled()).then_some(drawn.1)
    }

    /// The records that are looked at if a sample of the keys of a band is enough; all, if it cannot be said which. All records
    /// with one key are in it, or none.
    pub(super) fn sample(&self, band: &[usize]) -> Option<&[u32]> {
        let row = self.drawn_by(band)?;
        let draw = || {
            let is_in: Vec<bool> = self.keys[row]
                .iter()
                .map(|&key| mix64(u64::from(key)).is_multiple_of(self.sampled()))
                .collect();
            let of = &self.columns[self.of_column[row].unwrap_or_default()].of;
            let records = (0u32..).zip(of).filter(|(_, value)| **value != MISSING && is_in[**value as usize]);
            records.map(|(record, _)| record).collect()
        };
        Some(self.samples[row].get_or_init(draw))
    }

    /// The bytes of memory that the rows of these columns take.
    pub(crate) fn bytes(columns: &[Column]) -> usize {
        columns.iter().map(|column| 4 * rows_of(column).len() * column.len()).sum()
    }

    /// The key of a record in a row of a column; 0 if it has none.
    pub(super) fn key(&self, row: usize, record: usize) -> u32 {
        match self.of_column[row].map(|column| self.columns[column].of[record]) {
            Some(value) if value != MISSING => self.keys[row][value as usize],
            _ => 0,
        }
    }

    /// The keys of a record in a row of the whole record.
    pub(super) fn of_words(&self, row: usize, record: usize, into: &mut Vec<u64>) {
        into.clear();
        let words = self.rare[record];
        let words = words.iter().take_while(|word| **word != 0).map(|word| u64::from(*word));
        match self.rows[row] {
            Row::RareWord => into.extend(words),
            _ => {
                for (at, a) in words.clone().enumerate() {
                    into.extend(words.clone().skip(at + 1).map(|b| mix64(a.min(b) << 32 | a.max(b)) | 1));
                }
            }
        }
    }

    /// Hands the keys of a record in a band to `visit`.
    pub(super) fn keys_of(
        &self,
        band: &[usize],
        record: usize,
        buffer: &mut Vec<u64>,
        mut visit: impl FnMut(u64),
    ) {
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
            joined = mix64(joined.rotate_left(9) ^ u64::from(key));
        }
        match of_words {
            None => visit(joined),
            Some(row) => {
                self.of_words(row, record, buffer);
                buffer.iter().for_each(|key| visit(mix64(joined ^ key)));
            }
        }
    }

    /// How many keys a record has in a band, at the most.
    pub(super) fn most_keys(&self, band: &[usize]) -> usize {
        let of_row = |row: &usize| match self.rows[*row] {
            Row::RareWord => RARE_WORDS,
            Row::RareWords => RARE_WORDS * (RARE_WORDS - 1) / 2,
            _ => 1,
        };
        band.iter().map(of_row).product()
    }

    /// True if a record pair agrees in a row.
    pub(super) fn agrees(&self, row: usize, (a, b): Pair, buffers: &mut (Vec<u64>, Vec<u64>)) -> bool {
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

    /// In which rows two records agree, and which have a key.
    pub(crate) fn agreement(&self, pair: Pair) -> Agreement {
        let mut buffers = (Vec::new(), Vec::new());
        let rows = self.rows.len();
        let mut agreement =
            Agreement { agrees: vec![0; rows.div_ceil(64)], keyed: vec![0; rows.div_ceil(64)] };
        for row in 0..rows {
            let has_key = [pair.0, pair.1].iter().any(|&record| self.key(row, record as usize) != 0);
            agreement.keyed[row / 64] |= u64::from(has_key) << (row % 64);
            agreement.agrees[row / 64] |= u64::from(self.agrees(row, pair, &mut buffers)) << (row % 64);
        }
        agreement
    }

    /// By row: its column, if it has one.
    pub(crate) fn fields_of_rows(&self) -> Vec<Option<usize>> {
        self.of_column.clone()
    }

    /// The bits of a number of a record.
    pub(super) fn bits(&self) -> u32 {
        usize::BITS - self.sides.len().leading_zeros()
    }

    /// One key in this many is looked at where a sample is enough.
    pub(crate) fn sampled(&self) -> u64 {
        self.sides.len().div_ceil(COUNTED).max(1) as u64
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

    pub(super) fn chosen(&self, at: Vec<usize>, finds: f64, cost: f64) -> Chosen {
        let rows = at.iter().map(|&row| self.rows[row].clone()).collect();
        Chosen { band: Band { rows }, at, finds, cost }
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
        self.compared.compares(self.sides[a as usize], self.sides[b as usize])
    }
}

/// In which rows two records agree: a bit for each.
#[derive(Debug)]
pub(crate) struct Agreement {
    agrees: Vec<u64>,
    keyed: Vec<u64>,
}

impl Agreement {
    pub(crate) fn agrees(&self, row: usize) -> bool {
        self.agrees[row / 64] >> (row % 64) & 1 == 1
    }

    /// True if one of the records has a key in a row, so that they would agree if their values were equal.
    pub(crate) fn has_key(&self, row: usize) -> bool {
        self.keyed[row / 64] >> (row % 64) & 1 == 1
    }
}

/// The rows of a column.
fn rows_of(column: &Column) -> Vec<Row> {
    let name = || column.name.clone();
    let mut rows = vec![Row::Value(name())];
    if column.kind != Kind::Category {
        rows.extend([Row::First(name()), Row::Last(name())]);
    }
    if matches!(column.kind, Kind::Name | Kind::Text | Kind::Address | Kind::Place) {
        rows.extend([Row::MinHash(name()), Row::MinHash2(name())]);
    }
    rows
}

/// The key of a value in a row of its column, if it has one.
fn key_of(row: &Row, column: &Column, value: u32, buffer: &mut Vec<u32>) -> Option<u64> {
    let solid = || column.text(value).chars().filter(|letter| *letter != ' ');
    let mut least = |salt: u64| {
        column.grams(value, buffer).iter().map(|&gram| mix64(u64::from(gram) << 2 | salt)).min().map(mix64)
    };
    match row {
        Row::Value(_) => Some(hash(solid())),
        Row::First(_) => (column.text(value).chars().nth(3).is_some()).then(|| hash(solid().take(4))),
        Row::Last(_) => {
            let skipped = solid().count().checked_sub(4)?;
            Some(hash(solid().skip(skipped)))
        }
        Row::MinHash(_) => least(1),
        Row::MinHash2(_) => least(2),
        Row::RareWord | Row::RareWords => None,
    }
}

fn hash(letters: impl Iterator<Item = char>) -> u64 {
    letters.fold(0x2545_f491_4f6c_dd1d, |hash, letter| mix64(hash ^ u64::from(u32::from(letter))))
}
