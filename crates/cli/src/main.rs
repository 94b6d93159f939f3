//! `lookalike`, the command.
//!
//! ```text
//! what was typed -> what is meant -> what is done -> what is said
//!   arguments         settings        commands        output
//! ```

mod arguments;
mod commands;
mod exit_code;
mod failure;
mod interruption;
mod output;
mod settings;

use arguments::{Arguments, Command};
use exit_code::ExitCode;
use failure::{Failure, Result};
use output::Printer;
use std::panic::{AssertUnwindSafe, catch_unwind};

fn main() -> std::process::ExitCode {
    #[cfg(feature = "faults")]
    if let Some(call) = std::env::var("LOOKALIKE_DIE_AT_CALL").ok().and_then(|call| call.parse().ok()) {
        files::die_at_call(call);
    }
    let arguments = match Arguments::from_command_line() {
        Ok(arguments) => arguments,
        Err(wrong) => return output::usage(&wrong).into(),
    };
    let printer = Printer::new(&arguments.general);
    output::hear_of_panics();
    interruption::listen();
    let outcome = catch_unwind(AssertUnwindSafe(|| run(&arguments.command, &printer)));
    let outcome = outcome.unwrap_or_else(|panic| Err(Failure::bug(output::said(panic.as_ref()))));
    let code = outcome.map_or_else(|failure| printer.failure(&failure), |()| ExitCode::Success);
    code.into()
}

fn run(command: &Command, printer: &Printer) -> Result<()> {
    match command {
        Command::Dedup(arguments) => commands::dedup::run(arguments, printer),
        Command::Pairs(arguments) => commands::pairs::run(arguments, printer),
        Command::Clusters(arguments) => commands::clusters::run(arguments, printer),
        Command::Query(arguments) => commands::query::run(arguments, printer),
        Command::Sketch(arguments) => commands::sketch::run(arguments, printer),
        Command::Compare(arguments) => commands::compare::run(arguments, printer),
        Command::Plan(arguments) => commands::plan::run(arguments, printer),
        Command::Inspect(arguments) => commands::inspect::run(arguments, printer),
        Command::Report(arguments) => commands::report::run(arguments, printer),
        Command::Presets => commands::presets::run(printer),
        Command::Completions(arguments) => commands::completions::run(arguments, printer),
        Command::Man(arguments) => commands::man::run(arguments, printer),
        Command::Reference => commands::reference::run(printer),
    }
}
