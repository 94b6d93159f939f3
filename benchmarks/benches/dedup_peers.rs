//! Other programs that do the same work, in the same run: 5-grams of words, about 128 hashes, t = 0.8.
//!
//! For each program it reports the CPU seconds (user and system, including child processes), the peak memory, and the
//! quality of its pairs against the exact similarities. A margin of 0.01 allows for other definitions of a word. A
//! program that cannot be installed is named and skipped.
#![allow(clippy::print_stdout, reason = "a benchmark prints its result")]

use benchmarks::dedup::{self, Program};
use benchmarks::peers::PEERS;
use benchmarks::quality::{Quality, quality};
use benchmarks::scratch::Scratch;
use benchmarks::{child, is_quick, prose, verdict_at_least};
use testkit::oracle::{Shingles, jaccard_pairs};

fn main() -> Result<(), String> {
    let scratch = Scratch::new("peers").map_err(|error| error.to_string())?;
    let (name, mut lines) = prose();
    if is_quick() {
        let end = memchr::memchr_iter(b'\n', &lines).nth(199).map_or(lines.len(), |end| end + 1);
        lines.truncate(end);
    }
    let file = scratch.write("prose.jsonl", &lines).map_err(|error| error.to_string())?;
    let texts = dedup::texts(&file)?;
    let megabytes = texts.iter().map(String::len).sum::<usize>() as f64 / 1e6;
    println!("peers, one thread\n{name}: {} documents, {megabytes:.1} MB of text\n", texts.len());
    let exact = jaccard_pairs(&texts, Shingles::Words(5), 0.3).map_err(|error| error.to_string())?;
    let row = |name: &str, usage: child::Usage, quality: Quality| {
        println!("{}", dedup::line(name, usage, megabytes));
        println!(
            "{:34} recall {:.4}, precision {:.4} ({} pairs)",
            "", quality.recall, quality.precision, quality.found
        );
    };
    let mut fastest = (0.0, "");
    for peer in &PEERS {
        match peer.install().and_then(|version| Ok((version, peer.run(&file, &scratch.path("pairs.tsv"))?))) {
            Ok((version, (usage, found))) => {
                row(&format!("{} {version}", peer.name), usage, quality(&found, &exact, 0.8, 0.01));
                let speed = megabytes / usage.cpu_seconds;
                if speed > fastest.0 {
                    fastest = (speed, peer.name);
                }
            }
            Err(reason) => println!("{}: skipped: {reason}", peer.name),
        }
    }
    let program = Program::build()?;
    let usage = child::least_of(3, || {
        let target = scratch.fresh("clean").map_err(|error| error.to_string())?;
        Ok(program.dedup(&file, &target, 1, &[]))
    })?;
    let found = dedup::pairs(&file, 0.8)?.found;
    row("lookalike", usage, quality(&found, &exact, 0.8, 0.0));
    let (speed, name) = fastest;
    if speed > 0.0 {
        let times = megabytes / usage.cpu_seconds / speed;
        println!("{:34} {times:.1} x {name} {}", "", verdict_at_least(times, 10.0));
    }
    Ok(())
}
