//! `lookalike index`: whole commands on a small corpus, and its answers against those of `dedup`.

use super::lookalike::{Folder, Outcome};
use serde_json::Value;
use std::fmt::Write as _;
use testkit::corpora::Prose;

/// Twelve words, so that one changed word at the end leaves 7 of 9 shingles of five words in common.
const POEM: &str = "the quick brown fox jumps over the lazy dog and runs away";

fn line(id: &str, text: &str) -> String {
    format!("{}\n", serde_json::json!({"id": id, "text": text, "lang": "en"}))
}

fn corpus() -> Folder {
    let lines = [
        line("one", POEM),
        line("two", &POEM.to_uppercase()),
        line("three", &POEM.replace("away", "home")),
        line("four", "we hold these truths to be self-evident that all men are created equal"),
    ];
    Folder::new().with("corpus.jsonl", lines.concat()).with("poem.txt", POEM)
}

/// Runs a command that must succeed.
fn ok(folder: &Folder, arguments: &str) -> Outcome {
    let outcome = folder.run(arguments);
    assert_eq!(outcome.code, 0, "{arguments}: {outcome}");
    outcome
}

/// The objects of a command that writes JSON Lines.
fn json(folder: &Folder, arguments: &str) -> Vec<Value> {
    ok(folder, arguments).stdout.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

/// The documents of an answer.
fn matches(answer: &Value) -> &Vec<Value> {
    answer["matches"].as_array().unwrap()
}

/// An index with the corpus.
fn filled(store: &str) -> Folder {
    let folder = corpus();
    ok(&folder, &format!("index add seen corpus.jsonl --id-field id --threshold 0.7 --store {store}"));
    folder
}

#[test]
fn what_was_added_is_found_with_its_exact_similarity() {
    for store in ["text", "shingles"] {
        let folder = filled(store);
        let answer = &json(&folder, "index query seen --text-file poem.txt --json")[0];
        assert!(answer["found_probability"].as_f64().unwrap() > 0.9 && answer["truncated"] == false);
        let found: Vec<(&str, f64)> = matches(answer)
            .iter()
            .map(|found| (found["id"].as_str().unwrap(), found["similarity"].as_f64().unwrap()))
            .collect();
        assert_eq!(found, [("one", 1.0), ("two", 1.0), ("three", 7.0 / 9.0)], "{store}");
        let top = matches(&json(&folder, "index query seen --text-file poem.txt --top 1 --json")[0]).clone();
        assert_eq!((top.len(), &top[0]["exact"]), (1, &Value::Bool(true)));
        // A document is not like itself.
        let like = matches(&json(&folder, "index query seen --id three --json")[0]).clone();
        assert_eq!(like.iter().map(|found| &found["id"]).collect::<Vec<_>>(), ["one", "two"]);
    }
}

#[test]
fn signatures_alone_give_estimates_with_an_error() {
    let folder = filled("signatures");
    let found = matches(&json(&folder, "index query seen --text-file poem.txt --json")[0]).clone();
    assert_eq!(found.len(), 3);
    // Copies are known by their content hash.
    assert_eq!((&found[0]["id"], &found[0]["exact"]), (&"one".into(), &Value::Bool(true)));
    assert_eq!((&found[2]["id"], &found[2]["exact"]), (&"three".into(), &Value::Bool(false)));
    assert!(found[2]["standard_error"].as_f64().unwrap() > 0.0);
    let text = ok(&folder, "index query seen --text-file poem.txt").stdout;
    assert_eq!(text.matches('±').count(), 1, "{text}");
}

#[test]
fn checked_in_order_the_new_ones_are_what_dedup_keeps() {
    let mut lines = String::new();
    let prose = Prose::new(7);
    for at in 0..60 {
        let text = prose.text(at, 2_000);
        let words: Vec<&str> = text.split(' ').collect();
        for (copy, left_out) in [0, 0, 9, 40].into_iter().enumerate() {
            let _ = write!(lines, "{}", line(&format!("{at}-{copy}"), &words[left_out..].join(" ")));
        }
    }
    let folder = Folder::new().with("corpus.jsonl", lines);
    ok(&folder, "dedup corpus.jsonl -o out --id-field id --recall 0.9999");
    ok(&folder, "index create seen --store shingles --recall 0.9999");
    let checked = json(&folder, "index check seen corpus.jsonl --id-field id --add --json");
    let seen: Vec<(Value, Value, Value)> = checked
        .iter()
        .filter(|checked| checked["new"] == false)
        .map(|checked| {
            let found = &checked["match"];
            (checked["id"].clone(), found["id"].clone(), found["similarity"].clone())
        })
        .collect();
    let removed: Vec<(Value, Value, Value)> = folder
        .read("out/removed.jsonl")
        .lines()
        .map(|line| serde_json::from_str::<Value>(line).unwrap())
        .map(|removed| (removed["id"].clone(), removed["kept_id"].clone(), removed["similarity"].clone()))
        .collect();
    assert!(removed.len() > 100, "{}", removed.len());
    assert_eq!(seen, removed);
    assert!(ok(&folder, "index verify seen").stdout.contains("nothing is wrong"));
}

#[test]
fn an_id_is_there_once_unless_something_else_is_asked_for() {
    let folder = filled("text");
    let again = folder.run("index add seen corpus.jsonl --id-field id");
    assert_eq!(again.code, 3);
    assert!(again.stderr.contains("the id one already") && again.stderr.contains("--update"), "{again}");
    ok(&folder, "index add seen corpus.jsonl --id-field id --skip-present");
    ok(&folder, "index add seen corpus.jsonl --id-field id --update");
    let stats = json(&folder, "index stats seen --json");
    assert_eq!((&stats[0]["documents"], &stats[0]["distinct"]), (&4.into(), &3.into()));
}

#[test]
fn removed_documents_are_gone_and_others_stay() {
    let folder = filled("text").with("gone.txt", "one\r\nnobody\n\n");
    let removed = ok(&folder, "index remove seen --ids gone.txt --id four");
    assert!(removed.stderr.contains("1 of 3 ids are not in the index"), "{removed}");
    let exported = json(&folder, "index export seen");
    assert_eq!(exported.iter().map(|kept| &kept["id"]).collect::<Vec<_>>(), ["two", "three"]);
    assert_eq!(exported[0]["text"], POEM.to_uppercase());
    // The copy of what was removed is found in its place.
    let found = matches(&json(&folder, "index query seen --text-file poem.txt --json")[0]).clone();
    assert_eq!(found[0]["id"], "two");
    assert_eq!(folder.run("index get seen one").code, 2);
    assert!(ok(&folder, "index get seen two").stdout.contains("THE QUICK"));
}

#[test]
fn copies_of_an_index_answer_alike() {
    let folder = filled("shingles");
    ok(&folder, "index backup seen copy");
    ok(&folder, "index restore copy back");
    ok(&folder, "index compact back");
    ok(&folder, "index repair back");
    let ask = |index: &str| json(&folder, &format!("index query {index} --text-file poem.txt --json"));
    assert_eq!(ask("seen"), ask("back"));
    let other = folder.with("more.jsonl", line("five", "nobody expects the other index to come with this"));
    ok(&other, "index restore copy grown");
    ok(&other, "index add grown more.jsonl --id-field id");
    assert_eq!(other.run("index merge seen grown").code, 3);
    let merged = ok(&other, "index merge seen grown --skip-present --json").stdout;
    assert_eq!(
        serde_json::from_str::<Value>(&merged).unwrap(),
        serde_json::json!({"added": 1, "documents": 5})
    );
}

#[test]
fn passages_need_texts() {
    let folder = filled("text").with("other.txt", format!("{} and so on", POEM.to_uppercase()));
    let shared = ok(&folder, "index passages seen --id one --text-file other.txt").stdout;
    assert!(shared.contains("1 shared passage"), "{shared}");
    let folder = filled("shingles");
    let refused = folder.run("index passages seen --id one --text-file poem.txt");
    assert_eq!(refused.code, 2);
    assert!(refused.stderr.contains("--store text"), "{refused}");
}

#[test]
fn what_cannot_be_is_refused_and_nothing_is_written() {
    let folder = filled("text").with("full/file.txt", "x").with("empty.jsonl", "");
    for (arguments, code, message) in [
        ("index query nowhere --text a", 2, "there is no index at nowhere"),
        ("index stats full", 4, "full is not an index"),
        ("index create full", 4, "full is not an index"),
        ("index create seen", 4, "there is an index at seen already"),
        ("index create new --measure containment", 2, "containment"),
        ("index create new --ttl 30", 2, "30d"),
        ("index create new --threshold 7", 2, "threshold"),
        ("index create new --store much", 2, "signatures, shingles, text"),
        (
            "index add seen corpus.jsonl --hashes 64",
            2,
            "--hashes 64 does not fit seen, which was created with --hashes 128",
        ),
        ("index add seen nothing.jsonl", 2, "nothing.jsonl"),
        ("index query seen --text a --top 0", 2, "--top"),
        ("index query seen --id nobody", 2, "no document has the id nobody"),
        ("index query seen", 2, "--text"),
        ("index remove seen", 2, "--ids"),
        ("index remove seen --where lang", 2, "FIELD=VALUE"),
        ("index check seen corpus.jsonl --on-match add", 2, "--add"),
        ("index backup seen full", 4, "full is not an index"),
        ("index backup seen seen/copy", 4, "in the folder of the index itself"),
    ] {
        let outcome = folder.run(arguments);
        assert_eq!(outcome.code, code, "{arguments}: {outcome}");
        assert!(outcome.stderr.contains(message), "{arguments}: {outcome}");
    }
    assert!(!folder.path("new").exists());
    assert_eq!(folder.read("full/file.txt"), "x");
    ok(&folder, "index add seen empty.jsonl");
    assert!(ok(&folder, "index verify seen").stdout.contains("4 documents"));
}

#[test]
fn one_process_at_a_time_has_an_index() {
    let folder = filled("text");
    let held = index::Index::open(folder.path("seen"), &index::Options::default()).unwrap();
    let refused = folder.run("index stats seen");
    assert_eq!(refused.code, 4);
    assert!(refused.stderr.contains(&format!("in use by process {}", std::process::id())), "{refused}");
    drop(held);
    ok(&folder, "index stats seen");
}

#[test]
fn records_that_cannot_be_used_are_named_and_what_came_before_is_kept() {
    let folder = corpus().with("bad.jsonl", format!("{}{{\"id\": \"x\"}}\n", line("one", POEM)));
    let refused = folder.run("index add seen bad.jsonl --id-field id");
    assert_eq!(refused.code, 3);
    assert!(refused.stderr.contains("bad.jsonl, line 2"), "{refused}");
    assert!(!folder.path("seen").exists(), "an empty index is left behind");
    // A folder that was there stays, and so does an index without documents.
    std::fs::create_dir(folder.path("empty")).unwrap();
    ok(&folder, "index create made");
    for place in ["empty", "made"] {
        assert_eq!(folder.run(&format!("index add {place} bad.jsonl --id-field id")).code, 3);
    }
    assert_eq!(std::fs::read_dir(folder.path("empty")).unwrap().count(), 0);
    assert_eq!(json(&folder, "index stats made --json")[0]["documents"], 0);
    ok(&folder, "index add seen bad.jsonl --id-field id --on-bad-record skip");
    assert_eq!(json(&folder, "index stats seen --json")[0]["documents"], 1);
}

#[test]
fn ids_that_cannot_be_are_named_or_left_out() {
    let folder = Folder::new()
        .with("ids.jsonl", format!("{}{}", line("", POEM), line("one", POEM)))
        .with("wrong.txt", b"one\nx\xff\n");
    let refused = folder.run("index add seen ids.jsonl --id-field id");
    assert_eq!(refused.code, 3);
    assert!(refused.stderr.contains("record 1") && refused.stderr.contains("1 to 1024 bytes"), "{refused}");
    let skipped = ok(&folder, "index add seen ids.jsonl --id-field id --on-bad-record skip");
    assert!(skipped.stderr.contains("1 records cannot be used and are left out"), "{skipped}");
    let refused = folder.run("index remove seen --ids wrong.txt");
    assert_eq!(refused.code, 2);
    assert!(refused.stderr.contains("wrong.txt, line 2"), "{refused}");
    assert!(ok(&folder, "index get seen one").stdout.contains("shingles"));
}

#[test]
fn indexes_of_shingles_can_be_merged_if_one_is_like_the_other() {
    let folder =
        filled("shingles").with("more.jsonl", line("five", "a text that only the other index has in it"));
    ok(&folder, "index create other --threshold 0.7 --store shingles");
    let refused = folder.run("index merge seen other");
    assert_eq!(refused.code, 4);
    assert!(refused.stderr.contains("--like"), "{refused}");
    ok(&folder, "index create sibling --like seen");
    ok(&folder, "index add sibling more.jsonl --id-field id");
    ok(&folder, "index merge seen sibling");
    assert_eq!(json(&folder, "index stats seen --json")[0]["documents"], 5);
}

#[test]
fn expired_documents_do_not_hide_others_from_a_limited_search() {
    let many: String = (0..30).map(|at| line(&format!("old-{at}"), &format!("{POEM} {at}"))).collect();
    let folder =
        Folder::new().with("old.jsonl", many).with("new.jsonl", line("new", POEM)).with("poem.txt", POEM);
    ok(
        &folder,
        "index add seen old.jsonl --id-field id --threshold 0.5 --store text --candidates 10 --ttl 1s",
    );
    std::thread::sleep(std::time::Duration::from_millis(1100));
    ok(&folder, "index add seen new.jsonl --id-field id");
    let answer = &json(&folder, "index query seen --text-file poem.txt --json")[0];
    // It is gone too if this machine is very slow; what has expired is never shown.
    let shown: Vec<&Value> = matches(answer).iter().map(|found| &found["id"]).collect();
    assert!(shown == ["new"] || shown.is_empty(), "{answer}");
    assert_eq!(answer["truncated"], false);
}

#[test]
fn a_full_disk_is_an_error_and_not_the_end_of_answers() {
    let place = Folder::new();
    let disk = match testkit::faults::SmallDisk::mount(&place.path("disk"), 6 << 20) {
        Ok(disk) => disk,
        Err(why) => return eprintln!("NOT tested: a full disk ({why})"),
    };
    let prose = Prose::new(1);
    let texts = (0..6_000).map(|at| line(&at.to_string(), &prose.text(at, 2_000)));
    let folder = Folder::new().with("many.jsonl", texts.collect::<String>());
    let index = disk.folder().join("seen");
    let index = index.display();
    ok(&folder, &format!("index create {index} --store text"));
    let full = folder.run(&format!("index check {index} many.jsonl --id-field id --add"));
    assert_eq!(full.code, 1, "{full}");
    let told = full.stdout.lines().filter(|line| line.starts_with("new")).count() as u64;
    assert!(told > 0, "{full}");
    let stats = json(&folder, &format!("index stats {index} --json"));
    assert!(stats[0]["documents"].as_u64().unwrap() >= told, "{} {told}", stats[0]);
    assert!(ok(&folder, &format!("index verify {index}")).stdout.contains("nothing is wrong"));
}

/// Ids and kept ids of the removed documents of a run.
fn removed(folder: &Folder, out: &str) -> Vec<(String, String)> {
    let removed = folder.read(&format!("{out}/removed.jsonl"));
    let row = |line: &str| {
        let row: Value = serde_json::from_str(line).unwrap();
        (row["id"].as_str().unwrap().to_owned(), row["kept_id"].as_str().unwrap().to_owned())
    };
    removed.lines().map(row).collect()
}

fn pair(id: &str, kept: &str) -> (String, String) {
    (id.to_owned(), kept.to_owned())
}

#[test]
fn dedup_removes_what_an_index_has_and_adds_what_it_keeps() {
    let new = [
        line("five", &POEM.replace("away", "off")),
        line("six", "all happy families are alike every unhappy family is unhappy in its own way"),
        line("seven", "All happy families are alike; every unhappy family is unhappy in its own way."),
    ];
    let folder = filled("shingles").with("new.jsonl", new.concat());
    let command = "dedup new.jsonl --against seen --add-to seen -o out --id-field id";
    let outcome = ok(&folder, command);
    assert_eq!(removed(&folder, "out"), [pair("five", "one"), pair("seven", "six")]);
    let row: Value = serde_json::from_str(folder.read("out/removed.jsonl").lines().next().unwrap()).unwrap();
    assert_eq!((&row["kept_source"], &row["kept_line"]), (&"seen".into(), &Value::Null));
    assert_eq!(row["similarity"].as_f64().unwrap(), 7.0 / 9.0);
    for said in ["of these, seen", "because of seen, which finds", "added", "1  to seen"] {
        assert!(outcome.stderr.contains(said), "{said}: {outcome}");
    }
    let report: Value = serde_json::from_str(&folder.read("out/report.json")).unwrap();
    assert_eq!(
        (&report["against_index"]["removed"], &report["added_to"]["documents"]),
        (&1.into(), &1.into())
    );
    assert_eq!(report["settings"]["threshold"], 0.7, "that of the index");
    // Once more nothing happens; into another folder nothing is new.
    assert!(ok(&folder, command).stderr.contains("nothing to do"));
    assert_eq!(json(&folder, "index stats seen --json")[0]["documents"], 5);
    ok(&folder, "dedup new.jsonl --against seen -o later --id-field id");
    assert_eq!(folder.read("later/new.jsonl"), "");
    assert_eq!(removed(&folder, "later")[1..], [pair("six", "six"), pair("seven", "six")]);
    // What can be asked of a finished run.
    assert!(ok(&folder, "inspect out --id five").stdout.contains("one  [a document of the index]"));
    let other = folder.run("inspect out --threshold 0.9");
    assert!(other.code == 2 && other.stderr.contains("compared documents with the index seen"), "{other}");
    ok(&folder, "report out -o page.html");
    // Annotated records name the documents of the index too.
    ok(&folder, "dedup new.jsonl --against seen -o marked --id-field id --annotate");
    let marked: Value =
        serde_json::from_str(folder.read("marked/new.jsonl").lines().next().unwrap()).unwrap();
    assert_eq!((&marked["lookalike_kept_id"], &marked["lookalike_duplicate"]), (&"one".into(), &true.into()));
    assert_eq!(marked["lookalike_cluster"], "one");
}

#[test]
fn add_to_creates_an_index_that_later_runs_ask() {
    let folder = corpus();
    let daily = "--against seen/ --add-to seen --id-field id --threshold 0.7";
    let first = ok(&folder, &format!("dedup corpus.jsonl -o monday {daily}"));
    assert!(first.stderr.contains("created the index seen, which stores shingles"), "{first}");
    assert_eq!(removed(&folder, "monday"), [pair("two", "one"), pair("three", "one")]);
    let folder = folder.with("next.jsonl", line("eight", POEM) + &line("nine", "something else altogether"));
    let again = ok(&folder, &format!("dedup corpus.jsonl -o monday {daily}"));
    assert!(again.stderr.contains("nothing to do"), "{again}");
    let second = ok(&folder, &format!("dedup next.jsonl -o tuesday {daily}"));
    assert!(!second.stderr.contains("created"), "{second}");
    assert_eq!(removed(&folder, "tuesday"), [pair("eight", "one")]);
    assert_eq!(json(&folder, "index stats seen --json")[0]["documents"], 3);
}

#[test]
fn what_an_index_cannot_be_asked_is_refused() {
    let folder = filled("signatures").with("plain/a.txt", POEM).with("empty/.keep", "");
    ok(&folder, "index create other");
    ok(&folder, "sketch corpus.jsonl -o corpus.sketch");
    for (arguments, code, message) in [
        ("dedup corpus.jsonl --against seen -o out", 2, "use --verify estimate, or create the index with"),
        ("dedup corpus.jsonl --against seen -o out --verify none", 2, "--verify none cannot be used with"),
        (
            "dedup corpus.jsonl --against seen -o out --verify estimate --clusters components",
            2,
            "--clusters components cannot be used with the index seen",
        ),
        (
            "dedup corpus.jsonl --against seen -o out --shingles words:3",
            2,
            "--shingles words:3 does not fit seen, which was created with --shingles words:5",
        ),
        (
            "dedup corpus.jsonl --against seen -o out --case keep",
            2,
            "--case keep does not fit seen, which was created with --case fold",
        ),
        ("dedup corpus.jsonl --against seen other -o out", 2, "seen and other are both indexes"),
        (
            "dedup corpus.sketch --against seen -o out --verify estimate",
            2,
            "is a sketch file, which has no texts",
        ),
        ("dedup seen -o out", 2, "seen is an index, not a corpus"),
        ("pairs corpus.jsonl --against seen", 2, "only `lookalike dedup` compares with one"),
        ("clusters corpus.jsonl --against seen", 2, "only `lookalike dedup` compares with one"),
        ("dedup corpus.jsonl --add-to new -o -", 2, "--add-to needs a target folder"),
        ("dedup corpus.jsonl --add-to new -o out --dry-run", 2, "--dry-run"),
        ("dedup corpus.jsonl --add-to plain -o out", 4, "plain is not an index"),
        ("dedup nothing.jsonl --add-to new -o out", 2, "nothing.jsonl"),
        ("dedup corpus.jsonl --add-to new -o poem.txt", 2, "poem.txt is a file"),
        (
            "dedup corpus.jsonl --add-to out/new -o out",
            2,
            "the index out/new and the target out are in each other",
        ),
        ("dedup corpus.jsonl --add-to new -o new/out", 2, "are in each other"),
        ("dedup plain --add-to plain/new -o out", 2, "the index plain/new is in the input plain"),
        (
            "dedup corpus.jsonl --against seen -o out --verify estimate --within lang",
            2,
            "added without a value of --within",
        ),
        (
            "dedup corpus.jsonl --add-to seen -o out --id-field id --verify estimate",
            3,
            "remove that document from the index, or name a field with other ids",
        ),
        (
            "dedup corpus.jsonl --against other -o out --memory 64MiB --verify estimate",
            5,
            "raise --memory to",
        ),
    ] {
        let outcome = folder.run(arguments);
        assert_eq!(outcome.code, code, "{arguments}: {outcome}");
        assert!(outcome.stderr.contains(message), "{arguments}: {outcome}");
        assert!(!folder.path("out/corpus.jsonl").exists() && !folder.path("new").exists(), "{arguments}");
    }
    // With estimates it works, and says that they are estimates.
    ok(&folder, "dedup corpus.jsonl --against seen -o estimated --id-field id --verify estimate");
    assert_eq!(removed(&folder, "estimated").len(), 4);
}

#[test]
fn settings_of_one_run_are_refused_with_an_index() {
    let line = |day: &str| {
        format!("{{\"id\":\"{day}\",\"text\":\"one two three four five six\",\"day\":\"{day}\"}}\n")
    };
    let folder = Folder::new().with("old.jsonl", line("2001-01-01")).with("new.jsonl", line("2026-01-01"));
    assert_eq!(folder.run("index create seen --store shingles").code, 0);
    assert_eq!(folder.run("index add seen old.jsonl --id-field id").code, 0);
    for command in [
        "dedup new.jsonl --id-field id --against seen --within-days day:3 -o out",
        "dedup new.jsonl --id-field id --add-to seen --common 5 -o out",
        "index add seen new.jsonl --id-field id --within-days day:3",
        "index check seen new.jsonl --id-field id --site-field day",
    ] {
        let outcome = folder.run(command);
        assert!(outcome.code != 0 && outcome.stderr.contains("one run"), "{command}: {outcome}");
        assert!(!folder.path("out").exists(), "{command}");
    }
}
