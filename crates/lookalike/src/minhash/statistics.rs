//! Whether an estimator has the mean and the variance that its formula promises (tests only).

/// Draws `estimate(seed)` for many seeds and checks that, as for `num_hashes` independent hash functions, its mean
/// is `jaccard` and its variance J(1-J)/K.
///
/// Both bounds are 5 standard errors: a false alarm in about one of a million checks if the seeds were drawn anew.
/// The mean of T estimates has the standard error sqrt(variance / T); their sample variance has, relative to the
/// variance, sqrt((2 + excess kurtosis) / T), where the excess kurtosis of a binomial is (1 - 6 J (1-J)) / (K J (1-J)).
pub(super) fn check_estimator(jaccard: f64, num_hashes: usize, estimate: impl Fn(u64) -> f64) {
    const TRIALS: u64 = 2_000;
    let trials = TRIALS as f64;
    let estimates: Vec<f64> = (0..TRIALS).map(estimate).collect();
    let mean = estimates.iter().sum::<f64>() / trials;
    let variance = estimates.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / (trials - 1.0);

    let spread = jaccard * (1.0 - jaccard);
    let expected = spread / num_hashes as f64;
    let bias_in_standard_errors = (mean - jaccard) / (expected / trials).sqrt();
    assert!(bias_in_standard_errors.abs() < 5.0, "J = {jaccard}: mean {mean}, {bias_in_standard_errors} SE");

    let excess_kurtosis = (1.0 - 6.0 * spread) / (num_hashes as f64 * spread);
    let ratio = variance / expected;
    let allowed = 5.0 * ((2.0 + excess_kurtosis) / trials).sqrt();
    assert!((ratio - 1.0).abs() < allowed, "J = {jaccard}: variance {ratio} of the formula");
}
