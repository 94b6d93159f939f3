//! The min-hash families compared: time per element of a set, as a ratio to the textbook loop.
#![allow(clippy::print_stdout, reason = "a benchmark prints its result")]

use benchmarks::{least_cpu_seconds, random_numbers, root_mean_square, verdict};
use lookalike::Kernel;
use lookalike::minhash::{FastSketch, MinHasher, MultiplyShift, UniversalHasher, UniversalRange};
use std::time::Instant;

const NUM_HASHES: usize = 128;
const SIZES: [usize; 6] = [10, 60, 600, 4_000, 16_000, 1_000_000];

fn nanoseconds_per_element(hasher: &dyn MinHasher, elements: &[u64], budget: usize) -> f64 {
    let times = (budget / elements.len()).max(1);
    let mut slots = vec![0; NUM_HASHES];
    let seconds = least_cpu_seconds(5, || {
        for _ in 0..times {
            hasher.sketch_into(elements, &mut slots).expect("a slot for each hash");
        }
    });
    seconds / (times * elements.len()) as f64 * 1e9
}

/// Microseconds per sketch of a small set, for several numbers of hashes. There are many different sets, so that the
/// CPU cannot learn what one of them does. They are sketched in groups, and the least time of each group counts,
/// because other programs disturb a measurement of microseconds.
fn small_sets() {
    const HASHES: [usize; 6] = [64, 112, 126, 128, 256, 512];
    const GROUPS: u64 = 40;
    const SETS_IN_GROUP: u64 = 25;
    println!("\nfast sketch of small sets, microseconds per set, by the number of hashes\n");
    println!(
        "{:>9} {:>9} {:>9}",
        "elements",
        "kernel",
        HASHES.map(|hashes| format!("{hashes:>6}")).join(" ")
    );
    for kernel in Kernel::available().into_iter().rev() {
        for size in [1, 10, 53, 100, 300, 1_000] {
            let sets: Vec<Vec<u64>> =
                (0..GROUPS * SETS_IN_GROUP).map(|seed| random_numbers(size, seed)).collect();
            let microseconds = HASHES.map(|num_hashes| {
                let hasher =
                    FastSketch::new(num_hashes, 1).expect("a usual number of hashes").with_kernel(kernel);
                let mut slots = vec![0; num_hashes];
                let mut least = [f64::INFINITY; GROUPS as usize];
                for _ in 0..25 {
                    for (least, group) in least.iter_mut().zip(sets.chunks(SETS_IN_GROUP as usize)) {
                        let start = Instant::now();
                        for set in group {
                            hasher.sketch_into(set, &mut slots).expect("a slot for each hash");
                        }
                        *least = least.min(start.elapsed().as_secs_f64());
                    }
                }
                least.iter().sum::<f64>() / sets.len() as f64 * 1e6
            });
            println!(
                "{size:9} {:>9} {} {}",
                kernel.name(),
                microseconds.map(|time| format!("{time:6.2}")).join(" "),
                if size == 53 && kernel == Kernel::best() {
                    verdict(microseconds[3], 0.6)
                } else {
                    String::new()
                }
            );
        }
    }
}

fn main() {
    let textbook =
        UniversalHasher::random(NUM_HASHES, 1, UniversalRange::Prime).expect("a usual number of hashes");
    let baseline = nanoseconds_per_element(&textbook, &random_numbers(4_000, 1), 40_000);
    println!(
        "min-hash families, {NUM_HASHES} hashes, nanoseconds per element (ratio to the textbook loop)\n"
    );
    println!("textbook ((a x + b) mod p), scalar: {baseline:.1} ns\n");
    println!("{:>9} {:>15} {:>24} {:>24}", "elements", "kernel", "multiply-shift lanes", "fast sketch");
    for kernel in Kernel::available().into_iter().rev() {
        let lanes = MultiplyShift::new(NUM_HASHES, 1).expect("a usual number of hashes").with_kernel(kernel);
        let fast = FastSketch::new(NUM_HASHES, 1).expect("a usual number of hashes").with_kernel(kernel);
        for size in SIZES {
            let elements = random_numbers(size, 2);
            let [lanes, fast] = [&lanes as &dyn MinHasher, &fast]
                .map(|hasher| nanoseconds_per_element(hasher, &elements, 400_000));
            println!(
                "{size:9} {:>15} {lanes:12.2} ({:6.1} x) {fast:12.2} ({:6.1} x)",
                kernel.name(),
                baseline / lanes,
                baseline / fast
            );
        }
    }
    small_sets();
    println!(
        "\ntarget for the default kernel: at least 30 times the textbook loop from a few hundred elements up\n\
         \nquality: error of the estimate against the exact similarity (theory for classic min-hashing beside it)"
    );
    let make = |name: &str, seed: u64| -> Box<dyn MinHasher> {
        match name {
            "textbook" => {
                Box::new(UniversalHasher::random(NUM_HASHES, seed, UniversalRange::Prime).expect("valid"))
            }
            "multiply-shift" => Box::new(MultiplyShift::new(NUM_HASHES, seed).expect("valid")),
            _ => Box::new(FastSketch::new(NUM_HASHES, seed).expect("valid")),
        }
    };
    for name in ["textbook", "multiply-shift", "fast sketch"] {
        let errors: Vec<f64> = (0..200)
            .map(|seed| {
                let elements = random_numbers(1_200, seed + 10);
                let hasher = make(name, seed);
                let (a, b) = (hasher.sketch(&elements[..1_000]), hasher.sketch(&elements[200..]));
                a.estimate(&b).expect("the same hasher").similarity - 800.0 / 1_200.0
            })
            .collect();
        let (error, theory) = (root_mean_square(&errors), (2.0f64 / 9.0 / NUM_HASHES as f64).sqrt());
        println!("{name:15} {error:.4} ({theory:.4})");
        assert!(error < 1.3 * theory, "{name} is worse than it should be");
    }
}
