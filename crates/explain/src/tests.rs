//! Tests of the whole way, from texts and runs to what is shown.

use crate::comparison::{TwoTexts, compare};
use crate::examples::{Chosen, Examples};
use crate::plan::{Planned, Sample};
use crate::{Error, report};
use corpus::{Discovery, Target, discover};
use lookalike::similarity::jaccard;
use pipeline::{Chances, Elements, FinishedRun, Job, Measure, Method, Resources, Settings, Silent, Verify};
use std::path::Path;

fn job(settings: Settings) -> Job {
    let demo = std::env::var("CARGO_MANIFEST_DIR").unwrap() + "/../../demo/articles.jsonl";
    let sources = discover(&[demo], &Discovery::default()).unwrap();
    let resources = Resources { threads: 2, ..Resources::of_this_machine() };
    Job {
        sources,
        against: Vec::new(),
        settings,
        resources,
        sketch: None,
        indexes: pipeline::Indexes::default(),
    }
}

fn finished(settings: Settings, folder: &Path) -> FinishedRun {
    let job = job(settings);
    let target = Target::new(folder.to_str().unwrap()).unwrap();
    pipeline::dedup(&job, &target, false, &Silent).unwrap();
    FinishedRun::open(folder, job.resources).unwrap()
}

#[test]
fn what_is_chosen_of_a_list_is_what_is_chosen_of_a_folder() {
    for settings in [
        Settings::default().with_threshold(0.5),
        Settings::default().with_threshold(0.3).with_verify(Verify::None),
        Settings::default().with_threshold(1.0),
    ] {
        let folder = tempfile::tempdir().unwrap();
        let run = finished(settings, &folder.path().join("clean"));
        let removed: Vec<_> = run.removed().map(Result::unwrap).collect();
        assert!(!removed.is_empty());
        let of_list = Chosen::of_removed(&removed);
        assert_eq!(of_list, Chosen::of_run(&run).unwrap().without_near_misses());
        assert!(of_list.documents().is_sorted_by(|a, b| a < b));
    }
}

#[test]
fn a_page_is_the_same_after_its_examples_were_written_and_read() {
    // Pairs that are not verified have no similarity, which must survive too.
    for verify in [Verify::Exact, Verify::None] {
        let folder = tempfile::tempdir().unwrap();
        let run = finished(Settings::default().with_verify(verify), &folder.path().join("clean"));
        let examples = Examples::of_run(&run).unwrap();
        let written = serde_json::to_string(&examples).unwrap();
        let read: Examples = serde_json::from_str(&written).unwrap();
        assert_eq!(read, examples);
        let title = run.folder().display().to_string();
        let page = report::page(&title, run.report(), run.settings(), &read).unwrap();
        assert_eq!(page, report::of_run(&run).unwrap());
        assert!(page.note.is_none() && page.html.contains("working memory (WM) capacity"));
    }
}

#[test]
fn a_sample_is_measured_by_the_exact_similarities_of_its_pairs() {
    let settings = Settings::default().with_threshold(0.7);
    let (texts, documents) = pipeline::sample(&job(settings.clone()), 80, &Silent).unwrap();
    assert_eq!((texts.len(), documents), (80, 202));
    let planned = Planned::new(settings.clone(), 8_000, 1).unwrap();
    let measured = planned.measure(Sample { texts: &texts, documents }, &settings).unwrap();
    let chances = Chances::new(&settings).unwrap();
    let sets: Vec<_> = texts.iter().map(|text| chances.shingler().set(text)).collect();
    let (mut histogram, mut candidates) = (vec![0; 21], 0.0);
    for (at, a) in sets.iter().enumerate() {
        for b in &sets[..at] {
            histogram[(jaccard(a, b) * 20.0) as usize] += 1;
            candidates += chances.of(jaccard(a, b), 100);
        }
    }
    assert_eq!(measured.histogram, histogram);
    // The number of pairs grows from that of 80 documents to that of 8,000.
    let expected = candidates * (8_000.0 * 7_999.0) / (80.0 * 79.0);
    assert!((measured.expected_candidates / expected - 1.0).abs() < 1e-3, "{measured:?} {expected}");
    let alternatives = planned.alternatives.iter().filter(|other| other.chosen);
    let chosen: Vec<_> = alternatives.map(|other| (other.bands, other.rows)).collect();
    assert_eq!(chosen, [(chances.plan().bands, chances.plan().rows)]);
}

#[test]
fn a_sample_says_something_about_bands_only() {
    let texts = ["one".to_owned(), "two".to_owned()];
    let measure = |settings: Settings, texts: &[String]| {
        let planned = Planned::new(settings.clone(), 10, 1).unwrap();
        planned.measure(Sample { texts, documents: 2 }, &settings).unwrap_err()
    };
    let simhash = Settings::default().with_method(Method::Simhash);
    assert!(measure(simhash, &texts).to_string().contains("the tables of SimHash"));
    let containment = Settings::default().with_measure(Measure::Containment);
    assert!(measure(containment, &texts).to_string().contains("the sampled shingles of containment"));
    assert!(matches!(measure(Settings::default(), &texts[..1]), Error::SampleTooSmall));
}

#[test]
fn a_plan_shows_what_its_method_finds() {
    let planned = |settings: &Settings| Planned::new(settings.clone(), 10, 1).unwrap();
    let containment = Settings::default().with_measure(Measure::Containment);
    let chances = Chances::new(&containment).unwrap();
    assert_eq!(planned(&containment).by_shingles, chances.by_shingles(0.8));
    let simhash = Settings::default().with_method(Method::Simhash);
    let (plan, chances) = (planned(&simhash), Chances::new(&simhash).unwrap());
    assert!(plan.by_shingles.is_empty() && planned(&Settings::default()).by_shingles.is_empty());
    // Every pair within the distance is found, but most pairs are not within it.
    assert!((chances.of(0.5, 1) - 1.0).abs() < 1e-12 && plan.curve.at(0.5) < 0.01);
    for similarity in [0.0, 0.5, 0.9, 0.99, 1.0] {
        let chance = crate::chance(&chances, &simhash, similarity, 1);
        assert!((plan.curve.at(similarity) - chance).abs() < 1e-9, "{similarity}: {chance}");
    }
}

#[test]
fn what_is_no_text_is_compared_as_bytes() {
    let names = || ["a".to_owned(), "b".to_owned()];
    let long: Vec<u8> = (0..200u32).map(|at| (at * at % 251) as u8).collect();
    let texts = TwoTexts::of_bytes(names(), [long.clone(), [b"\xff\xfe", long.as_slice()].concat()]);
    assert!(texts.is_binary);
    let compared = compare(texts, &Settings::default()).unwrap();
    assert_eq!((compared.bytes(0), compared.bytes(1)), (200, 202));
    assert_eq!(compared.comparison.passages[0].b, 2..202);
    assert_eq!(compared.notes.len(), 1);
    let texts = TwoTexts::of_bytes(names(), ["é".into(), "e".into()]);
    assert!(!texts.is_binary && texts.texts == ["é", "e"]);
    let bags = Settings::default().with_elements(Elements::Bag);
    assert!(matches!(compare(texts, &bags), Err(Error::Bags)));
}
