//! Several sketch files as the input of one command.

use super::lookalike::Folder;
use serde_json::Value;
use testkit::corpora::{Planted, write_files};

fn json(text: &str) -> Value {
    serde_json::from_str(text).unwrap()
}

/// A folder with three files of documents, each sketched alone, and all of them sketched together.
fn sketched() -> Folder {
    let folder = Folder::new();
    let planted = Planted { similarity: (0.5, 1.0), near: 0.5, ..Planted::short(300, 5) };
    write_files(&folder.path("in"), planted.iter(), &[100, 180]).unwrap();
    let mut names: Vec<String> = std::fs::read_dir(folder.path("in"))
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    assert_eq!(names.len(), 3);
    for (at, name) in names.iter().enumerate() {
        let outcome = folder.run(&format!("sketch in/{name} -o {at}.sketch --id-field id"));
        assert_eq!(outcome.code, 0, "{outcome}");
    }
    let all: Vec<String> = names.iter().map(|name| format!("in/{name}")).collect();
    assert_eq!(folder.run(&format!("sketch {} -o all.sketch --id-field id", all.join(" "))).code, 0);
    folder
}

#[test]
fn several_sketch_files_are_one_input() {
    let folder = sketched();
    assert_eq!(folder.run("dedup all.sketch -o one --threshold 0.6 --keep longest").code, 0);
    let outcome = folder.run("dedup 0.sketch 1.sketch 2.sketch -o many --threshold 0.6 --keep longest");
    assert_eq!(outcome.code, 0, "{outcome}");
    let removed = folder.read("one/removed.jsonl");
    assert!(removed.lines().count() > 50);
    let mut names: Vec<_> =
        std::fs::read_dir(folder.path("one")).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    names.retain(|name| name.to_str().unwrap().ends_with(".jsonl"));
    assert_eq!(names.len(), 4);
    for name in names {
        let name = name.into_string().unwrap();
        assert_eq!(folder.read(&format!("one/{name}")), folder.read(&format!("many/{name}")), "{name}");
    }
    let report = |out: &str| {
        let mut report = json(&folder.read(&format!("{out}/report.json")));
        report["run"] = Value::Null;
        report
    };
    assert_eq!(report("one"), report("many"));
    // What was decided can be looked into, and the same job in the same folder is done already.
    let first = json(removed.lines().next().unwrap());
    let asked = folder.run(&format!("inspect many --id {} --json", first["id"].as_str().unwrap()));
    assert_eq!(json(&asked.stdout)["fate"], first["kind"]);
    let again = folder.run("dedup all.sketch -o many --threshold 0.6 --keep longest");
    assert!(again.code == 0 && again.stderr.contains("nothing"), "{again}");
    for command in ["pairs", "clusters"] {
        let one = folder.run(&format!("{command} all.sketch --threshold 0.6"));
        let many = folder.run(&format!("{command} 0.sketch 1.sketch 2.sketch --threshold 0.6"));
        assert!(one.code == 0 && one.stdout.lines().count() > 50, "{one}");
        assert_eq!(one.stdout, many.stdout);
    }
}

#[test]
fn sketch_files_of_other_settings_are_refused() {
    let folder = sketched();
    assert_eq!(folder.run("sketch in -o other.sketch --id-field id --shingles words:3").code, 0);
    insta::assert_snapshot!("sketches_of_other_settings", folder.run("dedup 0.sketch other.sketch -o out"));
    assert!(!folder.path("out").exists());
    std::fs::remove_file(folder.path("1.sketch")).unwrap();
    let outcome = folder.run("dedup 0.sketch 1.sketch -o out");
    assert!(outcome.code != 0 && outcome.stderr.contains("1.sketch"), "{outcome}");
}
