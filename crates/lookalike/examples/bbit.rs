//! b-bit min-hashing: 64 bits per hash function -> 1, 2, 4, 8 or 16.
//!
//! Shows the slides "B-BIT MINHASH" of note 003. Fewer bits cause chance agreements, for which the estimate is
//! corrected. At b = 1 and R = 0.5 the variance is 3 times as large. For equal accuracy, 64/3 = 21.3 times less is
//! stored.
//!
//! `cargo run -p lookalike --example bbit`

#![allow(clippy::print_stdout, reason = "an example prints")]

use lookalike::minhash::bbit::{
    BITS_PER_SLOT, collision_probability, equal_accuracy_storage_ratio, variance_ratio,
};
use lookalike::minhash::{BBitSignature, FastSketch, MinHasher};
use lookalike::shingling::ShingleSet;
use lookalike::similarity::jaccard;

fn main() -> lookalike::Result<()> {
    const HASHES: usize = 512;
    let hasher = FastSketch::new(HASHES, 1)?;
    let (a, b): (ShingleSet, ShingleSet) = ((0..3000).collect(), (1000..4000).collect());
    let exact = jaccard(&a, &b);
    let (full_a, full_b) = (hasher.sketch(&a), hasher.sketch(&b));

    println!("Two sets of Jaccard similarity {exact}, signatures of {HASHES} hashes\n");
    println!("bits  bytes  agreeing slots        estimate           variance   space saved at");
    println!("             expected  observed    (corrected)        ratio      equal accuracy");
    for bits in BITS_PER_SLOT {
        let (short_a, short_b) = (BBitSignature::new(&full_a, bits)?, BBitSignature::new(&full_b, bits)?);
        let estimate = short_a.estimate(&short_b)?;
        println!(
            "{bits:>4}  {:>5}  {:>8.3}  {:>8.3}    {:.3} +- {:.3}     {:>8.3}   {:>8.1} times",
            short_a.size_in_bytes(),
            collision_probability(exact, bits)?,
            short_a.agreeing_slots(&short_b)? as f64 / HASHES as f64,
            estimate.similarity,
            estimate.standard_error,
            variance_ratio(exact, bits)?,
            equal_accuracy_storage_ratio(exact, bits, 64)?,
        );
    }
    let full = full_a.estimate(&full_b)?;
    println!(
        "{:>4}  {:>5}  {exact:>8.3}  {:>8.3}    {:.3} +- {:.3}     {:>8.3}   {:>8.1} times\n",
        64,
        HASHES * 8,
        full.similarity,
        full.similarity,
        full.standard_error,
        1.0,
        1.0,
    );

    println!("The more alike, the better the bargain: b = 1 against 64 bits at equal accuracy\n");
    for tenth in [2, 4, 5, 6, 8, 9] {
        let similarity = f64::from(tenth) / 10.0;
        let saved = equal_accuracy_storage_ratio(similarity, 1, 64)?;
        println!("  R = {similarity:.1}  {saved:>4.1} times less  {}", "#".repeat(saved as usize));
    }
    Ok(())
}
