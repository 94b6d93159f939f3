//! Folders of version 1, as they were written: they stay readable. There is one of each kind: an index that stores texts, one
//! that stores shingles, one of SimHash, and a table of given keys.
//!
//! With `UPDATE_INDEX_FIXTURE=1` the tests write the fixtures again instead of failing. That is for a new version only.

use super::{options, thorough};
use crate::{
    Config, Document, Entry, Index, KeyTable, KeyTableConfig, Lifetime, ManualClock, OnMatch, Query, Stored,
};
use pipeline::Method;
use serde_json::json;
use std::path::{Path, PathBuf};
use std::sync::Arc;

const TEXT: &str = "one two three four five six seven eight nine ten eleven";

fn fixture(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures").join(name)
}

/// A copy of a fixture, to be read and written. If the fixtures are written again, `write` makes it first.
fn copied(name: &str, folder: &Path, write: impl FnOnce(&Path)) -> PathBuf {
    if std::env::var_os("UPDATE_INDEX_FIXTURE").is_some() {
        let _ = std::fs::remove_dir_all(fixture(name));
        write(&fixture(name));
        for file in ["lock", "process"] {
            std::fs::remove_file(fixture(name).join(file)).unwrap();
        }
    }
    let path = folder.join(name);
    copy(&fixture(name), &path);
    path
}

fn copy(from: &Path, to: &Path) {
    std::fs::create_dir_all(to).unwrap();
    for entry in std::fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        let target = to.join(entry.file_name());
        match entry.path().is_dir() {
            true => copy(&entry.path(), &target),
            false => drop(std::fs::copy(entry.path(), target).unwrap()),
        }
    }
}

fn write(path: &Path, clock: &Arc<ManualClock>) {
    let config = Config::default().with_settings(thorough()).with_store(Stored::Text);
    let index = Index::create(path, &config, &options(clock)).unwrap();
    let metadata = json!({"lang": "en"}).as_object().unwrap().clone();
    let documents = [
        Document::new("first", TEXT).with_metadata(Some(metadata)),
        Document::new("near", format!("{TEXT} twelve")),
        Document::new("copy", TEXT.to_uppercase()),
        Document::new("elsewhere", TEXT).with_within(Some("x".into())),
        Document::new("short-lived", "gone soon").with_lifetime(Lifetime::Until(2_000)),
        Document::new("nul", "a\0b"),
    ];
    index.add_batch(&documents).unwrap();
    // A list of more than one page.
    let many = (0..300).map(|number| Document::new(format!("many-{number}"), "the same text many times"));
    index.add_batch(&many.collect::<Vec<_>>()).unwrap();
    index.compact().unwrap();
}

#[test]
fn an_index_of_version_1_is_read_and_written() {
    let clock = Arc::new(ManualClock::at(1_000));
    let folder = tempfile::tempdir().unwrap();
    let path = copied("version-1", folder.path(), |path| write(path, &clock));
    let index = Index::open(&path, &options(&clock)).unwrap();
    assert_eq!(index.lost(), 0);
    assert!(index.verify().unwrap().is_clean());
    assert_eq!(index.stats().unwrap().documents, 306);
    let answer = index.query(&Query::text(TEXT)).unwrap();
    let found: Vec<_> = answer.matches.iter().map(|it| (&*it.id, it.similarity)).collect();
    assert_eq!(found, [("first", 1.0), ("copy", 1.0), ("near", 10.0 / 11.0)]);
    assert_eq!(answer.matches[0].metadata.as_ref().unwrap()["lang"], "en");
    assert_eq!(index.query(&Query::text("the same text many times")).unwrap().matches.len(), 300);
    assert_eq!(index.get("short-lived").unwrap().unwrap().expires, Some(2_000));
    clock.set(2_000);
    assert_eq!(index.expire(2_000, 10).unwrap(), 1);
    assert!(
        index.check(&Document::new("new", "entirely new words here"), true, OnMatch::Skip).unwrap().is_new()
    );
    assert!(index.verify().unwrap().is_clean());
}

/// The documents of the small fixtures: two that are near, an exact copy, and one in another namespace.
fn few() -> Vec<Document> {
    vec![
        Document::new("first", TEXT),
        Document::new("near", format!("{TEXT} twelve")),
        Document::new("copy", TEXT.to_uppercase()),
        Document::new("elsewhere", TEXT).with_within(Some("x".into())),
    ]
}

/// Checks that the answers of a small fixture are those of an index that is made now, before and after something is written.
fn is_like_a_new_one(name: &str, config: &Config) {
    let clock = Arc::new(ManualClock::at(1_000));
    let folder = tempfile::tempdir().unwrap();
    let make = |path: &Path| {
        let index = Index::create(path, config, &options(&clock)).unwrap();
        index.add_batch(&few()).unwrap();
        index
    };
    let path = copied(name, folder.path(), |path| drop(make(path)));
    let (old, new) = (Index::open(&path, &options(&clock)).unwrap(), make(&folder.path().join("new")));
    let asked = [
        Query::text(TEXT),
        Query::text(TEXT).with_within(Some("x".into())),
        Query::id("near"),
        Query::text("something else"),
    ];
    for is_changed in [false, true] {
        for query in &asked {
            let (ours, now) = (old.query(query).unwrap(), new.query(query).unwrap());
            assert_eq!(ours, now, "{name}, {query:?}, changed: {is_changed}");
        }
        assert!(old.verify().unwrap().is_clean());
        if !is_changed {
            assert!(!old.query(&asked[0]).unwrap().matches.is_empty());
            for index in [&old, &new] {
                index.remove(&["first"]).unwrap();
                index.add(&Document::new("later", format!("{TEXT} thirteen"))).unwrap();
            }
        }
    }
}

#[test]
fn an_index_of_shingles_of_version_1_is_read_and_written() {
    let config = Config::default().with_settings(thorough()).with_store(Stored::Shingles);
    is_like_a_new_one("version-1-shingles", &config);
}

#[test]
fn an_index_of_simhash_of_version_1_is_read_and_written() {
    let simhash = thorough().with_method(Method::Simhash).with_distance(6).with_bands(None);
    let config = Config::default().with_settings(simhash.with_threshold(0.5));
    is_like_a_new_one("version-1-simhash", &config);
}

#[test]
fn a_key_table_of_version_1_is_read_and_written() {
    let folder = tempfile::tempdir().unwrap();
    let open =
        |path: &Path| KeyTable::open_or_create(path, &KeyTableConfig::new(2, "made of words")).unwrap();
    let path = copied("version-1-keys", folder.path(), |path| {
        let table = open(path);
        table.insert(&[Entry::new("x", [1, 2]), Entry::new("y", [1, 3])], false, Some("a label")).unwrap();
        table.insert(&[Entry::new("x", [4, 2])], true, None).unwrap();
        // A bucket of more than one page.
        let many: Vec<_> =
            (0..300_u64).map(|number| Entry::new(format!("{number:03}"), [7, number])).collect();
        table.insert(&many, false, None).unwrap();
        table.remove(&[b"299".to_vec()]).unwrap();
    });
    let table = open(&path);
    assert_eq!((table.lost(), table.len().unwrap()), (0, 301));
    assert_eq!(table.label().unwrap().as_deref(), Some("a label"));
    assert_eq!(table.query(&[1]).unwrap(), [b"x", b"y"]);
    assert_eq!(table.query(&[99, 9]).unwrap(), [b"009"]);
    assert_eq!(table.keys_of(b"x").unwrap(), [1, 2, 4, 2]);
    assert_eq!(table.query(&[7]).unwrap().len(), 299);
    table.insert(&[Entry::new("z", [1, 2])], false, None).unwrap();
    assert_eq!(table.remove(&[b"y".to_vec()]).unwrap(), 1);
    assert_eq!(table.query(&[1]).unwrap(), [b"x", b"z"]);
}
