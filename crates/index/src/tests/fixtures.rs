//! An index of version 1, as it was written: it stays readable.
//!
//! With `UPDATE_INDEX_FIXTURE=1` the test writes the fixture again instead of failing. That is for a new version only.

use super::{options, thorough};
use crate::{Config, Document, Index, Lifetime, ManualClock, OnMatch, Query, Stored};
use serde_json::json;
use std::path::{Path, PathBuf};
use std::sync::Arc;

const TEXT: &str = "one two three four five six seven eight nine ten eleven";

fn fixture() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/version-1")
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
    if std::env::var_os("UPDATE_INDEX_FIXTURE").is_some() {
        let _ = std::fs::remove_dir_all(fixture());
        write(&fixture(), &clock);
        for file in ["lock", "process"] {
            std::fs::remove_file(fixture().join(file)).unwrap();
        }
    }
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("index");
    copy(&fixture(), &path);
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
