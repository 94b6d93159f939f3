//! The run's estimate of its own recall, against the truth by brute force.

use super::{How, job, run, sources_of};
use crate::{BandsAndRows, Settings, Silent};
use testkit::corpora::{Document, Pages, Planted};
use testkit::oracle::{Shingles, jaccard_pairs};

/// Runs `pairs` and compares with all pairs: the share found, the estimate of it and its standard error.
fn measured(documents: &[Document], settings: &Settings) -> (f64, crate::report::Recall) {
    let folder = tempfile::tempdir().unwrap();
    let job = job(settings, sources_of(folder.path(), documents, usize::MAX), Vec::new(), 2);
    let mut found = 0;
    let report = crate::pairs(&job, &Silent, &mut |pair| {
        assert!(pair.similarity.unwrap() >= settings.matching.threshold);
        found += 1;
        Ok(std::ops::ControlFlow::Continue(()))
    })
    .unwrap();
    let texts: Vec<&str> = documents.iter().map(|document| document.text.as_str()).collect();
    let all = jaccard_pairs(&texts, Shingles::Words(5), settings.matching.threshold).unwrap().len();
    (f64::from(found) / all as f64, report.recall.unwrap())
}

#[test]
fn the_estimate_is_within_four_standard_errors_of_the_truth() {
    // Plans that miss a good part, so that there is something to estimate. Prose, and pages of few templates, whose pairs
    // stand or fall together. The chance that a right estimate is more than 4 standard errors off is 1 in 16,000 for
    // each of the eight.
    for (bands, rows) in [(4, 6), (10, 10)] {
        let bands = Some(BandsAndRows { bands, rows });
        let settings =
            Settings::default().with_threshold(0.6).with_bands(bands).with_id_field(Some("id".into()));
        for seed in 1..3 {
            let prose =
                Planted { documents: 1_200, near: 0.6, copies: 0.0, seed, ..Planted::default() }.collect();
            let pages: Vec<Document> =
                Pages { pages: 300, templates: 3, bytes: 3_000, boilerplate: (0.6, 0.9), near: 0.1, seed }
                    .iter()
                    .collect();
            for documents in [prose, pages] {
                let (truth, recall) = measured(&documents, &settings);
                let off = (recall.estimate - truth).abs() / recall.standard_error;
                assert!(off < 4.0, "found {truth}, estimated {recall:?}: {off} standard errors");
                assert!(recall.standard_error < 0.2, "{recall:?}");
            }
        }
    }
}

#[test]
fn the_default_plan_finds_what_it_promises() {
    let documents = Planted { documents: 1_500, near: 0.6, copies: 0.0, ..Planted::default() }.collect();
    for threshold in [0.5, 0.8] {
        let settings = Settings::default().with_threshold(threshold).with_id_field(Some("id".into()));
        let (truth, recall) = measured(&documents, &settings);
        assert!(truth >= 0.99, "{truth} at {threshold}");
        assert!(recall.estimate >= 0.99, "{recall:?} at {threshold}");
    }
}

#[test]
fn every_class_of_document_is_counted() {
    let documents: Vec<Document> = [
        ("empty", "..."),
        ("also-empty", "?!"),
        ("short", "two words"),
        ("nul", "a\0b c d e f g h i"),
        ("long", "word ".repeat(400).as_str()),
        ("plain", "one two three four five six seven eight nine"),
    ]
    .map(|(id, text)| Document::new(id, text))
    .into();
    let settings = Settings::default().with_id_field(Some("id".into())).with_max_text(1_000);
    let counts = run(&documents, 0, &settings, How::PLAIN).report.counts;
    let found =
        (counts.empty, counts.short, counts.with_nul, counts.over_limit, counts.documents, counts.kept);
    assert_eq!(found, (2, 1, 1, 1, 6, 5));
}
