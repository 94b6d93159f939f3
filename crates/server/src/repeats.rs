//! Answers to writes, kept for a while, so that a write that is sent twice is done once.
//!
//! A client that got no answer does not know whether its write was done. It sends the same request with the same
//! `Idempotency-Key` again. If the first one was done, its answer is sent again and nothing is written. If it is still
//! worked on, the answer is 409 with `Retry-After`. Another body under the same key is refused.
//!
//! Only answers of success are kept: what failed may be tried again. They are kept twice, up to a number and for a time
//! ([`Limits`](crate::Limits)):
//!
//! - in memory, for every kind of write, until the service is started again;
//! - in the collection, in the same commit as the write, if the write is one commit to it ([`applied`]). So a write that
//!   is sent again is one write also after a kill, and no sync is added. Creating and deleting collections, backups, removals
//!   by metadata and what concerns a whole collection are not such writes: done again, they do nothing more, or say that it
//!   is there already.

use crate::guard::{PERMIT, permit};
use crate::json;
use crate::options::Limits;
use crate::problem::{MEDIA_TYPE, Problem};
use crate::state::State;
use axum::Json;
use axum::body::Body;
use axum::extract::{MatchedPath, Request};
use axum::http::{HeaderName, Method, StatusCode, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use bytes::Bytes;
use index::{Applied, Change, Changed, Ticket};
use serde::Serialize;
use std::collections::{HashMap, VecDeque};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// The most bytes of a key.
const MOST_KEY_BYTES: usize = 256;

/// The most bytes of all answers that are kept.
const MOST_BYTES: usize = 64 << 20;

const HEADER: HeaderName = HeaderName::from_static("idempotency-key");

/// The answers that are kept.
#[derive(Debug)]
pub(crate) struct Repeats {
    kept: Mutex<Kept>,
    most: usize,
    time: Duration,
}

#[derive(Debug, Default)]
struct Kept {
    by_key: HashMap<blake3::Hash, Entry>,
    /// The keys with the times of their beginnings, oldest first.
    ages: VecDeque<(Instant, blake3::Hash)>,
    /// The bytes of all answers.
    bytes: usize,
}

impl Kept {
    /// Forgets the oldest while `must_go` says so.
    fn forget(&mut self, must_go: impl Fn(&Self, Instant) -> bool) {
        while let Some(&(began, oldest)) = self.ages.front()
            && must_go(self, began)
        {
            self.ages.pop_front();
            if self.by_key.get(&oldest).is_some_and(|entry| entry.began == began) {
                self.remove(&oldest);
            }
        }
    }

    fn remove(&mut self, key: &blake3::Hash) {
        if let Some(Entry { answer: Some((_, body)), .. }) = self.by_key.remove(key) {
            self.bytes -= body.len();
        }
    }
}

#[derive(Debug, Clone)]
struct Entry {
    body: blake3::Hash,
    began: Instant,
    /// `None` while it is worked on.
    answer: Option<(StatusCode, Bytes)>,
}

enum Found {
    Nothing,
    Working,
    Other,
    Answer(StatusCode, Bytes),
}

impl Repeats {
    pub(crate) fn new(most: usize, time: Duration) -> Self {
        Self { kept: Mutex::default(), most: most.max(1), time }
    }

    fn lock(&self) -> MutexGuard<'_, Kept> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// What is known of a key. If it is nothing, the key is worked on from now on.
    fn begin(&self, key: blake3::Hash, body: blake3::Hash) -> Found {
        let now = Instant::now();
        let mut kept = self.lock();
        kept.forget(|kept, began| kept.ages.len() >= self.most || now - began > self.time);
        match kept.by_key.get(&key) {
            Some(entry) if entry.body != body => Found::Other,
            Some(Entry { answer: Some((status, body)), .. }) => Found::Answer(*status, body.clone()),
            Some(_) => Found::Working,
            None => {
                kept.by_key.insert(key, Entry { body, began: now, answer: None });
                kept.ages.push_back((now, key));
                Found::Nothing
            }
        }
    }

    /// Keeps the answer for a key that is worked on.
    fn end(&self, key: blake3::Hash, answer: (StatusCode, Bytes)) {
        let mut kept = self.lock();
        let bytes = answer.1.len();
        if let Some(entry) = kept.by_key.get_mut(&key)
            && entry.answer.is_none()
        {
            entry.answer = Some(answer);
            kept.bytes += bytes;
        }
        kept.forget(|kept, _| kept.bytes > MOST_BYTES);
    }
}

/// Forgets a key unless it has got an answer.
struct Working(State, blake3::Hash);

impl Drop for Working {
    fn drop(&mut self) {
        let mut kept = self.0.repeats().lock();
        if kept.by_key.get(&self.1).is_some_and(|entry| entry.answer.is_none()) {
            kept.remove(&self.1);
        }
    }
}

/// Answers a write that was done before with the answer that it had.
pub(crate) async fn once(
    axum::extract::State(state): axum::extract::State<State>,
    request: Request,
    next: Next,
) -> Response {
    let route = request.extensions().get::<MatchedPath>().map_or("", MatchedPath::as_str);
    let only_reads = matches!(*request.method(), Method::GET | Method::HEAD)
        || route.ends_with("/query")
        || route.ends_with("/verify")
        || route.ends_with("/compare");
    if only_reads || !request.headers().contains_key(HEADER) {
        return next.run(request).await;
    }
    match repeated(state, request, next).await {
        Ok(response) => response,
        Err(problem) => problem.into_response(),
    }
}

async fn repeated(state: State, request: Request, next: Next) -> Result<Response, Problem> {
    let sent = request.headers().get(HEADER).map_or(&b""[..], |sent| sent.as_bytes());
    if !(1..=MOST_KEY_BYTES).contains(&sent.len()) {
        return Err(Problem::malformed(format!("an Idempotency-Key has 1 to {MOST_KEY_BYTES} bytes")));
    }
    let route = request.extensions().get::<MatchedPath>().map(MatchedPath::as_str);
    if route.is_some_and(|route| route.ends_with("/bulk")) {
        return Err(Problem::malformed("a stream of many writes cannot have an Idempotency-Key")
            .advise("repeat the lines without an answer: `check` and `add` do not add an id twice"));
    }
    let key = key_of(&request, sent);
    let (mut head, body) = request.into_parts();
    let body = json::read(body, state.limits().body).await?;
    let request = blake3::hash(&body);
    match state.repeats().begin(key, request) {
        Found::Other => Err(other_body()),
        Found::Working => {
            Err(Problem::new(StatusCode::CONFLICT, "still-working", "this write is still worked on").retry())
        }
        Found::Answer(status, body) => {
            Ok((status, [(header::CONTENT_TYPE, "application/json")], body).into_response())
        }
        Found::Nothing => {
            // It is finished even if the client goes away, and its answer is kept.
            let working = Working(state.clone(), key);
            let Limits { repeats, repeats_time, .. } = *state.limits();
            head.extensions.insert(Ticket {
                key: *key.as_bytes(),
                request: *request.as_bytes(),
                most: repeats as u64,
                time: repeats_time,
            });
            let permit = permit();
            let task = tokio::spawn(PERMIT.scope(permit, async move {
                let response = next.run(Request::from_parts(head, Body::from(body))).await;
                let response = kept_answer(&state, key, response).await;
                drop(working);
                response
            }));
            task.await.map_err(|_| Problem::internal("the request could not be finished"))
        }
    }
}

fn other_body() -> Problem {
    Problem::invalid("this Idempotency-Key was used for another body").advise("use a new key for each write")
}

/// Makes changes to a collection, all or none, and answers when they are on disk. With a ticket, what was done before is
/// answered as it was then.
pub(crate) async fn applied<A: Serialize + 'static>(
    state: &State,
    name: &str,
    changes: Vec<Change>,
    ticket: Option<Ticket>,
    answer: impl FnOnce(Vec<Changed>) -> Result<(StatusCode, A), Problem> + Send + 'static,
) -> Result<Response, Problem> {
    let work = move |index: &index::Index| {
        let mut made = Err(Problem::internal("changes have an answer"));
        let applied = index.apply_once(&changes, ticket.as_ref(), |changed| {
            made = answer(changed);
            made.as_ref().map_or_else(|_| Vec::new(), |(status, answer)| stored(*status, answer))
        })?;
        match applied {
            Applied::Now(_) => made.map(|(status, answer)| (status, Json(answer)).into_response()),
            Applied::Before(answer) => again(&answer),
            Applied::Other => Err(other_body()),
        }
    };
    state.with_index(name, work).await
}

/// An answer as it is stored: two bytes of its status, and its body.
fn stored(status: StatusCode, answer: &impl Serialize) -> Vec<u8> {
    let mut bytes = status.as_u16().to_be_bytes().to_vec();
    // Writing to memory does not fail, and all answers can be written as JSON.
    let _ = serde_json::to_writer(&mut bytes, answer);
    bytes
}

/// A stored answer, sent again.
fn again(stored: &[u8]) -> Result<Response, Problem> {
    let (status, body) = stored.split_first_chunk().unwrap_or((&[0; 2], &[]));
    let status = StatusCode::from_u16(u16::from_be_bytes(*status))
        .map_err(|_| Problem::internal("the stored answer of this write cannot be read"))?;
    Ok((status, [(header::CONTENT_TYPE, "application/json")], body.to_vec()).into_response())
}

/// Keeps the answer if it is one of success.
async fn kept_answer(state: &State, key: blake3::Hash, response: Response) -> Response {
    let is_problem = response.headers().get(header::CONTENT_TYPE).is_some_and(|kind| kind == MEDIA_TYPE);
    if !response.status().is_success() || is_problem {
        return response;
    }
    let (head, body) = response.into_parts();
    match json::read(body, usize::MAX).await {
        Ok(bytes) => {
            state.repeats().end(key, (head.status, bytes.clone()));
            Response::from_parts(head, Body::from(bytes))
        }
        Err(problem) => problem.into_response(),
    }
}

/// A key counts for one client, one method and one address.
fn key_of(request: &Request, sent: &[u8]) -> blake3::Hash {
    let mut hasher = blake3::Hasher::new();
    let uri = request.uri().path_and_query().map_or("", |uri| uri.as_str());
    let token = request.headers().get(header::AUTHORIZATION).map_or(&b""[..], |sent| sent.as_bytes());
    for part in [request.method().as_str().as_bytes(), uri.as_bytes(), token, sent] {
        hasher.update(&(part.len() as u64).to_le_bytes()).update(part);
    }
    hasher.finalize()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hash(number: usize) -> blake3::Hash {
        blake3::hash(&number.to_le_bytes())
    }

    #[test]
    fn the_oldest_answers_are_forgotten_by_number_and_by_size() {
        let repeats = Repeats::new(100, Duration::from_secs(3_600));
        let add = |number: usize, body: Bytes| {
            assert!(matches!(repeats.begin(hash(number), hash(0)), Found::Nothing));
            assert!(matches!(repeats.begin(hash(number), hash(0)), Found::Working));
            repeats.end(hash(number), (StatusCode::OK, body));
            assert!(matches!(repeats.begin(hash(number), hash(1)), Found::Other));
        };
        for number in 0..1_000 {
            add(number, Bytes::from_static(b"small"));
        }
        assert!(repeats.lock().by_key.len() <= 100 && repeats.lock().bytes <= 500);
        assert!(matches!(repeats.begin(hash(999), hash(0)), Found::Answer(StatusCode::OK, _)));
        for number in 1_000..1_080 {
            add(number, vec![0; 1 << 20].into());
        }
        let kept = repeats.lock();
        assert!(kept.bytes <= MOST_BYTES && kept.by_key.len() == 64, "{}", kept.by_key.len());
        assert_eq!(kept.ages.len(), kept.by_key.len());
    }

    #[test]
    fn old_answers_are_forgotten() {
        let repeats = Repeats::new(100, Duration::ZERO);
        assert!(matches!(repeats.begin(hash(1), hash(0)), Found::Nothing));
        repeats.end(hash(1), (StatusCode::OK, Bytes::new()));
        std::thread::sleep(Duration::from_millis(1));
        assert!(matches!(repeats.begin(hash(1), hash(0)), Found::Nothing));
    }
}
