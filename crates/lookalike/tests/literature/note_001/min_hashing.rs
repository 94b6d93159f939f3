//! Sets, matrices and min-hashing.

use lookalike::minhash::matrix::{
    BitVector, CharacteristicMatrix, OnePassTrace, RowType, RowTypeCounts, RowTypeLetters, SignatureMatrix,
};
use lookalike::minhash::{BBitSignature, MinHasher, MultiplyShift, Numbering, PermutationHasher, RowLabel};
use lookalike::similarity::euclidean;

use crate::{INFINITY, after_row, assert_rounds_to, column_similarities, functions};

/// Slide "Problem for Today's Lecture": an image is a long vector of pixel colors, and d(x, y) is the distance of two
/// such vectors. (The second image, one pixel of which is darker by 2, is ours.)
#[test]
fn an_image_is_a_long_vector() {
    let image = [[1.0, 2.0, 1.0], [0.0, 2.0, 1.0], [0.0, 1.0, 0.0]].concat();
    assert_eq!(image, [1.0, 2.0, 1.0, 0.0, 2.0, 1.0, 0.0, 1.0, 0.0]);
    let darker = [[1.0, 2.0, 1.0], [0.0, 0.0, 1.0], [0.0, 1.0, 0.0]].concat();
    assert_eq!(euclidean(&image, &darker).unwrap(), 2.0);
    assert_eq!(euclidean(&image, &image).unwrap(), 0.0);
}

/// Slide "Relation to Previous Lecture": the pairs of basket {1, 2, 3}. Three columns in one bucket are such a
/// basket.
#[test]
fn a_basket_of_three_holds_three_pairs() {
    let signatures = SignatureMatrix::from_rows(&[[9, 7, 7, 7]]).unwrap();
    assert_eq!(signatures.candidate_pairs(1, 1).unwrap(), [(1, 2), (1, 3), (2, 3)]);
}

/// Slide "Motivation for Minhash/LSH" (also note 002, example 4.2, and note 004, "4.2.3 Example"): the slide's
/// arithmetic, at its 10^6 comparisons per second and 10^5 seconds per day. It tests no code.
#[test]
fn comparing_all_pairs_of_a_million_documents_takes_five_days() {
    let pairs = |n: u64| n * (n - 1) / 2;
    assert_eq!(pairs(1_000_000), 499_999_500_000);
    let days = |n| pairs(n) as f64 / 1e6 / 1e5;
    assert_rounds_to(days(1_000_000), 5.0, 3);
    assert!(days(10_000_000) > 365.0, "for N = 10 million it takes more than a year");
}

/// Slide "Encoding Sets as Bit Vectors".
#[test]
fn and_is_the_intersection_and_or_is_the_union() {
    let c1: BitVector = "10111".parse().unwrap();
    let c2: BitVector = "10011".parse().unwrap();
    assert_eq!(c1.and(&c2).unwrap().to_string(), "10011");
    assert_eq!(c1.or(&c2).unwrap().to_string(), "10111");
    assert_eq!(c1.and(&c2).unwrap().count_ones(), 3);
    assert_eq!(c1.or(&c2).unwrap().count_ones(), 4);
    assert_eq!(c1.jaccard(&c2).unwrap(), 3.0 / 4.0);
    assert_eq!(1.0 - c1.jaccard(&c2).unwrap(), 1.0 / 4.0);
}

/// Slide "From Sets to Boolean Matrices" (also note 004, "4.2.3 From Sets to Boolean Matrices"). Note 001 prints the
/// second row with five cells and note 004 prints it as 1 1 0 1; four documents need four.
#[test]
fn the_first_two_columns_share_three_rows_of_six() {
    let rows =
        [[1, 1, 1, 0], [1, 1, 0, 1], [0, 1, 0, 1], [0, 0, 0, 1], [1, 0, 0, 1], [1, 1, 1, 0], [1, 0, 1, 0]];
    let matrix = CharacteristicMatrix::from_rows(&rows).unwrap();
    let (c1, c2) = (matrix.column(0).unwrap(), matrix.column(1).unwrap());
    assert_eq!((c1.and(c2).unwrap().count_ones(), c1.or(c2).unwrap().count_ones()), (3, 6));
    assert_eq!(matrix.similarity(0, 1).unwrap(), 3.0 / 6.0);
}

/// Slide "Example: Column Similarity".
#[test]
fn two_columns_share_two_rows_of_five() {
    let matrix = CharacteristicMatrix::from_rows(&[[0, 1], [1, 0], [1, 1], [0, 0], [1, 1], [0, 1]]).unwrap();
    assert_eq!(matrix.similarity(0, 1).unwrap(), 2.0 / 5.0);
    let counts = matrix.row_type_counts(0, 1).unwrap();
    assert_eq!(counts, RowTypeCounts { both: 2, left_only: 1, right_only: 2, neither: 1 });
}

/// Slides "The Min-Hash Property" and "Four Types of Rows" (also note 004, section 4.3.2), with the two columns that
/// stand beside them.
#[test]
fn the_similarity_is_a_over_a_plus_b_plus_c() {
    let matrix = CharacteristicMatrix::from_rows(&[[0, 0], [0, 0], [1, 1], [0, 0], [0, 1], [1, 0]]).unwrap();
    let types = matrix.row_types(0, 1).unwrap();
    let letters: String = types.iter().map(|row| row.letter(RowTypeLetters::FromOnes)).collect();
    assert_eq!(letters, "DDADCB");
    assert_eq!(RowType::of(true, false).letter(RowTypeLetters::FromOnes), 'B');

    let RowTypeCounts { both: a, left_only: b, right_only: c, .. } = matrix.row_type_counts(0, 1).unwrap();
    assert_eq!(matrix.similarity(0, 1).unwrap(), a as f64 / (a + b + c) as f64);
    let all = PermutationHasher::exhaustive(6).unwrap();
    let signatures = SignatureMatrix::from_hasher(&matrix, &all).unwrap();
    assert_eq!(signatures.similarity(0, 1).unwrap(), 1.0 / 3.0);
}

/// The matrix of slide "Min-Hashing Example", rows 1 to 7. Note 004 leaves the first cell of the third row empty: it
/// is 0, or the column similarity 1-3 would not be 0.75.
fn min_hashing_example() -> CharacteristicMatrix {
    let rows =
        [[1, 0, 1, 0], [1, 0, 0, 1], [0, 1, 0, 1], [0, 1, 0, 1], [0, 1, 0, 1], [1, 0, 1, 0], [1, 0, 1, 0]];
    CharacteristicMatrix::from_rows(&rows).unwrap().with_numbering(Numbering::FromOne)
}

/// The three permutations of that slide, as positions: the columns of the printed table.
const PERMUTATIONS: [[u64; 7]; 3] = [[2, 3, 7, 6, 1, 5, 4], [4, 2, 1, 3, 6, 7, 5], [3, 4, 7, 2, 6, 1, 5]];

/// Slides "Min-Hashing Example" (also note 004, sections 4.3.1 and 4.3.2): the signature matrix, the equivalent one
/// of row indexes, and the similarities of columns and of signatures.
#[test]
fn three_permutations_give_the_signature_matrix() {
    let matrix = min_hashing_example();
    let hasher = PermutationHasher::from_positions(Numbering::FromOne, &PERMUTATIONS).unwrap();
    let positions = SignatureMatrix::from_permutations(&matrix, &hasher, RowLabel::Position).unwrap();
    assert_eq!(positions.to_rows(), [[2, 1, 2, 1], [2, 1, 4, 1], [1, 2, 1, 2]]);
    let indexes = SignatureMatrix::from_permutations(&matrix, &hasher, RowLabel::RowIndex).unwrap();
    assert_eq!(indexes.to_rows(), [[1, 5, 1, 5], [2, 3, 1, 3], [6, 4, 6, 4]]);

    let pairs = [(0, 2), (1, 3), (0, 1), (2, 3)];
    assert_eq!(column_similarities(&matrix, &pairs), [0.75, 0.75, 0.0, 0.0]);
    // "A Subtle Point": it does not matter which of the two labels is used.
    for signatures in [positions, indexes] {
        let similarities = pairs.map(|(left, right)| signatures.similarity(left, right).unwrap());
        assert_eq!(similarities, [2.0 / 3.0, 1.0, 0.0, 0.0]);
    }
}

/// Slide "Example: Minhashing". The rows of the printed signature matrix belong to the permutations from right to
/// left: its first row is that of the column 1 2 3 4 5 6 7.
#[test]
fn the_second_example_lists_its_permutations_from_right_to_left() {
    let rows =
        [[0, 1, 1, 0], [0, 0, 1, 1], [1, 0, 0, 0], [0, 1, 0, 1], [0, 0, 0, 1], [1, 1, 0, 0], [0, 0, 1, 0]];
    let matrix = CharacteristicMatrix::from_rows(&rows).unwrap().with_numbering(Numbering::FromOne);
    let mut permutations = [[6, 3, 1, 7, 2, 5, 4], [7, 6, 5, 4, 3, 2, 1], [1, 2, 3, 4, 5, 6, 7]];
    permutations.reverse();
    let hasher = PermutationHasher::from_positions(Numbering::FromOne, &permutations).unwrap();
    let signatures = SignatureMatrix::from_permutations(&matrix, &hasher, RowLabel::Position).unwrap();
    assert_eq!(signatures.to_rows(), [[3, 1, 1, 2], [2, 2, 1, 3], [1, 5, 3, 2]]);
}

/// Slide "Example" after "Implementation - (3)": rows 1 to 5. (The extracted table has lost the line g(1) = 3, with
/// the slots 3 and infinity.) Note 004 has the same matrix with rows 0 to 4, and another answer.
#[test]
fn one_pass_over_rows_one_to_five_ends_with_one_two_and_zero_zero() {
    let matrix = CharacteristicMatrix::from_rows(&[[1, 0], [0, 1], [1, 1], [1, 0], [0, 1]]).unwrap();
    let matrix = matrix.with_numbering(Numbering::FromOne);
    let trace = OnePassTrace::new(&matrix, &functions(&[(1, 0), (2, 1)], 5)).unwrap();

    let hash_values: Vec<_> = trace.steps().iter().map(|step| step.hash_values.clone()).collect();
    assert_eq!(hash_values, [[1, 3], [2, 0], [3, 2], [4, 4], [0, 1]]);
    assert_eq!(after_row(&trace, 1), [[1, INFINITY], [3, INFINITY]]);
    assert_eq!(after_row(&trace, 2), [[1, 2], [3, 0]]);
    assert_eq!(after_row(&trace, 3), [[1, 2], [2, 0]]);
    assert_eq!(after_row(&trace, 4), [[1, 2], [2, 0]]);
    assert_eq!(after_row(&trace, 5), [[1, 0], [2, 0]]);
    assert_eq!(matrix.similarity(0, 1).unwrap(), 1.0 / 5.0);
    assert_eq!(trace.result().similarity(0, 1).unwrap(), 0.0);
}

/// Slides "LSH: First Cut" and "Candidates from Min-Hash". The matrix M beside them has the rows of "Min-Hashing
/// Example" in another order, which changes no similarity.
#[test]
fn candidates_agree_in_at_least_a_fraction_s_of_their_rows() {
    let m = SignatureMatrix::from_rows(&[[2, 1, 4, 1], [1, 2, 1, 2], [2, 1, 2, 1]]).unwrap();
    assert_eq!(m.pairs_at_least(0.8).unwrap(), [(1, 3)]);
    assert_eq!(m.pairs_at_least(0.6).unwrap(), [(0, 2), (1, 3)]);
    assert_eq!(m.candidate_pairs(3, 1).unwrap(), [(0, 2), (1, 3)], "one row agrees");
    assert_eq!(m.candidate_pairs(1, 3).unwrap(), [(1, 3)], "all rows agree");
}

/// Slides "Example of Bands" and "Min-Hash Signatures" (also note 004). The slide's "40Mb" are megabytes: 100,000
/// signatures of 100 integers of 4 bytes. And a signature of 100 such integers has 400 bytes, not "~100". Here a slot
/// has 8 bytes; the slots of multiply-shift use the lower 4, which is the slide's integer, and a b-bit signature of
/// 8 bits each is near its "~100 bytes". (The 5 * 10^9 pairs are the slide's arithmetic.)
#[test]
fn signatures_of_100_000_documents_take_40_megabytes() {
    let documents = 100_000;
    let signature = MultiplyShift::new(100, 1).unwrap().sketch(&[1, 2, 3]);
    let integers: Vec<u32> = signature.slots().iter().map(|&slot| u32::try_from(slot).unwrap()).collect();
    assert_eq!(size_of_val(&integers[..]), 400);
    assert_eq!(documents * size_of_val(&integers[..]), 40_000_000);
    assert_eq!(documents * size_of_val(signature.slots()), 80_000_000);
    assert_eq!(BBitSignature::new(&signature, 8).unwrap().size_in_bytes(), 104);
    assert_rounds_to((documents * (documents - 1) / 2) as f64 / 1e9, 5.0, 3);
}
