//! A process that is killed at any moment: what it acknowledged is there, nothing is there in part, and the index goes on.
//!
//! The test runs itself as another process, which does steps that follow from a seed and prints a line after each. The
//! same steps in memory say what must be there. `cargo test` makes a few rounds, `cargo xtask torture index` a thousand:
//! `LOOKALIKE_TORTURE_ROUNDS` says how many, `LOOKALIKE_TORTURE_SEED` what the moments are drawn from.

use super::{in_memory, options, thorough};
use crate::store::memory::MemoryStore;
use crate::{BulkOptions, Config, Document, Error, Index, Lifetime, ManualClock, OnMatch, Result, Stored};
use lookalike::hashing::SplitMix64;
use std::io::Write;
use std::path::Path;
use std::process::Command;
use std::sync::Arc;
use std::time::Duration;
use testkit::faults::{End, Victim, number};

/// The folder of the index, for the process that is killed.
const FOLDER: &str = "LOOKALIKE_INDEX_KILLED_FOLDER";
/// The first step that it does.
const START: &str = "LOOKALIKE_INDEX_KILLED_START";

const ROUNDS: u64 = 30;

fn clock() -> Arc<ManualClock> {
    Arc::new(ManualClock::at(1))
}

fn config() -> Config {
    Config::default().with_settings(thorough()).with_store(Stored::Text)
}

/// Does one step.
fn step(index: &Index, step: u64) -> Result<()> {
    let mut random = SplitMix64::new(step);
    let mut document = |at: u64| {
        let (base, word) = (random.below(12), random.below(4));
        let words: Vec<String> = (0..12).map(|position| format!("b{base}w{position}")).collect();
        Document::new(format!("{step}-{at}"), format!("{} other{word}", words.join(" ")))
    };
    if step % 24 >= 16 {
        return other_step(index, step, &mut document);
    }
    match step % 8 {
        0 | 3 => index.add_batch(&(0..4).map(document).collect::<Vec<_>>()).map(|_| ()),
        1 | 5 => {
            let documents: Vec<_> = (0..6).map(document).collect();
            let on_match = if step.is_multiple_of(3) { OnMatch::Replace } else { OnMatch::Skip };
            index.check_batch(&documents, true, on_match)?.into_iter().try_for_each(|it| it.map(|_| ()))
        }
        2 => {
            let gone: Vec<_> = (0..12).map(|at| format!("{}-{}", step.saturating_sub(at), at % 4)).collect();
            index.remove(&gone).map(|_| ())
        }
        4 | 6 => {
            let documents: Vec<_> = (0..5).map(|at| Ok::<_, Error>(document(at))).collect();
            index.bulk_load(documents, &BulkOptions::default()).map(|_| ())
        }
        _ if step % 16 == 7 => index.compact(),
        _ => index.remove(&[format!("{}-0", step - 1), format!("{}-1", step - 7)]).map(|_| ()),
    }
}

/// Steps that are done more rarely.
fn other_step(index: &Index, step: u64, document: &mut dyn FnMut(u64) -> Document) -> Result<()> {
    match step % 8 {
        0 => {
            let lifetime = |at| if at % 2 == 0 { Lifetime::Until(100) } else { Lifetime::Usual };
            let documents: Vec<_> = (0..8).map(|at| document(at).with_lifetime(lifetime(at))).collect();
            index.add_batch(&documents).map(drop)
        }
        // Half of them have another text under an id that is there, and half are new.
        1 => {
            let changed = |at: u64| Document { id: format!("{}-{at}", step - 1), ..document(at) };
            index.update_batch(&(4..12).map(changed).collect::<Vec<_>>()).map(drop)
        }
        2 => index.expire(100, 3).map(drop),
        3 => {
            let other = in_memory(&MemoryStore::default(), &config(), &clock());
            other.add_batch(&(0..6).map(document).collect::<Vec<_>>())?;
            index.merge(&other, true).map(drop)
        }
        // What concerns the folder is done by `upkeep`, and changes no document.
        _ => Ok(()),
    }
}

/// Removes an index that is whole, in one step.
fn put_away(folder: &Path) {
    if folder.join("index.json").exists() {
        let gone = folder.with_file_name("gone");
        let _ = std::fs::remove_dir_all(&gone);
        std::fs::rename(folder, &gone).unwrap();
    }
}

/// Backs up, restores and repairs, at their steps. What a killed one has left is in the way of none.
fn upkeep(index: Index, step: u64, folder: &Path) -> Result<Index> {
    let (path, side) = (index.path(), |name: &str| folder.with_file_name(name));
    match step % 24 {
        20 => {
            put_away(&side("backup"));
            index.backup(side("backup"))?;
        }
        21 if side("backup").join("index.json").exists() => {
            put_away(&side("restored"));
            drop(Index::restore(side("backup"), side("restored"), &options(&clock()))?);
        }
        22 => {
            drop(index);
            Index::repair(&path, false, &options(&clock()))?;
            return Index::open(path, &options(&clock()));
        }
        _ => {}
    }
    Ok(index)
}

fn contents(index: &Index) -> Vec<(u64, String, Option<String>)> {
    let mut all = Vec::new();
    let visit = |kept: crate::Kept| {
        all.push((kept.number, kept.id, kept.text));
        Ok::<_, Error>(true)
    };
    index.export(visit).unwrap();
    all
}

/// The process that is killed. As a test of its own it does nothing.
#[test]
fn child() {
    let Ok(folder) = std::env::var(FOLDER) else { return };
    let start: u64 = std::env::var(START).unwrap().parse().unwrap();
    let mut index = Index::open(&folder, &options(&clock())).unwrap();
    for number in start.. {
        step(&index, number).unwrap();
        index = upkeep(index, number, Path::new(&folder)).unwrap();
        let mut out = std::io::stdout().lock();
        writeln!(out, "acknowledged {number}").unwrap();
        out.flush().unwrap();
    }
}

/// Runs the child from a step on, kills it after a while, and returns the last step that it acknowledged.
fn run_and_kill(folder: &Path, start: u64, after: Duration) -> Option<u64> {
    let mut command = Command::new(std::env::current_exe().unwrap());
    command
        .args(["--exact", "tests::kills::child", "--nocapture", "--test-threads", "1"])
        .env(FOLDER, folder)
        .env(START, start.to_string());
    let (end, last) = Victim::start(&mut command).unwrap().kill_after(after, "acknowledged ").unwrap();
    assert_eq!(end, End::Killed, "it ended by itself");
    last.and_then(|last| last.parse().ok())
}

/// Checks the backup and the restored index, as far as they are whole, and returns how many of them are.
fn check_copies(path: &Path, round: u64) -> usize {
    let mut whole = 0;
    for copy in ["backup", "restored"].map(|name| path.with_file_name(name)) {
        if copy.join("index.json").exists() {
            let copy = Index::open(&copy, &options(&clock())).unwrap();
            assert!(copy.lost() == 0 && copy.verify().unwrap().is_clean(), "round {round}");
            whole += 1;
        }
    }
    whole
}

/// The most bytes of journals: two of 64 MiB, of which one is full and kept until everything in it is in tables.
const MOST_JOURNALS: u64 = 128 << 20;

/// The bytes of the journals of an index; 0 between the two renames of a repair.
fn journals(path: &Path) -> u64 {
    let Ok(files) = std::fs::read_dir(path.join("store")) else { return 0 };
    let files = files.map(|entry| entry.unwrap());
    let journals = files.filter(|file| file.path().extension().is_some_and(|extension| extension == "jnl"));
    journals.map(|file| file.metadata().unwrap().len()).sum()
}

#[test]
fn what_was_acknowledged_survives() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("index");
    drop(Index::create(&path, &config(), &options(&clock())).unwrap());
    let expected = in_memory(&MemoryStore::default(), &config(), &clock());
    let rounds = number("LOOKALIKE_TORTURE_ROUNDS", ROUNDS);
    let mut random = SplitMix64::new(number("LOOKALIKE_TORTURE_SEED", 5));
    let mut next = 0;
    let (mut acknowledged_steps, mut idle) = (0, 0_u32);
    for round in 0..rounds {
        // A step that takes long, such as a backup, gets more time in each round that does not come to its end.
        let after = Duration::from_micros(20_000 + random.below(180_000)) * (1_u32 << idle);
        idle = (idle + 1).min(5);
        if let Some(last) = run_and_kill(&path, next, after) {
            idle = 0;
            assert!(last >= next);
            acknowledged_steps += last + 1 - next;
            for number in next..=last {
                step(&expected, number).unwrap();
            }
            next = last + 1;
        }
        // What opening has to replay is bounded, whatever was done before.
        assert!(journals(&path) <= MOST_JOURNALS, "round {round}: {} bytes of journals", journals(&path));
        let index = Index::open(&path, &options(&clock())).unwrap();
        assert_eq!(index.lost(), 0, "round {round}");
        let found = contents(&index);
        if found != contents(&expected) {
            // The step after the last one that was acknowledged is there as a whole.
            step(&expected, next).unwrap();
            next += 1;
            assert_eq!(found, contents(&expected), "round {round}, after step {next}");
        }
        let verified = index.verify().unwrap();
        assert!(verified.is_clean(), "round {round}: {verified:?}");
        drop(index);
        assert_eq!(journals(&path), 0, "round {round}: after a close there is nothing to replay");
        check_copies(&path, round);
    }
    // Nothing that a kill has left is in the way of what is done now.
    let mut index = Index::open(&path, &options(&clock())).unwrap();
    for step in 20..=22 {
        index = upkeep(index, step, &path).unwrap();
    }
    assert_eq!(contents(&index), contents(&expected));
    assert_eq!(check_copies(&path, rounds), 2);
    assert!(acknowledged_steps > 0, "the process was always killed before its first step");
}
