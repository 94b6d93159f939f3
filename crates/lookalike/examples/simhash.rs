//! SimHash: weighted features -> an f-bit fingerprint; similar documents differ in few bits.
//!
//! Shows the slides "SIMHASH: FINGERPRINTS" and "SIMHASH: FINGERPRINTS EXAMPLE" of note 003 (the vector V of the ferret
//! document, bit by bit), and then fingerprints of real text with the angle that their Hamming distance estimates.
//!
//! `cargo run -p lookalike --example simhash`

#![allow(clippy::print_stdout, clippy::disallowed_methods, reason = "an example prints")]

use lookalike::features::DocumentVector;
use lookalike::shingling::Shingler;
use lookalike::simhash::{BitSums, SimHasher, probability_within};

const LINES: [(&str, &str); 4] = [
    (
        "Melville",
        "Call me Ishmael. Some years ago, never mind how long precisely, having little or no money in my \
        purse, and nothing particular to interest me on shore, I thought I would sail about a little.",
    ),
    (
        "misquoted",
        "Call me Ishmael. Some years ago, never mind how long exactly, having little or no money in my \
        purse, and nothing particular to interest me on shore, I thought I would sail around a little.",
    ),
    (
        "repeated",
        "Call me Ishmael. Call me Ishmael. Some years ago, never mind how long, having no money in my \
        purse, and nothing to interest me, I thought I would sail about a little.",
    ),
    (
        "Dickens",
        "It was the best of times, it was the worst of times, it was the age of wisdom, it was the age of \
        foolishness, it was the epoch of belief, it was the epoch of incredulity.",
    ),
];

fn main() -> lookalike::Result<()> {
    println!("The notes' document {{(\"ferret\", NOUN), (\"go\", VERB)}}: weights 1.0 and 0.9, f = 16\n");
    let mut sums = BitSums::<u16>::new();
    for (hash, weight) in [(0b0101_0101_0101_0111, 1.0), (0b0111_0111_0010_0111, 0.9)] {
        sums.add(hash, weight)?;
        println!("  {hash:016b} times {weight:.1}");
        let vector: Vec<String> = sums.sums().iter().map(|sum| format!("{sum:+.1}")).collect();
        println!("  V = ({})", vector.join(" "));
    }
    println!("  {:016b} = the signs of V, the fingerprint\n", sums.bits());

    let (shingler, hasher) = (Shingler::words(1)?, SimHasher::new(1));
    let bags = LINES.map(|(_, text)| shingler.bag(text));
    let fingerprints = bags.each_ref().map(|bag| hasher.fingerprint_bag(bag));
    for ((name, _), fingerprint) in LINES.iter().zip(fingerprints) {
        println!("{name:<10} {:064b}", fingerprint.bits());
    }
    for ((name, _), fingerprint) in LINES.iter().zip(fingerprints).skip(1) {
        let difference = fingerprint.bits() ^ fingerprints[0].bits();
        let marks = (0..64).rev().map(|bit| if difference >> bit & 1 == 1 { '^' } else { ' ' });
        println!("{:<10} {}", format!("{name}?"), marks.collect::<String>().trim_end());
    }

    println!("\nagainst {:<10} distance   cosine, exact   estimated from 64 bits", LINES[0].0);
    for other in 1..LINES.len() {
        let exact = DocumentVector::from(&bags[0]).cosine(&DocumentVector::from(&bags[other]));
        let estimate = fingerprints[0].estimate(fingerprints[other])?;
        let (distance, cosine, error) = (estimate.distance, estimate.cosine, estimate.cosine_standard_error);
        println!("  {:<16} {distance:>8}   {exact:>13.3}   {cosine:.3} +- {error:.3}", LINES[other].0);
    }

    println!("\nFound within k bits of 64, by the cosine of the pair:\n\n  cosine   k = 3   k = 6  k = 10");
    for cosine in [0.999, 0.99, 0.95, 0.9, 0.7] {
        let [a, b, c] = [3, 6, 10].map(|k| probability_within(k, 64, cosine));
        println!("  {cosine:<6} {:>7.4} {:>7.4} {:>7.4}", a?, b?, c?);
    }
    Ok(())
}
