//! Documents -> document vectors: sparse vectors of weighted features.
//!
//! The lecture notes list the features by which pages can be compared: terms (with case folding, stop-word removal,
//! stemming, term frequency, inverse document frequency), phrases, anchor text, and the pages that link to
//! a page. All of them become features with weights in one [`DocumentVector`]:
//!
//! ```text
//! text -> words -> terms and phrases -> counts -> weights (tf-idf) --+
//!                                                                     +--> DocumentVector
//! anchor text, in-links, anything the caller knows, with weights -----+
//! ```
//!
//! A feature is a 64-bit hash of its [`Namespace`] and its name. So vectors need no shared dictionary, and
//! the same word as a term and as an in-link gives two different features. Pass the vector to SimHash or
//! [`SparseHyperplanes`](crate::vectors::SparseHyperplanes) (cosine) or to
//! [`WeightedMinHash`](crate::minhash::WeightedMinHash) (weighted Jaccard).
//!
//! ```
//! use lookalike::features::*;
//!
//! let terms = TermExtractor::new(TermConfig::default())?; // English stop words and stemming
//! let texts = ["The ferret runs.", "Ferrets running in the park", "The park is closed today"];
//! let bags = texts.map(|text| terms.extract(text));
//!
//! let mut frequencies = DocumentFrequencies::new();
//! for bag in &bags {
//!     frequencies.add(bag);
//! }
//! let weighting = TfIdf::default();
//! let vectors = bags.each_ref().map(|bag| {
//!     let mut builder = DocumentVectorBuilder::new();
//!     builder.add_bag(bag, |term, count| frequencies.weight(weighting, term, count))?;
//!     builder.add_feature(Namespace::InLink, "https://example.org/", 0.5)?;
//!     builder.build()
//! });
//! let [first, second, third] = vectors;
//! let (first, second, third) = (first?, second?, third?);
//! assert!(first.cosine(&second) > 0.6); // both "ferret" and "run"
//! assert!(second.cosine(&third) < 0.4);
//! # Ok::<(), lookalike::Error>(())
//! ```

mod document_vector;
mod frequencies;
mod namespace;
mod stemming;
mod terms;
#[cfg(test)]
mod tests;
mod tf_idf;

pub use document_vector::{DocumentVector, DocumentVectorBuilder};
pub use frequencies::DocumentFrequencies;
pub use namespace::Namespace;
pub use stemming::Stemming;
pub use terms::{MAX_PHRASE_LENGTH, TermConfig, TermExtractor};
pub use tf_idf::{InverseDocumentFrequency, TermFrequency, TfIdf};

pub use crate::shingling::StopWords;
