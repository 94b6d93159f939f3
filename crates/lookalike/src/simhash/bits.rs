//! The four widths of a fingerprint: `u16`, `u32`, `u64` and `u128`.
//!
//! The width is part of the type, so fingerprints of different widths cannot be confused at run time, and 64 bits
//! take exactly one machine word.

use std::fmt::{Binary, Debug};
use std::hash::Hash;
use std::ops::{BitAnd, BitOr, BitXor, Not, Shl, Shr};

mod sealed {
    pub trait Sealed {}
    impl Sealed for u16 {}
    impl Sealed for u32 {}
    impl Sealed for u64 {}
    impl Sealed for u128 {}
}

/// An unsigned integer that holds the f bits of a fingerprint: `u16`, `u32`, `u64` or `u128`.
pub trait FingerprintBits:
    sealed::Sealed
    + Copy
    + Ord
    + Hash
    + Debug
    + Binary
    + Send
    + Sync
    + 'static
    + BitAnd<Output = Self>
    + BitOr<Output = Self>
    + BitXor<Output = Self>
    + Not<Output = Self>
    + Shl<u32, Output = Self>
    + Shr<u32, Output = Self>
{
    /// The number of bits, f.
    const BITS: u32;
    /// The word with all bits 0.
    const ZERO: Self;
    /// The word with all bits 1.
    const ALL: Self;

    /// The number of bits that are 1.
    #[must_use]
    fn count_ones(self) -> u32;
    /// The number of bits that are 0 above the highest 1.
    #[must_use]
    fn leading_zeros(self) -> u32;
    /// The product modulo 2^f.
    #[must_use]
    fn wrapping_mul(self, factor: Self) -> Self;
    /// The low f bits of `wide`.
    #[must_use]
    fn truncate(wide: u128) -> Self;
    /// The same number in 128 bits.
    #[must_use]
    fn widen(self) -> u128;

    /// The number of bits in which the two words differ.
    #[inline(always)]
    #[must_use]
    fn hamming_distance(self, other: Self) -> u32 {
        (self ^ other).count_ones()
    }
}

macro_rules! implement {
    ($($word:ty),*) => {$(
        impl FingerprintBits for $word {
            const BITS: u32 = <$word>::BITS;
            const ZERO: Self = 0;
            const ALL: Self = <$word>::MAX;

            #[inline(always)]
            fn count_ones(self) -> u32 {
                self.count_ones()
            }
            #[inline(always)]
            fn leading_zeros(self) -> u32 {
                self.leading_zeros()
            }
            #[inline(always)]
            fn wrapping_mul(self, factor: Self) -> Self {
                self.wrapping_mul(factor)
            }
            #[inline(always)]
            fn truncate(wide: u128) -> Self {
                wide as Self
            }
            #[inline(always)]
            fn widen(self) -> u128 {
                u128::from(self)
            }
        }
    )*};
}

implement!(u16, u32, u64, u128);
