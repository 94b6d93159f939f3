//! A file of weights -> the weight of each shingle.

use crate::{Error, Result};
use lookalike::shingling::Shingler;
use std::collections::HashMap;
use std::fs::File;
use std::io::{BufRead, BufReader, Read};
use std::path::Path;

/// A line of this many bytes or more, including its end, is an error.
const LONGEST_LINE: u64 = 1 << 20;

/// The most memory that a weight needs, in bytes. The table doubles its size when it is full.
pub(crate) const WEIGHT_BYTES: u64 = 64;

/// Reads a file with lines `shingle<TAB>weight`, and returns the weights and a hash of the file. The shingle is
/// written as text, which the shingler must turn into exactly one shingle.
pub(crate) fn read(file: &Path, shingler: &Shingler) -> Result<(HashMap<u64, f64>, String)> {
    let name = file.display().to_string();
    let failed = |cause| Error::Io { action: "read", name: name.clone(), cause };
    // The file is read again when questions about the run are answered, which a pipe does not allow.
    if !file.metadata().map_err(failed)?.is_file() {
        return Err(Error::Invalid(format!("{name} is not a file; write the weights to a file")));
    }
    let mut reader = BufReader::new(File::open(file).map_err(failed)?);
    let mut hasher = blake3::Hasher::new();
    let mut weights = HashMap::new();
    let mut bytes = Vec::new();
    for at in 0.. {
        corpus::go_on().map_err(failed)?;
        bytes.clear();
        (&mut reader).take(LONGEST_LINE).read_until(b'\n', &mut bytes).map_err(failed)?;
        if bytes.is_empty() {
            break;
        }
        hasher.update(&bytes);
        let line = match std::str::from_utf8(&bytes) {
            _ if bytes.len() as u64 == LONGEST_LINE => {
                return Err(Error::Invalid(format!("{name}, line {}: the line is too long", at + 1)));
            }
            Ok(line) => line.trim_end_matches(['\r', '\n']),
            Err(_) => return Err(Error::Invalid(format!("{name}, line {}: it is not valid UTF-8", at + 1))),
        };
        if line.trim().is_empty() {
            continue;
        }
        let wrong = |why: &str| Error::Invalid(format!("{name}, line {}: {why}", at + 1));
        let (shingle, weight) =
            line.rsplit_once('\t').ok_or_else(|| wrong("no tab between the shingle and the weight"))?;
        let weight: f64 = weight.trim().parse().map_err(|_| wrong("the weight is not a number"))?;
        if !(weight.is_finite() && weight >= 0.0) {
            return Err(wrong("the weight must be a finite number, and not negative"));
        }
        let set = shingler.set(shingle);
        let [hash] = set.as_slice() else {
            return Err(wrong("the text before the tab is not exactly one shingle"));
        };
        weights.insert(*hash, weight);
    }
    if weights.is_empty() {
        return Err(Error::Invalid(format!(
            "{name} contains no weights; write one `shingle<TAB>weight` per line"
        )));
    }
    Ok((weights, hasher.finalize().to_hex().to_string()))
}
