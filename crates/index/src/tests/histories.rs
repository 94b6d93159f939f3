//! Calls of several threads have the answers of some order of them, one after the other.
//!
//! A history is calls with their answers, and when each began and ended. Some order must explain it: one in which no call
//! comes before another that ended before it began, and in which a plain model gives the same answers. It is searched for
//! by trying every call that may be next (Wing and Gong 1993), without trying the same calls from the same state twice
//! (Lowe 2017).

use super::{options, thorough};
use crate::{Change, Changed, Config, Document, Error, Index, ManualClock, OnMatch, Query, Stored};
use lookalike::hashing::SplitMix64;
use std::collections::{BTreeMap, HashSet};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Barrier, Mutex};

const THREADS: usize = 4;
const CALLS: usize = 5;
const ROUNDS: u64 = 60;

/// Ids and texts are numbers from few.
#[derive(Debug, Clone, Copy)]
enum Call {
    Get(u8),
    Query(u8),
    Look(u8),
    Add(u8, u8),
    Update(u8, u8),
    Check(u8, u8, OnMatch),
    Remove(u8),
    /// A batch: one document goes, another one comes.
    Swap(u8, u8, u8),
}

#[derive(Debug, Clone, PartialEq, Eq, Hash)]
enum Reply {
    /// The text of a document.
    Text(Option<u8>),
    /// Ids, oldest first.
    Ids(Vec<u8>),
    /// The number of a document.
    Number(u64),
    /// The id was there already.
    Duplicate,
    /// The match, and the number if it was added.
    Checked(Option<u8>, Option<u64>),
    Removed(bool),
    Both(Box<Reply>, Box<Reply>),
}

/// A call with its answer. Times are counted by a clock that all threads share.
#[derive(Debug, Clone)]
struct Event {
    began: u64,
    ended: u64,
    call: Call,
    reply: Reply,
}

/// The plain model: the text and the number of each id.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
struct Model {
    documents: BTreeMap<u8, (u8, u64)>,
    next: u64,
}

impl Model {
    /// The documents with a text, oldest first.
    fn with(&self, text: u8) -> Vec<u8> {
        let fitting = self.documents.iter().filter(|(_, (other, _))| *other == text);
        let mut ids: Vec<(u64, u8)> = fitting.map(|(id, (_, number))| (*number, *id)).collect();
        ids.sort_unstable();
        ids.into_iter().map(|(_, id)| id).collect()
    }

    fn put(&mut self, id: u8, text: u8) -> u64 {
        let number = self.next;
        self.next += 1;
        self.documents.insert(id, (text, number));
        number
    }

    fn add(&mut self, id: u8, text: u8) -> Reply {
        match self.documents.contains_key(&id) {
            true => Reply::Duplicate,
            false => Reply::Number(self.put(id, text)),
        }
    }

    fn make(&mut self, call: Call) -> Reply {
        match call {
            Call::Get(id) => Reply::Text(self.documents.get(&id).map(|(text, _)| *text)),
            Call::Query(text) => Reply::Ids(self.with(text)),
            Call::Look(text) => Reply::Checked(self.with(text).first().copied(), None),
            Call::Add(id, text) => self.add(id, text),
            Call::Update(id, text) => match self.documents.get(&id) {
                Some((other, number)) if *other == text => Reply::Number(*number),
                _ => Reply::Number(self.put(id, text)),
            },
            Call::Check(id, text, on_match) => {
                let matched = self.with(text).first().copied();
                if matched.is_some() && on_match == OnMatch::Skip {
                    return Reply::Checked(matched, None);
                }
                let before = self.clone();
                if let (Some(matched), OnMatch::Replace) = (matched, on_match) {
                    self.documents.remove(&matched);
                }
                match self.add(id, text) {
                    Reply::Number(number) => Reply::Checked(matched, Some(number)),
                    refused => {
                        *self = before;
                        refused
                    }
                }
            }
            Call::Remove(id) => Reply::Removed(self.documents.remove(&id).is_some()),
            Call::Swap(gone, id, text) => {
                let removed = Reply::Removed(self.documents.remove(&gone).is_some());
                Reply::Both(Box::new(removed), Box::new(self.add(id, text)))
            }
        }
    }
}

/// True if some order of the calls explains their answers.
fn is_explained(history: &[Event], start: &Model) -> bool {
    assert!(history.len() <= 32);
    let mut tried = HashSet::new();
    let mut waiting = vec![(0_u32, start.clone())];
    while let Some((done, model)) = waiting.pop() {
        if done.count_ones() as usize == history.len() {
            return true;
        }
        let left = || history.iter().enumerate().filter(|(at, _)| done & (1 << at) == 0);
        let first_end = left().map(|(_, event)| event.ended).min().unwrap_or(u64::MAX);
        for (at, event) in left().filter(|(_, event)| event.began < first_end) {
            let mut after = model.clone();
            let next = (done | 1 << at, after.make(event.call) == event.reply);
            if next.1 && tried.insert((next.0, after.clone())) {
                waiting.push((next.0, after));
            }
        }
    }
    false
}

/// The names of a round, which no other has.
struct Names(u64);

impl Names {
    fn id(&self, id: u8) -> String {
        format!("{}-{id}", self.0)
    }

    fn text(&self, text: u8) -> String {
        (0..12).map(|word| format!("r{}t{text}w{word}", self.0)).collect::<Vec<_>>().join(" ")
    }

    fn document(&self, id: u8, text: u8) -> Document {
        Document::new(self.id(id), self.text(text))
    }

    fn id_of(&self, id: &str) -> u8 {
        id.split_once('-').unwrap().1.parse().unwrap()
    }

    fn text_of(&self, text: &str) -> u8 {
        (0..=9).find(|&number| self.text(number) == text).unwrap()
    }
}

fn number(added: crate::Result<u64>) -> Reply {
    match added {
        Ok(number) => Reply::Number(number),
        Err(Error::DuplicateId { .. }) => Reply::Duplicate,
        Err(error) => panic!("{error}"),
    }
}

fn make(index: &Index, names: &Names, call: Call) -> Reply {
    let checked = |checked: crate::Result<crate::Checked>| match checked {
        Ok(checked) => Reply::Checked(checked.matched.map(|found| names.id_of(&found.id)), checked.number),
        Err(Error::DuplicateId { .. }) => Reply::Duplicate,
        Err(error) => panic!("{error}"),
    };
    match call {
        Call::Get(id) => {
            let kept = index.get(&names.id(id)).unwrap();
            Reply::Text(kept.map(|kept| names.text_of(&kept.text.unwrap())))
        }
        Call::Query(text) => {
            let answer = index.query(&Query::text(names.text(text))).unwrap();
            Reply::Ids(answer.matches.iter().map(|found| names.id_of(&found.id)).collect())
        }
        Call::Look(text) => checked(index.check(&names.document(99, text), false, OnMatch::Skip)),
        Call::Add(id, text) => number(index.add(&names.document(id, text))),
        Call::Update(id, text) => number(index.update(&names.document(id, text))),
        Call::Check(id, text, on_match) => checked(index.check(&names.document(id, text), true, on_match)),
        Call::Remove(id) => Reply::Removed(index.remove(&[names.id(id)]).unwrap() == 1),
        Call::Swap(gone, id, text) => {
            let changes = [Change::Remove(names.id(gone)), Change::Add(names.document(id, text))];
            let mut answers = index.apply(&changes).unwrap();
            let added = answers.pop().unwrap().map(|changed| match changed {
                Changed::Put { number, .. } => number,
                other => panic!("{other:?}"),
            });
            let Some(Ok(Changed::Removed(removed))) = answers.pop() else { panic!("it was no removal") };
            Reply::Both(Box::new(Reply::Removed(removed)), Box::new(number(added)))
        }
    }
}

fn draw(random: &mut SplitMix64) -> Call {
    let mut few = |bound: u64| random.below(bound) as u8;
    let (id, text, other, kind) = (few(3), few(2), few(3), few(12));
    match kind {
        0 | 1 => Call::Get(id),
        2 | 3 => Call::Query(text),
        4 => Call::Look(text),
        5 => Call::Add(id, text),
        6 => Call::Update(id, text),
        7 => Call::Check(id, text, OnMatch::Skip),
        8 => Call::Check(id, text, OnMatch::Add),
        9 => Call::Check(id, text, OnMatch::Replace),
        10 => Call::Remove(id),
        _ => Call::Swap(id, other, text),
    }
}

#[test]
fn some_order_explains_a_history_of_concurrent_calls() {
    let folder = tempfile::tempdir().unwrap();
    let config = Config::default().with_settings(thorough()).with_store(Stored::Text);
    let options = options(&Arc::new(ManualClock::at(1)));
    let index = Index::create(folder.path().join("index"), &config, &options).unwrap();
    let mut overlapping = 0;
    for round in 0..ROUNDS {
        let start = Model { documents: BTreeMap::new(), next: index.stats().unwrap().next_number };
        let (clock, barrier, history) = (AtomicU64::new(0), Barrier::new(THREADS), Mutex::new(Vec::new()));
        std::thread::scope(|scope| {
            for thread in 0..THREADS {
                let (index, clock, barrier, history) = (&index, &clock, &barrier, &history);
                scope.spawn(move || {
                    let names = Names(round);
                    let mut random = SplitMix64::new(round * 100 + thread as u64);
                    barrier.wait();
                    for _ in 0..CALLS {
                        let call = draw(&mut random);
                        let began = clock.fetch_add(1, Ordering::SeqCst);
                        let reply = make(index, &names, call);
                        let ended = clock.fetch_add(1, Ordering::SeqCst);
                        history.lock().unwrap().push(Event { began, ended, call, reply });
                    }
                });
            }
        });
        let mut history = history.into_inner().unwrap();
        history.sort_by_key(|event| event.began);
        assert!(is_explained(&history, &start), "round {round}, from {start:?}: {history:#?}");
        overlapping += history.windows(2).filter(|pair| pair[1].began < pair[0].ended).count();
    }
    assert!(overlapping > 100, "the threads came one after the other");
    assert!(index.verify().unwrap().is_clean());
}

/// What the search is for: it finds no order where there is none.
#[test]
fn impossible_histories_are_not_explained() {
    let start = Model { documents: BTreeMap::new(), next: 1 };
    let event = |began, ended, call, reply| Event { began, ended, call, reply };
    // At the same time, one of two equal texts is new.
    let new = |number| Reply::Checked(None, Some(number));
    let check = |id| Call::Check(id, 0, OnMatch::Skip);
    let one = [event(0, 3, check(0), new(1)), event(1, 2, check(1), Reply::Checked(Some(0), None))];
    assert!(is_explained(&one, &start));
    assert!(!is_explained(&[event(0, 3, check(0), new(1)), event(1, 2, check(1), new(2))], &start));
    // What was acknowledged is seen by whoever asks later, and not seen any more after it was removed.
    let added = event(0, 1, Call::Add(0, 0), Reply::Number(1));
    let seen = |began| event(began, began + 1, Call::Get(0), Reply::Text(Some(0)));
    let not_seen = |began| event(began, began + 1, Call::Get(0), Reply::Text(None));
    assert!(is_explained(&[added.clone(), seen(2)], &start));
    assert!(!is_explained(&[added, not_seen(2)], &start));
    // While it is added, it may be seen or not, but not first seen and then not.
    let adding = event(0, 9, Call::Add(0, 0), Reply::Number(1));
    assert!(is_explained(&[adding.clone(), not_seen(1), seen(3)], &start));
    assert!(!is_explained(&[adding, seen(1), not_seen(3)], &start));
    // Half of a batch is never seen.
    let start = Model { documents: BTreeMap::from([(1, (0, 1))]), next: 2 };
    let reply = Reply::Both(Box::new(Reply::Removed(true)), Box::new(Reply::Number(2)));
    let swap = event(0, 9, Call::Swap(1, 0, 0), reply);
    let query = |ids: &[u8]| event(1, 2, Call::Query(0), Reply::Ids(ids.to_vec()));
    assert!(is_explained(&[swap.clone(), query(&[1])], &start));
    assert!(is_explained(&[swap.clone(), query(&[0])], &start));
    assert!(!is_explained(&[swap.clone(), query(&[])], &start));
    assert!(!is_explained(&[swap, query(&[1, 0])], &start));
}
