//! The whole dedup of long prose, verified and written out, as a ratio to parsing the JSON alone.
//!
//! Quality is reported beside speed: every removal is verified again from the texts. The pairs at 0.8 and 0.5 are
//! compared with the exact similarities of all pairs, and the run's own estimate of its recall with the true recall.
#![allow(clippy::print_stdout, reason = "a benchmark prints its result")]

use benchmarks::dedup::{self, Program};
use benchmarks::scratch::Scratch;
use benchmarks::{child, prose, quality, verdict, verdict_at_least};
use testkit::oracle::{Shingles, jaccard_pairs};

const REPETITIONS: usize = 5;

fn main() -> Result<(), String> {
    let program = Program::build()?;
    let scratch = Scratch::new("prose").map_err(|error| error.to_string())?;
    let (name, lines) = prose();
    let file = scratch.write("prose.jsonl", &lines).map_err(|error| error.to_string())?;
    drop(lines);
    let texts = dedup::texts(&file)?;
    let megabytes = texts.iter().map(String::len).sum::<usize>() as f64 / 1e6;
    println!("dedup of prose, words:5, t = 0.8");
    println!("{name}: {} documents, {megabytes:.1} MB of text\n", texts.len());

    let (parse, parse_and_read) = dedup::parse_seconds(&file, REPETITIONS)?;
    println!(
        "{:34} {parse:8.3} s CPU {:7.0} MB per CPU second",
        "parse only, from memory",
        megabytes / parse
    );
    println!(
        "{:34} {parse_and_read:8.3} s CPU {:7.0} MB per CPU second",
        "parse only, with read()",
        megabytes / parse_and_read
    );
    let target = scratch.path("clean");
    let run = |threads: usize| {
        child::least_of(REPETITIONS, || {
            let target = scratch.fresh("clean").map_err(|error| error.to_string())?;
            Ok(program.dedup(&file, &target, threads, &[]))
        })
    };
    let one = run(1)?;
    println!("{}", dedup::line("dedup, 1 thread", one, megabytes));
    println!(
        "{:34} {:5.2} x parse-only {}",
        "",
        one.cpu_seconds / parse,
        verdict(one.cpu_seconds / parse, 6.0)
    );
    println!("{:34} {:5.2} x parse-only with read()", "", one.cpu_seconds / parse_and_read);
    let removals = dedup::removals(&target)?;
    quality::check_removals(&texts, &removals, 0.8)?;
    let report = dedup::report(&target)?;
    println!("{:34} {} removed, each verified again; stages:", "", removals.len());
    for stage in report["run"]["stages"].as_array().into_iter().flatten() {
        println!(
            "{:36} {:14} {:8.3} s CPU",
            "",
            stage["stage"].as_str().unwrap_or(""),
            stage["cpu_seconds"].as_f64().unwrap_or(0.0)
        );
    }
    let two = run(2)?;
    println!("{}", dedup::line("dedup, 2 threads", two, megabytes));
    let faster = one.wall_seconds / two.wall_seconds;
    println!("{:34} {faster:5.2} x as fast as 1 thread {}", "", verdict_at_least(faster, 1.7));
    assert_eq!(removals, dedup::removals(&target)?, "another number of threads, another answer");

    println!("\npairs against the exact similarities of all pairs");
    let exact = jaccard_pairs(&texts, Shingles::Words(5), 0.3).map_err(|error| error.to_string())?;
    for threshold in [0.8, 0.5] {
        let pairs = dedup::pairs(&file, threshold)?;
        let quality = quality::quality(&pairs.found, &exact, threshold, 0.0);
        println!(
            "t = {threshold}: {} true pairs, recall {:.4} {}, precision {:.4}",
            quality.truth,
            quality.recall,
            verdict_at_least(quality.recall, 0.99),
            quality.precision
        );
        assert!((quality.precision - 1.0).abs() < f64::EPSILON, "a pair below the threshold was reported");
        println!("         {}", pairs.estimate_against(quality.recall));
    }
    Ok(())
}
