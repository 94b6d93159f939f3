//! Load for the service, from one process: `load ADDRESS COLLECTION CLIENTS SECONDS [RATE]`.
//!
//! Asks for `/v1/health`, and then queries texts of 2 KB, nine in ten of them unseen, each on kept connections. Prints
//! requests per second, and the median and the 99th percentile of their times. With a rate, the clients together send
//! so many requests per second, and a request that had to wait for its turn counts from when it was due.

use std::error::Error;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::time::{Duration, Instant};

type Result<T> = std::result::Result<T, Box<dyn Error + Send + Sync>>;

fn main() -> Result<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [address, collection, clients, seconds, rate @ ..] = arguments.as_slice() else {
        return Err("ADDRESS COLLECTION CLIENTS SECONDS [RATE] are needed".into());
    };
    let (clients, seconds): (usize, u64) = (clients.parse()?, seconds.parse()?);
    let pause = rate.first().map(|rate| rate.parse::<f64>()).transpose()?.map(|rate| clients as f64 / rate);
    let health = || format!("GET /v1/health HTTP/1.1\r\nHost: {address}\r\n\r\n");
    report("health", run(address, clients, seconds, pause, |_, _| health())?)?;
    let query = |client: usize, at: usize| {
        // One in ten is the same text again and again.
        let seed = if at.is_multiple_of(10) { 7 } else { client * 1_000_003 + at };
        let body = serde_json::json!({"text": text(seed as u64)}).to_string();
        format!(
            "POST /v1/collections/{collection}/query HTTP/1.1\r\nHost: {address}\r\nContent-Length: {}\r\n\r\n{body}",
            body.len()
        )
    };
    report("query", run(address, clients, seconds, pause, query)?)
}

/// About 2 KB of words.
fn text(seed: u64) -> String {
    let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
    let mut text = String::new();
    while text.len() < 2_000 {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        text.push_str(&format!("w{} ", state % 50_000));
    }
    text
}

/// The times of all requests of some clients.
fn run(
    address: &str,
    clients: usize,
    seconds: u64,
    pause: Option<f64>,
    request: impl Fn(usize, usize) -> String + Sync,
) -> Result<(Duration, Vec<Duration>)> {
    let began = Instant::now();
    let end = began + Duration::from_secs(seconds);
    let client = |number: usize| -> Result<Vec<Duration>> {
        let mut stream = BufReader::new(TcpStream::connect(address)?);
        stream.get_ref().set_nodelay(true)?;
        let mut times = Vec::new();
        for at in 0.. {
            let request = request(number, at);
            let due = pause.map(|pause| began + Duration::from_secs_f64(pause * at as f64));
            if due.unwrap_or_else(Instant::now) >= end {
                break;
            }
            if let Some(due) = due {
                std::thread::sleep(due.saturating_duration_since(Instant::now()));
            }
            let sent = due.unwrap_or_else(Instant::now);
            stream.get_mut().write_all(request.as_bytes())?;
            answer(&mut stream)?;
            times.push(sent.elapsed());
        }
        Ok(times)
    };
    let mut times = Vec::new();
    std::thread::scope(|scope| {
        let running: Vec<_> = (0..clients).map(|number| scope.spawn(move || client(number))).collect();
        for one in running {
            times.extend(one.join().map_err(|_| "a client panicked")??);
        }
        Ok::<(), Box<dyn Error + Send + Sync>>(())
    })?;
    Ok((began.elapsed(), times))
}

/// Reads an answer, which must be a success.
fn answer(stream: &mut BufReader<TcpStream>) -> Result<()> {
    let (mut length, mut line) = (0, String::new());
    stream.read_line(&mut line)?;
    if !line.starts_with("HTTP/1.1 200") {
        return Err(line.into());
    }
    while line != "\r\n" {
        line.clear();
        stream.read_line(&mut line)?;
        if let Some(value) = line.to_ascii_lowercase().strip_prefix("content-length:") {
            length = value.trim().parse()?;
        }
    }
    let mut body = vec![0; length];
    Ok(stream.read_exact(&mut body)?)
}

fn report(name: &str, (time, mut times): (Duration, Vec<Duration>)) -> Result<()> {
    times.sort();
    let at = |share: f64| times.get((times.len() as f64 * share) as usize).copied().unwrap_or_default();
    let mut out = std::io::stdout();
    let rate = times.len() as f64 / time.as_secs_f64();
    writeln!(out, "{name}: {rate:.0}/s, median {:?}, 99 % {:?}", at(0.5), at(0.99))?;
    Ok(())
}
