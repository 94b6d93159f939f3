//! A collection -> in how many documents each term occurs.

use std::collections::HashMap;

use super::{DocumentVector, TfIdf};
use crate::error::{Error, Result};
use crate::shingling::ShingleBag;

const MAGIC: [u8; 4] = *b"LKDF";
const VERSION: u8 = 1;
const HEADER: usize = 24;

/// Document frequencies, built in one pass over a collection: one [`add`](Self::add) per document, in any
/// order; parts that were counted apart can be [merged](Self::merge).
///
/// 16 bytes per different term in a file, about twice that in memory.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct DocumentFrequencies {
    documents: u64,
    frequencies: HashMap<u64, u64>,
}

impl DocumentFrequencies {
    /// Of no document yet.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Counts one document by its different terms.
    pub fn add(&mut self, document: &ShingleBag) {
        self.documents += 1;
        for &(term, _) in document.as_slice() {
            *self.frequencies.entry(term).or_default() += 1;
        }
    }

    /// Adds the counts of other documents.
    pub fn merge(&mut self, other: &Self) {
        self.documents += other.documents;
        #[expect(clippy::iter_over_hash_type, reason = "sums of integers do not depend on the order")]
        for (&term, &frequency) in &other.frequencies {
            *self.frequencies.entry(term).or_default() += frequency;
        }
    }

    /// How many documents were counted.
    #[must_use]
    pub fn documents(&self) -> u64 {
        self.documents
    }

    /// How many different terms there are.
    #[must_use]
    pub fn terms(&self) -> usize {
        self.frequencies.len()
    }

    /// In how many documents the term occurs.
    #[must_use]
    pub fn get(&self, term: u64) -> u64 {
        self.frequencies.get(&term).copied().unwrap_or(0)
    }

    /// The weight of a term that occurs `count` times in one document of this collection.
    #[must_use]
    pub fn weight(&self, weighting: TfIdf, term: u64, count: u32) -> f64 {
        weighting.weight(count, self.get(term), self.documents)
    }

    /// The vector of a document of this collection by its terms alone. (To add other features take a
    /// [`DocumentVectorBuilder`](super::DocumentVectorBuilder).)
    #[must_use]
    pub fn vector(&self, weighting: TfIdf, document: &ShingleBag) -> DocumentVector {
        let terms = document.as_slice().iter();
        DocumentVector::from_ascending(
            terms.map(|&(term, count)| (term, self.weight(weighting, term, count))),
        )
    }

    /// The counts as bytes: magic `LKDF`, version (1), three zero bytes, documents, number of terms, then
    /// term and frequency in ascending order of terms; all numbers are 8 bytes, little-endian.
    #[must_use]
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut entries: Vec<(u64, u64)> = self.frequencies.iter().map(|(&term, &n)| (term, n)).collect();
        entries.sort_unstable();
        let mut bytes = Vec::with_capacity(HEADER + 16 * entries.len());
        bytes.extend_from_slice(&MAGIC);
        bytes.extend_from_slice(&[VERSION, 0, 0, 0]);
        bytes.extend_from_slice(&self.documents.to_le_bytes());
        bytes.extend_from_slice(&(entries.len() as u64).to_le_bytes());
        for (term, frequency) in entries {
            bytes.extend_from_slice(&term.to_le_bytes());
            bytes.extend_from_slice(&frequency.to_le_bytes());
        }
        bytes
    }

    /// Reads what [`to_bytes`](Self::to_bytes) wrote; every other input is an error.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self> {
        let Some((header, rest)) = bytes.split_first_chunk::<HEADER>() else {
            return Err(damaged(
                bytes.len(),
                format!("{} bytes, the header alone has {HEADER}", bytes.len()),
            ));
        };
        if header[..4] != MAGIC {
            return Err(damaged(0, "it does not begin with LKDF".into()));
        }
        if header[4] != VERSION {
            return Err(damaged(4, format!("version {}, this program reads {VERSION}", header[4])));
        }
        if header[5..8] != [0; 3] {
            return Err(damaged(5, "the three bytes after the version are not 0".into()));
        }
        let (numbers, tail) = rest.as_chunks::<8>();
        let (documents, terms) = (number(&header[8..16]), number(&header[16..24]));
        if !tail.is_empty() || numbers.len() % 2 != 0 || terms != numbers.len() as u64 / 2 {
            return Err(damaged(16, format!("{terms} terms, but {} bytes follow", rest.len())));
        }
        let mut frequencies = HashMap::with_capacity(numbers.len() / 2);
        let mut previous = None;
        for (i, entry) in numbers.chunks_exact(2).enumerate() {
            let (term, frequency) = (u64::from_le_bytes(entry[0]), u64::from_le_bytes(entry[1]));
            if previous.is_some_and(|previous| previous >= term) {
                return Err(damaged(HEADER + 16 * i, "terms are not in ascending order".into()));
            }
            if frequency == 0 || frequency > documents {
                let cause = format!("frequency {frequency}, expected 1 to the {documents} documents");
                return Err(damaged(HEADER + 16 * i + 8, cause));
            }
            previous = Some(term);
            frequencies.insert(term, frequency);
        }
        Ok(Self { documents, frequencies })
    }
}

fn number(bytes: &[u8]) -> u64 {
    u64::from_le_bytes(bytes.try_into().expect("the caller's slice has 8 bytes"))
}

fn damaged(offset: usize, cause: String) -> Error {
    Error::Decode { what: "document frequencies", offset, cause }
}
