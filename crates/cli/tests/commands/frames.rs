//! The same story on many sites: frames that are left out, dates, and what refuses them.

use super::lookalike::{Folder, Outcome};
use std::process::Command;
use testkit::corpora::{Framed, write_files};
use testkit::faults::{Moment, run_and_kill};

/// Pages of four sites, and who has which story.
fn pages(pages: usize) -> Folder {
    let folder = Folder::new();
    let framed =
        Framed { sites: 4, stories: 12, pages, fixed: 12, changing: 3, cut: 0.1, changed: 0.01, seed: 5 };
    let made = framed.of_prose(700);
    let truth: String = made.iter().map(|page| format!("{}\t{}\n", page.document.id, page.story)).collect();
    write_files(&folder.path("news"), made.into_iter().map(|page| page.document), &[]).unwrap();
    folder.with("truth.tsv", format!("id\tgroup\n{truth}"))
}

const NEWS: &str = "news --id-field id --preset news";

fn ok(folder: &Folder, arguments: &str) -> Outcome {
    let outcome = folder.run(arguments);
    assert_eq!(outcome.code, 0, "{arguments}: {outcome}");
    outcome
}

#[test]
fn stories_are_found_in_their_frames() {
    let folder = pages(80);
    for (more, least) in [("", 0.9), (" --site-field domain", 0.95)] {
        let found = ok(&folder, &format!("pairs {NEWS}{more}"));
        assert!(found.stderr.contains("left out"), "{}", found.stderr);
        let folder =
            Folder::new().with("found.tsv", found.stdout).with("truth.tsv", folder.read("truth.tsv"));
        let evaluated = ok(&folder, "evaluate found.tsv --truth truth.tsv --json").stdout;
        let evaluated: serde_json::Value = serde_json::from_str(&evaluated).unwrap();
        assert!(evaluated["f1"].as_f64().unwrap() >= least, "{more}: {evaluated}");
    }
    let plain = ok(&folder, "pairs news --id-field id --threshold 0.15 --hashes 512");
    assert!(plain.stdout.lines().count() > 500, "without leaving out frames, pages of a site are similar");
    ok(&folder, &format!("dedup {NEWS} --site-field domain --within-days score:3 -o out"));
    let removed = folder.read("out/removed.jsonl");
    assert!(
        removed.lines().count() > 5 && removed.lines().all(|line| line.contains("that of the rest")),
        "{removed}"
    );
    let report = folder.read("out/report.json");
    assert!(report.contains("\"site_elements\"") && report.contains("\"frame\""), "{report}");
    ok(&folder, "inspect out --threshold 0.3");
}

#[test]
fn a_comparison_shows_the_frame() {
    let folder = pages(80);
    let first = ok(&folder, &format!("pairs {NEWS} --max-pairs 1")).stdout;
    let ids: Vec<&str> = first.split_whitespace().take(2).collect();
    let arguments = format!("compare {} {} --corpus {NEWS} --html page.html", ids[0], ids[1]);
    let said = ok(&folder, &arguments).stdout;
    assert!(said.contains("the similarity is that of the rest"), "{said}");
    let similarity = first.split_whitespace().nth(2).unwrap();
    assert!(said.contains(&similarity[..5]), "{similarity}: {said}");
    assert!(folder.read("page.html").contains("class=\"frame\""));
    let refused = folder.run("compare truth.tsv truth.tsv --common 3");
    assert_eq!(refused.code, 2, "{refused}");
    assert!(refused.stderr.contains("--common needs --corpus"), "{}", refused.stderr);
}

#[test]
fn what_cannot_leave_frames_out_says_so() {
    let folder = pages(40);
    for (arguments, said) in [
        (
            "sketch news --id-field id --common 5 -o all.sketch",
            "--common 5 depends on all documents of one run",
        ),
        ("sketch news --id-field id --within-days score:3 -o all.sketch", "--within-days score:3 depends on"),
        ("dedup news --method simhash --common 5 --dry-run", "--common 5 needs --method minhash"),
        ("dedup news --common 0 --dry-run", "neither a number from 1 nor auto"),
        ("dedup news --within-days score --dry-run", "not a field and a number of days"),
        ("dedup news --within-days domain:2 --dry-run", "the field `domain` is not a date"),
        ("dedup news --site-field nowhere --dry-run", "no record has the field `nowhere`"),
        ("query news --text hello --within-days score:3", "what is searched for has no date"),
    ] {
        let outcome = folder.run(arguments);
        assert_ne!(outcome.code, 0, "{arguments}");
        assert!(outcome.stderr.contains(said), "{arguments}: {}", outcome.stderr);
    }
}

#[test]
fn a_killed_run_goes_on_with_the_same_frame() {
    let folder = pages(400);
    let run = format!("dedup {NEWS} --site-field domain -o out --threads 2");
    ok(&folder, &run);
    let wanted = (folder.read("out/removed.jsonl"), folder.read("out/part-000.jsonl"));
    let work = folder.path("out/_lookalike");
    for file in ["run.json", "frame", "sketches/part-000000", "decisions"] {
        std::fs::remove_dir_all(folder.path("out")).unwrap();
        let mut command = Command::new(env!("CARGO_BIN_EXE_lookalike"));
        command.args(run.split_whitespace()).current_dir(folder.path(""));
        run_and_kill(&mut command, &Moment::File(work.join(file))).unwrap();
        ok(&folder, &run);
        let found = (folder.read("out/removed.jsonl"), folder.read("out/part-000.jsonl"));
        assert!(found == wanted, "killed at {file}");
        let report = folder.read("out/report.json");
        assert!(report.contains("\"site_elements\""), "{report}");
    }
}
