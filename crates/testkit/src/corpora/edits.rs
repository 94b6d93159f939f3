//! A text and a similarity -> another text with about this similarity to the first.
//!
//! An edit in the middle of a document of m shingles of k words changes k shingles. With x edits far from each other,
//! m - kx shingles remain common and as many as kx are new, so J = (m - kx) / (m + kx), and x = m (1 - J) / (k (1 +
//! J)).

use super::Prose;
use lookalike::hashing::SplitMix64;

const K: f64 = 5.0;

/// Replaces, inserts and deletes words of `text`, and sometimes moves a paragraph, so that the similarity to the
/// original is about `similarity` (Jaccard of five-word shingles). `seed` determines the edits. There is at least one
/// edit, unless the text has no words.
#[must_use]
pub fn edited(prose: &Prose, text: &str, similarity: f64, seed: u64) -> String {
    let mut random = SplitMix64::new(seed);
    let words: Vec<&str> = text.split(' ').collect();
    if text.trim().is_empty() {
        return text.to_owned();
    }
    let similarity = similarity.clamp(0.0, 1.0);
    let wanted = words.len() as f64 * (1.0 - similarity) / (K * (1.0 + similarity));
    let mut edits = (wanted.round() as usize).clamp(1, words.len());
    let moves = edits >= 12 && random.below(4) == 0;
    if moves {
        edits -= 2;
    }
    let mut is_edited = vec![false; words.len()];
    for number in 0..edits {
        // There is one edit in each stretch of equal length, because edits close together would change the same
        // shingles.
        let (start, end) = (number * words.len() / edits, (number + 1) * words.len() / edits);
        is_edited[start + random.below((end - start).max(1) as u64) as usize] = true;
    }
    let mut out = String::with_capacity(text.len() + edits * 8);
    for (word, is_edited) in words.into_iter().zip(is_edited) {
        let new = if is_edited { prose.word(random.next_u64() | 1 << 63) } else { "" };
        let kept = match random.below(3) {
            _ if !is_edited => word,
            0 => {
                push(&mut out, new);
                word
            }
            1 => "",
            _ if new == word => "else",
            _ => new,
        };
        push(&mut out, kept);
    }
    if moves { with_moved_paragraph(&out, &mut random) } else { out }
}

fn push(out: &mut String, word: &str) {
    if !word.is_empty() {
        if !out.is_empty() {
            out.push(' ');
        }
        out.push_str(word);
    }
}

fn with_moved_paragraph(text: &str, random: &mut SplitMix64) -> String {
    let mut paragraphs: Vec<&str> = text.split("\n\n").collect();
    let moved = paragraphs.remove(random.below(paragraphs.len() as u64) as usize);
    paragraphs.insert(random.below(paragraphs.len() as u64 + 1) as usize, moved);
    paragraphs.join("\n\n")
}

#[cfg(test)]
mod tests {
    use super::*;
    use lookalike::shingling::Shingler;
    use lookalike::similarity::jaccard;

    #[test]
    fn about_the_similarity_is_left() {
        let prose = Prose::new(1);
        let shingler = Shingler::default();
        for (number, wanted) in [0.97, 0.9, 0.8, 0.7, 0.5, 0.3].into_iter().enumerate() {
            let mut sum = 0.0;
            for trial in 0..20 {
                let text = prose.text((number * 100 + trial) as u64, 6_000);
                let other = edited(&prose, &text, wanted, trial as u64);
                sum += jaccard(&shingler.set(&text), &shingler.set(&other));
            }
            let mean = sum / 20.0;
            assert!((mean - wanted).abs() < 0.06, "wanted {wanted}, got {mean}");
        }
    }

    #[test]
    fn short_texts_change_too() {
        let prose = Prose::new(1);
        for (seed, text) in ["one", "one two", "", "  "].into_iter().enumerate() {
            let other = edited(&prose, text, 0.99, seed as u64);
            assert_eq!(other == text, text.trim().is_empty(), "{text:?} became {other:?}");
        }
    }
}
