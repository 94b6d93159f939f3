//! Numbers -> documents in a chunk, with what the method needs of them; small connected sets are decided on the way.

use super::packing::{Members, NO_SET, Series};
use crate::method::{Sketching, TextBuffers};
use crate::reread::reread;
use crate::solve::{Arrival, Arriving, Chunk, Decided, NearMisses, Role, SmallSets, Span};
use crate::store::Number;
use crate::view::View;
use crate::work::Work;
use crate::{Error, Result};
use bytemuck::{cast_slice, cast_slice_mut};
use lookalike::shingling::{ShingleSet, SortBuffer};
use lookalike::verification::OverlapTable;
use std::fs::File;
use std::io::{BufReader, Read, Write};
use std::ops::Range;
use std::path::PathBuf;

/// Loads documents; their elements from the sources, or from files that a pass over the sources made.
pub(crate) struct Loader<'a> {
    view: View<'a>,
    near_misses: &'a NearMisses,
    /// A file of elements per chunk; none if there is one chunk only, or if no elements are needed.
    spilled: Vec<PathBuf>,
}

/// Documents that are compared at a time.
#[derive(Debug, Default)]
pub(super) struct Loaded {
    pub chunk: Chunk,
    /// What the small sets came to.
    pub decided: Decided,
}

/// Elements of several documents: as they come for those in small sets, sorted sets for the others.
#[derive(Debug, Default)]
pub(super) struct Elements {
    pub(super) elements: Vec<u64>,
    /// The place of each document, and where its elements end.
    documents: Vec<(usize, u32)>,
}

/// Elements that are handed on at a time.
const HANDED_ON: usize = 1 << 16;

impl Elements {
    fn push(&mut self, place: usize, elements: &[u64]) {
        self.elements.extend_from_slice(elements);
        self.documents.push((place, self.elements.len() as u32));
    }

    /// Each document with where its elements are.
    pub(super) fn spans(&self) -> impl Iterator<Item = (usize, Range<u32>)> {
        let mut start = 0;
        self.documents.iter().map(move |&(place, end)| (place, std::mem::replace(&mut start, end)..end))
    }
}

/// Takes the elements of a document of a small set, by its place; without one they are collected like all others.
pub(super) type Taker<'t> = Option<&'t (dyn Fn(usize, &[u64], &mut OverlapTable) -> Result<()> + Sync)>;

impl<'a> Loader<'a> {
    /// Makes the files of elements if there is more than one chunk.
    pub(super) fn new(
        view: View<'a>,
        series: &[Series],
        near_misses: &'a NearMisses,
        work: &Work,
    ) -> Result<Self> {
        let chunks: Vec<&Members> = series.iter().flat_map(|series| &series.chunks).collect();
        let mut loader = Self { view, near_misses, spilled: Vec::new() };
        if view.means.compares_elements() && chunks.len() > 1 {
            loader.spill(&chunks, work)?;
        }
        Ok(loader)
    }

    fn spill(&mut self, chunks: &[&Members], work: &Work) -> Result<()> {
        let folder = work.spill_folder()?;
        let mut all: Vec<(Number, u32, u32)> = Vec::new();
        for (chunk, members) in chunks.iter().enumerate() {
            let members = members.numbers.iter().zip(&members.sets);
            all.extend(members.map(|(&number, &set)| (number, set, chunk as u32)));
        }
        all.sort_unstable();
        let chunk_of: Vec<u32> = all.iter().map(|&(_, _, chunk)| chunk).collect();
        let (numbers, sets) = all.into_iter().map(|(number, set, _)| (number, set)).unzip();
        let all = Members { numbers, sets };
        let io = |path: &PathBuf| {
            let name = path.display().to_string();
            move |cause| Error::Io { action: "write", name, cause }
        };
        self.spilled = (0..chunks.len()).map(|chunk| folder.join(format!("sets-{chunk:06}"))).collect();
        // A buffer per chunk; the file is opened anew for each flush, so that any number of chunks will do.
        let buffer_bytes = (16 << 20) / chunks.len().max(1);
        let mut buffers: Vec<Vec<u64>> = vec![Vec::new(); chunks.len()];
        let flush = |chunk: usize, buffer: &mut Vec<u64>, spilled: &[PathBuf]| -> Result<()> {
            let path = &spilled[chunk];
            let mut file = File::options().create(true).append(true).open(path).map_err(io(path))?;
            file.write_all(cast_slice(buffer)).map_err(io(path))?;
            buffer.clear();
            Ok(())
        };
        for path in &self.spilled {
            File::create(path).map_err(io(path))?;
        }
        let spilled = &self.spilled;
        visit_elements(self.view, &all, None, |made| {
            for (place, span) in made.spans() {
                let chunk = chunk_of[place] as usize;
                let buffer = &mut buffers[chunk];
                buffer.push(all.numbers[place]);
                buffer.push(u64::from(span.end - span.start));
                buffer.extend_from_slice(&made.elements[span.start as usize..span.end as usize]);
                if buffer.len() * 8 > buffer_bytes {
                    flush(chunk, buffer, spilled)?;
                }
            }
            Ok(())
        })?;
        for (chunk, buffer) in buffers.iter_mut().enumerate() {
            flush(chunk, buffer, spilled)?;
        }
        Ok(())
    }

    /// Adds documents (all of the chunk `at`) to what is loaded, in keep order after what is there. Those in small sets
    /// are decided; with `decide` all others too, where that can be done as they arrive.
    pub(super) fn append(
        &mut self,
        loaded: &mut Loaded,
        at: usize,
        members: &Members,
        decide: bool,
        role: impl Fn(bool) -> Role + Sync,
    ) -> Result<()> {
        let View { store, means, order, observer, .. } = self.view;
        let arrives = decide && means.compares_elements() && means.bands() > 0 && order.is_input_order();
        let Members { numbers, sets } = members;
        // What arrives is looked up when it does.
        let places: Vec<usize> =
            (0..numbers.len()).filter(|&place| sets[place] != NO_SET || !arrives).collect();
        let known: Vec<Number> = places.iter().map(|&place| numbers[place]).collect();
        let entries = store.entries_of(&known)?;
        let lanes = store.lanes_of(&known)?;
        let (mut samples, mut sample_ends) = (Vec::new(), vec![0]);
        if let Sketching::Samples = means.sketching {
            store.visit_samples(&known, |of_one| {
                samples.extend_from_slice(of_one);
                sample_ends.push(samples.len());
            })?;
        }
        let source = |number: Number| store.source_of(number);
        let mut by_rank: Vec<usize> = (0..known.len()).collect();
        by_rank.sort_by_cached_key(|&at| {
            (sets[places[at]], order.rank(source(known[at]), &entries[at], known[at]))
        });
        let width = means.lanes();
        let mut in_small = Chunk::default();
        let mut starts = Vec::new();
        let mut last_set = NO_SET;
        // Where each document is, in which small set.
        let mut whereabouts = vec![(0, 0); numbers.len()];
        for at in by_rank {
            let place = places[at];
            if sets[place] != last_set && sets[place] != NO_SET {
                starts.push(in_small.len());
                last_set = sets[place];
            }
            let chunk = if sets[place] == NO_SET { &mut loaded.chunk } else { &mut in_small };
            whereabouts[place] = (chunk.len(), starts.len().saturating_sub(1));
            chunk.numbers.push(known[at]);
            chunk.roles.push(role(order.is_protected(source(known[at]))));
            chunk.within.push(entries[at].within);
            chunk.lanes.extend_from_slice(&lanes[at * width..(at + 1) * width]);
            if let Sketching::Samples = means.sketching {
                let start = chunk.samples.len();
                chunk.samples.extend_from_slice(&samples[sample_ends[at]..sample_ends[at + 1]]);
                chunk.samples[start..].sort_unstable();
                chunk.sample_ends.push(chunk.samples.len());
            }
        }
        drop((entries, lanes, samples, places, known));
        let small = SmallSets::new(&in_small, &starts, means, self.near_misses);
        let mut arriving = Arriving::new(means, self.near_misses, observer);
        if means.compares_elements() {
            let take = |place: usize, elements: &[u64], table: &mut OverlapTable| {
                let (at, set) = whereabouts[place];
                small.arrive(set, at, elements, table)
            };
            let Chunk { spans, segments, numbers: loaded_numbers, .. } = &mut loaded.chunk;
            spans.resize(loaded_numbers.len(), Span::default());
            self.visit(at, members, Some(&take), |made| {
                if arrives {
                    let here: Vec<Number> = made.documents.iter().map(|&(place, _)| numbers[place]).collect();
                    let (entries, lanes) = (store.entries_of(&here)?, store.lanes_of(&here)?);
                    for (at, (_, span)) in made.spans().enumerate() {
                        observer.go_on()?;
                        arriving.arrive(&Arrival {
                            number: here[at],
                            role: role(order.is_protected(source(here[at]))),
                            within: entries[at].within,
                            lanes: &lanes[at * width..(at + 1) * width],
                            set: &made.elements[span.start as usize..span.end as usize],
                        })?;
                    }
                    return Ok(());
                }
                for (place, span) in made.spans() {
                    spans[whereabouts[place].0] =
                        Span { segment: segments.len() as u32, start: span.start, end: span.end };
                }
                segments.push(made.elements);
                Ok(())
            })?;
        } else {
            small.decide_by_signatures(observer)?;
        }
        loaded.decided = small.into_decided();
        if arrives {
            let (decided, rest) = arriving.finish();
            loaded.decided.found.extend(decided.found);
            loaded.decided.counts.add(&decided.counts);
            loaded.chunk = rest;
        }
        Ok(())
    }

    fn visit(
        &self,
        at: usize,
        members: &Members,
        take: Taker<'_>,
        mut collect: impl FnMut(Elements) -> Result<()> + Send,
    ) -> Result<()> {
        let Some(path) = self.spilled.get(at) else {
            return visit_elements(self.view, members, take, collect);
        };
        let io = |cause| Error::Io { action: "read", name: path.display().to_string(), cause };
        let mut file = BufReader::with_capacity(1 << 18, File::open(path).map_err(io)?);
        let (mut made, mut elements, mut table) = (Elements::default(), Vec::new(), OverlapTable::default());
        for (place, &number) in members.numbers.iter().enumerate() {
            let mut head = [0u64; 2];
            loop {
                self.view.observer.go_on()?;
                file.read_exact(cast_slice_mut(&mut head)).map_err(io)?;
                if head[0] == number {
                    break;
                }
                file.seek_relative(head[1] as i64 * 8).map_err(io)?;
            }
            elements.resize(head[1] as usize, 0);
            file.read_exact(cast_slice_mut(&mut elements)).map_err(io)?;
            match take.filter(|_| members.sets[place] != NO_SET) {
                Some(take) => take(place, &elements, &mut table)?,
                None => made.push(place, &elements),
            }
            if made.elements.len() > HANDED_ON {
                collect(std::mem::take(&mut made))?;
            }
        }
        collect(made)
    }
}

/// Hands the elements of documents to `take`, on any thread, and what it does not take to `collect`, in order: from
/// stored shingles, or from the texts.
pub(super) fn visit_elements(
    view: View<'_>,
    Members { numbers, sets }: &Members,
    take: Taker<'_>,
    mut collect: impl FnMut(Elements) -> Result<()> + Send,
) -> Result<()> {
    let View { store, means, observer, .. } = view;
    if store.has_shingles() {
        let (mut made, mut place) = (Elements::default(), 0);
        let (mut set, mut buffer, mut table) = (Vec::new(), SortBuffer::default(), OverlapTable::default());
        store.visit_shingles(numbers, |_, stored| {
            observer.go_on()?;
            match take {
                _ if sets[place] == NO_SET => {
                    set.clear();
                    set.extend_from_slice(stored);
                    ShingleSet::sort_hashes(&mut set, &mut buffer);
                    made.push(place, &set);
                }
                Some(take) => take(place, stored, &mut table)?,
                None => made.push(place, stored),
            }
            place += 1;
            if made.elements.len() > HANDED_ON { collect(std::mem::take(&mut made)) } else { Ok(()) }
        })?;
        return collect(made);
    }
    let add = |made: &mut Elements, place: usize, text: &str, buffers: &mut TextBuffers| {
        match take {
            _ if sets[place] == NO_SET => made.push(place, means.set(text, buffers)?),
            Some(take) => {
                let mut table = std::mem::take(&mut buffers.table);
                take(place, means.elements(text, buffers)?, &mut table)?;
                buffers.table = table;
            }
            None => made.push(place, means.elements(text, buffers)?),
        }
        Ok(())
    };
    reread(view, numbers, |_| Elements::default(), add, |_, made| collect(made))
}
