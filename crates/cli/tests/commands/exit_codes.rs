//! One command or more for each exit code, and numbers that make no sense.

use super::lookalike::Folder;
use std::process::Command;

fn folder() -> Folder {
    Folder::new()
        .with("a.jsonl", "{\"text\":\"one two three four five six\"}\n".repeat(3))
        .with("bad.jsonl", "{\"text\":\n")
        .with("cut.jsonl.gz", &b"\x1f\x8b\x08\0\0\0\0\0"[..])
        .with("full/file", "not a run")
}

#[test]
fn each_exit_code_means_what_the_help_says() {
    let folder = folder();
    for (arguments, code) in [
        ("presets", 0),
        ("dedup a.jsonl -o out", 0),
        ("dedup a.jsonl -o out", 0),
        ("pairs a.jsonl --max-pairs 1", 0),
        ("dedup a.jsonl -o a.jsonl/out", 1),
        ("sketch a.jsonl -o nowhere/a.sketch", 2),
        ("dedup a.jsonl", 2),
        ("dedup nowhere.jsonl -o other", 2),
        ("dedup a.jsonl -o other --config nowhere.toml", 2),
        ("pairs a.jsonl --max-pairs 0", 2),
        ("inspect out", 0),
        ("inspect out --id nobody", 2),
        ("inspect out --threshold 2", 2),
        ("inspect nowhere", 2),
        ("inspect a.jsonl", 2),
        ("inspect out/report.json", 2),
        ("dedup bad.jsonl -o other", 3),
        ("query bad.jsonl --text x", 3),
        ("dedup cut.jsonl.gz -o other2", 3),
        ("dedup a.jsonl -o full", 4),
        ("dedup a.jsonl -o out --threshold 0.5", 4),
        ("inspect full", 4),
        ("dedup a.jsonl -o other3 --memory 1MiB", 5),
        ("dedup a.jsonl -o other3 --memory 64MiB --threads 64", 5),
    ] {
        let outcome = folder.run(arguments);
        assert_eq!(outcome.code, code, "{arguments}: {outcome}");
        assert_eq!(outcome.stderr.contains("error:"), code != 0, "{arguments}: {outcome}");
    }
    std::fs::write(folder.path("out/report.json"), "{").unwrap();
    // The same command writes it again.
    for (arguments, code) in
        [("inspect out", 4), ("report out", 4), ("dedup a.jsonl -o out", 0), ("inspect out", 0)]
    {
        let outcome = folder.run(arguments);
        assert_eq!(outcome.code, code, "{arguments}: {outcome}");
    }
}

#[test]
fn answers_that_cannot_be_written_are_a_failure() {
    let folder = folder();
    for arguments in
        ["pairs a.jsonl", "query a.jsonl --text one --shingles words:1", "presets", "--help", "--version"]
    {
        let full = std::fs::File::options().write(true).open("/dev/full").unwrap();
        let output = Command::new(env!("CARGO_BIN_EXE_lookalike"))
            .args(arguments.split_whitespace())
            .current_dir(folder.path(""))
            .stdout(full)
            .output()
            .unwrap();
        let stderr = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(1), "{arguments}: {stderr}");
        assert!(stderr.contains("standard output"), "{arguments}: {stderr}");
    }
}

#[test]
fn absurd_numbers_are_refused_in_words() {
    let folder = folder();
    for flag in [
        "--threads 4398046511104",
        "--threads 1025",
        "--threads 99999999999999999999999",
        "--memory 16EiB",
        "--memory 999999999999TiB",
        "--memory 18446744073709551615",
        "--max-text 18446744073709551615",
        "--hashes 0",
        "--hashes 18446744073709551615",
        "--hashes 4294967296",
        "--bands 18446744073709551615x18446744073709551615",
        "--bands 4294967296x4294967296",
        "--bands 0x5",
        "--shingles words:18446744073709551615",
        "--shingles characters:0",
        "--threshold 1e308",
        "--threshold NaN",
        "--threshold -0.5",
        "--recall inf",
        "--method=simhash --distance 4294967295",
        "--method=simhash --distance 65",
    ] {
        let outcome = folder.run(&format!("dedup a.jsonl -o out {flag}"));
        assert_eq!(outcome.code, 2, "{flag}: {outcome}");
        assert!(!outcome.stderr.contains("panic"), "{flag}: {outcome}");
        assert!(!folder.path("out").exists(), "{flag}");
    }
    for arguments in [
        "query a.jsonl --text one --top 18446744073709551615",
        "query a.jsonl --text one --top 0",
        "inspect a.jsonl --top 99999999999",
        "plan --documents 0",
        "plan --documents 18446744073709551615",
        "plan --simhash --distance 4294967295",
        "plan --hashes 18446744073709551615",
        "compare a.jsonl a.jsonl --hashes 18446744073709551615",
        "compare a.jsonl a.jsonl --shingles words:18446744073709551615",
    ] {
        let outcome = folder.run(arguments);
        assert_eq!(outcome.code, 2, "{arguments}: {outcome}");
        assert!(!outcome.stderr.contains("panic"), "{arguments}: {outcome}");
    }
    assert_eq!(folder.run("plan --documents 1000000000000000").code, 0);
    assert_eq!(folder.run("query a.jsonl --text one --top 1000000").code, 0);
}

#[test]
fn a_thread_that_cannot_be_started_is_an_error() {
    let folder = folder();
    let program = env!("CARGO_BIN_EXE_lookalike");
    // Their stacks alone are more than the address space that is left.
    let command =
        format!("ulimit -v 1500000; exec {program} dedup a.jsonl -o out --threads 1000 --memory 16GiB");
    let output = Command::new("sh").args(["-c", &command]).current_dir(folder.path("")).output().unwrap();
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(1), "{stderr}");
    assert!(stderr.contains("cannot start a thread") && !stderr.contains("panic"), "{stderr}");
}

#[test]
fn a_limit_on_pairs_keeps_the_first_and_counts_the_others() {
    let folder = Folder::new().with("a.jsonl", "{\"text\":\"one two three four five six\"}\n".repeat(20));
    let all = folder.run("pairs a.jsonl");
    assert_eq!(all.stdout.lines().count(), 190, "{all}");
    let cut = folder.run("pairs a.jsonl --max-pairs 7 --quiet");
    assert_eq!(cut.code, 0, "{cut}");
    let first: Vec<&str> = all.stdout.lines().take(7).collect();
    assert_eq!(cut.stdout.lines().collect::<Vec<_>>(), first);
    assert!(cut.stderr.contains("the first 7 pairs are listed, and 183 more are left out"), "{cut}");
    for enough in [190, 191] {
        let outcome = folder.run(&format!("pairs a.jsonl --max-pairs {enough} --quiet"));
        assert_eq!(outcome.stdout, all.stdout);
        assert!(!outcome.stderr.contains("left out"), "{outcome}");
    }
}
