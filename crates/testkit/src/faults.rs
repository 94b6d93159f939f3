//! Programs killed at any moment, and disks that are full.

use std::io::{self, BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdout, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

/// When to kill a program.
#[derive(Debug, Clone)]
pub enum Moment {
    /// After this time.
    Time(Duration),
    /// As soon as the files in a folder, at any depth, have this many bytes.
    Bytes {
        /// The folder.
        folder: PathBuf,
        /// The number of bytes.
        bytes: u64,
    },
    /// As soon as a file exists.
    File(PathBuf),
}

/// How a program that was to be killed ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum End {
    /// It was killed, as with `kill -9`.
    Killed,
    /// It ended by itself before.
    Exited(ExitStatus),
}

/// Runs a program without reading its output, and kills it at the given moment without any warning.
pub fn run_and_kill(command: &mut Command, moment: &Moment) -> io::Result<End> {
    let mut child = command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).spawn()?;
    let start = Instant::now();
    let result = wait_for(&mut child, moment, start);
    if result.is_err() {
        // The caller gets the original error; the program must not outlive the call.
        let _ = child.kill();
        let _ = child.wait();
    }
    result
}

fn wait_for(child: &mut Child, moment: &Moment, start: Instant) -> io::Result<End> {
    loop {
        if let Some(status) = child.try_wait()? {
            return Ok(End::Exited(status));
        }
        let now = match moment {
            Moment::Time(after) => start.elapsed() >= *after,
            Moment::Bytes { folder, bytes } => bytes_in(folder) >= *bytes,
            Moment::File(file) => file.exists(),
        };
        if now {
            child.kill()?;
            child.wait()?;
            return Ok(End::Killed);
        }
        std::thread::sleep(Duration::from_micros(300));
    }
}

/// A program whose output is read while it runs, until it is killed. It does not outlive this value.
#[derive(Debug)]
pub struct Victim {
    child: Child,
    lines: io::Lines<BufReader<ChildStdout>>,
}

impl Victim {
    /// Starts a program. What it says on the error output is not shown.
    pub fn start(command: &mut Command) -> io::Result<Self> {
        let mut child = command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null()).spawn()?;
        let stdout = child.stdout.take().ok_or_else(|| io::Error::other("the output is not piped"))?;
        Ok(Self { child, lines: BufReader::new(stdout).lines() })
    }

    /// Reads lines until one has these words, and returns what follows them; `None` if there is no such line.
    pub fn wait_for(&mut self, words: &str) -> io::Result<Option<String>> {
        for line in self.lines.by_ref() {
            if let Some((_, rest)) = line?.split_once(words) {
                return Ok(Some(rest.to_owned()));
            }
        }
        Ok(None)
    }

    /// Kills it after a time without any warning. Returns how it ended, and what followed these words in the last line
    /// that had them. Its output is read meanwhile.
    pub fn kill_after(mut self, time: Duration, words: &str) -> io::Result<(End, Option<String>)> {
        std::thread::scope(|scope| {
            let lines = self.lines.by_ref();
            let rest = |line: String| line.split_once(words).map(|(_, rest)| rest.to_owned());
            let reader = scope.spawn(move || lines.map_while(Result::ok).filter_map(rest).last());
            std::thread::sleep(time);
            let end = end(&mut self.child)?;
            let last = reader.join().map_err(|_| io::Error::other("the reader panicked"))?;
            Ok((end, last))
        })
    }

    /// Kills it without any warning, and returns how it ended.
    pub fn kill(mut self) -> io::Result<End> {
        end(&mut self.child)
    }
}

impl Drop for Victim {
    fn drop(&mut self) {
        // It may have ended, and a drop cannot report errors.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn end(child: &mut Child) -> io::Result<End> {
    if let Some(status) = child.try_wait()? {
        return Ok(End::Exited(status));
    }
    child.kill()?;
    child.wait()?;
    Ok(End::Killed)
}

/// The number in an environment variable, for tests that can be made longer.
///
/// # Panics
///
/// If it is set and is no number.
#[must_use]
pub fn number(variable: &str, otherwise: u64) -> u64 {
    std::env::var(variable).ok().map_or(otherwise, |value| {
        value.parse().unwrap_or_else(|_| panic!("{variable} is not a number: {value}"))
    })
}

/// The number of bytes in all files below `folder`. Files that are removed in the meantime do not count.
#[must_use]
pub fn bytes_in(folder: &Path) -> u64 {
    let Ok(entries) = std::fs::read_dir(folder) else { return 0 };
    entries
        .flatten()
        .map(|entry| match entry.metadata() {
            Ok(metadata) if metadata.is_dir() => bytes_in(&entry.path()),
            Ok(metadata) => metadata.len(),
            Err(_) => 0,
        })
        .sum()
}

/// A small file system in memory, made to be filled up. It is unmounted when this value is dropped.
#[derive(Debug)]
pub struct SmallDisk {
    folder: PathBuf,
}

impl SmallDisk {
    /// Mounts a file system of `bytes` bytes at `folder`, which is created. This needs root on Linux. Otherwise the
    /// error is a sentence that says why there is no such file system; the test prints it and is skipped.
    pub fn mount(folder: &Path, bytes: u64) -> Result<Self, String> {
        std::fs::create_dir_all(folder)
            .map_err(|cause| format!("cannot create {}: {cause}", folder.display()))?;
        let output = Command::new("mount")
            .args(["-t", "tmpfs", "-o", &format!("size={bytes}"), "tmpfs"])
            .arg(folder)
            .output()
            .map_err(|cause| format!("no small disk: `mount` does not run: {cause}"))?;
        if output.status.success() {
            return Ok(Self { folder: folder.to_owned() });
        }
        // The folder is not removed if it was not empty. It is not needed.
        let _ = std::fs::remove_dir(folder);
        Err(format!("no small disk: {}", String::from_utf8_lossy(&output.stderr).trim()))
    }

    /// The folder where the file system is mounted.
    #[must_use]
    pub fn folder(&self) -> &Path {
        &self.folder
    }
}

impl Drop for SmallDisk {
    fn drop(&mut self) {
        // A drop cannot report errors. A file system that is still mounted can be seen by the user.
        let _ = Command::new("umount").arg(&self.folder).stderr(Stdio::null()).status();
        let _ = std::fs::remove_dir(&self.folder);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn folder(name: &str) -> PathBuf {
        std::env::temp_dir().join(format!("testkit-{name}-{}", std::process::id()))
    }

    #[test]
    fn a_program_is_killed_or_ends() {
        let mut sleep = Command::new("sleep");
        let end = run_and_kill(sleep.arg("60"), &Moment::Time(Duration::from_millis(20))).unwrap();
        assert_eq!(end, End::Killed);
        let end = run_and_kill(&mut Command::new("true"), &Moment::Time(Duration::from_secs(60))).unwrap();
        assert!(matches!(end, End::Exited(status) if status.success()));
    }

    #[test]
    fn what_a_victim_says_is_read() {
        let speaking = || {
            let mut command = Command::new("sh");
            command.arg("-c").arg("echo hello; echo said 1; echo said 2; exec sleep 60");
            Victim::start(&mut command).unwrap()
        };
        let mut victim = speaking();
        assert_eq!(victim.wait_for("said ").unwrap().as_deref(), Some("1"));
        assert_eq!(victim.kill().unwrap(), End::Killed);
        let mut victim = Victim::start(&mut Command::new("true")).unwrap();
        assert_eq!(victim.wait_for("said ").unwrap(), None);
        let mut victim = speaking();
        assert_eq!(victim.wait_for("said ").unwrap().as_deref(), Some("1"));
        assert_eq!(victim.wait_for("said ").unwrap().as_deref(), Some("2"));
        let (end, last) = victim.kill_after(Duration::from_millis(1), "said ").unwrap();
        assert_eq!((end, last), (End::Killed, None));
    }

    #[test]
    fn it_is_killed_when_enough_is_written() {
        let folder = folder("bytes");
        std::fs::create_dir_all(folder.join("below")).unwrap();
        let file = folder.join("below/zeros");
        let moment = Moment::Bytes { folder: folder.clone(), bytes: 100_000 };
        let mut bounded = Command::new("sh");
        bounded.arg("-c").arg(format!("yes | head -c 200000 > {}; exec sleep 60", file.display()));
        assert_eq!(run_and_kill(&mut bounded, &moment).unwrap(), End::Killed);
        assert!(bytes_in(&folder) >= 100_000);
        std::fs::remove_dir_all(&folder).unwrap();
    }

    #[test]
    fn a_small_disk_fills_up_or_says_why_not() {
        let folder = folder("disk");
        match SmallDisk::mount(&folder, 1 << 20) {
            Ok(disk) => {
                let full = std::fs::write(disk.folder().join("file"), vec![1; 2 << 20]).unwrap_err();
                assert_eq!(full.kind(), io::ErrorKind::StorageFull);
            }
            Err(reason) => assert!(reason.starts_with("no small disk: "), "{reason}"),
        }
        assert!(!folder.exists());
    }
}
