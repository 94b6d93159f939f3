//! Signals that are ignored are heard again.
//!
//! A shell without job control starts background commands with Ctrl-C ignored, and `nohup` ignores the end of the
//! terminal. Whoever is started inherits that, and rightly keeps it. So tests of signals would wait for ever.

use std::process::{Command, Stdio};

/// Signals by number and name: those that tests send.
const NEEDED: [(u32, &str); 3] = [(1, "HUP"), (2, "INT"), (15, "TERM")];

/// Begins again with the signals heard, if one that tests need is ignored. Does nothing where the system does not say,
/// or has no program `env` that can do it.
pub(crate) fn hear_again() {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let ignored = ignored(&status);
    #[cfg(unix)]
    if let (false, Ok(program)) = (ignored.is_empty(), std::env::current_exe()) {
        let env = || {
            let mut env = Command::new("env");
            env.arg(format!("--default-signal={}", ignored.join(",")));
            env
        };
        if env().arg("true").stderr(Stdio::null()).status().is_ok_and(|status| status.success()) {
            // This returns only if it failed. Then all but the tests of signals can be done as well.
            let mut again = env();
            let _ = std::os::unix::process::CommandExt::exec(
                again.arg(program).args(std::env::args_os().skip(1)),
            );
        }
    }
}

/// The needed signals that a process ignores, from what Linux says of it.
fn ignored(status: &str) -> Vec<&'static str> {
    let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    let mask = mask.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok()).unwrap_or(0);
    NEEDED.iter().filter(|(number, _)| mask >> (number - 1) & 1 == 1).map(|&(_, name)| name).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ignored_signals_are_read() {
        let status = |mask: &str| format!("Name:\txtask\nSigBlk:\tffffffff\nSigIgn:\t{mask}\n");
        assert_eq!(ignored(&status("0000000000000000")), [""; 0]);
        assert_eq!(ignored(&status("0000000000001006")), ["INT"]);
        assert_eq!(ignored(&status("0000000000004003")), ["HUP", "INT", "TERM"]);
        assert_eq!(ignored("no such line"), [""; 0]);
    }
}
