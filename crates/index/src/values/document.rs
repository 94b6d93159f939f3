//! The record of a document: everything but its set or text.

use super::{Bytes, put_number};
use pipeline::Documents;

const KIND: u8 = 0x11;
const HASH_ONLY: u8 = 1;
const WITHIN: u8 = 2;
const EXPIRES: u8 = 4;
const METADATA: u8 = 8;
const COPY_HASH: u8 = 16;
const ALL_FLAGS: u8 = HASH_ONLY | WITHIN | EXPIRES | METADATA | COPY_HASH;

/// The record of a document.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Record {
    pub(crate) id: String,
    /// The hash of its text; its copy hash, if that is all that is known.
    pub(crate) content_hash: u128,
    /// True if `content_hash` is the copy hash.
    pub(crate) by_copy_hash: bool,
    /// The number of shingles.
    pub(crate) shingles: u64,
    pub(crate) lanes: Vec<u16>,
    /// The hash of its `within` value; zeros without.
    pub(crate) within: [u64; 2],
    /// When it came.
    pub(crate) added: u64,
    /// When it goes; `None` if never.
    pub(crate) expires: Option<u64>,
    /// True if it is compared by its content hash only.
    pub(crate) hash_only: bool,
    /// A JSON object; empty without metadata.
    pub(crate) metadata: String,
}

impl Record {
    /// Equal for exact copies.
    pub(crate) fn copy_hash(&self) -> u128 {
        match self.by_copy_hash {
            true => self.content_hash,
            false => Documents::copy_hash(self.content_hash, self.within, self.hash_only),
        }
    }

    /// True if nothing is known of its text, so that its lanes stand for it. Its copies have equal lanes, and perhaps
    /// different texts.
    pub(crate) fn is_lanes_only(&self) -> bool {
        self.by_copy_hash && self.content_hash == lanes_hash(&self.lanes, self.within)
    }

    /// True if it is in no answer any more.
    pub(crate) fn is_expired(&self, now: u64) -> bool {
        self.expires.is_some_and(|expires| expires <= now)
    }

    /// The bytes that are stored.
    pub(crate) fn encode(&self) -> Vec<u8> {
        let mut bytes = Vec::with_capacity(64 + 2 * self.lanes.len() + self.id.len() + self.metadata.len());
        let flag = |is_set, flag| if is_set { flag } else { 0 };
        let has_within = self.within != [0; 2];
        bytes.push(KIND);
        bytes.push(
            flag(self.hash_only, HASH_ONLY)
                | flag(has_within, WITHIN)
                | flag(self.expires.is_some(), EXPIRES)
                | flag(!self.metadata.is_empty(), METADATA)
                | flag(self.by_copy_hash, COPY_HASH),
        );
        // What a comparison needs comes first.
        for lane in &self.lanes {
            bytes.extend(lane.to_le_bytes());
        }
        if has_within {
            self.within.iter().for_each(|half| bytes.extend(half.to_le_bytes()));
        }
        if let Some(expires) = self.expires {
            bytes.extend(expires.to_le_bytes());
        }
        bytes.extend(self.content_hash.to_le_bytes());
        put_number(&mut bytes, self.shingles);
        put_number(&mut bytes, self.added);
        put_number(&mut bytes, self.id.len() as u64);
        bytes.extend(self.id.as_bytes());
        bytes.extend(self.metadata.as_bytes());
        bytes
    }
}

/// A record in its bytes: what decides whether two documents are similar is read at once, the rest when asked for.
#[derive(Debug, Clone, Copy)]
pub(crate) struct RecordView<'v> {
    lanes: &'v [u8],
    pub(crate) within: [u64; 2],
    pub(crate) expires: Option<u64>,
    pub(crate) hash_only: bool,
    has_metadata: bool,
    by_copy_hash: bool,
    rest: Bytes<'v>,
}

impl<'v> RecordView<'v> {
    /// Reads the beginning of a record with this many lanes; `None` if the bytes are not one.
    pub(crate) fn new(bytes: &'v [u8], lanes: usize) -> Option<Self> {
        let mut bytes = Bytes::new(bytes);
        bytes.kind(KIND)?;
        let flags = bytes.byte().filter(|flags| flags & !ALL_FLAGS == 0)?;
        let lanes = bytes.take(2 * lanes)?;
        let within = if flags & WITHIN == 0 { [0; 2] } else { [bytes.u64()?, bytes.u64()?] };
        let expires = if flags & EXPIRES == 0 { None } else { Some(bytes.u64()?) };
        Some(Self {
            lanes,
            within,
            expires,
            hash_only: flags & HASH_ONLY != 0,
            has_metadata: flags & METADATA != 0,
            by_copy_hash: flags & COPY_HASH != 0,
            rest: bytes,
        })
    }

    /// Writes the lanes over `lanes`.
    pub(crate) fn lanes_into(&self, lanes: &mut Vec<u16>) {
        lanes.clear();
        lanes.extend(self.lanes.chunks_exact(2).map(|lane| u16::from_le_bytes([lane[0], lane[1]])));
    }

    pub(crate) fn is_expired(&self, now: u64) -> bool {
        self.expires.is_some_and(|expires| expires <= now)
    }

    /// Equal for exact copies.
    pub(crate) fn copy_hash(&self) -> Option<u128> {
        let hash = u128::from_le_bytes(self.rest.clone_array()?);
        Some(match self.by_copy_hash {
            true => hash,
            false => Documents::copy_hash(hash, self.within, self.hash_only),
        })
    }

    /// The whole record.
    pub(crate) fn record(&self) -> Option<Record> {
        let mut rest = self.rest;
        let mut lanes = Vec::with_capacity(self.lanes.len() / 2);
        self.lanes_into(&mut lanes);
        let content_hash = u128::from_le_bytes(rest.array()?);
        let (shingles, added) = (rest.number()?, rest.number()?);
        let length = usize::try_from(rest.number()?).ok()?;
        let id = String::from_utf8(rest.take(length)?.to_vec()).ok()?;
        let metadata = String::from_utf8(rest.rest().to_vec()).ok()?;
        let is_whole = !id.is_empty() && metadata.is_empty() != self.has_metadata;
        is_whole.then_some(Record {
            id,
            content_hash,
            by_copy_hash: self.by_copy_hash,
            shingles,
            lanes,
            within: self.within,
            added,
            expires: self.expires,
            hash_only: self.hash_only,
            metadata,
        })
    }
}

/// What stands for the text of a document of which only the lanes are known.
pub(crate) fn lanes_hash(lanes: &[u16], within: [u64; 2]) -> u128 {
    let mut bytes = b"lanes".to_vec();
    within.iter().for_each(|half| bytes.extend(half.to_le_bytes()));
    lanes.iter().for_each(|lane| bytes.extend(lane.to_le_bytes()));
    pipeline::content_hash(&bytes)
}

impl Bytes<'_> {
    /// The next bytes, which are not taken.
    fn clone_array<const N: usize>(mut self) -> Option<[u8; N]> {
        self.array()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    prop_compose! {
        fn records()(
            id in ".{1,20}",
            content_hash: u128,
            by_copy_hash: bool,
            shingles: u64,
            lanes in proptest::collection::vec(any::<u16>(), 8),
            within in prop_oneof![Just([0; 2]), any::<[u64; 2]>()],
            added: u64,
            expires: Option<u64>,
            hash_only: bool,
            metadata in prop_oneof![Just(String::new()), Just(r#"{"a":1}"#.to_owned())],
        ) -> Record {
            Record { id, content_hash, by_copy_hash, shingles, lanes, within, added, expires, hash_only, metadata }
        }
    }

    proptest! {
        #[test]
        fn records_come_back(record in records()) {
            let bytes = record.encode();
            let view = RecordView::new(&bytes, 8).unwrap();
            prop_assert_eq!(view.copy_hash(), Some(record.copy_hash()));
            prop_assert_eq!(view.record(), Some(record));
        }

        #[test]
        fn cut_and_changed_records_are_refused_or_read(record in records(), at: usize, byte: u8) {
            let mut bytes = record.encode();
            let at = at % bytes.len();
            let _ = RecordView::new(&bytes[..at], 8).and_then(|view| view.record());
            bytes[at] = byte;
            let _ = RecordView::new(&bytes, 8).and_then(|view| view.record());
        }
    }
}
