//! SimHash, permuted tables, and random projections.

use super::{Drawing, pair_of_similarity};
use figures::svg::{Axis, Corner, LinePlot, Series};
use lookalike::Result;
use lookalike::hamming::{Blocks, HammingConfig, Plan};
use lookalike::hashing::SplitMix64;
use lookalike::simhash::{SimHasher, probability_within};
use lookalike::vectors::{Hyperplanes, LshFamily, Stable, StableProjections};

pub(super) fn drawings() -> Result<Vec<Drawing>> {
    Ok(vec![
        ("simhash-within.svg", within()?.svg()),
        ("simhash-distance.svg", distance()?.svg()),
        ("permuted-tables.svg", tables()?.svg()),
        ("projections-cosine.svg", cosine()?.svg()),
        ("projections-euclidean.svg", euclidean()?.svg()),
    ])
}

/// Sets of n features of which c n are common have the cosine c, and the Jaccard similarity c / (2 - c).
fn jaccard_of_cosine(cosine: f64) -> f64 {
    cosine / (2.0 - cosine)
}

fn within() -> Result<LinePlot> {
    const PAIRS: u64 = 3_000;
    let line = |k: u32| {
        Series::of(format!("within {k} of 64 bits"), 0.8, 1.0, move |cosine| {
            probability_within(k, 64, cosine.min(1.0)).unwrap_or(f64::NAN)
        })
    };
    let mut random = SplitMix64::new(41);
    let mut measured = Vec::new();
    for step in 0..=10u32 {
        let cosine = 0.9 + 0.01 * f64::from(step);
        let mut near = 0;
        for seed in 1..=PAIRS {
            let (a, b) = pair_of_similarity(jaccard_of_cosine(cosine), 1_001, &mut random);
            let hasher: SimHasher = SimHasher::new(seed);
            near += u32::from(hasher.fingerprint(&a).hamming_distance(hasher.fingerprint(&b))? <= 3);
        }
        measured.push((cosine, f64::from(near) / PAIRS as f64));
    }
    Ok(LinePlot {
        title: "Fingerprints within k bits, by cosine".into(),
        x: Axis::between("cosine of the two documents", 0.8, 1.0),
        y: Axis::between("probability of a distance of at most k", 0.0, 1.0),
        series: vec![line(3), line(6), line(10), Series::points("within 3, measured", measured)],
        mark: None,
        legend: Corner::TopLeft,
    })
}

fn distance() -> Result<LinePlot> {
    let mut random = SplitMix64::new(42);
    let mut by_common = |features: usize, step: usize| -> Result<Vec<(f64, f64)>> {
        const PAIRS: u64 = 300;
        let mut points = Vec::new();
        for common in (0..=features).step_by(step) {
            let union = 2 * features - common;
            let mut bits = 0;
            for seed in 1..=PAIRS {
                let (a, b) = pair_of_similarity(common as f64 / union as f64, union, &mut random);
                let hasher: SimHasher = SimHasher::new(seed);
                bits += hasher.fingerprint(&a).hamming_distance(hasher.fingerprint(&b))?;
            }
            points.push((common as f64 / features as f64, f64::from(bits) / PAIRS as f64));
        }
        Ok(points)
    };
    let (many, few) = (by_common(301, 43)?, by_common(4, 1)?);
    Ok(LinePlot {
        title: "Mean distance of fingerprints by cosine".into(),
        x: Axis::between("cosine of the two documents", 0.0, 1.0),
        y: Axis::between("bits that differ, of 64", 0.0, 40.0),
        series: vec![
            Series::of("64 angle / pi", 0.0, 1.0, |cosine: f64| {
                64.0 * cosine.min(1.0).acos() / std::f64::consts::PI
            }),
            Series::points("301 features, measured", many),
            Series::points("4 features, measured", few),
        ],
        mark: None,
        legend: Corner::TopRight,
    })
}

/// 2^34 fingerprints of 64 bits, distance 3: what each number of blocks costs.
fn tables() -> Result<LinePlot> {
    let mut points = Vec::new();
    for blocks in 4..=7 {
        let config = HammingConfig::default().with_blocks(Blocks::Exactly(blocks));
        let plan = Plan::new(1 << 34, 64, &config)?;
        points.push((plan.tables() as f64, plan.candidates_per_query()));
    }
    Ok(LinePlot {
        title: "Candidates per query by number of tables".into(),
        x: Axis::log("tables, each with all fingerprints", 100),
        y: Axis::log("fingerprints compared per query, of 2^34 random ones", 10_000_000),
        series: vec![Series::points("4 to 7 blocks, distance 3", points)],
        mark: Some((10.0, "10 tables: 3,584".into())),
        legend: Corner::TopRight,
    })
}

fn cosine() -> Result<LinePlot> {
    const PLANES: usize = 4_096;
    let one = Hyperplanes::new(2, 1, 1)?;
    let bands = Hyperplanes::new(2, 200, 1)?.and(10)?.or(20)?;
    let planes = Hyperplanes::new(2, PLANES, 16)?;
    let mut measured = Vec::new();
    for step in 0..=10u32 {
        let cosine = f64::from(step) / 10.0;
        let turned = [cosine as f32, (1.0 - cosine * cosine).sqrt() as f32];
        let differ = planes.sign(&[1.0, 0.0])?.hamming_distance(&planes.sign(&turned)?)?;
        measured.push((cosine, 1.0 - f64::from(differ) / PLANES as f64));
    }
    Ok(LinePlot {
        title: "Same side of random hyperplanes, by cosine".into(),
        x: Axis::between("cosine of the two vectors", 0.0, 1.0),
        y: Axis::between("probability of a collision", 0.0, 1.0),
        series: vec![
            Series::of("one plane: 1 - angle / pi", 0.0, 1.0, |c| {
                one.collision_probability(c.min(1.0)).unwrap_or(f64::NAN)
            }),
            Series::of("20 bands of 10 planes", 0.0, 1.0, |c| {
                bands.collision_probability(c.min(1.0)).unwrap_or(f64::NAN)
            }),
            Series::points("one plane, measured with 4,096", measured),
        ],
        mark: None,
        legend: Corner::TopLeft,
    })
}

fn euclidean() -> Result<LinePlot> {
    let line = |stable, label: &str| -> Result<Series> {
        let lines = StableProjections::new(stable, 2, 1, 4.0, 1)?;
        Ok(Series::of(label, 0.0, 10.0, move |c| lines.collision_probability(c).unwrap_or(f64::NAN)))
    };
    Ok(LinePlot {
        title: "Same cell of a random line, by distance".into(),
        x: Axis::between("distance of the two vectors; a cell is 4 wide", 0.0, 10.0),
        y: Axis::between("probability of a collision", 0.0, 1.0),
        series: vec![
            line(Stable::Gaussian, "Gaussian: Euclidean distance")?,
            line(Stable::Cauchy, "Cauchy: Manhattan distance")?,
        ],
        mark: None,
        legend: Corner::TopRight,
    })
}
