//! `--kind records`: the report of a run and the comparison of two records as pages.

use super::kind_records::customers;
use super::lookalike::Folder;
use serde_json::Value;

const EVIL: &str = "<script>document.title='gone'</script><img src=x onerror=alert(1)>";

#[test]
fn the_report_of_a_run_shows_what_was_learnt_and_found() {
    let folder = Folder::new().with("customers.csv", customers());
    let run = folder.run("dedup customers.csv --kind records -o out --report");
    assert_eq!(run.code, 0, "{run}");
    let page = folder.read("out/report.html");
    let report: Value = serde_json::from_str(&folder.read("out/report.json")).unwrap();
    let details = &report["details"];
    let sum = |what: &str| {
        details["weights"].as_array().unwrap().iter().map(|it| it[what].as_u64().unwrap()).sum::<u64>()
    };
    assert_eq!(Value::from(sum("matches")), report["matches"], "each match is in a bin");
    assert_eq!(Value::from(sum("matches") + sum("others")), report["compared"]);
    let sizes = details["cluster_sizes"].as_object().unwrap().values().map(|it| it.as_u64().unwrap());
    assert_eq!(Value::from(sizes.sum::<u64>()), report["entities"]);
    for part in [
        "kept, 75.0 %",
        "What agreement in a field says",
        "held together by",
        "class=\"fall\"",
        "surname",
        "Sources: 1",
    ] {
        assert!(page.contains(part), "{part}");
    }
    for band in details["bands"].as_array().unwrap() {
        assert!(page.contains(&format!("<td>{}</td>", band["band"].as_str().unwrap())), "{band}");
    }
    // Later and elsewhere, the same; also when the source is gone.
    std::fs::remove_file(folder.path("customers.csv")).unwrap();
    let later = folder.run("report out -o page.html");
    assert_eq!((later.code, folder.read("page.html") == page), (0, true), "{later}");
    assert_eq!(folder.run("report out -o -").stdout, page);
    let json = folder.run("report out --json");
    assert_eq!(json.stdout, folder.read("out/report.json"), "{json}");
    // Without its examples, a run still has its numbers.
    std::fs::remove_file(folder.path("out/_lookalike/examples.json")).unwrap();
    let without = folder.run("report out");
    assert!(without.code == 0 && without.stderr.contains("the report shows no records"), "{without}");
    assert!(!folder.read("out/report.html").contains("class=\"fall\""));
}

#[test]
fn a_page_of_records_replaces_no_output_and_needs_a_folder() {
    let folder = Folder::new().with("customers.csv", customers()).with("mine.html", "mine");
    let base = "dedup customers.csv --kind records";
    for (arguments, said) in [
        ("-o - --report", "--report needs a local target folder"),
        ("-o out --report=mine.html", "mine.html"),
        ("-o out --report=out/removed.jsonl", "is an output of the run"),
        ("-o out --report=out/customers.csv", "is an output of the run"),
        ("-o out --report=nowhere/page.html", "there is no folder nowhere"),
    ] {
        let run = folder.run(&format!("{base} {arguments}"));
        assert!(run.code == 2 && run.stderr.contains(said), "{arguments}: {run}");
        assert!(!folder.path("out").exists(), "{arguments}: refused before anything is done");
    }
    assert_eq!(folder.run(&format!("{base} -o out")).code, 0);
    let again = folder.run(&format!("{base} -o out --report=page.html"));
    assert!(again.code == 0 && again.stderr.contains("already holds"), "{again}");
    assert!(folder.read("page.html").contains("Report on records"));
    for output in ["out/report.json", "out/customers.csv", "out"] {
        let run = folder.run(&format!("report out -o {output}"));
        assert!(run.code == 2 && run.stderr.contains("is an output of the run"), "{output}: {run}");
    }
}

#[test]
fn records_with_markup_are_harmless_on_pages() {
    let table: String = customers()
        .lines()
        .enumerate()
        .map(|(at, line)| match at {
            0 => format!("{line},<b>remark</b>\n"),
            _ => format!("{line},{EVIL} {}\n", at / 7),
        })
        .collect();
    let folder = Folder::new().with("evil.csv", table);
    let run = folder.run("dedup evil.csv --kind records -o out --report");
    assert_eq!(run.code, 0, "{run}");
    let compared = folder.run("compare --corpus evil.csv --kind records --html pair.html -- p0a p0b");
    assert_eq!(compared.code, 0, "{compared}");
    assert!(compared.stdout.contains("prior") && compared.stdout.contains("sum"), "the table is there too");
    for page in ["out/report.html", "pair.html"] {
        let page = folder.read(page);
        assert!(!page.contains("<script>document") && !page.contains("<img") && !page.contains("<b>remark"));
        assert!(page.contains("&lt;img src=x"), "the text is there");
        assert!(page.contains("class=\"fall\""));
    }
}

#[test]
fn labels_are_shown_with_what_was_said_before_them() {
    let labels = "a\tb\tlabel\np0a\tp0b\ty\np3a\tp3b\ty\np1a\tp2a\tn\n";
    let folder = Folder::new().with("customers.csv", customers()).with("labels.tsv", labels);
    let run = folder.run("dedup customers.csv --kind records --labels labels.tsv -o out --report");
    assert_eq!(run.code, 0, "{run}");
    let report: Value = serde_json::from_str(&folder.read("out/report.json")).unwrap();
    let listed = report["details"]["labels"].as_array().unwrap();
    assert_eq!(listed.iter().filter(|it| it["is_match"] == true).count(), 2);
    assert_eq!(listed.len(), 3);
    let page = folder.read("out/report.html");
    assert!(page.contains("id=\"calibration\"") && page.contains("without labels"));
}
