//! From text to signature, as a ratio to parsing the JSON alone.
//!
//! Quality is reported beside speed: over pairs of neighbouring documents, the error of the estimated similarity
//! compared with the exact one. It must not exceed the error that the theory predicts.
#![allow(clippy::print_stdout, reason = "a benchmark prints its result")]

use benchmarks::{least_cpu_seconds, parse_only, prose, root_mean_square, verdict};
use lookalike::Kernel;
use lookalike::minhash::{FastSketch, MinHasher};
use lookalike::shingling::{ShingleBuffer, Shingler};
use lookalike::similarity::jaccard;
use std::hint::black_box;

const REPETITIONS: usize = 9;

fn main() {
    let (name, lines) = prose();
    let mut texts = Vec::new();
    parse_only(&lines, |text| texts.push(text.to_owned()));
    let megabytes = texts.iter().map(String::len).sum::<usize>() as f64 / 1e6;
    println!("text to signature, words:5, one thread");
    println!("{name}: {} documents, {megabytes:.1} MB of text\n", texts.len());
    let parse = least_cpu_seconds(REPETITIONS, || {
        parse_only(&lines, |text| {
            black_box(text);
        });
    });
    let row = |what: &str, kernel: &str, seconds: f64| {
        println!(
            "{what:34} {kernel:9} {:6.0} MB/s  {:5.2} x parse-only",
            megabytes / seconds,
            seconds / parse
        );
    };
    row("parse only (simd-json)", "", parse);
    for kernel in Kernel::available().into_iter().rev() {
        let shingler = Shingler::default().with_kernel(kernel);
        let mut buffer = ShingleBuffer::default();
        let shingle = least_cpu_seconds(REPETITIONS, || {
            texts.iter().map(|text| shingler.hashes(text, &mut buffer).len()).sum::<usize>()
        });
        row("text to shingles", kernel.name(), shingle);
        let mut of_128 = 0.0;
        for num_hashes in [128, 1024] {
            let Ok(hasher) = FastSketch::new(num_hashes, 1) else { continue };
            let hasher = hasher.with_kernel(kernel);
            let mut slots = vec![0; num_hashes];
            let sketch = least_cpu_seconds(REPETITIONS, || {
                for text in &texts {
                    hasher
                        .sketch_into(shingler.hashes(text, &mut buffer), &mut slots)
                        .expect("a slot for each hash");
                }
            });
            row(&format!("text to signature, {num_hashes} hashes"), kernel.name(), sketch);
            if num_hashes == 128 {
                println!("{:44} {}", "", verdict(sketch / parse, 4.0));
            }
            if num_hashes == 128 {
                of_128 = sketch;
                let whole = least_cpu_seconds(REPETITIONS, || {
                    parse_only(&lines, |text| {
                        hasher
                            .sketch_into(shingler.hashes(text, &mut buffer), &mut slots)
                            .expect("a slot for each hash");
                    });
                });
                row("JSONL to signature, 128 hashes", kernel.name(), whole);
            } else {
                println!("{:34} {:9} {:5.2} x 128 hashes", "", "", sketch / of_128);
            }
        }
    }
    curve_of_document_lengths(&texts);
    quality(&texts);
}

/// The cost of 1024 hashes compared with 128, from text to signature, by the number of shingles in a document.
fn curve_of_document_lengths(texts: &[String]) {
    println!("\n1024 hashes against 128, from text to signature, by length of document");
    let all: String = texts.iter().take(40).map(String::as_str).collect::<Vec<_>>().join(" ");
    let shingler = Shingler::default();
    let mut buffer = ShingleBuffer::default();
    for wanted in [60, 250, 1_000, 4_000, 16_000, 64_000] {
        let text: String = all.chars().take(wanted * 63 / 10).collect();
        let shingles = shingler.hashes(&text, &mut buffer).len();
        let times = (400_000 / wanted).max(5);
        let seconds = [128, 1024].map(|num_hashes| {
            let mut slots = vec![0; num_hashes];
            let hasher = FastSketch::new(num_hashes, 1).expect("a usual number of hashes");
            least_cpu_seconds(REPETITIONS, || {
                for _ in 0..times {
                    hasher
                        .sketch_into(shingler.hashes(&text, &mut buffer), &mut slots)
                        .expect("a slot for each hash");
                }
            }) / times as f64
        });
        println!(
            "{shingles:7} shingles  128: {:8.2} us  1024: {:8.2} us  {:5.2} x {}",
            seconds[0] * 1e6,
            seconds[1] * 1e6,
            seconds[1] / seconds[0],
            if wanted >= 16_000 { verdict(seconds[1] / seconds[0], 1.5) } else { String::new() }
        );
    }
}

fn quality(texts: &[String]) {
    let shingler = Shingler::default();
    for num_hashes in [128, 1024] {
        let hasher = FastSketch::new(num_hashes, 1).expect("a usual number of hashes");
        let (mut errors, mut expected) = (Vec::new(), Vec::new());
        for pair in texts.windows(2).take(600) {
            let (a, b) = (shingler.set(&pair[0]), shingler.set(&pair[1]));
            let exact = jaccard(&a, &b);
            if exact > 0.05 {
                let estimate = hasher.sketch(&a).estimate(&hasher.sketch(&b)).expect("the same hasher");
                errors.push(estimate.similarity - exact);
                expected.push((exact * (1.0 - exact) / num_hashes as f64).sqrt());
            }
        }
        let (error, theory) = (root_mean_square(&errors), root_mean_square(&expected));
        println!(
            "\nquality, {num_hashes:4} hashes: error against exact Jaccard over {} pairs {error:.4}, theory \
             {theory:.4}",
            errors.len()
        );
        assert!(errors.len() < 30 || error < 1.5 * theory, "the estimate is worse than it should be");
    }
}
