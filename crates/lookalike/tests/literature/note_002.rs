//! Note 002, *Detection of similarity between documents with hashing*.

use lookalike::minhash::matrix::{
    CharacteristicMatrix, OnePassTrace, RowOrder, RowType, RowTypeCounts, RowTypeLetters, SignatureMatrix,
};
use lookalike::minhash::{Numbering, PermutationHasher, RowLabel};

use super::functions;

/// Example 2.1. The union is {I, love, chocolate, and, pizza, white}; which set has which of the last three is in the
/// figure only, and does not matter for the answer.
#[test]
fn chocolate() {
    let sets = [
        ("S", vec!["I", "love", "chocolate", "and", "pizza"]),
        ("T", vec!["I", "love", "white", "chocolate"]),
    ];
    let matrix = CharacteristicMatrix::from_named_sets(&sets, RowOrder::FirstAppearance);
    assert_eq!(matrix.num_rows(), 6);
    assert_eq!(matrix.row_type_counts(0, 1).unwrap().both, 3);
    assert_eq!(matrix.similarity(0, 1).unwrap(), 3.0 / 6.0);
}

/// The 2-shingles of "nadal" and "nadia" as the columns of figure 4.1.
fn nadal_and_nadia() -> CharacteristicMatrix {
    let sets = [("S1", ["na", "ad", "da", "al"]), ("S2", ["na", "ad", "di", "ia"])];
    CharacteristicMatrix::from_named_sets(&sets, RowOrder::FirstAppearance)
}

/// Example 4.1, and equation (2): J = Q(d) / (Q(b) + Q(c) + Q(d)), with d the rows 1 1. (Notes 001 and 004 name the
/// types the other way round. Two figures have the number 4.1.)
#[test]
fn matrix_of_two_words() {
    let matrix = nadal_and_nadia();
    let printed =
        "row  S1  S2\nna    1   1\nad    1   1\nda    1   0\nal    1   0\ndi    0   1\nia    0   1\n";
    assert_eq!(matrix.to_string(), printed);

    let letters = |left, right| RowType::of(left, right).letter(RowTypeLetters::FromZeros);
    assert_eq!([letters(false, false), letters(false, true)], ['a', 'b']);
    assert_eq!([letters(true, false), letters(true, true)], ['c', 'd']);

    let RowTypeCounts { both: d, left_only: c, right_only: b, neither: a } =
        matrix.row_type_counts(0, 1).unwrap();
    assert_eq!((a, b, c, d), (0, 2, 2, 2));
    assert_eq!(matrix.similarity(0, 1).unwrap(), d as f64 / (b + c + d) as f64);
}

/// Example 4.3: the permutation is given as an order of the rows, the value is the row.
#[test]
fn min_hash_of_two_words() {
    let matrix = nadal_and_nadia();
    let row_of = |name: &str| (0..6).find(|&row| matrix.row_name(row as usize) == name).unwrap();
    let order = ["di", "da", "ia", "na", "ad", "al"].map(row_of);
    let printed =
        "row  S1  S2\ndi    0   1\nda    1   0\nia    0   1\nna    1   1\nad    1   1\nal    1   0\n";
    assert_eq!(matrix.permute_rows(&order).unwrap().to_string(), printed);

    let hasher = PermutationHasher::from_order(Numbering::FromZero, &[order]).unwrap();
    let signatures = SignatureMatrix::from_permutations(&matrix, &hasher, RowLabel::RowIndex).unwrap();
    let first_rows = [0, 1].map(|column| matrix.row_name(signatures.column(column).unwrap()[0] as usize));
    assert_eq!(first_rows, ["da", "di"]);
}

/// Section 4.2.1: the similarity is preserved, here over all 720 permutations.
#[test]
fn the_signatures_preserve_the_similarity() {
    let matrix = nadal_and_nadia();
    let all = PermutationHasher::exhaustive(6).unwrap();
    let signatures = SignatureMatrix::from_hasher(&matrix, &all).unwrap();
    assert_eq!(signatures.similarity(0, 1).unwrap(), matrix.similarity(0, 1).unwrap());
}

/// Section 4.1.1 writes the number of pairs of a million documents as 499.999,5 * 10^6.
#[test]
fn number_of_comparisons() {
    assert_eq!(1_000_000u64 * 999_999 / 2, 499_999_500_000);
}

/// Figure 5.1, with the four values of each column that the text names: "0143" twice, "2130" and "1204".
#[test]
fn bands_of_the_figure() {
    let columns = ["0143", "2130", "0143", "1204"];
    let digit = |column: &str, row: usize| u64::from(column.as_bytes()[row] - b'0');
    let rows: Vec<Vec<u64>> =
        (0..4).map(|row| columns.iter().map(|column| digit(column, row)).collect()).collect();
    let signatures = SignatureMatrix::from_rows(&rows).unwrap();
    let band = signatures.bands(1, 4).unwrap()[0];
    assert_eq!(band.column(3).unwrap(), [1, 2, 0, 4]);
    assert_eq!(band.buckets().len(), 3);
    assert_eq!(band.candidate_pairs(), [(0, 2)]);
}

/// Section 6.1.2 does not count two infinite slots as agreement, so two empty sets have similarity 0 there. Here they
/// are equal, as two equal sets should be.
#[test]
fn empty_sets_are_equal() {
    let matrix = CharacteristicMatrix::from_rows(&[[0, 0, 1]]).unwrap();
    let trace = OnePassTrace::new(&matrix, &functions(&[(1, 0)], 5)).unwrap();
    assert_eq!(trace.result().similarity(0, 1).unwrap(), 1.0);
    assert_eq!(trace.result().similarity(0, 2).unwrap(), 0.0);
}
