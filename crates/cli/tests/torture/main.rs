//! Kills that matter: runs of every kind are killed at random moments, and [at each call](calls) to the file layer, again and again, and
//! end with the same bytes.
//!
//! `cargo test` makes a few rounds, `cargo xtask torture` hundreds. A round is a run of one of the [cases](cases), killed up to three times
//! without any warning, and then left alone: it must succeed, its outputs must be those of the undisturbed run, and nothing
//! else may be left of it.
//!
//! | variable | meaning |
//! |---|---|
//! | `LOOKALIKE_TORTURE_ROUNDS` | how many rounds; 16 if it is not set |
//! | `LOOKALIKE_TORTURE_SEED` | what the moments are drawn from |
//! | `LOOKALIKE_TORTURE_STRIDE` | every how manieth call is tried; 37 if it is not set |
//! | `LOOKALIKE_S3` | an S3 stand-in on this machine, as in `http://127.0.0.1:5000`; without one, nothing is written to an object store |

#![allow(
    clippy::unwrap_used,
    clippy::print_stderr,
    reason = "a test that cannot go on fails, and says how far it came"
)]

#[cfg(all(unix, feature = "faults"))]
mod calls;
mod cases;
mod store;

use cases::{Case, Place};
use lookalike::hashing::SplitMix64;
use std::collections::BTreeMap;
use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};
use testkit::faults::{End, Moment, number, run_and_kill};

/// Names of outputs, and their bytes.
type Outputs = BTreeMap<String, Vec<u8>>;

/// The run of a case, with what it spills in `temporary`.
fn command(folder: &Path, case: &Case) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_lookalike"));
    command.args(case.arguments.split_whitespace()).current_dir(folder);
    command.args(["-o", &case.target(), "--temp-dir", "temporary", "--quiet"]);
    store::credentials(&mut command);
    command
}

/// Runs a case to its end.
fn finish(folder: &Path, case: &Case) -> Outputs {
    let output = command(folder, case).output().unwrap();
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{}: {}\n{stderr}", case.name, output.status);
    let mut found = match case.place {
        Place::Folder => files_in(&folder.join(case.target())),
        Place::Store => store::objects(&case.target()),
    };
    // What differs from run to run: the run's own files, and the times in its report.
    found.retain(|name, _| !name.starts_with("_lookalike/"));
    let report = found.get_mut("report.json").expect("a finished run has a report");
    let mut json: serde_json::Value = serde_json::from_slice(report).unwrap();
    json.as_object_mut().unwrap().remove("run");
    *report = json.to_string().into_bytes();
    if case.has_index() {
        found.insert("(the index)".into(), ids_in_index(folder));
    }
    found
}

/// The ids of the documents of the index, in their order: the times at which they came differ.
fn ids_in_index(folder: &Path) -> Vec<u8> {
    let mut export = Command::new(env!("CARGO_BIN_EXE_lookalike"));
    let output = export.args(["index", "export", cases::INDEX]).current_dir(folder).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let exported = String::from_utf8(output.stdout).unwrap();
    let id = |line: &str| {
        let json: serde_json::Value = serde_json::from_str(line).unwrap();
        json["id"].to_string()
    };
    exported.lines().map(id).collect::<Vec<_>>().join("\n").into_bytes()
}

fn files_in(folder: &Path) -> Outputs {
    fn walk(folder: &Path, prefix: &str, found: &mut Outputs) {
        for entry in std::fs::read_dir(folder).unwrap() {
            let entry = entry.unwrap();
            let name = format!("{prefix}{}", entry.file_name().to_string_lossy());
            if entry.file_type().unwrap().is_dir() {
                walk(&entry.path(), &format!("{name}/"), found);
            } else {
                found.insert(name, std::fs::read(entry.path()).unwrap());
            }
        }
    }
    let mut found = Outputs::new();
    walk(folder, "", &mut found);
    found
}

/// Files in the folder for temporary files.
fn left_in_temporary(folder: &Path) -> Vec<String> {
    files_in(&folder.join("temporary")).into_keys().collect()
}

fn clear(folder: &Path, case: &Case) {
    case.reset_index(folder);
    match case.place {
        Place::Folder => {
            let target = folder.join(case.target());
            if target.exists() {
                std::fs::remove_dir_all(target).unwrap();
            }
        }
        Place::Store => store::remove_all(&case.target()),
    }
}

fn same(found: &Outputs, wanted: &Outputs, what: &str) {
    assert!(found.keys().eq(wanted.keys()), "{what}: {:?} instead of {:?}", found.keys(), wanted.keys());
    for (name, bytes) in wanted {
        assert!(found[name] == *bytes, "{what}: {name} differs");
    }
}

#[test]
fn killed_again_and_again_every_kind_of_run_ends_with_the_same_bytes() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    std::fs::create_dir(folder.join("temporary")).unwrap();
    let cases = cases::all(folder, store::is_there());
    let mut undisturbed = Vec::new();
    for case in &cases {
        let start = Instant::now();
        let wanted = finish(folder, case);
        undisturbed.push((wanted, start.elapsed()));
        clear(folder, case);
    }
    let rounds = number("LOOKALIKE_TORTURE_ROUNDS", 16);
    let mut random = SplitMix64::new(number("LOOKALIKE_TORTURE_SEED", 1));
    let mut killed = 0;
    for round in 0..rounds {
        let at = (round % cases.len() as u64) as usize;
        let (case, (wanted, took)) = (&cases[at], &undisturbed[at]);
        let kills: Vec<Duration> = (0..=random.below(3)).map(|_| took.mul_f64(random.next_f64())).collect();
        for &after in &kills {
            let end = run_and_kill(&mut command(folder, case), &Moment::Time(after)).unwrap();
            killed += u64::from(end == End::Killed);
        }
        let what = format!("{}, round {round}, killed after {kills:?}", case.name);
        same(&finish(folder, case), wanted, &what);
        let left = left_in_temporary(folder);
        assert!(left.is_empty(), "{what}: {left:?} are left in the folder for temporary files");
        clear(folder, case);
    }
    assert!(killed * 2 >= rounds, "only {killed} kills in {rounds} rounds came before the end");
}
