//! Many documents at once, in chunks that are sorted and written as tables.
//!
//! A chunk is as large as the memory allows. A marker says which chunk is being written. It is removed, with the new
//! counters, when all keyspaces have the chunk; until then nobody sees its documents. After a kill, opening the index
//! finishes a chunk whose documents were written, and takes the marker of any other away.

use super::sources::IfPresent;
use crate::changes;
use crate::chunk::Chunk;
use crate::document::Document;
use crate::engine::Prepared;
use crate::search::{record, view, wrong_record};
use crate::store::{Batch, Space};
use crate::values::{
    BULK_KEY, BulkMarker, COUNTERS_KEY, Counters, JOB_PREFIX, JobProgress, damaged, id_number, number_key,
    number_of,
};
use crate::{Error, Index, Result};

/// How documents are loaded in bulk.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct BulkOptions {
    /// Bytes of memory that a chunk may take.
    pub memory: usize,
    /// A name under which the index remembers how much of the input it has. A load with the same name and the same
    /// input goes on where it was killed.
    pub job: Option<String>,
    /// What is done with documents whose id is there already. They cannot be replaced: [`IfPresent::Update`] is an error,
    /// as [`IfPresent::Refuse`] is.
    pub if_present: IfPresent,
}

impl Default for BulkOptions {
    fn default() -> Self {
        Self { memory: 512 << 20, job: None, if_present: IfPresent::Refuse }
    }
}

impl BulkOptions {
    /// Bytes of memory that a chunk may take.
    #[must_use]
    pub fn with_memory(mut self, bytes: usize) -> Self {
        self.memory = bytes;
        self
    }

    /// A name under which the index remembers how much of the input it has.
    #[must_use]
    pub fn with_job(mut self, job: Option<String>) -> Self {
        self.job = job;
        self
    }

    /// What is done with documents whose id is there already.
    #[must_use]
    pub fn with_if_present(mut self, if_present: IfPresent) -> Self {
        self.if_present = if_present;
        self
    }
}

/// What a bulk load has done.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub struct BulkReport {
    /// Documents that were added.
    pub added: u64,
    /// Documents that were left out, because their id is there already.
    pub present: u64,
    /// Documents of the input that an earlier load of the same name had taken.
    pub resumed: u64,
}

impl Index {
    /// Adds many documents, with much less work for each than [`add_batch`](Self::add_batch). Each chunk is there as a
    /// whole or not at all; after an error or a kill the chunks before it are there.
    pub fn bulk_load<E: From<Error>>(
        &self,
        documents: impl IntoIterator<Item = std::result::Result<Document, E>>,
        options: &BulkOptions,
    ) -> std::result::Result<BulkReport, E> {
        let job = options.job.as_deref();
        let resumed = job.map(|job| self.progress_of(job)).transpose()?.flatten().map_or(0, |it| it.taken);
        let mut report = BulkReport { resumed, ..BulkReport::default() };
        let mut taken = resumed;
        let mut chunk = Chunk::default();
        for document in documents.into_iter().skip(usize::try_from(resumed).unwrap_or(usize::MAX)) {
            let Prepared { record, keys, body, .. } = self.engine.prepare(&document?, self.now())?;
            let stored = (record.encode(), body.map(|body| body.encode()));
            chunk.push(&self.engine, &record, &keys, Some(stored));
            // The rest is for sorting and for the tables that are being written.
            if chunk.bytes() > options.memory - options.memory / 4 {
                taken += chunk.len() as u64;
                self.load_chunk(std::mem::take(&mut chunk), taken, options, &mut report)?;
            }
        }
        taken += chunk.len() as u64;
        self.load_chunk(chunk, taken, options, &mut report)?;
        if let Some(job) = job {
            let key = format!("{JOB_PREFIX}{job}").into_bytes();
            self.writer.write(self.store.as_ref(), |writes| {
                writes.remove(Space::Meta, key);
                Ok(())
            })?;
        }
        Ok(report)
    }

    fn progress_of(&self, job: &str) -> Result<Option<JobProgress>> {
        let key = format!("{JOB_PREFIX}{job}").into_bytes();
        let Some(value) = self.store.get(Space::Meta, &key)? else { return Ok(None) };
        let progress = JobProgress::decode(&value);
        progress.ok_or_else(|| damaged(Space::Meta, &key, "it is no progress of a job")).map(Some)
    }

    fn load_chunk(
        &self,
        mut chunk: Chunk,
        taken: u64,
        options: &BulkOptions,
        report: &mut BulkReport,
    ) -> Result<()> {
        if chunk.len() == 0 {
            return Ok(());
        }
        self.free_expired_ids(&chunk)?;
        // Ids are looked up with all other writers kept out. Up to the first write, an error changes nothing.
        let mut is_out = chunk.repeated();
        let loaded = self.writer.alone(self.store.as_ref(), |counters| {
            let has_ids = self.snapshot()?.scan(Space::Ids, &[]).next().is_some();
            for ((id, &copy_hash), is_out) in chunk.ids().zip(chunk.copy_hashes()).zip(&mut is_out) {
                let there = if has_ids { self.store.get(Space::Ids, id)? } else { None };
                let is_allowed = match (options.if_present, &there) {
                    (IfPresent::Skip, _) => true,
                    (IfPresent::SkipSame, Some(there)) => {
                        let number = id_number(id, there)?;
                        !*is_out
                            && record(&self.engine, self.store.as_ref(), number)?.copy_hash() == copy_hash
                    }
                    _ => false,
                };
                *is_out |= there.is_some();
                if *is_out && !is_allowed {
                    return Ok(Err(String::from_utf8_lossy(id).into_owned()));
                }
            }
            let present = is_out.iter().filter(|&&is_out| is_out).count() as u64;
            if present > 0 {
                chunk.leave_out(&is_out);
            }
            let (from, added) = (counters.next, chunk.len() as u64);
            chunk.number(from..from + added);
            let job = options.job.clone().unwrap_or_default();
            let marker = BulkMarker { from, to: from + added, taken, job };
            if added > 0 {
                self.commit_alone(counters, |batch| {
                    batch.put(Space::Meta, BULK_KEY.to_vec(), marker.encode());
                })?;
                chunk.write_documents(self.store.as_ref())?;
            }
            self.finish_chunk(&chunk, &marker, counters)?;
            Ok(Ok((added, present)))
        })?;
        let (added, present) = loaded.map_err(|id| Error::DuplicateId { id })?;
        report.added += added;
        report.present += present;
        Ok(())
    }

    /// Documents that have expired are not there any more: their ids are free for those of a chunk.
    fn free_expired_ids(&self, chunk: &Chunk) -> Result<()> {
        let now = self.now();
        let mut expired = Vec::new();
        let snapshot = self.snapshot()?;
        if snapshot.scan(Space::Expiry, &[]).next().is_none() {
            return Ok(());
        }
        for id in chunk.ids().filter_map(|id| std::str::from_utf8(id).ok()) {
            let old = changes::find(&self.engine, snapshot.as_ref(), id)?;
            if old.is_some_and(|(_, old)| old.is_expired(now)) {
                expired.push(id);
            }
        }
        drop(snapshot);
        if !expired.is_empty() {
            self.remove(&expired)?;
        }
        Ok(())
    }

    /// Writes what follows from the documents of a chunk, and then the counters, without the marker.
    fn finish_chunk(&self, chunk: &Chunk, marker: &BulkMarker, counters: &mut Counters) -> Result<()> {
        let distinct = chunk.write_derived(self.store.as_ref(), self.engine.documents.bands())?;
        counters.next = marker.to.max(counters.next);
        counters.documents += chunk.len() as u64;
        counters.distinct += distinct;
        self.commit_alone(counters, |batch| {
            batch.remove(Space::Meta, BULK_KEY.to_vec());
            if !marker.job.is_empty() {
                let key = format!("{JOB_PREFIX}{}", marker.job).into_bytes();
                batch.put(Space::Meta, key, JobProgress { taken: marker.taken }.encode());
            }
        })
    }

    fn commit_alone(&self, counters: &mut Counters, fill: impl FnOnce(&mut Batch)) -> Result<()> {
        counters.batch += 1;
        let mut batch = Batch::default();
        fill(&mut batch);
        batch.put(Space::Meta, COUNTERS_KEY.to_vec(), counters.encode());
        self.store.commit(&batch)
    }

    /// Finishes a chunk that a kill has left.
    pub(crate) fn finish_bulk(&self) -> Result<()> {
        let Some(value) = self.store.get(Space::Meta, BULK_KEY)? else { return Ok(()) };
        let wrong = || damaged(Space::Meta, BULK_KEY, "it is no marker of a bulk load");
        let marker = BulkMarker::decode(&value).ok_or_else(wrong)?;
        self.writer.alone(self.store.as_ref(), |counters| {
            let snapshot = self.snapshot()?;
            let (mut chunk, mut numbers) = (Chunk::default(), Vec::new());
            for entry in snapshot.scan(Space::Documents, &number_key(marker.from)) {
                let (key, value) = entry?;
                let number = number_of(Space::Documents, &key)?;
                if number >= marker.to {
                    break;
                }
                let record = view(&self.engine, number, &value)?.record();
                let Prepared { record, keys, .. } =
                    self.engine.prepared(record.ok_or_else(|| wrong_record(number))?, None);
                numbers.push(number);
                chunk.push(&self.engine, &record, &keys, None);
            }
            if chunk.len() > 0 {
                chunk.number(numbers);
                return self.finish_chunk(&chunk, &marker, counters);
            }
            // The documents were not written. Bodies may have been.
            let bodies = snapshot.scan(Space::Bodies, &number_key(marker.from));
            let bodies = bodies.map(|entry| entry.map(|(key, _)| key)).collect::<Result<Vec<_>>>()?;
            self.commit_alone(counters, |batch| {
                batch.remove(Space::Meta, BULK_KEY.to_vec());
                bodies.into_iter().for_each(|key| batch.remove(Space::Bodies, key));
            })
        })
    }
}
