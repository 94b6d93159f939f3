//! A stream of operations -> a stream of answers.
//!
//! ```text
//! body -> lines -> groups -> answers -> body
//! ```
//!
//! A group is the lines that have come, up to a number and a size. It is run when it is full, or when no more lines come
//! for a moment; then the next lines are read. So memory holds two groups at most, however long the stream is, and a
//! client that does not read its answers is not read from. Writes of a group share one sync. Their answers are sent
//! after it.

mod group;
mod lines;

use self::group::{LineAnswer, answers, write_line};
use self::lines::{Line, Lines};
use super::Problems;
use super::extract::At;
use crate::access::Access;
use crate::guard;
use crate::json::check_type;
use crate::problem::{Problem, Result};
use crate::state::State;
use axum::Extension;
use axum::body::Body;
use axum::extract::{Request, State as With};
use axum::http::header;
use axum::response::{IntoResponse, Response};
use bytes::Bytes;
use http_body_util::BodyExt;
use index::Index;
use std::convert::Infallible;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::mpsc::{Receiver, Sender, channel};

/// A group is run when it has this many bytes, even if it has few lines.
const GROUP_BYTES: usize = 4 << 20;

/// A group waits this long for more lines.
const MOMENT: Duration = Duration::from_millis(1);

/// Many operations as a stream: one JSON object per line, with `op` and the fields of that operation. There is one
/// answer per line, in order. A line that is wrong is answered with `{"error": ...}`, and the stream goes on. Read the
/// answers while you write: the service waits for you.
#[utoipa::path(
    post,
    operation_id = "bulk",
    path = "/v1/collections/{name}/bulk",
    tag = "documents",
    params(("name" = String, Path, description = "The name of the collection")),
    request_body(
        content = String,
        content_type = "application/x-ndjson",
        description = "One object per line: `op` is `add`, `check`, `query` or `remove`; the other fields are those of \
            the single request, with `id`",
        example = "{\"op\": \"check\", \"id\": \"page-10\", \"text\": \"A cat sat on the mat.\", \"add\": true}"
    ),
    responses((status = 200, body = String, content_type = "application/x-ndjson"), Problems)
)]
pub(super) async fn bulk(
    With(state): With<State>,
    Extension(access): Extension<Access>,
    At(name): At<String>,
    request: Request,
) -> Result<Response> {
    check_type(request.headers())?;
    let index = state.collections().get(&name)?;
    let (sender, receiver) = channel(1);
    let stream = Stream { state, index, access, sender, lines: Vec::new(), bytes: 0 };
    let permit = guard::permit();
    tokio::spawn(guard::PERMIT.scope(permit, stream.run(request.into_body())));
    let answers = futures_util::stream::unfold(receiver, next);
    Ok(([(header::CONTENT_TYPE, "application/x-ndjson")], Body::from_stream(answers)).into_response())
}

type Answer = std::result::Result<Bytes, Infallible>;

async fn next(mut receiver: Receiver<Bytes>) -> Option<(Answer, Receiver<Bytes>)> {
    receiver.recv().await.map(|answers| (Ok(answers), receiver))
}

/// A stream that is worked on.
struct Stream {
    state: State,
    index: Arc<Index>,
    access: Access,
    sender: Sender<Bytes>,
    /// The group that is collected.
    lines: Vec<Line>,
    bytes: usize,
}

/// Why a stream ends early: nobody reads the answers.
struct Gone;

impl Stream {
    async fn run(mut self, body: Body) {
        // If the client is gone, nobody can be told.
        let _ = self.read(body).await;
    }

    async fn read(&mut self, mut body: Body) -> std::result::Result<(), Gone> {
        let mut lines = Lines::new(self.state.limits().line);
        loop {
            let piece = if self.lines.is_empty() {
                self.wait(&mut body).await
            } else {
                match tokio::time::timeout(MOMENT, body.frame()).await {
                    Ok(piece) => Ok(piece),
                    Err(_) => {
                        self.run_group().await?;
                        continue;
                    }
                }
            };
            match piece {
                Ok(Some(Ok(frame))) => {
                    if let Some(piece) = frame.data_ref() {
                        lines.push(piece);
                    }
                }
                Ok(None) => break,
                Ok(Some(Err(error))) => {
                    self.run_group().await?;
                    return self.end(Problem::malformed(format!("the body was cut short: {error}"))).await;
                }
                Err(problem) => return self.end(problem).await,
            }
            while let Some(line) = lines.next() {
                self.take(line).await?;
            }
            if self.state.is_stopping() {
                self.run_group().await?;
                return self.end(Problem::stopping()).await;
            }
        }
        if let Some(line) = lines.last() {
            self.take(line).await?;
        }
        self.run_group().await
    }

    /// The next piece, or the reason why nobody waits for it any more.
    async fn wait(
        &self,
        body: &mut Body,
    ) -> Result<Option<std::result::Result<hyper::body::Frame<Bytes>, axum::Error>>> {
        let limit = self.state.limits().time;
        tokio::select! {
            piece = tokio::time::timeout(limit, body.frame()) => {
                piece.map_err(|_| Problem::timed_out(limit.as_secs()))
            }
            () = self.state.stopped() => Err(Problem::stopping()),
        }
    }

    async fn take(&mut self, line: Line) -> std::result::Result<(), Gone> {
        self.bytes += line.len();
        self.lines.push(line);
        if self.lines.len() >= self.state.limits().batch.max(1) || self.bytes >= GROUP_BYTES {
            self.run_group().await?;
        }
        Ok(())
    }

    /// Runs what is collected, and sends the answers.
    async fn run_group(&mut self) -> std::result::Result<(), Gone> {
        let lines = std::mem::take(&mut self.lines);
        self.bytes = 0;
        if lines.is_empty() {
            return Ok(());
        }
        let (index, access) = (Arc::clone(&self.index), self.access);
        let work = move |state: &State| Ok(answers(state, &index, access, &lines));
        match self.state.blocking(work).await {
            Ok(answers) => self.send(answers).await,
            Err(problem) => {
                self.end(problem).await?;
                Err(Gone)
            }
        }
    }

    /// Sends the reason why the rest of the lines is not answered.
    async fn end(&self, error: Problem) -> std::result::Result<(), Gone> {
        let mut written = Vec::new();
        write_line(&mut written, &LineAnswer::Error { error });
        self.send(written).await
    }

    async fn send(&self, answers: Vec<u8>) -> std::result::Result<(), Gone> {
        let limit = self.state.limits().time;
        match tokio::time::timeout(limit, self.sender.send(answers.into())).await {
            Ok(Ok(())) => Ok(()),
            _ => Err(Gone),
        }
    }
}
