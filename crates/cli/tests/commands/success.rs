//! Commands that succeed, on a small corpus.

use super::lookalike::Folder;
use serde_json::Value;

/// Twelve words, so that one changed word at the end leaves 7 of 9 shingles of five words in common.
const POEM: &str = "the quick brown fox jumps over the lazy dog and runs away";

/// Four documents: a text, its exact copy (but for case), a near-duplicate of similarity 7/9, something else.
fn corpus() -> Folder {
    let lines = [
        ("one", POEM.to_owned()),
        ("two", POEM.to_uppercase()),
        ("three", POEM.replace("away", "home")),
        ("four", "we hold these truths to be self-evident that all men are created equal".to_owned()),
    ];
    let lines: String =
        lines.iter().map(|(id, text)| format!("{{\"id\":\"{id}\",\"text\":\"{text}\"}}\n")).collect();
    Folder::new().with("corpus.jsonl", lines).with("poem.txt", POEM)
}

const SETTINGS: &str = "--id-field id --threshold 0.7";

fn lines(text: &str) -> Vec<Value> {
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

#[test]
fn dedup_keeps_lines_as_they_are_and_names_what_went() {
    let folder = corpus();
    let outcome = folder.run(&format!("dedup corpus.jsonl -o out {SETTINGS}"));
    insta::assert_snapshot!("dedup", outcome);
    let input = folder.read("corpus.jsonl");
    let input: Vec<&str> = input.lines().collect();
    assert_eq!(folder.read("out/corpus.jsonl"), format!("{}\n{}\n", input[0], input[3]));
    let removed = lines(&folder.read("out/removed.jsonl"));
    let kinds: Vec<(&str, &str, &str)> = removed
        .iter()
        .map(|r| (r["id"].as_str().unwrap(), r["kind"].as_str().unwrap(), r["kept_id"].as_str().unwrap()))
        .collect();
    assert_eq!(kinds, [("two", "exact", "one"), ("three", "near", "one")]);
    assert!((removed[1]["similarity"].as_f64().unwrap() - 7.0 / 9.0).abs() < 1e-12);
    let report: Value = serde_json::from_str(&folder.read("out/report.json")).unwrap();
    assert_eq!(report["settings"]["threshold"], 0.7);
    assert_eq!(report["counts"]["kept"], 2);
}

#[test]
fn a_finished_run_does_nothing_again_and_another_one_is_refused() {
    let folder = corpus();
    assert_eq!(folder.run(&format!("dedup corpus.jsonl -o out {SETTINGS}")).code, 0);
    let before = folder.read("out/report.json");
    let again = folder.run(&format!("dedup corpus.jsonl -o out {SETTINGS}"));
    assert_eq!(again.code, 0);
    assert!(again.stderr.contains("out already holds this finished run"), "{}", again.stderr);
    assert_eq!(folder.read("out/report.json"), before);
    insta::assert_snapshot!("dedup_other_settings", folder.run("dedup corpus.jsonl -o out --threshold 0.2"));
    let folder = folder.with("corpus.jsonl", "{\"id\":\"five\",\"text\":\"changed\"}\n");
    insta::assert_snapshot!(
        "dedup_changed_input",
        folder.run(&format!("dedup corpus.jsonl -o out {SETTINGS}"))
    );
}

#[test]
fn json_is_the_report_and_quiet_says_nothing_else() {
    let folder = corpus();
    let outcome = folder.run(&format!("dedup corpus.jsonl -o out {SETTINGS} --json --quiet"));
    assert_eq!((outcome.code, outcome.stderr.as_str()), (0, ""));
    let printed: Value = serde_json::from_str(&outcome.stdout).unwrap();
    let written: Value = serde_json::from_str(&folder.read("out/report.json")).unwrap();
    assert_eq!(printed, written);
}

#[test]
fn a_dry_run_writes_nothing() {
    let folder = corpus();
    let outcome = folder.run(&format!("dedup corpus.jsonl --dry-run {SETTINGS}"));
    insta::assert_snapshot!("dedup_dry_run", outcome);
    let named = folder.run(&format!("dedup corpus.jsonl -o out --dry-run {SETTINGS}"));
    assert_eq!(named.code, 0);
    assert!(!folder.path("out").exists());
}

#[test]
fn a_pipe_gives_kept_records() {
    let folder = corpus();
    let input = folder.read("corpus.jsonl");
    let outcome = folder.run_with(&format!("dedup - -o - {SETTINGS} --quiet"), input.as_bytes());
    let kept: Vec<&str> = input.lines().collect();
    assert_eq!((outcome.code, outcome.stdout), (0, format!("{}\n{}\n", kept[0], kept[3])));
}

#[test]
fn annotated_records_all_stay() {
    let folder = corpus();
    assert_eq!(folder.run(&format!("dedup corpus.jsonl -o out {SETTINGS} --annotate")).code, 0);
    let records = lines(&folder.read("out/corpus.jsonl"));
    assert_eq!(records.len(), 4);
    let duplicate: Vec<bool> = records.iter().map(|r| r["lookalike_duplicate"].as_bool().unwrap()).collect();
    assert_eq!(duplicate, [false, true, true, false]);
    assert_eq!(records[2]["lookalike_kept_id"], "one");
}

#[test]
fn against_removes_what_was_there_before() {
    let folder = corpus().with("new.jsonl", format!("{{\"id\":\"new\",\"text\":\"{POEM}\"}}\n"));
    let outcome = folder.run(&format!("dedup new.jsonl -o out {SETTINGS} --against corpus.jsonl"));
    assert_eq!(outcome.code, 0, "{}", outcome.stderr);
    assert_eq!(folder.read("out/new.jsonl"), "");
    assert_eq!(lines(&folder.read("out/removed.jsonl"))[0]["kept_id"], "one");
    assert!(!folder.path("out/corpus.jsonl").exists());
}

#[test]
fn a_settings_file_and_flags_over_it() {
    let folder = corpus().with("lookalike.toml", "threshold = 0.99\nid-field = \"id\"\nkeep = \"longest\"\n");
    let run = |flags: &str| {
        let outcome =
            folder.run(&format!("dedup corpus.jsonl --dry-run --json --config lookalike.toml {flags}"));
        serde_json::from_str::<Value>(&outcome.stdout).unwrap()
    };
    let report = run("");
    assert_eq!((&report["settings"]["keep"], &report["counts"]["kept"]), (&"longest".into(), &3.into()));
    assert_eq!(run("--threshold 0.7")["counts"]["kept"], 2);
}

#[test]
fn pairs_clusters_and_queries() {
    let folder = corpus();
    for (name, arguments) in [
        ("pairs", format!("pairs corpus.jsonl {SETTINGS}")),
        ("pairs_json", format!("pairs corpus.jsonl {SETTINGS} --json")),
        ("pairs_simhash", "pairs corpus.jsonl --id-field id --method simhash --verify none".to_owned()),
        ("clusters", format!("clusters corpus.jsonl {SETTINGS}")),
        ("clusters_json", format!("clusters corpus.jsonl {SETTINGS} --json")),
        ("query", "query corpus.jsonl --id-field id --text-file poem.txt".to_owned()),
        ("query_top", "query corpus.jsonl --id-field id --text-file poem.txt --top 1 --json".to_owned()),
        ("query_none", "query corpus.jsonl --text nothing".to_owned()),
    ] {
        insta::assert_snapshot!(name, folder.run(&arguments));
    }
    let piped = folder.run_with("query corpus.jsonl --id-field id --text-file -", POEM.as_bytes());
    assert_eq!(piped.stdout, folder.run("query corpus.jsonl --id-field id --text-file poem.txt").stdout);
}

#[test]
fn a_sketch_gives_what_its_sources_give() {
    let folder = corpus();
    insta::assert_snapshot!("sketch", folder.run("sketch corpus.jsonl -o corpus.sketch --id-field id"));
    for store in ["signatures", "shingles"] {
        let sketch = format!("sketch corpus.jsonl -o {store}.sketch --id-field id --store {store}");
        assert_eq!(folder.run(&sketch).code, 0);
        assert_eq!(
            folder.run(&format!("pairs {store}.sketch --threshold 0.7")).stdout,
            folder.run(&format!("pairs corpus.jsonl {SETTINGS}")).stdout
        );
        assert_eq!(folder.run(&format!("dedup {store}.sketch -o {store} --threshold 0.7")).code, 0);
        assert_eq!(folder.run(&format!("dedup corpus.jsonl -o plain-{store} {SETTINGS}")).code, 0);
        for file in ["corpus.jsonl", "removed.jsonl"] {
            assert_eq!(
                folder.read(&format!("{store}/{file}")),
                folder.read(&format!("plain-{store}/{file}"))
            );
        }
    }
    assert_eq!(folder.run("dedup corpus.sketch -o c --measure containment").code, 2);
    assert_eq!(folder.run("dedup corpus.sketch -o c --keep max:id").code, 2);
    insta::assert_snapshot!("sketch_contradicted", folder.run("pairs corpus.sketch --hashes 64"));
}

#[test]
fn a_sketch_is_made_for_one_measure() {
    let folder = corpus();
    let sketch = "sketch corpus.jsonl -o small.sketch --id-field id --measure containment";
    assert_eq!(folder.run(sketch).code, 0);
    assert_eq!(
        folder.run("pairs small.sketch --threshold 0.7 --quiet").stdout,
        folder.run("pairs corpus.jsonl --id-field id --threshold 0.7 --measure containment --quiet").stdout
    );
    let outcome = folder.run("pairs small.sketch --measure jaccard");
    let expected = "--measure jaccard does not fit small.sketch, which was made with --measure containment";
    assert!(outcome.code == 2 && outcome.stderr.contains(expected), "{outcome}");
    // A settings file says the same as the flag.
    let folder = folder.with("c.toml", "measure = \"containment\"\n");
    assert_eq!(folder.run("sketch corpus.jsonl -o other.sketch --id-field id --config c.toml").code, 0);
    assert_eq!(folder.run("pairs other.sketch --measure containment").code, 0);
    let outcome = folder.run("pairs corpus.jsonl --config c.toml --hashes 64");
    let expected = "--hashes has no effect with measure = \"containment\" (c.toml, line 1)";
    assert!(outcome.code == 2 && outcome.stderr.contains(expected), "{outcome}");
}

#[test]
fn standard_input_is_copied_and_compared_with_nothing_older() {
    let folder = corpus();
    let input = folder.read("corpus.jsonl");
    let run = format!("dedup - -o out {SETTINGS} --temp-dir spool");
    std::fs::create_dir(folder.path("spool")).unwrap();
    assert_eq!(folder.run_with(&run, input.as_bytes()).code, 0);
    assert_eq!(folder.read("out/stdin.jsonl").lines().count(), 2);
    assert_eq!(std::fs::read_dir(folder.path("spool")).unwrap().count(), 0, "nothing stays there");
    // The same input is the same run; another one is another, even if it is as long.
    let again = folder.run_with(&run, input.as_bytes());
    assert_eq!(again.code, 0, "{again}");
    let other = input.replacen('a', "b", 1);
    let again = folder.run_with(&run, other.as_bytes());
    assert_eq!(again.code, 4, "{again}");
    let packed = zstd::encode_all(input.as_bytes(), 1).unwrap();
    let outcome = folder.run_with(&format!("pairs - {SETTINGS} --quiet"), &packed);
    assert_eq!(outcome.stdout, folder.run(&format!("pairs corpus.jsonl {SETTINGS}")).stdout);
}
