//! Waiting for input or answers that may never arrive. While waiting, the program checks regularly whether it should
//! stop.

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use std::fmt;
use std::fs::File;
use std::io::{self, Write};
use std::os::fd::AsFd;
use std::sync::OnceLock;
use std::time::Duration;

/// The time between two checks.
const NAP: Duration = Duration::from_millis(100);

static STOP: OnceLock<fn() -> bool> = OnceLock::new();

/// From now on, waiting for a pipe or an object store ends when `stop` returns true. Only the first call has an
/// effect: it is made by the program, which handles signals in one place.
pub fn stop_waiting_when(stop: fn() -> bool) {
    // A second call would come from the same program.
    let _ = STOP.set(stop);
}

/// The program was asked to stop.
#[derive(Debug)]
pub(crate) struct Stopped;

impl fmt::Display for Stopped {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the program was stopped while waiting")
    }
}

impl std::error::Error for Stopped {}

/// True if an error only means that the program was asked to stop.
#[must_use]
pub fn is_stopped(cause: &io::Error) -> bool {
    cause.get_ref().is_some_and(|cause| cause.is::<Stopped>())
}

/// The result of `answer`, or [`Stopped`] if the program is asked to stop.
#[cfg(feature = "object-store")]
pub(crate) async fn unless_stopped<T>(answer: impl Future<Output = T>) -> Result<T, Stopped> {
    let mut answer = std::pin::pin!(answer);
    loop {
        if let Ok(answer) = tokio::time::timeout(NAP, &mut answer).await {
            return Ok(answer);
        }
        if STOP.get().is_some_and(|stop| stop()) {
            return Err(Stopped);
        }
    }
}

/// Standard output, which may be a pipe with a slow reader. Writing ends when the program is asked to stop.
#[derive(Debug)]
pub struct PatientStdout(File);

impl PatientStdout {
    /// A pipe that is ready for writing accepts this many bytes without waiting.
    const AT_ONCE: usize = 4096;

    /// Standard output, unbuffered.
    pub fn new() -> io::Result<Self> {
        Ok(Self(io::stdout().as_fd().try_clone_to_owned()?.into()))
    }
}

impl Write for PatientStdout {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        wait_until(&self.0, PollFlags::OUT)?;
        self.0.write(&bytes[..bytes.len().min(Self::AT_ONCE)])
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.flush()
    }
}

/// An error if the program was asked to stop.
pub fn go_on() -> io::Result<()> {
    match STOP.get() {
        Some(stop) if stop() => Err(io::Error::other(Stopped)),
        _ => Ok(()),
    }
}

/// Waits until there is something to read, or the end of the input.
pub(crate) fn wait_for(input: &impl AsFd) -> io::Result<()> {
    wait_until(input, PollFlags::IN)
}

fn wait_until(file: &impl AsFd, ready: PollFlags) -> io::Result<()> {
    let Some(stop) = STOP.get() else { return Ok(()) };
    let nap = Timespec { tv_sec: 0, tv_nsec: NAP.subsec_nanos().into() };
    loop {
        if stop() {
            return Err(io::Error::other(Stopped));
        }
        match poll(&mut [PollFd::new(file, ready)], Some(&nap)) {
            Ok(0) | Err(rustix::io::Errno::INTR) => {}
            // If the system cannot wait for this file, it is read or written directly.
            Ok(_) | Err(_) => return Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Read;
    use std::sync::atomic::{AtomicBool, Ordering};

    #[test]
    fn waiting_ends_with_input_or_when_nobody_wants_it() {
        static ASKED: AtomicBool = AtomicBool::new(false);
        stop_waiting_when(|| ASKED.load(Ordering::Relaxed));
        let (mut reader, mut writer) = io::pipe().unwrap();
        writer.write_all(b"x").unwrap();
        wait_for(&reader).unwrap();
        reader.read_exact(&mut [0]).unwrap();
        let waiting = std::thread::spawn(move || wait_for(&reader));
        ASKED.store(true, Ordering::Relaxed);
        assert!(is_stopped(&waiting.join().unwrap().unwrap_err()));
        assert!(!is_stopped(&io::Error::other("something else")));
        drop(writer);
    }
}
