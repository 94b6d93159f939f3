//! Lines -> answers, with one commit for all writes that follow each other.

use super::lines::Line;
use crate::access::Access;
use crate::json::{self, Object};
use crate::model::{
    AddLine, CheckAnswer, CheckRequest, PutAnswer, QueryAnswer, QueryRequest, RemoveLine, Removed,
};
use crate::problem::{Problem, Result};
use crate::state::State;
use index::{Change, Changed, Index, Query};
use serde::Serialize;
use serde_json::Value;

const OPS: [&str; 4] = ["add", "check", "query", "remove"];

/// What a line asks for.
enum Asked {
    Change(Change),
    Query(Box<Query>),
}

/// The answer of a line.
#[derive(Serialize)]
#[serde(untagged)]
pub(super) enum LineAnswer {
    Put(PutAnswer),
    Check(CheckAnswer),
    Query(QueryAnswer),
    Removed(Removed),
    Error { error: Problem },
}

/// The answers of lines, in order, as lines. Each line sees what those before it have done. When this returns, all that
/// was written is on disk.
pub(super) fn answers(state: &State, index: &Index, access: Access, lines: &[Line]) -> Vec<u8> {
    let mut answers: Vec<(&'static str, Option<LineAnswer>)> = Vec::with_capacity(lines.len());
    let mut changes: Vec<Change> = Vec::new();
    for line in lines {
        match asked(state, access, line) {
            (op, Ok(Asked::Change(change))) => {
                changes.push(change);
                answers.push((op, None));
            }
            (op, Ok(Asked::Query(query))) => {
                // A query sees the writes before it.
                apply(index, &mut changes, &mut answers);
                let answer = match index.query(&query) {
                    Ok(answer) => LineAnswer::Query(answer.into()),
                    Err(error) => LineAnswer::Error { error: error.into() },
                };
                answers.push((op, Some(answer)));
            }
            (op, Err(error)) => answers.push((op, Some(LineAnswer::Error { error }))),
        }
    }
    apply(index, &mut changes, &mut answers);
    let mut written = Vec::new();
    for (op, answer) in answers {
        let answer = answer.unwrap_or_else(|| LineAnswer::Error {
            error: Problem::internal("a line has no answer; this is a fault of the service"),
        });
        state.metrics().line(op, !matches!(answer, LineAnswer::Error { .. }));
        write_line(&mut written, &answer);
    }
    written
}

/// Writes an answer and the end of its line.
pub(super) fn write_line(written: &mut Vec<u8>, answer: &LineAnswer) {
    // Writing to memory does not fail, and all answers can be written as JSON.
    let _ = serde_json::to_writer(&mut *written, answer);
    written.push(b'\n');
}

/// Makes the changes, and gives those that have none their answers.
fn apply(index: &Index, changes: &mut Vec<Change>, answers: &mut [(&'static str, Option<LineAnswer>)]) {
    if changes.is_empty() {
        return;
    }
    let changes = std::mem::take(changes);
    let waiting = answers.iter_mut().filter(|(_, answer)| answer.is_none());
    match index.apply(&changes) {
        Ok(made) => {
            for ((_, answer), made) in waiting.zip(made) {
                *answer = Some(match made {
                    Ok(changed) => line_answer(changed),
                    Err(error) => LineAnswer::Error { error: error.into() },
                });
            }
        }
        Err(error) => {
            let error = Problem::from(error);
            for (_, answer) in waiting {
                *answer = Some(LineAnswer::Error { error: error.clone() });
            }
        }
    }
}

fn line_answer(changed: Changed) -> LineAnswer {
    match changed {
        Changed::Put { number, replaced } => LineAnswer::Put(PutAnswer { number, replaced }),
        Changed::Checked(checked) => LineAnswer::Check(checked.into()),
        Changed::Removed(there) => LineAnswer::Removed(Removed { removed: u64::from(there) }),
        _ => LineAnswer::Error { error: Problem::internal("an answer of an unknown kind") },
    }
}

/// What a line asks for, with the name of its operation.
fn asked(state: &State, access: Access, line: &Line) -> (&'static str, Result<Asked>) {
    let Line::Whole(line) = line else {
        return ("none", Err(Problem::too_large("the line", state.limits().line)));
    };
    let (op, object) = match operation(line) {
        Ok(read) => read,
        Err(problem) => return ("none", Err(problem)),
    };
    (op, asked_by(state, access, op, object))
}

fn operation(line: &[u8]) -> Result<(&'static str, Object)> {
    let mut object = json::object(line)?;
    let op = match object.remove("op") {
        Some(Value::String(op)) => op,
        Some(_) => return Err(Problem::invalid("`op` must be a string")),
        None => return Err(Problem::invalid("`op` is missing").advise(format!("one of: {}", OPS.join(", ")))),
    };
    match OPS.into_iter().find(|known| **known == op) {
        Some(op) => Ok((op, object)),
        None => Err(json::unknown_name("operation", &op, &OPS)),
    }
}

fn asked_by(state: &State, access: Access, op: &str, object: Object) -> Result<Asked> {
    let change = match op {
        "add" => json::typed::<AddLine>(object)?.change(state)?,
        "remove" => Change::Remove(json::typed::<RemoveLine>(object)?.id),
        "query" => return Ok(Asked::Query(Box::new(json::typed::<QueryRequest>(object)?.query(state)?))),
        _ => {
            let check = json::typed::<CheckRequest>(object)?.check(state)?;
            Change::Check { document: check.document, add: check.add, on_match: check.on_match }
        }
    };
    if !matches!(change, Change::Check { add: false, .. }) {
        access.require(Access::Write)?;
    }
    Ok(Asked::Change(change))
}
