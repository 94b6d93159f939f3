//! What all requests share: the collections, who may do what, the limits, and the numbers about the service.

use crate::access::Keys;
use crate::collections::Collections;
use crate::error::Error;
use crate::metrics::Metrics;
use crate::options::{Limits, Options};
use crate::problem::{Problem, Result};
use crate::repeats::Repeats;
use index::Index;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::{OwnedSemaphorePermit, Semaphore, watch};

/// What all requests share. Copies share the same.
#[derive(Debug, Clone)]
pub struct State(Arc<Shared>);

#[derive(Debug)]
struct Shared {
    collections: Collections,
    keys: Keys,
    limits: Limits,
    backups: Option<PathBuf>,
    metrics: Metrics,
    repeats: Repeats,
    /// One permit per request that is worked on.
    permits: Arc<Semaphore>,
    /// True when the service is being stopped.
    stopping: watch::Sender<bool>,
    is_local: bool,
}

impl State {
    /// Opens all collections. The options are checked before that.
    pub fn open(options: &Options) -> std::result::Result<Self, Error> {
        let is_local = options.listen.ip().is_loopback();
        if !is_local && options.tokens.is_empty() && !options.allow_anyone {
            return Err(Error::Open { listen: options.listen });
        }
        let keys = Keys::new(&options.tokens)?;
        let Limits { requests, repeats, repeats_time, .. } = options.limits;
        Ok(Self(Arc::new(Shared {
            collections: Collections::open(options)?,
            keys,
            limits: options.limits,
            backups: options.backups.clone(),
            metrics: Metrics::default(),
            repeats: Repeats::new(repeats, repeats_time),
            permits: Arc::new(Semaphore::new(requests)),
            stopping: watch::Sender::new(false),
            is_local,
        })))
    }

    /// Takes no new requests from now on.
    pub fn stop(&self) {
        self.0.stopping.send_replace(true);
    }

    /// Takes no new requests, waits for those that are worked on, and closes all collections. Nothing that was
    /// acknowledged is lost even without it.
    pub fn close(&self, patience: Duration) -> std::result::Result<(), Error> {
        self.stop();
        match self.0.collections.close(patience) {
            0 => Ok(()),
            collections => Err(Error::NotClosed { collections }),
        }
    }

    pub(crate) fn is_stopping(&self) -> bool {
        *self.0.stopping.borrow()
    }

    /// Waits until the service is being stopped.
    pub(crate) async fn stopped(&self) {
        // The sender lives as long as this.
        let _ = self.0.stopping.subscribe().wait_for(|stopping| *stopping).await;
    }

    /// True if only this machine can reach the service.
    pub(crate) fn is_local(&self) -> bool {
        self.0.is_local
    }

    pub(crate) fn collections(&self) -> &Collections {
        &self.0.collections
    }

    pub(crate) fn keys(&self) -> &Keys {
        &self.0.keys
    }

    pub(crate) fn limits(&self) -> &Limits {
        &self.0.limits
    }

    pub(crate) fn backups(&self) -> Option<&PathBuf> {
        self.0.backups.as_ref()
    }

    pub(crate) fn metrics(&self) -> &Metrics {
        &self.0.metrics
    }

    pub(crate) fn repeats(&self) -> &Repeats {
        &self.0.repeats
    }

    /// The permission to work on a request.
    pub(crate) fn permit(&self) -> Result<OwnedSemaphorePermit> {
        if self.is_stopping() {
            return Err(Problem::stopping());
        }
        Arc::clone(&self.0.permits).try_acquire_owned().map_err(|_| Problem::too_many(self.0.limits.requests))
    }

    /// Does something that blocks, on a thread that may. It is finished even if the client does not wait for it.
    pub(crate) async fn blocking<R: Send + 'static>(
        &self,
        work: impl FnOnce(&Self) -> Result<R> + Send + 'static,
    ) -> Result<R> {
        let (state, permit) = (self.clone(), crate::guard::permit());
        let task = tokio::task::spawn_blocking(move || {
            let result = work(&state);
            drop(permit);
            result
        });
        match task.await {
            Ok(result) => result,
            Err(error) => {
                tracing::error!(%error, "a request panicked");
                Err(Problem::internal("the request could not be finished; this is a fault of the service"))
            }
        }
    }

    /// Does something with a collection that blocks.
    pub(crate) async fn with_index<R: Send + 'static>(
        &self,
        name: &str,
        work: impl FnOnce(&Index) -> Result<R> + Send + 'static,
    ) -> Result<R> {
        let index = self.0.collections.get(name)?;
        self.blocking(move |_| work(&index)).await
    }
}
