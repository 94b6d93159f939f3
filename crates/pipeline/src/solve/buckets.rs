//! Keys of a chunk -> its buckets, and which buckets a document is in.

use super::chunk::Chunk;
use crate::method::Means;
use rayon::slice::ParallelSliceMut;

/// The buckets of a chunk that hold at least two documents.
#[derive(Debug, Default)]
pub(crate) struct Buckets {
    /// All members, bucket by bucket, each ascending.
    members: Vec<u32>,
    /// Where each bucket begins; one more at the end.
    starts: Vec<u32>,
    /// Kept members, at the same places: the first `kept` of a bucket's are filled.
    listed: Vec<u32>,
    kept: Vec<u32>,
    /// The buckets of each document, and where they begin; one more at the end.
    buckets: Vec<u32>,
    bucket_starts: Vec<usize>,
}

/// Working memory for looking up candidates.
#[derive(Debug, Default)]
pub(crate) struct Lookup {
    /// For each document, in how many buckets it was met.
    met: Vec<u32>,
    /// Candidates, ascending, with the number of shared buckets.
    pub found: Vec<(u32, u32)>,
}

impl Buckets {
    /// Brings the documents of a chunk together.
    pub(super) fn new(chunk: &Chunk, means: &Means, threads: usize) -> Self {
        let (mut keys, mut ends) = (Vec::new(), Vec::with_capacity(chunk.len()));
        for at in 0..chunk.len() {
            chunk.visit_keys(at, means, |key| keys.push(key));
            ends.push(keys.len());
        }
        // Two bits per slot tell most keys that occur once from the others, as in `grouping`.
        let slots = (keys.len() * 8).next_power_of_two().max(64);
        let slot =
            |key: u64| (key.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> (64 - slots.trailing_zeros())) as usize;
        let mut met = vec![0u64; slots / 32];
        for &key in &keys {
            let (word, bit) = (&mut met[slot(key) / 32], slot(key) % 32 * 2);
            let again = *word >> bit & 1;
            *word |= (1 | again << 1) << bit;
        }
        let shared = |key: u64| met[slot(key) / 32] >> (slot(key) % 32 * 2 + 1) & 1 == 1;
        let mut items: Vec<(u64, u32)> = Vec::with_capacity(keys.iter().filter(|&&key| shared(key)).count());
        let mut start = 0;
        for (at, &end) in ends.iter().enumerate() {
            for &key in &keys[start..end] {
                if shared(key) {
                    items.push((key, at as u32));
                }
            }
            start = end;
        }
        drop(keys);
        drop(met);
        if threads > 1 {
            items.par_sort_unstable();
        } else {
            items.sort_unstable();
        }
        items.dedup();
        let mut made = Self { bucket_starts: vec![0; ends.len() + 1], starts: vec![0], ..Self::default() };
        for bucket in items.chunk_by(|a, b| a.0 == b.0).filter(|bucket| bucket.len() > 1) {
            for &(_, at) in bucket {
                made.members.push(at);
                made.bucket_starts[at as usize + 1] += 1;
            }
            made.starts.push(made.members.len() as u32);
        }
        drop(items);
        for at in 0..ends.len() {
            made.bucket_starts[at + 1] += made.bucket_starts[at];
        }
        let mut filled = made.bucket_starts.clone();
        made.buckets = vec![0; made.members.len()];
        for bucket in 0..made.starts.len() - 1 {
            for &at in &made.members[made.starts[bucket] as usize..made.starts[bucket + 1] as usize] {
                made.buckets[filled[at as usize]] = bucket as u32;
                filled[at as usize] += 1;
            }
        }
        made.listed = vec![0; made.members.len()];
        made.kept = vec![0; made.starts.len() - 1];
        made
    }

    /// How many pairs of documents are in some bucket together; a pair counts once for each.
    pub(crate) fn pairs(&self) -> u64 {
        self.starts
            .windows(2)
            .map(|ends| u64::from(ends[1] - ends[0]))
            .map(|members| members * (members - 1) / 2)
            .sum()
    }

    /// How many buckets there are.
    pub(super) fn len(&self) -> usize {
        self.kept.len()
    }

    /// The buckets of a document.
    #[inline]
    pub(super) fn of(&self, at: usize) -> &[u32] {
        &self.buckets[self.bucket_starts[at]..self.bucket_starts[at + 1]]
    }

    /// Lists a kept document in its buckets.
    pub(super) fn list(&mut self, at: usize) {
        for place in self.bucket_starts[at]..self.bucket_starts[at + 1] {
            let bucket = self.buckets[place] as usize;
            self.listed[(self.starts[bucket] + self.kept[bucket]) as usize] = at as u32;
            self.kept[bucket] += 1;
        }
    }

    /// Finds the listed documents from `from` on that share a bucket with `at`.
    pub(super) fn look_up_listed(&self, at: usize, from: u32, lookup: &mut Lookup) {
        self.look_up(at, lookup, |bucket| {
            let start = self.starts[bucket] as usize;
            let listed = &self.listed[start..start + self.kept[bucket] as usize];
            &listed[listed.partition_point(|&other| other < from)..]
        });
    }

    /// Finds all members from `from` on, before `at`, that share a bucket with it.
    pub(super) fn look_up_members(&self, at: usize, from: u32, lookup: &mut Lookup) {
        self.look_up(at, lookup, |bucket| {
            let members = &self.members[self.starts[bucket] as usize..self.starts[bucket + 1] as usize];
            let before = &members[..members.partition_point(|&other| (other as usize) < at)];
            &before[before.partition_point(|&other| other < from)..]
        });
    }

    fn look_up<'s>(&'s self, at: usize, lookup: &mut Lookup, part: impl Fn(usize) -> &'s [u32]) {
        lookup.begin(self.bucket_starts.len());
        for &bucket in self.of(at) {
            lookup.meet(part(bucket as usize).iter());
        }
        lookup.end();
    }
}

impl Lookup {
    /// Nothing is met yet, of fewer than `count` documents.
    pub(crate) fn begin(&mut self, count: usize) {
        self.met.resize(count, 0);
        self.found.clear();
    }

    /// Meets documents.
    pub(crate) fn meet<'s>(&mut self, others: impl Iterator<Item = &'s u32>) {
        for &other in others {
            if self.met[other as usize] == 0 {
                self.found.push((other, 0));
            }
            self.met[other as usize] += 1;
        }
    }

    /// Puts what was met in order, with how often.
    pub(crate) fn end(&mut self) {
        self.found.sort_unstable();
        for (other, times) in &mut self.found {
            *times = std::mem::take(&mut self.met[*other as usize]);
        }
    }
}
