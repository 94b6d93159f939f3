//! The one-pass algorithm, step by step.

use std::fmt;

use super::characteristic::CharacteristicMatrix;
use super::signature_matrix::SignatureMatrix;
use crate::error::Result;
use crate::minhash::{MinHasher, UniversalHasher};

/// One step of the algorithm: the result of scanning one row.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OnePassStep {
    /// The number of the row.
    pub row: u64,
    /// The value of each hash function at that number.
    pub hash_values: Vec<u64>,
    /// The signature matrix after this row.
    pub signatures: SignatureMatrix,
}

/// The one-pass algorithm on a characteristic matrix, with the signature matrix after each row.
///
/// ```text
/// for each row r:
///     compute h_i(r) for every hash function h_i
///     for each column c with a 1 in row r:
///         M(i, c) = min(M(i, c), h_i(r)) for every i
/// ```
///
/// It keeps a copy of the signature matrix per row. [`SignatureMatrix::from_hasher`] computes only the last one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OnePassTrace {
    start: SignatureMatrix,
    steps: Vec<OnePassStep>,
}

impl OnePassTrace {
    /// Runs the algorithm from the top row to the bottom row.
    pub fn new(matrix: &CharacteristicMatrix, hasher: &UniversalHasher) -> Result<Self> {
        let start = SignatureMatrix::infinite(matrix.column_names(), hasher.num_hashes());
        let mut signatures = start.clone();
        let mut steps = Vec::with_capacity(matrix.num_rows());
        for index in 0..matrix.num_rows() {
            let row = matrix.numbering().number(index);
            let hash_values: Vec<u64> =
                hasher.functions().iter().map(|function| function.hash(row)).collect();
            for column in 0..matrix.num_columns() {
                if matrix.column(column)?.get(index) == Some(true) {
                    signatures.lower(column, &hash_values);
                }
            }
            steps.push(OnePassStep { row, hash_values, signatures: signatures.clone() });
        }
        Ok(Self { start, steps })
    }

    /// The signature matrix before the first row: infinity everywhere.
    #[must_use]
    pub fn start(&self) -> &SignatureMatrix {
        &self.start
    }

    /// The steps, one per row, from top to bottom.
    #[must_use]
    pub fn steps(&self) -> &[OnePassStep] {
        &self.steps
    }

    /// The signature matrix after the last row.
    #[must_use]
    pub fn result(&self) -> &SignatureMatrix {
        self.steps.last().map_or(&self.start, |step| &step.signatures)
    }
}

impl fmt::Display for OnePassTrace {
    /// Prints the signature matrix at the start and after each row, with the hash values of the row.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "start")?;
        write!(f, "{}", self.start)?;
        for step in &self.steps {
            write!(f, "row {}:", step.row)?;
            for (hash, value) in (1..).zip(&step.hash_values) {
                write!(f, " h{hash} = {value}")?;
            }
            writeln!(f)?;
            write!(f, "{}", step.signatures)?;
        }
        Ok(())
    }
}
