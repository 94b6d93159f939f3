//! `--kind records`: runs that are repeated, stopped, piped, or asked for what cannot be done.

use super::kind_records::customers;
use super::lookalike::Folder;
use std::collections::BTreeMap;
use std::process::{Command, Stdio};

/// The outputs of a run, without the part of its report that differs between runs.
fn outputs(folder: &Folder, run: &str) -> BTreeMap<String, String> {
    let names = ["a.csv", "b.csv", "removed.jsonl", "model.json", "report.json"];
    let read = |name: &str| {
        let content = folder.read(&format!("{run}/{name}"));
        let content = content.split("\"run\"").next().unwrap_or_default().to_owned();
        (name.to_owned(), content)
    };
    names.into_iter().map(read).collect()
}

#[test]
fn outputs_of_a_finished_run_that_are_missing_or_cut_off_are_restored() {
    let all = customers();
    let lines: Vec<&str> = all.lines().collect();
    let part = |range: std::ops::Range<usize>| format!("{}\n{}\n", lines[0], lines[range].join("\n"));
    let folder = Folder::new().with("in/a.csv", part(1..60)).with("in/b.csv", part(60..121));
    let command = "dedup in/a.csv in/b.csv --kind records -o out";
    assert_eq!(folder.run(command).code, 0);
    let before = outputs(&folder, "out");
    let kept = std::fs::metadata(folder.path("out/b.csv")).unwrap().modified().unwrap();
    type Damage = fn(&std::path::Path);
    let remove: Damage = |path| std::fs::remove_file(path).unwrap();
    let cut: Damage = |path| {
        let content = std::fs::read(path).unwrap();
        std::fs::write(path, &content[..content.len() / 2]).unwrap();
    };
    for (name, damage, said) in [
        ("a.csv", remove, "out/a.csv is missing; it is written again"),
        ("a.csv", cut, "out/a.csv is shorter than the run wrote it"),
        ("removed.jsonl", remove, "out/removed.jsonl is missing"),
        ("model.json", cut, "out/model.json is shorter"),
        ("report.json", cut, "out/report.json is damaged"),
        ("report.json", remove, ""),
        ("_lookalike/outputs.jsonl", remove, ""),
    ] {
        damage(&folder.path(&format!("out/{name}")));
        let again = folder.run(command);
        assert!(again.code == 0 && again.stderr.contains(said), "{name}: {again}");
        assert_eq!(outputs(&folder, "out"), before, "{name}");
        let again = folder.run(command);
        assert!(again.stderr.contains("already holds this finished run"), "{name}: {again}");
        if !name.starts_with('_') {
            let now = std::fs::metadata(folder.path("out/b.csv")).unwrap().modified().unwrap();
            assert_eq!(now, kept, "{name}: what is whole is not written again");
        }
    }
    // Somebody has added to an output: it is theirs.
    let longer = format!("{}x,y,z,1,w\n", before["a.csv"]);
    std::fs::write(folder.path("out/a.csv"), &longer).unwrap();
    std::fs::remove_file(folder.path("out/removed.jsonl")).unwrap();
    let again = folder.run(command);
    assert!(again.code == 0 && again.stderr.contains("out/a.csv is longer than the run wrote it"), "{again}");
    assert_eq!(folder.read("out/a.csv"), longer);
    assert_eq!(folder.read("out/removed.jsonl"), before["removed.jsonl"]);
}

#[test]
fn a_reader_that_has_seen_enough_makes_no_failure() {
    // More than a pipe holds.
    let rows: String = (0..40_000).map(|at| format!("{at},name{at},{}\n", 7_919 * at % 100_003)).collect();
    let folder = Folder::new().with("a.csv", format!("id,name,number\n{rows}"));
    for command in ["dedup a.csv --kind records -o -", "pairs a.csv --kind records --threshold 0.000001"] {
        let mut child = Command::new(env!("CARGO_BIN_EXE_lookalike"))
            .args(command.split_whitespace())
            .current_dir(folder.path(""))
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        drop(child.stdout.take());
        let ended = child.wait_with_output().unwrap();
        assert_eq!(ended.status.code(), Some(0), "{command}: {}", String::from_utf8_lossy(&ended.stderr));
    }
}

#[test]
fn what_cannot_be_done_is_said_with_what_to_do() {
    let folder = Folder::new()
        .with("a.csv", "id,name,addr\n1,anna,x\n2,carl,y\n")
        .with("b.csv", "id,title,address\n1,anna,x\n")
        .with("notes.txt", "id,name\n1,anna\n")
        .with("zero.toml", "kind = \"records\"\nthreshold = 0.0\n")
        .with("sets.csv", "basket,item\n1,milk,rolls\n");
    let file = std::fs::File::create(folder.path("large.json")).unwrap();
    file.set_len(65 << 20).unwrap();
    assert_eq!(folder.run("index create index").code, 0);
    for (arguments, code, said) in [
        (
            "pairs - --kind records",
            2,
            "standard input was taken for plain text, which has no fields\nnext: if it is a table, say which: --format csv",
        ),
        ("pairs notes.txt --kind records", 2, "notes.txt was taken for plain text"),
        (
            "pairs a.csv --kind records --fields name,addr=nosuch",
            2,
            "no source has the field `nosuch`; its fields are: `id`, `name`, `addr`",
        ),
        ("pairs a.csv --kind records --fields nam", 2, "did you mean `name`?"),
        ("pairs a.csv --against b.csv --kind records --fields name=titel", 2, "did you mean `title`?"),
        (
            "pairs a.csv --kind records --model large.json",
            3,
            "large.json has more than 64MiB, and is not a model of records",
        ),
        (
            "pairs --against index --kind records -- a.csv",
            2,
            "index is an index, and an index has no records",
        ),
        (
            "pairs a.csv --kind records --threshold 0",
            2,
            "--threshold 0 would make every compared pair a match",
        ),
        ("pairs a.csv --config zero.toml", 2, "threshold = 0 (zero.toml, line 2) would make"),
        ("compare --corpus a.csv --kind records --threshold 0 -- 1 2", 2, "--threshold 0 would make"),
        ("pairs a.csv --kind records --recall 0.9 --block name", 2, "--recall has no effect with --block"),
        (
            "pairs a.csv --kind records --recall 0.9 --model large.json",
            2,
            "--recall has no effect with --model",
        ),
        (
            "pairs sets.csv --kind sets --set-of basket --items item",
            3,
            "next: --on-bad-record skip lists such rows as removed\n",
        ),
    ] {
        let run = folder.run_with(arguments, b"id,name\n1,anna\n2,anna\n");
        assert!(run.code == code && run.stderr.contains(said), "{arguments}: {run}");
    }
    // The advice works.
    let run = folder.run_with("pairs - --kind records --format csv", b"id,name\n1,anna\n2,anna\n");
    assert!(run.code == 0 && run.stdout.starts_with("1\t2\t"), "{run}");
    // Both names of a field are there, each in a table of its own.
    let run = folder.run("pairs a.csv --against b.csv --kind records --fields name=title,addr=address");
    assert!(run.code == 0, "{run}");
    let run = folder.run("pairs a.csv --kind records --recall 0.9");
    assert!(run.code == 0, "{run}");
}

#[test]
fn answers_that_contradict_the_weights_say_nothing_of_precision() {
    let folder = Folder::new().with("customers.csv", customers());
    let asked = folder.run_with("label customers.csv -o labels.tsv", &b"n\n".repeat(60));
    assert_eq!(asked.code, 0, "{asked}");
    let last = asked.stderr.lines().rfind(|line| line.contains("at a probability of")).unwrap();
    assert!(last.contains("cannot be told"), "{last}");
    assert!(!asked.stderr.contains("precision 1.000 (standard error 0.000)"), "{asked}");
}

#[test]
fn the_help_of_label_has_only_flags_that_it_takes() {
    let folder = Folder::new().with("a.csv", customers());
    let help = folder.run("label --help").stdout;
    for flag in ["--shingles", "--measure", "--labels <", "--text-field", "--set-of", "--preset", "--kind <"]
    {
        assert!(!help.contains(flag), "{flag} in {help}");
    }
    for flag in ["--threshold", "--recall", "--against", "--fields", "--one-to-one", "--format", "--memory"] {
        assert!(help.contains(flag), "{flag} in {help}");
    }
    assert!(help.contains("[default: 0.5]"), "{help}");
    // What is hidden is still refused by name.
    let run = folder.run("label a.csv -o l.tsv --shingles words:3");
    assert!(run.code == 2 && run.stderr.contains("--shingles has no effect"), "{run}");
}
