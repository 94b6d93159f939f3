//! The rows of a band -> its 64-bit key.

use std::fmt;

use crate::error::{Error, Result};
use crate::hashing::{GOLDEN, fold_multiply, mix64};
use crate::minhash::{MAX_HASHES, Signature};

/// The key of one band. `rows` are the slots of band number `band`, counted from 0.
///
/// The key is fixed by definition and will not change, because indexes on disk and workers of a cluster compare keys
/// that were made elsewhere. Two different band contents have the same key with probability about 2^-64, so in
/// practice the same key means the same rows. With [`Banding::with_buckets`] the probability is `1/n`, and
/// [`SCurve`](super::SCurve) takes it into account.
///
/// Cost: one multiplication per row, and no allocation in [`Banding::band_keys_into`].
///
/// The key starts as `h = (band + 1) * GOLDEN`, which depends on the number of the band, so that equal rows in
/// different bands have different keys. Then `h = fold(h ^ slot)` is applied for each slot in turn, where `fold(x)`
/// is the high half of the 128-bit product `x * GOLDEN` xor its low half. The key is `mix64(h)`.
/// `GOLDEN = 0x9e3779b97f4a7c15`, and all arithmetic is modulo 2^64.
///
/// One multiplication per row was measured to be twice as fast as a [`mix64`] per row. It is enough, because slots
/// are hash values themselves.
#[inline]
#[must_use]
pub fn band_key(band: usize, rows: &[u64]) -> u64 {
    key_of_words(band, rows.iter().copied())
}

#[inline(always)]
fn key_of_words(band: usize, words: impl Iterator<Item = u64>) -> u64 {
    mix64(words.fold(salt(band), |hash, word| fold_multiply(hash ^ word, GOLDEN)))
}

#[inline(always)]
const fn salt(band: usize) -> u64 {
    (band as u64).wrapping_add(1).wrapping_mul(GOLDEN)
}

/// Writes the [`band_key`] of each band to `keys` and returns the number of keys. Bands of `rows` rows (at least 1)
/// are one after the other in `slots`. If `keys` is shorter than the number of bands, the other bands are left out.
///
/// Every step of a key waits for the one before, so four bands are computed side by side.
pub fn band_keys(rows: usize, slots: &[u64], keys: &mut [u64]) -> usize {
    const TOGETHER: usize = 4;
    let rows = rows.max(1);
    let count = keys.len().min(slots.len() / rows);
    let (groups, rest) = keys[..count].as_chunks_mut::<TOGETHER>();
    let done = groups.len() * TOGETHER;
    for (group, (keys, slots)) in groups.iter_mut().zip(slots.chunks_exact(rows * TOGETHER)).enumerate() {
        let mut hashes: [u64; TOGETHER] = std::array::from_fn(|lane| salt(group * TOGETHER + lane));
        for row in 0..rows {
            for (lane, hash) in hashes.iter_mut().enumerate() {
                *hash = fold_multiply(*hash ^ slots[lane * rows + row], GOLDEN);
            }
        }
        *keys = hashes.map(mix64);
    }
    for (band, (key, slots)) in rest.iter_mut().zip(slots[done * rows..].chunks_exact(rows)).enumerate() {
        *key = band_key(done + band, slots);
    }
    count
}

/// The key of one band of [lanes](crate::minhash::lanes). `lanes` are the lanes of band number `band`, counted from
/// 0.
///
/// It is the [`band_key`] of words of four lanes each, with the first lane in the lowest 16 bits. A last word of
/// fewer than four lanes is filled with zeros.
///
/// A row of lanes may also agree by chance, so the S-curve is that of
/// [`bbit::row_probability`](crate::minhash::bbit::row_probability) for 16 bits.
#[inline]
#[must_use]
pub fn band_key_of_lanes(band: usize, lanes: &[u16]) -> u64 {
    let word = |lanes: &[u16]| lanes.iter().rev().fold(0, |word, &lane| word << 16 | u64::from(lane));
    key_of_words(band, lanes.chunks(4).map(word))
}

/// How a signature is cut: `bands` bands of `rows` rows each. It changes the answer.
///
/// More bands find more pairs, and more rows find fewer pairs. A signature may have more hashes than
/// `bands * rows`. The bands do not use the rest, but the estimate does.
///
/// ```
/// use lookalike::banding::Banding;
/// use lookalike::minhash::{Family, Signature};
///
/// let banding = Banding::new(2, 2)?;
/// let a = Signature::from_slots(Family::MultiplyShift, 1, vec![10, 11, 12, 13])?;
/// let b = Signature::from_slots(Family::MultiplyShift, 1, vec![10, 11, 99, 13])?;
/// let (a, b) = (banding.band_keys(&a)?, banding.band_keys(&b)?);
/// assert_eq!(a[0], b[0]); // the first band agrees in both rows: a candidate pair
/// assert_ne!(a[1], b[1]); // the second does not
/// assert_eq!(banding.to_string(), "2 x 2");
/// # Ok::<(), lookalike::Error>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Banding {
    bands: usize,
    rows: usize,
    buckets: Option<u64>,
}

impl Banding {
    /// `bands` bands of `rows` rows. Both must be at least 1, and their product at most [`MAX_HASHES`].
    pub fn new(bands: usize, rows: usize) -> Result<Self> {
        if bands == 0 {
            return Err(Error::invalid("bands", bands, "at least 1"));
        }
        if rows == 0 {
            return Err(Error::invalid("rows", rows, "at least 1"));
        }
        match bands.checked_mul(rows) {
            Some(hashes) if hashes <= MAX_HASHES => Ok(Self { bands, rows, buckets: None }),
            _ => Err(Error::invalid(
                "bands * rows",
                format_args!("{bands} * {rows}"),
                format!("at most {MAX_HASHES}, the largest number of hashes of a signature"),
            )),
        }
    }

    /// The same bands with their keys reduced to `0..buckets`, as in a hash table of that many buckets per band.
    ///
    /// Different band contents then share a bucket with probability `1 / buckets`. Without a number of buckets, keys
    /// have all 64 bits.
    pub fn with_buckets(self, buckets: u64) -> Result<Self> {
        if buckets == 0 {
            return Err(Error::invalid("buckets", buckets, "at least 1"));
        }
        Ok(Self { buckets: Some(buckets), ..self })
    }

    /// The number of bands, `b`.
    #[must_use]
    pub fn bands(&self) -> usize {
        self.bands
    }

    /// The number of rows in each band, `r`.
    #[must_use]
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// The number of buckets per band; `None` if keys have all 64 bits.
    #[must_use]
    pub fn buckets(&self) -> Option<u64> {
        self.buckets
    }

    /// The number of hashes that the bands use: `bands * rows`.
    #[must_use]
    pub fn num_hashes(&self) -> usize {
        self.bands * self.rows
    }

    /// The key of each band of `signature`, first band first.
    ///
    /// The signature of the empty set has keys too. All empty sets have the same keys. A non-empty set has one of
    /// them only if keys collide.
    pub fn band_keys(&self, signature: &Signature) -> Result<Vec<u64>> {
        let mut keys = Vec::with_capacity(self.bands);
        self.band_keys_into(signature.slots(), &mut keys)?;
        Ok(keys)
    }

    /// Like [`band_keys`](Self::band_keys), but writes to `keys`, so that its memory can be reused. `keys` is cleared
    /// first.
    pub fn band_keys_into(&self, slots: &[u64], keys: &mut Vec<u64>) -> Result<()> {
        self.check_hashes(slots.len())?;
        keys.resize(self.bands, 0);
        band_keys(self.rows, slots, keys);
        if self.buckets.is_some() {
            keys.iter_mut().for_each(|key| *key = self.reduce(*key));
        }
        Ok(())
    }

    /// The key of each band of a signature's [lanes](crate::minhash::lanes), by [`band_key_of_lanes`]. These are not
    /// the keys of its slots. `keys` is cleared first.
    pub fn band_keys_of_lanes_into(&self, lanes: &[u16], keys: &mut Vec<u64>) -> Result<()> {
        self.check_hashes(lanes.len())?;
        keys.clear();
        let bands = lanes.chunks_exact(self.rows).take(self.bands).enumerate();
        keys.extend(bands.map(|(band, lanes)| self.key_of_lanes(band, lanes)));
        Ok(())
    }

    /// The key of one band, from its lanes.
    #[inline]
    pub(crate) fn key_of_lanes(&self, band: usize, lanes: &[u16]) -> u64 {
        self.reduce(band_key_of_lanes(band, lanes))
    }

    /// Returns an error unless a signature of `hashes` hashes can be cut into these bands.
    pub(crate) fn check_hashes(&self, hashes: usize) -> Result<()> {
        if hashes < self.num_hashes() {
            return Err(Error::invalid(
                "bands * rows",
                format_args!("{} * {}", self.bands, self.rows),
                format!("at most the {hashes} hashes of the signature"),
            ));
        }
        Ok(())
    }

    /// The bucket of a key, in `0..buckets`. It is proportional to the key, not a remainder, so the bias is
    /// negligible.
    #[inline]
    fn reduce(&self, key: u64) -> u64 {
        match self.buckets {
            Some(buckets) => ((u128::from(key) * u128::from(buckets)) >> 64) as u64,
            None => key,
        }
    }
}

/// Writes bands x rows, as in the literature: `21 x 6`. If the number of buckets is limited, it is added:
/// `21 x 6 in 1024 buckets`.
impl fmt::Display for Banding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} x {}", self.bands, self.rows)?;
        match self.buckets {
            Some(buckets) => write!(f, " in {buckets} buckets"),
            None => Ok(()),
        }
    }
}
