//! Keys of a chunk -> its buckets, and which buckets a document is in.

use super::Using;
use super::chunk::Chunk;
use super::repeated::repeated;
use crate::Result;
use crate::method::Recipe;

/// Bytes that a key takes at most while buckets are built, and then in them.
pub(super) const KEY_BYTES: u64 = 28;

/// The buckets of a chunk that hold at least two documents.
#[derive(Debug, Default)]
pub(crate) struct Buckets {
    /// All members, bucket by bucket, each ascending.
    members: Vec<u32>,
    /// Where each bucket begins; one more at the end.
    starts: Vec<usize>,
    /// Kept members, at the same places: the first `kept` of a bucket's are filled.
    listed: Vec<u32>,
    kept: Vec<u32>,
    /// The buckets of each document, and where they begin; one more at the end.
    buckets: Vec<u32>,
    bucket_starts: Vec<usize>,
    /// How many of its buckets, from the first on, a document looks into; all of them if there is nothing here.
    asked: Option<Vec<u32>>,
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
    /// Brings together the documents of a chunk that share a band, or a sampled shingle.
    pub(super) fn by_bands(chunk: &Chunk, recipe: &Recipe, using: Using<'_>) -> Result<Self> {
        Self::new(chunk.len(), using, |at, visit| chunk.visit_keys(at, recipe, visit))
    }

    /// Brings together documents that share a key. `keys` hands out the keys of a document, the same ones each time.
    /// Buckets are in the order of their keys.
    pub(super) fn new(
        documents: usize,
        using: Using<'_>,
        keys: impl Fn(usize, &mut dyn FnMut(u64)),
    ) -> Result<Self> {
        let observer = using.observer;
        let items = repeated(documents, using, keys)?;
        let mut made = Self { bucket_starts: vec![0; documents + 1], starts: vec![0], ..Self::default() };
        for bucket in items.chunk_by(|a, b| a.0 == b.0).filter(|bucket| bucket.len() > 1) {
            observer.go_on()?;
            for &(_, at) in bucket {
                made.members.push(at);
                made.bucket_starts[at as usize + 1] += 1;
            }
            made.starts.push(made.members.len());
        }
        drop(items);
        for at in 0..documents {
            made.bucket_starts[at + 1] += made.bucket_starts[at];
        }
        let mut filled = made.bucket_starts.clone();
        made.buckets = vec![0; made.members.len()];
        for bucket in 0..made.starts.len() - 1 {
            for &at in &made.members[made.starts[bucket]..made.starts[bucket + 1]] {
                made.buckets[filled[at as usize]] = bucket as u32;
                filled[at as usize] += 1;
            }
        }
        made.listed = vec![0; made.members.len()];
        made.kept = vec![0; made.starts.len() - 1];
        Ok(made)
    }

    /// The same buckets, of which a document looks into the first ones only, as many as `asked` says.
    pub(super) fn with_asked(mut self, asked: Vec<u32>) -> Self {
        self.asked = Some(asked);
        self
    }

    /// How many pairs of documents are in some bucket together; a pair counts once for each.
    pub(crate) fn pairs(&self) -> u64 {
        self.starts
            .windows(2)
            .map(|ends| (ends[1] - ends[0]) as u64)
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

    /// The buckets that a document looks into.
    #[inline]
    pub(super) fn asked_by(&self, at: usize) -> &[u32] {
        let all = self.of(at);
        self.asked.as_ref().map_or(all, |asked| &all[..all.len().min(asked[at] as usize)])
    }

    /// Lists a kept document in its buckets.
    pub(super) fn list(&mut self, at: usize) {
        for place in self.bucket_starts[at]..self.bucket_starts[at + 1] {
            let bucket = self.buckets[place] as usize;
            self.listed[self.starts[bucket] + self.kept[bucket] as usize] = at as u32;
            self.kept[bucket] += 1;
        }
    }

    /// Finds the listed documents from `from` on that share a bucket with `at`.
    pub(super) fn look_up_listed(&self, at: usize, from: u32, lookup: &mut Lookup) {
        self.look_up(at, lookup, |bucket| {
            let start = self.starts[bucket];
            let listed = &self.listed[start..start + self.kept[bucket] as usize];
            &listed[listed.partition_point(|&other| other < from)..]
        });
    }

    /// Finds all members from `from` on, before `at`, that share a bucket with it.
    pub(super) fn look_up_members(&self, at: usize, from: u32, lookup: &mut Lookup) {
        self.look_up(at, lookup, |bucket| {
            let members = &self.members[self.starts[bucket]..self.starts[bucket + 1]];
            let before = &members[..members.partition_point(|&other| (other as usize) < at)];
            &before[before.partition_point(|&other| other < from)..]
        });
    }

    fn look_up<'s>(&'s self, at: usize, lookup: &mut Lookup, part: impl Fn(usize) -> &'s [u32]) {
        lookup.begin(self.bucket_starts.len());
        for &bucket in self.asked_by(at) {
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

    /// Finds these documents (ascending), which share no bucket that is known.
    pub(crate) fn all(&mut self, others: &[u32]) {
        self.found.clear();
        self.found.extend(others.iter().map(|&other| (other, 0)));
    }

    /// Finds these documents too (ascending), of which none was met.
    pub(crate) fn add(&mut self, others: &[u32]) {
        if !others.is_empty() {
            self.found.extend(others.iter().map(|&other| (other, 0)));
            self.found.sort_unstable();
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
