//! The sample of pairs just below the threshold.

use super::super::near_misses::{NearMiss, NearMisses};
use super::{chunk, number, recipe};

fn pair(at: u64) -> NearMiss {
    NearMiss { number: at, other: at / 3, similarity: (at % 97) as f64 / 97.0 }
}

#[test]
fn the_sample_does_not_depend_on_the_order() {
    let samples: Vec<Vec<NearMiss>> = [1, 7, 1_999]
        .map(|step| {
            let sample = NearMisses::default();
            // Every pair of 5,000, in another order each time, and some twice.
            for at in (0..6_000).map(|at| at * step % 5_000) {
                if sample.may_take(pair(at).number, pair(at).other) {
                    sample.insert(pair(at));
                }
            }
            sample.into_vec()
        })
        .to_vec();
    assert_eq!(samples[0].len(), 1_000);
    assert!(samples[0].is_sorted_by(|a, b| a.similarity >= b.similarity), "the most similar first");
    assert!(samples.iter().all(|sample| *sample == samples[0]));
    // Drawn from all of them: the mean of 5,000 numbers, within five standard errors (false alarm: 1 in 1.7 million).
    let mean = samples[0].iter().map(|pair| pair.number as f64).sum::<f64>() / 1_000.0;
    assert!((mean - 2_499.5).abs() < 5.0 * 5_000.0 / 12f64.sqrt() / 1_000f64.sqrt(), "{mean}");
}

#[test]
fn a_full_sample_turns_away_what_cannot_be_in_it() {
    let sample = NearMisses::default();
    assert!((0..5_000).all(|at| sample.may_take(pair(at).number, pair(at).other)));
    (0..5_000).for_each(|at| sample.insert(pair(at)));
    let taken = (5_000..10_000).filter(|&at| sample.may_take(pair(at).number, pair(at).other)).count();
    // A fifth of them have a hash as small as the smallest fifth: binomial, five standard deviations.
    assert!((1_000.0 - taken as f64).abs() < 5.0 * 29.0 * 2f64.sqrt(), "{taken}");
}

#[test]
fn similarities_are_those_of_the_sets() {
    let chunk = chunk(&[([0; 4], &[1, 2, 3]), ([0; 4], &[2, 3, 4, 5])]);
    let sample = NearMisses::default();
    sample.take(&chunk, 1, 0, &recipe());
    assert_eq!(sample.into_vec(), [NearMiss { number: number(1), other: number(0), similarity: 2.0 / 5.0 }]);
}
