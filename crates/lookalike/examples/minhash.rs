//! Min-hashing: sets -> short signatures that keep the similarity.
//!
//! Shows the slides "Min-Hashing", "Similarity for Signatures" and "Min-Hash Signatures" of notes 001 and 004 on real
//! text: the exact Jaccard similarity, its estimates by four families of hash functions and by more and more hashes,
//! and the signature of a union.
//!
//! `cargo run -p lookalike --example minhash`

#![allow(clippy::print_stdout, reason = "an example prints")]

use lookalike::Result;
use lookalike::minhash::{
    FastSketch, MinHasher, MultiplyShift, PermutationHasher, UniversalHasher, UniversalRange,
};
use lookalike::shingling::{ShingleSet, Shingler};
use lookalike::similarity::jaccard;

const SEED: u64 = 7;
const BLISS: &str = "Four score and seven years ago our fathers brought forth on this continent, a new nation, \
    conceived in Liberty, and dedicated to the proposition that all men are created equal. Now we are engaged in a \
    great civil war, testing whether that nation, or any nation so conceived and so dedicated, can long endure.";
const NICOLAY: &str = "Four score and seven years ago our fathers brought forth, upon this continent, a new nation, \
    conceived in liberty, and dedicated to the proposition that \"all men are created equal\". Now we are engaged in \
    a great civil war, testing whether that nation, or any nation so conceived, and so dedicated, can long endure.";

fn estimate(hasher: &dyn MinHasher, a: &[u64], b: &[u64]) -> Result<f64> {
    Ok(hasher.sketch(a).estimate(&hasher.sketch(b))?.similarity)
}

fn main() -> Result<()> {
    let shingler = Shingler::characters(5)?;
    let (bliss, nicolay) = (shingler.set(BLISS), shingler.set(NICOLAY));
    let union: ShingleSet = bliss.iter().chain(nicolay.iter()).copied().collect();
    let exact = jaccard(&bliss, &nicolay);
    println!("Two copies of Lincoln's address as sets of {} and {} 5-shingles", bliss.len(), nicolay.len());
    println!("exact Jaccard similarity {exact:.4}\n");

    // True permutations need numbered rows. The number of a shingle is its position in the union.
    let rows = |set: &ShingleSet| -> Vec<u64> {
        (0..).zip(union.iter()).filter(|&(_, &shingle)| set.contains(shingle)).map(|(row, _)| row).collect()
    };

    println!("hashes  expected  permu-   universal,  multiply-  fast");
    println!("        error     tations  2^61 - 1    shift      sketch (the default)");
    for k in [16, 64, 256, 1024] {
        let error = (exact * (1.0 - exact) / k as f64).sqrt();
        let permutations = PermutationHasher::random(union.len(), k, SEED)?;
        let estimates = [
            estimate(&permutations, &rows(&bliss), &rows(&nicolay))?,
            estimate(&UniversalHasher::random(k, SEED, UniversalRange::Prime)?, &bliss, &nicolay)?,
            estimate(&MultiplyShift::new(k, SEED)?, &bliss, &nicolay)?,
            estimate(&FastSketch::new(k, SEED)?, &bliss, &nicolay)?,
        ];
        let [permutations, universal, multiply_shift, fast] = estimates;
        println!(
            "{k:>6}  {error:<8.4}  {permutations:<7.4}  {universal:<10.4}  {multiply_shift:<9.4}  {fast:.4}"
        );
        assert!(estimates.iter().all(|estimate| (estimate - exact).abs() < 5.0 * error));
    }

    let hasher = FastSketch::new(128, SEED)?;
    let (mut merged, other) = (hasher.sketch(&bliss), hasher.sketch(&nicolay));
    merged.merge(&other)?;
    println!("\nslot by slot the minimum is the signature of the union: {}", merged == hasher.sketch(&union));
    let stranger = FastSketch::new(128, SEED + 1)?.sketch(&nicolay);
    if let Err(error) = other.estimate(&stranger) {
        println!("another seed: {error}");
    }
    Ok(())
}
