//! F1 of the matches in tables with truth, at the threshold of the program and at the best one:
//!
//! ```text
//! cargo run --release -p lookalike-records --example evaluate -- FOLDER [PART-OF-A-NAME] [--stable] [--verbose] [--labels]
//! ```
//!
//! `FOLDER` has a folder for each table, with `records.jsonl` (id, source, fields, text) and `truth.tsv`. `--stable` repeats
//! each with the records in three other orders and with a tenth of the records left out, three times. `--labels` repeats each with
//! 10 and 30 labels, which are chosen as `lookalike label` chooses them and answered from the truth.
#![allow(clippy::print_stdout, clippy::unwrap_used, reason = "an example prints, and its input is known")]

use lookalike::hashing::SplitMix64;
use records::{Judgement, Linked, OneTo, Options, Refined, Side, Table, link, next_question};
use std::collections::{BTreeSet, HashMap};

/// The tables, and how they are read: `text` takes the joined text alone, `moved` moves values into other columns.
const SETS: [(&str, &str); 12] = [
    ("febrl1", "one table"),
    ("febrl3", "one table"),
    ("dblp-acm", "one to one"),
    ("dblp-acm", "any number"),
    ("restaurants", "one to one"),
    ("restaurants", "any number"),
    ("dblp-acm", "text, one to one"),
    ("restaurants", "text, one to one"),
    ("dblp-acm", "moved, one to one"),
    ("restaurants", "moved, one to one"),
    ("dblp-acm", "one table"),
    ("restaurants", "one table"),
];

type Pairs = BTreeSet<(usize, usize)>;

/// A table as it was read.
struct Set {
    fields: Vec<String>,
    /// Source, values.
    records: Vec<(String, Vec<String>)>,
    truth: Pairs,
}

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let is = |flag: &str| arguments.iter().any(|it| it == flag);
    let folder = &arguments[0];
    let part = arguments.get(1).filter(|part| !part.starts_with("--")).cloned().unwrap_or_default();
    let mut bins = [(0usize, 0usize); 10];
    println!(
        "{:32} {:>7} {:>7} {:>9} {:>7} {:>8} {:>6}",
        "", "F1", "best", "precision", "recall", "compared", "wall s"
    );
    let counts: &[usize] = if is("--labels") { &[10, 30] } else { &[] };
    for (name, how) in SETS {
        let title = format!("{name}, {how}");
        if !title.contains(&part) {
            continue;
        }
        let set = read(&format!("{folder}/{name}"), how);
        let all: Vec<usize> = (0..set.records.len()).collect();
        let f1 = evaluate(&title, &set, &all, how, &mut bins, is("--verbose"), 0);
        for &count in counts {
            let other =
                evaluate(&format!("  {count} labels"), &set, &all, how, &mut [(0, 0); 10], false, count);
            println!("{:32} {:+.4}", "", other - f1);
        }
        if !is("--stable") {
            continue;
        }
        for seed in 0..6 {
            let mut random = SplitMix64::new(seed);
            let mut order = all.clone();
            if seed < 3 {
                (1..order.len()).for_each(|at| order.swap(at, random.below(at as u64 + 1) as usize));
            } else {
                order.retain(|_| random.below(10) != 0);
            }
            let other = evaluate("", &set, &order, how, &mut [(0, 0); 10], false, 0);
            println!("{:32} {:+.4}", if seed < 3 { "  another order" } else { "  a tenth less" }, other - f1);
        }
    }
    for (bin, (right, all)) in bins.iter().enumerate().filter(|(_, (_, all))| *all > 0) {
        println!(
            "probability {:.1} to {:.1}: {right} of {all} are matches",
            bin as f64 / 10.0,
            (bin + 1) as f64 / 10.0
        );
    }
}

fn read(folder: &str, how: &str) -> Set {
    let (mut records, mut fields, mut ids) = (Vec::new(), Vec::new(), Vec::new());
    let mut random = SplitMix64::new(17);
    for line in std::fs::read_to_string(format!("{folder}/records.jsonl")).unwrap().lines() {
        let record: serde_json::Value = serde_json::from_str(line).unwrap();
        let object = record["fields"].as_object().unwrap();
        let value = |value: &serde_json::Value| value.as_str().unwrap_or("").to_owned();
        let mut values: Vec<String> = object.values().map(value).collect();
        fields = object.keys().cloned().collect();
        if how.starts_with("text") {
            fields = vec!["text".to_owned()];
            values = vec![value(&record["text"])];
        }
        if how.starts_with("moved") {
            // The first field as it stands in the file stays.
            let written: Vec<&str> =
                ["title", "name"].into_iter().filter(|name| object.contains_key(*name)).collect();
            let first = fields.iter().position(|field| field == written[0]).unwrap();
            for at in (0..values.len()).filter(|at| *at != first) {
                if random.below(2) == 0 {
                    let others = (0..values.len() as u64).filter(|to| *to != at as u64);
                    let to =
                        others.collect::<Vec<_>>()[random.below(values.len() as u64 - 1) as usize] as usize;
                    let moved = std::mem::take(&mut values[at]);
                    values[to] = format!("{} {moved}", values[to]).trim().to_owned();
                }
            }
        }
        records.push((value(&record["source"]), values));
        ids.push(value(&record["id"]));
    }
    let by_id: HashMap<&str, usize> = ids.iter().enumerate().map(|(at, id)| (id.as_str(), at)).collect();
    let truth = std::fs::read_to_string(format!("{folder}/truth.tsv")).unwrap();
    let pair = |line: &str| {
        let (a, b) = line.split_once('\t').unwrap();
        (by_id[a].min(by_id[b]), by_id[a].max(by_id[b]))
    };
    Set { fields, records, truth: truth.lines().skip(1).map(pair).collect() }
}

/// F1 of those records of a set, in that order.
fn evaluate(
    title: &str,
    set: &Set,
    order: &[usize],
    how: &str,
    bins: &mut [(usize, usize)],
    verbose: bool,
    labels: usize,
) -> f64 {
    let mut table = Table::new(&set.fields);
    for &at in order {
        let (source, values) = &set.records[at];
        match (how == "one table", *source == set.records[0].0) {
            (true, _) => table.push(values),
            (_, true) => table.push_to(Side::First, values),
            (_, false) => table.push_to(Side::Second, values),
        }
    }
    let kept: BTreeSet<usize> = order.iter().copied().collect();
    let truth: Pairs =
        set.truth.iter().copied().filter(|(a, b)| kept.contains(a) && kept.contains(b)).collect();
    let start = std::time::Instant::now();
    let one_to = if how.ends_with("one to one") { OneTo::One } else { OneTo::Many };
    let mut options = Options::default().with_one_to(one_to).with_threshold(1e-9);
    if labels > 0 {
        options = labelled(&table, options, labels, |a, b| {
            truth.contains(&(order[a].min(order[b]), order[a].max(order[b])))
        });
    }
    let linked = link(&table, &options).unwrap();
    let seconds = start.elapsed().as_secs_f64();
    let mut found: Vec<(f64, f64, (usize, usize))> = linked
        .matches
        .iter()
        .map(|it| (it.weight, it.probability, (order[it.a].min(order[it.b]), order[it.a].max(order[it.b]))))
        .collect();
    found.sort_by(|x, y| y.0.total_cmp(&x.0));
    let (mut right, mut best, mut own) = (0.0, 0.0f64, (0.0, 0.0, 0.0));
    for (at, (_, probability, pair)) in found.iter().enumerate() {
        let is_right = truth.contains(pair);
        right += f64::from(u8::from(is_right));
        let bin = &mut bins[((probability * 10.0) as usize).min(9)];
        *bin = (bin.0 + usize::from(is_right), bin.1 + 1);
        let f1 = 2.0 * right / ((at + 1) as f64 + truth.len() as f64);
        best = best.max(f1);
        if *probability >= 0.5 {
            own = (f1, right / (at + 1) as f64, right / truth.len() as f64);
        }
    }
    if verbose {
        details(set, &linked, &found, &truth);
    }
    if !title.is_empty() {
        println!(
            "{title:32} {:7.4} {best:7.4} {:9.4} {:7.4} {:8} {seconds:6.2}",
            own.0, own.1, own.2, linked.compared
        );
    }
    own.0
}

/// The options with so many labels: always of the pair whose answer is least known by then, as `lookalike label` asks.
fn labelled(
    table: &Table,
    options: Options,
    count: usize,
    is_match: impl Fn(usize, usize) -> bool,
) -> Options {
    let pool = link(table, &options.clone().with_threshold(0.001)).unwrap();
    let (mut judged, mut asked, mut labelled) = (Vec::new(), BTreeSet::new(), options);
    for _ in 0..count {
        let refined = Refined::of(pool.model.fields.len(), &judged);
        let weights: Vec<f64> =
            pool.matches.iter().map(|it| refined.weight(it.weight, &it.weights)).collect();
        let Some(next) = next_question(&refined.shift, &weights, |at| asked.contains(&at)) else { break };
        let it = &pool.matches[next];
        let answer = is_match(it.a, it.b);
        asked.insert(next);
        judged.push(Judgement { weight: it.weight, weights: it.weights.clone(), is_match: answer });
        labelled = labelled.with_label(it.a, it.b, answer);
    }
    labelled
}

/// What was learnt, and the pairs next to the threshold that are on its wrong side.
fn details(set: &Set, linked: &Linked, found: &[(f64, f64, (usize, usize))], truth: &Pairs) {
    for field in &linked.model.fields {
        let weights: Vec<String> = field.weights.iter().map(|it| format!("{it:.1}")).collect();
        println!("{:14} {:9} {}", field.name, field.kind.as_str(), weights.join(" "));
    }
    for band in &linked.bands {
        println!("  {:6.3} {:7.3}  {}", band.finds, band.cost, band.band);
    }
    println!(
        "{} rounds, prior {:.1}, expected {:.0} of {}; recall {:?}",
        linked.model.rounds,
        linked.model.prior,
        linked.model.expected,
        truth.len(),
        linked.recall
    );
    let show = |what: &str, (weight, _, (a, b)): &(f64, f64, (usize, usize))| {
        println!(
            "{what} {weight:6.1}: {}\n               {}",
            set.records[*a].1.join(" | "),
            set.records[*b].1.join(" | ")
        );
    };
    let wrong = found.iter().filter(|(weight, _, pair)| *weight >= 0.0 && !truth.contains(pair));
    wrong.take(30).for_each(|it| show("wrong ", it));
    let missed = found.iter().filter(|(weight, _, pair)| *weight < 0.0 && truth.contains(pair));
    missed.take(30).for_each(|it| show("missed", it));
    let seen: Pairs = found.iter().map(|it| it.2).collect();
    println!("{} matches are not among the pairs", truth.difference(&seen).count());
}
