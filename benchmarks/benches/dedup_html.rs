//! The whole dedup of HTML pages with much boilerplate, as a ratio to parsing the JSON alone. It also checks the
//! run's own estimate of its recall on documents that are not independent of each other.
#![allow(clippy::print_stdout, reason = "a benchmark prints its result")]

use benchmarks::dedup::{self, Program};
use benchmarks::scratch::Scratch;
use benchmarks::{child, quality, sized, verdict, verdict_at_least};
use testkit::corpora::Pages;
use testkit::oracle::{Shingles, jaccard_pairs};

fn main() -> Result<(), String> {
    let program = Program::build()?;
    let scratch = Scratch::new("html").map_err(|error| error.to_string())?;
    let pages = Pages { pages: sized(20_000), ..Pages::default() };
    let file = scratch.write_documents("pages.jsonl", pages.iter()).map_err(|error| error.to_string())?;
    let texts = dedup::texts(&file)?;
    let megabytes = texts.iter().map(String::len).sum::<usize>() as f64 / 1e6;
    println!("dedup of HTML pages from {} templates, words:5, t = 0.8, 1 thread", pages.templates);
    println!("{} pages, {megabytes:.1} MB of text\n", texts.len());

    let (parse, parse_and_read) = dedup::parse_seconds(&file, 5)?;
    println!("{:34} {parse:8.3} s CPU ({parse_and_read:.3} with read())", "parse only");
    let target = scratch.path("clean");
    let usage = child::least_of(3, || {
        let target = scratch.fresh("clean").map_err(|error| error.to_string())?;
        Ok(program.dedup(&file, &target, 1, &[]))
    })?;
    println!("{}", dedup::line("dedup", usage, megabytes));
    let ratio = usage.cpu_seconds / parse;
    println!("{:34} {ratio:5.2} x parse-only {}", "", verdict(ratio, 8.0));
    let removals = dedup::removals(&target)?;
    quality::check_removals(&texts, &removals, 0.8)?;
    let report = dedup::report(&target)?;
    println!("{:34} {} removed, each verified again; pairs {}", "", removals.len(), report["pairs"]);
    println!("{:34} capped: {}", "", report["capped"]);

    let few = Pages { pages: 2_000, ..pages };
    let file = scratch.write_documents("few.jsonl", few.iter()).map_err(|error| error.to_string())?;
    let exact =
        jaccard_pairs(&dedup::texts(&file)?, Shingles::Words(5), 0.8).map_err(|error| error.to_string())?;
    let pairs = dedup::pairs(&file, 0.8)?;
    let quality = quality::quality(&pairs.found, &exact, 0.8, 0.0);
    println!("\npairs of {} pages against the exact similarities of all pairs", few.pages);
    println!(
        "{} true pairs, recall {:.4} {}, precision {:.4}",
        quality.truth,
        quality.recall,
        verdict_at_least(quality.recall, 0.99),
        quality.precision
    );
    assert!((quality.precision - 1.0).abs() < f64::EPSILON, "a pair below the threshold was reported");
    println!("{}", pairs.estimate_against(quality.recall));
    Ok(())
}
