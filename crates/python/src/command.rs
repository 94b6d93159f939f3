//! `python -m lookalike`: runs the command in the process of the interpreter.

use crate::errors::outside;
use pyo3::prelude::*;
use std::ffi::OsString;
use std::io::Write;

/// Runs the command with these words, the first of which is the name of the command. Returns its exit code.
///
/// It writes to the standard streams of the process, and handles Ctrl-C itself as soon as it begins to work. It is
/// meant for a process that does nothing else.
#[pyfunction]
pub(crate) fn run_command(py: Python<'_>, words: Vec<OsString>) -> PyResult<u8> {
    outside(py, || {
        let code = cli::run(words);
        // In a Python process the standard output of Rust must be flushed here. A closed pipe is not an error.
        let _ = std::io::stdout().flush();
        code
    })
}
