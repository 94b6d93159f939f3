//! The same story on many sites: pages in frames, with and without their sites; articles without frames; and what it costs.
//!
//! A wrong answer fails: the F1 of the pairs of one story, and planted pairs that are missed.
#![allow(clippy::print_stdout, reason = "a benchmark prints its result")]

use benchmarks::dedup::Program;
use benchmarks::scratch::Scratch;
use benchmarks::{child, data_folder, verdict, verdict_at_least};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use testkit::corpora::{Framed, FramedPage, write_jsonl};

const REPETITIONS: usize = 3;

fn main() -> Result<(), String> {
    let program = Program::build()?;
    let scratch = Scratch::new("frames").map_err(|error| error.to_string())?;
    let Some(data) = data_folder().filter(|folder| folder.join("minhash-articles").is_dir()) else {
        println!("skipped: minhash-articles is not in the folder LOOKALIKE_DATA");
        return Ok(());
    };
    framed_pages(&program, &scratch, &data)?;
    planted(&program, &scratch, &data)?;
    cost(&program, &scratch, &data)
}

/// Pages of 30 sites.
fn framed_pages(program: &Program, scratch: &Scratch, data: &Path) -> Result<(), String> {
    let pages = Framed::default().of(&articles(data)?, &headlines(data)?);
    let mut lines = Vec::new();
    write_jsonl(pages.iter().map(|page| page.document.clone()), &mut lines)
        .map_err(|error| error.to_string())?;
    let file = scratch.write("pages.jsonl", &lines).map_err(|error| error.to_string())?;
    let truth = true_pairs(&pages);
    println!("pages in frames: {} pages of 30 sites, {} pairs of one story", pages.len(), truth.len());
    for (what, more, least) in [
        ("words:5 at 0.135", vec!["--shingles", "words:5", "--threshold", "0.135", "--hashes", "512"], 0.0),
        ("--preset news", vec!["--preset", "news"], 0.95),
        ("--preset news --site-field", vec!["--preset", "news", "--site-field", "domain"], 0.96),
    ] {
        let (found, recall) = pairs(program, &file, &more)?;
        let correct = found.intersection(&truth).count() as f64;
        let (precision, share) = (correct / found.len().max(1) as f64, correct / truth.len().max(1) as f64);
        let f1 = 2.0 * correct / (found.len() + truth.len()) as f64;
        println!(
            "{what:34} F1 {f1:.4} (precision {precision:.4}, recall {share:.4}) {}",
            if least > 0.0 { verdict_at_least(f1, least) } else { String::new() }
        );
        if least > 0.0 {
            let exact = exact_pairs(program, &file, &more)?;
            let true_recall = found.intersection(&exact).count() as f64 / exact.len().max(1) as f64;
            let (estimate, error) = recall;
            let apart = (estimate - true_recall).abs() / error.max(1e-9);
            println!(
                "{:34} recall of the pairs at the threshold {true_recall:.4}, estimated {estimate:.4}, {apart:.1} standard errors apart",
                ""
            );
            if apart > 3.0 {
                return Err("the estimated recall is more than 3 standard errors off".into());
            }
            if f1 < least {
                return Err(format!("F1 {f1} is below {least}"));
            }
        }
    }
    Ok(())
}

/// Articles without a frame.
fn planted(program: &Program, scratch: &Scratch, data: &Path) -> Result<(), String> {
    println!("\nno frames: planted pairs");
    let sample = decompressed(&data.join("elife-sample/docs.jsonl.zst"), scratch)?;
    for (name, file, truth, least) in [
        (
            "minhash-articles",
            data.join("minhash-articles/articles_2500.jsonl"),
            "minhash-articles/truth_2500.tsv",
            0.0,
        ),
        ("elife-sample", sample, "elife-sample/truth.tsv", 0.8),
    ] {
        let truth = listed(&data.join(truth), least)?;
        for (what, more) in [
            ("words:5", vec!["--shingles", "words:5", "--threshold", "0.135", "--hashes", "512"]),
            ("--preset news", vec!["--preset", "news"]),
        ] {
            let (found, _) = pairs(program, &file, &more)?;
            let missed = truth.difference(&found).count();
            println!(
                "{name:18} {what:16} {} of {} found, {} pairs in all",
                truth.len() - missed,
                truth.len(),
                found.len()
            );
            if missed > 0 {
                return Err(format!("{name}, {what}: {missed} planted pairs are missed"));
            }
        }
    }
    Ok(())
}

/// What counting costs.
fn cost(program: &Program, scratch: &Scratch, data: &Path) -> Result<(), String> {
    let file = data.join("elife-bench/docs.jsonl.zst");
    if !file.is_file() {
        println!("skipped: elife-bench is not in the folder LOOKALIKE_DATA");
        return Ok(());
    }
    println!("\nelife-bench, t = 0.8, one thread");
    let run = |more: &[&str]| {
        child::least_of(REPETITIONS, || {
            let target = scratch.fresh("clean").map_err(|error| error.to_string())?;
            Ok(program.dedup(&file, &target, 1, more))
        })
    };
    let plain = run(&[])?;
    let common = run(&["--common", "50"])?;
    println!("dedup                              {:8.3} s CPU", plain.cpu_seconds);
    println!("dedup --common 50                  {:8.3} s CPU", common.cpu_seconds);
    let ratio = common.cpu_seconds / plain.cpu_seconds;
    println!("{:34} {ratio:5.2} x {}", "", verdict(ratio, 1.6));
    Ok(())
}

type Pairs = BTreeSet<(String, String)>;

fn pair(a: &str, b: &str) -> (String, String) {
    let (a, b) = if a < b { (a, b) } else { (b, a) };
    (a.to_owned(), b.to_owned())
}

/// What a run finds, and its estimated recall with the standard error.
fn pairs(program: &Program, file: &Path, more: &[&str]) -> Result<(Pairs, (f64, f64)), String> {
    let mut command = program.command("pairs");
    let output = command
        .arg(file)
        .args(["--id-field", "id", "--json"])
        .args(more)
        .output()
        .map_err(|error| error.to_string())?;
    if !output.status.success() {
        return Err(String::from_utf8_lossy(&output.stderr).into_owned());
    }
    let mut found = Pairs::new();
    for line in String::from_utf8_lossy(&output.stdout).lines() {
        let row: serde_json::Value = serde_json::from_str(line).map_err(|error| error.to_string())?;
        let id = |side: &str| row[side].as_str().or(row[side]["id"].as_str()).unwrap_or_default().to_owned();
        found.insert(pair(&id("a"), &id("b")));
    }
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    let number = |after: &str| -> Option<f64> {
        let rest = &said[said.find(after)? + after.len()..];
        rest.trim_start().trim_start_matches(['>', '<']).split([' ', '\n', ',']).next()?.parse().ok()
    };
    let recall = number("recall").zip(number("standard error")).unwrap_or((1.0, 0.0));
    Ok((found, recall))
}

/// All pairs at the threshold: found with so many bands that none is missed.
fn exact_pairs(program: &Program, file: &Path, more: &[&str]) -> Result<Pairs, String> {
    let mut more = more.to_vec();
    more.extend(["--bands", "512x1"]);
    Ok(pairs(program, file, &more)?.0)
}

fn true_pairs(pages: &[FramedPage]) -> Pairs {
    let mut of_story: BTreeMap<usize, Vec<&str>> = BTreeMap::new();
    for page in pages {
        of_story.entry(page.story).or_default().push(&page.document.id);
    }
    let mut pairs = Pairs::new();
    for ids in of_story.values() {
        for (at, a) in ids.iter().enumerate() {
            pairs.extend(ids[..at].iter().map(|b| pair(a, b)));
        }
    }
    pairs
}

fn field(file: &Path, of: impl Fn(&serde_json::Value) -> Option<String>) -> Result<Vec<String>, String> {
    let text = std::fs::read_to_string(file).map_err(|error| format!("{}: {error}", file.display()))?;
    Ok(text.lines().filter_map(|line| of(&serde_json::from_str(line).ok()?)).collect())
}

/// Articles, without those that are copies of others.
fn articles(data: &Path) -> Result<Vec<String>, String> {
    let folder = data.join("minhash-articles");
    let copies: BTreeSet<String> =
        listed(&folder.join("truth_2500.tsv"), 0.0)?.into_iter().map(|(_, b)| b).collect();
    field(&folder.join("articles_2500.jsonl"), |row| {
        (!copies.contains(row["id"].as_str()?)).then(|| row["text"].as_str().map(str::to_owned))?
    })
}

fn headlines(data: &Path) -> Result<Vec<String>, String> {
    field(&data.join("dblp-acm/records.jsonl"), |row| row["fields"]["title"].as_str().map(str::to_owned))
}

/// The pairs of a list, of at least this similarity if it has similarities.
fn listed(file: &Path, least: f64) -> Result<Pairs, String> {
    let text = std::fs::read_to_string(file).map_err(|error| format!("{}: {error}", file.display()))?;
    let rows = text.lines().map(|line| line.split('\t').collect::<Vec<_>>());
    let is_pair = |row: &Vec<&str>| {
        let similarity = row.get(2).and_then(|written| written.parse::<f64>().ok());
        row.len() >= 2 && row[0] != "id_a" && similarity.unwrap_or(1.0) >= least
    };
    Ok(rows.filter(is_pair).map(|row| pair(row[0], row[1])).collect())
}

fn decompressed(file: &Path, scratch: &Scratch) -> Result<PathBuf, String> {
    let bytes = std::fs::File::open(file)
        .and_then(zstd::decode_all)
        .map_err(|error| format!("{}: {error}", file.display()))?;
    scratch.write("sample.jsonl", &bytes).map_err(|error| error.to_string())
}
