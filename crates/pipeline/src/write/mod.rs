//! Decisions -> outputs: the kept records of every source. An output is either complete or absent.

pub(crate) mod adding;
pub(crate) mod lists;
pub(crate) mod naming;
pub(crate) mod removed;

use crate::decide::{Removal, Removals};
use crate::limits::bits::Bits;
use crate::limits::ordered::{each, lock, ordered};
use crate::limits::reading::{ReadBlock, read_block};
use crate::limits::sorted::Stream;
use crate::progress::pace::SourcePace;
use crate::resume::outputs::List;
use crate::sketch::limits;
use crate::store::Number;
use crate::store::entries::{Class, Entry};
use crate::verify::reread::changed;
use crate::view::View;
use crate::write::naming::{ClusterNames, Names};
use crate::{OnBadRecord, Result, Stage};
use corpus::{Annotation, Block, Disposition, ReadMode, Reader, SinkOptions, SinkWriter, Target, Written};
use std::path::Path;
use std::sync::Mutex;

/// The lock for sources whose decompressor needs much memory: only one such source is read at a time.
static LARGE_WINDOW: Mutex<()> = Mutex::new(());

/// What is needed to write outputs.
pub(crate) struct Outputs<'a> {
    pub view: View<'a>,
    pub removals: &'a Removals,
    /// The outputs that are finished.
    pub list: &'a List,
}

impl Outputs<'_> {
    /// The records that are not written: removed documents, and bad records that are skipped.
    fn dropped(&self) -> Result<Bits> {
        let settings = &self.view.recipe.settings;
        let mut dropped = Bits::new(self.view.store.count());
        for part in 0..self.view.store.parts() {
            self.view.observer.go_on()?;
            let (first, entries) = self.view.store.entries(part)?;
            for (number, entry) in (first..).zip(entries.iter()) {
                match entry.class() {
                    Class::Bad if settings.files.on_bad_record == OnBadRecord::Skip => dropped.insert(number),
                    _ => {}
                }
            }
        }
        if !settings.files.annotate {
            for (step, removal) in self.removals.iter().enumerate() {
                self.view.observer.go_on_at(step)?;
                dropped.insert(removal?.number);
            }
        }
        Ok(dropped)
    }

    /// The number of the first slot of each source, and at the end the number of all slots.
    fn first_numbers(&self) -> Vec<Number> {
        let mut firsts = vec![self.view.store.count(); self.view.sources.len() + 1];
        for (first, block) in self.view.store.blocks().iter().rev() {
            firsts[block.source as usize] = *first;
        }
        // A source without blocks begins where the next source begins.
        for at in (0..self.view.sources.len()).rev() {
            firsts[at] = firsts[at].min(firsts[at + 1]);
        }
        firsts
    }

    /// Writes the output of every source, except those whose output is finished already.
    pub(crate) fn write(&self, target: &Target, aside: &Path) -> Result<()> {
        let dropped = self.dropped()?;
        let firsts = self.first_numbers();
        let settings = &self.view.recipe.settings;
        let clusters = match settings.files.annotate {
            true => Some(ClusterNames::new(self.view, self.removals)?),
            false => None,
        };
        let corpus = self.view.sources.against.len()..self.view.sources.len();
        // On standard output the sources must follow each other in order.
        let workers = if target.is_stdout() { 1 } else { self.view.threads.clamp(1, corpus.len().max(1)) };
        let threads = (self.view.threads / workers).max(1);
        each(workers, corpus.len(), |at| {
            self.write_source(corpus.start + at, &firsts, &dropped, clusters.as_ref(), target, aside, threads)
        })
    }

    #[expect(
        clippy::too_many_arguments,
        reason = "the data that all sources share, and the target of this one"
    )]
    fn write_source(
        &self,
        at: usize,
        firsts: &[Number],
        dropped: &Bits,
        clusters: Option<&ClusterNames>,
        target: &Target,
        aside: &Path,
        threads: usize,
    ) -> Result<()> {
        let source = self.view.sources.get(at);
        if self.list.is_finished(&source.output) {
            self.view.observer.advanced(Stage::Write, source.size);
            return Ok(());
        }
        let options = SinkOptions { annotate: self.view.recipe.settings.files.annotate, threads };
        let mut reader = Reader::open(
            source,
            ReadMode::Whole,
            &self.view.recipe.fields,
            limits(self.view.budget, self.view.recipe),
        )?;
        // Each such source may need an eighth of the memory.
        let _alone = reader.has_large_window().then(|| LARGE_WINDOW.lock());
        let mut output = OutputOfSource {
            outputs: self,
            at,
            dropped,
            clusters,
            writer: SinkWriter::create(target, source, aside, options)?,
            number: firsts[at],
            end: firsts[at + 1],
            removals: {
                let first = self.removals.partition_point(|removal| removal.number < firsts[at])?;
                self.removals.iter_from(first)
            },
        };
        let mut pace = SourcePace::new(source);
        let free = Mutex::new(Vec::new());
        let next = |(): &mut ()| {
            self.view.observer.go_on()?;
            read_block(&mut reader, self.view.budget, lock(&free).pop().unwrap_or_default())
        };
        let write = |ReadBlock { block, long }: ReadBlock| {
            output.write(&block)?;
            self.view.observer.advanced(Stage::Write, pace.advance(block.bytes() as u64));
            if long.is_none() {
                lock(&free).push(block);
            }
            Ok(())
        };
        // While a block is written, the next ones are read.
        ordered(threads.min(2), next, || (), |(), read| Ok(read), write)?;
        let written = output.finish()?;
        self.list.add(&source.output, written.bytes)?;
        self.view.observer.advanced(Stage::Write, pace.end());
        Ok(())
    }

    /// Collects what annotations need for the documents from `first` to `end`. Their removals come next in
    /// `removals`.
    fn said<'s>(
        &'s self,
        first: Number,
        end: Number,
        clusters: &'s ClusterNames,
        removals: &mut Stream<'_, Removal>,
    ) -> Result<Said<'s>> {
        let mut here = Vec::new();
        removals.take_until(
            |removal| removal.number >= end,
            |removal| {
                here.push(removal);
                Ok(())
            },
        )?;
        let numbers: Vec<Number> = (first..end).collect();
        let is_document = self.view.store.entries_of(&numbers)?.iter().map(Entry::is_document).collect();
        let asked = numbers.into_iter().chain(here.iter().map(|removal| removal.kept)).collect();
        let has_ids = self.view.recipe.settings.files.id_field.is_some();
        let names = Names::with_types(asked, self.view.store, self.view.sources, has_ids)?;
        Ok(Said { removals: here, is_document, names, clusters })
    }
}

/// The output of one source while it is written.
struct OutputOfSource<'a> {
    outputs: &'a Outputs<'a>,
    /// The place of the source among all.
    at: usize,
    dropped: &'a Bits,
    clusters: Option<&'a ClusterNames>,
    writer: SinkWriter,
    /// The number of the next record.
    number: Number,
    /// The number after the last record of the source.
    end: Number,
    /// The removals from `number` on.
    removals: Stream<'a, Removal>,
}

impl OutputOfSource<'_> {
    /// Writes the kept records of the next block.
    fn write(&mut self, block: &Block) -> Result<()> {
        let Self { outputs, dropped, writer, .. } = self;
        let (number, end) = (self.number, self.number + block.len() as Number);
        if end > self.end {
            return Err(changed(outputs.view.sources, self.at as u32));
        }
        self.number = end;
        let Some(clusters) = self.clusters else {
            writer.write(block, &mut |slot| match dropped.contains(number + slot as Number) {
                true => Disposition::Drop,
                false => Disposition::Keep,
            })?;
            return Ok(());
        };
        let said = outputs.said(number, end, clusters, &mut self.removals)?;
        let mut here = said.removals.iter().peekable();
        let mut failure = None;
        writer.write(block, &mut |slot| {
            let number = number + slot as Number;
            let removal = here.next_if(|removal| removal.number == number);
            if dropped.contains(number) {
                return Disposition::Drop;
            }
            match said.annotation(slot, number, removal) {
                Ok(annotation) => annotation.map_or(Disposition::Keep, Disposition::Annotate),
                Err(error) => {
                    failure.get_or_insert(error);
                    Disposition::Drop
                }
            }
        })?;
        failure.map_or(Ok(()), Err)
    }

    /// Completes the output, after the last block.
    fn finish(self) -> Result<Written> {
        if self.number != self.end {
            return Err(changed(self.outputs.view.sources, self.at as u32));
        }
        Ok(self.writer.finish()?)
    }
}

/// What is known about the documents of a block, for their annotations.
struct Said<'a> {
    removals: Vec<Removal>,
    is_document: Vec<bool>,
    names: Names<'a>,
    clusters: &'a ClusterNames,
}

impl Said<'_> {
    /// The annotation of a document. Bad records have none.
    fn annotation(
        &self,
        slot: usize,
        number: Number,
        removal: Option<&Removal>,
    ) -> Result<Option<Annotation>> {
        if !self.is_document[slot] {
            return Ok(None);
        }
        let Some(removal) = removal else {
            let cluster = self.clusters.name(number, &self.names)?;
            return Ok(Some(Annotation { cluster, ..Annotation::default() }));
        };
        Ok(Some(Annotation {
            cluster: self.clusters.name(removal.kept, &self.names)?,
            duplicate: true,
            kept_id: Some(self.names.id(removal.kept)?),
            similarity: (!removal.similarity.is_nan()).then_some(removal.similarity),
        }))
    }
}
