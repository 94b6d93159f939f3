//! A connection on which writing has a time limit.
//!
//! A client that sends requests and never reads fills the buffers between it and the service. From then on a write waits
//! for it. If it takes nothing for the time of the limit, the write is an error, and the connection is closed. A client
//! that reads slowly is not cut off: the time begins anew whenever it takes something.

use std::io::{Error, ErrorKind, IoSlice, Result};
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::time::{Instant, Sleep};

/// A connection whose writes fail if the other side takes nothing for a while.
#[derive(Debug)]
pub(crate) struct Connection<S> {
    stream: S,
    limit: Duration,
    /// When the write that waits now has waited for too long.
    end: Pin<Box<Sleep>>,
    is_waiting: bool,
}

impl<S> Connection<S> {
    pub(crate) fn new(stream: S, limit: Duration) -> Self {
        Self { stream, limit, end: Box::pin(tokio::time::sleep(limit)), is_waiting: false }
    }

    /// What a write has done, or an error if it has waited for too long.
    fn within_limit<T>(&mut self, context: &mut Context<'_>, outcome: Poll<Result<T>>) -> Poll<Result<T>> {
        if outcome.is_ready() {
            self.is_waiting = false;
            return outcome;
        }
        if !std::mem::replace(&mut self.is_waiting, true) {
            self.end.as_mut().reset(Instant::now() + self.limit);
        }
        match self.end.as_mut().poll(context) {
            Poll::Ready(()) => Poll::Ready(Err(Error::new(ErrorKind::TimedOut, "nobody reads the answer"))),
            Poll::Pending => Poll::Pending,
        }
    }
}

impl<S: AsyncRead + Unpin> AsyncRead for Connection<S> {
    fn poll_read(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
        into: &mut ReadBuf<'_>,
    ) -> Poll<Result<()>> {
        Pin::new(&mut self.get_mut().stream).poll_read(context, into)
    }
}

impl<S: AsyncWrite + Unpin> AsyncWrite for Connection<S> {
    fn poll_write(self: Pin<&mut Self>, context: &mut Context<'_>, bytes: &[u8]) -> Poll<Result<usize>> {
        let this = self.get_mut();
        let outcome = Pin::new(&mut this.stream).poll_write(context, bytes);
        this.within_limit(context, outcome)
    }

    fn poll_write_vectored(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
        pieces: &[IoSlice<'_>],
    ) -> Poll<Result<usize>> {
        let this = self.get_mut();
        let outcome = Pin::new(&mut this.stream).poll_write_vectored(context, pieces);
        this.within_limit(context, outcome)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_flush(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Result<()>> {
        let this = self.get_mut();
        let outcome = Pin::new(&mut this.stream).poll_flush(context);
        this.within_limit(context, outcome)
    }

    fn poll_shutdown(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Result<()>> {
        let this = self.get_mut();
        let outcome = Pin::new(&mut this.stream).poll_shutdown(context);
        this.within_limit(context, outcome)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::future::poll_fn;

    /// Takes a byte whenever it is allowed to.
    #[derive(Debug)]
    struct Reader {
        takes: bool,
    }

    impl AsyncWrite for Reader {
        fn poll_write(self: Pin<&mut Self>, _: &mut Context<'_>, _: &[u8]) -> Poll<Result<usize>> {
            if self.takes { Poll::Ready(Ok(1)) } else { Poll::Pending }
        }

        fn poll_flush(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<Result<()>> {
            Poll::Ready(Ok(()))
        }

        fn poll_shutdown(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<Result<()>> {
            Poll::Ready(Ok(()))
        }
    }

    #[tokio::test]
    async fn a_write_that_nobody_takes_is_an_error() {
        let mut connection = Connection::new(Reader { takes: false }, Duration::from_millis(10));
        let write = poll_fn(|context| Pin::new(&mut connection).poll_write(context, b"answer"));
        assert_eq!(write.await.unwrap_err().kind(), ErrorKind::TimedOut);
    }

    #[tokio::test]
    async fn the_time_begins_anew_when_something_is_taken() {
        let limit = Duration::from_secs(3_600);
        let mut connection = Connection::new(Reader { takes: false }, limit);
        poll_fn(|context| {
            let mut ends = Vec::new();
            for takes in [false, false, true, false] {
                connection.stream.takes = takes;
                let outcome = Pin::new(&mut connection).poll_write(context, b"answer");
                assert_eq!(outcome.is_ready(), takes);
                ends.push(connection.end.deadline());
            }
            // It does not while nothing is taken.
            assert!(ends[0] == ends[1] && ends[1] == ends[2] && ends[2] < ends[3], "{ends:?}");
            Poll::Ready(())
        })
        .await;
    }
}
