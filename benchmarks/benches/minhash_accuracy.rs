//! Bias and variance of the two fast min-hash families over set sizes and similarities: the basis for the choice of
//! the default (`docs/decisions/0001-default-min-hash.md`).
#![allow(clippy::print_stdout, reason = "a benchmark prints its result")]

use benchmarks::random_numbers;
use lookalike::banding::{Banding, SCurve};
use lookalike::minhash::{FastSketch, MinHasher, MultiplyShift, Signature};

const NUM_HASHES: usize = 128;

/// The bias of an estimate, its variance as a ratio to J(1-J)/K, and how often a 16 x 8 banding finds the pair.
struct Cell {
    bias: f64,
    variance: f64,
    found: f64,
}

fn measure(size: usize, shared: usize, trials: u64, sketch: impl Fn(u64, &[u64]) -> Signature) -> Cell {
    let exact = shared as f64 / (2 * size - shared) as f64;
    let banding = Banding::new(16, 8).expect("16 x 8 fits 128");
    let (mut sum, mut squares, mut found) = (0.0, 0.0, 0u64);
    for trial in 0..trials {
        let elements = random_numbers(2 * size - shared, trial * 7919 + size as u64);
        let (a, b) = (sketch(trial, &elements[..size]), sketch(trial, &elements[size - shared..]));
        let error = a.estimate(&b).expect("the same hasher").similarity - exact;
        sum += error;
        squares += error * error;
        let keys = [a, b].map(|signature| banding.band_keys(&signature).expect("128 hashes"));
        found += u64::from(keys[0].iter().zip(&keys[1]).any(|(a, b)| a == b));
    }
    let n = trials as f64;
    let bias = sum / n;
    // With one element, J is 0 or 1, and so is every estimate.
    let classic = (exact * (1.0 - exact) / NUM_HASHES as f64).max(f64::MIN_POSITIVE);
    Cell { bias, variance: (squares / n - bias * bias) / classic, found: found as f64 / n }
}

fn main() {
    println!(
        "accuracy of min-hash families, {NUM_HASHES} hashes; variance as a ratio to J(1-J)/K; share found by 16 x 8\n"
    );
    println!("{:>9} {:>6} {:>7} | {:^33} | {:^33} | formula", "", "", "", "fast sketch", "multiply-shift");
    println!(
        "{:>9} {:>6} {:>7} | {:>11} {:>10} {:>10} | {:>11} {:>10} {:>10} |",
        "elements", "J", "trials", "bias", "variance", "found", "bias", "variance", "found"
    );
    let curve = SCurve::new(Banding::new(16, 8).expect("16 x 8 fits 128"));
    for (size, trials) in [
        (1, 4_000),
        (4, 4_000),
        (40, 4_000),
        (130, 4_000),
        (600, 3_000),
        (4_000, 1_000),
        (40_000, 150),
        (1_000_000, 8),
    ] {
        for wanted in [0.1, 0.5, 0.8, 0.95] {
            let shared = ((2.0 * wanted * size as f64) / (1.0 + wanted)).round() as usize;
            // With one element, only J = 0 and J = 1 are possible.
            let is_possible = shared > 0 && shared < size;
            let is_extreme = size == 1 && matches!(wanted, 0.1 | 0.95);
            if !is_possible && !is_extreme {
                continue;
            }
            let exact = shared as f64 / (2 * size - shared) as f64;
            let fast = measure(size, shared, trials, |seed, set| {
                FastSketch::new(NUM_HASHES, seed).expect("valid").sketch(set)
            });
            let lanes = measure(size, shared, trials, |seed, set| {
                MultiplyShift::new(NUM_HASHES, seed).expect("valid").sketch(set)
            });
            println!(
                "{size:9} {exact:6.3} {trials:7} | {:+11.5} {:10.2} {:10.3} | {:+11.5} {:10.2} {:10.3} | {:.3}",
                fast.bias,
                fast.variance,
                fast.found,
                lanes.bias,
                lanes.variance,
                lanes.found,
                curve.probability(exact)
            );
            let standard_error = (exact * (1.0 - exact) / NUM_HASHES as f64 / trials as f64).sqrt();
            assert!(fast.bias.abs() <= 5.0 * standard_error, "the fast sketch is biased");
            // The sample variance of n trials has a relative standard error of about sqrt(2 / n).
            let most = 1.0 + 5.0 * (2.0 / trials as f64).sqrt();
            assert!(fast.variance <= most, "the fast sketch is less accurate than classic min-hashing");
        }
    }
}
