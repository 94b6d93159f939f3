//! Numbers -> the documents again: what is needed after sketching is read a second time, and only that.

use crate::limits::ordered::ordered;
use crate::limits::reading::{ReadBlock, read_block};
use crate::method::TextBuffers;
use crate::sketch::{Sources, Worker, limits};
use crate::store::Number;
use crate::store::columns::BlockEntry;
use crate::view::View;
use crate::{Error, Result};
use corpus::{Block, ReadMode, Reader, Record};
use std::ops::Range;

struct Job {
    /// Places of the documents of this block in the list.
    places: Range<usize>,
    numbers: Vec<Number>,
    first: Number,
    entry: BlockEntry,
    /// What was read; `None` if the thread that works on it reads it.
    read: Option<ReadBlock>,
}

/// A reader, and which source it reads.
#[derive(Default)]
struct BlockReader(Option<(u32, Reader)>);

impl BlockReader {
    /// Reads a block that was sketched, into the memory of `block`.
    fn read(&mut self, view: View<'_>, entry: BlockEntry, block: Block) -> Result<ReadBlock> {
        let View { sources, recipe, budget, .. } = view;
        let reader = match &mut self.0 {
            Some((source, reader)) if *source == entry.source => reader,
            other => {
                let source = sources.get(entry.source as usize);
                // The site of a document decides what is left out of its text.
                let mode = if recipe.fields.site.is_some() { ReadMode::Fields } else { ReadMode::Text };
                let opened = Reader::open(source, mode, &recipe.fields, limits(budget, recipe))?;
                &mut other.insert((entry.source, opened)).1
            }
        };
        reader.advance_to(entry.position())?;
        let read = read_block(reader, budget, block)?;
        let is_whole = |read: &ReadBlock| read.block.len() == entry.slots as usize;
        read.filter(is_whole).ok_or_else(|| changed(sources, entry.source))
    }
}

/// The buffers of a thread, and its reader for sources in which any block can be read at once.
#[derive(Default)]
struct State {
    worker: Worker,
    reader: BlockReader,
}

/// Reads the documents `numbers` (ascending) again. Of those of one block, all on one thread, `begin` and `add` make
/// something, by their places in the list; `collect` takes it in order.
pub(crate) fn reread<B: Send>(
    view: View<'_>,
    numbers: &[Number],
    begin: impl Fn(Range<usize>) -> B + Sync,
    add: impl Fn(&mut B, usize, &str, &mut TextBuffers) -> Result<()> + Sync,
    mut collect: impl FnMut(Range<usize>, B) -> Result<()> + Send,
) -> Result<()> {
    let mut done = 0;
    let add = |made: &mut B, place: usize, _, text: &str, buffers: &mut TextBuffers| {
        add(made, place, text, buffers)
    };
    reread_stream(view, numbers.iter().copied(), begin, add, |numbers, made| {
        let places = done..done + numbers.len();
        done = places.end;
        collect(places, made)
    })
}

/// The same for numbers that are in no list; `add` and `collect` hear which they are.
pub(crate) fn reread_stream<B: Send>(
    view: View<'_>,
    numbers: impl Iterator<Item = Number> + Send,
    begin: impl Fn(Range<usize>) -> B + Sync,
    add: impl Fn(&mut B, usize, Number, &str, &mut TextBuffers) -> Result<()> + Sync,
    mut collect: impl FnMut(&[Number], B) -> Result<()> + Send,
) -> Result<()> {
    let View { store, sources, recipe, threads, observer, .. } = view;
    let blocks = store.blocks();
    let mut numbers = numbers.peekable();
    let mut done = 0;
    let mut at_block = 0;
    let mut reader = BlockReader::default();
    let next = |state: &mut State| {
        let Some(&number) = numbers.peek() else { return Ok(None) };
        observer.go_on()?;
        at_block += blocks[at_block..].partition_point(|(first, _)| *first <= number) - 1;
        let (first, entry) = blocks[at_block];
        let end = first + Number::from(entry.slots);
        let here: Vec<Number> = std::iter::from_fn(|| numbers.next_if(|&number| number < end)).collect();
        let places = done..done + here.len();
        done = places.end;
        // Threads read for themselves where they can. What is compressed is read in order, once.
        let read = match sources.get(entry.source as usize).can_seek() {
            true => None,
            false => Some(reader.read(view, entry, std::mem::take(&mut state.worker.block))?),
        };
        Ok(Some(Job { places, numbers: here, first, entry, read }))
    };
    let work_on = |State { worker, reader }: &mut State, job: Job| {
        let Worker { block: free, buffers, scratch } = worker;
        let ReadBlock { block, long } = match job.read {
            Some(read) => read,
            None => reader.read(view, job.entry, std::mem::take(free))?,
        };
        let slots: Vec<u32> = job.numbers.iter().map(|number| (number - job.first) as u32).collect();
        let mut made = begin(job.places.clone());
        let mut place = job.places.start;
        let mut failure = None;
        block.visit(&recipe.fields, Some(&slots), scratch, &mut |_, record| {
            let Record::Document(document) = record else {
                failure.get_or_insert_with(|| changed(sources, job.entry.source));
                return Ok(());
            };
            buffers.enter(&document);
            if let Err(error) =
                add(&mut made, place, job.numbers[place - job.places.start], document.text, buffers)
            {
                failure.get_or_insert(error);
            }
            place += 1;
            buffers.shrink_after(document.text.len());
            Ok(())
        })?;
        if let Some(error) = failure {
            return Err(error);
        }
        if long.is_some() {
            *scratch = Default::default();
        } else {
            *free = block;
        }
        Ok((job.numbers, made))
    };
    ordered(threads, next, Default::default, work_on, |(numbers, made)| collect(&numbers, made))
}

/// A source is not what it was.
pub(crate) fn changed(sources: Sources<'_>, source: u32) -> Error {
    Error::Target(format!(
        "{} has changed since it was sketched; run again with another target folder",
        sources.get(source as usize).name
    ))
}
