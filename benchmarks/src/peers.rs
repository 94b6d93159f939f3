//! Other programs that do the same work, from the Python package index.
//!
//! Each program has its own virtual environment, which is created once in a folder outside the repository:
//! `LOOKALIKE_PEERS`, or `lookalike-peers` in the user's cache folder.

use crate::child::{self, Usage};
use std::ffi::OsStr;
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

/// The peers that keep documents in memory and answer questions about them. Their scripts are `peers/steps_NAME.py`.
pub const STEP_PEERS: [Peer; 2] =
    [Peer { name: "datasketch", packages: &["datasketch"] }, Peer { name: "gaoya", packages: &["gaoya"] }];

/// The peers that match records. Their scripts are `peers/records_NAME.py`.
pub const RECORD_PEERS: [Peer; 3] = [
    Peer { name: "splink", packages: &["splink", "pandas"] },
    Peer { name: "recordlinkage", packages: &["recordlinkage"] },
    // What dedupe 3 asks of its trees is missing from version 6 of them.
    Peer { name: "dedupe", packages: &["dedupe", "pandas", "BTrees<6"] },
];

impl Peer {
    /// Creates its environment if necessary, and returns the installed version.
    pub fn install(&self) -> Result<String, String> {
        self.install_as(self.name)
    }

    /// The same in an environment with another name.
    pub fn install_as(&self, environment: &str) -> Result<String, String> {
        if let Some(version) = self.version(environment) {
            return Ok(version);
        }
        let folder = folder(environment)?;
        let of_system = std::env::var_os("LOOKALIKE_PYTHON").unwrap_or_else(|| "python3".into());
        child::run(Command::new(of_system).args(["-m", "venv"]).arg(&folder), None)?;
        let mut install = Command::new(python(environment)?);
        install.args(["-m", "pip", "install", "--quiet", "--disable-pip-version-check"]).args(self.packages);
        child::run(&mut install, None)?;
        let version = self.version(environment);
        version.ok_or_else(|| format!("{} was installed, but its version cannot be found", self.name))
    }

    /// Runs it on a JSON Lines file. Returns the resources that it used and the pairs that it found, by line number
    /// from 0.
    pub fn run(&self, documents: &Path, pairs: &Path) -> Result<(Usage, Vec<(usize, usize)>), String> {
        let usage = self.run_script(
            self.name,
            &format!("peer_{}", self.name),
            &[documents.as_os_str(), pairs.as_os_str()],
        )?;
        let text = std::fs::read_to_string(pairs).map_err(|cause| format!("{}: {cause}", pairs.display()))?;
        let pair = |line: &str| {
            let (a, b) = line.split_once('\t')?;
            Some((a.parse().ok()?, b.parse().ok()?))
        };
        let found = text.lines().map(|line| pair(line).ok_or_else(|| format!("not a pair: {line}")));
        Ok((usage, found.collect::<Result<_, _>>()?))
    }

    /// Runs it on the tables in a folder. Returns the resources that it used and the pairs of ids that it found.
    pub fn run_records(
        &self,
        set: &str,
        folder: &Path,
        pairs: &Path,
    ) -> Result<(Usage, Vec<(String, String)>), String> {
        let name = format!("records_{}", self.name);
        let usage = self.run_script(&name, &name, &[set.as_ref(), folder.as_os_str(), pairs.as_os_str()])?;
        let text = std::fs::read_to_string(pairs).map_err(|cause| format!("{}: {cause}", pairs.display()))?;
        let pair = |line: &str| line.split_once('\t').map(|(a, b)| (a.to_owned(), b.to_owned()));
        let found = text.lines().map(|line| pair(line).ok_or_else(|| format!("not a pair: {line}")));
        Ok((usage, found.collect::<Result<_, _>>()?))
    }

    /// Runs the script `peers/NAME.py` in an environment, on one thread.
    pub fn run_script(&self, environment: &str, name: &str, arguments: &[&OsStr]) -> Result<Usage, String> {
        let mut command = Command::new(python(environment)?);
        // Each of these variables limits some library to one thread.
        for variable in ["OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "RAYON_NUM_THREADS"] {
            command.env(variable, "1");
        }
        command.env("DO_NOT_TRACK", "1").env("PYTHONDONTWRITEBYTECODE", "1");
        command.arg(format!("{}/peers/{name}.py", env!("CARGO_MANIFEST_DIR"))).args(arguments);
        child::run(&mut command, None)
    }

    fn version(&self, environment: &str) -> Option<String> {
        let ask = format!("import importlib.metadata as m; print(m.version('{}'))", self.packages[0]);
        let output = Command::new(python(environment).ok()?).args(["-c", &ask]).output().ok()?;
        output.status.success().then(|| String::from_utf8_lossy(&output.stdout).trim().to_owned())
    }
}

/// The folder of an environment.
fn folder(environment: &str) -> Result<PathBuf, String> {
    let from = |variable: &str| std::env::var_os(variable).map(PathBuf::from);
    let all = from("LOOKALIKE_PEERS")
        .or_else(|| Some(from("XDG_CACHE_HOME")?.join("lookalike-peers")))
        .or_else(|| Some(from("HOME")?.join(".cache/lookalike-peers")));
    Ok(all.ok_or("set LOOKALIKE_PEERS to a folder for the peers")?.join(environment))
}

fn python(environment: &str) -> Result<PathBuf, String> {
    Ok(folder(environment)?.join("bin/python"))
}
