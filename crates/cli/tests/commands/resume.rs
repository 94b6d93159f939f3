//! Runs that are killed, stopped, damaged or started again.

use super::lookalike::Folder;
use std::collections::BTreeMap;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;
use testkit::corpora::{Planted, write_files};
use testkit::faults::{End, Moment, run_and_kill};

const RUN: &str = "dedup corpus -o out --id-field id --threshold 0.7 --threads 2";

/// Some megabytes in five files, two of them compressed.
fn corpus() -> Folder {
    let folder = Folder::new();
    let planted = Planted { documents: 4_000, seed: 7, ..Planted::default() };
    let files = write_files(&folder.path("corpus"), planted.iter(), &[500, 1_500, 1_501, 3_000]).unwrap();
    for file in [&files[1], &files[3]] {
        let packed = zstd::encode_all(std::fs::File::open(file).unwrap(), 1).unwrap();
        std::fs::write(file.with_extension("jsonl.zst"), packed).unwrap();
        std::fs::remove_file(file).unwrap();
    }
    folder
}

/// What a run is for: all files but its own, and the report without what differs between runs.
fn outputs(target: &Path) -> BTreeMap<String, Vec<u8>> {
    let mut found = BTreeMap::new();
    for entry in std::fs::read_dir(target).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_str().unwrap().to_owned();
        match name.as_str() {
            "_lookalike" => {}
            "report.json" => {
                let mut report: serde_json::Value =
                    serde_json::from_slice(&std::fs::read(&path).unwrap()).unwrap();
                report.as_object_mut().unwrap().remove("run");
                found.insert(name, report.to_string().into_bytes());
            }
            _ => {
                found.insert(name, std::fs::read(&path).unwrap());
            }
        }
    }
    found
}

fn command(folder: &Folder, arguments: &str) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_lookalike"));
    command.args(arguments.split_whitespace()).current_dir(folder.path(""));
    command
}

/// The undisturbed run of `RUN`, which leaves no target.
fn undisturbed(folder: &Folder) -> BTreeMap<String, Vec<u8>> {
    let outcome = folder.run(RUN);
    assert_eq!(outcome.code, 0, "{outcome}");
    let wanted = outputs(&folder.path("out"));
    assert_eq!(wanted.len(), 7, "five files, the removed ones, the report");
    std::fs::remove_dir_all(folder.path("out")).unwrap();
    wanted
}

fn same(found: &BTreeMap<String, Vec<u8>>, wanted: &BTreeMap<String, Vec<u8>>, what: &str) {
    assert!(found.keys().eq(wanted.keys()), "{what}: {:?}", found.keys());
    for (name, bytes) in wanted {
        assert!(found[name] == *bytes, "{what}: {name} differs");
    }
}

#[test]
fn killed_at_any_moment_it_ends_with_the_same_bytes() {
    let folder = corpus();
    let start = std::time::Instant::now();
    let wanted = undisturbed(&folder);
    let took = start.elapsed();
    let work = folder.path("out/_lookalike");
    let mut moments: Vec<Moment> = (0..12).map(|n| Moment::Time(took * n / 16)).collect();
    moments.push(Moment::File(work.join("run.json")));
    moments.push(Moment::File(work.join("sketches/part-000000")));
    moments.push(Moment::File(work.join("sketches/complete")));
    moments.push(Moment::File(work.join("decisions")));
    moments.push(Moment::File(work.join("unfinished")));
    moments.push(Moment::File(folder.path("out/part-000.jsonl")));
    moments.push(Moment::File(folder.path("out/removed.jsonl")));
    let mut killed = 0;
    for moment in moments {
        let end = run_and_kill(&mut command(&folder, RUN), &moment).unwrap();
        killed += usize::from(end == End::Killed);
        // A second kill, on the way from where the first one left it.
        run_and_kill(&mut command(&folder, RUN), &Moment::Time(took / 5)).unwrap();
        let outcome = folder.run(RUN);
        assert_eq!(outcome.code, 0, "{moment:?}: {outcome}");
        same(&outputs(&folder.path("out")), &wanted, &format!("{moment:?}"));
        assert!(!work.join("unfinished").exists());
        let left = std::fs::read_dir(&work).unwrap().map(|entry| entry.unwrap().file_name());
        assert_eq!(left.filter(|name| name.to_string_lossy().contains("tmp")).count(), 0, "{moment:?}");
        std::fs::remove_dir_all(folder.path("out")).unwrap();
    }
    assert!(killed >= 10, "only {killed} runs were killed before they ended");
}

#[cfg(unix)]
#[test]
fn an_interrupt_stops_it_and_says_how_to_go_on() {
    let folder = corpus();
    let wanted = undisturbed(&folder);
    let mut interrupted = 0;
    for milliseconds in [5, 10, 20, 40, 80, 160] {
        let child = command(&folder, RUN).stderr(Stdio::piped()).spawn().unwrap();
        std::thread::sleep(Duration::from_millis(milliseconds));
        // The process may have ended already.
        let _ = Command::new("kill").args(["-INT", &child.id().to_string()]).stderr(Stdio::null()).status();
        let output = child.wait_with_output().unwrap();
        let stderr = String::from_utf8(output.stderr).unwrap();
        if output.status.code() == Some(130) {
            interrupted += 1;
            assert!(stderr.contains("run the same command again to continue"), "{stderr}");
            assert!(!folder.path("out/report.json").exists());
        }
    }
    assert!(interrupted > 0, "no run was interrupted in time");
    assert_eq!(folder.run(RUN).code, 0);
    same(&outputs(&folder.path("out")), &wanted, "after interrupts");
}

#[test]
fn a_damaged_or_missing_part_is_sketched_again() {
    let folder = corpus();
    let wanted = undisturbed(&folder);
    let part = folder.path("out/_lookalike/sketches/part-000000");
    type Damage = fn(&Path);
    let damage: [(&str, Damage); 3] = [
        ("damaged", |part| {
            let mut bytes = std::fs::read(part).unwrap();
            let middle = bytes.len() / 2;
            bytes[middle] ^= 1;
            std::fs::write(part, bytes).unwrap();
        }),
        ("damaged", |part| {
            let bytes = std::fs::read(part).unwrap();
            std::fs::write(part, &bytes[..bytes.len() - 100]).unwrap();
        }),
        ("lacks a part", |part| std::fs::remove_file(part).unwrap()),
    ];
    for (said, damage) in damage {
        let moment = Moment::File(folder.path("out/_lookalike/sketches/complete"));
        assert_eq!(run_and_kill(&mut command(&folder, RUN), &moment).unwrap(), End::Killed);
        damage(&part);
        let outcome = folder.run(RUN);
        assert_eq!(outcome.code, 0, "{outcome}");
        assert!(outcome.stderr.contains(said), "{outcome}");
        same(&outputs(&folder.path("out")), &wanted, said);
        std::fs::remove_dir_all(folder.path("out")).unwrap();
    }
}

#[test]
fn a_target_of_another_run_is_refused_and_the_difference_named() {
    let folder = Folder::new().with("a.jsonl", "{\"text\":\"a\"}\n").with("b.jsonl", "{\"text\":\"b\"}\n");
    assert_eq!(folder.run("dedup a.jsonl -o out").code, 0);
    for (arguments, difference) in [
        ("a.jsonl --threshold 0.7", "threshold is 0.8, but now it is 0.7"),
        ("a.jsonl --keep longest", "keep is \"first\", but now it is \"longest\""),
        ("a.jsonl --within site", "within is not set, but now it is \"site\""),
        ("b.jsonl", "contains a run with other sources: it has a.jsonl, but now there is b.jsonl instead"),
        ("a.jsonl b.jsonl", "contains a run with other sources: it does not have b.jsonl"),
        (
            "a.jsonl --against b.jsonl",
            "contains a run with other sources: it does not have `against` b.jsonl",
        ),
    ] {
        let outcome = folder.run(&format!("dedup -o out {arguments}"));
        assert_eq!(outcome.code, 4, "{outcome}");
        assert!(outcome.stderr.contains(difference), "{outcome}");
        assert!(outcome.stderr.contains("choose another target folder"), "{outcome}");
    }
    assert_eq!(folder.read("out/a.jsonl"), folder.read("a.jsonl"));
}

#[test]
fn a_target_without_its_record_is_said_to_be_that() {
    let folder = Folder::new().with("a.jsonl", "{\"text\":\"a\"}\n");
    assert_eq!(folder.run("dedup a.jsonl -o out").code, 0);
    std::fs::remove_dir_all(folder.path("out/_lookalike")).unwrap();
    let outcome = folder.run("dedup a.jsonl -o out");
    assert_eq!(outcome.code, 4, "{outcome}");
    assert!(outcome.stderr.contains("_lookalike/run.json, which describes the run, is missing"), "{outcome}");
    assert!(!outcome.stderr.contains("version"), "{outcome}");
}

/// The name of the target as typed, and the folder for temporary files, are the same; nothing else is.
#[test]
fn two_runs_at_once_share_nothing() {
    let folder = Folder::new();
    let mut wanted = Vec::new();
    let run = "dedup in.jsonl -o out --id-field id --threshold 0.7 --threads 2 --memory 64MiB";
    for (name, seed) in [("a", 1), ("b", 2)] {
        let planted = Planted { documents: 60_000, seed, ..Planted::default() };
        let files = write_files(&folder.path(name), planted.iter(), &[]).unwrap();
        std::fs::rename(&files[0], folder.path(name).join("in.jsonl")).unwrap();
        let status =
            command(&folder, run).current_dir(folder.path(name)).stderr(Stdio::null()).status().unwrap();
        assert!(status.success());
        let report = std::fs::read_to_string(folder.path(name).join("out/report.json")).unwrap();
        assert!(report.contains("\"spilled\": true"), "it must spill for this to be a test");
        wanted.push(outputs(&folder.path(name).join("out")));
        std::fs::remove_dir_all(folder.path(name).join("out")).unwrap();
    }
    std::fs::create_dir(folder.path("shared")).unwrap();
    let shared = format!("{run} --temp-dir ../shared");
    let start = |name: &str| {
        command(&folder, &shared).current_dir(folder.path(name)).stderr(Stdio::null()).spawn().unwrap()
    };
    for mut child in [start("a"), start("b")] {
        assert!(child.wait().unwrap().success());
    }
    for (name, wanted) in ["a", "b"].iter().zip(&wanted) {
        same(&outputs(&folder.path(name).join("out")), wanted, name);
    }
    assert_eq!(std::fs::read_dir(folder.path("shared")).unwrap().count(), 0, "all spill folders are gone");
}

#[test]
fn the_corrected_command_works_on_the_same_target() {
    let folder = Folder::new().with("a.jsonl", "{\"text\":\"a\"}\n{\"other\":\"b\"}\n");
    assert_ne!(folder.run("dedup a.jsonl -o out --text-field typo").code, 0);
    assert!(!folder.path("out").exists());
    assert_ne!(folder.run("dedup a.jsonl -o out").code, 0);
    let outcome = folder.run("dedup a.jsonl -o out --on-bad-record skip");
    assert_eq!(outcome.code, 0, "{outcome}");
}

#[test]
fn there_is_no_store_in_memory() {
    let folder = Folder::new().with("a.jsonl", "{\"text\":\"a\"}\n");
    let outcome = folder.run("dedup a.jsonl -o memory://x/y");
    assert!(
        outcome.code != 0 && outcome.stderr.contains("is not an address of a known object store"),
        "{outcome}"
    );
}

/// What a killed run copied from standard input is removed by the next run.
#[cfg(unix)]
#[test]
fn the_copy_of_standard_input_is_private_and_goes() {
    use std::io::Write;
    use std::os::unix::fs::PermissionsExt;
    let folder = Folder::new();
    std::fs::create_dir(folder.path("spool")).unwrap();
    let run = "dedup - -o out --temp-dir spool";
    let mut child = command(&folder, run).stdin(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
    let mut stdin = child.stdin.take().unwrap();
    stdin.write_all(&b"{\"text\":\"a\"}\n".repeat(10_000)).unwrap();
    let copy = loop {
        let made = std::fs::read_dir(folder.path("spool")).unwrap().next();
        if let Some(copy) =
            made.map(|entry| entry.unwrap().path().join("standard-input")).filter(|copy| copy.exists())
        {
            break copy;
        }
        std::thread::sleep(Duration::from_millis(1));
    };
    assert_eq!(std::fs::metadata(&copy).unwrap().permissions().mode() & 0o777, 0o600);
    assert_eq!(std::fs::metadata(copy.parent().unwrap()).unwrap().permissions().mode() & 0o777, 0o700);
    child.kill().unwrap();
    child.wait().unwrap();
    assert!(copy.exists());
    let outcome = folder.run_with(run, b"{\"text\":\"a\"}\n");
    assert_eq!(outcome.code, 0, "{outcome}");
    assert_eq!(std::fs::read_dir(folder.path("spool")).unwrap().count(), 0);
}

#[test]
fn a_sketch_file_cut_anywhere_is_refused() {
    let lines = "{\"text\":\"one two three four five six\"}\n".repeat(3);
    let folder = Folder::new().with("a.jsonl", lines);
    assert_eq!(folder.run("sketch a.jsonl -o whole.sketch").code, 0);
    let whole = std::fs::read(folder.path("whole.sketch")).unwrap();
    assert_eq!(folder.run("pairs whole.sketch").code, 0);
    let parts = whole.windows(8).position(|bytes| bytes == b"LKAPART3").unwrap();
    for end in [0, 10, 20, 100, parts, parts + 10, parts + 500, whole.len() - 16, whole.len() - 1] {
        std::fs::write(folder.path("cut.sketch"), &whole[..end]).unwrap();
        // Without the first bytes it is no sketch file.
        let outcome =
            folder.run(if end >= 8 { "pairs cut.sketch" } else { "pairs cut.sketch --format jsonl" });
        if end >= 8 {
            assert_eq!(outcome.code, 3, "cut at {end}: {outcome}");
            assert!(outcome.stderr.contains("cut.sketch is damaged: "), "cut at {end}: {outcome}");
            assert!(outcome.stderr.contains("sketch"), "{outcome}");
        }
    }
    let at = whole.windows(11).position(|bytes| bytes == b"\"version\": ").unwrap() + 11;
    let mut newer = whole.clone();
    newer[at] = b'9';
    std::fs::write(folder.path("cut.sketch"), newer).unwrap();
    let outcome = folder.run("pairs cut.sketch");
    assert!(outcome.code == 3 && outcome.stderr.contains("another version"), "{outcome}");
    // A byte of the columns.
    let mut flipped = whole;
    let at = flipped.len() - 40;
    flipped[at] ^= 1;
    std::fs::write(folder.path("cut.sketch"), flipped).unwrap();
    assert_eq!(folder.run("pairs cut.sketch").code, 3);
}

const SMALL: &str = "dedup small -o out";

/// Two small files.
fn small() -> Folder {
    let line = |text: &str| format!("{}\n", serde_json::json!({ "text": text }));
    let text = line("one two three four five six seven").repeat(3);
    Folder::new().with("small/a.jsonl", &text).with("small/b.jsonl", line("something else altogether here"))
}

#[test]
fn outputs_that_were_cut_off_are_written_again() {
    let folder = small();
    assert_eq!(folder.run(SMALL).code, 0);
    let wanted = outputs(&folder.path("out"));
    for name in ["b.jsonl", "removed.jsonl"] {
        let file = std::fs::File::options().write(true).open(folder.path("out").join(name)).unwrap();
        file.set_len(5).unwrap();
        let outcome = folder.run(SMALL);
        assert_eq!(outcome.code, 0, "{outcome}");
        let expected = format!("out/{name} is shorter than the run wrote it: 5 bytes instead of ");
        assert!(outcome.stderr.contains(&expected), "{outcome}");
        same(&outputs(&folder.path("out")), &wanted, name);
        assert!(folder.run(SMALL).stderr.contains("already holds this finished run"));
    }
}

#[test]
fn outputs_that_somebody_added_to_are_named_and_left() {
    let folder = small();
    assert_eq!(folder.run(SMALL).code, 0);
    let changed = folder.read("out/b.jsonl") + "{}\n";
    std::fs::write(folder.path("out/b.jsonl"), &changed).unwrap();
    let outcome = folder.run(SMALL);
    assert_eq!(outcome.code, 0, "{outcome}");
    assert!(outcome.stderr.contains("out/b.jsonl is longer than the run wrote it"), "{outcome}");
    assert!(outcome.stderr.contains("already holds this finished run"), "{outcome}");
    assert_eq!(folder.read("out/b.jsonl"), changed);
}

#[test]
fn a_killed_run_that_kept_nothing_is_replaced_with_a_note_of_what_changed() {
    let folder = small();
    let run_json = folder.path("out/_lookalike/run.json");
    // What a run leaves that is killed before its first sketches are stored.
    assert_eq!(folder.run(SMALL).code, 0);
    let identity = std::fs::read(&run_json).unwrap();
    std::fs::remove_dir_all(folder.path("out")).unwrap();
    std::fs::create_dir_all(run_json.parent().unwrap()).unwrap();
    std::fs::write(&run_json, identity).unwrap();
    let folder = folder.with("small/b.jsonl", "{\"text\":\"other words\"}\n");
    let outcome = folder.run(SMALL);
    assert_eq!(outcome.code, 0, "{outcome}");
    let expected = "note: small/b.jsonl has changed since the run in out began; that run ended before it kept anything, \
                    so this run replaces it and starts from the beginning";
    assert!(outcome.stderr.contains(expected), "{outcome}");
    assert!(folder.read("out/b.jsonl").contains("other words"));
}

#[test]
fn a_finished_run_of_another_version_is_said_to_be_one() {
    let folder = Folder::new().with("in.jsonl", "{\"text\":\"one two three four five six\"}\n".repeat(2));
    assert_eq!(folder.run("dedup in.jsonl -o out").code, 0);
    let record = folder.path("out/_lookalike/run.json");
    let content = std::fs::read_to_string(&record).unwrap();
    let version: serde_json::Value = serde_json::from_str(&content).unwrap();
    let older = format!("\"version\":{}", version["version"].as_u64().unwrap() - 1);
    let now = format!("\"version\":{}", version["version"]);
    assert!(content.replace(' ', "").contains(&now));
    std::fs::write(&record, content.replace(' ', "").replace(&now, &older)).unwrap();
    for command in ["report out", "inspect out", "dedup in.jsonl -o out"] {
        let outcome = folder.run(command);
        assert!(
            outcome.code == 4 && outcome.stderr.contains("a run of another version"),
            "{command}: {outcome}"
        );
    }
}
