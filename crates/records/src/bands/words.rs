//! The rarest words of each record, wherever in it they stand.

use crate::column::Column;
use crate::table::ByHash;
use crate::texts::Lists;
use crate::threads::{Stopped, Work};
use lookalike::hashing::{hash_bytes, mix64};

/// How many of the rarest words of a record are rows.
pub(crate) const RARE_WORDS: usize = 5;

/// The hashes of the words of a normal form that have more than two letters.
pub(crate) fn long_words(normal: &str) -> impl Iterator<Item = u64> {
    let is_long = |word: &&str| word.len() > 2 && (word.is_ascii() || word.chars().count() > 2);
    normal.split(' ').filter(is_long).map(|word| hash_bytes(word.as_bytes()))
}

/// Which words occur at least twice, or look so: two bits for each of many slots.
struct Twice {
    once: Vec<u64>,
    twice: Vec<u64>,
}

impl Twice {
    /// For about so many words.
    fn new(words: usize) -> Self {
        let size = (words / 8).next_power_of_two().max(1_024);
        Self { once: vec![0; size], twice: vec![0; size] }
    }

    fn place(&self, hash: u64) -> (usize, u64) {
        let hash = mix64(hash);
        ((hash >> 6) as usize & (self.once.len() - 1), 1 << (hash & 63))
    }

    fn add(&mut self, hash: u64, times: u32) {
        let (at, bit) = self.place(hash);
        if times > 1 || self.once[at] & bit != 0 {
            self.twice[at] |= bit;
        }
        self.once[at] |= bit;
    }

    fn has(&self, hash: u64) -> bool {
        let (at, bit) = self.place(hash);
        self.twice[at] & bit != 0
    }
}

/// The rarest words of each record that another record has too; 0 where it has fewer.
pub(crate) fn rare_words(
    columns: &[Column],
    count: usize,
    work: Work<'_>,
) -> Result<Vec<[u32; RARE_WORDS]>, Stopped> {
    let values = columns.iter().map(Column::len).sum();
    // Most words of a large table occur once, and are not counted one by one.
    let mut twice = Twice::new(values);
    for column in columns {
        for (step, (value, &times)) in column.texts().zip(&column.counts).enumerate() {
            work.go_on_at(step)?;
            long_words(value).for_each(|word| twice.add(word, times));
        }
    }
    let mut counts: ByHash<u32> = ByHash::default();
    for column in columns {
        for (step, (value, times)) in column.texts().zip(&column.counts).enumerate() {
            work.go_on_at(step)?;
            for word in long_words(value).filter(|word| twice.has(*word)) {
                *counts.entry(word).or_default() += times;
            }
        }
    }
    drop(twice);
    // By column and value: its words, with how often they occur.
    let of_column = |column: &Column| -> Result<Lists<(u32, u32)>, Stopped> {
        let mut lists = Lists::default();
        for (step, value) in column.texts().enumerate() {
            work.go_on_at(step)?;
            let times = |word: u64| counts.get(&word).copied().filter(|times| *times > 1);
            // A word that no other record has finds nothing.
            lists.push(
                long_words(value).filter_map(|word| Some((times(word)?, (mix64(word) >> 32) as u32 | 1))),
            );
        }
        Ok(lists)
    };
    let of_columns: Vec<Lists<(u32, u32)>> = columns.iter().map(of_column).collect::<Result<_, Stopped>>()?;
    drop(counts);
    let mut words: Vec<(u32, u32)> = Vec::new();
    let of_record = |record: usize| {
        work.go_on_at(record)?;
        words.clear();
        for (column, lists) in columns.iter().zip(&of_columns) {
            words.extend(column.value(record).map(|value| lists.get(value)).unwrap_or_default());
        }
        words.sort_unstable();
        words.dedup();
        let mut rare = [0; RARE_WORDS];
        rare.iter_mut().zip(&words).for_each(|(into, (_, word))| *into = *word);
        Ok(rare)
    };
    (0..count).map(of_record).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kind::Kind;

    #[test]
    fn rare_words_are_those_that_few_others_have() {
        let column = Column::of_values("a", Kind::Text, ["the old oak", "the oak", "the elm", "the elm oak"]);
        let other = Column::of_values("b", Kind::Name, ["elm", "", "", ""]);
        let rare = rare_words(&[column, other], 4, Work::unstopped()).unwrap();
        let hash = |word: &str| (mix64(hash_bytes(word.as_bytes())) >> 32) as u32 | 1;
        let of = |words: &[&str]| {
            let mut of = [0; RARE_WORDS];
            of.iter_mut().zip(words).for_each(|(into, word)| *into = hash(word));
            of
        };
        // `oak` and `elm` occur three times, `the` four times, `old` once.
        let mut pair = ["oak", "elm"];
        pair.sort_by_key(|word| hash(word));
        assert_eq!(rare[0], of(&[pair[0], pair[1], "the"]));
        assert_eq!(rare[1], of(&["oak", "the"]));
        assert_eq!(rare[2], of(&["elm", "the"]));
    }

    #[test]
    fn words_have_letters_and_not_bytes() {
        assert_eq!(long_words("éa ab abc éab").count(), 2);
    }
}
