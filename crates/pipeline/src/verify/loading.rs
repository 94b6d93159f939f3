//! Numbers -> documents in a chunk, with what the method needs of them.

use super::packing::{Members, NO_SET, Series};
use crate::method::{Means, Sketching, TextBuffers};
use crate::reread::reread;
use crate::solve::{Chunk, Role, SmallSets, Span};
use crate::store::Number;
use crate::view::View;
use crate::work::Work;
use crate::{Error, Result, Verify};
use bytemuck::{cast_slice, cast_slice_mut};
use lookalike::shingling::{ShingleSet, SortBuffer};
use std::fs::File;
use std::io::{BufReader, Read, Write};
use std::ops::Range;
use std::path::PathBuf;

/// Loads documents; their sets from the sources, or from files that a pass over the sources made.
pub(crate) struct Loader<'a> {
    view: View<'a>,
    /// A file of sets per chunk; none if there is one chunk only, or if no sets are needed.
    spilled: Vec<PathBuf>,
    needs_sets: bool,
}

/// Whether anything is compared by its set.
fn needs_sets(means: &Means) -> bool {
    means.settings.verify == Verify::Exact || matches!(means.sketching, Sketching::Samples)
}

/// Elements that are handed on at a time.
const HANDED_ON: usize = 1 << 16;

/// Documents that are compared at a time.
#[derive(Debug, Default)]
pub(super) struct Loaded {
    /// Those in small connected sets.
    pub small: SmallSets,
    /// All others, with sorted sets.
    pub chunk: Chunk,
}

/// Elements of several documents: those of small sets as they come, the others as sorted sets.
#[derive(Debug, Default)]
struct Elements {
    in_small: Vec<u64>,
    in_chunk: Vec<u64>,
    /// Where those of each document end.
    ends: Vec<u32>,
}

impl Elements {
    fn of(&mut self, set: u32) -> &mut Vec<u64> {
        if set == NO_SET { &mut self.in_chunk } else { &mut self.in_small }
    }

    /// All elements of a document are there.
    fn end(&mut self, set: u32) {
        let end = self.of(set).len() as u32;
        self.ends.push(end);
    }

    /// Hands on what there is of the documents before the place `end`, if it is much or `all`.
    fn hand_on(
        &mut self,
        all: bool,
        end: usize,
        visit: &mut impl FnMut(Range<usize>, Elements) -> Result<()>,
    ) -> Result<()> {
        if !all && self.in_small.len() + self.in_chunk.len() < HANDED_ON {
            return Ok(());
        }
        visit(end - self.ends.len()..end, std::mem::take(self))
    }

    /// The elements of each document, whose small sets are given.
    fn each<'e>(&'e self, sets: &'e [u32]) -> impl Iterator<Item = (Range<u32>, &'e [u64])> {
        let (mut small_end, mut chunk_end) = (0, 0);
        sets.iter().zip(&self.ends).map(move |(&set, &end)| {
            let (last, elements) = match set {
                NO_SET => (&mut chunk_end, &self.in_chunk),
                _ => (&mut small_end, &self.in_small),
            };
            let span = std::mem::replace(last, end)..end;
            (span.clone(), &elements[span.start as usize..span.end as usize])
        })
    }
}

impl<'a> Loader<'a> {
    /// Makes the files of sets if there is more than one chunk.
    pub(super) fn new(view: View<'a>, series: &[Series], work: &Work) -> Result<Self> {
        let chunks: Vec<&Members> = series.iter().flat_map(|series| &series.chunks).collect();
        let mut loader = Self { view, spilled: Vec::new(), needs_sets: needs_sets(view.means) };
        if loader.needs_sets && chunks.len() > 1 {
            loader.spill(&chunks, work)?;
        }
        Ok(loader)
    }

    fn spill(&mut self, chunks: &[&Members], work: &Work) -> Result<()> {
        let folder = work.spill_folder()?;
        let mut all: Vec<(Number, u32, u32)> = Vec::new();
        for (chunk, members) in chunks.iter().enumerate() {
            let members = members.numbers.iter().zip(&members.sets);
            all.extend(members.map(|(&number, &set)| (number, chunk as u32, set)));
        }
        all.sort_unstable();
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
        let (numbers, sets): (Vec<Number>, Vec<u32>) =
            all.iter().map(|&(number, _, set)| (number, set)).unzip();
        visit_elements(self.view, &numbers, &sets, |places, elements| {
            for (place, (_, elements)) in places.clone().zip(elements.each(&sets[places])) {
                let chunk = all[place].1 as usize;
                let buffer = &mut buffers[chunk];
                buffer.push(numbers[place]);
                buffer.push(elements.len() as u64);
                buffer.extend_from_slice(elements);
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

    /// Adds documents (all of the chunk `at`) to what is loaded, in keep order after what is there.
    pub(super) fn append(
        &mut self,
        loaded: &mut Loaded,
        at: usize,
        Members { numbers, sets }: &Members,
        role: impl Fn(bool) -> Role,
    ) -> Result<()> {
        let View { store, means, order, .. } = self.view;
        let entries = store.entries_of(numbers)?;
        let lanes = store.lanes_of(numbers)?;
        let sources: Vec<usize> = numbers.iter().map(|&number| store.place(number).0).collect();
        let mut by_rank: Vec<usize> = (0..numbers.len()).collect();
        by_rank.sort_by_cached_key(|&place| {
            (sets[place], order.rank(sources[place], &entries[place], numbers[place]))
        });
        let width = means.lanes();
        let Loaded { small, chunk } = loaded;
        let mut spans = Vec::with_capacity(numbers.len());
        if self.needs_sets {
            self.visit(at, numbers, sets, |places, elements| {
                let (in_small, in_chunk) = (small.chunk.segments.len(), chunk.segments.len());
                let segment = |set| if set == NO_SET { in_chunk } else { in_small } as u32;
                let sets = &sets[places];
                spans.extend(elements.each(sets).zip(sets).map(|((span, _), &set)| Span {
                    segment: segment(set),
                    start: span.start,
                    end: span.end,
                }));
                small.chunk.segments.push(elements.in_small);
                chunk.segments.push(elements.in_chunk);
                Ok(())
            })?;
        }
        let mut last_set = NO_SET;
        for place in by_rank {
            let set = sets[place];
            if set != NO_SET && set != last_set {
                small.starts.push(small.chunk.len());
                last_set = set;
            }
            let chunk = if set == NO_SET { &mut *chunk } else { &mut small.chunk };
            chunk.numbers.push(numbers[place]);
            chunk.roles.push(role(order.is_protected(sources[place])));
            chunk.within.push(entries[place].within);
            chunk.lanes.extend_from_slice(&lanes[place * width..(place + 1) * width]);
            if self.needs_sets {
                chunk.spans.push(spans[place]);
            }
        }
        Ok(())
    }

    fn visit(
        &self,
        at: usize,
        numbers: &[Number],
        sets: &[u32],
        mut visit: impl FnMut(Range<usize>, Elements) -> Result<()> + Send,
    ) -> Result<()> {
        let Some(path) = self.spilled.get(at) else {
            return visit_elements(self.view, numbers, sets, visit);
        };
        let io = |cause| Error::Io { action: "read", name: path.display().to_string(), cause };
        let mut file = BufReader::with_capacity(1 << 18, File::open(path).map_err(io)?);
        let mut elements = Elements::default();
        for (place, (&number, &set)) in numbers.iter().zip(sets).enumerate() {
            loop {
                let mut head = [0u64; 2];
                file.read_exact(cast_slice_mut(&mut head)).map_err(io)?;
                if head[0] != number {
                    file.seek_relative(head[1] as i64 * 8).map_err(io)?;
                    continue;
                }
                let into = elements.of(set);
                let start = into.len();
                into.resize(start + head[1] as usize, 0);
                file.read_exact(cast_slice_mut(&mut into[start..])).map_err(io)?;
                elements.end(set);
                break;
            }
            elements.hand_on(place + 1 == numbers.len(), place + 1, &mut visit)?;
        }
        Ok(())
    }
}

/// Hands the elements of `numbers` (ascending) to `visit`, those of several documents at a time: from stored shingles,
/// or from the texts.
fn visit_elements(
    view: View<'_>,
    numbers: &[Number],
    sets: &[u32],
    mut visit: impl FnMut(Range<usize>, Elements) -> Result<()> + Send,
) -> Result<()> {
    let View { store, means, .. } = view;
    if store.has_shingles() {
        let (mut place, mut set, mut buffer) = (0, Vec::new(), SortBuffer::default());
        let mut elements = Elements::default();
        return store.visit_shingles(numbers, |_, stored| {
            set.clear();
            set.extend_from_slice(stored);
            if sets[place] == NO_SET {
                ShingleSet::sort_hashes(&mut set, &mut buffer);
            }
            elements.of(sets[place]).extend_from_slice(&set);
            elements.end(sets[place]);
            place += 1;
            elements.hand_on(place == numbers.len(), place, &mut visit)
        });
    }
    let sizes: Vec<u32> = store.entries_of(numbers)?.iter().map(|entry| entry.size).collect();
    let begin = |places: Range<usize>| {
        let mut room = [0, 0];
        places.clone().for_each(|place| room[usize::from(sets[place] == NO_SET)] += sizes[place] as usize);
        Elements {
            in_small: Vec::with_capacity(room[0]),
            in_chunk: Vec::with_capacity(room[1]),
            ends: Vec::with_capacity(places.len()),
        }
    };
    let add = |elements: &mut Elements, place: usize, text: &str, buffers: &mut TextBuffers| {
        let set = sets[place];
        means.append_elements(text, set == NO_SET, buffers, elements.of(set))?;
        elements.end(set);
        Ok(())
    };
    reread(view, numbers, begin, add, visit)
}
