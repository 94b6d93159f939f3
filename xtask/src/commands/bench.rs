//! `cargo xtask bench`: the benchmarks, each of which checks its answer before it prints its speed.

use crate::step;

/// Runs the benchmarks that are named, or all of them; what begins with a dash is handed to each.
pub(crate) fn run(arguments: &[String]) -> Result<(), String> {
    let (options, names): (Vec<&str>, Vec<&str>) =
        arguments.iter().map(String::as_str).partition(|argument| argument.starts_with('-'));
    let fixed = ["bench", "--package", "benchmarks"];
    let named = names.into_iter().flat_map(|name| ["--bench", name]);
    step::run("benchmarks", &mut step::cargo(fixed.into_iter().chain(named).chain(["--"]).chain(options)))
}
