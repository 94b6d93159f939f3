//! One pass over the documents of a job, for questions that need no sketches.

use crate::limits::memory::LongBlock;
use crate::limits::ordered::ordered;
use crate::method::TextBuffers;
use crate::prepared::Prepared;
use crate::progress::pace::Pace;
use crate::report::Counts;
use crate::sketch::missing_fields;
use crate::sketch::{Sources, Worker, limits};
use crate::store::Number;
use crate::{Error, Observer, OnBadRecord, ReadDocument, Reference, Result, Stage};
use corpus::{Block, Document, ReadMode, Reader, Record};

/// The position of a document. Positions are ordered as the input is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct At {
    pub source: u32,
    /// The number of the record in its source, counted from 1.
    pub line: u64,
    /// The number of the document in the whole corpus.
    pub number: Number,
}

impl At {
    /// The name of the document.
    pub(crate) fn reference(self, id: Option<String>, sources: Sources<'_>) -> Reference {
        let source = sources.get(self.source as usize).name.clone();
        let id = id.unwrap_or_else(|| format!("{source}:{}", self.line));
        Reference { id, source, line: self.line }
    }

    /// The document, as it is handed out.
    pub(crate) fn read(self, document: &Document<'_>, sources: Sources<'_>) -> ReadDocument {
        ReadDocument {
            document: self.reference(document.id.as_ref().map(|id| id.text.to_string()), sources),
            text: document.text.to_owned(),
            within: document.within.as_ref().map(ToString::to_string),
            more: Ok(Default::default()),
        }
    }
}

/// Calls `look` with every document, on all threads, as a stage of a run, and hands its results to `collect` in input order. Returns how many
/// records are bad and were left out.
pub(crate) fn scan<R: Send>(
    prepared: &Prepared<'_>,
    stage: Stage,
    observer: &dyn Observer,
    look: impl Fn(&Document<'_>, At, &mut TextBuffers) -> Result<Option<R>> + Sync,
    collect: impl FnMut(R) -> Result<()> + Send,
) -> Result<u64> {
    let look =
        |document: &Document<'_>, at, _: &Block, _, buffers: &mut TextBuffers| look(document, at, buffers);
    scan_blocks(prepared, stage, observer, ReadMode::Fields, look, collect)
}

/// The same, with the block that a document is in and its slot there.
pub(crate) fn scan_blocks<R: Send>(
    prepared: &Prepared<'_>,
    stage: Stage,
    observer: &dyn Observer,
    mode: ReadMode,
    look: impl Fn(&Document<'_>, At, &Block, usize, &mut TextBuffers) -> Result<Option<R>> + Sync,
    mut collect: impl FnMut(R) -> Result<()> + Send,
) -> Result<u64> {
    let (recipe, sources) = (&prepared.recipe, prepared.sources);
    let stops = prepared.job.settings.files.on_bad_record == OnBadRecord::Fail;
    observer.started(stage, sources.bytes());
    let limits = limits(&prepared.budget, recipe);
    let (mut at, mut reader): (usize, Option<Reader>) = (0, None);
    let mut first: Number = 0;
    let next = |worker: &mut Worker| {
        while at < sources.len() {
            observer.go_on()?;
            prepared.budget.wait_for_long_block();
            let open = match &mut reader {
                Some(open) => open,
                closed => closed.insert(Reader::open(sources.get(at), mode, &recipe.fields, limits)?),
            };
            let mut block = std::mem::take(&mut worker.block);
            if open.next_block(&mut block).map_err(|error| prepared.budget.explain(error))? {
                let long = prepared.budget.long_block(block.bytes() as u64);
                first += block.len() as Number;
                return Ok(Some((at as u32, first - block.len() as Number, block, long)));
            }
            reader = None;
            at += 1;
        }
        Ok(None)
    };
    let work = |worker: &mut Worker,
                (source, first, block, long): (u32, Number, Block, Option<LongBlock>)| {
        let Worker { buffers, scratch, .. } = worker;
        let mut found = Vec::new();
        let mut counts = Counts::default();
        let mut failure = None;
        block.visit(&recipe.fields, None, scratch, &mut |slot, record| {
            let line = block.number(slot);
            match recipe.usable(record, buffers) {
                Record::Document(document) if failure.is_none() => {
                    counts.documents += 1;
                    counts.add_absent(&document, &recipe.fields);
                    let number = first + slot as Number;
                    match look(&document, At { source, line, number }, &block, slot, buffers) {
                        Ok(made) => found.extend(made),
                        Err(error) => failure = Some(error),
                    }
                    buffers.shrink_after(document.text.len());
                }
                Record::Bad(bad) if stops && failure.is_none() => {
                    let source = sources.get(source as usize);
                    failure = Some(Error::BadRecord {
                        source_name: source.name.clone(),
                        line,
                        place: corpus::place_of(source, &block, slot),
                        reason: bad.reason,
                        lacks_text: bad.lacks_text,
                    });
                }
                Record::Bad(_) => {
                    counts.documents += 1;
                    counts.bad_skipped += 1;
                }
                Record::Document(_) => {}
            }
            Ok(())
        })?;
        let bytes = block.bytes() as u64;
        // Buffers that grew for a long record are freed.
        if long.is_some() {
            worker.scratch = Default::default();
        } else {
            worker.block = block;
        }
        failure.map_or(Ok((found, counts, source, bytes)), Err)
    };
    let mut pace = Pace::new(sources);
    let mut all = Counts::default();
    ordered(prepared.threads, next, Default::default, work, |(found, counts, source, bytes)| {
        all.add(&counts);
        observer.advanced(stage, pace.advance(source as usize, bytes));
        found.into_iter().try_for_each(&mut collect)
    })?;
    observer.finished(stage);
    missing_fields::check(recipe, sources, &prepared.budget, &all)?;
    Ok(all.bad_skipped)
}
