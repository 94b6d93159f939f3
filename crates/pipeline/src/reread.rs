//! Numbers -> the documents again: what is needed after sketching is read a second time, and only that.

use crate::method::TextBuffers;
use crate::ordered::ordered;
use crate::sketching::{Sources, Worker, limits};
use crate::store::Number;
use crate::view::View;
use crate::{Error, Result};
use corpus::{Block, ReadMode, Reader, Record};
use std::ops::Range;

struct Job {
    /// Places of the documents of this block in the list.
    places: Range<usize>,
    slots: Vec<u32>,
    source: u32,
    block: Block,
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
    let View { store, sources, means, budget, threads, observer, .. } = view;
    let blocks = store.blocks();
    let mut done = 0;
    let mut at_block = 0;
    let mut reader: Option<(u32, Reader)> = None;
    let next = |worker: &mut Worker| {
        let Some(&number) = numbers.get(done) else { return Ok(None) };
        observer.go_on()?;
        at_block += blocks[at_block..].partition_point(|(first, _)| *first <= number) - 1;
        let (first, entry) = blocks[at_block];
        let end = first + Number::from(entry.slots);
        let places = done..done + numbers[done..].partition_point(|&number| number < end);
        done = places.end;
        let reader = match &mut reader {
            Some((source, reader)) if *source == entry.source => reader,
            other => {
                let source = sources.get(entry.source as usize);
                let opened = Reader::open(source, ReadMode::Fields, &means.fields, limits(budget))?;
                &mut other.insert((entry.source, opened)).1
            }
        };
        reader.advance_to(entry.position())?;
        let mut block = std::mem::take(&mut worker.block);
        if !reader.next_block(&mut block)? || block.len() != entry.slots as usize {
            return Err(changed(sources, entry.source));
        }
        let slots = numbers[places.clone()].iter().map(|number| (number - first) as u32).collect();
        Ok(Some(Job { places, slots, source: entry.source, block }))
    };
    let work_on = |Worker { block, buffers, scratch }: &mut Worker, job: Job| {
        let mut made = begin(job.places.clone());
        let mut place = job.places.start;
        let mut failure = None;
        job.block.visit(&means.fields, Some(&job.slots), scratch, &mut |_, record| {
            let Record::Document(document) = record else {
                failure.get_or_insert_with(|| changed(sources, job.source));
                return Ok(());
            };
            if let Err(error) = add(&mut made, place, document.text, buffers) {
                failure.get_or_insert(error);
            }
            place += 1;
            buffers.shrink_after(document.text.len());
            Ok(())
        })?;
        if let Some(error) = failure {
            return Err(error);
        }
        *block = job.block;
        Ok((job.places, made))
    };
    ordered(threads, next, Default::default, work_on, |(places, made)| collect(places, made))
}

/// A source is not what it was.
pub(crate) fn changed(sources: Sources<'_>, source: u32) -> Error {
    Error::Target(format!(
        "{} has changed since it was sketched; begin again in another target folder",
        sources.get(source as usize).name
    ))
}
