//! Words with natural frequencies -> prose.
//!
//! Ranks follow Zipf's law: a word of rank r is drawn about 1/r as often as the first word. Draws use a table of 2^16
//! entries, so that a word costs one random number and one copy: hundreds of megabytes of text per second.

use lookalike::hashing::{SplitMix64, mix64};

const VOCABULARY: usize = 40_000;
const PLACES: usize = 1 << 16;

/// The length of the longest word plus one byte for its length. All words are copied with this size, which is faster
/// than copying their own length.
const CELL: usize = 24;

/// Generates prose. The seed determines the words, their frequencies and every text.
#[derive(Debug, Clone)]
pub struct Prose {
    cells: Vec<[u8; CELL]>,
    places: Vec<u16>,
    seed: u64,
}

impl Prose {
    /// Prose with the vocabulary of `seed`.
    #[must_use]
    pub fn new(seed: u64) -> Self {
        let mut random = SplitMix64::new(seed);
        let cells = (0..VOCABULARY).map(|rank| cell(&word(rank, &mut random))).collect();
        let total: f64 = (1..=VOCABULARY).map(|rank| 1.0 / rank as f64).sum();
        let mut places = Vec::with_capacity(PLACES);
        let mut share = 0.0;
        for rank in 0..VOCABULARY {
            share += 1.0 / ((rank + 1) as f64 * total);
            let until = (share * PLACES as f64).round() as usize;
            while places.len() < until.min(PLACES) {
                places.push(rank as u16);
            }
        }
        places.resize(PLACES, 0);
        Self { cells, places, seed }
    }

    /// A word, drawn according to its frequency with these random bits.
    pub(crate) fn word(&self, draw: u64) -> &str {
        let cell = &self.cells[self.rank(draw)];
        std::str::from_utf8(&cell[..usize::from(cell[CELL - 1])]).expect("words are ASCII")
    }

    /// The text number `number`, of about `bytes` bytes, with sentences and paragraphs.
    #[must_use]
    pub fn text(&self, number: u64, bytes: usize) -> String {
        let mut random = SplitMix64::new(mix64(self.seed) ^ mix64(number));
        let mut out = Vec::with_capacity(bytes + 2 * CELL);
        let mut left_in_sentence = 0u64;
        let mut sentences = 0;
        while out.len() < bytes {
            let draw = random.next_u64();
            let cell = &self.cells[self.rank(draw)];
            let is_first = left_in_sentence == 0;
            if is_first {
                if sentences > 0 {
                    out.extend_from_slice(if sentences % 6 == 0 { b".\n\n" } else { b". " });
                }
                sentences += 1;
                left_in_sentence = 6 + (draw >> 40) % 20;
            } else {
                out.push(b' ');
            }
            left_in_sentence -= 1;
            let start = out.len();
            out.extend_from_slice(cell);
            out.truncate(start + usize::from(cell[CELL - 1]));
            if is_first {
                out[start].make_ascii_uppercase();
            }
        }
        out.push(b'.');
        String::from_utf8(out).expect("words are ASCII")
    }

    /// Draws a rank according to its frequency. One draw in sixteen is uniform over the vocabulary, so that rare
    /// words occur too.
    fn rank(&self, draw: u64) -> usize {
        if draw >> 60 == 0 {
            ((draw & 0xffff_ffff) as usize * VOCABULARY) >> 32
        } else {
            usize::from(self.places[(draw & 0xffff) as usize])
        }
    }
}

fn cell(word: &str) -> [u8; CELL] {
    let mut cell = [0; CELL];
    let len = word.len().min(CELL - 1);
    cell[..len].copy_from_slice(&word.as_bytes()[..len]);
    cell[CELL - 1] = len as u8;
    cell
}

/// A word that can be pronounced. Frequent words are short.
fn word(rank: usize, random: &mut SplitMix64) -> String {
    const ONSETS: [&str; 16] =
        ["b", "c", "d", "f", "g", "h", "l", "m", "n", "p", "r", "s", "t", "v", "st", "tr"];
    const VOWELS: [&str; 8] = ["a", "e", "i", "o", "u", "ea", "io", "ou"];
    const ENDS: [&str; 8] = ["", "", "n", "r", "s", "t", "l", "nd"];
    let syllables = match rank {
        0..100 => 1,
        100..3_000 => 2,
        _ => 3 + random.below(2),
    };
    let mut out = String::new();
    for _ in 0..syllables {
        out.push_str(ONSETS[random.below(16) as usize]);
        out.push_str(VOWELS[random.below(8) as usize]);
    }
    out.push_str(ENDS[random.below(8) as usize]);
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_follows_from_seed_and_number() {
        let prose = Prose::new(1);
        let text = prose.text(7, 2_000);
        assert_eq!(text, Prose::new(1).text(7, 2_000));
        assert_ne!(text, prose.text(8, 2_000));
        assert_ne!(text, Prose::new(2).text(7, 2_000));
        assert!((2_000..2_040).contains(&text.len()));
        assert!(text.contains(". ") && text.contains("\n\n"));
    }

    #[test]
    fn frequencies_are_natural() {
        let prose = Prose::new(3);
        let text = prose.text(0, 1_000_000).to_lowercase();
        let mut counts = std::collections::BTreeMap::new();
        for word in text.split(|c: char| !c.is_alphabetic()).filter(|word| !word.is_empty()) {
            *counts.entry(word).or_insert(0u32) += 1;
        }
        let mut sorted: Vec<u32> = counts.values().copied().collect();
        sorted.sort_unstable_by(|a, b| b.cmp(a));
        let total: u32 = sorted.iter().sum();
        let first = f64::from(sorted[0]) / f64::from(total);
        // 1/H(40,000) = 0.089 of the Zipf draws; short words may coincide, which only adds.
        assert!((0.07..0.2).contains(&first), "{first}");
        assert!(counts.len() > 8_000, "{}", counts.len());
    }
}
