//! Clients that ask until the service is gone, and remember every answer.

use crate::http::{Connection, Request};
use crate::model::{Documents, Op, has};
use lookalike::hashing::SplitMix64;
use serde_json::Value;
use std::collections::BTreeMap;
use std::io::Result;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};

const COLLECTION: &str = "/v1/collections/seen";

/// Who was new, of each text that all clients check. The first answer says it, and all others agree.
#[derive(Default)]
pub(crate) struct Owners(Mutex<BTreeMap<String, String>>);

impl Owners {
    fn answered(&self, text: &str, owner: &str) {
        let mut owners = self.0.lock().unwrap();
        let known = owners.entry(text.to_owned()).or_insert_with(|| owner.to_owned());
        assert_eq!(known, owner, "two answers about one text");
    }

    /// Checks that the owners are there, and that nobody else has their texts.
    pub(crate) fn compare(&self, found: &Documents, context: &str) {
        let mut there = BTreeMap::new();
        for (id, text) in found.iter().filter(|(id, _)| id.starts_with("shared-")) {
            let other = there.insert(text.clone(), id.clone());
            assert_eq!(other, None, "{context}: two documents are new");
        }
        for (text, owner) in self.0.lock().unwrap().iter() {
            assert_eq!(there.get(text), Some(owner), "{context}");
        }
    }
}

/// The request that has no answer yet.
enum Doubt {
    /// One change, with its key.
    One { op: Op, key: String },
    /// A stream of changes, of which some have answers.
    Stream { ops: Vec<Op>, answered: usize },
    /// A check of a text that all clients check.
    Shared { id: String, text: String, key: String },
}

pub(crate) struct Client {
    name: String,
    random: SplitMix64,
    /// Counts what the client has asked for. Ids, texts and keys are made of it.
    step: u64,
    /// What must be there.
    documents: Documents,
    doubt: Option<Doubt>,
    /// The last change that was done: its request, and its answer.
    last: Option<(Op, String, String)>,
    pub(crate) acknowledged: u64,
    pub(crate) repeated: u64,
}

impl Client {
    pub(crate) fn new(number: usize, seed: u64) -> Self {
        Self {
            name: format!("c{number}"),
            random: SplitMix64::new(seed),
            step: 0,
            documents: Documents::new(),
            doubt: None,
            last: None,
            acknowledged: 0,
            repeated: 0,
        }
    }

    /// Asks until the service is gone.
    pub(crate) fn work(&mut self, address: &str, owners: &Owners, answered: &AtomicU64, round: u64) {
        // The error is that of a connection that was cut.
        let _ = self.ask(address, owners, answered, round);
    }

    fn ask(&mut self, address: &str, owners: &Owners, answered: &AtomicU64, round: u64) -> Result<()> {
        let mut connection = Connection::open(address)?;
        // What was done is not done again, and has the same answer.
        if let Some((op, key, answer)) = self.last.clone() {
            let again = self.send(&mut connection, &op, &key)?;
            assert_eq!(again.1, answer, "{op:?} was answered in another way");
            self.repeated += 1;
        }
        match self.doubt.take() {
            // It is sent again, whether it was done or not.
            Some(Doubt::One { op, key }) => {
                self.repeated += 1;
                self.change(&mut connection, op, key)?;
            }
            Some(Doubt::Shared { id, text, key }) => {
                self.repeated += 1;
                self.check_shared(&mut connection, owners, (id, text, key))?;
            }
            Some(Doubt::Stream { .. }) => unreachable!("the comparison has decided what was done"),
            None => {}
        }
        loop {
            self.step += 1;
            let key = format!("{}-key-{}", self.name, self.step);
            match self.random.below(8) {
                0 => {
                    let id = format!("shared-{}-{}", self.name, self.step);
                    let topic = self.random.below(3);
                    let words: Vec<String> = (0..12).map(|word| format!("r{round}x{topic}w{word}")).collect();
                    let text = words.join(" ");
                    self.check_shared(&mut connection, owners, (id, text, key))?;
                }
                1 => self.stream(&mut connection)?,
                _ => {
                    let op = self.draw(&self.documents.clone(), true);
                    self.change(&mut connection, op, key)?;
                }
            }
            answered.fetch_add(1, Ordering::SeqCst);
        }
    }

    /// Draws a change that can be made to these documents.
    fn draw(&mut self, documents: &Documents, several: bool) -> Op {
        self.step += 1;
        let id = format!("{}-{}", self.name, self.step);
        let words: Vec<String> = (0..12).map(|word| format!("{}s{}w{word}", self.name, self.step)).collect();
        let text = words.join(" ");
        let mut any = |from: &Documents| {
            let at = self.random.below(from.len().max(1) as u64) as usize;
            from.iter().nth(at).map(|(id, text)| (id.clone(), text.clone()))
        };
        let one = any(documents);
        let others: Vec<String> = (0..3).filter_map(|_| any(documents)).map(|(id, _)| id).collect();
        let kind = self.random.below(9);
        match (kind, one) {
            (0 | 1, Some((id, _))) => Op::Put { id, text, update: true },
            (2, Some((_, text))) => Op::Check { id, text, replace: false },
            (3, Some((_, text))) => Op::Check { id, text, replace: true },
            (4, Some((id, _))) => Op::Delete { id },
            (5, Some(_)) if several => Op::Remove { ids: others },
            (6 | 7, _) => Op::Check { id, text, replace: false },
            _ => Op::Put { id, text, update: false },
        }
    }

    /// Asks for one change.
    fn change(&mut self, connection: &mut Connection, op: Op, key: String) -> Result<()> {
        self.doubt = Some(Doubt::One { op: op.clone(), key: key.clone() });
        let (status, answer) = self.send(connection, &op, &key)?;
        self.doubt = None;
        self.acknowledged += 1;
        let before = self.documents.clone();
        let expected = op.apply(&mut self.documents);
        let read: Value = serde_json::from_str(&answer).unwrap_or_else(|_| panic!("{answer}"));
        assert!(
            status == expected.0 && has(&read, &expected.1),
            "{op:?}: {status} {answer}, not {expected:?}"
        );
        // What changes nothing may be done again, and then have another answer.
        self.last = (before != self.documents).then_some((op, key, answer));
        Ok(())
    }

    fn send(&self, connection: &mut Connection, op: &Op, key: &str) -> Result<(u16, String)> {
        let (method, end, body) = op.request(&self.name);
        let path = format!("{COLLECTION}/{end}");
        connection.ask(&Request { method, path: &path, key: Some(key), body: &body })
    }

    /// Asks for many changes as a stream.
    fn stream(&mut self, connection: &mut Connection) -> Result<()> {
        let mut documents = self.documents.clone();
        let (mut ops, mut expected, mut body) = (Vec::new(), Vec::new(), String::new());
        for _ in 0..1 + self.random.below(40) {
            let op = self.draw(&documents, false);
            expected.push(op.apply(&mut documents).1);
            body.push_str(&op.line(&self.name));
            ops.push(op);
        }
        let request = Request { method: "POST", path: &format!("{COLLECTION}/bulk"), key: None, body: &body };
        let mut answered = 0;
        let outcome = connection.ask_lines(&request, |line| {
            let answer: Value = serde_json::from_slice(line).unwrap();
            assert!(has(&answer, &expected[answered]), "{answer}, not {}", expected[answered]);
            answered += 1;
        });
        self.acknowledged += answered as u64;
        self.last = None;
        match outcome {
            Ok(status) => {
                assert_eq!((status, answered), (200, ops.len()));
                self.documents = documents;
                Ok(())
            }
            Err(error) => {
                self.doubt = Some(Doubt::Stream { ops, answered });
                Err(error)
            }
        }
    }

    /// Checks a text that others check too.
    fn check_shared(
        &mut self,
        connection: &mut Connection,
        owners: &Owners,
        (id, text, key): (String, String, String),
    ) -> Result<()> {
        let op = Op::Check { id: id.clone(), text: text.clone(), replace: false };
        self.doubt = Some(Doubt::Shared { id: id.clone(), text: text.clone(), key: key.clone() });
        let (_, end, body) = op.request("everyone");
        let path = format!("{COLLECTION}/{end}");
        let (status, answer) =
            connection.ask(&Request { method: "POST", path: &path, key: Some(&key), body: &body })?;
        self.doubt = None;
        self.acknowledged += 1;
        assert_eq!(status, 200, "{answer}");
        let answer: Value = serde_json::from_str(&answer).unwrap();
        owners.answered(&text, answer["match"]["id"].as_str().unwrap_or(&id));
        Ok(())
    }

    /// Compares what is there with what must be. What was in doubt is there as a whole or not at all.
    pub(crate) fn compare(&mut self, found: &Documents, context: &str) {
        let prefix = format!("{}-", self.name);
        let own = found.iter().filter(|(id, _)| id.starts_with(&prefix));
        let own: Documents = own.map(|(id, text)| (id.clone(), text.clone())).collect();
        match self.doubt.take() {
            Some(Doubt::Stream { ops, answered }) => {
                let mut done = 0;
                while done < answered || (done < ops.len() && own != self.documents) {
                    ops[done].apply(&mut self.documents);
                    done += 1;
                }
            }
            Some(Doubt::One { op, key }) => {
                let mut with = self.documents.clone();
                op.apply(&mut with);
                let doubt = Doubt::One { op, key };
                self.doubt = Some(doubt);
                if own == with {
                    return;
                }
            }
            other => self.doubt = other,
        }
        assert_eq!(own, self.documents, "{context}, {}", self.name);
    }
}
