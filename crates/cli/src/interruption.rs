//! Ctrl-C, SIGTERM and SIGHUP: the first one asks the command to stop, the second one ends the process.
//!
//! A run asks again and again whether it is to stop ([`requested`]), says what can be done next, and leaves nothing behind
//! in folders for temporary files. What is done before and after a run has nothing to tidy up, but for the copy of
//! standard input, which asks too: there the process ends by itself after a moment.

use crate::exit_code::ExitCode;
use crate::failure::{Failure, Result};
use crate::output;
use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM, SIGXFSZ};
use signal_hook::iterator::Signals;
use std::sync::Arc;
use std::sync::atomic::{AtomicI32, AtomicU8, Ordering};
use std::time::Duration;

/// How long whatever does not ask may go on.
const MOMENT: Duration = Duration::from_millis(400);

/// The signal that asked to stop; 0 if none did.
static SIGNAL: AtomicI32 = AtomicI32::new(0);

/// What the command is doing: a [`Doing`] as a number.
static DOING: AtomicU8 = AtomicU8::new(Doing::Other as u8);

/// What the command is doing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Doing {
    /// Something short, that does not ask.
    Other = 0,
    /// A run, of which nothing is kept when it stops.
    Run = 1,
    /// A run from which the same command goes on.
    ResumableRun = 2,
    /// A service, which finishes what it has begun.
    Service = 3,
    /// Documents are added to an index, batch after batch.
    Adding = 4,
}

/// Whether the user asked to stop.
pub(crate) fn requested() -> bool {
    SIGNAL.load(Ordering::Relaxed) != 0
}

/// The exit code of a command that was asked to stop.
pub(crate) fn exit_code() -> ExitCode {
    code_of(SIGNAL.load(Ordering::Relaxed))
}

/// Whether the same command goes on from where it was stopped.
pub(crate) fn is_resumable() -> bool {
    DOING.load(Ordering::Relaxed) == Doing::ResumableRun as u8
}

fn code_of(signal: i32) -> ExitCode {
    match signal {
        SIGTERM => ExitCode::Terminated,
        SIGHUP => ExitCode::HungUp,
        _ => ExitCode::Interrupted,
    }
}

/// A run begins that asks whether it is to stop.
pub(crate) fn begin_run(resumable: bool) -> Result<()> {
    let doing = if resumable { Doing::ResumableRun } else { Doing::Run };
    DOING.store(doing as u8, Ordering::Relaxed);
    if requested() { Err(Failure::interrupted()) } else { Ok(()) }
}

/// Documents are added to an index from now on, batch after batch, and it is asked whether to stop.
pub(crate) fn begin_adding() -> Result<()> {
    DOING.store(Doing::Adding as u8, Ordering::Relaxed);
    if requested() { Err(Failure::interrupted()) } else { Ok(()) }
}

/// Whether what was added before a stop stays.
pub(crate) fn is_adding() -> bool {
    DOING.load(Ordering::Relaxed) == Doing::Adding as u8
}

/// A service begins that asks whether it is to stop.
#[cfg(feature = "server")]
pub(crate) fn begin_service() -> Result<()> {
    DOING.store(Doing::Service as u8, Ordering::Relaxed);
    if requested() { Err(Failure::interrupted()) } else { Ok(()) }
}

/// The run is over, and what follows does not ask.
pub(crate) fn end_run() {
    DOING.store(Doing::Other as u8, Ordering::Relaxed);
}

/// Listens from now on.
pub(crate) fn listen() {
    corpus::stop_waiting_when(requested);
    // Without a handler a file beyond `ulimit -f` ends the process; with one it is an error of the call that writes it.
    let _ = signal_hook::flag::register(SIGXFSZ, Arc::default());
    let heard = [SIGINT, SIGTERM, SIGHUP].into_iter().filter(|&signal| !is_ignored(signal));
    // Without a listener a signal ends the process at once, which a run survives as it survives a power cut.
    let Ok(mut signals) = Signals::new(heard) else { return };
    let listening = std::thread::Builder::new().name("signals".into());
    let _ = listening.spawn(move || signals.forever().for_each(hear));
}

fn hear(signal: i32) {
    if SIGNAL.swap(signal, Ordering::Relaxed) != 0 {
        std::process::exit(code_of(signal) as i32);
    }
    let doing = DOING.load(Ordering::Relaxed);
    if doing != Doing::Other as u8 {
        output::stopping(match doing {
            doing if doing == Doing::Service as u8 => "requests that were begun are finished",
            doing if doing == Doing::ResumableRun as u8 => "run the same command again to continue",
            doing if doing == Doing::Adding as u8 => "records that were answered stay",
            _ => "no results are kept",
        });
        return;
    }
    std::thread::sleep(MOMENT);
    output::stopped();
    std::process::exit(code_of(signal) as i32);
}

/// Whether whoever started the process wants it not to hear a signal, as `nohup` does with SIGHUP.
fn is_ignored(signal: i32) -> bool {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let ignored = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    let ignored = ignored.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok());
    ignored.is_some_and(|mask| mask >> (signal - 1) & 1 == 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn exit_codes_are_those_that_a_shell_gives_to_signals() {
        for signal in [SIGINT, SIGTERM, SIGHUP] {
            assert_eq!(code_of(signal) as i32, 128 + signal);
        }
    }
}
