//! A name that does not exist -> the name that was probably meant.

use std::path::{Path, PathBuf};

/// The name in the same folder that is most similar to `missing`, if at most a third of its characters differ.
pub(super) fn nearest(missing: &Path) -> Option<PathBuf> {
    let wanted = missing.file_name()?.to_str()?;
    let folder = missing.parent()?;
    let listed = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
    let mut best: Option<(usize, String)> = None;
    for entry in std::fs::read_dir(listed).ok()? {
        let Ok(name) = entry.ok()?.file_name().into_string() else { continue };
        let candidate = (distance(wanted, &name), name);
        if best.as_ref().is_none_or(|best| candidate < *best) {
            best = Some(candidate);
        }
    }
    let (distance, name) = best?;
    (distance <= wanted.chars().count().div_ceil(3).min(4)).then(|| folder.join(name))
}

/// The number of characters to insert, delete or substitute (Levenshtein), computed row by row.
fn distance(a: &str, b: &str) -> usize {
    let b: Vec<char> = b.chars().collect();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (number, x) in a.chars().enumerate() {
        let mut diagonal = row[0];
        row[0] = number + 1;
        for (at, &y) in b.iter().enumerate() {
            let substituted = diagonal + usize::from(x != y);
            diagonal = row[at + 1];
            row[at + 1] = substituted.min(row[at] + 1).min(diagonal + 1);
        }
    }
    row[b.len()]
}
