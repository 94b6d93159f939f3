//! Fingerprints of any number of 64-bit words -> the pairs of them at most k bits apart.
//!
//! Every pair is compared, so this is for the few fingerprints that share a block of bits. The loop is compiled once per kernel,
//! as that of `scan.rs`.

use crate::arch::{Kernel, dispatch, task};

/// Appends the positions `(i, j)`, i < j, of the fingerprints at most `k` bits apart, ascending. `words` has `width` words for
/// each fingerprint. Words that do not make up a whole fingerprint are left out.
///
/// ```
/// use lookalike::hamming::wide_pairs;
///
/// let fingerprints = [0b0111, 7, 0b0110, 7, 0b1001, 7];
/// let mut near = Vec::new();
/// wide_pairs(&fingerprints, 2, 1, &mut near);
/// assert_eq!(near, [(0, 1)]);
/// ```
pub fn wide_pairs(words: &[u64], width: usize, k: u32, near: &mut Vec<(u32, u32)>) {
    dispatch(Kernel::best(), WidePairs { words, width, k, near });
}

struct WidePairs<'a> {
    words: &'a [u64],
    width: usize,
    k: u32,
    near: &'a mut Vec<(u32, u32)>,
}

task! {
    impl['a] WidePairs<'a> => (), |task, _: S| {
        let WidePairs { words, width, k, near } = task;
        match width {
            1 => of_width::<1>(words, k, near),
            2 => of_width::<2>(words, k, near),
            4 => of_width::<4>(words, k, near),
            8 => of_width::<8>(words, k, near),
            _ => of_any_width(words, width, k, near),
        }
    }
}

#[inline(always)]
fn of_width<const W: usize>(words: &[u64], k: u32, near: &mut Vec<(u32, u32)>) {
    let (all, _) = words.as_chunks::<W>();
    for (i, a) in all.iter().enumerate() {
        for (j, b) in all[i + 1..].iter().enumerate() {
            let mut distance = 0;
            for word in 0..W {
                distance += (a[word] ^ b[word]).count_ones();
            }
            if distance <= k {
                near.push((i as u32, (i + 1 + j) as u32));
            }
        }
    }
}

#[inline(always)]
fn of_any_width(words: &[u64], width: usize, k: u32, near: &mut Vec<(u32, u32)>) {
    if width == 0 {
        return;
    }
    for (i, a) in words.chunks_exact(width).enumerate() {
        for (j, b) in words[(i + 1) * width..].chunks_exact(width).enumerate() {
            let distance: u32 = a.iter().zip(b).map(|(a, b)| (a ^ b).count_ones()).sum();
            if distance <= k {
                near.push((i as u32, (i + 1 + j) as u32));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hashing::SplitMix64;

    #[test]
    fn all_near_pairs_are_found_on_every_kernel() {
        let mut random = SplitMix64::new(3);
        for width in 1..=9 {
            let mut words: Vec<u64> = (0..20 * width).map(|_| random.next_u64()).collect();
            for at in 0..10 * width {
                words[10 * width + at] = words[at] ^ (1 << random.below(64));
            }
            let distance = |i: usize, j: usize| {
                let of = |at: usize| &words[at * width..(at + 1) * width];
                of(i).iter().zip(of(j)).map(|(a, b)| (a ^ b).count_ones()).sum::<u32>()
            };
            let k = width as u32;
            let expected: Vec<(u32, u32)> = (0..20)
                .flat_map(|i| (i + 1..20).map(move |j| (i, j)))
                .filter(|&(i, j)| distance(i, j) <= k)
                .map(|(i, j)| (i as u32, j as u32))
                .collect();
            assert_eq!(expected.len(), 10);
            for kernel in Kernel::available() {
                let mut near = Vec::new();
                dispatch(kernel, WidePairs { words: &words, width, k, near: &mut near });
                assert_eq!(near, expected, "width {width}");
            }
        }
    }
}
