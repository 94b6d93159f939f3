//! Whether rows are counted from zero or from one.

/// How rows, and positions in a permuted order, are counted.
///
/// The lecture notes use both. The choice changes values such as `x mod 5`, so the same matrix has different
/// signatures with rows 1 to 5 and with rows 0 to 4.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Numbering {
    /// Rows are 0, 1, 2, ...
    #[default]
    FromZero,
    /// Rows are 1, 2, 3, ...
    FromOne,
}

impl Numbering {
    /// The number of the first row.
    #[must_use]
    pub const fn first(self) -> u64 {
        match self {
            Self::FromZero => 0,
            Self::FromOne => 1,
        }
    }

    /// The number of the row at `index` (counted from zero).
    pub(crate) const fn number(self, index: usize) -> u64 {
        index as u64 + self.first()
    }

    /// The index (from zero) of the row with this number; `None` if the number is not that of one of `rows` rows.
    pub(crate) fn index(self, number: u64, rows: usize) -> Option<usize> {
        let index = usize::try_from(number.checked_sub(self.first())?).ok()?;
        (index < rows).then_some(index)
    }
}
