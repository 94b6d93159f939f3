//! Two values of a kind -> how similar they are, and what they share.

use super::{fingerprints, sets};
use crate::method::{Recipe, TextBuffers};
use crate::{Error, Kind, Measure, Result, Settings};
use lookalike::similarity::SetMeasure;

/// Two documents that are not texts, compared.
#[derive(Debug, Clone, PartialEq)]
pub struct ComparedValues {
    /// The similarity that a run compares; of fingerprints, the share of equal bits.
    pub similarity: f64,
    /// The Hamming distance, of fingerprints.
    pub distance: Option<u32>,
    /// The bits, of fingerprints.
    pub bits: Option<u32>,
    /// The cosine, the angle in degrees and the Euclidean distance, of vectors.
    pub angle: Option<ComparedAngle>,
    /// What weights are multiples of, if they are not whole numbers.
    pub weight_step: Option<f64>,
    /// The items of sets that both have: each as JSON, with its weights in both, in steps. Ascending.
    pub shared: Vec<(String, [u64; 2])>,
    /// The items that only the first has, and those that only the second has: each as JSON, with its weight in steps.
    pub only: [Vec<(String, u64)>; 2],
    /// True if a run takes them for duplicates.
    pub is_duplicate: bool,
    /// The probability that a run finds a pair of this similarity.
    pub probability: f64,
    /// The plan of such a run: `21 bands of 6 rows`.
    pub plan: String,
}

impl ComparedValues {
    /// The weight of so many steps, as it is written.
    #[must_use]
    pub fn weight(&self, steps: u64) -> String {
        match self.weight_step {
            None => steps.to_string(),
            // A product such as 3 * 0.1 has digits that nobody wrote.
            Some(step) => {
                let weight = steps as f64 * step;
                let digits = format!("{weight:.9}");
                digits.trim_end_matches('0').trim_end_matches('.').to_owned()
            }
        }
    }
}

/// What vectors are compared by.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ComparedAngle {
    /// The cosine of the angle between the vectors.
    pub cosine: f64,
    /// The angle, in degrees.
    pub degrees: f64,
    /// The Euclidean distance.
    pub distance: f64,
}

/// Compares two values, which are written as JSON.
pub fn compare_values(settings: &Settings, values: [&str; 2]) -> Result<ComparedValues> {
    let mut settings = settings.clone();
    if settings.signature.kind == Kind::Fingerprints && settings.signature.bits.is_none() {
        settings.signature.bits = fingerprints::bits_of(values[0]);
    }
    let recipe = Recipe::new(&settings)?;
    recipe.learn(values[0]);
    let mut buffers = TextBuffers::default();
    let mut elements = |at: usize| -> Result<Vec<u64>> {
        let which = ["first", "second"][at];
        let wrong = |reason| Error::Invalid(format!("the {which} value cannot be used: {reason}"));
        match recipe.unusable(values[at], &mut buffers) {
            Some(reason) => Err(wrong(reason)),
            None => Ok(recipe.elements(values[at], &mut buffers)?.to_vec()),
        }
    };
    let (a, b) = (elements(0)?, elements(1)?);
    if settings.signature.kind == Kind::Fingerprints {
        let distance: u32 = a.iter().zip(&b).map(|(a, b)| (a ^ b).count_ones()).sum();
        let similarity = recipe.method.similarity_at(distance).unwrap_or(f64::NAN);
        return Ok(ComparedValues {
            similarity,
            distance: Some(distance),
            bits: settings.signature.bits,
            angle: None,
            weight_step: None,
            shared: Vec::new(),
            only: [Vec::new(), Vec::new()],
            is_duplicate: distance <= settings.matching.distance,
            probability: recipe.method.probability(similarity, 1, false),
            plan: recipe.method.label(),
        });
    }
    if let Some(nearness) = recipe.method.nearness() {
        let vector =
            |bits: &[u64]| -> Vec<f32> { bits.iter().map(|&bits| f32::from_bits(bits as u32)).collect() };
        let (a, b) = (vector(&a), vector(&b));
        let (value, cosine) = (nearness.value(&a, &b), lookalike::similarity::cosine(&a, &b)?);
        let similarity = crate::method::vectors::similarity_of(nearness, value);
        let angle = ComparedAngle {
            cosine,
            degrees: lookalike::similarity::angular_distance(&a, &b)? * 180.0,
            distance: lookalike::similarity::euclidean(&a, &b)?,
        };
        return Ok(ComparedValues {
            similarity,
            distance: None,
            bits: None,
            angle: Some(angle),
            weight_step: None,
            shared: Vec::new(),
            only: [Vec::new(), Vec::new()],
            is_duplicate: nearness.is_near(value),
            probability: recipe.method.probability(similarity, 1, false),
            plan: recipe.method.label(),
        });
    }
    let of = |at: usize| sets::items(&settings, values[at]).map_err(Error::Invalid);
    let (of_a, of_b) = (of(0)?, of(1)?);
    let shared: Vec<(String, [u64; 2])> = of_a
        .iter()
        .filter_map(|(key, (item, weight))| Some((item.clone(), [*weight, of_b.get(key)?.1])))
        .collect();
    let only = [(&of_a, &of_b), (&of_b, &of_a)].map(|(these, those)| {
        let own = these.iter().filter(|(key, _)| !those.contains_key(*key));
        own.map(|(_, item)| item.clone()).collect::<Vec<_>>()
    });
    let sizes = (a.len(), b.len());
    let overlap = shared.iter().map(|(_, [a, b])| *a.min(b) as usize).sum();
    let similarity = match settings.signature.measure {
        Measure::Containment => {
            SetMeasure::Containment.of_counts(sizes.0.min(sizes.1), sizes.0.max(sizes.1), overlap)
        }
        _ => SetMeasure::Jaccard.of_counts(sizes.0, sizes.1, overlap),
    };
    // Of short documents no pair is missed.
    let short = recipe.method.short().map_or(0, |short| short.most_elements());
    let is_short = sizes.0.max(sizes.1) <= short;
    let is_duplicate = similarity >= settings.matching.threshold;
    let probability = match is_short && is_duplicate {
        true => 1.0,
        false => recipe.method.probability(similarity, sizes.0.min(sizes.1) as u64, false),
    };
    Ok(ComparedValues {
        similarity,
        distance: None,
        bits: None,
        angle: None,
        weight_step: settings.signature.weight_step,
        shared,
        only,
        is_duplicate,
        probability,
        plan: recipe.method.label(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sets_show_what_they_share_and_fingerprints_their_distance() {
        let sets = Settings::default().with_kind(Kind::Sets).with_threshold(0.5);
        let compared = compare_values(&sets, [r#"["a", 1, "b"]"#, r#"[1, "b", "c"]"#]).unwrap();
        assert_eq!((compared.similarity, compared.is_duplicate, compared.probability), (0.5, true, 1.0));
        assert_eq!(compared.shared, [("\"b\"".to_owned(), [1, 1]), ("1".to_owned(), [1, 1])]);
        assert_eq!(compared.only, [vec![("\"a\"".to_owned(), 1)], vec![("\"c\"".to_owned(), 1)]]);
        let weighted = sets.clone().with_measure(Measure::WeightedJaccard);
        let compared = compare_values(&weighted, [r#"{"a": 3}"#, r#"{"a": 1, "b": 1}"#]).unwrap();
        assert_eq!((compared.similarity, compared.shared[0].1), (0.25, [3, 1]));
        assert_eq!(compared.weight(3), "3");
        let in_steps = weighted.with_weight_step(Some(0.1));
        let compared = compare_values(&in_steps, [r#"{"a": 0.3}"#, r#"{"a": 1.04, "b": 2}"#]).unwrap();
        assert_eq!((compared.similarity, compared.shared[0].1), (0.1, [3, 10]));
        assert_eq!([3, 10, 0].map(|steps| compared.weight(steps)), ["0.3", "1", "0"]);
        let contained = sets.clone().with_measure(Measure::Containment);
        assert_eq!(compare_values(&contained, ["[1]", "[1, 2]"]).unwrap().similarity, 1.0);
        let prints = Settings::default().with_kind(Kind::Fingerprints);
        let compared = compare_values(&prints, ["\"ff00\"", "\"0f00\""]).unwrap();
        assert_eq!((compared.distance, compared.bits, compared.is_duplicate), (Some(4), Some(16), false));
        let vectors = Settings::default().with_kind(Kind::Vectors).with_measure(Measure::Cosine);
        let compared = compare_values(&vectors, ["[3, 4]", "[4, 3]"]).unwrap();
        let angle = compared.angle.unwrap();
        assert!(compared.is_duplicate && (compared.similarity - 0.96).abs() < 1e-12);
        assert!((angle.degrees - 16.2602).abs() < 1e-4 && (angle.distance - 2f64.sqrt()).abs() < 1e-12);
        assert!(
            compare_values(&vectors, ["[1]", "[1, 2]"]).unwrap_err().to_string().contains("second value")
        );
        assert!(compare_values(&sets, ["[null]", "[]"]).unwrap_err().to_string().contains("first value"));
        assert!(compare_values(&prints, ["\"ff00\"", "\"ff\""]).unwrap_err().to_string().contains("second"));
    }
}
