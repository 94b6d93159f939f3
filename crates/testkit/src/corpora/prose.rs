//! Words with natural frequencies -> prose.
//!
//! Ranks follow Zipf's law: a word of rank r is drawn about 1/r as often as the first. Draws come from a table of 2^16
//! places, so that a word costs a random number and a copy: about 300 MB of text per second.

use lookalike::hashing::{SplitMix64, mix64};

const VOCABULARY: usize = 40_000;
const PLACES: usize = 1 << 16;

/// Makes prose. Words, their frequencies and every text follow from the seed.
#[derive(Debug, Clone)]
pub struct Prose {
    words: Vec<String>,
    places: Vec<u16>,
    seed: u64,
}

impl Prose {
    /// Prose of the vocabulary that belongs to `seed`.
    #[must_use]
    pub fn new(seed: u64) -> Self {
        let mut random = SplitMix64::new(seed);
        let words = (0..VOCABULARY).map(|rank| word(rank, &mut random)).collect();
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
        Self { words, places, seed }
    }

    /// A word, drawn by its frequency with these random bits.
    pub(crate) fn word(&self, draw: u64) -> &str {
        &self.words[self.rank(draw)]
    }

    /// The text of about `bytes` bytes that belongs to `number`: sentences and paragraphs.
    #[must_use]
    pub fn text(&self, number: u64, bytes: usize) -> String {
        let mut out = String::with_capacity(bytes + 32);
        self.text_into(number, bytes, &mut out);
        out
    }

    /// Appends the text of about `bytes` bytes that belongs to `number` to `out`.
    pub fn text_into(&self, number: u64, bytes: usize, out: &mut String) {
        let mut random = SplitMix64::new(mix64(self.seed) ^ mix64(number));
        let end = out.len() + bytes;
        let mut left_in_sentence = 0u64;
        let mut sentences = 0;
        while out.len() < end {
            let draw = random.next_u64();
            let word = &self.words[self.rank(draw)];
            if left_in_sentence == 0 {
                if sentences > 0 {
                    out.push_str(if sentences % 6 == 0 { ".\n\n" } else { ". " });
                }
                sentences += 1;
                left_in_sentence = 6 + (draw >> 40) % 20;
                let (first, rest) = word.split_at(1);
                out.push(first.as_bytes()[0].to_ascii_uppercase().into());
                out.push_str(rest);
            } else {
                out.push(' ');
                out.push_str(word);
            }
            left_in_sentence -= 1;
        }
        out.push('.');
    }

    /// A rank by its frequency; one draw in sixteen is uniform over the vocabulary, which keeps rare words in play.
    fn rank(&self, draw: u64) -> usize {
        if draw >> 60 == 0 {
            ((draw & 0xffff_ffff) as usize * VOCABULARY) >> 32
        } else {
            usize::from(self.places[(draw & 0xffff) as usize])
        }
    }
}

/// A word that can be pronounced: frequent ones short.
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
