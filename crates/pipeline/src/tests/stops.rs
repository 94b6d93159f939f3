//! Runs that are asked to stop, or in which something panics, at every question that a stage asks.

use super::{How, job, sources_of};
use crate::ask::pairs_prepared;
use crate::prepared::Prepared;
use crate::run::dedup_prepared;
use crate::{Clusters, Error, Job, Measure, Method, Observer, Outcome, Settings, Silent, Stage, Verify};
use corpus::Target;
use std::collections::BTreeMap;
use std::ops::ControlFlow;
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};
use testkit::corpora::{Document, Planted};

/// What an observer does at its last question.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Answer {
    Stop,
    Panic,
}

/// Counts questions, and answers the one numbered `last` and all later ones.
#[derive(Debug)]
pub(super) struct Asked {
    last: u64,
    answer: Answer,
    pub(super) questions: AtomicU64,
    /// How often it was asked up to the end of each stage, from the end of the one before.
    by_stage: Mutex<(u64, BTreeMap<Stage, u64>)>,
}

impl Asked {
    pub(super) fn new(last: u64, answer: Answer) -> Self {
        Self { last, answer, questions: AtomicU64::new(0), by_stage: Mutex::default() }
    }
}

impl Observer for Asked {
    fn finished(&self, stage: Stage) {
        let mut by_stage = self.by_stage.lock().unwrap_or_else(PoisonError::into_inner);
        let questions = self.questions.load(Ordering::Relaxed);
        let before = std::mem::replace(&mut by_stage.0, questions);
        by_stage.1.insert(stage, questions - before);
    }

    fn interrupted(&self) -> bool {
        let stop = self.questions.fetch_add(1, Ordering::Relaxed) >= self.last;
        assert!(!stop || self.answer == Answer::Stop, "question {} is one too many", self.last);
        stop
    }
}

fn corpus() -> Vec<Document> {
    Planted { documents: 400, bytes: (300, 2_000), seed: 5, ..Planted::default() }.iter().collect()
}

/// The ways through the stages: settings, how much memory there is, and whether pairs are asked for.
fn ways() -> Vec<(&'static str, Settings, Option<u64>, bool)> {
    let settings = || Settings::default().with_threshold(0.6).with_id_field(Some("id".into()));
    let simhash = settings().with_method(Method::Simhash).with_verify(Verify::None);
    let containment = settings().with_measure(Measure::Containment);
    let components = settings().with_clusters(Clusters::Components);
    let longest = settings().with_keep(crate::Keep::Longest).with_annotate(true);
    vec![
        ("in memory", settings(), None, false),
        ("spilled", settings(), Some(100_000), false),
        ("longest first", longest, None, false),
        ("components", components.clone(), None, false),
        ("components, spilled", components, Some(100_000), false),
        ("containment", containment.clone(), None, false),
        ("containment, spilled", containment, Some(100_000), false),
        ("simhash, nothing verified", simhash, None, false),
        ("pairs", settings(), None, true),
        ("pairs, spilled", settings(), Some(100_000), true),
    ]
}

/// Runs `job`; the target, if any, is below `folder`.
pub(super) fn attempt(
    job: &Job,
    free: Option<u64>,
    pairs: bool,
    folder: &Path,
    observer: &Asked,
) -> crate::Result<()> {
    let mut prepared = Prepared::new(job).unwrap();
    if let Some(free) = free {
        prepared.budget = prepared.budget.with_free(free);
    }
    if pairs {
        return pairs_prepared(&prepared, observer, &mut |_| Ok(ControlFlow::Continue(()))).map(|_| ());
    }
    let target = Target::new(&folder.join("out").display().to_string()).unwrap();
    dedup_prepared(&prepared, &target, observer).map(|_| ())
}

#[test]
fn every_stage_asks_often_and_stops_wherever_it_is_told_to() {
    let documents = corpus();
    for (name, settings, free, pairs) in ways() {
        for threads in [1, 2] {
            let folder = tempfile::tempdir().unwrap();
            let sources = sources_of(&folder.path().join("in"), &documents, 150);
            let mut job = job(&settings, sources, Vec::new(), threads);
            let temporary = folder.path().join("temporary");
            std::fs::create_dir(&temporary).unwrap();
            job.resources.temp_dir = Some(temporary.clone());
            let counted = Asked::new(u64::MAX, Answer::Stop);
            attempt(&job, free, pairs, folder.path(), &counted).unwrap();
            std::fs::remove_dir_all(folder.path().join("out")).unwrap_or_default();
            let all = counted.questions.load(Ordering::Relaxed);
            for (stage, questions) in &counted.by_stage.lock().unwrap().1 {
                // Parts have 100 documents here.
                assert!(
                    *questions >= 4,
                    "{name}, {threads} threads: {stage} asked {questions} times of {all}"
                );
            }
            for last in (0..all.min(12)).chain((12..all).step_by(all as usize / 12 + 1)).chain([all - 1]) {
                let stopped = attempt(&job, free, pairs, folder.path(), &Asked::new(last, Answer::Stop));
                assert!(
                    matches!(stopped, Err(Error::Interrupted)) || threads > 1 && last + 8 > all,
                    "{name}, {threads} threads, question {last} of {all}: {stopped:?}"
                );
                let left = std::fs::read_dir(&temporary).unwrap().count();
                assert_eq!(left, 0, "{name}, {threads} threads, question {last} of {all}");
                std::fs::remove_dir_all(folder.path().join("out")).unwrap_or_default();
            }
        }
    }
}

#[test]
fn a_panic_in_any_stage_is_an_error_with_its_message() {
    let documents = corpus();
    for (name, settings, free, pairs) in ways() {
        let folder = tempfile::tempdir().unwrap();
        let sources = sources_of(&folder.path().join("in"), &documents, 150);
        let job = job(&settings, sources, Vec::new(), 3);
        let counted = Asked::new(u64::MAX, Answer::Panic);
        attempt(&job, free, pairs, folder.path(), &counted).unwrap();
        std::fs::remove_dir_all(folder.path().join("out")).unwrap_or_default();
        let all = counted.questions.load(Ordering::Relaxed);
        for last in (0..all - all / 8).step_by(all as usize / 8 + 1) {
            let outcome = attempt(&job, free, pairs, folder.path(), &Asked::new(last, Answer::Panic));
            let Err(Error::Panicked { message }) = outcome else { panic!("{name}, {last}: {outcome:?}") };
            assert!(message.contains(&format!("question {last} is one too many")), "{message}");
            std::fs::remove_dir_all(folder.path().join("out")).unwrap_or_default();
        }
    }
}

#[test]
fn what_was_stopped_anywhere_goes_on() {
    let documents = corpus();
    let folder = tempfile::tempdir().unwrap();
    let sources = sources_of(&folder.path().join("in"), &documents, 150);
    let (_, settings, free, _) = ways().remove(1);
    let job = job(&settings, sources, Vec::new(), How::PLAIN.threads);
    let outputs = |at: &Path| -> Vec<Vec<u8>> {
        let names = ["removed.jsonl", "part-000.jsonl", "part-001.jsonl", "part-002.jsonl"];
        names.iter().map(|name| std::fs::read(at.join("out").join(name)).unwrap()).collect()
    };
    let counted = Asked::new(u64::MAX, Answer::Stop);
    attempt(&job, free, false, folder.path(), &counted).unwrap();
    let wanted = outputs(folder.path());
    std::fs::remove_dir_all(folder.path().join("out")).unwrap();
    let all = counted.questions.load(Ordering::Relaxed);
    for last in (0..all).step_by(all as usize / 20 + 1) {
        let stopped = attempt(&job, free, false, folder.path(), &Asked::new(last, Answer::Stop));
        assert!(matches!(stopped, Err(Error::Interrupted)), "{last} of {all}: {stopped:?}");
        let target = Target::new(&folder.path().join("out").display().to_string()).unwrap();
        let outcome = crate::dedup(&job, &target, false, &Silent).unwrap();
        assert!(matches!(outcome, Outcome::Finished(_)));
        assert!(outputs(folder.path()) == wanted, "stopped at {last} of {all}");
        std::fs::remove_dir_all(folder.path().join("out")).unwrap();
    }
}

/// Something that is asked of a corpus.
type Question<'q> = &'q dyn Fn(&dyn Observer) -> crate::Result<()>;

#[test]
fn questions_about_a_corpus_stop_too() {
    let documents = corpus();
    let folder = tempfile::tempdir().unwrap();
    let settings = Settings::default().with_id_field(Some("id".into()));
    let sources = sources_of(&folder.path().join("in"), &documents, 150);
    for threads in [1, 3] {
        let job = job(&settings, sources.clone(), Vec::new(), threads);
        let asked: [(&str, Question<'_>); 5] = [
            ("query", &|observer| crate::query(&job, "one two three", 3, observer).map(|_| ())),
            ("sample", &|observer| crate::sample(&job, 10, observer).map(|_| ())),
            ("texts", &|observer| crate::texts(&job, &[&documents[0].id], observer).map(|_| ())),
            ("clusters", &|observer| crate::clusters(&job, observer, &mut |_| Ok(())).map(|_| ())),
            ("sketch", &|observer| {
                let file = folder.path().join("a.sketch");
                let outcome = crate::sketch(&job, &file, observer).map(|_| ());
                assert_eq!(file.exists(), outcome.is_ok());
                std::fs::remove_file(file).unwrap_or_default();
                outcome
            }),
        ];
        for (name, ask) in asked {
            let counted = Asked::new(u64::MAX, Answer::Stop);
            ask(&counted).unwrap();
            let all = counted.questions.load(Ordering::Relaxed);
            assert!(all >= 4, "{name} asks {all} times");
            for last in [0, all / 3, all / 2] {
                let stopped = ask(&Asked::new(last, Answer::Stop));
                assert!(matches!(stopped, Err(Error::Interrupted)), "{name}, {last} of {all}: {stopped:?}");
                let panicked = ask(&Asked::new(last, Answer::Panic));
                assert!(matches!(panicked, Err(Error::Panicked { .. })), "{name}, {last}: {panicked:?}");
            }
        }
    }
}
