//! A local substitute for S3, for the tests that write to an object store: moto, from the package index.

use super::python;
use crate::output;
use std::net::{TcpListener, TcpStream};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// The environment variable that gives tests its address.
const VARIABLE: &str = "LOOKALIKE_S3";

/// How long the server may take to start.
const PATIENCE: Duration = Duration::from_secs(60);

/// A server that runs until this value is dropped.
#[derive(Debug)]
pub(super) struct Store {
    server: Child,
    endpoint: String,
}

impl Store {
    /// Installs the server, unless an earlier call did, and starts it on a free port.
    pub(super) fn start() -> Result<Self, String> {
        let environment = python::environment("store", &["moto[server]>=5,<6"])?;
        let cannot = |cause| format!("cannot start the local substitute for S3: {cause}");
        let port = TcpListener::bind("127.0.0.1:0")
            .and_then(|listener| listener.local_addr())
            .map_err(cannot)?
            .port();
        let mut server = Command::new(python::program(&environment, "moto_server"));
        server.args(["-H", "127.0.0.1", "-p", &port.to_string()]);
        let server = server.stdout(Stdio::null()).stderr(Stdio::null()).spawn().map_err(cannot)?;
        let store = Self { server, endpoint: format!("http://127.0.0.1:{port}") };
        let start = Instant::now();
        while TcpStream::connect(("127.0.0.1", port)).is_err() {
            if start.elapsed() > PATIENCE {
                return Err("the local substitute for S3 does not answer".into());
            }
            std::thread::sleep(Duration::from_millis(100));
        }
        output::note(&format!("a local substitute for S3 answers at {}", store.endpoint));
        Ok(store)
    }

    /// Passes the address of the server to a command.
    pub(super) fn tell<'c>(&self, command: &'c mut Command) -> &'c mut Command {
        command.env(VARIABLE, &self.endpoint)
    }
}

impl Drop for Store {
    fn drop(&mut self) {
        // The server holds nothing worth keeping, and a drop cannot report errors.
        let _ = self.server.kill();
        let _ = self.server.wait();
    }
}
