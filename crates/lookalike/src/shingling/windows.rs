//! Token hashes -> shingle hashes: [`Key::shingle`](crate::hashing::Key::shingle) of every window.
//!
//! A window of up to eight tokens is one sum, and many windows are summed side by side. For longer windows the sum of
//! eight tokens from every position is computed first. A window then uses every eighth of these sums, and the one
//! that ends where the window ends.

use crate::arch::{Kernel, dispatch, task};
use crate::hashing::{BLOCK, Key, Levels, spread};

/// The largest number of tokens in a shingle: a block of blocks.
pub const MAX_K: usize = BLOCK * BLOCK;

/// The hash of one shingle with the fixed key, given all its tokens.
#[must_use]
pub fn shingle_hash(tokens: &[u64]) -> u64 {
    Key::FIXED.shingle(tokens)
}

/// Writes the hashes of all windows of `k` tokens (1 to [`MAX_K`]) to `out`, which has length `tokens.len() - k + 1`.
pub(crate) fn shingle_hashes(kernel: Kernel, key: &Key, tokens: &[u64], k: usize, out: &mut [u64]) {
    dispatch(kernel, Windows { levels: key.shingles(), tokens, k, out });
}

struct Windows<'a> {
    levels: &'a Levels,
    tokens: &'a [u64],
    k: usize,
    out: &'a mut [u64],
}

task! {
    impl['a] Windows<'a> => (), |task, _: S| {
        let Windows { levels, tokens, k, out } = task;
        let length = levels.of_length(k as u64);
        let factors = &levels.factors[0];
        match k {
            1 => one_sum::<1>(factors, tokens, length, out),
            2 => one_sum::<2>(factors, tokens, length, out),
            3 => one_sum::<3>(factors, tokens, length, out),
            4 => one_sum::<4>(factors, tokens, length, out),
            5 => one_sum::<5>(factors, tokens, length, out),
            6 => one_sum::<6>(factors, tokens, length, out),
            7 => one_sum::<7>(factors, tokens, length, out),
            8 => one_sum::<8>(factors, tokens, length, out),
            _ => sums_of_blocks(levels, tokens, k, length, out),
        }
    }
}

/// Hashes windows of at most one block.
#[inline(always)]
fn one_sum<const K: usize>(factors: &[u64; BLOCK], tokens: &[u64], length: u64, out: &mut [u64]) {
    let count = out.len();
    let tokens: [&[u64]; K] = std::array::from_fn(|place| &tokens[place..place + count]);
    for (at, hash) in out.iter_mut().enumerate() {
        let mut sum = tokens[0][at].wrapping_add(length);
        for place in 1..K {
            sum = sum.wrapping_add(tokens[place][at].wrapping_mul(factors[place]));
        }
        *hash = spread(sum);
    }
}

/// This many windows are hashed together, so that the sums of their blocks stay in the first-level cache.
const TILE: usize = 1024;

/// Hashes windows of more than one block.
#[inline(always)]
fn sums_of_blocks(levels: &Levels, tokens: &[u64], k: usize, length: u64, out: &mut [u64]) {
    let mut blocks = [0; TILE + MAX_K];
    let last = k - BLOCK;
    for (tile, out) in out.chunks_mut(TILE).enumerate() {
        let tokens = &tokens[tile * TILE..];
        let count = out.len() + last;
        let windows: [&[u64]; BLOCK] = std::array::from_fn(|place| &tokens[place..place + count]);
        for (at, block) in blocks[..count].iter_mut().enumerate() {
            let mut sum = 0u64;
            for (window, factor) in windows.iter().zip(levels.factors[0]) {
                sum = sum.wrapping_add(window[at].wrapping_mul(factor));
            }
            *block = sum.rotate_left(32);
        }
        for (hash, block) in out.iter_mut().zip(&blocks) {
            *hash = block.wrapping_add(length);
        }
        for (place, factor) in (0..k).step_by(BLOCK).zip(levels.factors[1]).skip(1) {
            for (hash, block) in out.iter_mut().zip(&blocks[place.min(last)..]) {
                *hash = hash.wrapping_add(block.wrapping_mul(factor));
            }
        }
        out.iter_mut().for_each(|hash| *hash = spread(*hash));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hashing::SplitMix64;

    #[test]
    fn every_kernel_equals_the_definition_for_every_length_and_key() {
        let mut random = SplitMix64::new(7);
        let all: Vec<u64> = (0..2600).map(|_| random.next_u64()).collect();
        for kernel in Kernel::available() {
            for k in 1..=MAX_K {
                let key = Key::from_seed(random.next_u64());
                let lengths = (k..k + 40).chain([k + 150, TILE + k - 1, TILE + k, 2 * TILE + k + 3]);
                for len in lengths {
                    let offset = random.below(4) as usize;
                    let tokens = &all[offset..offset + len];
                    let expected: Vec<u64> = tokens.windows(k).map(|window| key.shingle(window)).collect();
                    let mut found = vec![0; len - k + 1];
                    shingle_hashes(kernel, &key, tokens, k, &mut found);
                    assert_eq!(found, expected, "{} k={k} len={len}", kernel.name());
                }
            }
        }
    }

    #[test]
    fn order_length_and_repetition_count() {
        let hashes = [&[1, 2][..], &[2, 1], &[0, 1, 2], &[1, 1], &[1], &[0], &[], &[0, 0]].map(shingle_hash);
        for (i, a) in hashes.iter().enumerate() {
            assert!(hashes[i + 1..].iter().all(|b| a != b));
        }
    }
}
