//! Hamming search: fingerprints -> all fingerprints that differ from a query in at most k bits. None is missed.
//!
//! Shows the slides "SIMHASH: DATA STRUCTURE", "SIMHASH: ALGORITHM" and "SIMHASH: PARAMETERS" of note 003: the permuted
//! and sorted table, the plan for 2^34 fingerprints, and an index that answers.
//!
//! `cargo run -p lookalike --example hamming_search`

#![allow(clippy::print_stdout, reason = "an example prints")]

use lookalike::hamming::{
    BlockPermutation, Blocks, HammingConfig, HammingIndex, Plan, TableStorage, neighbours_at,
};
use lookalike::hashing::SplitMix64;

fn main() -> lookalike::Result<()> {
    println!("The notes' table: pi = {{1 -> 2, 2 -> 4, 3 -> 3, 4 -> 1}}, on the top four bits of 16\n");
    let permutation = BlockPermutation::<u16>::new(&[1, 1, 1, 1, 12], &[3, 0, 2, 1, 4])?;
    let fingerprints: [u16; 5] = [0b0110, 0b0010, 0b0010, 0b1001, 0b1110];
    let mut table = fingerprints.map(|fingerprint| permutation.apply(fingerprint << 12) >> 12);
    println!("  fingerprints  {}", fingerprints.map(|bits| format!("{bits:04b} ")).concat());
    println!("  permuted      {}", table.map(|bits| format!("{bits:04b} ")).concat());
    table.sort_unstable();
    println!("  sorted        {}", table.map(|bits| format!("{bits:04b} ")).concat());
    println!("  (The slide's table holds 0011 twice: it is 0010, which is twice in the set.)\n");

    println!("Plans for 2^34 fingerprints of 64 bits at distance k = 3\n");
    println!("  blocks  tables  leading bits  fetched per probe  terabytes  compressed");
    for blocks in 4..=8 {
        let config = HammingConfig::default().with_blocks(Blocks::Exactly(blocks));
        let plan = Plan::new(1 << 34, 64, &config)?;
        let terabytes = |storage| plan.bytes(storage) as f64 / 1e12;
        println!(
            "  {blocks:>6}  {:>6}  {:>12}  {:>17}  {:>9.2}  {:>10.2}",
            plan.tables(),
            format!("{} to {}", plan.prefix_bits().start(), plan.prefix_bits().end()),
            plan.candidates_per_probe(),
            terabytes(TableStorage::Plain),
            terabytes(TableStorage::Compressed),
        );
    }
    let neighbours = neighbours_at(64, 3).unwrap_or(0);
    println!("  (One table and no blocks: {neighbours} probes for the neighbours at distance 3 alone.)\n");

    let mut random = SplitMix64::new(1);
    let mut collection: Vec<u64> = (0..20_000).map(|_| random.next_u64()).collect();
    let original = collection[4711];
    collection.extend([original ^ 1 << 40, original ^ 1 << 9 ^ 1 << 33, original ^ 0b1_0000_0000_0101]);
    collection.push(original ^ 0b1111); // four bits: one too many
    let index = HammingIndex::build(&collection, &HammingConfig::default())?;
    println!("{} fingerprints: {} tables, {} bytes", index.len(), index.plan().tables(), index.bytes());
    println!("within 3 bits of number 4711 ({original:016x}):");
    for found in index.query(original, 3)? {
        let bits = collection[found.position as usize];
        println!("  number {:>5}  {bits:016x}  {} bits", found.position, found.distance);
    }
    println!("all pairs within 3 bits:");
    for pair in index.all_pairs(3)? {
        println!("  {:>5} {:>5}  {} bits", pair.a, pair.b, pair.distance);
    }
    Ok(())
}
