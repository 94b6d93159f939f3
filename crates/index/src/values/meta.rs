//! Values of the keyspace `meta`: counters, and markers of a bulk load.

use super::{Bytes, put_number};

/// The key of the [`Counters`].
pub(crate) const COUNTERS_KEY: &[u8] = b"counters";

/// An entry without a value that is written when the store is compacted.
pub(crate) const COMPACTED_KEY: &[u8] = b"compacted";
/// The key of the [`BulkMarker`].
pub(crate) const BULK_KEY: &[u8] = b"bulk";
/// The keys of [`JobProgress`] begin with this; the name of the job follows.
pub(crate) const JOB_PREFIX: &str = "job/";

const COUNTERS: u8 = 0x51;
const BULK: u8 = 0x52;
const JOB: u8 = 0x53;

/// What is counted. It is written with every batch.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Counters {
    /// The number of this batch; the first has 1.
    pub(crate) batch: u64,
    /// The number of the next document.
    pub(crate) next: u64,
    /// The documents, with those that have expired but are not removed yet.
    pub(crate) documents: u64,
    /// The documents that are in buckets, or would be if they were compared by more than their hash: exact copies
    /// count once.
    pub(crate) distinct: u64,
}

impl Counters {
    pub(crate) fn encode(&self) -> Vec<u8> {
        let mut bytes = vec![COUNTERS];
        for number in [self.batch, self.next, self.documents, self.distinct] {
            put_number(&mut bytes, number);
        }
        bytes
    }

    pub(crate) fn decode(bytes: &[u8]) -> Option<Self> {
        let mut bytes = Bytes::new(bytes);
        bytes.kind(COUNTERS)?;
        let counters = Self {
            batch: bytes.number()?,
            next: bytes.number()?,
            documents: bytes.number()?,
            distinct: bytes.number()?,
        };
        bytes.is_empty().then_some(counters)
    }
}

/// The chunk of a bulk load that is being written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct BulkMarker {
    /// The first number of the chunk.
    pub(crate) from: u64,
    /// The number after its last.
    pub(crate) to: u64,
    /// How much of the input the load has taken when the chunk is there.
    pub(crate) taken: u64,
    /// The name of the load; empty without.
    pub(crate) job: String,
}

impl BulkMarker {
    pub(crate) fn encode(&self) -> Vec<u8> {
        let mut bytes = vec![BULK];
        for number in [self.from, self.to, self.taken] {
            put_number(&mut bytes, number);
        }
        bytes.extend(self.job.as_bytes());
        bytes
    }

    pub(crate) fn decode(bytes: &[u8]) -> Option<Self> {
        let mut bytes = Bytes::new(bytes);
        bytes.kind(BULK)?;
        let (from, to, taken) = (bytes.number()?, bytes.number()?, bytes.number()?);
        let job = std::str::from_utf8(bytes.rest()).ok()?.to_owned();
        (from <= to).then_some(Self { from, to, taken, job })
    }
}

/// How much of its input a bulk load has taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct JobProgress {
    /// The documents of the input that are in the index, or were left out.
    pub(crate) taken: u64,
}

impl JobProgress {
    pub(crate) fn encode(&self) -> Vec<u8> {
        let mut bytes = vec![JOB];
        put_number(&mut bytes, self.taken);
        bytes
    }

    pub(crate) fn decode(bytes: &[u8]) -> Option<Self> {
        let mut bytes = Bytes::new(bytes);
        bytes.kind(JOB)?;
        let taken = bytes.number()?;
        bytes.is_empty().then_some(Self { taken })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counters_and_markers_come_back() {
        let counters = Counters { batch: 1, next: 300, documents: 299, distinct: 7 };
        assert_eq!(Counters::decode(&counters.encode()), Some(counters));
        let marker = BulkMarker { from: 3, to: 9, taken: 7, job: "a".into() };
        assert_eq!(BulkMarker::decode(&marker.encode()), Some(marker));
        assert_eq!(JobProgress::decode(&JobProgress { taken: 5 }.encode()), Some(JobProgress { taken: 5 }));
        for wrong in [&[][..], &[COUNTERS], &[COUNTERS, 1, 2, 3], &[BULK, 9, 3, 0], &[JOB, 1, 1], &[0]] {
            assert_eq!(Counters::decode(wrong), None);
            assert_eq!(BulkMarker::decode(wrong), None);
            assert_eq!(JobProgress::decode(wrong), None);
        }
    }
}
