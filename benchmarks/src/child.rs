//! Runs a program to its end and measures the resources that it used.
//!
//! CPU time is the user and system time of the program and its child processes, from `getrusage` for children. Peak
//! memory is the high-water mark that the kernel keeps for each process (`VmHWM`), read while the program runs; the
//! value of `getrusage` would start with the memory of the benchmark itself.

use nix::sys::resource::{UsageWho, getrusage};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};
use testkit::faults::bytes_in;

/// The resources that a program used.
#[derive(Debug, Clone, Copy, Default)]
pub struct Usage {
    /// User and system seconds, including those of child processes.
    pub cpu_seconds: f64,
    /// Wall-clock seconds.
    pub wall_seconds: f64,
    /// The largest resident memory of any of its processes, in bytes.
    pub peak_bytes: u64,
    /// The largest number of bytes in the watched folder.
    pub disk_bytes: u64,
}

impl Usage {
    /// The smaller value of each.
    #[must_use]
    pub fn least(self, other: Self) -> Self {
        Self {
            cpu_seconds: self.cpu_seconds.min(other.cpu_seconds),
            wall_seconds: self.wall_seconds.min(other.wall_seconds),
            peak_bytes: self.peak_bytes.min(other.peak_bytes),
            disk_bytes: self.disk_bytes.min(other.disk_bytes),
        }
    }
}

/// Runs a program to its end. An error says how it ended, with the last lines that it wrote to stderr. Only one
/// program may run at a time, because the CPU time of children is counted for the whole process.
pub fn run(command: &mut Command, watched: Option<&Path>) -> Result<Usage, String> {
    let program = command.get_program().to_string_lossy().into_owned();
    let messages = std::env::temp_dir().join(format!("lookalike-messages-{}", std::process::id()));
    let stderr =
        std::fs::File::create(&messages).map_err(|cause| format!("{}: {cause}", messages.display()))?;
    let before = cpu_seconds_of_children();
    let start = Instant::now();
    let mut child = command
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(stderr)
        .spawn()
        .map_err(|cause| format!("cannot start {program}: {cause}"))?;
    let mut usage = Usage::default();
    let mut looked_at_disk = start;
    let status = loop {
        usage.peak_bytes = usage.peak_bytes.max(peak_of_tree(child.id()));
        if let Some(folder) = watched.filter(|_| looked_at_disk.elapsed() > Duration::from_millis(100)) {
            usage.disk_bytes = usage.disk_bytes.max(bytes_in(folder));
            looked_at_disk = Instant::now();
        }
        match child.try_wait() {
            Ok(Some(status)) => break status,
            Ok(None) => std::thread::sleep(Duration::from_millis(2)),
            Err(cause) => return Err(end(&mut child, &format!("cannot wait for {program}: {cause}"))),
        }
    };
    usage.wall_seconds = start.elapsed().as_secs_f64();
    usage.cpu_seconds = cpu_seconds_of_children() - before;
    let said = std::fs::read(&messages).unwrap_or_default();
    let _ = std::fs::remove_file(&messages);
    if status.success() {
        return Ok(usage);
    }
    let said = String::from_utf8_lossy(&said);
    let last: Vec<&str> = said.lines().rev().take(8).collect();
    Err(format!("{program}: {status}\n{}", last.into_iter().rev().collect::<Vec<_>>().join("\n")))
}

/// The smallest usage of `repetitions` runs of the same program. `prepare` makes the command for each run.
pub fn least_of(
    repetitions: usize,
    mut prepare: impl FnMut() -> Result<Command, String>,
) -> Result<Usage, String> {
    let mut least: Option<Usage> = None;
    for _ in 0..repetitions.max(1) {
        let usage = run(&mut prepare()?, None)?;
        least = Some(least.map_or(usage, |least| least.least(usage)));
    }
    least.ok_or_else(|| "no run was requested".into())
}

fn end(child: &mut Child, message: &str) -> String {
    // The caller gets the original error; the program must not outlive the call.
    let _ = child.kill();
    let _ = child.wait();
    message.to_owned()
}

fn cpu_seconds_of_children() -> f64 {
    let Ok(usage) = getrusage(UsageWho::RUSAGE_CHILDREN) else { return f64::NAN };
    let seconds = |time: nix::sys::time::TimeVal| time.tv_sec() as f64 + time.tv_usec() as f64 * 1e-6;
    seconds(usage.user_time()) + seconds(usage.system_time())
}

/// The largest high-water mark of a process and its descendants; 0 on systems without `/proc`.
fn peak_of_tree(process: u32) -> u64 {
    let own = std::fs::read_to_string(format!("/proc/{process}/status"))
        .ok()
        .and_then(|status| high_water_mark(&status))
        .unwrap_or(0);
    let children =
        std::fs::read_to_string(format!("/proc/{process}/task/{process}/children")).unwrap_or_default();
    children.split_whitespace().filter_map(|id| id.parse().ok()).map(peak_of_tree).fold(own, u64::max)
}

fn high_water_mark(status: &str) -> Option<u64> {
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    line.trim().strip_suffix(" kB")?.trim().parse::<u64>().ok().map(|kilobytes| kilobytes << 10)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cpu_time_and_failures_are_seen() {
        let mut busy = Command::new("sh");
        busy.args(["-c", "i=0; while [ $i -lt 100000 ]; do i=$((i+1)); done"]);
        let usage = run(&mut busy, None).unwrap();
        assert!(usage.cpu_seconds > 0.0 && usage.wall_seconds >= usage.cpu_seconds * 0.5, "{usage:?}");
        let mut failing = Command::new("sh");
        failing.args(["-c", "echo because >&2; exit 3"]);
        let message = run(&mut failing, None).unwrap_err();
        assert!(message.contains("3") && message.contains("because"), "{message}");
    }

    #[test]
    fn the_high_water_mark_is_read() {
        assert_eq!(high_water_mark("Name:\tx\nVmHWM:\t    1024 kB\nVmRSS:\t 5 kB\n"), Some(1 << 20));
        assert_eq!(high_water_mark("Name:\tx\n"), None);
    }
}
