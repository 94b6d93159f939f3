//! A Redis server of the system's own package, for the time of a benchmark.

use std::net::{TcpListener, TcpStream};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// A server on a free port of loopback that syncs its log after every write. It ends when the value is dropped.
#[derive(Debug)]
pub struct Redis {
    server: Child,
    port: u16,
}

impl Redis {
    /// Starts `redis-server` with its files in a new folder.
    pub fn start(folder: &Path) -> Result<Self, String> {
        std::fs::create_dir_all(folder).map_err(|cause| format!("{}: {cause}", folder.display()))?;
        let free = TcpListener::bind(("127.0.0.1", 0)).and_then(|listener| listener.local_addr());
        let port = free.map_err(|cause| format!("no free port: {cause}"))?.port();
        let server = Command::new("redis-server")
            .args(["--bind", "127.0.0.1", "--port", &port.to_string(), "--save", ""])
            .args(["--appendonly", "yes", "--appendfsync", "always", "--dir"])
            .arg(folder)
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .spawn()
            .map_err(|cause| format!("redis-server cannot be started: {cause}"))?;
        let redis = Self { server, port };
        let start = Instant::now();
        while TcpStream::connect(("127.0.0.1", port)).is_err() {
            if start.elapsed() > Duration::from_secs(10) {
                return Err("redis-server does not answer".into());
            }
            std::thread::sleep(Duration::from_millis(20));
        }
        Ok(redis)
    }

    /// The port that it listens on.
    #[must_use]
    pub fn port(&self) -> u16 {
        self.port
    }
}

impl Drop for Redis {
    fn drop(&mut self) {
        // It holds nothing that anybody wants to keep.
        let _ = self.server.kill();
        let _ = self.server.wait();
    }
}
