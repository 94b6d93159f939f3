//! Keys -> groups of documents with equal keys, the same ones however much memory there is.
//!
//! Most keys occur once. A first scan over the keys marks, in two bits per slot of a small table, which slots were
//! met and which were met again; a second scan takes the keys of the latter, and these few are sorted. With little
//! memory the keys are divided by their value into ranges, and each range takes two scans of its own; or, where a scan
//! is costly, the keys of each range go to a file of its own in one scan. The groups are the same.

use crate::store::Number;
use crate::{Error, Observer, Result};
use bytemuck::{cast_slice, cast_slice_mut};
use std::fs::File;
use std::io::{Read, Write};
use std::path::{Path, PathBuf};

/// What takes documents and their keys.
pub(crate) type Taker<'t> = dyn FnMut(&[(Number, u64)]) + Send + 't;

/// A scan hands every document and its key to what it is given.
pub(crate) type Scan<'s> = dyn Fn(&mut Taker<'_>) -> Result<()> + 's;

/// Bytes of a document and its key.
const ITEM: u64 = 16;

/// Files that are written at a time.
const MOST_FILES: u64 = if cfg!(test) { 4 } else { 256 };

/// Documents that are sorted in one go, which takes some tenths of a second.
const SORTED_AT_ONCE: usize = if cfg!(test) { 100 } else { 4 << 20 };

/// Bytes that are gathered for a file before they are written.
const GATHERED: u64 = 32 << 10;

/// Finds the groups of at least two documents with equal keys among about `count`, and hands each (ascending) to
/// `visit`. Uses about `memory` bytes.
pub(crate) fn groups(
    count: u64,
    memory: u64,
    observer: &dyn Observer,
    scan: &Scan<'_>,
    visit: &mut Taker<'_>,
) -> Result<()> {
    // At worst all keys of a range come in, twice their size while the vector grows.
    let ranges = (count * ITEM * 2).div_ceil((memory / 2).max(1)).max(1);
    let slots = (count / ranges * 8)
        .next_power_of_two()
        .clamp(1 << 10, (memory * 2).max(1 << 10))
        .next_power_of_two();
    let shift = 64 - slots.trailing_zeros();
    let mut met = vec![0u64; (slots / 32) as usize];
    let mut items: Vec<(Number, u64)> = Vec::new();
    let range_of = |key: u64| (u128::from(key) * u128::from(ranges)) >> 64;
    // The range takes the leading bits of the key; the table must not depend on them.
    let slot_of = |key: u64| key.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> shift;
    for range in 0..u128::from(ranges) {
        if range > 0 {
            met.fill(0);
            items.clear();
        }
        scan(&mut |keys| {
            for &(_, key) in keys {
                if ranges == 1 || range_of(key) == range {
                    let slot = slot_of(key);
                    let (word, bit) = (&mut met[(slot / 32) as usize], slot % 32 * 2);
                    let again = *word >> bit & 1;
                    *word |= (1 | again << 1) << bit;
                }
            }
        })?;
        scan(&mut |keys| {
            items.extend(keys.iter().filter(|(_, key)| {
                let slot = slot_of(*key);
                (ranges == 1 || range_of(*key) == range)
                    && met[(slot / 32) as usize] >> (slot % 32 * 2 + 1) & 1 == 1
            }));
        })?;
        visit_groups(&mut items, observer, visit)?;
    }
    Ok(())
}

/// Hands each group of at least two documents with equal keys (ascending) to `visit`.
fn visit_groups(items: &mut [(Number, u64)], observer: &dyn Observer, visit: &mut Taker<'_>) -> Result<()> {
    sort(items, observer)?;
    let groups = items.chunk_by(|a, b| a.1 == b.1).filter(|group| group.len() > 1);
    for (step, group) in groups.enumerate() {
        observer.go_on_at(step)?;
        visit(group);
    }
    Ok(())
}

/// Sorts by key, then by number. A sort of a gigabyte takes longer than anybody wants to wait for Ctrl-C, so a long list
/// is first divided by the value of its keys, as the steps of a quicksort would.
fn sort(items: &mut [(Number, u64)], observer: &dyn Observer) -> Result<()> {
    observer.go_on()?;
    if items.len() > SORTED_AT_ONCE {
        let least = items.iter().map(|item| item.1).min().unwrap_or(0);
        let largest = items.iter().map(|item| item.1).max().unwrap_or(0);
        if least < largest {
            let middle = least + (largest - least) / 2;
            let (mut low, mut high) = (0, items.len());
            while low < high {
                observer.go_on_at(high - low)?;
                if items[low].1 <= middle {
                    low += 1;
                } else {
                    high -= 1;
                    items.swap(low, high);
                }
            }
            let (lower, upper) = items.split_at_mut(low);
            sort(lower, observer)?;
            return sort(upper, observer);
        }
    }
    items.sort_unstable_by_key(|&(number, key)| (key, number));
    Ok(())
}

/// Keys of a range, in a file.
#[derive(Debug)]
pub(crate) struct RangeFile {
    path: PathBuf,
    items: u64,
}

/// Divides the keys of a scan among files in `folder`, by their value: about `memory` bytes of them each. Hands a batch
/// of files at a time to `visit`, for [`RangeFile::groups`]. More scans than one are made only if there would be very
/// many files.
pub(crate) fn on_disk(
    count: u64,
    memory: u64,
    folder: &Path,
    scan: &Scan<'_>,
    visit: &mut dyn FnMut(Vec<RangeFile>) -> Result<()>,
) -> Result<()> {
    let ranges = (count * ITEM).div_ceil((memory / 2).max(ITEM)).max(1);
    let range_of = |key: u64| ((u128::from(key) * u128::from(ranges)) >> 64) as u64;
    for first in (0..ranges).step_by(MOST_FILES as usize) {
        let here = MOST_FILES.min(ranges - first);
        let gathered = (GATHERED.min(memory / 2 / here) / ITEM).max(16) as usize;
        let mut files = Vec::new();
        let mut buffers: Vec<Vec<[u64; 2]>> = Vec::new();
        for range in first..first + here {
            let path = folder.join(format!("keys-{range:06}"));
            let file = File::create(&path).map_err(failed("write", &path))?;
            files.push((file, RangeFile { path, items: 0 }));
            buffers.push(Vec::with_capacity(gathered));
        }
        let mut failure = None;
        scan(&mut |keys| {
            for &(number, key) in keys {
                let Some(at) = range_of(key).checked_sub(first).filter(|at| *at < here) else { continue };
                let buffer = &mut buffers[at as usize];
                buffer.push([key, number]);
                if buffer.len() == gathered {
                    failure = failure.take().or(flush(&mut files[at as usize], buffer).err());
                }
            }
        })?;
        for (file, buffer) in files.iter_mut().zip(&mut buffers) {
            failure = failure.take().or(flush(file, buffer).err());
        }
        if let Some(failure) = failure {
            return Err(failure);
        }
        visit(files.into_iter().map(|(_, file)| file).collect())?;
    }
    Ok(())
}

fn flush((file, range): &mut (File, RangeFile), buffer: &mut Vec<[u64; 2]>) -> Result<()> {
    file.write_all(cast_slice(buffer)).map_err(failed("write", &range.path))?;
    range.items += buffer.len() as u64;
    buffer.clear();
    Ok(())
}

fn failed(action: &'static str, path: &Path) -> impl FnOnce(std::io::Error) -> Error {
    let name = path.display().to_string();
    move |cause| Error::Io { action, name, cause }
}

impl RangeFile {
    /// Hands each group of at least two documents with equal keys (ascending) to `visit`; the file goes.
    pub(crate) fn groups(&self, observer: &dyn Observer, visit: &mut Taker<'_>) -> Result<()> {
        let mut items: Vec<(Number, u64)> = Vec::with_capacity(self.items as usize);
        let mut file = File::open(&self.path).map_err(failed("read", &self.path))?;
        let mut some = [[0u64; 2]; 512];
        while items.len() < self.items as usize {
            observer.go_on()?;
            let some = &mut some[..(self.items as usize - items.len()).min(512)];
            file.read_exact(cast_slice_mut(some)).map_err(failed("read", &self.path))?;
            items.extend(some.iter().map(|&[key, number]| (number, key)));
        }
        drop(file);
        std::fs::remove_file(&self.path).map_err(failed("remove", &self.path))?;
        visit_groups(&mut items, observer, visit)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Silent;
    use lookalike::hashing::{SplitMix64, mix64};
    use std::collections::BTreeMap;

    #[test]
    fn groups_are_those_of_a_map_for_any_memory() {
        let mut random = SplitMix64::new(1);
        for (count, distinct) in [(0, 1), (1, 1), (2, 1), (1_000, 10), (5_000, 4_000), (5_000, 1_000_000)] {
            let keys: Vec<(Number, u64)> = (0..count).map(|n| (n, mix64(random.below(distinct)))).collect();
            let mut plain: BTreeMap<u64, Vec<Number>> = BTreeMap::new();
            for &(number, key) in &keys {
                plain.entry(key).or_default().push(number);
            }
            let mut expected: Vec<Vec<Number>> =
                plain.into_values().filter(|group| group.len() > 1).collect();
            expected.sort();
            for memory in [1, 1_000, 100_000, 100_000_000] {
                let mut found = Vec::new();
                let scan = |visit: &mut Taker<'_>| {
                    keys.chunks(7).for_each(visit);
                    Ok(())
                };
                groups(count, memory, &Silent, &scan, &mut |group| {
                    found.push(group.iter().map(|&(number, _)| number).collect::<Vec<_>>());
                })
                .unwrap();
                found.sort();
                assert_eq!(found, expected, "{count} keys, {distinct} distinct, {memory} bytes");
                let folder = tempfile::tempdir().unwrap();
                let mut found = Vec::new();
                on_disk(count, memory.max(1_000), folder.path(), &scan, &mut |files| {
                    files.iter().try_for_each(|file| {
                        file.groups(&Silent, &mut |group| {
                            found.push(group.iter().map(|&(number, _)| number).collect::<Vec<_>>());
                        })
                    })
                })
                .unwrap();
                found.sort();
                assert_eq!(found, expected, "on disk: {count} keys, {distinct} distinct, {memory} bytes");
                assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
            }
        }
    }
}
