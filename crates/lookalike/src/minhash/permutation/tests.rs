use proptest::prelude::*;

use super::*;
use crate::minhash::MAX_HASHES;
use crate::minhash::matrix::BitVector;
use crate::statistics::{check_estimator, estimate, pair_of_sets};

/// The definition: walk through the rows in permuted order until one is in the set.
fn first_in_order(order: &[u32], set: &[u64]) -> Option<(u64, u64)> {
    let place = order.iter().position(|&row| set.contains(&u64::from(row)))?;
    Some((place as u64, u64::from(order[place])))
}

#[test]
fn all_permutations_give_the_jaccard_similarity_exactly() {
    for rows in 1..=6usize {
        let hasher = PermutationHasher::exhaustive(rows).unwrap();
        let factorial: usize = (1..=rows).product();
        assert_eq!(hasher.num_hashes(), factorial);

        let sets: Vec<BitVector> =
            (1u32..1 << rows).map(|bits| (0..rows).map(|row| bits >> row & 1 == 1).collect()).collect();
        let signatures: Vec<Signature> = sets
            .iter()
            .map(|set| hasher.try_sketch(&set.ones().map(|row| row as u64).collect::<Vec<_>>()).unwrap())
            .collect();
        for (a, signature_a) in sets.iter().zip(&signatures) {
            for (b, signature_b) in sets.iter().zip(&signatures) {
                let agreeing = signature_a.agreeing_slots(signature_b).unwrap();
                let (intersection, union) = (a.and(b).unwrap().count_ones(), a.or(b).unwrap().count_ones());
                assert_eq!(agreeing * union, factorial * intersection, "{a} against {b}");
            }
        }
    }
}

#[test]
fn exhaustive_lists_each_permutation_once() {
    let hasher = PermutationHasher::exhaustive(5).unwrap();
    let mut orders: Vec<_> = hasher.permutations.iter().map(|permutation| &permutation.order).collect();
    orders.sort();
    orders.dedup();
    assert_eq!(orders.len(), 120);
}

#[test]
fn shuffles_are_uniform() {
    // 6! = 720 orders of 6 rows would need many draws; of 4 rows there are 24. The statistic has 23 degrees of
    // freedom: mean 23, standard deviation 6.8. It exceeds 70 with probability below 2e-6.
    let draws = 24_000;
    let mut random = SplitMix64::new(7);
    let mut counts = std::collections::BTreeMap::new();
    for _ in 0..draws {
        *counts.entry(shuffled(4, &mut random)).or_insert(0u32) += 1;
    }
    assert_eq!(counts.len(), 24);
    let expected = f64::from(draws) / 24.0;
    let chi_square: f64 = counts.values().map(|&n| (f64::from(n) - expected).powi(2) / expected).sum();
    assert!(chi_square < 70.0, "{chi_square}");
}

#[test]
fn estimator_is_unbiased_with_the_variance_of_the_formula() {
    for (shared, own) in [(30, 5), (20, 10), (4, 18)] {
        let sets = pair_of_sets(0, shared, own);
        let jaccard = shared as f64 / (shared + 2 * own) as f64;
        check_estimator(jaccard, 64, |seed| {
            estimate(&PermutationHasher::random(48, 64, seed).unwrap(), &sets)
        });
    }
}

#[test]
fn positions_and_orders_are_inverse_notations() {
    let positions = [[2, 3, 7, 6, 1, 5, 4]];
    let order = [[5, 1, 2, 7, 6, 4, 3]];
    let by_positions = PermutationHasher::from_positions(Numbering::FromOne, &positions).unwrap();
    let by_order = PermutationHasher::from_order(Numbering::FromOne, &order).unwrap();
    assert_eq!(by_positions.permutations, by_order.permutations);
    assert_eq!(by_positions.seed(), by_order.seed());
    assert_ne!(
        by_positions.seed(),
        PermutationHasher::from_order(Numbering::FromOne, &positions).unwrap().seed()
    );
}

#[test]
fn the_identity_tells_hashers_apart() {
    let seed = |rows, seed| PermutationHasher::random(rows, 8, seed).unwrap().seed();
    assert_eq!(seed(10, 1), seed(10, 1));
    assert_ne!(seed(10, 1), seed(10, 2));
    assert_ne!(seed(10, 1), seed(11, 1));
    let zero = PermutationHasher::from_order(Numbering::FromZero, &[[0, 1, 2]]).unwrap();
    let one = PermutationHasher::from_order(Numbering::FromOne, &[[1, 2, 3]]).unwrap();
    assert_ne!(zero.seed(), one.seed());
    assert!(zero.sketch(&[1]).estimate(&one.sketch(&[1])).is_err());
}

#[test]
fn the_empty_set_has_infinity_everywhere() {
    let hasher = PermutationHasher::random(5, 3, 0).unwrap();
    assert!(hasher.sketch(&[]).is_empty_set());
    assert_eq!(hasher.values(&[], RowLabel::RowIndex).unwrap(), [EMPTY_SLOT; 3]);
}

#[test]
fn elements_outside_the_universe_are_refused_or_left_out() {
    let hasher = PermutationHasher::from_order(Numbering::FromOne, &[[3, 1, 2]]).unwrap();
    for outside in [0, 4, u64::MAX] {
        let error = hasher.try_sketch(&[1, outside]).unwrap_err();
        assert!(error.to_string().contains("the rows 1 to 3"), "{error}");
        assert!(hasher.values(&[outside], RowLabel::Position).is_err());
        assert_eq!(hasher.sketch(&[1, outside]), hasher.sketch(&[1]));
    }
}

/// A repeat has no row. Ignoring it would give the signature of the set.
#[test]
fn bags_with_repeats_are_refused() {
    let hasher = PermutationHasher::random(5, 3, 1).unwrap();
    let bag = |hashes: &[u64]| hashes.iter().copied().collect();
    assert_eq!(hasher.sketch_bag(&bag(&[1, 4])).unwrap(), hasher.sketch(&[1, 4]));
    assert!(matches!(hasher.sketch_bag(&bag(&[1, 4, 4])), Err(Error::OutOfRange { .. })));
}

/// Computed from the definition with another program.
#[test]
fn random_permutations_are_fixed() {
    let hasher = PermutationHasher::random(7, 2, 5).unwrap();
    let orders: Vec<_> = hasher.permutations.iter().map(|permutation| &permutation.order[..]).collect();
    assert_eq!(orders, [[5, 6, 3, 0, 1, 4, 2], [5, 0, 1, 4, 2, 3, 6]]);
    assert_eq!(hasher.sketch(&[1, 2, 4]).slots(), [4, 2]);
    assert_eq!(hasher.seed(), 0x6ea8_53be_0a1e_6453);
}

#[test]
fn impossible_parameters_are_errors() {
    assert!(PermutationHasher::random(0, 1, 0).is_err());
    assert!(PermutationHasher::random(1, 0, 0).is_err());
    assert!(PermutationHasher::random(1, MAX_HASHES + 1, 0).is_err());
    assert!(PermutationHasher::random(usize::MAX, 2, 0).is_err());
    assert!(PermutationHasher::exhaustive(0).is_err());
    assert!(PermutationHasher::exhaustive(7).is_err());
    let none: [[u64; 0]; 0] = [];
    assert!(PermutationHasher::from_order(Numbering::FromZero, &none).is_err());
    assert!(PermutationHasher::from_order(Numbering::FromZero, &[[]; 1] as &[[u64; 0]]).is_err());
    for bad in [vec![0, 1, 1], vec![0, 1, 3], vec![1, 2, 3], vec![0, 1, u64::MAX]] {
        assert!(PermutationHasher::from_positions(Numbering::FromZero, &[bad]).is_err());
    }
    let uneven = [vec![0, 1, 2], vec![0, 1]];
    assert_eq!(
        PermutationHasher::from_order(Numbering::FromZero, &uneven).unwrap_err(),
        Error::LengthMismatch { left: 3, right: 2 }
    );
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(128))]

    #[test]
    fn equals_the_walk_down_the_permuted_rows(seed: u64, set in prop::collection::vec(0u64..20, 0..12)) {
        let hasher = PermutationHasher::random(20, 5, seed).unwrap();
        let positions = hasher.values(&set, RowLabel::Position).unwrap();
        let rows = hasher.values(&set, RowLabel::RowIndex).unwrap();
        for (i, permutation) in hasher.permutations.iter().enumerate() {
            let expected = first_in_order(&permutation.order, &set).unwrap_or((EMPTY_SLOT, EMPTY_SLOT));
            prop_assert_eq!((positions[i], rows[i]), expected);
        }
    }

    #[test]
    fn both_labels_agree_in_the_same_slots(
        seed: u64,
        a in prop::collection::vec(0u64..20, 0..12),
        b in prop::collection::vec(0u64..20, 0..12),
    ) {
        let hasher = PermutationHasher::random(20, 16, seed).unwrap();
        let agreeing = |label| {
            let (a, b) = (hasher.values(&a, label).unwrap(), hasher.values(&b, label).unwrap());
            a.iter().zip(&b).map(|(a, b)| a == b).collect::<Vec<_>>()
        };
        prop_assert_eq!(agreeing(RowLabel::Position), agreeing(RowLabel::RowIndex));
    }

    #[test]
    fn merging_gives_the_signature_of_the_union(
        seed: u64,
        a in prop::collection::vec(0u64..30, 0..12),
        b in prop::collection::vec(0u64..30, 0..12),
    ) {
        let hasher = PermutationHasher::random(30, 16, seed).unwrap();
        let mut merged = hasher.sketch(&a);
        merged.merge(&hasher.sketch(&b)).unwrap();
        prop_assert_eq!(merged, hasher.sketch(&[a, b].concat()));
    }
}
