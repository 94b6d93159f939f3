//! Fingerprints -> the different fingerprints, each with the positions where it occurs.
//!
//! All later steps work on different fingerprints, so a million equal ones cost as much as one.

use super::directory::Directory;
use crate::error::{Error, Result};
use crate::simhash::FingerprintBits;

/// The different fingerprints of a collection, ascending, and for each the positions where it occurs.
#[derive(Debug, Clone)]
pub struct FingerprintGroups<B> {
    values: Vec<B>,
    /// The positions of value i are `positions[starts[i]..starts[i + 1]]`.
    starts: Vec<u32>,
    positions: Vec<u32>,
    directory: Directory,
}

impl<B: FingerprintBits> FingerprintGroups<B> {
    /// Groups at most 2^32 - 1 fingerprints. The position of a fingerprint is its index in the slice.
    pub fn new(fingerprints: &[B]) -> Result<Self> {
        let Ok(count) = u32::try_from(fingerprints.len()) else {
            let allowed = "at most 2^32 - 1 fingerprints fit one index; split the collection";
            return Err(Error::invalid("fingerprints", fingerprints.len(), allowed));
        };
        let mut sorted: Vec<(B, u32)> = fingerprints.iter().copied().zip(0..count).collect();
        sorted.sort_unstable();
        let (mut values, mut starts) =
            (Vec::with_capacity(sorted.len()), Vec::with_capacity(sorted.len() + 1));
        for (place, &(value, _)) in (0..count).zip(&sorted) {
            if values.last() != Some(&value) {
                values.push(value);
                starts.push(place);
            }
        }
        starts.push(count);
        let positions = sorted.iter().map(|&(_, position)| position).collect();
        let directory = Directory::new(&values, B::BITS);
        Ok(Self { values, starts, positions, directory })
    }

    /// The number of fingerprints. Equal ones are counted separately.
    #[must_use]
    pub fn len(&self) -> usize {
        self.positions.len()
    }

    /// True if the collection is empty.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.positions.is_empty()
    }

    /// The different fingerprints, ascending.
    #[must_use]
    pub fn values(&self) -> &[B] {
        &self.values
    }

    /// The positions, ascending, of group number `group`, whose fingerprint is [`values`](Self::values)`[group]`. It
    /// is empty if there is no such group.
    #[must_use]
    pub fn positions(&self, group: usize) -> &[u32] {
        match self.starts.get(group..) {
            Some(&[start, end, ..]) => &self.positions[start as usize..end as usize],
            _ => &[],
        }
    }

    /// The groups of two or more equal fingerprints, as ascending positions. They stand for all pairs at distance 0,
    /// in linear space.
    pub fn equal(&self) -> impl Iterator<Item = &[u32]> {
        (0..self.values.len()).map(|group| self.positions(group)).filter(|positions| positions.len() > 1)
    }

    /// The number of the group of `value`; `None` if the collection does not have it.
    #[must_use]
    pub fn find(&self, value: B) -> Option<usize> {
        let place = self.directory.lower_bound(&self.values, value);
        (self.values.get(place) == Some(&value)).then_some(place)
    }

    /// The number of bytes in memory.
    #[must_use]
    pub fn bytes(&self) -> u64 {
        let words = size_of_val(&*self.starts) + size_of_val(&*self.positions);
        (size_of_val(&*self.values) + words) as u64 + self.directory.bytes()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_fingerprints_are_one_group() {
        let groups = FingerprintGroups::new(&[7u32, 1, 7, 3, 1, 7]).unwrap();
        assert_eq!(groups.values(), [1, 3, 7]);
        assert_eq!(groups.positions(2), [0, 2, 5]);
        assert_eq!(groups.equal().collect::<Vec<_>>(), [&[1, 4][..], &[0, 2, 5]]);
        assert_eq!(groups.find(3), Some(1));
        assert_eq!((groups.find(0), groups.find(4), groups.find(u32::MAX)), (None, None, None));
        assert_eq!((groups.len(), groups.is_empty()), (6, false));
        assert!([3, 4, usize::MAX].iter().all(|&group| groups.positions(group).is_empty()));
    }

    #[test]
    fn an_empty_collection_has_no_group() {
        let groups = FingerprintGroups::<u128>::new(&[]).unwrap();
        assert!(groups.is_empty() && groups.values().is_empty() && groups.equal().next().is_none());
        assert_eq!(groups.find(0), None);
    }
}
