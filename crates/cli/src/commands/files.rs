//! Files that appear whole or not at all.

use crate::failure::{Failure, Result};
use files::Files;
use std::path::Path;

/// Writes a file aside and renames it.
pub(super) fn write_whole(path: &Path, bytes: &[u8]) -> Result<()> {
    let written = Files::default().write_whole(path, bytes);
    written.map_err(|error| Failure::io("write", path.display(), &error.cause))
}
