//! How much memory a program takes.

use std::io;
use std::path::Path;
use std::process::{Command, Output, Stdio};
use std::time::Duration;

/// Runs a program, and returns its output and its largest resident memory in bytes (Linux: `VmHWM`).
///
/// The system forgets this figure when a program ends, so it is read repeatedly: the last few milliseconds are not
/// seen.
pub fn run_and_measure(command: &mut Command) -> io::Result<(Output, u64)> {
    let name = command.get_program().to_owned();
    let name = Path::new(&name).file_name().unwrap_or(&name).to_string_lossy().into_owned();
    let child = command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn()?;
    let status = format!("/proc/{}/status", child.id());
    let waiting = std::thread::spawn(move || child.wait_with_output());
    let mut most = 0;
    while !waiting.is_finished() {
        most = most.max(resident(&std::fs::read_to_string(&status).unwrap_or_default(), &name));
        std::thread::sleep(Duration::from_millis(1));
    }
    let output = waiting.join().map_err(|_| io::Error::other("waiting for the program failed"))??;
    Ok((output, most))
}

/// The largest resident memory in the text of `/proc/PID/status`; 0 if it is not there, or if the process does not have
/// this name yet: for a moment, a new process has the memory of the one that starts it.
fn resident(status: &str, name: &str) -> u64 {
    // The system keeps 15 bytes of a name.
    let named = status.lines().find_map(|line| line.strip_prefix("Name:")).map(str::trim);
    if !named.is_some_and(|named| !named.is_empty() && name.starts_with(named)) {
        return 0;
    }
    let kilobytes = status.lines().find_map(|line| line.strip_prefix("VmHWM:")?.trim().strip_suffix(" kB"));
    kilobytes.and_then(|kilobytes| kilobytes.parse::<u64>().ok()).unwrap_or(0) * 1024
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn memory_is_seen() {
        assert_eq!(resident("Name:\tx\nVmHWM:\t    1234 kB\n", "x"), 1234 * 1024);
        assert_eq!(resident("Name:\ttests\nVmHWM:\t    1234 kB\n", "x"), 0);
        assert_eq!(resident("Name:\tx\n", "x"), 0);
        let mut shell = Command::new("sh");
        // A string of 64 MiB.
        shell.args(["-c", "x=$(head -c 67108864 /dev/zero | tr '\\0' x); sleep 0.05; echo ${#x}"]);
        let (output, most) = run_and_measure(&mut shell).unwrap();
        assert_eq!(output.stdout, b"67108864\n");
        assert!(most > 64 << 20, "{most}");
    }
}
