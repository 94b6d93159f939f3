//! `--kind records`: whole commands on a small table.

use super::lookalike::Folder;
use serde_json::Value;

/// Persons, of whom every third has a second record with a letter too many. The ids say who is who.
fn customers() -> String {
    let given =
        ["anna", "berta", "carla", "dora", "emma", "frieda", "greta", "hanna", "ida", "julia", "karin"];
    let surname = [
        "berg", "holm", "lund", "dahl", "strand", "vik", "moen", "haugen", "lie", "bakke", "solberg", "eide",
        "foss",
    ];
    let mut table = String::from("id,given,surname,born,city\n");
    for person in 0..90u32 {
        let (given, surname) = (given[(person * 7 % 11) as usize], surname[(person * 5 % 13) as usize]);
        let born = 19_300_101 + person * 7 / 10 * 10_000 + person % 12 * 100 + person * 5 % 28;
        let city = ["oslo", "bergen", "moss", "tromso"][(person * 3 % 4) as usize];
        table.push_str(&format!("p{person}a,{given},{surname},{born},{city}\n"));
        if person % 3 == 0 {
            table.push_str(&format!("p{person}b,{given},{surname}e,{born},\n"));
        }
    }
    table
}

fn is_right(a: &str, b: &str) -> bool {
    a[..a.len() - 1] == b[..b.len() - 1]
}

#[test]
fn pairs_clusters_and_dedup_find_the_same_records() {
    let folder = Folder::new().with("customers.csv", customers());
    let pairs = folder.run("pairs customers.csv --kind records --json --threads 1");
    assert_eq!(pairs.code, 0, "{pairs}");
    let found: Vec<Value> = pairs.stdout.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let right =
        found.iter().filter(|it| is_right(it["a"].as_str().unwrap(), it["b"].as_str().unwrap())).count();
    assert!(right >= 29 && found.len() <= right + 1, "{right} of {} are right", found.len());
    for pair in &found {
        assert_eq!(pair["similarity"], pair["probability"]);
        assert!(pair["weights"]["surname"].is_number() && pair["weight"].is_number(), "{pair}");
    }
    for part in ["fields  given (", "born (date)", "plan    ", "model   learnt from", "matches"] {
        assert!(pairs.stderr.contains(part), "{part} in\n{}", pairs.stderr);
    }
    for threads in [2, 7] {
        let again = folder.run(&format!("pairs customers.csv --kind records --json --threads {threads}"));
        assert_eq!(again.stdout, pairs.stdout, "{threads} threads");
    }
    let clusters = folder.run("clusters customers.csv --kind records");
    assert_eq!(
        clusters.stdout.lines().filter(|line| line.starts_with("  ")).count(),
        found.len(),
        "{clusters}"
    );

    let dedup = folder.run("dedup customers.csv --kind records -o out");
    assert_eq!(dedup.code, 0, "{dedup}");
    assert!(dedup.stderr.contains("outputs") && dedup.stderr.contains("model.json"), "{dedup}");
    let removed = folder.read("out/removed.jsonl");
    assert_eq!(removed.lines().count(), found.len());
    let all = customers();
    let kept = folder.read("out/customers.csv");
    let mut lines = all.lines();
    for line in kept.lines() {
        assert!(lines.any(|it| it == line), "{line} is not a record of the input, in its order");
    }
    assert_eq!(kept.lines().count() + removed.lines().count(), all.lines().count());
    let report: Value = serde_json::from_str(&folder.read("out/report.json")).unwrap();
    assert_eq!(report["removed"], found.len());
    let again = folder.run("dedup customers.csv --kind records -o out");
    assert!(again.stderr.contains("already holds this finished run"), "{again}");
    let other = folder.run("dedup customers.csv --kind records -o out --threshold 0.9");
    assert_eq!(other.code, 4, "{other}");

    let model = folder.run("pairs customers.csv --kind records --json --model out/model.json");
    assert_eq!(model.stdout, pairs.stdout, "the same model gives the same pairs");
    let json = folder.run("compare --corpus customers.csv --kind records --json -- p0a p0b");
    let json: Value = serde_json::from_str(&json.stdout).unwrap();
    let sum: f64 =
        json["fields"].as_array().unwrap().iter().map(|field| field["weight"].as_f64().unwrap()).sum();
    assert!(
        (sum + json["prior"].as_f64().unwrap() - json["weight"].as_f64().unwrap()).abs() < 0.01,
        "{json}"
    );
    let table = folder.run("compare --corpus customers.csv --kind records -- p0a p0b");
    for part in ["similarity   weight", "missing", "equal", "prior", "sum", "probability"] {
        assert!(table.stdout.contains(part), "{part} in\n{table}");
    }
}

#[test]
fn two_tables_are_linked() {
    let all = customers();
    let of = |end: char| -> String {
        all.lines()
            .enumerate()
            .filter(|(at, line)| *at == 0 || line.split(',').next().unwrap().ends_with(end))
            .map(|(_, line)| format!("{line}\n"))
            .collect()
    };
    let other = of('b').replace("surname", "family");
    let folder = Folder::new().with("a.csv", of('a')).with("b.csv", other);
    let run = folder.run("pairs b.csv --against a.csv --against-only --one-to-one --kind records --fields given:name,surname=family,born:date,city");
    assert_eq!(run.code, 0, "{run}");
    let pairs: Vec<Vec<&str>> = run.stdout.lines().map(|line| line.split('\t').collect()).collect();
    assert!(pairs.len() >= 28 && pairs.iter().all(|pair| is_right(pair[0], pair[1])), "{run}");
}

#[test]
fn what_makes_no_sense_is_refused() {
    let folder = Folder::new()
        .with("a.csv", "id,name\n1,x\n2,x\n")
        .with("b.csv", "key,title\n1,y\n")
        .with("model.json", "{}")
        .with("bad.csv", "id,name\n1,x,y\n");
    for (arguments, code, said) in [
        ("pairs a.csv --kind records --one-to-one", 2, "--one-to-one needs two tables"),
        ("pairs a.csv --kind records --against b.csv", 2, "no field in common"),
        ("pairs a.csv --kind records --shingles words:3", 2, "--shingles has no effect with --kind records"),
        ("pairs a.csv --fields name", 2, "--fields is for records"),
        ("pairs a.csv --kind records --fields town", 2, "no source has the field `town`"),
        ("pairs a.csv --kind records --fields name:colour", 2, "is not a type of fields"),
        ("pairs a.csv --kind records --block town", 2, "there is no field town"),
        ("pairs a.csv --kind records --model model.json", 3, "is not a model of records"),
        ("pairs bad.csv --kind records", 3, "it has 3 fields, and the header has 2"),
        ("pairs a.csv --kind records --keep longest", 2, "unexpected argument"),
        ("clusters a.csv --kind records --keep longest", 2, "--keep longest is for texts"),
        ("clusters a.csv --keep fullest", 2, "fullest"),
        ("query a.csv --text x --kind records", 2, "records"),
        ("compare --corpus a.csv --kind records -- 1 9", 2, "there is no record"),
    ] {
        let run = folder.run(arguments);
        assert!(run.code == code && run.stderr.contains(said), "{arguments}: {run}");
    }
    // Two records teach nothing, and a rule decides.
    let run = folder.run("pairs a.csv --kind records");
    assert!(run.code == 0 && run.stderr.contains("no model"), "{run}");
    assert!(run.stdout.starts_with("1\t2\t0.99"), "{run}");
}
