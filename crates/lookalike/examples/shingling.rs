//! Shingling: normalised text -> the set (or bag) of its k-shingles.
//!
//! Shows the slides "Define: Shingles", "Shingles and Similarity" and "Compressing Shingles" of note 001 (the same as
//! in note 004, section 4.2), and "Shingling in Practice" of note 000. The examples are abcab and abcdabd, the dog
//! which/that chased the cat, shingles hashed to fewer bits, and how large k should be.
//!
//! `cargo run -p lookalike --example shingling`

#![allow(clippy::print_stdout, reason = "an example prints")]

use lookalike::shingling::{Shingler, Shingling, Unit, suggest_k};
use lookalike::similarity::jaccard;

/// Openings of novels: Austen, Melville, Dickens, Carroll.
const OPENINGS: [&str; 4] = [
    "It is a truth universally acknowledged, that a single man in possession of a good fortune, must be in want of \
     a wife. However little known the feelings or views of such a man may be on his first entering a neighbourhood.",
    "Call me Ishmael. Some years ago, never mind how long precisely, having little or no money in my purse, and \
     nothing particular to interest me on shore, I thought I would sail about a little and see the watery part.",
    "It was the best of times, it was the worst of times, it was the age of wisdom, it was the age of foolishness, \
     it was the epoch of belief, it was the epoch of incredulity, it was the season of Light.",
    "Alice was beginning to get very tired of sitting by her sister on the bank, and of having nothing to do: once \
     or twice she had peeped into the book her sister was reading, but it had no pictures or conversations in it.",
];

fn main() -> lookalike::Result<()> {
    let pairs = Shingler::characters(2)?;
    for text in ["abcab", "abcdabd"] {
        let (set, bag) = (pairs.set(text), pairs.bag(text));
        println!("2-shingles of {text:<8} {:?}", pairs.shingles(text));
        println!("{:22} a set of {}, a bag of {}", "", set.len(), bag.total());
        for bits in [10, 32, 64] {
            let unit = Unit::Characters;
            let short = Shingler::new(Shingling::default().with_unit(unit).with_k(2).with_hash_bits(bits))?;
            println!("{:22} hashed to {bits} bits: {:x?}", "", short.set(text).as_slice());
        }
    }

    let triples = Shingler::characters(3)?;
    let (which, that) = ("The dog which chased the cat", "The dog that chased the cat");
    let (before, after) = (triples.shingles(which), triples.shingles(that));
    let replaced: Vec<&String> = before.iter().filter(|shingle| !after.contains(shingle)).collect();
    println!("\n{which:?} -> {that:?} replaces {} of {} 3-shingles:", replaced.len(), before.len());
    println!("    {replaced:?}, Jaccard {:.3}", jaccard(&triples.set(which), &triples.set(that)));
    println!("words, k = 3:            {:?}", Shingler::words(3)?.shingles(which));
    println!("led by a stop word:      {:?}", Shingler::stop_word_led().shingles(which));
    println!("scripts without spaces:  {:?}", Shingler::words(2)?.shingles("東京タワー"));
    println!("shorter than k:          {:?}", Shingler::words(5)?.shingles("Hello, world"));

    println!("\nWhich k? The share of a document's shingles that an unrelated document has as well:");
    for unit in [Unit::Characters, Unit::Words] {
        let settings = Shingling::default().with_unit(unit);
        let suggestion = suggest_k(&settings, &OPENINGS, 10, 0.02)?;
        println!("  {:?}: k = {} is enough", settings.unit, suggestion.k);
        for (k, share) in (1..).zip(&suggestion.chance_share) {
            println!("    k = {k:<2} {share:.3} {}", "#".repeat((share * 50.0) as usize));
        }
    }
    Ok(())
}
