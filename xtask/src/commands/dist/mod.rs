//! `cargo xtask dist`: builds the parts of a release. Each part is installed and tried in an environment that
//! contains nothing else.
//!
//! | part | made by | tried in |
//! |---|---|---|
//! | the program with manual pages and completions | `cargo zigbuild`, for any Linux since glibc 2.17 | a root folder with only the C library |
//! | the wheel, for CPython 3.9 and later | `maturin --zig`, checked by `auditwheel` | a fresh virtual environment |
//! | source crates | `cargo package` | a build of each from its package |
//! | `SHA256SUMS` | `sha256sum` | - |

mod binary;
mod crates;
mod wheel;

use super::python;
use crate::{output, step};
use std::path::{Path, PathBuf};
use std::process::Command;

/// The tools that build the parts, from the Python package index.
const TOOLS: [&str; 4] = ["maturin>=1.16,<2", "ziglang>=0.15", "cargo-zigbuild>=0.20,<1", "auditwheel>=6,<7"];

/// The platform of the program and the wheel.
const TARGET: &str = "x86_64-unknown-linux-gnu";

/// The oldest C library that they run with, and the name that Python gives it.
const GLIBC: &str = "2.17";
const MANYLINUX: &str = "manylinux2014";

/// The version of the release.
const VERSION: &str = env!("CARGO_PKG_VERSION");

pub(crate) fn run() -> Result<(), String> {
    if !cfg!(all(target_arch = "x86_64", target_os = "linux")) {
        return Err(format!("a release can only be built on x86-64 Linux, for {TARGET}"));
    }
    let folder = step::build_folder().join("dist");
    replace_folder(&folder)?;
    let tools = python::environment("tools-of-dist", &TOOLS)?;
    let mut parts = vec![binary::make(&tools, &folder)?, wheel::make(&tools, &folder)?];
    parts.extend(crates::make(&folder)?);
    checksums(&folder, &parts)?;
    output::line(&format!("a release of {} parts is in {}", parts.len(), folder.display()));
    for part in &parts {
        let bytes = std::fs::metadata(part).map_err(|cause| cannot("read", part, &cause))?.len();
        output::line(&format!("  {:>7.1} MB  {}", bytes as f64 / 1e6, name(part)));
    }
    Ok(())
}

/// Writes `SHA256SUMS`, and checks it.
fn checksums(folder: &Path, parts: &[PathBuf]) -> Result<(), String> {
    let mut sum = Command::new("sha256sum");
    sum.args(parts.iter().map(|part| name(part))).current_dir(folder);
    let sums = step::run_for_output("checksums", &mut sum)?;
    let file = folder.join("SHA256SUMS");
    std::fs::write(&file, sums).map_err(|cause| cannot("write", &file, &cause))?;
    let mut check = Command::new("sha256sum");
    step::run("checksums, checked", check.args(["--check", "--quiet", "SHA256SUMS"]).current_dir(folder))
}

/// Puts the tools first in the `PATH` of a command.
fn with_tools(tools: &Path, command: &mut Command) -> Result<(), String> {
    let programs = python::program(tools, "");
    let path = std::env::var_os("PATH").unwrap_or_default();
    let all = std::iter::once(programs).chain(std::env::split_paths(&path));
    let joined = std::env::join_paths(all).map_err(|error| error.to_string())?;
    command.env("PATH", joined).current_dir(step::root());
    Ok(())
}

/// Creates an empty folder. An existing folder is removed first.
fn replace_folder(folder: &Path) -> Result<(), String> {
    if folder.exists() {
        std::fs::remove_dir_all(folder).map_err(|cause| cannot("remove", folder, &cause))?;
    }
    std::fs::create_dir_all(folder).map_err(|cause| cannot("create", folder, &cause))
}

fn copy(from: &Path, to: &Path) -> Result<(), String> {
    if let Some(folder) = to.parent() {
        std::fs::create_dir_all(folder).map_err(|cause| cannot("create", folder, &cause))?;
    }
    std::fs::copy(from, to).map(|_| ()).map_err(|cause| cannot("copy", from, &cause))
}

fn cannot(action: &str, path: &Path, cause: &std::io::Error) -> String {
    format!("cannot {action} {}: {cause}", path.display())
}

fn name(path: &Path) -> String {
    path.file_name().unwrap_or_default().to_string_lossy().into_owned()
}
