//! Applies one layer of choices to settings.

use crate::arguments::{Choices, Keeping, Matching, NormalizeChoices, Reading, Sketching, Writing};
use pipeline::Settings;

/// Sets what was chosen and leaves the other settings unchanged.
pub(crate) fn apply(choices: &Choices, settings: &mut Settings) {
    let Reading { text_field, id_field, format: _, on_bad_record, max_text, within } =
        choices.reading.clone();
    set(&mut settings.text_field, text_field);
    set(&mut settings.id_field, id_field.map(Some));
    set(&mut settings.on_bad_record, on_bad_record);
    set(&mut settings.max_text, max_text.map(|bytes| bytes.0));
    set(&mut settings.within, within.map(Some));

    let Sketching { shingles, normalize, elements, weights, method, hashes, seed } =
        choices.sketching.clone();
    let NormalizeChoices { case, form, punctuation, whitespace } = normalize;
    set(&mut settings.shingles, shingles);
    set(&mut settings.normalize.case, case);
    set(&mut settings.normalize.form, form);
    set(&mut settings.normalize.punctuation, punctuation);
    set(&mut settings.normalize.whitespace, whitespace);
    set(&mut settings.elements, elements);
    set(&mut settings.weights, weights.map(Some));
    set(&mut settings.method, method);
    set(&mut settings.hashes, hashes);
    set(&mut settings.seed, seed);

    let Matching { threshold, measure, recall, bands, distance, verify, against: _, against_only } =
        choices.matching.clone();
    set(&mut settings.threshold, threshold);
    set(&mut settings.measure, measure);
    if let Some(recall) = recall {
        // A recall asks for bands that are planned from it, so the bands of a lower layer are dropped.
        settings.recall = recall;
        settings.bands = None;
    }
    set(&mut settings.bands, bands.map(Some));
    set(&mut settings.distance, distance);
    set(&mut settings.verify, verify);
    set(&mut settings.against_only, against_only);

    let Keeping { clusters, keep, prefer } = choices.keeping.clone();
    set(&mut settings.clusters, clusters);
    set(&mut settings.keep, keep);
    set(&mut settings.prefer, prefer);

    let Writing { annotate, removed_format } = choices.writing.clone();
    set(&mut settings.annotate, annotate);
    set(&mut settings.removed_format, removed_format);
    set(&mut settings.store, choices.storing.store);
}

fn set<T>(setting: &mut T, choice: Option<T>) {
    if let Some(choice) = choice {
        *setting = choice;
    }
}
