//! Records and their fields: what is refused, what is counted, how records and clusters are called.

use super::lookalike::{Folder, Outcome};
use serde_json::Value;

fn lines(text: &str) -> Vec<Value> {
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

fn report(folder: &Folder, target: &str) -> Value {
    serde_json::from_str(&folder.read(&format!("{target}/report.json"))).unwrap()
}

#[track_caller]
fn says(outcome: &Outcome, code: i32, words: &[&str]) {
    assert_eq!(outcome.code, code, "{outcome}");
    for word in words {
        assert!(outcome.stderr.contains(word), "`{word}` is not in:\n{outcome}");
    }
}

const LIKE: &str = "one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen";

#[test]
fn a_field_that_no_record_has_is_refused_with_the_fields_there_are() {
    let folder = Folder::new()
        .with(
            "a.jsonl",
            "{\"text\":\"a\",\"stars\":1,\"meta\":{\"doc\":7}}\n{\"text\":\"b\",\"lang\":\"en\"}\n",
        )
        .with("t/a.txt", "a text");
    let all = "its fields are: `text`, `stars`, `meta`, `lang`";
    let flags = [
        ("--id-field sters", "no record has the field `sters`", "did you mean `stars`?"),
        ("--within language", "--within language: no record has the field `language`", "`lang`"),
        ("--keep max:date", "--keep max:date: no record has the field `date`", all),
        ("--keep min:date", "--keep min:date: no record has the field `date`", all),
        ("--id-field meta.dok", "no record has the field `meta.dok`", "did you mean `meta.doc`?"),
    ];
    for (number, (flag, refusal, fields)) in flags.into_iter().enumerate() {
        says(&folder.run(&format!("dedup a.jsonl -o out-{number} {flag}")), 2, &[refusal, fields]);
        // Pairs have no keep order.
        if !flag.starts_with("--keep") {
            says(&folder.run(&format!("pairs a.jsonl {flag}")), 2, &[refusal, fields]);
        }
        assert!(!folder.path(&format!("out-{number}/report.json")).exists());
    }
    says(&folder.run("query a.jsonl --text a --id-field sters"), 2, &["no record has the field `sters`"]);
    says(&folder.run("dedup t -o text --id-field id"), 2, &["text files have no fields"]);
    // Nothing can be said about no records, and null is a value that is missing from a field that is there.
    let folder = Folder::new().with("a.jsonl", "\n").with("b.jsonl", "{\"text\":\"a\",\"id\":null}\n");
    says(&folder.run("dedup a.jsonl -o out --id-field id"), 0, &[]);
    says(&folder.run("dedup b.jsonl -o null --id-field id"), 0, &["without id"]);
    assert_eq!(report(&folder, "null")["counts"]["null_id"], 1);
}

#[test]
fn a_mistyped_field_of_the_text_does_not_make_every_record_a_bad_one() {
    let folder =
        Folder::new().with("a.jsonl", "{\"text\":\"a\"}\n").with("b.jsonl", "{\"text\":\"b\"}\n{\"n\":1}\n");
    for (number, choice) in ["skip", "keep"].into_iter().enumerate() {
        let flags = format!("--text-field body --on-bad-record {choice}");
        let refusal = ["--text-field body: no record has the field `body`", "`text`"];
        says(&folder.run(&format!("dedup a.jsonl b.jsonl -o out-{number} {flags}")), 2, &refusal);
        assert!(!folder.path(&format!("out-{number}/report.json")).exists());
        says(&folder.run(&format!("dedup b.jsonl -o some-{number} --on-bad-record {choice}")), 0, &[]);
        assert_eq!(report(&folder, &format!("some-{number}"))["counts"]["absent_text"], 1);
    }
}

#[test]
fn a_repeated_id_is_said_when_it_is_compared() {
    let lines = format!("{{\"id\":1,\"text\":\"{LIKE}\"}}\n").repeat(2) + "{\"id\":2,\"text\":\"other\"}\n";
    let folder = Folder::new().with("a.jsonl", lines);
    let outcome = folder.run("compare 1 2 --corpus a.jsonl --id-field id");
    says(&outcome, 0, &["several documents have the id 1; the first one is used"]);
    let outcome = folder.run("compare a.jsonl:2 2 --corpus a.jsonl --id-field id");
    assert!(outcome.code == 0 && !outcome.stderr.contains("several documents"), "{outcome}");
}

#[test]
fn a_recall_is_unknown_where_the_plan_finds_nearly_nothing() {
    // The same shingles, one of them more often: similar, and no copy.
    let lines = "{\"text\":\"a b a b a b\"}\n{\"text\":\"a b a b a b a b\"}\n";
    let folder = Folder::new().with("a.jsonl", lines);
    let outcome = folder.run("dedup a.jsonl -o out --shingles words:2 --bands 2x60");
    says(&outcome, 0, &["recall", "unknown", "the plan finds 0.0 % of the pairs at the threshold"]);
    assert!(report(&folder, "out")["recall"].is_null());
    let outcome = folder.run("dedup a.jsonl -o usual --shingles words:2");
    says(&outcome, 0, &["estimated from 1 pair"]);
}

#[test]
fn a_place_that_is_not_there_is_noticed_before_anything_is_read() {
    let folder = Folder::new().with("a.jsonl", "{\"text\":\"a\"}\n").with("file", "");
    says(
        &folder.run("dedup a.jsonl -o out --temp-dir nowhere"),
        2,
        &["--temp-dir nowhere is not allowed: No such file"],
    );
    says(
        &folder.run("dedup a.jsonl -o out --temp-dir file"),
        2,
        &["--temp-dir file is not allowed: it is not a folder"],
    );
    says(&folder.run("dedup a.jsonl --output="), 2, &["the target has no name; name a folder"]);
    assert!(!folder.path("out").exists() && !folder.path("report.json").exists());
}

/// A value from a settings file is named with its line, whatever is wrong with it.
#[test]
fn what_a_settings_file_says_is_named_with_its_line() {
    for (written, expected) in [
        (
            "shingles = \"words:0\"",
            "shingles = \"words:0\" (c.toml, line 1) is not allowed: a shingle has 1 to",
        ),
        ("temp-dir = \"nowhere\"", "temp-dir = \"nowhere\" (c.toml, line 1) is not allowed: No such file"),
        ("against = [\"none.jsonl\"]", "against (c.toml, line 1): there is no file or folder none.jsonl"),
        ("memory = 4", "memory (c.toml, line 1) without a unit is a number of bytes; for 4 GiB write 4G"),
    ] {
        let folder = Folder::new().with("a.jsonl", "{\"text\":\"a\"}\n").with("c.toml", written);
        let outcome = folder.run("dedup a.jsonl -o out --config c.toml");
        assert!(outcome.code != 0 && outcome.stderr.contains(expected), "{outcome}");
    }
}

#[test]
fn a_format_that_cannot_be_meant_is_explained() {
    let folder = Folder::new().with("a.jsonl", "{\"text\":\"a\"}\n").with("t.csv", "id\ttext\n1\tone\n");
    assert_eq!(folder.run("sketch a.jsonl -o a.sketch").code, 0);
    says(
        &folder.run("dedup a.sketch -o out --format csv"),
        2,
        &["--format cannot be used with a sketch file"],
    );
    says(&folder.run("dedup t.csv -o out"), 2, &["separated by tabs, write --format tsv"]);
}

#[test]
fn documents_that_lack_a_field_are_counted() {
    let folder = Folder::new().with(
        "a.jsonl",
        "{\"text\":\"a\",\"id\":1,\"n\":1,\"w\":1}\n{\"text\":\"b\"}\n{\"text\":\"c\",\"id\":null,\"n\":\"x\",\"w\":null}\n{\"text\":\"d\",\"n\":{}}\n",
    );
    let outcome = folder.run("dedup a.jsonl -o out --id-field id --keep max:n --within w");
    says(&outcome, 0, &["without id", "without value", "mixed values", "without group"]);
    let counts = &report(&folder, "out")["counts"];
    for (name, count) in [
        ("absent_id", 2),
        ("null_id", 1),
        ("absent_order", 1),
        ("null_order", 1),
        ("absent_within", 2),
        ("null_within", 1),
    ] {
        assert_eq!(counts[name], count, "{name}");
    }
    assert_eq!(counts["order_kinds"], serde_json::json!({"numbers": 1, "text": 1}));
    // What was not asked for is not counted.
    assert_eq!(folder.run("dedup a.jsonl -o plain").code, 0);
    assert_eq!(report(&folder, "plain")["counts"]["null_id"], 0);
}

#[test]
fn the_keep_order_compares_dates_and_long_integers() {
    let kept = |values: [&str; 4], keep: &str| {
        let records: String = values
            .iter()
            .enumerate()
            .map(|(n, value)| format!("{{\"id\":{n},\"text\":\"{LIKE}\",\"v\":{value}}}\n"))
            .collect();
        let folder = Folder::new().with("a.jsonl", records);
        says(&folder.run(&format!("dedup a.jsonl -o out --keep {keep}:v")), 0, &[]);
        lines(&folder.read("out/a.jsonl"))[0]["id"].as_u64().unwrap()
    };
    let dates = ["\"2024-05-01\"", "\"2024-05-02\"", "\"2023-12-31\"", "null"];
    assert_eq!((kept(dates, "max"), kept(dates, "min")), (1, 2));
    let integers = ["9007199254740992", "9007199254740993", "9007199254740991", "\"\""];
    assert_eq!((kept(integers, "max"), kept(integers, "min")), (1, 2));
    let longer = ["123456789012345678901234567890", "1e29", "123456789012345678901234567891", "-1e40"];
    assert_eq!((kept(longer, "max"), kept(longer, "min")), (2, 3));
    let mixed = ["\"a\"", "10", "true", "\"9\""];
    assert_eq!((kept(mixed, "max"), kept(mixed, "min")), (0, 2));
}

#[test]
fn a_bad_record_keeps_its_id() {
    let folder = Folder::new()
        .with("a.jsonl", "{\"id\":\"x\",\"text\":null}\n{\"text\":\"a\",\"id\":1}\nnot json\n\n{\"id\":7}\n")
        .with("b.csv", "id,text\ny\nz,b\n");
    let outcome = folder.run("dedup a.jsonl b.csv -o out --id-field id --on-bad-record skip");
    says(&outcome, 0, &["4 skipped"]);
    let removed = lines(&folder.read("out/removed.jsonl"));
    let named: Vec<(&str, u64)> =
        removed.iter().map(|row| (row["id"].as_str().unwrap(), row["line"].as_u64().unwrap())).collect();
    assert_eq!(named, [("x", 1), ("a.jsonl:3", 3), ("7", 5), ("y", 1)]);
    assert!(removed[2]["reason"].as_str().unwrap().ends_with("its fields are: `id`"), "{}", removed[2]);
}

#[test]
fn clusters_have_names_of_their_own_and_ids_keep_their_type() {
    let other = LIKE
        .replace("one", "alpha")
        .replace("three", "beta")
        .replace("seven", "gamma")
        .replace("twelve", "delta");
    let records =
        |text: &str| format!("{{\"id\":1,\"text\":\"{text}\"}}\n{{\"id\":\"1\",\"text\":\"{text}\"}}\n");
    let folder = Folder::new()
        .with(
            "a.jsonl",
            records(LIKE) + "{\"id\":2.50,\"text\":\"something else\"}\n{\"id\":\"z#9\",\"text\":\"z\"}\n",
        )
        .with("b.jsonl", records(&other) + "{\"id\":3,\"text\":\"something else\"}\n{\"text\":\"no id\"}\n");
    says(&folder.run("dedup a.jsonl b.jsonl -o out --id-field id --annotate"), 0, &[]);
    let written = folder.read("out/a.jsonl") + &folder.read("out/b.jsonl");
    let named: Vec<String> = lines(&written)
        .iter()
        .map(|record| format!("{} {}", record["lookalike_cluster"], record["lookalike_kept_id"]))
        .collect();
    assert_eq!(
        named,
        [
            "\"1#1\" null",
            "\"1#1\" 1",
            "2.5 null",
            "\"z#9#4\" null",
            "\"1#5\" null",
            "\"1#5\" 1",
            "2.5 2.5",
            "\"b.jsonl:4\" null"
        ]
    );
    assert!(written.contains("\"lookalike_cluster\": 2.50, "), "{written}");
}

#[test]
fn blank_lines_are_counted_and_cost_nothing() {
    let record = |n: usize| format!("{{\"text\":\"{LIKE} {n}\"}}\n");
    let corpus = format!("\n \n{}\n\r\n{}{}\t\n{}\n\n", record(1), record(2), record(1), record(3));
    let folder = Folder::new().with("a.jsonl", &corpus).with("b.jsonl", "\n".repeat(300_000));
    says(&folder.run("dedup a.jsonl b.jsonl -o out"), 0, &["blank lines"]);
    assert_eq!(folder.read("out/b.jsonl"), "");
    assert_eq!(report(&folder, "out")["counts"]["blank_lines"], 300_007);
    assert_eq!(report(&folder, "out")["counts"]["documents"], 4);
    let removed = lines(&folder.read("out/removed.jsonl"));
    let copies: Vec<&Value> = removed.iter().filter(|row| row["kind"] == "exact").collect();
    assert_eq!((&copies[0]["line"], &copies[0]["kept_line"]), (&7.into(), &3.into()), "{removed:?}");
    let sketches = std::fs::read_dir(folder.path("out/_lookalike/sketches")).unwrap();
    let bytes: u64 = sketches.map(|file| file.unwrap().metadata().unwrap().len()).sum();
    assert!(bytes < 10_000, "{bytes}");
    // A run is asked about lines as they are in the file.
    says(&folder.run("inspect out --id a.jsonl:7"), 0, &[]);
    says(&folder.run("inspect out --id a.jsonl:4"), 2, &["no document"]);
}

#[test]
fn messages_say_record_and_line_where_they_differ() {
    let folder = Folder::new()
        .with("a.csv", "id,text\n1,\"two\nlines\"\n\n2,\"three\n\nlines\"\n3\n")
        .with("a.jsonl", "\n{\"text\":\"a\"}\n\n{\"body\":1}\n");
    says(&folder.run("dedup a.csv -o out"), 3, &["a.csv, record 4 (line 8): it has 1 of 2 fields"]);
    says(&folder.run("query a.csv --text a"), 3, &["a.csv, record 4 (line 8): it has 1 of 2 fields"]);
    says(
        &folder.run("dedup a.jsonl -o out"),
        3,
        &["a.jsonl, line 4: the field `text` is missing; its fields are: `body`"],
    );
}

#[test]
fn a_hundred_thousand_levels_are_a_bad_record() {
    let deep = format!("{{\"text\":\"a\",\"x\":{}{}}}\n", "[".repeat(100_000), "]".repeat(100_000));
    let folder = Folder::new().with("a.jsonl", deep);
    says(&folder.run("dedup a.jsonl -o out"), 3, &["a.jsonl, line 1: it is not valid JSON: nested too deep"]);
    says(&folder.run("dedup a.jsonl -o skipped --on-bad-record skip"), 0, &[]);
    says(&folder.run("dedup a.jsonl -o marked --on-bad-record keep --annotate"), 0, &[]);
    assert_eq!(folder.read("marked/a.jsonl"), folder.read("a.jsonl"));
}

#[test]
fn an_edited_file_of_weights_is_another_run() {
    let folder = Folder::new()
        .with("a.jsonl", format!("{{\"text\":\"{LIKE}\"}}\n"))
        .with("w.tsv", "one two three four five\t2\n");
    let run = "dedup a.jsonl -o out --method simhash --weights w.tsv";
    says(&folder.run(run), 0, &[]);
    says(&folder.run(run), 0, &[]);
    says(&folder.run("sketch a.jsonl -o a.sketch --method simhash --weights w.tsv"), 0, &[]);
    let folder = folder.with("w.tsv", "one two three four five\t3\n");
    says(&folder.run(run), 4, &["w.tsv has changed since the run in out began"]);
    says(&folder.run("pairs a.sketch"), 4, &["w.tsv has changed since a.sketch was made"]);
}
