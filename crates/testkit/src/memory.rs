//! How much memory a program takes.

use std::io;
use std::process::{Command, Output, Stdio};
use std::time::Duration;

/// Runs a program, and returns its output and its largest resident memory in bytes (Linux: `VmHWM`).
///
/// The system forgets this figure when a program ends, so it is read repeatedly: the last few milliseconds are not
/// seen.
pub fn run_and_measure(command: &mut Command) -> io::Result<(Output, u64)> {
    let child = command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn()?;
    let status = format!("/proc/{}/status", child.id());
    let waiting = std::thread::spawn(move || child.wait_with_output());
    let mut most = 0;
    while !waiting.is_finished() {
        most = most.max(resident(&std::fs::read_to_string(&status).unwrap_or_default()));
        std::thread::sleep(Duration::from_millis(1));
    }
    let output = waiting.join().map_err(|_| io::Error::other("waiting for the program failed"))??;
    Ok((output, most))
}

/// The largest resident memory in the text of `/proc/PID/status`; 0 if it is not there.
fn resident(status: &str) -> u64 {
    let kilobytes = status.lines().find_map(|line| line.strip_prefix("VmHWM:")?.trim().strip_suffix(" kB"));
    kilobytes.and_then(|kilobytes| kilobytes.parse::<u64>().ok()).unwrap_or(0) * 1024
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn memory_is_seen() {
        assert_eq!(resident("Name:\tx\nVmHWM:\t    1234 kB\n"), 1234 * 1024);
        assert_eq!(resident("Name:\tx\n"), 0);
        let mut shell = Command::new("sh");
        // A string of 64 MiB.
        shell.args(["-c", "x=$(head -c 67108864 /dev/zero | tr '\\0' x); sleep 0.05; echo ${#x}"]);
        let (output, most) = run_and_measure(&mut shell).unwrap();
        assert_eq!(output.stdout, b"67108864\n");
        assert!(most > 64 << 20, "{most}");
    }
}
