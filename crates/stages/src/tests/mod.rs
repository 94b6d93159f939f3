//! The stages put together are a run on one machine.

mod cluster;
mod engine;
mod parts;
mod whole;

use super::*;
use arrow_array::builder::{Int64Builder, ListBuilder};
use arrow_array::cast::AsArray;
use arrow_array::types::{Float64Type, Int64Type};
use arrow_array::{
    Array, ArrayRef, Int64Array, LargeBinaryArray, LargeStringArray, RecordBatch, StringArray,
    StringViewArray,
};
use corpus::Table;
use pipeline::{Elements, Job, Method, OnBadRecord, Resources, Silent};
use proptest::prelude::*;
use std::collections::{BTreeMap, BTreeSet};
use std::num::NonZeroU32;
use std::sync::Arc;
use testkit::corpora::Planted;

fn batch(columns: Vec<(&str, ArrayRef)>) -> RecordBatch {
    RecordBatch::try_from_iter_with_nullable(columns.into_iter().map(|(name, array)| (name, array, true)))
        .unwrap()
}

fn documents(texts: &[&str]) -> RecordBatch {
    let ids: ArrayRef = Arc::new(Int64Array::from_iter_values(0..texts.len() as i64));
    batch(vec![("id", ids), ("text", Arc::new(StringArray::from(texts.to_vec())))])
}

/// The pairs that an engine finds with the stages.
fn pairs_by_stages(texts: &[&str], settings: &Settings) -> BTreeMap<(i64, i64), f64> {
    let stages = Stages::new(settings).unwrap();
    let sketches = stages.sketch(&documents(texts)).unwrap();
    assert_eq!(sketches.schema(), stages.sketch_schema());
    let mut groups: BTreeMap<i64, Vec<i64>> = BTreeMap::new();
    let keys = sketches["keys"].as_list::<i32>();
    for id in 0..texts.len() {
        for &key in keys.value(id).as_primitive::<Int64Type>().values() {
            groups.entry(key).or_default().push(id as i64);
        }
    }
    let mut lists = ListBuilder::new(Int64Builder::new());
    for ids in groups.values() {
        lists.append_value(ids.iter().copied().map(Some));
    }
    let grouped = batch(vec![("ids", Arc::new(lists.finish()))]);
    let mut candidates = BTreeSet::new();
    for pairs in candidate_pairs(&grouped).unwrap() {
        let pairs = pairs.unwrap();
        let ids = |name| pairs[name].as_primitive::<Int64Type>().values().to_vec();
        candidates.extend(ids("a").into_iter().zip(ids("b")));
    }
    let (a, b): (Vec<i64>, Vec<i64>) = candidates.into_iter().unzip();
    let places = |ids: &[i64]| ids.iter().map(|&id| id as usize).collect::<Vec<_>>();
    let signatures = sketches["signature"].as_binary::<i64>();
    let signature = |ids: &[i64]| -> ArrayRef {
        let taken = places(ids).into_iter().map(|id| Some(signatures.value(id)));
        Arc::new(taken.collect::<LargeBinaryArray>())
    };
    let text = |ids: &[i64]| -> ArrayRef {
        Arc::new(places(ids).into_iter().map(|id| Some(texts[id])).collect::<StringArray>())
    };
    let ids = |ids: &[i64]| -> ArrayRef { Arc::new(Int64Array::from(ids.to_vec())) };
    let pairs = batch(vec![
        ("a", ids(&a)),
        ("b", ids(&b)),
        ("a_signature", signature(&a)),
        ("b_signature", signature(&b)),
        ("a_text", text(&a)),
        ("b_text", text(&b)),
    ]);
    let compared = stages.signature_similarity(&pairs).unwrap();
    let verified = stages.verify(&pairs).unwrap();
    let similarity = verified["similarity"].as_primitive::<Float64Type>();
    (0..pairs.num_rows())
        .filter(|&row| compared["compared"].as_boolean().value(row))
        .filter(|&row| verified["duplicate"].as_boolean().value(row))
        .map(|row| ((a[row], b[row]), similarity.value(row)))
        .collect()
}

fn job(texts: &[&str], settings: &Settings) -> Job {
    let table = documents(texts);
    let cut = texts.len() / 3;
    let batches = vec![table.slice(0, cut), table.slice(cut, 0), table.slice(cut, texts.len() - cut)];
    let source = Table::new(table.schema(), batches).into_source("table", "text");
    let resources = Resources { memory: 1 << 28, threads: 2, ..Resources::of_this_machine() };
    Job {
        sources: vec![source],
        against: Vec::new(),
        settings: settings.clone(),
        resources,
        sketch: None,
        indexes: pipeline::Indexes::default(),
    }
}

/// The pairs of a run on one machine.
fn pairs_by_run(texts: &[&str], settings: &Settings) -> BTreeMap<(i64, i64), f64> {
    let mut found = BTreeMap::new();
    pipeline::pairs(&job(texts, settings), &Silent, &mut |pair| {
        let row = |reference: &pipeline::Reference| reference.line as i64 - 1;
        found.insert((row(&pair.a), row(&pair.b)), pair.similarity.unwrap());
        Ok(std::ops::ControlFlow::Continue(()))
    })
    .unwrap();
    found
}

#[test]
fn the_stages_find_the_pairs_of_a_run() {
    let corpus = Planted::short(400, 7).collect();
    let texts: Vec<&str> = corpus.iter().map(|document| document.text.as_str()).collect();
    for settings in [
        Settings::default(),
        Settings::default().with_threshold(0.5).with_shingles("characters:7".into()),
        Settings::default().with_elements(Elements::Bag).with_threshold(0.6),
        Settings::default().with_method(Method::Simhash).with_distance(6).with_threshold(0.7),
    ] {
        let (stages, run) = (pairs_by_stages(&texts, &settings), pairs_by_run(&texts, &settings));
        assert!(run.len() > 20, "{} pairs", run.len());
        assert_eq!(stages, run);
    }
}

#[test]
fn a_table_and_a_file_are_decided_alike() {
    let corpus = Planted::short(500, 3).collect();
    let texts: Vec<&str> = corpus.iter().map(|document| document.text.as_str()).collect();
    let settings = Settings::default();
    let decisions = |job: &Job| {
        let mut rows = Vec::new();
        let visit = &mut |row: corpus::RemovedRow| {
            rows.push((row.line, row.kept_line, row.kind, row.similarity));
            Ok(())
        };
        let report = pipeline::decide(job, &Silent, visit).unwrap();
        (rows, report.counts)
    };
    let in_memory = job(&texts, &settings);
    let folder = std::env::temp_dir().join(format!("lookalike-arrow-{}", std::process::id()));
    let files = testkit::corpora::write_files(&folder, corpus.iter().cloned(), &[]).unwrap();
    let names: Vec<String> = files.iter().map(|file| file.display().to_string()).collect();
    let sources = corpus::discover(&names, &corpus::Discovery::default()).unwrap();
    let on_disk = Job { sources, ..in_memory.clone() };
    let (rows, counts) = decisions(&in_memory);
    assert!(rows.len() > 20);
    assert_eq!((rows, counts), decisions(&on_disk));
    std::fs::remove_dir_all(folder).unwrap();
}

#[test]
fn text_is_the_same_however_it_is_stored() {
    let stages = Stages::new(&Settings::default()).unwrap();
    let texts = ["one two three four five six", "", "日本語のテキスト", "nul \0 in it"];
    let expected = stages.sketch(&documents(&texts)).unwrap();
    let ids = || Arc::clone(&expected["id"]);
    let large: ArrayRef = Arc::new(LargeStringArray::from(texts.to_vec()));
    let view: ArrayRef = Arc::new(StringViewArray::from(texts.to_vec()));
    for column in [large, view] {
        assert_eq!(stages.sketch(&batch(vec![("id", ids()), ("text", column)])).unwrap(), expected);
    }
}

/// Short documents have a key for each of their first shingles, long ones for each band, and those between them both. All have a
/// signature.
#[test]
fn the_number_of_keys_depends_on_the_length() {
    let stages = Stages::new(&Settings::default()).unwrap();
    let text = |shingles: usize| (0..shingles + 4).map(|word| format!("w{word} ")).collect::<String>();
    let texts = [text(2), text(59), text(90), text(150), "nul \0 in it".into(), String::new()];
    let sketches = stages.sketch(&documents(&texts.each_ref().map(String::as_str))).unwrap();
    let keys = sketches["keys"].as_list::<i32>();
    assert_eq!([0, 1, 2, 3, 4, 5].map(|row| keys.value(row).len()), [1, 12, 21 + 19, 21, 0, 1]);
    let signatures = sketches["signature"].as_binary::<i64>();
    assert!((0..6).all(|row| signatures.value(row).len() >= 2 * 128));
}

#[test]
fn within_keeps_documents_apart() {
    let settings = Settings::default().with_within(Some("language".into()));
    let stages = Stages::new(&settings).unwrap();
    let mut columns: Vec<(&str, ArrayRef)> = vec![("id", Arc::new(Int64Array::from(vec![1, 2, 3])))];
    columns.push(("text", Arc::new(StringArray::from(vec!["a b c d e f g"; 3]))));
    columns.push(("language", Arc::new(StringArray::from(vec![Some("en"), Some("en"), None]))));
    let sketches = stages.sketch(&batch(columns)).unwrap();
    let keys = sketches["keys"].as_list::<i32>();
    assert_eq!(&keys.value(0), &keys.value(1));
    assert_ne!(&keys.value(0), &keys.value(2));
}

#[test]
fn a_document_without_text_is_said_so() {
    let ids: ArrayRef = Arc::new(Int64Array::from(vec![7, 8]));
    let text: ArrayRef = Arc::new(StringArray::from(vec![None, Some("a")]));
    let table = batch(vec![("id", ids), ("text", text)]);
    let error = Stages::new(&Settings::default()).unwrap().sketch(&table).unwrap_err();
    assert!(matches!(error, Error::BadRecord { id: 7, .. }), "{error}");
    let settings = Settings::default().with_on_bad_record(OnBadRecord::Skip);
    let sketches = Stages::new(&settings).unwrap().sketch(&table).unwrap();
    assert!(sketches["signature"].is_null(0) && sketches["reason"].is_valid(0));
    assert!(sketches["signature"].is_valid(1) && sketches["reason"].is_null(1));
    assert_eq!(sketches["keys"].as_list::<i32>().value(0).len(), 0);
}

#[test]
fn batches_of_another_form_are_refused_with_the_column() {
    let stages = Stages::new(&Settings::default()).unwrap();
    let ids = || -> ArrayRef { Arc::new(Int64Array::from(vec![1])) };
    let text = || -> ArrayRef { Arc::new(StringArray::from(vec!["a"])) };
    let null: ArrayRef = Arc::new(Int64Array::from(vec![None]));
    for (table, word) in [
        (batch(vec![("id", ids())]), "`text`"),
        (batch(vec![("text", text())]), "`id`"),
        (batch(vec![("id", text()), ("text", text())]), "integers of 64 bits"),
        (batch(vec![("id", ids()), ("text", ids())]), "cannot be the text"),
        (batch(vec![("id", null), ("text", text())]), "nulls"),
    ] {
        let message = stages.sketch(&table).unwrap_err().to_string();
        assert!(message.contains(word), "{message}");
    }
    let wrong = batch(vec![("a", ids()), ("b", ids()), ("a_signature", text()), ("b_signature", text())]);
    assert!(stages.signature_similarity(&wrong).unwrap_err().to_string().contains("256 bytes"));
    assert!(candidate_pairs(&batch(vec![("ids", ids())])).is_err());
    assert!(Stages::new(&Settings::default().with_hashes(0)).is_err());
}

#[test]
fn nulls_among_keys_are_refused_and_a_document_without_keys_shares_none() {
    let sketches = |keys: Vec<Option<Vec<Option<i64>>>>| {
        let ids: ArrayRef = Arc::new(Int64Array::from_iter_values(0..keys.len() as i64));
        let mut lists = ListBuilder::new(Int64Builder::new());
        keys.into_iter().for_each(|keys| lists.append_option(keys));
        batch(vec![("id", ids), ("keys", Arc::new(lists.finish()))])
    };
    let blocks = NonZeroU32::new(3).unwrap();
    let wrong = sketches(vec![Some(vec![Some(1), None]), Some(vec![Some(1)])]);
    let said = key_blocks(&wrong, blocks).unwrap_err().to_string();
    assert!(said.contains("the lists of the column `keys` have nulls"), "{said}");
    // A bad record has null instead of a list, or an empty list.
    let some = || Some(vec![Some(7), Some(-7)]);
    let packed = key_blocks(&sketches(vec![None, some(), Some(Vec::new()), some()]), blocks).unwrap();
    let connected = edges(&packed).unwrap();
    let ids = |name: &str| connected[name].as_primitive::<Int64Type>().values().to_vec();
    assert_eq!((ids("a"), ids("b")), (vec![3], vec![1]));
    let without = key_blocks(&sketches(vec![None, None]), blocks).unwrap();
    assert_eq!((without.num_rows(), edges(&without).unwrap().num_rows()), (0, 0));
}

#[test]
fn a_hot_key_comes_in_batches() {
    let mut lists = ListBuilder::new(Int64Builder::new());
    lists.append_value((0..600).rev().map(Some));
    lists.append_null();
    lists.append_value([Some(5), Some(5)]);
    lists.append_value([Some(1), Some(-1)]);
    let grouped = batch(vec![("ids", Arc::new(lists.finish()))]);
    let batches: Vec<RecordBatch> = candidate_pairs(&grouped).unwrap().map(Result::unwrap).collect();
    let sizes: Vec<usize> = batches.iter().map(RecordBatch::num_rows).collect();
    assert_eq!(sizes, [PAIRS_PER_BATCH, PAIRS_PER_BATCH, 600 * 599 / 2 + 1 - 2 * PAIRS_PER_BATCH]);
    let last = batches.last().unwrap();
    let id = |name: &str| last[name].as_primitive::<Int64Type>().value(last.num_rows() - 1);
    assert_eq!((id("a"), id("b")), (-1, 1));
}

proptest! {
    #[test]
    fn candidate_pairs_are_all_pairs(groups in prop::collection::vec(prop::collection::vec(-5i64..5, 0..8), 0..6)) {
        let mut lists = ListBuilder::new(Int64Builder::new());
        let mut expected = Vec::new();
        for ids in &groups {
            lists.append_value(ids.iter().copied().map(Some));
            let ids: Vec<i64> = ids.iter().copied().collect::<BTreeSet<_>>().into_iter().collect();
            for (at, &a) in ids.iter().enumerate() {
                expected.extend(ids[at + 1..].iter().map(|&b| (a, b)));
            }
        }
        let grouped = batch(vec![("ids", Arc::new(lists.finish()))]);
        let mut found = Vec::new();
        for pairs in candidate_pairs(&grouped).unwrap() {
            let pairs = pairs.unwrap();
            let ids = |name| pairs[name].as_primitive::<Int64Type>().values().to_vec();
            found.extend(ids("a").into_iter().zip(ids("b")));
        }
        prop_assert_eq!(found, expected);
    }
}
