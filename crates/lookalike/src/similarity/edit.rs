//! Two strings -> the least number of insertions, deletions and substitutions that turn one into the other.
//!
//! This is the Levenshtein distance, of the characters of a text or of tokens of any kind. The textbook table costs
//! one step for each pair of positions. [`bits`] computes 64 cells at once, and only those near the diagonal. The
//! width of the diagonal band is doubled until the distance fits into it (Ukkonen 1985). So the cost is about n * d /
//! 64 steps for strings of length n at distance d, which is close to linear for near-duplicates.

mod bits;
#[cfg(test)]
mod tests;

use bits::Pattern;
use std::collections::HashMap;
use std::hash::Hash;

/// The first width of the diagonal band that is tried. A smaller width would not be faster, because a word has 64
/// bits.
const FIRST_LIMIT: usize = 63;

/// Edit distance of two texts, in characters (Unicode scalar values).
///
/// ```
/// use lookalike::similarity::edit_distance;
///
/// assert_eq!(edit_distance("kitten", "sitting"), 3);
/// ```
#[must_use]
pub fn edit_distance(a: &str, b: &str) -> usize {
    edit_distance_at_most(a, b, usize::MAX).unwrap_or(usize::MAX)
}

/// Edit distance of two texts in characters, or `None` if it is more than `limit`. A smaller limit is faster.
///
/// ```
/// use lookalike::similarity::edit_distance_at_most;
///
/// assert_eq!(edit_distance_at_most("kitten", "sitting", 3), Some(3));
/// assert_eq!(edit_distance_at_most("kitten", "sitting", 2), None);
/// ```
#[must_use]
pub fn edit_distance_at_most(a: &str, b: &str, limit: usize) -> Option<usize> {
    if a.is_ascii() && b.is_ascii() {
        return at_most(a.as_bytes(), b.as_bytes(), limit, number_ascii);
    }
    let (a, b): (Vec<char>, Vec<char>) = (a.chars().collect(), b.chars().collect());
    token_edit_distance_at_most(&a, &b, limit)
}

/// `1 - edit distance / length of the longer text`, in characters. It is 1 for two empty texts.
#[must_use]
pub fn edit_similarity(a: &str, b: &str) -> f64 {
    let longer = a.chars().count().max(b.chars().count());
    if longer == 0 { 1.0 } else { 1.0 - edit_distance(a, b) as f64 / longer as f64 }
}

/// Edit distance of two sequences of tokens of any kind: bytes, words, shingles.
///
/// ```
/// use lookalike::similarity::token_edit_distance;
///
/// assert_eq!(token_edit_distance(&["the", "lazy", "dog"], &["the", "dog", "barks"]), 2);
/// ```
#[must_use]
pub fn token_edit_distance<T: Eq + Hash>(a: &[T], b: &[T]) -> usize {
    token_edit_distance_at_most(a, b, usize::MAX).unwrap_or(usize::MAX)
}

/// Edit distance of two sequences of tokens, or `None` if it is more than `limit`.
#[must_use]
pub fn token_edit_distance_at_most<T: Eq + Hash>(a: &[T], b: &[T], limit: usize) -> Option<usize> {
    at_most(a, b, limit, number_tokens)
}

/// The definition of [`token_edit_distance`]: the whole table, a row at a time (Wagner and Fischer 1974).
#[doc(hidden)]
#[must_use]
pub fn token_edit_distance_plainly<T: PartialEq>(a: &[T], b: &[T]) -> usize {
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, x) in a.iter().enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, y) in b.iter().enumerate() {
            let substituted = diagonal + usize::from(x != y);
            diagonal = row[j + 1];
            row[j + 1] = substituted.min(row[j] + 1).min(diagonal + 1);
        }
    }
    row[b.len()]
}

/// The distance, given a function that turns the tokens of a pattern and a text into numbers.
fn at_most<T: Eq>(
    a: &[T],
    b: &[T],
    limit: usize,
    number: impl FnOnce(&[T], &[T]) -> (Pattern, Vec<usize>),
) -> Option<usize> {
    let (a, b) = without_common_ends(a, b);
    let (shorter, longer) = if a.len() <= b.len() { (a, b) } else { (b, a) };
    let least = longer.len() - shorter.len();
    if least > limit {
        return None;
    }
    if shorter.is_empty() {
        return Some(least);
    }
    let (pattern, text) = number(shorter, longer);
    let limit = limit.min(longer.len());
    let mut width = FIRST_LIMIT.max(least).min(limit);
    loop {
        match pattern.distance_at_most(&text, width) {
            Some(distance) => return Some(distance),
            None if width == limit => return None,
            None => width = width.saturating_mul(2).min(limit),
        }
    }
}

/// Numbers the different tokens of the pattern in the order in which they appear.
fn number_tokens<T: Eq + Hash>(pattern: &[T], text: &[T]) -> (Pattern, Vec<usize>) {
    let mut numbers = HashMap::with_capacity(pattern.len());
    let symbols: Vec<usize> = pattern
        .iter()
        .map(|token| {
            let next = numbers.len();
            *numbers.entry(token).or_insert(next)
        })
        .collect();
    // All tokens that the pattern does not have share one more number, because they equal nothing in it.
    let absent = numbers.len();
    let text = text.iter().map(|token| numbers.get(token).copied().unwrap_or(absent)).collect();
    (Pattern::new(&symbols, absent), text)
}

/// Numbers ASCII characters. They need no table, because a character is its own number.
fn number_ascii(pattern: &[u8], text: &[u8]) -> (Pattern, Vec<usize>) {
    let numbers = |bytes: &[u8]| bytes.iter().map(|&byte| usize::from(byte)).collect::<Vec<_>>();
    (Pattern::new(&numbers(pattern), 128), numbers(text))
}

/// Both sequences without their common prefix and common suffix, which do not affect the distance.
fn without_common_ends<'a, T: Eq>(a: &'a [T], b: &'a [T]) -> (&'a [T], &'a [T]) {
    let prefix = a.iter().zip(b).take_while(|(x, y)| x == y).count();
    let (a, b) = (&a[prefix..], &b[prefix..]);
    let suffix = a.iter().rev().zip(b.iter().rev()).take_while(|(x, y)| x == y).count();
    (&a[..a.len() - suffix], &b[..b.len() - suffix])
}
