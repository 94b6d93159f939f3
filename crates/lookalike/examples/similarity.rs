//! Exact similarity of two sets, bags, vectors or strings.
//!
//! Shows Example 2.1 of note 002 (the chocolate sets), "Encoding Sets as Bit Vectors" of note 001 (10111 against
//! 10011) and "LSH: PROPERTIES" of note 003: Dice and overlap have no locality-sensitive family.
//!
//! `cargo run -p lookalike --example similarity`

#![allow(clippy::print_stdout, reason = "an example prints")]

use lookalike::shingling::Shingler;
use lookalike::similarity::{
    SetMeasure, angular_distance, bag_jaccard, cosine, edit_distance, edit_similarity, euclidean,
    hamming_bits, intersection_size, jaccard_distance, manhattan, union_size,
};
use lookalike::vectors::{Measure, jaccard_from_dice};

fn main() -> lookalike::Result<()> {
    let words = Shingler::words(1)?;
    let texts = [
        ("I love chocolate and pizza", "I love white chocolate"),
        ("to be or not to be", "not to be or to be"),
        ("to be or not to be", "to be"),
        ("to be", ""),
    ];
    println!("Sets and bags of words (containment both ways)\n");
    let header = ["Jaccard", "A in B", "B in A", "overlap", "Dice", "bag"];
    println!("{:<28} {:<24} {}", "A", "B", header.map(|name| format!("{name:>8}")).concat());
    for (a, b) in texts {
        let (set_a, set_b) = (words.set(a), words.set(b));
        let row = [
            SetMeasure::Jaccard.similarity(&set_a, &set_b),
            SetMeasure::Containment.similarity(&set_a, &set_b),
            SetMeasure::Containment.similarity(&set_b, &set_a),
            SetMeasure::Overlap.similarity(&set_a, &set_b),
            SetMeasure::Dice.similarity(&set_a, &set_b),
            bag_jaccard(&words.bag(a), &words.bag(b)),
        ];
        println!("{a:<28} {b:<24} {}", row.map(|value| format!("{value:8.3}")).concat());
    }
    let (chocolate, white) = (words.set(texts[0].0), words.set(texts[0].1));
    let (common, union) = (intersection_size(&chocolate, &white), union_size(&chocolate, &white));
    println!("\nThe chocolate sets: {common} of {union}, distance {}", jaccard_distance(&chocolate, &white));

    println!("\nVectors                      cosine  angle/pi  Euclid  Manhattan");
    for (a, b) in [([3.0, 4.0], [4.0, 3.0]), ([1.0, 0.0], [0.0, 2.0]), ([1.0, 2.0], [-2.0, -4.0])] {
        let (angle, euclid) = (angular_distance(&a, &b)?, euclidean(&a, &b)?);
        let (a_b, cosine, city) = (format!("{a:?} {b:?}"), cosine(&a, &b)?, manhattan(&a, &b)?);
        println!("{a_b:<26} {cosine:>8.3} {angle:>9.3} {euclid:>7.3} {city:>10.3}");
    }

    println!("\nStrings");
    println!("  10111 and 10011 differ in {} bit", hamming_bits(0b10111, 0b10011));
    for (a, b) in [("kitten", "sitting"), ("Nadal", "Nadia"), ("touchdown", "touch down")] {
        println!(
            "  {a} -> {b}: edit distance {}, similarity {:.3}",
            edit_distance(a, b),
            edit_similarity(a, b)
        );
    }

    println!("\nWhat can be hashed?");
    for measure in [Measure::Jaccard, Measure::Cosine, Measure::Euclidean, Measure::Dice] {
        match measure.lsh_family() {
            Ok(family) => println!("  {measure:?}: {family:?}"),
            Err(error) => println!("  {measure:?}: {error}"),
        }
    }
    println!("  so for Dice 0.9 take Jaccard {:.3}", jaccard_from_dice(0.9)?);
    Ok(())
}
