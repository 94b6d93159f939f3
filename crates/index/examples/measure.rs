//! What an index costs: CPU per document, times of queries, bytes on disk.
//!
//! ```text
//! cargo run --release -p lookalike-index --example measure -- 100000
//! ```

use index::{BulkOptions, Config, Document, Error, Index, Options, Query};
use lookalike::banding::Banding;
use lookalike::hashing::SplitMix64;
use lookalike::index::LshIndex;
use lookalike::minhash::{Family, Signature};
use pipeline::{DocumentBuffers, Documents, Settings, Sketch};
use std::io::{self, Write};
use std::path::Path;
use std::time::{Duration, Instant};
use testkit::corpora::Prose;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let documents: u64 = std::env::args().nth(1).map_or(Ok(100_000), |count| count.parse())?;
    let folder = tempfile::tempdir()?;
    let mut out = io::stdout().lock();
    let prose = Prose::new(1);
    let texts: Vec<String> = (0..documents).map(|number| prose.text(number, 400)).collect();
    let document = |number: usize| Document::new(format!("document-{number}"), texts[number].as_str());
    let config = Config::default();
    let options = match std::env::args().nth(2) {
        Some(memtable) => Options::default().with_memtable(memtable.parse()?),
        None => Options::default(),
    };

    baselines(&texts, &folder.path().join("appended"), &mut out)?;
    let path = folder.path().join("bulk");
    let index = Index::create(&path, &config, &Options::default())?;
    let ((), cpu, wall) = timed(|| {
        let all = (0..texts.len()).map(|number| Ok::<_, Error>(document(number)));
        index.bulk_load(all, &BulkOptions::default()).map(|_| ())
    })?;
    writeln!(
        out,
        "bulk load: {:.1} us of CPU, {:.1} us per document",
        per(cpu, documents),
        per(wall, documents)
    )?;
    drop(index);
    let ((), cpu, wall) = timed(|| Index::open(&path, &Options::default()).map(drop))?;
    writeln!(out, "open and close after bulk load: {cpu:?} of CPU, {wall:?}")?;
    let index = Index::open(&path, &Options::default())?;
    queries(&index, "bulk loaded", &mut out)?;
    index.compact()?;
    writeln!(out, "disk: {} bytes per document", index.stats()?.disk_bytes / documents)?;
    drop(index);
    let index = Index::open(&path, &Options::default())?;
    queries(&index, "compacted", &mut out)?;
    writeln!(out, "disk after reopening: {} bytes per document", index.stats()?.disk_bytes / documents)?;
    drop(index);

    let path = folder.path().join("batches");
    let index = Index::create(&path, &config, &options)?;
    let ((), cpu, wall) = timed(|| {
        let all: Vec<usize> = (0..texts.len()).collect();
        for batch in all.chunks(256) {
            let batch: Vec<Document> = batch.iter().map(|&number| document(number)).collect();
            index.add_batch(&batch)?;
        }
        Ok(())
    })?;
    writeln!(
        out,
        "batches of 256: {:.1} us of CPU, {:.1} us per document",
        per(cpu, documents),
        per(wall, documents)
    )?;
    queries(&index, "right after batches", &mut out)?;
    std::thread::sleep(Duration::from_secs(3));
    queries(&index, "quiet", &mut out)?;
    let ((), cpu, wall) = timed(|| {
        for number in 0..500 {
            index.add(&Document::new(format!("single-{number}"), prose.text(documents + number, 400)))?;
        }
        Ok(())
    })?;
    writeln!(out, "single adds: {:.1} us of CPU, {:.1} us per document", per(cpu, 500), per(wall, 500))?;
    let ((), _, wall) = timed(|| {
        std::thread::scope(|scope| {
            for thread in 0..64 {
                let (index, prose) = (&index, &prose);
                scope.spawn(move || {
                    for number in 0..50 {
                        let at = documents + 1_000 + thread * 50 + number;
                        index
                            .add(&Document::new(format!("together-{at}"), prose.text(at, 400)))
                            .expect("it is new");
                    }
                });
            }
        });
        Ok(())
    })?;
    writeln!(out, "adds by 64 callers: {:.1} us per document", per(wall, 3_200))?;
    let ((), cpu, _) = timed(|| {
        drop(index);
        Ok(())
    })?;
    writeln!(out, "close: {cpu:?} of CPU")?;
    let ((), cpu, wall) = timed(|| Index::open(&path, &Options::default()).map(drop))?;
    writeln!(out, "open and close after batches: {cpu:?} of CPU, {wall:?}")?;
    Ok(())
}

/// What the numbers are compared with: sketching alone, an index in memory, a program that appends and syncs.
fn baselines(texts: &[String], file: &Path, out: &mut impl Write) -> Result<(), Box<dyn std::error::Error>> {
    let documents = Documents::new(&Settings::default())?;
    let (mut buffers, mut sketch) = (DocumentBuffers::default(), Sketch::default());
    let ((), cpu, _) = timed(|| {
        texts.iter().try_for_each(|text| Ok(documents.sketch(text, None, &mut buffers, &mut sketch)?))
    })?;
    writeln!(out, "sketching alone: {:.1} us of CPU per document", per(cpu, texts.len() as u64))?;

    let mut random = SplitMix64::new(7);
    let mut signature =
        || Signature::from_slots(Family::FastSketch, 1, (0..128).map(|_| random.next_u64()).collect());
    let mut in_memory = LshIndex::new(Banding::new(21, 6)?);
    for number in 0..texts.len() as u64 {
        in_memory.insert(number, &signature()?)?;
    }
    let mut times = Vec::new();
    for _ in 0..20_000 {
        let asked = signature()?;
        let start = Instant::now();
        in_memory.query(&asked, 0.8)?;
        times.push(start.elapsed());
    }
    times.sort_unstable();
    let (median, late) = (times[times.len() / 2], times[times.len() * 99 / 100]);
    writeln!(out, "query in memory: median {median:?}, 99 % {late:?}")?;

    for (batch, batches) in [(256, 40), (1, 300)] {
        let mut appended = std::fs::File::create(file)?;
        let start = Instant::now();
        for _ in 0..batches {
            appended.write_all(&vec![7; 721 * batch])?;
            appended.sync_data()?;
        }
        let documents = (batch * batches) as u64;
        writeln!(out, "append and sync {batch}: {:.1} us per document", per(start.elapsed(), documents))?;
    }
    Ok(())
}

/// Times queries of lanes that were never seen.
fn queries(index: &Index, what: &str, out: &mut impl Write) -> Result<(), Box<dyn std::error::Error>> {
    let mut random = SplitMix64::new(7);
    let mut times: Vec<Duration> = Vec::new();
    for _ in 0..20_000 {
        let query = Query::lanes((0..128).map(|_| random.next_u64() as u16).collect());
        let start = Instant::now();
        index.query(&query)?;
        times.push(start.elapsed());
    }
    times.sort_unstable();
    let at = |share: usize| times[times.len() * share / 100];
    writeln!(out, "query, {what}: median {:?}, 99 % {:?}", at(50), at(99))?;
    Ok(())
}

/// Runs something and measures the CPU time of the whole process and the time that passes.
fn timed<R>(work: impl FnOnce() -> Result<R, Error>) -> Result<(R, Duration, Duration), Error> {
    let (cpu, wall) = (cpu_time(), Instant::now());
    let result = work()?;
    Ok((result, cpu_time() - cpu, wall.elapsed()))
}

fn cpu_time() -> Duration {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::ProcessCPUTime);
    Duration::new(time.tv_sec as u64, time.tv_nsec as u32)
}

fn per(time: Duration, documents: u64) -> f64 {
    time.as_secs_f64() * 1e6 / documents as f64
}
