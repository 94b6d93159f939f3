//! Numbers -> documents in a chunk, with what the method needs of them.

use super::packing::Series;
use crate::method::{Means, Sketching, TextBuffers};
use crate::reread::reread;
use crate::solve::{Chunk, Role};
use crate::store::Number;
use crate::view::View;
use crate::work::Work;
use crate::{Error, Result, Verify};
use bytemuck::{cast_slice, cast_slice_mut};
use lookalike::shingling::ShingleSet;
use std::fs::File;
use std::io::{BufReader, BufWriter, Read, Write};
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

impl<'a> Loader<'a> {
    /// Makes the files of sets if there is more than one chunk.
    pub(super) fn new(view: View<'a>, series: &[Series], work: &Work) -> Result<Self> {
        let chunks: Vec<&Vec<Number>> = series.iter().flat_map(|series| &series.chunks).collect();
        let mut loader = Self { view, spilled: Vec::new(), needs_sets: needs_sets(view.means) };
        if loader.needs_sets && chunks.len() > 1 {
            loader.spill(&chunks, work)?;
        }
        Ok(loader)
    }

    fn spill(&mut self, chunks: &[&Vec<Number>], work: &Work) -> Result<()> {
        let folder = work.spill_folder()?;
        let mut numbers: Vec<(Number, u32)> = Vec::new();
        for (chunk, members) in chunks.iter().enumerate() {
            numbers.extend(members.iter().map(|&number| (number, chunk as u32)));
        }
        numbers.sort_unstable();
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
            BufWriter::new(File::create(path).map_err(io(path))?).flush().map_err(io(path))?;
        }
        let spilled = &self.spilled;
        let mut place = 0;
        let ascending: Vec<Number> = numbers.iter().map(|&(number, _)| number).collect();
        visit_sets(self.view, &ascending, |number, set| {
            let chunk = numbers[place].1 as usize;
            place += 1;
            let buffer = &mut buffers[chunk];
            buffer.push(number);
            buffer.push(set.len() as u64);
            buffer.extend_from_slice(set);
            if buffer.len() * 8 > buffer_bytes { flush(chunk, buffer, spilled) } else { Ok(()) }
        })?;
        for (chunk, buffer) in buffers.iter_mut().enumerate() {
            flush(chunk, buffer, spilled)?;
        }
        Ok(())
    }

    /// Adds `numbers` (ascending, all of the chunk `at`) to `chunk`, in keep order after what is there.
    pub(super) fn append(
        &mut self,
        chunk: &mut Chunk,
        at: usize,
        numbers: &[Number],
        role: impl Fn(bool) -> Role,
    ) -> Result<()> {
        let View { store, means, order, .. } = self.view;
        let entries = store.entries_of(numbers)?;
        let lanes = store.lanes_of(numbers)?;
        let sources: Vec<usize> = numbers.iter().map(|&number| store.place(number).0).collect();
        let mut by_rank: Vec<usize> = (0..numbers.len()).collect();
        by_rank.sort_by_cached_key(|&place| order.rank(sources[place], &entries[place], numbers[place]));
        let width = means.lanes();
        let mut spans = Vec::new();
        if self.needs_sets {
            spans = vec![(0, 0); numbers.len()];
            let most: usize = entries.iter().map(|entry| entry.size as usize).sum();
            chunk.sets.reserve_exact(most);
            let mut place = 0;
            self.visit(at, numbers, |_, set| {
                let start = chunk.sets.len();
                chunk.sets.extend_from_slice(set);
                spans[place] = (start, chunk.sets.len());
                place += 1;
                Ok(())
            })?;
        }
        for place in by_rank {
            chunk.numbers.push(numbers[place]);
            chunk.roles.push(role(order.is_protected(sources[place])));
            chunk.within.push(entries[place].within);
            chunk.lanes.extend_from_slice(&lanes[place * width..(place + 1) * width]);
            if self.needs_sets {
                chunk.set_spans.push(spans[place]);
            }
        }
        Ok(())
    }

    fn visit(
        &self,
        at: usize,
        numbers: &[Number],
        mut visit: impl FnMut(Number, &[u64]) -> Result<()> + Send,
    ) -> Result<()> {
        let Some(path) = self.spilled.get(at) else {
            return visit_sets(self.view, numbers, visit);
        };
        let io = |cause| Error::Io { action: "read", name: path.display().to_string(), cause };
        let mut file = BufReader::with_capacity(1 << 18, File::open(path).map_err(io)?);
        let mut set = Vec::new();
        let mut wanted = numbers.iter().peekable();
        while let Some(&&number) = wanted.peek() {
            let mut head = [0u64; 2];
            file.read_exact(cast_slice_mut(&mut head)).map_err(io)?;
            if head[0] == number {
                set.resize(head[1] as usize, 0);
                file.read_exact(cast_slice_mut(&mut set)).map_err(io)?;
                visit(number, &set)?;
                wanted.next();
            } else {
                file.seek_relative(head[1] as i64 * 8).map_err(io)?;
            }
        }
        Ok(())
    }
}

/// Hands the sorted set of each of `numbers` (ascending) to `visit`: from stored shingles, or from the text.
fn visit_sets(
    view: View<'_>,
    numbers: &[Number],
    mut visit: impl FnMut(Number, &[u64]) -> Result<()> + Send,
) -> Result<()> {
    let View { store, means, .. } = view;
    if store.has_shingles() {
        return store.visit_shingles(numbers, |number, elements| {
            visit(number, ShingleSet::from_hashes(elements.to_vec()).as_slice())
        });
    }
    let work = |text: &str, buffers: &mut TextBuffers| {
        let elements = means.elements(text, buffers)?;
        Ok(ShingleSet::from_hashes(elements.to_vec()))
    };
    reread(view, numbers, work, |number, set| visit(number, set.as_slice()))
}
