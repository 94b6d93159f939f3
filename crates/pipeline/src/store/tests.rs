//! Tests with parts made by hand: a part in a file gives the same answers as a part in memory.

use super::columns::{BlockEntry, Columns, list};
use super::entries::{Class, Entry};
use super::part::{self, Link};
use super::{Number, Store};
use crate::method::Recipe;
use crate::{Keep, Settings};
use std::path::Path;

/// Two lanes per document.
const LANES: usize = 2;

fn block(source: u32, record: u64, slots: u32, blank_lines: u32) -> BlockEntry {
    BlockEntry { source, offset: record * 10, record, slots, blank_lines }
}

/// A document with everything that a document can have. `at` makes it different from others.
fn document(at: u64) -> Columns {
    let entry =
        Entry::document(Class::Compared, at, at * 2, [at, 0], at as usize).of_record(at % 2 == 1, at % 3);
    Columns {
        slots: vec![entry.slot()],
        keeps: vec![entry.keep],
        withins: vec![entry.within],
        lanes: vec![at as u16, at as u16 + 1],
        samples: (0..at % 3).map(|sample| at * 10 + sample).collect(),
        sample_ends: vec![at % 3],
        ids: format!("id-{at}").into_bytes(),
        id_ends: vec![format!("id-{at}").len() as u64],
        shingles: (0..at % 4).collect(),
        shingle_ends: vec![at % 4],
        orders: vec![7; (at % 2) as usize],
        order_ends: vec![at % 2],
        ..Columns::default()
    }
}

fn bad(reason: &str) -> Columns {
    let mut columns = Columns {
        slots: vec![Entry::bad().slot()],
        keeps: vec![0],
        withins: vec![[0; 2]],
        lanes: vec![0; LANES],
        sample_ends: vec![0],
        id_ends: vec![0],
        shingle_ends: vec![0],
        order_ends: vec![0],
        ..Columns::default()
    };
    columns.push_bad(0, reason);
    columns
}

/// Documents 0 to 4, a bad record, documents 6 and 7; a bad record again; in blocks of two sources.
fn columns() -> [Columns; 2] {
    let mut first = Columns { blocks: vec![block(0, 0, 3, 0), block(0, 3, 3, 2)], ..Columns::default() };
    (0..5).for_each(|at| first.append(document(at)));
    first.append(bad("not JSON"));
    let mut second = Columns { blocks: vec![block(1, 0, 3, 0)], ..Columns::default() };
    (6..8).for_each(|at| second.append(document(at)));
    second.append(bad("no text"));
    [first, second]
}

/// A store of both parts. A part is only in a file if `in_files` is true for it.
fn store(folder: &Path, in_files: [bool; 2]) -> Store {
    let mut store = Store::new(LANES, false);
    for (number, (columns, in_file)) in columns().into_iter().zip(in_files).enumerate() {
        let file = in_file.then(|| {
            let path = folder.join(format!("part-{number}"));
            let mut out = std::fs::File::create(&path).unwrap();
            part::write(&columns, &mut out, &path, 0, Link { first: store.count(), after: [0; 32] })
                .unwrap()
                .0
        });
        store.push(columns, file, 0);
    }
    store
}

/// Everything that a store says about some documents.
fn told(store: &Store, numbers: &[Number]) -> String {
    let (mut ids, mut samples, mut shingles) = (Vec::new(), Vec::new(), Vec::new());
    store.visit_ids(numbers, |number, id| ids.push((number, id.to_owned()))).unwrap();
    store.visit_samples(numbers, |these| samples.push(these.to_vec())).unwrap();
    store
        .visit_shingles(numbers, |number, these| {
            shingles.push((number, these.to_vec()));
            Ok(())
        })
        .unwrap();
    let (entries, lanes) = (store.entries_of(numbers).unwrap(), store.lanes_of(numbers).unwrap());
    let (lines, bytes) = (store.lines_of(numbers).unwrap(), store.id_bytes(numbers).unwrap());
    format!("{ids:?} {samples:?} {shingles:?} {entries:?} {lanes:?} {lines:?} {bytes}")
}

#[test]
fn a_part_in_a_file_says_what_it_says_in_memory() {
    let folder = tempfile::tempdir().unwrap();
    let in_memory = store(folder.path(), [false, false]);
    assert!(!in_memory.is_spilled() && in_memory.bytes_in_memory() > 0);
    for in_files in [[true, false], [false, true], [true, true]] {
        let other = store(folder.path(), in_files);
        assert!(other.is_spilled());
        for numbers in [&[0, 1, 2, 3, 4, 5, 6, 7, 8][..], &[0], &[8], &[2, 5, 6], &[]] {
            assert_eq!(told(&other, numbers), told(&in_memory, numbers), "{in_files:?} {numbers:?}");
        }
        let bad: Vec<_> = other.bad().map(Result::unwrap).collect();
        assert_eq!(bad, [(5, "not JSON".to_owned()), (8, "no text".to_owned())], "{in_files:?}");
        for part in 0..2 {
            assert_eq!(other.entries(part).unwrap(), in_memory.entries(part).unwrap());
            assert_eq!(other.lanes_of_part(part).unwrap(), in_memory.lanes_of_part(part).unwrap());
            assert_eq!(other.samples_of_part(part).unwrap(), in_memory.samples_of_part(part).unwrap());
        }
        assert_eq!(other.lanes_in_memory(1).is_some(), !in_files[0]);
        assert!(other.has_shingles() && other.has_long_values());
    }
}

#[test]
fn documents_may_differ_in_the_number_of_their_lanes() {
    let folder = tempfile::tempdir().unwrap();
    let lanes_of =
        |number: u64| -> Vec<u16> { (0..number as u16 * 3 % 7).map(|at| 100 * number as u16 + at).collect() };
    for in_file in [false, true] {
        let mut store = Store::new(LANES, true);
        for mut columns in columns() {
            columns.lanes.clear();
            for number in store.count()..store.count() + columns.slots.len() as u64 {
                columns.lanes.extend(lanes_of(number));
                columns.lane_ends.push(columns.lanes.len() as u32);
            }
            columns.order = 5;
            let path = folder.path().join(format!("uneven-{}", store.parts()));
            let link = Link { first: store.count(), after: [0; 32] };
            let mut out = std::fs::File::create(&path).unwrap();
            let file = part::write(&columns, &mut out, &path, 0, link).unwrap().0;
            let (_, read, _) = part::read(&mut std::fs::File::open(&path).unwrap(), &path, link).unwrap();
            assert_eq!(read, columns);
            store.push(columns, in_file.then_some(file), 0);
        }
        assert_eq!(store.order(), Some(5));
        for numbers in [&[0, 1, 2, 3, 4, 5, 6, 7, 8][..], &[0], &[8], &[2, 5, 6], &[]] {
            let lanes = store.lanes_of(numbers).unwrap();
            for (at, &number) in numbers.iter().enumerate() {
                assert_eq!(lanes.of(at), lanes_of(number), "{number}, in a file: {in_file}");
                let in_memory = store.lanes_in_memory(number).map(<[u16]>::to_vec);
                assert_eq!(in_memory, (!in_file).then(|| lanes_of(number)));
            }
        }
        assert_eq!(store.lanes_of_part(1).unwrap().of(2), lanes_of(8));
    }
}

#[test]
fn a_document_is_found_by_its_number() {
    let folder = tempfile::tempdir().unwrap();
    let store = store(folder.path(), [false, true]);
    assert_eq!((store.count(), store.parts()), (9, 2));
    assert_eq!([0, 5, 6, 8].map(|number| store.source_of(number)), [0, 0, 1, 1]);
    assert_eq!([2, 3, 6].map(|number| store.block_of(number).0), [0, 3, 6]);
    assert_eq!([0, 1].map(|part| store.numbers_of_part(part)), [0..6, 6..9]);
    assert_eq!(store.lanes_in_memory(4), Some(&[4, 5][..]));
    // The second block has blank lines: none before document 3, one before 4.
    assert_eq!(store.lines_of(&[0, 2, 3, 4, 6]).unwrap(), [1, 3, 4, 6, 1]);
}

#[test]
fn what_fits_stays_in_memory() {
    let folder = tempfile::tempdir().unwrap();
    let [first, second] = columns();
    // The blocks of all parts are stored together, outside the parts.
    let enough = Columns { blocks: Vec::new(), ..first.clone() }.bytes();
    let mut store = Store::new(LANES, false);
    for columns in [first, second] {
        let path = folder.path().join(format!("part-{}", store.parts()));
        let mut out = std::fs::File::create(&path).unwrap();
        let link = Link { first: store.count(), after: [0; 32] };
        let file = part::write(&columns, &mut out, &path, 0, link).unwrap().0;
        store.push(columns, Some(file), enough);
    }
    assert_eq!(store.bytes_in_memory(), enough);
    assert!(store.is_spilled() && store.lanes_in_memory(0).is_some() && store.lanes_in_memory(6).is_none());
}

#[test]
fn columns_one_after_the_other_are_as_if_made_at_once() {
    let [first, second] = columns();
    let mut both = first.clone();
    both.append(second.clone());
    assert_eq!(both.slots.len(), 9);
    assert_eq!(both.bad, [5, 8], "slots go on");
    assert_eq!(
        (list(&both.reasons, &both.reason_ends, 0), list(&both.reasons, &both.reason_ends, 1)),
        (&b"not JSON"[..], &b"no text"[..])
    );
    for slot in 0..9 {
        let (part, at) = if slot < 6 { (&first, slot) } else { (&second, slot - 6) };
        assert_eq!(list(&both.ids, &both.id_ends, slot), list(&part.ids, &part.id_ends, at));
        assert_eq!(list(&both.samples, &both.sample_ends, slot), list(&part.samples, &part.sample_ends, at));
        assert_eq!(
            list(&both.shingles, &both.shingle_ends, slot),
            list(&part.shingles, &part.shingle_ends, at)
        );
        assert_eq!(list(&both.orders, &both.order_ends, slot), list(&part.orders, &part.order_ends, at));
    }
    assert!(both.bytes() >= first.bytes() + second.bytes());
}

/// A malicious sketch file may lack a list that its settings need.
#[test]
fn every_list_that_is_asked_for_must_be_there() {
    let settings = Settings::default()
        .with_id_field(Some("id".into()))
        .with_keep(Keep::Max("n".into()))
        .with_store(crate::Stored::Shingles)
        .with_hashes(LANES)
        .with_bands("1x2".parse().ok());
    let recipe = Recipe::new(&settings).unwrap();
    let [whole, _] = columns();
    assert!(whole.has_all_of(&recipe));
    type Change = fn(&mut Columns);
    let changes: [Change; 5] = [
        |columns| columns.id_ends.clear(),
        |columns| columns.shingle_ends.clear(),
        |columns| columns.order_ends.clear(),
        |columns| columns.id_ends.truncate(2),
        |columns| columns.lanes.truncate(LANES),
    ];
    for change in changes {
        let mut other = whole.clone();
        change(&mut other);
        assert!(!other.has_all_of(&recipe));
    }
    let fewer = Recipe::new(&settings.with_id_field(None)).unwrap();
    assert!(
        Columns { id_ends: Vec::new(), ids: Vec::new(), ..whole }.has_all_of(&fewer),
        "nobody asks for ids"
    );
}
