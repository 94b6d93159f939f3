//! Decisions -> outputs: kept records of every source, whole or absent.

use crate::bits::Bits;
use crate::decisions::Removal;
use crate::memory::Budget;
use crate::method::Means;
use crate::naming::{ClusterNames, Names};
use crate::ordered::each;
use crate::pace::SourcePace;
use crate::reread::changed;
use crate::sketching::{Sources, limits};
use crate::store::columns::Class;
use crate::store::{Number, Store};
use crate::{Observer, OnBadRecord, Result, Stage};
use corpus::{Annotation, Block, Disposition, ReadMode, Reader, SinkOptions, SinkWriter, Target};
use std::path::Path;
use std::sync::Mutex;

/// Held by whoever reads a source whose decompressor takes much memory.
static LARGE_WINDOW: Mutex<()> = Mutex::new(());

/// What is needed to write outputs.
pub(crate) struct Outputs<'a> {
    pub store: &'a Store,
    pub sources: Sources<'a>,
    pub means: &'a Means,
    pub removals: &'a [Removal],
    pub budget: &'a Budget,
    pub threads: usize,
    pub observer: &'a dyn Observer,
}

impl Outputs<'_> {
    /// Records that are not written, for whatever reason.
    fn dropped(&self) -> Result<Bits> {
        let settings = &self.means.settings;
        let mut dropped = Bits::new(self.store.count());
        for part in 0..self.store.parts() {
            self.observer.go_on()?;
            let (first, entries) = self.store.entries(part)?;
            for (number, entry) in (first..).zip(entries.iter()) {
                match entry.class() {
                    Class::Bad if settings.on_bad_record == OnBadRecord::Skip => dropped.insert(number),
                    _ => {}
                }
            }
        }
        if !settings.annotate {
            self.removals.iter().for_each(|removal| dropped.insert(removal.number));
        }
        Ok(dropped)
    }

    /// The number of the first slot of each source; one more at the end.
    fn first_numbers(&self) -> Vec<Number> {
        let mut firsts = vec![self.store.count(); self.sources.len() + 1];
        for (first, block) in self.store.blocks().iter().rev() {
            firsts[block.source as usize] = *first;
        }
        // A source without blocks begins where the next one does.
        for at in (0..self.sources.len()).rev() {
            firsts[at] = firsts[at].min(firsts[at + 1]);
        }
        firsts
    }

    /// Writes the output of every source that has none yet.
    pub(crate) fn write(&self, target: &Target, aside: &Path) -> Result<()> {
        let dropped = self.dropped()?;
        let firsts = self.first_numbers();
        let settings = &self.means.settings;
        let memory = self.budget.grouping();
        let clusters = settings
            .annotate
            .then(|| {
                ClusterNames::new(
                    self.store,
                    self.sources,
                    settings.id_field.is_some(),
                    memory,
                    self.observer,
                )
            })
            .transpose()?;
        let corpus = self.sources.against.len()..self.sources.len();
        // Whatever goes to standard output goes there in order.
        let workers = if target.is_stdout() { 1 } else { self.threads.clamp(1, corpus.len().max(1)) };
        let threads = (self.threads / workers).max(1);
        each(workers, corpus.len(), |at| {
            self.write_source(corpus.start + at, &firsts, &dropped, clusters.as_ref(), target, aside, threads)
        })
    }

    #[expect(
        clippy::too_many_arguments,
        reason = "what is the same for all sources, and where this one goes"
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
        let source = self.sources.get(at);
        if target.exists(&source.output)? {
            self.observer.advanced(Stage::Write, source.size);
            return Ok(());
        }
        let options = SinkOptions { annotate: self.means.settings.annotate, threads };
        let mut reader = Reader::open(source, ReadMode::Whole, &self.means.fields, limits(self.budget))?;
        // Each of these may take an eighth of the memory.
        let _alone = reader.has_large_window().then(|| LARGE_WINDOW.lock());
        let mut writer = SinkWriter::create(target, source, aside, options)?;
        let mut block = Block::default();
        let mut number = firsts[at];
        let mut pace = SourcePace::new(source);
        while reader.next_block(&mut block)? {
            self.observer.go_on()?;
            let end = number + block.len() as Number;
            if end > firsts[at + 1] {
                return Err(changed(self.sources, at as u32));
            }
            if let Some(clusters) = clusters {
                let mut annotations = self.annotations(number, end, clusters)?;
                writer.write(&block, &mut |slot| {
                    if dropped.contains(number + slot as Number) {
                        return Disposition::Drop;
                    }
                    annotations[slot].take().map_or(Disposition::Keep, Disposition::Annotate)
                })?;
            } else {
                writer.write(&block, &mut |slot| {
                    if dropped.contains(number + slot as Number) {
                        Disposition::Drop
                    } else {
                        Disposition::Keep
                    }
                })?;
            }
            self.observer.advanced(Stage::Write, pace.advance(block.bytes() as u64));
            number = end;
        }
        if number != firsts[at + 1] {
            return Err(changed(self.sources, at as u32));
        }
        writer.finish()?;
        self.observer.advanced(Stage::Write, pace.end());
        Ok(())
    }

    /// What is said of each document from `first` to `end`; nothing of bad records.
    fn annotations(
        &self,
        first: Number,
        end: Number,
        clusters: &ClusterNames,
    ) -> Result<Vec<Option<Annotation>>> {
        let from = self.removals.partition_point(|removal| removal.number < first);
        let to = self.removals.partition_point(|removal| removal.number < end);
        let here = &self.removals[from..to];
        let numbers: Vec<Number> = (first..end).collect();
        let entries = self.store.entries_of(&numbers)?;
        let asked = numbers.iter().copied().chain(here.iter().map(|removal| removal.kept)).collect();
        let names = Names::with_types(asked, self.store, self.means.settings.id_field.is_some())?;
        let id = |number| names.id(number, self.store, self.sources);
        let cluster = |kept| clusters.name(kept, &names, self.store, self.sources);
        let mut removals = here.iter().peekable();
        let annotation = |number: Number| match removals.next_if(|removal| removal.number == number) {
            Some(removal) => Annotation {
                cluster: cluster(removal.kept),
                duplicate: true,
                kept_id: Some(id(removal.kept)),
                similarity: (!removal.similarity.is_nan()).then_some(removal.similarity),
            },
            None => Annotation { cluster: cluster(number), ..Annotation::default() },
        };
        let mut annotation = annotation;
        Ok(numbers
            .iter()
            .zip(&entries)
            .map(|(&number, e)| e.is_document().then(|| annotation(number)))
            .collect())
    }
}
