//! Two texts, and what they share.

use super::check_text;
use crate::problem::{Problem, Result};
use crate::state::State;
use explain::comparison::{Compared, TwoTexts, in_characters, place_name};
use index::Index;
use lookalike::passages::Side;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// An answer has at most this many passages, the longest.
const MOST_PASSAGES: usize = 1_000;

/// Compares two texts. Each is given, or is that of a document; then the collection must store texts.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct CompareRequest {
    /// The id of the first document.
    #[schema(example = "page-9")]
    id: Option<String>,
    /// The first text.
    text: Option<String>,
    /// The id of the second document.
    other_id: Option<String>,
    /// The second text.
    #[schema(example = "A cat sat on the mat in the hall of the old house and watched the rain.")]
    other_text: Option<String>,
    /// True to get both texts too, cut into pieces that say to which passage they belong.
    #[serde(default)]
    segments: bool,
}

/// What two texts share.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct CompareAnswer {
    /// The exact similarity.
    similarity: f64,
    /// The share of the first that is in the second.
    containment: f64,
    /// The share of the second that is in the first.
    other_containment: f64,
    /// The probability that the collection finds the one with the other.
    found_probability: f64,
    /// The different shingles of the first, of the second, and of both.
    shingles: [usize; 3],
    /// What they share, in the order of the first text: the longest passages, if there are very many.
    passages: Vec<Passage>,
    /// The first text in pieces.
    #[serde(skip_serializing_if = "Option::is_none")]
    segments: Option<Vec<Piece>>,
    /// The second text in pieces.
    #[serde(skip_serializing_if = "Option::is_none")]
    other_segments: Option<Vec<Piece>>,
}

/// A passage that both texts have.
#[derive(Debug, Serialize, ToSchema)]
struct Passage {
    /// Its first character in the first text, counted from 0, and the one after its last.
    range: [usize; 2],
    /// The same in the second text.
    other_range: [usize; 2],
    /// The number of its shingles.
    shingles: usize,
    /// `in-order`, `moved`, `repeated-in-a` or `repeated-in-b`.
    place: &'static str,
}

/// A piece of a text.
#[derive(Debug, Serialize, ToSchema)]
struct Piece {
    text: String,
    /// The passage that it belongs to, counted from 0.
    #[serde(skip_serializing_if = "Option::is_none")]
    passage: Option<usize>,
    /// True if the other text has it too; false if it is between two parts of a passage.
    shared: bool,
    /// Where the passage is: `in-order`, `moved`, `repeated-in-a` or `repeated-in-b`.
    #[serde(skip_serializing_if = "Option::is_none")]
    place: Option<&'static str>,
}

impl CompareRequest {
    /// Compares. `state` has the limits.
    pub(crate) fn compare(self, state: &State, index: &Index) -> Result<CompareAnswer> {
        let Self { id, text, other_id, other_text, segments } = self;
        let a = text_of(state, index, ("id", id), ("text", text))?;
        let b = text_of(state, index, ("other_id", other_id), ("other_text", other_text))?;
        let settings = &index.config().settings;
        let texts = TwoTexts { names: [String::new(), String::new()], texts: [a, b], is_binary: false };
        let compared = explain::comparison::compare(texts, settings)
            .map_err(|error| Problem::invalid(error.to_string()))?;
        Ok(answer(compared, segments))
    }
}

/// The text that a request means.
fn text_of(
    state: &State,
    index: &Index,
    (id_field, id): (&str, Option<String>),
    (text_field, text): (&str, Option<String>),
) -> Result<String> {
    match (id, text) {
        (None, Some(text)) => {
            check_text(state, &text)?;
            Ok(text)
        }
        (Some(id), None) => {
            let kept = index.get(&id)?.ok_or_else(|| Problem::no_document(&id))?;
            kept.text.ok_or_else(|| {
                let stored = index.config().store;
                let (what, needed) = ("showing passages", "texts");
                index::Error::NotStored { what, needed, stored: stored.as_str() }.into()
            })
        }
        _ => Err(Problem::invalid(format!("exactly one of `{id_field}` and `{text_field}` is needed"))),
    }
}

fn answer(compared: Compared, segments: bool) -> CompareAnswer {
    let Compared { of, mut comparison, finding, similarity, .. } = compared;
    let [a, b] = &of.texts;
    let pieces = |side: Side, text: &str| -> Vec<Piece> {
        let of_segment = |segment: lookalike::passages::Segment| Piece {
            text: text[segment.range].to_owned(),
            passage: segment.mark.map(|mark| mark.passage),
            shared: segment.mark.is_some_and(|mark| mark.is_shared),
            place: segment.mark.map(|mark| place_name(comparison.passages[mark.passage].place)),
        };
        comparison.segments(side, text.len()).into_iter().map(of_segment).collect()
    };
    let (of_a, of_b) =
        if segments { (Some(pieces(Side::A, a)), Some(pieces(Side::B, b))) } else { (None, None) };
    in_characters(&mut comparison, a, b);
    let counts = comparison.counts;
    let mut passages = comparison.passages;
    if passages.len() > MOST_PASSAGES {
        passages.sort_by_key(|passage| std::cmp::Reverse(passage.shingles));
        passages.truncate(MOST_PASSAGES);
        passages.sort_by_key(|passage| (passage.a.start, passage.b.start));
    }
    let passage = |passage: lookalike::passages::Passage| Passage {
        range: [passage.a.start, passage.a.end],
        other_range: [passage.b.start, passage.b.end],
        shingles: passage.shingles,
        place: place_name(passage.place),
    };
    CompareAnswer {
        similarity,
        containment: counts.containment_of_a(),
        other_containment: counts.containment_of_b(),
        found_probability: finding.probability,
        shingles: [counts.a, counts.b, counts.common],
        passages: passages.into_iter().map(passage).collect(),
        segments: of_a,
        other_segments: of_b,
    }
}
