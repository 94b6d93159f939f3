//! The service on one core, load from a second process on another: questions about texts of 2 KB against `/v1/health`,
//! and `bulk` against the command line.

use crate::{Bench, Result};
use benchmarks::{child, is_quick, sized, verdict, verdict_at_least};
use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};
use testkit::corpora::{Document, Prose, Truth};

/// The unit of times in `/proc`: Linux counts in hundredths of a second there, whatever its own clock does.
const TICKS_PER_SECOND: f64 = 100.0;

/// Connections of the load.
const CLIENTS: &str = "8";

pub(crate) fn run(bench: &Bench) -> Result<()> {
    let load = load_program()?;
    let seconds = if is_quick() { "2" } else { "10" };
    let service = Service::start(bench, &[&bench.folder])?;
    let measure = |rate: &[&str]| send(&load, &service, bench, seconds, rate);
    measure(&[])?;
    let before = service.resident();
    let [health, query] = measure(&[])?;
    println!("{:34} {:8.0} requests/s, median {:.0} us", "/v1/health", health.rate, health.median);
    println!(
        "{:34} {:8.0} requests/s, median {:.0} us",
        "queries of 2 KB, 9 in 10 unseen", query.rate, query.median
    );
    let share = query.rate / health.rate;
    println!("{:34} {share:8.3} of the rate of health {}", "", verdict_at_least(share, 0.333));
    let half = format!("{:.0}", query.rate / 2.0);
    let [_, query] = measure(&[&half])?;
    let late = query.late / query.median;
    println!(
        "{:34} 99 %: {late:.1} x the median of {:.0} us {}",
        "at half that rate",
        query.median,
        verdict(late, 20.0)
    );
    let grown = service.resident() as f64 / before.max(1) as f64;
    println!("{:34} memory after all that: {grown:.2} x that before", "");
    drop(service);
    bulk(bench)
}

/// Memory under load: after ten minutes it is what it was after the first one.
pub(crate) fn memory(bench: &Bench) -> Result<()> {
    let load = load_program()?;
    let service = Service::start(bench, &[&bench.folder])?;
    // Half of each round asks for health.
    let (first, rest) = if is_quick() { ("2", "3") } else { ("30", "270") };
    send(&load, &service, bench, first, &[])?;
    let before = service.resident();
    let [_, query] = send(&load, &service, bench, rest, &[])?;
    let after = service.resident();
    let grown = after as f64 / before.max(1) as f64;
    println!(
        "{:34} {:8.0} queries/s; {} MiB resident before, {} MiB after: {grown:.2} x {}",
        "memory under load",
        query.rate,
        before >> 20,
        after >> 20,
        verdict(grown, 1.1)
    );
    Ok(())
}

/// Sends requests for so many seconds each, and returns what was measured of `/v1/health` and of queries.
fn send(load: &Path, service: &Service, bench: &Bench, seconds: &str, rate: &[&str]) -> Result<[Line; 2]> {
    let collection = bench.folder.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let arguments = [&[service.address.as_str(), &collection, CLIENTS, seconds], rate].concat();
    let output = pinned(1, load)
        .args(arguments)
        .output()
        .map_err(|cause| format!("cannot start the load: {cause}"))?;
    if !output.status.success() {
        return Err(format!("the load failed: {}", String::from_utf8_lossy(&output.stderr)));
    }
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let line =
        |name: &str| Line::find(&text, name).ok_or_else(|| format!("not what the load prints: {text}"));
    Ok([line("health")?, line("query")?])
}

/// The same checks through `bulk` and by the command line.
fn bulk(bench: &Bench) -> Result<()> {
    let prose = Prose::new(19);
    let count = sized(50_000);
    let documents: Vec<Document> = (0..count as u64)
        .map(|number| Document {
            id: format!("bulk-{number}"),
            text: prose.text(number, 400),
            score: None,
            domain: None,
            truth: Truth::Original,
        })
        .collect();
    let lines: String = documents
        .iter()
        .map(|document| {
            let Document { id, text, .. } = document;
            serde_json::json!({"op": "check", "id": id, "text": text, "add": true}).to_string() + "\n"
        })
        .collect();
    let file = bench
        .scratch
        .write_documents("bulk.jsonl", documents.into_iter())
        .map_err(|error| error.to_string())?;
    let create = |name: &str| -> Result<PathBuf> {
        let folder = bench.scratch.fresh(name).map_err(|error| error.to_string())?;
        child::run(bench.program.command("index").arg("create").arg(&folder).arg("--quiet"), None)?;
        Ok(folder)
    };
    let folder = create("by-command")?;
    let mut command = bench.program.command("index");
    command.arg("check").arg(&folder).arg(&file).args(["--id-field", "id", "--add", "--quiet"]);
    let by_command = child::run(&mut command, None)?.cpu_seconds;
    let folder = create("by-bulk")?;
    let service = Service::start(bench, &[&folder])?;
    let before = service.cpu_seconds();
    let answers = service.post("/v1/collections/by-bulk/bulk", "application/x-ndjson", &lines)?;
    let by_bulk = service.cpu_seconds() - before;
    let new = answers.matches("\"new\":true").count();
    if new != count {
        return Err(format!(
            "{new} of {count} documents are new:\n{}",
            answers.chars().take(500).collect::<String>()
        ));
    }
    let per = |seconds: f64| seconds * 1e6 / count as f64;
    println!("{:34} {:8.1} us of CPU per document", "lookalike index check --add", per(by_command));
    println!("{:34} {:8.1} us of CPU per document", "bulk", per(by_bulk));
    println!(
        "{:34} {:8.2} x the command line {}",
        "",
        by_bulk / by_command,
        verdict(by_bulk / by_command, 2.0)
    );
    Ok(())
}

/// Builds the program that sends requests: an example of the service.
fn load_program() -> Result<PathBuf> {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let mut build = Command::new(cargo);
    build.args(["build", "--quiet", "--release", "--package", "lookalike-server", "--example", "load"]);
    child::run(build.current_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/..")), None)?;
    let own = std::env::current_exe().map_err(|cause| format!("cannot find this benchmark: {cause}"))?;
    let path = own.ancestors().nth(2).unwrap_or(Path::new(".")).join("examples/load");
    if path.is_file() { Ok(path) } else { Err(format!("{} was not built", path.display())) }
}

/// A program on one core, where `taskset` exists.
fn pinned(core: usize, program: &Path) -> Command {
    let has_taskset =
        Command::new("taskset").arg("-V").stdout(Stdio::null()).stderr(Stdio::null()).status().is_ok();
    if !has_taskset {
        return Command::new(program);
    }
    let mut command = Command::new("taskset");
    command.args(["-c", &core.to_string()]).arg(program);
    command
}

/// A line that the load prints: `query: 3100/s, median 2.1ms, 99 % 8.2ms`. Times are in microseconds.
struct Line {
    rate: f64,
    median: f64,
    late: f64,
}

impl Line {
    fn find(text: &str, name: &str) -> Option<Self> {
        let line = text.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(": "))?;
        let (rate, rest) = line.split_once("/s, median ")?;
        let (median, late) = rest.split_once(", 99 % ")?;
        Some(Self { rate: rate.parse().ok()?, median: micros(median)?, late: micros(late)? })
    }
}

/// A time as `Duration` prints it.
fn micros(time: &str) -> Option<f64> {
    let units = [("ns", 1e-3), ("µs", 1.0), ("ms", 1e3), ("s", 1e6)];
    units.iter().find_map(|(unit, factor)| Some(time.strip_suffix(unit)?.parse::<f64>().ok()? * factor))
}

/// A running service. It is ended when the value is dropped.
struct Service {
    server: Child,
    address: String,
}

impl Service {
    fn start(bench: &Bench, folders: &[&Path]) -> Result<Self> {
        let free = TcpListener::bind(("127.0.0.1", 0)).and_then(|listener| listener.local_addr());
        let address = free.map_err(|cause| format!("no free port: {cause}"))?.to_string();
        let server = pinned(0, bench.program.path())
            .arg("serve")
            .args(folders)
            .args(["--listen", &address, "--quiet"])
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .map_err(|cause| format!("cannot start the service: {cause}"))?;
        let mut service = Self { server, address };
        let start = Instant::now();
        while TcpStream::connect(&service.address).is_err() {
            let ended = service.server.try_wait().map_err(|cause| cause.to_string())?;
            if ended.is_some() || start.elapsed() > Duration::from_secs(30) {
                return Err(format!("the service does not answer: {ended:?}"));
            }
            std::thread::sleep(Duration::from_millis(20));
        }
        Ok(service)
    }

    /// Sends a body and returns the whole answer. Both go on at the same time.
    fn post(&self, path: &str, kind: &str, body: &str) -> Result<String> {
        let failed = |cause: std::io::Error| format!("{path}: {cause}");
        let mut stream = TcpStream::connect(&self.address).map_err(failed)?;
        let mut sender = stream.try_clone().map_err(failed)?;
        let head = format!(
            "POST {path} HTTP/1.1\r\nHost: {}\r\nContent-Type: {kind}\r\nContent-Length: {}\r\nConnection: close\r\n\r\n",
            self.address,
            body.len()
        );
        std::thread::scope(|scope| {
            let sent = scope.spawn(move || {
                sender.write_all(head.as_bytes()).and_then(|()| sender.write_all(body.as_bytes()))
            });
            let mut answer = Vec::new();
            stream.read_to_end(&mut answer).map_err(failed)?;
            sent.join().map_err(|_| "sending panicked")?.map_err(failed)?;
            Ok(String::from_utf8_lossy(&answer).into_owned())
        })
    }

    /// CPU seconds of the service.
    fn cpu_seconds(&self) -> f64 {
        let stat = std::fs::read_to_string(format!("/proc/{}/stat", self.server.id())).unwrap_or_default();
        // The name of the program, in brackets, may have spaces; user and system time are the 12th and 13th after it.
        let fields = stat.rsplit(") ").next().unwrap_or_default().split(' ');
        let ticks: f64 = fields.skip(11).take(2).filter_map(|field| field.parse::<f64>().ok()).sum();
        ticks / TICKS_PER_SECOND
    }

    /// Resident memory in bytes.
    fn resident(&self) -> u64 {
        let status =
            std::fs::read_to_string(format!("/proc/{}/status", self.server.id())).unwrap_or_default();
        let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
        line.and_then(|line| line.trim().strip_suffix(" kB")?.trim().parse::<u64>().ok()).unwrap_or(0) << 10
    }
}

impl Drop for Service {
    fn drop(&mut self) {
        // Its index is not used any more.
        let _ = self.server.kill();
        let _ = self.server.wait();
    }
}
