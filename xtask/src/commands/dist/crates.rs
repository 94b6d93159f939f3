//! The source crates, as they would be published.

use super::{VERSION, cannot, copy, name};
use crate::step;
use std::path::{Path, PathBuf};

/// Packs every crate that can be published. Cargo builds each of them from its package.
pub(super) fn make(folder: &Path) -> Result<Vec<PathBuf>, String> {
    let packed = step::build_folder().join("package");
    // Crates of another name may lie there from before.
    super::replace_folder(&packed)?;
    let mut package = step::cargo(["package", "--locked", "--workspace"]);
    for own in ["benchmarks", "xtask", "lookalike-python", "lookalike-testkit"] {
        package.args(["--exclude", own]);
    }
    step::run("source crates", &mut package)?;
    let cannot_read = |cause| cannot("read", &packed, &cause);
    let mut parts = Vec::new();
    for entry in std::fs::read_dir(&packed).map_err(cannot_read)? {
        let file = entry.map_err(cannot_read)?.path();
        if name(&file).ends_with(&format!("-{VERSION}.crate")) {
            let part = folder.join(name(&file));
            copy(&file, &part)?;
            parts.push(part);
        }
    }
    parts.sort();
    if parts.is_empty() { Err("cargo packed no crate".into()) } else { Ok(parts) }
}
