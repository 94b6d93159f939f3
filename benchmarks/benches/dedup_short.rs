//! The whole dedup of a million short documents with planted near-duplicates, as a ratio to parsing the JSON alone.
#![allow(clippy::print_stdout, reason = "a benchmark prints its result")]

use benchmarks::dedup::{self, Program};
use benchmarks::scratch::Scratch;
use benchmarks::{child, quality, sized, verdict, verdict_at_least};
use testkit::corpora::{Planted, Truth};

fn main() -> Result<(), String> {
    let program = Program::build()?;
    let scratch = Scratch::new("short").map_err(|error| error.to_string())?;
    let corpus = Planted { similarity: (0.5, 1.0), near: 0.15, ..Planted::short(sized(1_000_000), 1) };
    let file = scratch.write_documents("short.jsonl", corpus.iter()).map_err(|error| error.to_string())?;
    let texts = dedup::texts(&file)?;
    let megabytes = texts.iter().map(String::len).sum::<usize>() as f64 / 1e6;
    println!("dedup of short documents, words:5, t = 0.8, 1 thread");
    println!("{} documents of 300 to 500 bytes, {megabytes:.1} MB of text\n", texts.len());

    let (parse, parse_and_read) = dedup::parse_seconds(&file, 3)?;
    println!("{:34} {parse:8.3} s CPU ({parse_and_read:.3} with read())", "parse only");
    let target = scratch.path("clean");
    let usage = child::least_of(3, || {
        let target = scratch.fresh("clean").map_err(|error| error.to_string())?;
        Ok(program.dedup(&file, &target, 1, &[]))
    })?;
    println!("{}", dedup::line("dedup", usage, megabytes));
    let ratio = usage.cpu_seconds / parse;
    println!("{:34} {ratio:5.2} x parse-only {}", "", verdict(ratio, 6.0));
    let removals = dedup::removals(&target)?;
    quality::check_removals(&texts, &removals, 0.8)?;
    let planted = (0..corpus.documents).filter_map(|document| match corpus.truth(document) {
        Truth::Original => None,
        Truth::Copy { of } | Truth::Edited { of, .. } => Some((of, document)),
    });
    let (found, all) = quality::share_of_planted(&texts, planted, &removals, 0.8);
    println!("{:34} {} removed, each verified again", "", removals.len());
    println!("{:34} {found:.4} of {all} planted pairs removed {}", "", verdict_at_least(found, 0.99));
    println!("{:34} the run's own estimate of its recall {}", "", dedup::report(&target)?["recall"]);
    Ok(())
}
