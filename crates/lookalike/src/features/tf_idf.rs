//! Counts of terms -> weights.

use crate::math::ln;

/// How the number of times that a term occurs in its document enters its weight.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum TermFrequency {
    /// The count itself.
    #[default]
    Raw,
    /// `1 + ln(count)`: ten occurrences count for less than ten times one occurrence.
    Logarithmic,
    /// 1, however often the term occurs.
    Binary,
}

/// How the number of documents that have a term, df, enters its weight. N is the number of all documents.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum InverseDocumentFrequency {
    /// `ln((1 + N) / (1 + df)) + 1`, as if one more document had every term. It is defined for terms that no document
    /// has, and it is never 0, so no term vanishes.
    #[default]
    Smooth,
    /// `ln(N / df)`, the textbook form. A term that every document has gets the weight 0. A term that no document has
    /// counts as if one document had it.
    Plain,
    /// 1: weights are plain term frequencies.
    Ignored,
}

/// Term frequency times inverse document frequency. Both fields change the answer.
///
/// ```
/// use lookalike::features::{InverseDocumentFrequency, TfIdf};
///
/// let textbook = TfIdf::default().with_idf(InverseDocumentFrequency::Plain);
/// assert!((textbook.weight(3, 10, 1000) - 3.0 * 100f64.ln()).abs() < 1e-12);
/// assert_eq!(TfIdf::default().weight(3, 1000, 1000), 3.0);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub struct TfIdf {
    /// The first factor (default: the count).
    pub tf: TermFrequency,
    /// The second factor (default: smooth).
    pub idf: InverseDocumentFrequency,
}

impl TfIdf {
    /// The same settings with this first factor.
    #[must_use]
    pub const fn with_tf(self, tf: TermFrequency) -> Self {
        Self { tf, ..self }
    }

    /// The same settings with this second factor.
    #[must_use]
    pub const fn with_idf(self, idf: InverseDocumentFrequency) -> Self {
        Self { idf, ..self }
    }

    /// The weight of a term that occurs `count` times in its document and that `document_frequency` of `documents`
    /// documents have. It is finite and at least 0. It is 0 for a count of 0.
    #[must_use]
    pub fn weight(&self, count: u32, document_frequency: u64, documents: u64) -> f64 {
        if count == 0 {
            return 0.0;
        }
        // A document outside the collection may be weighted too, so the counts may contradict each other.
        let (df, n) = (document_frequency as f64, documents.max(document_frequency) as f64);
        let tf = match self.tf {
            TermFrequency::Raw => f64::from(count),
            TermFrequency::Logarithmic => 1.0 + ln(f64::from(count)),
            TermFrequency::Binary => 1.0,
        };
        let idf = match self.idf {
            InverseDocumentFrequency::Smooth => 1.0 + ln((1.0 + n) / (1.0 + df)),
            InverseDocumentFrequency::Plain => ln(n.max(1.0) / df.max(1.0)),
            InverseDocumentFrequency::Ignored => 1.0,
        };
        tf * idf
    }
}
