//! Tests of which layer overrides which.

use super::*;
use crate::arguments::{Matching, Sketching, Using};
use pipeline::{BandsAndRows, Keep, LEAST_MEMORY};

fn layers(preset: Option<&str>, file: &str, flags: Choices) -> Layers {
    let file = ConfigFile::parse(file, "lookalike.toml").unwrap();
    let preset = preset.or(file.choices.using.preset.as_deref()).map(|name| presets::find(name).unwrap());
    Layers { purpose: Purpose::Duplicates, preset, file, flags }
}

fn settings(preset: Option<&str>, file: &str, flags: Choices) -> Settings {
    layers(preset, file, flags).resolve().unwrap().settings
}

#[test]
fn without_any_choice_the_defaults_of_the_pipeline_hold() {
    assert_eq!(settings(None, "", Choices::default()), Settings::default());
}

#[test]
fn a_preset_goes_over_defaults_a_file_over_the_preset_and_flags_over_all() {
    let fineweb = settings(Some("fineweb"), "", Choices::default());
    assert_eq!((fineweb.signature.hashes, fineweb.matching.threshold), (112, 0.75));
    assert_eq!(fineweb.matching.bands, Some(BandsAndRows { bands: 14, rows: 8 }));
    assert_eq!(fineweb.matching.keep, Keep::First);

    let file = "threshold = 0.6\nkeep = 'longest'\n";
    let with_file = settings(Some("fineweb"), file, Choices::default());
    assert_eq!(
        (with_file.signature.hashes, with_file.matching.threshold, &with_file.matching.keep),
        (112, 0.6, &Keep::Longest)
    );

    let matching = Matching { threshold: Some(0.5), ..Matching::default() };
    let with_flag = settings(Some("fineweb"), file, Choices { matching, ..Choices::default() });
    assert_eq!(with_flag, with_file.with_threshold(0.5));
}

#[test]
fn a_preset_can_stand_in_the_file() {
    assert_eq!(settings(None, "preset = 'dolma'", Choices::default()).signature.hashes, 286);
}

#[test]
fn a_wanted_recall_takes_the_place_of_bands_from_below() {
    let matching = Matching { recall: Some(0.9), ..Matching::default() };
    let flags = Choices { matching, ..Choices::default() };
    let resolved = settings(Some("fineweb"), "", flags.clone());
    assert_eq!((resolved.matching.bands, resolved.matching.recall), (None, 0.9));
    assert_eq!(settings(None, "bands = '3x4'", flags).matching.bands, None);
    assert_eq!(
        settings(None, "bands = '3x4'\nrecall = 0.5", Choices::default()).matching.bands,
        Some(BandsAndRows { bands: 3, rows: 4 })
    );
}

#[test]
fn a_query_has_no_threshold_unless_asked() {
    let query = |file: &str| {
        let layers = layers(Some("fineweb"), file, Choices::default());
        Layers { purpose: Purpose::Query, ..layers }.resolve().unwrap().settings.matching.threshold
    };
    assert_eq!(query(""), 0.0);
    assert_eq!(query("threshold = 0.5"), 0.5);
}

#[test]
fn numbers_that_are_no_shares_are_refused_from_any_layer() {
    for threshold in [-0.1, 1.1, f64::NAN, f64::INFINITY] {
        let matching = Matching { threshold: Some(threshold), ..Matching::default() };
        let flags = Choices { matching, ..Choices::default() };
        assert!(layers(None, "", flags).resolve().is_err(), "{threshold}");
    }
    assert!(layers(None, "recall = 2.0", Choices::default()).resolve().is_err());
}

#[test]
fn memory_below_the_least_is_refused_and_the_default_is_not() {
    let using = Using { memory: Some(Bytes(LEAST_MEMORY - 1)), ..Using::default() };
    let failure = layers(None, "", Choices { using, ..Choices::default() }).resources().unwrap_err();
    assert!(failure.to_string().contains("raise --memory to 64MiB"), "{failure}");
    assert!(layers(None, "", Choices::default()).resources().unwrap().memory >= LEAST_MEMORY);
    assert_eq!(layers(None, "memory = '1GiB'", Choices::default()).resources().unwrap().memory, 1 << 30);
}

#[test]
fn a_flag_that_contradicts_a_sketch_is_refused_and_one_that_agrees_is_not() {
    let made = Settings::default().with_hashes(64);
    let resolve = |hashes| {
        let sketching = Sketching { hashes: Some(hashes), ..Sketching::default() };
        let layers = layers(None, "threshold = 0.3", Choices { sketching, ..Choices::default() });
        layers.resolve_sketch(Path::new("a.sketch"), &made)
    };
    assert_eq!(resolve(64).unwrap().settings, made.clone().with_threshold(0.3));
    assert!(resolve(128).is_err());
}

#[test]
fn against_only_in_a_file_breaks_no_command() {
    // Commands that compare documents with each other are refused when they run.
    assert!(layers(None, "against-only = true", Choices::default()).resolve().is_ok());
    let resolved =
        layers(None, "against-only = true\nagainst = ['a']", Choices::default()).resolve().unwrap();
    assert_eq!(resolved.against, ["a"]);
}
