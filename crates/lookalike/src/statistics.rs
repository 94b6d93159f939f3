//! For tests only: samples, and checks that their mean and variance agree with the theory.

use crate::minhash::{MinHasher, Signature};

/// Two sets of `shared + own` elements each, of which `shared` are in both. Their similarity is
/// `shared / (shared + 2 own)`. A different `number` gives different elements.
pub(crate) fn pair_of_sets(number: u64, shared: u64, own: u64) -> (Vec<u64>, Vec<u64>) {
    let base = number << 32;
    let first = (0..shared + own).map(|x| base + x).collect();
    let second = (0..shared).chain(shared + own..shared + 2 * own).map(|x| base + x).collect();
    (first, second)
}

/// A function from the number of an element to the element.
pub(crate) type Element = fn(u64) -> u64;

/// Structured elements, on which weak hash functions fail. The elements of the last kind repeat.
pub(crate) const STRUCTURED: [(&str, Element); 4] = [
    ("consecutive", |i| i),
    ("high bits only", |i| i << 48),
    ("multiples of 2^20", |i| i << 20),
    ("two bits set", |i| 1 << (i % 64) | 1 << (i / 64 % 64)),
];

/// The signature of the set of `elements`.
pub(crate) fn sketch(hasher: &impl MinHasher, elements: impl IntoIterator<Item = u64>) -> Signature {
    hasher.sketch(&elements.into_iter().collect::<Vec<_>>())
}

/// The similarity of two sets, estimated from their signatures.
pub(crate) fn estimate(hasher: &impl MinHasher, (a, b): &(Vec<u64>, Vec<u64>)) -> f64 {
    hasher.sketch(a).estimate(&hasher.sketch(b)).unwrap().similarity
}

/// The mean and variance of a sample.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Moments {
    pub(crate) count: f64,
    pub(crate) mean: f64,
    /// The unbiased estimate of the variance: the sum of squares is divided by `count - 1`.
    pub(crate) variance: f64,
}

impl Moments {
    pub(crate) fn of(sample: impl IntoIterator<Item = f64>) -> Self {
        let sample: Vec<f64> = sample.into_iter().collect();
        let count = sample.len() as f64;
        let mean = sample.iter().sum::<f64>() / count;
        let variance = sample.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / (count - 1.0);
        Self { count, mean, variance }
    }

    /// By how many standard errors the mean differs from `expected`, if the true variance is `variance`.
    pub(crate) fn bias_in_standard_errors(&self, expected: f64, variance: f64) -> f64 {
        (self.mean - expected) / (variance / self.count).sqrt()
    }
}

/// Draws `estimate(seed)` for many seeds. Checks that its mean is `jaccard` and its variance J(1-J)/K, as for
/// `num_hashes` independent hash functions.
///
/// Both bounds are 5 standard errors. With fresh random seeds about one check in a million would be a false alarm.
/// The mean of T estimates has the standard error sqrt(variance / T); their sample variance has, relative to the
/// variance, sqrt((2 + excess kurtosis) / T), where the excess kurtosis of a binomial is (1 - 6 J (1-J)) / (K J
/// (1-J)).
pub(crate) fn check_estimator(jaccard: f64, num_hashes: usize, estimate: impl Fn(u64) -> f64) {
    let sample = Moments::of((0..2_000).map(estimate));
    let spread = jaccard * (1.0 - jaccard);
    let expected = spread / num_hashes as f64;
    let bias = sample.bias_in_standard_errors(jaccard, expected);
    assert!(bias.abs() < 5.0, "J = {jaccard}: mean {}, {bias} standard errors", sample.mean);

    let excess_kurtosis = (1.0 - 6.0 * spread) / (num_hashes as f64 * spread);
    let ratio = sample.variance / expected;
    let allowed = 5.0 * ((2.0 + excess_kurtosis) / sample.count).sqrt();
    assert!((ratio - 1.0).abs() < allowed, "J = {jaccard}: variance {ratio} of the formula");
}
