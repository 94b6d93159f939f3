//! Fingerprints in memory -> which of them are near and share a key, band by band.
//!
//! All that a band needs are the bits of its mask, so the keys are 32 bits of a hash that are put in order by counting, and the
//! fingerprints of each group are copied to one place and compared ([`Sketcher::near`](crate::method::Sketcher::near)). Two keys with the same 32 bits make one
//! group of two: then strangers are compared, and nothing is joined that is not near.
//!
//! This takes a few dozen nanoseconds for each key. The way of the other methods, which also works with files, takes several times that, since
//! it is made for keys of which most occur once.

use super::{Finder, MOST_NEAR};
use crate::Result;
use crate::limits::ordered::each;
use crate::store::Number;
use crate::view::View;

/// The fingerprints of all documents that are compared.
struct Prints {
    numbers: Vec<Number>,
    lanes: Vec<u16>,
    within: Vec<u64>,
}

/// Working memory of a thread.
#[derive(Default)]
struct Buffers {
    starts: Vec<u32>,
    unsorted: Vec<u64>,
    sorted: Vec<u64>,
    lanes: Vec<u16>,
    pairs: Vec<(u32, u32)>,
}

/// The most bits by which keys are counted.
const COUNTED_BITS: u32 = 16;

impl Finder<'_, '_> {
    /// Joins fingerprints that are near and share a key. Returns false if they do not fit in memory.
    pub(super) fn by_near_groups(&self) -> Result<bool> {
        let View { store, recipe, budget, threads, observer, .. } = self.view;
        let (width, count) = (recipe.lanes(), store.count());
        let mut reserved = budget.reservation();
        let bytes = count.saturating_mul(2 * width as u64 + 16 + 16 * threads as u64);
        let is_small = u32::try_from(count).is_ok() && !store.is_spilled();
        if !is_small || !reserved.try_grow(bytes) {
            return Ok(false);
        }
        let prints = self.prints(width)?;
        let bands = recipe.bands();
        observer.started(crate::Stage::Candidates, bands as u64);
        // Each thread takes every so manieth band, with its own working memory.
        each(threads, threads, |thread| {
            let mut buffers = Buffers::default();
            for band in (thread..bands).step_by(threads) {
                observer.go_on()?;
                self.join_band(band, &prints, width, &mut buffers)?;
                observer.advanced(crate::Stage::Candidates, 1);
            }
            Ok(())
        })?;
        Ok(true)
    }

    fn prints(&self, width: usize) -> Result<Prints> {
        let View { store, observer, .. } = self.view;
        let mut prints = Prints { numbers: Vec::new(), lanes: Vec::new(), within: Vec::new() };
        for part in 0..store.parts() {
            observer.go_on()?;
            let (first, entries) = store.entries(part)?;
            let lanes = store.lanes_of_part(part)?;
            for (slot, (number, entry)) in (first..).zip(entries.iter()).enumerate() {
                let of_document = lanes.of(slot);
                let is_compared = entry.is_sketched() && !self.copies.contains(number);
                if is_compared && of_document.len() == width {
                    prints.numbers.push(number);
                    prints.lanes.extend_from_slice(of_document);
                    prints.within.push(entry.within[0]);
                }
            }
        }
        Ok(prints)
    }

    fn join_band(&self, band: usize, prints: &Prints, width: usize, buffers: &mut Buffers) -> Result<()> {
        let View { recipe, observer, .. } = self.view;
        let Buffers { starts, unsorted, sorted, lanes, pairs } = buffers;
        let count = prints.numbers.len();
        unsorted.clear();
        let keys = prints.lanes.chunks_exact(width).zip(&prints.within).enumerate();
        unsorted.extend(keys.map(|(at, (lanes, &within))| {
            let key = recipe.key(band, lanes, [within, 0]);
            key >> 32 << 32 | at as u64
        }));
        let bits = (count as u64).next_power_of_two().trailing_zeros().clamp(1, COUNTED_BITS);
        sort_by_counting(unsorted, sorted, starts, bits);
        for (step, group) in sorted.chunk_by(|a, b| a >> 32 == b >> 32).enumerate() {
            observer.go_on_at(step)?;
            if group.len() < 2 {
                continue;
            }
            let place = |item: u64| (item & u64::from(u32::MAX)) as usize;
            let number = |at: u32| prints.numbers[place(group[at as usize])];
            if group.len() > MOST_NEAR {
                // They are compared later.
                for at in 1..group.len() as u32 {
                    self.forest.join(number(at - 1), number(at));
                }
                continue;
            }
            lanes.clear();
            for &item in group {
                lanes.extend_from_slice(&prints.lanes[place(item) * width..][..width]);
            }
            pairs.clear();
            recipe.method.near(lanes, pairs);
            for &(a, b) in &*pairs {
                self.forest.join(number(a), number(b));
            }
        }
        Ok(())
    }
}

/// Sorts numbers: by their first bits with counters, and then the few that share these.
fn sort_by_counting(unsorted: &[u64], sorted: &mut Vec<u64>, starts: &mut Vec<u32>, bits: u32) {
    let bucket = |item: u64| (item >> (u64::BITS - bits)) as usize;
    starts.clear();
    starts.resize((1 << bits) + 1, 0);
    unsorted.iter().for_each(|&item| starts[bucket(item) + 1] += 1);
    for at in 1..starts.len() {
        starts[at] += starts[at - 1];
    }
    sorted.clear();
    sorted.resize(unsorted.len(), 0);
    for &item in unsorted {
        let start = &mut starts[bucket(item)];
        sorted[*start as usize] = item;
        *start += 1;
    }
    // What was the beginning of a bucket is now its end.
    let mut begin = 0;
    for &end in &starts[..1 << bits] {
        sorted[begin..end as usize].sort_unstable();
        begin = end as usize;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use lookalike::hashing::SplitMix64;

    #[test]
    fn counting_sorts() {
        let mut random = SplitMix64::new(1);
        for count in [0u64, 1, 2, 100, 3000] {
            // Many are equal in their first bits, and in all.
            let numbers: Vec<u64> = (0..count).map(|_| random.next_u64() & 0xff00_0000_0000_0003).collect();
            let mut expected = numbers.clone();
            expected.sort_unstable();
            for bits in [1, 5, 16] {
                let mut sorted = Vec::new();
                sort_by_counting(&numbers, &mut sorted, &mut Vec::new(), bits);
                assert_eq!(sorted, expected, "{count} {bits}");
            }
        }
    }
}
