//! A collection -> the number of documents in which each term occurs.

use std::collections::HashMap;

use super::{DocumentVector, TfIdf};
use crate::encoding::Format;
use crate::error::Result;
use crate::shingling::ShingleBag;

const FORMAT: Format = Format { what: "document frequencies", magic: "LKDF", version: 1 };
const HEADER: usize = 24;

/// Document frequencies, counted in one pass over a collection. Call [`add`](Self::add) once per document, in any
/// order. Parts that were counted separately can be [merged](Self::merge).
///
/// A different term takes 16 bytes in a file and about twice that in memory.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct DocumentFrequencies {
    documents: u64,
    frequencies: HashMap<u64, u64>,
}

impl DocumentFrequencies {
    /// The frequencies of an empty collection.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Counts one document by its different terms.
    pub fn add(&mut self, document: &ShingleBag) {
        self.documents = self.documents.saturating_add(1);
        for &(term, _) in document.as_slice() {
            let frequency = self.frequencies.entry(term).or_default();
            *frequency = frequency.saturating_add(1);
        }
    }

    /// Adds the counts of other documents.
    pub fn merge(&mut self, other: &Self) {
        // Counts that were read from bytes may be as large as the type allows.
        self.documents = self.documents.saturating_add(other.documents);
        #[expect(clippy::iter_over_hash_type, reason = "sums of integers do not depend on the order")]
        for (&term, &frequency) in &other.frequencies {
            let sum = self.frequencies.entry(term).or_default();
            *sum = sum.saturating_add(frequency);
        }
    }

    /// The number of documents that were counted.
    #[must_use]
    pub fn documents(&self) -> u64 {
        self.documents
    }

    /// The number of different terms.
    #[must_use]
    pub fn terms(&self) -> usize {
        self.frequencies.len()
    }

    /// The number of documents in which the term occurs.
    #[must_use]
    pub fn get(&self, term: u64) -> u64 {
        self.frequencies.get(&term).copied().unwrap_or(0)
    }

    /// The weight of a term that occurs `count` times in one document of this collection.
    #[must_use]
    pub fn weight(&self, weighting: TfIdf, term: u64, count: u32) -> f64 {
        weighting.weight(count, self.get(term), self.documents)
    }

    /// The vector of a document of this collection, with its terms as the only features. (To add other features, use
    /// a [`DocumentVectorBuilder`](super::DocumentVectorBuilder).)
    #[must_use]
    pub fn vector(&self, weighting: TfIdf, document: &ShingleBag) -> DocumentVector {
        let terms = document.as_slice().iter();
        DocumentVector::from_ascending(
            terms.map(|&(term, count)| (term, self.weight(weighting, term, count))),
        )
    }

    /// The counts as bytes: the magic `LKDF`, the version (1), three zero bytes, the number of documents, the number
    /// of terms, then each term with its frequency, in ascending order of terms. All numbers are 8 bytes,
    /// little-endian.
    #[must_use]
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut entries: Vec<(u64, u64)> = self.frequencies.iter().map(|(&term, &n)| (term, n)).collect();
        entries.sort_unstable();
        let mut bytes = FORMAT.begin(HEADER + 16 * entries.len());
        bytes.extend_from_slice(&[0; 3]);
        bytes.extend_from_slice(&self.documents.to_le_bytes());
        bytes.extend_from_slice(&(entries.len() as u64).to_le_bytes());
        for (term, frequency) in entries {
            bytes.extend_from_slice(&term.to_le_bytes());
            bytes.extend_from_slice(&frequency.to_le_bytes());
        }
        bytes
    }

    /// Reads the bytes that [`to_bytes`](Self::to_bytes) wrote. Every other input gives an error.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self> {
        let mut reader = FORMAT.read(bytes)?;
        reader.zeros::<3>()?;
        let (documents, terms) = (reader.u64()?, reader.u64()?);
        let mut words = reader.words(terms.saturating_mul(2))?;
        let mut frequencies = HashMap::new();
        let mut previous = None;
        while let (Some(term), Some(frequency)) = (words.next(), words.next()) {
            let entry = 16 * frequencies.len();
            if previous.is_some_and(|previous| previous >= term) {
                return Err(reader.refuse_at(entry, "terms are not in ascending order"));
            }
            if frequency == 0 || frequency > documents {
                let cause = format!("frequency {frequency}, expected 1 to the {documents} documents");
                return Err(reader.refuse_at(entry + 8, cause));
            }
            previous = Some(term);
            frequencies.insert(term, frequency);
        }
        Ok(Self { documents, frequencies })
    }
}
