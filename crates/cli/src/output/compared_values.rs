//! Two sets, fingerprints or vectors, compared, as text and JSON.

use super::escaped::escaped;
use super::numbers::count;
use super::{BOLD, DIM};
use pipeline::{ComparedAngle, ComparedValues};
use serde_json::json;
use std::fmt::Write as _;

/// At most this many items of each sort are listed.
const LISTED: usize = 50;

/// Two values, compared, on their way out.
#[derive(Debug)]
pub(super) struct ShownValues<'c> {
    pub(super) compared: &'c ComparedValues,
    pub(super) names: &'c [String; 2],
}

impl ShownValues<'_> {
    /// For people.
    pub(super) fn text(&self) -> String {
        let ComparedValues {
            similarity,
            distance,
            bits,
            angle,
            weight_step,
            shared,
            only,
            is_duplicate,
            probability,
            plan,
        } = self.compared;
        let [a, b] = [0, 1].map(|at| escaped(&self.names[at]));
        let mut text = format!("{BOLD}similarity  {similarity:.4}{BOLD:#}  A = {a}, B = {b}\n");
        if let (Some(distance), Some(bits)) = (distance, bits) {
            let _ = writeln!(text, "distance    {distance} of {bits} bits");
        } else if let Some(ComparedAngle { cosine, degrees, distance }) = angle {
            let _ = writeln!(text, "cosine      {cosine:.4}, an angle of {degrees:.2} degrees");
            let _ = writeln!(text, "distance    {distance:.4}");
        } else {
            let [only_a, only_b] = [0, 1].map(|at| count(only[at].len() as u64));
            let _ = writeln!(
                text,
                "items       {} in both, {only_a} only in A, {only_b} only in B",
                count(shared.len() as u64)
            );
            for (item, weights) in shared.iter().take(LISTED) {
                let _ = match weights {
                    [1, 1] if weight_step.is_none() => writeln!(text, "  both    {}", escaped(item)),
                    weights => {
                        let [of_a, of_b] = weights.map(|steps| self.compared.weight(steps));
                        writeln!(text, "  both    {}  {DIM}{of_a} and {of_b}{DIM:#}", escaped(item))
                    }
                };
            }
            for (side, items) in ["only A", "only B"].iter().zip(only) {
                for (item, weight) in items.iter().take(LISTED) {
                    let _ = match weight {
                        1 if weight_step.is_none() => writeln!(text, "  {side}  {}", escaped(item)),
                        &steps => {
                            let weight = self.compared.weight(steps);
                            writeln!(text, "  {side}  {}  {DIM}{weight}{DIM:#}", escaped(item))
                        }
                    };
                }
            }
            let lists = [shared.len(), only[0].len(), only[1].len()];
            let left_out: usize = lists.iter().map(|len| len.saturating_sub(LISTED)).sum();
            if left_out > 0 {
                let _ = writeln!(text, "  {DIM}and {} more{DIM:#}", count(left_out as u64));
            }
        }
        let verdict = if *is_duplicate { "a duplicate" } else { "no duplicate" };
        let _ = writeln!(
            text,
            "This is {verdict}; the plan ({plan}) finds a pair of this similarity with probability {probability:.4}."
        );
        text
    }

    /// For machines.
    pub(super) fn json(&self) -> String {
        let ComparedValues {
            similarity,
            distance,
            bits,
            angle,
            weight_step,
            shared,
            only,
            is_duplicate,
            probability,
            plan,
        } = self.compared;
        // Without steps, weights are whole numbers.
        let number = |steps: u64| match weight_step {
            None => json!(steps),
            Some(_) => value(&self.compared.weight(steps)),
        };
        let weighed =
            |(item, weight): &(String, u64)| json!({"item": value(item), "weight": number(*weight)});
        let both = |(item, [a, b]): &(String, [u64; 2])| json!({"item": value(item), "weight_a": number(*a), "weight_b": number(*b)});
        let mut written = json!({
            "a": self.names[0],
            "b": self.names[1],
            "similarity": similarity,
            "distance": distance,
            "bits": bits,
            "shared": shared.iter().map(both).collect::<Vec<_>>(),
            "only_a": only[0].iter().map(weighed).collect::<Vec<_>>(),
            "only_b": only[1].iter().map(weighed).collect::<Vec<_>>(),
            "duplicate": is_duplicate,
            "plan": {"label": plan, "probability": probability},
        });
        if let (Some(ComparedAngle { cosine, degrees, distance }), Some(object)) =
            (angle, written.as_object_mut())
        {
            object.insert("cosine".into(), json!(cosine));
            object.insert("degrees".into(), json!(degrees));
            object.insert("distance".into(), json!(distance));
        }
        let mut text = serde_json::to_string_pretty(&written).expect("plain values");
        text.push('\n');
        text
    }
}

/// An item, which is written as JSON.
fn value(item: &str) -> serde_json::Value {
    serde_json::from_str(item).unwrap_or_else(|_| item.into())
}
