//! Runs of `dedup` that ask an index, or add to one: the answers are those of the same documents in files, and a run
//! that was stopped goes on.

use super::{options, thorough};
use crate::{Config, Document, Error, Index, ManualClock, Stored};
use corpus::{Discovery, Source, Target, discover};
use pipeline::{
    Clusters, Elements, Indexes, Job, Method, Observer, Outcome, Report, Resources, Settings, Silent, Verify,
};
use serde_json::Value;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use testkit::corpora::{self, Planted, edge_documents, near_copies, write_files};

/// What a run wrote: the kept lines, and the removed ones without the place of the kept document, which an index does
/// not have.
#[derive(Debug, PartialEq)]
struct Wrote {
    kept: String,
    removed: Vec<Value>,
}

fn sources(folder: &Path, documents: &[corpora::Document]) -> Vec<Source> {
    let files = write_files(folder, documents.iter().cloned(), &[documents.len() / 2]).unwrap();
    let files: Vec<String> = files.iter().map(|file| file.display().to_string()).collect();
    discover(&files, &Discovery::default()).unwrap()
}

fn job(sources: Vec<Source>, against: Vec<Source>, settings: &Settings, indexes: Indexes) -> Job {
    let resources = Resources { memory: 1 << 30, threads: 2, ..Resources::of_this_machine() };
    Job { sources, against, settings: settings.clone(), resources, sketch: None, indexes }
}

fn run(job: &Job, out: &Path, observer: &dyn Observer) -> pipeline::Result<Report> {
    let target = Target::new(&out.display().to_string()).unwrap();
    pipeline::dedup(job, &target, false, observer).map(|outcome| match outcome {
        Outcome::Finished(report) | Outcome::AlreadyFinished(report) => report,
    })
}

fn wrote(out: &Path) -> Wrote {
    let read = |name: &str| std::fs::read_to_string(out.join(name)).unwrap_or_default();
    let mut removed: Vec<Value> =
        read("removed.jsonl").lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    for row in &mut removed {
        let row = row.as_object_mut().unwrap();
        row.remove("kept_source");
        row.remove("kept_line");
    }
    Wrote { kept: ["part-000.jsonl", "part-001.jsonl"].map(read).concat(), removed }
}

fn document(it: &corpora::Document) -> Document {
    Document::new(&*it.id, &*it.text).with_within(it.domain.clone())
}

fn index_of(
    folder: &Path,
    documents: &[corpora::Document],
    settings: &Settings,
    store: Stored,
) -> Arc<Index> {
    let config = Config::default().with_settings(settings.clone()).with_store(store);
    let clock = Arc::new(ManualClock::at(1_000));
    let index = Index::create(folder, &config, &options(&clock)).unwrap();
    index.add_batch(&documents.iter().map(document).collect::<Vec<_>>()).unwrap();
    Arc::new(index)
}

fn against(index: &Arc<Index>, settings: &Settings) -> Indexes {
    let against = index.against("seen", settings).unwrap();
    Indexes { against: Some(Arc::new(against)), ..Indexes::default() }
}

fn both(index: &Arc<Index>, settings: &Settings) -> Indexes {
    Indexes { add_to: Some(Arc::new(index.add_to("seen", 1 << 20))), ..against(index, settings) }
}

fn with_fields(settings: Settings, documents: &[corpora::Document]) -> Settings {
    let within = documents.iter().any(|it| it.domain.is_some()).then(|| "domain".to_owned());
    settings.with_id_field(Some("id".into())).with_within(within)
}

/// The central law: whether the documents that come first are in files or in an index, the same are kept, and each
/// other one names the same document. Bands find every pair here, for all practical purposes (see [`thorough`]).
#[test]
fn an_index_is_like_files_with_its_documents() {
    let simhash =
        thorough().with_method(Method::Simhash).with_distance(6).with_bands(None).with_threshold(0.5);
    let estimates = |settings: &Settings| settings.clone().with_verify(Verify::Estimate);
    for settings in [
        estimates(&thorough()),
        estimates(&simhash),
        thorough(),
        simhash,
        thorough().with_elements(Elements::Bag),
    ] {
        for (name, documents) in [
            ("planted", Planted { documents: 500, bytes: (200, 1_500), ..Planted::default() }.collect()),
            ("short", Planted::short(400, 3).collect()),
            ("edges", edge_documents()),
            ("near copies", near_copies(100, 500, 5).collect()),
        ] {
            let documents: Vec<corpora::Document> = documents;
            let folder = tempfile::tempdir().unwrap();
            let at = |name: &str| folder.path().join(name);
            let settings = with_fields(settings.clone(), &documents);
            let (old, new) = documents.split_at(documents.len() / 3);
            let new = sources(&at("new"), new);
            let files = sources(&at("old"), old);
            run(&job(new.clone(), files, &settings, Indexes::default()), &at("files"), &Silent).unwrap();
            let expected = wrote(&at("files"));
            let is_estimate = settings.matching.verify == Verify::Estimate;
            let stores = [Stored::Text, Stored::Shingles, Stored::Signatures];
            for store in stores.into_iter().take(if is_estimate { 3 } else { 2 }) {
                let index = index_of(&at(store.as_str()), old, &settings, store);
                let out = at(&format!("out-{store}"));
                let indexes = against(&index, &settings);
                let report = run(&job(new.clone(), Vec::new(), &settings, indexes), &out, &Silent).unwrap();
                let method = settings.signature.method;
                assert_eq!(wrote(&out), expected, "{name}, {method}, {store}");
                let seen = report.against_index.unwrap();
                assert!(seen.removed <= report.counts.exact + report.counts.near, "{name}");
                assert_eq!(seen.recall_at_threshold, index.stats().unwrap().found_probability);
            }
        }
    }
}

/// Stops a run at its nth question whether to go on, as Ctrl-C does.
#[derive(Debug)]
struct StopAt {
    asked: AtomicU64,
    at: u64,
}

impl Observer for StopAt {
    fn interrupted(&self) -> bool {
        self.asked.fetch_add(1, Ordering::Relaxed) >= self.at
    }
}

fn exported(index: &Index) -> Vec<(u64, String)> {
    let mut all = Vec::new();
    index
        .export(|kept| {
            all.push((kept.number, kept.id));
            Ok::<_, Error>(true)
        })
        .unwrap();
    all
}

/// Stopped anywhere, while sketching, deciding, writing or adding, the same job comes to the same outputs and the same
/// index; and once it is finished, it does nothing.
#[test]
fn a_stopped_run_goes_on_and_adds_each_document_once() {
    let documents: Vec<corpora::Document> = Planted { documents: 300, ..Planted::default() }.collect();
    let settings = with_fields(thorough(), &documents);
    let (old, new) = documents.split_at(100);
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    let new = sources(&at("new"), new);
    let undisturbed = index_of(&at("undisturbed"), old, &settings, Stored::Shingles);
    let whole = job(new.clone(), Vec::new(), &settings, both(&undisturbed, &settings));
    let counting = StopAt { asked: AtomicU64::new(0), at: u64::MAX };
    let report = run(&whole, &at("whole"), &counting).unwrap();
    let (expected, expected_index) = (wrote(&at("whole")), exported(&undisturbed));
    assert_eq!(report.added_to.unwrap().documents, report.counts.kept);
    assert_eq!(expected_index.len() as u64, 100 + report.counts.kept);
    let questions = counting.asked.into_inner();
    let mut stopped_while_adding = 0;
    for stop in (0..questions)
        .step_by(usize::try_from(questions / 40).unwrap().max(1))
        .chain(questions - 6..questions)
    {
        let (seen, out) = (at(&format!("seen-{stop}")), at(&format!("out-{stop}")));
        if out.exists() {
            continue;
        }
        let index = index_of(&seen, old, &settings, Stored::Shingles);
        let stopping = StopAt { asked: AtomicU64::new(0), at: stop };
        let stopped = job(new.clone(), Vec::new(), &settings, both(&index, &settings));
        let outcome = run(&stopped, &out, &stopping);
        stopped_while_adding += u64::from(outcome.is_err() && out.join("removed.jsonl").exists());
        // The next process sees the index as it is by then.
        let again = job(new.clone(), Vec::new(), &settings, both(&index, &settings));
        let report = run(&again, &out, &Silent).unwrap();
        assert_eq!(wrote(&out), expected, "stopped at {stop}");
        assert_eq!(exported(&index), expected_index, "stopped at {stop}");
        assert_eq!(report.added_to.unwrap().documents, report.counts.kept, "stopped at {stop}");
        let again = job(new.clone(), Vec::new(), &settings, both(&index, &settings));
        run(&again, &out, &Silent).unwrap();
        assert_eq!(exported(&index), expected_index, "run again after {stop}");
    }
    assert!(stopped_while_adding > 0, "no run was stopped while it added");
}

/// A run that has not sketched everything begins again if the index has changed: or two halves of the corpus would be
/// compared with different documents.
#[test]
fn a_run_that_goes_on_sees_one_state_of_the_index() {
    let documents: Vec<corpora::Document> = Planted { documents: 200, ..Planted::default() }.collect();
    let settings = with_fields(thorough(), &documents);
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    let new = sources(&at("new"), &documents);
    let index = index_of(&at("seen"), &documents[..10], &settings, Stored::Text);
    let stopping = StopAt { asked: AtomicU64::new(0), at: 3 };
    let first = job(new.clone(), Vec::new(), &settings, against(&index, &settings));
    assert!(run(&first, &at("out"), &stopping).is_err());
    index.add_batch(&documents[10..60].iter().map(document).collect::<Vec<_>>()).unwrap();
    let second = job(new.clone(), Vec::new(), &settings, against(&index, &settings));
    run(&second, &at("out"), &Silent).unwrap();
    run(&job(new, Vec::new(), &settings, against(&index, &settings)), &at("fresh"), &Silent).unwrap();
    assert_eq!(wrote(&at("out")), wrote(&at("fresh")));
}

/// A run that has compared with the index, but has added nothing yet, does not go on with an index that has changed: what it
/// keeps might be there by now.
#[test]
fn a_run_that_compared_with_another_state_is_refused() {
    let documents: Vec<corpora::Document> = Planted { documents: 200, ..Planted::default() }.collect();
    let settings = with_fields(thorough(), &documents);
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    let new = sources(&at("new"), &documents[50..]);
    let mut refused = 0;
    for stop in 0..200 {
        let index = index_of(&at(&format!("seen-{stop}")), &documents[..10], &settings, Stored::Text);
        let out = at(&format!("out-{stop}"));
        let stopping = StopAt { asked: AtomicU64::new(0), at: stop };
        let first = job(new.clone(), Vec::new(), &settings, both(&index, &settings));
        if run(&first, &out, &stopping).is_ok() {
            break;
        }
        let is_untouched = exported(&index).len() == 10;
        index.add(&document(&documents[20])).unwrap();
        let again = job(new.clone(), Vec::new(), &settings, both(&index, &settings));
        match run(&again, &out, &Silent) {
            Ok(_) => {}
            Err(pipeline::Error::Target(message)) if is_untouched && message.contains("have changed") => {
                refused += 1;
            }
            Err(error) => panic!("stopped at {stop}: {error}"),
        }
    }
    assert!(refused > 0, "no run was stopped between comparing and adding");
}

/// Another run may have added documents with the same ids while the first one was not running. Those with the same text
/// are as good as its own; any other must not be taken for it.
#[test]
fn ids_that_others_added_meanwhile_are_not_taken_for_those_of_the_run() {
    let documents: Vec<corpora::Document> = Planted { documents: 200, ..Planted::default() }.collect();
    let settings = with_fields(thorough(), &documents);
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    let new = sources(&at("new"), &documents[10..]);
    let mut met = 0;
    for stop in (0..).step_by(3) {
        let (seen, out) = (at(&format!("seen-{stop}")), at(&format!("out-{stop}")));
        let index = index_of(&seen, &documents[..10], &settings, Stored::Text);
        let stopping = StopAt { asked: AtomicU64::new(0), at: stop };
        let first = job(new.clone(), Vec::new(), &settings, both(&index, &settings));
        if run(&first, &out, &stopping).is_ok() {
            break;
        }
        if !out.join("removed.jsonl").exists() {
            continue;
        }
        let kept = wrote(&out).kept;
        let id = |line: &str| serde_json::from_str::<Value>(line).unwrap()["id"].as_str().unwrap().to_owned();
        let last = id(kept.lines().last().unwrap());
        if index.contains(&last).unwrap() {
            continue;
        }
        index
            .add(&Document::new(&*last, "something else altogether, of which the run knows nothing"))
            .unwrap();
        let again = || job(new.clone(), Vec::new(), &settings, both(&index, &settings));
        let error = run(&again(), &out, &Silent).unwrap_err().to_string();
        assert!(error.contains(&last) || error.contains("have changed"), "{error}");
        met += u64::from(error.contains(&last));
        // With its own text in its place, the run goes on to its end.
        if error.contains(&last) {
            let own = documents.iter().find(|it| it.id == last).unwrap();
            index.update(&document(own)).unwrap();
            let report = run(&again(), &out, &Silent).unwrap();
            assert_eq!(report.added_to.unwrap().documents, report.counts.kept);
        }
    }
    assert!(met > 0, "no run was stopped while it added");
}

/// However the path of an index is written, the run is the same; a copy of it elsewhere is another index.
#[test]
fn a_run_is_known_again_by_its_index_and_not_by_how_it_is_written() {
    let documents: Vec<corpora::Document> = Planted { documents: 60, ..Planted::default() }.collect();
    let settings = with_fields(thorough(), &documents);
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    let new = sources(&at("new"), &documents[20..]);
    let index = index_of(&at("seen"), &documents[..20], &settings, Stored::Text);
    let named = |index: &Arc<Index>, name: &str| Indexes {
        against: Some(Arc::new(index.against(name, &settings).unwrap())),
        add_to: Some(Arc::new(index.add_to(name, 1 << 20))),
        memory: 0,
    };
    let target = Target::new(&at("out").display().to_string()).unwrap();
    let dedup = |indexes: Indexes| {
        pipeline::dedup(&job(new.clone(), Vec::new(), &settings, indexes), &target, false, &Silent)
    };
    assert!(matches!(dedup(named(&index, "seen")), Ok(Outcome::Finished(_))));
    assert!(matches!(dedup(named(&index, "./somewhere/../seen")), Ok(Outcome::AlreadyFinished(_))));
    index.backup(at("copy")).unwrap();
    let copy = Arc::new(Index::open(at("copy"), &options(&Arc::new(ManualClock::at(1_000)))).unwrap());
    let error = dedup(named(&copy, "copy")).unwrap_err();
    assert!(error.to_string().contains("the index copy"), "{error}");
}

/// A cluster of a document of the index has its id as its name, and a number only if a record of the run has that id too.
#[test]
fn clusters_of_documents_of_the_index_have_their_ids() {
    let text = |word: &str| (0..20).map(|at| format!("{word}{at}")).collect::<Vec<_>>().join(" ");
    let any = edge_documents().remove(0);
    let document = |id: &str, text: String| corpora::Document {
        id: id.into(),
        text,
        domain: None,
        score: None,
        ..any.clone()
    };
    let old = [document("a", text("x")), document("b", text("y")), document("c#7", text("z"))];
    let new = [
        document("b", text("x")),
        document("d", text("y") + " more"),
        document("e", text("z")),
        document("f", text("y")),
        document("g", text("u")),
    ];
    let settings = thorough().with_id_field(Some("id".into())).with_annotate(true);
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    let index = index_of(&at("seen"), &old, &settings, Stored::Text);
    let new = sources(&at("new"), &new);
    run(&job(new, Vec::new(), &settings, against(&index, &settings)), &at("out"), &Silent).unwrap();
    let clusters: Vec<String> = wrote(&at("out"))
        .kept
        .lines()
        .map(|line| {
            let row: Value = serde_json::from_str(line).unwrap();
            row["lookalike_cluster"].as_str().unwrap().to_owned()
        })
        .collect();
    assert_eq!(clusters, ["a", "b#2", "c#7#3", "b#2", "g"]);
}

#[test]
fn what_cannot_be_asked_or_added_is_refused_before_anything_is_written() {
    let documents: Vec<corpora::Document> = Planted { documents: 60, ..Planted::default() }.collect();
    let settings = with_fields(thorough(), &documents);
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    let signatures = index_of(&at("signatures"), &documents[..5], &settings, Stored::Signatures);
    assert!(matches!(signatures.against("seen", &settings), Err(Error::NotStored { .. })));
    let estimated = settings.clone().with_verify(Verify::Estimate);
    assert!(signatures.against("seen", &estimated).is_ok());
    let index = index_of(&at("seen"), &documents[..5], &settings, Stored::Shingles);
    for refused in [
        settings.clone().with_verify(Verify::None),
        settings.clone().with_clusters(Clusters::Components),
        settings.clone().with_shingles("words:3".into()),
        settings.clone().with_elements(Elements::Bag),
        settings.clone().with_max_text(7),
    ] {
        assert!(index.against("seen", &refused).is_err(), "{refused:?}");
    }
    // Another threshold is another question.
    assert!(index.against("seen", &settings.clone().with_threshold(0.9)).is_ok());
    // Documents with the ids of others.
    let mut other: Vec<corpora::Document> = documents[20..40].to_vec();
    other[7].id = documents[2].id.clone();
    let add_only = |index: &Arc<Index>| Indexes { against: None, ..both(index, &settings) };
    let taken = job(sources(&at("taken"), &other), Vec::new(), &settings, add_only(&index));
    let error = run(&taken, &at("out"), &Silent).unwrap_err();
    assert!(error.to_string().contains(&documents[2].id), "{error}");
    other[7].id = other[1].id.clone();
    let twice = job(sources(&at("twice"), &other), Vec::new(), &settings, add_only(&index));
    let error = run(&twice, &at("out-2"), &Silent).unwrap_err();
    assert!(error.to_string().contains("two kept documents have the id"), "{error}");
    for out in ["out", "out-2"] {
        assert!(!at(out).join("part-000.jsonl").exists() && !at(out).join("removed.jsonl").exists());
    }
    assert_eq!(exported(&index).len(), 5);
}
