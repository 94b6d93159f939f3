//! A named command that must succeed.

use crate::output;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::LazyLock;
use std::time::Instant;

/// The root of the workspace. Cargo says at run time where it is. Where it was when this program was compiled may be
/// another checkout that has the same build folder.
pub(crate) fn root() -> &'static Path {
    static MANIFEST: LazyLock<PathBuf> = LazyLock::new(|| {
        std::env::var_os("CARGO_MANIFEST_DIR")
            .map_or_else(|| env!("CARGO_MANIFEST_DIR").into(), PathBuf::from)
    });
    MANIFEST.parent().unwrap_or(&MANIFEST)
}

/// The build folder of the workspace.
pub(crate) fn build_folder() -> PathBuf {
    let folder = std::env::var_os("CARGO_TARGET_DIR").unwrap_or_else(|| "target".into());
    root().join(folder)
}

/// The cargo that started this program, in the root of the workspace, with these arguments.
pub(crate) fn cargo<'a>(arguments: impl IntoIterator<Item = &'a str>) -> Command {
    let mut command = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    command.args(arguments).current_dir(root());
    command
}

/// Runs the command with its output shown.
pub(crate) fn run(name: &str, command: &mut Command) -> Result<(), String> {
    timed(name, || {
        let status = command.status().map_err(|cause| cannot_start(name, command, &cause))?;
        if status.success() { Ok(()) } else { Err(failed(name, command)) }
    })
}

/// Runs the command and returns its stdout.
pub(crate) fn run_for_output(name: &str, command: &mut Command) -> Result<String, String> {
    timed(name, || {
        let output = command.stderr(Stdio::inherit()).output();
        let output = output.map_err(|cause| cannot_start(name, command, &cause))?;
        if !output.status.success() {
            return Err(failed(name, command));
        }
        String::from_utf8(output.stdout).map_err(|_| format!("{name}: its output is not UTF-8"))
    })
}

/// Runs a command that runs tests, shows its output, and returns how many tests passed. It is an error if no test
/// ran.
pub(crate) fn run_tests(name: &str, command: &mut Command) -> Result<u64, String> {
    timed(name, || {
        command.stdout(Stdio::piped());
        let mut child = command.spawn().map_err(|cause| cannot_start(name, command, &cause))?;
        let mut passed = 0;
        for line in child.stdout.take().into_iter().flat_map(|stdout| BufReader::new(stdout).lines()) {
            let line = line.map_err(|cause| format!("{name}: cannot read its output: {cause}"))?;
            output::line(&line);
            passed += tests_passed(&line);
        }
        let status = child.wait().map_err(|cause| format!("{name}: {cause}"))?;
        match (status.success(), passed) {
            (false, _) => Err(failed(name, command)),
            (true, 0) => Err(format!("{name}: no test ran")),
            (true, passed) => Ok(passed),
        }
    })
}

/// The number of tests that a line reports: `test result: ok. 12 passed; ...`, or pytest's `12 passed in 0.50s`.
fn tests_passed(line: &str) -> u64 {
    let line = line.strip_prefix("test result: ok. ").unwrap_or(line);
    line.split_once(" passed").and_then(|(count, _)| count.parse().ok()).unwrap_or(0)
}

fn timed<T>(name: &str, work: impl FnOnce() -> Result<T, String>) -> Result<T, String> {
    output::begin(name);
    let start = Instant::now();
    let result = work()?;
    output::done(name, start.elapsed());
    Ok(result)
}

fn failed(name: &str, command: &Command) -> String {
    format!("{name} failed. To see it again:\n    {}", shown(command))
}

fn cannot_start(name: &str, command: &Command, cause: &std::io::Error) -> String {
    format!("{name}: cannot start `{}`: {cause}", shown(command))
}

/// The command as a user would type it.
fn shown(command: &Command) -> String {
    let program = Path::new(command.get_program()).file_stem().unwrap_or(command.get_program());
    let environment = command.get_envs().filter_map(|(name, value)| {
        value.map(|value| format!("{}={:?}", name.to_string_lossy(), value.to_string_lossy()))
    });
    let words =
        std::iter::once(program).chain(command.get_args()).map(|word| word.to_string_lossy().into_owned());
    environment.chain(words).collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn passed_tests_are_counted() {
        assert_eq!(tests_passed("test result: ok. 46 passed; 0 failed; 0 ignored; 0 measured"), 46);
        assert_eq!(tests_passed("test result: FAILED. 4 passed; 1 failed"), 0);
        assert_eq!(tests_passed("test some::test ... ok"), 0);
        assert_eq!(tests_passed("123 passed, 2 skipped in 4.56s"), 123);
        assert_eq!(tests_passed("1 failed, 123 passed in 4.56s"), 0);
    }

    #[test]
    fn commands_are_shown_as_typed() {
        let mut command = Command::new("/somewhere/bin/cargo");
        command.args(["doc", "--no-deps"]).env("RUSTDOCFLAGS", "-D warnings");
        assert_eq!(shown(&command), "RUSTDOCFLAGS=\"-D warnings\" cargo doc --no-deps");
    }
}
