//! Bands -> pairs of records.

use super::{Pair, Row, Rows};
use crate::spill::{Room, Sorter};
use crate::threads::{Stopped, Work};
use std::sync::{Mutex, PoisonError};

/// Records with one key, at the most; more share something that says little, and are told apart by another row.
pub(super) const MOST_IN_BLOCK: usize = 60;

/// Records with one key of a large block and of another row, at the most.
pub(super) const MOST_IN_REFINED: usize = 12;

/// Records with one key in the first look, at the most.
const MOST_AT_FIRST: usize = 10;

/// Pairs that a thread collects before it hands them on.
const COLLECTED: usize = 1 << 14;

/// The bits of the number of a band in a found pair.
const OF_BAND: u32 = 8;

/// The number of a band that stands for all ways to be compared in any case.
const ANYWAY: u64 = (1 << OF_BAND) - 1;

/// The most records of a table: two numbers and that of a band are kept in 64 bits.
pub(crate) const MOST_RECORDS: usize = (1 << ((64 - OF_BAND) / 2)) - 1;

/// What takes the pairs of a band.
type Sink<'s> = &'s mut dyn FnMut(u32, u32) -> Result<(), Stopped>;

/// Which keys of a band are looked at.
#[derive(Debug, Clone, Copy)]
pub(super) enum Share {
    /// Those that leave `part` when they are divided by `of`.
    Part { part: u64, of: u64 },
    /// About one in [`Rows::sampled`].
    Sample,
}

/// Pairs of bands, and how many records in blocks that are too large were left out.
pub(crate) struct Found<'r> {
    sorter: Sorter<'r>,
    bits: u32,
    /// Records in blocks that are too large, summed over bands.
    pub(crate) left_out: u64,
}

impl Found<'_> {
    /// Adds a pair that is compared in any case.
    pub(crate) fn add(&mut self, (a, b): Pair) -> Result<(), Stopped> {
        self.sorter.extend(&[packed(self.bits, a, b, ANYWAY)])
    }

    /// Hands all pairs to `visit`, ascending, with how many bands find each; 255 for a pair that is compared in any case and
    /// that no band finds.
    pub(crate) fn finish(
        self,
        visit: &mut dyn FnMut(Pair, u8) -> Result<(), Stopped>,
    ) -> Result<(), Stopped> {
        let bits = self.bits;
        let unpacked = |pair: u64| ((pair >> bits) as u32, (pair & ((1 << bits) - 1)) as u32);
        let mut last: Option<(u64, u8)> = None;
        self.sorter.finish(&mut |found| {
            let (pair, anyway) = (found >> OF_BAND, found & ANYWAY == ANYWAY);
            match &mut last {
                Some((known, times)) if *known == pair => {
                    // What is compared in any case comes last.
                    *times += u8::from(!anyway);
                    Ok(())
                }
                last => {
                    let before = last.replace((pair, if anyway { u8::MAX } else { 1 }));
                    before.map_or(Ok(()), |(pair, times)| visit(unpacked(pair), times))
                }
            }
        })?;
        last.map_or(Ok(()), |(pair, times)| visit(unpacked(pair), times))
    }
}

fn packed(bits: u32, a: u32, b: u32, band: u64) -> u64 {
    (u64::from(a.min(b)) << bits | u64::from(a.max(b))) << OF_BAND | band
}

impl Rows<'_> {
    /// The keys of a band with their records, ascending. The key is in the upper bits, and the record in the lower ones.
    pub(super) fn blocks(&self, band: &[usize], share: Share, work: Work<'_>) -> Result<Vec<u64>, Stopped> {
        let mask = (1u64 << self.bits()) - 1;
        let sample = if matches!(share, Share::Sample) { self.sample(band) } else { None };
        // Where no row of the band can say which keys are in the sample, the keys of the band do.
        let (part, of) = match share {
            Share::Part { part, of } => (part, of),
            Share::Sample => (0, if sample.is_some() { 1 } else { self.sampled() }),
        };
        let count = sample.map_or(self.sides.len(), <[u32]>::len);
        let mut keys = Vec::with_capacity(count / of as usize + 16);
        let mut buffer = Vec::new();
        for at in 0..count {
            work.go_on_at(at)?;
            let record = sample.map_or(at, |sample| sample[at] as usize);
            self.keys_of(band, record, &mut buffer, |key| {
                if of == 1 || (key >> 32) % of == part {
                    keys.push(key & !mask | record as u64);
                }
            });
        }
        keys.sort_unstable();
        Ok(keys)
    }

    /// Hands on the pairs of a band, some of them several times. A block that is too large is taken apart by other rows; what
    /// is then still too large is left out. Returns how many records that are.
    fn pairs(
        &self,
        band: &[usize],
        share: Share,
        most: usize,
        sink: Sink<'_>,
        work: Work<'_>,
    ) -> Result<u64, Stopped> {
        let (blocks, bits) = (self.blocks(band, share, work)?, self.bits());
        let mask = (1u64 << bits) - 1;
        let mut left_out = 0;
        for (step, block) in blocks.chunk_by(|a, b| a >> bits == b >> bits).enumerate() {
            work.go_on_at(step)?;
            if block.len() <= most {
                self.pairs_of(block.iter().map(|key| (key & mask) as u32), sink)?;
            } else if most > MOST_AT_FIRST {
                left_out += self.refine(band, block, mask, sink, work)?;
            }
        }
        Ok(left_out)
    }

    /// The pairs of a large block that agree in one more value.
    fn refine(
        &self,
        band: &[usize],
        block: &[u64],
        mask: u64,
        sink: Sink<'_>,
        work: Work<'_>,
    ) -> Result<u64, Stopped> {
        let mut found = vec![false; block.len()];
        for row in 0..self.rows.len() {
            work.go_on()?;
            let is_new = band.iter().all(|&known| self.of_column[known] != self.of_column[row]);
            if !is_new || !matches!(self.rows[row], Row::Value(_)) {
                continue;
            }
            let mut keyed: Vec<u64> = block
                .iter()
                .enumerate()
                .map(|(at, key)| u64::from(self.key(row, (key & mask) as usize)) << 32 | at as u64)
                .filter(|key| key >> 32 != 0)
                .collect();
            keyed.sort_unstable();
            for smaller in keyed.chunk_by(|a, b| a >> 32 == b >> 32) {
                let places = smaller.iter().map(|key| (key & u64::from(u32::MAX)) as usize);
                if smaller.len() <= MOST_IN_REFINED {
                    places.clone().for_each(|at| found[at] = true);
                    self.pairs_of(places.map(|at| (block[at] & mask) as u32), sink)?;
                }
            }
        }
        Ok(found.iter().filter(|found| !**found).count() as u64)
    }

    fn pairs_of(&self, block: impl Iterator<Item = u32> + Clone, sink: Sink<'_>) -> Result<(), Stopped> {
        let mut rest = block;
        while let Some(a) = rest.next() {
            for b in rest.clone().filter(|&b| b != a && self.compares(a, b)) {
                sink(a.min(b), a.max(b))?;
            }
        }
        Ok(())
    }

    /// The pairs of a sample of the keys of some bands, ascending.
    fn sample_of(&self, bands: &[Vec<usize>], work: Work<'_>) -> Result<Vec<Pair>, Stopped> {
        let found = work.each(bands.len(), |at| {
            let mut pairs = Vec::new();
            let mut sink = |a, b| {
                pairs.push((a, b));
                Ok(())
            };
            self.pairs(&bands[at], Share::Sample, MOST_AT_FIRST, &mut sink, work)?;
            Ok(pairs)
        })?;
        let mut all = found.concat();
        work.go_on()?;
        all.sort_unstable();
        all.dedup();
        Ok(all)
    }

    /// The pairs that the first look compares: records that agree in two values, or in rare words.
    pub(crate) fn first_look(&self, work: Work<'_>) -> Result<Vec<Pair>, Stopped> {
        let values: Vec<usize> =
            (0..self.rows.len()).filter(|&row| matches!(self.rows[row], Row::Value(_))).collect();
        let mut bands: Vec<Vec<usize>> = Vec::new();
        for (at, &one) in values.iter().enumerate() {
            bands.extend(values[at + 1..].iter().map(|&other| vec![one, other]));
            bands.push(vec![one]);
        }
        bands.extend((0..self.rows.len()).filter(|&row| self.of_column[row].is_none()).map(|row| vec![row]));
        self.sample_of(&bands, work)
    }

    /// Pairs that share two rare words.
    pub(crate) fn sharing_rare_words(&self, work: Work<'_>) -> Result<Vec<Pair>, Stopped> {
        let row = self.rows.iter().position(|row| *row == Row::RareWords);
        self.sample_of(&row.map(|row| vec![row]).into_iter().collect::<Vec<_>>(), work)
    }

    /// The pairs of these bands. Half of the room is for what was found, and a quarter for the keys of bands.
    pub(crate) fn found<'r>(
        &self,
        bands: &[&[usize]],
        room: &'r Room,
        work: Work<'_>,
    ) -> Result<Found<'r>, Stopped> {
        let sorter = Mutex::new(Sorter::new(room, room.bytes / 2));
        let each = (room.bytes / 4 / work.threads() as u64).max(1 << 20);
        let left_out = work.each(bands.len(), |at| {
            let (band, number) = (bands[at], (at as u64).min(ANYWAY - 1));
            let keys = 8 * (self.sides.len() * self.most_keys(band)) as u64;
            let of = keys.div_ceil(each).max(1);
            let mut collected: Vec<u64> = Vec::with_capacity(COLLECTED);
            let mut left_out = 0;
            let hand_on = |collected: &mut Vec<u64>| {
                let mut sorter = sorter.lock().unwrap_or_else(PoisonError::into_inner);
                sorter.extend(collected)?;
                collected.clear();
                Ok(())
            };
            for part in 0..of {
                let mut sink = |a, b| {
                    collected.push(packed(self.bits(), a, b, number));
                    if collected.len() == COLLECTED { hand_on(&mut collected) } else { Ok(()) }
                };
                left_out += self.pairs(band, Share::Part { part, of }, MOST_IN_BLOCK, &mut sink, work)?;
            }
            hand_on(&mut collected)?;
            Ok(left_out)
        })?;
        let sorter = sorter.into_inner().unwrap_or_else(PoisonError::into_inner);
        Ok(Found { sorter, bits: self.bits(), left_out: left_out.into_iter().sum() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bands::Compared;
    use crate::column::Column;
    use crate::kind::Kind;

    /// Little memory gives the same pairs, and each with the number of bands that find it.
    #[test]
    fn pairs_do_not_depend_on_the_room() {
        let value = |at: usize, of: usize| format!("v{}", (at * at + 3 * at) % of);
        let column = |name: &str, of: usize| {
            let values: Vec<String> = (0..3_000).map(|at| value(at, of)).collect();
            Column::of_values(name, Kind::Code, values.iter().map(String::as_str))
        };
        let columns = [column("a", 701), column("b", 911), column("c", 20)];
        let work = Work::new(2, &|| false);
        let rows = Rows::new(&columns, vec![0; 3_000], Compared::All, work).unwrap();
        let at = |field: &str| rows.by_fields(&[field.to_owned()]).unwrap().at;
        let bands = [at("a"), at("b"), at("c")];
        let bands: Vec<&[usize]> = bands.iter().map(Vec::as_slice).collect();
        let found = |bytes: u64| {
            let room = Room::new(bytes, std::env::temp_dir());
            let mut found = rows.found(&bands, &room, work).unwrap();
            found.add((7, 2_999)).unwrap();
            let (mut pairs, left_out) = (Vec::new(), found.left_out);
            found
                .finish(&mut |pair, times| {
                    pairs.push((pair, times));
                    Ok(())
                })
                .unwrap();
            (pairs, left_out)
        };
        let all = found(u64::MAX);
        assert!(all.0.len() > 3_000 && all.1 == 0 && all.0.is_sorted_by(|x, y| x.0 < y.0), "{}", all.1);
        assert!(found(1_000) == all && found(100_000) == all);
        let same = |x: u32, y: u32, of| value(x as usize, of) == value(y as usize, of);
        for &((a, b), times) in &all.0 {
            let bands = u8::from(same(a, b, 701)) + u8::from(same(a, b, 911));
            let of_hot = same(a, b, 20) && bands > 0;
            match times {
                u8::MAX => assert!((a, b) == (7, 2_999) && bands == 0),
                times => assert_eq!(times, bands + u8::from(of_hot), "{a} {b}"),
            }
        }
    }
}
