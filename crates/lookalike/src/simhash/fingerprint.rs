//! Fingerprint, fingerprint -> Hamming distance, angle and cosine with their standard errors.

use std::f64::consts::PI;

use super::FingerprintBits;
use crate::encoding::Format;
use crate::error::{Error, Result};
use crate::math::{acos, cos, powi, sin};

/// The version is also the version of the hash functions that make the bits.
const FORMAT: Format = Format { what: "SimHash fingerprint", magic: "LKSH", version: 1 };
const HEADER: usize = 16;

/// A SimHash fingerprint: f bits, and the seed of the hash functions that made them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Fingerprint<B = u64> {
    bits: B,
    seed: u64,
}

/// The angle between two vectors, estimated from their fingerprints or from their [signs of
/// hyperplanes](crate::vectors::SignSignature).
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct AngleEstimate {
    /// The number of bits in which the fingerprints differ, d.
    pub distance: u32,
    /// The estimated angle between the vectors, from 0 to pi: pi d / f. It is unbiased.
    pub angle: f64,
    /// The estimated standard deviation of `angle`: pi sqrt(p (1 - p) / f) with p = d / f.
    pub angle_standard_error: f64,
    /// The cosine of `angle`. On average it is too small by a factor of about `1 - variance(angle) / 2`.
    pub cosine: f64,
    /// The estimated standard deviation of `cosine`, to first order: sin(angle) times that of the angle.
    pub cosine_standard_error: f64,
}

impl AngleEstimate {
    /// The estimate for fingerprints of `bits` bits that differ in `distance` bits.
    ///
    /// Both standard errors are 0 at distance 0 (and f). But f equal bits show only that the angle is small, not that
    /// it is 0. With 95 % confidence it is below 3 pi / f.
    pub fn from_distance(distance: u32, bits: u32) -> Result<Self> {
        if bits == 0 {
            return Err(Error::invalid("bits", bits, "a fingerprint has at least 1 bit"));
        }
        if distance > bits {
            return Err(Error::invalid("distance", distance, format!("at most the number of bits, {bits}")));
        }
        let differing = f64::from(distance) / f64::from(bits);
        let angle = PI * differing;
        let angle_standard_error = PI * (differing * (1.0 - differing) / f64::from(bits)).sqrt();
        Ok(Self {
            distance,
            angle,
            angle_standard_error,
            cosine: cos(angle),
            cosine_standard_error: sin(angle).abs() * angle_standard_error,
        })
    }
}

impl<B: FingerprintBits> Fingerprint<B> {
    /// Makes a fingerprint from its parts. `seed` identifies the hash functions: equal seeds mean equal functions.
    #[must_use]
    pub fn from_bits(bits: B, seed: u64) -> Self {
        Self { bits, seed }
    }

    /// The f bits, as a [`HammingIndex`](crate::hamming::HammingIndex) takes them.
    #[must_use]
    pub fn bits(self) -> B {
        self.bits
    }

    /// The seed of the hash functions.
    #[must_use]
    pub fn seed(self) -> u64 {
        self.seed
    }

    /// The number of bits in which the two fingerprints differ. It is an error if their seeds differ.
    pub fn hamming_distance(self, other: Self) -> Result<u32> {
        if self.seed != other.seed {
            return Err(Error::incompatible("seed", self.seed, other.seed));
        }
        Ok(self.bits.hamming_distance(other.bits))
    }

    /// Estimates the angle between the two feature vectors, and its cosine. It is an error if the seeds differ.
    pub fn estimate(self, other: Self) -> Result<AngleEstimate> {
        AngleEstimate::from_distance(self.hamming_distance(other)?, B::BITS)
    }

    /// The fingerprint as bytes. They are the same on every machine and have a version number.
    ///
    /// ```text
    /// offset  size
    ///      0     4  magic "LKSH"
    ///      4     1  version, 1
    ///      5     1  f / 8: 2, 4, 8 or 16
    ///      6     2  0
    ///      8     8  seed, little-endian
    ///     16   f/8  the bits, little-endian
    /// ```
    #[must_use]
    pub fn to_bytes(self) -> Vec<u8> {
        let width = Self::width();
        let mut bytes = FORMAT.begin(HEADER + width);
        bytes.extend([width as u8, 0, 0]);
        bytes.extend(self.seed.to_le_bytes());
        bytes.extend(&self.bits.widen().to_le_bytes()[..width]);
        bytes
    }

    /// Reads the bytes that [`to_bytes`](Self::to_bytes) wrote. Every other input gives an error, and so does another
    /// width.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self> {
        let mut reader = FORMAT.read(bytes)?;
        let width = u32::from(reader.u8()?);
        if width * 8 != B::BITS {
            return Err(reader.refuse(format!("{} bits, expected {}", width * 8, B::BITS)));
        }
        reader.zeros::<2>()?;
        let seed = reader.u64()?;
        let mut wide = [0; 16];
        wide[..Self::width()].copy_from_slice(reader.rest(Self::width())?);
        Ok(Self { bits: B::truncate(u128::from_le_bytes(wide)), seed })
    }

    /// The number of bytes that the bits take.
    fn width() -> usize {
        (B::BITS / 8) as usize
    }
}

/// The probability that two vectors with this cosine get `bits`-bit fingerprints at most `k` bits apart. This is the
/// S-curve of SimHash, P[Binomial(f, theta / pi) <= k].
///
/// ```
/// // 64 bits and k = 3 find a pair of cosine 0.99 two times in three.
/// let found = lookalike::simhash::probability_within(3, 64, 0.99)?;
/// assert!((found - 0.674).abs() < 0.001);
/// # Ok::<(), lookalike::Error>(())
/// ```
pub fn probability_within(k: u32, bits: u32, cosine: f64) -> Result<f64> {
    if bits == 0 || bits > 128 {
        return Err(Error::invalid("bits", bits, "a fingerprint has 1 to 128 bits"));
    }
    if !(-1.0..=1.0).contains(&cosine) {
        return Err(Error::invalid("cosine", cosine, "a cosine lies between -1 and 1"));
    }
    let differs = acos(cosine) / PI;
    let mut choose = 1.0;
    let mut sum = 0.0;
    for d in 0..=k.min(bits) {
        sum += choose * powi(differs, d as usize) * powi(1.0 - differs, (bits - d) as usize);
        choose *= f64::from(bits - d) / f64::from(d + 1);
    }
    Ok(sum.min(1.0))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn distance_to_angle_and_cosine() {
        let a = Fingerprint::from_bits(0u64, 1);
        let half = a.estimate(Fingerprint::from_bits(u64::from(u32::MAX), 1)).unwrap();
        assert_eq!(half.distance, 32);
        assert!((half.angle - PI / 2.0).abs() < 1e-12 && half.cosine.abs() < 1e-12);
        assert!((half.angle_standard_error - PI / 16.0).abs() < 1e-12);
        assert!((half.cosine_standard_error - PI / 16.0).abs() < 1e-12);
        assert_eq!(a.estimate(a).unwrap().cosine, 1.0);
        assert_eq!(a.estimate(Fingerprint::from_bits(u64::MAX, 1)).unwrap().cosine, -1.0);
        assert!(AngleEstimate::from_distance(17, 16).is_err());
        assert!(AngleEstimate::from_distance(0, 0).is_err());
    }

    #[test]
    fn different_seeds_cannot_be_compared() {
        let error = Fingerprint::from_bits(0u64, 1).hamming_distance(Fingerprint::from_bits(0, 2));
        assert_eq!(error, Err(Error::incompatible("seed", 1, 2)));
    }

    #[test]
    fn bytes_there_and_back() {
        fn round<B: FingerprintBits>(wide: u128) {
            let fingerprint = Fingerprint::from_bits(B::truncate(wide), 0x0102_0304_0506_0708);
            let bytes = fingerprint.to_bytes();
            assert_eq!(bytes.len(), 16 + B::BITS as usize / 8);
            assert_eq!(Fingerprint::<B>::from_bytes(&bytes), Ok(fingerprint));
            for cut in 0..bytes.len() {
                assert!(Fingerprint::<B>::from_bytes(&bytes[..cut]).is_err());
            }
            for damaged in 0..8 {
                let mut bytes = bytes.clone();
                bytes[damaged] ^= 0x40;
                let error = Fingerprint::<B>::from_bytes(&bytes).unwrap_err();
                let field = [0, 0, 0, 0, 4, 5, 6, 6][damaged];
                assert!(matches!(error, Error::Decode { offset, .. } if offset == field), "{error}");
            }
            let longer = [&bytes[..], &[0]].concat();
            assert!(matches!(Fingerprint::<B>::from_bytes(&longer), Err(Error::Decode { offset: 16, .. })));
        }
        let wide = 0x1122_3344_5566_7788_99aa_bbcc_ddee_ff00;
        round::<u16>(wide);
        round::<u32>(wide);
        round::<u64>(wide);
        round::<u128>(wide);
        assert_eq!(
            Fingerprint::from_bits(0xa1b2u16, 3).to_bytes(),
            *b"LKSH\x01\x02\0\0\x03\0\0\0\0\0\0\0\xb2\xa1"
        );
    }

    #[test]
    fn the_s_curve_is_a_binomial_tail() {
        assert_eq!(probability_within(3, 64, 1.0).unwrap(), 1.0);
        assert_eq!(probability_within(64, 64, -1.0).unwrap(), 1.0);
        assert_eq!(probability_within(0, 64, -1.0).unwrap(), 0.0);
        // P[Binomial(2, 1/2) <= 1] = 3/4.
        assert!((probability_within(1, 2, 0.0).unwrap() - 0.75).abs() < 1e-12);
        assert!(probability_within(3, 64, f64::NAN).is_err());
        assert!(probability_within(3, 64, 1.1).is_err());
        assert!(probability_within(3, 0, 1.0).is_err());
    }
}
