//! The values of a field: each distinct one once, in the forms in which it is compared.

use crate::kind::Kind;
use crate::table::{RawColumn, Strings};
use crate::threads::{Stopped, Work};
use lookalike::hashing::hash_bytes;

/// The place of a value in its column; [`MISSING`] for a record that has none.
pub(crate) type ValueId = u32;

/// The value of a record that has none.
pub(crate) const MISSING: ValueId = u32::MAX;

/// The values of a field.
#[derive(Debug)]
pub(crate) struct Column {
    pub(crate) name: String,
    pub(crate) kind: Kind,
    pub(crate) values: Vec<Value>,
    /// The value of each record.
    pub(crate) of: Vec<ValueId>,
    /// How many records have each value.
    pub(crate) counts: Vec<u32>,
    /// How much a token says: the logarithm of how rare it is. By token.
    pub(crate) weights: Vec<f32>,
    pub(crate) tokens: Vec<Token>,
    /// How many values have each token.
    pub(crate) token_counts: Vec<u32>,
}

/// A distinct value.
#[derive(Debug)]
pub(crate) struct Value {
    /// Its normal form.
    pub(crate) letters: Vec<char>,
    /// Its distinct tokens, ascending.
    pub(crate) tokens: Vec<u32>,
    /// The hashes of its three-letter shingles, ascending, without spaces.
    pub(crate) grams: Vec<u32>,
    pub(crate) number: Option<f64>,
}

/// A word that occurs in a column.
#[derive(Debug)]
pub(crate) struct Token {
    pub(crate) letters: Vec<char>,
    pub(crate) hash: u64,
}

impl Column {
    /// Reads the values of a field.
    pub(crate) fn new(name: &str, kind: Kind, raw: &RawColumn, work: Work<'_>) -> Result<Self, Stopped> {
        let mut column = Self {
            name: name.to_owned(),
            kind,
            values: Vec::new(),
            of: Vec::with_capacity(raw.of.len()),
            counts: Vec::new(),
            weights: Vec::new(),
            tokens: Vec::new(),
            token_counts: Vec::new(),
        };
        let (mut by_normal, mut by_token) = (Strings::default(), Strings::default());
        let mut ids: Vec<ValueId> = Vec::with_capacity(raw.strings.len());
        for (step, raw) in raw.strings.iter().enumerate() {
            work.go_on_at(step)?;
            let normal = kind.normal(raw);
            let id = if normal.is_empty() { MISSING } else { by_normal.number(&normal) };
            if id as usize == column.values.len() {
                column.add(&normal, &mut by_token);
            }
            ids.push(id);
        }
        for &raw in &raw.of {
            let id = ids[raw as usize];
            column.of.push(id);
            if id != MISSING {
                column.counts[id as usize] += 1;
            }
        }
        let all = column.values.len().max(1) as f32;
        column.weights = column.token_counts.iter().map(|&count| (1.0 + all / count as f32).ln()).collect();
        Ok(column)
    }

    /// The values of a field, for tests.
    #[cfg(test)]
    pub(crate) fn of_values<'v>(name: &str, kind: Kind, values: impl IntoIterator<Item = &'v str>) -> Self {
        let mut raw = RawColumn::default();
        for value in values {
            let number = raw.strings.number(value);
            raw.of.push(number);
        }
        Self::new(name, kind, &raw, Work::unstopped()).unwrap()
    }

    fn add(&mut self, normal: &str, by_token: &mut Strings) {
        let mut tokens: Vec<u32> = Vec::new();
        for word in normal.split(' ') {
            let next = self.tokens.len() as u32;
            let token = by_token.number(word);
            if token == next {
                self.tokens
                    .push(Token { letters: word.chars().collect(), hash: hash_bytes(word.as_bytes()) });
                self.token_counts.push(0);
            }
            tokens.push(token);
        }
        tokens.sort_unstable();
        tokens.dedup();
        tokens.iter().for_each(|&token| self.token_counts[token as usize] += 1);
        let letters: Vec<char> = normal.chars().collect();
        let solid: Vec<char> = letters.iter().copied().filter(|letter| *letter != ' ').collect();
        let mut grams: Vec<u32> = solid.windows(3).map(gram).collect();
        grams.sort_unstable();
        grams.dedup();
        let number = if self.kind == Kind::Number { normal.parse().ok() } else { None };
        self.values.push(Value { letters, tokens, grams, number });
        self.counts.push(0);
    }

    pub(crate) fn value(&self, record: usize) -> Option<&Value> {
        let id = self.of[record];
        (id != MISSING).then(|| &self.values[id as usize])
    }
}

fn gram(letters: &[char]) -> u32 {
    letters
        .iter()
        .fold(0u32, |hash, &letter| (hash ^ letter as u32).wrapping_mul(0x9e37_79b1).rotate_left(13))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_values_are_one() {
        let column = Column::of_values("name", Kind::Name, ["Anna  Berg", "anna berg", "", "Carl", "berg"]);
        assert_eq!(column.of, [0, 0, MISSING, 1, 2]);
        assert_eq!(column.counts, [2, 1, 1]);
        assert_eq!(column.token_counts, [1, 2, 1], "anna, berg, carl: values that have them");
        assert!(column.weights[0] > column.weights[1]);
        assert_eq!(column.value(3).unwrap().letters, ['c', 'a', 'r', 'l']);
        assert!(column.value(2).is_none());
    }
}
