//! Weighted sets: bags and tf-idf vectors -> signatures.
//!
//! Shows the option of note 001, "Define: Shingles" (shingles as a bag, counting ab twice), and the document vectors
//! of note 003, "LSH: FINDING DUPLICATE PAGES ON THE WEB": case folding, stop words, stemming, term frequencies,
//! inverse document frequencies, and links to the page.
//!
//! `cargo run -p lookalike --example weighted`

#![allow(clippy::print_stdout, reason = "an example prints")]

use lookalike::features::{
    DocumentFrequencies, DocumentVector, DocumentVectorBuilder, Namespace, TermConfig, TermExtractor, TfIdf,
};
use lookalike::minhash::{FastSketch, MinHasher, WeightedMinHash};
use lookalike::shingling::Shingler;
use lookalike::similarity::{bag_jaccard, jaccard};

fn main() -> lookalike::Result<()> {
    println!("Bags: a shingle that occurs n times counts n times\n");
    println!("{:<10} {:<16} {:>6} {:>6}   estimated from 1024 hashes", "", "", "set", "bag");
    let (pairs, sketch) = (Shingler::characters(2)?, FastSketch::new(1024, 1)?);
    for (a, b) in [("abcab", "abc"), ("abcab", "bcabc"), ("hahaha", "hahahahahaha")] {
        let (set_a, set_b, bag_a, bag_b) = (pairs.set(a), pairs.set(b), pairs.bag(a), pairs.bag(b));
        let estimate = sketch.sketch_bag(&bag_a)?.estimate(&sketch.sketch_bag(&bag_b)?)?;
        let (set, bag) = (jaccard(&set_a, &set_b), bag_jaccard(&bag_a, &bag_b));
        println!("{a:<10} {b:<16} {set:>6.3} {bag:>6.3}   {:.3}", estimate.similarity);
    }

    let texts = [
        "The ferret runs through the garden, and the garden gate is open.",
        "Ferrets are running in gardens; the gates of the gardens are closed.",
        "The parliament runs a debate, and the debate is open to the public.",
    ];
    let terms = TermExtractor::new(TermConfig::default())?;
    let bags = texts.map(|text| terms.extract(text));
    let mut frequencies = DocumentFrequencies::new();
    bags.iter().for_each(|bag| frequencies.add(bag));
    let vectors = bags.each_ref().map(|bag| frequencies.vector(TfIdf::default(), bag));

    println!("\nTerms: words folded, without stop words, stemmed, weighted by tf-idf\n");
    for (number, text) in (1..).zip(texts) {
        println!("{number}. {text}");
        let weight = |term: &String| {
            let feature = Namespace::Term.feature(term);
            let found = vectors[number - 1].entries().iter().find(|entry| entry.0 == feature);
            found.map_or(0.0, |entry| entry.1)
        };
        let mut words = terms.terms(text);
        words.sort_unstable();
        words.dedup();
        let words: Vec<String> = words.iter().map(|term| format!("{term} {:.2}", weight(term))).collect();
        println!("   {}", words.join(", "));
    }

    println!("\n{:<22} cosine  weighted Jaccard  estimated from 1024 darts", "");
    let darts = WeightedMinHash::new(1024, 1)?;
    let row = |name: &str, a: &DocumentVector, b: &DocumentVector| -> lookalike::Result<()> {
        let estimate = darts.sketch(a.entries())?.estimate(&darts.sketch(b.entries())?)?;
        let (cosine, jaccard) = (a.cosine(b), a.weighted_jaccard(b));
        println!("{name:<22} {cosine:>6.3}  {jaccard:>16.3}  {:>9.3}", estimate.similarity);
        Ok(())
    };
    row("1 and 2", &vectors[0], &vectors[1])?;
    row("1 and 3", &vectors[0], &vectors[2])?;

    let mut linked = DocumentVectorBuilder::new();
    linked.add_bag(&bags[2], |term, count| frequencies.weight(TfIdf::default(), term, count))?;
    linked.add_feature(Namespace::InLink, "https://example.org/ferrets", 1.0)?;
    row("1 and 3, linked to", &vectors[0], &linked.build()?)?;
    Ok(())
}
