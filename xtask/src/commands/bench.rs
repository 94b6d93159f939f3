//! `cargo xtask bench`: the benchmarks, each of which checks its answer before it prints its speed.

use super::{python, spark};
use crate::step;

/// The name that selects the benchmarks of the Python package.
const PYTHON: &str = "python";
/// The name that selects the benchmark of the package on Apache Spark. It needs Java, so it is not among all of them.
const SPARK: &str = "spark";

/// Runs the named benchmarks, or all of them. Arguments that begin with a dash are passed to each benchmark in Rust.
pub(crate) fn run(arguments: &[String]) -> Result<(), String> {
    let (options, mut names): (Vec<&str>, Vec<&str>) =
        arguments.iter().map(String::as_str).partition(|argument| argument.starts_with('-'));
    let (all, with_python) = (names.is_empty(), names.contains(&PYTHON));
    let with_spark = names.contains(&SPARK);
    names.retain(|name| *name != PYTHON && *name != SPARK);
    if with_spark {
        spark::bench(&options)?;
    }
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
