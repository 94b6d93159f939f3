//! `cargo xtask bench`: the benchmarks, each of which checks its answer before it prints its speed.

use crate::step;

pub(crate) fn run(arguments: &[String]) -> Result<(), String> {
    if !step::root().join("crates/benchmarks").is_dir() && !step::root().join("benchmarks").is_dir() {
        return Err("there is no `benchmarks` package in this workspace".into());
    }
    let fixed = ["bench", "--package", "benchmarks", "--"];
    step::run("benchmarks", &mut step::cargo(fixed.into_iter().chain(arguments.iter().map(String::as_str))))
}
