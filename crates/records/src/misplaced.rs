//! Values in wrong columns -> columns that are compared as one.
//!
//! If the words of a field are often found in another field of the other record, it says little in which field they stand:
//! such fields are joined into one text. Which words two records of one entity have in common is seen before anything is
//! learnt, on records that share rare words and most of their other words.

use crate::bands::{Pair, Rows, long_words};
use crate::column::Column;
use crate::table::Table;
use crate::threads::{Stopped, Work};

/// If at least this share of the words of a field that both records have is in other fields of the other record, the field
/// is joined. Two fields that are swapped now and then stay below it: swapped at random, a half of their words would be
/// elsewhere. Of values that were moved into another column with probability 1/2, more than a half is elsewhere.
const LEAST: f64 = 0.4;

/// Fewer words in common than this say nothing.
const LEAST_WORDS: f64 = 50.0;

/// Records of which at least this share of the words is in the other one are looked at.
const ALIKE: f64 = 0.6;

/// Pairs that are looked at, at the most.
const LOOKED_AT: usize = 20_000;

/// What joined fields have between their names.
pub(crate) const BETWEEN: &str = " + ";

/// The groups of fields that should be joined, each ascending.
pub(crate) fn groups(
    columns: &[Column],
    rows: &Rows<'_>,
    work: Work<'_>,
) -> Result<Vec<Vec<usize>>, Stopped> {
    let fields = columns.len();
    let pairs = rows.sharing_rare_words(work)?;
    let step = pairs.len().div_ceil(LOOKED_AT).max(1);
    // By field of one record and field of the other: words that are there and not in the same field.
    let (mut moved, mut all) = (vec![0.0; fields * fields], vec![0.0; fields]);
    for (at, &pair) in pairs.iter().step_by(step).enumerate() {
        work.go_on_at(at)?;
        count(columns, pair, &mut moved, &mut all);
        count(columns, (pair.1, pair.0), &mut moved, &mut all);
    }
    // Joined: the least field that is connected.
    let mut leads: Vec<usize> = (0..fields).collect();
    for one in 0..fields {
        let elsewhere: f64 = moved[one * fields..(one + 1) * fields].iter().sum();
        if all[one] < LEAST_WORDS || elsewhere < LEAST * all[one] {
            continue;
        }
        for other in 0..fields {
            // Fields that take less than their part of what was moved share a word by chance.
            if moved[one * fields + other] * 2.0 * fields as f64 >= elsewhere {
                let (from, to) = (leads[one].max(leads[other]), leads[one].min(leads[other]));
                leads.iter_mut().filter(|lead| **lead == from).for_each(|lead| *lead = to);
            }
        }
    }
    let group = |lead: usize| (0..fields).filter(|&at| leads[at] == lead).collect::<Vec<usize>>();
    Ok((0..fields).map(group).filter(|group| group.len() > 1).collect())
}

/// Counts where the words of the first record of a pair are in the second.
fn count(columns: &[Column], (a, b): Pair, moved: &mut [f64], all: &mut [f64]) {
    let words = |record: u32| -> Vec<(u64, usize)> {
        let of_column = |(at, column): (usize, &Column)| -> Vec<(u64, usize)> {
            let value = column.value(record as usize).map_or("", |value| column.text(value));
            let mut hashes: Vec<u64> = long_words(value).collect();
            hashes.sort_unstable();
            hashes.dedup();
            hashes.into_iter().map(|hash| (hash, at)).collect()
        };
        columns.iter().enumerate().flat_map(of_column).collect()
    };
    let (of_a, mut of_b) = (words(a), words(b));
    of_b.sort_unstable();
    let places = |word: u64| {
        let from = of_b.partition_point(|it| it.0 < word);
        of_b[from..].iter().take_while(move |it| it.0 == word).map(|it| it.1)
    };
    let known = of_a.iter().filter(|(word, _)| places(*word).next().is_some()).count();
    if (known as f64) < ALIKE * of_a.len() as f64 {
        return;
    }
    for &(word, at) in &of_a {
        if places(word).next().is_none() {
            continue;
        }
        all[at] += 1.0;
        if places(word).all(|place| place != at) {
            places(word).take(1).for_each(|place| moved[at * columns.len() + place] += 1.0);
        }
    }
}

impl Table {
    /// The same records, with the values of some fields joined into one.
    pub(crate) fn joined(&self, groups: &[Vec<usize>], work: Work<'_>) -> Result<Self, Stopped> {
        let name = |group: &Vec<usize>| -> String {
            group.iter().map(|&at| self.fields()[at].as_str()).collect::<Vec<_>>().join(BETWEEN)
        };
        let others = (0..self.fields().len()).filter(|at| groups.iter().all(|group| !group.contains(at)));
        let groups: Vec<Vec<usize>> = groups.iter().cloned().chain(others.map(|at| vec![at])).collect();
        let mut table = Self::new(groups.iter().map(name));
        for record in 0..self.len() {
            work.go_on_at(record)?;
            let value = |group: &Vec<usize>| -> String {
                let values = group.iter().map(|&at| self.value(record, at)).filter(|value| !value.is_empty());
                values.collect::<Vec<_>>().join(" ")
            };
            table.push(groups.iter().map(value));
        }
        table.sides.clone_from(&self.sides);
        Ok(table)
    }

    /// The places of the fields that a field of a model is made of: one, or several that were joined; none if they are not
    /// in this table.
    #[must_use]
    pub fn parts(&self, name: &str) -> Vec<usize> {
        let place = |name: &str| self.fields().iter().position(|field| field == name);
        let several = || name.split(BETWEEN).map(place).collect::<Option<Vec<usize>>>().unwrap_or_default();
        place(name).map_or_else(several, |at| vec![at])
    }

    /// The groups of fields whose names are these, joined.
    pub(crate) fn groups_of<'n>(&self, names: impl Iterator<Item = &'n str>) -> Vec<Vec<usize>> {
        names.map(|name| self.parts(name)).filter(|parts| parts.len() > 1).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bands::Compared;
    use crate::kind::Kind;

    #[test]
    fn fields_are_joined_by_name_and_back() {
        let mut table = Table::new(["a", "b", "c"]);
        table.push(["x", "y", "z"]);
        table.push(["x", "", "w"]);
        let joined = table.joined(&[vec![0, 2]], Work::unstopped()).unwrap();
        assert_eq!(joined.fields(), ["a + c", "b"]);
        assert_eq!([joined.value(0, 0), joined.value(0, 1), joined.value(1, 0)], ["x z", "y", "x w"]);
        assert_eq!(table.groups_of(["a + c", "b", "a + d"].into_iter()), [vec![0, 2]]);
        assert_eq!(
            [table.parts("b"), table.parts("a + c"), table.parts("a + d")],
            [vec![1], vec![0, 2], vec![]]
        );
    }

    /// Fields whose values stand in each other's place in half of the copies are joined; a field that stays is not.
    #[test]
    fn fields_that_are_mixed_up_are_one_group() {
        let groups_of = |is_mixed: bool| {
            let records: Vec<[String; 3]> = (0..240)
                .map(|at| {
                    let (person, is_copy) = (at / 2, at % 2 == 1);
                    let word =
                        |salt: usize| format!("{}{salt}word", "abcdefghij".repeat(3).split_at(person % 10).1);
                    let (one, two) = (format!("one{person} {}", word(1)), format!("two{person}"));
                    let town = format!("town{person}");
                    match is_copy && is_mixed && person % 4 != 0 {
                        true => [String::new(), format!("{two} {one}"), town],
                        false => [one, two, town],
                    }
                })
                .collect();
            let column = |at: usize| {
                Column::of_values(
                    ["one", "two", "town"][at],
                    Kind::Text,
                    records.iter().map(|it| it[at].as_str()),
                )
            };
            let columns: Vec<Column> = (0..3).map(column).collect();
            let work = Work::unstopped();
            let rows = Rows::new(&columns, vec![0; records.len()], Compared::All, work).unwrap();
            groups(&columns, &rows, work).unwrap()
        };
        assert_eq!(groups_of(true), [vec![0, 1]]);
        assert!(groups_of(false).is_empty());
    }
}
