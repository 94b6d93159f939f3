//! Pairs that a person has judged -> how far each field may be trusted, and how far all log odds are off.
//!
//! A field gets a factor `f`, and all log odds one shift `s`: a pair with the weights `w` and the log odds `c` beside them (the
//! prior) matches with probability p(c + s + sum of f w). Before any label, a factor is 1 within [`SPREAD`] and the shift is 0
//! within that of `labels`, as normal distributions, so that ten answers move little; the factors taken are those that are then
//! likeliest (the regression of `rivals`). As there, which pairs were judged may depend on their weights.
//!
//! A share of the answers is mistaken, so an answer that contradicts everything else should not bend all factors. Whether an
//! answer is mistaken is not known: it counts as the probability that the pair matches, given the answer and the factors so
//! far, and factors are fitted again (expectation maximisation, which settles in a few rounds).

use crate::labels::{MISTAKES, SPREAD as SPREAD_OF_SHIFT, Shift};
use crate::model::probability;
use crate::rivals::{Believed, Said, regression};

/// The standard deviation of what is believed about a factor before any label.
const SPREAD: f64 = 0.2;

/// How often it is asked which answers are mistaken.
const ROUNDS: usize = 8;

/// A pair that a person has judged.
#[derive(Debug, Clone, PartialEq)]
pub struct Judgement {
    /// Its log odds without labels.
    pub weight: f64,
    /// What each field says of it.
    pub weights: Vec<f64>,
    /// What the person said.
    pub is_match: bool,
}

/// What labels say about weights.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Refined {
    /// What the weights of each field are multiplied by.
    pub factors: Vec<f64>,
    /// How far all log odds are off then.
    pub shift: Shift,
}

impl Refined {
    /// Learns from judged pairs of so many fields.
    #[must_use]
    pub fn of(fields: usize, judged: &[Judgement]) -> Self {
        let factors = factors(fields, judged);
        let nothing = Self { factors, shift: Shift::of(&[]) };
        let weights = judged.iter().map(|it| (nothing.weight(it.weight, &it.weights), it.is_match));
        let shift = Shift::of(&weights.collect::<Vec<_>>());
        Self { shift, ..nothing }
    }

    /// The log odds of a pair with these weights, but for the shift.
    #[must_use]
    pub fn weight(&self, weight: f64, weights: &[f64]) -> f64 {
        weight + self.factors.iter().zip(weights).map(|(factor, said)| (factor - 1.0) * said).sum::<f64>()
    }
}

fn factors(fields: usize, judged: &[Judgement]) -> Vec<f64> {
    let mut factors = vec![1.0; fields];
    if judged.is_empty() || fields == 0 {
        return factors;
    }
    // What is not said by a field stands beside the constant; it is the same for all pairs but equal ones.
    let rest: Vec<f64> = judged.iter().map(|it| it.weight - it.weights.iter().sum::<f64>()).collect();
    let weights: Vec<f64> =
        judged.iter().zip(&rest).flat_map(|(it, rest)| it.weights.iter().copied().chain([*rest])).collect();
    let pairs = vec![(0, 0); judged.len()];
    let said = Said { pairs: &pairs, weights, fields: fields + 1 };
    let believed: Vec<Believed> = (0..fields)
        .map(|_| Believed { mean: 1.0, spread: SPREAD })
        // The prior itself is taken as it is.
        .chain([Believed { mean: 1.0, spread: 1e-4 }, Believed { mean: 0.0, spread: SPREAD_OF_SHIFT }])
        .collect();
    let mut shift = 0.0;
    for _ in 0..ROUNDS {
        let labelled = judged.iter().enumerate().map(|(at, it)| {
            let odds: f64 =
                it.weights.iter().zip(&factors).map(|(w, f)| w * f).sum::<f64>() + rest[at] + shift;
            let p = probability(odds);
            let (if_match, if_other) = match it.is_match {
                true => (1.0 - MISTAKES, MISTAKES),
                false => (MISTAKES, 1.0 - MISTAKES),
            };
            (at, if_match * p / (if_match * p + if_other * (1.0 - p)))
        });
        let found = regression(&said, &labelled.collect::<Vec<_>>(), &believed);
        factors.copy_from_slice(&found[..fields]);
        shift = found[fields + 1];
    }
    factors
}

#[cfg(test)]
mod tests {
    use super::*;
    use lookalike::hashing::SplitMix64;

    fn judgement(weights: [f64; 3], is_match: bool) -> Judgement {
        Judgement { weight: weights.iter().sum::<f64>() - 4.0, weights: weights.to_vec(), is_match }
    }

    #[test]
    fn nothing_changes_without_labels_and_little_with_one() {
        let none = Refined::of(3, &[]);
        assert_eq!((none.factors, none.shift.mean), (vec![1.0; 3], 0.0));
        let one = Refined::of(3, &[judgement([6.0, -2.0, 0.0], false)]);
        assert!(one.factors[0] < 1.0 && one.factors[0] > 0.8, "{:?}", one.factors);
        assert!((one.factors[2] - 1.0).abs() < 1e-6, "a field that says nothing of it keeps its weight");
    }

    /// A field that says what another one says already, and a field of which the model was not sure enough: answers drawn from
    /// the true factors bring each nearer to its own.
    #[test]
    fn factors_come_nearer_to_the_true_ones() {
        let truth = [1.0, 0.5, 1.4];
        let (mut sum, seeds) = ([0.0; 3], 40);
        for seed in 0..seeds {
            let mut random = SplitMix64::new(seed);
            let judged: Vec<Judgement> = (0..100)
                .map(|_| {
                    let weights = [0; 3].map(|_| 10.0 * random.next_f64() - 4.0);
                    let odds: f64 = weights.iter().zip(&truth).map(|(w, f)| w * f).sum::<f64>() - 4.0;
                    judgement(weights, random.next_f64() < probability(odds))
                })
                .collect();
            let found = Refined::of(3, &judged).factors;
            sum.iter_mut().zip(found).for_each(|(sum, found)| *sum += found / seeds as f64);
        }
        assert!(sum[1] < 0.85 && sum[2] > 1.1 && (sum[0] - 1.0).abs() < 0.15, "{sum:?}");
    }

    /// An answer against all that is known changes next to nothing.
    #[test]
    fn a_mistake_bends_nothing() {
        let sure = Refined::of(3, &[judgement([9.0, 9.0, 9.0], false)]);
        assert!(sure.factors.iter().all(|factor| (factor - 1.0).abs() < 0.02), "{:?}", sure.factors);
        assert!(sure.shift.mean.abs() < 0.1);
    }
}
