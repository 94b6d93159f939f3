//! Two strings of equal length -> the number of positions in which they differ.

use crate::arch::{Kernel, dispatch, task};
use crate::error::{Error, Result};

/// The number of positions in which two slices of equal length differ.
///
/// ```
/// use lookalike::similarity::hamming;
///
/// assert_eq!(hamming(&[1, 0, 1, 1, 1], &[1, 0, 0, 1, 1])?, 1);
/// # Ok::<(), lookalike::Error>(())
/// ```
pub fn hamming<T: PartialEq>(a: &[T], b: &[T]) -> Result<usize> {
    check_lengths(a, b)?;
    Ok(a.iter().zip(b).filter(|(x, y)| x != y).count())
}

/// `1 - hamming / length`: the share of positions that agree. It is 1 for two empty strings.
pub fn hamming_similarity<T: PartialEq>(a: &[T], b: &[T]) -> Result<f64> {
    let different = hamming(a, b)?;
    Ok(if a.is_empty() { 1.0 } else { (a.len() - different) as f64 / a.len() as f64 })
}

/// The number of bits in which two 64-bit words differ.
///
/// ```
/// use lookalike::similarity::hamming_bits;
///
/// assert_eq!(hamming_bits(0b10111, 0b10011), 1);
/// ```
#[inline]
#[must_use]
pub const fn hamming_bits(a: u64, b: u64) -> u32 {
    (a ^ b).count_ones()
}

/// The number of bits in which two bit strings of equal length differ. Each word holds 64 bits of a string.
pub fn hamming_words(a: &[u64], b: &[u64]) -> Result<u64> {
    check_lengths(a, b)?;
    Ok(dispatch(Kernel::best(), DifferingBits(a, b)))
}

struct DifferingBits<'a>(&'a [u64], &'a [u64]);

task! {
    impl['a] DifferingBits<'a> => u64, |task, _: S| {
        task.0.iter().zip(task.1).map(|(&x, &y)| u64::from(hamming_bits(x, y))).sum()
    }
}

/// Returns an error unless the two slices are equally long.
pub(super) fn check_lengths<T>(a: &[T], b: &[T]) -> Result<()> {
    if a.len() == b.len() { Ok(()) } else { Err(Error::LengthMismatch { left: a.len(), right: b.len() }) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn different_lengths_are_refused() {
        assert_eq!(hamming(b"ab", b"abc"), Err(Error::LengthMismatch { left: 2, right: 3 }));
        assert_eq!(hamming_words(&[1], &[]), Err(Error::LengthMismatch { left: 1, right: 0 }));
        assert!(hamming_similarity(b"a", b"").is_err());
    }

    #[test]
    fn empty_strings_are_equal() {
        assert_eq!(hamming::<u8>(&[], &[]), Ok(0));
        assert_eq!(hamming_similarity::<u8>(&[], &[]), Ok(1.0));
        assert_eq!(hamming_words(&[], &[]), Ok(0));
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]
        #[test]
        fn words_equal_their_bits_one_by_one(pairs in prop::collection::vec(any::<(u64, u64)>(), 0..70)) {
            let (a, b): (Vec<u64>, Vec<u64>) = pairs.into_iter().unzip();
            let bits = |words: &[u64]| -> Vec<bool> {
                words.iter().flat_map(|&word| (0..64).map(move |i| word >> i & 1 == 1)).collect()
            };
            let different = hamming(&bits(&a), &bits(&b)).unwrap();
            prop_assert_eq!(hamming_words(&a, &b).unwrap(), different as u64);
            for kernel in Kernel::available() {
                prop_assert_eq!(dispatch(kernel, DifferingBits(&a, &b)), different as u64, "{}", kernel.name());
            }
            let places = (64 * a.len()).max(1) as f64;
            prop_assert!((hamming_similarity(&bits(&a), &bits(&b)).unwrap() - (1.0 - different as f64 / places)).abs() < 1e-12);
        }
    }
}
