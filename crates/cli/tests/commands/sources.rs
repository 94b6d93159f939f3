//! What is read and what is not: pipes, devices, containers, what runs wrote, names of any bytes, bombs.

use super::lookalike::{Folder, Outcome};
use std::ffi::OsStr;
use std::io::Write;
use std::process::{Command, Stdio};

const LOOKALIKE: &str = env!("CARGO_BIN_EXE_lookalike");

/// Two records of which one is a copy of the other.
const TWICE: &str = "{\"text\":\"one and the same text of a few words\"}\n\
                     {\"text\":\"One and the same text of a few words\"}\n";
const ONCE: &str = "{\"text\":\"one and the same text of a few words\"}\n";

/// Runs `program` in the folder.
fn run_in<A: AsRef<OsStr>>(
    folder: &Folder,
    program: &str,
    arguments: impl IntoIterator<Item = A>,
) -> Outcome {
    let output = Command::new(program)
        .args(arguments)
        .current_dir(folder.path(""))
        .stdin(Stdio::null())
        .output()
        .unwrap();
    Outcome {
        code: output.status.code().unwrap(),
        stdout: String::from_utf8(output.stdout).unwrap(),
        stderr: String::from_utf8(output.stderr).unwrap(),
    }
}

/// Runs a line of the shell, in which `$0` is the command.
fn shell(folder: &Folder, line: &str) -> Outcome {
    run_in(folder, "bash", ["-c", line, LOOKALIKE])
}

#[cfg(unix)]
#[test]
fn pipes_are_read_as_files_are() {
    let folder = Folder::new().with("a.jsonl", TWICE).with("b.jsonl", ONCE);
    let outcome = shell(&folder, "$0 dedup <(cat a.jsonl) -o out");
    assert_eq!(outcome.code, 0, "{outcome}");
    let written: Vec<_> =
        std::fs::read_dir(folder.path("out")).unwrap().flatten().map(|e| e.file_name()).collect();
    let written = written
        .iter()
        .filter_map(|name| name.to_str())
        .find(|name| name.ends_with(".jsonl") && *name != "removed.jsonl");
    assert_eq!(folder.read(&format!("out/{}", written.unwrap())), ONCE);

    // A named pipe keeps its name. The same command with the same contents is the same run, and with others it is not.
    let line = "mkfifo p.jsonl 2>/dev/null; cat a.jsonl > p.jsonl & $0 dedup p.jsonl -o named";
    let outcome = shell(&folder, line);
    assert_eq!(outcome.code, 0, "{outcome}");
    assert_eq!(folder.read("named/p.jsonl"), ONCE);
    let outcome = shell(&folder, line);
    assert_eq!(outcome.code, 0, "{outcome}");
    assert!(outcome.stderr.contains("already"), "{outcome}");
    let outcome = shell(&folder, "cat b.jsonl > p.jsonl & $0 dedup p.jsonl -o named");
    assert_eq!(outcome.code, 4, "{outcome}");
    assert!(outcome.stderr.contains("p.jsonl has changed since the run in named began"), "{outcome}");
    let outcome = shell(&folder, "$0 inspect named --id p.jsonl:2");
    assert!(
        outcome.stdout.contains("p.jsonl:1") || outcome.stderr.contains("cannot be read again"),
        "{outcome}"
    );

    // As what to compare against, as a question, and as texts; two at a time.
    let outcome = shell(&folder, "$0 dedup a.jsonl --against <(cat b.jsonl) -o against");
    assert_eq!(outcome.code, 0, "{outcome}");
    assert_eq!(folder.read("against/a.jsonl"), "");
    let outcome = shell(&folder, "$0 query <(cat a.jsonl) --text-file <(echo one and the same text)");
    assert!(outcome.stdout.lines().count() >= 2, "{outcome}");
    let outcome = shell(&folder, "$0 compare <(cat a.jsonl) <(cat b.jsonl)");
    assert_eq!(outcome.code, 0, "{outcome}");
    let outcome = shell(&folder, "$0 pairs <(cat a.jsonl) <(gzip -c b.jsonl)");
    assert_eq!(outcome.stdout.lines().filter(|line| line.contains("/dev/fd/")).count(), 3, "{outcome}");
    let outcome = shell(&folder, "$0 sketch <(cat a.jsonl) -o a.sketch");
    assert!(outcome.code == 2 && outcome.stderr.contains("cannot be sketched"), "{outcome}");
    // Nothing is left of the copies.
    std::fs::create_dir(folder.path("copies")).unwrap();
    let outcome = shell(&folder, "$0 pairs <(cat a.jsonl) - --temp-dir copies < b.jsonl");
    assert_eq!(outcome.code, 0, "{outcome}");
    assert_eq!(std::fs::read_dir(folder.path("copies")).unwrap().count(), 0);
}

#[cfg(unix)]
#[test]
fn what_never_ends_is_refused() {
    let folder = Folder::new().with("a.jsonl", ONCE);
    for line in [
        "$0 dedup /dev/zero -o out",
        "$0 dedup a.jsonl --against /dev/urandom -o out",
        "$0 dedup - -o out < /dev/zero",
        "$0 query a.jsonl --text-file /dev/zero",
        "$0 compare a.jsonl /dev/zero",
    ] {
        let outcome = shell(&folder, line);
        assert!(outcome.code == 2 && outcome.stderr.contains("which may never end"), "{line}: {outcome}");
    }
    // One that ends is read.
    assert_eq!(shell(&folder, "$0 dedup - -o empty < /dev/null").code, 0);
}

#[test]
fn a_sketch_is_not_a_text() {
    let folder = Folder::new().with("a.jsonl", TWICE).with("texts/b.txt", "a text");
    assert_eq!(folder.run("sketch a.jsonl -o a.sketch").code, 0);
    for command in [
        "dedup a.jsonl --against a.sketch -o out",
        "dedup a.jsonl --against a.sketch --format text -o out",
        "pairs a.jsonl --against a.sketch",
        "query a.jsonl --text-file a.sketch",
        "compare a.jsonl a.sketch",
    ] {
        let outcome = folder.run(command);
        assert!(outcome.code == 2 && outcome.stderr.contains("sketch file"), "{command}: {outcome}");
        assert!(outcome.stderr.contains("sources"), "it says what to give instead: {outcome}");
    }
    std::fs::copy(folder.path("a.sketch"), folder.path("texts/a.sketch")).unwrap();
    let outcome = folder.run("dedup texts -o out");
    assert_eq!(outcome.code, 0, "{outcome}");
    assert!(outcome.stderr.contains("texts/a.sketch is skipped: it is a sketch file"), "{outcome}");
    assert!(!folder.path("out/a.sketch").exists());
}

#[test]
fn bzip2_and_xz_in_and_out() {
    for (program, name) in [("bzip2", "a.jsonl.bz2"), ("xz", "a.jsonl.xz")] {
        let folder = Folder::new().with("a.jsonl", TWICE);
        let made = run_in(&folder, program, ["-k", "a.jsonl"]);
        assert_eq!(made.code, 0, "{made}");
        let outcome = folder.run(&format!("dedup {name} -o out --memory 64MiB"));
        assert_eq!(outcome.code, 0, "{outcome}");
        let back = run_in(&folder, program, ["-dc", &format!("out/{name}")]);
        assert_eq!(back.stdout, ONCE, "{back}");
    }
}

#[test]
fn what_runs_wrote_is_not_an_input() {
    let folder =
        Folder::new().with("data/a.jsonl", TWICE).with("data/b.jsonl", "{\"text\":\"something else\"}\n");
    let first = folder.run("dedup data -o data/out");
    assert_eq!(first.code, 0, "{first}");
    assert!(!first.stderr.contains("skipped"), "{first}");
    // The same command finds the same sources, and so the finished run.
    let again = folder.run("dedup data -o data/out");
    assert_eq!(again.code, 0, "{again}");
    assert!(again.stderr.contains("data/out is skipped: it is the target of this run"), "{again}");
    assert!(again.stderr.contains("already"), "{again}");
    // Another run beside it does not see it either.
    let beside = folder.run("dedup data -o data/other");
    assert_eq!(beside.code, 0, "{beside}");
    assert!(beside.stderr.contains("data/out is skipped: it holds what an earlier run"), "{beside}");
    assert_eq!(std::fs::read_dir(folder.path("data/other")).unwrap().count(), 5, "{beside}");
    let refused = folder.run("dedup data -o data");
    assert!(refused.code == 2 && refused.stderr.contains("both an input and the target"), "{refused}");
}

#[cfg(target_os = "linux")]
#[test]
fn names_of_any_bytes_go_through() {
    use std::os::unix::ffi::OsStrExt;
    let folder = Folder::new().with("in/plain.jsonl", ONCE);
    let names = [&b"caf\xe9.jsonl"[..], b"caf\xe8.jsonl", b"caf\\xe9.jsonl"].map(OsStr::from_bytes);
    for (number, name) in names.iter().enumerate() {
        let text = format!("{{\"text\":\"text number {number} of a few words\"}}\n");
        std::fs::write(folder.path("in").join(name), text.repeat(2)).unwrap();
    }
    for flags in ["", "--annotate"] {
        let out = format!("out{}", flags.len());
        let outcome = folder.run(&format!("dedup in -o {out} {flags}"));
        assert_eq!(outcome.code, 0, "{outcome}");
        for (number, name) in names.iter().enumerate() {
            let written = std::fs::read_to_string(folder.path(&out).join(name)).unwrap();
            assert!(written.contains(&format!("text number {number} ")), "{written}");
            assert_eq!(written.lines().count(), if flags.is_empty() { 1 } else { 2 });
        }
        // It is found to be finished, and can be asked about.
        let again = folder.run(&format!("dedup in -o {out} {flags}"));
        assert!(again.code == 0 && again.stderr.contains("already"), "{again}");
        let asked = folder.run(&format!("inspect {out} --id in/caf\\xe9.jsonl:2"));
        assert_eq!(asked.code, 0, "{asked}");
        assert!(asked.stdout.contains("text number 0"), "{asked}");
    }
    // An unfinished run goes on: what it wrote of the others is left, the one that is missing is made.
    let missing = folder.path("out0").join(names[0]);
    std::fs::remove_file(&missing).unwrap();
    std::fs::remove_file(folder.path("out0/report.json")).unwrap();
    let resumed = folder.run("dedup in -o out0");
    assert_eq!(resumed.code, 0, "{resumed}");
    assert!(missing.exists());
    // As an argument, and in a sketch.
    let named = run_in(
        &folder,
        LOOKALIKE,
        [
            OsStr::new("sketch"),
            // No other file has the name that this one is shown by.
            OsStr::from_bytes(b"in/caf\xe8.jsonl"),
            OsStr::new("-o"),
            OsStr::new("s.sketch"),
        ],
    );
    assert_eq!(named.code, 0, "{named}");
    let outcome = folder.run("dedup s.sketch -o sketched");
    assert_eq!(outcome.code, 0, "{outcome}");
    assert!(folder.path("sketched").join(names[1]).exists());
}

#[test]
fn a_run_that_goes_on_from_its_sources_forgets_the_sketch_file() {
    let folder = Folder::new().with("a.jsonl", TWICE);
    assert_eq!(folder.run("sketch a.jsonl -o a.sketch").code, 0);
    assert_eq!(folder.run("dedup a.sketch -o out").code, 0);
    // As if it had been killed, and the sketch file were gone.
    std::fs::remove_file(folder.path("out/report.json")).unwrap();
    std::fs::remove_file(folder.path("a.sketch")).unwrap();
    let outcome = folder.run("dedup a.jsonl -o out");
    assert_eq!(outcome.code, 0, "{outcome}");
    let asked = folder.run("inspect out --id a.jsonl:2");
    assert_eq!(asked.code, 0, "{asked}");
}

#[test]
fn a_text_from_standard_input_is_as_long_as_it_is_or_refused() {
    let folder = Folder::new().with("a.jsonl", TWICE);
    let outcome = shell(
        &folder,
        "head -c 9000000 /dev/zero | tr '\\0' x | $0 query a.jsonl --text-file - --memory 64MiB",
    );
    assert!(
        outcome.code == 2 && outcome.stderr.contains("standard input is longer than 8.0 MiB"),
        "{outcome}"
    );
    let outcome = shell(&folder, "printf 'one and the same text' | gzip | $0 query a.jsonl --text-file -");
    assert!(outcome.code == 0 && outcome.stdout.lines().count() >= 2, "{outcome}");
}

#[test]
fn a_window_beyond_the_limit_is_refused() {
    let mut encoder = zstd::Encoder::new(Vec::new(), 1).unwrap();
    encoder.window_log(27).unwrap();
    encoder.write_all(TWICE.as_bytes()).unwrap();
    let folder = Folder::new().with("a.jsonl.zst", encoder.finish().unwrap());
    let outcome = folder.run("dedup a.jsonl.zst -o out --memory 64MiB -j 2");
    assert_eq!(outcome.code, 5, "{outcome}");
    assert!(
        outcome.stderr.contains("a window of 128.0 MiB") && outcome.stderr.contains("raise --memory to"),
        "{outcome}"
    );
    let outcome = folder.run("dedup a.jsonl.zst -o out --memory 1200MiB -j 2");
    assert_eq!(outcome.code, 0, "what it says is enough: {outcome}");
}

#[test]
fn a_bomb_is_a_record_that_is_too_large() {
    // Members of 16 MiB of zeros, 16 GiB in all, in 16 MB.
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::best());
    encoder.write_all(&vec![0; 16 << 20]).unwrap();
    let folder = Folder::new().with("a.jsonl.gz", encoder.finish().unwrap().repeat(1 << 10));
    let outcome = folder.run("dedup a.jsonl.gz -o out --memory 64MiB");
    assert_eq!(outcome.code, 5, "{outcome}");
    assert!(outcome.stderr.contains("a.jsonl.gz, record 1"), "{outcome}");
}

#[test]
fn stores_without_credentials_say_what_to_set() {
    for (address, variable) in [
        ("s3://bucket/a.jsonl", "AWS_ACCESS_KEY_ID"),
        ("gs://bucket/a.jsonl", "GOOGLE_SERVICE_ACCOUNT"),
        ("az://container@account.dfs.core.windows.net/a.jsonl", "AZURE_STORAGE_ACCOUNT_KEY"),
    ] {
        let folder = Folder::new();
        let output = Command::new(LOOKALIKE)
            .args(["dedup", address, "-o", "out"])
            .current_dir(folder.path(""))
            .env_clear()
            .env("HOME", folder.path(""))
            .output()
            .unwrap();
        let said = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(2), "{said}");
        assert!(said.contains(&format!("there are no credentials for {address}")), "{said}");
        assert!(said.contains(variable) && said.contains("LOOKALIKE_INSTANCE_CREDENTIALS=1"), "{said}");
    }
}

#[test]
fn a_finished_run_without_its_outputs_makes_them_again() {
    let folder = Folder::new().with("a.jsonl", TWICE);
    assert_eq!(folder.run("dedup a.jsonl -o out").code, 0);
    for output in ["out/a.jsonl", "out/removed.jsonl"] {
        let before = folder.read(output);
        std::fs::remove_file(folder.path(output)).unwrap();
        let again = folder.run("dedup a.jsonl -o out");
        assert!(again.code == 0 && again.stderr.contains("it is written again"), "{again}");
        assert_eq!(folder.read(output), before);
    }
    let again = folder.run("dedup a.jsonl -o out");
    assert!(again.stderr.contains("already") && !again.stderr.contains("it is written again"), "{again}");
}

#[test]
fn a_large_file_with_another_time_is_named() {
    let text =
        |n: usize| format!("{{\"text\":\"line {n} {}\"}}\n", "of some words that make it long ".repeat(40));
    let folder =
        Folder::new().with("large.jsonl", (0..4_000).map(text).collect::<String>()).with("a.jsonl", TWICE);
    assert_eq!(folder.run("dedup large.jsonl a.jsonl -o out").code, 0);
    for name in ["large.jsonl", "a.jsonl"] {
        let file = std::fs::File::options().append(true).open(folder.path(name)).unwrap();
        file.set_modified(std::time::UNIX_EPOCH).unwrap();
    }
    let again = folder.run("dedup large.jsonl a.jsonl -o out");
    assert!(again.code == 0 && again.stderr.contains("time of large.jsonl has changed"), "{again}");
    assert_eq!(again.stderr.matches("modification time").count(), 1, "a small file is summed whole: {again}");
}

#[test]
fn what_is_too_long_for_the_memory_limit_is_refused() {
    let long = "some words ".repeat(300_000);
    let folder = Folder::new()
        .with("a.jsonl", TWICE)
        .with("long.txt", long.as_bytes())
        .with("short.txt", "a text")
        .with("config.toml", "x".repeat(2 << 20));
    for (command, cause) in [
        ("compare long.txt short.txt --memory 64MiB", "long.txt is longer than 2.0 MiB"),
        ("dedup a.jsonl -o out --config config.toml", "is too long for a settings file"),
        ("dedup a.jsonl -o out --method simhash --weights .", "is not a file"),
    ] {
        let outcome = folder.run(command);
        assert!(outcome.code == 2 && outcome.stderr.contains(cause), "{command}: {outcome}");
        assert!(!folder.path("out").exists(), "{command}");
    }
    assert_eq!(folder.run("compare long.txt short.txt --memory 1GiB").code, 0);
}

#[test]
fn a_page_replaces_no_input() {
    let folder = Folder::new().with("a.jsonl", TWICE).with("b.txt", "a text");
    for command in [
        "dedup a.jsonl -o out --report=a.jsonl",
        "dedup a.jsonl -o out --report=out/report.json",
        "dedup a.jsonl -o out --report=out",
        "compare a.jsonl b.txt --html b.txt",
        "plan --svg a.jsonl",
    ] {
        let outcome = folder.run(command);
        assert_eq!(outcome.code, 2, "{command}: {outcome}");
        assert!(!folder.path("out").exists(), "{command}: {outcome}");
    }
    assert_eq!((folder.read("a.jsonl").as_str(), folder.read("b.txt").as_str()), (TWICE, "a text"));
}

#[test]
fn flags_without_effect_are_refused() {
    let folder = Folder::new().with("a.jsonl", TWICE);
    for flags in [
        "--distance 5",
        "--method simhash --bands 3x3",
        "--method simhash --hashes 64",
        "--measure containment --recall 0.9",
    ] {
        let outcome = folder.run(&format!("dedup a.jsonl -o out {flags}"));
        assert!(outcome.code == 2 && outcome.stderr.contains("has no effect with"), "{flags}: {outcome}");
    }
}

#[cfg(target_os = "linux")]
#[test]
fn standard_input_by_two_names_is_refused() {
    let folder = Folder::new().with("a.jsonl", TWICE);
    for command in [
        "cat a.jsonl | $0 dedup - --against - -o out",
        "cat a.jsonl | $0 dedup - /dev/stdin --dry-run",
        "cat a.jsonl | $0 pairs /dev/fd/0 --against -",
        "cat a.jsonl | $0 compare - /dev/stdin",
        "cat a.jsonl | $0 query /dev/stdin --text-file -",
        "cat a.jsonl | $0 pairs - --against /proc/self/fd/0 --kind records --format jsonl",
    ] {
        let outcome = shell(&folder, command);
        assert!(outcome.code != 0 && outcome.stderr.contains("is named twice"), "{command}: {outcome}");
        assert!(!folder.path("out").exists(), "{command}");
    }
    // A file can be read again.
    assert_eq!(shell(&folder, "$0 dedup - --against a.jsonl -o out < a.jsonl").code, 0);
}

#[cfg(unix)]
#[test]
fn few_open_files_are_enough_or_an_error() {
    let folder = Folder::new().with("a.jsonl", TWICE);
    for files in 5..16 {
        let outcome = shell(&folder, &format!("ulimit -n {files}; $0 dedup a.jsonl -o out-{files}"));
        assert!([0, 1].contains(&outcome.code), "{files}: {outcome}");
        assert!(!outcome.stderr.contains("a bug in lookalike"), "{files}: {outcome}");
    }
}

#[test]
fn records_of_several_files_are_one_stream() {
    let folder = Folder::new()
        .with("a.jsonl", "\u{feff}{\"text\":\"one\"}\n")
        .with("b.jsonl", "\u{feff}\n{\"text\":\"two\"}\n{\"text\":\"three\"}\n");
    let outcome = folder.run("dedup a.jsonl b.jsonl -o - -q");
    assert_eq!(
        outcome.stdout, "\u{feff}{\"text\":\"one\"}\n{\"text\":\"two\"}\n{\"text\":\"three\"}\n",
        "{outcome}"
    );
    // What is written can be read.
    let again = folder.run_with("dedup - -o - -q", outcome.stdout.as_bytes());
    assert_eq!((again.code, again.stdout), (0, outcome.stdout));
}

#[test]
fn short_rows_of_a_table_are_annotated_in_the_right_columns() {
    let folder = Folder::new().with("a.csv", "id,text,extra\n1,aa\n2,aa\n3,\"b,b\",x\n");
    let outcome = folder.run("dedup a.csv --annotate --id-field id -o out");
    assert_eq!(outcome.code, 0, "{outcome}");
    let rows = folder.read("out/a.csv");
    let rows: Vec<&str> = rows.lines().skip(1).collect();
    assert_eq!(rows, ["1,aa,,1,false,,", "2,aa,,1,true,1,1.0", "3,\"b,b\",x,3,false,,"]);
}

#[test]
fn joined_sketch_files_are_refused() {
    let folder = Folder::new().with("a.jsonl", TWICE).with("b.jsonl", ONCE);
    assert_eq!(folder.run("sketch a.jsonl -o a.sketch").code, 0);
    assert_eq!(folder.run("sketch b.jsonl -o b.sketch").code, 0);
    let joined =
        [std::fs::read(folder.path("a.sketch")).unwrap(), std::fs::read(folder.path("b.sketch")).unwrap()];
    std::fs::write(folder.path("ab.sketch"), joined.concat()).unwrap();
    let outcome = folder.run("pairs ab.sketch");
    assert!(outcome.code == 3 && outcome.stderr.contains("goes on after its end"), "{outcome}");
}

#[test]
fn what_a_search_does_not_compare_is_said() {
    let folder = Folder::new().with("a.jsonl", format!("{TWICE}{{\"text\":3}}\nnot json\n"));
    for command in ["pairs a.jsonl", "clusters a.jsonl", "sketch a.jsonl -o a.sketch"] {
        let outcome = folder.run(&format!("{command} --on-bad-record skip"));
        assert!(outcome.code == 0 && outcome.stderr.contains("not compared"), "{command}: {outcome}");
    }
    let outcome = folder.run("query a.jsonl --text one --within group --on-bad-record skip");
    assert!(outcome.code == 2 && outcome.stderr.contains("has no other fields"), "{outcome}");
    let folder = folder.with("b.jsonl", TWICE);
    let outcome = folder.run("dedup b.jsonl -o out --within-days date:3 --on-bad-record skip");
    assert!(outcome.code == 2 && outcome.stderr.contains("`date`"), "{outcome}");
}

#[test]
fn a_run_that_compares_contents_of_other_days_is_looked_into() {
    let line = |id: u32, day: u32| {
        format!("{{\"id\":{id},\"text\":\"one two\\u0000three\",\"day\":\"2024-02-0{day}\"}}\n")
    };
    let folder = Folder::new().with("a.jsonl", [line(1, 1), line(2, 2), line(3, 6)].concat());
    let outcome = folder.run("dedup a.jsonl -o out --id-field id --within-days day:2");
    assert!(outcome.code == 0 && outcome.stderr.contains("kept 2 of 3"), "{outcome}");
    let inspected = folder.run("inspect out --id 2");
    assert!(inspected.code == 0 && inspected.stdout.contains('1'), "{inspected}");
    let again = folder.run("dedup a.jsonl -o out --id-field id --within-days day:2");
    assert!(again.code == 0 && again.stderr.contains("nothing to do"), "{again}");
}
