//! An index that is only read, and one that is removed.

use super::{in_memory, options, thorough};
use crate::store::memory::MemoryStore;
use crate::{Config, Document, Error, Index, ManualClock, OnMatch, Query, Stored};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

fn clock() -> Arc<ManualClock> {
    Arc::new(ManualClock::at(1))
}

fn text(number: usize) -> String {
    (0..12).map(|word| format!("n{}w{word}", number / 2)).collect::<Vec<_>>().join(" ")
}

fn add(index: &Index, numbers: std::ops::Range<usize>) {
    let documents: Vec<_> =
        numbers.map(|number| Document::new(format!("id-{number}"), text(number))).collect();
    index.add_batch(&documents).unwrap();
}

fn make(path: &Path) -> Index {
    let config = Config::default().with_settings(thorough()).with_store(Stored::Text);
    Index::create(path, &config, &options(&clock())).unwrap()
}

/// All files of an index with their bytes, but for that of the process that has it open.
fn files(folder: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let mut all = super::files(folder);
    all.retain(|path, _| !path.ends_with("process"));
    all
}

fn copy(from: &Path, to: &Path) {
    for (path, bytes) in files(from) {
        let path = to.join(path.strip_prefix(from).unwrap());
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, bytes).unwrap();
    }
}

/// Tables and journal are both there: the folder is copied while it is open, as after a kill.
#[test]
fn an_index_that_is_only_read_answers_and_stays_as_it_is() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    let index = make(&at("index"));
    add(&index, 0..100);
    index.compact().unwrap();
    add(&index, 100..130);
    index.remove(&["id-4"]).unwrap();
    copy(&at("index"), &at("copy"));
    let before = files(&at("copy"));
    std::fs::create_dir(at("temporary")).unwrap();
    let aside = options(&clock()).with_temp_dir(Some(at("temporary")));
    let read = Index::open_read_only(at("copy"), &aside).unwrap();
    assert!(!files(&at("temporary")).is_empty(), "the copy for reading is in the folder that was named");
    assert!(read.is_read_only() && read.lost() == 0 && !index.is_read_only());
    assert_eq!(read.path(), at("copy"));
    for number in 0..130 {
        let query = Query::text(text(number));
        let answer = read.query(&query).unwrap();
        assert_eq!(answer, index.query(&query).unwrap(), "{number}");
        assert!(!answer.matches.is_empty());
        let (id, document) = (format!("id-{number}"), Document::new("new", text(number)));
        assert_eq!(read.get(&id).unwrap(), index.get(&id).unwrap());
        let look = |index: &Index| index.check(&document, false, OnMatch::Skip).unwrap();
        assert_eq!(look(&read), look(&index));
    }
    assert!(read.verify().unwrap().is_clean());
    let (stats, others) = (read.stats().unwrap(), index.stats().unwrap());
    assert_eq!((stats.documents, stats.batches, stats.read_only), (129, others.batches, true));
    // Nothing is written, and whoever tries is told.
    let refused = |outcome: crate::Result<()>| {
        let error = outcome.unwrap_err();
        assert!(matches!(error, Error::ReadOnly { .. }) && error.next().is_some(), "{error}");
    };
    refused(read.add(&Document::new("new", "a text")).map(drop));
    refused(read.check(&Document::new("new", "a text"), true, OnMatch::Skip).map(drop));
    refused(read.remove(&["id-1"]).map(drop));
    refused(read.compact());
    // A second process is kept out, as by a writer.
    assert!(matches!(Index::open(at("copy"), &options(&clock())), Err(Error::InUse { .. })));
    // It can be copied, and the copy is written to.
    read.backup(at("backup")).unwrap();
    drop(read);
    assert!(files(&at("temporary")).is_empty());
    assert_eq!(files(&at("copy")), before);
    let backup = Index::open(at("backup"), &options(&clock())).unwrap();
    backup.add(&Document::new("new", "a text")).unwrap();
    assert_eq!(backup.stats().unwrap().documents, 130);
}

/// Also a backup whose journal is not empty, as that of another program that copied the files.
#[test]
fn a_backup_is_not_written_to_when_it_is_restored() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    let index = make(&at("index"));
    add(&index, 0..40);
    copy(&at("index"), &at("backup"));
    let before = files(&at("backup"));
    for name in ["first", "second"] {
        let restored = Index::restore(at("backup"), at(name), &options(&clock())).unwrap();
        assert_eq!(restored.stats().unwrap().documents, 40);
        restored.add(&Document::new("new", "a text")).unwrap();
        assert!(files(&at("backup")) == before, "the backup was written to");
    }
}

/// After a write that has failed, nobody knows what is on the disk.
#[test]
fn an_index_is_read_only_after_a_failed_write() {
    let store = MemoryStore::default();
    let config = Config::default().with_settings(thorough()).with_store(Stored::Text);
    let index = in_memory(&store, &config, &clock());
    add(&index, 0..3);
    assert!(!index.is_read_only() && !index.stats().unwrap().read_only);
    // Calls that read come first; the last one is the commit.
    for call in 1.. {
        store.fail_at(call, false);
        assert!(index.add(&Document::new("new", "a text")).is_err(), "call {call}");
        if index.is_read_only() {
            break;
        }
    }
    store.fail_at(0, false);
    assert!(matches!(index.add(&Document::new("new", "a text")), Err(Error::Failed { .. })));
    assert!(index.is_read_only() && index.stats().unwrap().read_only);
    assert_eq!(index.query(&Query::text(text(0))).unwrap().matches.len(), 2);
}

/// A user who may read the files and not write to them. (The superuser may always write, so this is for others.)
#[test]
#[cfg(unix)]
fn permissions_decide_whether_an_index_is_only_read() {
    use std::os::unix::fs::PermissionsExt;
    if rustix::process::geteuid().is_root() {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("index");
    let index = make(&path);
    add(&index, 0..10);
    drop(index);
    let permit = |mode: u32, folder_mode: u32| {
        let mut folders = vec![path.clone()];
        for file in files(&path).into_keys() {
            std::fs::set_permissions(&file, std::fs::Permissions::from_mode(mode)).unwrap();
            folders
                .extend(file.ancestors().skip(1).take_while(|it| it.starts_with(&path)).map(Path::to_owned));
        }
        for folder in folders {
            std::fs::set_permissions(folder, std::fs::Permissions::from_mode(folder_mode)).unwrap();
        }
    };
    permit(0o444, 0o555);
    let read = Index::open(&path, &options(&clock())).unwrap();
    assert!(read.is_read_only() && read.contains("id-3").unwrap());
    drop(read);
    permit(0o644, 0o755);
    assert!(!Index::open(&path, &options(&clock())).unwrap().is_read_only());
}

#[test]
fn an_index_is_removed_with_its_folder_or_without_it() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("index");
    for stays in [false, true] {
        let index = make(&path);
        add(&index, 0..3);
        index.remove_folder(stays).unwrap();
        assert_eq!(path.exists(), stays);
        assert!(!stays || std::fs::read_dir(&path).unwrap().next().is_none());
        assert!(matches!(Index::open(&path, &options(&clock())), Err(Error::NoIndex { .. })));
    }
}
