//! Bytes and integers -> 64 bits: the hash functions that all other modules use.
//!
//! They do not depend on the platform or the build, because signatures are stored and compared across machines: see
//! the [format](crate::format). Tokens and shingles are hashed with a [`Key`], which is fixed unless the caller
//! supplies another.

mod key;
mod stream;
#[cfg(test)]
mod tests;

pub use key::Key;
pub(crate) use key::{BLOCK, Levels, halves};
pub use stream::ByteHasher;

use crate::math::ln;

/// Mixes 64 bits: a bijection in which every input bit affects every output bit.
///
/// It makes two rounds of xor-shift and odd multiplication (the constants are those of Stafford's 13th variant, as
/// used by SplitMix64). Because it is a bijection, it adds no collisions.
#[inline(always)]
#[must_use]
pub const fn mix64(mut x: u64) -> u64 {
    x = (x ^ (x >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    x = (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    x ^ (x >> 31)
}

/// The odd number nearest to 2^64 divided by the golden ratio. Its multiples are spread evenly.
pub(crate) const GOLDEN: u64 = 0x9e37_79b9_7f4a_7c15;

/// The high half of the 128-bit product xor its low half.
#[inline(always)]
pub(crate) const fn fold_multiply(a: u64, b: u64) -> u64 {
    let product = (a as u128).wrapping_mul(b as u128);
    (product as u64) ^ ((product >> 64) as u64)
}

/// Hashes bytes to 64 bits, with the fixed key: [`Key::token`], mixed.
///
/// The function is public, so an attacker can find two inputs with the same hash: see [`Key`].
#[inline]
#[must_use]
pub fn hash_bytes(bytes: &[u8]) -> u64 {
    spread(Key::FIXED.token(bytes))
}

/// A bijection of 64 bits. The high bits of the input affect the low bits of the output, and the other way round. It
/// is one round like the two rounds of [`mix64`].
#[inline(always)]
pub(crate) const fn spread(x: u64) -> u64 {
    let x = (x ^ x >> 32).wrapping_mul(0x082e_fa98_ec4e_6c89);
    x ^ x >> 29
}

/// SplitMix64: the generator from which every table of random constants in this crate is drawn.
///
/// It is small, gives the same numbers everywhere, and is good enough for constants and for simulations in tests.
#[derive(Debug, Clone)]
pub struct SplitMix64 {
    state: u64,
}

impl SplitMix64 {
    /// Starts the sequence that belongs to `seed`.
    #[must_use]
    pub const fn new(seed: u64) -> Self {
        Self { state: seed }
    }

    /// The next 64 random bits.
    #[inline]
    pub const fn next_u64(&mut self) -> u64 {
        self.state = self.state.wrapping_add(GOLDEN);
        mix64(self.state)
    }

    /// A number in `0..bound` (bound at least 1). The bias is negligible: below 2^-32 for bounds under 2^32.
    #[inline]
    pub const fn below(&mut self, bound: u64) -> u64 {
        ((self.next_u64() as u128 * bound as u128) >> 64) as u64
    }

    /// A number in `[0, 1)` with 53 random bits.
    #[inline]
    pub const fn next_f64(&mut self) -> f64 {
        (self.next_u64() >> 11) as f64 / (1u64 << 53) as f64
    }

    /// A standard normal number (the first of [`next_normal_pair`](Self::next_normal_pair)).
    pub fn next_normal(&mut self) -> f64 {
        self.next_normal_pair().0
    }

    /// Two independent standard normal numbers (Marsaglia's polar method).
    pub fn next_normal_pair(&mut self) -> (f64, f64) {
        loop {
            let u = 2.0 * self.next_f64() - 1.0;
            let v = 2.0 * self.next_f64() - 1.0;
            let s = u * u + v * v;
            if s > 0.0 && s < 1.0 {
                let radius = (-2.0 * ln(s) / s).sqrt();
                return (u * radius, v * radius);
            }
        }
    }
}
