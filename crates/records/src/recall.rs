//! Matches, and which bands find them -> what share of all matches was found.
//!
//! Two estimates of what was missed; both are too low rather than too high, so the larger one counts.
//!
//! - *How many bands found each match* (Chao 1987): what was found once and twice says how much was not found at all. Matches
//!   differ a lot in how easily they are found, and then this is far too low.
//! - *What a match would be found by if its mistakes were elsewhere*: of a match with d fields that differ, d fields are drawn
//!   anew, with what they agree in drawn from matches in which they differ. The share that some band still finds is how likely
//!   matches with d mistakes are found at all, and each counts for one over it (Horvitz and Thompson). Mistakes in different fields
//!   are taken to be independent, if it is known how many there are.

use crate::bands::{Agreement, Pair, Rows};
use crate::column::{Column, MISSING};
use lookalike::hashing::SplitMix64;

/// Likely matches that are looked at, at the most, or about so many.
pub(crate) const LOOKED_AT: usize = 40_000;

/// Pairs that are less likely to match are not looked at.
pub(crate) const LEAST: f64 = 0.01;

/// How often the mistakes of a pair are drawn anew.
const DRAWS: usize = 12;

/// A pair that may match.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Seen {
    pub(crate) pair: Pair,
    pub(crate) probability: f64,
    /// How many bands find it; 255 for a pair that is compared in any case and that no band finds.
    pub(crate) times: u8,
}

/// The estimated share of matches that bands find, and its standard error.
pub(crate) fn recall(
    columns: &[Column],
    rows: &Rows<'_>,
    bands: &[&[usize]],
    seen: &[Seen],
) -> Option<(f64, f64)> {
    let found: f64 = seen.iter().map(|it| it.probability).sum();
    if found == 0.0 {
        return None;
    }
    let by_bands: Vec<Seen> = seen.iter().filter(|it| it.times != u8::MAX).copied().collect();
    let (by_times, by_mistakes) = (by_times(&by_bands), Mistakes::new(columns, rows, bands, &by_bands));
    let by_mistakes = by_mistakes.map_or((0.0, 0.0), |mistakes| mistakes.missed());
    let (missed, variance) = if by_mistakes.0 > by_times.0 { by_mistakes } else { by_times };
    let all = found + missed;
    // Of those that were found, it is known how many there are.
    Some((found / all, found / all * variance.sqrt() / all))
}

/// How many matches were missed, and the variance of that, from how many bands found each.
fn by_times(seen: &[Seen]) -> (f64, f64) {
    let exactly =
        |wanted: u8| -> f64 { seen.iter().filter(|it| it.times == wanted).map(|it| it.probability).sum() };
    let (once, twice) = (exactly(1), exactly(2));
    let missed = once * (once - 1.0).max(0.0) / (2.0 * (twice + 1.0));
    let ratio = once / (twice + 1.0);
    (missed, (twice + 1.0) * (ratio.powi(4) / 4.0 + ratio.powi(3) + ratio.powi(2) / 2.0))
}

/// Where the fields of a pair differ, and in which rows they agree.
struct Differing {
    probability: f64,
    /// By field: nothing if it is missing in both; otherwise if it differs.
    fields: Vec<Option<bool>>,
    agreement: Agreement,
}

struct Mistakes<'b> {
    bands: Vec<&'b [usize]>,
    pairs: Vec<Differing>,
    /// By field: the pairs in which it differs.
    differing: Vec<Vec<usize>>,
    /// By field: how often it differs, of those that have it, as odds.
    odds: Vec<f64>,
    of_field: Vec<Option<usize>>,
}

impl<'b> Mistakes<'b> {
    /// Nothing if there is but one field, or if too few pairs have mistakes.
    fn new(columns: &[Column], rows: &Rows<'_>, bands: &[&'b [usize]], seen: &[Seen]) -> Option<Self> {
        if columns.len() < 2 || seen.is_empty() || bands.is_empty() {
            return None;
        }
        let differs = |column: &Column, (a, b): Pair| match (column.of[a as usize], column.of[b as usize]) {
            (MISSING, MISSING) => None,
            (a, b) => Some(a != b),
        };
        let pair = |it: &Seen| Differing {
            probability: it.probability,
            fields: columns.iter().map(|column| differs(column, it.pair)).collect(),
            agreement: rows.agreement(it.pair),
        };
        let pairs: Vec<Differing> = seen.iter().map(pair).collect();
        let with =
            |at: usize| (0..pairs.len()).filter(|&pair| pairs[pair].fields[at] == Some(true)).collect();
        let differing: Vec<Vec<usize>> = (0..columns.len()).map(with).collect();
        let odds = |at: usize| {
            let present = pairs.iter().filter(|pair| pair.fields[at].is_some()).count() as f64;
            let differing = differing[at].len() as f64;
            (differing + 0.5) / (present - differing + 0.5)
        };
        let odds = (0..columns.len()).map(odds).collect();
        Some(Self { bands: bands.to_vec(), pairs, differing, odds, of_field: rows.fields_of_rows() })
    }

    /// How many matches were missed, and the variance of that.
    fn missed(&self) -> (f64, f64) {
        let mut random = SplitMix64::new(11);
        let mistakes = |pair: &Differing| pair.fields.iter().filter(|it| **it == Some(true)).count();
        // By number of mistakes: the pairs, how many matches they stand for, and how many of those that were drawn were found.
        let mut groups: Vec<(Vec<usize>, f64, f64)> = vec![Default::default(); self.odds.len() + 1];
        for (at, pair) in self.pairs.iter().enumerate() {
            let group = &mut groups[mistakes(pair)];
            group.0.push(at);
            group.1 += pair.probability;
        }
        for (number, (members, _, found)) in groups.iter_mut().enumerate() {
            for &at in members.iter() {
                let finds = |_| f64::from(u8::from(self.is_found(at, number, members, &mut random)));
                *found += (0..DRAWS).map(finds).sum::<f64>() / DRAWS as f64;
            }
        }
        let (mut missed, mut variance, mut before) = (0.0, 0.0, 1.0f64);
        for (members, matches, found) in groups.iter().filter(|group| !group.0.is_empty()) {
            let count = members.len() as f64;
            // More mistakes are not found more often; half a pair stands for what was not seen.
            let chance = ((found + 0.5) / (count + 0.5)).min(before);
            before = chance;
            missed += matches * (1.0 - chance) / chance;
            // What is found by chance, and what is not known of that chance.
            variance += matches * (1.0 - chance) / chance.powi(2);
            variance += matches.powi(2) * (1.0 - chance) / (count * chance.powi(3));
        }
        (missed, variance)
    }

    /// True if a band finds a pair whose mistakes are in other fields.
    fn is_found(&self, at: usize, mistakes: usize, alike: &[usize], random: &mut SplitMix64) -> bool {
        let pair = &self.pairs[at];
        let mut left: Vec<usize> = (0..self.odds.len()).filter(|&it| pair.fields[it].is_some()).collect();
        // By field: the pair that it is taken from, if it differs.
        let mut from: Vec<Option<usize>> = vec![None; self.odds.len()];
        for _ in 0..mistakes {
            let sum: f64 = left.iter().map(|&field| self.odds[field]).sum();
            let mut rest = random.next_f64() * sum;
            let drawn = left.iter().position(|&field| {
                rest -= self.odds[field];
                rest < 0.0
            });
            let field = left.swap_remove(drawn.unwrap_or(left.len() - 1));
            let pool = &self.differing[field];
            from[field] =
                Some(if pool.is_empty() { at } else { pool[random.below(pool.len() as u64) as usize] });
        }
        // Words of the whole record agree as in another pair with so many mistakes.
        let of_words = alike[random.below(alike.len() as u64) as usize];
        let agrees = |row: usize| match self.of_field[row] {
            None => self.pairs[of_words].agreement.agrees(row),
            Some(field) => match from[field] {
                Some(donor) => self.pairs[donor].agreement.agrees(row),
                None => pair.fields[field].is_some() && pair.agreement.has_key(row),
            },
        };
        self.bands.iter().any(|band| band.iter().all(|&row| agrees(row)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bands::Compared;
    use crate::kind::Kind;
    use crate::threads::Work;

    /// Entities of two records; each field of the second one is another value with a probability that differs from entity to
    /// entity. Bands of two fields find some of them, and the estimate says how many. (No band can find those with five or six
    /// other values, and so the estimate cannot know of them; there are 3 in 1,000.)
    #[test]
    fn the_estimate_is_right_where_matches_differ_in_their_mistakes() {
        for seed in 1..=5 {
            let mut random = SplitMix64::new(seed);
            let (entities, fields) = (6_000, 6);
            let mut values: Vec<Vec<String>> = vec![Vec::new(); fields];
            for entity in 0..entities {
                // One in four has many mistakes.
                let share = if entity % 4 == 0 { 0.3 } else { 0.05 };
                for (field, values) in values.iter_mut().enumerate() {
                    let value = format!("{field}{entity}");
                    let is_other = random.next_f64() < share;
                    values.push(value.clone());
                    values.push(if is_other { format!("x{value}") } else { value });
                }
            }
            let columns: Vec<Column> = values
                .iter()
                .zip(["a", "b", "c", "d", "e", "f"])
                .map(|(values, name)| Column::of_values(name, Kind::Code, values.iter().map(String::as_str)))
                .collect();
            let rows = Rows::new(&columns, vec![0; 2 * entities], Compared::All, Work::unstopped()).unwrap();
            let band = |fields: [&str; 2]| rows.by_fields(&fields.map(str::to_owned)).unwrap().at;
            let bands = [band(["a", "b"]), band(["c", "d"]), band(["e", "f"]), band(["a", "c"])];
            let bands: Vec<&[usize]> = bands.iter().map(Vec::as_slice).collect();
            let of_entity = |entity: u32| {
                let pair = (2 * entity, 2 * entity + 1);
                let agreement = rows.agreement(pair);
                let finds = |band: &&&[usize]| band.iter().all(|&row| agreement.agrees(row));
                let times = bands.iter().filter(finds).count() as u8;
                (times > 0).then_some(Seen { pair, probability: 1.0, times })
            };
            let seen: Vec<Seen> = (0..entities as u32).filter_map(of_entity).collect();
            let truth = seen.len() as f64 / entities as f64;
            let (estimate, error) = recall(&columns, &rows, &bands, &seen).unwrap();
            // Four standard errors: one in 16,000 fails if the estimate is right.
            assert!((estimate - truth).abs() < 4.0 * error, "{estimate} of {truth}, {error}");
            assert!(error < 0.02 && truth < 0.99, "{error}, {truth}");
        }
    }

    #[test]
    fn what_no_band_had_to_find_is_found() {
        let columns = [Column::of_values("a", Kind::Code, ["1", "1"])];
        let rows = Rows::new(&columns, vec![0; 2], Compared::All, Work::unstopped()).unwrap();
        let seen = [Seen { pair: (0, 1), probability: 1.0, times: u8::MAX }];
        assert_eq!(recall(&columns, &rows, &[], &seen), Some((1.0, 0.0)));
        assert_eq!(recall(&columns, &rows, &[], &[]), None);
    }
}
