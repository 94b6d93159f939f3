//! Shingling, and sets and Jaccard.

use super::Drawing;
use figures::svg::{Axis, Corner, LinePlot, Series};
use lookalike::Result;
use lookalike::hashing::SplitMix64;
use lookalike::shingling::Shingler;
use lookalike::similarity::{containment, jaccard};

/// The two sentences of the test `a_small_k_makes_all_documents_similar_and_a_big_k_none`, and one word of the first
/// exchanged.
const POEM: &str = "Shall I compare thee to a summer's day? Thou art more lovely and more temperate.";
const ARTICLE: &str = "The value of k depends on the size of the documents that we have to compare.";
const EDITED: (&str, &str) = ("summer's", "winter's");

pub(super) fn drawings() -> Result<Vec<Drawing>> {
    Ok(vec![
        ("shingling-k.svg", shingling_k()?.svg()),
        ("jaccard-edits.svg", jaccard_edits()?.svg()),
        ("jaccard-excerpt.svg", jaccard_excerpt()?.svg()),
    ])
}

fn shingling_k() -> Result<LinePlot> {
    let edited = POEM.replace(EDITED.0, EDITED.1);
    let by_k = |a: &str, b: &str| -> Result<Vec<(f64, f64)>> {
        (1..=12)
            .map(|k| {
                let shingler = Shingler::characters(k)?;
                Ok((k as f64, jaccard(&shingler.set(a), &shingler.set(b))))
            })
            .collect()
    };
    Ok(LinePlot {
        title: "Similarity by length of the shingles".into(),
        x: Axis::between("k, characters in a shingle", 0.0, 15.0),
        y: Axis::between("Jaccard similarity", 0.0, 1.0),
        series: vec![
            Series::points("one word changed", by_k(POEM, &edited)?),
            Series::points("unrelated sentences", by_k(POEM, ARTICLE)?),
        ],
        mark: None,
        legend: Corner::TopRight,
    })
}

const WORDS: usize = 2_000;

fn text(words: &[u64]) -> String {
    words.iter().map(|word| format!("w{word} ")).collect()
}

fn jaccard_edits() -> Result<LinePlot> {
    let mut random = SplitMix64::new(11);
    let words: Vec<u64> = (0..WORDS).map(|_| random.next_u64()).collect();
    let five = Shingler::words(5)?;
    let before = five.set(text(&words));
    let measured = (1..=10).map(|step| {
        let share = f64::from(step) * 0.01;
        let edited: Vec<u64> = words
            .iter()
            .map(|&word| if random.next_f64() < share { random.next_u64() } else { word })
            .collect();
        (share, jaccard(&before, &five.set(text(&edited))))
    });
    let measured = measured.collect();
    let formula = |k: i32| {
        Series::of(format!("shingles of {k}, (1-p)^{k} stay"), 0.0, 0.1, move |share| {
            let same = (1.0 - share).powi(k);
            same / (2.0 - same)
        })
    };
    let mut series = vec![formula(5), formula(1), formula(3), formula(9)];
    series.push(Series::points("a text of 2,000 words, shingles of 5", measured));
    Ok(LinePlot {
        title: "Similarity by share of words changed".into(),
        x: Axis::between("p, share of the words that were changed", 0.0, 0.1),
        y: Axis::between("Jaccard similarity", 0.0, 1.0),
        series,
        mark: None,
        legend: Corner::BottomLeft,
    })
}

fn jaccard_excerpt() -> Result<LinePlot> {
    let mut random = SplitMix64::new(12);
    let words: Vec<u64> = (0..WORDS).map(|_| random.next_u64()).collect();
    let five = Shingler::words(5)?;
    let whole = five.set(text(&words));
    let of = |measure: &dyn Fn(f64) -> f64| {
        (1..=20).map(|step| f64::from(step) / 20.0).map(|share| (share, measure(share))).collect()
    };
    let excerpt = |share: f64| five.set(text(&words[..(share * WORDS as f64) as usize]));
    Ok(LinePlot {
        title: "An excerpt beside the whole".into(),
        x: Axis::between("share of the text that the excerpt has", 0.0, 1.0),
        y: Axis::between("similarity", 0.0, 1.0),
        series: vec![
            Series::points("containment of the excerpt", of(&|share| containment(&excerpt(share), &whole))),
            Series::points("Jaccard", of(&|share| jaccard(&excerpt(share), &whole))),
        ],
        mark: None,
        legend: Corner::BottomRight,
    })
}
