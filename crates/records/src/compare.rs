//! Two values of a field -> how similar they are, and in which level of agreement that is.
//!
//! Levels are what weights are learnt for: the first is equality, the last is everything that has nothing in common. A value
//! that is missing has no level: it says nothing.

use crate::column::{Column, MISSING, ValueId};
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
    if a == b {
        return 1.0;
    }
    let (x, y) = (column.text(a), column.text(b));
    let similarity = match column.kind {
        Kind::Code => by_edits(x, y, scratch),
        Kind::Number => of_numbers(x, y, scratch),
        Kind::Date => of_dates(x, y, scratch),
        Kind::Phone => of_phones(x, y, scratch),
        Kind::Mail => of_mails(x, y, scratch),
        Kind::Name | Kind::Place | Kind::Category => {
            let whole = jaro_winkler(x, y, scratch);
            let (shortest, longest) = lengths(x, y);
            // Two words are compared as such already, but for initials.
            if column.words(a).len() == 1 && column.words(b).len() == 1 && shortest > 1 && longest <= 24 {
                return whole.min(0.999);
            }
            // Two words that begin alike are no evidence for long values.
            let whole = if longest > 24 { by_grams(column, a, b, scratch) } else { whole };
            whole.max(by_words(column, a, b, scratch))
        }
        Kind::Text | Kind::Address => by_words(column, a, b, scratch).max(by_grams(column, a, b, scratch)),
    };
    // Only equal values have the first level.
    similarity.min(0.999)
}

/// The letters of the shorter string, and of the longer one.
fn lengths(a: &str, b: &str) -> (usize, usize) {
    let count = |text: &str| if text.is_ascii() { text.len() } else { text.chars().count() };
    let (a, b) = (count(a), count(b));
    (a.min(b), a.max(b))
}

/// True if two neighbouring letters are swapped, and nothing else differs.
pub(crate) fn is_swap(column: &Column, a: ValueId, b: ValueId) -> bool {
    let letters = |value: ValueId| column.text(value).chars().collect::<Vec<char>>();
    let (a, b) = (letters(a), letters(b));
    let differing: Vec<usize> = (0..a.len()).filter(|&at| b.get(at) != Some(&a[at])).collect();
    match differing[..] {
        [at, next] => a.len() == b.len() && next == at + 1 && a[at] == b[next] && a[next] == b[at],
        _ => false,
    }
}

fn by_edits(a: &str, b: &str, scratch: &mut Scratch) -> f64 {
    let longest = lengths(a, b).1 as f64;
    let edits = edits(a, b, scratch) as f64;
    match edits as usize {
        1 if longest >= 3.0 => 0.93,
        2 if longest >= 6.0 => 0.85,
        _ => (1.0 - edits / longest).min(0.8),
    }
}

fn of_numbers(a: &str, b: &str, scratch: &mut Scratch) -> f64 {
    let (Ok(x), Ok(y)) = (a.parse::<f64>(), b.parse::<f64>()) else { return by_edits(a, b, scratch) };
    let largest = x.abs().max(y.abs());
    if largest > 0.0 { (1.0 - 4.0 * (x - y).abs() / largest).max(0.0) } else { 1.0 }
}

fn of_dates(a: &str, b: &str, scratch: &mut Scratch) -> f64 {
    let edits = edits(a, b, scratch);
    match (date(a), date(b)) {
        (Some((y, m, d)), Some((v, n, e))) => match days((y, m, d)).abs_diff(days((v, n, e))) {
            _ if edits == 1 || (y == v && m == e && d == n) => 0.95,
            apart if apart <= 1 || edits == 2 => 0.86,
            _ if (m, d) == (n, e) => 0.75,
            apart if apart <= 31 || (y, d) == (v, e) => 0.72,
            apart if apart <= 366 => 0.5,
            _ => 0.0,
        },
        // A mistake can make a day that does not exist.
        _ => by_edits(a, b, scratch),
    }
}

/// The number of a day, counted from the first one of March of the year 0. A year begins with March, so that its last day is that
/// which some years lack, and the months before a month have 30.6 days each, rounded.
fn days((year, month, day): (u32, u32, u32)) -> u32 {
    let (year, month) = if month > 2 { (year, month - 3) } else { (year - 1, month + 9) };
    365 * year + year / 4 - year / 100 + year / 400 + (153 * month + 2) / 5 + day - 1
}

fn of_phones(a: &str, b: &str, scratch: &mut Scratch) -> f64 {
    let common = a.chars().rev().zip(b.chars().rev()).take_while(|(x, y)| x == y).count();
    match (common, edits(a, b, scratch)) {
        (7.., _) => 0.95,
        (_, 1) => 0.93,
        (_, 2) => 0.86,
        (4.., _) => 0.6,
        _ => 0.0,
    }
}

fn of_mails(a: &str, b: &str, scratch: &mut Scratch) -> f64 {
    let name = |mail: &'_ str| mail.find('@').unwrap_or(mail.len());
    let (x, y) = (&a[..name(a)], &b[..name(b)]);
    if x == y { 0.95 } else { 0.9 * jaro_winkler(x, y, scratch) }
}

/// The share of three-letter shingles that both have, of their mean number.
fn by_grams(column: &Column, a: ValueId, b: ValueId, scratch: &mut Scratch) -> f64 {
    let [of_a, of_b] = &mut scratch.grams;
    let (a, b) = (column.grams(a, of_a), column.grams(b, of_b));
    let all = a.len() + b.len();
    if all == 0 { 0.0 } else { 2.0 * common(a, b) as f64 / all as f64 }
}

/// The Jaccard similarity of the shingles of two values.
pub(crate) fn jaccard_of(column: &Column, a: ValueId, b: ValueId, scratch: &mut Scratch) -> f64 {
    let [of_a, of_b] = &mut scratch.grams;
    jaccard(column.grams(a, of_a), column.grams(b, of_b))
}

/// The Jaccard similarity of two ascending lists.
fn jaccard(a: &[u32], b: &[u32]) -> f64 {
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
fn by_words(column: &Column, a: ValueId, b: ValueId, scratch: &mut Scratch) -> f64 {
    let (a, b) = (column.words(a), column.words(b));
    let weight = |word: u32| f64::from(column.weights[word as usize]);
    let sum = |words: &[u32]| words.iter().map(|&word| weight(word)).sum::<f64>();
    let (of_a, of_b) = (sum(a), sum(b));
    let (all, fewest) = (of_a + of_b, of_a.min(of_b));
    let (mut both, mut left, mut right) = (0.0, Vec::new(), Vec::new());
    let (mut i, mut j) = (0, 0);
    while i < a.len() || j < b.len() {
        match (a.get(i), b.get(j)) {
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
        let word = |number: u32| column.word(number);
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

fn of_words(a: &str, b: &str, scratch: &mut Scratch) -> f64 {
    let (shortest, _) = lengths(a, b);
    if shortest == 1 {
        return if a.chars().next() == b.chars().next() { INITIAL } else { 0.0 };
    }
    if a.bytes().chain(b.bytes()).any(|byte| byte.is_ascii_digit()) {
        return 0.0;
    }
    jaro_winkler(a, b, scratch)
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
        let next_day = of(Kind::Date, "1999-12-31", "2000-01-01");
        let [week, months] = ["2000-01-06", "2000-05-17"].map(|other| of(Kind::Date, "1999-12-31", other));
        assert!(next_day > week && week > months && months > 0.3, "{next_day} {week} {months}");
        assert!(of(Kind::Phone, "+1 310 246 1501", "310/246-1501") > 0.9);
        assert!(of(Kind::Code, "4839471", "4839417") > 0.9);
        assert!(of(Kind::Code, "12", "34") < 0.3);
        assert!(of(Kind::Number, "100", "101") > 0.9 && of(Kind::Number, "100", "200") < 0.1);
        assert!(of(Kind::Mail, "a.berg@x.org", "a.berg@y.org") > 0.9);
        assert!(of(Kind::Address, "pridham street", "pridhamstreet") > 0.9, "a space does not count");
    }

    /// Days have consecutive numbers, also over the ends of months, of years and of centuries.
    #[test]
    fn days_are_numbered() {
        let (mut day, mut number) = ((1_896, 2, 28), days((1_896, 2, 28)));
        while day < (2_004, 3, 2) {
            let (y, m, d) = day;
            let is_leap = y % 4 == 0 && (y % 100 != 0 || y % 400 == 0);
            let last =
                [31, if is_leap { 29 } else { 28 }, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31][m as usize - 1];
            day = if d < last {
                (y, m, d + 1)
            } else if m < 12 {
                (y, m + 1, 1)
            } else {
                (y + 1, 1, 1)
            };
            number += 1;
            assert_eq!(days(day), number, "{day:?}");
        }
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
