//! Two million documents, a gigabyte of text, with a limit of 256 MiB: peak memory, disk space, and a check that the
//! answer is the same as without the limit.
#![allow(clippy::print_stdout, reason = "a benchmark prints its result")]

use benchmarks::dedup::{self, Program};
use benchmarks::scratch::{Scratch, same_bytes};
use benchmarks::{child, sized, verdict};
use testkit::corpora::Planted;

fn main() -> Result<(), String> {
    let program = Program::build()?;
    let scratch = Scratch::new("memory").map_err(|error| error.to_string())?;
    let documents = sized(2_000_000);
    let corpus = Planted { documents, bytes: (300, 800), ..Planted::default() };
    let file =
        scratch.write_documents("documents.jsonl", corpus.iter()).map_err(|error| error.to_string())?;
    let bytes = std::fs::metadata(&file).map_err(|error| error.to_string())?.len();
    println!("memory: {documents} documents, {:.0} MB, 2 threads\n", bytes as f64 / 1e6);
    let temporary = scratch.path("temporary");
    std::fs::create_dir_all(&temporary).map_err(|error| error.to_string())?;
    let folder = temporary.to_string_lossy().into_owned();
    let mut targets = Vec::new();
    for (what, name, more) in [
        ("without a limit", "unlimited", vec!["--temp-dir", &folder]),
        ("--memory 256MiB", "limited", vec!["--temp-dir", &folder, "--memory", "256MiB"]),
    ] {
        let target = scratch.fresh(name).map_err(|error| error.to_string())?;
        let usage = child::run(&mut program.dedup(&file, &target, 2, &more), Some(&temporary))?;
        println!("{}", dedup::line(what, usage, bytes as f64 / 1e6));
        let report = dedup::report(&target)?;
        println!(
            "{:34} {:.0} bytes per document in memory, {:.0} on disk at most; spilled: {}; planned on disk: {}",
            "",
            usage.peak_bytes as f64 / documents as f64,
            usage.disk_bytes as f64 / documents as f64,
            report["run"]["spilled"],
            report["plan"]["disk_bytes_per_document"]
        );
        if name == "limited" {
            let peak = usage.peak_bytes as f64 / f64::from(1 << 20);
            println!("{:34} {peak:5.0} MiB at most {}", "", verdict(peak, 320.0));
        }
        targets.push(target);
    }
    let same = |a: &std::path::Path, b: &std::path::Path| same_bytes(a, b).map_err(|error| error.to_string());
    let kept = same(&dedup::kept_file(&targets[0], &file), &dedup::kept_file(&targets[1], &file))?;
    let removed = same(&targets[0].join("removed.jsonl"), &targets[1].join("removed.jsonl"))?;
    assert!(kept && removed, "another memory limit, another answer");
    println!("the same bytes with and without the limit");
    Ok(())
}
