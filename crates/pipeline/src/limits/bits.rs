//! A set of document numbers, with one bit per document.

/// A set of numbers below a fixed count.
#[derive(Debug, Clone, Default)]
pub(crate) struct Bits {
    words: Vec<u64>,
}

impl Bits {
    /// The empty set of numbers below `count`.
    pub(crate) fn new(count: u64) -> Self {
        Self { words: vec![0; count.div_ceil(64) as usize] }
    }

    /// Adds a number to the set.
    pub(crate) fn insert(&mut self, number: u64) {
        self.words[(number / 64) as usize] |= 1 << (number % 64);
    }

    /// True if a number is in the set.
    #[inline]
    pub(crate) fn contains(&self, number: u64) -> bool {
        self.words[(number / 64) as usize] >> (number % 64) & 1 == 1
    }

    /// How many numbers are in the set.
    pub(crate) fn count(&self) -> u64 {
        self.words.iter().map(|word| u64::from(word.count_ones())).sum()
    }

    /// The numbers in the set, ascending.
    pub(crate) fn iter(&self) -> impl Iterator<Item = u64> + '_ {
        self.words.iter().enumerate().flat_map(|(at, &word)| {
            let mut left = word;
            std::iter::from_fn(move || {
                (left != 0).then(|| {
                    let bit = left.trailing_zeros();
                    left &= left - 1;
                    at as u64 * 64 + u64::from(bit)
                })
            })
        })
    }
}
