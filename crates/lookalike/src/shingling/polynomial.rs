//! Token hashes -> shingle hashes: the polynomial of every window, mixed.
//!
//! The hash of a shingle of tokens t1 ... tk is `mix(t1 B^(k-1) + ... + tk + salt(k))`, modulo 2^64, with a fixed
//! odd base B. It is a Rabin-style fingerprint (Karp and Rabin 1987) over token hashes in place of characters:
//! the next window can be had from the last one in two multiplications, and, since the token hashes behave like
//! random numbers, two different shingles collide with a probability of about 2^-64 (and below 2^-57 when they
//! are the same tokens in another order).

use crate::arch::{Kernel, Simd, Task, dispatch};
use crate::hashing::mix64;

/// The base of the polynomial. It is 3 modulo 8, so that `BASE^j - 1` has few factors of two: that is what keeps
/// the hash of a shingle from being that of the same shingle with two tokens swapped.
pub(crate) const BASE: u64 = 0xd6e8_feb8_6659_fd93;

/// Added per token of the window, so that a short shingle is not a longer one that begins with zeros.
const LENGTH_SALT: u64 = 0xa076_1d64_78bd_642f;

/// Up to this many tokens a window is cheaper to evaluate afresh, many windows side by side, than to roll.
const LONGEST_DIRECT: usize = 12;

/// The hash of one shingle, given all its tokens: the definition.
#[must_use]
pub fn shingle_hash(tokens: &[u64]) -> u64 {
    finish(horner(tokens), tokens.len())
}

#[inline(always)]
fn horner(tokens: &[u64]) -> u64 {
    tokens.iter().fold(0, |sum, &token| sum.wrapping_mul(BASE).wrapping_add(token))
}

#[inline(always)]
fn finish(polynomial: u64, k: usize) -> u64 {
    mix64(polynomial.wrapping_add(LENGTH_SALT.wrapping_mul(k as u64)))
}

/// The hashes of all windows of `k` tokens (k at least 1), into `out`, which has `tokens.len() - k + 1` places.
pub(crate) fn shingle_hashes(kernel: Kernel, tokens: &[u64], k: usize, out: &mut [u64]) {
    dispatch(kernel, Windows { tokens, k, out });
}

struct Windows<'a> {
    tokens: &'a [u64],
    k: usize,
    out: &'a mut [u64],
}

impl Task for Windows<'_> {
    type Output = ();

    #[inline(always)]
    fn run<S: Simd>(self, _: S) {
        let Self { tokens, k, out } = self;
        if S::MULTIPLIES_64_BIT_LANES && k <= LONGEST_DIRECT {
            direct(tokens, k, out);
        } else {
            rolling(tokens, k, out);
        }
    }
}

/// Many windows side by side, one token of each at a time.
#[inline(always)]
fn direct(tokens: &[u64], k: usize, out: &mut [u64]) {
    const LANES: usize = 64;
    let (blocks, rest) = out.as_chunks_mut::<LANES>();
    let mut start = 0;
    for block in blocks {
        let mut sums = [0u64; LANES];
        for place in start..start + k {
            for (sum, &token) in sums.iter_mut().zip(&tokens[place..place + LANES]) {
                *sum = sum.wrapping_mul(BASE).wrapping_add(token);
            }
        }
        for (hash, sum) in block.iter_mut().zip(sums) {
            *hash = finish(sum, k);
        }
        start += LANES;
    }
    rolling(&tokens[start..], k, rest);
}

/// One window after the other: the token that leaves is subtracted, the one that comes is added.
#[inline(always)]
fn rolling(tokens: &[u64], k: usize, out: &mut [u64]) {
    let Some((begin, last_tokens)) = tokens.split_at_checked(k - 1) else { return };
    let leading = BASE.wrapping_pow(k as u32);
    let mut polynomial = horner(begin);
    let mut leaving = 0u64;
    for ((hash, &first), &last) in out.iter_mut().zip(tokens).zip(last_tokens) {
        polynomial =
            polynomial.wrapping_mul(BASE).wrapping_add(last).wrapping_sub(leaving.wrapping_mul(leading));
        *hash = finish(polynomial, k);
        leaving = first;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hashing::SplitMix64;

    #[test]
    fn every_kernel_and_every_way_equals_the_definition() {
        let mut random = SplitMix64::new(7);
        let all: Vec<u64> = (0..400).map(|_| random.next_u64()).collect();
        for kernel in Kernel::available() {
            for k in (1..=20).chain([64, 100, 299, 300]) {
                for len in k..=all.len().min(k + 150) {
                    for offset in [0, 1, 3] {
                        let Some(tokens) = all.get(offset..offset + len) else { continue };
                        let expected: Vec<u64> = tokens.windows(k).map(shingle_hash).collect();
                        let mut found = vec![0; len - k + 1];
                        shingle_hashes(kernel, tokens, k, &mut found);
                        assert_eq!(found, expected, "{} k={k} len={len}", kernel.name());
                    }
                }
            }
        }
    }

    #[test]
    fn the_base_is_three_modulo_eight() {
        assert_eq!(BASE % 8, 3);
    }

    #[test]
    fn order_length_and_repetition_count() {
        let hashes = [&[1, 2][..], &[2, 1], &[0, 1, 2], &[1, 1], &[1], &[0], &[], &[0, 0]].map(shingle_hash);
        for (i, a) in hashes.iter().enumerate() {
            assert!(hashes[i + 1..].iter().all(|b| a != b));
        }
    }
}
