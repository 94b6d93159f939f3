//! The exact Jaccard similarity of two prepared sets: nanoseconds per element.
#![allow(clippy::print_stdout, reason = "a benchmark prints its result")]

use benchmarks::{least_cpu_seconds, random_numbers, verdict};
use lookalike::shingling::ShingleSet;
use lookalike::similarity::jaccard;
use lookalike::verification::Verifier;
use std::collections::HashSet;

fn main() {
    let verifier = Verifier::jaccard(0.8).expect("a threshold between 0 and 1");
    println!("exact Jaccard of two prepared sets, nanoseconds per element of both\n");
    println!("{:>9} {:>6} {:>14} {:>20} {:>12}", "elements", "J", "exact", "at least 0.8", "hash sets");
    for size in [60, 1_000, 10_000, 1_000_000] {
        for shared in [0, size / 2, size * 8 / 9] {
            let elements = random_numbers(2 * size - shared, size as u64);
            let a: ShingleSet = elements[..size].iter().copied().collect();
            let b: ShingleSet = elements[size - shared..].iter().copied().collect();
            let exact = shared as f64 / (2 * size - shared) as f64;
            assert_eq!(jaccard(&a, &b), exact, "the answer is wrong");
            assert_eq!(verifier.verify(&a, &b), (exact >= 0.8).then_some(exact));
            let times = (1_000_000 / size).max(1);
            let per_element = |seconds: f64| seconds / (times * (a.len() + b.len())) as f64 * 1e9;
            let merge =
                per_element(least_cpu_seconds(9, || (0..times).map(|_| jaccard(&a, &b)).sum::<f64>()));
            let bounded = per_element(least_cpu_seconds(9, || {
                (0..times).filter(|_| verifier.verify(&a, &b).is_some()).count()
            }));
            let (set_a, set_b): (HashSet<u64>, HashSet<u64>) =
                (a.iter().copied().collect(), b.iter().copied().collect());
            let plain = per_element(least_cpu_seconds(3, || {
                (0..times).map(|_| set_a.intersection(&set_b).count()).sum::<usize>()
            }));
            println!(
                "{size:9} {exact:6.3} {merge:11.2} ns {bounded:17.2} ns {plain:9.2} ns {}",
                if size >= 1_000 { verdict(merge, 1.5) } else { String::new() }
            );
        }
    }
}
