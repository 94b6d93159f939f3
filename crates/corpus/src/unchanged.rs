//! Sources -> the first one, if any, that has changed since it was found.
//!
//! A file of up to 4 MiB is recognised by a checksum of all its bytes. A larger file is recognised by its size and a
//! checksum of 4 MiB of it: the first block, the last block, and 254 blocks at equal distances between them. A change
//! that keeps the length and lies between two of these blocks is not noticed; a checksum of every byte would cost a
//! second reading.
//! Between two runs the time of a file does not count: touching a file does not change it, and a copy of a file is as
//! good as the file. While a run reads a large file, the file must not be touched: with the same time it counts as
//! unchanged, with another time as changed.
//! A copy of an input that delivers its bytes only once, such as standard input, is recognised by a checksum of all
//! its bytes, which is computed when the copy is made. An object is recognised by the tag that its store gives it.

use crate::discovery::modified;
use crate::{Error, Location, Result, Source, object};
use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};

/// Size of a block in bytes.
const BLOCK: u64 = 16 << 10;
/// Number of blocks of a file that is larger than all of them together.
const BLOCKS: u64 = 256;

/// True if the checksum of a file of this size covers all its bytes.
fn is_whole(size: u64) -> bool {
    size <= BLOCKS * BLOCK
}

/// True if every change of the source is noticed, because its checksum or tag depends on all its bytes.
#[must_use]
pub fn is_summed_whole(source: &Source) -> bool {
    !matches!(source.location, Location::Local(_)) || is_whole(source.size)
}

/// The size of a local source, and its checksum in hexadecimal. `None` if it is not a file.
pub fn checksum(source: &Source) -> Result<Option<(u64, String)>> {
    let Location::Local(path) = &source.location else { return Ok(None) };
    // A special file delivers its bytes only once, and must not be read here.
    if std::fs::metadata(path).is_ok_and(|found| !found.is_file()) {
        return Ok(None);
    }
    let summed = File::open(path).and_then(sum);
    summed.map(Some).map_err(|cause| Error::Io { action: "read", name: source.name.clone(), cause })
}

fn sum(mut file: File) -> io::Result<(u64, String)> {
    let size = file.metadata()?.len();
    let mut hasher = blake3::Hasher::new();
    hasher.update(&size.to_le_bytes());
    let mut buffer = Vec::new();
    let mut add = |from: u64, bytes: u64| -> io::Result<()> {
        file.seek(SeekFrom::Start(from))?;
        buffer.clear();
        (&mut file).take(bytes).read_to_end(&mut buffer)?;
        hasher.update(&buffer);
        Ok(())
    };
    if is_whole(size) {
        add(0, size)?;
    } else {
        for block in 0..BLOCKS {
            // The last block begins one block size before the end.
            let from = u128::from(size - BLOCK) * u128::from(block) / u128::from(BLOCKS - 1);
            add(from as u64, BLOCK)?;
        }
    }
    Ok((size, hasher.finalize().to_hex().to_string()))
}

/// The first of these sources, if any, that has changed since it was found. `checksums` are the checksums of the
/// local sources, and empty for others.
pub fn changed<'s>(sources: &[&'s Source], checksums: &[&str]) -> Result<Option<&'s Source>> {
    for (source, before) in sources.iter().zip(checksums).filter(|(_, before)| !before.is_empty()) {
        // Nobody else can write to the copy of a pipe.
        let Location::Local(path) = &source.location else { continue };
        // If the time differs, it is unknown whether the bytes between the blocks have changed.
        let has_time = || std::fs::metadata(path).is_ok_and(|found| modified(&found) == source.stamp);
        let is_same = checksum(source)?.is_some_and(|(_, now)| now == **before);
        if !is_same || !is_whole(source.size) && !has_time() {
            return Ok(Some(source));
        }
    }
    object::changed(sources)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_touch_is_no_change_and_any_looked_at_byte_is() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.txt");
        for size in [0_usize, 1, 100_000, 4 << 20, (4 << 20) + 1, 9_000_000] {
            let bytes: Vec<u8> = (0..size).map(|n| (n * 31 % 251) as u8).collect();
            std::fs::write(&path, &bytes).unwrap();
            let source =
                crate::discover(&[path.display().to_string()], &Default::default()).unwrap().remove(0);
            let (found, before) = checksum(&source).unwrap().unwrap();
            assert_eq!(found, size as u64);
            let is_changed = || changed(&[&source], &[&before]).unwrap().is_some();
            File::options().append(true).open(&path).unwrap().set_modified(std::time::UNIX_EPOCH).unwrap();
            assert_eq!(is_changed(), !is_whole(size as u64), "{size}: touched");
            assert_eq!(checksum(&source).unwrap().unwrap().1, before, "{size}: touched");
            let looked_at = [0, size / 3, size.saturating_sub(1)].into_iter();
            for at in looked_at.filter(|at| *at < size && (size <= 4 << 20 || *at != size / 3)) {
                let mut other = bytes.clone();
                other[at] ^= 1;
                std::fs::write(&path, &other).unwrap();
                assert!(is_changed(), "{size}: byte {at}");
                assert_ne!(checksum(&source).unwrap().unwrap().1, before, "{size}: byte {at}");
            }
            std::fs::write(&path, [&bytes[..], b"x"].concat()).unwrap();
            assert!(is_changed(), "{size}: longer");
            std::fs::write(&path, &bytes).unwrap();
            assert_eq!(checksum(&source).unwrap().unwrap().1, before, "{size}: as it was");
        }
    }
}
