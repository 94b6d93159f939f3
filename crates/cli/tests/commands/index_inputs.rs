//! What goes into an index besides texts: sketches that were made before, and metadata. And what is mended.

use super::lookalike::{Folder, Outcome};
use ::lookalike::Shingler;
use ::lookalike::banding::Banding;
use ::lookalike::index::LshIndex;
use ::lookalike::minhash::{FastSketch, MinHasher};
use arrow_array::{ArrayRef, Int64Array, RecordBatch, StringArray};
use parquet::arrow::ArrowWriter;
use serde_json::{Value, json};
use std::sync::Arc;
use testkit::corpora::Prose;

const POEM: &str = "the quick brown fox jumps over the lazy dog and runs away";

fn line(id: &str, text: &str, more: &Value) -> String {
    let mut record = json!({"id": id, "text": text});
    record.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    format!("{record}\n")
}

fn corpus() -> Folder {
    let lines = [
        line("one", POEM, &json!({"lang": "en", "n": 1, "author": {"name": "a"}})),
        line("two", &POEM.to_uppercase(), &json!({"lang": "en", "n": 2.5})),
        line("three", &POEM.replace("away", "home"), &json!({"lang": "de", "author": {"name": ["b", null]}})),
        line(
            "four",
            "we hold these truths to be self-evident that all men are created equal",
            &json!({"n": null}),
        ),
    ];
    Folder::new().with("corpus.jsonl", lines.concat()).with("poem.txt", POEM)
}

fn ok(folder: &Folder, arguments: &str) -> Outcome {
    let outcome = folder.run(arguments);
    assert_eq!(outcome.code, 0, "{arguments}: {outcome}");
    outcome
}

fn json_of(folder: &Folder, arguments: &str) -> Vec<Value> {
    ok(folder, arguments).stdout.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

/// An answer without the times at which documents came.
fn answer(folder: &Folder, arguments: &str) -> Value {
    let mut answer = json_of(folder, arguments).remove(0);
    for found in answer["matches"].as_array_mut().unwrap() {
        found.as_object_mut().unwrap().remove("added");
    }
    answer
}

#[test]
fn a_sketch_file_gives_the_answers_of_its_texts() {
    let folder = corpus();
    for store in ["signatures", "shingles"] {
        ok(&folder, &format!("sketch corpus.jsonl -o {store}.sketch --id-field id --store {store}"));
        let added = ok(&folder, &format!("index add {store} {store}.sketch --threshold 0.7 --store {store}"));
        assert_eq!(added.stderr, format!("added 4 documents; {store} has 4\n"));
        ok(
            &folder,
            &format!("index add {store}-plain corpus.jsonl --id-field id --threshold 0.7 --store {store}"),
        );
        for ask in ["--text-file poem.txt", "--id three", "--text-file poem.txt --threshold 0.2"] {
            let of = |index: &str| answer(&folder, &format!("index query {index} {ask} --json"));
            assert_eq!(of(store), of(&format!("{store}-plain")), "{store} {ask}");
        }
        assert!(ok(&folder, &format!("index verify {store}")).stdout.contains("nothing is wrong"));
    }
    let added = ok(&folder, "index add again signatures.sketch");
    insta::assert_snapshot!("index_add_sketch", added);
}

#[test]
fn a_sketch_file_that_does_not_fit_is_refused() {
    let folder = corpus();
    ok(&folder, "sketch corpus.jsonl -o a.sketch --id-field id");
    ok(&folder, "sketch corpus.jsonl -o sets.sketch --id-field id --store shingles");
    ok(&folder, "sketch corpus.jsonl -o other.sketch --id-field id --hashes 64");
    ok(&folder, "index create seen --threshold 0.7");
    ok(&folder, "index create texts --store text");
    ok(&folder, "index create sets --store shingles");
    let mut all = String::new();
    for arguments in [
        "index add seen other.sketch",
        "index add seen a.sketch --hashes 64",
        "index add seen a.sketch --threshold 0.5",
        "index add texts a.sketch",
        "index add sets a.sketch",
        "index add sets sets.sketch",
        "index add seen a.sketch corpus.jsonl",
        "index add seen a.sketch --meta lang",
        "index add seen a.sketch --format csv",
        "index add new a.sketch --store text",
    ] {
        let refused = folder.run(arguments);
        assert!(refused.code == 2, "{arguments}: {refused}");
        all.push_str(&format!("$ lookalike {arguments}\n{refused}\n"));
    }
    insta::assert_snapshot!("index_add_sketch_refused", all);
    assert!(!folder.path("new").exists());
    for index in ["seen", "texts", "sets"] {
        assert_eq!(json_of(&folder, &format!("index stats {index} --json"))[0]["documents"], 0);
    }
    // A file that was cut is named.
    let bytes = std::fs::read(folder.path("a.sketch")).unwrap();
    let folder = folder.with("cut.sketch", &bytes[..bytes.len() - 5]);
    let refused = folder.run("index add seen cut.sketch");
    assert_eq!(refused.code, 3, "{refused}");
    assert!(refused.stderr.contains("cut.sketch is damaged"), "{refused}");
}

/// An `add` of a sketch file that is killed goes on.
#[test]
fn a_killed_load_of_sketches_goes_on() {
    let prose = Prose::new(3);
    let texts = (0..30_000).map(|at| line(&at.to_string(), &prose.text(at, 60), &json!({})));
    let folder = Folder::new().with("many.jsonl", texts.collect::<String>());
    ok(&folder, "sketch many.jsonl -o many.sketch --id-field id");
    let arguments = ["index", "add", "seen", "many.sketch", "--memory", "64MiB"];
    let mut went_on = false;
    for wait in [150, 300, 450, 600, 900] {
        let mut child = std::process::Command::new(env!("CARGO_BIN_EXE_lookalike"))
            .args(arguments)
            .current_dir(folder.path(""))
            .stdout(std::process::Stdio::null())
            .stderr(std::process::Stdio::piped())
            .spawn()
            .unwrap();
        std::thread::sleep(std::time::Duration::from_millis(wait));
        let _ = child.kill();
        let output = child.wait_with_output().unwrap();
        went_on |= String::from_utf8_lossy(&output.stderr).contains("before the command was stopped");
        if output.status.success() {
            break;
        }
    }
    let last = folder.run(&arguments.join(" "));
    // Who was quicker than every kill has all of them already.
    assert!(last.code == 0 || last.stderr.contains("already"), "{last}");
    went_on |= last.stderr.contains("before the command was stopped");
    if !went_on {
        eprintln!("NOT tested: no kill came between two chunks");
    }
    assert_eq!(json_of(&folder, "index stats seen --json")[0]["documents"], 30_000);
    assert!(ok(&folder, "index verify seen").stdout.contains("nothing is wrong"));
}

#[test]
fn a_saved_index_in_memory_is_added() {
    let mut lsh = LshIndex::new(Banding::new(21, 6).unwrap());
    let shingler = Shingler::words(5).unwrap();
    let hasher = FastSketch::new(128, 1).unwrap();
    for (id, text) in [("one", POEM), ("three", &POEM.replace("away", "home"))] {
        lsh.insert(id.to_owned(), &hasher.sketch(shingler.set(text).as_slice())).unwrap();
    }
    let bytes = lsh.to_bytes_with(b"", |id, bytes| bytes.extend_from_slice(id.as_bytes())).unwrap();
    let folder = corpus().with("old.lkli", bytes);
    insta::assert_snapshot!("index_add_lsh", ok(&folder, "index add seen old.lkli --threshold 0.7"));
    let found = answer(&folder, "index query seen --text-file poem.txt --json");
    let found: Vec<_> =
        found["matches"].as_array().unwrap().iter().map(|it| (&it["id"], &it["exact"])).collect();
    assert_eq!(found, [(&json!("one"), &json!(false)), (&json!("three"), &json!(false))]);
    ok(&folder, "index create other --hashes 64");
    insta::assert_snapshot!("index_add_lsh_refused", folder.run("index add other old.lkli"));
}

#[test]
fn a_table_of_sketches_is_added() {
    let folder = corpus();
    let texts: Vec<String> = folder
        .read("corpus.jsonl")
        .lines()
        .map(|line| serde_json::from_str::<Value>(line).unwrap()["text"].as_str().unwrap().to_owned())
        .collect();
    let columns: [(&str, ArrayRef); 2] = [
        ("id", Arc::new(Int64Array::from(vec![10, 20, 30, 40]))),
        ("text", Arc::new(StringArray::from(texts))),
    ];
    let settings = pipeline::Settings::default().with_id_field(Some("id".into()));
    let batch = RecordBatch::try_from_iter(columns).unwrap();
    let sketches = stages::Stages::new(&settings).unwrap().sketch(&batch).unwrap();
    std::fs::create_dir(folder.path("sketches")).unwrap();
    let file = std::fs::File::create(folder.path("sketches/part-0.parquet")).unwrap();
    let mut writer = ArrowWriter::try_new(file, sketches.schema(), None).unwrap();
    writer.write(&sketches).unwrap();
    writer.close().unwrap();
    insta::assert_snapshot!("index_add_table", ok(&folder, "index add seen sketches --threshold 0.7"));
    let found = answer(&folder, "index query seen --text-file poem.txt --json");
    let found: Vec<_> =
        found["matches"].as_array().unwrap().iter().map(|it| (&it["id"], &it["exact"])).collect();
    assert_eq!(
        found,
        [(&json!("10"), &json!(true)), (&json!("20"), &json!(true)), (&json!("30"), &json!(false))]
    );
    // Signatures of another length are refused, whether they are longer or shorter, and no index is left behind.
    for hashes in [64, 101, 256] {
        let refused = folder.run(&format!("index add other sketches --hashes {hashes}"));
        assert!(refused.code == 2 && refused.stderr.contains("a signature of"), "{hashes}: {refused}");
        assert!(!folder.path("other").exists(), "{hashes}");
    }
    ok(&folder, "index create texts --store text");
    let refused = folder.run("index add texts sketches");
    assert!(refused.code == 2 && refused.stderr.contains("it has no texts"), "{refused}");
}

#[test]
fn fields_become_metadata_with_their_types() {
    let folder = corpus();
    ok(
        &folder,
        "index add seen corpus.jsonl --id-field id --threshold 0.7 --meta lang,n --meta author.name,author",
    );
    let metadata = |id: &str| json_of(&folder, &format!("index get seen {id} --json"))[0]["metadata"].clone();
    assert_eq!(metadata("one"), json!({"lang": "en", "n": 1, "author.name": "a", "author": {"name": "a"}}));
    assert_eq!(metadata("two"), json!({"lang": "en", "n": 2.5}));
    assert_eq!(metadata("three")["author.name"], json!(["b", null]));
    assert_eq!(metadata("four"), json!({"n": null}));
    let ids = |filter: &str| -> Vec<String> {
        let found =
            answer(&folder, &format!("index query seen --text-file poem.txt --where {filter} --json"));
        found["matches"].as_array().unwrap().iter().map(|it| it["id"].as_str().unwrap().to_owned()).collect()
    };
    assert_eq!(ids("lang=en"), ["one", "two"]);
    assert_eq!(ids("n=2.5"), ["two"]);
    assert_eq!(ids("author.name=a"), ["one"]);
    assert_eq!(ok(&folder, "index remove seen --where lang=en --json").code, 0);
    assert_eq!(json_of(&folder, "index stats seen --json")[0]["documents"], 2);
    // The same with `check --add`, and for CSV; a field that no record has is named.
    let folder = folder.with("new.csv", "id,text,lang,n\nfive,some other text that is new,fr,7\n");
    let checked = ok(&folder, "index check seen new.csv --id-field id --add --meta lang,n,langue");
    assert!(checked.stderr.contains("no record has the field `langue`"), "{checked}");
    let metadata = json_of(&folder, "index get seen five --json")[0]["metadata"].clone();
    assert_eq!(metadata, json!({"lang": "fr", "n": "7"}));
    let refused = folder.run("index check seen new.csv --id-field id --meta lang");
    assert_eq!(refused.code, 2, "{refused}");
}

#[test]
fn fields_of_parquet_become_metadata() {
    let folder = Folder::new();
    let columns: [(&str, ArrayRef); 3] = [
        ("id", Arc::new(StringArray::from(vec!["a", "b"]))),
        ("text", Arc::new(StringArray::from(vec![POEM, "something else"]))),
        ("n", Arc::new(Int64Array::from(vec![Some(7), None]))),
    ];
    let batch = RecordBatch::try_from_iter_with_nullable(columns.map(|(name, column)| (name, column, true)));
    let batch = batch.unwrap();
    let file = std::fs::File::create(folder.path("a.parquet")).unwrap();
    let mut writer = ArrowWriter::try_new(file, batch.schema(), None).unwrap();
    writer.write(&batch).unwrap();
    writer.close().unwrap();
    ok(&folder, "index add seen a.parquet --id-field id --meta n,id");
    let metadata = |id: &str| json_of(&folder, &format!("index get seen {id} --json"))[0]["metadata"].clone();
    assert_eq!((metadata("a"), metadata("b")), (json!({"n": 7, "id": "a"}), json!({"id": "b"})));
}

#[test]
fn metadata_that_is_too_large_is_named_by_file_and_line() {
    let large = json!({"big": "x".repeat(70_000)});
    let lines = [line("one", POEM, &json!({})), line("two", POEM, &large)].concat();
    let folder = Folder::new().with("corpus.jsonl", lines);
    let refused = folder.run("index add seen corpus.jsonl --id-field id --meta big");
    assert_eq!(refused.code, 3);
    insta::assert_snapshot!("index_add_large_metadata", refused);
    let added = ok(&folder, "index add seen corpus.jsonl --id-field id --meta big --on-bad-record skip");
    assert!(added.stderr.contains("1 records cannot be used and are left out"), "{added}");
    assert_eq!(json_of(&folder, "index stats seen --json")[0]["documents"], 1);
}

/// The tables of a keyspace of an index.
fn damage(folder: &Folder, keyspace: usize) {
    for entry in std::fs::read_dir(folder.path(&format!("seen/store/keyspaces/{keyspace}/tables"))).unwrap() {
        let path = entry.unwrap().path();
        let bytes = std::fs::read(&path).unwrap();
        std::fs::write(path, &bytes[..bytes.len() / 2]).unwrap();
    }
}

#[test]
fn a_damaged_index_is_repaired_from_its_documents() {
    let folder = corpus();
    ok(&folder, "index add seen corpus.jsonl --id-field id --threshold 0.7 --store text");
    ok(&folder, "index compact seen");
    let before = answer(&folder, "index query seen --text-file poem.txt --json");
    damage(&folder, 6);
    let refused = folder.run("index query seen --text-file poem.txt");
    assert_eq!(refused.code, 4, "{refused}");
    insta::assert_snapshot!("index_repair", ok(&folder, "index repair seen"));
    assert_eq!(answer(&folder, "index query seen --text-file poem.txt --json"), before);
    damage(&folder, 2);
    let refused = folder.run("index repair seen");
    assert_eq!(refused.code, 4, "{refused}");
    assert!(refused.stderr.contains("restore a backup"), "{refused}");
}
