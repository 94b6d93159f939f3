//! Indexes: signatures -> similar documents, without comparing all pairs.
//!
//! Shows the slides "LSH for Min-Hash" and "Partition M into Bands" of note 001 and "LSH: PROBLEM" of note 003 ("with
//! a high probability equal to 1 - delta"): an index by bands with insertion, queries and removal, a forest for the
//! nearest documents without a threshold, and an ensemble for containment.
//!
//! `cargo run -p lookalike --example index`

#![allow(clippy::print_stdout, reason = "an example prints")]

use lookalike::index::{EnsembleConfig, LshEnsemble, LshForest, LshIndex, Match, cardinality};
use lookalike::minhash::{FastSketch, MinHasher};
use lookalike::shingling::Shingler;

const VERSES: [(&str, &str); 5] = [
    (
        "lamb",
        "Mary had a little lamb, its fleece was white as snow, and everywhere that Mary went the lamb went too.",
    ),
    (
        "copy",
        "Mary had a little lamb, his fleece was white as snow, and everywhere that Mary went the lamb went too.",
    ),
    ("part", "Mary had a little lamb, its fleece was white as snow."),
    ("star", "Twinkle, twinkle, little star, how I wonder what you are, up above the world so high."),
    ("sheep", "Baa, baa, black sheep, have you any wool? Yes sir, yes sir, three bags full."),
];
const QUERY: &str =
    "Mary has a little lamb! Its fleece was white as snow, and everywhere that Mary went, the lamb went too.";

fn print(title: &str, matches: &[Match<&str>]) {
    let matches: Vec<_> =
        matches.iter().map(|found| format!("{} {:.3}", found.id, found.similarity)).collect();
    println!("  {title:<20} {}", matches.join(", "));
}

fn main() -> lookalike::Result<()> {
    let (shingler, hasher) = (Shingler::characters(5)?, FastSketch::new(128, 1)?);
    let query = hasher.sketch(&shingler.set(QUERY));
    let documents = VERSES.map(|(name, text)| (name, shingler.set(text)));
    let documents = documents.map(|(name, set)| (name, set.len(), hasher.sketch(&set)));

    let mut index = LshIndex::with_guarantee(128, 0.7, 0.01)?;
    for (name, _, signature) in &documents {
        index.insert(*name, signature)?;
    }
    let (bands, rows, stats) = (index.banding().bands(), index.banding().rows(), index.stats());
    println!(
        "{bands} bands of {rows} rows: a pair of similarity 0.7 shares a bucket with probability 0.99 or more"
    );
    println!("  {:<20} {}, at most {} in one", "buckets", stats.buckets, stats.largest_bucket);
    println!("  {:<20} {:?}", "candidate pairs", index.candidate_pairs());
    println!("  {:<20} {:?}", "candidates", index.candidates(&query)?);
    print("at least 0.5", &index.query(&query, 0.5)?);
    print("the best", &index.top_k(&query, 1)?);
    index.remove(&"lamb");
    print("without the lamb", &index.top_k(&query, 1)?);

    println!("\nA forest: the nearest, whatever their similarity");
    let mut forest = LshForest::new(32, 4)?;
    for (name, _, signature) in &documents {
        forest.insert(*name, signature)?;
    }
    print("the nearest four", &forest.top_k(&query, 4)?);

    println!("\nAn ensemble: who contains the part? (Its Jaccard similarity to the whole is about 1/2.)");
    let ensemble = LshEnsemble::build(documents.clone(), EnsembleConfig::default())?;
    let (_, size, part) = &documents[2];
    for found in ensemble.query(part, *size, 0.9)? {
        println!("  {:<20} {:.3} +- {:.3} of it", found.id, found.containment, found.standard_error);
    }

    println!("\nCardinality: how many shingles a set has, by its signature");
    for (name, size, signature) in &documents {
        let estimate = cardinality(signature)?;
        println!("  {name:<20} {size:>3}, estimated {:.1} +- {:.1}", estimate.count, estimate.standard_error);
    }
    Ok(())
}
