//! `--kind records`: whole commands on a small table.

use super::lookalike::Folder;
use serde_json::{Value, json};

/// Persons, of whom every third has a second record with a letter too many. The ids say who is who.
pub(crate) fn customers() -> String {
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

    // `compare` explains a linked pair with the weights of `pairs`: with the same model, partners and labels.
    let linked = "--against a.csv --against-only --one-to-one --kind records --fields given:name,surname=family,born:date,city";
    std::fs::write(folder.path("labels.tsv"), "p0a\tp0b\ty\np3a\tp6b\tn\n").unwrap();
    let learnt = folder.run(&format!("dedup b.csv {linked} -o out"));
    assert_eq!(learnt.code, 0, "{learnt}");
    let with_model = "--model out/model.json --against a.csv --against-only --one-to-one --kind records";
    for how in [linked.to_owned(), format!("{linked} --labels labels.tsv"), with_model.to_owned()] {
        let run = folder.run(&format!("pairs b.csv {how} --json"));
        let pair: Value = serde_json::from_str(run.stdout.lines().nth(1).unwrap()).unwrap();
        let (a, b) = (pair["a"].as_str().unwrap(), pair["b"].as_str().unwrap());
        let compared = folder.run(&format!("compare --corpus b.csv {how} --json -- {a} {b}"));
        let compared: Value = serde_json::from_str(&compared.stdout).unwrap();
        assert_eq!(compared["weight"], pair["weight"], "{how}: {compared}");
        for field in compared["fields"].as_array().unwrap() {
            assert_eq!(
                field["weight"],
                pair["weights"][field["field"].as_str().unwrap()],
                "{how}: {compared}"
            );
        }
    }
    let alone = folder.run("compare --corpus a.csv --kind records --json -- p0a p3a");
    let alone: Value = serde_json::from_str(&alone.stdout).unwrap();
    assert_eq!(alone["found_by"].as_array().unwrap().len(), alone["bands"].as_array().unwrap().len());
    let text = folder.run("compare --corpus a.csv --against b.csv -- p0a p0b");
    assert!(text.code == 2 && text.stderr.contains("--against is for records"), "{text}");

    // The folder of a finished run stands for its tables and settings.
    let told = folder.run_with(&format!("label b.csv {linked} -o told.tsv"), b"q\n");
    let of_run = folder.run_with("label out -o of-run.tsv", b"q\n");
    assert_eq!((of_run.code, &of_run.stderr), (0, &told.stderr), "{told}");
    let other = folder.run_with("label out -o of-run.tsv --one-to-many --threshold 0.9", b"q\n");
    assert_ne!(other.stderr, told.stderr, "flags come before the settings of the run");
    let again = folder.run(&format!("dedup b.csv {with_model} -o again"));
    assert_eq!(again.code, 0, "{again}");
    let of_model = folder.run_with("label again -o of-model.tsv", b"q\n");
    assert_eq!((of_model.code, &of_model.stderr), (0, &told.stderr), "the model is that of the run");
    std::fs::remove_file(folder.path("a.csv")).unwrap();
    let gone = folder.run_with("label out -o of-run.tsv", b"q\n");
    assert!(gone.code == 2 && gone.stderr.contains("has read a.csv, which is not here"), "{gone}");
}

/// The plan names bands with what they find and cost, and `compare` names those that find two records.
#[test]
fn bands_are_said_in_words() {
    let folder = Folder::new().with("persons.csv", super::records_scale::persons(1_500));
    let run = folder.run("pairs persons.csv --kind records");
    let plan: Vec<&str> = run.stderr.lines().skip_while(|line| !line.starts_with("plan ")).collect();
    assert!(
        plan[0].contains(" bands find an estimated ") && plan[0].contains(" comparisons per record"),
        "{run}"
    );
    for line in &plan[1..4] {
        assert!(line.contains(": finds ") && line.ends_with(" comparisons per record"), "{run}");
    }
    assert!(plan[4].trim_start().starts_with("and ") && plan[4].ends_with(" more"), "{run}");
    let pair: Vec<&str> = run.stdout.lines().next().unwrap().split('\t').collect();
    let compared =
        folder.run(&format!("compare --corpus persons.csv --kind records -- {} {}", pair[0], pair[1]));
    assert!(compared.stdout.contains("found by band"), "{compared}");
    let named: Vec<&str> = compared.stdout.lines().filter(|line| line.starts_with("band ")).collect();
    let first = plan[1].trim_start().split(": finds").next().unwrap();
    let is_first = |line: &&&str| line.starts_with("band 1: ");
    assert!(
        !named.is_empty() && named.iter().find(is_first).is_none_or(|line| line.ends_with(first)),
        "{compared}"
    );
    let page = folder.run(&format!(
        "compare --corpus persons.csv --kind records --html page.html -- {} {}",
        pair[0], pair[1]
    ));
    assert!(
        page.code == 0 && folder.read("page.html").contains(named[0].split(": ").nth(1).unwrap()),
        "{page}"
    );
    // Rules of one's own are named, and nothing is estimated of them.
    let told = folder.run("pairs persons.csv --kind records --block surname+suburb");
    assert!(
        told.stderr.contains("1 band, as it was given,") && told.stderr.contains("surname and suburb"),
        "{told}"
    );
}

/// Which record of a pair stays, and what a cluster is.
#[test]
fn records_are_kept_by_rule_and_clusters_may_be_components() {
    // The record with a city comes second, and has the smaller number.
    let lines = customers();
    let mut table = String::from("id,given,surname,born,city,seen\n");
    for (at, line) in lines.lines().skip(1).collect::<Vec<_>>().into_iter().rev().enumerate() {
        table.push_str(&format!("{line},{}\n", 1_000 - at));
    }
    let folder = Folder::new().with("customers.csv", table);
    // How many of the removed records are those without a city, of all that are removed.
    let removed = |keep: &str| -> (usize, usize) {
        let out = format!("out-{}", keep.replace(':', "-"));
        let run = folder.run(&format!("dedup customers.csv --kind records --keep {keep} -o {out}"));
        assert_eq!(run.code, 0, "{keep}: {run}");
        let rows = folder.read(&format!("{out}/removed.jsonl"));
        let rows: Vec<Value> = rows.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
        (rows.iter().filter(|row| row["id"].as_str().unwrap().ends_with('b')).count(), rows.len())
    };
    for (keep, removes_b) in [("first", false), ("fullest", true), ("max:seen", false), ("min:seen", true)] {
        let (b, all) = removed(keep);
        assert!(all >= 28 && b == if removes_b { all } else { 0 }, "{keep}: {b} of {all}");
    }
    let unknown = folder.run("dedup customers.csv --kind records --keep max:nothing -o none");
    assert!(unknown.code == 2 && unknown.stderr.contains("no source has the field `nothing`"), "{unknown}");

    // The first record and the last one match the second one, and not each other.
    let chain = "a,b,c,d\nchristina,alexandra,margarethe,bartholomew\nchristina,alexandra,margaretha,bartholomeu\n\
                 christine,alexandre,margaretha,bartholomeu\n";
    let folder = Folder::new().with("chain.csv", chain);
    let members = |flags: &str| {
        let run = folder.run(&format!("clusters chain.csv --kind records --json {flags}"));
        assert_eq!(run.code, 0, "{run}");
        let cluster: Value = serde_json::from_str(run.stdout.lines().next().unwrap()).unwrap();
        1 + cluster["members"].as_array().unwrap().len()
    };
    let kept = |flags: &str| {
        folder.run(&format!("dedup chain.csv --kind records -o - {flags}")).stdout.lines().count()
    };
    assert_eq!(folder.run("pairs chain.csv --kind records").stdout.lines().count(), 2);
    assert_eq!((members(""), members("--clusters components")), (2, 3));
    assert_eq!((kept(""), kept("--clusters components")), (3, 2), "with the head of the table");
}

/// Dates that are none and numbers with units are values like others.
#[test]
fn dates_that_are_none_and_numbers_with_units_are_compared_as_they_are_written() {
    let table: String = customers()
        .lines()
        .enumerate()
        .map(|(at, line)| {
            let mut parts: Vec<String> = line.split(',').map(str::to_owned).collect();
            match at {
                0 => parts.push("weight".into()),
                at => parts.push(format!("{} kg", 50 + parts[0].len() + at % 40)),
            }
            if at % 7 == 1 {
                parts[3] = ["unknown", "31.31.1999", "00000000", "1999-02-28T25:00"][at % 4].to_owned();
            }
            format!("{}\n", parts.join(","))
        })
        .collect();
    let folder = Folder::new().with("customers.csv", table);
    for fields in ["", "--fields given,surname,born:date,city,weight:number"] {
        let run = folder.run(&format!("pairs customers.csv --kind records {fields}"));
        let found: Vec<Vec<&str>> = run.stdout.lines().map(|line| line.split('\t').collect()).collect();
        let right = found.iter().filter(|pair| is_right(pair[0], pair[1])).count();
        assert!(run.code == 0 && run.stderr.contains("born (date)"), "{run}");
        assert!(right >= 20 && found.len() <= right + 2, "{right} of {}: {run}", found.len());
    }
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

#[test]
fn a_finished_run_is_looked_into_and_its_report_is_the_same_for_any_threads() {
    let folder = Folder::new().with("customers.csv", customers());
    let mut reports = Vec::new();
    for (run, threads) in [("one", 1), ("two", 2), ("seven", 7), ("again", 1)] {
        let dedup =
            folder.run(&format!("dedup customers.csv --kind records -o {run} --threads {threads} --quiet"));
        assert_eq!(dedup.code, 0, "{dedup}");
        let mut report: Value = serde_json::from_str(&folder.read(&format!("{run}/report.json"))).unwrap();
        let own = report.as_object_mut().unwrap().remove("run").unwrap();
        assert!(own["seconds"].as_f64().unwrap() >= 0.0, "{own}");
        let others = ["removed.jsonl", "model.json", "customers.csv", "_lookalike/run.json"];
        let others = others.map(|name| folder.read(&format!("{run}/{name}")));
        reports.push((report.to_string(), others));
    }
    assert!(reports.iter().all(|report| *report == reports[0]), "{reports:#?}");

    let seen = folder.run("inspect one");
    assert_eq!(seen.code, 0, "{seen}");
    for part in ["kept 90 of 120 records", "matches", "entities", "weights of a model"] {
        assert!(seen.stdout.contains(part), "{part} in {seen}");
    }
    let seen = folder.run("inspect one --json");
    assert_eq!(seen.stdout, folder.read("one/report.json"), "{seen}");
    for (arguments, said) in [
        ("inspect one --id p0a", "is a run on records, for which there is no --id"),
        ("inspect one --threshold 0.9", "is a run on records, for which there is no --threshold"),
    ] {
        let run = folder.run(arguments);
        assert!(run.code == 2 && run.stderr.contains(said), "{arguments}: {run}");
    }
}

#[test]
fn a_model_that_cannot_be_used_is_refused() {
    let folder = Folder::new().with("customers.csv", customers()).with("other.csv", "id,a,b\n1,x,y\n2,x,z\n");
    assert_eq!(folder.run("dedup customers.csv --kind records -o out").code, 0);
    let written = folder.read("out/model.json");
    let changed = |change: &dyn Fn(&mut Value)| {
        let mut model: Value = serde_json::from_str(&written).unwrap();
        change(&mut model);
        model.to_string()
    };
    let cases = [
        (String::new(), 3, "is not a model of records"),
        ("[1]".to_owned(), 3, "is not a model of records"),
        (folder.read("out/report.json"), 3, "is not a model of records"),
        (written[..written.len() / 2].to_owned(), 3, "is not a model of records"),
        (changed(&|it| it["version"] = 99.into()), 3, "has version 99, and this program knows"),
        (changed(&|it| it["format"] = "other".into()), 3, "its format is \"other\""),
        (changed(&|it| it["bands"] = Value::Array(Vec::new())), 3, "no bands"),
        (
            changed(&|it| it["bands"][0]["rows"] = Value::Array(Vec::new())),
            3,
            "no bands, or a band of nothing",
        ),
        (changed(&|it| it["threshold"] = 0.into()), 3, "its threshold is 0"),
        (changed(&|it| it["model"]["prior"] = Value::Null), 3, "is damaged"),
        (changed(&|it| it["model"]["fields"][0]["weights"] = Value::Array(Vec::new())), 3, "is damaged"),
        (changed(&|it| it["fields"] = Value::Array(Vec::new())), 3, "weights for other fields"),
        (changed(&|it| it["unheard"] = 1.into()), 3, "is damaged"),
        (
            changed(&|it| it["model"]["fields"][1] = it["model"]["fields"][0].clone()),
            3,
            "it has the field `given` twice",
        ),
        (
            changed(&|it| {
                let two = |at: u32| json!({"a": format!("a{at}"), "b": "b", "weight": 1.0});
                it["model"]["fields"][0]["together"] = (0..300).map(two).collect();
            }),
            3,
            "has more than 300 values that go together",
        ),
        (changed(&|it| it["model"]["fields"][0]["known"] = 0.into()), 3, "out of range"),
        (changed(&|it| it["model"]["fields"][0]["unseen"] = json!(-1.0)), 3, "out of range"),
        (changed(&|it| it["model"]["fields"][0]["others"][0] = json!(-1.0)), 3, "out of range"),
        (changed(&|it| it["model"]["overlaps"][0][0][0] = Value::Null), 3, "is damaged"),
    ];
    for (content, code, said) in cases {
        std::fs::write(folder.path("changed.json"), &content).unwrap();
        let run = folder.run("pairs customers.csv --kind records --model changed.json");
        assert!(run.code == code && run.stderr.contains(said), "{said}: {run}");
    }
    for (arguments, said) in [
        ("pairs other.csv --kind records --model out/model.json", "no source has the field `given`"),
        ("pairs customers.csv --kind records --model out/model.json --fields born", "is of other fields"),
    ] {
        let run = folder.run(arguments);
        assert!(run.code == 2 && run.stderr.contains(said), "{arguments}: {run}");
    }
    let given = folder.run("pairs customers.csv --kind records --model out/model.json");
    assert!(
        given.stderr.contains("all 7,140 pairs of records are compared"),
        "nothing is estimated: {given}"
    );
}

/// The fields may be told as they were when the model was learnt, in any order, and with those that it left out.
#[test]
fn a_model_is_used_with_the_fields_that_it_was_learnt_with() {
    let table: String = customers()
        .lines()
        .enumerate()
        .map(|(at, line)| format!("{line},{}\n", if at == 0 { "country" } else { "norway" }))
        .collect();
    let folder = Folder::new().with("customers.csv", table);
    let fields = "--fields born:date,country:place,surname,given,city";
    let learnt = folder.run(&format!("dedup customers.csv --kind records {fields} -o out"));
    assert!(learnt.code == 0 && learnt.stderr.contains("country (one value)"), "{learnt}");
    let again = folder.run(&format!("pairs customers.csv --kind records {fields} --model out/model.json"));
    assert!(again.code == 0 && again.stderr.contains("country (not in the model)"), "{again}");
    let turned = "--fields city,given,surname,born";
    let turned = folder.run(&format!("pairs customers.csv --kind records {turned} --model out/model.json"));
    assert_eq!((turned.code, turned.stdout), (0, again.stdout));
}

#[test]
fn odd_tables_have_a_defined_answer() {
    let same = format!("name,town\n{}", "anna,oslo\n".repeat(100));
    let folder = Folder::new()
        .with("two.csv", "id,name\n1,anna\n2,carl\n")
        .with("one.csv", "id,name\n1,anna\n")
        .with("none.csv", "id,name\n")
        .with("missing.csv", "name,town\n,\n,\n,\n")
        .with("same.csv", same)
        .with("twice.csv", "id,name,town\n7,anna berg,oslo\n7,anna berg,oslo\n8,carl,moss\n");
    for (table, pairs) in
        [("two.csv", 0), ("one.csv", 0), ("none.csv", 0), ("missing.csv", 0), ("same.csv", 4950)]
    {
        let run = folder.run(&format!("pairs {table} --kind records"));
        assert!(run.code == 0 && run.stdout.lines().count() == pairs, "{table}: {run}");
        let run = folder.run(&format!("dedup {table} --kind records -o out-{table}"));
        assert!(run.code == 0 && !run.stderr.contains("model.json"), "{table}: {run}");
        assert!(!folder.path(&format!("out-{table}/model.json")).exists(), "a rule is no model");
        let seen = folder.run(&format!("inspect out-{table}"));
        assert!(seen.code == 0 && seen.stdout.contains("a rule"), "{table}: {seen}");
    }
    // The ids are no ids then, unless they were named; then records are told apart by source and line.
    let run = folder.run("pairs twice.csv --kind records --id-field id");
    assert!(run.code == 0 && run.stdout.starts_with("twice.csv:1\ttwice.csv:2\t"), "{run}");
    assert!(run.stderr.contains("repeated ids"), "{run}");
    for (arguments, said) in [
        ("pairs two.csv --kind records --threshold 0", "threshold"),
        ("pairs two.csv --kind records --threshold 1.5", "threshold"),
        ("pairs two.csv --kind records --recall 0", "recall"),
        ("pairs two.csv --kind records --recall 1", "recall"),
        ("clusters two.csv --kind records --one-to-one", "--one-to-one needs two tables"),
        ("pairs two.csv --against one.csv --kind records --one-to-many", "--one-to-many needs two tables"),
    ] {
        let run = folder.run(arguments);
        assert!(run.code == 2 && run.stderr.contains(said), "{arguments}: {run}");
    }
}

#[test]
fn pairs_are_labelled_and_labels_are_used() {
    let folder = Folder::new().with("customers.csv", customers());
    // An answer that is none is asked again; without further answers the command ends.
    let asked = folder.run_with("label customers.csv -o labels.tsv", b"what\ny\nn\nu\n");
    assert_eq!(asked.code, 0, "{asked}");
    for part in [
        "no labels yet",
        "precision",
        "recall among",
        "answer y (the same)",
        "1 yes, 1 no, 1 undecided",
        "born",
    ] {
        assert!(asked.stderr.contains(part), "{part} in {asked}");
    }
    let first = folder.read("labels.tsv");
    let lines: Vec<&str> = first.lines().collect();
    assert!(lines.len() == 4 && lines[0] == "a\tb\tlabel", "{first}");
    let ends: Vec<&str> = lines[1..].iter().map(|line| line.rsplit('\t').next().unwrap()).collect();
    assert_eq!(ends, ["y", "n", "u"]);
    // It goes on where it was, and asks nothing twice.
    let again = folder.run_with("label customers.csv -o labels.tsv", b"n\nq\ny\n");
    assert!(again.code == 0 && again.stderr.contains("1 yes, 1 no, 1 undecided"), "{again}");
    let second = folder.read("labels.tsv");
    assert!(second.starts_with(&first) && second.lines().count() == 5, "{second}");
    let mut pairs: Vec<&str> = second.lines().map(|line| line.rsplit_once('\t').unwrap().0).collect();
    pairs.sort_unstable();
    pairs.dedup();
    assert_eq!(pairs.len(), 5, "{second}");

    // A last line without an end stays a line of its own.
    std::fs::write(folder.path("cut.tsv"), second.trim_end()).unwrap();
    let cut = folder.run_with("label customers.csv -o cut.tsv", b"y\n");
    let written = folder.read("cut.tsv");
    assert!(cut.code == 0 && written.starts_with(&second) && written.lines().count() == 6, "{written}");
    // Both commands learn the same from labels, also from those of pairs that nobody would ask about.
    let far = format!("{second}p0a\tp1a\tn\np3a\tp40a\ty\n");
    std::fs::write(folder.path("far.tsv"), &far).unwrap();
    let shift = |run: &str| -> String {
        let said = run.split("shift all weights by ").nth(1).or(run.split("are shifted by ").nth(1)).unwrap();
        said.split_whitespace().next().unwrap().to_owned()
    };
    let asked = folder.run_with("label customers.csv -o far.tsv", b"q\n");
    let told = folder.run("pairs customers.csv --kind records --labels far.tsv");
    assert_eq!(shift(&asked.stderr), shift(&told.stderr), "{asked} {told}");
    assert!(told.stdout.contains("p3a\tp40a\t1.0000"), "{told}");

    let used = folder.run("pairs customers.csv --kind records --labels labels.tsv");
    assert!(used.code == 0 && used.stderr.contains("labels shift all weights by"), "{used}");
    let named = |label: &str| -> Vec<String> {
        let lines = second.lines().filter(|line| line.ends_with(label));
        lines.map(|line| format!("{}\t", line.rsplit_once('\t').unwrap().0)).collect()
    };
    for pair in named("\ty") {
        assert!(used.stdout.contains(&format!("{pair}1.0000")), "{pair} in {used}");
    }
    for pair in named("\tn") {
        assert!(!used.stdout.contains(&pair), "{pair} in {used}");
    }
    // Labels that say what is known move nothing; those that all say no make matches rarer.
    let count = |labels: &str| {
        std::fs::write(folder.path("told.tsv"), labels).unwrap();
        let run = folder.run("pairs customers.csv --kind records --labels told.tsv");
        assert_eq!(run.code, 0, "{run}");
        run.stdout.lines().count()
    };
    let without = folder.run("pairs customers.csv --kind records").stdout;
    let told: String =
        without.lines().take(10).map(|line| format!("{}\ty\n", line.rsplit_once('\t').unwrap().0)).collect();
    assert_eq!(count(&told), without.lines().count(), "ten right labels change nothing");
    assert_eq!(count(""), without.lines().count());

    // A run with other labels is another run.
    assert_eq!(folder.run("dedup customers.csv --kind records --labels labels.tsv -o out").code, 0);
    assert_eq!(folder.run("dedup customers.csv --kind records --labels told.tsv -o out").code, 4);
    for (labels, said) in [
        ("p0a\tp0b\ty\np0b\tp0a\tn\n", "line 2: `p0b` and `p0a` were labelled in another way"),
        ("p0a\tnobody\ty\n", "line 1: there is no record `nobody`"),
        ("p0a\tp0b\tmaybe\n", "`maybe` is not a label"),
        ("p0a p0b y\n", "it has 1 columns instead of 3"),
    ] {
        std::fs::write(folder.path("wrong.tsv"), labels).unwrap();
        for command in
            ["pairs customers.csv --kind records --labels wrong.tsv", "label customers.csv -o wrong.tsv"]
        {
            let run = folder.run(command);
            assert!(run.code == 3 && run.stderr.contains(said), "{command}: {run}");
        }
    }
    for (arguments, said) in [
        ("pairs customers.csv --labels labels.tsv", "--labels is for records"),
        ("label customers.csv -o new.tsv --labels labels.tsv", "--labels has no effect here"),
        ("label customers.csv -o new.tsv --kind sets", "only records are labelled"),
        ("label - -o new.tsv", "cannot both be read from standard input"),
        (
            "label customers.csv --against - --against-only -o new.tsv",
            "cannot both be read from standard input",
        ),
    ] {
        let run = folder.run(arguments);
        assert!(run.code == 2 && run.stderr.contains(said), "{arguments}: {run}");
    }
}
