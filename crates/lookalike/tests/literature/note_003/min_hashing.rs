//! Slides "MINHASH".

use lookalike::minhash::matrix::{CharacteristicMatrix, OnePassTrace, RowOrder, SignatureMatrix};
use lookalike::minhash::{Numbering, PermutationHasher, RowLabel};
use lookalike::shingling::Shingler;

use crate::{INFINITY, after_row, assert_rounds_to, column_similarities, functions, hash_columns};

/// Second slide "MINHASH": h(S) = min(pi(S)) = min(pi_1(S), ..., pi_k(S)). If the pi_i are k permutations this is not
/// one minimum but k, a signature: the least of all of them says nothing. Over all permutations of four elements it
/// is the first position for every set, while the signatures of disjoint sets never agree.
#[test]
fn a_signature_keeps_the_minima_of_k_permutations_apart() {
    let all = PermutationHasher::exhaustive(4).unwrap();
    let [left, right] = [[0, 1], [2, 3]].map(|set| all.values(&set, RowLabel::Position).unwrap());
    assert_eq!(left.len(), 24);
    assert_eq!(left.iter().min(), right.iter().min());
    assert!(left.iter().zip(&right).all(|(left, right)| left != right));
}

/// Slide "MINHASH: MATRIX REPRESENTATION": S1 to S4, from sentences.
fn word_sets() -> CharacteristicMatrix {
    let words = Shingler::words(1).unwrap();
    let sets = [
        ("S1", words.shingles("Python is a programming language.")),
        ("S2", words.shingles("Java is a programming language.")),
        ("S3", words.shingles("A programming language")),
        ("S4", words.shingles("Python is a snake.")),
    ];
    CharacteristicMatrix::from_named_sets(&sets, RowOrder::Sorted)
}

/// Slide "MINHASH: MATRIX REPRESENTATION". The documents are called bags of words; the matrix is one of sets.
#[test]
fn the_word_sets_are_the_columns_of_the_characteristic_matrix() {
    let printed = "\
row          S1  S2  S3  S4
a             1   1   1   1
is            1   1   0   1
java          0   1   0   0
language      1   1   1   0
programming   1   1   1   0
python        1   0   0   1
snake         0   0   0   1
";
    assert_eq!(word_sets().to_string(), printed);
}

/// Slide "MINHASH: ONE STEP EXAMPLE". The table is already in permuted order: "permuted row" names the row that
/// came to each place (the cell beside row 4 is lost; 1 is the number that is missing), and m is that name.
/// Read as positions, the column would give m(S1) = 1 and the opposite answer for S1 and S4.
#[test]
fn one_permutation_gives_estimates_of_zero_or_one() {
    let order = [2, 5, 6, 1, 4, 3];
    let printed = [[1, 0, 1, 0], [1, 0, 0, 0], [0, 0, 1, 1], [1, 0, 0, 1], [0, 0, 1, 1], [0, 1, 1, 0]];
    let mut original = [[0; 4]; 6];
    for (&row, cells) in order.iter().zip(printed) {
        original[row as usize - 1] = cells;
    }
    let matrix = CharacteristicMatrix::from_rows(&original).unwrap().with_numbering(Numbering::FromOne);

    let permutation = PermutationHasher::from_order(Numbering::FromOne, &[order]).unwrap();
    let m = SignatureMatrix::from_permutations(&matrix, &permutation, RowLabel::RowIndex).unwrap();
    assert_eq!(m.to_rows(), [[2, 3, 2, 6]]);
    assert_eq!(m.similarity(0, 2).unwrap(), 1.0);
    assert_eq!(m.similarity(0, 3).unwrap(), 0.0);
    // One permutation is a coarse estimate: the similarities are 1/6 and 1/5.
    assert_eq!(column_similarities(&matrix, &[(0, 2), (0, 3)]), [1.0 / 6.0, 1.0 / 5.0]);

    let printed = CharacteristicMatrix::from_rows(&printed).unwrap().with_numbering(Numbering::FromOne);
    let as_positions = PermutationHasher::from_positions(Numbering::FromOne, &[order]).unwrap();
    let misread = SignatureMatrix::from_permutations(&printed, &as_positions, RowLabel::Position).unwrap();
    assert_eq!(misread.to_rows(), [[1, 3, 2, 1]]);
}

/// Slides "MINHASH: EXAMPLE": h1(x) = x + 1 mod 7 and h2(x) = 3x + 1 mod 7.
#[test]
fn one_pass_gives_the_printed_signature_matrices() {
    let matrix = word_sets();
    let trace = OnePassTrace::new(&matrix, &functions(&[(1, 1), (3, 1)], 7)).unwrap();
    assert_eq!(hash_columns(&trace), [[1, 2, 3, 4, 5, 6, 0], [1, 4, 0, 3, 6, 2, 5]]);

    assert_eq!(trace.start().to_rows(), [[INFINITY; 4]; 2]);
    assert_eq!(after_row(&trace, 0), [[1, 1, 1, 1], [1, 1, 1, 1]]);
    assert_eq!(after_row(&trace, 1), [[1, 1, 1, 1], [1, 1, 1, 1]]);
    assert_eq!(after_row(&trace, 5), [[1, 1, 1, 1], [1, 0, 1, 1]]);
    assert_eq!(trace.result().to_rows(), [[1, 1, 1, 0], [1, 0, 1, 1]]);
}

/// The last slide "MINHASH: EXAMPLE" compares with the true similarities. It gives J(S1, S3) as about 0.75: three
/// shared words of five are 0.6. J(S2, S4) = 2/7 = 0.2857 is cut to 0.28; it rounds to 0.29.
#[test]
fn two_functions_estimate_one_for_0_6_and_zero_for_2_7() {
    let matrix = word_sets();
    let trace = OnePassTrace::new(&matrix, &functions(&[(1, 1), (3, 1)], 7)).unwrap();
    assert_eq!(trace.result().similarity(0, 2).unwrap(), 1.0);
    assert_eq!(matrix.similarity(0, 2).unwrap(), 0.6);
    assert_eq!(trace.result().similarity(1, 3).unwrap(), 0.0);
    assert_eq!(matrix.similarity(1, 3).unwrap(), 2.0 / 7.0);
    assert_rounds_to(matrix.similarity(1, 3).unwrap(), 0.29, 2);
}
