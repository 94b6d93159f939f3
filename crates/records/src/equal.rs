//! Records that say the same in every field.
//!
//! Where all copies of a table are exact, its fields always agree together, and agreement in one says nothing beyond agreement in
//! another: a model of weights cannot tell such a table from one in which fields depend on each other. So records that are equal
//! in every field are matches by definition, if at least half of the fields are known. They are always compared.

use crate::bands::{Pair, Rows};
use crate::column::{Column, MISSING};
use crate::threads::{Stopped, Work};
use lookalike::hashing::mix64;

/// The log odds of records that are equal, at least: a probability of 0.99.
pub(crate) const LEAST: f64 = 4.6;

/// Of more equal records than this, each is paired with the first one only, so that a million of them are no million squared. It
/// is the size from which on a block is hot.
const ALL_PAIRS: usize = 60;

/// True if two records have the same values, and at least half of their fields have one.
pub(crate) fn are_equal(columns: &[Column], (a, b): Pair) -> bool {
    let (a, b) = (a as usize, b as usize);
    let known = columns.iter().filter(|column| column.of[a] != MISSING).count();
    known > 0 && 2 * known >= columns.len() && columns.iter().all(|column| column.of[a] == column.of[b])
}

/// Hands the pairs of equal records that are compared to `visit`.
pub(crate) fn pairs(
    columns: &[Column],
    rows: &Rows<'_>,
    work: Work<'_>,
    mut visit: impl FnMut(Pair) -> Result<(), Stopped>,
) -> Result<(), Stopped> {
    let count = columns.first().map_or(0, |column| column.of.len());
    let hash = |record: usize| {
        columns.iter().fold(0, |hash, column| mix64(hash ^ u64::from(column.of[record])).wrapping_add(1))
    };
    let mut by_hash: Vec<(u64, u32)> = (0..count).map(|record| (hash(record), record as u32)).collect();
    work.go_on()?;
    by_hash.sort_unstable();
    let groups = by_hash.chunk_by(|a, b| a.0 == b.0).filter(|group| group.len() > 1);
    for (step, group) in groups.enumerate() {
        work.go_on_at(step)?;
        let may_match = |&(a, b): &Pair| a < b && rows.compares(a, b) && are_equal(columns, (a, b));
        if group.len() <= ALL_PAIRS {
            for (at, &(_, record)) in group.iter().enumerate() {
                let others = group[at + 1..].iter().map(|other| (record, other.1));
                others.filter(may_match).try_for_each(&mut visit)?;
            }
            continue;
        }
        // The first record, and the first one that is compared with it: of two tables, one of each.
        let first = group[0].1;
        let second = group.iter().map(|other| other.1).find(|&other| may_match(&(first, other)));
        for &(_, record) in group {
            let leaders = [Some(first), second].into_iter().flatten();
            let ordered = leaders.map(|leader| (leader.min(record), leader.max(record)));
            ordered.filter(may_match).take(1).try_for_each(&mut visit)?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::mix64;
    use crate::{Options, Table, link};

    fn matches(rows: impl IntoIterator<Item = [String; 2]>) -> Vec<(usize, usize)> {
        let mut table = Table::new(["name", "mail"]);
        rows.into_iter().for_each(|row| table.push(&row));
        let linked = link(&table, &Options::default()).unwrap();
        linked.matches.iter().map(|found| (found.a, found.b)).collect()
    }

    fn person(at: usize) -> [String; 2] {
        let letters = |seed: u64| -> String {
            (0..9).map(|place| char::from(b'a' + (mix64(9 * seed + place) % 26) as u8)).collect()
        };
        [letters(2 * at as u64), format!("{}@example.org", letters(2 * at as u64 + 1))]
    }

    #[test]
    fn exact_copies_are_found_where_fields_always_agree_together() {
        let found = matches((0..300).chain(0..300).map(person));
        assert_eq!(found, (0..300).map(|at| (at, 300 + at)).collect::<Vec<_>>());
    }

    #[test]
    fn all_pairs_of_few_equal_records_match_and_many_are_not_squared() {
        assert_eq!(matches((0..150).map(|_| person(1))).len(), 150 * 149 / 2);
        let found = matches((0..1_000).map(|_| person(1)));
        assert!((999..100_000).contains(&found.len()), "{}", found.len());
        assert!((1..1_000).all(|record| found.contains(&(0, record))));
    }

    #[test]
    fn a_small_table_of_different_things_that_look_alike_has_no_matches() {
        let servers = (1..=20).map(|at| [format!("srv-{at:02}"), format!("10.0.0.{at}")]);
        assert_eq!(matches(servers), []);
        let rooms = (1..=20).map(|at| [format!("Meeting Room {at}"), format!("Floor {}", at % 3)]);
        assert_eq!(matches(rooms), []);
    }
}
