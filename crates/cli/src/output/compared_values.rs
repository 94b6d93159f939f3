//! Two sets, fingerprints or vectors, compared, as text and JSON.

use super::escaped::escaped;
use super::numbers::count;
use super::{BOLD, DIM};
use pipeline::{ComparedAngle, ComparedValues};
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
            left_out,
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
            for (side, items) in ["of A", "of B"].iter().zip(left_out) {
                for (item, _) in items.iter().take(LISTED) {
                    let _ = writeln!(text, "  {DIM}{side}    {}  left out{DIM:#}", escaped(item));
                }
            }
            let lists = [shared.len(), only[0].len(), only[1].len(), left_out[0].len(), left_out[1].len()];
            let more: usize = lists.iter().map(|len| len.saturating_sub(LISTED)).sum();
            if more > 0 {
                let _ = writeln!(text, "  {DIM}and {} more{DIM:#}", count(more as u64));
            }
            let out = left_out[0].len() + left_out[1].len();
            if out > 0 {
                let out = count(out as u64);
                let _ = writeln!(
                    text,
                    "{DIM}note:{DIM:#} {out} items of the two sets are left out, because many sets have them; the similarity is that of the rest"
                );
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
        let mut written = self.compared.listed();
        for (side, name) in ["a", "b"].into_iter().zip(self.names) {
            written[side] = name.as_str().into();
        }
        let mut text = serde_json::to_string_pretty(&written).expect("plain values");
        text.push('\n');
        text
    }
}
