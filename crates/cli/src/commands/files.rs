//! Files that appear whole or not at all.

use crate::failure::{Failure, Result};
use std::io::Write;
use std::path::Path;

/// Writes a file aside and renames it.
pub(super) fn write_whole(path: &Path, bytes: &[u8]) -> Result<()> {
    let mut aside = path.as_os_str().to_owned();
    aside.push(".lookalike-unfinished");
    let written = std::fs::File::create(&aside)
        .and_then(|mut file| file.write_all(bytes).and_then(|()| file.sync_all()))
        .and_then(|()| std::fs::rename(&aside, path));
    written.map_err(|cause| {
        // Nothing depends on what is left aside.
        let _ = std::fs::remove_file(&aside);
        Failure::io("write", path.display(), &cause)
    })
}
