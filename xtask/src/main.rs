//! The project's own commands, run as `cargo xtask <command>`: they test, measure, fuzz and release it.

mod arguments;
mod commands;
mod output;
mod signals;
mod step;

use arguments::Command;
use std::process::ExitCode;

fn main() -> ExitCode {
    signals::hear_again();
    let outcome = match Command::parse(std::env::args().skip(1)) {
        Ok(Command::Help) => {
            output::line(arguments::HELP);
            Ok(())
        }
        Ok(Command::Test { full }) => commands::test::run(full),
        Ok(Command::Bench { arguments }) => commands::bench::run(&arguments),
        Ok(Command::Fuzz { seconds, target }) => commands::fuzz::run(seconds, target.as_deref()),
        Ok(Command::Dist) => commands::dist::run(),
        Ok(Command::Tables) => commands::tables::run(),
        Ok(Command::Torture { victims, rounds, seed }) => commands::torture::run(victims, rounds, seed),
        Err(wrong) => Err(format!("{wrong}\n\n{}", arguments::HELP)),
    };
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            output::error(&message);
            ExitCode::FAILURE
        }
    }
}
