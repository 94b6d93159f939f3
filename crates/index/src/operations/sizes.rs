//! How large the buckets are, from a sample.
//!
//! The keys of buckets are hashes, so those that follow each other in the store are a random sample of all. A large bucket
//! means many candidates for whoever asks for it.

use crate::store::Space;
use crate::values::{Page, bucket_key, damaged};
use crate::{Index, Result};

/// The length of the key of a bucket; those of its further pages are longer.
const KEY_BYTES: usize = 9;

/// No more pages of a bucket are read, each of up to 512 documents, so that a bucket of millions does not make an answer
/// slow. Its size is then "at least" what was read.
const MOST_PAGES: usize = 64;

/// The sizes of some buckets.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct BucketSizes {
    /// How many buckets were looked at.
    pub looked_at: u64,
    /// The documents of the largest of them; it has at least so many if `cut` is not 0.
    pub largest: u64,
    /// How many of them have further pages that were not read. They count with the documents of the pages that were.
    pub cut: u64,
    /// How many of them have one document, 2, 3 or 4, 5 to 8, 9 to 16, and so on.
    pub counts: Vec<u64>,
}

impl BucketSizes {
    fn add(&mut self, size: u64) {
        let class = size.max(1).next_power_of_two().trailing_zeros() as usize;
        if self.counts.len() <= class {
            self.counts.resize(class + 1, 0);
        }
        self.counts[class] += 1;
        self.looked_at += 1;
        self.largest = self.largest.max(size);
    }
}

impl Index {
    /// The sizes of at most so many buckets of each band. Of a large bucket only the first 64 pages are read.
    pub fn bucket_sizes(&self, of_each_band: usize) -> Result<BucketSizes> {
        self.bucket_sizes_within(of_each_band, MOST_PAGES)
    }

    fn bucket_sizes_within(&self, of_each_band: usize, most_pages: usize) -> Result<BucketSizes> {
        let snapshot = self.snapshot()?;
        let mut sizes = BucketSizes::default();
        for band in 0..self.engine.documents.bands() {
            let mut from = Some(bucket_key(band, 0));
            let (mut heads, mut pages, mut size) = (0, 0, 0);
            while let Some(first) = from.take() {
                for entry in snapshot.scan(Space::Buckets, &first) {
                    let (key, value) = entry?;
                    if key.first() != first.first() {
                        break;
                    }
                    let is_head = key.len() == KEY_BYTES;
                    if is_head && size > 0 {
                        sizes.add(size);
                        (pages, size) = (0, 0);
                    }
                    if is_head && heads == of_each_band {
                        break;
                    }
                    if pages == most_pages {
                        sizes.cut += 1;
                        from = next_bucket(band, &key);
                        break;
                    }
                    let page = Page::decode(&value)
                        .ok_or_else(|| damaged(Space::Buckets, &key, "it is no page of numbers"))?;
                    heads += usize::from(is_head);
                    pages += 1;
                    size += page.numbers.len() as u64;
                }
            }
            if size > 0 {
                sizes.add(size);
            }
        }
        Ok(sizes)
    }
}

/// The first key that the bucket after that of a page can have; `None` if there can be none in this band.
fn next_bucket(band: usize, page: &[u8]) -> Option<[u8; KEY_BYTES]> {
    let bucket = page.get(1..KEY_BYTES)?.try_into().ok().map(u64::from_be_bytes)?;
    Some(bucket_key(band, bucket.checked_add(1)?))
}

#[cfg(test)]
mod tests {
    use super::next_bucket;
    use crate::store::memory::MemoryStore;
    use crate::tests::{in_memory, thorough};
    use crate::values::bucket_key;
    use crate::{Config, Document, ManualClock};
    use std::sync::Arc;

    #[test]
    fn sizes_are_those_of_the_buckets() {
        let (store, clock) = (MemoryStore::default(), Arc::new(ManualClock::at(1)));
        let index = in_memory(&store, &Config::default().with_settings(thorough()), &clock);
        assert_eq!(index.bucket_sizes(10).unwrap(), super::BucketSizes::default());
        let word = |name: &str, at: usize| format!("{name}{at}");
        let text = |name: &str| (0..40).map(|at| word(name, at)).collect::<Vec<_>>().join(" ");
        // 600 texts that differ in one shingle only, and three that differ from all others.
        for number in 0..600 {
            index.add(&Document::new(format!("{number}"), text("a") + &format!(" z{number}"))).unwrap();
        }
        for name in ["b", "c", "d"] {
            index.add(&Document::new(name, text(name))).unwrap();
        }
        let bands = index.engine.documents.bands() as u64;
        let sizes = index.bucket_sizes(10_000).unwrap();
        let verified = index.verify().unwrap();
        assert_eq!(sizes.largest, verified.largest_bucket);
        assert!(sizes.largest > 256, "it has several pages");
        assert_eq!(sizes.counts.iter().sum::<u64>(), sizes.looked_at);
        assert!(sizes.counts[0] >= 3 * bands);
        assert_eq!(sizes.cut, 0);
        // With one page of each bucket the same buckets are looked at, and those with several pages are cut.
        let least = index.bucket_sizes_within(10_000, 1).unwrap();
        assert_eq!((least.looked_at, least.counts.iter().sum()), (sizes.looked_at, sizes.looked_at));
        assert!(least.cut > 0 && least.largest < sizes.largest && least.largest >= 256);
        assert_eq!(index.bucket_sizes_within(10_000, 3).unwrap(), sizes);
        for most_pages in [1, 64] {
            assert_eq!(index.bucket_sizes_within(1, most_pages).unwrap().looked_at, bands);
        }
        assert_eq!(next_bucket(3, &[3, 0, 0, 0, 0, 0, 0, 0, 255, 0, 0, 0, 1]), Some(bucket_key(3, 256)));
        assert_eq!(next_bucket(3, &[&bucket_key(3, u64::MAX)[..], &[0; 4]].concat()), None);
        // A sample of one bucket of each band.
        assert_eq!(index.bucket_sizes(1).unwrap().looked_at, bands);
    }
}
