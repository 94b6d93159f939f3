//! Records of the same person, paper or restaurant: F1 at the threshold that each program proposes, and CPU, beside others.
//!
//! `lookalike pairs --kind records` without rules and labels; Splink with rules of blocking and comparison by hand,
//! recordlinkage with the same rules and its own classifier, and dedupe with 30 labels from the truth. On real tables, and on
//! generated persons: 300,000, and 40,000 with `--quick`. A wrong answer of lookalike fails: F1 below what the tables allow.
#![allow(clippy::print_stdout, reason = "a benchmark prints its result")]

use benchmarks::child::{self, Usage};
use benchmarks::dedup::Program;
use benchmarks::peers::RECORD_PEERS;
use benchmarks::scratch::Scratch;
use benchmarks::{data_folder, is_quick, verdict, verdict_at_least};
use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use testkit::corpora::Persons;

/// The tables, with the least F1 of lookalike.
const SETS: [(&str, f64); 5] =
    [("febrl1", 1.0), ("febrl3", 0.999), ("dblp-acm", 0.985), ("restaurants", 0.985), ("persons", 0.997)];

/// dedupe compares too many pairs of larger tables to be waited for.
const MOST_FOR_DEDUPE: usize = 10_000;

type Pairs = BTreeSet<(String, String)>;

/// A table, or two that are linked, as files.
struct Set {
    name: &'static str,
    folder: PathBuf,
    records: usize,
    truth: Pairs,
}

fn main() -> Result<(), String> {
    let program = Program::build()?;
    let scratch = Scratch::new("records").map_err(|cause| cause.to_string())?;
    let mut wrong = Vec::new();
    for peer in &RECORD_PEERS {
        println!("{} {}", peer.name, peer.install_as(&format!("records_{}", peer.name))?);
    }
    println!("{:14}{:16}{:>8}{:>11}{:>9}{:>12}{:>10}", "", "", "F1", "precision", "recall", "CPU s", "peak");
    for (name, least) in SETS {
        let Some(set) = set(name, &scratch)? else {
            println!("{name}: skipped, the table is not in the folder LOOKALIKE_DATA");
            continue;
        };
        let (usage, found) = lookalike(&program, &set)?;
        let f1 = line(&set, "lookalike", usage, &found);
        println!("{:30}{}", "", verdict_at_least(f1, least));
        if f1 < least {
            wrong.push(format!("{name}: F1 {f1:.4} is below {least}"));
        }
        for peer in &RECORD_PEERS {
            if peer.name == "dedupe" && set.records > MOST_FOR_DEDUPE {
                continue;
            }
            let (theirs, found) = peer.run_records(set.name, &set.folder, &set.folder.join("found.tsv"))?;
            let their_f1 = line(&set, peer.name, theirs, &found.into_iter().map(ordered).collect());
            let ratio = usage.cpu_seconds / theirs.cpu_seconds;
            let said = match (name, peer.name) {
                ("persons", "splink") => verdict(ratio, 0.1),
                _ => String::new(),
            };
            println!("{:30}{:+.4} F1 and {ratio:.3} of the CPU {said}", "", f1 - their_f1);
        }
    }
    if wrong.is_empty() { Ok(()) } else { Err(wrong.join("; ")) }
}

fn ordered((a, b): (String, String)) -> (String, String) {
    if a < b { (a, b) } else { (b, a) }
}

/// Prints how good an answer is. Returns its F1.
fn line(set: &Set, program: &str, usage: Usage, found: &Pairs) -> f64 {
    let right = found.intersection(&set.truth).count() as f64;
    let (found, truth) = (found.len() as f64, set.truth.len() as f64);
    let f1 = 2.0 * right / (found + truth);
    println!(
        "{:14}{program:16}{f1:8.4}{:11.4}{:9.4}{:12.2}{:7} MB",
        set.name,
        right / found.max(1.0),
        right / truth,
        usage.cpu_seconds,
        usage.peak_bytes / 1_000_000,
    );
    f1
}

/// The pairs that lookalike finds with its own threshold; of two tables, with one partner for each record.
fn lookalike(program: &Program, set: &Set) -> Result<(Usage, Pairs), String> {
    let mut command = program.command("pairs");
    let (a, b) = (set.folder.join("a.csv"), set.folder.join("b.csv"));
    if b.is_file() {
        command.arg(b).arg("--against").arg(a).args(["--against-only", "--one-to-one"]);
    } else {
        command.arg(a);
    }
    command.args(["--kind", "records", "--id-field", "id", "--json", "--threads", "1", "--quiet"]);
    let usage = child::run(&mut command, None)?;
    // A measured run has no output here, so it is run once more.
    let output = command.stdout(std::process::Stdio::piped()).output().map_err(|cause| cause.to_string())?;
    let mut found = Pairs::new();
    for line in String::from_utf8_lossy(&output.stdout).lines() {
        let row: serde_json::Value = serde_json::from_str(line).map_err(|cause| cause.to_string())?;
        let id = |side: &str| row[side].as_str().unwrap_or_default().to_owned();
        found.insert(ordered((id("a"), id("b"))));
    }
    Ok((usage, found))
}

fn set(name: &'static str, scratch: &Scratch) -> Result<Option<Set>, String> {
    let folder = scratch.fresh(name).map_err(|cause| cause.to_string())?;
    std::fs::create_dir_all(&folder).map_err(|cause| cause.to_string())?;
    if name == "persons" {
        return persons(folder).map(Some);
    }
    let Some(data) = data_folder().map(|data| data.join(name)).filter(|data| data.is_dir()) else {
        return Ok(None);
    };
    real(name, &data, folder).map(Some)
}

/// Writes a table with its ids.
fn write_table(file: &Path, fields: &[String], rows: &[Vec<String>]) -> Result<(), String> {
    let failed = |cause: csv::Error| format!("{}: {cause}", file.display());
    let mut writer = csv::Writer::from_path(file).map_err(failed)?;
    writer.write_record(std::iter::once("id").chain(fields.iter().map(String::as_str))).map_err(failed)?;
    rows.iter().try_for_each(|row| writer.write_record(row)).map_err(failed)?;
    writer.flush().map_err(|cause| format!("{}: {cause}", file.display()))
}

fn write_truth(folder: &Path, truth: &Pairs) -> Result<(), String> {
    let mut lines = String::from("a\tb\n");
    for (a, b) in truth {
        let _ = writeln!(lines, "{a}\t{b}");
    }
    std::fs::write(folder.join("truth.tsv"), lines).map_err(|cause| cause.to_string())
}

/// A real table as CSV: a file for each source.
fn real(name: &'static str, data: &Path, folder: PathBuf) -> Result<Set, String> {
    let read = |file: &str| {
        std::fs::read_to_string(data.join(file)).map_err(|cause| format!("{name}/{file}: {cause}"))
    };
    let mut fields: Vec<String> = Vec::new();
    let mut by_source: Vec<(String, Vec<Vec<String>>)> = Vec::new();
    for line in read("records.jsonl")?.lines() {
        let record: serde_json::Value = serde_json::from_str(line).map_err(|cause| cause.to_string())?;
        let text = |value: &serde_json::Value| value.as_str().unwrap_or_default().to_owned();
        let values = record["fields"].as_object().ok_or("a record has no fields")?;
        if fields.is_empty() {
            fields = values.keys().cloned().collect();
        }
        let row =
            std::iter::once(text(&record["id"])).chain(fields.iter().map(|it| text(&record["fields"][it])));
        let (row, source) = (row.collect(), text(&record["source"]));
        match by_source.iter_mut().find(|it| it.0 == source) {
            Some((_, rows)) => rows.push(row),
            None => by_source.push((source, vec![row])),
        }
    }
    for ((_, rows), file) in by_source.iter().zip(["a.csv", "b.csv"]) {
        write_table(&folder.join(file), &fields, rows)?;
    }
    let pair = |line: &str| line.split_once('\t').map(|(a, b)| ordered((a.to_owned(), b.to_owned())));
    let truth: Pairs = read("truth.tsv")?.lines().skip(1).filter_map(pair).collect();
    write_truth(&folder, &truth)?;
    Ok(Set { name, folder, records: by_source.iter().map(|it| it.1.len()).sum(), truth })
}

/// Generated persons.
fn persons(folder: PathBuf) -> Result<Set, String> {
    let wanted = if is_quick() { 40_000 } else { 300_000 };
    let (persons, fields) = (Persons::new(1), Persons::FIELDS.map(str::to_owned));
    let (mut rows, mut truth): (Vec<Vec<String>>, Pairs) = Default::default();
    for person in 0.. {
        let records: Vec<_> = persons.of(person).into_iter().take(wanted - rows.len()).collect();
        let id = |record: usize| format!("p{person}-{record}");
        for at in 0..records.len() {
            truth.extend((0..at).map(|other| ordered((id(other), id(at)))));
        }
        let row = |(at, values)| std::iter::once(id(at)).chain(values).collect();
        rows.extend(records.into_iter().enumerate().map(row));
        if rows.len() == wanted {
            break;
        }
    }
    write_table(&folder.join("a.csv"), &fields, &rows)?;
    write_truth(&folder, &truth)?;
    Ok(Set { name: "persons", folder, records: wanted, truth })
}
