//! Ctrl-C: the first one asks the run to stop, the second one ends the process.

use crate::exit_code::ExitCode;
use crate::output;
use std::sync::atomic::{AtomicBool, Ordering};

static REQUESTED: AtomicBool = AtomicBool::new(false);

/// Whether the user asked to stop.
pub(crate) fn requested() -> bool {
    REQUESTED.load(Ordering::Relaxed)
}

/// Listens for Ctrl-C from now on; `resumable` says whether the same command can go on from where it stopped.
pub(crate) fn listen(resumable: bool) {
    let handler = move || {
        if REQUESTED.swap(true, Ordering::Relaxed) {
            std::process::exit(ExitCode::Interrupted as i32);
        }
        output::stopping(resumable);
    };
    // Without a handler Ctrl-C ends the process at once, which a run survives as it survives a power cut.
    let _ = ctrlc::set_handler(handler);
}
