//! The central test: a corpus checked in order into an empty index is what `lookalike dedup --keep first` keeps. And
//! queries against brute force, in whatever order and way the documents came.

use super::{in_memory, options, thorough};
use crate::store::memory::MemoryStore;
use crate::{
    BulkOptions, Config, Content, Document, Error, Imported, Index, ManualClock, OnMatch, Query, Stored,
};
use corpus::{Discovery, discover};
use lookalike::banding::Banding;
use lookalike::index::LshIndex;
use lookalike::minhash::{FastSketch, MinHasher};
use pipeline::{DocumentBuffers, Documents, Job, Method, Resources, Settings, Silent};
use std::collections::BTreeMap;
use std::sync::Arc;
use testkit::corpora::{self, Planted, edge_documents, near_copies, templated, write_files};

/// A removed document -> the kept one, their similarity and distance.
type Removed = BTreeMap<String, (String, Option<f64>, Option<u32>)>;

fn clock() -> Arc<ManualClock> {
    Arc::new(ManualClock::at(1_000))
}

fn removed_by_dedup(documents: &[corpora::Document], settings: &Settings) -> Removed {
    let folder = tempfile::tempdir().unwrap();
    let files = write_files(folder.path(), documents.iter().cloned(), &[]).unwrap();
    let files: Vec<String> = files.iter().map(|file| file.display().to_string()).collect();
    let within = documents.iter().any(|it| it.domain.is_some()).then(|| "domain".to_owned());
    let settings = settings.clone().with_id_field(Some("id".into())).with_within(within);
    let job = Job {
        sources: discover(&files, &Discovery::default()).unwrap(),
        against: Vec::new(),
        settings,
        resources: Resources { memory: 1 << 30, threads: 1, ..Resources::of_this_machine() },
        sketch: None,
        indexes: pipeline::Indexes::default(),
    };
    let mut removed = Removed::new();
    pipeline::decide(&job, &Silent, &mut |row| {
        removed.insert(row.id, (row.kept_id.unwrap(), row.similarity, row.distance));
        Ok(())
    })
    .unwrap();
    removed
}

fn document(it: &corpora::Document) -> Document {
    Document::new(&*it.id, &*it.text).with_within(it.domain.clone())
}

fn removed_by_check(documents: &[corpora::Document], config: &Config, batch: usize) -> Removed {
    let index = in_memory(&MemoryStore::default(), config, &clock());
    let documents: Vec<Document> = documents.iter().map(document).collect();
    let mut removed = Removed::new();
    for batch in documents.chunks(batch) {
        let answers = index.check_batch(batch, true, OnMatch::Skip).unwrap();
        for (document, answer) in batch.iter().zip(answers) {
            if let Some(it) = answer.unwrap().matched {
                removed.insert(document.id.clone(), (it.id, Some(it.similarity), it.distance));
            }
        }
    }
    assert!(index.verify().unwrap().is_clean());
    removed
}

fn corpora() -> Vec<(&'static str, Vec<corpora::Document>)> {
    let documents = |planted: Planted| planted.collect();
    vec![
        ("planted", documents(Planted { documents: 600, bytes: (200, 1_500), ..Planted::default() })),
        ("short", documents(Planted::short(600, 3))),
        ("edges", edge_documents()),
        ("near copies", near_copies(120, 500, 5).collect()),
        ("templated", templated(120, 600, 0.7, 7).collect()),
    ]
}

/// Both must find every pair, or they may differ: so the plan misses a pair at the threshold with a probability of 4e-13
/// (see [`thorough`]). SimHash finds every pair within the distance.
#[test]
fn checks_in_order_are_dedup() {
    let simhash =
        thorough().with_method(Method::Simhash).with_distance(6).with_bands(None).with_threshold(0.5);
    for settings in [thorough(), simhash, thorough().with_elements(pipeline::Elements::Bag)] {
        for (name, documents) in corpora() {
            let expected = removed_by_dedup(&documents, &settings);
            assert!(!expected.is_empty(), "{name}");
            for (store, batch) in [(Stored::Text, 1), (Stored::Shingles, 50)] {
                let config = Config::default().with_settings(settings.clone()).with_store(store);
                let removed = removed_by_check(&documents, &config, batch);
                let method = settings.signature.method;
                for (id, expected) in &expected {
                    assert_eq!(removed.get(id), Some(expected), "{id} of {name}, {method}, {store}");
                }
                assert_eq!(removed.len(), expected.len(), "{name}, {method}, {store}");
            }
        }
    }
}

/// The answers to many queries, as ids with similarities.
fn answers(index: &Index, documents: &[corpora::Document]) -> Vec<Vec<(String, f64)>> {
    let ask = |it: &corpora::Document| {
        let answer = index.query(&Query::text(&*it.text).with_within(it.domain.clone())).unwrap();
        let mut found: Vec<_> = answer.matches.into_iter().map(|it| (it.id, it.similarity)).collect();
        found.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
        found
    };
    documents.iter().map(ask).collect()
}

#[test]
fn queries_are_brute_force() {
    let settings = thorough();
    let documents = Planted { documents: 300, bytes: (200, 900), ..Planted::default() }.collect();
    let config = Config::default().with_settings(settings.clone()).with_store(Stored::Text);
    let index = in_memory(&MemoryStore::default(), &config, &clock());
    index.add_batch(&documents.iter().map(document).collect::<Vec<_>>()).unwrap();
    let plain = Documents::new(&settings).unwrap();
    let mut buffers = DocumentBuffers::default();
    for (asked, found) in documents.iter().zip(answers(&index, &documents)) {
        let mut expected: Vec<(String, f64)> = documents
            .iter()
            .filter(|other| other.domain == asked.domain)
            .map(|other| {
                (other.id.clone(), plain.similarity(&asked.text, &other.text, &mut buffers).unwrap())
            })
            .filter(|(_, similarity)| *similarity >= settings.matching.threshold)
            .collect();
        expected.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
        assert_eq!(found, expected, "{}", asked.id);
    }
}

/// Signatures alone: candidates are the documents that share a band, and nothing is looked at but lanes.
#[test]
fn estimated_queries_are_those_of_the_lanes() {
    let settings = Settings::default().with_threshold(0.5);
    let documents = Planted::short(300, 9).collect();
    let config = Config::default().with_settings(settings.clone());
    let index = in_memory(&MemoryStore::default(), &config, &clock());
    index.add_batch(&documents.iter().map(document).collect::<Vec<_>>()).unwrap();
    let sketches: Vec<_> = documents.iter().map(|it| index.get(&it.id).unwrap().unwrap()).collect();
    let keys = |lanes: &[u16], within| {
        let mut keys = Vec::new();
        index.engine.documents.keys_into(lanes, within, &mut keys);
        keys
    };
    for asked in sketches.iter().take(100) {
        let own = keys(&asked.lanes, asked.within);
        let share =
            |other: &crate::Kept| own.iter().zip(keys(&other.lanes, other.within)).any(|(a, b)| *a == b);
        let mut expected: Vec<(f64, u64)> = sketches
            .iter()
            .filter(|other| other.number != asked.number && other.within == asked.within && share(other))
            .map(|other| {
                let likeness = index.engine.documents.likeness(&asked.lanes, &other.lanes);
                (likeness.similarity, other.number)
            })
            .filter(|(similarity, _)| *similarity >= 0.5)
            .collect();
        expected.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
        let answer = index.query(&Query::id(&*asked.id)).unwrap();
        let found: Vec<_> = answer.matches.iter().map(|it| (it.similarity, it.number)).collect();
        assert_eq!(found, expected);
    }
}

/// The same signatures in an index in memory and on disk, with the same bands.
#[test]
fn answers_are_those_of_an_index_in_memory() {
    let bands = pipeline::BandsAndRows { bands: 21, rows: 6 };
    let settings = Settings::default().with_threshold(0.5).with_bands(Some(bands));
    let config = Config::default().with_settings(settings.clone());
    let index = in_memory(&MemoryStore::default(), &config, &clock());
    let mut in_memory = LshIndex::new(Banding::new(bands.bands, bands.rows).unwrap());
    let hasher = FastSketch::new(settings.signature.hashes, settings.signature.seed).unwrap();
    let documents: Vec<corpora::Document> = Planted::short(500, 11).collect();
    let sketch = |text: &str| hasher.sketch(index.engine.documents.shingler().set(text).as_slice());
    let signatures: Vec<_> = documents.iter().map(|it| sketch(&it.text)).collect();
    for (number, signature) in (1_u64..).zip(&signatures) {
        let imported = Imported::new(index.lanes_of(signature).unwrap());
        let content = Content::Imported(Box::new(imported));
        assert_eq!(index.add(&Document::of(number.to_string(), content)).unwrap(), number);
        in_memory.insert(number, signature).unwrap();
    }
    // In memory, the similarity is the share of equal lanes; on disk, what lanes of 16 bits have in common by chance is
    // subtracted.
    let by_chance = 2_f64.powi(-16);
    let corrected = |share: f64| (share - by_chance) / (1.0 - by_chance);
    let mut found = 0;
    for (number, signature) in (1_u64..).zip(&signatures) {
        let candidates = in_memory.query(signature, 0.0).unwrap();
        for threshold in [0.5, 0.8] {
            let query = Query::lanes(index.lanes_of(signature).unwrap()).with_threshold(Some(threshold));
            let answer = index.query(&query).unwrap();
            let ours: Vec<_> = answer.matches.iter().map(|it| (it.number, it.similarity)).collect();
            let theirs = candidates.iter().map(|it| (it.id, corrected(it.similarity)));
            let theirs: Vec<_> = theirs.filter(|(_, similarity)| *similarity >= threshold).collect();
            assert_eq!(ours.len(), theirs.len(), "{number} at {threshold}");
            for (ours, theirs) in ours.iter().zip(&theirs) {
                assert_eq!(ours.0, theirs.0, "{number} at {threshold}");
                assert!((ours.1 - theirs.1).abs() < 1e-12, "{number} at {threshold}: {ours:?} {theirs:?}");
            }
            found += ours.len();
        }
    }
    assert!(found > 1_000, "{found}: every document finds itself, and some find others");
}

#[test]
fn answers_do_not_depend_on_how_the_documents_came() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    let documents = Planted { documents: 250, bytes: (200, 600), ..Planted::default() }.collect();
    let config = Config::default().with_settings(thorough()).with_store(Stored::Shingles);
    let options = options(&clock());
    let all: Vec<Document> = documents.iter().map(document).collect();
    let index = Index::create(at("whole"), &config, &options).unwrap();
    index.add_batch(&all).unwrap();
    let expected = answers(&index, &documents);
    index.compact().unwrap();
    assert_eq!(answers(&index, &documents), expected, "compacted");
    index.backup(at("backup")).unwrap();
    let restored = Index::restore(at("backup"), at("restored"), &options).unwrap();
    assert_eq!(answers(&restored, &documents), expected, "restored");
    let backwards = index.create_sibling(at("backwards")).unwrap();
    for batch in all.rchunks(7) {
        backwards.add_batch(batch).unwrap();
    }
    assert_eq!(answers(&backwards, &documents), expected, "other batches in another order");
    // Chunks that meet in the same buckets and lists of copies.
    let bulk = index.create_sibling(at("bulk")).unwrap();
    bulk.add_batch(&all[..20]).unwrap();
    let small = BulkOptions::default().with_memory(200_000);
    bulk.bulk_load(all[20..].iter().cloned().map(Ok::<_, Error>), &small).unwrap();
    assert!(bulk.stats().unwrap().batches > 6, "several chunks");
    assert!(bulk.verify().unwrap().is_clean());
    assert_eq!(answers(&bulk, &documents), expected, "bulk loaded");
    let (left, right) =
        (index.create_sibling(at("left")).unwrap(), index.create_sibling(at("right")).unwrap());
    for (number, document) in all.iter().enumerate() {
        if number % 2 == 0 {
            left.add(document).unwrap()
        } else {
            right.add(document).unwrap()
        };
    }
    // The answers of the parts put together are the answer of the whole.
    let parts = answers(&left, &documents).into_iter().zip(answers(&right, &documents));
    for ((mut left, right), whole) in parts.zip(&expected) {
        left.extend(right);
        left.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
        assert_eq!(left, *whole);
    }
    assert_eq!(left.merge(&right, false).unwrap(), 125);
    assert_eq!(answers(&left, &documents), expected, "merged");
    assert!(left.verify().unwrap().is_clean());
}
