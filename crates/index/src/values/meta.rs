//! Values of the keyspace `meta`: counters, markers of a bulk load, and receipts of writes.

use super::{Bytes, put_number};

/// The key of the [`Counters`].
pub(crate) const COUNTERS_KEY: &[u8] = b"counters";

/// An entry without a value that is written when the store is compacted.
pub(crate) const COMPACTED_KEY: &[u8] = b"compacted";
/// The key of the [`BulkMarker`].
pub(crate) const BULK_KEY: &[u8] = b"bulk";
/// The keys of [`JobProgress`] begin with this; the name of the job follows.
pub(crate) const JOB_PREFIX: &str = "job/";

/// The key of the [`Receipts`].
pub(crate) const RECEIPTS_KEY: &[u8] = b"receipts";

/// The key of the [`Receipt`] of a write.
pub(crate) fn receipt_key(key: &[u8; 32]) -> Vec<u8> {
    [&b"receipt/"[..], key].concat()
}

/// The key of an entry that has the key of a write, by the number of its receipt.
pub(crate) fn receipt_number_key(number: u64) -> Vec<u8> {
    [&b"receipt-number/"[..], &number.to_be_bytes()].concat()
}

const COUNTERS: u8 = 0x51;
const BULK: u8 = 0x52;
const JOB: u8 = 0x53;
const RECEIPTS: u8 = 0x54;
const RECEIPT: u8 = 0x55;
const RECEIPT_NUMBER: u8 = 0x56;

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

/// Which receipts are kept. They are numbered in the order in which they came.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Receipts {
    /// The number of the oldest.
    pub(crate) first: u64,
    /// The number after the youngest.
    pub(crate) next: u64,
    /// The bytes of all answers.
    pub(crate) bytes: u64,
}

impl Receipts {
    pub(crate) fn encode(&self) -> Vec<u8> {
        let mut bytes = vec![RECEIPTS];
        for number in [self.first, self.next, self.bytes] {
            put_number(&mut bytes, number);
        }
        bytes
    }

    pub(crate) fn decode(bytes: &[u8]) -> Option<Self> {
        let mut bytes = Bytes::new(bytes);
        bytes.kind(RECEIPTS)?;
        let receipts = Self { first: bytes.number()?, next: bytes.number()?, bytes: bytes.number()? };
        (bytes.is_empty() && receipts.first <= receipts.next).then_some(receipts)
    }
}

/// That a write was done, and the answer that it had.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Receipt {
    /// Its number.
    pub(crate) number: u64,
    /// When the write was done.
    pub(crate) time: u64,
    /// A hash of what was asked for.
    pub(crate) request: [u8; 32],
    /// The answer.
    pub(crate) answer: Vec<u8>,
}

impl Receipt {
    pub(crate) fn encode(&self) -> Vec<u8> {
        let mut bytes = vec![RECEIPT];
        put_number(&mut bytes, self.number);
        put_number(&mut bytes, self.time);
        bytes.extend(self.request);
        bytes.extend(&self.answer);
        bytes
    }

    pub(crate) fn decode(bytes: &[u8]) -> Option<Self> {
        let mut bytes = Bytes::new(bytes);
        bytes.kind(RECEIPT)?;
        let (number, time, request) = (bytes.number()?, bytes.number()?, bytes.array()?);
        Some(Self { number, time, request, answer: bytes.rest().to_vec() })
    }
}

/// The value under the number of a receipt: the key of the write.
pub(crate) fn receipt_number_value(key: &[u8; 32]) -> Vec<u8> {
    [&[RECEIPT_NUMBER][..], key].concat()
}

/// The key of the write in a value under the number of a receipt.
pub(crate) fn receipt_number_of(value: &[u8]) -> Option<[u8; 32]> {
    let mut bytes = Bytes::new(value);
    bytes.kind(RECEIPT_NUMBER)?;
    let key = bytes.array()?;
    bytes.is_empty().then_some(key)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn receipts_come_back() {
        let receipts = Receipts { first: 3, next: 300, bytes: 70_000 };
        assert_eq!(Receipts::decode(&receipts.encode()), Some(receipts));
        let receipt = Receipt { number: 299, time: 1_763_242_200_000, request: [7; 32], answer: vec![1, 2] };
        assert_eq!(Receipt::decode(&receipt.encode()), Some(receipt));
        assert_eq!(receipt_number_of(&receipt_number_value(&[9; 32])), Some([9; 32]));
        for wrong in
            [&[][..], &[RECEIPTS, 2, 1, 0], &[RECEIPTS, 1, 1, 0, 0], &[RECEIPT, 1, 1], &[RECEIPT_NUMBER]]
        {
            assert_eq!(Receipts::decode(wrong), None);
            assert_eq!(Receipt::decode(wrong), None);
            assert_eq!(receipt_number_of(wrong), None);
        }
    }

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
