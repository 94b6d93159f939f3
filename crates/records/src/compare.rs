//! Two values of a field -> how similar they are, and in which level of agreement that is.
//!
//! Levels are what weights are learnt for: the first is equality, the last is everything that has nothing in common. A value
//! that is missing has no level: it says nothing.

use crate::column::{Column, MISSING, Value, ValueId};
use crate::kind::{Kind, date};
use crate::strings::{Scratch, edits, jaro_winkler};

/// The level of a pair of which one value is missing.
pub(crate) const NO_LEVEL: u8 = u8::MAX;

/// The least similarities of the levels after equality, for short values.
const SHORT: [f64; 5] = [0.92, 0.84, 0.7, 0.5, 0.3];

/// Those for words, where similarity is graded more finely.
const LONG: [f64; 20] = [
    0.97, 0.94, 0.91, 0.88, 0.85, 0.82, 0.79, 0.76, 0.73, 0.7, 0.66, 0.62, 0.58, 0.54, 0.5, 0.45, 0.4, 0.33,
    0.25, 0.15,
];

/// A single letter that begins the other word agrees with it this much.
const INITIAL: f64 = 0.9;

/// Words less similar than this are different words.
const SAME_WORD: f64 = 0.88;

/// A value whose words are all in the other one is at least this similar to it.
const PART: f64 = 0.85;

/// The least similarities of the levels of a kind, without equality and without the last one.
pub(crate) fn thresholds(kind: Kind) -> &'static [f64] {
    match kind {
        Kind::Text => &LONG,
        _ => &SHORT,
    }
}

/// The number of levels of a kind.
#[cfg(test)]
pub(crate) fn levels(kind: Kind) -> usize {
    thresholds(kind).len() + 2
}

/// The level of a similarity of values that are not equal.
pub(crate) fn level_of(kind: Kind, similarity: f64) -> u8 {
    let below = thresholds(kind).iter().take_while(|&&least| similarity < least).count();
    below as u8 + 1
}

/// The level of two records in a column.
pub(crate) fn level(column: &Column, a: ValueId, b: ValueId, scratch: &mut Scratch) -> u8 {
    if a == MISSING || b == MISSING {
        return NO_LEVEL;
    }
    if a == b {
        return 0;
    }
    level_of(column.kind, similarity(column, a, b, scratch))
}

/// How similar two values are: 1 if they are equal, and less otherwise.
pub(crate) fn similarity(column: &Column, a: ValueId, b: ValueId, scratch: &mut Scratch) -> f64 {
    let (x, y) = (&column.values[a as usize], &column.values[b as usize]);
    if a == b {
        return 1.0;
    }
    let similarity = match column.kind {
        Kind::Code => by_edits(&x.letters, &y.letters, scratch),
        Kind::Number => of_numbers(x, y, scratch),
        Kind::Date => of_dates(x, y, scratch),
        Kind::Phone => of_phones(x, y, scratch),
        Kind::Mail => of_mails(x, y, scratch),
        Kind::Name | Kind::Place | Kind::Category => {
            let whole = jaro_winkler(&x.letters, &y.letters, scratch);
            // Two words are compared as such already, but for initials.
            if let ([_], [_]) = (&x.tokens[..], &y.tokens[..])
                && x.letters.len().min(y.letters.len()) > 1
                && x.letters.len().max(y.letters.len()) <= 24
            {
                return whole.min(0.999);
            }
            // Two words that begin alike are no evidence for long values.
            let whole = if x.letters.len().max(y.letters.len()) > 24 { by_grams(x, y) } else { whole };
            whole.max(by_words(column, x, y, scratch))
        }
        Kind::Text | Kind::Address => by_words(column, x, y, scratch).max(by_grams(x, y)),
    };
    // Only equal values have the first level.
    similarity.min(0.999)
}

/// True if two neighbouring letters are swapped, and nothing else differs.
pub(crate) fn is_swap(column: &Column, a: ValueId, b: ValueId) -> bool {
    let (a, b) = (&column.values[a as usize].letters, &column.values[b as usize].letters);
    let differing: Vec<usize> = (0..a.len()).filter(|&at| b.get(at) != Some(&a[at])).collect();
    match differing[..] {
        [at, next] => a.len() == b.len() && next == at + 1 && a[at] == b[next] && a[next] == b[at],
        _ => false,
    }
}

fn by_edits(a: &[char], b: &[char], scratch: &mut Scratch) -> f64 {
    let longest = a.len().max(b.len()) as f64;
    let edits = edits(a, b, scratch) as f64;
    match edits as usize {
        1 if longest >= 3.0 => 0.93,
        2 if longest >= 6.0 => 0.85,
        _ => (1.0 - edits / longest).min(0.8),
    }
}

fn of_numbers(a: &Value, b: &Value, scratch: &mut Scratch) -> f64 {
    let (Some(x), Some(y)) = (a.number, b.number) else { return by_edits(&a.letters, &b.letters, scratch) };
    let largest = x.abs().max(y.abs());
    if largest > 0.0 { (1.0 - 4.0 * (x - y).abs() / largest).max(0.0) } else { 1.0 }
}

fn of_dates(a: &Value, b: &Value, scratch: &mut Scratch) -> f64 {
    let read = |value: &Value| date(&value.letters.iter().collect::<String>());
    let edits = edits(&a.letters, &b.letters, scratch);
    match (read(a), read(b)) {
        (Some((y, m, d)), Some((v, n, e))) => match () {
            () if edits == 1 || (y == v && m == e && d == n) => 0.95,
            () if edits == 2 => 0.86,
            () if (m, d) == (n, e) => 0.75,
            () if (y, m) == (v, n) || (y, d) == (v, e) => 0.72,
            () if y == v => 0.5,
            () => 0.0,
        },
        // A mistake can make a day that does not exist.
        _ => by_edits(&a.letters, &b.letters, scratch),
    }
}

fn of_phones(a: &Value, b: &Value, scratch: &mut Scratch) -> f64 {
    let common = a.letters.iter().rev().zip(b.letters.iter().rev()).take_while(|(x, y)| x == y).count();
    match (common, edits(&a.letters, &b.letters, scratch)) {
        (7.., _) => 0.95,
        (_, 1) => 0.93,
        (_, 2) => 0.86,
        (4.., _) => 0.6,
        _ => 0.0,
    }
}

fn of_mails(a: &Value, b: &Value, scratch: &mut Scratch) -> f64 {
    let name =
        |value: &Value| -> Vec<char> { value.letters.iter().copied().take_while(|c| *c != '@').collect() };
    let (x, y) = (name(a), name(b));
    if x == y { 0.95 } else { 0.9 * jaro_winkler(&x, &y, scratch) }
}

/// The share of three-letter shingles that both have, of their mean number.
fn by_grams(a: &Value, b: &Value) -> f64 {
    let all = a.grams.len() + b.grams.len();
    if all == 0 { 0.0 } else { 2.0 * common(&a.grams, &b.grams) as f64 / all as f64 }
}

/// The Jaccard similarity of two ascending lists.
pub(crate) fn jaccard(a: &[u32], b: &[u32]) -> f64 {
    let both = common(a, b);
    if both == 0 { 0.0 } else { both as f64 / (a.len() + b.len() - both) as f64 }
}

/// How many numbers two ascending lists have in common.
fn common(a: &[u32], b: &[u32]) -> usize {
    let (mut i, mut j, mut both) = (0, 0, 0);
    while i < a.len() && j < b.len() {
        both += usize::from(a[i] == b[j]);
        let (x, y) = (a[i], b[j]);
        i += usize::from(x <= y);
        j += usize::from(y <= x);
    }
    both
}

/// The share of words that both have, weighted by how rare they are. Words that are spelt almost alike, and a letter that
/// begins a word, count nearly as much.
fn by_words(column: &Column, a: &Value, b: &Value, scratch: &mut Scratch) -> f64 {
    let weight = |token: u32| f64::from(column.weights[token as usize]);
    let sum = |value: &Value| value.tokens.iter().map(|&token| weight(token)).sum::<f64>();
    let (of_a, of_b) = (sum(a), sum(b));
    let (all, fewest) = (of_a + of_b, of_a.min(of_b));
    let (mut both, mut left, mut right) = (0.0, Vec::new(), Vec::new());
    let (mut i, mut j) = (0, 0);
    while i < a.tokens.len() || j < b.tokens.len() {
        match (a.tokens.get(i), b.tokens.get(j)) {
            (Some(x), Some(y)) if x == y => {
                both += 2.0 * weight(*x);
                (i, j) = (i + 1, j + 1);
            }
            (Some(&x), y) if y.is_none_or(|&y| x < y) => {
                left.push(x);
                i += 1;
            }
            (_, Some(&y)) => {
                right.push(y);
                j += 1;
            }
            _ => break,
        }
    }
    // Few words are left over where anything is similar. The most similar two go together first, whichever side they are on.
    if left.len() * right.len() <= 144 {
        let word = |token: u32| &column.tokens[token as usize].letters;
        let mut alike: Vec<(f64, u32, u32)> = Vec::new();
        for &x in &left {
            for &y in &right {
                let similar = of_words(word(x), word(y), scratch);
                if similar >= SAME_WORD {
                    alike.push((similar, x, y));
                }
            }
        }
        alike.sort_by(|(s, a, b), (t, c, d)| {
            t.total_cmp(s).then(a.min(b).cmp(c.min(d))).then(a.max(b).cmp(c.max(d)))
        });
        for (similar, x, y) in alike {
            if let (Some(i), Some(j)) =
                (left.iter().position(|&it| it == x), right.iter().position(|&it| it == y))
            {
                left.swap_remove(i);
                right.swap_remove(j);
                both += similar * (weight(x) + weight(y));
            }
        }
    }
    // One value may be a part of the other: a name with more words, a shorter list of authors.
    if all > 0.0 { (both / all).max(PART * (both / (2.0 * fewest)).min(1.0)) } else { 0.0 }
}

fn of_words(a: &[char], b: &[char], scratch: &mut Scratch) -> f64 {
    match (a, b) {
        ([x], [y, ..]) | ([x, ..], [y]) => {
            if x == y {
                INITIAL
            } else {
                0.0
            }
        }
        _ if a.iter().chain(b).any(char::is_ascii_digit) => 0.0,
        _ => jaro_winkler(a, b, scratch),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn of(kind: Kind, a: &str, b: &str) -> f64 {
        let column = Column::of_values("field", kind, [a, b, "something else", "anders berg"]);
        similarity(&column, column.of[0], column.of[1], &mut Scratch::default())
    }

    #[test]
    fn values_of_each_kind_are_compared_as_people_would() {
        assert_eq!(of(Kind::Name, "Ann Berg", "ann  berg"), 1.0);
        assert!(of(Kind::Name, "nicholas", "nixholas") > 0.9);
        assert!(of(Kind::Name, "berg anders", "anders berg") > 0.99, "the order of words does not count");
        assert!(of(Kind::Name, "A. Berg", "Anders Berg") > 0.9, "initials agree with names");
        assert!(of(Kind::Name, "walch", "nguyen") < 0.5);
        assert!(of(Kind::Date, "19421023", "19421032") > 0.9, "two digits swapped");
        assert!(of(Kind::Date, "1942-02-03", "1942-03-02") > 0.9, "day and month swapped");
        assert!(of(Kind::Date, "1942-02-03", "1967-11-28") < 0.3);
        assert!(of(Kind::Phone, "+1 310 246 1501", "310/246-1501") > 0.9);
        assert!(of(Kind::Code, "4839471", "4839417") > 0.9);
        assert!(of(Kind::Code, "12", "34") < 0.3);
        assert!(of(Kind::Number, "100", "101") > 0.9 && of(Kind::Number, "100", "200") < 0.1);
        assert!(of(Kind::Mail, "a.berg@x.org", "a.berg@y.org") > 0.9);
        assert!(of(Kind::Address, "pridham street", "pridhamstreet") > 0.9, "a space does not count");
    }

    proptest! {
        #[test]
        fn comparing_is_symmetric_and_bounded(a in "[a-cé0-2 ]{1,12}", b in "[a-cé0-2 ]{1,12}") {
            for (_, kind) in Kind::ALL {
                let column = Column::of_values("field", kind, [a.as_str(), b.as_str()]);
                let (x, y) = (column.of[0], column.of[1]);
                let mut scratch = Scratch::default();
                prop_assert_eq!(level(&column, x, y, &mut scratch), level(&column, y, x, &mut scratch));
                if x != MISSING && y != MISSING {
                    let similar = similarity(&column, x, y, &mut scratch);
                    prop_assert!((0.0..=1.0).contains(&similar), "{} {}", kind.as_str(), similar);
                    prop_assert_eq!(similar == 1.0, x == y);
                    prop_assert!(usize::from(level(&column, x, y, &mut scratch)) < levels(kind));
                }
            }
        }
    }
}
