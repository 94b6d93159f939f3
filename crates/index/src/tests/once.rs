//! Writes that are sent again.

use super::{in_memory, options, thorough};
use crate::store::memory::MemoryStore;
use crate::values::{RECEIPTS_KEY, Receipts};
use crate::{Applied, Change, Changed, Config, Document, Error, Index, ManualClock, Stored, Ticket};
use lookalike::hashing::SplitMix64;
use std::collections::VecDeque;
use std::sync::Arc;
use std::time::Duration;

fn config() -> Config {
    Config::default().with_settings(thorough()).with_store(Stored::Text)
}

fn ticket(key: u64, request: u8) -> Ticket {
    let mut bytes = [0; 32];
    bytes[..8].copy_from_slice(&key.to_le_bytes());
    Ticket { key: bytes, request: [request; 32], most: 100, time: Duration::from_millis(1_000) }
}

fn add(id: impl Into<String>) -> [Change; 1] {
    [Change::Add(Document::new(id, "a b c d e f g h i j k l m"))]
}

fn number(changed: Vec<Changed>) -> Vec<u8> {
    let [Changed::Put { number, .. }] = changed[..] else { panic!("{changed:?}") };
    number.to_le_bytes().to_vec()
}

/// The receipts that the store has, and how it counts them.
fn kept(store: &MemoryStore) -> (usize, usize, Receipts) {
    let keys = store.keys(crate::store::Space::Meta);
    let with = |prefix: &[u8]| keys.iter().filter(|key| key.starts_with(prefix)).count();
    let receipts = store.snapshot_value(crate::store::Space::Meta, RECEIPTS_KEY);
    (with(b"receipt/"), with(b"receipt-number/"), Receipts::decode(&receipts).unwrap())
}

#[test]
fn a_write_that_is_sent_again_is_one_write_also_after_reopening() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("index");
    let clock = Arc::new(ManualClock::at(1));
    let index = Index::create(&path, &config(), &options(&clock)).unwrap();
    let first = index.apply_once(&add("a"), Some(&ticket(1, 1)), number).unwrap();
    assert_eq!(first, Applied::Now(1_u64.to_le_bytes().to_vec()));
    let batches = index.stats().unwrap().batches;
    drop(index);
    let index = Index::open(&path, &options(&clock)).unwrap();
    let again = index.apply_once(&add("a"), Some(&ticket(1, 1)), number).unwrap();
    assert_eq!(again, Applied::Before(1_u64.to_le_bytes().to_vec()));
    assert_eq!(index.apply_once(&add("b"), Some(&ticket(1, 2)), number).unwrap(), Applied::Other);
    assert!(!index.contains("b").unwrap());
    // The receipt is a part of the write, and what was done before writes nothing.
    assert_eq!((batches, index.stats().unwrap().batches), (1, 1));
    // It is in a backup too.
    index.backup(folder.path().join("backup")).unwrap();
    let copy = Index::open(folder.path().join("backup"), &options(&clock)).unwrap();
    assert_eq!(copy.apply_once(&add("a"), Some(&ticket(1, 1)), number).unwrap(), again);
    assert!(index.verify().unwrap().is_clean() && copy.verify().unwrap().is_clean());
}

#[test]
fn what_fails_or_changes_nothing_leaves_no_receipt() {
    let store = MemoryStore::default();
    let index = in_memory(&store, &config(), &Arc::new(ManualClock::at(1)));
    let nothing = [Change::Remove("nobody".into())];
    assert_eq!(
        index.apply_once(&nothing, Some(&ticket(1, 1)), |_| Vec::new()).unwrap(),
        Applied::Now(Vec::new())
    );
    // All or none: the second change cannot be made, so the first is not.
    let [one] = add("a");
    let wrong = index.apply_once(&[one.clone(), one], Some(&ticket(2, 1)), number).unwrap_err();
    assert!(matches!(wrong, Error::DuplicateId { .. }), "{wrong}");
    assert!(store.keys(crate::store::Space::Meta).is_empty());
    assert_eq!(index.stats().unwrap().documents, 0);
}

/// Random writes with few keys, against a list of the youngest that are not too old.
#[test]
fn receipts_are_bounded_in_number_and_age() {
    let (store, clock) = (MemoryStore::default(), Arc::new(ManualClock::at(10_000)));
    let index = in_memory(&store, &config(), &clock);
    let mut random = SplitMix64::new(3);
    // The key, the time and the document of each receipt, oldest first.
    let mut expected: VecDeque<(u64, u64, u64)> = VecDeque::new();
    let (mut now, mut before, mut full) = (10_000, 0, 0);
    for step in 0..1_500 {
        // At first they get too old, and then there are too many.
        now += random.below(if step < 1_000 { 30 } else { 5 });
        clock.set(now);
        let key = random.below(200);
        let answer = index.apply_once(&add(format!("{step}")), Some(&ticket(key, 1)), number).unwrap();
        let is_kept = expected.iter().rfind(|(other, time, _)| *other == key && now - time <= 1_000);
        match (answer, is_kept) {
            (Applied::Before(answer), Some((_, _, number))) => {
                before += 1;
                assert_eq!(answer, number.to_le_bytes(), "step {step}");
            }
            (Applied::Now(answer), None) => {
                let number = u64::from_le_bytes(answer.try_into().unwrap());
                expected.retain(|(other, _, _)| *other != key);
                expected.push_back((key, now, number));
                expected.drain(..expected.len().saturating_sub(100));
            }
            (answer, is_kept) => panic!("step {step}: {answer:?} and {is_kept:?}"),
        }
        let (by_key, by_number, receipts) = kept(&store);
        assert!(by_key <= by_number && by_number <= 100);
        assert_eq!(receipts.next - receipts.first, by_number as u64);
        assert_eq!(receipts.bytes, 8 * by_key as u64);
        full += usize::from(by_number == 100);
    }
    assert!(before > 100 && full > 10, "{before} {full}");
}

#[test]
fn receipts_are_bounded_in_size() {
    let store = MemoryStore::default();
    let index = in_memory(&store, &config(), &Arc::new(ManualClock::at(1)));
    let large = |size: usize| move |_| vec![7; size];
    for key in 0..40 {
        index.apply_once(&add(format!("{key}")), Some(&ticket(key, 1)), large(1 << 20)).unwrap();
    }
    let (by_key, by_number, receipts) = kept(&store);
    assert_eq!((by_key, by_number, receipts.bytes), (16, 16, 16 << 20));
    // What is too large is done, and not kept.
    index.apply_once(&add("large"), Some(&ticket(99, 1)), large((1 << 20) + 1)).unwrap();
    assert!(index.contains("large").unwrap());
    assert_eq!(kept(&store).2, receipts);
    assert!(matches!(
        index.apply_once(&add("x"), Some(&ticket(39, 1)), large(1)).unwrap(),
        Applied::Before(answer) if answer.len() == 1 << 20
    ));
}
