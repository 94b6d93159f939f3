//! Bytes and integers -> 64 bits: the hash functions everything else stands on.
//!
//! All of them are fixed by definition (not by platform or build), because signatures are stored and compared
//! across machines: see `docs/signature-format.md`. Tokens and shingles are hashed with a [`Key`], which is fixed
//! unless the caller has another.

mod key;
#[cfg(test)]
mod tests;

pub use key::Key;
pub(crate) use key::{BLOCK, Levels, halves};

/// Mixes 64 bits: a bijection in which every input bit affects every output bit.
///
/// Two rounds of xor-shift and odd multiplication (the constants are those of Stafford's 13th variant, as
/// used by SplitMix64). Being a bijection it adds no collisions.
#[inline(always)]
#[must_use]
pub const fn mix64(mut x: u64) -> u64 {
    x = (x ^ (x >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    x = (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    x ^ (x >> 31)
}

/// 64 x 64 -> 128 bit product, high half xor low half.
#[inline(always)]
pub(crate) const fn fold_multiply(a: u64, b: u64) -> u64 {
    let product = (a as u128).wrapping_mul(b as u128);
    (product as u64) ^ ((product >> 64) as u64)
}

/// Hashes bytes to 64 bits, with the fixed key: [`Key::token`], mixed.
///
/// It is the same for everybody, so whoever wants to can find two inputs with one hash: see [`Key`].
#[inline]
#[must_use]
pub fn hash_bytes(bytes: &[u8]) -> u64 {
    spread(Key::FIXED.token(bytes))
}

/// A bijection of 64 bits in which the high bits of the input reach the low ones of the output, and back: one round
/// of what [`mix64`] has two of.
#[inline(always)]
pub(crate) const fn spread(x: u64) -> u64 {
    let x = (x ^ x >> 32).wrapping_mul(0x082e_fa98_ec4e_6c89);
    x ^ x >> 29
}

/// SplitMix64: the generator from which every table of random constants in this crate is drawn.
///
/// Small, fixed by definition and good enough for constants and for simulations in tests.
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
        self.state = self.state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        mix64(self.state)
    }

    /// A number in `0..bound` (bound at least 1), without modulo bias worth mentioning (below 2^-32 for
    /// bounds under 2^32).
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

/// The natural logarithm of a positive normal number, the same bits on every machine.
///
/// `f64::ln` is the platform's own and may differ in the last bit from one machine to the next; what ends up
/// in signatures must not. With `x = m 2^e` and `s = (m-1)/(m+1)`, `ln x = e ln 2 + 2 (s + s^3/3 + s^5/5 +
/// ...)`; `|s| < 0.172`, so ten terms leave less than 1e-17. Only operations that IEEE 754 rounds exactly are
/// used.
pub(crate) fn ln(x: f64) -> f64 {
    debug_assert!(x >= f64::MIN_POSITIVE && x.is_finite());
    let bits = x.to_bits();
    let mut exponent = (bits >> 52) as i64 - 1023;
    let mut mantissa = f64::from_bits(bits & 0x000f_ffff_ffff_ffff | 1023 << 52);
    if mantissa > std::f64::consts::SQRT_2 {
        mantissa *= 0.5;
        exponent += 1;
    }
    let s = (mantissa - 1.0) / (mantissa + 1.0);
    let square = s * s;
    const COEFFICIENTS: [f64; 9] =
        [1.0 / 17.0, 1.0 / 15.0, 1.0 / 13.0, 1.0 / 11.0, 1.0 / 9.0, 1.0 / 7.0, 1.0 / 5.0, 1.0 / 3.0, 1.0];
    let series = COEFFICIENTS.iter().fold(1.0 / 19.0, |sum, coefficient| sum * square + coefficient);
    exponent as f64 * std::f64::consts::LN_2 + 2.0 * s * series
}

#[cfg(test)]
mod ln_tests {
    use super::*;

    #[test]
    fn ln_agrees_with_the_platform_to_a_few_ulps() {
        let mut random = SplitMix64::new(1);
        for _ in 0..20_000 {
            let x = (random.next_f64() + f64::EPSILON) * 2f64.powi(random.below(2000) as i32 - 1000);
            let (ours, theirs) = (ln(x), x.ln());
            assert!(
                (ours - theirs).abs() <= 4.0 * f64::EPSILON * theirs.abs().max(0.25),
                "{x}: {ours} {theirs}"
            );
        }
        assert_eq!(ln(1.0), 0.0);
    }
}
