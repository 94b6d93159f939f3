//! Each operation once, and its bad input.

use super::{in_memory, options, thorough};
use crate::store::memory::MemoryStore;
use crate::{
    Config, Content, Document, Error, Filter, Index, Lifetime, ManualClock, OnMatch, Options, Query, Stored,
};
use serde_json::json;
use std::sync::Arc;
use std::time::Duration;

const A: &str = "one two three four five six seven eight nine ten eleven twelve";
const B: &str = "one two three four five six seven eight nine ten eleven thirteen";
const C: &str = "something else entirely that nobody would take for the others at all";

fn config() -> Config {
    Config::default().with_settings(thorough()).with_store(Stored::Text)
}

fn clock() -> Arc<ManualClock> {
    Arc::new(ManualClock::at(1_000))
}

fn object(value: serde_json::Value) -> crate::Metadata {
    value.as_object().unwrap().clone()
}

fn ids(index: &Index, query: &Query) -> Vec<String> {
    index.query(query).unwrap().matches.into_iter().map(|it| it.id).collect()
}

#[test]
fn documents_come_and_go() {
    let index = in_memory(&MemoryStore::default(), &config(), &clock());
    let one = Document::new("a", A).with_metadata(Some(object(json!({"lang": "en", "n": 1}))));
    assert_eq!(index.add(&one).unwrap(), 1);
    assert_eq!(index.add_batch(&[Document::new("b", B), Document::new("c", C)]).unwrap(), [2, 3]);
    let kept = index.get("a").unwrap().unwrap();
    assert_eq!((kept.number, kept.added, kept.expires), (1, 1_000, None));
    assert_eq!((kept.text.as_deref(), kept.metadata), (Some(A), one.metadata));
    assert!(index.contains("c").unwrap() && !index.contains("d").unwrap());
    let answer = index.query(&Query::text(A)).unwrap();
    assert_eq!(answer.matches.len(), 2);
    assert_eq!((&*answer.matches[0].id, answer.matches[0].similarity), ("a", 1.0));
    assert_eq!((&*answer.matches[1].id, answer.matches[1].similarity), ("b", 10.0 / 12.0));
    assert!(answer.matches.iter().all(|it| it.exact && it.standard_error.is_none()));
    assert_eq!(ids(&index, &Query::id("a")), ["b"]);
    assert_eq!(ids(&index, &Query::text(A).with_threshold(Some(0.9))), ["a"]);
    assert_eq!(ids(&index, &Query::text(A).with_top(Some(1))), ["a"]);
    assert_eq!(index.remove(&["a", "unknown"]).unwrap(), 1);
    assert_eq!(ids(&index, &Query::text(A)), ["b"]);
    assert!(index.verify().unwrap().is_clean());
    let stats = index.stats().unwrap();
    assert_eq!((stats.documents, stats.distinct, stats.next_number), (2, 2, 4));
}

#[test]
fn an_id_is_there_once_unless_it_is_updated() {
    let index = in_memory(&MemoryStore::default(), &config(), &clock());
    index.add(&Document::new("a", A)).unwrap();
    let again = index.add_batch(&[Document::new("b", B), Document::new("a", C)]);
    assert!(matches!(again, Err(Error::DuplicateId { id }) if id == "a"));
    assert!(!index.contains("b").unwrap(), "all or none");
    // The same text with other metadata keeps its number; another text does not.
    let with = |text| Document::new("a", text).with_metadata(Some(object(json!({"v": 2}))));
    assert_eq!(index.update(&with(A)).unwrap(), 1);
    assert_eq!(index.get("a").unwrap().unwrap().metadata, Some(object(json!({"v": 2}))));
    assert_eq!(index.update(&with(C)).unwrap(), 2);
    assert_eq!(ids(&index, &Query::text(A)), [""; 0]);
    assert_eq!(ids(&index, &Query::text(C)), ["a"]);
    assert!(index.verify().unwrap().is_clean());
}

#[test]
fn copies_stand_in_for_each_other() {
    let index = in_memory(&MemoryStore::default(), &config(), &clock());
    let copies: Vec<_> = (0..5).map(|n| Document::new(format!("copy-{n}"), A)).collect();
    index.add_batch(&copies).unwrap();
    index.add(&Document::new("b", B)).unwrap();
    assert_eq!(index.stats().unwrap().distinct, 2);
    assert_eq!(index.verify().unwrap().largest_bucket, 2);
    assert_eq!(ids(&index, &Query::text(B)).len(), 6);
    for gone in ["copy-0", "copy-2", "copy-1"] {
        index.remove(&[gone]).unwrap();
        assert!(index.verify().unwrap().is_clean(), "{gone}");
    }
    assert_eq!(ids(&index, &Query::text(B)), ["b", "copy-3", "copy-4"]);
    let checked = index.check(&Document::new("x", B), true, OnMatch::Skip).unwrap();
    assert_eq!(checked.matched.unwrap().id, "copy-3", "the oldest, not the most similar");
}

#[test]
fn a_check_skips_touches_replaces_or_adds() {
    let clock = clock();
    let config = config().with_ttl(Some(Duration::from_millis(100)));
    let index = in_memory(&MemoryStore::default(), &config, &clock);
    let check =
        |id: &str, text: &str, on_match| index.check(&Document::new(id, text), true, on_match).unwrap();
    assert_eq!(check("a", A, OnMatch::Skip).number, Some(1));
    let again = check("b", B, OnMatch::Skip);
    assert_eq!((again.number, again.is_new()), (None, false));
    clock.set(1_050);
    check("b", B, OnMatch::Touch);
    assert_eq!(index.get("a").unwrap().unwrap().expires, Some(1_150));
    assert_eq!(check("b", B, OnMatch::Replace).number, Some(2));
    assert!(!index.contains("a").unwrap());
    assert_eq!(check("c", A, OnMatch::Add).number, Some(3));
    assert_eq!(ids(&index, &Query::text(A)), ["c", "b"]);
    let looked = index.check(&Document::new("d", C), false, OnMatch::Skip).unwrap();
    assert!(looked.is_new() && looked.number.is_none() && !index.contains("d").unwrap());
    // An id that is there: an error of that document alone.
    let batch = [Document::new("b", C), Document::new("", C), Document::new("e", C)];
    let answers = index.check_batch(&batch, true, OnMatch::Skip).unwrap();
    assert!(matches!(answers[0], Err(Error::DuplicateId { .. })));
    assert!(matches!(answers[1], Err(Error::Id { bytes: 0, .. })));
    assert!(answers[2].as_ref().unwrap().is_new());
    assert!(index.verify().unwrap().is_clean());
}

#[test]
fn what_has_expired_is_in_no_answer() {
    let clock = clock();
    let index = in_memory(&MemoryStore::default(), &config(), &clock);
    let until = |id: &str, time| Document::new(id, A).with_lifetime(Lifetime::Until(time));
    index.add_batch(&[until("a", 1_010), until("b", 1_020), Document::new("c", A)]).unwrap();
    clock.set(1_010);
    assert_eq!(ids(&index, &Query::text(B)), ["b", "c"]);
    assert!(!index.contains("a").unwrap() && index.get("a").unwrap().is_none());
    assert_eq!(index.check(&Document::new("x", A), true, OnMatch::Skip).unwrap().matched.unwrap().id, "b");
    let mut exported = Vec::new();
    let mut visit = |it: crate::Kept| {
        exported.push(it.id);
        Ok::<_, Error>(true)
    };
    index.export(&mut visit).unwrap();
    assert_eq!(exported, ["b", "c"]);
    // Its id is free again.
    index.add(&Document::new("a", C)).unwrap();
    assert_eq!(index.expire(1_020, 10).unwrap(), 1);
    assert_eq!(ids(&index, &Query::text(A)), ["c"]);
    assert_eq!(index.stats().unwrap().documents, 2);
    assert!(index.verify().unwrap().is_clean());
    let late = index.add(&until("d", 900));
    assert!(matches!(late, Err(Error::ExpiresInThePast { expires: 900, now: 1_010, .. })));
}

#[test]
fn namespaces_and_filters() {
    let index = in_memory(&MemoryStore::default(), &config(), &clock());
    let document = |id: &str, within: Option<&str>, n: u32| {
        let metadata = Some(object(json!({"n": n})));
        Document::new(id, A).with_within(within.map(Into::into)).with_metadata(metadata)
    };
    let documents = [
        document("a", None, 1),
        document("b", Some("x"), 1),
        document("c", Some("x"), 2),
        document("d", Some("y"), 2),
    ];
    index.add_batch(&documents).unwrap();
    let within = |value: Option<&str>| Query::text(B).with_within(value.map(Into::into));
    assert_eq!(ids(&index, &within(None)), ["a"]);
    assert_eq!(ids(&index, &within(Some("x"))), ["b", "c"]);
    assert_eq!(ids(&index, &within(Some("z"))), [""; 0]);
    assert_eq!(ids(&index, &Query::id("b")), ["c"]);
    let filter = object(json!({"n": 2}));
    assert_eq!(ids(&index, &within(Some("x")).with_filter(filter.clone()).with_top(Some(1))), ["c"]);
    assert_eq!(index.remove_where(&filter).unwrap(), 2);
    assert_eq!(index.stats().unwrap().documents, 2);
    assert!(index.remove_where(&Filter::new()).is_err());
    assert!(index.verify().unwrap().is_clean());
}

#[test]
fn signatures_alone_estimate() {
    let config = Config::default().with_settings(thorough());
    let index = in_memory(&MemoryStore::default(), &config, &clock());
    index.add(&Document::new("a", A)).unwrap();
    let answer = index.query(&Query::text(B)).unwrap();
    let found = &answer.matches[0];
    assert!(!found.exact && (found.similarity - 10.0 / 12.0).abs() < 5.0 * found.standard_error.unwrap());
    assert!(index.query(&Query::text(A)).unwrap().matches[0].exact, "an exact copy is known to be one");
    let lanes = index.get("a").unwrap().unwrap().lanes;
    assert_eq!(ids(&index, &Query::lanes(lanes.clone())), ["a"]);
    let kept = index.get("a").unwrap().unwrap();
    let sketch =
        Content::Sketch { lanes, content_hash: kept.content_hash, shingles: kept.shingles, hash_only: false };
    index.add(&Document::of("b", sketch)).unwrap();
    assert_eq!(index.stats().unwrap().distinct, 1);
    assert!(matches!(index.query(&Query::lanes(vec![1])), Err(Error::Lanes { lanes: 1, expected: 128 })));
    assert!(matches!(index.passages("a", B), Err(Error::NotStored { .. })));
}

#[test]
fn a_signature_of_whole_slots_is_taken_by_its_lanes() {
    use lookalike::minhash::{FastSketch, MinHasher, MultiplyShift};
    let config = Config::default().with_settings(thorough());
    let index = in_memory(&MemoryStore::default(), &config, &clock());
    index.add(&Document::new("a", A)).unwrap();
    let elements = index.engine.documents.shingler().set(A);
    let elements = elements.as_slice();
    let signature = FastSketch::new(128, 1).unwrap().sketch(elements);
    assert_eq!(index.lanes_of(&signature).unwrap(), index.get("a").unwrap().unwrap().lanes);
    let wrong = |said: Error| match said {
        Error::Contradiction { setting, .. } => setting,
        other => panic!("{other}"),
    };
    let other = FastSketch::new(128, 2).unwrap().sketch(elements);
    assert_eq!(wrong(index.lanes_of(&other).unwrap_err()), "seed");
    let other = FastSketch::new(64, 1).unwrap().sketch(elements);
    assert_eq!(wrong(index.lanes_of(&other).unwrap_err()), "hashes");
    let other = MultiplyShift::new(128, 1).unwrap().sketch(elements);
    assert_eq!(wrong(index.lanes_of(&other).unwrap_err()), "family");
}

#[test]
fn more_candidates_than_are_looked_at() {
    let index = in_memory(&MemoryStore::default(), &config().with_most_candidates(3), &clock());
    for n in 0..6 {
        index.add(&Document::new(format!("{n}"), A.replace("twelve", &format!("w{n}")))).unwrap();
    }
    let answer = index.query(&Query::text(A.replace("twelve", "w5"))).unwrap();
    assert!(answer.truncated);
    let ids: Vec<_> = answer.matches.iter().map(|it| &*it.id).collect();
    assert_eq!(ids, ["5", "0", "1", "2"], "the exact copy, and the oldest three");
}

#[test]
fn passages_are_shown() {
    let index = in_memory(&MemoryStore::default(), &config(), &clock());
    index.add(&Document::new("a", A)).unwrap();
    let shared = index.passages("a", B).unwrap();
    assert_eq!(&A[shared.passages[0].a.clone()], "one two three four five six seven eight nine ten eleven");
    assert!(matches!(index.passages("x", B), Err(Error::NoDocument { .. })));
}

#[test]
fn bad_input_is_an_error_and_nothing_is_written() {
    let index = in_memory(&MemoryStore::default(), &config(), &clock());
    let large = object(json!({"a": "x".repeat(65_536)}));
    let sketch = Content::Sketch { lanes: vec![0; 128], content_hash: 1, shingles: 1, hash_only: false };
    let wrong = [
        index.add(&Document::new("", A)).unwrap_err(),
        index.add(&Document::new("x".repeat(1_025), A)).unwrap_err(),
        index.add(&Document::new("m", A).with_metadata(Some(large))).unwrap_err(),
        index.query(&Query::text(A).with_threshold(Some(1.5))).unwrap_err(),
        index.query(&Query::text(A).with_threshold(Some(f64::NAN))).unwrap_err(),
        index.query(&Query::text(A).with_top(Some(0))).unwrap_err(),
        index.query(&Query::id("x")).unwrap_err(),
        index.add(&Document::of("s", sketch)).unwrap_err(),
    ];
    for error in wrong {
        assert!(!error.to_string().is_empty());
    }
    assert_eq!(index.stats().unwrap().batches, 0);
    // Texts that are compared by their content hash only, and empty ones.
    index
        .add_batch(&[Document::new("nul", "a\0b"), Document::new("empty", ""), Document::new("id", A)])
        .unwrap();
    assert_eq!(ids(&index, &Query::text("a\0b")), ["nul"]);
    assert_eq!(ids(&index, &Query::text("")), ["empty"]);
    assert!(index.verify().unwrap().is_clean());
}

#[test]
fn a_folder_is_created_opened_copied_and_merged() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    let options = options(&clock());
    let config = config().with_store(Stored::Shingles);
    let index = Index::create(at("a"), &config, &options).unwrap();
    assert!(matches!(Index::create(at("a"), &config, &options), Err(Error::Exists { .. })));
    assert!(matches!(
        Index::open(at("a"), &options),
        Err(Error::InUse { process, .. }) if process == std::process::id()
    ));
    index.add_batch(&[Document::new("a", A), Document::new("b", B)]).unwrap();
    index.backup(at("copy")).unwrap();
    index.add(&Document::new("c", C)).unwrap();
    drop(index);
    let index = Index::open(at("a"), &options).unwrap();
    assert_eq!(index.lost(), 0);
    assert_eq!(ids(&index, &Query::text(A)), ["a", "b"]);
    index.compact().unwrap();
    assert!(index.verify().unwrap().is_clean());
    let restored = Index::restore(at("copy"), at("restored"), &options).unwrap();
    assert_eq!((restored.stats().unwrap().documents, restored.contains("c").unwrap()), (2, false));
    assert!(restored.verify().unwrap().is_clean());
    // Siblings have the same key, others do not.
    let sibling = index.create_sibling(at("sibling")).unwrap();
    sibling.add(&Document::new("d", A)).unwrap();
    assert_eq!(index.merge(&sibling, false).unwrap(), 1);
    assert!(matches!(index.merge(&sibling, false), Err(Error::DuplicateId { .. })));
    assert_eq!(index.merge(&sibling, true).unwrap(), 0);
    assert_eq!(ids(&index, &Query::text(A)), ["a", "d", "b"]);
    let stranger = Index::create(at("stranger"), &config, &options).unwrap();
    assert!(matches!(index.merge(&stranger, false), Err(Error::DifferentKeys)));
    drop(stranger);
    let other =
        Index::open_or_create(at("a2"), &config.clone().with_threshold(0.5), |_| true, &options).unwrap();
    let wrong = index.merge(&other, false).unwrap_err();
    assert!(matches!(wrong, Error::Contradiction { ref setting, .. } if setting == "threshold"), "{wrong}");
    drop(other);
    let wrong = Index::open_or_create(at("a2"), &config, |_| true, &options).unwrap_err();
    assert_eq!(wrong.to_string(), "the index has threshold 0.5, not 0.6");
    assert!(Index::open_or_create(at("a2"), &config, |_| false, &Options::default()).is_ok());
    assert!(matches!(Index::open(at("nowhere"), &options), Err(Error::NoIndex { .. })));
}

#[cfg(unix)]
#[test]
fn the_key_is_private() {
    use std::os::unix::fs::PermissionsExt;
    let folder = tempfile::tempdir().unwrap();
    let index = Index::create(folder.path().join("a"), &config(), &Options::default()).unwrap();
    let mode = std::fs::metadata(folder.path().join("a/index.json")).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o600);
    assert!(!format!("{index:?}").contains(&index.head.key));
}
