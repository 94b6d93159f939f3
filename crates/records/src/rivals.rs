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

use crate::bands::Pair;
use crate::model::probability;

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

/// Fits factors and prior. `counts` are the numbers of records of the two tables, and `records` is their sum.
pub(crate) fn fit(said: &Said<'_>, prior: f64, records: usize, counts: [f64; 2]) -> Trust {
    let mut trust = Trust { factors: vec![1.0; said.fields], prior, alone: 0.0 };
    for _ in 0..ROUNDS {
        let odds: Vec<f64> = (0..said.pairs.len()).map(|at| trust.odds(said.of(at))).collect();
        let (is_best, best) = best(said.pairs, &odds, records);
        let matches: f64 = (0..odds.len()).filter(|&at| is_best[at]).map(|at| probability(odds[at])).sum();
        let unmatched: f64 = counts.iter().map(|count| 1.0 - matches / (count + 1.0)).product();
        let unmatched = unmatched.clamp(1e-6, 1.0 - 1e-6);
        trust.alone = -unmatched.ln();
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
        let fitted = regression(said, &labelled, prior);
        (trust.factors, trust.prior) = (fitted[..said.fields].to_vec(), fitted[said.fields]);
        // Once more with what is near the threshold only, where it counts: a factor for all and a constant.
        let near: Vec<(usize, f64)> =
            labelled.iter().copied().filter(|&(at, _)| trust.odds(said.of(at)).abs() < NEAR).collect();
        let sums = near.iter().map(|&(at, _)| trust.odds(said.of(at))).collect();
        let pairs: Vec<Pair> = near.iter().map(|&(at, _)| said.pairs[at]).collect();
        let sums = Said { pairs: &pairs, weights: sums, fields: 1 };
        let labels: Vec<(usize, f64)> =
            near.iter().enumerate().map(|(at, &(_, label))| (at, label)).collect();
        let fitted = regression(&sums, &labels, 0.0);
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
    // True ones, all, and how many there are.
    let mut pools: Vec<(f64, f64)> = Vec::new();
    let mut ends = Vec::new();
    for same in ascending.chunk_by(|x, y| x.0 == y.0) {
        pools.push((same.iter().filter(|it| it.1).count() as f64, same.len() as f64));
        ends.push(1usize);
        while let [.., (a, m), (b, n)] = pools[..]
            && a * n >= b * m
        {
            pools.pop();
            let last = pools.len() - 1;
            pools[last] = (a + b, m + n);
            ends.pop();
        }
    }
    pools.iter().flat_map(|&(is, all)| std::iter::repeat_n(is / all, all as usize)).collect()
}

/// The factors and, last, the constant that make the labels most likely, together with what is believed about them.
pub(crate) fn regression(said: &Said<'_>, labelled: &[(usize, f64)], prior: f64) -> Vec<f64> {
    let size = said.fields + 1;
    let believed = |at: usize| if at < said.fields { (1.0, SPREAD) } else { (prior, SPREAD_OF_PRIOR) };
    let mut found: Vec<f64> = (0..size).map(|at| believed(at).0).collect();
    let mut row = vec![1.0; size];
    let loss = |found: &[f64]| -> f64 {
        let of_pairs = labelled.iter().map(|&(pair, label)| {
            let odds = said.of(pair).iter().zip(found).map(|(w, f)| w * f).sum::<f64>() + found[size - 1];
            // The logarithm of 1 + e^odds, less the label's part.
            odds.max(0.0) + (-odds.abs()).exp().ln_1p() - label * odds
        });
        let of_beliefs = found.iter().enumerate().map(|(at, found)| {
            let (mean, spread) = believed(at);
            ((found - mean) / spread).powi(2) / 2.0
        });
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
            let (mean, spread) = believed(at);
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
