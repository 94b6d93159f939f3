//! Sources -> a sample of their documents, which says which shingles are rare.
//!
//! Only [short documents](crate::method::short) need it. The same sources give the same sample, so a run that goes on
//! after a kill has the same order of shingles as before. A hash of the order is stored with the sketches all the
//! same: similar documents whose sketches have different orders would not meet.

use super::{Sources, Worker, limits};
use crate::limits::memory::{BLOCK_BYTES, Ledger};
use crate::method::Recipe;
use crate::method::rarity::Counts;
use crate::{Observer, Result};
use corpus::{Limits, Location, ReadMode, Reader, Record, Source};

/// The sample has at most this many bytes of input.
const MOST_BYTES: u64 = 64 << 20;

/// The sample has at most one byte of this many of the input.
const ONE_IN: u64 = 16;

/// After this many bytes of text, it ends if most of them are not in short documents.
const PATIENCE: u64 = if cfg!(test) { 1 << 10 } else { 1 << 20 };

/// At most this many files are looked into.
const MOST_SOURCES: u64 = 1 << 10;

/// At most this many objects of a store are looked into, because each must be waited for.
const MOST_OBJECTS: u64 = 1 << 5;

/// A text with more bytes for each shingle of a short document is not looked at, because it is hardly short.
const LONG_SHINGLE: usize = 16;

/// Counts the shingles of a sample of short documents, if the method needs to know which of them are rare. Returns a
/// hash of the order of shingles that follows from it, or 0 if the method needs no order. Sketches with different
/// orders must not be used together.
pub(super) fn learn(
    sources: Sources<'_>,
    recipe: &Recipe,
    budget: &Ledger,
    observer: &dyn Observer,
) -> Result<u64> {
    if recipe.learns() {
        return learn_first(sources, recipe, budget, observer);
    }
    let Some(short) = recipe.method.short() else { return Ok(0) };
    let mut sampler =
        Sampler { recipe, most_elements: short.most_elements(), counts: Counts::new(), seen: 0, short: 0 };
    let bytes = (sources.bytes() / ONE_IN).min(MOST_BYTES);
    let of_one = (sources.bytes() / sources.len().max(1) as u64).clamp(1, BLOCK_BYTES as u64);
    let is_object = |at: usize| matches!(sources.get(at).location, Location::Object(_));
    let most = if (0..sources.len()).any(is_object) { MOST_OBJECTS } else { MOST_SOURCES };
    let chosen = (bytes / of_one).clamp(1, most).min(sources.len() as u64);
    for at in 0..chosen {
        observer.go_on()?;
        if sampler.is_enough() {
            break;
        }
        let source = sources.get((at * sources.len() as u64 / chosen) as usize);
        // Whatever is wrong with a source is an error when all documents are read.
        let _ = sampler.read(source, bytes / chosen, limits(budget, recipe), observer);
    }
    observer.go_on()?;
    let rarity = sampler.counts.finish();
    let order = rarity.order();
    short.learn(rarity);
    Ok(order)
}

/// Reads documents up to the first that can be used, and returns what follows from it for the others, or 0 if there is none.
pub(crate) fn learn_first(
    sources: Sources<'_>,
    recipe: &Recipe,
    budget: &Ledger,
    observer: &dyn Observer,
) -> Result<u64> {
    for at in 0..sources.len() {
        // Whatever is wrong with a source is an error when all documents are read.
        let limits = limits(budget, recipe);
        let Ok(mut reader) = Reader::open(sources.get(at), ReadMode::Fields, &recipe.fields, limits) else {
            continue;
        };
        let Worker { mut block, mut scratch, .. } = Worker::default();
        while reader.next_block(&mut block).unwrap_or(false) {
            observer.go_on()?;
            let mut learnt = None;
            block.visit(&recipe.fields, None, &mut scratch, &mut |_, record| {
                if let (None, Record::Document(document)) = (learnt, record) {
                    learnt = recipe.learn(document.text);
                }
                Ok(())
            })?;
            if let Some(learnt) = learnt {
                return Ok(learnt);
            }
        }
    }
    Ok(0)
}

struct Sampler<'a> {
    recipe: &'a Recipe,
    most_elements: usize,
    counts: Counts,
    /// The bytes of all texts, and of those that are short.
    seen: u64,
    short: u64,
}

impl Sampler<'_> {
    /// True if too few documents are short for it to matter which shingles are rare.
    fn is_enough(&self) -> bool {
        self.seen > PATIENCE && 2 * self.short < self.seen
    }

    /// Counts the shingles of the first documents of a source: in about so many bytes.
    fn read(&mut self, source: &Source, bytes: u64, limits: Limits, observer: &dyn Observer) -> Result<()> {
        let fields = &self.recipe.fields;
        let mut reader = Reader::open(source, ReadMode::Fields, fields, limits)?;
        let Worker { mut block, mut buffers, mut scratch } = Worker::default();
        let mut read = 0;
        while read < bytes && !self.is_enough() && reader.next_block(&mut block)? {
            observer.go_on()?;
            read += block.bytes() as u64;
            block.visit(fields, None, &mut scratch, &mut |_, record| {
                let Record::Document(document) = record else { return Ok(()) };
                buffers.enter(&document);
                self.seen += document.text.len() as u64;
                if document.text.len() <= LONG_SHINGLE * self.most_elements
                    && let Ok(elements) = self.recipe.sketched_elements(document.text, &mut buffers)
                    && elements.len() <= self.most_elements
                {
                    self.short += document.text.len() as u64;
                    self.counts.count(elements);
                }
                Ok(())
            })?;
        }
        Ok(())
    }
}
