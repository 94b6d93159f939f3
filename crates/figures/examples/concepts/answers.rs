//! Clusters, queries and containment.

use super::Drawing;
use figures::svg::{Axis, Corner, LinePlot, Series};
use lookalike::Result;
use lookalike::banding::{Banding, SCurve};
use lookalike::clustering::{Fate, KeepOrder, connected_components, survivors};
use lookalike::hashing::SplitMix64;
use lookalike::shingling::ShingleSet;
use lookalike::similarity::jaccard;
use lookalike::verification::{Pair, Verifier, verify_pairs};

pub(super) fn drawings() -> Result<Vec<Drawing>> {
    Ok(vec![
        ("clusters-chain.svg", chain()?.svg()),
        ("queries-prefixes.svg", prefixes()?.svg()),
        ("containment-sampling.svg", sampling()?.svg()),
        ("containment-bands.svg", bands()?.svg()),
    ])
}

/// Forty versions of a set of 1,000 elements, each with 20 exchanged in the one before.
pub(crate) fn versions() -> Vec<ShingleSet> {
    let mut random = SplitMix64::new(51);
    let elements: Vec<u64> = (0..1_800).map(|_| random.next_u64()).collect();
    (0..40).map(|version| elements[20 * version..20 * version + 1_000].iter().copied().collect()).collect()
}

fn chain() -> Result<LinePlot> {
    let sets = versions();
    let all = (0..sets.len()).flat_map(|a| (a + 1..sets.len()).map(move |b| (a, b)));
    let pairs = verify_pairs(all, &sets, &Verifier::jaccard(0.8)?)?;
    let kept = survivors(&KeepOrder::input(sets.len())?, &pairs)?;
    let components = connected_components(sets.len(), pairs.iter().map(Pair::ids))?;
    let to_named = kept.fates().iter().enumerate().map(|(at, fate)| match fate {
        Fate::Kept => (at as f64, 1.0),
        Fate::Removed { similarity, .. } => (at as f64, *similarity),
    });
    let to_first = components.representatives().iter().enumerate();
    let to_first = to_first.map(|(at, &first)| (at as f64, jaccard(&sets[at], &sets[first])));
    Ok(LinePlot {
        title: "A chain of versions".into(),
        x: Axis::between("version, each a little different from the one before", 0.0, 40.0),
        y: Axis::between("similarity to the document that stays", 0.0, 1.0),
        series: vec![
            Series::of("threshold 0.8", 0.0, 40.0, |_| 0.8),
            Series::points("survivors: without chains", to_named.collect()),
            Series::points("components: the first of its cluster", to_first.collect()),
        ],
        mark: None,
        legend: Corner::BottomLeft,
    })
}

/// The forest's curves: 8 trees, prefixes of several lengths.
fn prefixes() -> Result<LinePlot> {
    let line = |rows: usize| -> Result<Series> {
        let curve = SCurve::new(Banding::new(8, rows)?);
        Ok(Series::of(format!("prefix of {rows}"), 0.0, 1.0, move |s| curve.probability(s)))
    };
    Ok(LinePlot {
        title: "A forest of 8 trees: who shares a prefix".into(),
        x: Axis::between("s, Jaccard similarity to the query", 0.0, 1.0),
        y: Axis::between("probability of a common prefix in some tree", 0.0, 1.0),
        series: vec![line(16)?, line(8)?, line(4)?, line(2)?],
        mark: None,
        legend: Corner::TopLeft,
    })
}

fn sampling() -> Result<LinePlot> {
    let formula = |share: f64| {
        Series::of(format!("{share} of them in the larger one"), 0.0, 100.0, move |shingles| {
            1.0 - 0.875f64.powf(share * shingles)
        })
    };
    // The rule of the pipeline, on random hashes: those that are divisible by 8 are sampled.
    let mut random = SplitMix64::new(52);
    let mut measured = Vec::new();
    for shingles in (5..=100).step_by(5) {
        let found = (0..2_000).filter(|_| (0..shingles).any(|_| random.next_u64().is_multiple_of(8)));
        measured.push((f64::from(shingles), found.count() as f64 / 2_000.0));
    }
    Ok(LinePlot {
        title: "Excerpts that share a sampled shingle".into(),
        x: Axis::between("shingles of the smaller document", 0.0, 100.0),
        y: Axis::between("probability of becoming a candidate pair", 0.0, 1.0),
        series: vec![
            formula(0.8),
            formula(1.0),
            formula(0.5),
            Series::points("1 of them, drawn 2,000 times", measured),
        ],
        mark: None,
        legend: Corner::BottomRight,
    })
}

/// What bands planned for a Jaccard similarity of 0.8 find of excerpts.
fn bands() -> Result<LinePlot> {
    let curve = SCurve::new(Banding::new(21, 6)?);
    let line = |share: f64| {
        Series::of(format!("containment {share}"), 1.0, 6.0, move |ratio| {
            curve.probability(share / (ratio + 1.0 - share))
        })
    };
    Ok(LinePlot {
        title: "Excerpts that 21 bands of 6 rows find".into(),
        x: Axis::between("size of the larger document over that of the smaller one", 1.0, 6.0),
        y: Axis::between("probability of becoming a candidate pair", 0.0, 1.0),
        series: vec![line(1.0), line(0.8), line(0.95)],
        mark: None,
        legend: Corner::TopRight,
    })
}
