//! The vectors that are nearest to a vector: one pass over the corpus compares it with all of them.

use super::{At, best_matches};
use crate::method::TextBuffers;
use crate::method::vectors::{nearness, similarity_of};
use crate::prepared::Prepared;
use crate::{Error, Find, Job, Match, Measure, Observer, Result};
use corpus::Document;

/// See [`crate::query`]. Without a distance, all vectors are near by the Euclidean distance.
pub(super) fn query(job: &Job, vector: &str, top: usize, observer: &dyn Observer) -> Result<Vec<Match>> {
    let threshold = job.settings.matching.threshold;
    // All vectors are compared with one.
    let mut settings = job.settings.clone().with_bands(None).with_find(Find::All);
    let is_euclidean = settings.signature.measure == Measure::Euclidean;
    let radius = settings.matching.radius;
    settings.matching.threshold = 1.0;
    settings.matching.radius = radius.or(is_euclidean.then_some(0.0));
    let job = &Job { settings, ..job.clone() };
    let prepared = Prepared::new(job)?;
    let recipe = &prepared.recipe;
    let nearness = nearness(&job.settings)?;
    // The first vector of the corpus says how many coordinates all vectors have.
    crate::sketch::learn_first(prepared.sources, recipe, &prepared.budget, observer)?;
    let mut buffers = TextBuffers::default();
    if let Some(reason) = recipe.unusable(vector, &mut buffers) {
        return Err(Error::Invalid(format!("what is searched for cannot be used: {reason}")));
    }
    // If the corpus has no vector, this is the first.
    recipe.learn(vector);
    let read = |text: &str, buffers: &mut TextBuffers| -> Result<Vec<f32>> {
        Ok(recipe.elements(text, buffers)?.iter().map(|&bits| f32::from_bits(bits as u32)).collect())
    };
    let asked = read(vector, &mut buffers)?;
    let look = |document: &Document<'_>, at: At, buffers: &mut TextBuffers| {
        let value = nearness.value(&asked, &read(document.text, buffers)?);
        let similarity = similarity_of(nearness, value);
        let is_near = match is_euclidean {
            true => radius.is_none_or(|radius| value <= radius),
            false => similarity >= threshold,
        };
        Ok(is_near.then(|| (similarity, at, document.id.as_ref().map(|id| id.text.to_string()))))
    };
    best_matches(&prepared, top, observer, look)
}
