//! Bands and the S-curve, the choice of b and r, and candidate pairs checked.

use super::{Drawing, pair_of_similarity};
use figures::svg::{Axis, Corner, Curve, CurvePlot, LinePlot, Marks, Series};
use lookalike::Result;
use lookalike::banding::{Banding, SCurve, plan};
use lookalike::hashing::SplitMix64;
use lookalike::minhash::{FastSketch, MinHasher};
use lookalike::verification::Verifier;

pub(super) fn drawings() -> Result<Vec<Drawing>> {
    Ok(vec![
        ("s-curve.svg", s_curve()?.svg()),
        ("s-curve-areas.svg", areas()?.svg()),
        ("choice-rules.svg", rules()?.svg()),
        ("choice-recall.svg", recall()?.svg()),
        ("verification-overlap.svg", needed_overlap()?.svg()),
    ])
}

fn curve(banding: Banding) -> Curve {
    let curve = SCurve::new(banding);
    let label = format!("{} bands of {} rows", banding.bands(), banding.rows());
    Curve::sample(label, move |s| curve.probability(s))
}

/// 20 x 5 of the notes, and what it does to pairs of sets.
fn s_curve() -> Result<LinePlot> {
    const PAIRS: u64 = 1_000;
    let line = |bands, rows, label: &str| -> Result<Series> {
        let curve = SCurve::new(Banding::new(bands, rows)?);
        Ok(Series::of(label, 0.0, 1.0, move |s| curve.probability(s)))
    };
    let banding = Banding::new(20, 5)?;
    let mut random = SplitMix64::new(31);
    let mut found = Vec::new();
    for step in 1..=9u32 {
        let similarity = f64::from(step) / 10.0;
        let mut together = 0;
        for seed in 1..=PAIRS {
            // Sets that are large beside the number of hashes: smaller ones do a little better than the formula.
            let (a, b) = pair_of_similarity(similarity, 1_000, &mut random);
            let hasher = FastSketch::new(100, seed)?;
            let (a, b) = (banding.band_keys(&hasher.sketch(&a))?, banding.band_keys(&hasher.sketch(&b))?);
            together += u32::from(a.iter().zip(&b).any(|(left, right)| left == right));
        }
        found.push((similarity, f64::from(together) / PAIRS as f64));
    }
    Ok(LinePlot {
        title: "The S-curve of 20 bands of 5 rows".into(),
        x: Axis::between("s, Jaccard similarity", 0.0, 1.0),
        y: Axis::between("probability of becoming a candidate pair", 0.0, 1.0),
        series: vec![
            line(20, 5, "20 bands of 5 rows")?,
            line(1, 1, "1 band of 1 row")?,
            line(1, 5, "1 band of 5 rows")?,
            Series::points("20 x 5, measured", found),
        ],
        mark: None,
        legend: Corner::TopLeft,
    })
}

fn areas() -> Result<CurvePlot> {
    Ok(CurvePlot { curves: vec![curve(Banding::new(10, 5)?)], threshold: Some(0.631), found: Vec::new() })
}

/// The four rules for 128 hashes and a threshold of 0.8.
fn rules() -> Result<CurvePlot> {
    let named = |rule: &str, banding: Banding| {
        let curve = curve(banding);
        Curve { label: format!("{rule}: {}", curve.label), ..curve }
    };
    let curves = vec![
        named("by_recall", plan::by_recall(128, 0.8, 0.99)?.banding),
        named("by_recall_leanest", plan::by_recall_leanest(128, 0.8, 0.99)?.banding),
        named("by_areas", plan::by_areas(128, 0.8, 0.5, 0.5)?.banding),
        named("by_notes_rule", plan::by_notes_rule(128, 0.8)?.banding),
    ];
    Ok(CurvePlot { curves, threshold: Some(0.8), found: Vec::new() })
}

/// What more hashes buy at a wanted recall at 0.8: a curve that rises later.
fn recall() -> Result<LinePlot> {
    let line = |recall: f64| -> Result<Series> {
        let points: Result<Vec<(f64, f64)>> = (4..=64)
            .map(|eights| {
                let plan = plan::by_recall(eights * 8, 0.8, recall)?;
                Ok(((eights * 8) as f64, SCurve::new(plan.banding).similarity_at(0.5)?))
            })
            .collect();
        Ok(Series { label: format!("found at 0.8: {recall} or more"), marks: Marks::Line, points: points? })
    };
    Ok(LinePlot {
        title: "More hashes bring the rise of the curve nearer to the threshold".into(),
        x: Axis::between("hashes", 0.0, 500.0),
        y: Axis::between("similarity that is found with probability 1/2", 0.3, 0.8),
        series: vec![line(0.99)?, line(0.9)?, line(0.999)?],
        mark: Some((128.0, "128, the default".into())),
        legend: Corner::BottomRight,
    })
}

fn needed_overlap() -> Result<LinePlot> {
    let line = |threshold: f64| -> Result<Series> {
        let verifier = Verifier::jaccard(threshold)?;
        let points =
            (0..=200).filter_map(|size| Some((size as f64, verifier.needed_overlap(100, size)? as f64)));
        Ok(Series { label: format!("threshold {threshold}"), marks: Marks::Line, points: points.collect() })
    };
    Ok(LinePlot {
        title: "Common elements that a set needs with one of 100".into(),
        x: Axis::between("elements of the other set", 0.0, 200.0),
        y: Axis::between("common elements needed; no line: no number is enough", 50.0, 100.0),
        series: vec![line(0.8)?, line(0.5)?, line(0.65)?, line(0.9)?],
        mark: None,
        legend: Corner::BottomRight,
    })
}
