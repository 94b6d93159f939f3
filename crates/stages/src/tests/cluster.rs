//! A whole job with packed keys is a run on one machine, report and all.

use super::engine::{Engine, Join, Table, join, taken, whole};
use super::whole::{Corpus, OPTIONS, Removed, SEEDS, rows_of, settings};
use super::*;
use crate::cluster::{connect, edges_of_links, members};
use crate::{ClusterRun, Deciding};
use lookalike::hashing::mix64;
use pipeline::{Report, Tally};
use testkit::corpora::templated;

/// A plain cluster, whose tasks have a few documents or a few blocks each.
struct Cluster {
    engine: Engine,
    workers: Vec<ClusterRun>,
    blocks: u32,
    /// Bytes of sets that a task may have in memory.
    memory: usize,
    /// Threads of a task.
    threads: usize,
    tally: Tally,
}

impl Cluster {
    fn new(settings: &Settings, seed: u64, blocks: u32) -> Self {
        let key = Stages::new_key().unwrap();
        let worker = || ClusterRun::new(settings, &key).unwrap();
        let workers = vec![worker(), worker()];
        let (engine, tally) = (Engine::new(seed), Tally::default());
        Self { engine, workers, blocks, memory: 1 << 20, threads: 1, tally }
    }

    fn worker(&mut self) -> usize {
        self.engine.below(self.workers.len())
    }

    /// The connected set of each document that has one.
    fn sets(&mut self, documents: &Table) -> RecordBatch {
        let mut packed = Vec::new();
        for batch in documents {
            let worker = self.worker();
            let blocks = NonZeroU32::new(self.blocks).unwrap();
            let (keys, tally) = self.workers[worker].pack_keys(batch, blocks).unwrap();
            // What a task counted goes through JSON.
            let written = serde_json::to_string(&tally).unwrap();
            self.tally.add(&serde_json::from_str(&written).unwrap());
            packed.push(keys);
        }
        let by_block = self.engine.group_by(&packed, "block");
        let links: Table = by_block.iter().map(|batch| connect(batch).unwrap()).collect();
        for batch in &links {
            assert!(batch["repeated"].as_binary::<i64>().value(0).is_empty());
        }
        let sets = members(&connect(&whole(&links)).unwrap()).unwrap();
        assert_eq!(sets.schema(), crate::cluster::members_schema());
        sets
    }

    /// Removed documents, by id.
    fn removed(&mut self, table: &RecordBatch) -> Vec<Removed> {
        let documents = renamed(&self.engine.scatter(&vec![numbered(table)]));
        let sets = self.sets(&documents);
        let members = join(&documents, "_number", &vec![sets], "number", Join::Inner);
        let mut removed = Vec::new();
        for of_task in self.engine.group_by(&renamed(&members), "_component") {
            let worker = self.worker();
            let mut deciding = Deciding::new(self.memory).on_threads(self.threads);
            let half = of_task.num_rows() / 2;
            for piece in [of_task.slice(0, half), of_task.slice(half, of_task.num_rows() - half)] {
                self.workers[worker].add(&mut deciding, &piece).unwrap();
            }
            let ids = of_task["id"].as_primitive::<Int64Type>().values().to_vec();
            let (rows, tally) = self.workers[worker].decide(&mut deciding, &ids).unwrap();
            let written = serde_json::to_string(&tally).unwrap();
            self.tally.add(&serde_json::from_str(&written).unwrap());
            removed.extend(rows_of(&rows).into_iter().map(
                |(at, kept, kind, similarity, distance, reason)| {
                    let id = |at: i64| ids[at as usize];
                    (id(at), kept.map(id), kind, similarity, distance, reason)
                },
            ));
        }
        removed.sort_by_key(|row| row.0);
        removed
    }
}

/// The same rows, with the names that a kernel looks for.
fn renamed(table: &Table) -> Table {
    let name = |name: &str| match name {
        "component" => "_component".to_owned(),
        "source" => "_source".to_owned(),
        "against" => "_against".to_owned(),
        other => other.to_owned(),
    };
    let renamed = table.iter().map(|rows| {
        let names: Vec<String> = rows.schema().fields().iter().map(|field| name(field.name())).collect();
        batch(names.iter().map(String::as_str).zip(rows.columns().to_vec()).collect())
    });
    renamed.collect()
}

/// The table with a column of numbers: hashes of the ids.
fn numbered(table: &RecordBatch) -> RecordBatch {
    let ids = table["id"].as_primitive::<Int64Type>();
    let numbers: Int64Array =
        ids.values().iter().map(|&id| Some(mix64(id.cast_unsigned()).cast_signed())).collect();
    let names = table.schema();
    let columns = names.fields().iter().map(|field| field.name().as_str()).zip(table.columns().to_vec());
    batch(columns.chain([("_number", Arc::new(numbers) as ArrayRef)]).collect())
}

/// A report without what differs between runs, and between tables and files.
fn comparable(mut report: Report) -> Report {
    report.run = Default::default();
    report.plan.input_bytes = 0;
    report.sources.sort_by(|a, b| (!a.against, &a.name).cmp(&(!b.against, &b.name)));
    report.sources.retain(|source| source.records > 0);
    report
}

#[test]
fn packed_keys_remove_what_the_command_removes_and_report_the_same() {
    let mut kinds: BTreeMap<String, usize> = BTreeMap::new();
    for seed in SEEDS {
        for (at, row) in OPTIONS.rows(seed).iter().enumerate() {
            let corpus = Corpus::new(row, seed);
            let settings = settings(row);
            let (expected, report) = corpus.removed_by_run(&settings);
            let mut cluster = Cluster::new(&settings, seed + at as u64, 1 + at as u32 % 5);
            // A few documents at a time, wherever a set can be decided in pieces.
            if row.get("decides") == "pieces" {
                cluster.memory = 4_000;
            }
            let found = cluster.removed(&corpus.table());
            let expected: Vec<Removed> = expected.into_iter().filter(|removed| removed.2 != "bad").collect();
            assert_eq!(found, expected, "{}", row.name());
            let found = cluster.workers[0].report(&cluster.tally);
            assert_eq!(comparable(found), comparable(report), "{}", row.name());
            expected.into_iter().for_each(|removed| *kinds.entry(removed.2).or_default() += 1);
        }
    }
    let count = |kind: &str| kinds.get(kind).copied().unwrap_or(0);
    assert!(count("near") > 1_000 && count("exact") > 200, "{kinds:?}");
}

/// The estimate of recall has sums that need no order, with one band and with many.
#[test]
fn the_recall_of_a_cluster_is_that_of_one_machine() {
    let planted =
        Planted { documents: 400, bytes: (900, 3_000), near: 0.6, copies: 0.1, ..Planted::default() }
            .collect();
    let texts: Vec<&str> = planted.iter().map(|document| document.text.as_str()).collect();
    for bands in [(1, 3), (4, 6), (21, 6)] {
        let bands = Some(pipeline::BandsAndRows { bands: bands.0, rows: bands.1 });
        let settings = Settings::default().with_threshold(0.6).with_bands(bands);
        let expected = pipeline::decide(&job(&texts, &settings), &Silent, &mut |_| Ok(())).unwrap();
        assert!(expected.recall.unwrap().pairs > 50, "{expected:?}");
        let mut cluster = Cluster::new(&settings, 3, 4);
        cluster.removed(&documents(&texts));
        let found = cluster.workers[0].report(&cluster.tally);
        assert_eq!(found.recall, expected.recall);
    }
}

#[test]
fn a_number_that_comes_twice_is_reported_and_changes_no_answer() {
    let texts = ["one two three four five six", "seven eight nine ten eleven twelve"].repeat(2);
    let run = ClusterRun::new(&Settings::default(), &Stages::new_key().unwrap()).unwrap();
    let text: ArrayRef = Arc::new(StringArray::from(texts));
    let number: ArrayRef = Arc::new(Int64Array::from(vec![5, 5, 6, 7]));
    let table = batch(vec![("_number", Arc::clone(&number)), ("text", Arc::clone(&text))]);
    let (packed, _) = run.pack_keys(&table, NonZeroU32::new(1).unwrap()).unwrap();
    let connected = connect(&packed).unwrap();
    assert_eq!(connected["repeated"].as_binary::<i64>().value(0), 5i64.to_le_bytes());
    let sets = members(&connected).unwrap();
    assert_eq!(sets["component"].as_primitive::<Int64Type>().values(), &[5, 5, 5]);
    let component: ArrayRef = Arc::new(Int64Array::from(vec![5; 4]));
    let mut deciding = Deciding::new(1 << 20);
    run.add(&mut deciding, &batch(vec![("_number", number), ("text", text), ("_component", component)]))
        .unwrap();
    let (removed, _) = run.decide(&mut deciding, &[0, 1, 2, 3]).unwrap();
    let kept = removed["kept"].as_primitive::<Int64Type>().values().to_vec();
    assert_eq!(kept, [0, 1], "each for the one with its own text");
}

#[test]
fn texts_that_changed_between_two_reads_are_an_error() {
    let run = ClusterRun::new(&Settings::default(), &Stages::new_key().unwrap()).unwrap();
    let decide = |texts: [&str; 2]| {
        let number: ArrayRef = Arc::new(Int64Array::from(vec![1, 2]));
        let component: ArrayRef = Arc::new(Int64Array::from(vec![1, 1]));
        let text: ArrayRef = Arc::new(StringArray::from(texts.to_vec()));
        let mut deciding = Deciding::new(1 << 20);
        let table = batch(vec![("_number", number), ("_component", component), ("text", text)]);
        run.add(&mut deciding, &table).unwrap();
        run.decide(&mut deciding, &[0, 1]).map(|(removed, _)| removed.num_rows())
    };
    assert_eq!(decide(["a b c d e f", "a b c d e f"]).unwrap(), 1);
    assert!(matches!(decide(["a b c d e f", "g h i j k l"]), Err(Error::Changed)));
}

#[test]
fn a_large_set_is_decided_on_threads_as_on_one() {
    let texts: Vec<String> = templated(1_500, 600, 0.8, 5).map(|document| document.text).collect();
    let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
    let settings = Settings::default().with_threshold(0.75);
    let removed = |threads| {
        let mut cluster = Cluster::new(&settings, 3, 4);
        cluster.threads = threads;
        (cluster.removed(&documents(&texts)), comparable(cluster.workers[0].report(&cluster.tally)))
    };
    let one = removed(1);
    assert!(one.0.len() > 1_000, "{} are removed", one.0.len());
    assert_eq!(removed(3), one);
}

#[test]
fn one_entry_for_each_batch_of_a_key_that_all_have() {
    let texts = vec!["the same words in every one of them"; 1_000];
    let run = ClusterRun::new(&Settings::default(), &Stages::new_key().unwrap()).unwrap();
    let table = numbered(&documents(&texts));
    let (packed, _) = run.pack_keys(&table, NonZeroU32::new(1).unwrap()).unwrap();
    let keys = packed["entries"].as_binary::<i64>().value(0).len() / 16;
    assert!(keys < 10, "{keys} keys");
    let links = connect(&packed).unwrap();
    assert_eq!(links["links"].as_binary::<i64>().value(0).len(), 16 * 999);
    assert_eq!(edges_of_links(&links).unwrap().num_rows(), 999);
    let two = taken(&table, &[0, 1]);
    assert_eq!(run.pack_keys(&two, NonZeroU32::new(7).unwrap()).unwrap().0.schema(), packed.schema());
}

proptest! {
    #[test]
    fn sets_are_the_connected_components_of_shared_keys(
        keys in prop::collection::vec(prop::collection::vec(0u64..12, 0..3), 1..30),
        cut in 1usize..10,
    ) {
        let entries = |range: std::ops::Range<usize>| -> RecordBatch {
            let mut bytes: Vec<u8> = Vec::new();
            for document in range {
                for &key in &keys[document] {
                    bytes.extend(key.to_le_bytes());
                    bytes.extend((document as i64).to_le_bytes());
                }
            }
            batch(vec![("entries", Arc::new(LargeBinaryArray::from_vec(vec![&bytes])))])
        };
        let cut = cut.min(keys.len());
        // Keys of one task are not in the other, as blocks are.
        let (low, high) = (connect(&entries(0..cut)).unwrap(), connect(&entries(cut..keys.len())).unwrap());
        let across = connect(&entries(0..keys.len())).unwrap();
        let sets = members(&connect(&whole(&vec![low, high, across])).unwrap()).unwrap();
        let mut pairs = Vec::new();
        for a in 0..keys.len() {
            pairs.extend((0..a).filter(|&b| keys[a].iter().any(|key| keys[b].contains(key))).map(|b| (a, b)));
        }
        let expected = lookalike::clustering::connected_components(keys.len(), pairs.iter().copied()).unwrap();
        let mut rows: Vec<(i64, i64)> = (0..keys.len())
            .filter(|&at| pairs.iter().any(|&(a, b)| a == at || b == at))
            .map(|at| (at as i64, expected.representatives()[at] as i64))
            .collect();
        rows.sort_unstable();
        let column = |name: &str| sets[name].as_primitive::<Int64Type>().values().to_vec();
        let mut found: Vec<(i64, i64)> = column("number").into_iter().zip(column("component")).collect();
        found.sort_unstable();
        prop_assert_eq!(found, rows);
    }
}
