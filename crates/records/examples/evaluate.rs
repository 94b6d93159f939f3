//! F1 of the matches in a table with truth: `cargo run --release --example evaluate -- FOLDER [one-to-one] [text]`.
#![allow(clippy::print_stdout, clippy::unwrap_used, reason = "an example prints, and its input is known")]

use records::{OneTo, Options, Table, link};
use std::collections::{BTreeSet, HashMap};

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let folder = &arguments[0];
    let (is_one, is_text) =
        (arguments.iter().any(|it| it == "one-to-one"), arguments.iter().any(|it| it == "text"));
    let is_linking = is_one || arguments.iter().any(|it| it == "link");
    let (mut table, mut ids, mut sources) = (Table::default(), Vec::new(), Vec::new());
    for line in std::fs::read_to_string(format!("{folder}/records.jsonl")).unwrap().lines() {
        let record: serde_json::Value = serde_json::from_str(line).unwrap();
        let fields = record["fields"].as_object().unwrap();
        let value = |value: &serde_json::Value| value.as_str().unwrap_or("").to_owned();
        if is_text {
            table.fields = vec!["text".into()];
            table.records.push(vec![value(&record["text"])]);
        } else {
            table.fields = fields.keys().cloned().collect();
            table.records.push(fields.values().map(value).collect());
        }
        ids.push(value(&record["id"]));
        sources.push(value(&record["source"]));
    }
    if is_linking {
        table.sides = sources.iter().map(|source| u8::from(*source != sources[0])).collect();
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
            println!("{name}: {} | {}", table.records[*a].join(", "), table.records[*b].join(", "));
        }
    }
    println!(
        "{folder}: F1 {:.4} precision {precision:.4} recall {recall:.4}; {} compared ({:.1} a record), {} rounds, prior {:.1}, expected {:.0} of {}, {:.2} s",
        2.0 * precision * recall / (precision + recall),
        linked.compared,
        linked.compared as f64 / table.records.len() as f64,
        linked.model.rounds,
        linked.model.prior,
        linked.model.expected,
        truth.len(),
        start.elapsed().as_secs_f64()
    );
}
