//! Decisions -> outputs: the kept records of every source. An output is either complete or absent.

pub(crate) mod lists;
pub(crate) mod naming;
pub(crate) mod removed;

use crate::decide::{Removal, Removals};
use crate::limits::bits::Bits;
use crate::limits::memory::{LONG_BLOCK, LongBlock};
use crate::limits::ordered::each;
use crate::limits::sorted::Stream;
use crate::progress::pace::SourcePace;
use crate::resume::outputs::List;
use crate::sketch::limits;
use crate::store::Number;
use crate::store::columns::{Class, Entry};
use crate::verify::reread::changed;
use crate::view::View;
use crate::write::naming::{ClusterNames, Names};
use crate::{OnBadRecord, Result, Stage};
use corpus::{Annotation, Announce, Block, Disposition, ReadMode, Reader, SinkOptions, SinkWriter, Target};
use std::path::Path;
use std::sync::Mutex;

/// The lock for sources whose decompressor needs much memory: only one such source is read at a time.
static LARGE_WINDOW: Mutex<()> = Mutex::new(());

/// What is needed to write outputs.
pub(crate) struct Outputs<'a> {
    pub view: View<'a>,
    pub removals: &'a Removals,
    /// The outputs that are finished.
    pub list: &'a List<'a>,
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
        let room = self.view.room();
        let clusters = settings
            .files
            .annotate
            .then(|| {
                ClusterNames::new(self.view.store, self.view.sources, settings.files.id_field.is_some(), room)
            })
            .transpose()?;
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
        if self.list.is_finished(&source.output)? {
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
        let mut writer = SinkWriter::create(target, source, aside, options)?;
        let mut block = Block::default();
        let mut long: Option<LongBlock> = None;
        let mut number = firsts[at];
        let mut pace = SourcePace::new(source);
        let first_removal = self.removals.partition_point(|removal| removal.number < number)?;
        let mut removals = self.removals.iter_from(first_removal);
        loop {
            self.view.observer.go_on()?;
            self.view.budget.wait_for_long_block();
            // Other sources are read at the same time. A reader waits for its turn before it reads a long block.
            let mut announce = || long = long.take().or_else(|| self.view.budget.announced());
            if !reader
                .next_block_announced(&mut block, Announce { above: LONG_BLOCK, announce: &mut announce })?
            {
                break;
            }
            long = long.or_else(|| self.view.budget.long_block(block.bytes() as u64));
            let end = number + block.len() as Number;
            if end > firsts[at + 1] {
                return Err(changed(self.view.sources, at as u32));
            }
            if let Some(clusters) = clusters {
                let said = self.said(number, end, clusters, &mut removals)?;
                let mut here = said.removals.iter().peekable();
                let mut failure = None;
                writer.write(&block, &mut |slot| {
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
                if let Some(failure) = failure {
                    return Err(failure);
                }
            } else {
                writer.write(&block, &mut |slot| {
                    if dropped.contains(number + slot as Number) {
                        Disposition::Drop
                    } else {
                        Disposition::Keep
                    }
                })?;
            }
            self.view.observer.advanced(Stage::Write, pace.advance(block.bytes() as u64));
            number = end;
            if long.take().is_some() {
                block = Block::default();
            }
        }
        if number != firsts[at + 1] {
            return Err(changed(self.view.sources, at as u32));
        }
        let written = writer.finish()?;
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
