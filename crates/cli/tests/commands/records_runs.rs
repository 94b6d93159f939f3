//! `--kind records`: runs that are repeated, stopped, piped, or asked for what cannot be done.

use super::kind_records::customers;
use super::lookalike::Folder;
use std::collections::BTreeMap;

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
