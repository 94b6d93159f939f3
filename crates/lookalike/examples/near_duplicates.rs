//! The whole flow: documents -> shingles -> signatures -> band keys -> candidate pairs -> verified pairs -> survivors.
//!
//! Shows the slides "Putting it All Together" of note 000 and "Summary: 3 Steps" of note 001. It adds what they leave
//! to the reader: every pair is checked on its sets, and every removed document names the document that it
//! duplicates.
//!
//! `cargo run -p lookalike --example near_duplicates`

#![allow(clippy::print_stdout, reason = "an example prints")]

use lookalike::clustering::{Fate, KeepOrder, survivors};
use lookalike::index::LshIndex;
use lookalike::minhash::{FastSketch, MinHasher};
use lookalike::shingling::{ShingleSet, Shingler};
use lookalike::verification::{Verifier, verify_pairs};

const DOCUMENTS: [&str; 8] = [
    "When in the Course of human events, it becomes necessary for one people to dissolve the political bands which \
     have connected them with another, and to assume among the powers of the earth, the separate and equal station.",
    "We the People of the United States, in Order to form a more perfect Union, establish Justice, insure domestic \
     Tranquility, provide for the common defence, promote the general Welfare, and secure the Blessings of Liberty.",
    "WHEN in the course of human events it becomes necessary for one people to dissolve the political bands which \
     have connected them with another,\n and to assume among the powers of the earth the separate and equal station!",
    "We hold these truths to be self-evident, that all men are created equal, that they are endowed by their Creator \
     with certain unalienable Rights, that among these are Life, Liberty and the pursuit of Happiness.",
    "We the people of the United States, in order to form a more perfect union, establish justice, ensure domestic \
     tranquility, provide for the common defense, promote the general welfare, and secure the blessings of liberty.",
    "We the people of these united colonies, in order to form a more perfect union, establish justice, provide for \
     the common defence, and secure the blessings of liberty.",
    "Yea.",
    "yea",
];

fn main() -> lookalike::Result<()> {
    const THRESHOLD: f64 = 0.6;
    let (shingler, hasher) = (Shingler::words(2)?, FastSketch::new(128, 1)?);

    // 1. Documents -> sets of shingles -> signatures -> bands. Pairs at the threshold share a band with probability
    //    0.99.
    let sets: Vec<ShingleSet> = DOCUMENTS.iter().map(|text| shingler.set(text)).collect();
    let mut index = LshIndex::with_guarantee(128, THRESHOLD, 0.01)?;
    for (document, set) in sets.iter().enumerate() {
        index.insert(document, &hasher.sketch(set))?;
    }
    // 2. Buckets -> candidate pairs -> verified pairs, by exact similarity.
    let candidates = index.candidate_pairs();
    let verified = verify_pairs(candidates.iter().copied(), &sets, &Verifier::jaccard(THRESHOLD)?)?;
    // 3. Verified pairs -> survivors. The first of several similar documents is kept.
    let survivors = survivors(&KeepOrder::input(sets.len())?, &verified)?;

    let (documents, banding) = (sets.len(), index.banding());
    println!("{documents} documents, {} pairs, threshold {THRESHOLD}", documents * (documents - 1) / 2);
    println!("{} bands of {} rows: {} candidate pairs", banding.bands(), banding.rows(), candidates.len());
    for &(a, b) in &candidates {
        match verified.iter().find(|pair| (pair.a, pair.b) == (a, b)) {
            Some(pair) => println!("  {a} and {b}: similarity {:.3}", pair.similarity),
            None => println!("  {a} and {b}: not similar enough"),
        }
    }
    println!();
    for ((document, fate), text) in survivors.fates().iter().enumerate().zip(DOCUMENTS) {
        let start: String = text.chars().take(48).collect();
        match fate {
            Fate::Kept => println!("{document}  kept              {start}"),
            Fate::Removed { by, similarity } => {
                println!("{document}  as {by} ({similarity:.3})      {start}");
            }
        }
    }
    Ok(())
}
