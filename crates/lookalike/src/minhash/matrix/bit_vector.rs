//! A set as a string of bits: one per element of the universe.

use std::fmt;
use std::str::FromStr;

use crate::error::{Error, Result};

/// A set over a finite universe as a vector of bits. Intersection is AND, union is OR.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash)]
pub struct BitVector {
    words: Vec<u64>,
    len: usize,
}

impl BitVector {
    /// A vector of `len` zeros.
    #[must_use]
    pub fn zeros(len: usize) -> Self {
        Self { words: vec![0; len.div_ceil(64)], len }
    }

    /// The size of the universe.
    #[must_use]
    pub fn len(&self) -> usize {
        self.len
    }

    /// True if the universe (not just the set) is empty.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// The bit at `index`, counted from zero from the left; `None` beyond the end.
    #[must_use]
    pub fn get(&self, index: usize) -> Option<bool> {
        (index < self.len).then(|| self.words[index / 64] >> (index % 64) & 1 == 1)
    }

    /// Appends `bit`.
    pub fn push(&mut self, bit: bool) {
        if self.len.is_multiple_of(64) {
            self.words.push(0);
        }
        self.words[self.len / 64] |= u64::from(bit) << (self.len % 64);
        self.len += 1;
    }

    /// The bits, from the left.
    pub fn iter(&self) -> impl Iterator<Item = bool> + '_ {
        (0..self.len).map(|index| self.words[index / 64] >> (index % 64) & 1 == 1)
    }

    /// The indexes of the ones, ascending.
    pub fn ones(&self) -> impl Iterator<Item = usize> + '_ {
        self.iter().enumerate().filter_map(|(index, bit)| bit.then_some(index))
    }

    /// The number of ones: the size of the set.
    #[must_use]
    pub fn count_ones(&self) -> usize {
        self.words.iter().map(|word| word.count_ones() as usize).sum()
    }

    /// The intersection of the two sets.
    pub fn and(&self, other: &Self) -> Result<Self> {
        self.zip_words(other, |a, b| a & b)
    }

    /// The union of the two sets.
    pub fn or(&self, other: &Self) -> Result<Self> {
        self.zip_words(other, |a, b| a | b)
    }

    /// The Jaccard similarity: the ones of the AND divided by the ones of the OR. It is 1 for two empty sets.
    pub fn jaccard(&self, other: &Self) -> Result<f64> {
        let (intersection, union) = (self.and(other)?.count_ones(), self.or(other)?.count_ones());
        Ok(if union == 0 { 1.0 } else { intersection as f64 / union as f64 })
    }

    fn zip_words(&self, other: &Self, combine: fn(u64, u64) -> u64) -> Result<Self> {
        if self.len != other.len {
            return Err(Error::LengthMismatch { left: self.len, right: other.len });
        }
        let words = self.words.iter().zip(&other.words).map(|(&a, &b)| combine(a, b)).collect();
        Ok(Self { words, len: self.len })
    }
}

impl FromIterator<bool> for BitVector {
    fn from_iter<I: IntoIterator<Item = bool>>(bits: I) -> Self {
        let mut vector = Self::default();
        for bit in bits {
            vector.push(bit);
        }
        vector
    }
}

impl FromStr for BitVector {
    type Err = Error;

    /// Reads text such as `10111`.
    fn from_str(text: &str) -> Result<Self> {
        let bit = |character| match character {
            '0' => Ok(false),
            '1' => Ok(true),
            other => Err(Error::invalid("bit", other, "0 or 1")),
        };
        text.chars().map(bit).collect()
    }
}

impl fmt::Display for BitVector {
    /// Writes text such as `10111`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.iter().try_for_each(|bit| f.write_str(if bit { "1" } else { "0" }))
    }
}
