//! The one place that prints. What a user asked for goes to stdout, how it is going to stderr.
#![allow(clippy::print_stdout, clippy::print_stderr)]

use std::time::Duration;

/// A line of the answer.
pub(crate) fn line(text: &str) {
    println!("{text}");
}

/// Announces a step.
pub(crate) fn begin(step: &str) {
    eprintln!("==> {step}");
}

/// Ends a step that went well.
pub(crate) fn done(step: &str, took: Duration) {
    eprintln!("    {step}: ok, {:.1} s", took.as_secs_f64());
}

/// What the user should know although nothing went wrong.
pub(crate) fn note(message: &str) {
    eprintln!("note: {message}");
}

/// What went wrong.
pub(crate) fn error(message: &str) {
    eprintln!("error: {message}");
}
