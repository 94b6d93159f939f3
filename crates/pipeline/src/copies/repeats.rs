//! Keys -> the documents that share their key with another document.
//!
//! Most keys occur once. A first scan over the keys [marks](Marks) which may occur again. A second scan collects these;
//! they are few, and are sorted. Documents with equal keys are then read one at a time, so there may be any number of
//! them.

use crate::Result;
use crate::limits::marks::Marks;
use crate::limits::sorted::Room;
use crate::store::Number;

/// A function that receives keys, each with the number of its document.
pub(crate) type Keys<'k> = dyn FnMut(&[(u64, Number)]) + 'k;

/// Calls `visit` with each document that shares its key with another, and with true if it is the first document of
/// its key. Documents with equal keys follow each other in ascending order. `scan` hands out every key with its
/// document, and is called twice.
pub(crate) fn repeats(
    count: u64,
    room: Room<'_>,
    mut scan: impl FnMut(&mut Keys<'_>) -> Result<()>,
    visit: &mut dyn FnMut(Number, bool),
) -> Result<()> {
    let mut reservation = room.ledger.reservation();
    // A smaller table means that more keys are sorted than necessary. The answer is the same.
    let mut of = count;
    while of > 0
        && (Marks::bytes_for(of) > room.ledger.sorting() || !reservation.try_grow(Marks::bytes_for(of)))
    {
        of /= 2;
    }
    let mut marks = Marks::new(of);
    scan(&mut |keys| keys.iter().for_each(|&(key, _)| marks.meet(key)))?;
    let mut repeated = room.sorter(room.ledger.sorting(), |item: &[u64; 2]| *item);
    scan(&mut |keys| {
        for &(key, number) in keys.iter().filter(|(key, _)| marks.is_met_again(*key)) {
            repeated.push([key, number]);
        }
    })?;
    drop(marks);
    reservation.release();
    let repeated = repeated.finish()?;
    // The item before this one, and whether it was visited.
    let mut last: Option<([u64; 2], bool)> = None;
    for (step, item) in repeated.iter().enumerate() {
        room.observer.go_on_at(step)?;
        let item = item?;
        let is_repeated = last.is_some_and(|(last, _)| last[0] == item[0]);
        if let Some((first, false)) = last.filter(|_| is_repeated) {
            visit(first[1], true);
        }
        if is_repeated {
            visit(item[1], false);
        }
        last = Some((item, is_repeated));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::limits::memory::Ledger;
    use crate::resume::work::Work;
    use crate::{Resources, Silent};
    use lookalike::hashing::{SplitMix64, mix64};
    use std::collections::BTreeMap;

    #[test]
    fn repeats_are_those_of_a_map_for_any_memory() {
        let resources = Resources { memory: 1 << 30, threads: 1, temp_dir: None, max_pairs: None };
        let folder = tempfile::tempdir().unwrap();
        let work = Work::temporary(folder.path()).unwrap();
        let mut random = SplitMix64::new(1);
        for (count, distinct) in
            [(0, 1), (1, 1), (2, 1), (1_000, 10), (5_000, 4_000), (5_000, 1), (5_000, 1_000_000)]
        {
            let keys: Vec<(u64, Number)> = (0..count).map(|n| (mix64(random.below(distinct)), n)).collect();
            let mut plain: BTreeMap<u64, Vec<Number>> = BTreeMap::new();
            for &(key, number) in &keys {
                plain.entry(key).or_default().push(number);
            }
            let expected: Vec<(Number, bool)> = plain
                .into_values()
                .filter(|same| same.len() > 1)
                .flat_map(|same| same.into_iter().enumerate().map(|(at, number)| (number, at == 0)))
                .collect();
            for free in [0, 10_000, 100_000_000] {
                let ledger = Ledger::new(&resources, 1).unwrap().with_free(free);
                let scan = |visit: &mut Keys<'_>| {
                    keys.chunks(7).for_each(visit);
                    Ok(())
                };
                let mut found = Vec::new();
                repeats(
                    count,
                    Room { ledger: &ledger, work: &work, observer: &Silent },
                    scan,
                    &mut |number, first| {
                        found.push((number, first));
                    },
                )
                .unwrap();
                assert_eq!(found, expected, "{count} keys, {distinct} distinct, {free} bytes");
            }
        }
    }
}
