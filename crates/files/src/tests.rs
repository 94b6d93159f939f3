//! The state of files after a power cut, after a killed run, and with a malicious link.

use crate::{Access, Files, UNFINISHED};
use std::fs;
use std::io::Write;
use std::os::unix::fs::{MetadataExt, symlink};

#[test]
fn a_file_is_whole_or_absent() {
    let folder = tempfile::tempdir().unwrap();
    let files = Files::default();
    let place = folder.path().join("a/b/file");
    files.make_folder(place.parent().unwrap()).unwrap();
    let mut unfinished = files.begin(&place).unwrap();
    unfinished.write_all(b"some").unwrap();
    assert!(!place.exists());
    assert_eq!(files.list(folder.path()).unwrap(), Vec::<String>::new());
    drop(unfinished);
    assert_eq!(fs::read_dir(place.parent().unwrap()).unwrap().count(), 0);
    files.write_whole(&place, b"all").unwrap();
    files.write_whole(&place, b"all of it").unwrap();
    assert_eq!(files.read(&place).unwrap().unwrap(), b"all of it");
    assert_eq!(files.list(folder.path()).unwrap(), ["a/b/file"]);
    assert!(!files.write_new(&place, b"other").unwrap());
    assert_eq!(files.read(&folder.path().join("none")).unwrap(), None);
    let left = folder.path().join(format!("x{UNFINISHED}"));
    fs::write(&left, "left").unwrap();
    files.remove_unfinished(folder.path()).unwrap();
    assert!(!left.exists() && place.exists());
}

#[test]
fn links_are_replaced_and_never_followed() {
    let folder = tempfile::tempdir().unwrap();
    let files = Files::default();
    let (treasure, link) = (folder.path().join("treasure"), folder.path().join("link"));
    fs::write(&treasure, "gold").unwrap();
    for replace in [
        (|files: &Files, link: &std::path::Path| files.write_whole(link, b"x").unwrap())
            as fn(&Files, &std::path::Path),
        |files, link| files.create(link, Access::Private).unwrap().write_all(b"x").unwrap(),
    ] {
        symlink(&treasure, &link).unwrap();
        replace(&files, &link);
        assert_eq!(fs::read(&treasure).unwrap(), b"gold");
        assert_eq!(fs::read(&link).unwrap(), b"x");
        fs::remove_file(&link).unwrap();
    }
    symlink(&treasure, &link).unwrap();
    assert!(!files.write_new(&link, b"x").unwrap());
    assert_eq!(fs::read(&treasure).unwrap(), b"gold");
    symlink(folder.path(), folder.path().join("elsewhere")).unwrap();
    assert!(files.make_private_folder(&folder.path().join("elsewhere")).is_err());
}

#[test]
fn temporary_folders_are_private_differ_and_go() {
    let parent = tempfile::tempdir().unwrap();
    let files = Files::default();
    let (a, b) = (files.temp_folder(parent.path()).unwrap(), files.temp_folder(parent.path()).unwrap());
    assert_ne!(a.path(), b.path());
    assert_eq!(fs::metadata(a.path()).unwrap().mode() & 0o777, 0o700);
    let file = a.create("x").unwrap();
    assert_eq!(fs::metadata(file.path()).unwrap().mode() & 0o777, 0o600);
    drop((a, b));
    assert_eq!(fs::read_dir(parent.path()).unwrap().count(), 0);
}

#[test]
fn what_a_killed_run_left_is_removed_and_nothing_else() {
    let parent = tempfile::tempdir().unwrap();
    let files = Files::default();
    let alive = files.temp_folder(parent.path()).unwrap();
    // A killed run releases its lock but removes nothing.
    let left = parent.path().join("lookalike-tmp-left");
    fs::rename(files.temp_folder(parent.path()).unwrap().path(), &left).unwrap();
    fs::write(left.join("file"), "x").unwrap();
    // It was killed before it could lock the folder.
    let empty = parent.path().join("lookalike-tmp-empty");
    files.make_private_folder(&empty).unwrap();
    // A folder with files but without a lock belongs to another program.
    let unlocked = parent.path().join("lookalike-tmp-new");
    files.make_private_folder(&unlocked).unwrap();
    fs::write(unlocked.join("file"), "x").unwrap();
    // Other users can access it, so it is not one of our folders.
    let open = parent.path().join("lookalike-tmp-open");
    fs::create_dir(&open).unwrap();
    fs::write(open.join("lock"), "").unwrap();
    // A link to a folder with a lock in it.
    let (treasure, link) = (parent.path().join("treasure"), parent.path().join("lookalike-tmp-link"));
    files.make_private_folder(&treasure).unwrap();
    fs::write(treasure.join("lock"), "").unwrap();
    symlink(&treasure, &link).unwrap();
    drop(files.temp_folder(parent.path()).unwrap());
    assert!(!left.exists() && !empty.exists());
    assert!(
        alive.path().exists()
            && unlocked.join("file").exists()
            && open.exists()
            && treasure.join("lock").exists()
    );
}

#[test]
fn temporary_folders_are_created_and_cleared_at_once() {
    let parent = tempfile::tempdir().unwrap();
    let files = Files::default();
    std::thread::scope(|scope| {
        let makers: Vec<_> = (0..2)
            .map(|_| {
                scope.spawn(|| {
                    for _ in 0..300 {
                        let folder = files.temp_folder(parent.path()).unwrap();
                        folder.create("x").unwrap().write_all(b"x").unwrap();
                        assert_eq!(fs::read(folder.path().join("x")).unwrap(), b"x");
                    }
                })
            })
            .collect();
        while !makers.iter().all(std::thread::ScopedJoinHandle::is_finished) {
            files.remove_left_folders(parent.path());
        }
    });
    assert_eq!(fs::read_dir(parent.path()).unwrap().count(), 0);
}

#[test]
fn one_at_a_time_holds_a_lock_even_if_it_is_removed() {
    let folder = tempfile::tempdir().unwrap();
    let files = Files::default();
    let path = folder.path().join("lock");
    let first = files.lock(&path).unwrap().unwrap();
    assert!(files.lock(&path).unwrap().is_none());
    fs::remove_file(&path).unwrap();
    let second = files.lock(&path).unwrap().unwrap();
    drop(first);
    assert!(files.lock(&path).unwrap().is_none());
    drop(second);
    assert!(files.lock(&path).unwrap().is_some());
}

#[cfg(feature = "faults")]
mod faults {
    use super::*;
    use crate::faulty::{Fault, Faulty, Loss};
    use std::path::Path;

    /// Replaces a file and adds another, below a new folder.
    fn change(files: &Files, root: &Path) -> crate::Result<()> {
        files.write_whole(&root.join("old"), b"new contents")?;
        files.make_folder(&root.join("below/it"))?;
        files.write_whole(&root.join("below/it/more"), b"more")
    }

    #[test]
    fn whatever_fails_and_whenever_each_file_is_old_or_new() {
        for fault in [Fault::Fails, Fault::CutShort, Fault::PowerCut] {
            for loss in [Loss::Nothing, Loss::Unsynced, Loss::Contents] {
                let mut call = 0;
                loop {
                    call += 1;
                    let folder = tempfile::tempdir().unwrap();
                    fs::write(folder.path().join("old"), "old contents").unwrap();
                    let faulty = Faulty::new(folder.path(), Some((call, fault))).unwrap();
                    let files = Files::on(faulty.clone());
                    let changed = change(&files, folder.path());
                    faulty.restart(loss).unwrap();
                    let at = format!("{fault:?} {loss:?} at call {call}");
                    let old = fs::read(folder.path().join("old")).unwrap();
                    assert!(old == b"old contents" || old == b"new contents", "{at}");
                    let more = fs::read(folder.path().join("below/it/more"));
                    assert!(more.as_ref().is_err() || more.as_ref().unwrap() == b"more", "{at}");
                    if changed.is_ok() {
                        assert!(old == b"new contents" && more.is_ok(), "{at}: said to be done");
                    }
                    if faulty.calls() < call {
                        break;
                    }
                }
                assert!(call > 10, "only {call} calls");
            }
        }
    }

    #[test]
    fn what_is_not_synced_is_lost() {
        let folder = tempfile::tempdir().unwrap();
        let faulty = Faulty::new(folder.path(), None).unwrap();
        let files = Files::on(faulty.clone());
        let path = folder.path().join("file");
        files.create(&path, Access::Shared).unwrap().write_all(b"x").unwrap();
        faulty.restart(Loss::Contents).unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"");
        faulty.restart(Loss::Unsynced).unwrap();
        assert!(!path.exists());
    }
}
