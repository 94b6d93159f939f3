//! Min-hashing, signatures, and b-bit minwise hashing.

use super::{Drawing, pair_of_similarity};
use figures::svg::{Axis, Corner, LinePlot, Marks, Series};
use lookalike::Result;
use lookalike::hashing::SplitMix64;
use lookalike::minhash::bbit::{collision_probability, equal_accuracy_storage_ratio};
use lookalike::minhash::{BBitSignature, FastSketch, MinHasher, MultiplyShift, PermutationHasher, RowLabel};

const HASHES: usize = 128;

pub(super) fn drawings() -> Result<Vec<Drawing>> {
    Ok(vec![
        ("min-hashing-agreement.svg", agreement()?.svg()),
        ("signature-estimates.svg", estimates()?.svg()),
        ("signature-variance.svg", sketch_variance()?.svg()),
        ("b-bit-agreement.svg", b_bit_agreement()?.svg()),
        ("b-bit-storage.svg", b_bit_storage().svg()),
    ])
}

/// D1 = {a, d} and D4 = {a, c, d} of the running example, rows counted from 0.
fn agreement() -> Result<LinePlot> {
    const PERMUTATIONS: usize = 500;
    let similarity: f64 = 2.0 / 3.0;
    let deviation = |k: f64| (similarity * (1.0 - similarity) / k).sqrt();
    let mut series = vec![
        Series::of("2/3, the similarity", 0.0, 500.0, |_| similarity),
        Series::of("2 standard errors above", 4.0, 500.0, |k| similarity + 2.0 * deviation(k)),
        Series::of("2 standard errors below", 4.0, 500.0, |k| similarity - 2.0 * deviation(k)),
    ];
    for seed in [1, 2] {
        let orders = PermutationHasher::random(5, PERMUTATIONS, seed)?;
        let d1 = orders.values(&[0, 3], RowLabel::RowIndex)?;
        let d4 = orders.values(&[0, 2, 3], RowLabel::RowIndex)?;
        let mut agreeing = 0.0;
        let mut points = Vec::new();
        for (at, (left, right)) in d1.iter().zip(&d4).enumerate() {
            agreeing += f64::from(u8::from(left == right));
            if at % 5 == 4 {
                points.push(((at + 1) as f64, agreeing / (at + 1) as f64));
            }
        }
        series.push(Series { label: format!("measured, seed {seed}"), marks: Marks::Points, points });
    }
    Ok(LinePlot {
        title: "Agreement of two min-hashes by number of permutations".into(),
        x: Axis::between("random permutations", 0.0, 500.0),
        y: Axis::between("share in which the min-hashes of D1 and D4 agree", 0.0, 1.0),
        series,
        mark: None,
        legend: Corner::BottomRight,
    })
}

/// How many of the slots of two sets agree, with the functions of a seed.
type Agreement = fn(&[u64], &[u64], u64) -> Result<usize>;

fn classic(a: &[u64], b: &[u64], seed: u64) -> Result<usize> {
    let hasher = MultiplyShift::new(HASHES, seed)?;
    hasher.sketch(a).agreeing_slots(&hasher.sketch(b))
}

fn fast(a: &[u64], b: &[u64], seed: u64) -> Result<usize> {
    let hasher = FastSketch::new(HASHES, seed)?;
    hasher.sketch(a).agreeing_slots(&hasher.sketch(b))
}

/// A pair of similarity 0.8, estimated with many seeds.
fn estimates() -> Result<LinePlot> {
    const TRIALS: u64 = 2_000;
    let mut random = SplitMix64::new(21);
    let (a, b) = pair_of_similarity(0.8, 100, &mut random);
    let share_of = |agreeing: Agreement| -> Result<Vec<(f64, f64)>> {
        let mut counts = vec![0u32; HASHES + 1];
        for seed in 1..=TRIALS {
            counts[agreeing(&a, &b, seed)?] += 1;
        }
        let shares = counts
            .iter()
            .enumerate()
            .map(|(at, &count)| (at as f64 / HASHES as f64, f64::from(count) / TRIALS as f64));
        Ok(shares.filter(|share| share.0 >= 0.6).collect())
    };
    Ok(LinePlot {
        title: "Estimates of a similarity of 0.8 from 128 hashes".into(),
        x: Axis::between("share of the slots that agree", 0.6, 1.0),
        y: Axis::between("share of 2,000 seeds", 0.0, 0.15),
        series: vec![
            Series { label: "binomial, 128 draws of 0.8".into(), marks: Marks::Line, points: binomial(0.8) },
            Series {
                label: "classic (MultiplyShift)".into(),
                marks: Marks::Bars(0.7 / HASHES as f64),
                points: share_of(classic)?,
            },
            Series {
                label: "fast sketch (FastSketch)".into(),
                marks: Marks::Points,
                points: share_of(fast)?,
            },
        ],
        mark: Some((0.8, "exact: 0.8".into())),
        legend: Corner::TopLeft,
    })
}

/// The probabilities of 0 to 128 successes, from 0.6 of them up.
fn binomial(p: f64) -> Vec<(f64, f64)> {
    let mut probability = (1.0 - p).powi(HASHES as i32);
    let mut points = Vec::new();
    for at in 0..=HASHES {
        let share = at as f64 / HASHES as f64;
        if share >= 0.6 {
            points.push((share, probability));
        }
        probability *= (HASHES - at) as f64 / (at + 1) as f64 * p / (1.0 - p);
    }
    points
}

fn sketch_variance() -> Result<LinePlot> {
    const TRIALS: u64 = 1_500;
    let mut random = SplitMix64::new(22);
    let similarity = 0.8;
    let sizes = [10, 30, 100, 300, 1_000, 3_000];
    let pairs = sizes.map(|size| (size, pair_of_similarity(similarity, size, &mut random)));
    let by_size = |agreeing: Agreement| -> Result<Vec<(f64, f64)>> {
        pairs
            .iter()
            .map(|(size, (a, b))| {
                let mut squares = 0.0;
                for seed in 1..=TRIALS {
                    squares += (agreeing(a, b, seed)? as f64 / HASHES as f64 - similarity).powi(2);
                }
                let independent = similarity * (1.0 - similarity) / HASHES as f64;
                Ok((*size as f64, squares / TRIALS as f64 / independent))
            })
            .collect()
    };
    Ok(LinePlot {
        title: "Variance of the estimate by size of the sets".into(),
        x: Axis::log("elements of the union", 10_000),
        y: Axis::between("squared error, as a multiple of J(1-J)/K", 0.0, 1.5),
        series: vec![
            Series::of("K independent min-hashes", 1.0, 10_000.0, |_| 1.0),
            Series::points("fast sketch (FastSketch)", by_size(fast)?),
            Series::points("classic (MultiplyShift)", by_size(classic)?),
        ],
        mark: None,
        legend: Corner::BottomRight,
    })
}

fn b_bit_agreement() -> Result<LinePlot> {
    let line = |bits: u32| {
        Series::of(format!("b = {bits}"), 0.0, 1.0, move |s| {
            collision_probability(s, bits).unwrap_or(f64::NAN)
        })
    };
    let mut random = SplitMix64::new(23);
    let mut measured = Vec::new();
    for step in 0..=10u64 {
        let similarity = step as f64 / 10.0;
        let mut agreeing = 0;
        for seed in 1..=100 {
            let (a, b) = pair_of_similarity(similarity, 200, &mut random);
            let hasher = FastSketch::new(HASHES, seed)?;
            let (a, b) =
                (BBitSignature::new(&hasher.sketch(&a), 1)?, BBitSignature::new(&hasher.sketch(&b), 1)?);
            agreeing += a.agreeing_slots(&b)?;
        }
        measured.push((similarity, agreeing as f64 / (100 * HASHES) as f64));
    }
    let full = Series::of("all bits", 0.0, 1.0, |s| s);
    Ok(LinePlot {
        title: "Agreement of b-bit slots by similarity".into(),
        x: Axis::between("R, Jaccard similarity", 0.0, 1.0),
        y: Axis::between("P, probability that a slot agrees", 0.0, 1.0),
        series: vec![line(1), line(2), line(4), full, Series::points("b = 1, measured", measured)],
        mark: None,
        legend: Corner::BottomRight,
    })
}

fn b_bit_storage() -> LinePlot {
    let line = |bits: u32| {
        Series::of(format!("b = {bits}"), 0.05, 0.99, move |s| {
            equal_accuracy_storage_ratio(s, bits, 64).unwrap_or(f64::NAN)
        })
    };
    LinePlot {
        title: "Space saved at equal accuracy".into(),
        x: Axis::between("R, Jaccard similarity", 0.0, 1.0),
        y: Axis::between("times less space than slots of 64 bits, at equal variance", 0.0, 40.0),
        series: vec![line(1), line(2), line(4), line(8)],
        mark: Some((0.5, "b = 1 at 0.5: 21.3".into())),
        legend: Corner::TopLeft,
    }
}
