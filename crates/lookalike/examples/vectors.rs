//! Vectors: dense vectors -> keys that near vectors share, and how AND and OR make them more selective.
//!
//! Shows the slides "LOCALITY SENSITIVE HASHING", "LSH: PROPERTIES" (families for cosine and Hamming, none for Dice
//! and overlap) and "SIMHASH" (sign random projections) of note 003. P-stable projections are the family for the
//! Euclidean distance. AND and OR are the rows and bands of note 001.
//!
//! `cargo run -p lookalike --example vectors`

#![allow(clippy::print_stdout, reason = "an example prints")]

use lookalike::Result;
use lookalike::similarity::{cosine, euclidean};
use lookalike::vectors::{Hyperplanes, LshFamily, Stable, StableProjections};

/// The share of functions under which two items get the same key.
fn colliding<F: LshFamily>(family: &F, a: &F::Item, b: &F::Item) -> Result<f64> {
    let (a, b) = (family.keys(a)?, family.keys(b)?);
    Ok(a.iter().zip(&b).filter(|(a, b)| a == b).count() as f64 / a.len() as f64)
}

fn main() -> Result<()> {
    let origin = [1.0, 2.0, 3.0, 4.0];
    let others = [[1.0, 2.0, 3.0, 4.4], [1.5, 1.5, 3.5, 3.5], [4.0, 3.0, 2.0, 1.0], [4.0, -3.0, 2.0, -1.0]];

    println!("Random hyperplanes: two vectors lie on the same side with probability 1 - angle / pi\n");
    println!(
        "{:<24} {:>7} {:>10} {:>9} {:>20}",
        "against [1, 2, 3, 4]", "cosine", "same side", "observed", "estimated"
    );
    let planes = Hyperplanes::new(4, 1000, 1)?;
    for other in &others {
        let exact = cosine(&origin, other)?;
        let estimate = planes.sign(&origin)?.estimate(&planes.sign(other)?)?;
        println!(
            "{:<24} {exact:>7.3} {:>10.3} {:>9.3} {:>11.3} +- {:.3}",
            format!("{other:?}"),
            planes.collision_probability(exact)?,
            colliding(&planes, &origin, other)?,
            estimate.cosine,
            estimate.cosine_standard_error,
        );
    }

    println!("\nGaussian projections, cells of width 4: same cell, by Datar et al.\n");
    println!("{:<24} {:>8} {:>9} {:>9}", "against [1, 2, 3, 4]", "distance", "same cell", "observed");
    let lines = StableProjections::new(Stable::Gaussian, 4, 1000, 4.0, 1)?;
    for other in &others {
        let distance = euclidean(&origin, other)?;
        let (expected, observed) =
            (lines.collision_probability(distance)?, colliding(&lines, &origin, other)?);
        println!("{:<24} {distance:>8.3} {expected:>9.3} {observed:>9.3}", format!("{other:?}"));
    }

    println!("\nAmplification: the probability of a candidate, by cosine\n");
    let one = Hyperplanes::new(4, 1, 1)?;
    let all = Hyperplanes::new(4, 10, 1)?.and(10)?;
    let any = Hyperplanes::new(4, 20, 1)?.or(20)?;
    let bands = Hyperplanes::new(4, 200, 1)?.and(10)?.or(20)?;
    println!("cosine  1 plane  all of 10  any of 20  20 bands of 10");
    for cosine in [-0.5, 0.0, 0.5, 0.8, 0.9, 0.95, 0.99] {
        let found = bands.collision_probability(cosine)?;
        println!(
            "{cosine:>6}  {:>7.3}  {:>9.3}  {:>9.3}  {found:>8.3}  {}",
            one.collision_probability(cosine)?,
            all.collision_probability(cosine)?,
            any.collision_probability(cosine)?,
            "#".repeat((found * 30.0).round() as usize),
        );
    }
    let keys = [&origin, &others[0], &others[3]].map(|vector| bands.keys(vector));
    let [origin, near, far] = keys;
    let (origin, near, far) = (origin?, near?, far?);
    println!(
        "\n{} keys each; near: {}, far: {}",
        origin.len(),
        bands.collides(&origin, &near),
        bands.collides(&origin, &far)
    );
    Ok(())
}
