//! Pairs that a person has judged -> how far the log odds of a model are off, and what precision and recall are then.
//!
//! A model orders pairs better than it cuts the order: its log odds are too high or too low by about the same amount for all
//! pairs near the threshold. So labels move all log odds by one number, the shift `s`: a pair of weight `w` matches with
//! probability
//!
//! ```text
//! p(w + s) = 1 / (1 + exp(-(w + s)))
//! ```
//!
//! Which pairs were judged may depend on their weights without changing what `s` is, so that a program may ask about the pairs
//! that teach most. Before any label, `s` is 0 with a standard deviation of 2, so that a few labels move little: a single answer at
//! `w = 0` moves it by less than 1.2. A share of the answers, 0.02, is taken to be mistaken, so that one wrong answer about a pair
//! that is certain does not move all others. `s` is the mean of what is then likely (Bayes), summed over a grid.

use crate::model::probability;
use std::collections::BTreeMap;

/// The standard deviation of the shift before any label.
pub(crate) const SPREAD: f64 = 2.0;

/// The share of answers that are mistaken.
pub(crate) const MISTAKES: f64 = 0.02;

/// The grid of shifts: from minus to plus this, in these steps.
const WIDEST: f64 = 12.0;
const STEP: f64 = 0.05;

/// What labels say about the shift of log odds.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Shift {
    /// The mean of what is likely.
    pub mean: f64,
    /// Its standard deviation.
    pub deviation: f64,
    /// The shifts of the grid, and how likely each is; these sum to 1.
    likely: Vec<(f64, f64)>,
}

/// Precision and recall at a threshold, each with its standard error.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub struct Quality {
    /// The share of the found pairs that match; none if no pair is found, or if no shift explains the answers.
    pub precision: Option<(f64, f64)>,
    /// The share of the matching pairs that were found, among those that were compared; none if no match is expected, or if no
    /// shift explains the answers.
    pub recall: Option<(f64, f64)>,
}

/// If more than this share of what is likely lies beyond the grid, or at its ends, no shift explains the answers.
const MOST_AT_ENDS: f64 = 0.01;

/// How far the ends of the grid reach.
const END: f64 = 1.0;

/// Fewer expected matches than this are none.
const LEAST_MATCHES: f64 = 0.5;

impl Shift {
    /// Learns from judged pairs: the weight of each, and whether it matches.
    #[must_use]
    pub fn of(judged: &[(f64, bool)]) -> Self {
        let steps = (WIDEST / STEP).round() as i64;
        let log = |shift: f64| -> f64 {
            let answers = judged.iter().map(|&(weight, is_match)| {
                let matches = MISTAKES + (1.0 - 2.0 * MISTAKES) * probability(weight + shift);
                if is_match { matches.ln() } else { (1.0 - matches).ln() }
            });
            -0.5 * (shift / SPREAD).powi(2) + answers.sum::<f64>()
        };
        let logs: Vec<(f64, f64)> =
            (-steps..=steps).map(|step| step as f64 * STEP).map(|shift| (shift, log(shift))).collect();
        let highest = logs.iter().map(|it| it.1).fold(f64::NEG_INFINITY, f64::max);
        let sum: f64 = logs.iter().map(|it| (it.1 - highest).exp()).sum();
        let likely: Vec<(f64, f64)> =
            logs.into_iter().map(|(shift, log)| (shift, (log - highest).exp() / sum)).collect();
        let mean: f64 = likely.iter().map(|(shift, share)| shift * share).sum();
        let square: f64 = likely.iter().map(|(shift, share)| (shift - mean).powi(2) * share).sum();
        // A sum over a symmetric grid is 0 up to rounding if nothing is known.
        let mean = if judged.is_empty() { 0.0 } else { mean };
        Self { mean, deviation: square.sqrt(), likely }
    }

    /// The probability that a pair of a weight matches.
    #[must_use]
    pub fn probability(&self, weight: f64) -> f64 {
        self.likely.iter().map(|(shift, share)| share * probability(weight + shift)).sum()
    }

    /// True if the answers contradict the weights so much that no shift of the grid explains them: all answers are no, for
    /// example, also those about the surest pairs.
    #[must_use]
    pub fn is_beyond(&self) -> bool {
        let at_ends = self.likely.iter().filter(|(shift, _)| shift.abs() > WIDEST - END);
        at_ends.map(|(_, share)| share).sum::<f64>() > MOST_AT_ENDS
    }

    /// Precision and recall of what is found at a threshold in probability, from the weights of all pairs that may match. The
    /// error has two parts: the shift is not known exactly, and a pair matches or not.
    #[must_use]
    pub fn quality(&self, weights: &[f64], threshold: f64) -> Quality {
        if self.is_beyond() {
            return Quality { precision: None, recall: None };
        }
        let least = (threshold / (1.0 - threshold)).ln() - self.mean;
        // Weights are counted in steps, so that many pairs cost no more than few: found ones and others apart.
        let mut counts: BTreeMap<(bool, i64), f64> = BTreeMap::new();
        for &weight in weights {
            let step = (weight / STEP).clamp(-2_000.0, 2_000.0).round() as i64;
            *counts.entry((weight >= least, step)).or_default() += 1.0;
        }
        // By shift: the expected number of matches that were found and that were not, and its variance by chance.
        let found = weights.iter().filter(|weight| **weight >= least).count() as f64;
        let (mut precision, mut recall, mut expected) = (Moments::default(), Moments::default(), 0.0);
        for &(shift, share) in self.likely.iter().filter(|(_, share)| *share > 1e-6) {
            let (mut right, mut missed, mut chance) = (0.0, 0.0, [0.0, 0.0]);
            for (&(is_found, step), &count) in &counts {
                let p = probability(step as f64 * STEP + shift);
                let (sum, at) = if is_found { (&mut right, 0) } else { (&mut missed, 1) };
                *sum += count * p;
                chance[at] += count * p * (1.0 - p);
            }
            if found > 0.0 {
                precision.add(share, right / found, chance[0] / found.powi(2));
            }
            let all: f64 = right + missed;
            expected += share * all;
            if all > 0.0 {
                let spread = (missed / all).powi(2) * chance[0] + (right / all).powi(2) * chance[1];
                recall.add(share, right / all, spread / all.powi(2));
            }
        }
        let recall = recall.of_share().filter(|_| expected >= LEAST_MATCHES);
        Quality { precision: precision.of_share(), recall }
    }
}

/// The mean and the variance of a mixture.
#[derive(Debug, Default)]
struct Moments {
    all: f64,
    mean: f64,
    square: f64,
}

impl Moments {
    fn add(&mut self, share: f64, mean: f64, variance: f64) {
        self.all += share;
        self.mean += share * mean;
        self.square += share * (mean * mean + variance);
    }

    /// The mean and its standard error; none if nothing was added.
    fn of_share(&self) -> Option<(f64, f64)> {
        let mean = self.mean / self.all;
        (self.all > 0.0).then(|| (mean, (self.square / self.all - mean * mean).max(0.0).sqrt()))
    }
}

/// The pair that teaches most: the one whose answer is least known. Pairs that were judged are left out.
#[must_use]
pub fn next_question(shift: &Shift, weights: &[f64], is_judged: impl Fn(usize) -> bool) -> Option<usize> {
    let open = weights.iter().enumerate().filter(|(at, _)| !is_judged(*at));
    let distance = |weight: f64| (weight + shift.mean).abs();
    open.min_by(|x, y| distance(*x.1).total_cmp(&distance(*y.1)).then(x.0.cmp(&y.0))).map(|(at, _)| at)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Numbers in [0, 1), the same in every run.
    fn draws(seed: u64) -> impl FnMut() -> f64 {
        let mut state = seed;
        move || {
            state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
            (lookalike::hashing::mix64(state) >> 11) as f64 / (1u64 << 53) as f64
        }
    }

    #[test]
    fn nothing_is_moved_without_labels_and_little_by_one() {
        let none = Shift::of(&[]);
        assert_eq!(none.mean, 0.0);
        assert!((none.deviation - SPREAD).abs() < 0.01, "{}", none.deviation);
        let one = Shift::of(&[(0.0, true)]);
        // By a plain sum over far more points, 1.16295.
        assert!((one.mean - 1.163).abs() < 0.001, "{}", one.mean);
        assert!((one.mean + Shift::of(&[(0.0, false)]).mean).abs() < 1e-9, "yes and no are mirror images");
        // An answer that was expected moves nothing, and neither does a mistake about a pair that is certain.
        assert!(Shift::of(&[(20.0, true)]).mean.abs() < 0.01);
        assert!(Shift::of(&[(20.0, false)]).mean.abs() < 0.1);
    }

    /// The mean over the grid against a plain sum over far more points.
    #[test]
    fn the_grid_is_fine_enough() {
        let judged = [(1.0, true), (-0.5, true), (2.0, false), (-3.0, false), (0.2, true)];
        let (mut sum, mut of_shift) = (0.0, 0.0);
        for step in -40_000..=40_000 {
            let shift = f64::from(step) / 2_000.0;
            let mut likely = (-0.5 * (shift / 2.0_f64).powi(2)).exp();
            for (weight, is_match) in judged {
                let p = 0.02 + 0.96 / (1.0 + (-(weight + shift)).exp());
                likely *= if is_match { p } else { 1.0 - p };
            }
            sum += likely;
            of_shift += likely * shift;
        }
        assert!((Shift::of(&judged).mean - of_shift / sum).abs() < 1e-3);
    }

    /// With answers drawn from a known shift, the mean comes near it, and the deviation says how near: over 200 seeds the square
    /// of the error over the deviation has a mean of 1, within four standard errors of it (0.1 each, as of a chi-square).
    #[test]
    fn the_shift_of_answers_is_found() {
        let mut squares = 0.0;
        for seed in 0..200u64 {
            let mut draw = draws(seed);
            // A shift as it is expected before any label: a sum of 12 draws is nearly normal.
            let truth = SPREAD * ((0..12).map(|_| draw()).sum::<f64>() - 6.0);
            let mut judged = Vec::new();
            for _ in 0..40 {
                let weight = 8.0 * draw() - 4.0;
                let is_match = draw() < probability(weight + truth);
                judged.push((weight, if draw() < MISTAKES { !is_match } else { is_match }));
            }
            let shift = Shift::of(&judged);
            squares += ((shift.mean - truth) / shift.deviation).powi(2) / 200.0;
        }
        assert!((squares - 1.0).abs() < 0.4, "{squares}");
    }

    #[test]
    fn questions_are_where_the_answer_is_least_known() {
        let weights = [5.0, 0.4, -0.3, -6.0];
        let shift = Shift::of(&[]);
        assert_eq!(next_question(&shift, &weights, |_| false), Some(2));
        assert_eq!(next_question(&shift, &weights, |at| at == 2), Some(1));
        assert_eq!(next_question(&shift, &weights, |_| true), None);
        // After many pairs at 3 that do not match, the doubtful ones are higher.
        let shift = Shift::of(&[(3.0, false); 20]);
        assert_eq!(next_question(&shift, &weights, |_| false), Some(0), "{}", shift.mean);
    }

    /// Precision and recall of drawn truths are as far from what is said as its errors say.
    #[test]
    fn precision_and_recall_are_within_their_errors() {
        let mut draw = draws(7);
        let weights: Vec<f64> = (0..400).map(|_| 16.0 * draw() - 8.0).collect();
        let (mut far, mut all) = (0, 0);
        for seed in 100..150u64 {
            let mut draw = draws(seed);
            let truth_shift = 3.0 * draw() - 1.5;
            let truth: Vec<bool> =
                weights.iter().map(|weight| draw() < probability(weight + truth_shift)).collect();
            let judged: Vec<(f64, bool)> = (0..400).step_by(10).map(|at| (weights[at], truth[at])).collect();
            let shift = Shift::of(&judged);
            let quality = shift.quality(&weights, 0.5);
            let found: Vec<bool> = weights.iter().map(|weight| weight + shift.mean >= 0.0).collect();
            let both = truth.iter().zip(&found).filter(|(t, f)| **t && **f).count() as f64;
            let precision = both / found.iter().filter(|it| **it).count() as f64;
            let recall = both / truth.iter().filter(|it| **it).count() as f64;
            for (said, really) in [(quality.precision, precision), (quality.recall, recall)] {
                all += 1;
                let (share, error) = said.unwrap();
                far += usize::from((share - really).abs() > 3.0 * error);
            }
        }
        assert!(far <= 3, "{far} of {all} are more than three errors away");
    }

    /// Sixty answers of no, also about the surest pairs, are explained by no shift; and of nothing that is found, the precision
    /// is unknown.
    #[test]
    fn what_cannot_be_told_is_not_told() {
        let all_no: Vec<(f64, bool)> = (0..60).map(|at| (f64::from(at) / 3.0 - 2.0, false)).collect();
        let shift = Shift::of(&all_no);
        let weights: Vec<f64> = (0..100).map(|at| f64::from(at) / 5.0 - 2.0).collect();
        assert!(shift.is_beyond(), "{}", shift.mean);
        assert_eq!(shift.quality(&weights, 0.5), Quality { precision: None, recall: None });
        let few = Shift::of(&[(0.0, true), (1.0, false)]);
        assert!(!few.is_beyond() && !Shift::of(&[]).is_beyond());
        let low = few.quality(&[-9.0; 20], 0.5);
        assert_eq!((low.precision, low.recall), (None, None));
        assert!(few.quality(&weights, 0.5).precision.is_some_and(|(_, error)| error > 0.0));
    }
}
