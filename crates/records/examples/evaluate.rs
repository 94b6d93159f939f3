//! F1 of the matches in a table with truth: `cargo run --release --example evaluate -- FOLDER [one-to-one] [text]`.
#![allow(clippy::print_stdout, clippy::unwrap_used, reason = "an example prints, and its input is known")]

use records::{OneTo, Options, Side, Table, link};
use std::collections::{BTreeSet, HashMap};

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let folder = &arguments[0];
    let (is_one, is_text) =
        (arguments.iter().any(|it| it == "one-to-one"), arguments.iter().any(|it| it == "text"));
    let is_linking = is_one || arguments.iter().any(|it| it == "link");
    let (mut rows, mut fields, mut ids, mut sources) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    for line in std::fs::read_to_string(format!("{folder}/records.jsonl")).unwrap().lines() {
        let record: serde_json::Value = serde_json::from_str(line).unwrap();
        let values = record["fields"].as_object().unwrap();
        let value = |value: &serde_json::Value| value.as_str().unwrap_or("").to_owned();
        if is_text {
            fields = vec!["text".to_owned()];
            rows.push(vec![value(&record["text"])]);
        } else {
            fields = values.keys().cloned().collect();
            rows.push(values.values().map(value).collect::<Vec<_>>());
        }
        ids.push(value(&record["id"]));
        sources.push(value(&record["source"]));
    }
    let mut table = Table::new(fields);
    for (row, source) in rows.iter().zip(&sources) {
        match (is_linking, *source == sources[0]) {
            (false, _) => table.push(row),
            (true, true) => table.push_to(Side::First, row),
            (true, false) => table.push_to(Side::Second, row),
        }
    }
    let by_id: HashMap<&str, usize> = ids.iter().enumerate().map(|(at, id)| (id.as_str(), at)).collect();
    let truth: BTreeSet<(usize, usize)> = std::fs::read_to_string(format!("{folder}/truth.tsv"))
        .unwrap()
        .lines()
        .skip(1)
        .map(|line| {
            let (a, b) = line.split_once('\t').unwrap();
            let (a, b) = (by_id[a], by_id[b]);
            (a.min(b), a.max(b))
        })
        .collect();
    let start = std::time::Instant::now();
    let one_to = if is_one { OneTo::One } else { OneTo::Many };
    let linked = link(&table, &Options::default().with_one_to(one_to)).unwrap();
    let found: BTreeSet<(usize, usize)> = linked.matches.iter().map(|it| (it.a, it.b)).collect();
    let right = found.intersection(&truth).count() as f64;
    let (precision, recall) = (right / found.len().max(1) as f64, right / truth.len() as f64);
    for field in &linked.model.fields {
        let weights: Vec<String> = field.weights.iter().map(|it| format!("{it:.1}")).collect();
        println!("{:14} {:9} {}", field.name, field.kind.as_str(), weights.join(" "));
    }
    for band in &linked.bands {
        println!("  {:6.3} {:7.3}  {}", band.finds, band.cost, band.band);
    }
    for (name, set, other) in [("missed", &truth, &found), ("wrong", &found, &truth)] {
        for (a, b) in set.difference(other).take(6) {
            println!("{name}: {} | {}", rows[*a].join(", "), rows[*b].join(", "));
        }
    }
    println!(
        "{folder}: F1 {:.4} precision {precision:.4} recall {recall:.4}; {} compared ({:.1} a record), {} rounds, prior {:.1}, expected {:.0} of {}, {:.2} s",
        2.0 * precision * recall / (precision + recall),
        linked.compared,
        linked.compared as f64 / table.len() as f64,
        linked.model.rounds,
        linked.model.prior,
        linked.model.expected,
        truth.len(),
        start.elapsed().as_secs_f64()
    );
}
