//! Other programs that do the same work, in the same run: 5-grams of words, about 128 hashes, t = 0.8.
//!
//! The corpora are long prose, pieces of it of 400 and of 1,200 bytes (the size of products or questions, and of titles with
//! abstracts), and pages of templates. For each program it reports the CPU seconds (user and system, including child
//! processes), the peak memory, and the quality of its pairs against the exact similarities. A margin of 0.01 allows for other
//! definitions of a word. A program that cannot be installed is named and skipped.
//!
//! `--only=prose,pieces,abstracts,pages` selects corpora.
#![allow(clippy::print_stdout, reason = "a benchmark prints its result")]

use benchmarks::dedup::{self, Program};
use benchmarks::peers::{PEERS, Peer};
use benchmarks::quality::{Quality, quality};
use benchmarks::scratch::Scratch;
use benchmarks::{child, parse_only, prose, sized, verdict_at_least};
use lookalike::hashing::SplitMix64;
use testkit::corpora::{Document, Pages};
use testkit::oracle::{Shingles, jaccard_pairs};

/// The peers that are fast enough for corpora other than prose: the first ones of the list.
const FAST_PEERS: usize = 3;

/// A corpus, and how many times as fast as the fastest peer lookalike shall be.
struct Corpus {
    name: &'static str,
    wanted: f64,
    peers: &'static [Peer],
    texts: fn(&[String]) -> Vec<String>,
}

const CORPORA: [Corpus; 4] = [
    Corpus { name: "prose", wanted: 20.0, peers: &PEERS, texts: whole_prose },
    Corpus {
        name: "pieces",
        wanted: 10.0,
        peers: PEERS.split_at(FAST_PEERS).0,
        texts: |prose| pieces(prose, 400, 128_000),
    },
    Corpus {
        name: "abstracts",
        wanted: 10.0,
        peers: PEERS.split_at(FAST_PEERS).0,
        texts: |prose| pieces(prose, 1_200, 48_000),
    },
    Corpus { name: "pages", wanted: 10.0, peers: PEERS.split_at(FAST_PEERS).0, texts: pages },
];

fn main() -> Result<(), String> {
    let only: Option<String> =
        std::env::args().find_map(|argument| argument.strip_prefix("--only=").map(str::to_owned));
    let is_wanted =
        |name: &str| only.as_ref().is_none_or(|only| only.split(',').any(|wanted| wanted == name));
    let program = Program::build()?;
    let (source, lines) = prose();
    let mut long = Vec::new();
    parse_only(&lines, |text| long.push(text.to_owned()));
    println!("peers, one thread; prose and pieces of it are from {source}");
    for corpus in CORPORA.iter().filter(|corpus| is_wanted(corpus.name)) {
        compare(corpus, &(corpus.texts)(&long), &program)?;
    }
    Ok(())
}

/// Runs all programs on the texts, and prints a line for each.
fn compare(corpus: &Corpus, texts: &[String], program: &Program) -> Result<(), String> {
    let scratch = Scratch::new("peers").map_err(|error| error.to_string())?;
    let documents =
        texts.iter().enumerate().map(|(number, text)| Document::new(format!("{number}"), text.clone()));
    let file = scratch.write_documents("documents.jsonl", documents).map_err(|error| error.to_string())?;
    let megabytes = texts.iter().map(String::len).sum::<usize>() as f64 / 1e6;
    println!("\n{}: {} documents, {megabytes:.1} MB of text\n", corpus.name, texts.len());
    let exact = jaccard_pairs(texts, Shingles::Words(5), 0.78).map_err(|error| error.to_string())?;
    let row = |name: &str, usage: child::Usage, quality: Quality| {
        println!("{}", dedup::line(name, usage, megabytes));
        println!(
            "{:34} recall {:.4}, precision {:.4} ({} pairs)",
            "", quality.recall, quality.precision, quality.found
        );
    };
    let mut fastest = (0.0, "");
    for peer in corpus.peers {
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
    let usage = child::least_of(3, || {
        let target = scratch.fresh("clean").map_err(|error| error.to_string())?;
        Ok(program.dedup(&file, &target, 1, &[]))
    })?;
    let own = quality(&dedup::pairs(&file, 0.8)?.found, &exact, 0.8, 0.0);
    row("lookalike", usage, own);
    assert!((own.precision - 1.0).abs() < f64::EPSILON, "a pair below the threshold was reported");
    let (speed, name) = fastest;
    if speed > 0.0 {
        let times = megabytes / usage.cpu_seconds / speed;
        println!("{:34} {times:.1} x {name} {}", "", verdict_at_least(times, corpus.wanted));
    }
    Ok(())
}

fn whole_prose(long: &[String]) -> Vec<String> {
    long[..long.len().min(sized(long.len()).max(200))].to_vec()
}

/// Pieces of so many bytes. Each tenth is an earlier one in which up to three words are replaced, so that similarities are on
/// both sides of the threshold.
fn pieces(long: &[String], bytes: usize, count: usize) -> Vec<String> {
    let cut = long.iter().flat_map(|text| {
        let mut rest = text.as_str();
        std::iter::from_fn(move || {
            let (piece, after) = rest.split_at(rest.floor_char_boundary(bytes));
            rest = after;
            (piece.len() > bytes / 2).then(|| piece.to_owned())
        })
    });
    let mut texts: Vec<String> = cut.take(sized(count)).collect();
    let mut random = SplitMix64::new(1);
    for copy in (10..texts.len()).step_by(10) {
        let mut words: Vec<&str> = texts[random.below(copy as u64) as usize].split(' ').collect();
        // As many replaced words for each 400 bytes, so that similarities are those of the short pieces.
        for _ in 0..random.below(4) * (bytes / 400) as u64 {
            let at = random.below(words.len() as u64) as usize;
            words[at] = "replaced";
        }
        texts[copy] = words.join(" ");
    }
    texts
}

fn pages(_: &[String]) -> Vec<String> {
    let pages = Pages { pages: sized(5_000), ..Pages::default() };
    pages.iter().map(|page| page.text).collect()
}
