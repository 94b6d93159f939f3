//! Sets -> their matrix of zeros and ones.

use std::collections::{HashMap, HashSet};
use std::fmt;

use super::bit_vector::BitVector;
use super::row_type::{RowType, RowTypeCounts};
use super::table::write_table;
use crate::error::{Error, Result};
use crate::minhash::Numbering;

/// The order of the rows of a matrix that is made from named elements. It changes the row numbers and therefore the
/// signatures.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum RowOrder {
    /// The order in which the elements first appear, set after set.
    FirstAppearance,
    /// Alphabetical order (of code points).
    Sorted,
}

/// A matrix whose rows are elements and whose columns are sets. A cell is 1 if the set has the element.
///
/// It is meant for teaching and tests. Matrices of real collections are far too sparse to be stored in this way.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CharacteristicMatrix {
    numbering: Numbering,
    /// The names of the rows; empty if rows have only numbers.
    row_names: Vec<String>,
    column_names: Vec<String>,
    rows: usize,
    columns: Vec<BitVector>,
}

impl CharacteristicMatrix {
    /// The matrix of these columns, which must have the same length. They are named C1, C2, ..., and rows are counted
    /// from zero.
    pub fn from_columns(columns: Vec<BitVector>) -> Result<Self> {
        let rows = columns.first().map_or(0, BitVector::len);
        if let Some(other) = columns.iter().find(|column| column.len() != rows) {
            return Err(Error::LengthMismatch { left: rows, right: other.len() });
        }
        let column_names = (1..=columns.len()).map(|number| format!("C{number}")).collect();
        Ok(Self { numbering: Numbering::default(), row_names: Vec::new(), column_names, rows, columns })
    }

    /// The matrix of these rows of zeros and ones, which must have the same length. The lecture notes print matrices
    /// in this way.
    pub fn from_rows(rows: &[impl AsRef<[u8]>]) -> Result<Self> {
        let width = rows.first().map_or(0, |row| row.as_ref().len());
        let mut columns = vec![BitVector::default(); width];
        for row in rows.iter().map(AsRef::as_ref) {
            if row.len() != width {
                return Err(Error::LengthMismatch { left: width, right: row.len() });
            }
            for (column, &cell) in columns.iter_mut().zip(row) {
                match cell {
                    0 | 1 => column.push(cell == 1),
                    other => return Err(Error::invalid("cell", other, "0 or 1")),
                }
            }
        }
        Self::from_columns(columns)
    }

    /// The matrix of named sets of named elements. Its rows are the union of the sets.
    #[must_use]
    pub fn from_named_sets<N, S, E>(sets: &[(N, S)], order: RowOrder) -> Self
    where
        N: AsRef<str>,
        S: AsRef<[E]>,
        E: AsRef<str>,
    {
        let mut row_names: Vec<String> = Vec::new();
        let mut known = HashSet::new();
        for element in sets.iter().flat_map(|(_, set)| set.as_ref()) {
            if known.insert(element.as_ref()) {
                row_names.push(element.as_ref().to_owned());
            }
        }
        if order == RowOrder::Sorted {
            row_names.sort_unstable();
        }
        let row_of: HashMap<&str, usize> =
            row_names.iter().enumerate().map(|(row, name)| (name.as_str(), row)).collect();
        let column = |set: &S| {
            let mut bits = vec![false; row_names.len()];
            for element in set.as_ref() {
                bits[row_of[element.as_ref()]] = true;
            }
            bits.into_iter().collect()
        };
        let columns = sets.iter().map(|(_, set)| column(set)).collect();
        let column_names = sets.iter().map(|(name, _)| name.as_ref().to_owned()).collect();
        let rows = row_names.len();
        Self { numbering: Numbering::default(), row_names, column_names, rows, columns }
    }

    /// The same matrix with its rows counted from zero or from one.
    #[must_use]
    pub fn with_numbering(self, numbering: Numbering) -> Self {
        Self { numbering, ..self }
    }

    /// How rows are counted.
    #[must_use]
    pub fn numbering(&self) -> Numbering {
        self.numbering
    }

    /// The number of rows.
    #[must_use]
    pub fn num_rows(&self) -> usize {
        self.rows
    }

    /// The number of columns.
    #[must_use]
    pub fn num_columns(&self) -> usize {
        self.columns.len()
    }

    /// The names of the columns.
    #[must_use]
    pub fn column_names(&self) -> &[String] {
        &self.column_names
    }

    /// The name of the row at `index` (counted from zero): the element, or its number if elements have no
    /// names.
    #[must_use]
    pub fn row_name(&self, index: usize) -> String {
        match self.row_names.get(index) {
            Some(name) => name.clone(),
            None => self.numbering.number(index).to_string(),
        }
    }

    /// The column at `index`, counted from zero.
    pub fn column(&self, index: usize) -> Result<&BitVector> {
        self.columns.get(index).ok_or_else(|| super::no_such_column(index, self.columns.len()))
    }

    /// The set of the column at `index`: the numbers of the rows in which it has a 1, ascending.
    pub fn elements(&self, index: usize) -> Result<Vec<u64>> {
        Ok(self.column(index)?.ones().map(|row| self.numbering.number(row)).collect())
    }

    /// The Jaccard similarity of two columns.
    pub fn similarity(&self, left: usize, right: usize) -> Result<f64> {
        self.column(left)?.jaccard(self.column(right)?)
    }

    /// The type of each row for two columns, from top to bottom.
    pub fn row_types(&self, left: usize, right: usize) -> Result<Vec<RowType>> {
        let bits = self.column(left)?.iter().zip(self.column(right)?.iter());
        Ok(bits.map(|(left, right)| RowType::of(left, right)).collect())
    }

    /// The number of rows of each type for two columns.
    pub fn row_type_counts(&self, left: usize, right: usize) -> Result<RowTypeCounts> {
        Ok(self.row_types(left, right)?.into_iter().collect())
    }

    /// The matrix with its rows in another order: the row with the number `order[i]` moves to the i-th position.
    /// Rows without names keep their old numbers as names.
    pub fn permute_rows(&self, order: &[u64]) -> Result<Self> {
        if order.len() != self.rows {
            return Err(Error::LengthMismatch { left: self.rows, right: order.len() });
        }
        let mut taken = vec![false; self.rows];
        let mut indexes = Vec::with_capacity(self.rows);
        for &number in order {
            match self.numbering.index(number, self.rows) {
                Some(row) if !taken[row] => {
                    taken[row] = true;
                    indexes.push(row);
                }
                _ => {
                    let allowed = format!("each of the {} rows once", self.rows);
                    return Err(Error::invalid("row", number, allowed));
                }
            }
        }
        let permuted = |column: &BitVector| indexes.iter().filter_map(|&row| column.get(row)).collect();
        Ok(Self {
            numbering: self.numbering,
            row_names: indexes.iter().map(|&row| self.row_name(row)).collect(),
            column_names: self.column_names.clone(),
            rows: self.rows,
            columns: self.columns.iter().map(permuted).collect(),
        })
    }
}

impl fmt::Display for CharacteristicMatrix {
    /// Prints the table of the lecture notes: a line per row, a column per set.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut lines = vec![[vec!["row".to_owned()], self.column_names.clone()].concat()];
        lines.extend((0..self.rows).map(|row| {
            let cells = self.columns.iter().map(|column| {
                let bit = column.get(row).is_some_and(|bit| bit);
                u8::from(bit).to_string()
            });
            std::iter::once(self.row_name(row)).chain(cells).collect()
        }));
        write_table(f, &lines)
    }
}
