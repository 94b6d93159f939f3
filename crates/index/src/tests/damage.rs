//! Folders that are damaged, newer or something else: named, never written to, and never a panic.

use super::{files, in_memory, options, thorough};
use crate::store::Space;
use crate::store::memory::MemoryStore;
use crate::{Config, Document, Error, Index, ManualClock, OnMatch, Query, Stored};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;

fn clock() -> Arc<ManualClock> {
    Arc::new(ManualClock::at(1))
}

fn config() -> Config {
    Config::default().with_settings(thorough()).with_store(Stored::Text)
}

fn text(number: usize) -> String {
    (0..12)
        .map(|word| format!("n{}w{word}", number / 3 + word * (number % 3) / 11))
        .collect::<Vec<_>>()
        .join(" ")
}

fn documents(numbers: std::ops::Range<usize>) -> Vec<Document> {
    numbers.map(|number| Document::new(format!("id-{number}"), text(number))).collect()
}

fn copy(from: &Path, to: &Path) {
    for (path, bytes) in files(from) {
        let path = to.join(path.strip_prefix(from).unwrap());
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, bytes).unwrap();
    }
}

/// An index with tables, in a folder of its own.
fn made(folder: &Path) -> PathBuf {
    let path = folder.join("index");
    let index = Index::create(&path, &config(), &options(&clock())).unwrap();
    for start in (0..120).step_by(20) {
        index.add_batch(&documents(start..start + 20)).unwrap();
    }
    index.remove(&["id-3"]).unwrap();
    path
}

#[test]
fn what_is_no_index_is_named_and_not_written_to() {
    let folder = tempfile::tempdir().unwrap();
    let path = made(folder.path());
    let options = options(&clock());
    let refused = |change: &dyn Fn(&Path), is_right: &dyn Fn(&Error) -> bool| {
        let target = folder.path().join("damaged");
        let _ = std::fs::remove_dir_all(&target);
        copy(&path, &target);
        change(&target);
        let before = files(&target);
        let error = Index::open(&target, &options).unwrap_err();
        assert!(is_right(&error), "{error}");
        assert!(error.to_string().contains("damaged"), "{error}");
        assert!(error.next().is_some());
        assert_eq!(files(&target), before, "{error}");
    };
    let is_damage = |error: &Error| matches!(error, Error::Damaged { .. });
    let rewrite = |name: &'static str, from: &'static str, to: &'static str| {
        move |target: &Path| {
            let text = std::fs::read_to_string(target.join(name)).unwrap();
            assert!(text.contains(from));
            std::fs::write(target.join(name), text.replace(from, to)).unwrap();
        }
    };
    refused(&rewrite("index.json", "\"version\": 1", "\"version\": 2"), &|error| {
        matches!(error, Error::Newer { version: 2, known: 1, .. })
    });
    refused(&rewrite("index.json", "\"version\": 1", "\"version\": \"x\""), &is_damage);
    refused(&rewrite("index.json", "\"hashes\"", "\"hashs\""), &is_damage);
    refused(&rewrite("index.json", "\"threshold\"", "\"treshold\""), &is_damage);
    refused(&rewrite("index.json", "}", ""), &is_damage);
    let remove = |name: &'static str| move |target: &Path| std::fs::remove_file(target.join(name)).unwrap();
    refused(&remove("store/version"), &is_damage);
    refused(&remove("store/keyspaces/3/current"), &is_damage);
    refused(&|target| std::fs::remove_dir_all(target.join("store")).unwrap(), &is_damage);
    refused(
        &|target| {
            std::fs::remove_file(target.join("index.json")).unwrap();
            std::fs::write(target.join("notes.txt"), "mine").unwrap();
        },
        &|error| matches!(error, Error::Foreign { .. }),
    );
    // Such a folder is not made an index either.
    let target = folder.path().join("damaged");
    assert!(matches!(Index::create(&target, &config(), &options), Err(Error::Foreign { .. })));
    assert!(matches!(
        Index::open_or_create(&target, &config(), |_| true, &options),
        Err(Error::Foreign { is_file: false, .. })
    ));
    let file = target.join("notes.txt");
    for opened in [Index::open(&file, &options), Index::create(&file, &config(), &options)] {
        let error = opened.unwrap_err();
        assert!(matches!(&error, Error::Foreign { is_file: true, .. }), "{error}");
        assert!(error.to_string().ends_with("is not an index: it is a file"), "{error}");
    }
}

#[test]
fn the_file_of_acknowledged_batches_is_checked() {
    let folder = tempfile::tempdir().unwrap();
    let path = made(folder.path());
    // They say nothing about the documents, and come back with the next opening.
    for file in ["lock", "process"] {
        std::fs::remove_file(path.join(file)).unwrap();
    }
    for wrong in [None, Some(&b"12"[..]), Some(b"00000000000000000099 0000000000000000\n")] {
        match wrong {
            Some(bytes) => std::fs::write(path.join("acknowledged"), bytes).unwrap(),
            None => std::fs::remove_file(path.join("acknowledged")).unwrap(),
        }
        let before = files(&path);
        for opened in [Index::open, Index::open_read_only] {
            let error = opened(&path, &options(&clock())).unwrap_err();
            assert!(
                matches!(&error, Error::Damaged { place, .. } if place.contains("acknowledged")),
                "{error}"
            );
            assert_eq!(files(&path), before, "{error}");
        }
    }
    Index::repair(&path, false, &options(&clock())).unwrap();
    let index = Index::open(&path, &options(&clock())).unwrap();
    assert_eq!(index.stats().unwrap().documents, 119);
}

/// Tables that are cut, changed or missing are an error when the index is opened or when it is read, or are not needed.
#[test]
fn damaged_tables_are_errors() {
    let folder = tempfile::tempdir().unwrap();
    let path = made(folder.path());
    let tables: Vec<PathBuf> = files(&path)
        .into_iter()
        .filter(|(path, _)| path.parent().unwrap().ends_with("tables"))
        .map(|(table, _)| table.strip_prefix(&path).unwrap().to_owned())
        .collect();
    assert!(tables.len() > 5, "{tables:?}");
    let mut seen = 0;
    for (at, table) in tables.iter().enumerate() {
        let target = folder.path().join(format!("damaged-{at}"));
        copy(&path, &target);
        let table = target.join(table);
        let bytes = std::fs::read(&table).unwrap();
        match at % 3 {
            0 => std::fs::write(&table, &bytes[..bytes.len() / 2]).unwrap(),
            1 => std::fs::remove_file(&table).unwrap(),
            _ => {
                let mut bytes = bytes;
                let length = bytes.len();
                bytes[length / 3..length / 3 + 20].fill(0xa5);
                std::fs::write(&table, bytes).unwrap();
            }
        }
        let read = || -> crate::Result<bool> {
            let index = Index::open(&target, &options(&clock()))?;
            for number in 0..120 {
                index.get(&format!("id-{number}"))?;
                index.query(&Query::text(text(number)))?;
            }
            Ok(index.verify()?.is_clean())
        };
        // Opening may also move a table that is not damaged; what matters is that damage is not taken for an answer.
        let outcome = std::panic::catch_unwind(std::panic::AssertUnwindSafe(read));
        let is_clean = outcome.unwrap_or_else(|_| panic!("{} makes it panic", table.display()));
        seen += usize::from(!matches!(is_clean, Ok(true)));
    }
    assert_eq!(seen, tables.len(), "damage went unnoticed");
}

/// fjall cuts a journal at a damaged place. The index notices.
#[test]
fn a_journal_that_lost_its_tail_is_noticed() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("index");
    let options = options(&clock()).with_memtable(16 << 20);
    let index = Index::create(&path, &config(), &options).unwrap();
    for start in (0..100).step_by(5) {
        index.add_batch(&documents(start..start + 5)).unwrap();
    }
    let journal = Path::new("store/0.jnl");
    let length = std::fs::read(path.join(journal)).unwrap().iter().rposition(|&byte| byte != 0).unwrap();
    let mut lost = 0;
    for (case, share) in [(0, 0.2), (1, 0.5), (2, 0.9), (3, 0.0), (4, 0.0), (5, 0.5), (6, 0.95)] {
        let target = folder.path().join(format!("copy-{case}"));
        copy(&path, &target);
        let at = (length as f64 * share) as usize;
        let mut bytes = std::fs::read(target.join(journal)).unwrap();
        // Cut, gone, or overwritten.
        if case < 4 {
            bytes.truncate(at);
        } else {
            bytes[at..at + 64].fill(0xff);
        }
        std::fs::write(target.join(journal), bytes).unwrap();
        if case == 4 {
            std::fs::remove_file(target.join(journal)).unwrap();
        }
        let before = files(&target);
        let damaged = match Index::open(&target, &options) {
            Ok(index) => index,
            Err(error) => {
                let is_named = |place: &str| place.starts_with(&target.display().to_string());
                assert!(matches!(&error, Error::Damaged { place, .. } if is_named(place)), "{error}");
                unchanged(&target, &before, &format!("case {case}"));
                continue;
            }
        };
        assert!(damaged.lost() > 0, "case {case}");
        lost += 1;
        let there = damaged.stats().unwrap().documents;
        assert_eq!(there, 100 - 5 * damaged.lost());
        assert_eq!(damaged.contains("id-0").unwrap(), there > 0);
        assert!(damaged.is_read_only() && damaged.stats().unwrap().read_only);
        let refused = damaged.add(&Document::new("new", "x")).unwrap_err();
        assert!(
            matches!(refused, Error::Lost { lost, acknowledged: 20, .. } if lost == damaged.lost()),
            "{refused}"
        );
        assert!(damaged.compact().is_err());
        drop(damaged);
        // What was lost may be had from the bytes that are there, as long as nobody accepts the loss.
        let before = if case == 3 {
            // An empty journal has nothing that fjall could cut, so the store itself was opened: fjall has removed files that
            // others had replaced, and has written none.
            let now = files(&target);
            assert!(now.iter().all(|(file, bytes)| before.get(file) == Some(bytes)));
            now
        } else {
            unchanged(&target, &before, &format!("case {case}"));
            before
        };
        assert!(matches!(Index::repair(&target, false, &options), Err(Error::Lost { acknowledged: 20, .. })));
        unchanged(&target, &before, &format!("case {case}"));
        let repaired = Index::repair(&target, true, &options).unwrap();
        assert_eq!((repaired.documents, repaired.lost_documents), (there, 0));
        let index = Index::open(&target, &options).unwrap();
        assert!(index.lost() == 0 && index.verify().unwrap().is_clean());
        index.add(&Document::new("new", "x")).unwrap();
    }
    assert!(lost >= 3, "{lost}");
}

/// Checks that the files are the same, and names those that are not. (Their bytes are too many to be printed.)
#[track_caller]
fn unchanged(folder: &Path, before: &BTreeMap<PathBuf, Vec<u8>>, context: &str) {
    let now = files(folder);
    let all: BTreeSet<&PathBuf> = before.keys().chain(now.keys()).collect();
    let changed: Vec<_> = all.into_iter().filter(|file| before.get(*file) != now.get(*file)).collect();
    assert!(changed.is_empty(), "{context}: {changed:?}");
}

/// Two journals, of which the older one is damaged: what the younger one has must not be taken for all that there was.
#[test]
fn a_gap_between_two_journals_is_noticed() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("index");
    let options = options(&clock()).with_memtable(16 << 20);
    let index = Index::create(&path, &config(), &options).unwrap();
    for start in (0..100).step_by(5) {
        index.add_batch(&documents(start..start + 5)).unwrap();
    }
    let whole = std::fs::read(path.join("store/0.jnl")).unwrap();
    let ends: Vec<usize> = memmem(&whole, b"FJL\x03").map(|at| at + 4).collect();
    let (middle, end) = (ends[ends.len() / 2], *ends.last().unwrap());
    for damage in [0, 1, 200] {
        let target = folder.path().join(format!("copy-{damage}"));
        copy(&path, &target);
        std::fs::write(target.join("store/0.jnl"), &whole[..middle - damage]).unwrap();
        std::fs::write(target.join("store/1.jnl"), &whole[middle..end]).unwrap();
        let before = files(&target);
        let index = Index::open(&target, &options).unwrap();
        if damage == 0 {
            assert_eq!((index.lost(), index.stats().unwrap().documents), (0, 100));
            continue;
        }
        assert_eq!(index.lost(), 1, "{damage}");
        assert!(matches!(index.add(&Document::new("new", "x")), Err(Error::Lost { lost: 1, .. })));
        drop(index);
        unchanged(&target, &before, &format!("{damage}"));
        assert!(matches!(Index::repair(&target, false, &options), Err(Error::Lost { lost: 1, .. })));
        unchanged(&target, &before, &format!("{damage}"));
        let repaired = Index::repair(&target, true, &options).unwrap();
        assert_eq!((repaired.lost_batches, repaired.documents), (1, 95));
        let index = Index::open(&target, &options).unwrap();
        assert!(index.lost() == 0 && index.verify().unwrap().is_clean());
    }
}

/// Where these bytes are.
fn memmem<'b>(bytes: &'b [u8], wanted: &'b [u8]) -> impl Iterator<Item = usize> + 'b {
    (0..bytes.len() - wanted.len()).filter(move |&at| bytes[at..].starts_with(wanted))
}

/// After many batches, tables hold some of what the journal has too, of each keyspace another part. Damage to the journal
/// then leaves some keyspaces newer than others. It is noticed, or nothing is missing.
#[test]
fn a_journal_that_is_damaged_after_many_batches_is_noticed() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("index");
    let options = options(&clock());
    let index = Index::create(&path, &config(), &options).unwrap();
    for start in 0..150 {
        index.add_batch(&documents(start * 2..start * 2 + 2)).unwrap();
    }
    let journals: Vec<(PathBuf, usize)> = files(&path)
        .into_iter()
        .filter(|(file, _)| file.extension().is_some_and(|end| end == "jnl"))
        .map(|(file, bytes)| {
            let length = bytes.iter().rposition(|&byte| byte != 0).map_or(0, |last| last + 1);
            (file.strip_prefix(&path).unwrap().to_owned(), length)
        })
        .filter(|(_, length)| *length > 0)
        .collect();
    assert!(!journals.is_empty());
    let (mut noticed, mut case) = (0, 0);
    for (journal, length) in &journals {
        for share in [0.1, 0.5, 0.9, 0.99] {
            for is_cut in [true, false] {
                case += 1;
                let target = folder.path().join(format!("copy-{case}"));
                copy(&path, &target);
                let at = (*length as f64 * share) as usize;
                let mut bytes = std::fs::read(target.join(journal)).unwrap();
                if is_cut {
                    bytes.truncate(at);
                } else {
                    let end = (at + 64).min(bytes.len());
                    bytes[at..end].fill(0xff);
                }
                std::fs::write(target.join(journal), bytes).unwrap();
                let context = format!("{} at {share}, cut: {is_cut}", journal.display());
                let before = files(&target);
                let damaged = match Index::open(&target, &options) {
                    Ok(index) => index,
                    Err(error) => {
                        assert!(
                            matches!(error, Error::Damaged { .. } | Error::Store { .. }),
                            "{context}: {error}"
                        );
                        noticed += 1;
                        unchanged(&target, &before, &context);
                        continue;
                    }
                };
                if damaged.lost() == 0 {
                    let verified = damaged.verify().unwrap();
                    assert!(verified.is_clean() && verified.documents == 300, "{context}: {verified:?}");
                } else {
                    noticed += 1;
                    let refused = damaged.add(&Document::new("new", "x")).unwrap_err();
                    assert!(matches!(refused, Error::Lost { acknowledged: 150, .. }), "{context}: {refused}");
                    drop(damaged);
                    unchanged(&target, &before, &context);
                    Index::repair(&target, true, &options).unwrap();
                    let index = Index::open(&target, &options).unwrap();
                    assert!(index.lost() == 0 && index.verify().unwrap().is_clean(), "{context}");
                }
                std::fs::remove_dir_all(&target).unwrap();
            }
        }
    }
    assert!(noticed > 0);
}

/// Every value of every keyspace, changed: reading is an answer or an error that names the place.
#[test]
fn damaged_values_are_named() {
    let store = MemoryStore::default();
    let index = in_memory(&store, &config(), &clock());
    index.add_batch(&documents(0..6)).unwrap();
    let mut errors = 0;
    for space in [Space::Documents, Space::Bodies, Space::Ids, Space::Copies, Space::Buckets, Space::Meta] {
        for key in store.keys(space).into_iter().take(40) {
            let value = store.snapshot_value(space, &key);
            for wrong in [vec![], vec![0xff], value[..value.len() / 2].to_vec(), vec![0x31, 0xff, 0x01]] {
                store.set(space, &key, Some(&wrong));
                for number in 0..6 {
                    let got = index.get(&format!("id-{number}")).map(|_| ());
                    let asked = index.query(&Query::text(text(number))).map(|_| ());
                    let checked =
                        index.check(&Document::new("x", text(number)), false, OnMatch::Skip).map(|_| ());
                    for error in [got, asked, checked].into_iter().filter_map(Result::err) {
                        assert!(
                            matches!(&error, Error::Damaged { place, .. } if place.contains(space.name()))
                                || error.to_string().contains("missing"),
                            "{error}"
                        );
                        errors += 1;
                    }
                }
                let verified = index.verify();
                assert!(!verified.is_ok_and(|it| it.is_clean()), "{space:?} {key:?} {wrong:?}");
                store.set(space, &key, Some(&value));
            }
        }
    }
    assert!(errors > 100);
    assert!(index.verify().unwrap().is_clean());
}

#[test]
fn a_repair_makes_everything_from_the_documents() {
    let folder = tempfile::tempdir().unwrap();
    let path = made(folder.path());
    let options = options(&clock());
    // Behind the back of the index: an entry goes, another one is wrong.
    let index = Index::open(&path, &options).unwrap();
    let expected = index.query(&Query::text(text(30))).unwrap();
    let snapshot = index.store.snapshot().unwrap();
    let bucket = snapshot.scan(Space::Buckets, &[]).next().unwrap().unwrap().0;
    let copy = snapshot.scan(Space::Copies, &[]).next().unwrap().unwrap().0;
    drop(snapshot);
    let mut batch = crate::store::Batch::default();
    batch.remove(Space::Buckets, bucket);
    batch.remove(Space::Copies, copy);
    batch.put(Space::Ids, b"ghost".to_vec(), crate::values::id_value(5));
    index.store.commit(&batch).unwrap();
    let verified = index.verify().unwrap();
    assert!(verified.missing > 0 && verified.extra > 0, "{verified:?}");
    drop(index);
    let repaired = Index::repair(&path, false, &options).unwrap();
    assert_eq!((repaired.documents, repaired.lost_documents), (119, 0));
    let index = Index::open(&path, &options).unwrap();
    assert!(index.verify().unwrap().is_clean());
    assert_eq!(index.query(&Query::text(text(30))).unwrap(), expected);
    // A document that cannot be read is lost only if that is accepted.
    let mut batch = crate::store::Batch::default();
    batch.put(Space::Documents, crate::values::number_key(7), vec![9, 9]);
    index.store.commit(&batch).unwrap();
    drop(index);
    assert!(matches!(Index::repair(&path, false, &options), Err(Error::WouldLose { documents: 1 })));
    assert_eq!(Index::repair(&path, true, &options).unwrap().lost_documents, 1);
    assert!(Index::open(&path, &options).unwrap().verify().unwrap().is_clean());
}

/// The tables of a keyspace, by the number of its folder.
fn tables(path: &Path, folder: usize) -> Vec<PathBuf> {
    let place = path.join(format!("store/keyspaces/{folder}/tables"));
    files(&place).into_keys().collect()
}

/// The ways to damage a table: a part of it changes, it is cut, it is gone, or it is empty.
const WAYS: usize = 4;

fn damage(table: &Path, way: usize) {
    let mut bytes = std::fs::read(table).unwrap();
    let length = bytes.len();
    match way {
        0 => {
            bytes[length / 3..length / 3 + 8].fill(0xa5);
            std::fs::write(table, bytes).unwrap();
        }
        1 => std::fs::write(table, &bytes[..length / 2]).unwrap(),
        2 => std::fs::remove_file(table).unwrap(),
        _ => std::fs::write(table, []).unwrap(),
    }
}

/// What the documents imply is made from them, whatever happened to it.
#[test]
fn a_repair_gets_past_tables_that_cannot_be_read() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("index");
    let options = options(&clock());
    let index = Index::create(&path, &config(), &options).unwrap();
    let with_time = |document: Document| document.with_lifetime(crate::Lifetime::Until(1_000_000));
    index.add_batch(&documents(0..60)).unwrap();
    index.add_batch(&documents(60..90).into_iter().map(with_time).collect::<Vec<_>>()).unwrap();
    // Exact copies, of which the oldest goes.
    let copies = (0..60).map(|number| Document::new(format!("copy-{number}"), text(number)));
    index.add_batch(&copies.collect::<Vec<_>>()).unwrap();
    index.remove(&["id-3", "id-4"]).unwrap();
    index.compact().unwrap();
    let answers = |index: &Index| -> Vec<_> {
        (0..90).map(|number| index.query(&Query::text(text(number))).unwrap()).collect()
    };
    let expected = (answers(&index), index.stats().unwrap().documents, index.stats().unwrap().distinct);
    drop(index);
    // Ids, copies, buckets and expiry.
    for space in 4..=7 {
        for way in 0..WAYS {
            let target = folder.path().join(format!("damaged-{space}-{way}"));
            copy(&path, &target);
            let tables = tables(&target, space);
            assert!(!tables.is_empty(), "keyspace {space} has no tables");
            tables.iter().for_each(|table| damage(table, way));
            let repaired = Index::repair(&target, false, &options).unwrap();
            assert_eq!((repaired.documents, repaired.lost_documents), (148, 0), "{space} {way}");
            let index = Index::open(&target, &options).unwrap();
            assert!(index.verify().unwrap().is_clean(), "{space} {way}");
            let stats = index.stats().unwrap();
            assert_eq!((answers(&index), stats.documents, stats.distinct), expected, "{space} {way}");
            assert_eq!(index.expire(1_000_000, 1_000).unwrap(), 30);
            index.add(&Document::new("new", "a new text")).unwrap();
            drop(index);
            for left in ["store.readable", "store.repaired", "store.replaced"] {
                assert!(!target.join(left).exists(), "{left}");
            }
            std::fs::remove_dir_all(target).unwrap();
        }
    }
    // All of them at once, and the files that name their tables.
    let target = folder.path().join("all");
    copy(&path, &target);
    for space in 4..=7 {
        std::fs::remove_dir_all(target.join(format!("store/keyspaces/{space}"))).unwrap();
    }
    assert!(Index::open(&target, &options).is_err());
    Index::repair(&target, false, &options).unwrap();
    assert_eq!(answers(&Index::open(&target, &options).unwrap()), expected.0);
}

/// Nothing implies the documents themselves, so a repair says where to look, and changes nothing.
#[test]
fn documents_that_cannot_be_read_are_for_a_backup() {
    let folder = tempfile::tempdir().unwrap();
    let path = made(folder.path());
    let options = options(&clock());
    Index::open(&path, &options).unwrap().compact().unwrap();
    for space in 1..=3 {
        for way in 0..WAYS {
            let target = folder.path().join(format!("damaged-{space}-{way}"));
            copy(&path, &target);
            tables(&target, space).iter().for_each(|table| damage(table, way));
            let before = files(&target);
            for accept_loss in [false, true] {
                match Index::repair(&target, accept_loss, &options) {
                    Err(error) => {
                        assert!(matches!(error, Error::Unrepairable { .. }), "{space} {way}: {error}");
                        assert!(error.to_string().contains("store"), "{error}");
                        assert!(error.next().unwrap().contains("backup"));
                        assert_eq!(files(&target), before, "{space} {way}");
                    }
                    // A part of a table that nobody needs, as a filter.
                    Ok(repaired) => assert_eq!((way, repaired.documents), (0, 119), "{space}"),
                }
            }
        }
    }
}

/// Once damage was seen, nothing is written any more, and nothing when the index is closed.
#[test]
fn a_damaged_index_is_not_written_to() {
    let folder = tempfile::tempdir().unwrap();
    let path = made(folder.path());
    let options = options(&clock());
    Index::open(&path, &options).unwrap().compact().unwrap();
    for table in tables(&path, 6) {
        // The first block has keys that are looked for.
        let mut bytes = std::fs::read(&table).unwrap();
        bytes[64..72].fill(0xa5);
        std::fs::write(&table, bytes).unwrap();
    }
    let index = Index::open(&path, &options).unwrap();
    let seen = (0..120).filter_map(|number| index.query(&Query::text(text(number))).err()).next().unwrap();
    assert!(matches!(&seen, Error::Damaged { place, .. } if place.contains("keyspaces/6")), "{seen}");
    assert!(index.is_read_only());
    let before = files(&path);
    for _ in 0..2 {
        assert!(index.add(&Document::new("new", "a new text")).is_err());
    }
    assert!(index.compact().is_err());
    drop(index);
    assert_eq!(files(&path), before);
    Index::repair(&path, false, &options).unwrap();
    assert!(Index::open(&path, &options).unwrap().verify().unwrap().is_clean());
}
