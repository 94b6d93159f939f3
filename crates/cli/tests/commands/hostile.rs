//! Hostile places: disks that are full, folders that cannot be written, few open files, inputs that change under the run, clocks that jump, a
//! second run on the same target, bombs. Each ends with an error that names the file and the cause, loses nothing, and the corrected
//! command goes through.

use super::lookalike::{Folder, Outcome};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::Command;
use testkit::corpora::{Planted, write_files};
use testkit::faults::{End, Moment, SmallDisk, run_and_kill};
use testkit::memory::run_and_measure;

/// A run that spills what `spilling` writes.
const SPILLED: &str = "dedup in -o out --id-field id --threads 2 --memory 64MiB";

/// A corpus of `files` files that does not fit into 64 MiB.
fn spilling(files: usize) -> Folder {
    let folder = Folder::new();
    let documents = 60_000;
    let splits: Vec<usize> = (1..files).map(|file| file * documents / files).collect();
    // Documents that have a signature.
    let planted = Planted { bytes: (800, 900), ..Planted::short(documents, 3) };
    write_files(&folder.path("in"), planted.iter(), &splits).unwrap();
    folder
}

/// Runs a shell line in which `$0` is the program.
fn shell(folder: &Folder, line: &str) -> Outcome {
    let output = Command::new("sh")
        .args(["-c", line, env!("CARGO_BIN_EXE_lookalike")])
        .current_dir(folder.path(""))
        .output()
        .unwrap();
    let text = |bytes: Vec<u8>| String::from_utf8_lossy(&bytes).into_owned();
    Outcome {
        code: output.status.code().unwrap_or(-1),
        stdout: text(output.stdout),
        stderr: text(output.stderr),
    }
}

/// The files of a folder but for those of the run's own and the report, with their bytes.
fn outputs(folder: &Path) -> Vec<(String, Vec<u8>)> {
    let entries = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let mut files: Vec<PathBuf> = entries.filter(|path| path.is_file()).collect();
    files.sort();
    let named = files.into_iter().map(|path| (path.file_name().unwrap().to_str().unwrap().to_owned(), path));
    named
        .filter(|(name, _)| name != "report.json")
        .map(|(name, path)| (name, std::fs::read(path).unwrap()))
        .collect()
}

fn says(outcome: &Outcome, code: i32, words: &[&str]) {
    assert_eq!(outcome.code, code, "{outcome}");
    for word in words {
        assert!(outcome.stderr.contains(word), "{word}: {outcome}");
    }
    assert!(!outcome.stderr.contains("panicked"), "{outcome}");
}

/// Nothing is there that looks like a finished run.
fn has_no_report(folder: &Folder) {
    assert!(!folder.path("out/report.json").exists(), "a failed run is not marked as complete");
}

#[test]
fn no_room_for_what_is_spilled() {
    let folder = spilling(2);
    let disk = match SmallDisk::mount(&folder.path("disk"), 1 << 20) {
        Ok(disk) => disk,
        Err(reason) => {
            eprintln!("skipped: {reason}");
            return;
        }
    };
    let outcome = folder.run(&format!("{SPILLED} --temp-dir disk"));
    says(&outcome, 1, &["disk/", "No space left on device", "free some space"]);
    has_no_report(&folder);
    assert_eq!(std::fs::read_dir(disk.folder()).unwrap().count(), 0, "what was spilled is gone");
    says(&folder.run(SPILLED), 0, &[]);
}

#[cfg(unix)]
#[test]
fn a_limit_on_the_size_of_files() {
    let folder = spilling(2);
    // Half a megabyte. Without the trap the system would end the process.
    let outcome = shell(&folder, &format!("trap '' XFSZ; ulimit -f 1000; exec $0 {SPILLED}"));
    says(&outcome, 1, &["cannot write", "out/", "File too large"]);
    has_no_report(&folder);
    says(&folder.run(SPILLED), 0, &[]);
}

/// Runs a command as a user who owns nothing; none if that cannot be done here.
#[cfg(unix)]
fn as_nobody(folder: &Folder, arguments: &str) -> Option<Outcome> {
    let nobody = "setpriv --reuid=65534 --regid=65534 --clear-groups";
    let can = shell(folder, &format!("{nobody} $0 --version"));
    if can.code != 0 {
        eprintln!("skipped: no other user can be had: {}", can.stderr.trim());
        return None;
    }
    Some(shell(folder, &format!("exec {nobody} $0 {arguments}")))
}

#[cfg(unix)]
#[test]
fn folders_that_may_not_be_written() {
    use std::fs::Permissions;
    use std::os::unix::fs::PermissionsExt;
    let text = "{\"id\":1,\"text\":\"one two three four five six\"}\n";
    let folder =
        Folder::new().with("in/a.jsonl", text.repeat(2)).with("closed/x", "").with("in/secret", text);
    let mode = |name: &str, mode: u32| {
        std::fs::set_permissions(folder.path(name), Permissions::from_mode(mode)).unwrap();
    };
    std::fs::create_dir(folder.path("open")).unwrap();
    mode("", 0o755);
    mode("closed", 0o555);
    mode("open", 0o777);
    mode("in/secret", 0o600);
    for (arguments, named) in [
        ("dedup in/a.jsonl -o closed/out", "closed/out"),
        ("dedup in/a.jsonl -o closed", "closed"),
        ("dedup in/a.jsonl -o s3x --temp-dir closed --dry-run", "closed"),
        ("sketch in/a.jsonl -o closed/a.sketch", "closed"),
        ("dedup in/secret --format jsonl -o open/out", "in/secret"),
        ("dedup in/a.jsonl --against in/secret -o open/out", "in/secret"),
        ("dedup in -o open/out", "in/secret"),
    ] {
        let Some(outcome) = as_nobody(&folder, arguments) else { return };
        assert!(outcome.code != 0, "{arguments}: {outcome}");
        assert!(outcome.stderr.contains(named), "{arguments}: {outcome}");
        let refused =
            ["Permission denied", "is not empty"].iter().any(|cause| outcome.stderr.contains(cause));
        assert!(refused && !outcome.stderr.contains("panicked"), "{arguments}: {outcome}");
        assert_eq!(outputs(&folder.path("closed")).len(), 1, "{arguments}");
        assert!(!folder.path("open/out").exists(), "{arguments}: a run that did nothing leaves nothing");
    }
    let corrected = as_nobody(&folder, "dedup in/a.jsonl -o open/out --temp-dir open").unwrap();
    says(&corrected, 0, &[]);
    assert_eq!(folder.read("open/out/a.jsonl"), text);
}

#[cfg(unix)]
#[test]
fn few_open_files_are_enough() {
    let folder = spilling(200);
    says(&folder.run(SPILLED), 0, &[]);
    assert!(
        folder.read("out/report.json").contains("\"spilled\": true"),
        "it must spill for this to be a test"
    );
    let wanted = outputs(&folder.path("out"));
    std::fs::remove_dir_all(folder.path("out")).unwrap();
    let outcome = shell(&folder, &format!("ulimit -n 32; exec $0 {SPILLED}"));
    says(&outcome, 0, &[]);
    assert!(outputs(&folder.path("out")) == wanted);
    // With fewer than the run needs it says so, and the same command goes on where it can.
    std::fs::remove_dir_all(folder.path("out")).unwrap();
    let outcome = shell(&folder, &format!("ulimit -n 8; exec $0 {SPILLED}"));
    assert!(outcome.code == 0 || outcome.code == 1, "{outcome}");
    if outcome.code == 1 {
        says(&outcome, 1, &["Too many open files"]);
        has_no_report(&folder);
        says(&folder.run(SPILLED), 0, &[]);
    }
    assert!(outputs(&folder.path("out")) == wanted);
}

#[cfg(unix)]
#[test]
fn an_input_that_changes_under_the_run() {
    use std::io::{BufRead, BufReader, Read};
    use std::process::Stdio;
    type Change = fn(&Path);
    let changes: [(&str, Change); 4] = [
        ("cut", |file| {
            let bytes = std::fs::read(file).unwrap();
            std::fs::write(file, &bytes[..bytes.len() / 2]).unwrap();
        }),
        ("longer", |file| {
            let mut file = std::fs::File::options().append(true).open(file).unwrap();
            file.write_all(b"{\"id\":\"new\",\"text\":\"one more\"}\n").unwrap();
        }),
        ("another of the same length", |file| {
            let bytes = std::fs::read(file).unwrap();
            let other: Vec<u8> = bytes.iter().map(|byte| if *byte == b'e' { b'a' } else { *byte }).collect();
            std::fs::write(file, other).unwrap();
        }),
        ("gone", |file| std::fs::remove_file(file).unwrap()),
    ];
    for stage in ["exact-copies", "verify"] {
        for (what, change) in changes {
            let folder = Folder::new();
            let planted = Planted { documents: 3_000, seed: 3, ..Planted::default() };
            let file = write_files(&folder.path("in"), planted.iter(), &[]).unwrap().remove(0);
            let before = std::fs::read(&file).unwrap();
            let mut child = Command::new(env!("CARGO_BIN_EXE_lookalike"))
                .args(
                    "dedup in -o out --id-field id --threshold 0.6 --log-level debug --threads 1".split(' '),
                )
                .current_dir(folder.path(""))
                .stderr(Stdio::piped())
                .spawn()
                .unwrap();
            let mut said = BufReader::new(child.stderr.take().unwrap());
            let mut heard = String::new();
            let process = child.id().to_string();
            let signal = |name: &str| {
                assert!(Command::new("kill").args([name, &process]).status().unwrap().success());
            };
            while !heard.contains(&format!("{stage} begins")) {
                assert!(said.read_line(&mut heard).unwrap() > 0, "{heard}");
            }
            // It may do as much as it likes until it is stopped; what is written reads every record again.
            signal("-STOP");
            change(&file);
            signal("-CONT");
            said.read_to_string(&mut heard).unwrap();
            let code = child.wait().unwrap().code().unwrap();
            assert!((1..=4).contains(&code), "{what} in {stage}: {code} {heard}");
            assert!(
                heard.contains("part-000.jsonl") && !heard.contains("panicked"),
                "{what} in {stage}: {heard}"
            );
            has_no_report(&folder);
            // What was there before the change, in another target, is as if nothing had happened.
            std::fs::write(&file, before).unwrap();
            says(&folder.run("dedup in -o again --id-field id --threshold 0.6"), 0, &[]);
        }
    }
}

/// Puts another time of change on all files below a folder.
fn touch(folder: &Path, time: std::time::SystemTime) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            touch(&path, time);
        } else {
            std::fs::File::options().write(true).open(&path).unwrap().set_modified(time).unwrap();
        }
    }
}

#[test]
fn a_clock_that_jumps() {
    use std::time::{Duration, SystemTime};
    let folder = Folder::new();
    let planted = Planted { documents: 3_000, seed: 5, ..Planted::default() };
    write_files(&folder.path("in"), planted.iter(), &[1_000]).unwrap();
    let run = "dedup in -o out --id-field id --threshold 0.7";
    says(&folder.run(run), 0, &[]);
    let wanted = outputs(&folder.path("out"));
    std::fs::remove_dir_all(folder.path("out")).unwrap();
    let now = SystemTime::now();
    let decades = Duration::from_secs(40 * 365 * 24 * 3600);
    for (first, second) in [(SystemTime::UNIX_EPOCH, now + decades), (now + decades, SystemTime::UNIX_EPOCH)]
    {
        touch(&folder.path("in"), first);
        let mut command = Command::new(env!("CARGO_BIN_EXE_lookalike"));
        command.args(run.split(' ')).arg("--quiet").current_dir(folder.path(""));
        let moment = Moment::File(folder.path("out/_lookalike/sketches/complete"));
        assert_eq!(run_and_kill(&mut command, &moment).unwrap(), End::Killed);
        // The bytes are the same: the run goes on, whatever the clock says.
        touch(&folder.path("in"), second);
        touch(&folder.path("out"), second);
        says(&folder.run(run), 0, &[]);
        assert!(outputs(&folder.path("out")) == wanted);
        assert!(folder.read("out/report.json").contains("\"resumed\": true"));
        touch(&folder.path("in"), first);
        says(&folder.run(run), 0, &["nothing to do"]);
        std::fs::remove_dir_all(folder.path("out")).unwrap();
    }
}

#[test]
fn two_runs_at_once_on_the_same_target() {
    use std::process::Stdio;
    let folder = spilling(2);
    std::fs::create_dir(folder.path("shared")).unwrap();
    let run = format!("{SPILLED} --temp-dir shared");
    says(&folder.run(&run), 0, &[]);
    let wanted = outputs(&folder.path("out"));
    std::fs::remove_dir_all(folder.path("out")).unwrap();
    let start = || {
        let mut command = Command::new(env!("CARGO_BIN_EXE_lookalike"));
        command.args(run.split(' ')).current_dir(folder.path("")).stderr(Stdio::piped()).spawn().unwrap()
    };
    let ends = [start(), start(), start()].map(|child| child.wait_with_output().unwrap());
    let succeeded = ends.iter().filter(|end| end.status.success()).count();
    assert_eq!(succeeded, 1, "one has the target: {ends:?}");
    for end in ends.iter().filter(|end| !end.status.success()) {
        let said = String::from_utf8_lossy(&end.stderr);
        assert_eq!(end.status.code(), Some(4), "{said}");
        assert!(
            said.contains("another run is working in out") && said.contains("wait for it to end"),
            "{said}"
        );
    }
    assert!(outputs(&folder.path("out")) == wanted);
    assert_eq!(std::fs::read_dir(folder.path("shared")).unwrap().count(), 0, "all spill folders are gone");
    says(&folder.run(&run), 0, &["nothing to do"]);
}

#[test]
fn bombs_of_every_kind_stay_within_the_limit() {
    let zeros = vec![0; 16 << 20];
    let pack = |end: &str| -> std::io::Result<Vec<u8>> {
        match end {
            "gz" => {
                let mut out = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::best());
                out.write_all(&zeros)?;
                out.finish()
            }
            "zst" => zstd::encode_all(&zeros[..], 3),
            "bz2" => {
                let mut out = bzip2::write::BzEncoder::new(Vec::new(), bzip2::Compression::fast());
                out.write_all(&zeros)?;
                out.finish()
            }
            _ => {
                let mut out = lzma_rust2::XzWriter::new(Vec::new(), lzma_rust2::XzOptions::with_preset(0))?;
                out.write_all(&zeros)?;
                out.finish()
            }
        }
    };
    for end in ["gz", "zst", "bz2", "xz"] {
        // 4 GiB, if anybody went on to the end.
        let name = format!("bomb.jsonl.{end}");
        let folder = Folder::new()
            .with(&name, pack(end).unwrap().repeat(256))
            .with("good.jsonl", "{\"text\":\"a\"}\n");
        let mut command = Command::new(env!("CARGO_BIN_EXE_lookalike"));
        command.args(["dedup", "good.jsonl", &name, "-o", "out", "--memory", "64MiB", "--threads", "2"]);
        let (output, most) = run_and_measure(command.current_dir(folder.path(""))).unwrap();
        let said = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(5), "{end}: {said}");
        assert!(said.contains(&format!("{name}, record 1")), "{end}: {said}");
        assert!(most < 86 << 20, "{end}: {} MiB at 64", most >> 20);
        has_no_report(&folder);
        says(&folder.run("dedup good.jsonl -o out"), 0, &[]);
    }
}

#[test]
fn a_quote_that_never_ends() {
    let folder = Folder::new();
    let mut file = std::io::BufWriter::new(std::fs::File::create(folder.path("a.csv")).unwrap());
    file.write_all(b"id,text\n1,fine\n2,\"never closed\n").unwrap();
    for _ in 0..4_000_000 {
        file.write_all(b"3,a row that is a part of the one before\n").unwrap();
    }
    file.flush().unwrap();
    let outcome = folder.run("dedup a.csv -o out --memory 64MiB --threads 2");
    says(&outcome, 5, &["a.csv, record 2", "memory"]);
    has_no_report(&folder);
    assert_eq!(std::fs::read_dir(folder.path("")).unwrap().count(), 1, "nothing is left");
}
