//! Work on several threads, with results in order, that ends soon when the user asks to stop.
//!
//! Every long loop asks ([`Work::go_on`], or [`Work::go_on_at`] where a step is short) and hands [`Stopped`] up to whoever began.

use std::sync::atomic::{AtomicUsize, Ordering};

/// A loop of short steps asks once in this many of them.
const STEPS: usize = 4_096;

/// The user asked to stop.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Stopped;

/// How many threads there are, and whether to stop.
#[derive(Clone, Copy)]
pub(crate) struct Work<'s> {
    threads: usize,
    stop: &'s (dyn Fn() -> bool + Sync),
}

impl<'s> Work<'s> {
    /// Work on so many threads, until `stop` says so.
    pub(crate) fn new(threads: usize, stop: &'s (dyn Fn() -> bool + Sync)) -> Self {
        Self { threads, stop }
    }

    /// How many threads there are.
    pub(crate) fn threads(self) -> usize {
        self.threads
    }

    /// The same on the thread that asks.
    pub(crate) fn alone(self) -> Self {
        Self { threads: 1, ..self }
    }

    /// An error if the user asked to stop.
    pub(crate) fn go_on(self) -> Result<(), Stopped> {
        if (self.stop)() { Err(Stopped) } else { Ok(()) }
    }

    /// The same for a short step of a loop: it asks now and then.
    pub(crate) fn go_on_at(self, step: usize) -> Result<(), Stopped> {
        if step.is_multiple_of(STEPS) { self.go_on() } else { Ok(()) }
    }

    /// Does `count` pieces of work; results are in the order of the work, whatever the threads do.
    pub(crate) fn each<T: Send>(
        self,
        count: usize,
        work: impl Fn(usize) -> Result<T, Stopped> + Sync,
    ) -> Result<Vec<T>, Stopped> {
        let piece = |at: usize| self.go_on().and_then(|()| work(at));
        if self.threads <= 1 || count <= 1 {
            return (0..count).map(piece).collect();
        }
        let next = AtomicUsize::new(0);
        let mut done: Vec<(usize, T)> = std::thread::scope(|scope| {
            let worker = || {
                let mut done = Vec::new();
                loop {
                    let at = next.fetch_add(1, Ordering::Relaxed);
                    if at >= count {
                        return Ok(done);
                    }
                    done.push((at, piece(at)?));
                }
            };
            let workers: Vec<_> = (0..self.threads.min(count)).map(|_| scope.spawn(worker)).collect();
            let (mut all, mut stopped) = (Vec::new(), None);
            for worker in workers {
                match worker.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)) {
                    Ok(done) => all.extend(done),
                    Err(error) => stopped = Some(error),
                }
            }
            stopped.map_or(Ok(all), Err)
        })?;
        done.sort_by_key(|(at, _)| *at);
        Ok(done.into_iter().map(|(_, result)| result).collect())
    }
}

#[cfg(test)]
impl Work<'static> {
    /// Work that nobody stops, for tests.
    pub(crate) fn unstopped() -> Self {
        Self::new(1, &|| false)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_are_in_order_on_any_number_of_threads() {
        for threads in [1, 2, 7] {
            let done = Work::new(threads, &|| false).each(100, |at| Ok(at * at));
            assert_eq!(done, Ok((0..100).map(|at| at * at).collect::<Vec<_>>()));
        }
    }

    #[test]
    fn work_ends_when_it_is_stopped() {
        for threads in [1, 2, 7] {
            let begun = AtomicUsize::new(0);
            let stop = || begun.load(Ordering::Relaxed) >= 5;
            let done = Work::new(threads, &stop).each(1_000, |at| {
                begun.fetch_add(1, Ordering::Relaxed);
                Ok(at)
            });
            assert_eq!(done, Err(Stopped));
            assert!(begun.load(Ordering::Relaxed) <= 5 + threads);
        }
    }
}
