//! A corpus of originals, copies, near-duplicates, clusters and chains, in random order.

use super::{Document, Prose, Score, Truth, edited};
use lookalike::hashing::{SplitMix64, mix64};

/// A corpus of prose with planted near-duplicates. These values determine the whole corpus.
#[derive(Debug, Clone)]
pub struct Planted {
    /// Number of documents.
    pub documents: usize,
    /// The smallest and the largest length of an original in bytes. Lengths are uniform between them on a logarithmic
    /// scale.
    pub bytes: (usize, usize),
    /// The share of exact copies.
    pub copies: f64,
    /// The share of near-duplicates.
    pub near: f64,
    /// The smallest and the largest intended similarity. Similarities are uniform between them.
    pub similarity: (f64, f64),
    /// If a near-duplicate is made from a document that is itself a near-duplicate, this is the probability that it
    /// is made from that document and not from its original. This gives chains A ~ B ~ C in which A and C need not be
    /// similar.
    pub chains: f64,
    /// The share of copies and near-duplicates that are made from one of a few originals (in the first hundredth of
    /// the corpus). This gives large clusters.
    pub popular: f64,
    /// The seed of all random choices.
    pub seed: u64,
}

impl Default for Planted {
    fn default() -> Self {
        Self {
            documents: 1_000,
            bytes: (300, 6_000),
            copies: 0.05,
            near: 0.25,
            similarity: (0.4, 1.0),
            chains: 0.3,
            popular: 0.2,
            seed: 1,
        }
    }
}

impl Planted {
    /// Short documents, 300 to 500 bytes.
    #[must_use]
    pub fn short(documents: usize, seed: u64) -> Self {
        Self { documents, bytes: (300, 500), seed, ..Self::default() }
    }

    /// The documents, in order.
    pub fn iter(&self) -> impl Iterator<Item = Document> {
        let prose = Prose::new(self.seed);
        (0..self.documents).map(move |number| self.document(&prose, number))
    }

    /// All documents at once.
    #[must_use]
    pub fn collect(&self) -> Vec<Document> {
        self.iter().collect()
    }

    /// How document `number` is made.
    #[must_use]
    pub fn truth(&self, number: usize) -> Truth {
        let mut random = self.random(number);
        let kind = random.next_f64();
        if number == 0 || kind >= self.copies + self.near {
            return Truth::Original;
        }
        let earlier =
            if random.next_f64() < self.popular { (self.documents / 100).clamp(1, number) } else { number };
        let of = random.below(earlier as u64) as usize;
        if kind < self.copies {
            return Truth::Copy { of };
        }
        let (low, high) = self.similarity;
        let similarity = low + (high - low) * random.next_f64();
        let of = if random.next_f64() < self.chains { of } else { self.original(of) };
        Truth::Edited { of, similarity }
    }

    /// The original that a document was derived from.
    #[must_use]
    pub fn original(&self, mut number: usize) -> usize {
        loop {
            match self.truth(number) {
                Truth::Original => return number,
                Truth::Copy { of } | Truth::Edited { of, .. } => number = of,
            }
        }
    }

    fn document(&self, prose: &Prose, number: usize) -> Document {
        let mut random = SplitMix64::new(mix64(self.seed ^ 0x5c0e) ^ number as u64);
        Document {
            id: format!("doc-{number}"),
            text: self.text(prose, number),
            // There are few different values, so that ties occur; one document in eight has no score.
            score: (random.below(8) > 0).then(|| Score::Number(random.below(20) as f64 / 4.0 - 1.0)),
            domain: (random.below(16) > 0).then(|| format!("site-{}.example", random.below(5))),
            truth: self.truth(number),
        }
    }

    fn text(&self, prose: &Prose, number: usize) -> String {
        match self.truth(number) {
            Truth::Original => {
                let (least, greatest) = (self.bytes.0.max(1) as f64, self.bytes.1.max(1) as f64);
                let fraction = SplitMix64::new(mix64(number as u64 ^ self.seed)).next_f64();
                prose.text(number as u64, (least * (greatest / least).powf(fraction)) as usize)
            }
            Truth::Copy { of } => self.text(prose, of),
            Truth::Edited { of, similarity } => {
                edited(prose, &self.text(prose, of), similarity, mix64(self.seed) ^ number as u64)
            }
        }
    }

    fn random(&self, number: usize) -> SplitMix64 {
        SplitMix64::new(mix64(self.seed.wrapping_add(0x9e37)) ^ mix64(number as u64))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_are_as_asked_and_copies_are_equal() {
        let corpus = Planted { documents: 4_000, ..Planted::default() };
        let documents = corpus.collect();
        let (mut copies, mut near) = (0, 0);
        for document in &documents {
            match document.truth {
                Truth::Original => {}
                Truth::Copy { of } => {
                    copies += 1;
                    assert_eq!(document.text, documents[of].text);
                }
                Truth::Edited { of, .. } => {
                    near += 1;
                    assert_ne!(document.text, documents[of].text);
                }
            }
        }
        // Binomial, five standard deviations.
        assert!((f64::from(copies) - 200.0).abs() < 5.0 * 14.0, "{copies}");
        assert!((f64::from(near) - 1_000.0).abs() < 5.0 * 28.0, "{near}");
    }

    #[test]
    fn there_are_chains_and_large_clusters() {
        let corpus = Planted { documents: 2_000, ..Planted::default() };
        let mut sizes = vec![0; corpus.documents];
        let mut chains = 0;
        for number in 0..corpus.documents {
            sizes[corpus.original(number)] += 1;
            if let Truth::Edited { of, .. } = corpus.truth(number) {
                chains += usize::from(matches!(corpus.truth(of), Truth::Edited { .. }));
            }
        }
        assert!(chains > 10, "{chains}");
        assert!(sizes.iter().max() > Some(&5), "{sizes:?}");
    }

    #[test]
    fn short_documents_are_short() {
        let lengths: Vec<usize> =
            Planted { near: 0.0, ..Planted::short(500, 3) }.iter().map(|d| d.text.len()).collect();
        assert!(lengths.iter().all(|len| (300..540).contains(len)), "{lengths:?}");
    }
}
