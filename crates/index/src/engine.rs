//! What follows from the configuration: how a document becomes a record with keys and a body.

use crate::clock::Millis;
use crate::config::{Config, MOST_BANDS, Stored};
use crate::document::{Content, Document, Imported, KnownText, Lifetime, MOST_ID_BYTES, MOST_METADATA_BYTES};
use crate::folder::Head;
use crate::values::{Body, Record, lanes_hash};
use crate::{Error, Result};
use lookalike::minhash::lanes::lanes_into;
use lookalike::minhash::{Family, Signature};
use lookalike::similarity::SortedSet;
use pipeline::{DocumentBuffers, Documents, Method, SignatureSettings, Sketch};
use std::sync::{Mutex, PoisonError};

/// What follows from the configuration.
#[derive(Debug)]
pub(crate) struct Engine {
    pub(crate) config: Config,
    pub(crate) documents: Documents,
    /// The probability that a document at the threshold of the index is among the candidates.
    pub(crate) found_probability: f64,
    /// Working memory of callers, which is used again.
    spare: Mutex<Vec<Buffers>>,
}

/// Working memory of one caller.
#[derive(Debug, Default)]
pub(crate) struct Buffers {
    pub(crate) documents: DocumentBuffers,
    sketch: Sketch,
}

/// A document, ready to be added or compared.
#[derive(Debug, Clone)]
pub(crate) struct Prepared {
    pub(crate) record: Record,
    pub(crate) keys: Vec<u64>,
    pub(crate) copy_hash: u128,
    pub(crate) body: Option<Body>,
}

impl Engine {
    pub(crate) fn new(head: &Head) -> Result<Self> {
        head.config.check()?;
        let settings = match head.plan {
            Some(plan) => head.config.settings.clone().with_bands(Some(plan)),
            None => head.config.settings.clone(),
        };
        let documents = Documents::for_index(&settings, &head.key)?;
        if documents.bands() > MOST_BANDS {
            let setting = match head.config.settings.signature.method {
                Method::Simhash => "distance",
                Method::Minhash => "bands",
            };
            let value = documents.label();
            return Err(Error::Unsuitable { setting, value, reason: "it would have more than 256 keys" });
        }
        let found_probability = documents.probability(head.config.settings.matching.threshold);
        Ok(Self { config: head.config.clone(), documents, found_probability, spare: Mutex::default() })
    }

    /// Runs `work` with working memory.
    pub(crate) fn with_buffers<R>(&self, work: impl FnOnce(&mut Buffers) -> R) -> R {
        let spare = || self.spare.lock().unwrap_or_else(PoisonError::into_inner);
        let mut buffers = spare().pop().unwrap_or_default();
        let result = work(&mut buffers);
        spare().push(buffers);
        result
    }

    /// True if similarities are exact.
    pub(crate) fn is_exact(&self) -> bool {
        self.config.store != Stored::Signatures
    }

    pub(crate) fn is_simhash(&self) -> bool {
        self.config.settings.signature.method == Method::Simhash
    }

    /// Checks a document, and works out everything that is stored of it.
    pub(crate) fn prepare(&self, document: &Document, now: Millis) -> Result<Prepared> {
        let Document { id, content, within, metadata, added, lifetime } = document;
        check_id(id)?;
        let expires = self.expires(id, *lifetime, now)?;
        let metadata = metadata.as_ref().filter(|metadata| !metadata.is_empty());
        let metadata = metadata
            .map(|metadata| serde_json::to_string(metadata).expect("a JSON object has text keys"))
            .unwrap_or_default();
        if metadata.len() > MOST_METADATA_BYTES {
            let (bytes, most) = (metadata.len(), MOST_METADATA_BYTES);
            return Err(Error::MetadataSize { id: id.clone(), bytes, most });
        }
        let mut prepared = self.sketch(content, within.as_deref())?;
        prepared.record.id.clone_from(id);
        prepared.record.added = added.unwrap_or(now);
        prepared.record.expires = expires;
        prepared.record.metadata = metadata;
        prepared.body = self.body(content)?;
        Ok(prepared)
    }

    /// Works out what a document is compared by.
    pub(crate) fn sketch(&self, content: &Content, within: Option<&str>) -> Result<Prepared> {
        match content {
            Content::Text(text) => self.sketch_text(text, within),
            Content::Sketch { lanes, content_hash, shingles, hash_only } => {
                self.check_lanes(lanes)?;
                let within = within.map_or([0; 2], Documents::within_hash);
                let record = compared_by(*content_hash, *shingles, lanes.clone(), within, *hash_only);
                Ok(self.prepared(record, None))
            }
            Content::Imported(imported) => {
                let Imported { lanes, text, shingles, within, hash_only, .. } = imported.as_ref();
                self.check_lanes(lanes)?;
                let (content_hash, by_copy_hash) = match text {
                    KnownText::Content(hash) => (*hash, false),
                    // They are the same thing then.
                    KnownText::Copy(hash) => (*hash, *hash_only || *within != [0; 2]),
                    KnownText::Nothing => (lanes_hash(lanes, *within), true),
                };
                let record = compared_by(content_hash, *shingles, lanes.clone(), *within, *hash_only);
                Ok(self.prepared(Record { by_copy_hash, ..record }, None))
            }
        }
    }

    /// Works out what a text is compared by.
    pub(crate) fn sketch_text(&self, text: &str, within: Option<&str>) -> Result<Prepared> {
        self.with_buffers(|Buffers { documents, sketch }| {
            self.documents.sketch(text, within, documents, sketch)?;
            let hash_only = self.documents.is_hash_only(text);
            let within = within.map_or([0; 2], Documents::within_hash);
            let lanes = sketch.lanes.clone();
            Ok(Prepared {
                record: compared_by(sketch.content_hash, sketch.shingles, lanes, within, hash_only),
                keys: sketch.keys.clone(),
                copy_hash: sketch.copy_hash,
                body: None,
            })
        })
    }

    /// A record with its keys.
    pub(crate) fn prepared(&self, record: Record, body: Option<Body>) -> Prepared {
        let mut keys = Vec::new();
        if !record.hash_only {
            self.documents.keys_into(&record.lanes, record.within, &mut keys);
        }
        Prepared { copy_hash: record.copy_hash(), keys, record, body }
    }

    pub(crate) fn check_lanes(&self, lanes: &[u16]) -> Result<()> {
        match self.documents.is_sketch(lanes) {
            true => Ok(()),
            false => Err(Error::Lanes { lanes: lanes.len(), expected: self.documents.lanes() }),
        }
    }

    /// The lanes of a signature of whole slots. It must have the family, the seed and the number of hashes of the index.
    pub(crate) fn lanes_of(&self, signature: &Signature) -> Result<Vec<u16>> {
        let SignatureSettings { method, seed, hashes, .. } = &self.config.settings.signature;
        let pairs = [
            ("method", method.to_string(), Method::Minhash.to_string()),
            ("family", format!("{:?}", Family::FastSketch), format!("{:?}", signature.family())),
            ("seed", seed.to_string(), signature.seed().to_string()),
            ("hashes", hashes.to_string(), signature.num_hashes().to_string()),
        ];
        for (setting, index, asked) in pairs {
            if index != asked {
                return Err(Error::Contradiction { setting: setting.into(), index, asked });
            }
        }
        let mut lanes = vec![0; *hashes];
        lanes_into(signature.slots(), &mut lanes);
        Ok(lanes)
    }

    fn body(&self, content: &Content) -> Result<Option<Body>> {
        Ok(match (self.config.store, content) {
            (Stored::Signatures, _) => None,
            (Stored::Shingles, Content::Imported(imported)) if imported.set.is_some() => {
                let set = imported.set.clone().unwrap_or_default();
                SortedSet::new(&set)?;
                Some(Body::Set(set))
            }
            (stored, Content::Sketch { .. } | Content::Imported(_)) => {
                let what = "adding a document";
                return Err(Error::NotStored { what, needed: "its text", stored: stored.as_str() });
            }
            (Stored::Text, Content::Text(text)) => Some(Body::Text(text.clone())),
            (Stored::Shingles, Content::Text(text)) if self.documents.is_hash_only(text) => {
                Some(Body::Set(Vec::new()))
            }
            (Stored::Shingles, Content::Text(text)) => Some(Body::Set(self.set(text)?)),
        })
    }

    /// The set of a text, hashed with the key of the index.
    pub(crate) fn set(&self, text: &str) -> Result<Vec<u64>> {
        self.with_buffers(|buffers| {
            let mut set = Vec::new();
            self.documents.set_into(text, &mut buffers.documents, &mut set)?;
            Ok(set)
        })
    }

    /// When a document goes.
    pub(crate) fn expires(&self, id: &str, lifetime: Lifetime, now: Millis) -> Result<Option<Millis>> {
        let millis = |ttl: std::time::Duration| u64::try_from(ttl.as_millis()).unwrap_or(u64::MAX);
        let expires = match lifetime {
            Lifetime::Usual => self.config.ttl.map(|ttl| now.saturating_add(ttl)),
            Lifetime::Forever => None,
            Lifetime::For(ttl) => Some(now.saturating_add(millis(ttl))),
            Lifetime::Until(expires) => Some(expires),
        };
        match expires {
            Some(expires) if expires <= now => {
                Err(Error::ExpiresInThePast { id: id.to_owned(), expires, now })
            }
            expires => Ok(expires),
        }
    }
}

/// A record of what a document is compared by, and of nothing else.
fn compared_by(
    content_hash: u128,
    shingles: u64,
    lanes: Vec<u16>,
    within: [u64; 2],
    hash_only: bool,
) -> Record {
    Record {
        id: String::new(),
        content_hash,
        by_copy_hash: false,
        shingles,
        lanes,
        within,
        added: 0,
        expires: None,
        hash_only,
        metadata: String::new(),
    }
}

pub(crate) fn check_id(id: &str) -> Result<()> {
    match id.len() {
        1..=MOST_ID_BYTES => Ok(()),
        bytes => Err(Error::Id { bytes, most: MOST_ID_BYTES }),
    }
}
