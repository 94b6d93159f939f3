//! Other programs that do the same work, from the Python package index.
//!
//! Each program has its own virtual environment, which is created once in a folder outside the repository:
//! `LOOKALIKE_PEERS`, or `lookalike-peers` in the user's cache folder.

use crate::child::{self, Usage};
use std::path::{Path, PathBuf};
use std::process::Command;

/// A program to compare with.
#[derive(Debug, Clone, Copy)]
pub struct Peer {
    /// The name of the peer. Its script is `peers/peer_NAME.py`.
    pub name: &'static str,
    /// The packages to install. The first one is the peer itself.
    pub packages: &'static [&'static str],
}

/// All peers.
pub const PEERS: [Peer; 6] = [
    Peer { name: "daft", packages: &["daft"] },
    Peer { name: "gaoya", packages: &["gaoya"] },
    Peer { name: "rensa", packages: &["rensa"] },
    Peer { name: "datasketch", packages: &["datasketch"] },
    Peer { name: "text_dedup", packages: &["text-dedup"] },
    Peer { name: "datatrove", packages: &["datatrove", "datatrove[processing]", "spacy"] },
];

impl Peer {
    /// Creates its environment if necessary, and returns the installed version.
    pub fn install(&self) -> Result<String, String> {
        if let Some(version) = self.version() {
            return Ok(version);
        }
        let folder = self.folder()?;
        let python = std::env::var_os("LOOKALIKE_PYTHON").unwrap_or_else(|| "python3".into());
        child::run(Command::new(python).args(["-m", "venv"]).arg(&folder), None)?;
        let mut install = Command::new(self.python()?);
        install.args(["-m", "pip", "install", "--quiet", "--disable-pip-version-check"]).args(self.packages);
        child::run(&mut install, None)?;
        self.version().ok_or_else(|| format!("{} was installed, but its version cannot be found", self.name))
    }

    /// Runs it on a JSON Lines file. Returns the resources that it used and the pairs that it found, by line number
    /// from 0.
    pub fn run(&self, documents: &Path, pairs: &Path) -> Result<(Usage, Vec<(usize, usize)>), String> {
        let program = format!("{}/peers/peer_{}.py", env!("CARGO_MANIFEST_DIR"), self.name);
        let mut command = Command::new(self.python()?);
        // Each of these variables limits some library to one thread.
        for variable in ["OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "RAYON_NUM_THREADS"] {
            command.env(variable, "1");
        }
        command.env("DO_NOT_TRACK", "1").env("PYTHONDONTWRITEBYTECODE", "1");
        let usage = child::run(command.arg(program).arg(documents).arg(pairs), None)?;
        let text = std::fs::read_to_string(pairs).map_err(|cause| format!("{}: {cause}", pairs.display()))?;
        let pair = |line: &str| {
            let (a, b) = line.split_once('\t')?;
            Some((a.parse().ok()?, b.parse().ok()?))
        };
        let found = text.lines().map(|line| pair(line).ok_or_else(|| format!("not a pair: {line}")));
        Ok((usage, found.collect::<Result<_, _>>()?))
    }

    fn folder(&self) -> Result<PathBuf, String> {
        let from = |variable: &str| std::env::var_os(variable).map(PathBuf::from);
        let all = from("LOOKALIKE_PEERS")
            .or_else(|| Some(from("XDG_CACHE_HOME")?.join("lookalike-peers")))
            .or_else(|| Some(from("HOME")?.join(".cache/lookalike-peers")));
        Ok(all.ok_or("set LOOKALIKE_PEERS to a folder for the peers")?.join(self.name))
    }

    fn python(&self) -> Result<PathBuf, String> {
        Ok(self.folder()?.join("bin/python"))
    }

    fn version(&self) -> Option<String> {
        let ask = format!("import importlib.metadata as m; print(m.version('{}'))", self.packages[0]);
        let output = Command::new(self.python().ok()?).args(["-c", &ask]).output().ok()?;
        output.status.success().then(|| String::from_utf8_lossy(&output.stdout).trim().to_owned())
    }
}
