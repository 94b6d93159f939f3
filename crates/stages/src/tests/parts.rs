//! Each stage by itself: what it refuses, and what it must equal.

use super::{batch, documents};
use crate::{Error, Stages, copies, edges, key_blocks, large_star, small_star};
use arrow_array::builder::{Int64Builder, ListBuilder};
use arrow_array::cast::AsArray;
use arrow_array::types::{Float64Type, Int64Type};
use arrow_array::{Array, ArrayRef, BooleanArray, Int64Array, LargeBinaryArray, RecordBatch, StringArray};
use lookalike::clustering::connected_components;
use pipeline::{Clusters, Measure, Settings};
use proptest::prelude::*;
use std::collections::BTreeSet;
use std::num::NonZeroU32;
use std::sync::Arc;

fn integers(values: &[i64]) -> ArrayRef {
    Arc::new(Int64Array::from(values.to_vec()))
}

fn pairs(values: &[(i64, i64)]) -> RecordBatch {
    let (a, b): (Vec<i64>, Vec<i64>) = values.iter().copied().unzip();
    batch(vec![("a", integers(&a)), ("b", integers(&b))])
}

fn column(batch: &RecordBatch, name: &str) -> Vec<i64> {
    batch[name].as_primitive::<Int64Type>().values().to_vec()
}

fn edges_of(batch: &RecordBatch) -> BTreeSet<(i64, i64)> {
    column(batch, "a").into_iter().zip(column(batch, "b")).collect()
}

fn with_columns(of: &RecordBatch, more: Vec<(&str, ArrayRef)>) -> RecordBatch {
    let schema = of.schema();
    let names = schema.fields().iter().map(|field| field.name().as_str());
    let kept = names.zip(of.columns().to_vec()).filter(|(name, _)| !more.iter().any(|(new, _)| new == name));
    batch(kept.chain(more.clone()).collect())
}

const TEXTS: [&str; 4] = [
    "one two three four five six seven eight nine ten",
    "one two three four five six seven eight nine ten eleven",
    "something else that is about other things altogether",
    "",
];

/// What `decide` takes, of `TEXTS` in one set.
fn members(stages: &Stages) -> RecordBatch {
    let documents = documents(&TEXTS);
    let sketches = stages.sketch(&documents).unwrap();
    with_columns(&sketches, vec![("component", integers(&[0; 4])), ("text", Arc::clone(&documents["text"]))])
}

#[test]
fn sets_of_one_key_are_compared_and_others_refused() {
    let settings = Settings::default().with_threshold(0.5);
    let key = Stages::new_key().unwrap();
    let (one, two) = (Stages::with_key(&settings, &key).unwrap(), Stages::with_key(&settings, &key).unwrap());
    let (stranger, documents) = (Stages::new(&settings).unwrap(), documents(&TEXTS));
    let asked = pairs(&[(0, 1), (0, 2), (3, 3)]);
    let by_text = one.verify_pairs(&documents, &asked).unwrap();
    let by_set = two.verify_pairs(&one.prepare(&documents).unwrap(), &asked).unwrap();
    assert_eq!(by_text, by_set);
    let similarity = by_text["similarity"].as_primitive::<Float64Type>();
    assert_eq!(similarity.values().to_vec(), [6.0 / 7.0, 0.0, 1.0]);
    let foreign = stranger.prepare(&documents).unwrap();
    assert!(matches!(one.verify_pairs(&foreign, &asked), Err(Error::OtherKey { id: 0 })));
    let foreign = with_columns(&members(&one), vec![("set", Arc::clone(&foreign["set"]))]);
    assert!(matches!(one.decide(&foreign), Err(Error::OtherKey { id: 0 })));
    let bigger = Stages::with_key(&settings.with_shingles("words:4".into()), &key).unwrap();
    let other_shingles = bigger.prepare(&documents).unwrap();
    assert!(matches!(one.verify_pairs(&other_shingles, &asked), Err(Error::OtherKey { id: 0 })));
    assert!(Stages::with_key(&Settings::default(), &key[1..]).is_err());
}

#[test]
fn documents_and_pairs_are_verified_like_texts_of_pairs() {
    for measure in [Measure::Jaccard, Measure::Containment] {
        let stages = Stages::new(&Settings::default().with_measure(measure)).unwrap();
        let asked: Vec<(i64, i64)> = (0..4).flat_map(|a| (0..4).map(move |b| (a, b))).collect();
        let text = |of: fn(&(i64, i64)) -> i64| -> ArrayRef {
            Arc::new(asked.iter().map(|pair| Some(TEXTS[of(pair) as usize])).collect::<StringArray>())
        };
        let by_pair = with_columns(
            &pairs(&asked),
            vec![("a_text", text(|pair| pair.0)), ("b_text", text(|pair| pair.1))],
        );
        assert_eq!(
            stages.verify(&by_pair).unwrap(),
            stages.verify_pairs(&documents(&TEXTS), &pairs(&asked)).unwrap()
        );
    }
}

#[test]
fn sets_that_are_none_and_documents_that_are_missing_are_refused() {
    let stages = Stages::new(&Settings::default()).unwrap();
    let prepared = stages.prepare(&documents(&TEXTS)).unwrap();
    let whole = prepared["set"].as_binary::<i64>();
    let mut turned = whole.value(0).to_vec();
    turned[8..].rotate_left(8);
    for damaged in [&whole.value(0)[..12], &[], &turned] {
        let sets: LargeBinaryArray =
            (0..4).map(|row| Some(if row == 0 { damaged } else { whole.value(row) })).collect();
        let table = with_columns(&prepared, vec![("set", Arc::new(sets))]);
        let message = stages.verify_pairs(&table, &pairs(&[(0, 1)])).unwrap_err().to_string();
        assert!(message.contains("`prepare`"), "{message}");
    }
    let message = stages.verify_pairs(&prepared, &pairs(&[(0, 9)])).unwrap_err().to_string();
    assert!(message.contains("the id 9"), "{message}");
    let text: ArrayRef = Arc::new(StringArray::from(vec![Some("a"), None]));
    let table = batch(vec![("id", integers(&[0, 1])), ("text", text)]);
    let verified = stages.verify_pairs(&stages.prepare(&table).unwrap(), &pairs(&[(0, 1)])).unwrap();
    assert!(verified["similarity"].is_null(0) && verified["duplicate"].is_null(0));
}

#[test]
fn documents_of_connected_sets_must_be_whole_and_come_once() {
    let stages = Stages::new(&Settings::default()).unwrap();
    let members = members(&stages);
    let removed = stages.decide(&members).unwrap();
    assert_eq!((column(&removed, "id"), column(&removed, "kept")), (vec![1], vec![0]));
    let again = arrow_select::concat::concat_batches(&members.schema(), [&members, &members]).unwrap();
    assert!(stages.decide(&again).unwrap_err().to_string().contains("comes twice"));
    assert!(copies(&again).unwrap_err().to_string().contains("comes twice"));
    let no_text: ArrayRef = Arc::new(StringArray::new_null(4));
    let message = stages.decide(&with_columns(&members, vec![("text", no_text)])).unwrap_err().to_string();
    assert!(message.contains("no text"), "{message}");
    let no_bytes: ArrayRef = Arc::new(LargeBinaryArray::new_null(4));
    for name in ["signature", "rank"] {
        let lacking = with_columns(&members, vec![(name, Arc::clone(&no_bytes))]);
        assert!(stages.decide(&lacking).unwrap_err().to_string().contains(&format!("no {name}")));
    }
    let components = Stages::new(&Settings::default().with_clusters(Clusters::Components)).unwrap();
    let kept: ArrayRef = Arc::new(BooleanArray::from(vec![true, false, false, false]));
    assert!(components.decide(&with_columns(&members, vec![("kept", kept)])).is_err());
}

#[test]
fn damaged_blocks_and_edges_the_wrong_way_are_refused() {
    let entries: ArrayRef = Arc::new(LargeBinaryArray::from(vec![&b"not sixteen"[..]]));
    assert!(edges(&batch(vec![("entries", entries)])).unwrap_err().to_string().contains("`key_blocks`"));
    assert!(small_star(&pairs(&[(1, 2)])).is_err());
    assert!(edges(&pairs(&[])).unwrap_err().to_string().contains("`entries`"));
}

#[test]
fn a_long_path_is_connected_in_few_rounds() {
    let path: Vec<(i64, i64)> = (1..4_096).map(|id| (id, id - 1)).collect();
    let (mut edges, mut rounds) = (path.iter().copied().collect::<BTreeSet<_>>(), 0);
    while edges.iter().any(|&(_, b)| b != 0) || edges.len() != path.len() {
        edges = round(&edges);
        rounds += 1;
        assert!(rounds <= 24, "{} edges", edges.len());
        assert!(edges.len() <= path.len());
    }
    assert_eq!(round(&edges), edges);
}

/// One round over all edges.
fn round(edges: &BTreeSet<(i64, i64)>) -> BTreeSet<(i64, i64)> {
    let both: Vec<(i64, i64)> = edges.iter().flat_map(|&(a, b)| [(a, b), (b, a)]).collect();
    let large = large_star(&pairs(&both)).unwrap();
    edges_of(&small_star(&large).unwrap())
}

proptest! {
    #[test]
    fn rounds_end_in_connected_components(of in prop::collection::vec((-20i64..20, -20i64..20), 0..40)) {
        let components = connected_components(40, of.iter().map(|&(a, b)| ((a + 20) as usize, (b + 20) as usize))).unwrap();
        let expected: BTreeSet<(i64, i64)> = components
            .representatives()
            .iter()
            .enumerate()
            .filter(|&(at, &first)| at != first)
            .map(|(at, &first)| (at as i64 - 20, first as i64 - 20))
            .collect();
        let mut found: BTreeSet<(i64, i64)> =
            of.iter().filter(|(a, b)| a != b).map(|&(a, b)| (a.max(b), a.min(b))).collect();
        loop {
            let after = round(&found);
            if after == found {
                break;
            }
            found = after;
        }
        prop_assert_eq!(&found, &expected);
    }

    #[test]
    fn edges_are_the_same_of_blocks_and_of_lists(
        keys in prop::collection::vec(prop::collection::vec(0u64..9, 0..4), 0..20),
        blocks in 1u32..5,
    ) {
        // Keys are hashes.
        let key = |key: u64| lookalike::hashing::mix64(key).cast_signed();
        let ids: Vec<i64> = (0..keys.len() as i64).map(|id| id * 3 - 20).collect();
        let mut lists = ListBuilder::new(Int64Builder::new());
        keys.iter().for_each(|keys| lists.append_value(keys.iter().map(|&it| Some(key(it)))));
        let sketches = batch(vec![("id", integers(&ids)), ("keys", Arc::new(lists.finish()))]);
        let packed = key_blocks(&sketches, NonZeroU32::new(blocks).unwrap()).unwrap();
        prop_assert!(column(&packed, "block").iter().all(|&block| block < i64::from(blocks)));
        let mut lists = ListBuilder::new(Int64Builder::new());
        for key in 0..9 {
            let with_key = ids.iter().zip(&keys).filter(|(_, keys)| keys.contains(&key));
            lists.append_value(with_key.map(|(&id, _)| Some(id)));
        }
        let by_lists = edges(&batch(vec![("ids", Arc::new(lists.finish()))])).unwrap();
        prop_assert_eq!(edges_of(&edges(&packed).unwrap()), edges_of(&by_lists));
        prop_assert!(by_lists.num_rows() < keys.len().max(1));
    }
}
