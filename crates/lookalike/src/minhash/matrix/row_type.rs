//! Two columns -> the type of each row: which of the two columns have the element.

/// Which of two columns have the element of a row.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum RowType {
    /// 1 1: the element is in both sets.
    Both,
    /// 1 0: the element is in the left set only.
    LeftOnly,
    /// 0 1: the element is in the right set only.
    RightOnly,
    /// 0 0: the element is in neither set. Most rows of a sparse matrix are of this type. They do not affect the
    /// similarity.
    Neither,
}

/// The letters for the four row types. The lecture notes have two sets of them, in opposite orders.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum RowTypeLetters {
    /// A = 11, B = 10, C = 01, D = 00 (the Stanford slides): similarity a / (a + b + c).
    FromOnes,
    /// a = 00, b = 01, c = 10, d = 11 (the Catalunya report): similarity d / (b + c + d).
    FromZeros,
}

impl RowType {
    /// The type of a row with these two bits.
    #[must_use]
    pub const fn of(left: bool, right: bool) -> Self {
        match (left, right) {
            (true, true) => Self::Both,
            (true, false) => Self::LeftOnly,
            (false, true) => Self::RightOnly,
            (false, false) => Self::Neither,
        }
    }

    /// The letter of this type in the lecture notes.
    #[must_use]
    pub const fn letter(self, letters: RowTypeLetters) -> char {
        match (letters, self) {
            (RowTypeLetters::FromOnes, Self::Both) => 'A',
            (RowTypeLetters::FromOnes, Self::LeftOnly) => 'B',
            (RowTypeLetters::FromOnes, Self::RightOnly) => 'C',
            (RowTypeLetters::FromOnes, Self::Neither) => 'D',
            (RowTypeLetters::FromZeros, Self::Neither) => 'a',
            (RowTypeLetters::FromZeros, Self::RightOnly) => 'b',
            (RowTypeLetters::FromZeros, Self::LeftOnly) => 'c',
            (RowTypeLetters::FromZeros, Self::Both) => 'd',
        }
    }
}

/// The number of rows of each type for two columns.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
pub struct RowTypeCounts {
    /// The number of rows 1 1.
    pub both: usize,
    /// The number of rows 1 0.
    pub left_only: usize,
    /// The number of rows 0 1.
    pub right_only: usize,
    /// The number of rows 0 0.
    pub neither: usize,
}

impl RowTypeCounts {
    /// The Jaccard similarity of the two columns: rows 1 1 divided by rows that are not 0 0. It is 1 for two empty
    /// sets.
    #[must_use]
    pub fn similarity(&self) -> f64 {
        let union = self.both + self.left_only + self.right_only;
        if union == 0 { 1.0 } else { self.both as f64 / union as f64 }
    }
}

impl FromIterator<RowType> for RowTypeCounts {
    fn from_iter<I: IntoIterator<Item = RowType>>(types: I) -> Self {
        let mut counts = Self::default();
        for row_type in types {
            match row_type {
                RowType::Both => counts.both += 1,
                RowType::LeftOnly => counts.left_only += 1,
                RowType::RightOnly => counts.right_only += 1,
                RowType::Neither => counts.neither += 1,
            }
        }
        counts
    }
}
