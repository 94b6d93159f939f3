//! From text to signature, as a ratio to parsing the JSON alone.
#![allow(clippy::print_stdout, reason = "a benchmark prints its result")]

use benchmarks::{least_cpu_seconds, parse_only, prose};
use lookalike::Kernel;
use lookalike::minhash::{FastSketch, MinHasher, MultiplyShift};
use lookalike::shingling::{ShingleBuffer, Shingler};

fn main() {
    let (name, lines) = prose();
    let mut texts = Vec::new();
    parse_only(&lines, |text| texts.push(text.to_owned()));
    let bytes: usize = texts.iter().map(String::len).sum();
    let megabytes = bytes as f64 / 1e6;
    println!("{name}: {} documents, {megabytes:.1} MB of text", texts.len());
    let parse = least_cpu_seconds(5, || {
        parse_only(&lines, |text| {
            std::hint::black_box(text);
        })
    });
    println!("parse only                      {:7.0} MB/s", megabytes / parse);
    for kernel in Kernel::available().into_iter().rev() {
        let shingler = Shingler::default().with_kernel(kernel);
        let mut buffer = ShingleBuffer::default();
        let shingle = least_cpu_seconds(5, || {
            texts.iter().map(|text| shingler.hashes(text, &mut buffer).len()).sum::<usize>()
        });
        println!(
            "{:9} shingles              {:7.0} MB/s  {:.2} x parse",
            kernel.name(),
            megabytes / shingle,
            shingle / parse
        );
        for num_hashes in [128, 1024] {
            let hasher = FastSketch::new(num_hashes, 1).unwrap().with_kernel(kernel);
            let mut slots = vec![0; num_hashes];
            let sketch = least_cpu_seconds(5, || {
                for text in &texts {
                    hasher.sketch_into(shingler.hashes(text, &mut buffer), &mut slots);
                }
            });
            println!(
                "{:9} text to {num_hashes:4} hashes   {:7.0} MB/s  {:.2} x parse",
                kernel.name(),
                megabytes / sketch,
                sketch / parse
            );
        }
        let hasher = FastSketch::new(128, 1).unwrap().with_kernel(kernel);
        let mut slots = vec![0; 128];
        let whole = least_cpu_seconds(5, || {
            parse_only(&lines, |text| hasher.sketch_into(shingler.hashes(text, &mut buffer), &mut slots));
        });
        println!(
            "{:9} JSONL to 128 hashes    {:7.0} MB/s  {:.2} x parse",
            kernel.name(),
            megabytes / whole,
            whole / parse
        );
        for n in [10, 60, 600, 16_000, 1_000_000] {
            let elements: Vec<u64> = (0..n).collect();
            let times = (2_000_000 / n).max(1);
            let mut slots = vec![0; 128];
            let fast = least_cpu_seconds(3, || {
                for _ in 0..times {
                    hasher.sketch_into(&elements, &mut slots);
                }
            });
            let lanes = MultiplyShift::new(128, 1).unwrap().with_kernel(kernel);
            let classic = least_cpu_seconds(2, || {
                for _ in 0..times {
                    lanes.sketch_into(&elements, &mut slots);
                }
            });
            let per = |t: f64| t / (times * n) as f64 * 1e9;
            println!("{:9} n={n:8} fast {:.2} ns  lanes {:.2} ns", kernel.name(), per(fast), per(classic));
        }
    }
}
