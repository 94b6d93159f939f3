//! F1, recall and CPU for generated persons:
//! `cargo run --release -p lookalike-records --example persons -- RECORDS [SEED] [CROWD]`, where one person in `CROWD` shares
//! surname and suburb with all such.
#![allow(clippy::print_stdout, clippy::unwrap_used, reason = "an example prints, and its input is known")]

use records::{Options, Table, link};
use testkit::corpora::Persons;

fn main() {
    let mut arguments = std::env::args().skip(1).map(|it| it.parse::<u64>().unwrap());
    let (wanted, seed) = (arguments.next().unwrap() as usize, arguments.next().unwrap_or(1));
    let persons = Persons::new(seed).with_crowd(arguments.next().unwrap_or(0));
    let (mut table, mut entity, mut all) = (Table::new(Persons::FIELDS), Vec::new(), 0usize);
    for person in 0.. {
        let first = table.len();
        for record in persons.of(person).iter().take(wanted - table.len()) {
            table.push(record);
            entity.push(person);
        }
        all += (table.len() - first) * (table.len() - first).saturating_sub(1) / 2;
        if table.len() == wanted {
            break;
        }
    }
    let before = cpu();
    let linked = link(&table, &Options::default().with_threshold(1e-9)).unwrap();
    let seconds = cpu() - before;
    let is_right = |a: usize, b: usize| entity[a] == entity[b];
    let (mut found, mut right, mut among, mut bins) = (0, 0, 0, [(0, 0); 10]);
    let (mut best, mut order) = (0.0f64, linked.matches.iter().collect::<Vec<_>>());
    order.sort_by(|x, y| y.weight.total_cmp(&x.weight));
    for (at, it) in order.iter().enumerate() {
        let is_right = is_right(it.a, it.b);
        among += usize::from(is_right);
        let bin = &mut bins[((it.probability * 10.0) as usize).min(9)];
        *bin = (bin.0 + usize::from(is_right), bin.1 + 1);
        best = best.max(2.0 * among as f64 / (at + 1 + all) as f64);
        if it.probability >= 0.5 {
            (found, right) = (at + 1, among);
        }
    }
    println!(
        "{wanted} records: F1 {:.4} (best {best:.4}), precision {:.4}, recall {:.4} of {all}; {:.2} pairs a record find {:.4}; {seconds:.1} CPU s",
        2.0 * right as f64 / (found + all) as f64,
        right as f64 / found.max(1) as f64,
        right as f64 / all as f64,
        linked.compared as f64 / wanted as f64,
        among as f64 / all as f64,
    );
    // What a run says of its own recall counts matches at the threshold.
    let linked = link(&table, &Options::default()).unwrap();
    println!("its own estimate of the recall of its candidates: {:?}", linked.recall);
    for (name, why) in &linked.fields_left_out {
        println!("left out: {name} ({why})");
    }
    for band in &linked.bands {
        println!("  {:6.3} {:7.3}  {}", band.finds, band.cost, band.band);
    }
    for (bin, (right, all)) in bins.iter().enumerate().filter(|(_, (_, all))| *all > 0) {
        println!("probability {:.1} to {:.1}: {right} of {all}", bin as f64 / 10.0, (bin + 1) as f64 / 10.0);
    }
}

/// The CPU seconds of this process.
fn cpu() -> f64 {
    let written = std::fs::read_to_string("/proc/self/stat").unwrap();
    let fields: Vec<&str> = written.rsplit_once(')').unwrap().1.split_whitespace().collect();
    (fields[11].parse::<f64>().unwrap() + fields[12].parse::<f64>().unwrap()) / 100.0
}
