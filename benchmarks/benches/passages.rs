//! The passages that two long texts share: megabytes of both texts per CPU second.
//!
//! The answer is checked beside the speed: the counts must equal those of the shingle sets, and passages that were
//! moved must be reported as moved.
#![allow(clippy::print_stdout, reason = "a benchmark prints its result")]

use benchmarks::{least_cpu_seconds, sized, verdict};
use lookalike::hashing::SplitMix64;
use lookalike::passages::{Place, compare};
use lookalike::shingling::Shingler;
use lookalike::similarity::jaccard;

/// Words of 2 to 10 letters with natural frequencies (Zipf), about `bytes` bytes in total.
fn words(bytes: usize, random: &mut SplitMix64) -> Vec<String> {
    let vocabulary: Vec<String> = (0..20_000)
        .map(|_| {
            let len = 2 + random.below(9);
            (0..len).map(|_| char::from(b'a' + random.below(26) as u8)).collect()
        })
        .collect();
    let mut words = Vec::new();
    let mut written = 0;
    while written < bytes {
        let rank = (20_000f64.powf(random.next_f64()) as usize).clamp(1, vocabulary.len()) - 1;
        written += vocabulary[rank].len() + 1;
        words.push(vocabulary[rank].clone());
    }
    words
}

/// About every 50th word is changed, and the first tenth is moved to the end.
fn edited(words: &[String], random: &mut SplitMix64) -> Vec<String> {
    let mut edited: Vec<String> = words.to_vec();
    for word in &mut edited {
        if random.below(50) == 0 {
            word.push_str("changed");
        }
    }
    edited.rotate_left(words.len() / 10);
    edited
}

fn main() {
    let bytes = sized(5_000_000);
    let mut random = SplitMix64::new(4);
    let words = words(bytes, &mut random);
    let prose = words.join(" ");
    let changed = edited(&words, &mut random).join(" ");
    let accented = prose.replace("ea", "éa");
    let same = "a ".repeat(bytes / 2);
    println!("shared passages of two texts of {:.1} MB, one thread\n", prose.len() as f64 / 1e6);
    println!("{:28} {:10} {:>9} {:>8} {:>8}", "texts", "shingles", "passages", "J", "MB/s");
    let shinglers = [("words:5", Shingler::words(5)), ("chars:9", Shingler::characters(9))];
    for (unit, shingler) in shinglers {
        let shingler = shingler.expect("k is allowed");
        for (what, a, b) in [
            ("equal", &prose, &prose),
            ("edited", &prose, &changed),
            ("edited, 1 % not ASCII", &accented, &changed),
            ("one word again and again", &same, &same),
        ] {
            let comparison = compare(a, b, &shingler).expect("texts below 4 GiB");
            assert_eq!(
                comparison.counts.jaccard(),
                jaccard(&shingler.set(a), &shingler.set(b)),
                "the answer is wrong"
            );
            let moved = comparison.passages.iter().filter(|passage| passage.place == Place::Moved);
            let moved: usize = moved.map(|passage| passage.shingles).sum();
            assert_eq!(moved > 0, what.starts_with("edited"), "moved passages must be reported as moved");
            let seconds = least_cpu_seconds(3, || compare(a, b, &shingler));
            println!(
                "{what:28} {unit:10} {:9} {:8.4} {:8.1} {}",
                comparison.passages.len(),
                comparison.counts.jaccard(),
                (a.len() + b.len()) as f64 / 1e6 / seconds,
                verdict(seconds * 1e7 / (a.len() + b.len()) as f64, 1.0)
            );
        }
    }
}
