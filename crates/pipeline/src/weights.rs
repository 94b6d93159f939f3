//! A file of weights -> the weight of each shingle.

use crate::{Error, Result};
use lookalike::shingling::Shingler;
use std::collections::HashMap;
use std::path::Path;

/// Reads lines `shingle<TAB>weight`. A shingle is written as text, and is what the shingler makes of that text. The second
/// value is a hash of the file.
pub(crate) fn read(file: &Path, shingler: &Shingler) -> Result<(HashMap<u64, f64>, String)> {
    let name = file.display().to_string();
    let text = std::fs::read_to_string(file).map_err(|cause| Error::Io {
        action: "read",
        name: name.clone(),
        cause,
    })?;
    let mut weights = HashMap::new();
    for (at, line) in text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty()) {
        let wrong = |why: &str| Error::Invalid(format!("{name}, line {}: {why}", at + 1));
        let (shingle, weight) =
            line.rsplit_once('\t').ok_or_else(|| wrong("there is no tab between shingle and weight"))?;
        let weight: f64 = weight.trim().parse().map_err(|_| wrong("the weight is not a number"))?;
        if !(weight.is_finite() && weight >= 0.0) {
            return Err(wrong("a weight is a finite number of at least 0"));
        }
        let set = shingler.set(shingle);
        let [hash] = set.as_slice() else {
            return Err(wrong("this is not exactly one shingle"));
        };
        weights.insert(*hash, weight);
    }
    if weights.is_empty() {
        return Err(Error::Invalid(format!(
            "{name} has no weights in it: lines of `shingle<TAB>weight` are needed"
        )));
    }
    Ok((weights, blake3::hash(text.as_bytes()).to_hex().to_string()))
}
