//! Two values of a kind -> how similar they are, and what they share.

use super::fingerprints;
use super::sets::{self, WeighedItem};
use crate::method::{Recipe, TextBuffers};
use crate::{Error, Kind, Measure, Result, Settings};
use lookalike::similarity::SetMeasure;
use serde_json::{Value, json};
use std::collections::BTreeMap;

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
    /// The items of each set that are left out of the comparison, because very many sets have them.
    pub left_out: [Vec<(String, u64)>; 2],
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

impl ComparedValues {
    /// All of it as JSON.
    #[must_use]
    pub fn listed(&self) -> Value {
        // Without steps, weights are whole numbers.
        let number = |steps: u64| match self.weight_step {
            None => json!(steps),
            Some(_) => plain(&self.weight(steps)),
        };
        let weighed = |items: &[(String, u64)]| -> Vec<Value> {
            items
                .iter()
                .map(|(item, weight)| json!({"item": plain(item), "weight": number(*weight)}))
                .collect()
        };
        let both = |(item, [a, b]): &(String, [u64; 2])| json!({"item": plain(item), "weight_a": number(*a), "weight_b": number(*b)});
        let mut listed = json!({
            "similarity": self.similarity,
            "distance": self.distance,
            "bits": self.bits,
            "shared": self.shared.iter().map(both).collect::<Vec<_>>(),
            "only_a": weighed(&self.only[0]),
            "only_b": weighed(&self.only[1]),
            "duplicate": self.is_duplicate,
            "plan": {"label": self.plan, "probability": self.probability},
        });
        if self.left_out != [Vec::new(), Vec::new()] {
            listed["left_out_a"] = weighed(&self.left_out[0]).into();
            listed["left_out_b"] = weighed(&self.left_out[1]).into();
        }
        if let Some(ComparedAngle { cosine, degrees, distance }) = self.angle {
            listed["cosine"] = cosine.into();
            listed["degrees"] = degrees.into();
            listed["distance"] = distance.into();
        }
        listed
    }
}

/// An item or a number, which is written as JSON.
fn plain(written: &str) -> Value {
    serde_json::from_str(written).unwrap_or_else(|_| written.into())
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

/// Compares two values, which are written as JSON. `left_out` says which items of each set are left out, as
/// [`TextOf`](crate::TextOf) does; those of which it says nothing are compared.
pub fn compare_values(
    settings: &Settings,
    values: [&str; 2],
    left_out: [&[bool]; 2],
) -> Result<ComparedValues> {
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
            only: Default::default(),
            left_out: Default::default(),
            is_duplicate: distance <= settings.matching.distance,
            // Nothing beyond the distance is listed, whatever finds it.
            probability: match distance <= settings.matching.distance {
                true => recipe.method.probability(similarity, 1, false),
                false => 0.0,
            },
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
            only: Default::default(),
            left_out: Default::default(),
            is_duplicate: nearness.is_near(value),
            probability: recipe.method.probability(similarity, 1, false),
            plan: recipe.method.label(),
        });
    }
    let mut of = [0, 1].map(|at| sets::items(&settings, values[at]));
    let mut framed: [Vec<(String, u64)>; 2] = Default::default();
    for at in 0..2 {
        let Ok(items) = &mut of[at] else { continue };
        let mut is_out = left_out[at].iter();
        items.retain(|_, item| {
            let is_out = is_out.next() == Some(&true);
            if is_out {
                framed[at].push((item.written.clone(), item.weight));
            }
            !is_out
        });
    }
    let [of_a, of_b] = of;
    let (of_a, of_b) = (of_a.map_err(Error::Invalid)?, of_b.map_err(Error::Invalid)?);
    let shared: Vec<(String, [u64; 2])> = of_a
        .iter()
        .filter_map(|(key, item)| Some((item.written.clone(), [item.weight, of_b.get(key)?.weight])))
        .collect();
    let only = [(&of_a, &of_b), (&of_b, &of_a)].map(|(these, those)| {
        let own = these.iter().filter(|(key, _)| !those.contains_key(*key));
        own.map(|(_, item)| (item.written.clone(), item.weight)).collect::<Vec<_>>()
    });
    let size = |of: &BTreeMap<Vec<u8>, WeighedItem>| of.values().map(|item| item.weight as usize).sum();
    let sizes: (usize, usize) = (size(&of_a), size(&of_b));
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
        left_out: framed,
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
        let compare_values = |settings: &Settings, values| compare_values(settings, values, [&[], &[]]);
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

    #[test]
    fn items_that_are_left_out_are_not_compared() {
        let sets = Settings::default().with_kind(Kind::Sets).with_measure(Measure::WeightedJaccard);
        // In the order of the items: texts before numbers, and those by their length.
        let frame = [true, false, false];
        let values = [r#"[1, "bag", "a", "bag"]"#, r#"["bag", "a", 1]"#];
        let compared = compare_values(&sets, values, [&[false, true, false], &[false, true, false]]).unwrap();
        assert_eq!((compared.similarity, compared.is_duplicate), (1.0, true));
        assert_eq!(compared.left_out, [[("\"bag\"".to_owned(), 2)], [("\"bag\"".to_owned(), 1)]]);
        assert_eq!(compared.listed()["left_out_b"][0]["weight"], 1);
        let one_side = compare_values(&sets, values, [&frame, &[]]).unwrap();
        assert_eq!(one_side.shared.len(), 2);
        let whole = compare_values(&sets, values, [&[], &[]]).unwrap();
        assert_eq!(whole.similarity, 0.75);
        assert!(whole.listed().get("left_out_a").is_none());
    }
}
