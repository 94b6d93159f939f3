//! Sources -> sketches: every text is read, shingled and sketched once.
//!
//! Blocks are read one after the other and sketched on all threads. Their columns are joined, in input order, to
//! parts. A finished part is written to the work folder, so that a killed run can continue after it.

pub(crate) mod document;
pub(crate) mod missing_fields;
pub(crate) mod order;
mod sample;
pub(crate) mod sketch_file;
pub(crate) mod stored;

pub(crate) use sample::learn_first;

use crate::limits::memory::{BLOCK_BYTES, Ledger, LongBlock};
use crate::limits::ordered::ordered;
use crate::limits::sorted::Room;
use crate::method::{Recipe, TextBuffers};
use crate::progress::pace::Pace;
use crate::resume::work::Work;
use crate::seen::SeenBefore;
use crate::store::Store;
use crate::store::columns::{BlockEntry, Columns};
use crate::store::entries::{Class, Entry, Within};
use crate::{Error, Keep, Observer, OnBadRecord, Result, Settings, Stage};
use corpus::{
    BadRecord, Block, Document, Id, Limits, Position, ReadMode, Reader, Record, Scratch, Source, place_of,
};
use lookalike::hashing::mix64;
use memchr::memchr;

/// A part ends after the block with which it has at least this many documents.
const PART_DOCUMENTS: usize = if cfg!(test) { 100 } else { 1 << 16 };
/// In a sketch file, a part also ends when its columns have this many bytes. In a work folder the memory limit
/// decides.
const SKETCH_PART: u64 = 16 << 20;
/// A part also ends after this many bytes of input. At most this much input must be sketched again after a kill.
const PART_INPUT: u64 = 64 << 20;

/// The largest number of records in a block. Without it, many short records would take much more memory than their
/// text.
const MOST_RECORDS: usize = 8_192;

/// The largest number of lanes of all records of a block, 2 bytes each. Up to three results of a thread wait for
/// their turn.
const BLOCK_LANES: usize = MOST_RECORDS * 128;

/// A block with more records than this is an error: their numbers must fit into 32 bits. Real blocks have far fewer.
const MOST_SLOTS: usize = 1 << 31;

/// All sources of a run: first the sources of `against`, then those of the corpus.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Sources<'a> {
    pub against: &'a [Source],
    pub corpus: &'a [Source],
    /// The index that is asked for every document of the corpus.
    pub seen: Option<&'a dyn SeenBefore>,
}

impl<'a> Sources<'a> {
    pub(crate) fn len(&self) -> usize {
        self.against.len() + self.corpus.len()
    }

    pub(crate) fn get(&self, at: usize) -> &'a Source {
        self.against.get(at).unwrap_or_else(|| &self.corpus[at - self.against.len()])
    }

    pub(crate) fn is_against(&self, at: usize) -> bool {
        at < self.against.len()
    }

    pub(crate) fn bytes(&self) -> u64 {
        self.against.iter().chain(self.corpus).map(|source| source.size).sum()
    }
}

/// The limits for reading blocks. Every pass over the sources reads the same blocks.
pub(crate) fn limits(budget: &Ledger, recipe: &Recipe) -> Limits {
    let records = (BLOCK_LANES / recipe.lanes().max(1)).clamp(1, MOST_RECORDS);
    Limits { block_bytes: BLOCK_BYTES, record_bytes: budget.record_bytes(), records }
}

/// The buffers of a thread, which it reuses for every block.
#[derive(Debug, Default)]
pub(crate) struct Worker {
    /// The last block of this thread, whose memory is probably still in the processor's cache.
    pub block: Block,
    pub buffers: TextBuffers,
    pub scratch: Scratch,
}

/// A block on its way to a thread.
struct BlockJob {
    source: u32,
    block: Block,
    /// For a long block: held while the block is sketched, so that no other long block is read meanwhile.
    long: Option<LongBlock>,
}

/// Reads blocks of one source after the other.
struct Blocks<'a> {
    sources: Sources<'a>,
    recipe: &'a Recipe,
    limits: Limits,
    budget: &'a Ledger,
    at: usize,
    reader: Option<Reader>,
    /// The position of the last block that is already sketched, in the source at which reading begins.
    done: Option<Position>,
}

impl Blocks<'_> {
    fn next(&mut self, block: &mut Block) -> Result<Option<u32>> {
        while self.at < self.sources.len() {
            let reader = match &mut self.reader {
                Some(reader) => reader,
                closed => {
                    let source = self.sources.get(self.at);
                    let mut reader =
                        Reader::open(source, ReadMode::Fields, &self.recipe.fields, self.limits)?;
                    if let Some(done) = self.done.take() {
                        reader.advance_to(done)?;
                        reader.next_block(block)?;
                    }
                    closed.insert(reader)
                }
            };
            if reader.next_block(block).map_err(|error| self.budget.explain(error))? {
                return Ok(Some(self.at as u32));
            }
            self.reader = None;
            self.at += 1;
        }
        Ok(None)
    }
}

/// Sketches the documents whose sketches are not in `work` yet, and returns the sketches of all documents.
pub(crate) fn sketch(
    sources: Sources<'_>,
    recipe: &Recipe,
    budget: &Ledger,
    threads: usize,
    work: &mut Work,
    observer: &dyn Observer,
) -> Result<Store> {
    let mut store = work.stored_parts(recipe, sources.len(), budget.parts(), observer)?;
    if sources.seen.is_none() && store.has_seen() {
        let cause = "the sketches are those of a run against an index".to_owned();
        return Err(Error::Damaged { name: work.name_of_sketches(), cause });
    }
    if let Some(seen) = sources.seen
        && work.is_sketched()
        && !work.is_adding()?
        && !work.is_begun_with(&seen.state())?
    {
        return Err(Error::Target(format!(
            "the documents of {} have changed since this run compared with them, so it cannot go on; remove the target, or \
             choose another one",
            seen.name()
        )));
    }
    if !work.is_sketched() {
        let order = sample::learn(sources, recipe, budget, observer)?;
        if store.order().is_some_and(|stored| stored != order) {
            observer.note(
                "the sketches of the earlier run put shingles in another order; sketching begins again",
            );
            work.forget_parts()?;
            store = Store::new(recipe.lanes(), recipe.has_uneven_lanes());
        }
        if let Some(seen) = sources.seen
            && !work.is_begun_with(&seen.state())?
        {
            if store.parts() > 0 {
                observer.note(&format!(
                    "the documents of {} have changed since the run began; sketching begins again",
                    seen.name()
                ));
            }
            work.begin_with(&seen.state())?;
            store = Store::new(recipe.lanes(), recipe.has_uneven_lanes());
        }
        store.use_order(order);
        sketch_rest(&mut store, sources, recipe, budget, threads, work, observer)?;
    }
    if store.has_long_values() {
        store.rank_values(Room { ledger: budget, work, observer })?;
    }
    Ok(store)
}

/// Sketches the documents that come after the parts in the store.
fn sketch_rest(
    store: &mut Store,
    sources: Sources<'_>,
    recipe: &Recipe,
    budget: &Ledger,
    threads: usize,
    work: &mut Work,
    observer: &dyn Observer,
) -> Result<()> {
    let order = store.order().unwrap_or(0);
    let done = store.blocks().last().map(|(_, block)| *block);
    let mut blocks = Blocks {
        sources,
        recipe,
        limits: limits(budget, recipe),
        budget,
        at: done.map_or(0, |block| block.source as usize),
        reader: None,
        done: done.map(|block| block.position()),
    };
    // A sketch file has the same bytes with any memory limit.
    let part_bytes = if work.is_appending() { SKETCH_PART } else { budget.part() };
    let mut part = Columns { order, ..Columns::default() };
    let mut part_input = 0;
    let next = |worker: &mut Worker| {
        observer.go_on()?;
        budget.wait_for_long_block();
        let mut block = std::mem::take(&mut worker.block);
        let Some(source) = blocks.next(&mut block)? else { return Ok(None) };
        // The records of a block, and of the part that it ends, are numbered with 32 bits.
        if block.len() > MOST_SLOTS {
            let name = &sources.get(source as usize).name;
            return Err(Error::Invalid(format!(
                "{name} has too many records in one block ({})",
                block.len()
            )));
        }
        let long = budget.long_block(block.bytes() as u64);
        Ok(Some(BlockJob { source, block, long }))
    };
    let work_on = |worker: &mut Worker, job: BlockJob| {
        let mut sketcher = BlockSketcher::new(&job, sources, recipe, budget, &mut worker.buffers);
        job.block.visit(&recipe.fields, None, &mut worker.scratch, &mut |slot, record| {
            sketcher.add(slot, record);
            Ok(())
        })?;
        let columns = sketcher.finish()?;
        let bytes = job.block.bytes() as u64;
        // Buffers that grew for a long record are freed.
        if job.long.is_some() {
            worker.scratch = Scratch::default();
        } else {
            worker.block = job.block;
        }
        Ok((columns, job.source, bytes))
    };
    let mut pace = Pace::new(sources);
    ordered(threads, next, Default::default, work_on, |(columns, source, bytes)| {
        observer.advanced(Stage::Sketch, pace.advance(source as usize, bytes));
        part.append(columns);
        part_input += bytes;
        if part.slots.len() >= PART_DOCUMENTS || part.bytes() >= part_bytes || part_input >= PART_INPUT {
            part_input = 0;
            let next = Columns { order, ..Columns::with_room_for(&part) };
            work.push_part(std::mem::replace(&mut part, next), store, budget.parts())?;
            // If the memory does not suffice, it is better to fail now than after all sources.
            drop(budget.for_documents(store.count(), store.blocks().len())?);
        }
        Ok(())
    })?;
    // A part without any record still has counts.
    if !part.blocks.is_empty() {
        work.push_part(part, store, budget.parts())?;
    }
    work.sketched()
}

/// Sketches the documents of a block.
struct BlockSketcher<'a> {
    job: &'a BlockJob,
    sources: Sources<'a>,
    recipe: &'a Recipe,
    budget: &'a Ledger,
    buffers: &'a mut TextBuffers,
    columns: Columns,
    failure: Option<Error>,
}

impl<'a> BlockSketcher<'a> {
    fn new(
        job: &'a BlockJob,
        sources: Sources<'a>,
        recipe: &'a Recipe,
        budget: &'a Ledger,
        buffers: &'a mut TextBuffers,
    ) -> Self {
        let Block { position, .. } = job.block;
        let slots = job.block.len();
        let entry = BlockEntry {
            source: job.source,
            offset: position.offset,
            record: position.record,
            slots: slots as u32,
            blank_lines: u32::try_from(job.block.blank_lines()).unwrap_or(u32::MAX),
        };
        let mut columns = Columns { blocks: vec![entry], ..Columns::default() };
        columns.counts.blank_lines = job.block.blank_lines();
        columns.slots.reserve(slots);
        columns.lanes.reserve(match recipe.has_uneven_lanes() {
            true => slots * buffers.lanes_per_slot,
            false => slots * recipe.lanes(),
        });
        Self { job, sources, recipe, budget, buffers, columns, failure: None }
    }

    /// The columns of the block, or the first error.
    fn finish(self) -> Result<Columns> {
        let Self { columns, failure, buffers, .. } = self;
        buffers.lanes_per_slot = columns.lanes.len().div_ceil(columns.slots.len().max(1));
        failure.map_or(Ok(columns), Err)
    }

    /// Sketches the record of the next slot.
    fn add(&mut self, slot: usize, record: Record<'_>) {
        if self.failure.is_some() {
            return;
        }
        let outcome = match self.recipe.usable(record, self.buffers) {
            Record::Document(document) => match self.recipe.within_of(&document) {
                Ok(within) => self.add_document(slot, &document, within),
                Err(reason) => {
                    self.columns.counts.absent_date += u64::from(document.absent.date && !self.is_against());
                    self.add_bad(slot, BadRecord { reason, id: document.id, lacks_text: false })
                }
            },
            Record::Bad(bad) => self.add_bad(slot, bad),
        };
        self.failure = outcome.err();
        self.columns.end_lists(self.recipe);
    }

    fn is_against(&self) -> bool {
        self.sources.is_against(self.job.source as usize)
    }

    fn add_bad(&mut self, slot: usize, BadRecord { reason, id, lacks_text }: BadRecord<'_>) -> Result<()> {
        let against = self.is_against();
        let counts = &mut self.columns.counts;
        match self.recipe.settings.files.on_bad_record {
            OnBadRecord::Fail => {
                let source = self.sources.get(self.job.source as usize);
                return Err(Error::BadRecord {
                    source_name: source.name.clone(),
                    line: self.job.block.number(slot),
                    place: place_of(source, &self.job.block, slot),
                    reason,
                    lacks_text,
                });
            }
            _ if against => {}
            OnBadRecord::Skip => counts.bad_skipped += 1,
            OnBadRecord::Keep => counts.bad_kept += 1,
        }
        counts.documents += u64::from(!against);
        counts.absent_text += u64::from(lacks_text && !against);
        self.columns.push_bad(slot as u64, &reason);
        self.push_entry(slot, Entry::bad(), id.as_ref());
        if self.recipe.stores_content_hashes {
            self.columns.content_hashes.push([0; 2]);
        }
        self.columns.push_no_lanes(self.recipe);
        Ok(())
    }

    /// Adds the entry and the id of a record.
    fn push_entry(&mut self, slot: usize, entry: Entry, id: Option<&Id<'_>>) {
        let has_bare_id = id.is_some_and(|id| id.is_bare);
        let entry = entry.of_record(has_bare_id, self.job.block.blank_lines_before(slot));
        self.columns.push_entry(entry, self.recipe);
        if let Some(id) = id {
            self.columns.ids.extend_from_slice(id.text.as_bytes());
        }
    }

    fn add_document(&mut self, slot: usize, document: &Document<'_>, within: Within) -> Result<()> {
        let against = self.is_against();
        let Self { recipe, budget, buffers, columns, sources, .. } = self;
        let settings = &recipe.settings;
        let text = document.text;
        let counts = &mut columns.counts;
        if against {
            counts.against += 1;
        } else {
            counts.documents += 1;
        }
        counts.text_bytes += text.len() as u64;
        counts.replaced_bytes += u64::from(document.replaced);
        counts.add_absent(document, &recipe.fields);
        buffers.enter(document);
        let over_limit = text.len() as u64 > settings.files.max_text;
        let with_nul = memchr(0, text.as_bytes()).is_some();
        counts.over_limit += u64::from(over_limit);
        counts.with_nul += u64::from(with_nul && !over_limit);
        if !over_limit && !with_nul {
            recipe.check_fits(text, budget)?;
        }
        let asked = sources.seen.filter(|_| !against);
        let answer =
            asked.map(|seen| seen.find(text, document.within.as_deref())).transpose()?.unwrap_or_default();
        counts.index_cut += u64::from(answer.is_cut);
        if let Some(found) = answer.matched {
            let is_compared = !over_limit && !with_nul;
            counts.empty += u64::from(is_compared && found.shingles == 0);
            counts.short += u64::from(is_compared && found.shingles == 1 && recipe.is_short(text));
            columns.push_seen(slot, &found);
            columns.push_no_lanes(recipe);
            let size = usize::try_from(found.shingles).unwrap_or(usize::MAX);
            self.push_entry(
                slot,
                Entry::document(Class::Seen, 0, u64::MAX, within, size),
                document.id.as_ref(),
            );
            return Ok(());
        }
        let (class, fingerprint, size) = if over_limit || with_nul {
            // Each byte that is not UTF-8 was replaced by three bytes, so the text can be longer than its record.
            if document.replaced && text.len() as u64 > budget.record_bytes() {
                return Err(budget.too_long(text));
            }
            let hash = recipe.content_hash(text, buffers);
            if recipe.stores_content_hashes {
                columns.content_hashes.push([hash as u64, (hash >> 64) as u64]);
            }
            let size = recipe.sketch_content(hash, within, buffers, columns)?;
            (Class::HashOnly, mix64((hash as u64) ^ within[0]), size)
        } else {
            if recipe.stores_content_hashes {
                let hash = recipe.content_hash(text, buffers);
                columns.content_hashes.push([hash as u64, (hash >> 64) as u64]);
            }
            let sketched = recipe.sketch(text, within, buffers, columns)?;
            columns.counts.elements += if recipe.frame().is_some() { sketched.all as u64 } else { 0 };
            columns.counts.left_out += sketched.left_out as u64;
            if sketched.is_too_little {
                columns.counts.little_left += 1;
                let content = recipe.content_on_site(text, buffers);
                let size = recipe.sketch_content(content, within, buffers, columns)?;
                (Class::HashOnly, sketched.fingerprint, size)
            } else {
                columns.counts.empty += u64::from(sketched.size == 0);
                columns.counts.short += u64::from(sketched.size == 1 && recipe.is_short(text));
                (Class::Compared, sketched.fingerprint, sketched.size)
            }
        };
        let order = document.order.map(|order| order.bytes);
        let keep = keep_value(settings, text, size as u64, order, &mut columns.orders);
        if settings.files.store == crate::Stored::Shingles && class == Class::Compared {
            columns.shingles.extend_from_slice(recipe.elements(text, buffers)?);
        }
        buffers.shrink_after(text.len());
        self.push_entry(slot, Entry::document(class, fingerprint, keep, within, size), document.id.as_ref());
        Ok(())
    }
}

/// Where a document of `size` shingles stands in keep order, by what `--keep` compares: smaller stays. Of a value that
/// takes more than 8 bytes, the others are added to `rest`.
pub(crate) fn keep_value(
    settings: &Settings,
    text: &str,
    size: u64,
    order: Option<&[u8]>,
    rest: &mut Vec<u8>,
) -> u64 {
    match &settings.matching.keep {
        _ if settings.signature.measure == crate::Measure::Containment => u64::MAX - size,
        Keep::First | Keep::Longest if settings.signature.kind != crate::Kind::Text => u64::MAX - size,
        // Input order needs nothing; with this a sketch serves both.
        Keep::First | Keep::Longest | Keep::Fullest => u64::MAX - text.len() as u64,
        Keep::Max(_) => keep_of(order, 0xff, rest),
        Keep::Min(_) => keep_of(order, 0, rest),
    }
}

/// The first 8 bytes of a value as they stand in an entry; the others are added to `rest`. Every byte is changed by `mask`.
/// A missing value is last both ways: no key begins with 8 bytes of ones, inverted or not.
fn keep_of(value: Option<&[u8]>, mask: u8, rest: &mut Vec<u8>) -> u64 {
    let Some(value) = value else { return u64::MAX };
    let (first, others) = value.split_at(value.len().min(8));
    let mut leading = [0; 8];
    leading[..first.len()].copy_from_slice(first);
    rest.extend(others.iter().map(|byte| byte ^ mask));
    u64::from_be_bytes(leading.map(|byte| byte ^ mask))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_keep_their_order_both_ways_and_a_missing_one_is_last() {
        // No value is a prefix of another.
        let values: [&[u8]; 5] = [
            &[0x10],
            &[0x21, 1, 0],
            &[0x40, 1, 2, 3, 4, 5, 6, 7, 0],
            &[0x40, 1, 2, 3, 4, 5, 6, 7, 8, 0],
            &[0x40, 2],
        ];
        for mask in [0, 0xff] {
            let split = |value: &[u8]| {
                let mut rest = Vec::new();
                (keep_of(Some(value), mask, &mut rest), rest)
            };
            for pair in values.windows(2) {
                let (a, b) = (split(pair[0]), split(pair[1]));
                assert!(if mask == 0 { a < b } else { a > b }, "{pair:?}");
            }
            assert!(values.iter().all(|value| split(value).0 < keep_of(None, mask, &mut Vec::new())));
        }
    }
}
