//! The only module that prints. Results are printed to stdout, progress to stderr.
#![allow(clippy::print_stdout, clippy::print_stderr)]

use std::time::Duration;

/// Prints a line of the result.
pub(crate) fn line(text: &str) {
    println!("{text}");
}

/// Announces a step.
pub(crate) fn begin(step: &str) {
    eprintln!("==> {step}");
}

/// Reports that a step succeeded.
pub(crate) fn done(step: &str, took: Duration) {
    eprintln!("    {step}: ok, {:.1} s", took.as_secs_f64());
}

/// Prints something that the user should know although nothing went wrong.
pub(crate) fn note(message: &str) {
    eprintln!("note: {message}");
}

/// Prints an error.
pub(crate) fn error(message: &str) {
    eprintln!("error: {message}");
}
