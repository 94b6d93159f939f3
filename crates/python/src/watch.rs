//! Runs long work on a separate thread, while the calling thread handles signals and progress.
//!
//! Python handles signals in the main thread only, and only while that thread runs Python. Therefore the work runs on
//! another thread, without the interpreter. The calling thread wakes up several times a second, updates the progress
//! bar, and checks whether Ctrl-C was pressed. If it was, the work is asked to stop, and the calling thread waits for
//! it.

use crate::errors::{Raise, panicked};
use pipeline::{Observer, Stage};
use pyo3::prelude::*;
use pyo3::types::PyDict;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// The longest time for which the calling thread sleeps.
const NAP: Duration = Duration::from_millis(50);

/// What happened since the calling thread last woke up.
#[derive(Debug)]
enum Event {
    Started(Stage, u64),
    Advanced(u64),
    Finished,
}

#[derive(Debug, Default)]
struct Watched {
    events: Vec<Event>,
    done: bool,
}

#[derive(Debug, Default)]
struct Watch {
    watched: Mutex<Watched>,
    news: Condvar,
    stop: AtomicBool,
    /// True if there is a progress bar.
    shown: bool,
}

impl Watch {
    fn watched(&self) -> MutexGuard<'_, Watched> {
        self.watched.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn push(&self, event: Event) {
        if self.shown {
            self.watched().events.push(event);
        }
    }
}

impl Observer for Watch {
    fn started(&self, stage: Stage, total: u64) {
        self.push(Event::Started(stage, total));
    }

    fn advanced(&self, _: Stage, amount: u64) {
        if self.shown {
            let events = &mut self.watched().events;
            match events.last_mut() {
                Some(Event::Advanced(before)) => *before += amount,
                _ => events.push(Event::Advanced(amount)),
            }
        }
    }

    fn finished(&self, _: Stage) {
        self.push(Event::Finished);
    }

    fn interrupted(&self) -> bool {
        self.stop.load(Ordering::Relaxed)
    }
}

/// Reports that the work is done when it is dropped, even after a panic.
struct Done<'a>(&'a Watch);

impl Drop for Done<'_> {
    fn drop(&mut self) {
        self.0.watched().done = true;
        self.0.news.notify_all();
    }
}

/// Runs `work` without the interpreter. `progress` is called for each stage with the arguments of `tqdm`: `total`,
/// `desc` and `unit`.
pub(crate) fn watched<T: Send>(
    py: Python<'_>,
    progress: Option<&Bound<'_, PyAny>>,
    work: impl FnOnce(&dyn Observer) -> pipeline::Result<T> + Send,
) -> PyResult<T> {
    let watch = Watch { shown: progress.is_some(), ..Watch::default() };
    let mut bar = Bar { factory: progress, open: None };
    std::thread::scope(|scope| {
        let worker = scope.spawn(|| {
            let _done = Done(&watch);
            work(&watch)
        });
        let mut failure = None;
        loop {
            let (events, done) = py.detach(|| {
                let mut watched = watch.watched();
                if !watched.done {
                    watched = watch.news.wait_timeout(watched, NAP).unwrap_or_else(PoisonError::into_inner).0;
                }
                (std::mem::take(&mut watched.events), watched.done)
            });
            if failure.is_none() {
                failure = py.check_signals().and_then(|()| bar.tell(py, events)).err();
                if failure.is_some() {
                    watch.stop.store(true, Ordering::Relaxed);
                }
            }
            if done {
                break;
            }
        }
        let outcome = py.detach(|| worker.join());
        let closed = bar.close();
        match (outcome, failure) {
            (Err(panic), _) => Err(panicked(&*panic)),
            (_, Some(failure)) => Err(failure),
            (Ok(outcome), None) => {
                closed?;
                outcome.or_raise()
            }
        }
    })
}

/// The bar of the current stage.
struct Bar<'a, 'py> {
    factory: Option<&'a Bound<'py, PyAny>>,
    open: Option<Bound<'py, PyAny>>,
}

impl<'py> Bar<'_, 'py> {
    fn tell(&mut self, py: Python<'py>, events: Vec<Event>) -> PyResult<()> {
        let Some(factory) = self.factory else { return Ok(()) };
        for event in events {
            match event {
                Event::Started(stage, total) => {
                    self.close()?;
                    let named = PyDict::new(py);
                    named.set_item("total", (total > 0).then_some(total))?;
                    named.set_item("desc", stage.name())?;
                    named.set_item("unit", if stage.unit() == "bytes" { "B" } else { stage.unit() })?;
                    named.set_item("unit_scale", true)?;
                    self.open = Some(factory.call((), Some(&named))?);
                }
                Event::Advanced(amount) => {
                    if let Some(bar) = &self.open {
                        bar.call_method1("update", (amount,))?;
                    }
                }
                Event::Finished => self.close()?,
            }
        }
        Ok(())
    }

    fn close(&mut self) -> PyResult<()> {
        match self.open.take() {
            Some(bar) => bar.call_method0("close").map(|_| ()),
            None => Ok(()),
        }
    }
}
