//! Matches <-> a file, from which a killed run goes on.
//!
//! A line of JSON with everything but the matches, then 8 bytes with their number, then each match: its two records, its
//! probability, its log odds and the weights of its fields, in the order of the bytes of this machine; at the end a checksum. The
//! file appears whole or not at all. One that is damaged or of another version is not used.

use super::Result;
use crate::link::{Linked, Match};
use files::Files;
use lookalike::hashing::{hash_bytes, mix64};
use std::io::{BufReader, BufWriter, Write};
use std::path::Path;

/// The version, in front of the JSON.
const VERSION: &str = "1 ";

/// Adds to the checksum of what was written or read.
#[derive(Default)]
struct Checksum(u64);

impl Checksum {
    fn add(&mut self, bytes: &[u8]) {
        self.0 = mix64(self.0 ^ hash_bytes(bytes)).wrapping_add(bytes.len() as u64);
    }
}

/// Writes the file.
pub(super) fn write(files: &Files, path: &Path, linked: &Linked) -> Result<()> {
    let failed = |cause| {
        corpus::Error::from(files::Error { action: "write", name: path.display().to_string(), cause })
    };
    let mut out = BufWriter::with_capacity(1 << 16, files.begin(path).map_err(corpus::Error::from)?);
    let mut sum = Checksum::default();
    let mut put = |bytes: &[u8]| {
        sum.add(bytes);
        out.write_all(bytes).map_err(failed)
    };
    let json = serde_json::to_string(linked).map_err(|cause| failed(cause.into()))?;
    put(format!("{VERSION}{json}\n").as_bytes())?;
    put(&(linked.matches.len() as u64).to_ne_bytes())?;
    let mut bytes = Vec::new();
    for found in &linked.matches {
        bytes.clear();
        for number in [found.a as u64, found.b as u64] {
            bytes.extend_from_slice(&number.to_ne_bytes());
        }
        for number in [found.probability, found.weight].iter().chain(&found.weights) {
            bytes.extend_from_slice(&number.to_ne_bytes());
        }
        put(&bytes)?;
    }
    let sum = sum.0.to_ne_bytes();
    out.write_all(&sum).map_err(failed)?;
    let file = out.into_inner().map_err(|error| failed(error.into_error()))?;
    Ok(file.finish().map_err(corpus::Error::from)?)
}

/// Reads the file; nothing if it is not there or cannot be used. Its records are below `records`.
pub(super) fn read(files: &Files, path: &Path, records: usize) -> Result<Option<Linked>> {
    if !files.exists(path).map_err(corpus::Error::from)? {
        return Ok(None);
    }
    let file = files.open(path).map_err(corpus::Error::from)?;
    Ok(matches_in(&mut BufReader::with_capacity(1 << 16, file), records))
}

fn matches_in(file: &mut impl std::io::BufRead, records: usize) -> Option<Linked> {
    let (mut sum, mut line) = (Checksum::default(), Vec::new());
    file.read_until(b'\n', &mut line).ok()?;
    sum.add(&line);
    let mut linked: Linked = serde_json::from_slice(line.strip_prefix(VERSION.as_bytes())?).ok()?;
    let fields = linked.model.fields.len();
    let mut number = [0; 8];
    file.read_exact(&mut number).ok()?;
    sum.add(&number);
    let mut bytes = vec![0; 8 * (4 + fields)];
    for _ in 0..u64::from_ne_bytes(number) {
        file.read_exact(&mut bytes).ok()?;
        sum.add(&bytes);
        let word = |at: usize| <[u8; 8]>::try_from(&bytes[8 * at..8 * at + 8]).unwrap_or_default();
        let record =
            |at: usize| usize::try_from(u64::from_ne_bytes(word(at))).ok().filter(|it| *it < records);
        let real = |at: usize| f64::from_ne_bytes(word(at));
        linked.matches.push(Match {
            a: record(0)?,
            b: record(1)?,
            probability: real(2),
            weight: real(3),
            weights: (4..4 + fields).map(real).collect(),
        });
    }
    file.read_exact(&mut number).ok()?;
    (u64::from_ne_bytes(number) == sum.0 && file.read(&mut number).ok()? == 0).then_some(linked)
}

#[cfg(test)]
mod tests {
    use super::super::tests::job_of;
    use super::*;

    #[test]
    fn matches_are_read_as_they_were_written_and_damage_is_noticed() {
        let rows: String = (0..90).map(|at| format!("{at},anna{},{}\n", at / 2, 1_900 + at / 2)).collect();
        let (job, folder) = job_of(&format!("id,name,number\n{rows}"));
        let matched = job.link(job.read(&|| false).unwrap(), &|| false).unwrap();
        let (files, path) = (Files::default(), folder.path().join("matched"));
        assert!(!matched.linked.matches.is_empty());
        assert!(read(&files, &path, 90).unwrap().is_none());
        write(&files, &path, &matched.linked).unwrap();
        assert_eq!(read(&files, &path, 90).unwrap().unwrap(), matched.linked);
        assert!(read(&files, &path, 20).unwrap().is_none(), "a record that is not there");
        let whole = std::fs::read(&path).unwrap();
        for at in (0..whole.len()).step_by(101).chain([whole.len() - 1]) {
            let mut damaged = whole.clone();
            damaged[at] ^= 1;
            assert!(matches_in(&mut &damaged[..], 90).is_none(), "byte {at}");
            assert!(matches_in(&mut &whole[..at], 90).is_none(), "cut at {at}");
        }
        assert!(matches_in(&mut &[&whole[..], &[0]].concat()[..], 90).is_none());
    }
}
