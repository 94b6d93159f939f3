//! The stages, put together by a plain engine, remove what the command removes.

use super::batch;
use super::engine::{Engine, Join, Table, integers, join, taken, whole};
use crate::{Result, Stages, copies, edges, key_blocks, large_star, small_star};
use arrow_array::builder::{Int64Builder, ListBuilder};
use arrow_array::cast::AsArray;
use arrow_array::types::{Float64Type, Int64Type};
use arrow_array::{Array, ArrayRef, BooleanArray, Int64Array, RecordBatch, StringArray};
use lookalike::hashing::SplitMix64;
use pipeline::{Job, Measure, Method, Report, Resources, Settings, Silent};
use std::collections::BTreeMap;
use std::num::NonZeroU32;
use std::sync::Arc;
use testkit::corpora::{
    Document, Planted, Score, edge_documents, near_copies, slotted, templated, with_footer,
};
use testkit::pairwise::{Choice, Impossible, Options, Row};

pub(super) const SEEDS: [u64; 2] = [1, 2];

/// Everything that is varied. The last three are the engine's, and may not change the answer.
const CHOICES: &[Choice] = &[
    ("corpus", &["planted", "templates", "slots", "edges"]),
    ("finds", &["minhash", "containment", "simhash"]),
    ("verify", &["exact", "estimate", "none"]),
    ("keep", &["first", "longest", "max:score", "min:score"]),
    ("prefer", &["", "*part-1", "part-2,part-1"]),
    ("within", &["", "domain"]),
    ("elements", &["set", "bag"]),
    ("clusters", &["stars", "components"]),
    ("against", &["none", "some", "only"]),
    ("bad", &["skip", "keep"]),
    ("threshold", &["0.5", "0.8", "1"]),
    ("max-text", &["16777216", "500"]),
    ("compares", &["texts", "sets"]),
    ("groups", &["blocks", "lists"]),
    ("decides", &["whole sets", "pieces"]),
];

const IMPOSSIBLE: &[Impossible] = &[
    [("finds", "containment"), ("verify", "estimate")],
    [("finds", "containment"), ("verify", "none")],
    [("finds", "containment"), ("keep", "longest")],
    [("finds", "containment"), ("keep", "max:score")],
    [("finds", "containment"), ("keep", "min:score")],
    [("clusters", "components"), ("decides", "pieces")],
];

pub(super) const OPTIONS: Options = Options { choices: CHOICES, impossible: IMPOSSIBLE };

/// A removed document: its id, the kept one, kind, similarity, distance, reason.
pub(super) type Removed = (i64, Option<i64>, String, Option<f64>, Option<i64>, Option<String>);

/// Documents in input order, those of `--against` first, then of three sources.
pub(super) struct Corpus {
    documents: Vec<Document>,
    /// Which have no text.
    bad: Vec<bool>,
    protected: usize,
}

impl Corpus {
    pub(super) fn new(row: &Row, seed: u64) -> Self {
        let mut documents: Vec<Document> = match row.get("corpus") {
            "planted" => {
                let (near, copies) = (0.5, 0.15);
                Planted { documents: 110, bytes: (100, 900), near, copies, seed, ..Planted::default() }
                    .collect()
            }
            "templates" => templated(60, 500, 0.7, seed)
                .chain(near_copies(40, 400, seed))
                .chain(with_footer(25, 30, 40, seed))
                .collect(),
            "slots" => slotted(120, 6, 3, 9, seed).collect(),
            _ => edge_documents()
                .into_iter()
                .chain(edge_documents())
                .chain(near_copies(30, 300, seed))
                .collect(),
        };
        let mut random = SplitMix64::new(seed ^ 0x57a6);
        for at in (1..documents.len()).rev() {
            documents.swap(at, random.below(at as u64 + 1) as usize);
        }
        for document in &mut documents {
            document.score = match random.below(6) {
                0 => None,
                1 => Some(Score::Text(format!("a value of more than eight bytes, {}", random.below(3)))),
                2 => Some(Score::Integer((1 << 53) + i128::from(random.below(3)))),
                _ => Some(Score::Number(random.below(5) as f64 / 2.0)),
            };
            document.domain = (random.below(5) > 0).then(|| format!("domain-{}", random.below(2)));
        }
        let bad = documents.iter().map(|_| random.below(20) == 0).collect();
        let protected = if row.get("against") == "none" { 0 } else { documents.len() / 4 };
        Self { documents, bad, protected }
    }

    /// Ids are in input order, and nothing else.
    fn id(at: usize) -> i64 {
        at as i64 * 7 - 300
    }

    /// The source of a document, and its place in it.
    fn place(&self, at: usize) -> (String, usize) {
        if at < self.protected {
            return ("against".into(), at);
        }
        let third = (self.documents.len() - self.protected).div_ceil(3);
        let rest = at - self.protected;
        (format!("part-{}", rest / third), rest % third)
    }

    pub(super) fn table(&self) -> RecordBatch {
        let text =
            self.documents.iter().zip(&self.bad).map(|(document, bad)| (!bad).then_some(&*document.text));
        let score = self.documents.iter().map(|document| {
            document.score.as_ref().map(|score| match score {
                Score::Text(text) => text.clone(),
                Score::Integer(number) => number.to_string(),
                Score::Number(number) => number.to_string(),
                Score::Boolean(_) => unreachable!("there are none here"),
            })
        });
        let count = self.documents.len();
        let columns: Vec<(&str, ArrayRef)> = vec![
            ("id", Arc::new((0..count).map(Self::id).collect::<Int64Array>())),
            ("text", Arc::new(text.collect::<StringArray>())),
            ("score", Arc::new(score.collect::<StringArray>())),
            ("domain", Arc::new(self.documents.iter().map(|it| it.domain.clone()).collect::<StringArray>())),
            ("source", Arc::new((0..count).map(|at| Some(self.place(at).0)).collect::<StringArray>())),
            ("against", Arc::new(BooleanArray::from_iter((0..count).map(|at| Some(at < self.protected))))),
        ];
        batch(columns)
    }

    /// What the command removes.
    pub(super) fn removed_by_run(&self, settings: &Settings) -> (Vec<Removed>, Report) {
        let table = self.table();
        let mut rows: BTreeMap<String, Vec<usize>> = BTreeMap::new();
        for at in 0..self.documents.len() {
            rows.entry(self.place(at).0).or_default().push(at);
        }
        let id = |source: &str, line: u64| Self::id(rows[source][line as usize - 1]);
        let mut sources: Vec<corpus::Source> = rows
            .iter()
            .map(|(name, rows)| {
                let slice = table.slice(rows[0], rows.len());
                corpus::Table::new(table.schema(), vec![slice]).into_source(name, "text")
            })
            .collect();
        let against = if self.protected > 0 { vec![sources.remove(0)] } else { Vec::new() };
        let resources = Resources { memory: 1 << 28, threads: 1, ..Resources::of_this_machine() };
        let job = Job {
            sources,
            against,
            settings: settings.clone(),
            resources,
            sketch: None,
            indexes: pipeline::Indexes::default(),
        };
        let mut removed = Vec::new();
        let report = pipeline::decide(&job, &Silent, &mut |row| {
            let kept = row.kept_source.as_ref().zip(row.kept_line).map(|(source, line)| id(source, line));
            let distance = row.distance.map(i64::from);
            removed.push((id(&row.source, row.line), kept, row.kind, row.similarity, distance, row.reason));
            Ok(())
        })
        .unwrap();
        (removed, report)
    }
}

pub(super) fn settings(row: &Row) -> Settings {
    let list = |written: &str| written.split(',').filter(|it| !it.is_empty()).map(str::to_owned).collect();
    let finds = row.get("finds");
    Settings::default()
        .with_method(if finds == "simhash" { Method::Simhash } else { Method::Minhash })
        .with_measure(if finds == "containment" { Measure::Containment } else { Measure::Jaccard })
        // Wide enough that documents of a few dozen shingles meet.
        .with_distance(12)
        .with_verify(row.get("verify").parse().unwrap())
        .with_keep(row.get("keep").parse().unwrap())
        .with_prefer(list(row.get("prefer")))
        .with_within(Some(row.get("within").to_owned()).filter(|field| !field.is_empty()))
        .with_elements(row.get("elements").parse().unwrap())
        .with_clusters(row.get("clusters").parse().unwrap())
        .with_against_only(row.get("against") == "only")
        .with_on_bad_record(row.get("bad").parse().unwrap())
        .with_threshold(row.get("threshold").parse().unwrap())
        .with_max_text(row.get("max-text").parse().unwrap())
}

/// An engine and its workers, which have one key.
struct Cluster {
    engine: Engine,
    workers: Vec<Stages>,
}

impl Cluster {
    fn new(settings: &Settings, seed: u64) -> Self {
        let key = Stages::new_key().unwrap();
        let worker = || Stages::with_key(settings, &key).unwrap();
        Self { engine: Engine::new(seed), workers: vec![worker(), worker(), worker()] }
    }

    /// A stage on each batch, each by any of the workers.
    fn map(&mut self, table: &Table, stage: impl Fn(&Stages, &RecordBatch) -> Result<RecordBatch>) -> Table {
        let mut made = Vec::new();
        for batch in table {
            let worker = &self.workers[self.engine.below(self.workers.len())];
            made.push(stage(worker, batch).unwrap());
        }
        made
    }

    /// The edges between documents that share a key.
    fn edges(&mut self, sketches: &Table, in_blocks: bool) -> Table {
        let grouped = if in_blocks {
            let blocks = NonZeroU32::new(5).unwrap();
            let packed = self.map(sketches, |_, batch| key_blocks(batch, blocks));
            self.engine.group_by(&packed, "block")
        } else {
            vec![ids_by_key(sketches)]
        };
        self.map(&grouped, |_, batch| edges(batch))
    }

    /// The connected set of each document that has an edge.
    fn components(&mut self, mut edges: Table) -> Table {
        let pairs = |edges: &Table| {
            let mut pairs: Vec<_> = integers(edges, "a").into_iter().zip(integers(edges, "b")).collect();
            pairs.sort_unstable();
            pairs
        };
        loop {
            let before = pairs(&edges);
            let turned = edges.iter().map(|batch| {
                super::batch(vec![("a", Arc::clone(&batch["b"])), ("b", Arc::clone(&batch["a"]))])
            });
            let edges_again = edges.iter().map(|batch| {
                super::batch(vec![("a", Arc::clone(&batch["a"])), ("b", Arc::clone(&batch["b"]))])
            });
            let both: Table = turned.chain(edges_again).collect();
            let grouped = self.engine.group_by(&both, "a");
            edges = self.map(&grouped, |_, batch| large_star(batch));
            let grouped = self.engine.group_by(&edges, "a");
            edges = self.map(&grouped, |_, batch| small_star(batch));
            if pairs(&edges) == before {
                break;
            }
        }
        let mut sets: Vec<(i64, i64)> =
            pairs(&edges).into_iter().flat_map(|(a, b)| [(a, b), (b, b)]).collect();
        sets.sort_unstable();
        sets.dedup();
        let (ids, components): (Vec<i64>, Vec<i64>) = sets.into_iter().unzip();
        let column = |values: Vec<i64>| -> ArrayRef { Arc::new(Int64Array::from(values)) };
        vec![batch(vec![("id", column(ids)), ("component", column(components))])]
    }

    /// Decides connected sets in pieces of a few documents, in keep order.
    fn decide_in_pieces(&mut self, members: &Table) -> Table {
        let members = whole(members);
        let ranks = members["rank"].as_binary::<i64>();
        let id = |row: usize| members["id"].as_primitive::<Int64Type>().value(row);
        let component = |row: usize| members["component"].as_primitive::<Int64Type>().value(row);
        let mut rows: Vec<usize> = (0..members.num_rows()).collect();
        rows.sort_by_key(|&row| (component(row), ranks.value(row), id(row)));
        let mut made = Vec::new();
        for set in rows.chunk_by(|&a, &b| component(a) == component(b)) {
            let mut kept: Vec<usize> = Vec::new();
            for piece in set.chunks(7) {
                let rows: Vec<u64> = kept.iter().chain(piece).map(|&row| row as u64).collect();
                let piece_batch = taken(&members, &rows);
                let flags = BooleanArray::from_iter((0..rows.len()).map(|at| Some(at < kept.len())));
                let fields = piece_batch.schema();
                let columns = fields.fields().iter().map(|field| field.name().as_str());
                let columns = columns.zip(piece_batch.columns().to_vec());
                let with_flags = batch(columns.chain([("kept", Arc::new(flags) as ArrayRef)]).collect());
                let decided = self.map(&vec![with_flags], Stages::decide);
                let removed = integers(&decided, "id");
                kept.extend(piece.iter().filter(|&&row| !removed.contains(&id(row))));
                made.extend(decided);
            }
        }
        made
    }

    /// The list of removed documents.
    fn removed(&mut self, documents: &RecordBatch, row: &Row) -> Vec<Removed> {
        let documents = self.engine.scatter(&vec![documents.clone()]);
        let sketches = self.map(&documents, Stages::sketch);
        let by_hash = self.engine.group_by_bytes(&sketches, "content_hash");
        let copies = self.map(&by_hash, |_, batch| copies(batch));
        let firsts = join(&sketches, "id", &copies, "id", Join::Anti);
        let firsts = self.engine.scatter(&firsts);
        let edges = self.edges(&firsts, row.get("groups") == "blocks");
        let components = self.components(edges);
        let members = join(&components, "id", &firsts, "id", Join::Inner);
        let texts = match row.get("compares") {
            "sets" => self.map(&documents, Stages::prepare),
            _ => documents,
        };
        let members = join(&members, "id", &texts, "id", Join::Inner);
        let near = if row.get("decides") == "pieces" {
            self.decide_in_pieces(&members)
        } else {
            let grouped = self.engine.group_by(&members, "component");
            self.map(&grouped, Stages::decide)
        };
        let near = if near.is_empty() { vec![RecordBatch::new_empty(crate::removed_schema())] } else { near };
        let joined = join(&copies, "original", &near, "id", Join::Left);
        let of_copies = self.map(&joined, Stages::removed_copies);
        let bad = self.map(&sketches, Stages::bad_records);
        let mut removed: Vec<Removed> = [near, of_copies, bad].concat().iter().flat_map(rows_of).collect();
        removed.sort_by_key(|row| row.0);
        removed
    }
}

/// Lists of the ids that share a key.
fn ids_by_key(sketches: &Table) -> RecordBatch {
    let mut groups: BTreeMap<i64, Vec<i64>> = BTreeMap::new();
    for batch in sketches {
        let keys = batch["keys"].as_list::<i32>();
        for row in 0..batch.num_rows() {
            let id = batch["id"].as_primitive::<Int64Type>().value(row);
            for &key in keys.value(row).as_primitive::<Int64Type>().values() {
                groups.entry(key).or_default().push(id);
            }
        }
    }
    let mut lists = ListBuilder::new(Int64Builder::new());
    groups.values().for_each(|ids| lists.append_value(ids.iter().copied().map(Some)));
    batch(vec![("ids", Arc::new(lists.finish()))])
}

pub(super) fn rows_of(batch: &RecordBatch) -> Vec<Removed> {
    let integers = |name: &str| batch[name].as_primitive::<Int64Type>().clone();
    let (ids, kept, distances) = (integers("id"), integers("kept"), integers("distance"));
    let similarities = batch["similarity"].as_primitive::<Float64Type>();
    let (kinds, reasons) = (batch["kind"].as_string::<i32>(), batch["reason"].as_string::<i32>());
    (0..batch.num_rows())
        .map(|row| {
            (
                ids.value(row),
                kept.is_valid(row).then(|| kept.value(row)),
                kinds.value(row).to_owned(),
                similarities.is_valid(row).then(|| similarities.value(row)),
                distances.is_valid(row).then(|| distances.value(row)),
                reasons.is_valid(row).then(|| reasons.value(row).to_owned()),
            )
        })
        .collect()
}

#[test]
fn stages_of_several_workers_remove_what_the_command_removes() {
    let mut kinds: BTreeMap<String, usize> = BTreeMap::new();
    for seed in SEEDS {
        let rows = OPTIONS.rows(seed);
        OPTIONS.check(&rows);
        for (at, row) in rows.iter().enumerate() {
            let corpus = Corpus::new(row, seed);
            let settings = settings(row);
            let (expected, _) = corpus.removed_by_run(&settings);
            let found = Cluster::new(&settings, seed + at as u64).removed(&corpus.table(), row);
            assert_eq!(found, expected, "{}", row.name());
            expected.into_iter().for_each(|removed| *kinds.entry(removed.2).or_default() += 1);
        }
    }
    let count = |kind: &str| kinds.get(kind).copied().unwrap_or(0);
    assert!(count("near") > 1_000 && count("exact") > 200 && count("bad") > 50, "{kinds:?}");
}

#[test]
fn a_key_of_many_documents_costs_rows_in_proportion() {
    const COUNT: usize = 20_000;
    let texts: Vec<String> = near_copies(COUNT, 120, 5).map(|document| document.text).collect();
    let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
    let stages = Stages::new(&Settings::default().with_threshold(0.5)).unwrap();
    let documents = super::documents(&texts);
    let sketches = stages.sketch(&documents).unwrap();
    let most = ids_by_key(&vec![sketches.clone()])["ids"]
        .as_list::<i32>()
        .iter()
        .flatten()
        .map(|ids| ids.len())
        .max();
    assert!(most.unwrap() > COUNT / 2, "the longest list has {most:?} ids");
    let blocks = key_blocks(&sketches, NonZeroU32::new(8).unwrap()).unwrap();
    assert_eq!(blocks.num_rows(), 8);
    let mut found: Vec<RecordBatch> = Vec::new();
    for row in 0..blocks.num_rows() {
        let of_block = edges(&blocks.slice(row, 1)).unwrap();
        assert!(of_block.num_rows() < COUNT);
        found.push(of_block);
    }
    let mut cluster = Cluster::new(&Settings::default(), 1);
    let components = cluster.components(found);
    assert!(whole(&components).num_rows() <= COUNT);
    let members = join(&components, "id", &vec![sketches], "id", Join::Inner);
    let members = whole(&join(&members, "id", &vec![documents], "id", Join::Inner));
    assert!(members.num_rows() > COUNT / 2);
    let removed = stages.decide(&members).unwrap();
    assert!(
        removed.num_rows() < members.num_rows() && removed.num_rows() > COUNT / 2,
        "{}",
        removed.num_rows()
    );
}
