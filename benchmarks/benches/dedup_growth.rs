//! The cost of eight times as many documents: with enough memory, and with so little memory that the run spills.
#![allow(clippy::print_stdout, reason = "a benchmark prints its result")]

use benchmarks::dedup::{self, Program};
use benchmarks::scratch::Scratch;
use benchmarks::{child, sized, verdict};
use testkit::corpora::Planted;

fn main() -> Result<(), String> {
    let program = Program::build()?;
    let scratch = Scratch::new("growth").map_err(|error| error.to_string())?;
    let documents = sized(100_000);
    println!("growth: {documents} documents and 8 times as many, 1 thread\n");
    let corpus = Planted { documents, bytes: (300, 3_000), popular: 0.0, ..Planted::default() };
    let mut files = Vec::new();
    for times in [1, 8] {
        let corpus = Planted { documents: times * documents, ..corpus.clone() };
        let name = format!("times-{times}.jsonl");
        files.push(scratch.write_documents(&name, corpus.iter()).map_err(|error| error.to_string())?);
    }
    let least = format!("{}MiB", pipeline::LEAST_MEMORY >> 20);
    for (what, more) in [("in memory", Vec::new()), ("least memory", vec!["--memory", &least])] {
        let mut seconds = Vec::new();
        for file in &files {
            let megabytes = std::fs::metadata(file).map_err(|error| error.to_string())?.len() as f64 / 1e6;
            let target = scratch.path("clean");
            let usage = child::least_of(3, || {
                let target = scratch.fresh("clean").map_err(|error| error.to_string())?;
                Ok(program.dedup(file, &target, 1, &more))
            })?;
            println!("{}", dedup::line(what, usage, megabytes));
            let report = dedup::report(&target)?;
            println!(
                "{:34} {} of {} kept, spilled: {}",
                "", report["counts"]["kept"], report["counts"]["documents"], report["run"]["spilled"]
            );
            seconds.push(usage.cpu_seconds);
        }
        let ratio = seconds[1] / seconds[0];
        println!("{:34} {ratio:5.2} x the CPU for 8 x the documents {}\n", "", verdict(ratio, 9.0));
    }
    Ok(())
}
