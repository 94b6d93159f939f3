//! A characteristic matrix -> the signature matrix: a row per hash function, a column per set.

use std::collections::BTreeMap;
use std::fmt;

use super::characteristic::CharacteristicMatrix;
use super::table::write_table;
use crate::error::{Error, Result, check_unit};
use crate::minhash::{EMPTY_SLOT, MAX_HASHES, MinHasher, PermutationHasher, RowLabel};

/// The signatures of several sets side by side. A slot that no row has reached is infinite ([`EMPTY_SLOT`]).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SignatureMatrix {
    column_names: Vec<String>,
    num_hashes: usize,
    /// One signature per set.
    columns: Vec<Vec<u64>>,
}

impl SignatureMatrix {
    /// The matrix before the first row is scanned: all slots are infinite.
    #[must_use]
    pub fn infinite(column_names: &[String], num_hashes: usize) -> Self {
        let columns = vec![vec![EMPTY_SLOT; num_hashes]; column_names.len()];
        Self { column_names: column_names.to_vec(), num_hashes, columns }
    }

    /// The matrix with these rows of min-hash values, which must have the same length. Columns are named C1, C2, ...
    pub fn from_rows(rows: &[impl AsRef<[u64]>]) -> Result<Self> {
        let width = rows.first().map_or(0, |row| row.as_ref().len());
        let names: Vec<String> = (1..=width).map(|number| format!("C{number}")).collect();
        let mut matrix = Self::infinite(&names, rows.len());
        for (hash, row) in rows.iter().map(AsRef::as_ref).enumerate() {
            if row.len() != width {
                return Err(Error::LengthMismatch { left: width, right: row.len() });
            }
            for (column, &value) in matrix.columns.iter_mut().zip(row) {
                column[hash] = value;
            }
        }
        Ok(matrix)
    }

    /// The signatures of the columns of `matrix`, whose elements are its row numbers.
    pub fn from_hasher(matrix: &CharacteristicMatrix, hasher: &impl MinHasher) -> Result<Self> {
        let mut signatures = Self::infinite(matrix.column_names(), hasher.num_hashes());
        for (index, column) in signatures.columns.iter_mut().enumerate() {
            hasher.sketch_into(&matrix.elements(index)?, column)?;
        }
        Ok(signatures)
    }

    /// The signatures of the columns of `matrix` under permutations of its rows. `label` chooses how the row that
    /// comes first is named. It is an error if the permutations are of other rows.
    pub fn from_permutations(
        matrix: &CharacteristicMatrix,
        hasher: &PermutationHasher,
        label: RowLabel,
    ) -> Result<Self> {
        if matrix.num_rows() != hasher.rows() {
            return Err(Error::incompatible("number of rows", matrix.num_rows(), hasher.rows()));
        }
        if matrix.numbering() != hasher.numbering() {
            let (left, right) = (matrix.numbering().first(), hasher.numbering().first());
            return Err(Error::incompatible("number of the first row", left, right));
        }
        let mut signatures = Self::infinite(matrix.column_names(), hasher.num_hashes());
        for (index, column) in signatures.columns.iter_mut().enumerate() {
            *column = hasher.values(&matrix.elements(index)?, label)?;
        }
        Ok(signatures)
    }

    /// The number of hash functions (rows).
    #[must_use]
    pub fn num_hashes(&self) -> usize {
        self.num_hashes
    }

    /// The number of sets (columns).
    #[must_use]
    pub fn num_columns(&self) -> usize {
        self.columns.len()
    }

    /// The signature of the set at `index`, counted from zero.
    pub fn column(&self, index: usize) -> Result<&[u64]> {
        let column = self.columns.get(index).map(Vec::as_slice);
        column.ok_or_else(|| super::no_such_column(index, self.columns.len()))
    }

    /// The rows: for each hash function its values, set after set.
    #[must_use]
    pub fn to_rows(&self) -> Vec<Vec<u64>> {
        (0..self.num_hashes).map(|hash| self.columns.iter().map(|column| column[hash]).collect()).collect()
    }

    /// Lowers the slots of a set to the hash values of one of its rows. This is the step of the one-pass algorithm.
    pub(super) fn lower(&mut self, column: usize, hash_values: &[u64]) {
        for (slot, &value) in self.columns[column].iter_mut().zip(hash_values) {
            *slot = (*slot).min(value);
        }
    }

    /// The similarity of two signatures: the fraction of hash functions for which they agree.
    pub fn similarity(&self, left: usize, right: usize) -> Result<f64> {
        let pairs = self.column(left)?.iter().zip(self.column(right)?);
        let agreeing = pairs.filter(|(left, right)| left == right).count();
        Ok(agreeing as f64 / self.num_hashes.max(1) as f64)
    }

    /// The pairs of columns that agree in at least the fraction `threshold` of their rows. All pairs are compared.
    pub fn pairs_at_least(&self, threshold: f64) -> Result<Vec<(usize, usize)>> {
        check_unit("threshold", threshold)?;
        let mut pairs = Vec::new();
        for (left, right) in all_pairs(&(0..self.columns.len()).collect::<Vec<_>>()) {
            if self.similarity(left, right)? >= threshold {
                pairs.push((left, right));
            }
        }
        Ok(pairs)
    }

    /// Divides the matrix into `bands` bands of `rows` rows each, from the top. Rows that are left over are in no
    /// band.
    pub fn bands(&self, bands: usize, rows: usize) -> Result<Vec<Band<'_>>> {
        if bands == 0 || bands > MAX_HASHES {
            return Err(Error::invalid("bands", bands, format!("1 to {MAX_HASHES}")));
        }
        if rows == 0 || rows > self.num_hashes / bands {
            let allowed =
                format!("1 to {}: the matrix has {} rows", self.num_hashes / bands, self.num_hashes);
            return Err(Error::invalid("rows", rows, allowed));
        }
        Ok((0..bands).map(|band| Band { matrix: self, first_row: band * rows, rows }).collect())
    }

    /// The pairs of columns (smaller index first, ascending) that are equal in at least one band.
    pub fn candidate_pairs(&self, bands: usize, rows: usize) -> Result<Vec<(usize, usize)>> {
        let mut pairs: Vec<_> = self.bands(bands, rows)?.iter().flat_map(Band::candidate_pairs).collect();
        pairs.sort_unstable();
        pairs.dedup();
        Ok(pairs)
    }
}

/// One band of a signature matrix: some of its rows, for all columns.
#[derive(Debug, Clone, Copy)]
pub struct Band<'a> {
    matrix: &'a SignatureMatrix,
    first_row: usize,
    rows: usize,
}

impl Band<'_> {
    /// The part of the column at `index` that is in the band.
    pub fn column(&self, index: usize) -> Result<&[u64]> {
        Ok(&self.matrix.column(index)?[self.first_row..self.first_row + self.rows])
    }

    /// The buckets of the band, ordered by content. Columns are in the same bucket exactly if they are identical in
    /// the band; different contents never share a bucket.
    #[must_use]
    pub fn buckets(&self) -> Vec<(Vec<u64>, Vec<usize>)> {
        let mut buckets: BTreeMap<&[u64], Vec<usize>> = BTreeMap::new();
        for (index, column) in self.matrix.columns.iter().enumerate() {
            let content = &column[self.first_row..self.first_row + self.rows];
            buckets.entry(content).or_default().push(index);
        }
        buckets.into_iter().map(|(content, columns)| (content.to_vec(), columns)).collect()
    }

    /// The pairs of columns (smaller index first, ascending) that are equal in this band.
    #[must_use]
    pub fn candidate_pairs(&self) -> Vec<(usize, usize)> {
        let mut pairs: Vec<_> =
            self.buckets().iter().flat_map(|(_, columns)| all_pairs(columns).collect::<Vec<_>>()).collect();
        pairs.sort_unstable();
        pairs
    }
}

fn all_pairs(columns: &[usize]) -> impl Iterator<Item = (usize, usize)> {
    let later = move |place: usize| columns[place + 1..].iter().map(move |&right| (columns[place], right));
    (0..columns.len()).flat_map(later)
}

impl fmt::Display for SignatureMatrix {
    /// Prints the table of the lecture notes: a line per hash function, a column per set.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut lines = vec![[vec![String::new()], self.column_names.clone()].concat()];
        for (hash, row) in (1..).zip(self.to_rows()) {
            let cells = row.into_iter().map(|slot| match slot {
                EMPTY_SLOT => "∞".to_owned(),
                value => value.to_string(),
            });
            lines.push(std::iter::once(format!("h{hash}")).chain(cells).collect());
        }
        write_table(f, &lines)
    }
}
