//! One choice each, on a few documents whose right answer is obvious.

use super::lookalike::Folder;
use serde_json::{Value, json};
use std::sync::Arc;

/// Twelve words: eight shingles of five. Another last word leaves 7 of 9 in common.
const FOX: &str = "the quick brown fox jumps over the lazy dog and runs away";
const FOX_HOME: &str = "the quick brown fox jumps over the lazy dog and runs home";
const TRUTHS: &str = "we hold these truths to be self-evident that all men are created equal";

fn jsonl(records: &[Value]) -> String {
    records.iter().map(|record| format!("{record}\n")).collect()
}

fn values(text: &str) -> Vec<Value> {
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

/// The ids of the records that stay, in order.
fn kept(folder: &Folder, file: &str) -> Vec<String> {
    values(&folder.read(file)).iter().map(|record| record["id"].as_str().unwrap().to_owned()).collect()
}

/// Who went because of whom, in order.
fn removed(folder: &Folder, file: &str) -> Vec<(String, String)> {
    let text = |value: &Value| value.as_str().unwrap().to_owned();
    values(&folder.read(file)).iter().map(|row| (text(&row["id"]), text(&row["kept_id"]))).collect()
}

fn pair(a: &str, b: &str) -> (String, String) {
    (a.into(), b.into())
}

/// `dedup in.jsonl -o out` with an id field, a threshold of 0.7 and these flags.
fn dedup(folder: &Folder, flags: &str) {
    let outcome =
        folder.run(&format!("dedup in.jsonl -o out --id-field id --threshold 0.7 --threads 2 {flags}"));
    assert_eq!(outcome.code, 0, "{outcome}");
}

fn three() -> Vec<Value> {
    vec![
        json!({"id": "a", "text": FOX, "stars": 1, "site": "x"}),
        json!({"id": "b", "text": format!("{FOX_HOME} "), "stars": 5, "site": "y"}),
        json!({"id": "c", "text": TRUTHS, "stars": 3, "site": "x"}),
    ]
}

#[test]
fn keep_decides_who_stays() {
    for (keep, stays, goes) in [
        ("first", ["a", "c"], pair("b", "a")),
        ("longest", ["b", "c"], pair("a", "b")),
        ("max:stars", ["b", "c"], pair("a", "b")),
        ("min:stars", ["a", "c"], pair("b", "a")),
    ] {
        let folder = Folder::new().with("in.jsonl", jsonl(&three()));
        dedup(&folder, &format!("--keep {keep}"));
        assert_eq!(kept(&folder, "out/in.jsonl"), stays, "{keep}");
        assert_eq!(removed(&folder, "out/removed.jsonl"), [goes], "{keep}");
    }
}

#[test]
fn a_sketch_knows_lengths_too() {
    let folder = Folder::new().with("in.jsonl", jsonl(&three()));
    assert_eq!(folder.run("sketch in.jsonl -o in.sketch --id-field id").code, 0);
    for (keep, goes) in [("longest", pair("a", "b")), ("first", pair("b", "a"))] {
        let run = format!("dedup in.sketch -o {keep} --threshold 0.7 --keep {keep}");
        assert_eq!(folder.run(&run).code, 0);
        assert_eq!(removed(&folder, &format!("{keep}/removed.jsonl")), [goes]);
    }
}

#[test]
fn preferred_sources_come_before_everything_else() {
    let [a, b, _] = three().try_into().unwrap();
    let folder = Folder::new().with("crawl.jsonl", jsonl(&[b])).with("wiki.jsonl", jsonl(&[a]));
    let run = "dedup crawl.jsonl wiki.jsonl -o out --id-field id -t 0.7 --keep longest --prefer wiki*";
    assert_eq!(folder.run(run).code, 0);
    assert_eq!(removed(&folder, "out/removed.jsonl"), [pair("b", "a")]);
    assert_eq!((folder.read("out/crawl.jsonl").as_str(), kept(&folder, "out/wiki.jsonl").len()), ("", 1));
}

#[test]
fn within_compares_only_equal_values() {
    let folder = Folder::new().with("in.jsonl", jsonl(&three()));
    dedup(&folder, "--within site");
    assert_eq!(kept(&folder, "out/in.jsonl"), ["a", "b", "c"]);
    let mut same = three();
    same[1]["site"] = json!("x");
    // An exact copy on another site stays, too.
    same.push(json!({"id": "d", "text": FOX, "site": "y"}));
    let folder = Folder::new().with("in.jsonl", jsonl(&same));
    dedup(&folder, "--within site");
    assert_eq!(kept(&folder, "out/in.jsonl"), ["a", "c", "d"]);
}

#[test]
fn stars_do_not_chain_and_components_do() {
    // a and b have 7 of 9 shingles in common, b and c too, a and c 6 of 10.
    let chain = [
        json!({"id": "a", "text": FOX}),
        json!({"id": "b", "text": FOX_HOME}),
        json!({"id": "c", "text": FOX_HOME.replacen("the", "one", 1)}),
    ];
    let folder = Folder::new().with("in.jsonl", jsonl(&chain));
    dedup(&folder, "--clusters stars");
    assert_eq!(kept(&folder, "out/in.jsonl"), ["a", "c"]);
    let folder = Folder::new().with("in.jsonl", jsonl(&chain));
    dedup(&folder, "--clusters components");
    assert_eq!(removed(&folder, "out/removed.jsonl"), [pair("b", "a"), pair("c", "a")]);
    let similarity = values(&folder.read("out/removed.jsonl"))[1]["similarity"].as_f64().unwrap();
    assert!((similarity - 0.6).abs() < 1e-12, "the exact one, though it is below the threshold");
}

#[test]
fn bags_count_what_is_repeated() {
    let once = "row row row your boat gently down the stream ".to_owned();
    let records = [json!({"id": "a", "text": once}), json!({"id": "b", "text": once.repeat(3)})];
    let folder = Folder::new().with("in.jsonl", jsonl(&records));
    // 5 shingles, and 9 that go round; as bags 5 of 23.
    for (elements, goes) in [("set", vec![pair("b", "a")]), ("bag", Vec::new())] {
        let run = format!("dedup in.jsonl -o {elements} --id-field id -t 0.5 --elements {elements}");
        assert_eq!(folder.run(&run).code, 0);
        assert_eq!(removed(&folder, &format!("{elements}/removed.jsonl")), goes, "{elements}");
    }
}

#[test]
fn containment_finds_the_excerpt() {
    let words: Vec<String> = (0..600).map(|n| format!("word{n}")).collect();
    let records = [
        json!({"id": "excerpt", "text": words[100..300].join(" ")}),
        json!({"id": "whole", "text": words.join(" ")}),
    ];
    let folder = Folder::new().with("in.jsonl", jsonl(&records));
    dedup(&folder, "");
    assert_eq!(removed(&folder, "out/removed.jsonl"), [], "their Jaccard similarity is a third");
    let folder = Folder::new().with("in.jsonl", jsonl(&records));
    dedup(&folder, "--measure containment");
    assert_eq!(removed(&folder, "out/removed.jsonl"), [pair("excerpt", "whole")]);
    assert_eq!(values(&folder.read("out/removed.jsonl"))[0]["similarity"], 1.0);
}

#[test]
fn simhash_states_the_distance() {
    let long: Vec<String> = (0..2_000).map(|n| format!("word{n}")).collect();
    let records = [
        json!({"id": "a", "text": long.join(" ")}),
        json!({"id": "b", "text": format!("{} once", long.join(" "))}),
        json!({"id": "c", "text": TRUTHS}),
    ];
    let folder = Folder::new().with("in.jsonl", jsonl(&records));
    dedup(&folder, "--method simhash");
    assert_eq!(removed(&folder, "out/removed.jsonl"), [pair("b", "a")]);
    let row = &values(&folder.read("out/removed.jsonl"))[0];
    assert!(row["distance"].as_u64().unwrap() <= 3 && row["similarity"].as_f64().unwrap() > 0.9, "{row}");
    let report: Value = serde_json::from_str(&folder.read("out/report.json")).unwrap();
    assert!(report["recall"].is_null(), "the tables miss nothing");
}

#[test]
fn without_exact_verification_the_list_says_so() {
    let folder = Folder::new().with("in.jsonl", jsonl(&three()));
    dedup(&folder, "--verify none");
    let row = &values(&folder.read("out/removed.jsonl"))[0];
    assert_eq!((&row["similarity"], &row["reason"]), (&Value::Null, &json!("not verified")), "{row}");
    let folder = Folder::new().with("in.jsonl", jsonl(&three()));
    dedup(&folder, "--verify estimate");
    let row = &values(&folder.read("out/removed.jsonl"))[0];
    assert_eq!(row["similarity"], Value::Null, "{row}");
    assert!(row["reason"].as_str().unwrap().starts_with("estimated similarity 0."), "{row}");
}

#[test]
fn against_only_leaves_the_inputs_alone() {
    let [a, b, c] = three().try_into().unwrap();
    let copy = json!({"id": "c2", "text": TRUTHS});
    for (flags, stays) in [("", vec!["c"]), ("--against-only", vec!["c", "c2"])] {
        let folder = Folder::new()
            .with("old.jsonl", jsonl(std::slice::from_ref(&a)))
            .with("in.jsonl", jsonl(&[b.clone(), c.clone(), copy.clone()]));
        dedup(&folder, &format!("{flags} --against old.jsonl"));
        assert_eq!(kept(&folder, "out/in.jsonl"), stays);
        let rows = values(&folder.read("out/removed.jsonl"));
        assert_eq!((&rows[0]["id"], &rows[0]["kept_id"]), (&json!("b"), &json!("a")));
        assert_eq!((&rows[0]["kept_source"], &rows[0]["kept_line"]), (&json!("old.jsonl"), &json!(1)));
    }
}

#[test]
fn csv_and_tsv_are_annotated_in_columns_of_their_own() {
    for (name, comma) in [("in.csv", ","), ("in.tsv", "\t")] {
        let row = |fields: [&str; 2]| format!("{}\n", fields.join(comma));
        let table = row(["id", "text"]) + &row(["a", FOX]) + &row(["b", FOX_HOME]) + &row(["c", TRUTHS]);
        let folder = Folder::new().with(name, &table);
        let run = |target: &str, flags: &str| {
            let outcome = folder.run(&format!("dedup {name} -o {target} --id-field id -t 0.7 {flags}"));
            assert_eq!(outcome.code, 0, "{outcome}");
            folder.read(&format!("{target}/{name}"))
        };
        assert_eq!(run("out", ""), row(["id", "text"]) + &row(["a", FOX]) + &row(["c", TRUTHS]));
        let marked = run("marked", "--annotate");
        let lines: Vec<&str> = marked.lines().collect();
        let header =
            ["lookalike_cluster", "lookalike_duplicate", "lookalike_kept_id", "lookalike_similarity"];
        assert_eq!(lines[0], row(["id", "text"]).trim_end().to_owned() + comma + &header.join(comma));
        assert_eq!(
            lines[1],
            row(["a", FOX]).trim_end().to_owned() + comma + &["a", "false", "", ""].join(comma)
        );
        let similarity = (7.0f64 / 9.0).to_string();
        let wanted = ["a", "true", "a", &similarity].join(comma);
        assert_eq!(lines[2], row(["b", FOX_HOME]).trim_end().to_owned() + comma + &wanted);
    }
}

/// A Parquet file with the columns `id` and `text`.
fn parquet(rows: &[(&str, &str)]) -> Vec<u8> {
    use arrow_array::{ArrayRef, RecordBatch, StringArray};
    let column = |of: fn(&(&str, &str)) -> String| -> ArrayRef {
        Arc::new(rows.iter().map(|row| Some(of(row))).collect::<StringArray>())
    };
    let batch = RecordBatch::try_from_iter([
        ("id", column(|row| row.0.to_owned())),
        ("text", column(|row| row.1.to_owned())),
    ])
    .unwrap();
    let mut bytes = Vec::new();
    let mut writer = parquet::arrow::ArrowWriter::try_new(&mut bytes, batch.schema(), None).unwrap();
    writer.write(&batch).unwrap();
    writer.close().unwrap();
    bytes
}

fn read_parquet(folder: &Folder, name: &str) -> arrow_array::RecordBatch {
    let file = std::fs::File::open(folder.path(name)).unwrap();
    let reader = parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder::try_new(file).unwrap();
    let batches: Vec<_> = reader.build().unwrap().map(Result::unwrap).collect();
    assert_eq!(batches.len(), 1);
    batches.into_iter().next().unwrap()
}

fn strings(batch: &arrow_array::RecordBatch, column: &str) -> Vec<Option<String>> {
    use arrow_array::{Array, cast::AsArray};
    let column = batch.column_by_name(column).unwrap().as_string::<i32>();
    (0..column.len()).map(|at| column.is_valid(at).then(|| column.value(at).to_owned())).collect()
}

#[test]
fn parquet_is_annotated_and_lists_what_was_removed() {
    use arrow_array::cast::AsArray;
    let folder =
        Folder::new().with("in.parquet", parquet(&[("a", FOX), ("b", FOX_HOME), ("c", TRUTHS), ("d", FOX)]));
    let run = |flags: &str| {
        let outcome = folder.run(&format!("dedup in.parquet --id-field id -t 0.7 {flags}"));
        assert_eq!(outcome.code, 0, "{outcome}");
    };
    let some = |ids: &[&str]| ids.iter().map(|id| Some((*id).to_owned())).collect::<Vec<_>>();
    run("-o out --removed-format parquet");
    assert_eq!(strings(&read_parquet(&folder, "out/in.parquet"), "id"), some(&["a", "c"]));
    let removed = read_parquet(&folder, "out/removed.parquet");
    assert_eq!(strings(&removed, "id"), some(&["b", "d"]));
    assert_eq!(strings(&removed, "kind"), some(&["near", "exact"]));
    assert_eq!(strings(&removed, "kept_id"), some(&["a", "a"]));
    assert!(!folder.path("out/removed.jsonl").exists());
    run("-o marked --annotate");
    let marked = read_parquet(&folder, "marked/in.parquet");
    assert_eq!(strings(&marked, "id"), some(&["a", "b", "c", "d"]));
    let duplicate = marked.column_by_name("lookalike_duplicate").unwrap().as_boolean();
    assert_eq!(duplicate.iter().map(Option::unwrap).collect::<Vec<_>>(), [false, true, false, true]);
    let kept_id = [None, Some("a".into()), None, Some("a".into())];
    assert_eq!(strings(&marked, "lookalike_kept_id"), kept_id);
}

#[test]
fn bad_records_pass_or_are_listed() {
    let input = format!("{}\n[1]\n{}\n", json!({"id": "a", "text": FOX}), json!({"id": "b", "text": FOX}));
    let folder = Folder::new().with("in.jsonl", &input);
    dedup(&folder, "--on-bad-record skip");
    let rows = values(&folder.read("out/removed.jsonl"));
    assert_eq!(
        (&rows[0]["kind"], &rows[0]["line"], &rows[0]["kept_id"]),
        (&json!("bad"), &json!(2), &Value::Null)
    );
    assert!(!rows[0]["reason"].as_str().unwrap().is_empty());
    assert_eq!(rows[1]["id"], "b");
    let folder = Folder::new().with("in.jsonl", &input);
    dedup(&folder, "--on-bad-record keep");
    let lines: Vec<&str> = input.lines().collect();
    assert_eq!(folder.read("out/in.jsonl"), format!("{}\n[1]\n", lines[0]));
    let rows = values(&folder.read("out/removed.jsonl"));
    assert_eq!((rows.len(), &rows[0]["id"]), (1, &json!("b")));
}

#[test]
fn a_folder_of_texts_and_standard_output() {
    let folder = Folder::new()
        .with("books/fox.txt", FOX)
        .with("books/more/fox.txt", FOX.to_uppercase())
        .with("books/truths.txt", b"we hold \xff these truths".as_slice());
    let outcome = folder.run("dedup books -o out");
    assert_eq!(outcome.code, 0, "{outcome}");
    assert_eq!(folder.read("out/fox.txt"), FOX);
    assert!(!folder.path("out/more/fox.txt").exists());
    assert_eq!(std::fs::read(folder.path("out/truths.txt")).unwrap(), b"we hold \xff these truths");
    let row = &values(&folder.read("out/removed.jsonl"))[0];
    assert_eq!(
        (&row["source"], &row["kept_source"]),
        (&json!("books/more/fox.txt"), &json!("books/fox.txt"))
    );

    let folder = Folder::new().with("in.jsonl", jsonl(&three()));
    let streamed = folder.run("dedup in.jsonl -o - --id-field id -t 0.7 --quiet");
    dedup(&folder, "");
    assert_eq!((streamed.stdout, streamed.stderr.as_str()), (folder.read("out/in.jsonl"), ""));
}
