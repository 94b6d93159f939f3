//! Commands that show why: compare, plan, inspect, report.

use super::lookalike::Folder;
use serde_json::Value;
use std::path::Path;
use testkit::corpora::{Planted, write_files};

/// A folder with the corpus of the demo.
fn demo() -> Folder {
    let articles = Path::new(&std::env::var("CARGO_MANIFEST_DIR").unwrap()).join("../../demo/articles.jsonl");
    Folder::new().with("articles.jsonl", std::fs::read(articles).unwrap())
}

/// The same after a run.
fn finished() -> Folder {
    let folder = demo();
    let outcome = folder.run("dedup articles.jsonl --id-field id -o clean --threads 1");
    assert_eq!(outcome.code, 0, "{outcome}");
    folder
}

fn json(text: &str) -> Value {
    serde_json::from_str(text).unwrap()
}

const FIRST: &str = "the sun rose over the quiet harbour and the fishing boats began to leave one by one";
const SECOND: &str = "an old man on the pier counted them as he had done every morning for forty years";
const THIRD: &str = "nobody remembered who had asked him to do it or what became of all those numbers";

fn two_texts() -> Folder {
    Folder::new()
        .with("a.txt", format!("{FIRST}.\n\n{SECOND}.\n\n{THIRD}.\n"))
        .with("b.txt", format!("{SECOND}.\n\nSomething new stands here instead.\n\n{FIRST}.\n"))
}

#[test]
fn compare_shows_what_two_texts_share_and_what_was_moved() {
    let folder = two_texts();
    insta::assert_snapshot!("compare", folder.run("compare a.txt b.txt"));
    let outcome = folder.run("compare a.txt b.txt --json");
    let said = json(&outcome.stdout);
    let passages = said["passages"].as_array().unwrap();
    let places: Vec<&str> = passages.iter().map(|passage| passage["place"].as_str().unwrap()).collect();
    assert_eq!(passages.len(), 2);
    assert!(places.contains(&"moved") && places.contains(&"in-order"), "{places:?}");
    let (a, b) = (folder.read("a.txt"), folder.read("b.txt"));
    for passage in passages {
        let cut = |text: &str, side: &str| {
            let at = |end: usize| passage[side][end].as_u64().unwrap() as usize;
            text[at(0)..at(1)].to_lowercase()
        };
        assert_eq!(cut(&a, "a"), cut(&b, "b"));
    }
    let (common, of_a, of_b) = (&said["common_shingles"], &said["a"]["shingles"], &said["b"]["shingles"]);
    let [common, of_a, of_b] = [common, of_a, of_b].map(|number| number.as_f64().unwrap());
    let jaccard = common / (of_a + of_b - common);
    assert!((said["jaccard"].as_f64().unwrap() - jaccard).abs() < 1e-12);
    for estimate in said["estimates"].as_array().unwrap() {
        let number = |name: &str| estimate[name].as_f64().unwrap();
        assert!((number("estimate") - number("exact")).abs() < 5.0 * number("standard_error"), "{estimate}");
    }
}

#[test]
fn compare_writes_a_page_that_loads_nothing() {
    let folder = two_texts();
    let outcome = folder.run("compare a.txt b.txt --html page.html");
    assert_eq!(outcome.code, 0, "{outcome}");
    let page = folder.read("page.html");
    assert!(page.contains("fishing boats") && !page.contains("src=") && !page.contains("http://"));
}

#[test]
fn compare_finds_documents_of_a_corpus_and_suggests_ids() {
    let folder = demo();
    let outcome =
        folder.run("compare elife-88483-v1 articles.jsonl:1 --corpus articles.jsonl --id-field id --json");
    assert_eq!((outcome.code, &json(&outcome.stdout)["jaccard"]), (0, &Value::from(1.0)), "{outcome}");
    insta::assert_snapshot!(
        "compare_unknown_id",
        folder.run("compare elife-88483-v1 elife-88483-v9 --corpus articles.jsonl --id-field id")
    );
}

#[test]
fn compare_takes_what_is_no_text_as_bytes() {
    let bytes: Vec<u8> = (0..2_000u32).map(|at| (at * at % 251) as u8).collect();
    let longer = [b"\0\xff".as_slice(), &bytes].concat();
    let folder = Folder::new().with("a.bin", &bytes).with("b.bin", &longer);
    let outcome = folder.run("compare a.bin b.bin --json");
    let said = json(&outcome.stdout);
    assert!(said["notes"][0].as_str().unwrap().contains("compared as bytes"), "{outcome}");
    assert_eq!(said["containment_of_a"], 1.0);
    assert_eq!(
        (&said["b"]["bytes"], &said["passages"][0]["b"][1]),
        (&Value::from(2_002), &Value::from(2_002))
    );
    insta::assert_snapshot!("compare_missing_file", folder.run("compare a.bin nothing.bin"));
}

#[test]
fn plans_are_shown() {
    let folder = demo();
    insta::assert_snapshot!("plan", folder.run("plan --threads 2"));
    insta::assert_snapshot!(
        "plan_bands",
        folder.run("plan --bands 14x8 --threshold 0.75 -n 1000 --threads 2")
    );
    insta::assert_snapshot!("plan_simhash", folder.run("plan --simhash --distance 3 --threads 2"));
    insta::assert_snapshot!(
        "plan_sample",
        folder.run("plan --sample articles.jsonl --documents 202 --threads 2").stdout
    );
    assert_eq!(folder.run("plan --documents 0").code, 2);
    assert_eq!(folder.run("plan --method simhash --sample articles.jsonl").code, 2);
    assert_eq!(folder.run("plan --svg curve.svg").code, 0);
    assert!(folder.read("curve.svg").starts_with("<!-- made by lookalike -->\n<svg"));
}

#[test]
fn the_sample_of_a_plan_expects_as_many_candidates_as_a_run_meets() {
    let folder = demo();
    let said = json(&folder.run("plan --sample articles.jsonl --documents 202 --json").stdout);
    let expected = said["sample"]["expected_candidates"].as_f64().unwrap();
    let pairs: u64 =
        said["sample"]["histogram"].as_array().unwrap().iter().map(|bin| bin.as_u64().unwrap()).sum();
    assert_eq!(pairs, 202 * 201 / 2);
    // All pairs that the plan brings together, unfiltered.
    let met =
        folder.run("pairs articles.jsonl --bands 21x6 --verify none --quiet").stdout.lines().count() as f64;
    assert!((met - expected).abs() < 4.0 * expected.sqrt(), "{met} pairs, {expected} expected");
}

#[test]
fn runs_can_be_looked_into() {
    let folder = finished();
    insta::assert_snapshot!("inspect", folder.run("inspect clean --top 2"));
    let removed = folder.read("clean/removed.jsonl");
    let removed: Vec<Value> = removed.lines().map(json).collect();
    let near = removed.iter().find(|row| row["kind"] == "near").unwrap();
    let id = near["id"].as_str().unwrap();
    let said = json(&folder.run(&format!("inspect clean --id {id} --json")).stdout);
    assert_eq!((&said["fate"], &said["pairs"][0]["kept"]["id"]), (&Value::from("near"), &near["kept_id"]));
    assert_eq!(said["pairs"][0]["similarity"], near["similarity"]);
    let kept = near["kept_id"].as_str().unwrap();
    let said = json(&folder.run(&format!("inspect clean --id {kept} --json")).stdout);
    assert_eq!(said["fate"], "kept");
    insta::assert_snapshot!("inspect_fate", folder.run(&format!("inspect clean --id {id}")));
    insta::assert_snapshot!("inspect_unknown_id", folder.run("inspect clean --id elife-88483-v8"));
}

#[test]
fn a_run_from_a_sketch_file_can_be_looked_into_from_anywhere() {
    let folder = demo().with("elsewhere/note.txt", "");
    assert_eq!(folder.run("sketch articles.jsonl --id-field id -o articles.sketch").code, 0);
    assert_eq!(folder.run("dedup articles.sketch -o clean").code, 0);
    let here = folder.run("inspect clean --json").stdout;
    let there = std::process::Command::new(env!("CARGO_BIN_EXE_lookalike"))
        .args(["inspect", "../clean", "--json"])
        .current_dir(folder.path("elsewhere"))
        .output()
        .unwrap();
    assert_eq!(String::from_utf8(there.stdout).unwrap(), here);
    assert!(json(&here)["near_misses"][0]["kept"]["text"].as_str().is_some(), "{here}");
}

/// Their sketches depend on the threshold.
#[test]
fn another_threshold_is_answered_for_short_documents_too() {
    let folder = Folder::new();
    let planted = Planted { similarity: (0.3, 1.0), near: 0.6, ..Planted::short(600, 5) };
    write_files(&folder.path("in"), planted.iter(), &[]).unwrap();
    for run in ["0.5", "0.7", "0.9"] {
        assert_eq!(folder.run(&format!("dedup in --id-field id -o clean-{run} --threshold {run}")).code, 0);
        for asked in ["0.5", "0.7", "0.9"] {
            let said = json(&folder.run(&format!("inspect clean-{run} --threshold {asked} --json")).stdout);
            let command = format!("dedup in --id-field id --dry-run --json --threshold {asked}");
            let counts = &json(&folder.run(&command).stdout)["counts"];
            assert_eq!((&said["kept"], &said["near"]), (&counts["kept"], &counts["near"]), "{run} {asked}");
        }
    }
}

#[test]
fn another_threshold_is_answered_as_another_run_would() {
    let folder = finished();
    insta::assert_snapshot!("inspect_threshold", folder.run("inspect clean --threshold 0.9 --top 1"));
    for threshold in ["0.6", "0.9"] {
        let said = json(&folder.run(&format!("inspect clean --threshold {threshold} --json")).stdout);
        let command = format!("dedup articles.jsonl --id-field id --dry-run --json --threshold {threshold}");
        let report = json(&folder.run(&command).stdout);
        assert_eq!((&said["kept"], &said["near"]), (&report["counts"]["kept"], &report["counts"]["near"]));
        let (stays, goes) = (said["stays"].as_u64().unwrap(), said["goes"].as_u64().unwrap());
        let before = said["kept_by_run"].as_u64().unwrap();
        assert_eq!(before + stays - goes, said["kept"].as_u64().unwrap());
    }
}

#[test]
fn what_is_no_finished_run_is_said_to_be_none() {
    let folder = finished();
    insta::assert_snapshot!("inspect_no_run", folder.run("inspect ."));
    std::fs::rename(folder.path("clean/report.json"), folder.path("report.json")).unwrap();
    insta::assert_snapshot!("inspect_unfinished", folder.run("report clean"));
    std::fs::write(folder.path("clean/report.json"), "{\"version\": 99}").unwrap();
    insta::assert_snapshot!("inspect_other_version", folder.run("inspect clean"));
    std::fs::rename(folder.path("report.json"), folder.path("clean/report.json")).unwrap();
    std::fs::write(folder.path("clean/_lookalike/decisions"), "damaged").unwrap();
    insta::assert_snapshot!("inspect_damaged", folder.run("inspect clean"));
}

#[test]
fn a_plan_of_containment_says_what_short_documents_lose() {
    let folder = Folder::new().with("c.toml", "measure = \"containment\"\n");
    let outcome = folder.run("plan --measure containment --threads 2");
    insta::assert_snapshot!("plan_containment", outcome);
    assert_eq!(folder.run("plan --config c.toml --threads 2").stdout, outcome.stdout);
    let said = json(&folder.run("plan --measure containment --json").stdout);
    let (shingles, chance) = (&said["by_shingles"][2][0], said["by_shingles"][2][1].as_f64().unwrap());
    assert!(*shingles == 10 && (chance - (1.0 - 0.875f64.powi(8))).abs() < 1e-9, "{said}");
    assert_eq!(folder.run("plan --measure containment --bands 4x4").code, 2);
    assert_eq!(json(&folder.run("plan --json").stdout)["by_shingles"], json("[]"));
}

#[test]
fn a_report_is_written_to_standard_output_and_printed_as_json() {
    let folder = finished();
    let outcome = folder.run("report clean -o -");
    assert_eq!(outcome.code, 0, "{outcome}");
    assert!(!folder.path("clean/report.html").exists());
    let printed = folder.run("report clean -o page.html --json");
    assert_eq!(printed.code, 0, "{printed}");
    assert_eq!(outcome.stdout, folder.read("page.html"));
    assert_eq!(json(&printed.stdout), json(&folder.read("clean/report.json")));
    let outcome = folder.run("report clean -o - --json");
    assert_eq!(outcome.code, 2, "{outcome}");
    assert!(outcome.stderr.contains("cannot both be written to standard output"), "{outcome}");
}

#[test]
fn what_is_no_folder_is_said_to_be_none() {
    let folder = finished();
    assert_eq!(folder.run("sketch articles.jsonl -o a.sketch").code, 0);
    for (run, said, next) in [
        ("nowhere", "there is no folder nowhere", "the target of `lookalike dedup`"),
        ("articles.jsonl", "articles.jsonl is a file, not the folder", "the target of `lookalike dedup`"),
        ("clean/report.json", "clean/report.json is a file", "give the folder of the run: clean"),
        ("clean/articles.jsonl", "clean/articles.jsonl is a file", "give the folder of the run: clean"),
        ("a.sketch", "a.sketch is a sketch file", "`lookalike dedup a.sketch -o TARGET`"),
        ("s3://bucket/clean", "s3://bucket/clean is not a folder on this machine", "copy the whole run"),
    ] {
        for command in ["inspect", "report"] {
            let outcome = folder.run(&format!("{command} {run}"));
            assert_eq!(outcome.code, 2, "{outcome}");
            assert!(outcome.stderr.contains(&format!("error: {said}")), "{outcome}");
            assert!(outcome.stderr.contains(next), "{outcome}");
        }
    }
}

#[test]
fn changed_sources_are_not_looked_into() {
    let folder = finished().with("articles.jsonl", "{\"id\":\"x\",\"text\":\"changed\"}\n");
    let outcome = folder.run("inspect clean --threshold 0.9");
    insta::assert_snapshot!("inspect_changed", outcome);
    // What is in the run's own folder is still told.
    let outcome = folder.run("inspect clean --top 1");
    assert_eq!(outcome.code, 0, "{outcome}");
    assert!(outcome.stderr.contains("texts are not shown"), "{}", outcome.stderr);
}

#[test]
fn nothing_that_a_terminal_obeys_comes_from_ids_and_names() {
    let evil = "evil\u{1b}[31m\u{202e}";
    let lines: String = [evil, "plain"]
        .iter()
        .map(|id| format!("{}\n", serde_json::json!({"id": id, "text": format!("{FIRST} {SECOND} {id}")})))
        .collect();
    let folder = Folder::new().with("evil.jsonl", lines);
    assert_eq!(folder.run("dedup evil.jsonl --id-field id -o clean --threshold 0.5").code, 0);
    for command in [
        "compare evil.jsonl:1 evil.jsonl:2 --corpus evil.jsonl --id-field id",
        "compare evil plain --corpus evil.jsonl --id-field id",
        "inspect clean",
        "inspect clean --id evil",
    ] {
        let outcome = folder.run(command);
        let said = format!("{}{}", outcome.stdout, outcome.stderr);
        assert!(said.contains("evil"), "{command}: {said}");
        assert!(!said.contains('\u{1b}') && !said.contains('\u{202e}'), "{command}: {said:?}");
    }
}

#[test]
fn a_page_never_takes_the_place_of_an_output() {
    let folder = Folder::new().with("site/report.html", FIRST).with("site/index.html", SECOND);
    let outcome = folder.run("dedup site -o clean --report");
    assert_eq!(outcome.code, 2, "{outcome}");
    assert!(outcome.stderr.contains("report.html in the target is reserved for the run itself"), "{outcome}");
    let folder = finished();
    let outcome = folder.run("report clean -o clean/articles.jsonl");
    assert_eq!(outcome.code, 2, "{outcome}");
    assert!(folder.read("clean/articles.jsonl").starts_with('{'));
}

#[test]
fn a_near_miss_that_is_removed_because_of_another_is_not_said_to_stay() {
    // A and B differ too much; C is near both, and goes because of B.
    let words: Vec<String> = (0..60).map(|at| format!("word{at}")).collect();
    let text = |changed: std::ops::Range<usize>| {
        let mut words = words.clone();
        changed.for_each(|at| words[at] = format!("other{at}"));
        words.join(" ")
    };
    let lines: String = [("a", text(0..0)), ("b", text(50..60)), ("c", text(51..60))]
        .iter()
        .map(|(id, text)| format!("{}\n", serde_json::json!({"id": id, "text": text})))
        .collect();
    let folder = Folder::new().with("three.jsonl", lines);
    assert_eq!(folder.run("dedup three.jsonl --id-field id -o clean --threshold 0.8").code, 0);
    assert!(folder.read("clean/removed.jsonl").contains("\"kept_id\":\"b\""));
    let said = json(&folder.run("inspect clean --json").stdout);
    let misses = said["near_misses"].as_array().unwrap();
    assert!(misses.iter().all(|pair| pair["other"]["id"] != "c"), "{misses:?}");
}

#[test]
fn a_report_is_one_harmless_page() {
    let evil = "<script>document.title='gone'</script> <img src=http://x.invalid/y onerror=alert(1)>";
    let lines: String = (0..6)
        .map(|at| {
            let text = format!("{evil} {FIRST} {SECOND} {at}");
            format!("{}\n", serde_json::json!({"id": format!("<b>{at}</b>"), "text": text}))
        })
        .collect();
    let folder = Folder::new().with("evil.jsonl", lines);
    let outcome = folder.run("dedup evil.jsonl --id-field id -o clean --report --threads 1");
    assert_eq!(outcome.code, 0, "{outcome}");
    let page = folder.read("clean/report.html");
    assert!(!page.contains("<script>document") && !page.contains("<img") && !page.contains("<b>0"));
    assert!(page.contains("&lt;") && page.contains("title='gone'"), "the text is there");
    assert!(page.len() < 5_000_000);
    assert_eq!(folder.run("report clean -o page.html").code, 0);
    assert_eq!(folder.read("page.html"), page);
    assert_eq!(folder.run("dedup evil.jsonl -o - --report").code, 2);
}

#[test]
fn a_report_says_only_what_the_run_knows() {
    let text = |changed: usize| -> String {
        (0..60).map(|at| if at < changed { format!("other{at} ") } else { format!("word{at} ") }).collect()
    };
    let lines: String = [0, 2, 3, 60]
        .iter()
        .map(|&changed| format!("{}\n", serde_json::json!({"id": changed, "text": text(changed)})))
        .collect();
    let folder = Folder::new().with("some.jsonl", lines).with("one.jsonl", "{\"text\":\"one\"}\n");
    let page = |name: &str, arguments: &str| {
        let outcome = folder.run(&format!("dedup -o {name} --report {arguments}"));
        assert_eq!(outcome.code, 0, "{outcome}");
        let page = folder.read(&format!("{name}/report.html"));
        (page.split_once("<main>").unwrap().1.to_owned(), outcome.stderr)
    };
    let (none, _) = page("none", "one.jsonl");
    assert!(!none.contains("± 0") && none.contains("Nothing is known of the share"));
    let (exact, _) = page("exact", "some.jsonl");
    assert!(exact.contains("pairs verified") && exact.contains("Exact similarity"));
    for (name, flags, said) in [
        ("unverified", "--verify none", "by an equal band alone"),
        ("estimated", "--verify estimate", "as their signatures estimate"),
        (
            "fingerprints",
            "--method simhash --distance 12 --verify none",
            "by the distance of their fingerprints alone",
        ),
    ] {
        let (page, stderr) = page(name, &format!("some.jsonl {flags}"));
        assert!(page.contains(said), "{name}: {page}");
        let claims = page.replace("unverified", "");
        assert!(
            !claims.contains("verified") && !claims.contains("NaN") && !claims.contains("Exact similarity")
        );
        assert!(stderr.contains("unverified") && !stderr.contains("compared"), "{stderr}");
    }
    let (simhash, _) = page("simhash", "some.jsonl --method simhash --distance 12");
    assert!(simhash.contains("distance 12 or less were found and compared"), "{simhash}");
    assert!(!simhash.contains("found at the threshold") && !simhash.contains("area missed"));
}
