//! Note 004, sections 4.2 (shingling) and 4.3 (min-hashing). Most of its examples are those of note 001.

use lookalike::minhash::UniversalFunction;
use lookalike::minhash::matrix::{BitVector, CharacteristicMatrix, OnePassTrace};
use lookalike::normalization::{Normalization, Whitespace};
use lookalike::shingling::{Shingler, Shingling, Unit};
use lookalike::similarity::jaccard;

use crate::{INFINITY, after_row, functions, readable_set};

/// Slide "4.2.1 Define Shingles", white space, k = 9. (The slide's "pane" is a plane.)
#[test]
fn without_blanks_touch_down_is_a_touchdown() {
    let landing = "The plane was ready for touch down";
    let football = "The quarterback scored a touchdown";
    let shingler = |whitespace| {
        let normalization = Normalization::default().with_whitespace(whitespace);
        let settings =
            Shingling::default().with_unit(Unit::Characters).with_k(9).with_normalization(normalization);
        Shingler::new(settings).unwrap()
    };

    let retaining = shingler(Whitespace::Collapse);
    let landing_shingles = readable_set(&retaining, landing);
    assert!(landing_shingles.contains("touch dow") && landing_shingles.contains("ouch down"));
    assert!(readable_set(&retaining, football).contains("touchdown"));
    assert!(landing_shingles.is_disjoint(&readable_set(&retaining, football)));
    assert_eq!(jaccard(&retaining.set(landing), &retaining.set(football)), 0.0);

    let eliminating = shingler(Whitespace::Remove);
    for text in [landing, football] {
        assert!(readable_set(&eliminating, text).contains("touchdown"));
    }
    assert!(jaccard(&eliminating.set(landing), &eliminating.set(football)) > 0.0);
    // "Replace any sequence of one or more white space characters by a single blank."
    assert_eq!(retaining.set("The plane was\n\tready for   touch down"), retaining.set(landing));
}

/// Slide "4.2.3 Similarity Metric for Shingles": "e.g. 4/8", a picture of two sets that share four of eight.
#[test]
fn sets_that_share_four_of_eight_have_similarity_one_half() {
    let left: BitVector = "11111100".parse().unwrap();
    let right: BitVector = "00111111".parse().unwrap();
    assert_eq!(left.jaccard(&right).unwrap(), 4.0 / 8.0);
}

/// Slide "4.3.3 Implementation Trick for Min-Hash" (also note 001, "Implementation Trick"): universal hashing. The
/// slide's condition "p > M" is p > N, as in note 001: there is no M in the formula.
#[test]
fn universal_hashing_needs_a_prime_that_is_not_below_n() {
    let function = UniversalFunction::new(3, 1, 7, 5).unwrap();
    let values: Vec<u64> = (0..7).map(|x| function.hash(x)).collect();
    assert_eq!(values, [1, 4, 0, 3, 1, 2, 0], "1, 4, 0, 3, 6, 2, 5 modulo 7, then modulo 5");
    assert!(UniversalFunction::new(3, 1, 7, 11).is_err(), "p is smaller than N");
    assert!(UniversalFunction::new(3, 1, 8, 5).is_err(), "p is not prime");
}

/// Slides "4.3.3 Example": the matrix of note 001 with rows counted from 0. (The slide has lost the slots of column 2
/// after row 2, which are 1 and 0, and the final matrix, which is 0 1 over 0 0.) The signatures agree in one of two
/// rows here and in none with rows 1 to 5: the functions see other numbers.
#[test]
fn one_pass_over_rows_zero_to_four_ends_with_zero_zero_and_one_zero() {
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
