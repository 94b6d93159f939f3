//! The pairs that are compared, with their levels of agreement: in memory while they fit, in a file otherwise.
//!
//! They are kept in chunks, in ascending order. Everything that looks at all of them goes chunk by chunk; what is learnt, is
//! learnt from a sample.

use crate::bands::Pair;
use crate::column::Column;
use crate::model::{Levels, Sample};
use crate::spill::Room;
use crate::threads::{Stopped, Work};
use bytemuck::{cast_slice, cast_slice_mut};
use files::OutFile;
use lookalike::hashing::mix64;
use std::borrow::Cow;

/// The pairs of a chunk.
const CHUNK: usize = if cfg!(test) { 64 } else { 4_096 };

/// Chunks whose levels are found at a time.
const GROUP: usize = 16;

/// Some pairs.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Chunk {
    pub(crate) pairs: Vec<Pair>,
    /// How many bands find each; 255 for pairs that are compared in any case.
    pub(crate) times: Vec<u8>,
    pub(crate) levels: Levels,
}

/// Pairs and their levels.
#[derive(Debug)]
pub(crate) struct Candidates<'r> {
    fields: usize,
    count: usize,
    chunks: Vec<Chunk>,
    file: Option<OutFile>,
    room: &'r Room,
}

impl<'r> Candidates<'r> {
    /// The pairs that `each` hands on, ascending. A quarter of the room is theirs.
    pub(crate) fn new(
        columns: &[Column],
        room: &'r Room,
        work: Work<'_>,
        each: impl FnOnce(&mut dyn FnMut(Pair, u8) -> Result<(), Stopped>) -> Result<(), Stopped>,
    ) -> Result<Self, Stopped> {
        let mut all = Self { fields: columns.len(), count: 0, chunks: Vec::new(), file: None, room };
        let (mut pairs, mut times) = (Vec::new(), Vec::new());
        each(&mut |pair, found| {
            pairs.push(pair);
            times.push(found);
            if pairs.len() < GROUP * CHUNK {
                return Ok(());
            }
            all.add(columns, &mut pairs, &mut times, work)
        })?;
        all.add(columns, &mut pairs, &mut times, work)?;
        Ok(all)
    }

    fn add(
        &mut self,
        columns: &[Column],
        pairs: &mut Vec<Pair>,
        times: &mut Vec<u8>,
        work: Work<'_>,
    ) -> Result<(), Stopped> {
        let chunks: Vec<&[Pair]> = pairs.chunks(CHUNK).collect();
        let levels = work.each(chunks.len(), |at| Levels::of(columns, chunks[at], work.alone()))?;
        self.count += pairs.len();
        for ((pairs, times), levels) in chunks.into_iter().zip(times.chunks(CHUNK)).zip(levels) {
            self.chunks.push(Chunk { pairs: pairs.to_vec(), times: times.to_vec(), levels });
        }
        if self.file.is_none() && self.bytes() > self.room.bytes / 4 {
            self.file = Some(self.room.file()?);
        }
        if let Some(file) = &mut self.file {
            for chunk in self.chunks.drain(..) {
                let pairs: Vec<[u32; 2]> = chunk.pairs.iter().map(|&(a, b)| [a, b]).collect();
                self.room.append(file, cast_slice(&pairs))?;
                self.room.append(file, &chunk.times)?;
                self.room.append(file, chunk.levels.bytes())?;
            }
        }
        pairs.clear();
        times.clear();
        Ok(())
    }

    fn bytes_of_pair(&self) -> usize {
        size_of::<Pair>() + 1 + self.fields
    }

    /// The bytes of memory that they take.
    pub(crate) fn bytes(&self) -> u64 {
        (self.chunks.len() * CHUNK * self.bytes_of_pair()) as u64
    }

    /// How many pairs there are.
    pub(crate) fn len(&self) -> usize {
        self.count
    }

    /// True if the pairs are in a file.
    #[cfg(test)]
    pub(crate) fn is_spilled(&self) -> bool {
        self.file.is_some()
    }

    fn chunk(&self, at: usize) -> Result<Cow<'_, Chunk>, Stopped> {
        let Some(file) = &self.file else { return Ok(Cow::Borrowed(&self.chunks[at])) };
        let first = at * CHUNK;
        let count = CHUNK.min(self.count - first);
        let (mut pairs, mut times) = (vec![[0u32; 2]; count], vec![0; count]);
        let mut levels = vec![0; count * self.fields];
        let mut place = (first * self.bytes_of_pair()) as u64;
        for part in [cast_slice_mut(&mut pairs), &mut times[..], &mut levels[..]] {
            self.room.read(file, part, place)?;
            place += part.len() as u64;
        }
        let pairs = pairs.into_iter().map(|[a, b]| (a, b)).collect();
        Ok(Cow::Owned(Chunk { pairs, times, levels: Levels::of_bytes(self.fields, levels) }))
    }

    /// Does something with every chunk; the results are in the order of the pairs.
    pub(crate) fn each<T: Send>(
        &self,
        work: Work<'_>,
        what: impl Fn(&Chunk) -> T + Sync,
    ) -> Result<Vec<T>, Stopped> {
        work.each(self.count.div_ceil(CHUNK), |at| Ok(what(self.chunk(at)?.as_ref())))
    }

    /// About so many pairs, or all: all of a record that `of_pair` names, or none.
    pub(crate) fn sample(
        &self,
        most: usize,
        work: Work<'_>,
        of_pair: impl Fn(Pair) -> u32 + Sync,
    ) -> Result<Sample, Stopped> {
        let step = self.count.div_ceil(most).max(1) as u64;
        let is_in = |pair: Pair| step == 1 || mix64(u64::from(of_pair(pair))).is_multiple_of(step);
        let parts = self.each(work, |chunk| {
            let (mut pairs, mut levels) = (Vec::new(), Vec::new());
            for (at, &pair) in chunk.pairs.iter().enumerate().filter(|(_, pair)| is_in(**pair)) {
                pairs.push(pair);
                levels.extend_from_slice(chunk.levels.at(at));
            }
            (pairs, levels)
        })?;
        let (pairs, levels): (Vec<_>, Vec<_>) = parts.into_iter().unzip();
        let (pairs, levels) = (pairs.concat(), Levels::of_bytes(self.fields, levels.concat()));
        let scale = self.count as f64 / pairs.len().max(1) as f64;
        Ok(Sample { pairs, levels, scale })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kind::Kind;

    #[test]
    fn chunks_and_samples_do_not_depend_on_the_room() {
        let values: Vec<String> = (0..300).map(|at| format!("anna{}", at % 37)).collect();
        let columns = [Column::of_values("name", Kind::Name, values.iter().map(String::as_str))];
        let pairs: Vec<(Pair, u8)> =
            (0..1_300u32).map(|at| ((at / 10, 150 + at % 10), (at % 9) as u8)).collect();
        let work = Work::new(2, &|| false);
        let of = |bytes: u64| {
            let room = Room::new(bytes, std::env::temp_dir());
            let all = Candidates::new(&columns, &room, work, |visit| {
                pairs.iter().try_for_each(|&(pair, times)| visit(pair, times))
            })
            .unwrap();
            assert_eq!((all.len(), all.is_spilled()), (1_300, bytes < 1_000_000));
            let sample = all.sample(300, work, |pair| pair.0).unwrap();
            (all.each(work, Chunk::clone).unwrap(), sample.pairs, sample.levels, sample.scale)
        };
        let all = of(u64::MAX);
        assert!(of(0) == all && of(5_000) == all);
        let found: Vec<(Pair, u8)> = all
            .0
            .iter()
            .flat_map(|chunk| chunk.pairs.iter().copied().zip(chunk.times.iter().copied()))
            .collect();
        assert_eq!(found, pairs);
        assert!((150..600).contains(&all.1.len()), "{}", all.1.len());
    }
}
