//! `lookalike completions`: the script that lets a shell complete the commands and flags.

use crate::arguments::{CompletionsArguments, command};
use crate::failure::Result;
use crate::output::Printer;

/// Runs the command.
pub(crate) fn run(arguments: &CompletionsArguments, printer: &Printer) -> Result<()> {
    let mut completions = Vec::new();
    clap_complete::generate(arguments.shell, &mut command(), "lookalike", &mut completions);
    printer.document(&completions)
}
