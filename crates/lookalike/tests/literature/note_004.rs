//! Note 004, sections 4.2 (shingling) and 4.3 (min-hashing). Most of its examples are those of note 001.

use lookalike::minhash::matrix::{BitVector, CharacteristicMatrix, OnePassTrace};

use super::{INFINITY, after_row, functions};

/// Slide "4.2.3 Similarity Metric for Shingles": "e.g. 4/8", a picture of two sets that share four of eight.
#[test]
fn four_of_eight() {
    let left: BitVector = "11111100".parse().unwrap();
    let right: BitVector = "00111111".parse().unwrap();
    assert_eq!(left.jaccard(&right).unwrap(), 4.0 / 8.0);
}

/// Slides "4.3.3 Example": the matrix of note 001 with rows counted from 0. (The slide has lost the slots of column 2
/// after row 2, which are 1 and 0, and the final matrix, which is 0 1 over 0 0.) The signatures agree in one of two
/// rows here and in none with rows 1 to 5: the functions see other numbers.
#[test]
fn one_pass_on_rows_zero_to_four() {
    let matrix = CharacteristicMatrix::from_rows(&[[1, 0], [0, 1], [1, 1], [1, 0], [0, 1]]).unwrap();
    let trace = OnePassTrace::new(&matrix, &functions(&[(1, 0), (2, 1)], 5)).unwrap();
    assert_eq!(trace.start().to_rows(), [[INFINITY; 2]; 2]);
    let hash_values: Vec<_> = trace.steps().iter().map(|step| step.hash_values.clone()).collect();
    assert_eq!(hash_values, [[0, 1], [1, 3], [2, 0], [3, 2], [4, 4]]);
    assert_eq!(after_row(&trace, 0), [[0, INFINITY], [1, INFINITY]]);
    assert_eq!(after_row(&trace, 1), [[0, 1], [1, 3]]);
    assert_eq!(after_row(&trace, 2), [[0, 1], [0, 0]]);
    assert_eq!(after_row(&trace, 3), [[0, 1], [0, 0]]);
    assert_eq!(trace.result().to_rows(), [[0, 1], [0, 0]]);
    assert_eq!(trace.result().similarity(0, 1).unwrap(), 0.5);
}
