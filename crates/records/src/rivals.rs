//! Two tables without copies of their own -> how much the weights may be trusted.
//!
//! Weights add up as if fields were independent. They are not: the restaurants of one hotel share an address and a telephone
//! number, and the papers of a series share authors and words of their titles. If neither table has copies, the tables
//! themselves say how often that happens: a record has one partner at the most, so a pair of which one record has a better
//! partner, a *rival*, is no match. Rivals are a sample of the pairs that do not match, with all their dependence. (Search
//! engines for mass spectra do the same with decoys; Elias and Gygi 2007.)
//!
//! - A pair has a rival if one of its records has a match, so the pairs without a rival contain (1 - p)(1 - q) / (1 - (1 -
//!   p)(1 - q)) times as many pairs that do not match as there are rivals with that sum of weights, where p and q are the
//!   shares of records that have a match.
//! - With that, a logistic regression fits a factor for each field and a constant. The factors are believed to be 1 within
//!   [`SPREAD`], as a normal distribution, so that few pairs change little.

use crate::bands::{Pair, Side};
use crate::model::probability;
use lookalike::hashing::mix64;

/// The standard deviation of what is believed about the factor of a field, which is 1 if it is independent of all others.
const SPREAD: f64 = 0.5;

/// The standard deviation of what is believed about the prior.
const SPREAD_OF_PRIOR: f64 = 4.0;

/// Log odds of at most this, a probability from 0.02 to 0.98, are near the threshold.
const NEAR: f64 = 4.0;

/// How often rivals are found and factors are fitted.
const ROUNDS: usize = 6;

/// Steps of Newton's method; it converges in fewer.
const STEPS: usize = 25;

/// Pairs and what their fields say.
pub(crate) struct Said<'p> {
    pub(crate) pairs: &'p [Pair],
    /// The weights, pair by pair.
    pub(crate) weights: Vec<f64>,
    pub(crate) fields: usize,
}

impl Said<'_> {
    fn of(&self, pair: usize) -> &[f64] {
        &self.weights[pair * self.fields..(pair + 1) * self.fields]
    }
}

/// What the weights are multiplied by, and the prior.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Trust {
    pub(crate) factors: Vec<f64>,
    pub(crate) prior: f64,
    /// What it adds to the log odds that a pair has no rival.
    pub(crate) alone: f64,
}

impl Trust {
    fn odds(&self, said: &[f64]) -> f64 {
        self.prior + self.factors.iter().zip(said).map(|(factor, weight)| factor * weight).sum::<f64>()
    }
}

/// Pairs that factors are fitted on, at the most; of more, a sample, so that memory is bounded.
pub(crate) const FITTED_ON: usize = 500_000;

/// The places of about so many pairs, or of all, and how many pairs each stands for: all pairs of a record of the first
/// table, or none, so that rivals for that record stay together.
pub(crate) fn sampled(pairs: &[Pair], sides: &[Side], most: usize) -> (Vec<usize>, f64) {
    let step = pairs.len().div_ceil(most).max(1) as u64;
    let of_first = |(a, b): Pair| if sides[a as usize] == 0 { a } else { b };
    let is_in = |&at: &usize| step == 1 || mix64(u64::from(of_first(pairs[at]))).is_multiple_of(step);
    let sample: Vec<usize> = (0..pairs.len()).filter(is_in).collect();
    let scale = pairs.len() as f64 / sample.len().max(1) as f64;
    (sample, scale)
}

/// Fits factors and prior. `counts` are the numbers of records of the two tables, and `records` is their sum. The pairs are
/// those of one in `scale` records of the first table.
pub(crate) fn fit(said: &Said<'_>, prior: f64, records: usize, counts: [f64; 2], scale: f64) -> Trust {
    // The chance that neither record of a pair has a match.
    let without = |matches: f64, counts: [f64; 2]| {
        let share: f64 = counts.iter().map(|count| 1.0 - matches / (count + 1.0)).product();
        share.clamp(1e-6, 1.0 - 1e-6)
    };
    let mut trust = Trust { factors: vec![1.0; said.fields], prior, alone: 0.0 };
    for _ in 0..ROUNDS {
        let odds: Vec<f64> = (0..said.pairs.len()).map(|at| trust.odds(said.of(at))).collect();
        let (is_best, best) = best(said.pairs, &odds, records);
        let matches: f64 = (0..odds.len()).filter(|&at| is_best[at]).map(|at| probability(odds[at])).sum();
        // In a sample, a record of the second table has a rival only if that is in the sample.
        let unmatched = without(matches, [counts[0] / scale, counts[1]]);
        trust.alone = -without(matches * scale, counts).ln();
        // The pairs, ascending: the best of both records, and those of which one record has a match that is better.
        let mut order: Vec<usize> = (0..odds.len())
            .filter(|&at| {
                let (a, b) = said.pairs[at];
                is_best[at] || best[a as usize].max(best[b as usize]) > 0.0
            })
            .collect();
        order.sort_unstable_by(|&x, &y| odds[x].total_cmp(&odds[y]).then(x.cmp(&y)));
        let shares = rising(&order.iter().map(|&at| (odds[at], is_best[at])).collect::<Vec<_>>());
        let for_one_rival = unmatched / (1.0 - unmatched);
        let labelled: Vec<(usize, f64)> = order
            .iter()
            .zip(shares)
            .map(|(&at, share)| {
                let is_match = (1.0 - for_one_rival * (1.0 - share) / share.max(1e-9)).max(0.0);
                (at, if is_best[at] { is_match } else { 0.0 })
            })
            .collect();
        let fitted = regression(said, &labelled, &believed(said.fields, prior));
        (trust.factors, trust.prior) = (fitted[..said.fields].to_vec(), fitted[said.fields]);
        // Once more with what is near the threshold only, where it counts: a factor for all and a constant.
        let near: Vec<(usize, f64)> =
            labelled.iter().copied().filter(|&(at, _)| trust.odds(said.of(at)).abs() < NEAR).collect();
        let sums = near.iter().map(|&(at, _)| trust.odds(said.of(at))).collect();
        let pairs: Vec<Pair> = near.iter().map(|&(at, _)| said.pairs[at]).collect();
        let sums = Said { pairs: &pairs, weights: sums, fields: 1 };
        let labels: Vec<(usize, f64)> =
            near.iter().enumerate().map(|(at, &(_, label))| (at, label)).collect();
        let fitted = regression(&sums, &labels, &believed(1, 0.0));
        trust.factors.iter_mut().for_each(|factor| *factor *= fitted[0]);
        trust.prior = trust.prior * fitted[0] + fitted[1];
    }
    trust
}

/// The best pairs, each record once, and the log odds of the best pair of each record.
fn best(pairs: &[Pair], odds: &[f64], records: usize) -> (Vec<bool>, Vec<f64>) {
    let mut order: Vec<usize> = (0..pairs.len()).collect();
    order.sort_unstable_by(|&x, &y| odds[y].total_cmp(&odds[x]).then(pairs[x].cmp(&pairs[y])));
    let (mut is_best, mut best) = (vec![false; pairs.len()], vec![f64::NEG_INFINITY; records]);
    for at in order {
        let (a, b) = (pairs[at].0 as usize, pairs[at].1 as usize);
        if best[a] == f64::NEG_INFINITY && best[b] == f64::NEG_INFINITY {
            is_best[at] = true;
            (best[a], best[b]) = (odds[at], odds[at]);
        }
    }
    (is_best, best)
}

/// The share of true ones, as a function that rises with the log odds (isotonic regression). Equal odds have equal shares.
fn rising(ascending: &[(f64, bool)]) -> Vec<f64> {
    // True ones, and all.
    let mut pools: Vec<(f64, f64)> = Vec::new();
    for same in ascending.chunk_by(|x, y| x.0 == y.0) {
        pools.push((same.iter().filter(|it| it.1).count() as f64, same.len() as f64));
        while let [.., (a, m), (b, n)] = pools[..]
            && a * n >= b * m
        {
            pools.pop();
            let last = pools.len() - 1;
            pools[last] = (a + b, m + n);
        }
    }
    pools.iter().flat_map(|&(is, all)| std::iter::repeat_n(is / all, all as usize)).collect()
}

/// What is believed about a number before anything is seen: a normal distribution.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Believed {
    pub(crate) mean: f64,
    pub(crate) spread: f64,
}

/// What is believed about factors and the prior.
fn believed(fields: usize, prior: f64) -> Vec<Believed> {
    let factors = std::iter::repeat_n(Believed { mean: 1.0, spread: SPREAD }, fields);
    factors.chain([Believed { mean: prior, spread: SPREAD_OF_PRIOR }]).collect()
}

/// The factors and, last, the constant that make the labels most likely, together with what is believed about them.
pub(crate) fn regression(said: &Said<'_>, labelled: &[(usize, f64)], believed: &[Believed]) -> Vec<f64> {
    let size = said.fields + 1;
    let mut found: Vec<f64> = believed.iter().map(|it| it.mean).collect();
    let mut row = vec![1.0; size];
    let loss = |found: &[f64]| -> f64 {
        let of_pairs = labelled.iter().map(|&(pair, label)| {
            let odds = said.of(pair).iter().zip(found).map(|(w, f)| w * f).sum::<f64>() + found[size - 1];
            // The logarithm of 1 + e^odds, less the label's part.
            odds.max(0.0) + (-odds.abs()).exp().ln_1p() - label * odds
        });
        let of_beliefs = found
            .iter()
            .enumerate()
            .map(|(at, found)| ((found - believed[at].mean) / believed[at].spread).powi(2) / 2.0);
        of_pairs.sum::<f64>() + of_beliefs.sum::<f64>()
    };
    let mut now = loss(&found);
    for _ in 0..STEPS {
        let (mut slope, mut curve) = (vec![0.0; size], vec![0.0; size * size]);
        for &(pair, label) in labelled {
            row[..said.fields].copy_from_slice(said.of(pair));
            let odds: f64 = row.iter().zip(&found).map(|(w, f)| w * f).sum();
            let chance = probability(odds);
            for i in 0..size {
                slope[i] += (chance - label) * row[i];
                for j in 0..size {
                    curve[i * size + j] += chance * (1.0 - chance) * row[i] * row[j];
                }
            }
        }
        for at in 0..size {
            let Believed { mean, spread } = believed[at];
            slope[at] += (found[at] - mean) / (spread * spread);
            curve[at * size + at] += 1.0 / (spread * spread);
        }
        let step = solved(curve, slope);
        // Half the step as long as it does not help.
        let (mut length, before) = (1.0, now);
        loop {
            let tried: Vec<f64> = found.iter().zip(&step).map(|(x, step)| x - length * step).collect();
            let then = loss(&tried);
            if then <= now {
                (found, now) = (tried, then);
                break;
            }
            length /= 2.0;
            if length < 1e-6 {
                break;
            }
        }
        if before - now <= 1e-9 * now.abs() {
            break;
        }
    }
    // Agreement never speaks against a match.
    found[..said.fields].iter_mut().for_each(|factor| *factor = factor.max(0.05));
    found
}

/// The solution of a symmetric system by elimination; its matrix is positive definite.
fn solved(mut matrix: Vec<f64>, mut right: Vec<f64>) -> Vec<f64> {
    let size = right.len();
    for at in 0..size {
        for row in at + 1..size {
            let factor = matrix[row * size + at] / matrix[at * size + at];
            for column in at..size {
                matrix[row * size + column] -= factor * matrix[at * size + column];
            }
            right[row] -= factor * right[at];
        }
    }
    for at in (0..size).rev() {
        let known: f64 = (at + 1..size).map(|column| matrix[at * size + column] * right[column]).sum();
        right[at] = (right[at] - known) / matrix[at * size + at];
    }
    right
}

#[cfg(test)]
mod tests {
    use super::*;
    use lookalike::hashing::SplitMix64;
    use proptest::prelude::*;

    /// The plain definition: the greatest, over starts, of the least mean, over ends, of a stretch that holds the place.
    fn plainly_rising(values: &[(f64, bool)]) -> Vec<f64> {
        let mean = |from: usize, to: usize| {
            values[from..to].iter().filter(|it| it.1).count() as f64 / (to - from) as f64
        };
        let is_end = |at: usize| at == 0 || at == values.len() || values[at - 1].0 < values[at].0;
        (0..values.len())
            .map(|at| {
                let least = |from: usize| {
                    (at + 1..=values.len())
                        .filter(|&to| is_end(to))
                        .map(|to| mean(from, to))
                        .fold(1.0, f64::min)
                };
                (0..=at).filter(|&from| is_end(from)).map(least).fold(0.0, f64::max)
            })
            .collect()
    }

    proptest! {
        #[test]
        fn rising_shares_are_those_of_the_definition(odds in prop::collection::vec((0u8..6, any::<bool>()), 0..14)) {
            let mut values: Vec<(f64, bool)> = odds.into_iter().map(|(odds, is)| (f64::from(odds), is)).collect();
            values.sort_by(|x, y| x.0.total_cmp(&y.0));
            for (found, plain) in rising(&values).into_iter().zip(plainly_rising(&values)) {
                prop_assert!((found - plain).abs() < 1e-12);
            }
        }
    }

    #[test]
    fn the_regression_is_at_the_least_loss() {
        let mut random = SplitMix64::new(5);
        let weights: Vec<f64> = (0..600).map(|_| 8.0 * random.next_f64() - 4.0).collect();
        let said = Said { pairs: &[(0, 1); 200], weights, fields: 3 };
        let labelled: Vec<(usize, f64)> = (0..200)
            .map(|at| {
                let odds = said.of(at)[0] + 0.5 * said.of(at)[1] + 0.5 * said.of(at)[2] - 1.0;
                (at, f64::from(u8::from(random.next_f64() < probability(odds))))
            })
            .collect();
        let found = regression(&said, &labelled, &believed(3, -2.0));
        let loss = |found: &[f64]| -> f64 {
            let pairs = labelled.iter().map(|&(at, label)| {
                let odds = found[3] + (0..3).map(|field| found[field] * said.of(at)[field]).sum::<f64>();
                if label == 1.0 { -probability(odds).ln() } else { -probability(-odds).ln() }
            });
            let factors = (0..3).map(|field| ((found[field] - 1.0) / SPREAD).powi(2) / 2.0);
            pairs.sum::<f64>() + factors.sum::<f64>() + ((found[3] + 2.0) / SPREAD_OF_PRIOR).powi(2) / 2.0
        };
        for at in 0..4 {
            for step in [-0.01, 0.01] {
                let mut other = found.clone();
                other[at] += step;
                assert!(loss(&other) > loss(&found), "{at} {step} {found:?}");
            }
        }
        assert!(
            found[0] > 0.7 && (0.2..0.85).contains(&found[1]) && (0.2..0.85).contains(&found[2]),
            "{found:?}"
        );
    }

    /// Two fields that always say the same, as address and telephone of a hotel do, count about once.
    #[test]
    fn what_is_said_twice_counts_once() {
        let mut random = SplitMix64::new(9);
        let (mut pairs, mut weights) = (Vec::new(), Vec::new());
        let count = 600u32;
        for record in 0..count {
            let mut pair = |other: u32, likelihood_of_agreement: f64| {
                let mut said = || if random.next_f64() < likelihood_of_agreement { 5.0 } else { -3.0 };
                let (one, two) = (said(), said());
                pairs.push((record, count + other));
                weights.extend([one, one, two]);
            };
            // Two thirds have a match; some others agree in one field or the other.
            if record % 3 != 0 {
                pair(record, 0.95);
            }
            pair((record + 7) % count, 0.12);
            pair((record + 11) % count, 0.12);
        }
        let said = Said { pairs: &pairs, weights, fields: 3 };
        let trust = fit(&said, -6.0, 2 * count as usize, [f64::from(count); 2], 1.0);
        let (twice, once) = (trust.factors[0] + trust.factors[1], trust.factors[2]);
        assert!((trust.factors[0] - trust.factors[1]).abs() < 1e-6, "{trust:?}");
        assert!((twice / once - 1.0).abs() < 0.35, "{trust:?}");
        let sum = |said: [f64; 3]| trust.odds(&said);
        assert!(sum([5.0, 5.0, 5.0]) > 0.0 && sum([-3.0, -3.0, -3.0]) < 0.0, "{trust:?}");
        assert!(trust.alone > 0.0);
    }

    /// A sample of the pairs says nearly what all of them say.
    #[test]
    fn a_sample_gives_nearly_the_same() {
        let mut random = SplitMix64::new(11);
        let count = 6_000u32;
        let (mut pairs, mut weights) = (Vec::new(), Vec::new());
        for record in 0..count {
            for (other, chance) in [(record, 0.95), (record + 7, 0.12), (record + 11, 0.12)] {
                if other == record && record % 3 == 0 {
                    continue;
                }
                let mut said = || if random.next_f64() < chance { 5.0 } else { -3.0 };
                weights.extend([said(), said(), said()]);
                pairs.push((record, count + other % count));
            }
        }
        let sides: Vec<Side> = (0..2 * count).map(|record| u8::from(record >= count)).collect();
        let trust = |most: usize| {
            let (sample, scale) = sampled(&pairs, &sides, most);
            let these: Vec<Pair> = sample.iter().map(|&at| pairs[at]).collect();
            let weights = sample.iter().flat_map(|&at| weights[3 * at..3 * at + 3].to_vec()).collect();
            let said = Said { pairs: &these, weights, fields: 3 };
            (these.len(), fit(&said, -6.0, 2 * count as usize, [f64::from(count); 2], scale))
        };
        let ((all, whole), (few, sample)) = (trust(usize::MAX), trust(pairs.len() / 4));
        assert!(all == pairs.len() && few < pairs.len() / 3 && few > pairs.len() / 5, "{few} of {all}");
        let is_near = |x: f64, y: f64| (x - y).abs() < 0.15 * x.abs().max(1.0);
        assert!(
            whole.factors.iter().zip(&sample.factors).all(|(x, y)| is_near(*x, *y)),
            "{whole:?} {sample:?}"
        );
        assert!(is_near(whole.alone, sample.alone), "{whole:?} {sample:?}");
    }
}
