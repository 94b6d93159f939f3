//! Keys -> groups of documents with equal keys, the same ones however much memory there is.
//!
//! Most keys occur once. A first scan over the keys marks, in two bits per slot of a small table, which slots were
//! met and which were met again; a second scan takes the keys of the latter, and these few are sorted. With little
//! memory the keys are divided by their value into ranges, and each range takes two scans of its own; or, where a scan
//! is costly, the keys of each range go to a list of its own in a [file](crate::limits::lists), in one scan. What does not fit
//! even so, since very many documents have one key, goes through the [sort that spills](crate::limits::sorted), and such a group
//! is handed on piece by piece. The groups are the same.

use crate::limits::lists::{Lists, ListsWriter};
use crate::limits::marks::Marks;
use crate::limits::ordered::{each, lock};
use crate::limits::sorted::{Room, Sorted, Sorter};
use crate::store::Number;
use crate::{Observer, Result};
use bytemuck::cast_slice_mut;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// What takes documents and their keys.
pub(crate) type Visitor<'t> = dyn FnMut(&[(Number, u64)]) + Send + 't;

/// A scan hands every document and its key to what it is given.
pub(crate) type Scan<'s> = dyn Fn(&mut Visitor<'_>) -> Result<()> + 's;

/// Bytes of a document and its key.
const ITEM: u64 = 16;

/// Lists that are written at a time.
const MOST_LISTS: u64 = if cfg!(test) { 4 } else { 1 << 10 };

/// Documents that are sorted in one go, which takes some tenths of a second.
const SORTED_AT_ONCE: usize = if cfg!(test) { 100 } else { 4 << 20 };

/// Keys in memory are divided into shares of at least so many, which are worked on one after the other: fewer of them are in
/// memory at a time, and more of the marks are in the processor's cache. Every share takes scans of its own, so there are not
/// many shares.
const KEYS_OF_A_SHARE: u64 = if cfg!(test) { 700 } else { 1 << 20 };
const MOST_SHARES: u32 = 6;

/// Documents of a group that are handed on at a time, if it is not in memory as a whole: more than the groups whose
/// signatures are compared, so that no piece is taken for a small group.
const PIECE: usize = if cfg!(test) { 150 } else { 4_096 };

/// What takes groups.
pub(crate) type GroupVisitor<'t> = dyn FnMut(Group<'_>) -> Result<()> + Send + 't;

/// At least two documents with equal keys, ascending.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Group<'g> {
    /// All of them.
    Whole(&'g [(Number, u64)]),
    /// Very many of them: so many of the sorted ones, from a place on.
    Hot { sorted: &'g Sorted<[u64; 2]>, first: u64, len: u64 },
}

impl Group<'_> {
    /// Hands the documents to `visit`, all at once or in pieces: each begins with the document that the one before ended with.
    pub(crate) fn visit(self, mut visit: impl FnMut(&[(Number, u64)]) -> Result<()>) -> Result<()> {
        let (sorted, first, len) = match self {
            Self::Whole(group) => return visit(group),
            Self::Hot { sorted, first, len } => (sorted, first, len),
        };
        let mut piece = Vec::with_capacity(2 * PIECE);
        for item in sorted.iter_from(first).take(len as usize) {
            let [key, number] = item?;
            piece.push((number, key));
            if piece.len() == 2 * PIECE {
                visit(&piece[..PIECE])?;
                piece.drain(..PIECE - 1);
            }
        }
        visit(&piece)
    }
}

/// Finds the groups of at least two documents with equal keys among about `count`, and hands each to `visit`. Uses about
/// `memory` bytes.
pub(crate) fn groups(
    count: u64,
    memory: u64,
    room: Room<'_>,
    scan: &Scan<'_>,
    visit: &mut GroupVisitor<'_>,
) -> Result<()> {
    // At worst all keys of a range come in, twice their size while the vector grows.
    let ranges = (count * ITEM * 2).div_ceil((memory / 2).max(1)).max(1);
    let mut marks = Marks::new((count / ranges).min(memory / 4));
    let mut items = Items::new(memory, room);
    let range_of = |key: u64| (u128::from(key) * u128::from(ranges)) >> 64;
    for range in 0..u128::from(ranges) {
        if range > 0 {
            marks.clear();
        }
        let is_here = |key: u64| ranges == 1 || range_of(key) == range;
        scan(&mut |keys| {
            keys.iter().filter(|(_, key)| is_here(*key)).for_each(|&(_, key)| marks.meet(key));
        })?;
        scan(&mut |keys| {
            items.extend(keys.iter().copied().filter(|(_, key)| is_here(*key) && marks.is_met_again(*key)));
        })?;
        items.visit_groups(visit)?;
    }
    Ok(())
}

/// A scan of one part of the documents, for their keys in a share.
pub(crate) type PartScan<'s> = dyn Fn(usize, Share, &mut Visitor<'_>) -> Result<()> + Sync + 's;

/// One of several shares of all keys. Equal keys are in the same share.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Share {
    /// The least of the numbers in it, and how many others follow.
    least: u32,
    others: u32,
}

impl Share {
    /// All keys.
    pub(crate) const ALL: Self = Self { least: 0, others: u32::MAX };

    /// So many shares, at least one, which have all keys.
    pub(crate) fn all(of: u32) -> impl Iterator<Item = Self> {
        let begin = move |share: u32| (u64::from(share) << 32) / u64::from(of);
        (0..of).map(move |share| Self {
            least: begin(share) as u32,
            others: (begin(share + 1) - begin(share) - 1) as u32,
        })
    }

    /// True if a key is in this share. Any 32 bits stand for the key, as long as they are the same for equal keys.
    #[inline]
    pub(crate) fn has(self, bits: u32) -> bool {
        bits.wrapping_mul(0x9e37_79b1).wrapping_sub(self.least) <= self.others
    }
}

/// Documents and their keys.
type List = Vec<(Number, u64)>;

/// Like [`groups`], on `threads` threads, for documents in `parts` parts and keys that all fit in memory: a sixth of 2 to 4
/// bytes per key and thread, and of 16 for each key that is met again (all of it if keys are few or equal). The groups come in
/// any order, on any thread.
pub(crate) fn groups_of_parts(
    count: u64,
    parts: usize,
    threads: usize,
    room: Room<'_>,
    scan: &PartScan<'_>,
    visit: &(dyn Fn(Group<'_>) -> Result<()> + Sync),
) -> Result<()> {
    let threads = threads.clamp(1, parts.max(1));
    let shares = (count / KEYS_OF_A_SHARE).clamp(1, u64::from(MOST_SHARES)) as u32;
    Share::all(shares).try_for_each(|share| {
        let scan = |part: usize, take: &mut Visitor<'_>| scan(part, share, take);
        groups_of_share(count / u64::from(shares), parts, threads, room, &scan, visit)
    })
}

/// The groups of about `count` keys, which `scan` hands out by parts.
fn groups_of_share(
    count: u64,
    parts: usize,
    threads: usize,
    room: Room<'_>,
    scan: &(dyn Fn(usize, &mut Visitor<'_>) -> Result<()> + Sync),
    visit: &(dyn Fn(Group<'_>) -> Result<()> + Sync),
) -> Result<()> {
    let of_thread = |thread: usize| (thread..parts).step_by(threads);
    let all = Mutex::new(None);
    each(threads, threads, |thread| {
        let mut marks = Marks::new(count);
        for part in of_thread(thread) {
            scan(part, &mut |keys| keys.iter().for_each(|&(_, key)| marks.meet(key)))?;
        }
        let mut all: MutexGuard<'_, Option<Marks>> = lock(&all);
        match all.as_mut() {
            Some(all) => all.add(&marks),
            None => *all = Some(marks),
        }
        Ok(())
    })?;
    let marks = all.into_inner().unwrap_or_else(PoisonError::into_inner).unwrap_or_else(|| Marks::new(0));
    // For each thread that will group keys, the lists of those that found them.
    let found: Vec<Mutex<Vec<List>>> = (0..threads).map(|_| Mutex::default()).collect();
    each(threads, threads, |thread| {
        let mut lists = vec![List::new(); threads];
        for part in of_thread(thread) {
            scan(part, &mut |keys| {
                for &(number, key) in keys.iter().filter(|(_, key)| marks.is_met_again(*key)) {
                    lists[((u128::from(key) * threads as u128) >> 64) as usize].push((number, key));
                }
            })?;
        }
        lists.into_iter().zip(&found).for_each(|(list, found)| lock(found).push(list));
        Ok(())
    })?;
    drop(marks);
    each(threads, threads, |thread| {
        let mut items = Items::new(u64::MAX, room);
        let mut lists = std::mem::take(&mut *lock(&found[thread])).into_iter();
        items.list = lists.next().unwrap_or_default();
        lists.for_each(|list| items.list.extend(list));
        items.visit_groups(&mut |group| visit(group))
    })
}

/// Documents and their keys: in a list while they fit, in a sort that spills otherwise.
struct Items<'a> {
    room: Room<'a>,
    memory: u64,
    list: List,
    sorter: Option<ByKey<'a>>,
}

/// Sorts by key, then by number.
type ByKey<'a> = Sorter<'a, [u64; 2], fn(&[u64; 2]) -> [u64; 2]>;

impl<'a> Items<'a> {
    /// None yet; half of so many bytes is what the list may take.
    fn new(memory: u64, room: Room<'a>) -> Self {
        Self { room, memory, list: Vec::new(), sorter: None }
    }

    fn extend(&mut self, items: impl Iterator<Item = (Number, u64)>) {
        if let Some(sorter) = &mut self.sorter {
            items.for_each(|(number, key)| sorter.push([key, number]));
            return;
        }
        self.list.extend(items);
        if self.list.len() as u64 * ITEM > self.memory / 2 {
            let mut sorter: ByKey<'a> = self.room.sorter(self.memory / 2, |item| *item);
            std::mem::take(&mut self.list).into_iter().for_each(|(number, key)| sorter.push([key, number]));
            self.sorter = Some(sorter);
        }
    }

    /// Hands each group of at least two documents with equal keys to `visit`; nothing is left.
    fn visit_groups(&mut self, visit: &mut GroupVisitor<'_>) -> Result<()> {
        let Some(sorter) = self.sorter.take() else {
            sort(&mut self.list, self.room.observer)?;
            let groups = self.list.chunk_by(|a, b| a.1 == b.1).filter(|group| group.len() > 1);
            for (step, group) in groups.enumerate() {
                self.room.observer.go_on_at(step)?;
                visit(Group::Whole(group))?;
            }
            self.list.clear();
            return Ok(());
        };
        let sorted = sorter.finish()?;
        let mut stream = sorted.iter();
        let (mut first, mut group) = (0, Vec::new());
        while let Some([key, _]) = stream.peek()? {
            let mut len = 0;
            group.clear();
            let end = |item: &[u64; 2]| item[0] != key;
            stream.take_until(end, |[key, number]| {
                self.room.observer.go_on_at(len as usize)?;
                len += 1;
                if group.len() < 2 * PIECE {
                    group.push((number, key));
                }
                Ok(())
            })?;
            match len {
                1 => {}
                _ if len == group.len() as u64 => visit(Group::Whole(&group))?,
                _ => visit(Group::Hot { sorted: &sorted, first, len })?,
            }
            first += len;
        }
        Ok(())
    }
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

/// Keys in ranges of their values, in a file.
pub(crate) struct Ranges<'a> {
    lists: Lists,
    memory: u64,
    room: Room<'a>,
}

/// Divides the keys of a scan among lists in a file, by their value: about `memory` bytes of them each. Hands a batch
/// of lists at a time to `visit`, for [`Ranges::groups`]. More scans than one are made only if there would be very
/// many lists.
pub(crate) fn on_disk(
    count: u64,
    memory: u64,
    room: Room<'_>,
    scan: &Scan<'_>,
    visit: &mut dyn FnMut(Ranges<'_>) -> Result<()>,
) -> Result<()> {
    let ranges = (count * ITEM).div_ceil((memory / 2).max(ITEM)).max(1);
    let range_of = |key: u64| ((u128::from(key) * u128::from(ranges)) >> 64) as u64;
    for first in (0..ranges).step_by(MOST_LISTS as usize) {
        let here = MOST_LISTS.min(ranges - first);
        let mut lists = ListsWriter::new(room.work, here as usize, memory / 2)?;
        let mut failure = None;
        scan(&mut |keys| {
            for &(number, key) in keys {
                let Some(at) = range_of(key).checked_sub(first).filter(|at| *at < here) else { continue };
                if failure.is_none() {
                    failure = lists.push(at as usize, &[key, number]).err();
                }
            }
        })?;
        if let Some(failure) = failure {
            return Err(failure);
        }
        visit(Ranges { lists: lists.finish()?, memory, room })?;
    }
    Ok(())
}

impl Ranges<'_> {
    /// How many there are.
    pub(crate) fn len(&self) -> usize {
        self.lists.len()
    }

    /// Hands each group of at least two documents with equal keys to `visit`: of the range at a place.
    pub(crate) fn groups(&self, at: usize, visit: &mut GroupVisitor<'_>) -> Result<()> {
        let mut left = self.lists.words(at) as usize / 2;
        let mut items = Items::new(2 * self.memory, self.room);
        if left as u64 * ITEM <= self.memory {
            items.list.reserve_exact(left);
        }
        let (mut list, mut some) = (self.lists.read(at), [[0u64; 2]; 512]);
        while left > 0 {
            self.room.observer.go_on()?;
            let some = &mut some[..left.min(512)];
            list.take(cast_slice_mut(some))?;
            items.extend(some.iter().map(|&[key, number]| (number, key)));
            left -= some.len();
        }
        items.visit_groups(visit)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::limits::memory::Ledger;
    use crate::resume::work::Work;
    use crate::{Resources, Silent};
    use lookalike::hashing::{SplitMix64, mix64};
    use std::collections::BTreeMap;

    /// Documents with random keys, and their groups by a map.
    fn drawn(count: u64, distinct: u64, random: &mut SplitMix64) -> (List, Vec<Vec<Number>>) {
        let keys: List = (0..count).map(|n| (n, mix64(random.below(distinct)))).collect();
        let mut plain: BTreeMap<u64, Vec<Number>> = BTreeMap::new();
        for &(number, key) in &keys {
            plain.entry(key).or_default().push(number);
        }
        let mut expected: Vec<Vec<Number>> = plain.into_values().filter(|group| group.len() > 1).collect();
        expected.sort();
        (keys, expected)
    }

    #[test]
    fn groups_are_those_of_a_map_for_any_memory() {
        let resources = Resources { memory: 1 << 30, threads: 1, temp_dir: None, max_pairs: None };
        let folder = tempfile::tempdir().unwrap();
        let work = Work::temporary(folder.path()).unwrap();
        let ledger = Ledger::new(&resources, 1).unwrap().with_free(3_000);
        let mut random = SplitMix64::new(1);
        for (count, distinct) in [(0, 1), (1, 1), (2, 1), (1_000, 10), (5_000, 4_000), (5_000, 1_000_000)] {
            let (keys, expected) = drawn(count, distinct, &mut random);
            for memory in [1, 1_000, 100_000, 100_000_000] {
                let room = Room { ledger: &ledger, work: &work, observer: &Silent };
                let scan = |visit: &mut Visitor<'_>| {
                    keys.chunks(7).for_each(visit);
                    Ok(())
                };
                let mut found = Vec::new();
                groups(count, memory, room, &scan, &mut |group| take(group, &mut found)).unwrap();
                found.sort();
                assert_eq!(found, expected, "{count} keys, {distinct} distinct, {memory} bytes");
                let mut found = Vec::new();
                on_disk(count, memory.max(1_000), room, &scan, &mut |ranges| {
                    (0..ranges.len())
                        .try_for_each(|at| ranges.groups(at, &mut |group| take(group, &mut found)))
                })
                .unwrap();
                found.sort();
                assert_eq!(found, expected, "on disk: {count} keys, {distinct} distinct, {memory} bytes");
            }
        }
    }

    #[test]
    fn groups_of_parts_are_those_of_a_map_on_any_number_of_threads() {
        let resources = Resources { memory: 1 << 30, threads: 1, temp_dir: None, max_pairs: None };
        let folder = tempfile::tempdir().unwrap();
        let work = Work::temporary(folder.path()).unwrap();
        let ledger = Ledger::new(&resources, 1).unwrap();
        let room = Room { ledger: &ledger, work: &work, observer: &Silent };
        let mut random = SplitMix64::new(2);
        for (count, distinct) in [(0, 1), (1, 1), (2, 1), (300, 10), (5_000, 4_000), (5_000, 1_000_000)] {
            let (keys, expected) = drawn(count, distinct, &mut random);
            let parts: Vec<&[(Number, u64)]> = keys.chunks(700).collect();
            for threads in [1, 2, 3, 9] {
                let scan = |part: usize, share: Share, visit: &mut Visitor<'_>| {
                    let is_here = |&&(_, key): &&(Number, u64)| share.has(key as u32);
                    let keys: List = parts[part].iter().filter(is_here).copied().collect();
                    keys.chunks(7).for_each(visit);
                    Ok(())
                };
                let found = Mutex::new(Vec::new());
                let visit = |group: Group<'_>| take(group, &mut lock(&found));
                groups_of_parts(count, parts.len(), threads, room, &scan, &visit).unwrap();
                let mut found = found.into_inner().unwrap();
                found.sort();
                assert_eq!(found, expected, "{count} keys, {distinct} distinct, {threads} threads");
            }
        }
    }

    /// The numbers of a group, of which pieces overlap by one.
    fn take(group: Group<'_>, found: &mut Vec<Vec<Number>>) -> Result<()> {
        let mut numbers: Vec<Number> = Vec::new();
        group.visit(|piece| {
            assert!(matches!(group, Group::Whole(_)) || piece.len() >= PIECE);
            let again = usize::from(!numbers.is_empty());
            assert!(again == 0 || numbers.last() == piece.first().map(|(number, _)| number));
            numbers.extend(piece[again..].iter().map(|&(number, _)| number));
            Ok(())
        })?;
        found.push(numbers);
        Ok(())
    }
}
