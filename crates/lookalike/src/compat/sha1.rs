//! Byte strings -> the first 64 bits of their SHA-1, many at a time.
//!
//! Sketches of other programs hash their elements by SHA-1. One hash is a chain of 80 steps, each of which waits for
//! the one before. So a CPU that could do several things at once does only one, even with special instructions for
//! SHA-1. Here many strings are hashed side by side, one in each lane. Every step is a plain loop over the lanes,
//! which becomes a few SIMD instructions. This works for strings of one block, up to 55 bytes, such as words and
//! shingles. Longer strings are hashed by the crate `sha1`.
//!
//! ```
//! let (bytes, ends) = (b"abcabcabcdef", [3, 3, 6, 12]); // "abc", "", "abc", "abcdef"
//! let mut hashes = Vec::new();
//! lookalike::compat::sha1::hashes(bytes, &ends, &mut hashes)?;
//! assert_eq!(hashes[0], u64::from_le_bytes([0xa9, 0x99, 0x3e, 0x36, 0x47, 0x06, 0x81, 0x6a]));
//! assert_eq!(hashes[0], hashes[2]);
//! # Ok::<(), lookalike::Error>(())
//! ```

use crate::arch::{Kernel, dispatch, task};
use crate::error::{Error, Result};
use ::sha1::{Digest, Sha1};

/// The number of strings that are hashed side by side: the 32-bit lanes of two AVX-512 registers.
const LANES: usize = 32;
/// The length of the longest string that fits in a block together with its end mark and its length.
const SHORT: usize = 55;

type Lanes = [u32; LANES];

/// Computes the first 8 bytes of the SHA-1 of each string in `bytes`, as a little-endian number. `ends` holds the end
/// of each string. `hashes` is cleared first.
pub fn hashes(bytes: &[u8], ends: &[usize], hashes: &mut Vec<u64>) -> Result<()> {
    hashes_with(Kernel::best(), bytes, ends, hashes)
}

fn hashes_with(kernel: Kernel, bytes: &[u8], ends: &[usize], hashes: &mut Vec<u64>) -> Result<()> {
    if !ends.is_sorted() || ends.last().is_some_and(|&last| last > bytes.len()) {
        return Err(Error::invalid("ends", bytes.len(), "ascending, up to the number of bytes"));
    }
    hashes.clear();
    hashes.resize(ends.len(), 0);
    dispatch(kernel, Hash { bytes, ends, hashes });
    Ok(())
}

/// The first 8 bytes of the SHA-1 of one string as a little-endian number. This is the definition of [`hashes`]. Use
/// it for a single string.
///
/// ```
/// assert_eq!(lookalike::compat::sha1::hash(b"abc").to_le_bytes()[..4], [0xa9, 0x99, 0x3e, 0x36]);
/// ```
#[must_use]
pub fn hash(bytes: &[u8]) -> u64 {
    let [a, b, c, d, e, f, g, h, ..] = Sha1::digest(bytes).0;
    u64::from_le_bytes([a, b, c, d, e, f, g, h])
}

struct Hash<'a> {
    bytes: &'a [u8],
    ends: &'a [usize],
    hashes: &'a mut [u64],
}

task! {
    impl['a] Hash<'a> => (), |task, _: S| {
        let Hash { bytes, ends, hashes } = task;
        let mut start = 0;
        let (mut words, mut places, mut filled) = ([[0; LANES]; 16], [0; LANES], 0);
        for (place, &end) in ends.iter().enumerate() {
            let string = &bytes[start..end];
            start = end;
            // With narrow registers, hashing side by side takes longer than the crate `sha1`.
            if S::REGISTER_BYTES < 32 || string.len() > SHORT {
                hashes[place] = hash(string);
                continue;
            }
            let mut block = [0; 64];
            block[..string.len()].copy_from_slice(string);
            block[string.len()] = 0x80;
            block[56..].copy_from_slice(&(8 * string.len() as u64).to_be_bytes());
            for (word, bytes) in words.iter_mut().zip(block.as_chunks::<4>().0) {
                word[filled] = u32::from_be_bytes(*bytes);
            }
            places[filled] = place;
            filled += 1;
            if filled == LANES {
                write(&compress(&words), &places, hashes);
                filled = 0;
            }
        }
        // Lanes that were not filled again hold older strings, which are ignored.
        write(&compress(&words), &places[..filled], hashes);
    }
}

#[inline(always)]
fn write([first, second]: &[Lanes; 2], places: &[usize], hashes: &mut [u64]) {
    for (lane, &place) in places.iter().enumerate() {
        hashes[place] = u64::from(first[lane].swap_bytes()) | u64::from(second[lane].swap_bytes()) << 32;
    }
}

/// The five words of the state of a hash.
struct State([Lanes; 5]);

const START: [u32; 5] = [0x6745_2301, 0xefcd_ab89, 0x98ba_dcfe, 0x1032_5476, 0xc3d2_e1f0];

impl State {
    /// One step of the chain in all lanes.
    #[inline(always)]
    fn step(&mut self, words: &Lanes, constant: u32, mix: impl Fn(u32, u32, u32) -> u32) {
        let Self([a, b, c, d, e]) = self;
        for lane in 0..LANES {
            let mixed = mix(b[lane], c[lane], d[lane]).wrapping_add(words[lane].wrapping_add(constant));
            let next = a[lane].rotate_left(5).wrapping_add(e[lane]).wrapping_add(mixed);
            e[lane] = d[lane];
            d[lane] = c[lane];
            c[lane] = b[lane].rotate_left(30);
            b[lane] = a[lane];
            a[lane] = next;
        }
    }
}

/// The first two words of the digests of one block in each lane.
#[inline(always)]
fn compress(block: &[Lanes; 16]) -> [Lanes; 2] {
    let mut words = [[0; LANES]; 80];
    words[..16].copy_from_slice(block);
    for step in 16..80 {
        let (known, new) = words.split_at_mut(step);
        let [a, b, c, d] = [3, 8, 14, 16].map(|back| &known[step - back]);
        for lane in 0..LANES {
            new[0][lane] = (a[lane] ^ b[lane] ^ c[lane] ^ d[lane]).rotate_left(1);
        }
    }
    let mut state = State(START.map(|word| [word; LANES]));
    for words in &words[..20] {
        state.step(words, 0x5a82_7999, |b, c, d| d ^ (b & (c ^ d)));
    }
    for words in &words[20..40] {
        state.step(words, 0x6ed9_eba1, |b, c, d| b ^ c ^ d);
    }
    for words in &words[40..60] {
        state.step(words, 0x8f1b_bcdc, |b, c, d| (b & c) | (d & (b | c)));
    }
    for words in &words[60..] {
        state.step(words, 0xca62_c1d6, |b, c, d| b ^ c ^ d);
    }
    let State([a, b, ..]) = state;
    [a.map(|word| word.wrapping_add(START[0])), b.map(|word| word.wrapping_add(START[1]))]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hashing::SplitMix64;

    #[test]
    fn every_kernel_equals_the_definition() {
        let mut random = SplitMix64::new(1);
        for strings in (0..70).chain([1000]) {
            let (mut bytes, mut ends, mut expected) = (Vec::new(), Vec::new(), Vec::new());
            for i in 0..strings {
                // All lengths around the limits of one and two blocks, but mostly short ones.
                let length = if i % 5 == 4 { i % 130 } else { random.below(57) as usize };
                let string: Vec<u8> = (0..length).map(|_| random.next_u64() as u8).collect();
                expected.push(hash(&string));
                bytes.extend(string);
                ends.push(bytes.len());
            }
            for kernel in Kernel::available() {
                let mut hashes = vec![1];
                hashes_with(kernel, &bytes, &ends, &mut hashes).unwrap();
                assert_eq!(hashes, expected, "{} {strings}", kernel.name());
            }
        }
    }

    #[test]
    fn every_length_up_to_two_blocks() {
        for length in 0..=130 {
            let bytes = vec![b'x'; length];
            let mut found = Vec::new();
            hashes(&bytes, &[length], &mut found).unwrap();
            assert_eq!(found, [hash(&bytes)], "{length}");
        }
    }

    #[test]
    fn ends_must_be_ends() {
        let mut found = Vec::new();
        assert!(hashes(b"abc", &[4], &mut found).is_err());
        assert!(hashes(b"abc", &[2, 1], &mut found).is_err());
    }
}
