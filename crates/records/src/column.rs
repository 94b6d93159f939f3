//! The values of a field: each distinct one once, in the forms in which it is compared.
//!
//! Values are kept in their normal form, in one string for all of them. What is compared besides follows from it: words have
//! numbers where a kind is compared by words, and shingles are kept where they are compared often; elsewhere they are made
//! when they are needed, because they take more memory than the value.

use crate::kind::Kind;
use crate::table::RawColumn;
use crate::texts::{Lists, Strings, Texts};
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
    /// The normal forms.
    values: Texts,
    /// The value of each record.
    pub(crate) of: Vec<ValueId>,
    /// How many records have each value.
    pub(crate) counts: Vec<u32>,
    /// The words, of a kind that is compared by words.
    words: Texts,
    /// How much a word says: the logarithm of how rare it is.
    pub(crate) weights: Vec<f32>,
    /// The distinct words of each value, ascending.
    words_of: Lists<u32>,
    /// The shingles of each value, where they are kept.
    grams: Option<Lists<u32>>,
}

impl Column {
    /// Reads the values of a field.
    pub(crate) fn new(name: &str, kind: Kind, raw: &RawColumn, work: Work<'_>) -> Result<Self, Stopped> {
        let mut column = Self {
            name: name.to_owned(),
            kind,
            values: Texts::default(),
            of: Vec::with_capacity(raw.of.len()),
            counts: Vec::new(),
            words: Texts::default(),
            weights: Vec::new(),
            words_of: Lists::default(),
            grams: keeps_grams(kind).then(Lists::default),
        };
        let mut by_normal = Strings::default();
        let mut ids: Vec<ValueId> = Vec::with_capacity(raw.strings.len());
        for (step, raw) in raw.strings.iter().enumerate() {
            work.go_on_at(step)?;
            let normal = kind.normal(raw);
            ids.push(if normal.is_empty() { MISSING } else { by_normal.number(&normal) });
        }
        let found = by_normal.into_texts();
        let mut counts = vec![0u32; found.len()];
        for id in raw.of.iter().map(|&raw| ids[raw as usize]).filter(|id| *id != MISSING) {
            counts[id as usize] += 1;
        }
        // The order of the records does not count: frequent values first, so that they are near each other.
        let key = |(value, count): (&str, &u32)| (u32::MAX - count, hash_bytes(value.as_bytes()));
        let mut order: Vec<((u32, u64), u32)> = found.iter().zip(&counts).map(key).zip(0..).collect();
        work.go_on()?;
        order.sort_unstable();
        let mut places = vec![0; found.len()];
        (0..).zip(&order).for_each(|(place, (_, id))| places[*id as usize] = place);
        ids.iter_mut().filter(|id| **id != MISSING).for_each(|id| *id = places[*id as usize]);
        column.of.extend(raw.of.iter().map(|&raw| ids[raw as usize]));
        drop((ids, places));
        let (mut by_word, mut of_value, mut grams) = (Strings::default(), Vec::new(), Vec::new());
        let mut word_counts: Vec<u32> = Vec::new();
        for (step, (_, id)) in order.into_iter().enumerate() {
            work.go_on_at(step)?;
            let normal = found.get(id);
            column.values.push(normal);
            column.counts.push(counts[id as usize]);
            if has_words(kind) {
                of_value.clear();
                of_value.extend(normal.split(' ').map(|word| by_word.number(word)));
                of_value.sort_unstable();
                of_value.dedup();
                word_counts.resize(by_word.len(), 0);
                of_value.iter().for_each(|&word| word_counts[word as usize] += 1);
                column.words_of.push(of_value.iter().copied());
            }
            if let Some(lists) = &mut column.grams {
                grams_of(normal, &mut grams);
                lists.push(grams.iter().copied());
            }
        }
        let all = found.len().max(1) as f32;
        column.weights = word_counts.iter().map(|&count| (1.0 + all / count as f32).ln()).collect();
        column.words = by_word.into_texts();
        column.values.settle();
        column.counts.shrink_to_fit();
        column.words_of.settle();
        column.grams.iter_mut().for_each(Lists::settle);
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

    /// How many distinct values there are.
    pub(crate) fn len(&self) -> usize {
        self.values.len()
    }

    /// The normal form of a value.
    pub(crate) fn text(&self, value: ValueId) -> &str {
        self.values.get(value)
    }

    /// The normal forms of all values.
    pub(crate) fn texts(&self) -> impl Iterator<Item = &str> {
        self.values.iter()
    }

    /// The value of a record, if it has one.
    pub(crate) fn value(&self, record: usize) -> Option<ValueId> {
        Some(self.of[record]).filter(|value| *value != MISSING)
    }

    /// The distinct words of a value by their number, ascending; none of a kind that is not compared by words.
    pub(crate) fn words(&self, value: ValueId) -> &[u32] {
        if has_words(self.kind) { self.words_of.get(value) } else { &[] }
    }

    /// A word.
    pub(crate) fn word(&self, number: u32) -> &str {
        self.words.get(number)
    }

    /// The hashes of the three-letter shingles of a value without its spaces, ascending, each once.
    pub(crate) fn grams<'c>(&'c self, value: ValueId, buffer: &'c mut Vec<u32>) -> &'c [u32] {
        match &self.grams {
            Some(kept) => kept.get(value),
            None => {
                grams_of(self.text(value), buffer);
                buffer
            }
        }
    }

    /// The bytes of memory that it takes.
    pub(crate) fn bytes(&self) -> usize {
        let grams = self.grams.as_ref().map_or(0, Lists::bytes);
        self.values.bytes()
            + self.words.bytes()
            + self.words_of.bytes()
            + grams
            + 4 * (self.of.capacity() + self.counts.capacity() + self.weights.capacity())
    }
}

/// True if values of a kind are compared by their words.
fn has_words(kind: Kind) -> bool {
    matches!(kind, Kind::Name | Kind::Text | Kind::Address | Kind::Place | Kind::Category)
}

/// True if the shingles of a kind are compared whenever two values are.
fn keeps_grams(kind: Kind) -> bool {
    matches!(kind, Kind::Text | Kind::Address)
}

fn grams_of(normal: &str, grams: &mut Vec<u32>) {
    grams.clear();
    let mut letters = normal.chars().filter(|letter| *letter != ' ');
    if let (Some(mut a), Some(mut b)) = (letters.next(), letters.next()) {
        for c in letters {
            grams.push(gram([a, b, c]));
            (a, b) = (b, c);
        }
    }
    grams.sort_unstable();
    grams.dedup();
}

fn gram(letters: [char; 3]) -> u32 {
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
        let texts: Vec<Option<&str>> =
            (0..5).map(|record| column.value(record).map(|value| column.text(value))).collect();
        assert_eq!(texts, [Some("anna berg"), Some("anna berg"), None, Some("carl"), Some("berg")]);
        assert_eq!((column.of[0], column.of[2], &column.counts[..]), (0, MISSING, &[2, 1, 1][..]));
        let words = |record: usize| -> Vec<&str> {
            let value = column.value(record).unwrap();
            column.words(value).iter().map(|&word| column.word(word)).collect()
        };
        assert_eq!((words(0), words(3), words(4)), (vec!["anna", "berg"], vec!["carl"], vec!["berg"]));
        let [anna, berg] = column.words(0) else { panic!("two words") };
        let weight = |word: &u32| column.weights[*word as usize];
        assert!(weight(anna) > weight(berg), "berg is in two values");
    }

    #[test]
    fn numbers_do_not_depend_on_the_order_of_records() {
        let values = ["oslo", "moss", "oslo", "bergen", "", "moss", "oslo"];
        let of = |values: &mut dyn Iterator<Item = &'static str>| {
            let column = Column::of_values("town", Kind::Place, values);
            (column.texts().map(str::to_owned).collect::<Vec<_>>(), column.counts)
        };
        let found = of(&mut values.into_iter());
        assert_eq!(found, of(&mut values.into_iter().rev()));
        assert_eq!(found.1, [3, 2, 1], "frequent values come first");
    }

    #[test]
    fn shingles_are_the_same_whether_they_are_kept_or_not() {
        let of = |kind: Kind, value: &str| {
            let column = Column::of_values("field", kind, [value]);
            column.grams(0, &mut Vec::new()).to_vec()
        };
        for value in ["ab", "abc", "ab c", "anna berg", "ana ana ana"] {
            assert_eq!(of(Kind::Address, value), of(Kind::Name, value), "{value}");
        }
        assert_eq!(of(Kind::Name, "ab c"), of(Kind::Name, "abc"));
        assert_eq!((of(Kind::Name, "ab").len(), of(Kind::Name, "ananana").len()), (0, 2));
    }
}
