//! `cargo xtask bench`: the benchmarks, each of which checks its answer before it prints its speed.

use crate::step;

pub(crate) fn run(arguments: &[String]) -> Result<(), String> {
    let fixed = ["bench", "--package", "benchmarks", "--"];
    step::run("benchmarks", &mut step::cargo(fixed.into_iter().chain(arguments.iter().map(String::as_str))))
}
