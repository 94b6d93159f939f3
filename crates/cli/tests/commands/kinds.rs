//! Sets and fingerprints: the commands on documents that are not texts.

use super::lookalike::{Folder, Outcome};
use serde_json::{Value, json};

fn baskets() -> Folder {
    let lines = [
        json!({"id": "a", "items": ["milk", "rolls", "butter", 1]}),
        json!({"id": "b", "items": ["rolls", "milk", "butter", 1.0]}),
        json!({"id": "c", "items": ["milk", "rolls", "butter", "1"]}),
        json!({"id": "d", "items": ["milk", "rolls, fresh", "beer"]}),
        json!({"id": "e", "items": []}),
    ];
    let rows = "basket,item\na,milk\nb,milk\na,rolls\nc,beer\nb,rolls\na,butter\nb,butter\nc,milk\na,milk\n";
    Folder::new()
        .with("baskets.jsonl", lines.iter().map(|line| format!("{line}\n")).collect::<String>())
        .with("baskets.csv", "id,items\na,\"milk, rolls\"\nb,\"rolls,milk,\"\nc,beer\n")
        .with("rows.csv", rows)
        .with(
            "prints.jsonl",
            "{\"id\":1,\"h\":\"ff00ff00ff00ff00\"}\n{\"id\":2,\"h\":\"ff00ff00ff00ff03\"}\n{\"id\":3,\"h\":\"0123456789abcdef\"}\n",
        )
}

fn ok(folder: &Folder, arguments: &str) -> Outcome {
    let outcome = folder.run(arguments);
    assert_eq!(outcome.code, 0, "{arguments}: {outcome}");
    outcome
}

/// The message of a command that is refused.
fn refused(folder: &Folder, arguments: &str) -> String {
    let outcome = folder.run(arguments);
    assert_ne!(outcome.code, 0, "{arguments}: {outcome}");
    outcome.stderr
}

const SETS: &str = "baskets.jsonl --kind sets --items items --id-field id";

#[test]
fn sets_are_paired_queried_compared_and_deduplicated() {
    let folder = baskets();
    let pairs = ok(&folder, &format!("pairs {SETS} --threshold 0.6")).stdout;
    assert_eq!(pairs, "a\tb\t1.0000\na\tc\t0.6000\nb\tc\t0.6000\n");
    let found = ok(&folder, &format!("query {SETS} --like [\"milk\",\"beer\"] --top 1")).stdout;
    assert_eq!(found, "0.6667\td\n");
    let compared = ok(&folder, &format!("compare a c --corpus {SETS}")).stdout;
    assert!(
        compared.contains("3 in both, 1 only in A, 1 only in B") && compared.contains("only B  \"1\""),
        "{compared}"
    );
    ok(&folder, &format!("dedup {SETS} --threshold 0.6 -o out"));
    let report: Value =
        serde_json::from_slice(&std::fs::read(folder.path("out/report.json")).unwrap()).unwrap();
    assert_eq!((&report["settings"]["kind"], &report["counts"]["kept"]), (&json!("sets"), &json!(3)));
    ok(&folder, "inspect out --id b");
    ok(&folder, &format!("sketch {SETS} -o sets.sketch"));
    assert_eq!(ok(&folder, "pairs sets.sketch --threshold 0.6").stdout, pairs);
    let said = refused(&folder, "pairs sets.sketch --kind text");
    assert!(said.contains("--kind text") && said.contains("sets"), "{said}");
    let plan = ok(&folder, "plan --kind sets").stdout;
    assert!(plan.contains("of sets of up to"), "{plan}");
}

#[test]
fn strings_are_split_and_rows_are_gathered() {
    let folder = baskets();
    let split = "pairs baskets.csv --kind sets --items items --id-field id --split , --threshold 0.9";
    assert_eq!(ok(&folder, split).stdout, "a\tb\t1.0000\n");
    let rows = "--kind sets --set-of basket --items item --threshold 0.2";
    let mut pairs: Vec<String> =
        ok(&folder, &format!("pairs rows.csv {rows}")).stdout.lines().map(str::to_owned).collect();
    pairs.iter_mut().for_each(|pair| {
        let mut fields: Vec<&str> = pair.split('\t').collect();
        fields[..2].sort_unstable();
        *pair = fields.join(" ");
    });
    pairs.sort();
    assert_eq!(pairs, ["a b 1.0000", "a c 0.2500", "b c 0.2500"]);
    ok(&folder, &format!("dedup rows.csv {rows} -o kept"));
    assert_eq!(std::fs::read_to_string(folder.path("kept/sets.jsonl")).unwrap().lines().count(), 1);
}

#[test]
fn fingerprints_are_paired_by_their_distance() {
    let folder = baskets();
    let prints = "prints.jsonl --kind fingerprints --field h --id-field id";
    let outcome = ok(&folder, &format!("pairs {prints} --distance 2"));
    assert_eq!(outcome.stdout.split('\t').take(2).collect::<Vec<_>>(), ["1", "2"]);
    assert!(outcome.stderr.contains("no pair is missed"), "{outcome}");
    assert_eq!(ok(&folder, &format!("pairs {prints} --distance 1")).stdout, "");
    let compared = ok(&folder, &format!("compare 1 2 --corpus {prints}")).stdout;
    assert!(compared.contains("distance    2 of 64 bits"), "{compared}");
    assert!(
        ok(&folder, &format!("query {prints} --like \"ff00ff00ff00ff01\" --top 1")).stdout.ends_with("\t1\n")
    );
}

#[test]
fn a_comparison_of_sets_leaves_their_frame_out() {
    let mut lines = String::new();
    for id in 0..8 {
        lines +=
            &format!("{}\n", json!({"id": id.to_string(), "items": ["bag", 2 * (id / 2), 2 * (id / 2) + 1]}));
    }
    let folder = Folder::new().with("framed.jsonl", lines);
    let corpus = "--corpus framed.jsonl --kind sets --items items --id-field id";
    let whole = ok(&folder, &format!("compare 0 2 {corpus}")).stdout;
    assert!(whole.contains("similarity  0.2000") && whole.contains("both    \"bag\""), "{whole}");
    let rest = ok(&folder, &format!("compare 0 2 {corpus} --common 4")).stdout;
    assert!(rest.contains("similarity  0.0000") && rest.contains("of A    \"bag\"  left out"), "{rest}");
    assert!(rest.contains("2 items of the two sets are left out"), "{rest}");
    let json = ok(&folder, &format!("compare 0 1 {corpus} --common 4 --json")).stdout;
    let json: Value = serde_json::from_str(&json).unwrap();
    assert_eq!((&json["similarity"], &json["left_out_a"][0]["item"]), (&json!(1.0), &json!("bag")));
}

#[test]
fn whole_numbers_in_csv_are_not_taken_for_hexadecimal_digits() {
    let folder = Folder::new()
        .with("decimal.csv", "id,h\n1,1234567890123456\n2,1234567890123457\n")
        .with("hex.csv", "id,h\n1,00000000000000ff\n2,00000000000000fe\n");
    let prints = "--kind fingerprints --field h --id-field id";
    let said = refused(&folder, &format!("pairs decimal.csv {prints}"));
    assert!(said.contains("digits in a string, as in CSV, are hexadecimal"), "{said}");
    // With the number of bits, they are what it says they are.
    ok(&folder, &format!("pairs decimal.csv {prints} --bits 64"));
    assert!(ok(&folder, &format!("pairs hex.csv {prints}")).stdout.starts_with("1\t2\t"));
}

#[test]
fn runs_on_fingerprints_say_their_distance_and_pages_show_what_sets_share() {
    let folder = baskets();
    ok(&folder, "dedup prints.jsonl --kind fingerprints --field h --id-field id -o out");
    let shown = ok(&folder, "inspect out").stdout;
    assert!(shown.contains("(distance 3)") && !shown.contains("threshold"), "{shown}");
    let fate = ok(&folder, "inspect out --id 2").stdout;
    assert!(fate.contains("a near-duplicate, distance 2, of"), "{fate}");
    let json: Value = serde_json::from_str(&ok(&folder, "inspect out --json").stdout).unwrap();
    assert_eq!((&json["threshold"], &json["distance"]), (&Value::Null, &json!(3.0)));
    let said = refused(&folder, "inspect out --threshold 0.9");
    assert!(said.contains("--threshold has no effect on out") && said.contains("distance 3"), "{said}");
    ok(&folder, "report out -o prints.html");
    let page = std::fs::read_to_string(folder.path("prints.html")).unwrap();
    assert!(page.contains("2 of 64 bits") && page.contains("Just within the distance"));
    ok(&folder, &format!("dedup {SETS} --threshold 0.6 -o sets"));
    ok(&folder, "report sets -o sets.html");
    let page = std::fs::read_to_string(folder.path("sets.html")).unwrap();
    assert!(page.contains("<b>3 in both</b>") && page.contains("only in c"), "no items");
}

#[test]
fn another_weight_step_than_that_of_a_sketch_is_refused() {
    let folder = Folder::new().with("w.jsonl", "{\"items\":{\"a\":0.3}}\n{\"items\":{\"a\":0.5}}\n");
    let sets = "w.jsonl --kind sets --items items --measure weighted-jaccard --weight-step 0.1";
    ok(&folder, &format!("sketch {sets} -o w.sketch"));
    let said = refused(&folder, "pairs w.sketch --weight-step 0.5");
    assert!(said.contains("--weight-step 0.5") && said.contains("made with --weight-step 0.1"), "{said}");
}

#[test]
fn what_makes_no_sense_is_refused_by_name() {
    let folder = baskets()
        .with("bad.jsonl", "{\"items\":[1]}\n{\"items\":[1,null]}\n")
        .with("narrow.jsonl", "{\"h\":\"ffff\"}\n{\"h\":\"fff\"}\n");
    for (arguments, expected) in [
        (format!("pairs {SETS} --shingles words:3"), "--shingles has no effect with --kind sets"),
        (format!("pairs {SETS} --case keep"), "--case has no effect with --kind sets"),
        (format!("pairs {SETS} --weight n"), "--weight needs --set-of"),
        ("pairs baskets.jsonl --split ,".to_owned(), "--split needs --kind sets"),
        ("pairs baskets.jsonl --measure weighted-jaccard".to_owned(), "needs --kind sets"),
        (
            "pairs prints.jsonl --kind fingerprints --field h --threshold 0.5".to_owned(),
            "--threshold has no effect",
        ),
        (
            "pairs prints.jsonl --kind fingerprints --field h --bits 8".to_owned(),
            "--bits 8 is not allowed: 16 to 512",
        ),
        (
            "pairs prints.jsonl --kind fingerprints --field h --distance 40".to_owned(),
            "at most 32 of 64 bits",
        ),
        (format!("query {SETS} --text milk"), "--like or --file"),
        (format!("query {SETS} --like 3"), "is a number, not an array"),
        (
            "pairs bad.jsonl --kind sets --items items".to_owned(),
            "line 2: item 2 of the field `items` is null",
        ),
        (
            "pairs narrow.jsonl --kind fingerprints --field h".to_owned(),
            "line 2: the field `h` has 3 hexadecimal digits",
        ),
    ] {
        let said = refused(&folder, &arguments);
        assert!(said.contains(expected), "{arguments}: {said}");
    }
    assert_eq!(ok(&folder, "pairs bad.jsonl --kind sets --items items --on-bad-record skip").stdout, "");
}
