//! The index that stays: what it costs to fill, to ask and to keep, against programs that do less, in the same run.
//!
//! Every part checks its answers, and fails if one is wrong; speeds are ratios. `--only=queries,size` runs some parts, after
//! the bulk load, which fills the index that all of them use: `queries`, `size`, `durable`, `steps`, `http`, `memory`. Each
//! says how long it took. `memory` is ten minutes of load.
#![allow(clippy::print_stdout, reason = "a benchmark prints its result")]

mod bulk;
mod durable;
mod http;
mod queries;
mod size;
mod steps;

use benchmarks::dedup::{self, Program};
use benchmarks::scratch::Scratch;
use benchmarks::sized;
use std::path::PathBuf;
use std::time::Instant;
use testkit::corpora::Planted;

/// What the parts share.
struct Bench {
    program: Program,
    scratch: Scratch,
    corpus: Planted,
    /// The corpus as JSON Lines.
    file: PathBuf,
    texts: Vec<String>,
    /// The folder of an index of the corpus, loaded in bulk; made by the first part.
    folder: PathBuf,
}

type Result<T> = std::result::Result<T, String>;

fn main() -> Result<()> {
    let corpus = Planted::short(sized(1_000_000), 1);
    let scratch = Scratch::new("index").map_err(|error| error.to_string())?;
    let file = scratch.write_documents("short.jsonl", corpus.iter()).map_err(|error| error.to_string())?;
    let texts = dedup::texts(&file)?;
    let folder = scratch.path("index");
    let bench = Bench { program: Program::build()?, scratch, corpus, file, texts, folder };
    println!("index: {} documents of 300 to 500 bytes, 128 hashes, 21 bands of 6 rows", bench.texts.len());
    println!("machine: {}\n", machine());
    let began = Instant::now();
    let bulk_cpu = bulk::run(&bench)?;
    took("bulk", began);
    let parts: [(&str, &dyn Fn() -> Result<()>); 6] = [
        ("queries", &|| queries::run(&bench)),
        ("size", &|| size::run(&bench)),
        ("durable", &|| durable::run(&bench, bulk_cpu)),
        ("steps", &|| steps::run(&bench)),
        ("http", &|| http::run(&bench)),
        ("memory", &|| http::memory(&bench)),
    ];
    let only = std::env::args().find_map(|argument| argument.strip_prefix("--only=").map(str::to_owned));
    let is_asked = |name: &str| only.as_ref().is_none_or(|only| only.split(',').any(|part| part == name));
    for (name, part) in parts {
        if is_asked(name) {
            println!();
            let began = Instant::now();
            part()?;
            took(name, began);
        }
    }
    Ok(())
}

fn took(part: &str, began: Instant) {
    println!("{:34} the part `{part}` took {:.0} s", "", began.elapsed().as_secs_f64());
}

/// The processors, and how busy they were before the benchmark began.
fn machine() -> String {
    let read = |file: &str| std::fs::read_to_string(file).unwrap_or_default();
    let processor = read("/proc/cpuinfo");
    let processor = processor.lines().find_map(|line| line.strip_prefix("model name"));
    let processor = processor.map_or("processor not known", |name| name.trim_start_matches([' ', '\t', ':']));
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let load = read("/proc/loadavg");
    let load = load.split(' ').next().unwrap_or("not known").to_owned();
    format!("{cores} cores, {processor}, load before the run {load}")
}
