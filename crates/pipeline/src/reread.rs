//! Numbers -> the documents again: what is needed after sketching is read a second time, and only that.

use crate::method::TextBuffers;
use crate::ordered::ordered;
use crate::sketching::{Sources, limits};
use crate::store::Number;
use crate::view::View;
use crate::{Error, Result};
use corpus::{Block, ReadMode, Reader, Record, Scratch};
use std::sync::Mutex;

struct Job {
    first: Number,
    slots: Vec<u32>,
    block: Block,
}

/// Reads the documents `numbers` (ascending) again; `work` makes something of each text on any thread, `collect` takes
/// it in order.
pub(crate) fn reread<R: Send>(
    view: View<'_>,
    numbers: &[Number],
    work: impl Fn(&str, &mut TextBuffers) -> Result<R> + Sync,
    mut collect: impl FnMut(Number, R) -> Result<()> + Send,
) -> Result<()> {
    let View { store, sources, means, budget, threads, observer, .. } = view;
    let blocks = store.blocks();
    let mut rest = numbers;
    let mut at_block = 0;
    let mut reader: Option<(u32, Reader)> = None;
    let spare: Mutex<Vec<Block>> = Mutex::new(Vec::new());
    let next = || {
        let Some(&number) = rest.first() else { return Ok(None) };
        if observer.interrupted() {
            return Err(Error::Interrupted);
        }
        at_block += blocks[at_block..].partition_point(|(first, _)| *first <= number) - 1;
        let (first, entry) = blocks[at_block];
        let end = first + Number::from(entry.slots);
        let (here, after) = rest.split_at(rest.partition_point(|&number| number < end));
        rest = after;
        let reader = match &mut reader {
            Some((source, reader)) if *source == entry.source => reader,
            other => {
                let source = sources.get(entry.source as usize);
                let opened = Reader::open(source, ReadMode::Fields, &means.fields, limits(budget))?;
                &mut other.insert((entry.source, opened)).1
            }
        };
        reader.advance_to(entry.position())?;
        let mut block = spare.lock().ok().and_then(|mut spare| spare.pop()).unwrap_or_default();
        if !reader.next_block(&mut block)? || block.len() != entry.slots as usize {
            return Err(changed(sources, entry.source));
        }
        let slots = here.iter().map(|number| (number - first) as u32).collect();
        Ok(Some((entry.source, Job { first, slots, block })))
    };
    let work_on = |state: &mut (TextBuffers, Scratch), (source, job): (u32, Job)| {
        let (buffers, scratch) = state;
        let mut results = Vec::with_capacity(job.slots.len());
        let mut failure = None;
        job.block.visit(&means.fields, Some(&job.slots), scratch, &mut |slot, record| {
            let Record::Document(document) = record else {
                failure.get_or_insert_with(|| changed(sources, source));
                return Ok(());
            };
            match work(document.text, buffers) {
                Ok(result) => results.push((job.first + slot as Number, result)),
                Err(error) => failure = Some(error),
            }
            buffers.shrink_after(document.text.len());
            Ok(())
        })?;
        if let Some(error) = failure {
            return Err(error);
        }
        if let Ok(mut spare) = spare.lock() {
            spare.push(job.block);
        }
        Ok(results)
    };
    ordered(threads, next, Default::default, work_on, |results| {
        results.into_iter().try_for_each(|(number, result)| collect(number, result))
    })
}

/// A source is not what it was.
pub(crate) fn changed(sources: Sources<'_>, source: u32) -> Error {
    Error::Target(format!(
        "{} has changed since it was sketched; begin again in another target folder",
        sources.get(source as usize).name
    ))
}
