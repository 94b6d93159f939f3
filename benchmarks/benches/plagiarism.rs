//! Detection of plagiarism: programs of students compared with the original of each task (`ir-plag-code`), by
//! containment.
//!
//! This benchmark measures quality only. A pair counts as plagiarised if the larger of the two containments is at
//! least the threshold. Nothing is tuned: all thresholds are shown, together with the result of calling every pair
//! plagiarised.
#![allow(clippy::print_stdout, reason = "a benchmark prints its result")]

use benchmarks::data_folder;
use lookalike::shingling::{ShingleSet, Shingler};
use lookalike::similarity::containment;
use std::collections::HashMap;

/// An original, another program for the same task, and true if that program is plagiarised.
type Pair<'a> = (&'a str, &'a str, bool);

fn main() {
    let folder = data_folder().map(|folder| folder.join("ir-plag-code"));
    let Some(folder) = folder.filter(|folder| folder.is_dir()) else {
        println!("skipped: ir-plag-code is not in the folder LOOKALIKE_DATA");
        return;
    };
    let read = |name: &str| std::fs::read_to_string(folder.join(name)).expect("the corpus can be read");
    let documents = read("docs.jsonl");
    let texts: HashMap<String, String> = documents
        .lines()
        .map(|line| {
            let document: serde_json::Value = serde_json::from_str(line).expect("JSON lines");
            let field = |name: &str| document[name].as_str().expect("a string").to_owned();
            (field("id"), field("text"))
        })
        .collect();
    let truth = read("truth.tsv");
    let rows: Vec<Vec<&str>> = truth.lines().skip(1).map(|line| line.split('\t').collect()).collect();
    let originals: HashMap<&str, &str> =
        rows.iter().filter(|row| row[2] == "original").map(|row| (row[1], row[0])).collect();
    let pairs: Vec<Pair<'_>> = rows
        .iter()
        .filter(|row| row[2] != "original")
        .map(|row| (originals[row[1]], row[0], row[2] == "plagiarized"))
        .collect();
    let copies = pairs.iter().filter(|pair| pair.2).count();
    println!("ir-plag-code: {} pairs, {copies} of them plagiarised\n", pairs.len());
    println!("{:14} {:>9} {:>10} {:>8}", "shingles", "threshold", "precision", "recall");
    println!("{:14} {:>9} {:>10.2} {:>8.2}", "all pairs", "", copies as f64 / pairs.len() as f64, 1.0);
    let shinglers = [
        ("words:2", Shingler::words(2)),
        ("words:5", Shingler::words(5)),
        ("characters:9", Shingler::characters(9)),
        ("characters:15", Shingler::characters(15)),
    ];
    for (name, shingler) in shinglers {
        let shingler = shingler.expect("k is allowed");
        let sets: HashMap<&str, ShingleSet> =
            texts.iter().map(|(id, text)| (id.as_str(), shingler.set(text))).collect();
        let scored: Vec<(f64, bool)> = pairs
            .iter()
            .map(|&(a, b, is_copy)| {
                let (a, b) = (&sets[a], &sets[b]);
                (containment(a, b).max(containment(b, a)), is_copy)
            })
            .collect();
        for threshold in [0.3, 0.4, 0.5, 0.6, 0.7] {
            let said = scored.iter().filter(|pair| pair.0 >= threshold).count();
            let right = scored.iter().filter(|pair| pair.0 >= threshold && pair.1).count();
            let precision = if said == 0 { 1.0 } else { right as f64 / said as f64 };
            let recall = right as f64 / copies as f64;
            println!("{name:14} {threshold:>9} {precision:>10.2} {recall:>8.2}");
        }
    }
}
