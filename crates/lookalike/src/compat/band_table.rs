//! Band keys -> dense positions -> the positions that share a bucket: a banded table without signatures.

use super::buckets::Buckets;
use crate::encoding::Format;
use crate::error::{Error, Result, check_length};

const FORMAT: Format = Format { what: "band table", magic: "LKBT", version: 1 };

/// The largest number of bands of a table. It is limited because each band has a map of its own.
pub const MAX_BANDS: usize = 1 << 16;

/// A table of buckets by band keys.
///
/// [`LshIndex`](crate::index::LshIndex) stores signatures, to estimate similarities and to remove documents. If the
/// caller has the signatures, or needs only candidates, the keys are enough, whatever they were made of. The caller computes the keys, for example with
/// [`Banding::band_keys`](crate::banding::Banding::band_keys) or [`band_key`](crate::banding::band_key). The caller
/// also knows the names of the documents: the table knows a document only by the position that [`BandTable::insert`]
/// returned.
///
/// Memory: per position and band 8 bytes for the key and 8 for the links of the chain, and about 25 for each bucket.
///
/// # Stored bytes
///
/// ```text
/// offset  size  field
///      0     4  magic "LKBT"
///      4     1  version, 1
///      5     3  zeros
///      8     8  number of bands
///     16     8  number of positions in use
///     24   8 each  keys of the first position, in the order of the bands, then of the second, ...
/// ```
///
/// When a table is read, positions are numbered again, in ascending order without gaps.
///
/// ```
/// use lookalike::compat::BandTable;
///
/// let mut table = BandTable::new(2)?;
/// let a = table.insert(&[10, 20])?;
/// let b = table.insert(&[10, 21])?;
/// assert_eq!(table.candidates(&[10, 99])?, [a, b]);
/// assert!(table.remove(a));
/// assert_eq!(table.candidates(&[10, 20])?, [b]);
/// # Ok::<(), lookalike::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct BandTable {
    buckets: Buckets,
    /// The keys, at index `position * bands + band`.
    keys: Vec<u64>,
    in_use: Vec<bool>,
    free: Vec<u32>,
}

impl BandTable {
    /// An empty table of 1 to [`MAX_BANDS`] bands.
    pub fn new(bands: usize) -> Result<Self> {
        if !(1..=MAX_BANDS).contains(&bands) {
            return Err(Error::invalid("bands", bands, format!("1 to {MAX_BANDS}")));
        }
        Ok(Self { buckets: Buckets::new(bands), keys: Vec::new(), in_use: Vec::new(), free: Vec::new() })
    }

    /// The number of bands.
    #[must_use]
    pub fn bands(&self) -> usize {
        self.buckets.bands()
    }

    /// The number of positions in use.
    #[must_use]
    pub fn len(&self) -> usize {
        self.in_use.len() - self.free.len()
    }

    /// True if no position is in use.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The positions in use, ascending.
    pub fn positions(&self) -> impl Iterator<Item = u32> + '_ {
        (0..).zip(&self.in_use).filter(|(_, in_use)| **in_use).map(|(position, _)| position)
    }

    /// Adds the keys of a document, one for each band, and returns its position: one that was freed, or the next one.
    pub fn insert(&mut self, keys: &[u64]) -> Result<u32> {
        check_length(keys.len(), self.bands())?;
        let position = match self.free.pop() {
            Some(position) => {
                self.keys[position as usize * keys.len()..][..keys.len()].copy_from_slice(keys);
                self.in_use[position as usize] = true;
                position
            }
            None => {
                let position = self.next_position()?;
                self.keys.extend_from_slice(keys);
                self.in_use.push(true);
                position
            }
        };
        self.buckets.insert(position, keys);
        Ok(position)
    }

    fn next_position(&self) -> Result<u32> {
        // The largest u32 marks the end of a chain.
        match u32::try_from(self.in_use.len()) {
            Ok(position) if position < u32::MAX => Ok(position),
            _ => {
                Err(Error::invalid("number of documents", self.in_use.len(), "at most 2^32 - 1 in one table"))
            }
        }
    }

    /// Removes the document at `position`. Returns true if there was one.
    pub fn remove(&mut self, position: u32) -> bool {
        let Some(keys) = self.keys_at(position) else { return false };
        let keys = keys.to_vec();
        self.buckets.remove(position, &keys);
        self.in_use[position as usize] = false;
        self.free.push(position);
        true
    }

    /// The keys at `position`.
    #[must_use]
    pub fn keys_at(&self, position: u32) -> Option<&[u64]> {
        let (at, bands) = (position as usize, self.bands());
        self.in_use.get(at).filter(|in_use| **in_use)?;
        self.keys.get(at * bands..(at + 1) * bands)
    }

    /// The positions that share a bucket with these keys, ascending. If there are fewer keys than bands, only the
    /// first bands are searched.
    pub fn candidates(&self, keys: &[u64]) -> Result<Vec<u32>> {
        if keys.len() > self.bands() {
            return Err(Error::LengthMismatch { left: keys.len(), right: self.bands() });
        }
        Ok(self.buckets.candidates(keys))
    }

    /// The positions in one bucket, ascending.
    #[must_use]
    pub fn bucket(&self, band: usize, key: u64) -> Vec<u32> {
        let mut positions: Vec<u32> = self.buckets.bucket(band, key).collect();
        positions.sort_unstable();
        positions
    }

    /// The key and the size of every bucket of a band, ordered by the newest position in each bucket.
    #[must_use]
    pub fn bucket_sizes(&self, band: usize) -> Vec<(u64, usize)> {
        if band >= self.bands() {
            return Vec::new();
        }
        let heads = self.positions().filter(|&position| self.buckets.is_head(position, band));
        let key_at = |position: u32| self.keys[position as usize * self.bands() + band];
        heads.map(|head| (key_at(head), self.buckets.size_from(head, band))).collect()
    }

    /// The number of buckets of a band that are not empty.
    #[must_use]
    pub fn bucket_count(&self, band: usize) -> usize {
        self.buckets.count(band)
    }

    /// Adds all documents of `other`, in ascending order of their positions. Returns the new positions in that order.
    pub fn merge(&mut self, other: &Self) -> Result<Vec<u32>> {
        check_length(self.bands(), other.bands())?;
        let keys = other.positions().filter_map(|position| other.keys_at(position));
        keys.map(|keys| self.insert(keys)).collect()
    }

    /// The table as bytes.
    #[must_use]
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut bytes = FORMAT.begin(24 + 8 * self.len() * self.bands());
        bytes.extend_from_slice(&[0; 3]);
        bytes.extend_from_slice(&(self.bands() as u64).to_le_bytes());
        bytes.extend_from_slice(&(self.len() as u64).to_le_bytes());
        for keys in self.positions().filter_map(|position| self.keys_at(position)) {
            bytes.extend(keys.iter().flat_map(|key| key.to_le_bytes()));
        }
        bytes
    }

    /// Reads a table from bytes.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self> {
        let mut reader = FORMAT.read(bytes)?;
        reader.zeros::<3>()?;
        let bands = reader.u64()?;
        let Some(bands) = usize::try_from(bands).ok().filter(|bands| (1..=MAX_BANDS).contains(bands)) else {
            return Err(reader.refuse(format!("{bands} bands, expected 1 to {MAX_BANDS}")));
        };
        let positions = reader.u64()?;
        let Some(count) = positions.checked_mul(bands as u64) else {
            return Err(reader.refuse(format!("{positions} positions, too many for {bands} bands")));
        };
        let keys: Vec<u64> = reader.words(count)?.collect();
        let mut table = Self::new(bands)?;
        for keys in keys.chunks_exact(bands) {
            table.insert(keys)?;
        }
        Ok(table)
    }
}

#[cfg(test)]
#[path = "band_table_tests.rs"]
mod tests;
