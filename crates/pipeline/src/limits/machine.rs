//! How much memory this process can use: the memory of the machine, or less if a control group or `ulimit -v` limits
//! it.

use std::path::{Path, PathBuf};

/// The folder in which all Linux systems mount control groups.
const CONTROL_GROUPS: &str = "/sys/fs/cgroup";

/// The memory that this process can use, in bytes.
#[must_use]
pub fn available_memory() -> u64 {
    let mut system = sysinfo::System::new();
    system.refresh_memory();
    let machine = system.total_memory();
    let groups = std::fs::read_to_string("/proc/self/cgroup").unwrap_or_default();
    let limits = limit_files(&groups, Path::new(CONTROL_GROUPS));
    let limits = limits.iter().filter_map(|file| std::fs::read_to_string(file).ok()?.trim().parse().ok());
    limits.chain(address_space()).chain([machine]).min().unwrap_or(machine)
}

/// True if `ulimit -v` leaves room for the stacks of this many threads, and for the stacks on which they handle
/// signals.
pub(crate) fn has_room_for(threads: usize) -> bool {
    const STACK: u64 = 3 << 20;
    address_space().is_none_or(|bytes| threads as u64 <= bytes / STACK)
}

/// The bytes that `ulimit -v` leaves for data: the limit minus a fixed amount for code and stacks.
#[cfg(unix)]
fn address_space() -> Option<u64> {
    const CODE: u64 = 128 << 20;
    let limit = rustix::process::getrlimit(rustix::process::Resource::As).current?;
    Some(limit.saturating_sub(CODE))
}

#[cfg(not(unix))]
fn address_space() -> Option<u64> {
    None
}

/// The files that may contain a memory limit, for the control groups in `groups` (the text of `/proc/self/cgroup`).
/// These are the files of the group of this process and of all groups above it. In a container the path of the group
/// is often not mounted; the root is then the group of the container.
fn limit_files(groups: &str, mounted: &Path) -> Vec<PathBuf> {
    let mut files = Vec::new();
    for line in groups.lines() {
        let mut parts = line.splitn(3, ':').skip(1);
        let (Some(controllers), Some(path)) = (parts.next(), parts.next()) else { continue };
        let (root, file) = match controllers {
            "" => (mounted.to_owned(), "memory.max"),
            _ if controllers.split(',').any(|controller| controller == "memory") => {
                (mounted.join("memory"), "memory.limit_in_bytes")
            }
            _ => continue,
        };
        let own = Path::new(path.trim_start_matches('/'));
        files.extend(own.ancestors().map(|group| root.join(group).join(file)));
    }
    files
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_versions_of_control_groups_are_looked_at_up_to_the_root() {
        let groups = "5:cpu,cpuacct:/x\n4:memory:/job/7\n0::/user.slice/run.scope\n";
        let files: Vec<String> =
            limit_files(groups, Path::new("/g")).iter().map(|f| f.display().to_string()).collect();
        assert_eq!(
            files,
            [
                "/g/memory/job/7/memory.limit_in_bytes",
                "/g/memory/job/memory.limit_in_bytes",
                "/g/memory/memory.limit_in_bytes",
                "/g/user.slice/run.scope/memory.max",
                "/g/user.slice/memory.max",
                "/g/memory.max",
            ]
        );
        assert!(limit_files("nonsense\n1:2", Path::new("/g")).is_empty());
    }

    #[test]
    fn there_is_some_memory() {
        assert!(available_memory() > 1 << 20);
    }
}
