//! Applies one layer of choices to settings.

use crate::arguments::{Choices, Keeping, Matching, NormalizeChoices, Reading, Sketching, Writing};
use pipeline::Settings;

/// Sets what was chosen and leaves the other settings unchanged.
pub(crate) fn apply(choices: &Choices, settings: &mut Settings) {
    let Reading {
        kind,
        split,
        set_of,
        weight,
        weight_step,
        bits,
        text_field,
        id_field,
        ids: _,
        format: _,
        on_bad_record,
        max_text,
        within,
        within_days,
        site_field,
    } = choices.reading.clone();
    set(&mut settings.signature.kind, kind);
    set(&mut settings.signature.split, split.map(Some));
    set(&mut settings.signature.bits, bits.map(Some));
    set(&mut settings.files.set_of, set_of.map(Some));
    set(&mut settings.files.weight, weight.map(Some));
    set(&mut settings.signature.weight_step, weight_step.map(Some));
    set(&mut settings.files.text_field, text_field);
    set(&mut settings.files.id_field, id_field.map(Some));
    set(&mut settings.files.on_bad_record, on_bad_record);
    set(&mut settings.files.max_text, max_text.map(|bytes| bytes.0));
    set(&mut settings.matching.within, within.map(Some));
    set(&mut settings.matching.within_days, within_days.map(Some));
    set(&mut settings.matching.site_field, site_field.map(Some));

    let Sketching { shingles, normalize, common, elements, weights, method, hashes, seed } =
        choices.sketching.clone();
    let NormalizeChoices { case, form, punctuation, whitespace } = normalize;
    set(&mut settings.signature.shingles, shingles);
    set(&mut settings.signature.normalize.case, case);
    set(&mut settings.signature.normalize.form, form);
    set(&mut settings.signature.normalize.punctuation, punctuation);
    set(&mut settings.signature.normalize.whitespace, whitespace);
    set(&mut settings.matching.common, common.map(Some));
    set(&mut settings.signature.elements, elements);
    set(&mut settings.signature.weights, weights.map(Some));
    set(&mut settings.signature.method, method);
    set(&mut settings.signature.hashes, hashes);
    set(&mut settings.signature.seed, seed);

    let Matching { threshold, measure, recall, bands, find, distance: _, verify, against: _, against_only } =
        choices.matching.clone();
    set(&mut settings.matching.threshold, threshold);
    set(&mut settings.signature.measure, measure);
    if let Some(recall) = recall {
        // Whoever asks for a recall wants bands planned from it, not those of a layer below.
        settings.matching.recall = recall;
        settings.matching.bands = None;
    }
    set(&mut settings.matching.bands, bands.map(Some));
    set(&mut settings.matching.find, find);
    set(&mut settings.matching.verify, verify);
    set(&mut settings.matching.against_only, against_only);

    let Keeping { clusters, keep, prefer } = choices.keeping.clone();
    set(&mut settings.matching.clusters, clusters);
    set(&mut settings.matching.keep, keep);
    set(&mut settings.matching.prefer, prefer);

    let Writing { annotate, removed_format } = choices.writing.clone();
    set(&mut settings.files.annotate, annotate);
    set(&mut settings.files.removed_format, removed_format);
    set(&mut settings.files.store, choices.storing.store);
}

fn set<T>(setting: &mut T, choice: Option<T>) {
    if let Some(choice) = choice {
        *setting = choice;
    }
}
