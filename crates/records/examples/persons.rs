//! F1, recall and CPU for generated persons:
//! `cargo run --release -p lookalike-records --example persons -- RECORDS [SEED] [CROWD] [OTHERS] [MIB]`, where one person in
//! `CROWD` shares surname and suburb with all such, about `OTHERS` of the records are a table with which the others are linked, and
//! `MIB` limits the memory.
#![allow(clippy::print_stdout, clippy::unwrap_used, reason = "an example prints, and its input is known")]

use lookalike::hashing::SplitMix64;
use records::{Options, Side, Table, link};
use testkit::corpora::Persons;

fn main() {
    let mut arguments = std::env::args().skip(1).map(|it| it.parse::<u64>().unwrap());
    let (wanted, seed) = (arguments.next().unwrap() as usize, arguments.next().unwrap_or(1));
    let persons = Persons::new(seed).with_crowd(arguments.next().unwrap_or(0));
    let others = arguments.next().unwrap_or(0);
    let (mut table, mut entity, mut sides, mut all) =
        (Table::new(Persons::FIELDS), Vec::new(), Vec::new(), 0usize);
    let mut random = SplitMix64::new(seed);
    for person in 0.. {
        let first = table.len();
        for record in persons.of(person).iter().take(wanted - table.len()) {
            let is_other = random.below(wanted as u64) < others;
            match others {
                0 => table.push(record),
                _ => table.push_to(if is_other { Side::First } else { Side::Second }, record),
            }
            entity.push(person);
            sides.push(is_other);
        }
        let here = &sides[first..];
        let of_first = here.iter().filter(|is_other| **is_other).count();
        all += match others {
            0 => here.len() * here.len().saturating_sub(1) / 2,
            _ => of_first * (here.len() - of_first),
        };
        if table.len() == wanted {
            break;
        }
    }
    let (before, held) = (cpu(), memory("VmRSS:"));
    let options = match arguments.next() {
        Some(mib) => Options::default().with_memory(mib << 20, std::env::temp_dir()),
        None => Options::default(),
    };
    let linked = link(&table, &options).unwrap();
    let seconds = cpu() - before;
    let peak = memory("VmHWM:");
    let right = linked.matches.iter().filter(|it| entity[it.a] == entity[it.b]).count();
    println!(
        "{wanted} records: F1 {:.4}, precision {:.4}, recall {:.4} of {all}; {:.2} pairs a record; {seconds:.1} CPU s; \
         {peak} MB with all matches, {held} MB before",
        2.0 * right as f64 / (linked.matches.len() + all) as f64,
        right as f64 / linked.matches.len().max(1) as f64,
        right as f64 / all as f64,
        linked.compared as f64 / wanted as f64,
    );
    // What a run says of its own recall counts matches at the threshold.
    println!("its own estimate of the recall of its candidates: {:?}", linked.recall);
    for (name, why) in &linked.fields_left_out {
        println!("left out: {name} ({why})");
    }
    for band in &linked.bands {
        println!("  {:6.3} {:7.3}  {}", band.finds, band.cost, band.band);
    }
    if wanted > 500_000 {
        return;
    }
    // All pairs that were compared.
    let linked = link(&table, &Options::default().with_threshold(1e-9)).unwrap();
    let is_right = |a: usize, b: usize| entity[a] == entity[b];
    let (mut among, mut bins) = (0, [(0, 0); 10]);
    let (mut best, mut order) = (0.0f64, linked.matches.iter().collect::<Vec<_>>());
    order.sort_by(|x, y| y.weight.total_cmp(&x.weight));
    for (at, it) in order.iter().enumerate() {
        let is_right = is_right(it.a, it.b);
        among += usize::from(is_right);
        let bin = &mut bins[((it.probability * 10.0) as usize).min(9)];
        *bin = (bin.0 + usize::from(is_right), bin.1 + 1);
        best = best.max(2.0 * among as f64 / (at + 1 + all) as f64);
    }
    println!(
        "the candidates have {:.4} of the matches; F1 at the best threshold {best:.4}",
        among as f64 / all as f64
    );
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

/// Megabytes of memory of this process, by their name in the system's list.
fn memory(name: &str) -> u64 {
    let written = std::fs::read_to_string("/proc/self/status").unwrap();
    let line = written.lines().find_map(|line| line.strip_prefix(name)).unwrap();
    line.trim().trim_end_matches(" kB").parse::<u64>().unwrap() / 1_000
}
