//! `cargo xtask bench`: the benchmarks, each of which checks its answer before it prints its speed.

use super::python;
use crate::step;

/// The name that selects the benchmarks of the Python package.
const PYTHON: &str = "python";

/// Runs the named benchmarks, or all of them. Arguments that begin with a dash are passed to each benchmark in Rust.
pub(crate) fn run(arguments: &[String]) -> Result<(), String> {
    let (options, mut names): (Vec<&str>, Vec<&str>) =
        arguments.iter().map(String::as_str).partition(|argument| argument.starts_with('-'));
    let (all, with_python) = (names.is_empty(), names.contains(&PYTHON));
    names.retain(|name| *name != PYTHON);
    if all || with_python {
        python::bench()?;
    }
    if !all && names.is_empty() {
        return Ok(());
    }
    let fixed = ["bench", "--package", "benchmarks"];
    let named = names.into_iter().flat_map(|name| ["--bench", name]);
    step::run("benchmarks", &mut step::cargo(fixed.into_iter().chain(named).chain(["--"]).chain(options)))
}
