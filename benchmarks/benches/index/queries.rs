//! Questions with the signature at hand, nine in ten about something that was never seen: against `LshIndex` in memory,
//! and while documents are added durably and right afterwards, against the quiet index.

use crate::{Bench, Result};
use benchmarks::times::Times;
use benchmarks::{sized, verdict};
use index::{Document, Index, Options, Query};
use lookalike::banding::Banding;
use lookalike::index::LshIndex;
use lookalike::minhash::{Family, FastSketch, MinHasher, Signature};
use lookalike::shingling::{ShingleBuffer, Shingler};
use pipeline::Settings;
use std::sync::atomic::{AtomicBool, Ordering};
use testkit::corpora::Prose;

/// A pair that the signatures in memory estimate at this or more must be found by the index too, whose lanes have fewer
/// bits.
const CERTAIN: f64 = 0.9;

/// What is asked: a signature, and the number of the document that has its text, if there is one.
struct Question {
    signature: Signature,
    lanes: Vec<u16>,
    document: Option<usize>,
}

pub(crate) fn run(bench: &Bench) -> Result<()> {
    let index = Index::open(&bench.folder, &Options::default()).map_err(|error| error.to_string())?;
    let sketcher = Sketcher::new()?;
    let mut in_memory = LshIndex::new(Banding::new(21, 6).map_err(|error| error.to_string())?);
    for (number, text) in bench.texts.iter().enumerate() {
        let signature = sketcher.signature(text)?;
        in_memory.insert(number as u64, &signature).map_err(|error| error.to_string())?;
    }
    let questions = questions(bench, &index, &sketcher)?;
    check(bench, &index, &in_memory, &questions)?;

    // The two are asked in turns, so that both see the same noise.
    let (mut own, mut other) = (Times::default(), Times::default());
    for _ in 0..3 {
        for some in questions.chunks(1_000) {
            for question in some {
                other
                    .time(|| in_memory.query(&question.signature, 0.8))
                    .map_err(|error| error.to_string())?;
            }
            ask(&index, some, &mut own)?;
        }
    }
    drop(in_memory);
    println!(
        "{:34} median {:7.2} us, 99 % {:7.2} us",
        "LshIndex::query in memory",
        other.median(),
        other.late()
    );
    println!("{:34} median {:7.2} us, 99 % {:7.2} us", "Index::query", own.median(), own.late());
    let ratio = own.median() / other.median();
    println!("{:34} {ratio:8.2} x the median in memory {}", "", verdict(ratio, 8.0));
    let late = own.late() / other.median();
    println!("{:34} 99 %: {late:.1} x the median in memory {}", "", verdict(late, 30.0));

    let (during, after) = while_adding(&index, &questions)?;
    for (what, times) in [("during durable adds", during), ("right after them", after)] {
        let (median, late) = (times.median() / own.median(), times.late() / own.late());
        println!("{what:34} median {:7.2} us, 99 % {:7.2} us", times.median(), times.late());
        println!("{:34} {median:8.2} x the quiet median {}", "", verdict(median, 4.0));
        println!("{:34} {late:8.2} x the quiet 99 % {}", "", verdict(late, 20.0));
    }
    Ok(())
}

/// Asks while one thread adds documents in durable batches, and right after the last one.
fn while_adding(index: &Index, questions: &[Question]) -> Result<(Times, Times)> {
    let prose = Prose::new(11);
    let count = sized(50_000) as u64;
    let is_done = AtomicBool::new(false);
    let add = || -> std::result::Result<(), index::Error> {
        for start in (0..count).step_by(256) {
            let new = (start..(start + 256).min(count))
                .map(|number| Document::new(format!("new-{number}"), prose.text(number, 400)));
            index.add_batch(&new.collect::<Vec<_>>())?;
        }
        Ok(())
    };
    let before = index.stats().map_err(|error| error.to_string())?.documents;
    let mut during = Times::default();
    std::thread::scope(|scope| -> Result<()> {
        let adding = scope.spawn(|| {
            let added = add();
            is_done.store(true, Ordering::Release);
            added
        });
        for some in questions.chunks(100).cycle() {
            if is_done.load(Ordering::Acquire) {
                break;
            }
            ask(index, some, &mut during)?;
        }
        adding.join().map_err(|_| "adding panicked")?.map_err(|error| error.to_string())
    })?;
    let mut after = Times::default();
    ask(index, questions, &mut after)?;
    let added = index.stats().map_err(|error| error.to_string())?.documents - before;
    if added != count {
        return Err(format!("{count} documents were added, and {added} are there"));
    }
    Ok((during, after))
}

fn ask(index: &Index, questions: &[Question], times: &mut Times) -> Result<()> {
    for question in questions {
        let query = Query::lanes(question.lanes.clone());
        times.time(|| index.query(&query)).map_err(|error| error.to_string())?;
    }
    Ok(())
}

/// Every document is found by its own signature, and so is whatever the signatures in memory are certain of.
fn check(bench: &Bench, index: &Index, in_memory: &LshIndex, questions: &[Question]) -> Result<()> {
    let documents: Vec<String> = bench.corpus.iter().map(|document| document.id).collect();
    let (mut found, mut unsure) = (0, 0);
    for question in questions {
        let answer = index.query(&Query::lanes(question.lanes.clone())).map_err(|error| error.to_string())?;
        let has = |number: usize| answer.matches.iter().any(|found| found.id == documents[number]);
        if let Some(own) = question.document.filter(|&own| !has(own)) {
            return Err(format!("{} is not found by its own signature", documents[own]));
        }
        let others = in_memory.query(&question.signature, 0.8).map_err(|error| error.to_string())?;
        for other in &others {
            match has(other.id as usize) {
                true => found += 1,
                false if other.similarity >= CERTAIN => {
                    let (id, similarity) = (&documents[other.id as usize], other.similarity);
                    return Err(format!("{id}, at an estimated similarity of {similarity}, is not found"));
                }
                false => unsure += 1,
            }
        }
    }
    println!("{:34} {found} of the matches in memory are found, {unsure} below {CERTAIN} are not", "");
    Ok(())
}

/// Nine in ten are about texts that were never seen.
fn questions(bench: &Bench, index: &Index, sketcher: &Sketcher) -> Result<Vec<Question>> {
    let prose = Prose::new(7);
    (0..sized(20_000).max(5_000))
        .map(|number| {
            let document = (number % 10 == 0).then(|| number * 7_919 % bench.texts.len());
            let signature = match document {
                Some(document) => sketcher.signature(&bench.texts[document])?,
                None => sketcher.signature(&prose.text(number as u64, 400))?,
            };
            let lanes = index.lanes_of(&signature).map_err(|error| error.to_string())?;
            Ok(Question { signature, lanes, document })
        })
        .collect()
}

/// Texts -> signatures of whole slots, with the settings of the index.
struct Sketcher {
    shingler: Shingler,
    hasher: FastSketch,
    seed: u64,
}

impl Sketcher {
    fn new() -> Result<Self> {
        let settings = Settings::default().signature;
        let hasher = FastSketch::new(settings.hashes, settings.seed).map_err(|error| error.to_string())?;
        Ok(Self { shingler: Shingler::default(), hasher, seed: settings.seed })
    }

    fn signature(&self, text: &str) -> Result<Signature> {
        let mut slots = vec![0; self.hasher.num_hashes()];
        let mut buffer = ShingleBuffer::default();
        let hashes = self.shingler.hashes(text, &mut buffer);
        self.hasher.sketch_into(hashes, &mut slots).map_err(|error| error.to_string())?;
        Signature::from_slots(Family::FastSketch, self.seed, slots).map_err(|error| error.to_string())
    }
}
