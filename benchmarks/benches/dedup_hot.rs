//! Hot buckets: a million near-copies of one document, and 200,000 different documents that share a template.
#![allow(clippy::print_stdout, reason = "a benchmark prints its result")]

use benchmarks::dedup::{self, Program};
use benchmarks::scratch::Scratch;
use benchmarks::{child, sized, verdict};
use testkit::corpora::{Document, near_copies, templated};

fn main() -> Result<(), String> {
    let program = Program::build()?;
    let scratch = Scratch::new("hot").map_err(|error| error.to_string())?;
    println!("hot buckets, words:5, t = 0.8, 1 thread\n");
    let copies = sized(1_000_000);
    let mut seconds = Vec::new();
    for count in [copies / 8, copies] {
        let what = format!("{count} near-copies of one");
        let usage = run(&program, &scratch, &what, near_copies(count, 600, 1), 1)?;
        seconds.push(usage);
    }
    let ratio = seconds[1] / seconds[0];
    println!("{:34} {ratio:5.2} x the CPU for 8 x the documents {}\n", "", verdict(ratio, 9.0));
    let count = sized(200_000);
    let what = format!("{count} with one template");
    run(&program, &scratch, &what, templated(count, 2_000, 0.7, 1), count)?;
    Ok(())
}

/// Returns the CPU seconds. An error unless exactly `kept` documents are kept.
fn run(
    program: &Program,
    scratch: &Scratch,
    what: &str,
    documents: impl Iterator<Item = Document>,
    kept: usize,
) -> Result<f64, String> {
    let file = scratch.write_documents("hot.jsonl", documents).map_err(|error| error.to_string())?;
    let megabytes = std::fs::metadata(&file).map_err(|error| error.to_string())?.len() as f64 / 1e6;
    let target = scratch.fresh("clean").map_err(|error| error.to_string())?;
    let usage = child::run(&mut program.dedup(&file, &target, 1, &[]), None)?;
    println!("{}", dedup::line(what, usage, megabytes));
    let report = dedup::report(&target)?;
    println!(
        "{:34} kept {}, pairs {}, capped: {}",
        "", report["counts"]["kept"], report["pairs"], report["capped"]
    );
    let counted = report["counts"]["kept"].as_u64();
    if counted == Some(kept as u64) {
        Ok(usage.cpu_seconds)
    } else {
        Err(format!("{kept} should be kept, not {counted:?}"))
    }
}
