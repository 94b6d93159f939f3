//! Sets, matrices and min-hashing.

use lookalike::minhash::matrix::{BitVector, CharacteristicMatrix, OnePassTrace, RowOrder, SignatureMatrix};
use lookalike::minhash::{MinHasher, Numbering, PermutationHasher, RowLabel};

use crate::{INFINITY, after_row, functions, hash_columns};

/// The running example: D1 to D4 over the shingles a to e, rows 1 to 5.
fn running_example() -> CharacteristicMatrix {
    let sets =
        [("D1", vec!["a", "d"]), ("D2", vec!["c"]), ("D3", vec!["b", "d", "e"]), ("D4", vec!["a", "c", "d"])];
    CharacteristicMatrix::from_named_sets(&sets, RowOrder::Sorted).with_numbering(Numbering::FromOne)
}

/// Slide "Jaccard similarity/distance" (also note 001, "Distance Measures"): 3 in the intersection, 8 in the union.
#[test]
fn sets_that_share_three_of_eight_have_similarity_3_8_and_distance_5_8() {
    let left: BitVector = "11111000".parse().unwrap();
    let right: BitVector = "00111111".parse().unwrap();
    assert_eq!(left.and(&right).unwrap().count_ones(), 3);
    assert_eq!(left.or(&right).unwrap().count_ones(), 8);
    assert_eq!(left.jaccard(&right).unwrap(), 3.0 / 8.0);
    assert_eq!(1.0 - left.jaccard(&right).unwrap(), 5.0 / 8.0);
}

/// Slide "Representing Sets of Documents as a Matrix".
#[test]
fn the_sets_are_the_columns_of_a_boolean_matrix() {
    let printed = [[1, 0, 0, 1], [0, 0, 1, 0], [0, 1, 0, 1], [1, 0, 1, 1], [0, 0, 1, 0]];
    let printed = CharacteristicMatrix::from_rows(&printed).unwrap();
    let matrix = running_example();
    for column in 0..4 {
        assert_eq!(matrix.column(column).unwrap(), printed.column(column).unwrap());
    }
    assert_eq!(matrix.elements(2).unwrap(), [2, 4, 5]);
}

/// Slide "Min-Hashing": the column "pi" lists the rows in permuted order, and the value is the number of the row.
#[test]
fn the_min_hash_is_the_first_row_in_permuted_order_with_a_one() {
    let order = [2, 5, 1, 4, 3];
    let printed = [[0, 0, 1, 0], [0, 0, 1, 0], [1, 0, 0, 1], [1, 0, 1, 1], [0, 1, 0, 1]];
    let printed = CharacteristicMatrix::from_rows(&printed).unwrap();
    let matrix = running_example();
    let permuted = matrix.permute_rows(&order).unwrap();
    for column in 0..4 {
        assert_eq!(permuted.column(column).unwrap(), printed.column(column).unwrap());
    }

    let permutation = PermutationHasher::from_order(Numbering::FromOne, &[order]).unwrap();
    let by_row = SignatureMatrix::from_permutations(&matrix, &permutation, RowLabel::RowIndex).unwrap();
    assert_eq!(by_row.to_rows(), [[1, 3, 2, 1]]);
    let by_position = SignatureMatrix::from_permutations(&matrix, &permutation, RowLabel::Position).unwrap();
    assert_eq!(by_position.to_rows(), [[3, 5, 1, 3]]);
}

/// Slide "Min-Hash Property". The slide writes Pr[h(D1) = h(D2)] = sim(D1, D4); both sides mean D1 and D4 (D1 and
/// D2 share nothing and never agree). Over all 120 permutations the property holds exactly.
#[test]
fn two_columns_agree_with_probability_equal_to_their_similarity() {
    let matrix = running_example();
    assert_eq!(matrix.similarity(0, 3).unwrap(), 2.0 / 3.0);

    let all = PermutationHasher::exhaustive(5).unwrap();
    let counted_from_zero = running_example().with_numbering(Numbering::FromZero);
    let signatures = SignatureMatrix::from_hasher(&counted_from_zero, &all).unwrap();
    assert_eq!(signatures.similarity(0, 3).unwrap(), 2.0 / 3.0);
    assert_eq!(signatures.similarity(0, 1).unwrap(), 0.0);

    // "Equally likely that s in D is mapped to the min element": each of the three rows of D4 in 40 of 120.
    let rows = all.values(&counted_from_zero.elements(3).unwrap(), RowLabel::RowIndex).unwrap();
    for row in [0, 2, 3] {
        assert_eq!(rows.iter().filter(|&&first| first == row).count(), 120 / 3);
    }
}

/// Slide "Min-Hash in Practice". The slide's list of minima has h2(D3) = min{3, 4, 2} = 2; the signature table below
/// it prints 0, which no row of D3 gives.
#[test]
fn one_pass_gives_the_signatures_except_for_one_misprint() {
    let matrix = running_example();
    let hasher = functions(&[(2, 1), (3, 2)], 5);
    let trace = OnePassTrace::new(&matrix, &hasher).unwrap();
    assert_eq!(trace.start().to_rows(), [[INFINITY; 4]; 2]);
    assert_eq!(hash_columns(&trace), [[3, 0, 2, 4, 1], [0, 3, 1, 4, 2]]);
    assert_eq!(after_row(&trace, 1), [[3, INFINITY, INFINITY, 3], [0, INFINITY, INFINITY, 0]]);
    assert_eq!(trace.result().to_rows(), [[3, 2, 0, 2], [0, 1, 2, 0]]);
    assert_eq!(hasher.sketch(&[2, 4, 5]).slots(), [0, 2]);
}
