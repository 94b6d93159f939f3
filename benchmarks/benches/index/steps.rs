//! The step "query, add if new" from text, and questions alone, against other programs on the same documents.
//!
//! For each program: CPU or wall time per step, and its answers against the exact similarities. An answer is wrong if the
//! named document is less similar than the threshold, and missed if the document is called new although one that the
//! program had added before is similar enough. A margin of 0.01 allows for other definitions of a word. A program that
//! cannot be had is named and left out.

use crate::{Bench, Result};
use benchmarks::peers::{Peer, STEP_PEERS};
use benchmarks::redis::Redis;
use benchmarks::{cpu_seconds, sized, verdict_at_least};
use index::{Config, Document, Index, OnMatch, Options, Query};
use std::collections::HashMap;
use std::time::Instant;
use testkit::corpora::Prose;
use testkit::oracle::{Shingles, jaccard_pairs};

/// What a program measured of itself, in microseconds.
#[derive(Debug, Clone, Copy)]
struct Cost {
    /// CPU time of a step.
    step: f64,
    /// The time that a step takes.
    step_wall: f64,
    /// CPU time of a question alone.
    query: f64,
}

/// The document that each one duplicates; `None` if it is new and was added.
type Answers = Vec<Option<usize>>;

pub(crate) fn run(bench: &Bench) -> Result<()> {
    let texts = &bench.texts[..sized(20_000).min(bench.texts.len())];
    let pairs = jaccard_pairs(texts, Shingles::Words(5), 0.5).map_err(|error| error.to_string())?;
    let exact: HashMap<(usize, usize), f64> =
        pairs.iter().map(|pair| ((pair.a.min(pair.b), pair.a.max(pair.b)), pair.jaccard())).collect();
    println!("the step \"query, add if new\" from text: {} documents, one thread", texts.len());

    let prose = Prose::new(17);
    let questions: Vec<String> = (0..texts.len() / 4)
        .map(|number| match number % 10 {
            0 => texts[number].clone(),
            _ => prose.text(number as u64, 400),
        })
        .collect();
    let (own, answers) = batches(bench, texts, &questions)?;
    let wrong = quality(&answers, &exact);
    row("lookalike index, durable, by 256", own, &wrong);
    if let Some(far) = wrong.far {
        return Err(far);
    }
    let (steps, questions_file) = files(bench, texts, &questions)?;
    for peer in &STEP_PEERS {
        let ran =
            peer.install().and_then(|version| Ok((version, measure(peer, &steps, &questions_file, None)?)));
        match ran {
            Ok((version, (cost, answers))) => {
                row(&format!("{} {version}, in memory", peer.name), cost, &quality(&answers, &exact));
                let (least_step, least_query) =
                    if peer.name == "datasketch" { (3.0, 20.0) } else { (0.0, 1.0) };
                let (step, query) = (cost.step / own.step, cost.query / own.query);
                if least_step > 0.0 {
                    println!(
                        "{:34} {step:8.2} x the CPU per step {}",
                        "",
                        verdict_at_least(step, least_step)
                    );
                }
                println!(
                    "{:34} {query:8.2} x the CPU per question {}",
                    "",
                    verdict_at_least(query, least_query)
                );
            }
            Err(reason) => println!("{}: left out: {reason}", peer.name),
        }
    }
    one_by_one(bench, texts)
}

/// Each step synced, against datasketch on Redis.
fn one_by_one(bench: &Bench, texts: &[String]) -> Result<()> {
    let texts = &texts[..sized(2_000).clamp(300, texts.len())];
    let index = create(bench, "singles")?;
    let start = Instant::now();
    for (number, text) in texts.iter().enumerate() {
        let document = Document::new(number.to_string(), text);
        index.check(&document, true, OnMatch::Skip).map_err(|error| error.to_string())?;
    }
    let own = start.elapsed().as_secs_f64() * 1e6 / texts.len() as f64;
    println!("{:34} {own:8.0} us of wall time per step", "one by one and synced");
    let (steps, questions) = files(bench, texts, &[])?;
    let peer = Peer { name: "datasketch", packages: &["datasketch", "redis"] };
    let redis = Redis::start(&bench.scratch.path("redis"));
    let ran = redis.and_then(|redis| {
        let version = peer.install_as("datasketch_redis")?;
        Ok((version, measure(&peer, &steps, &questions, Some(redis.port()))?))
    });
    match ran {
        Ok((version, (cost, _))) => {
            let times = cost.step_wall / own;
            println!(
                "{:34} {:8.0} us of wall time per step",
                format!("datasketch {version} on Redis"),
                cost.step_wall
            );
            println!("{:34} {times:8.1} x {}", "", verdict_at_least(times, 15.0));
        }
        Err(reason) => println!("datasketch on Redis: left out: {reason}"),
    }
    Ok(())
}

/// The steps in durable batches of 256, and then the questions.
fn batches(bench: &Bench, texts: &[String], questions: &[String]) -> Result<(Cost, Answers)> {
    let index = create(bench, "steps")?;
    let documents: Vec<Document> =
        texts.iter().enumerate().map(|(number, text)| Document::new(number.to_string(), text)).collect();
    let mut answers = Vec::new();
    let (cpu, start) = (cpu_seconds(), Instant::now());
    for batch in documents.chunks(256) {
        for checked in index.check_batch(batch, true, OnMatch::Skip).map_err(|error| error.to_string())? {
            let checked = checked.map_err(|error| error.to_string())?;
            answers.push(checked.matched.and_then(|found| found.id.parse().ok()));
        }
    }
    let count = documents.len() as f64 / 1e6;
    let (step, step_wall) = ((cpu_seconds() - cpu) / count, start.elapsed().as_secs_f64() / count);
    let asked: Vec<Query> = questions.iter().map(Query::text).collect();
    let cpu = cpu_seconds();
    for query in &asked {
        index.query(query).map_err(|error| error.to_string())?;
    }
    let query = (cpu_seconds() - cpu) / asked.len() as f64 * 1e6;
    Ok((Cost { step, step_wall, query }, answers))
}

fn create(bench: &Bench, name: &str) -> Result<Index> {
    let folder = bench.scratch.fresh(name).map_err(|error| error.to_string())?;
    Index::create(folder, &Config::default(), &Options::default()).map_err(|error| error.to_string())
}

/// The documents and the questions, as JSON Lines for other programs.
fn files(
    bench: &Bench,
    texts: &[String],
    questions: &[String],
) -> Result<(std::path::PathBuf, std::path::PathBuf)> {
    let write = |name: &str, texts: &[String]| {
        let line = |text: &String| serde_json::json!({ "text": text }).to_string() + "\n";
        let lines: String = texts.iter().map(line).collect();
        bench.scratch.write(name, lines.as_bytes()).map_err(|error| error.to_string())
    };
    Ok((write("steps.jsonl", texts)?, write("questions.jsonl", questions)?))
}

/// Runs another program: it writes three numbers, and then the answer to each document or -1.
fn measure(
    peer: &Peer,
    steps: &std::path::Path,
    questions: &std::path::Path,
    redis: Option<u16>,
) -> Result<(Cost, Answers)> {
    let out = steps.with_extension("answers");
    let port = redis.map(|port| port.to_string());
    let mut arguments = vec![steps.as_os_str(), questions.as_os_str(), out.as_os_str()];
    arguments.extend(port.as_ref().map(std::ffi::OsStr::new));
    let environment = if redis.is_some() { "datasketch_redis" } else { peer.name };
    peer.run_script(environment, &format!("steps_{}", peer.name), &arguments)?;
    let text = std::fs::read_to_string(&out).map_err(|cause| format!("{}: {cause}", out.display()))?;
    let mut numbers =
        text.split_whitespace().map(|word| word.parse::<f64>().map_err(|_| format!("not a number: {word}")));
    let mut next = || numbers.next().unwrap_or_else(|| Err("an answer is missing".into()));
    let cost = Cost { step: next()?, step_wall: next()?, query: next()? };
    let answers =
        numbers.map(|number| Ok(number.ok().filter(|&number| number >= 0.0).map(|number| number as usize)));
    Ok((cost, answers.collect::<Result<_>>()?))
}

/// How many answers are wrong.
struct Wrong {
    named: usize,
    missed: usize,
    duplicates: usize,
    /// An answer that no estimate explains.
    far: Option<String>,
}

fn quality(answers: &Answers, exact: &HashMap<(usize, usize), f64>) -> Wrong {
    let similarity = |a: usize, b: usize| exact.get(&(a.min(b), a.max(b))).copied().unwrap_or(0.0);
    let mut wrong = Wrong { named: 0, missed: 0, duplicates: 0, far: None };
    for (document, answer) in answers.iter().enumerate() {
        if let &Some(named) = answer {
            let similarity = similarity(document, named);
            wrong.named += usize::from(similarity < 0.79);
            if similarity < 0.6 {
                wrong.far = Some(format!("{document} is said to duplicate {named}, at {similarity}"));
            }
        }
    }
    let mut best = vec![0.0f64; answers.len()];
    let mut pairs: Vec<_> = exact.iter().map(|(&pair, &similarity)| (pair, similarity)).collect();
    pairs.sort_unstable_by_key(|&(pair, _)| pair);
    for ((earlier, later), similarity) in pairs {
        if later < answers.len() && answers[earlier].is_none() {
            best[later] = best[later].max(similarity);
        }
    }
    for (document, best) in best.into_iter().enumerate().filter(|&(_, best)| best >= 0.81) {
        wrong.duplicates += 1;
        if answers[document].is_none() {
            wrong.missed += 1;
            if best >= 0.97 {
                wrong.far = Some(format!("{document} is said to be new, at a similarity of {best}"));
            }
        }
    }
    wrong
}

fn row(name: &str, cost: Cost, wrong: &Wrong) {
    println!("{name:34} {:8.1} us of CPU per step, {:.1} per question alone", cost.step, cost.query);
    println!(
        "{:34} {} wrong answers, {} of {} duplicates missed",
        "", wrong.named, wrong.missed, wrong.duplicates
    );
}
