//! Ctrl-C, SIGTERM and SIGHUP: heard in every stage, with the exit code of a shell, and nothing left behind.

use super::lookalike::Folder;
use std::io::{BufRead, BufReader, Read, Write};
use std::path::Path;
use std::process::{Child, ChildStderr, Command, Stdio};
use std::time::Duration;
use testkit::corpora::{Planted, write_files};

/// A corpus that takes some seconds, with an empty folder for temporary files.
fn corpus(documents: usize) -> Folder {
    let folder = Folder::new();
    let planted = Planted { documents, seed: 3, ..Planted::default() };
    write_files(&folder.path("corpus"), planted.iter(), &[documents / 2]).unwrap();
    std::fs::create_dir(folder.path("temporary")).unwrap();
    folder
}

/// A command that is under way.
struct Running {
    child: Child,
    said: BufReader<ChildStderr>,
    heard: String,
}

impl Running {
    fn start(folder: &Folder, arguments: &str) -> Self {
        let mut child = Command::new(env!("CARGO_BIN_EXE_lookalike"))
            .args(arguments.split_whitespace())
            .args(["--log-level", "debug", "--temp-dir", "temporary"])
            .current_dir(folder.path(""))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let said = BufReader::new(child.stderr.take().unwrap());
        Self { child, said, heard: String::new() }
    }

    /// Waits until it says something.
    fn wait_for(&mut self, words: &str) {
        while !self.heard.contains(words) {
            let read = self.said.read_line(&mut self.heard).unwrap();
            assert!(read > 0, "it never said {words}: {}", self.heard);
        }
    }

    fn signal(&self, name: &str) {
        let status = Command::new("kill").arg(format!("-{name}")).arg(self.child.id().to_string()).status();
        assert!(status.unwrap().success());
    }

    /// How it ended, and what it said.
    fn end(mut self) -> (i32, String) {
        self.said.read_to_string(&mut self.heard).unwrap();
        (self.child.wait().unwrap().code().unwrap(), self.heard)
    }
}

fn is_empty(folder: &Path) -> bool {
    std::fs::read_dir(folder).unwrap().count() == 0
}

#[test]
fn every_stage_hears_every_signal() {
    let folder = corpus(6_000);
    let signals = [("INT", 130), ("TERM", 143), ("HUP", 129)];
    let runs = [
        ("dedup corpus -o out --id-field id --threshold 0.6", "run the same command again to continue"),
        ("pairs corpus --id-field id --threshold 0.6 --memory 64MiB", "no results were kept"),
        ("clusters corpus --threshold 0.6 --clusters components", "no results were kept"),
    ];
    for (at, (run, said)) in runs.into_iter().enumerate() {
        for (stage, (signal, code)) in ["sketch", "exact-copies", "candidates", "verify"]
            .into_iter()
            .zip(signals.iter().cycle().skip(at))
        {
            let mut running = Running::start(&folder, run);
            let mut answers = running.child.stdout.take().unwrap();
            let drained = std::thread::spawn(move || answers.read_to_end(&mut Vec::new()).unwrap());
            running.wait_for(&format!("{stage} begins"));
            running.signal(signal);
            let (ended, heard) = running.end();
            drained.join().unwrap();
            assert_eq!(ended, *code, "{run}: {signal} in {stage}: {heard}");
            assert!(heard.contains(&format!("stopped; {said}")), "{run}: {signal} in {stage}: {heard}");
            assert!(is_empty(&folder.path("temporary")), "{run}: {signal} in {stage}");
        }
    }
    let outcome = folder.run("dedup corpus -o out --id-field id --threshold 0.6");
    assert_eq!(outcome.code, 0, "{outcome}");
}

#[test]
fn a_reader_that_is_stopped_too_makes_no_success_of_it() {
    let folder = corpus(2_000);
    // Ctrl-C ends `head` as well, and then the pipe is closed.
    let mut running = Running::start(&folder, "pairs corpus --threshold 0.1 --memory 64MiB");
    running.wait_for("sketch begins");
    drop(running.child.stdout.take());
    running.signal("INT");
    assert_eq!(running.end().0, 130);
    // A reader that has seen enough does.
    let mut running = Running::start(&folder, "pairs corpus --threshold 0.1 --memory 64MiB");
    drop(running.child.stdout.take());
    assert_eq!(running.end().0, 0);
}

#[test]
fn waiting_for_standard_input_ends_and_its_copy_goes() {
    let folder = corpus(10);
    let mut running = Running::start(&folder, "dedup - -o out");
    let mut input = running.child.stdin.take().unwrap();
    input.write_all("{\"text\":\"one two three\"}\n".repeat(10_000).as_bytes()).unwrap();
    while is_empty(&folder.path("temporary")) {
        std::thread::sleep(Duration::from_millis(5));
    }
    running.signal("TERM");
    let (code, heard) = running.end();
    assert_eq!(code, 143, "{heard}");
    assert!(heard.contains("stopped; no results were kept"), "{heard}");
    assert!(is_empty(&folder.path("temporary")));
    drop(input);

    let folder = Folder::new().with("a.txt", "one two three").with("temporary/x", "");
    let mut running = Running::start(&folder, "compare a.txt -");
    let input = running.child.stdin.take();
    // It has a listener before it waits.
    std::thread::sleep(Duration::from_millis(300));
    running.signal("INT");
    assert_eq!(running.end().0, 130);
    drop(input);
}

#[test]
fn a_signal_that_is_ignored_stays_ignored() {
    let folder = corpus(2_000);
    let program = env!("CARGO_BIN_EXE_lookalike");
    let run = format!("trap '' HUP; exec {program} dedup corpus -o out --log-level debug");
    let mut child = Command::new("sh")
        .args(["-c", &run])
        .current_dir(folder.path(""))
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut said = BufReader::new(child.stderr.take().unwrap());
    let mut line = String::new();
    while !line.contains("sketch begins") {
        line.clear();
        assert!(said.read_line(&mut line).unwrap() > 0);
    }
    assert!(Command::new("kill").arg("-HUP").arg(child.id().to_string()).status().unwrap().success());
    said.read_to_end(&mut Vec::new()).unwrap();
    assert_eq!(child.wait().unwrap().code(), Some(0));
}
