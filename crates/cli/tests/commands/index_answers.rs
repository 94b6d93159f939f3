//! `lookalike index`: a corpus that is checked in order is what `dedup` removes, byte for byte; and the flags that decide
//! which documents are looked at, what becomes of them, and how long they stay.

use super::lookalike::{Folder, Outcome};
use ::lookalike::Shingler;
use ::lookalike::minhash::{FastSketch, MinHasher, to_bytes_of_text};
use pipeline::{Documents, Settings, Sketch};
use serde_json::{Value, json};
use std::collections::HashMap;
use testkit::corpora::{Document, Planted, edge_documents, near_copies, templated, write_files};

const POEM: &str = "the quick brown fox jumps over the lazy dog and runs away";

fn line(id: &str, text: &str, lang: Option<&str>) -> String {
    format!("{}\n", json!({"id": id, "text": text, "lang": lang}))
}

fn ok(folder: &Folder, arguments: &str) -> Outcome {
    let outcome = folder.run(arguments);
    assert_eq!(outcome.code, 0, "{arguments}: {outcome}");
    outcome
}

fn json_of(folder: &Folder, arguments: &str) -> Vec<Value> {
    ok(folder, arguments).stdout.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

/// The ids of the matches of an answer.
fn found(folder: &Folder, arguments: &str) -> Vec<String> {
    let answer = json_of(folder, &format!("{arguments} --json")).remove(0);
    let id = |found: &Value| found["id"].as_str().unwrap().to_owned();
    answer["matches"].as_array().unwrap().iter().map(id).collect()
}

/// The lines of `removed.jsonl` that follow from the answers of checks, in the order of the fields of that file.
fn removed_by(answers: &[Value], documents: &[Document]) -> String {
    // What is compared as a whole: an exact copy has the same normalised text.
    let plain = Documents::new(&Settings::default()).unwrap();
    let (mut buffers, mut sketch) = (Default::default(), Sketch::default());
    let mut hash = |text: &str| {
        plain.sketch(text, None, &mut buffers, &mut sketch).unwrap();
        sketch.content_hash
    };
    let lines: HashMap<&str, usize> =
        documents.iter().enumerate().map(|(at, document)| (document.id.as_str(), at)).collect();
    let mut removed = String::new();
    for (at, answer) in answers.iter().enumerate().filter(|(_, answer)| answer["new"] == false) {
        let kept = lines[answer["match"]["id"].as_str().unwrap()];
        let is_exact = hash(&documents[at].text) == hash(&documents[kept].text);
        let found = &answer["match"];
        removed += &format!(
            r#"{{"id":{},"source":"part-000.jsonl","line":{},"kind":"{}","kept_id":{},"kept_source":"part-000.jsonl","kept_line":{},"similarity":{}"#,
            answer["id"],
            at + 1,
            if is_exact { "exact" } else { "near" },
            found["id"],
            kept + 1,
            found["similarity"]
        );
        if let Some(distance) = found.get("distance") {
            removed += &format!(r#","distance":{distance}"#);
        }
        removed += "}\n";
    }
    removed
}

/// With 64 bands of 2 rows, a pair at the threshold of 0.6 is missed with a probability of (1 - 0.36)^64, about 4e-13; SimHash
/// misses none.
#[test]
fn checked_in_order_the_others_are_the_removed_of_dedup_byte_for_byte() {
    let kinds = [
        "--threshold 0.6 --shingles words:2 --bands 64x2",
        "--method simhash --distance 6 --threshold 0.5 --shingles words:2",
    ];
    let corpora: [(&str, Vec<Document>); 5] = [
        ("planted", Planted { documents: 400, bytes: (200, 1_500), ..Planted::default() }.collect()),
        ("short", Planted::short(400, 3).collect()),
        ("edges", edge_documents()),
        ("copies", near_copies(120, 500, 5).collect()),
        ("templated", templated(100, 600, 0.7, 7).collect()),
    ];
    for (name, documents) in &corpora {
        let folder = Folder::new();
        write_files(&folder.path("."), documents.iter().cloned(), &[]).unwrap();
        let within = if documents.iter().any(|it| it.domain.is_some()) { "--within domain" } else { "" };
        for (number, kind) in kinds.iter().enumerate() {
            let reading = format!("part-000.jsonl --id-field id {within}");
            ok(&folder, &format!("dedup {reading} -o out-{number} {kind}"));
            ok(&folder, &format!("index create seen-{number} --store shingles {kind}"));
            let check = format!("index check seen-{number} {reading} --add --json");
            let removed = removed_by(&json_of(&folder, &check), documents);
            assert!(!removed.is_empty(), "{name} {kind}");
            let expected = folder.read(&format!("out-{number}/removed.jsonl"));
            for (ours, theirs) in removed.lines().zip(expected.lines()) {
                assert_eq!(ours, theirs, "{name} {kind}");
            }
            assert_eq!(removed.len(), expected.len(), "{name} {kind}");
        }
    }
}

#[test]
fn only_documents_of_the_same_namespace_are_looked_at() {
    let lines = [line("en", POEM, Some("en")), line("de", POEM, Some("de")), line("none", POEM, None)];
    let folder = Folder::new().with("corpus.jsonl", lines.concat()).with("poem.txt", POEM);
    ok(&folder, "index add seen corpus.jsonl --id-field id --within lang --threshold 0.7 --store text");
    for (within, expected) in [("--within en", "en"), ("--within de", "de"), ("", "none")] {
        assert_eq!(found(&folder, &format!("index query seen --text-file poem.txt {within}")), [expected]);
    }
    assert!(found(&folder, "index query seen --text-file poem.txt --within fr").is_empty());
    assert!(found(&folder, "index query seen --id en").is_empty());
    let more = [line("en-2", POEM, Some("en")), line("fr", POEM, Some("fr")), line("none-2", POEM, None)];
    let folder = folder.with("more.jsonl", more.concat());
    let checked = json_of(&folder, "index check seen more.jsonl --id-field id --within lang --add --json");
    let ids: Vec<&Value> = checked.iter().map(|checked| &checked["match"]["id"]).collect();
    assert_eq!(ids, [&json!("en"), &Value::Null, &json!("none")]);
    assert_eq!(found(&folder, "index query seen --text-file poem.txt --within fr"), ["fr"]);
}

#[test]
fn a_match_is_left_touched_replaced_or_joined() {
    let later = POEM.replace("away", "home");
    for (on_match, ids, stays) in [
        ("skip", vec!["one"], false),
        ("touch", vec!["one"], true),
        ("replace", vec!["two"], true),
        ("add", vec!["one", "two"], true),
    ] {
        let folder = Folder::new()
            .with("one.jsonl", line("one", POEM, None))
            .with("two.jsonl", line("two", &later, None));
        ok(&folder, "index add seen one.jsonl --id-field id --threshold 0.7 --store text --ttl 1h");
        let check =
            format!("index check seen two.jsonl --id-field id --add --ttl 30d --on-match {on_match} --json");
        assert_eq!(json_of(&folder, &check)[0]["match"]["id"], "one", "{on_match}");
        let kept = json_of(&folder, "index export seen");
        assert_eq!(
            kept.iter().map(|kept| kept["id"].as_str().unwrap()).collect::<Vec<_>>(),
            ids,
            "{on_match}"
        );
        let last = kept.last().unwrap();
        let gap = seconds(&last["expires"]) - seconds(&last["added"]);
        assert_eq!(gap > 2 * 86_400, stays, "{on_match}: {last}");
    }
}

/// The seconds of a time as it is written, counted in months of 31 days: enough to tell an hour from a month.
fn seconds(time: &Value) -> i64 {
    let time = time.as_str().unwrap();
    let number = |range: std::ops::Range<usize>| time[range].parse::<i64>().unwrap();
    let days = (number(0..4) * 12 + number(5..7)) * 31 + number(8..10);
    days * 86_400 + number(11..13) * 3_600 + number(14..16) * 60 + number(17..19)
}

#[test]
fn documents_go_when_their_own_time_is_over() {
    let folder = Folder::new()
        .with("stays.jsonl", line("stays", POEM, None))
        .with("goes.jsonl", line("goes", &POEM.to_uppercase(), None))
        .with("checked.jsonl", line("checked", "we hold these truths to be self-evident that all men", None))
        .with("poem.txt", POEM);
    ok(&folder, "index add seen stays.jsonl --id-field id --threshold 0.7 --store text");
    ok(&folder, "index add seen goes.jsonl --id-field id --ttl 1s");
    ok(&folder, "index check seen checked.jsonl --id-field id --add --ttl 1s");
    // The index itself still keeps documents for ever.
    assert_eq!(json_of(&folder, "index get seen stays --json")[0].get("expires"), None);
    std::thread::sleep(std::time::Duration::from_millis(1_100));
    assert_eq!(found(&folder, "index query seen --text-file poem.txt"), ["stays"]);
    let removed = json_of(&folder, "index expire seen --json");
    assert_eq!(removed[0], json!({"removed": 2, "documents": 1}));
    assert_eq!(json_of(&folder, "index expire seen --json")[0]["removed"], 0);
    // Sketches have no times of their own either.
    ok(&folder, "sketch goes.jsonl -o goes.sketch --id-field id --shingles words:3");
    ok(&folder, "index create bare --shingles words:3");
    ok(&folder, "index add bare goes.sketch --ttl 1h");
    assert!(json_of(&folder, "index get bare goes --json")[0]["expires"].is_string());
    let refused = folder.run("index check seen goes.jsonl --ttl 1h");
    assert!(refused.code == 2 && refused.stderr.contains("--add"), "{refused}");
}

#[test]
fn a_signature_is_asked_for() {
    let folder = Folder::new()
        .with("corpus.jsonl", line("one", POEM, None) + &line("two", "quite another text", None));
    ok(&folder, "index add seen corpus.jsonl --id-field id --threshold 0.7");
    // What is lower case, without marks and with single spaces, is normal already.
    let set = Shingler::words(5).unwrap().set(POEM);
    let signature =
        |hashes: usize, seed: u64| FastSketch::new(hashes, seed).unwrap().sketch(set.as_slice()).to_bytes();
    let settings = index::Config::default().settings.signature;
    let right = signature(settings.hashes, settings.seed);
    let pipeline::NormalizeSettings { case, form, punctuation, whitespace } = settings.normalize;
    let described = |shingles: &str| {
        let how =
            format!("{shingles} case={case} form={form} punctuation={punctuation} whitespace={whitespace}");
        to_bytes_of_text(&how, &right).unwrap()
    };
    let folder = folder
        .with("right", &right)
        .with("described", described("words:5"))
        .with("shingled", described("words:3"))
        .with("short", signature(64, settings.seed))
        .with("seeded", signature(settings.hashes, 77))
        .with("text", POEM);
    for file in ["right", "described"] {
        let answer = json_of(&folder, &format!("index query seen --signature {file} --json")).remove(0);
        let found = &answer["matches"][0];
        assert_eq!(
            (&found["id"], &found["similarity"], &found["exact"]),
            (&json!("one"), &json!(1.0), &json!(false))
        );
    }
    for (arguments, message) in [
        ("--signature short", "--hashes 64, and seen has --hashes 128"),
        ("--signature seeded", "--seed 77"),
        ("--signature shingled", "words:3"),
        ("--signature text", "text holds no signature"),
        ("--signature nowhere", "nowhere holds no signature"),
        ("--signature right --text a", "cannot be used with"),
    ] {
        let refused = folder.run(&format!("index query seen {arguments}"));
        assert_eq!(refused.code, 2, "{arguments}: {refused}");
        assert!(refused.stderr.contains(message), "{arguments}: {refused}");
    }
}
