//! Random operations against a plain model: a map from ids to documents, where every question is answered by comparing
//! all of them. The answers are equal after each step, with a store in memory that fails at any call, and on disk with
//! small memtables and reopening.

use super::{in_memory, options, thorough};
use crate::store::memory::MemoryStore;
use crate::{
    BulkOptions, Checked, Config, Document, Error, Index, Kept, Lifetime, ManualClock, OnMatch, Options,
    Query, Result, Stored,
};
use proptest::prelude::*;
use serde_json::json;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

const THRESHOLD: f64 = 0.6;

/// A document as the model has it.
#[derive(Debug, Clone, PartialEq)]
struct Plain {
    number: u64,
    text: String,
    within: Option<String>,
    group: u8,
    expires: Option<u64>,
}

/// What a check answers: the match with its similarity, and the number of what was added.
type Answer = (Option<(String, f64)>, Option<u64>);

/// What a step adds.
#[derive(Debug, Clone)]
struct New {
    id: String,
    text: String,
    within: Option<String>,
    group: u8,
    stays: Option<u64>,
}

#[derive(Debug, Clone)]
enum Step {
    Add(Vec<New>),
    Update(Vec<New>),
    Check(Vec<New>, OnMatch),
    Bulk(Vec<New>),
    Remove(Vec<String>),
    RemoveGroup(u8),
    Wait(u64),
    Expire,
    Compact,
    Reopen,
}

#[derive(Debug, Clone, Default)]
struct Model {
    documents: BTreeMap<String, Plain>,
    next: u64,
    now: u64,
}

/// The similarity by its definition: the shared pairs of neighbouring words, divided by all.
fn similarity(a: &str, b: &str) -> f64 {
    let pairs = |text: &str| -> BTreeSet<String> {
        let words: Vec<&str> = text.split(' ').collect();
        words.windows(2).map(|pair| pair.join(" ")).collect()
    };
    let (a, b) = (pairs(a), pairs(b));
    a.intersection(&b).count() as f64 / a.union(&b).count() as f64
}

impl Model {
    fn is_live(&self, plain: &Plain) -> bool {
        plain.expires.is_none_or(|expires| expires > self.now)
    }

    fn put(&mut self, new: &New) -> u64 {
        let number = self.next;
        self.next += 1;
        let expires = new.stays.map(|stays| self.now + stays);
        let New { id, text, within, group, .. } = new.clone();
        self.documents.insert(id, Plain { number, text, within, group, expires });
        number
    }

    fn is_there(&self, id: &str) -> bool {
        self.documents.get(id).is_some_and(|plain| self.is_live(plain))
    }

    fn add_all(&mut self, all: &[New]) -> Option<Vec<u64>> {
        let mut changed = self.clone();
        let mut numbers = Vec::new();
        for new in all {
            if changed.is_there(&new.id) {
                return None;
            }
            numbers.push(changed.put(new));
        }
        *self = changed;
        Some(numbers)
    }

    fn update(&mut self, new: &New) -> u64 {
        let old = self.documents.get(&new.id).filter(|old| self.is_live(old)).cloned();
        match old {
            Some(old) if old.text == new.text && old.within == new.within => {
                let expires = new.stays.map(|stays| self.now + stays);
                self.documents.insert(new.id.clone(), Plain { group: new.group, expires, ..old.clone() });
                old.number
            }
            _ => self.put(new),
        }
    }

    /// All similar documents, most similar first, older first among equals.
    fn similar(&self, text: &str, within: &Option<String>) -> Vec<(String, f64)> {
        let mut found: Vec<(f64, u64, &String)> = self
            .documents
            .iter()
            .filter(|(_, plain)| self.is_live(plain) && plain.within == *within)
            .map(|(id, plain)| (similarity(text, &plain.text), plain.number, id))
            .filter(|(similarity, ..)| *similarity >= THRESHOLD)
            .collect();
        found.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
        found.into_iter().map(|(similarity, _, id)| (id.clone(), similarity)).collect()
    }

    /// The match that a check names, and the number of the document if it is added; `None` for an id that is there.
    fn check(&mut self, new: &New, on_match: OnMatch) -> Option<Answer> {
        let found = self.similar(&new.text, &new.within);
        let Some(oldest) = found.into_iter().min_by_key(|(id, _)| self.documents[id].number) else {
            return (!self.is_there(&new.id)).then(|| (None, Some(self.put(new))));
        };
        let number = match on_match {
            OnMatch::Skip => None,
            OnMatch::Touch => {
                let expires = new.stays.map(|stays| self.now + stays);
                let it = self.documents.get_mut(&oldest.0)?;
                it.expires = it.expires.zip(expires).map(|(old, new)| old.max(new));
                None
            }
            OnMatch::Replace if oldest.0 == new.id || !self.is_there(&new.id) => {
                self.documents.remove(&oldest.0);
                Some(self.put(new))
            }
            OnMatch::Add if !self.is_there(&new.id) => Some(self.put(new)),
            OnMatch::Replace | OnMatch::Add => return None,
        };
        Some((Some(oldest), number))
    }

    fn contents(&self) -> Vec<(String, Plain)> {
        let live = self.documents.iter().filter(|(_, plain)| self.is_live(plain));
        let mut all: Vec<_> = live.map(|(id, plain)| (id.clone(), plain.clone())).collect();
        all.sort_by_key(|(_, plain)| plain.number);
        all
    }
}

fn document(new: &New) -> Document {
    let lifetime =
        new.stays.map_or(Lifetime::Forever, |stays| Lifetime::For(std::time::Duration::from_millis(stays)));
    Document::new(&*new.id, &*new.text)
        .with_within(new.within.clone())
        .with_metadata(Some(json!({"group": new.group, "within": new.within}).as_object().unwrap().clone()))
        .with_lifetime(lifetime)
}

fn contents(index: &Index) -> Result<Vec<(String, Plain)>> {
    let mut all = Vec::new();
    index.export(|kept: Kept| {
        let metadata = kept.metadata.unwrap();
        let group = metadata["group"].as_u64().unwrap() as u8;
        let within = metadata["within"].as_str().map(Into::into);
        let Kept { number, expires, .. } = kept;
        all.push((kept.id, Plain { number, text: kept.text.unwrap(), within, group, expires }));
        Ok::<_, Error>(true)
    })?;
    Ok(all)
}

/// Does a step with the index and with the model, and compares what both say. The model changes only if the index says
/// that it has changed.
fn apply(index: &Index, model: &mut Model, step: &Step, clock: &ManualClock) -> Result<()> {
    let mut changed = model.clone();
    match step {
        Step::Add(all) => {
            let documents: Vec<_> = all.iter().map(document).collect();
            let expected = changed.add_all(all);
            match index.add_batch(&documents) {
                Ok(numbers) => assert_eq!(Some(numbers), expected),
                Err(Error::DuplicateId { .. }) => assert_eq!(expected, None),
                Err(error) => return Err(error),
            }
        }
        Step::Update(all) => {
            let documents: Vec<_> = all.iter().map(document).collect();
            let numbers = index.update_batch(&documents)?;
            assert_eq!(numbers, all.iter().map(|new| changed.update(new)).collect::<Vec<_>>());
        }
        Step::Check(all, on_match) => {
            let documents: Vec<_> = all.iter().map(document).collect();
            let answers = index.check_batch(&documents, true, *on_match)?;
            for (new, answer) in all.iter().zip(answers) {
                let expected = changed.check(new, *on_match);
                match answer {
                    Ok(Checked { matched, number, .. }) => {
                        let matched = matched.map(|it| (it.id, it.similarity));
                        assert_eq!(Some((matched, number)), expected, "{new:?}");
                    }
                    Err(Error::DuplicateId { .. }) => assert_eq!(expected, None),
                    Err(error) => return Err(error),
                }
            }
        }
        Step::Bulk(all) => {
            let documents: Vec<_> = all.iter().map(document).collect();
            let expected = changed.add_all(all);
            match index.bulk_load(documents.into_iter().map(Ok::<_, Error>), &BulkOptions::default()) {
                Ok(report) => assert_eq!(Some(report.added), expected.map(|numbers| numbers.len() as u64)),
                Err(Error::DuplicateId { .. }) => assert_eq!(expected, None),
                Err(error) => return Err(error),
            }
        }
        Step::Remove(ids) => {
            let mut removed = 0;
            for id in ids {
                removed += u64::from(changed.is_there(id));
                changed.documents.remove(id);
            }
            assert_eq!(index.remove(ids)?, removed);
        }
        Step::RemoveGroup(group) => {
            let before = changed.contents().len();
            changed.documents.retain(|_, plain| plain.group != *group);
            let filter = json!({"group": group}).as_object().unwrap().clone();
            // Documents that have expired may be there still.
            assert!(index.remove_where(&filter)? as usize >= before - changed.contents().len());
        }
        Step::Wait(time) => {
            changed.now += time;
            clock.set(changed.now);
        }
        Step::Expire => {
            index.expire(changed.now, 100)?;
        }
        Step::Compact => index.compact()?,
        Step::Reopen => {}
    }
    *model = changed;
    Ok(())
}

fn compare(index: &Index, model: &Model, texts: &[String]) -> Result<()> {
    assert_eq!(contents(index)?, model.contents());
    for text in texts {
        for within in [None, Some("x".to_owned())] {
            let answer = index.query(&Query::text(&**text).with_within(within.clone()))?;
            let found: Vec<_> = answer.matches.iter().map(|it| (it.id.clone(), it.similarity)).collect();
            assert_eq!(found, model.similar(text, &within), "{text}");
            assert!(answer.matches.iter().all(|it| it.exact) && !answer.truncated);
        }
    }
    for (id, plain) in model.contents().iter().take(3) {
        let answer = index.query(&Query::id(&**id))?;
        let found: Vec<_> = answer.matches.iter().map(|it| (it.id.clone(), it.similarity)).collect();
        let mut expected = model.similar(&plain.text, &plain.within);
        expected.retain(|(other, _)| other != id);
        assert_eq!(found, expected);
    }
    Ok(())
}

fn check_verified(index: &Index) {
    let verified = index.verify().unwrap();
    assert!(verified.is_clean(), "{verified:?}");
}

fn text(base: usize, at: usize, word: usize) -> String {
    let mut words: Vec<String> = (0..12).map(|position| format!("b{base}w{position}")).collect();
    if word > 0 {
        words[at] = format!("other{word}");
    }
    words.join(" ")
}

fn texts() -> impl Strategy<Value = String> {
    (0usize..4, 0usize..12, 0usize..4).prop_map(|(base, at, word)| text(base, at, word))
}

fn news() -> impl Strategy<Value = Vec<New>> {
    let new = (0u8..12, texts(), prop_oneof![3 => Just(None), 1 => Just(Some("x".to_owned()))], 0u8..4)
        .prop_flat_map(|(id, text, within, group)| {
            let stays = prop_oneof![2 => Just(None), 1 => (1u64..40).prop_map(Some)];
            (Just((id, text, within, group)), stays)
        })
        .prop_map(|((id, text, within, group), stays)| New {
            id: format!("id-{id}"),
            text,
            within,
            group,
            stays,
        });
    proptest::collection::vec(new, 1..6)
}

fn steps() -> impl Strategy<Value = Step> {
    let on_match =
        prop_oneof![Just(OnMatch::Skip), Just(OnMatch::Touch), Just(OnMatch::Replace), Just(OnMatch::Add)];
    prop_oneof![
        4 => news().prop_map(Step::Add),
        2 => news().prop_map(Step::Update),
        6 => (news(), on_match).prop_map(|(new, on_match)| Step::Check(new, on_match)),
        2 => news().prop_map(Step::Bulk),
        3 => proptest::collection::vec((0u8..12).prop_map(|id| format!("id-{id}")), 1..4).prop_map(Step::Remove),
        1 => (0u8..4).prop_map(Step::RemoveGroup),
        2 => (1u64..30).prop_map(Step::Wait),
        1 => Just(Step::Expire),
        1 => Just(Step::Compact),
        1 => Just(Step::Reopen),
    ]
}

fn config(store: Stored) -> Config {
    Config::default().with_settings(thorough()).with_store(store)
}

/// Opens an index that was closed just now. Other tests of this program start processes, and between its start and its own
/// program a process has all open files, the lock of the index among them.
fn reopened(path: &std::path::Path, options: &Options) -> Index {
    for _ in 0..500 {
        match Index::open(path, options) {
            Err(Error::InUse { .. }) => std::thread::sleep(std::time::Duration::from_millis(10)),
            opened => return opened.unwrap(),
        }
    }
    panic!("the index stays in use");
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 60, ..ProptestConfig::default() })]

    #[test]
    fn in_memory_with_faults(
        steps in proptest::collection::vec((steps(), 0u64..60, any::<bool>()), 1..40),
        asked in proptest::collection::vec(texts(), 2),
    ) {
        let clock = Arc::new(ManualClock::at(1_000));
        let store = MemoryStore::default();
        let config = config(Stored::Text);
        let mut index = in_memory(&store, &config, &clock);
        let mut model = Model { next: 1, now: 1_000, ..Model::default() };
        for (step, fault, writes_all_the_same) in &steps {
            // Half of the steps fail at one of their first calls.
            let before = model.clone();
            store.fail_at(fault.saturating_sub(30), *writes_all_the_same);
            let done = apply(&index, &mut model, step, &clock);
            store.fail_at(0, false);
            if done.is_err() || matches!(step, Step::Reopen) {
                drop(index);
                index = in_memory(&store, &config, &clock);
                let found = contents(&index).unwrap();
                if done.is_err() && found != before.contents() {
                    // Then the step is done as a whole: the same on a store that does not fail says what that is.
                    let mut after = before.clone();
                    let copy = replay(&before, &config, &clock);
                    apply(&copy, &mut after, step, &clock).unwrap();
                    prop_assert_eq!(&found, &after.contents());
                    model = after;
                }
                // Numbers that were given to nobody may be skipped.
                model.next = index.stats().unwrap().next_number;
            }
            compare(&index, &model, &asked).unwrap();
            check_verified(&index);
        }
    }
}

/// An index with the documents of a model, under the same numbers.
fn replay(model: &Model, config: &Config, clock: &Arc<ManualClock>) -> Index {
    let index = in_memory(&MemoryStore::default(), config, clock);
    let mut by_number: Vec<_> = model.documents.iter().collect();
    by_number.sort_by_key(|(_, plain)| plain.number);
    clock.set(0);
    for (id, plain) in by_number {
        while index.stats().unwrap().next_number < plain.number {
            index.add(&Document::new("filler", "x")).unwrap();
            index.remove(&["filler"]).unwrap();
        }
        let Plain { text, within, group, expires, .. } = plain.clone();
        index.add(&document(&New { id: id.clone(), text, within, group, stays: expires })).unwrap();
    }
    while index.stats().unwrap().next_number < model.next {
        index.add(&Document::new("filler", "x")).unwrap();
        index.remove(&["filler"]).unwrap();
    }
    clock.set(model.now);
    index
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 8, ..ProptestConfig::default() })]

    #[test]
    fn on_disk_with_reopening(
        steps in proptest::collection::vec(steps(), 1..40),
        asked in proptest::collection::vec(texts(), 2),
    ) {
        let folder = tempfile::tempdir().unwrap();
        let clock = Arc::new(ManualClock::at(1_000));
        let options = options(&clock).with_memtable(1 << 10);
        let mut index = Index::create(folder.path().join("index"), &config(Stored::Text), &options).unwrap();
        let mut model = Model { next: 1, now: 1_000, ..Model::default() };
        for step in &steps {
            apply(&index, &mut model, step, &clock).unwrap();
            if matches!(step, Step::Reopen) {
                drop(index);
                index = reopened(&folder.path().join("index"), &options);
                prop_assert_eq!(index.lost(), 0);
            }
            compare(&index, &model, &asked).unwrap();
        }
        check_verified(&index);
        drop(index);
        let index = Index::open(folder.path().join("index"), &options).unwrap();
        compare(&index, &model, &asked).unwrap();
        check_verified(&index);
    }
}
