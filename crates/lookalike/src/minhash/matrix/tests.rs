use proptest::prelude::*;

use super::*;
use crate::minhash::{
    EMPTY_SLOT, Numbering, PermutationHasher, RowLabel, UniversalFunction, UniversalHasher, UniversalRange,
};

fn bits(text: &str) -> BitVector {
    text.parse().unwrap()
}

#[test]
fn bit_vectors_read_and_write_themselves() {
    for text in ["", "0", "10111", &"10".repeat(100)] {
        assert_eq!(bits(text).to_string(), text);
        assert_eq!(bits(text).len(), text.len());
    }
    assert!("102".parse::<BitVector>().is_err());
    assert_eq!(bits("101").get(2), Some(true));
    assert_eq!(bits("101").get(3), None);
    assert_eq!(bits("01011").ones().collect::<Vec<_>>(), [1, 3, 4]);
}

#[test]
fn bit_vectors_of_different_length_are_not_compared() {
    let mismatch = Error::LengthMismatch { left: 3, right: 4 };
    assert_eq!(bits("101").and(&bits("1010")).unwrap_err(), mismatch);
    assert_eq!(bits("101").or(&bits("1010")).unwrap_err(), mismatch);
    assert_eq!(bits("101").jaccard(&bits("1010")).unwrap_err(), mismatch);
}

#[test]
fn two_empty_sets_are_equal() {
    assert_eq!(bits("000").jaccard(&bits("000")).unwrap(), 1.0);
    assert_eq!(RowTypeCounts::default().similarity(), 1.0);
    let matrix = CharacteristicMatrix::from_columns(vec![bits("00"), bits("00")]).unwrap();
    let hasher = UniversalHasher::random(4, 0, UniversalRange::Prime).unwrap();
    let signatures = SignatureMatrix::from_hasher(&matrix, &hasher).unwrap();
    assert_eq!(signatures.similarity(0, 1).unwrap(), 1.0);
}

#[test]
fn both_alphabets_of_row_types_are_known() {
    let types = [RowType::Both, RowType::LeftOnly, RowType::RightOnly, RowType::Neither];
    let letters = |letters| types.map(|row_type| row_type.letter(letters)).iter().collect::<String>();
    assert_eq!(letters(RowTypeLetters::FromOnes), "ABCD");
    assert_eq!(letters(RowTypeLetters::FromZeros), "dcba");
}

#[test]
fn named_sets_make_rows_in_either_order() {
    let sets = [("S", vec!["b", "a", "b"]), ("T", vec!["c", "a"])];
    let first = CharacteristicMatrix::from_named_sets(&sets, RowOrder::FirstAppearance);
    assert_eq!(first.to_string(), "row  S  T\nb    1  0\na    1  1\nc    0  1\n");
    let sorted = CharacteristicMatrix::from_named_sets(&sets, RowOrder::Sorted);
    assert_eq!(sorted.to_string(), "row  S  T\na    1  1\nb    1  0\nc    0  1\n");
    assert_eq!(sorted.with_numbering(Numbering::FromOne).elements(1).unwrap(), [1, 3]);
}

#[test]
fn permuted_rows_keep_their_names() {
    let matrix = CharacteristicMatrix::from_rows(&[[1, 0], [0, 0], [1, 1]]).unwrap();
    let permuted = matrix.permute_rows(&[2, 0, 1]).unwrap();
    assert_eq!(permuted.to_string(), "row  C1  C2\n2     1   1\n0     1   0\n1     0   0\n");
    for bad in [vec![0, 1], vec![0, 1, 1], vec![1, 2, 3], vec![0, 1, u64::MAX]] {
        assert!(matrix.permute_rows(&bad).is_err(), "{bad:?}");
    }
}

#[test]
fn impossible_matrices_and_columns_are_errors() {
    assert!(CharacteristicMatrix::from_rows(&[vec![1, 0], vec![1]]).is_err());
    assert!(CharacteristicMatrix::from_rows(&[[1, 2]]).is_err());
    assert!(CharacteristicMatrix::from_columns(vec![bits("10"), bits("1")]).is_err());
    let matrix = CharacteristicMatrix::from_rows(&[[1, 0]]).unwrap();
    assert!(matrix.similarity(0, 2).is_err());
    assert!(matrix.row_types(2, 0).is_err());

    assert!(SignatureMatrix::from_rows(&[vec![1, 2], vec![1]]).is_err());
    let signatures = SignatureMatrix::from_rows(&[[1, 2], [3, 3], [4, 5]]).unwrap();
    assert!(signatures.similarity(0, 2).is_err());
    for (bands, rows) in [(0, 1), (1, 0), (2, 2), (4, 1), (1, 4), (usize::MAX, usize::MAX)] {
        assert!(signatures.bands(bands, rows).is_err(), "{bands} x {rows}");
    }
    for threshold in [-0.1, 1.1, f64::NAN] {
        assert!(signatures.pairs_at_least(threshold).is_err());
    }
}

#[test]
fn an_empty_matrix_is_harmless() {
    let none: [[u8; 0]; 0] = [];
    let matrix = CharacteristicMatrix::from_rows(&none).unwrap();
    assert_eq!((matrix.num_rows(), matrix.num_columns()), (0, 0));
    assert_eq!(matrix.to_string(), "row\n");
    let hasher = UniversalHasher::random(2, 0, UniversalRange::Prime).unwrap();
    let trace = OnePassTrace::new(&matrix, &hasher).unwrap();
    assert_eq!(trace.result(), trace.start());
}

#[test]
fn permutations_of_other_rows_are_refused() {
    let matrix = CharacteristicMatrix::from_rows(&[[1, 0], [0, 1], [1, 1]]).unwrap();
    let from_one = PermutationHasher::from_order(Numbering::FromOne, &[[3, 1, 2]]).unwrap();
    let too_long = PermutationHasher::random(4, 1, 0).unwrap();
    for hasher in [from_one, too_long] {
        let refused = SignatureMatrix::from_permutations(&matrix, &hasher, RowLabel::Position);
        assert!(matches!(refused, Err(Error::Incompatible { .. })));
    }
}

#[test]
fn rows_left_over_are_in_no_band() {
    let signatures = SignatureMatrix::from_rows(&[[1, 2], [1, 1], [9, 9]]).unwrap();
    assert_eq!(signatures.candidate_pairs(1, 2).unwrap(), []);
    assert_eq!(signatures.candidate_pairs(2, 1).unwrap(), [(0, 1)]);
    assert_eq!(signatures.bands(1, 2).unwrap()[0].column(1).unwrap(), [2, 1]);
}

#[test]
fn a_trace_prints_infinity_and_every_step() {
    let matrix = CharacteristicMatrix::from_rows(&[[1, 0], [1, 1]]).unwrap();
    let hasher = UniversalHasher::from_functions(vec![UniversalFunction::modular(1, 1, 2).unwrap()]).unwrap();
    let trace = OnePassTrace::new(&matrix, &hasher).unwrap();
    assert_eq!(
        trace.to_string(),
        "start\n    C1  C2\nh1   ∞   ∞\nrow 0: h1 = 1\n    C1  C2\nh1   1   ∞\nrow 1: h1 = 0\n    C1  C2\nh1   0   0\n"
    );
    assert_eq!(trace.start().column(0).unwrap(), [EMPTY_SLOT]);
}

fn matrix_of(rows: Vec<Vec<u8>>) -> CharacteristicMatrix {
    CharacteristicMatrix::from_rows(&rows).unwrap()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(128))]

    #[test]
    fn bit_vectors_equal_lists_of_booleans(pairs in prop::collection::vec(any::<(bool, bool)>(), 0..200)) {
        let a: BitVector = pairs.iter().map(|pair| pair.0).collect();
        let b: BitVector = pairs.iter().map(|pair| pair.1).collect();
        let and: Vec<bool> = pairs.iter().map(|pair| pair.0 & pair.1).collect();
        let or: Vec<bool> = pairs.iter().map(|pair| pair.0 | pair.1).collect();
        prop_assert_eq!(a.and(&b).unwrap().iter().collect::<Vec<_>>(), and);
        prop_assert_eq!(a.or(&b).unwrap().iter().collect::<Vec<_>>(), or);
        prop_assert_eq!(a.count_ones(), pairs.iter().filter(|pair| pair.0).count());
        prop_assert_eq!(a.jaccard(&b).unwrap(), b.jaccard(&a).unwrap());
    }

    #[test]
    fn similarity_follows_from_the_row_types(rows in prop::collection::vec([0u8..2, 0u8..2].prop_map(Vec::from), 1..30)) {
        let matrix = matrix_of(rows);
        let counts = matrix.row_type_counts(0, 1).unwrap();
        prop_assert_eq!(counts.both + counts.left_only + counts.right_only + counts.neither, matrix.num_rows());
        prop_assert_eq!(counts.similarity(), matrix.similarity(0, 1).unwrap());
    }

    #[test]
    fn permuting_the_rows_changes_no_similarity(
        rows in prop::collection::vec([0u8..2, 0u8..2, 0u8..2].prop_map(Vec::from), 1..20), seed: u64,
    ) {
        let matrix = matrix_of(rows);
        let mut order: Vec<u64> = (0..matrix.num_rows() as u64).collect();
        order.sort_by_key(|row| crate::hashing::mix64(row ^ seed));
        let permuted = matrix.permute_rows(&order).unwrap();
        for (left, right) in [(0, 1), (0, 2), (1, 2)] {
            prop_assert_eq!(permuted.similarity(left, right).unwrap(), matrix.similarity(left, right).unwrap());
        }
    }

    #[test]
    fn the_trace_ends_at_the_signatures(
        rows in prop::collection::vec([0u8..2, 0u8..2, 0u8..2].prop_map(Vec::from), 1..20), seed: u64,
    ) {
        let matrix = matrix_of(rows);
        let hasher = UniversalHasher::random(5, seed, UniversalRange::Prime).unwrap();
        let trace = OnePassTrace::new(&matrix, &hasher).unwrap();
        prop_assert_eq!(trace.result(), &SignatureMatrix::from_hasher(&matrix, &hasher).unwrap());
    }

    #[test]
    fn candidates_are_the_pairs_equal_in_a_band(
        rows in prop::collection::vec(prop::collection::vec(0u64..2, 5), 6),
    ) {
        let matrix = SignatureMatrix::from_rows(&rows).unwrap();
        let equal = |left: usize, right: usize| {
            rows.chunks(2).any(|band| band.iter().all(|row| row[left] == row[right]))
        };
        let expected: Vec<_> = (0..5)
            .flat_map(|left| (left + 1..5).map(move |right| (left, right)))
            .filter(|&(left, right)| equal(left, right))
            .collect();
        prop_assert_eq!(matrix.candidate_pairs(3, 2).unwrap(), expected);
    }
}
