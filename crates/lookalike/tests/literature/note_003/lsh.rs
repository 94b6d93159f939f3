//! Slides "LSH": which measures have a family, and what an index promises.

use lookalike::Error;
use lookalike::hashing::SplitMix64;
use lookalike::index::LshIndex;
use lookalike::minhash::{FastSketch, MinHasher};
use lookalike::similarity::{SetMeasure, SortedSet};
use lookalike::vectors::{FamilyKind, Measure, dice_from_jaccard, jaccard_from_dice};

use crate::s_curve;

/// Slide "LSH: PROPERTIES": families are known for resemblance, cosine and Hamming distance, and do not exist for the
/// Dice and the overlap coefficient.
#[test]
fn dice_and_overlap_have_no_lsh_family() {
    assert_eq!(Measure::Jaccard.lsh_family(), Ok(FamilyKind::MinHash));
    assert_eq!(Measure::Cosine.lsh_family(), Ok(FamilyKind::Hyperplanes));
    assert_eq!(Measure::Hamming.lsh_family(), Ok(FamilyKind::BitSampling));
    for measure in [Measure::Dice, Measure::Overlap] {
        let error = measure.lsh_family().unwrap_err();
        assert!(matches!(error, Error::NoLshFamily { .. }));
        assert!(error.to_string().contains("J = D/(2-D)"), "{error}");
    }
    for percent in 0..=100 {
        let jaccard = f64::from(percent) / 100.0;
        let there_and_back = jaccard_from_dice(dice_from_jaccard(jaccard).unwrap()).unwrap();
        assert!((there_and_back - jaccard).abs() < 1e-12);
    }
}

/// The reason (Charikar 2002): if two items collide with probability sim, then 1 - sim is the probability that a
/// random function tells them apart, which obeys the triangle inequality. Over all triples of subsets of four
/// elements, 1 - Jaccard does (it is the metric of slide "MINHASH: RESEMBLANCE SIMILARITY"), 1 - Dice and 1 - overlap
/// do not.
#[test]
fn one_minus_jaccard_is_a_metric_and_one_minus_dice_and_overlap_are_not() {
    let subset = |bits: u64| (0..4).filter(move |i| bits >> i & 1 == 1).collect::<Vec<u64>>();
    let subsets: Vec<Vec<u64>> = (0..16).map(subset).collect();
    let obeys_the_triangle_inequality = |measure: SetMeasure| {
        let set = |i: usize| SortedSet::new(&subsets[i]).unwrap();
        let distance = |a, b| 1.0 - measure.similarity(set(a), set(b));
        let holds = |a, b, c| distance(a, c) <= distance(a, b) + distance(b, c) + 1e-12;
        (0..16 * 16 * 16).all(|triple| holds(triple / 256, triple / 16 % 16, triple % 16))
    };
    assert!(obeys_the_triangle_inequality(SetMeasure::Jaccard));
    assert!(!obeys_the_triangle_inequality(SetMeasure::Dice));
    assert!(!obeys_the_triangle_inequality(SetMeasure::Overlap));
}

/// Slide "LSH: PROBLEM": "with a high probability equal to 1 - delta we return the nearest neighbor for any query".
/// (The extracted text has lost the minus.) No index of bands promises that for any neighbour, however far: it holds
/// for neighbours of similarity t or more. Here 1,000 queries have one of similarity exactly 0.8. For delta = 0.05
/// the plan is 18 x 7, which misses 1.4 % of them; the bound is 4.5 standard deviations above (false alarms below
/// 1e-4).
#[test]
fn a_neighbour_at_the_threshold_is_found_with_probability_1_minus_delta() {
    let (threshold, delta, queries) = (0.8, 0.05, 1_000);
    let mut index = LshIndex::with_guarantee(128, threshold, delta).unwrap();
    let banding = index.banding();
    assert_eq!((banding.bands(), banding.rows()), (18, 7));
    let miss = s_curve(banding.bands(), banding.rows()).miss_probability(threshold);
    assert!(miss <= delta);

    let hasher = FastSketch::new(128, 3).unwrap();
    let mut random = SplitMix64::new(95);
    // 80 elements in both, 10 in each alone: 80 of 100.
    let sets: Vec<Vec<u64>> = (0..queries).map(|_| (0..100).map(|_| random.next_u64()).collect()).collect();
    for (id, set) in (0..).zip(&sets) {
        index.insert(id, &hasher.sketch(&set[..90])).unwrap();
    }
    let found =
        |(id, set): &(u64, &Vec<u64>)| index.candidates(&hasher.sketch(&set[10..])).unwrap().contains(id);
    let missed = queries - (0..).zip(&sets).filter(found).count();
    let standard_deviation = (queries as f64 * miss * (1.0 - miss)).sqrt();
    let most = queries as f64 * miss + 4.5 * standard_deviation;
    assert!(most < delta * queries as f64);
    assert!((missed as f64) <= most, "{missed} of {queries} missed, expected {}", queries as f64 * miss);
}
