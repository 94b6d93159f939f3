//! The table of keys against a plain model, on disk, damaged, and killed.

use super::{Entry, HEAD, KeyTable, KeyTableConfig};
use crate::store::Space;
use crate::store::memory::MemoryStore;
use crate::{Config, Error, Index, Options};
use lookalike::hashing::SplitMix64;
use proptest::prelude::*;
use std::collections::{BTreeMap, BTreeSet};
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

const BANDS: usize = 3;

/// The plain definition: entries in the order of insertion.
#[derive(Debug, Default, Clone)]
struct Model {
    entries: Vec<Entry>,
}

impl Model {
    fn names(&self) -> BTreeSet<&[u8]> {
        self.entries.iter().map(|entry| entry.name.as_slice()).collect()
    }

    fn insert(&mut self, entries: &[Entry], repeat: bool) -> bool {
        let before = self.entries.clone();
        for entry in entries {
            if !repeat && self.names().contains(entry.name.as_slice()) {
                self.entries = before;
                return false;
            }
            self.entries.push(entry.clone());
        }
        true
    }

    fn remove(&mut self, names: &[Vec<u8>]) -> u64 {
        let before = self.names().len();
        self.entries.retain(|entry| !names.contains(&entry.name));
        (before - self.names().len()) as u64
    }

    fn query(&self, keys: &[u64]) -> Vec<Vec<u8>> {
        let shares = |entry: &&Entry| entry.keys.iter().zip(keys).any(|(a, b)| a == b);
        let mut names: Vec<Vec<u8>> = Vec::new();
        for entry in self.entries.iter().filter(shares) {
            if !names.contains(&entry.name) {
                names.push(entry.name.clone());
            }
        }
        names
    }

    fn buckets(&self, band: usize) -> BTreeMap<u64, u64> {
        let mut buckets = BTreeMap::new();
        self.entries.iter().for_each(|entry| *buckets.entry(entry.keys[band]).or_default() += 1);
        buckets
    }
}

fn assert_equal(table: &KeyTable, model: &Model) {
    let names = model.names();
    assert_eq!(table.len().unwrap(), names.len() as u64);
    assert_eq!(table.is_empty().unwrap(), names.is_empty());
    assert!(table.names_after(b"", 1000).unwrap().iter().map(Vec::as_slice).eq(names.iter().copied()));
    for entry in &model.entries {
        let of_name = model.entries.iter().filter(|other| other.name == entry.name);
        let keys: Vec<u64> = of_name.flat_map(|other| other.keys.clone()).collect();
        assert_eq!(table.keys_of(&entry.name).unwrap(), keys);
        assert!(table.contains(&entry.name).unwrap());
        for used in 1..=BANDS {
            assert_eq!(table.query(&entry.keys[..used]).unwrap(), model.query(&entry.keys[..used]));
        }
    }
    for band in 0..BANDS {
        let mut buckets = BTreeMap::new();
        let visit = |key, size| {
            buckets.insert(key, size);
            Ok(true)
        };
        table.for_each_bucket(band, visit).unwrap();
        assert_eq!(buckets, model.buckets(band));
    }
}

#[derive(Debug, Clone)]
enum Step {
    Insert(Vec<Entry>, bool),
    Remove(Vec<Vec<u8>>),
}

fn name() -> impl Strategy<Value = Vec<u8>> {
    (0u8..12).prop_map(|name| vec![b'n', name])
}

fn step() -> impl Strategy<Value = Step> {
    let entry = (name(), proptest::collection::vec(0u64..4, BANDS));
    let entry = entry.prop_map(|(name, keys)| Entry { name, keys });
    prop_oneof![
        2 => (proptest::collection::vec(entry, 1..5), any::<bool>()).prop_map(|(entries, repeat)| Step::Insert(entries, repeat)),
        1 => proptest::collection::vec(name(), 1..4).prop_map(Step::Remove),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 100, ..ProptestConfig::default() })]

    #[test]
    fn equals_the_model(steps in proptest::collection::vec(step(), 0..25), fault in 0u64..40, both: bool) {
        let store = MemoryStore::default();
        let mut table = KeyTable::on_store(Box::new(store.clone()), BANDS).unwrap();
        let mut model = Model::default();
        for step in steps {
            let before = model.clone();
            let (expected, found) = match &step {
                Step::Insert(entries, repeat) => {
                    let inserted = model.insert(entries, *repeat);
                    store.fail_at(fault, both);
                    (u64::from(inserted), match table.insert(entries, *repeat, None) {
                        Err(Error::DuplicateId { .. }) => Ok(0),
                        other => other.map(|()| 1),
                    })
                }
                Step::Remove(names) => {
                    let removed = model.remove(names);
                    store.fail_at(fault, both);
                    (removed, table.remove(names))
                }
            };
            store.fail_at(0, false);
            match found {
                Ok(found) => prop_assert_eq!(found, expected),
                Err(_) => {
                    // All or nothing; which of them is known when it is opened again.
                    table = KeyTable::on_store(Box::new(store.clone()), BANDS).unwrap();
                    let is_there = table.len().unwrap() == model.names().len() as u64
                        && model.entries.iter().all(|entry| table.query(&entry.keys).unwrap() == model.query(&entry.keys));
                    if !is_there {
                        model = before;
                    }
                }
            }
            assert_equal(&table, &model);
        }
    }
}

fn open(path: &Path) -> crate::Result<KeyTable> {
    KeyTable::open_or_create(path, &KeyTableConfig::new(2, "test"))
}

#[test]
fn it_is_there_when_it_is_opened_again() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a").join("table");
    let table = open(&path).unwrap();
    assert_eq!((table.label().unwrap(), table.bands()), (None, 2));
    table.insert(&[Entry::new("x", [1, 2])], false, Some("first")).unwrap();
    table.insert(&[Entry::new("y", [1, 3])], false, Some("second")).unwrap();
    assert!(matches!(open(&path), Err(Error::InUse { process, .. }) if process == std::process::id()));
    drop(table);
    let table = open(&path).unwrap();
    assert_eq!(table.query(&[1, 3]).unwrap(), [b"x", b"y"]);
    assert_eq!(table.bucket(1, 3).unwrap(), [b"y"]);
    assert_eq!(table.label().unwrap().as_deref(), Some("first"));
    assert_eq!(table.lost(), 0);
    // More than a page.
    let many: Vec<_> = (0..600_u64).map(|n| Entry::new(format!("{n:03}"), [7, n])).collect();
    table.insert(&many, false, None).unwrap();
    assert_eq!(table.query(&[7]).unwrap().len(), 600);
    let mut sizes = Vec::new();
    let visit = |key, size| {
        sizes.push((key, size));
        Ok(sizes.len() < 2)
    };
    table.for_each_bucket(0, visit).unwrap();
    assert_eq!(sizes, [(1, 2), (7, 600)]);
    assert_eq!(table.remove(&many.into_iter().map(|entry| entry.name).collect::<Vec<_>>()).unwrap(), 600);
    assert_eq!(table.query(&[7]).unwrap(), Vec::<Vec<u8>>::new());
}

#[test]
fn what_does_not_fit_is_refused_and_writes_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("table");
    let table = open(&path).unwrap();
    for (entry, named) in [
        (Entry::new("", [1, 2]), "1 to 60000 bytes"),
        (Entry::new(vec![b'x'; 60_001], [1, 2]), "60001"),
        (Entry::new("x", [1]), "bands 2, not 1"),
    ] {
        let error = table.insert(&[Entry::new("good", [1, 2]), entry], false, None).unwrap_err();
        assert!(error.to_string().contains(named), "{error}");
    }
    assert!(table.is_empty().unwrap() && !table.contains(b"").unwrap());
    assert_eq!(table.remove(&[Vec::new(), b"none".to_vec()]).unwrap(), 0);
    let longest = Entry::new(vec![b'x'; 60_000], [1, 2]);
    table.insert(std::slice::from_ref(&longest), false, None).unwrap();
    assert_eq!(table.query(&[1]).unwrap(), [longest.name]);
    drop(table);

    let other = |bands, note: &str| KeyTable::open_or_create(&path, &KeyTableConfig::new(bands, note));
    assert!(matches!(other(3, "test"), Err(Error::Contradiction { setting, .. }) if setting == "bands"));
    assert!(matches!(other(2, "else"), Err(Error::Contradiction { setting, .. }) if setting == "note"));
    for bands in [0, 65_537] {
        assert!(matches!(other(bands, "test"), Err(Error::Unsuitable { setting: "bands", .. })));
    }
    assert!(matches!(Index::open(&path, &Options::default()), Err(Error::Foreign { .. })));
    let elsewhere = folder.path().join("index");
    drop(Index::create(&elsewhere, &Config::default(), &Options::default()).unwrap());
    assert!(matches!(open(&elsewhere), Err(Error::NoKeyTable { .. })));
    assert!(matches!(open(folder.path()), Err(Error::NoKeyTable { .. })));
}

#[test]
fn a_newer_or_damaged_folder_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("table");
    open(&path).unwrap().insert(&[Entry::new("x", [1, 2])], false, None).unwrap();
    let head = std::fs::read_to_string(path.join(HEAD)).unwrap();
    std::fs::write(path.join(HEAD), head.replace("\"version\": 1", "\"version\": 2")).unwrap();
    assert!(matches!(open(&path), Err(Error::Newer { version: 2, known: 1, .. })));
    for wrong in
        ["", "{}", "[]", &head.replace("bands", "band"), &head.replace("\"bands\": 2", "\"bands\": 0")]
    {
        std::fs::write(path.join(HEAD), wrong).unwrap();
        assert!(matches!(open(&path), Err(Error::Damaged { .. })), "{wrong}");
    }
    std::fs::write(path.join(HEAD), head).unwrap();
    assert_eq!(open(&path).unwrap().query(&[1]).unwrap(), [b"x"]);
}

#[test]
fn damaged_values_are_errors() {
    let store = MemoryStore::default();
    let table = KeyTable::on_store(Box::new(store.clone()), 2).unwrap();
    table.insert(&[Entry::new("x", [1, 2])], false, Some("label")).unwrap();
    let number = 1_u64.to_be_bytes();
    for (space, key) in [(Space::Ids, &b"x"[..]), (Space::Documents, &number), (Space::Meta, b"label")] {
        let value = crate::store::Read::get(&store, space, key).unwrap().unwrap();
        for damaged in [&b"\xff\xfe"[..], &[value[0], 0xff]] {
            store.set(space, key, Some(damaged));
            let failed = match space {
                Space::Meta => table.label().map(|_| ()),
                Space::Ids => table.keys_of(b"x").map(|_| ()),
                _ => table.query(&[1]).map(|_| ()),
            };
            assert!(matches!(failed, Err(Error::Damaged { .. })), "{space:?} {damaged:?}");
        }
        store.set(space, key, Some(&value));
    }
    store.set(Space::Documents, &number, None);
    assert!(matches!(table.query(&[1]), Err(Error::Damaged { .. })));
}

#[test]
fn lost_batches_are_noticed_and_can_be_accepted() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("table");
    let table = open(&path).unwrap();
    table.insert(&[Entry::new("x", [1, 2])], false, None).unwrap();
    let folder = table.folder.as_ref().unwrap();
    folder.set_acknowledged(4).unwrap();
    drop(table);
    let table = open(&path).unwrap();
    assert_eq!(table.lost(), 3);
    assert_eq!(table.query(&[1]).unwrap(), [b"x"]);
    assert!(matches!(
        table.insert(&[Entry::new("y", [1, 2])], false, None),
        Err(Error::Lost { lost: 3, .. })
    ));
    table.accept_loss().unwrap();
    let table = open(&path).unwrap();
    assert_eq!(table.lost(), 0);
    table.insert(&[Entry::new("y", [1, 2])], false, None).unwrap();
}

/// The files of a table, with their bytes.
fn files(path: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let mut all = BTreeMap::new();
    for entry in std::fs::read_dir(path).unwrap() {
        let entry = entry.unwrap().path();
        match entry.is_dir() {
            true => all.append(&mut files(&entry)),
            false => drop(all.insert(entry.clone(), std::fs::read(&entry).unwrap())),
        }
    }
    all
}

#[test]
fn a_table_that_is_damaged_is_not_written_to() {
    let folder = tempfile::tempdir().unwrap();
    let (path, copy) = (folder.path().join("table"), folder.path().join("copy"));
    let table = open(&path).unwrap();
    for number in 0..9_u64 {
        table.insert(&[Entry::new(format!("{number}"), [number, 7])], false, None).unwrap();
    }
    for (file, bytes) in files(&path) {
        let to = copy.join(file.strip_prefix(&path).unwrap());
        std::fs::create_dir_all(to.parent().unwrap()).unwrap();
        std::fs::write(to, bytes).unwrap();
    }
    let journal = copy.join("store/0.jnl");
    let mut bytes = std::fs::read(&journal).unwrap();
    let end = bytes.iter().rposition(|&byte| byte != 0).unwrap();
    bytes.truncate(end / 2);
    std::fs::write(&journal, bytes).unwrap();
    let before = files(&copy);
    let table = open(&copy).unwrap();
    let lost = table.lost();
    assert!((1..9).contains(&lost), "{lost}");
    assert!(table.insert(&[Entry::new("new", [1, 2])], false, None).is_err());
    assert_eq!(table.query(&[99, 7]).unwrap().len() as u64, 9 - lost);
    drop(table);
    assert!(files(&copy) == before, "it was written to");
    open(&copy).unwrap().accept_loss().unwrap();
    let table = open(&copy).unwrap();
    table.insert(&[Entry::new("new", [1, 2])], false, None).unwrap();
    assert_eq!((table.lost(), table.len().unwrap()), (0, 10 - lost));
    drop(table);
    // A file that is missing is named before anything is written.
    for file in ["acknowledged", "lock", "process"] {
        std::fs::remove_file(copy.join(file)).unwrap();
    }
    let before = files(&copy);
    assert!(matches!(open(&copy), Err(Error::Damaged { place, .. }) if place.contains("acknowledged")));
    assert!(files(&copy) == before, "it was written to");
}

/// The folder of the table, for the process that is killed.
const FOLDER: &str = "LOOKALIKE_KEY_TABLE_KILLED_FOLDER";
/// The first step that it does.
const START: &str = "LOOKALIKE_KEY_TABLE_KILLED_START";

/// What step `step` inserts and removes.
fn step_of(step: u64) -> (Vec<Entry>, Vec<Vec<u8>>) {
    let mut random = SplitMix64::new(step);
    let entry = |at| Entry::new(format!("{step}-{at}"), [random.below(50), random.below(50)]);
    let removed = (0..3).map(|at| format!("{}-{at}", step.saturating_sub(5)).into_bytes()).collect();
    ((0..8).map(entry).collect(), removed)
}

/// The process that is killed. As a test of its own it does nothing.
#[test]
fn child() {
    let Ok(folder) = std::env::var(FOLDER) else { return };
    let start: u64 = std::env::var(START).unwrap().parse().unwrap();
    let table = open(Path::new(&folder)).unwrap();
    for number in start.. {
        let (entries, removed) = step_of(number);
        table.insert(&entries, true, None).unwrap();
        table.remove(&removed).unwrap();
        let mut out = std::io::stdout().lock();
        writeln!(out, "acknowledged {number}").unwrap();
        out.flush().unwrap();
    }
}

#[test]
fn what_was_acknowledged_survives() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("table");
    drop(open(&path).unwrap());
    let (mut random, mut next, mut acknowledged) = (SplitMix64::new(9), 0, 0);
    for round in 0..10 {
        let mut child = Command::new(std::env::current_exe().unwrap())
            .args(["--exact", "key_table::tests::child", "--nocapture", "--test-threads", "1"])
            .env(FOLDER, &path)
            .env(START, next.to_string())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let lines = BufReader::new(child.stdout.take().unwrap()).lines();
        let reader = std::thread::spawn(move || {
            let number = |line: String| line.split_once("acknowledged ")?.1.parse::<u64>().ok();
            lines.map_while(Result::ok).filter_map(number).last()
        });
        std::thread::sleep(Duration::from_micros(50_000 + random.below(200_000)));
        child.kill().unwrap();
        assert!(child.wait().unwrap().code().is_none(), "it ended by itself");
        let last = reader.join().unwrap();
        acknowledged += last.map_or(0, |last| last + 1 - next);
        next = last.map_or(next, |last| last + 1);

        let table = open(&path).unwrap();
        assert_eq!(table.lost(), 0, "round {round}");
        // Of a step that was not acknowledged, the insertion is there as a whole or not at all.
        let whole = |number: u64| {
            let (entries, _) = step_of(number);
            entries.iter().filter(|entry| table.contains(&entry.name).unwrap()).count()
        };
        for number in next.saturating_sub(4)..next {
            assert_eq!(whole(number), 8, "round {round}: step {number} was acknowledged");
        }
        assert!([0, 8].contains(&whole(next)), "round {round}: {} entries of a batch", whole(next));
        for number in next.saturating_sub(30)..next.saturating_sub(5) {
            assert_eq!(whole(number), 5, "round {round}: three of step {number} were removed");
        }
        for entry in step_of(next.saturating_sub(1)).0 {
            assert_eq!(
                table.query(&entry.keys).unwrap().contains(&entry.name),
                whole(next.saturating_sub(1)) == 8
            );
        }
        // The next process does the step that was not acknowledged again.
        let names: Vec<_> = step_of(next).0.into_iter().map(|entry| entry.name).collect();
        table.remove(&names).unwrap();
    }
    assert!(acknowledged > 0, "the process was always killed before its first step");
}
