//! `--kind records` on tables of some size: little memory, kills, full disks, and tables of equal records.

use super::lookalike::Folder;
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::Path;
use std::process::Command;
use testkit::corpora::Persons;
use testkit::faults::{Moment, run_and_kill};
use testkit::memory::run_and_measure;

/// A table of generated persons.
pub(crate) fn persons(records: usize) -> String {
    let mut table = format!("id,{}\n", Persons::FIELDS.join(","));
    let all = (0..).flat_map(|person| Persons::new(1).of(person));
    for (at, record) in all.take(records).enumerate() {
        let _ = writeln!(table, "{at},{}", record.join(","));
    }
    table
}

/// The outputs of a run, without the part of its report that differs between runs.
fn outputs(folder: &Path) -> BTreeMap<String, Vec<u8>> {
    let mut found = BTreeMap::new();
    for entry in std::fs::read_dir(folder).unwrap() {
        let entry = entry.unwrap();
        let name = entry.file_name().into_string().unwrap();
        if name == "_lookalike" {
            continue;
        }
        let mut content = std::fs::read(entry.path()).unwrap();
        if name == "report.json" {
            let mut report: serde_json::Value = serde_json::from_slice(&content).unwrap();
            report["run"].take();
            content = report.to_string().into_bytes();
        }
        found.insert(name, content);
    }
    found
}

fn dedup(folder: &Folder, target: &str) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_lookalike"));
    command.args(["dedup", "a.csv", "b.csv", "--kind", "records", "--quiet", "-o", target]);
    command.current_dir(folder.path(""));
    command
}

#[test]
fn a_killed_run_goes_on_and_writes_the_same_bytes() {
    let all = persons(6_000);
    let lines: Vec<&str> = all.lines().collect();
    let part = |range: std::ops::Range<usize>| format!("{}\n{}\n", lines[0], lines[range].join("\n"));
    let folder = Folder::new().with("a.csv", part(1..3_000)).with("b.csv", part(3_000..6_001));
    assert!(dedup(&folder, "whole").status().unwrap().success());
    let whole = outputs(&folder.path("whole"));
    assert_eq!(whole.len(), 5, "{:?}", whole.keys());
    let matched = |target: &str| folder.path(&format!("{target}/_lookalike/matched"));
    assert!(!matched("whole").exists());
    type Reached<'p> = &'p dyn Fn(&str) -> std::path::PathBuf;
    let moments: [Reached<'_>; 4] = [
        &|target| folder.path(&format!("{target}/_lookalike/run.json")),
        &matched,
        &|target| folder.path(&format!("{target}/a.csv")),
        &|target| folder.path(&format!("{target}/removed.jsonl")),
    ];
    for (at, moment) in moments.iter().enumerate() {
        let target = format!("killed{at}");
        run_and_kill(&mut dedup(&folder, &target), &Moment::File(moment(&target))).unwrap();
        let had_matches = matched(&target).exists();
        let mut again = dedup(&folder, &target);
        let again = again.args(["--threads", "1"]).output().unwrap();
        assert!(again.status.success(), "{at}: {}", String::from_utf8_lossy(&again.stderr));
        assert!(outputs(&folder.path(&target)) == whole, "killed at moment {at}");
        assert!(!matched(&target).exists() && (at > 0 || !had_matches));
        let files = std::fs::read_dir(folder.path(&target)).unwrap().count();
        assert_eq!(files, whole.len() + 1, "nothing else is left");
    }
    // The matches are used: the command says so, and takes damaged ones for none.
    for (damage, said) in [(false, "goes on from the matches"), (true, "")] {
        let target = format!("kept{damage}");
        run_and_kill(&mut dedup(&folder, &target), &Moment::File(matched(&target))).unwrap();
        if !matched(&target).exists() {
            // It was quicker than the kill.
            continue;
        }
        if damage {
            let mut content = std::fs::read(matched(&target)).unwrap();
            let middle = content.len() / 2;
            content[middle] ^= 1;
            std::fs::write(matched(&target), content).unwrap();
        }
        let other = folder.run(&format!("dedup a.csv b.csv --kind records --threshold 0.8 -o {target}"));
        assert!(other.code == 4 && other.stderr.contains("contains another run"), "{other}");
        let again = folder.run(&format!("dedup a.csv b.csv --kind records -o {target}"));
        assert!(again.code == 0 && again.stderr.contains(said), "{again}");
        assert!(outputs(&folder.path(&target)) == whole, "damaged: {damage}");
    }
}

#[test]
fn a_target_has_one_run_at_a_time() {
    let folder = Folder::new().with("a.csv", persons(300)).with("b.csv", persons(300));
    let files = files::Files::default();
    files.make_folder(&folder.path("out/_lookalike")).unwrap();
    let lock = files.lock(&folder.path("out/_lookalike/lock")).unwrap().unwrap();
    let run = folder.run("dedup a.csv b.csv --kind records -o out");
    assert!(run.code == 4 && run.stderr.contains("another run is working in out"), "{run}");
    drop(lock);
    // A run that ended before it kept anything is replaced by one with other settings.
    std::fs::write(folder.path("out/_lookalike/run.json"), "of another run").unwrap();
    let run = folder.run("dedup a.csv b.csv --kind records -o out");
    assert!(run.code == 0 && run.stderr.contains("so this run replaces it"), "{run}");
    // A run that fails leaves nothing.
    let run = folder.run("dedup a.csv b.csv --kind records --memory 64MiB --threads 1 -o none");
    assert!(run.code == 5 && !folder.path("none").exists(), "{run}");
}

#[test]
fn little_memory_gives_the_same_bytes() {
    let folder = Folder::new().with("a.csv", persons(120_000));
    let run = |memory: &str, threads: &str, target: &str| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_lookalike"));
        command.args(["dedup", "a.csv", "--kind", "records", "--memory", memory, "--threads", threads]);
        command.args(["-o", target]).current_dir(folder.path(""));
        let (output, most) = run_and_measure(&mut command).unwrap();
        (output.status.code(), String::from_utf8_lossy(&output.stderr).into_owned(), most)
    };
    let (code, said, _) = run("32MiB", "1", "refused");
    assert_eq!(code, Some(5), "{said}");
    let (code, said, _) = run("100MiB", "2", "refused");
    assert_eq!(code, Some(5), "{said}");
    let enough = needed(&said);
    let limit: u64 = enough.parse().unwrap();
    let (code, said, most) = run(&format!("{limit}MiB"), "2", "little");
    assert_eq!(code, Some(0), "what is said to be enough, {enough}, is enough: {said}");
    // As in `memory.rs`: the program's own code, and what the allocator keeps.
    let allowed = (limit << 20) * 11 / 10 + (16 << 20);
    assert!(most <= allowed, "{} MiB at {limit} MiB", most >> 20);
    eprintln!("120,000 records: {} MiB at {limit} MiB", most >> 20);
    for (threads, target) in [("1", "much1"), ("7", "much7")] {
        let (code, said, _) = run("8GiB", threads, target);
        assert_eq!(code, Some(0), "{said}");
        assert!(outputs(&folder.path("little")) == outputs(&folder.path(target)), "{threads} threads");
    }
}

/// The MiB that a message says to be needed.
fn needed(said: &str) -> String {
    said.split("needs ").nth(1).unwrap().split(' ').next().unwrap().trim_end_matches("MiB").to_owned()
}

/// Rules that compare many pairs: they go to files, and a folder that cannot be written is an error.
#[test]
fn pairs_that_do_not_fit_go_to_files() {
    let folder = Folder::new().with("a.csv", persons(60_000));
    let rules = "--kind records --block suburb --block surname --block street_number --threads 2";
    let refused = folder.run(&format!("dedup a.csv {rules} --memory 64MiB -o refused"));
    assert_eq!(refused.code, 5, "{refused}");
    let enough = needed(&refused.stderr);
    let run =
        folder.run(&format!("dedup a.csv {rules} --memory {enough}MiB --temp-dir nowhere/at/all -o out"));
    assert!(run.code != 0 && run.stderr.contains("nowhere/at/all") && !folder.path("out").exists(), "{run}");
    for (memory, target) in [(format!("{enough}MiB"), "little"), ("8GiB".into(), "much")] {
        let run = folder.run(&format!("dedup a.csv {rules} --memory {memory} -o {target}"));
        assert_eq!(run.code, 0, "{run}");
        let left = std::fs::read_dir(folder.path(&format!("{target}/_lookalike"))).unwrap().count();
        assert_eq!(left, 4, "the lock, what the run is, its outputs, and the examples of its page");
    }
    assert!(outputs(&folder.path("little")) == outputs(&folder.path("much")));
}

/// Tables in which everything agrees: no block of them is squared.
#[test]
fn equal_values_in_a_large_table_take_no_quadratic_time() {
    let equal: String = (0..200_000).map(|at| format!("{at},anna,berg,19400101\n")).collect();
    let constant: String = (0..200_000u64)
        .map(|at| format!("{at},oslo,n{},{}\n", at * 7_919 % 1_000_003 / 2, 19_000_000 + at * 31 % 900_000))
        .collect();
    let folder = Folder::new()
        .with("equal.csv", format!("id,given,surname,born\n{equal}"))
        .with("constant.csv", format!("id,city,name,number\n{constant}"));
    for table in ["equal.csv", "constant.csv"] {
        let run = folder.run(&format!("dedup {table} --kind records -o out-{table}"));
        assert_eq!(run.code, 0, "{run}");
    }
    assert_eq!(folder.read("out-equal.csv/equal.csv").lines().count(), 2, "one of them is kept");
}
