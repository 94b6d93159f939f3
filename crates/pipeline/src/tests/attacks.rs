//! Texts written against the hash functions do not remove others; and no answer depends on the key.

use super::{How, job, run, sources_of};
use crate::method::key::tests::with_key;
use crate::{Clusters, Elements, Keep, Measure, Method, Resources, Settings, Silent, Stored, Verify};
use lookalike::shingling::Shingler;
use std::collections::HashMap;
use testkit::corpora::{Document, Forger, Planted, near_copies, templated};

const INNOCENT: &str = "The brown ferret of the upper valley sleeps for most of the day and hunts at dusk, when \
    rabbits leave their burrows; in winter it follows them below the ground, where no owl and no fox can go.";

/// The text with every word replaced by a forged one.
fn forged(text: &str) -> String {
    let forger = Forger::default();
    let mut known: HashMap<String, String> = HashMap::new();
    let words = lookalike::shingling::words(&text.to_lowercase()).map(str::to_owned).collect::<Vec<_>>();
    let forged = words.iter().map(|word| {
        let forge = || forger.forge(word).unwrap_or_else(|| panic!("{word} is found"));
        known.entry(word.clone()).or_insert_with(forge).clone()
    });
    forged.collect::<Vec<_>>().join(" ")
}

fn settings() -> Settings {
    Settings::default().with_id_field(Some("id".into()))
}

/// Gibberish that shares no word with a text and has its hashes under the fixed key, and so its signature.
#[test]
fn a_text_with_the_hashes_of_another_does_not_remove_it() {
    let gibberish = forged(INNOCENT);
    let fixed = Shingler::default();
    assert_eq!(fixed.set(&gibberish), fixed.set(INNOCENT));
    let documents = [Document::new("gibberish", gibberish), Document::new("innocent", INNOCENT)];
    for settings in [
        settings(),
        settings().with_clusters(Clusters::Components),
        settings().with_measure(Measure::Containment),
        settings().with_elements(Elements::Bag),
        settings().with_method(Method::Simhash),
        settings().with_store(Stored::Shingles),
    ] {
        let result = run(&documents, 0, &settings, How::PLAIN);
        assert_eq!(result.kept, ["gibberish", "innocent"], "{settings:?}");
    }
    // What the guide says: signatures alone are fooled. (So the two were candidates above.)
    for verify in [Verify::Estimate, Verify::None] {
        let result = run(&documents, 0, &settings().with_verify(verify), How::PLAIN);
        assert_eq!(result.kept, ["gibberish"], "{verify:?}");
    }
}

#[test]
fn stored_shingles_are_not_fooled_and_have_a_key_of_their_own() {
    let folder = tempfile::tempdir().unwrap();
    let documents = [
        Document::new("gibberish", forged(INNOCENT)),
        Document::new("innocent", INNOCENT),
        Document::new("near", format!("{INNOCENT} Really.")),
    ];
    let sources = sources_of(&folder.path().join("in"), &documents, usize::MAX);
    let sketch = |name: &str, store| {
        let path = folder.path().join(name);
        let settings = settings().with_store(store);
        crate::sketch(&job(&settings, sources.clone(), Vec::new(), 1), &path, &Silent).unwrap();
        path
    };
    let (one, two) = (sketch("one", Stored::Shingles), sketch("two", Stored::Shingles));
    assert_ne!(std::fs::read(&one).unwrap(), std::fs::read(two).unwrap());
    let (plain, again) = (sketch("plain", Stored::Signatures), sketch("again", Stored::Signatures));
    assert_eq!(std::fs::read(&plain).unwrap(), std::fs::read(again).unwrap());
    for file in [one, plain] {
        let resources = Resources { memory: 1 << 30, threads: 1, temp_dir: None, max_pairs: None };
        let job = crate::open_sketch(&file, resources).unwrap();
        let mut removed = Vec::new();
        crate::decide(&job, &Silent, &mut |row| {
            removed.push((row.id, row.kept_id));
            Ok(())
        })
        .unwrap();
        assert_eq!(removed, [("near".to_owned(), Some("innocent".to_owned()))]);
    }
}

#[test]
fn a_value_of_within_with_the_hash_of_another_is_another() {
    let other = Forger::default().forge("example.org").unwrap();
    assert_eq!(
        lookalike::hashing::hash_bytes(other.as_bytes()),
        lookalike::hashing::hash_bytes(b"example.org")
    );
    let of = |id: &str, text: &str, domain: &str| Document {
        domain: Some(domain.into()),
        ..Document::new(id, text)
    };
    let documents = [
        of("forged", INNOCENT, &other),
        of("innocent", INNOCENT, "example.org"),
        of("near", &format!("{INNOCENT} Really."), "example.org"),
    ];
    for measure in [Measure::Jaccard, Measure::Containment] {
        let settings = settings().with_within(Some("domain".into())).with_measure(measure);
        let result = run(&documents, 0, &settings, How::PLAIN);
        let kept_for: Vec<_> = result.removed.values().map(|row| row["kept_id"].as_str().unwrap()).collect();
        assert!(result.kept.contains(&"forged".to_owned()), "{measure:?}: {:?}", result.kept);
        assert_eq!(kept_for.len(), 1, "{measure:?}: {:?}", result.removed);
        assert_ne!(kept_for, ["forged"]);
    }
}

#[test]
fn every_key_gives_the_same_bytes() {
    let mut documents: Vec<Document> =
        Planted { documents: 200, bytes: (150, 2_000), near: 0.45, copies: 0.1, ..Planted::default() }
            .collect();
    documents.extend(near_copies(40, 600, 1));
    documents.extend(templated(40, 600, 0.6, 1));
    for (at, document) in documents.iter_mut().enumerate() {
        document.id = format!("{at}");
        document.domain = (at % 11 != 0).then(|| format!("domain-{}", at % 3));
    }
    let spilled = How { threads: 2, free: Some(600_000), split: usize::MAX };
    for settings in [
        settings(),
        settings().with_threshold(0.5).with_keep(Keep::Longest),
        settings().with_within(Some("domain".into())),
        settings().with_elements(Elements::Bag),
        settings().with_measure(Measure::Containment).with_threshold(0.6),
        settings().with_clusters(Clusters::Components),
        settings().with_method(Method::Simhash).with_distance(12),
        settings().with_shingles("stop-words:3".into()).with_threshold(0.6),
        settings().with_shingles("characters:12".into()).with_store(Stored::Shingles),
    ] {
        let keyed = |key: u8, how: How| {
            let result = with_key(key, || run(&documents, 50, &settings, how));
            assert!(!result.removed.is_empty());
            (result.bytes, result.report)
        };
        let first = keyed(1, How::PLAIN);
        for (key, how) in [(2, How::PLAIN), (3, How::PLAIN), (1, spilled), (4, spilled)] {
            assert!(keyed(key, how) == first, "key {key}, {how:?}: {settings:?}");
        }
    }
}
