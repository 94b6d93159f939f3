//! What an index takes: on the disk, of memory, and of time when it is opened.

use crate::{Bench, Result};
use benchmarks::{child, cpu_seconds, sized, verdict};
use index::{Index, Options};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};
use testkit::corpora::{Document, Prose, Truth};

const MEBIBYTE: f64 = (1 << 20) as f64;

pub(crate) fn run(bench: &Bench) -> Result<()> {
    let open = || Index::open(&bench.folder, &Options::default()).map_err(|error| error.to_string());
    let index = open()?;
    index.compact().map_err(|error| error.to_string())?;
    drop(index);
    let cpu = cpu_seconds();
    let index = open()?;
    let cpu = cpu_seconds() - cpu;
    let stats = index.stats().map_err(|error| error.to_string())?;
    drop(index);
    let documents = stats.documents as f64;
    let allowed = (800.0 * documents + 64.0 * MEBIBYTE) / documents;
    let bytes = stats.disk_bytes as f64 / documents;
    println!(
        "{:34} {bytes:8.0} bytes per document {}",
        "disk, compacted and opened again",
        verdict(bytes, allowed.round())
    );
    println!("{:34} {cpu:8.3} s CPU {}", "opening after a clean close", verdict(cpu, 0.2));

    let prose = Prose::new(13);
    let texts = (0..sized(100_000)).map(|number| Document {
        id: format!("asked-{number}"),
        text: prose.text(number as u64, 400),
        score: None,
        domain: None,
        truth: Truth::Original,
    });
    let asked = bench.scratch.write_documents("asked.jsonl", texts).map_err(|error| error.to_string())?;
    let check = |more: &[&str]| {
        let mut command = bench.program.command("index");
        command.arg("check").arg(&bench.folder).arg(&asked).args(["--id-field", "id", "--quiet"]).args(more);
        command
    };
    let usage = child::run(&mut check(&[]), None)?;
    let resident = usage.peak_bytes as f64 / MEBIBYTE;
    let cache = Options::default().cache as f64 / MEBIBYTE;
    let most = (cache + 32.0 * documents / MEBIBYTE + 64.0).round();
    println!("{:34} {resident:8.0} MiB resident {}", "checking texts against it", verdict(resident, most));

    kill_while_adding(&mut check(&["--add"]))?;
    let usage = child::run(bench.program.command("index").arg("stats").arg(&bench.folder), None)?;
    println!(
        "{:34} {:8.3} s CPU {}",
        "opening and closing after a kill",
        usage.cpu_seconds,
        verdict(usage.cpu_seconds, 2.0)
    );
    let index = open()?;
    let after = index.stats().map_err(|error| error.to_string())?.documents;
    if index.lost() > 0 || after <= stats.documents {
        return Err(format!("{after} documents are there after the kill, of {} before", stats.documents));
    }
    println!("{:34} {} documents were added before the kill; nothing is lost", "", after - stats.documents);
    Ok(())
}

/// Adds documents until some are there, and kills the program.
fn kill_while_adding(command: &mut Command) -> Result<()> {
    let mut child = command
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .map_err(|cause| format!("cannot start the program: {cause}"))?;
    let start = Instant::now();
    while start.elapsed() < Duration::from_secs(4) {
        if let Some(status) = child.try_wait().map_err(|cause| cause.to_string())? {
            // A quick run adds so few that it is done before.
            return if status.success() { Ok(()) } else { Err(format!("adding failed: {status}")) };
        }
        std::thread::sleep(Duration::from_millis(10));
    }
    child
        .kill()
        .and_then(|()| child.wait())
        .map(drop)
        .map_err(|cause| format!("cannot kill the program: {cause}"))
}
