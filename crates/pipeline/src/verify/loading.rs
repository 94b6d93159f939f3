//! Numbers -> documents in a chunk, with what the method needs of them; small connected sets are decided on the way.

use super::packing::{Member, Members, NO_SET, Packed, weight, weight_in_small};
use crate::Result;
use crate::limits::bits::Bits;
use crate::limits::lists::{Lists, ListsWriter};
use crate::method::TextBuffers;
use crate::solve::{Arrival, Arriving, Chunk, Decided, NearMisses, Role, SmallSets, Span};
use crate::store::Number;
use crate::verify::reread::{reread, reread_stream};
use crate::view::View;
use lookalike::shingling::{ShingleSet, SortBuffer};
use lookalike::verification::OverlapTable;
use std::ops::Range;
use std::sync::{Mutex, PoisonError};

/// Loads documents; their elements from the sources, or from files that a pass over the sources made.
pub(crate) struct Loader<'a> {
    view: View<'a>,
    near_misses: &'a NearMisses,
    /// A list of elements per chunk: of each document its number, how many there are, and these. Nothing if there is one
    /// chunk only, or if no elements are needed.
    spilled: Option<Lists>,
}

/// Documents that are compared at a time.
#[derive(Debug, Default)]
pub(super) struct Loaded {
    pub chunk: Chunk,
    /// What the small sets came to.
    pub decided: Decided,
}

/// Elements of several documents: as they come, or sorted sets.
#[derive(Debug, Default)]
struct Elements {
    elements: Vec<u64>,
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
    fn spans(&self) -> impl Iterator<Item = (usize, Range<u32>)> {
        let mut start = 0;
        self.documents.iter().map(move |&(place, end)| (place, std::mem::replace(&mut start, end)..end))
    }
}

/// Takes the elements of a document of a small set, by its place; without one they are collected like all others.
type SmallVisitor<'t> = Option<&'t (dyn Fn(usize, &[u64], &mut OverlapTable) -> Result<()> + Sync)>;

impl<'a> Loader<'a> {
    /// Makes the file of elements if there is more than one chunk. With `decides`, chunks that are no series are loaded
    /// to be decided only.
    pub(super) fn new(
        view: View<'a>,
        packed: &Packed,
        decides: bool,
        near_misses: &'a NearMisses,
    ) -> Result<Self> {
        let mut loader = Self::of_sources(view, near_misses);
        if view.recipe.compares_elements() && packed.chunks() > 1 {
            loader.spilled = Some(spill(view, packed, decides && view.order.is_input_order())?);
        }
        Ok(loader)
    }

    /// Brings all elements in from the sources.
    pub(super) fn of_sources(view: View<'a>, near_misses: &'a NearMisses) -> Self {
        Self { view, near_misses, spilled: None }
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
        let View { store, recipe, order, observer, budget, .. } = self.view;
        let decides = decide && recipe.compares_elements() && !recipe.method.stores_keys();
        let arrives = decides && order.is_input_order();
        let Members { numbers, sets } = members;
        // What arrives is looked up when it does.
        let places: Vec<usize> =
            (0..numbers.len()).filter(|&place| sets[place] != NO_SET || !arrives).collect();
        let known: Vec<Number> = places.iter().map(|&place| numbers[place]).collect();
        let entries = store.entries_of(&known)?;
        let lanes = store.lanes_of(&known)?;
        let (mut samples, mut sample_ends) = (Vec::new(), vec![0]);
        if recipe.method.stores_keys() {
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
        let (mut in_small, mut bytes_of_small, mut bytes_of_others) = (Chunk::default(), 0, 0);
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
            match sets[place] {
                NO_SET => bytes_of_others += weight(entries[at].size, recipe),
                _ => bytes_of_small += weight_in_small(entries[at].size, recipe),
            }
            whereabouts[place] = (chunk.len(), starts.len().saturating_sub(1));
            chunk.numbers.push(known[at]);
            chunk.roles.push(role(self.view.is_protected(known[at])));
            chunk.within.push(entries[at].within);
            chunk.push_lanes(lanes.of(at));
            if recipe.method.stores_keys() {
                let start = chunk.samples.len();
                chunk.samples.extend_from_slice(&samples[sample_ends[at]..sample_ends[at + 1]]);
                chunk.samples[start..].sort_unstable();
                chunk.sample_ends.push(chunk.samples.len());
            }
        }
        drop((entries, lanes, samples, places, known));
        let small = SmallSets::new(&in_small, &starts, recipe, self.near_misses);
        let memory = budget.chunk(store.bytes_in_memory()).saturating_sub(bytes_of_small);
        // What cannot arrive in keep order is gathered, and handed on in that order if there is room for it twice.
        // In files there are sorted sets, in which the stretches of a template are torn apart.
        let gathered = decides && !arrives && self.spilled.is_none() && 2 * bytes_of_others <= memory;
        let memory = memory.saturating_sub(bytes_of_others);
        let mut arriving = Arriving::new(recipe, self.near_misses, observer, numbers.len(), memory);
        if recipe.compares_elements() {
            let take = |place: usize, elements: &[u64], table: &mut OverlapTable| {
                let (at, set) = whereabouts[place];
                small.arrive(set, at, elements, table)
            };
            let Chunk { spans, segments, numbers: loaded_numbers, .. } = &mut loaded.chunk;
            spans.resize(loaded_numbers.len(), Span::default());
            self.visit(at, members, Some(&take), !arrives && !gathered, |made| {
                if arrives {
                    let here: Vec<Number> = made.documents.iter().map(|&(place, _)| numbers[place]).collect();
                    let (entries, lanes) = (store.entries_of(&here)?, store.lanes_of(&here)?);
                    for (at, (_, span)) in made.spans().enumerate() {
                        observer.go_on()?;
                        arriving.arrive(&Arrival {
                            number: here[at],
                            role: role(self.view.is_protected(here[at])),
                            within: entries[at].within,
                            lanes: lanes.of(at),
                            elements: &made.elements[span.start as usize..span.end as usize],
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
        if gathered {
            let chunk = std::mem::take(&mut loaded.chunk);
            for at in 0..chunk.len() {
                observer.go_on()?;
                arriving.arrive(&Arrival::of(&chunk, at))?;
            }
        }
        if arrives || gathered {
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
        take: SmallVisitor<'_>,
        sorted: bool,
        mut collect: impl FnMut(Elements) -> Result<()> + Send,
    ) -> Result<()> {
        let Some(spilled) = &self.spilled else {
            return visit_elements(self.view, members, take, sorted, collect);
        };
        let mut list = spilled.read(at);
        let (mut made, mut elements, mut table) = (Elements::default(), Vec::new(), OverlapTable::default());
        for (place, &number) in members.numbers.iter().enumerate() {
            let mut head = [0u64; 2];
            loop {
                self.view.observer.go_on()?;
                list.take(&mut head)?;
                if head[0] == number {
                    break;
                }
                list.skip(head[1])?;
            }
            elements.resize(head[1] as usize, 0);
            list.take(&mut elements)?;
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

/// The elements of all chunks, in one pass over the sources: those of small sets as they come, sorted sets of the others. If documents
/// `arrive`, those of chunks that are no series are as they come too.
fn spill(view: View<'_>, packed: &Packed, arrive: bool) -> Result<Lists> {
    let View { store, budget, observer, .. } = view;
    let room = view.room();
    let mut by_number = room.sorter(budget.sorting(), |member: &Member| member.number);
    let mut as_they_come = Bits::new(store.count());
    let mut in_series = vec![!arrive; packed.chunks()];
    for series in packed.series.iter().filter(|series| series.chunks.len() > 1) {
        in_series[series.chunks.clone()].fill(true);
    }
    for (step, member) in packed.members.iter().enumerate() {
        observer.go_on_at(step)?;
        let member = member?;
        if member.set != NO_SET || !in_series[member.chunk as usize] {
            as_they_come.insert(member.number);
        }
        by_number.push(member);
    }
    let by_number = by_number.finish()?;
    let mut reservation = budget.reservation();
    let buffers = budget.collecting().min(16 << 20);
    reservation.grow(buffers);
    let mut lists = ListsWriter::new(view.work, packed.chunks(), buffers)?;
    let numbers = by_number.iter().map(|member| member.map(|member| member.number));
    let mut members = by_number.iter();
    stream_elements(
        view,
        numbers,
        |number| !as_they_come.contains(number),
        |number, elements| {
            let chunk = members.next().transpose()?.map_or(0, |member| member.chunk as usize);
            lists.push(chunk, &[number, elements.len() as u64])?;
            lists.push(chunk, elements)
        },
    )?;
    lists.finish()
}

/// Documents whose stored shingles are asked for at a time.
const ASKED: usize = 1 << 14;

/// Hands the elements of documents (ascending) to `visit`, in order: from stored shingles, or from the texts. They are a
/// sorted set where `is_set` says so.
pub(super) fn stream_elements(
    view: View<'_>,
    mut numbers: impl Iterator<Item = Result<Number>> + Send,
    is_set: impl Fn(Number) -> bool + Sync,
    mut visit: impl FnMut(Number, &[u64]) -> Result<()> + Send,
) -> Result<()> {
    let View { store, recipe, observer, .. } = view;
    if store.has_shingles() {
        let (mut set, mut buffer) = (Vec::new(), SortBuffer::default());
        loop {
            let asked = numbers.by_ref().take(ASKED).collect::<Result<Vec<Number>>>()?;
            if asked.is_empty() {
                return Ok(());
            }
            store.visit_shingles(&asked, |number, stored| {
                observer.go_on()?;
                if !is_set(number) {
                    return visit(number, stored);
                }
                set.clear();
                set.extend_from_slice(stored);
                ShingleSet::sort_hashes(&mut set, &mut buffer);
                visit(number, &set)
            })?;
        }
    }
    let failure = Mutex::new(None);
    let numbers = numbers.map_while(|number| match number {
        Ok(number) => Some(number),
        Err(error) => {
            *failure.lock().unwrap_or_else(PoisonError::into_inner) = Some(error);
            None
        }
    });
    let add = |made: &mut Elements, place: usize, number: Number, text: &str, buffers: &mut TextBuffers| {
        if is_set(number) {
            made.push(place, recipe.set(text, buffers)?);
        } else {
            made.push(place, recipe.elements(text, buffers)?);
        }
        Ok(())
    };
    reread_stream(
        view,
        numbers,
        |_| Elements::default(),
        add,
        |numbers, made| {
            for (&number, (_, span)) in numbers.iter().zip(made.spans()) {
                observer.go_on()?;
                visit(number, &made.elements[span.start as usize..span.end as usize])?;
            }
            Ok(())
        },
    )?;
    failure.into_inner().unwrap_or_else(PoisonError::into_inner).map_or(Ok(()), Err)
}

/// Hands the elements of documents to `take`, on any thread, and what it does not take to `collect`, in order: from
/// stored shingles, or from the texts. What is not in small sets is a sorted set if it is to be `sorted`.
fn visit_elements(
    view: View<'_>,
    Members { numbers, sets }: &Members,
    take: SmallVisitor<'_>,
    sorted: bool,
    mut collect: impl FnMut(Elements) -> Result<()> + Send,
) -> Result<()> {
    let View { store, recipe, observer, .. } = view;
    if store.has_shingles() {
        let (mut made, mut place) = (Elements::default(), 0);
        let (mut set, mut buffer, mut table) = (Vec::new(), SortBuffer::default(), OverlapTable::default());
        store.visit_shingles(numbers, |_, stored| {
            observer.go_on()?;
            match take {
                _ if sets[place] == NO_SET && sorted => {
                    set.clear();
                    set.extend_from_slice(stored);
                    ShingleSet::sort_hashes(&mut set, &mut buffer);
                    made.push(place, &set);
                }
                Some(take) if sets[place] != NO_SET => take(place, stored, &mut table)?,
                _ => made.push(place, stored),
            }
            place += 1;
            if made.elements.len() > HANDED_ON { collect(std::mem::take(&mut made)) } else { Ok(()) }
        })?;
        return collect(made);
    }
    let add = |made: &mut Elements, place: usize, text: &str, buffers: &mut TextBuffers| {
        match take {
            _ if sets[place] == NO_SET && sorted => made.push(place, recipe.set(text, buffers)?),
            Some(take) if sets[place] != NO_SET => {
                let mut table = std::mem::take(&mut buffers.table);
                take(place, recipe.elements(text, buffers)?, &mut table)?;
                buffers.table = table;
            }
            _ => made.push(place, recipe.elements(text, buffers)?),
        }
        Ok(())
    };
    reread(view, numbers, |_| Elements::default(), add, |_, made| collect(made))
}
