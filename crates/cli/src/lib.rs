//! `lookalike`, the command, as a function: the program and the Python package call it.
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
use settings::{Purpose, with_layers};
use std::ffi::OsString;
use std::panic::{AssertUnwindSafe, catch_unwind};

/// Runs the command with these words, of which the first is the name of the program; and says what the process ends with.
pub fn run(words: impl IntoIterator<Item = OsString>) -> u8 {
    let arguments = match Arguments::from_words(words) {
        Ok(arguments) => arguments,
        Err(wrong) => return output::usage(&wrong) as u8,
    };
    let printer = Printer::new(&arguments.general);
    output::hear_of_panics();
    interruption::listen();
    let outcome = catch_unwind(AssertUnwindSafe(|| run_command(&arguments.command, &printer)));
    let outcome = outcome.unwrap_or_else(|panic| Err(Failure::bug(output::said(panic.as_ref()))));
    outcome.map_or_else(|failure| printer.failure(&failure), |()| ExitCode::Success) as u8
}

/// The settings that a settings file of this text leads to, or what is wrong with it: for the fuzz targets.
#[cfg(feature = "fuzzing")]
pub fn settings_of(text: &str) -> std::result::Result<pipeline::Settings, String> {
    settings::of_text(text).map_err(|failure| failure.to_string())
}

fn run_command(command: &Command, printer: &Printer) -> Result<()> {
    // A command that has settings gets their layers.
    macro_rules! layered {
        ($command:ident, $arguments:ident, $purpose:ident) => {
            with_layers($arguments.choices(), Purpose::$purpose, |layers| {
                commands::$command::run($arguments, layers, printer)
            })
        };
    }
    match command {
        Command::Dedup(arguments) => layered!(dedup, arguments, Duplicates),
        Command::Pairs(arguments) => layered!(pairs, arguments, Duplicates),
        Command::Clusters(arguments) => layered!(clusters, arguments, Duplicates),
        Command::Query(arguments) => layered!(query, arguments, Query),
        Command::Sketch(arguments) => layered!(sketch, arguments, Duplicates),
        Command::Compare(arguments) => layered!(compare, arguments, Duplicates),
        Command::Plan(arguments) => layered!(plan, arguments, Duplicates),
        Command::Inspect(arguments) => layered!(inspect, arguments, Duplicates),
        Command::Report(arguments) => layered!(report, arguments, Duplicates),
        Command::Evaluate(arguments) => layered!(evaluate, arguments, Duplicates),
        Command::Label(arguments) => {
            let arguments = &commands::label::of_run(arguments)?;
            layered!(label, arguments, Duplicates)
        }
        Command::Index(command) => commands::index::run(command, printer),
        #[cfg(feature = "server")]
        Command::Serve(arguments) => commands::serve::run(arguments, printer),
        Command::Presets => commands::presets::run(printer),
        Command::Completions(arguments) => commands::completions::run(arguments, printer),
        Command::Man(arguments) => commands::man::run(arguments, printer),
        Command::Reference => commands::reference::run(printer),
    }
}
