//! Sets -> characteristic matrix -> signature matrix: the matrices of the lecture notes.
//!
//! This module is for teaching, for worked examples and as the plain definition in tests. The normal path from
//! shingles to signatures never builds a matrix. A [`BitVector`] is a set over a finite universe. A
//! [`CharacteristicMatrix`] has a row per element and a column per set. A [`SignatureMatrix`] has a row per hash
//! function and the same columns. The signature similarity (the fraction of equal rows) estimates the column
//! similarity (Jaccard).
//!
//! The row types ([`RowType`]) show why the estimate works. Look down two columns in a random order of the rows. Rows
//! 0 0 do not matter. The first other row is 1 1, so that the signatures agree, with probability (rows 1 1) / (rows
//! that are not 0 0), which is the Jaccard similarity.
//!
//! A characteristic matrix takes rows times columns bits, and a signature matrix takes hashes times columns values.
//!
//! ```
//! use lookalike::minhash::matrix::{CharacteristicMatrix, OnePassTrace};
//! use lookalike::minhash::{Numbering, UniversalFunction, UniversalHasher};
//!
//! let rows = [[1, 0], [0, 1], [1, 1], [1, 0], [0, 1]];
//! let matrix = CharacteristicMatrix::from_rows(&rows)?.with_numbering(Numbering::FromOne);
//! assert_eq!(matrix.similarity(0, 1)?, 0.2);
//!
//! let h = UniversalFunction::modular(1, 0, 5)?; // x mod 5
//! let g = UniversalFunction::modular(2, 1, 5)?; // 2x + 1 mod 5
//! let trace = OnePassTrace::new(&matrix, &UniversalHasher::from_functions(vec![h, g])?)?;
//! assert_eq!(trace.steps()[0].signatures.to_string(), "    C1  C2\nh1   1   ∞\nh2   3   ∞\n");
//! assert_eq!(trace.result().to_rows(), [[1, 0], [2, 0]]);
//! # Ok::<(), lookalike::Error>(())
//! ```

mod bit_vector;
mod characteristic;
mod one_pass;
mod row_type;
mod signature_matrix;
mod table;

pub use bit_vector::BitVector;
pub use characteristic::{CharacteristicMatrix, RowOrder};
pub use one_pass::{OnePassStep, OnePassTrace};
pub use row_type::{RowType, RowTypeCounts, RowTypeLetters};
pub use signature_matrix::{Band, SignatureMatrix};

use crate::error::Error;

fn no_such_column(index: usize, columns: usize) -> Error {
    Error::invalid("column", index, format!("columns are counted from 0 and there are {columns}"))
}

#[cfg(test)]
mod tests;
