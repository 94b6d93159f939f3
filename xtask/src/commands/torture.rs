//! `cargo xtask torture`: hundreds of programs that are killed at random moments. `cargo xtask test` kills a few of each.

use super::store::Store;
use crate::arguments::Victims;
use crate::step;
use std::process::Command;

pub(crate) fn run(victims: Option<Victims>, rounds: Option<u32>, seed: u32) -> Result<(), String> {
    for victims in Victims::ALL.into_iter().filter(|one| victims.is_none_or(|victims| victims == *one)) {
        let rounds = rounds.unwrap_or(victims.rounds());
        match victims {
            // Runs that end before each of their calls to the file layer are part of it.
            Victims::Runs => {
                let store = Store::start()?;
                let mut test = test(&["--workspace", "--test", "torture"], None, rounds, seed);
                test.env("LOOKALIKE_TORTURE_STRIDE", "1");
                step::run(
                    &format!("{rounds} rounds of kills, and one at every call"),
                    store.tell(&mut test),
                )?;
            }
            Victims::Index => {
                let mut test =
                    test(&["--package", "lookalike-index", "--lib"], Some("tests::kills::"), rounds, seed);
                step::run(&format!("{rounds} kills of a process that writes to an index"), &mut test)?;
            }
            Victims::Service => {
                let mut test =
                    test(&["--package", "lookalike-server", "--test", "kills"], None, rounds, seed);
                step::run(&format!("{rounds} kills of the service under load"), &mut test)?;
            }
        }
    }
    Ok(())
}

/// The tests that kill, built with all features, as by `cargo xtask test`.
fn test(which: &[&str], filter: Option<&str>, rounds: u32, seed: u32) -> Command {
    let mut test = step::cargo(["test", "--all-features"]);
    test.args(which).args(["--", "--nocapture"]).args(filter);
    test.env("LOOKALIKE_TORTURE_ROUNDS", rounds.to_string());
    test.env("LOOKALIKE_TORTURE_SEED", seed.to_string());
    test
}
