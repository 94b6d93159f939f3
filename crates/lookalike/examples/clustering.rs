//! Verification and clustering: candidate pairs -> verified pairs -> clusters or survivors.
//!
//! Shows the last steps of the lecture notes ("LSH Summary" of note 001: check in main memory that candidate pairs
//! really are similar; "THE PROBLEM" of note 003: clusters of similar documents). It also shows why similarity must
//! not be chained: A is similar to B and B to C, but A and C have little in common.
//!
//! `cargo run -p lookalike --example clustering`

#![allow(clippy::print_stdout, reason = "an example prints")]

use lookalike::clustering::{Fate, KeepOrder, Survivors, connected_components, survivors};
use lookalike::shingling::{ShingleSet, Shingler};
use lookalike::similarity::jaccard;
use lookalike::verification::{Pair, Verifier, verify_pairs};
use std::cmp::Reverse;

const ADDRESS: &str = "four score and seven years ago our fathers brought forth on this continent a new nation \
    conceived in liberty and dedicated to the proposition that all men are created equal";
const OTHER: &str = "humpty dumpty sat on a wall humpty dumpty had a great fall";

fn name(document: usize) -> char {
    char::from(b'A' + document as u8)
}

fn print(title: &str, survivors: &Survivors) {
    println!("\n{title}");
    for (document, fate) in survivors.fates().iter().enumerate() {
        match fate {
            Fate::Kept => println!("  {}  kept", name(document)),
            Fate::Removed { by, similarity } => {
                println!("  {}  removed: it looks like {} ({similarity:.2})", name(document), name(*by));
            }
        }
    }
}

fn main() -> lookalike::Result<()> {
    let shingler = Shingler::words(2)?;
    // Five excerpts of 13 words. Each begins two words after the one before.
    let words: Vec<&str> = ADDRESS.split(' ').collect();
    let excerpts = words.windows(13).step_by(2).take(5).map(|excerpt| excerpt.join(" "));
    let sets: Vec<ShingleSet> = excerpts.chain([OTHER.to_owned()]).map(|text| shingler.set(text)).collect();
    println!(
        "Exact Jaccard similarities\n\n     {}",
        (0..sets.len()).map(|d| format!("{:>6}", name(d))).collect::<String>()
    );
    for (a, set) in sets.iter().enumerate() {
        let row: String = sets.iter().map(|other| format!("{:>6.2}", jaccard(set, other))).collect();
        println!("  {}  {row}", name(a));
    }

    let candidates = (0..sets.len()).flat_map(|b| (0..b).map(move |a| (a, b)));
    let verified = verify_pairs(candidates, &sets, &Verifier::jaccard(0.7)?)?;
    let pairs: Vec<String> =
        verified.iter().map(|pair| format!("{}~{}", name(pair.a), name(pair.b))).collect();
    println!("\nVerified at 0.7: {}\n", pairs.join(" "));

    let components = connected_components(sets.len(), verified.iter().map(Pair::ids))?;
    for cluster in components.clusters() {
        let (first, last) = (cluster[0], cluster[cluster.len() - 1]);
        let names: String = cluster.iter().map(|&document| name(document)).collect();
        println!(
            "Connected components chain {names} together; to keep only {} would remove {},",
            name(first),
            name(last)
        );
        println!("which is {:.2} similar to it.", jaccard(&sets[first], &sets[last]));
    }

    print("Survivors, the first in the input kept:", &survivors(&KeepOrder::input(sets.len())?, &verified)?);
    let last_first = KeepOrder::by_key(sets.len(), Reverse)?;
    print("Survivors, the last in the input kept:", &survivors(&last_first, &verified)?);
    Ok(())
}
