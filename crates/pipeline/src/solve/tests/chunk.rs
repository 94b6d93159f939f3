//! Two documents of a chunk: what is said of them, and by what.

use super::super::Evidence;
use super::super::chunk::{Chunk, Verdict};
use super::{chunk, recipe, settings};
use crate::method::{FoundBy, Recipe};
use crate::{Measure, Method, Settings, Verify};

const SAME: [u16; 4] = [1, 2, 3, 4];

fn verdict(chunk: &Chunk, recipe: &Recipe) -> Verdict {
    let shared = chunk.shared_keys(1, 0, recipe);
    chunk.compare(1, 0, shared, recipe).unwrap()
}

#[test]
fn sets_decide_at_the_threshold_exactly() {
    let similar =
        |similarity| Verdict::Similar(Evidence { similarity, distance: 0, found_by: FoundBy::Several });
    for (a, b, expected) in [
        (&[1, 2, 3][..], &[1, 2, 3][..], similar(1.0)),
        (&[1, 2, 3], &[2, 3, 4], similar(0.5)),
        (&[1, 2, 3, 4], &[3, 4, 5, 6], Verdict::Below),
        // Two of five are at best 0.4.
        (&[1, 2], &[1, 2, 3, 4, 5], Verdict::Filtered),
        (&[], &[], similar(1.0)),
        (&[], &[1], Verdict::Filtered),
    ] {
        let chunk = chunk(&[(SAME, b), (SAME, a)]);
        assert_eq!(verdict(&chunk, &recipe()), expected, "{a:?} {b:?}");
    }
}

#[test]
fn a_band_that_finds_alone_is_named() {
    for (lanes, band) in
        [([1, 2, 9, 9], FoundBy::Band(0)), ([9, 9, 3, 4], FoundBy::Band(1)), (SAME, FoundBy::Several)]
    {
        let chunk = chunk(&[(SAME, &[1]), (lanes, &[1])]);
        assert_eq!(chunk.shared_keys(1, 0, &recipe()), if band == FoundBy::Several { 2 } else { 1 });
        let Verdict::Similar(evidence) = verdict(&chunk, &recipe()) else { panic!("they are equal") };
        assert_eq!(evidence.found_by, band);
    }
    assert_eq!(
        chunk(&[(SAME, &[1]), ([1, 9, 9, 4], &[1])]).shared_keys(1, 0, &recipe()),
        0,
        "no band is whole"
    );
}

#[test]
fn documents_of_other_values_of_within_are_not_alike() {
    let mut chunk = chunk(&[(SAME, &[1]), (SAME, &[1])]);
    // In the half that keys have they are equal: all of it counts.
    chunk.within = vec![[5, 1], [5, 2]];
    assert_eq!(chunk.shared_keys(1, 0, &recipe()), 0);
    assert_eq!(chunk.compare(1, 0, 2, &recipe()).unwrap(), Verdict::Unlike);
}

#[test]
fn without_sets_the_signatures_decide() {
    let of = |verify, lanes| {
        let recipe = Recipe::new(&settings().with_verify(verify)).unwrap();
        verdict(&chunk(&[(SAME, &[1]), (lanes, &[2])]), &recipe)
    };
    let Verdict::Similar(evidence) = of(Verify::Estimate, [1, 2, 3, 9]) else {
        panic!("three of four lanes")
    };
    assert!((evidence.similarity - 0.75).abs() < 1e-4, "{evidence:?}");
    assert_eq!(
        of(Verify::Estimate, [1, 2, 8, 9]),
        Verdict::Below,
        "a little less than two of four, as chance has its part"
    );
    let Verdict::Similar(evidence) = of(Verify::None, [1, 2, 8, 9]) else { panic!("every candidate counts") };
    assert!(evidence.similarity.is_nan());
}

#[test]
fn fingerprints_are_near_or_not() {
    let settings =
        Settings::default().with_method(Method::Simhash).with_verify(Verify::None).with_distance(3);
    let recipe = Recipe::new(&settings).unwrap();
    for (bits, near) in [(0b0, true), (0b111, true), (0b1111, false)] {
        let chunk = chunk(&[(SAME, &[]), ([1 ^ bits, 2, 3, 4], &[])]);
        match verdict(&chunk, &recipe) {
            Verdict::Similar(evidence) => {
                assert_eq!((near, evidence.distance), (true, u32::from(bits).count_ones()));
            }
            other => assert_eq!((near, other), (false, Verdict::Unlike)),
        }
    }
}

#[test]
fn samples_find_and_the_part_of_the_later_document_counts() {
    let recipe =
        Recipe::new(&Settings::default().with_measure(Measure::Containment).with_threshold(0.6)).unwrap();
    let mut chunk = chunk(&[([0; 4], &[1, 2, 3, 4, 5, 6]), ([0; 4], &[4, 5, 9])]);
    chunk.lanes.clear();
    chunk.lane_ends = vec![0; 2];
    chunk.samples = vec![10, 20, 30, 20, 40];
    chunk.sample_ends = vec![3, 5];
    assert_eq!(chunk.shared_keys(1, 0, &recipe), 1);
    let mut keys = Vec::new();
    chunk.visit_keys(1, &recipe, |key| keys.push(key));
    assert_eq!(keys, [20, 40]);
    let Verdict::Similar(evidence) = verdict(&chunk, &recipe) else {
        panic!("two of three are in the larger")
    };
    assert_eq!(evidence.similarity, 2.0 / 3.0);
    assert_eq!(
        chunk.compare(0, 1, 1, &recipe).unwrap(),
        Verdict::Filtered,
        "at best three of six the other way round"
    );
}
