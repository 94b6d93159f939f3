//! Runs the command in a folder of its own.

use std::fmt;
use std::io::Write;
use std::path::PathBuf;
use std::process::{Command, Stdio};
use tempfile::TempDir;

/// A folder, and commands in it.
pub(crate) struct Folder(TempDir);

/// What a command came to.
pub(crate) struct Outcome {
    pub(crate) code: i32,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

impl Folder {
    pub(crate) fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    /// Writes a file.
    pub(crate) fn with(self, name: &str, contents: impl AsRef<[u8]>) -> Self {
        let path = self.path(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, contents).unwrap();
        self
    }

    pub(crate) fn read(&self, name: &str) -> String {
        std::fs::read_to_string(self.path(name)).unwrap()
    }

    /// Runs `lookalike` with `arguments`, separated by spaces.
    pub(crate) fn run(&self, arguments: &str) -> Outcome {
        self.run_with(arguments, b"")
    }

    /// The same with something on standard input.
    pub(crate) fn run_with(&self, arguments: &str, stdin: &[u8]) -> Outcome {
        let mut child = Command::new(env!("CARGO_BIN_EXE_lookalike"))
            .args(arguments.split_whitespace())
            .current_dir(self.0.path())
            .env_remove("COLUMNS")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        // A command that does not read may have ended already.
        let _ = child.stdin.take().unwrap().write_all(stdin);
        let output = child.wait_with_output().unwrap();
        Outcome {
            code: output.status.code().unwrap(),
            stdout: String::from_utf8(output.stdout).unwrap(),
            stderr: String::from_utf8(output.stderr).unwrap(),
        }
    }
}

impl fmt::Display for Outcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { code, stdout, stderr } = self;
        write!(f, "exit code {code}\n--- stdout\n{stdout}--- stderr\n{}", without_times(stderr))
    }
}

/// Times, rates and memory differ from run to run and from machine to machine.
pub(crate) fn without_times(stderr: &str) -> String {
    let mut lines = String::new();
    for line in stderr.lines() {
        let line = match line.rsplit_once(" in ") {
            Some((before, after)) if is_time(after) => format!("{before} in [time]"),
            _ => line.to_owned(),
        };
        let line = match line.split_once("memory: up to ") {
            Some((before, after)) => {
                format!("{before}memory: up to [memory];{}", after.split_once(';').unwrap().1)
            }
            None => line,
        };
        lines.push_str(&line);
        lines.push('\n');
    }
    lines
}

/// Whether it begins as `850 ms` and `4 min 05 s` do.
fn is_time(text: &str) -> bool {
    let mut words = text.split([' ', ',']);
    let number = words.next().is_some_and(|word| word.parse::<f64>().is_ok());
    number && words.next().is_some_and(|unit| ["ms", "s", "min", "h"].contains(&unit))
}
