//! The rows of a band -> its 64-bit key.

use std::fmt;

use crate::error::{Error, Result};
use crate::hashing::{GOLDEN, fold_multiply, mix64};
use crate::minhash::{MAX_HASHES, Signature};

/// The key of one band: `rows` are the slots of the band numbered `band` (from 0).
///
/// The key is a definition, not an implementation detail: indexes on disk and workers of a cluster compare keys
/// made elsewhere. Two different band contents share a key with probability about 2^-64, so "same key" means
/// "same rows" for every practical purpose; with [`Banding::with_buckets`] the probability is `1/n`, and
/// [`SCurve`](super::SCurve) counts it.
///
/// Cost: one multiplication per row, no allocation in [`Banding::band_keys_into`].
///
/// `h = (band + 1) * GOLDEN` salts the key with the number of the band, so that equal rows in different bands do not
/// meet; `h = fold(h ^ slot)` takes in each slot in turn, where `fold(x)` is the high half of the 128-bit product
/// `x * GOLDEN` xor its low half; `mix64(h)` is the key. `GOLDEN = 0x9e3779b97f4a7c15`, and all is modulo 2^64.
///
/// One multiplication per row: this measured twice as fast as a [`mix64`] per row, and slots are hash values
/// themselves.
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

/// The [`band_key`] of each band, for bands of `rows` rows (at least 1) one after the other in `slots`: as many as `keys`
/// has room for, or as there are. Returns how many.
///
/// Every step of a key waits for the last, so four bands are worked on side by side.
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

/// The key of one band of [lanes](crate::minhash::lanes): `lanes` are those of the band numbered `band` (from 0).
///
/// It is the [`band_key`] of the words that the lanes make: four in a word, the first in its lowest 16 bits; a last
/// word of fewer than four is filled with zeros.
///
/// A row of lanes also agrees by chance: the S-curve is that of
/// [`bbit::row_probability`](crate::minhash::bbit::row_probability) for 16 bits.
#[inline]
#[must_use]
pub fn band_key_of_lanes(band: usize, lanes: &[u16]) -> u64 {
    let word = |lanes: &[u16]| lanes.iter().rev().fold(0, |word, &lane| word << 16 | u64::from(lane));
    key_of_words(band, lanes.chunks(4).map(word))
}

/// How a signature is cut: `bands` bands of `rows` rows each. Changes the answer.
///
/// More bands catch more pairs (looser), more rows catch fewer (stricter). A signature may have more hashes than
/// `bands * rows`; the rest is then not used by the bands (but still by the estimate).
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
    /// `bands` bands of `rows` rows: both at least 1, their product at most [`MAX_HASHES`].
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
    /// Different band contents then share a bucket with probability `1 / buckets`. Without this the keys have all
    /// 64 bits.
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

    /// The number of buckets per band; `None` when keys have all 64 bits.
    #[must_use]
    pub fn buckets(&self) -> Option<u64> {
        self.buckets
    }

    /// The number of hashes the bands use: `bands * rows`.
    #[must_use]
    pub fn num_hashes(&self) -> usize {
        self.bands * self.rows
    }

    /// The key of each band of `signature`, first band first.
    ///
    /// The signature of the empty set has keys like any other: they are equal among empty sets, and shared with
    /// a non-empty set only by a collision of keys.
    pub fn band_keys(&self, signature: &Signature) -> Result<Vec<u64>> {
        let mut keys = Vec::with_capacity(self.bands);
        self.band_keys_into(signature.slots(), &mut keys)?;
        Ok(keys)
    }

    /// [`band_keys`](Self::band_keys) into a vector that is used again: `keys` is cleared first.
    pub fn band_keys_into(&self, slots: &[u64], keys: &mut Vec<u64>) -> Result<()> {
        self.check_hashes(slots.len())?;
        keys.resize(self.bands, 0);
        band_keys(self.rows, slots, keys);
        if self.buckets.is_some() {
            keys.iter_mut().for_each(|key| *key = self.reduce(*key));
        }
        Ok(())
    }

    /// The key of each band of a signature's [lanes](crate::minhash::lanes), by [`band_key_of_lanes`]: not those of its
    /// slots. `keys` is cleared first.
    pub fn band_keys_of_lanes_into(&self, lanes: &[u16], keys: &mut Vec<u64>) -> Result<()> {
        self.check_hashes(lanes.len())?;
        keys.clear();
        let bands = lanes.chunks_exact(self.rows).take(self.bands).enumerate();
        keys.extend(bands.map(|(band, lanes)| self.reduce(band_key_of_lanes(band, lanes))));
        Ok(())
    }

    /// An error unless a signature of `hashes` hashes can be cut into these bands.
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

    /// The bucket of a key: its position in `0..buckets`, proportional to the key (no modulo, so no bias worth
    /// mentioning).
    #[inline]
    fn reduce(&self, key: u64) -> u64 {
        match self.buckets {
            Some(buckets) => ((u128::from(key) * u128::from(buckets)) >> 64) as u64,
            None => key,
        }
    }
}

/// Bands x rows, as the literature writes it: `21 x 6`. Buckets are added when there is a number of them:
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
