//! `python -m lookalike`: the command, in the process of the interpreter.

use crate::errors::outside;
use pyo3::prelude::*;
use std::ffi::OsString;
use std::io::Write;

/// Runs the command with these words, the first of which is its name; returns what the process ends with.
///
/// It writes to the standard streams of the process, and answers Ctrl-C itself from the moment it begins to work: it is
/// meant for a process that does nothing else.
#[pyfunction]
pub(crate) fn run_command(py: Python<'_>, words: Vec<OsString>) -> PyResult<u8> {
    outside(py, || {
        let code = cli::run(words);
        // Nobody else flushes the standard output of Rust in a process of Python. A reader that left is no failure.
        let _ = std::io::stdout().flush();
        code
    })
}
