//! What goes into an index and what comes out of it.

use crate::clock::Millis;
use serde_json::{Map, Value};
use std::time::Duration;

/// A JSON object.
pub type Metadata = Map<String, Value>;

/// The most bytes of an id.
pub const MOST_ID_BYTES: usize = 1_024;

/// The most bytes of the metadata of a document, as JSON.
pub const MOST_METADATA_BYTES: usize = 64 << 10;

/// A document that is to be added or looked for.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Document {
    /// Its name: 1 to 1,024 bytes.
    pub id: String,
    /// What it says.
    pub content: Content,
    /// Only documents with an equal value, or all without one, are compared.
    pub within: Option<String>,
    /// What the caller wants to know about it later.
    pub metadata: Option<Metadata>,
    /// When it came; now, unless said otherwise.
    pub added: Option<Millis>,
    /// How long it stays.
    pub lifetime: Lifetime,
}

impl Document {
    /// A document with a text.
    #[must_use]
    pub fn new(id: impl Into<String>, text: impl Into<String>) -> Self {
        Self::of(id, Content::Text(text.into()))
    }

    /// A document with a text or a signature.
    #[must_use]
    pub fn of(id: impl Into<String>, content: Content) -> Self {
        let id = id.into();
        Self { id, content, within: None, metadata: None, added: None, lifetime: Lifetime::Usual }
    }

    /// Only documents with this value are compared with it.
    #[must_use]
    pub fn with_within(mut self, within: Option<String>) -> Self {
        self.within = within;
        self
    }

    /// What the caller wants to know about it later.
    #[must_use]
    pub fn with_metadata(mut self, metadata: Option<Metadata>) -> Self {
        self.metadata = metadata;
        self
    }

    /// When it came.
    #[must_use]
    pub fn with_added(mut self, added: Millis) -> Self {
        self.added = Some(added);
        self
    }

    /// How long it stays.
    #[must_use]
    pub fn with_lifetime(mut self, lifetime: Lifetime) -> Self {
        self.lifetime = lifetime;
        self
    }
}

/// What a document says.
#[derive(Debug, Clone, PartialEq)]
pub enum Content {
    /// Its text.
    Text(String),
    /// Its sketch, as sketch files have it. It is taken by indexes that store signatures only.
    Sketch {
        /// The lanes of its signature.
        lanes: Vec<u16>,
        /// The hash of its normalised text.
        content_hash: u128,
        /// The number of its shingles.
        shingles: u64,
        /// True if it is compared by its content hash only, because it has NUL or is too long.
        hash_only: bool,
    },
    /// Its sketch, as it was made elsewhere.
    Imported(Box<Imported>),
}

/// A sketch that was made elsewhere with the settings of the index: in a sketch file, by another engine, or for an index in
/// memory. What it does not have may be left out.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Imported {
    /// The lanes of its signature.
    pub lanes: Vec<u16>,
    /// What is known of its text.
    pub text: KnownText,
    /// The number of its shingles; 0 if it is not known.
    pub shingles: u64,
    /// The hash of its `within` value; zeros without.
    pub within: [u64; 2],
    /// True if it is compared by the hash of its text only, because it has NUL or is too long.
    pub hash_only: bool,
    /// The sorted set of its shingles, hashed with the key of the index.
    pub set: Option<Vec<u64>>,
}

/// What is known of the text of a document.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum KnownText {
    /// The hash of its normalised text.
    Content(u128),
    /// A hash that documents have in common if they are exact copies of each other.
    Copy(u128),
    /// Nothing: documents with equal lanes pass for copies, and their similarity is estimated.
    Nothing,
}

impl Imported {
    /// A document of which only the signature is known.
    #[must_use]
    pub fn new(lanes: Vec<u16>) -> Self {
        let text = KnownText::Nothing;
        Self { lanes, text, shingles: 0, within: [0; 2], hash_only: false, set: None }
    }

    /// Only documents with this value are compared with it.
    #[must_use]
    pub fn with_within(mut self, value: Option<&str>) -> Self {
        self.within = value.map_or([0; 2], pipeline::Documents::within_hash);
        self
    }
}

/// How long a document stays.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Lifetime {
    /// As long as the index says.
    #[default]
    Usual,
    /// For ever.
    Forever,
    /// For this long.
    For(Duration),
    /// Until this time.
    Until(Millis),
}

/// A document of the index.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Kept {
    /// Its number. Older documents have smaller ones; no number is ever used again.
    pub number: u64,
    /// Its name.
    pub id: String,
    /// When it came.
    pub added: Millis,
    /// When it goes; `None` if never.
    pub expires: Option<Millis>,
    /// The number of its shingles.
    pub shingles: u64,
    /// 128 bits of a cryptographic hash of its normalised text. Of a document whose text the index never saw, it is the hash
    /// by which its copies are found, if no other is known.
    pub content_hash: u128,
    /// The lanes of its signature.
    pub lanes: Vec<u16>,
    /// The hash of its `within` value; zeros without.
    pub within: [u64; 2],
    /// What the caller wanted to know about it.
    pub metadata: Option<Metadata>,
    /// Its text, if the index stores texts.
    pub text: Option<String>,
}

/// A document of the index that is similar to the one that was asked about.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Match {
    /// Its number.
    pub number: u64,
    /// Its name.
    pub id: String,
    /// How similar the two are.
    pub similarity: f64,
    /// True if the similarity is exact, false if signatures estimate it.
    pub exact: bool,
    /// The standard error of an estimated Jaccard similarity.
    pub standard_error: Option<f64>,
    /// The Hamming distance of the fingerprints, with SimHash.
    pub distance: Option<u32>,
    /// When it came.
    pub added: Millis,
    /// What the caller wanted to know about it.
    pub metadata: Option<Metadata>,
}

/// The answer to a query.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Answer {
    /// The similar documents: most similar first, older first among equals.
    pub matches: Vec<Match>,
    /// The probability that a document whose similarity equals the asked threshold is among the candidates.
    pub found_probability: f64,
    /// True if there were more candidates than the index looks at. The oldest were looked at.
    pub truncated: bool,
}

/// The answer to a check.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Checked {
    /// The oldest document that is similar enough; `None` if the checked one is new.
    pub matched: Option<Match>,
    /// The number of the checked document, if it was added.
    pub number: Option<u64>,
    /// The probability that a document whose similarity equals the threshold is among the candidates.
    pub found_probability: f64,
    /// True if there were more candidates than the index looks at.
    pub truncated: bool,
}

impl Checked {
    /// True if no document of the index is similar enough.
    #[must_use]
    pub fn is_new(&self) -> bool {
        self.matched.is_none()
    }
}

/// What a check does when it finds a match.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum OnMatch {
    /// Nothing.
    #[default]
    Skip,
    /// The match stays as long as the checked document would have, if that is longer.
    Touch,
    /// The match is removed, and the checked document is added.
    Replace,
    /// The checked document is added all the same.
    Add,
}
