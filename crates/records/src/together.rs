//! Which values of a field go together in matches, where a field has few values.
//!
//! `SIGMOD Conference` in one table is `International Conference on Management of Data` in the other: no comparison of letters
//! says so, but the matches do. Of a field with few values, it is counted how many matches have each two values, and that is
//! compared with how many the levels of agreement let expect. The logarithm of the ratio is added to the weight of the level.
//!
//! A few matches say little: the ratio is that of a Poisson rate whose prior is a gamma distribution of mean 1 that counts
//! for [`BELIEVED`] matches.

use crate::bands::{Compared, Pair, Side};
use crate::column::{Column, MISSING, ValueId};
use crate::compare;
use crate::model::{Field, Together};
use crate::strings::Scratch;
use crate::threads::{Stopped, Work};

/// A field of so few values is counted value by value.
pub(crate) const FEW: usize = 300;

/// How many matches the levels of agreement count for.
const BELIEVED: f64 = 4.0;

/// Two values whose weight differs by less than this from that of their level are not kept.
const LEAST: f64 = 0.02;

/// The fields of few values.
pub(crate) struct FewValues {
    by_field: Vec<Option<Vec<Two>>>,
}

/// Two values of a field.
struct Two {
    a: ValueId,
    b: ValueId,
    level: u8,
    /// How often two records of different entities have them.
    chance: f64,
}

impl FewValues {
    pub(crate) fn new(
        columns: &[Column],
        sides: &[Side],
        compared: Compared,
        work: Work<'_>,
    ) -> Result<Self, Stopped> {
        let by_field = work.each(columns.len(), |at| Ok(of_column(&columns[at], sides, compared)))?;
        Ok(Self { by_field })
    }

    /// Learns what goes together from pairs that are matches with these probabilities. `equal` is what the levels say
    /// if both records have a value.
    pub(crate) fn learn(
        &self,
        at: usize,
        (field, column): (&mut Field, &Column),
        pairs: impl Iterator<Item = (Pair, f64)>,
        equal: impl Fn(ValueId) -> f64,
    ) {
        field.together.clear();
        let Some(two) = &self.by_field[at] else { return };
        let count = column.len();
        let mut seen = vec![0.0; count * count];
        let mut known = 0.0;
        for ((a, b), probability) in pairs {
            let (a, b) = (column.of[a as usize], column.of[b as usize]);
            if a != MISSING && b != MISSING {
                seen[a.min(b) as usize * count + a.max(b) as usize] += probability;
                known += probability;
            }
        }
        let name = |value: ValueId| column.text(value).to_owned();
        for it in two {
            let says = if it.a == it.b { equal(it.a) } else { field.weights[usize::from(it.level)] };
            let expected = known * it.chance * says.exp();
            let seen = seen[it.a as usize * count + it.b as usize];
            let weight = ((seen + BELIEVED) / (expected + BELIEVED)).ln();
            if weight.abs() >= LEAST {
                field.together.push(Together { a: name(it.a), b: name(it.b), weight });
            }
        }
    }
}

fn of_column(column: &Column, sides: &[Side], compared: Compared) -> Option<Vec<Two>> {
    let count = column.len();
    if count > FEW {
        return None;
    }
    // How often each side has each value; of one table, both are the same.
    let mut shares = [vec![0.0; count], vec![0.0; count]];
    for (&value, &side) in column.of.iter().zip(sides).filter(|(value, _)| **value != MISSING) {
        let of: &[usize] = if compared == Compared::Across { &[usize::from(side)] } else { &[0, 1] };
        of.iter().for_each(|&side| shares[side][value as usize] += 1.0);
    }
    for shares in &mut shares {
        let sum: f64 = shares.iter().sum();
        shares.iter_mut().for_each(|share| *share /= sum.max(1.0));
    }
    let mut scratch = Scratch::default();
    let mut two = Vec::with_capacity(count * (count + 1) / 2);
    for a in 0..count {
        two.push(Two { a: a as u32, b: a as u32, level: 0, chance: shares[0][a] * shares[1][a] });
        for b in a + 1..count {
            let level = compare::level(column, a as u32, b as u32, &mut scratch);
            let chance = shares[0][a] * shares[1][b] + shares[0][b] * shares[1][a];
            two.push(Two { a: a as u32, b: b as u32, level, chance });
        }
    }
    Some(two)
}

#[cfg(test)]
mod tests {
    use crate::{Options, Side, Table, link};

    /// Two tables that have other words for the same venues.
    #[test]
    fn values_that_go_together_are_learnt() {
        let words = ["alder", "birch", "cedar", "elm", "fir", "hazel", "larch", "maple", "oak", "pine"];
        let venues = [("red", "crimson hall"), ("green", "emerald court"), ("blue", "azure yard")];
        let title =
            |at: usize| format!("{} {} {} {at:03}", words[at % 10], words[at / 10 % 10], words[at / 7 % 10]);
        let mut table = Table::new(["title", "venue"]);
        for at in 0..240 {
            table.push_to(Side::First, [title(at), venues[at % 3].0.to_owned()]);
        }
        for at in 0..240 {
            table.push_to(Side::Second, [title(at), venues[at % 3].1.to_owned()]);
        }
        let linked = link(&table, &Options::default()).unwrap_or_else(|error| panic!("{error}"));
        let venue = &linked.model.fields[1];
        let weight = |a: &str, b: &str| {
            let is = |it: &&super::Together| (it.a == a && it.b == b) || (it.a == b && it.b == a);
            venue.together.iter().find(is).map_or(0.0, |it| it.weight)
        };
        for (at, (one, other)) in venues.iter().enumerate() {
            let wrong = weight(one, venues[(at + 1) % 3].1).max(weight(one, venues[(at + 2) % 3].1));
            assert!(weight(one, other) > 0.5 && wrong < 0.0, "{one}, {other}: {:?}", venue.together);
        }
    }
}
