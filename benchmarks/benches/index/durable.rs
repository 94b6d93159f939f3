//! Writes that are on the disk when they return: against a program that appends the same bytes to a file and syncs it.

use crate::{Bench, Result};
use benchmarks::{cpu_seconds, sized, verdict, verdict_at_least};
use index::{Config, Document, Index, OnMatch, Options};
use std::fs::File;
use std::io::Write;
use std::time::Instant;
use testkit::corpora::Prose;

/// Documents of a batch.
const BATCH: usize = 256;

/// Callers at once, and what each of them checks.
const CALLERS: usize = 64;
const EACH: usize = 50;

pub(crate) fn run(bench: &Bench, bulk_cpu: f64) -> Result<()> {
    let folder = bench.scratch.fresh("durable").map_err(|error| error.to_string())?;
    let index =
        Index::create(&folder, &Config::default(), &Options::default()).map_err(|error| error.to_string())?;
    let prose = Prose::new(5);
    let count = sized(50_000);
    let document =
        |number: usize| Document::new(format!("document-{number}"), prose.text(number as u64, 400));
    let batches: Vec<Vec<Document>> = (0..count)
        .step_by(BATCH)
        .map(|start| (start..(start + BATCH).min(count)).map(document).collect())
        .collect();
    let (cpu, start) = (cpu_seconds(), Instant::now());
    for batch in &batches {
        index.add_batch(batch).map_err(|error| error.to_string())?;
    }
    let (cpu, wall) = ((cpu_seconds() - cpu) / count as f64, start.elapsed().as_secs_f64());
    let rate = count as f64 / wall;
    // A document takes as many bytes as in the index, of keys and of values. A journal is not counted: it is empty when
    // an index was closed.
    index.compact().map_err(|error| error.to_string())?;
    drop(index);
    let index = Index::open(&folder, &Options::default()).map_err(|error| error.to_string())?;
    let bytes = index.stats().map_err(|error| error.to_string())?.disk_bytes as usize / count;
    let appended = bench.scratch.path("appended");
    let append = |documents: usize, syncs: usize| -> Result<f64> {
        let mut file = File::create(&appended).map_err(|error| error.to_string())?;
        let start = Instant::now();
        for _ in 0..syncs {
            file.write_all(&vec![7; bytes * documents]).map_err(|error| error.to_string())?;
            file.sync_data().map_err(|error| error.to_string())?;
        }
        Ok((documents * syncs) as f64 / start.elapsed().as_secs_f64())
    };
    let plain = append(BATCH, batches.len())?;
    println!("{:34} {plain:8.0} documents/s of {bytes} bytes", "append and sync 256");
    println!("{:34} {rate:8.0} documents/s, {:.1} us of CPU each", "durable batches of 256", cpu * 1e6);
    println!("{:34} {:8.3} of that rate {}", "", rate / plain, verdict_at_least(rate / plain, 0.1));
    println!("{:34} {:8.2} x the CPU of bulk load {}", "", cpu / bulk_cpu, verdict(cpu / bulk_cpu, 16.0));

    let singles = sized(5_000);
    let plain = append(1, singles)?;
    let check = |document: &Document| -> Result<()> {
        let checked = index.check(document, true, OnMatch::Skip).map_err(|error| error.to_string())?;
        if checked.is_new() {
            Ok(())
        } else {
            Err(format!("{} is new, and was not found to be", document.id))
        }
    };
    let new: Vec<Document> = (count..count + singles + CALLERS * EACH).map(document).collect();
    let (alone, together) = new.split_at(singles);
    let start = Instant::now();
    alone.iter().try_for_each(check)?;
    let one = singles as f64 / start.elapsed().as_secs_f64();
    let start = Instant::now();
    std::thread::scope(|scope| {
        let callers: Vec<_> =
            together.chunks(EACH).map(|some| scope.spawn(move || some.iter().try_for_each(check))).collect();
        callers.into_iter().try_for_each(|caller| caller.join().map_err(|_| "a caller panicked")?)
    })?;
    let many = together.len() as f64 / start.elapsed().as_secs_f64();
    println!("{:34} {plain:8.0} documents/s", "append and sync 1");
    println!("{:34} {one:8.0} documents/s", "check and add, one caller");
    println!("{:34} {:8.3} of that rate {}", "", one / plain, verdict_at_least(one / plain, 0.5));
    println!("{:34} {many:8.0} documents/s", "check and add, 64 callers");
    println!("{:34} {:8.2} x one caller {}", "", many / one, verdict_at_least(many / one, 8.0));

    let verified = index.verify().map_err(|error| error.to_string())?;
    let documents = index.stats().map_err(|error| error.to_string())?.documents;
    if !verified.is_clean() || documents != (count + new.len()) as u64 {
        return Err(format!("{documents} of {} documents are there: {verified:?}", count + new.len()));
    }
    println!("{:34} all there, every entry verified", "");
    Ok(())
}
