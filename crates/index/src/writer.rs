//! Writers, one after the other, that share one sync.
//!
//! ```text
//! writer A: work | wait for the commit ----------------> done
//! writer B:      | work | wait ------------------------> done   (the same commit as A)
//! writer C:                | work while A and B are synced | wait -> done
//! ```
//!
//! A writer works under a lock, so that nothing comes between its looking and its writing. What it writes is collected
//! in memory, and later writers see it. Then it lets go of the lock and waits. The first who waits commits everything
//! that has been collected, with one sync, while the next ones work already. A writer returns when all that it may have
//! seen is on disk.
//!
//! If a commit fails, nobody knows how much of it is on disk. So all who wait get the error, and nothing is written any
//! more until the index is opened again.

use crate::folder::Acknowledged;
use crate::store::{Batch, Read, Space, Store, Value};
use crate::values::{COUNTERS_KEY, Counters};
use crate::{Error, Result};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};

/// Collects writes and commits them in groups.
#[derive(Debug)]
pub(crate) struct Writer {
    state: Mutex<State>,
    changed: Condvar,
    /// True if nothing is written any more. Whoever asks does not wait for a writer.
    is_refused: AtomicBool,
}

#[derive(Debug)]
struct State {
    counters: Counters,
    /// What writers have written since the last commit began.
    collected: Batch,
    /// What is being committed.
    committing: Option<Arc<Batch>>,
    /// The group that is being collected; the first is 1.
    group: u64,
    /// The last group that is committed.
    committed: u64,
    /// Why nothing is written any more.
    refused: Option<Refusal>,
    acknowledged: Acknowledged,
}

/// Why nothing is written any more.
#[derive(Debug, Clone)]
enum Refusal {
    /// A write failed with this message.
    Failed(String),
    /// The folder cannot be written to.
    ReadOnly { path: PathBuf },
    /// The store has lost batches.
    Lost { path: PathBuf, lost: u64, acknowledged: u64 },
}

/// What one writer does: it sees its own writes, then those that are not committed yet, then the store.
pub(crate) struct Transaction<'a> {
    own: Batch,
    collected: &'a Batch,
    committing: Option<&'a Batch>,
    store: &'a dyn Read,
    pub(crate) counters: Counters,
}

impl Transaction<'_> {
    pub(crate) fn put(&mut self, space: Space, key: impl Into<Value>, value: impl Into<Value>) {
        self.own.put(space, key, value);
    }

    pub(crate) fn remove(&mut self, space: Space, key: impl Into<Value>) {
        self.own.remove(space, key);
    }

    /// True if nothing was written.
    pub(crate) fn is_empty(&self) -> bool {
        self.own.is_empty()
    }

    /// Runs a step that leaves nothing behind if it fails.
    pub(crate) fn step<R>(&mut self, step: impl FnOnce(&mut Transaction<'_>) -> Result<R>) -> Result<R> {
        let mut inner = Transaction {
            own: Batch::default(),
            collected: &self.own,
            committing: Some(self.collected),
            store: &Below { committing: self.committing, store: self.store },
            counters: self.counters,
        };
        let result = step(&mut inner)?;
        let (own, counters) = (inner.own, inner.counters);
        self.own.extend(own);
        self.counters = counters;
        Ok(result)
    }
}

impl Read for Transaction<'_> {
    fn get(&self, space: Space, key: &[u8]) -> Result<Option<Value>> {
        for batch in [Some(&self.own), Some(self.collected), self.committing].into_iter().flatten() {
            if let Some(value) = batch.get(space, key) {
                return Ok(value.clone());
            }
        }
        self.store.get(space, key)
    }
}

/// A store under a batch that is being committed, for reading.
struct Below<'a> {
    committing: Option<&'a Batch>,
    store: &'a dyn Read,
}

impl Read for Below<'_> {
    fn get(&self, space: Space, key: &[u8]) -> Result<Option<Value>> {
        match self.committing.and_then(|batch| batch.get(space, key)) {
            Some(value) => Ok(value.clone()),
            None => self.store.get(space, key),
        }
    }
}

impl Writer {
    pub(crate) fn new(counters: Counters, acknowledged: Acknowledged) -> Self {
        let state = State {
            counters,
            collected: Batch::default(),
            committing: None,
            group: 1,
            committed: 0,
            refused: None,
            acknowledged,
        };
        Self { state: Mutex::new(state), changed: Condvar::new(), is_refused: AtomicBool::new(false) }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        // A writer that panicked has not changed the state: it is changed in one step when its work is done.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Does the work of one writer. When this returns `Ok`, what it wrote and what it saw is on disk. If the work
    /// returns an error, nothing of it is written.
    pub(crate) fn write<R>(
        &self,
        store: &dyn Store,
        work: impl FnOnce(&mut Transaction<'_>) -> Result<R>,
    ) -> Result<R> {
        let mut state = self.lock();
        check(&state)?;
        let committing = state.committing.clone();
        let mut transaction = Transaction {
            own: Batch::default(),
            collected: &state.collected,
            committing: committing.as_deref(),
            store,
            counters: state.counters,
        };
        let result = work(&mut transaction);
        let (own, counters) = (transaction.own, transaction.counters);
        if result.is_ok() && !own.is_empty() {
            state.collected.extend(own);
            state.counters = counters;
        }
        let awaited = state.group - u64::from(state.collected.is_empty());
        self.wait(state, store, awaited)?;
        result
    }

    /// Waits until a group is committed, and commits it if nobody else does.
    fn wait<'s>(&'s self, mut state: MutexGuard<'s, State>, store: &dyn Store, awaited: u64) -> Result<()> {
        loop {
            if state.committed >= awaited {
                return Ok(());
            }
            check(&state)?;
            if state.committing.is_some() {
                state = self.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
                continue;
            }
            let mut batch = std::mem::take(&mut state.collected);
            state.counters.batch += 1;
            let number = state.counters.batch;
            batch.put(Space::Meta, COUNTERS_KEY.to_vec(), state.counters.encode());
            let batch = Arc::new(batch);
            state.committing = Some(Arc::clone(&batch));
            let group = state.group;
            state.group += 1;
            drop(state);
            let committed = without_panic(|| store.commit(&batch));
            state = self.lock();
            let committed = committed.and_then(|()| state.acknowledged.set(number));
            state.committing = None;
            match committed {
                Ok(()) => state.committed = group,
                Err(error) => {
                    self.refuse(&mut state, Refusal::Failed(error.to_string()));
                    self.changed.notify_all();
                    return Err(error);
                }
            }
            self.changed.notify_all();
        }
    }

    /// Keeps all other writers out, after all that is collected is committed, and hands out the counters. What `work`
    /// makes of them is what the next writer sees; it must have committed them itself.
    pub(crate) fn alone<R>(
        &self,
        store: &dyn Store,
        work: impl FnOnce(&mut Counters) -> Result<R>,
    ) -> Result<R> {
        loop {
            let mut state = self.lock();
            check(&state)?;
            if state.committing.is_none() && state.collected.is_empty() {
                let mut counters = state.counters;
                let result = without_panic(|| work(&mut counters));
                return match result {
                    Ok(result) => {
                        state.counters = counters;
                        state.acknowledged.set(counters.batch)?;
                        Ok(result)
                    }
                    Err(error) => {
                        // How much was written is not known.
                        self.refuse(&mut state, Refusal::Failed(error.to_string()));
                        Err(error)
                    }
                };
            }
            let awaited = state.group - u64::from(state.collected.is_empty());
            self.wait(state, store, awaited)?;
        }
    }

    /// Refuses writes from now on: the store has lost batches.
    pub(crate) fn refuse_lost(&self, path: PathBuf, lost: u64, acknowledged: u64) {
        self.refuse(&mut self.lock(), Refusal::Lost { path, lost, acknowledged });
    }

    /// Refuses writes from now on: the folder cannot be written to.
    pub(crate) fn refuse_read_only(&self, path: PathBuf) {
        self.refuse(&mut self.lock(), Refusal::ReadOnly { path });
    }

    fn refuse(&self, state: &mut State, refusal: Refusal) {
        state.refused = Some(refusal);
        self.is_refused.store(true, Ordering::Relaxed);
    }

    /// True if nothing is written any more.
    pub(crate) fn is_refused(&self) -> bool {
        self.is_refused.load(Ordering::Relaxed)
    }

    /// An error if nothing is written any more.
    pub(crate) fn check(&self) -> Result<()> {
        check(&self.lock())
    }

    /// An error if nothing is written any more because something is wrong with what is there.
    pub(crate) fn check_whole(&self) -> Result<()> {
        match self.check() {
            Err(Error::ReadOnly { .. }) => Ok(()),
            checked => checked,
        }
    }
}

/// A panic as an error: how much was written is not known then, and nothing more must be.
fn without_panic<R>(work: impl FnOnce() -> Result<R>) -> Result<R> {
    catch_unwind(AssertUnwindSafe(work))
        .unwrap_or_else(|_| Err(Error::Store { action: "write", cause: "it panicked".into() }))
}

fn check(state: &State) -> Result<()> {
    match state.refused.clone() {
        Some(Refusal::Failed(cause)) => Err(Error::Failed { cause }),
        Some(Refusal::ReadOnly { path }) => Err(Error::ReadOnly { path }),
        Some(Refusal::Lost { path, lost, acknowledged }) => Err(Error::Lost { path, lost, acknowledged }),
        None => Ok(()),
    }
}
