//! Listens, serves, and ends in order.
//!
//! ```text
//! shutdown -> no new connections, /v1/ready says 503 -> requests are finished -> indexes are closed
//! ```
//!
//! A connection may take a limited time to send the head of a request, and to [take](crate::connection) an answer.
//! Connections beyond the limit wait.

use crate::api::app;
use crate::connection::Connection;
use crate::error::Error;
use crate::options::Options;
use crate::state::State;
use hyper::server::conn::http1;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::server::graceful::GracefulShutdown;
use hyper_util::service::TowerToHyperService;
use std::future::Future;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Semaphore;

/// How long nothing is accepted after an error of the system, for example because there are too many files.
const PAUSE: Duration = Duration::from_millis(100);

/// The most documents of a collection that are removed at a time because they have expired.
const MOST_EXPIRED: usize = 10_000;

/// A service that listens, and does not answer yet.
#[derive(Debug)]
pub struct Server {
    listener: TcpListener,
    address: SocketAddr,
    state: State,
    options: Options,
}

impl Server {
    /// Opens all collections and listens.
    pub async fn bind(options: Options) -> Result<Self, Error> {
        let state = {
            let options = options.clone();
            let opened = tokio::task::spawn_blocking(move || State::open(&options)).await;
            opened.unwrap_or_else(|panic| std::panic::resume_unwind(panic.into_panic()))?
        };
        let listen = options.listen;
        let at_listen = |cause| Error::Listen { listen, cause };
        let listener = TcpListener::bind(listen).await.map_err(at_listen)?;
        let address = listener.local_addr().map_err(at_listen)?;
        Ok(Self { listener, address, state, options })
    }

    /// The address that it listens on. Its port is a real one, also if port 0 was asked for.
    #[must_use]
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Answers requests until `shutdown` is done. Then it finishes what it has begun, and closes the collections.
    pub async fn run(self, shutdown: impl Future<Output = ()>) -> Result<(), Error> {
        let Self { listener, address, state, options } = self;
        let limits = options.limits;
        tracing::info!(%address, collections = state.collections().all().len(), "the service is ready");
        let expiring = tokio::spawn(expire(state.clone(), options));
        let service = TowerToHyperService::new(app(state.clone()));
        let graceful = GracefulShutdown::new();
        let connections = Arc::new(Semaphore::new(limits.connections.max(1)));
        let mut shutdown = std::pin::pin!(shutdown);
        loop {
            let permit = tokio::select! {
                permit = Arc::clone(&connections).acquire_owned() => permit,
                () = &mut shutdown => break,
            };
            let stream = tokio::select! {
                stream = accept(&listener) => stream,
                () = &mut shutdown => break,
            };
            let connection = http1::Builder::new()
                .timer(TokioTimer::new())
                .header_read_timeout(limits.time)
                .half_close(true)
                .serve_connection(TokioIo::new(Connection::new(stream, limits.time)), service.clone());
            let connection = graceful.watch(connection);
            tokio::spawn(async move {
                // A client that goes away is no error of the service.
                let _ = connection.await;
                drop(permit);
            });
        }
        drop(listener);
        state.stop();
        expiring.abort();
        tracing::info!("the service is being stopped");
        let finished = tokio::time::timeout(limits.grace, graceful.shutdown()).await.is_ok();
        tracing::info!(finished, "no more requests");
        let closed = tokio::task::spawn_blocking(move || state.close(limits.grace)).await;
        closed.unwrap_or_else(|panic| std::panic::resume_unwind(panic.into_panic()))
    }
}

/// Removes what has expired, every now and then, until the task is ended.
async fn expire(state: State, options: Options) {
    let clock = options.index.clock;
    loop {
        tokio::time::sleep(options.expire_every).await;
        let now = clock.now();
        let done = state.blocking(move |state| {
            // A collection that cannot be written to does not keep the others waiting.
            for (collection, index) in state.collections().all() {
                match index.expire(now, MOST_EXPIRED) {
                    Ok(0) => {}
                    Ok(documents) => {
                        tracing::info!(collection, documents, "documents that have expired are removed");
                    }
                    Err(error) => tracing::warn!(collection, %error, "what has expired cannot be removed"),
                }
            }
            Ok(())
        });
        if done.await.is_err() {
            tracing::warn!("what has expired was not looked for");
        }
    }
}

/// The next connection.
async fn accept(listener: &TcpListener) -> TcpStream {
    loop {
        match listener.accept().await {
            Ok((stream, _)) => {
                // Answers are small, and are sent at once.
                let _ = stream.set_nodelay(true);
                return stream;
            }
            Err(error) => {
                tracing::warn!(%error, "a connection cannot be accepted");
                tokio::time::sleep(PAUSE).await;
            }
        }
    }
}

/// Opens all collections, listens and answers requests until `shutdown` is done. Then it finishes what it has begun, and
/// closes the collections.
pub async fn serve(options: Options, shutdown: impl Future<Output = ()>) -> Result<(), Error> {
    Server::bind(options).await?.run(shutdown).await
}
