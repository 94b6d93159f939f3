//! How similar two short strings are: edits with swaps, and Jaro-Winkler.

/// The most characters of a string that are compared by edits; of longer ones, the first.
const MOST: usize = 64;

/// Buffers that are used again.
#[derive(Debug, Default, Clone)]
pub(crate) struct Scratch {
    letters: [Vec<char>; 2],
    /// Shingles of two values; those who compare fill them.
    pub(crate) grams: [Vec<u32>; 2],
    buffers: Buffers,
}

#[derive(Debug, Default, Clone)]
struct Buffers {
    rows: [Vec<u16>; 3],
    taken: Vec<bool>,
    common: Vec<u32>,
}

/// The least number of insertions, deletions, replacements and swaps of neighbours that make one string the other, where
/// no part is edited twice (optimal string alignment).
pub(crate) fn edits(a: &str, b: &str, scratch: &mut Scratch) -> usize {
    let Scratch { letters: [x, y], buffers, .. } = scratch;
    if a.is_ascii() && b.is_ascii() {
        return edits_of(a.as_bytes(), b.as_bytes(), buffers);
    }
    spell(a, x);
    spell(b, y);
    edits_of(x, y, buffers)
}

/// Jaro's similarity, raised by a common beginning of up to four characters as Winkler does.
pub(crate) fn jaro_winkler(a: &str, b: &str, scratch: &mut Scratch) -> f64 {
    let Scratch { letters: [x, y], buffers, .. } = scratch;
    if a.is_ascii() && b.is_ascii() {
        return jaro_winkler_of(a.as_bytes(), b.as_bytes(), buffers);
    }
    spell(a, x);
    spell(b, y);
    jaro_winkler_of(x, y, buffers)
}

fn spell(text: &str, letters: &mut Vec<char>) {
    letters.clear();
    letters.extend(text.chars());
}

fn edits_of<L: Copy + PartialEq>(a: &[L], b: &[L], buffers: &mut Buffers) -> usize {
    let (a, b) = (&a[..a.len().min(MOST)], &b[..b.len().min(MOST)]);
    let [before, last, row] = &mut buffers.rows;
    last.clear();
    last.extend((0..=b.len()).map(|at| at as u16));
    before.clone_from(last);
    for (i, &x) in a.iter().enumerate() {
        row.clear();
        row.push(i as u16 + 1);
        for (j, &y) in b.iter().enumerate() {
            let replaced = last[j] + u16::from(x != y);
            let mut least = replaced.min(last[j + 1] + 1).min(row[j] + 1);
            if i > 0 && j > 0 && x == b[j - 1] && a[i - 1] == y {
                least = least.min(before[j - 1] + 1);
            }
            row.push(least);
        }
        std::mem::swap(before, last);
        std::mem::swap(last, row);
    }
    usize::from(last[b.len()])
}

fn jaro_winkler_of<L: Copy + PartialEq>(a: &[L], b: &[L], buffers: &mut Buffers) -> f64 {
    let jaro = jaro(a, b, buffers);
    let prefix = a.iter().zip(b).take(4).take_while(|(x, y)| x == y).count();
    if jaro > 0.7 { jaro + prefix as f64 * 0.1 * (1.0 - jaro) } else { jaro }
}

fn jaro<L: Copy + PartialEq>(a: &[L], b: &[L], buffers: &mut Buffers) -> f64 {
    if a.is_empty() || b.is_empty() {
        return f64::from(u8::from(a.is_empty() && b.is_empty()));
    }
    let window = (a.len().max(b.len()) / 2).saturating_sub(1);
    let Buffers { taken, common, .. } = buffers;
    taken.clear();
    taken.resize(b.len(), false);
    common.clear();
    for (i, &x) in a.iter().enumerate() {
        let (from, to) = (i.saturating_sub(window), (i + window + 1).min(b.len()));
        if from >= to {
            continue;
        }
        if let Some(found) = (from..to).find(|&at| !taken[at] && b[at] == x) {
            taken[found] = true;
            common.push(i as u32);
        }
    }
    let matched = common.len();
    if matched == 0 {
        return 0.0;
    }
    let others = b.iter().zip(taken.iter()).filter(|(_, taken)| **taken).map(|(y, _)| y);
    let moved = common.iter().zip(others).filter(|(i, y)| a[**i as usize] != **y).count() as f64 / 2.0;
    let matched = matched as f64;
    (matched / a.len() as f64 + matched / b.len() as f64 + (matched - moved) / matched) / 3.0
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn chars(text: &str) -> Vec<char> {
        text.chars().collect()
    }

    fn edits_of(a: &str, b: &str) -> usize {
        edits(a, b, &mut Scratch::default())
    }

    fn jaro_of(a: &str, b: &str) -> f64 {
        jaro_winkler(a, b, &mut Scratch::default())
    }

    #[test]
    fn edits_count_swaps_once() {
        assert_eq!(edits_of("", ""), 0);
        assert_eq!(edits_of("", "abc"), 3);
        assert_eq!(edits_of("walch", "walsh"), 1);
        assert_eq!(edits_of("19421023", "19421032"), 1);
        assert_eq!(edits_of("kitten", "sitting"), 3);
        // No part is edited twice: the distance with free swaps would be 2.
        assert_eq!(edits_of("ca", "abc"), 3);
    }

    #[test]
    fn jaro_winkler_has_the_published_values() {
        assert!((jaro_of("martha", "marhta") - 0.9611).abs() < 1e-4);
        assert!((jaro_of("dwayne", "duane") - 0.84).abs() < 1e-4);
        assert!((jaro_of("dixon", "dicksonx") - 0.8133).abs() < 1e-4);
        assert_eq!(jaro_of("abc", "xyz"), 0.0);
        assert_eq!(jaro_of("", ""), 1.0);
        assert_eq!(jaro_of("", "a"), 0.0);
    }

    /// The plain definition: the least of all ways to edit the ends.
    fn plain(a: &[char], b: &[char]) -> usize {
        match (a, b) {
            ([], rest) | (rest, []) => rest.len(),
            ([a @ .., x], [b @ .., y]) => {
                let mut least = plain(a, b) + usize::from(x != y);
                least = least.min(plain(a, &[b, &[*y]].concat()) + 1).min(plain(&[a, &[*x]].concat(), b) + 1);
                if let ([a @ .., v], [b @ .., w]) = (a, b)
                    && (v, x) == (y, w)
                {
                    least = least.min(plain(a, b) + 1);
                }
                least
            }
        }
    }

    proptest! {
        #[test]
        fn edits_are_those_of_the_definition(a in "[abcé]{0,5}", b in "[abcé]{0,5}") {
            prop_assert_eq!(edits_of(&a, &b), plain(&chars(&a), &chars(&b)));
        }

        #[test]
        fn both_are_symmetric_and_within_bounds(a in "[a-dé]{0,9}", b in "[a-dé]{0,9}") {
            prop_assert_eq!(edits_of(&a, &b), edits_of(&b, &a));
            let similarity = jaro_of(&a, &b);
            prop_assert!((0.0..=1.0).contains(&similarity));
            prop_assert_eq!(similarity == 1.0, a == b);
        }
    }
}
