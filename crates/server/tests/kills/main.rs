//! The service is killed at any moment while clients write: what it acknowledged is there, nothing is there in part, and a
//! write that is sent again is one write.
//!
//! The test runs itself as another process, which is the service. Each client works on documents of its own, one request
//! after the other, and knows what must be there after each answer. When the service was killed, at most the last request
//! of each client is in doubt: it is there as a whole or not at all (of a stream of lines: the lines up to one of them). All
//! clients together check the same texts, of which exactly one is new, whoever has asked.
//!
//! `cargo test` makes a few rounds, `cargo xtask torture` a thousand.
//!
//! | variable | meaning |
//! |---|---|
//! | `LOOKALIKE_TORTURE_ROUNDS` | how many rounds; 6 if it is not set |
//! | `LOOKALIKE_TORTURE_SEED` | what the moments and the requests are drawn from |

#![allow(
    clippy::unwrap_used,
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "a test that cannot go on fails, and says how far it came"
)]

mod client;
mod http;
mod model;

use client::{Client, Owners};
use index::{Config, Index, Stored};
use lookalike::hashing::SplitMix64;
use pipeline::{BandsAndRows, Settings};
use server::{Limits, Options, Server};
use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::path::Path;
use std::process::Command;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;
use testkit::faults::{End, Victim, number};

/// The folder of the collection, for the process that is killed.
const FOLDER: &str = "LOOKALIKE_SERVICE_KILLED_FOLDER";

/// What the service prints before its address.
const LISTENING: &str = "listening on ";

const ROUNDS: u64 = 6;
const CLIENTS: usize = 4;

/// Small memtables, so that tables are written and merged.
fn options() -> index::Options {
    index::Options::default().with_memtable(64 << 10).with_cache(1 << 20)
}

/// Bands that find every pair at the threshold, for all practical purposes.
fn config() -> Config {
    let settings = Settings::default()
        .with_threshold(0.6)
        .with_shingles("words:2".into())
        .with_bands(Some(BandsAndRows { bands: 64, rows: 2 }));
    Config::default().with_settings(settings).with_store(Stored::Text)
}

/// The service that is killed. As a test of its own it does nothing.
#[test]
fn child() {
    let Some(folder) = std::env::var_os(FOLDER) else { return };
    // Small groups, so that a stream has several commits.
    let limits = Limits { batch: 8, ..Limits::default() };
    let options = Options::default()
        .with_listen(SocketAddr::from(([127, 0, 0, 1], 0)))
        .with_collections(vec![folder.into()])
        .with_limits(limits)
        .with_index(options());
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap();
    runtime.block_on(async {
        let server = Server::bind(options).await.unwrap();
        println!("{LISTENING}{}", server.address());
        server.run(std::future::pending()).await.unwrap();
    });
}

fn start(folder: &Path) -> Victim {
    let mut command = Command::new(std::env::current_exe().unwrap());
    command.args(["--exact", "child", "--nocapture", "--test-threads", "1"]).env(FOLDER, folder);
    Victim::start(&mut command).unwrap()
}

/// Opens the index as it was left, and returns its documents: ids and texts.
fn contents(folder: &Path) -> BTreeMap<String, String> {
    let index = Index::open(folder, &options()).unwrap();
    assert_eq!(index.lost(), 0);
    let verified = index.verify().unwrap();
    assert!(verified.is_clean(), "{verified:?}");
    let mut all = BTreeMap::new();
    let visit = |kept: index::Kept| {
        all.insert(kept.id, kept.text.unwrap());
        Ok::<_, index::Error>(true)
    };
    index.export(visit).unwrap();
    all
}

#[test]
fn what_the_service_acknowledged_survives() {
    let rounds = number("LOOKALIKE_TORTURE_ROUNDS", ROUNDS);
    let seed = number("LOOKALIKE_TORTURE_SEED", 1);
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("seen");
    drop(Index::create(&path, &config(), &options()).unwrap());
    let mut random = SplitMix64::new(seed);
    let owners = Owners::default();
    let mut clients: Vec<Client> =
        (0..CLIENTS).map(|number| Client::new(number, random.next_u64())).collect();
    for round in 0..rounds {
        let mut service = start(&path);
        if random.below(8) == 0 {
            // It is killed while it opens the index, or right after.
            std::thread::sleep(Duration::from_micros(random.below(60_000)));
            assert_eq!(service.kill().unwrap(), End::Killed);
        } else {
            let address = service.wait_for(LISTENING).unwrap().expect("the service listens");
            let after = Duration::from_micros(5_000 + random.below(300_000));
            let answered = AtomicU64::new(0);
            std::thread::scope(|scope| {
                for client in &mut clients {
                    let (address, owners, answered) = (address.as_str(), &owners, &answered);
                    scope.spawn(move || client.work(address, owners, answered, round));
                }
                std::thread::sleep(after);
                // Some rounds have an answer at least, however slow the machine is.
                while round % 2 == 0 && answered.load(Ordering::SeqCst) == 0 {
                    std::thread::sleep(Duration::from_millis(1));
                }
                assert_eq!(service.kill().unwrap(), End::Killed);
            });
        }
        let found = contents(&path);
        for client in &mut clients {
            client.compare(&found, &format!("seed {seed}, round {round}"));
        }
        owners.compare(&found, &format!("seed {seed}, round {round}"));
    }
    let acknowledged: u64 = clients.iter().map(|client| client.acknowledged).sum();
    let repeated: u64 = clients.iter().map(|client| client.repeated).sum();
    eprintln!("{rounds} kills: {acknowledged} answers recorded, {repeated} requests sent again");
    assert!(acknowledged > 0 && (rounds < 4 || repeated > 0), "{acknowledged} answers, {repeated} repeated");
}
