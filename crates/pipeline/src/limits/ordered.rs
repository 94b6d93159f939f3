//! Work on many threads with results in order, for work that reads and writes. (Computations on data in memory use
//! rayon.)
//!
//! Jobs are handed out one after the other. Any free thread works on the next job, and the results are collected in
//! the order of the jobs. Therefore the output does not depend on the number of threads. One thread collects at a time;
//! the others leave their results to it, and go on. If too many results wait for a slow one, no more jobs are handed
//! out; this bounds the memory.
//!
//! Any failure ends the work with an error and wakes all waiting threads: an error of a job, a panic anywhere (see
//! [`caught`]), or a thread that cannot be started. Locks are never poisoned, because panics are caught while they
//! are held.

use crate::{Error, Result};
use std::any::Any;
use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

struct Input<N> {
    next: N,
    handed_out: u64,
    finished: bool,
}

struct Output<R> {
    waiting: BTreeMap<u64, Result<R>>,
    collected: u64,
    /// True if a thread is collecting. The other threads leave their results to it and go on.
    collecting: bool,
    failed: Option<Error>,
}

impl<R> Output<R> {
    /// The result that is collected next, if it is there, and whether the work has failed.
    fn take(&mut self) -> Option<(Result<R>, bool)> {
        Some((self.waiting.remove(&self.collected)?, self.failed.is_some()))
    }
}

/// Locks a mutex. A panic while it was held is an error elsewhere (see [`caught`]).
pub(crate) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The result of `work`. If `work` panics, it is an error with the message of the panic. The data that it worked on
/// must not be used after a panic: the run is over.
pub(crate) fn caught<R>(work: impl FnOnce() -> Result<R>) -> Result<R> {
    catch_unwind(AssertUnwindSafe(work))
        .unwrap_or_else(|panic| Err(Error::Panicked { message: message_of(panic.as_ref()) }))
}

/// The message of a panic.
fn message_of(panic: &(dyn Any + Send)) -> String {
    match (panic.downcast_ref::<&str>(), panic.downcast_ref::<String>()) {
        (Some(message), _) => (*message).to_owned(),
        (None, Some(message)) => message.clone(),
        (None, None) => "the panic has no message".into(),
    }
}

/// Runs `work` on every job that `next` hands out, on `threads` threads, and hands the results to `collect` in the
/// order of the jobs. Each thread has a state of its own, which is passed to `next` and `work`. The first error ends
/// the work; if there are several, the first in the order of jobs.
pub(crate) fn ordered<J: Send, S, R: Send>(
    threads: usize,
    next: impl FnMut(&mut S) -> Result<Option<J>> + Send,
    state: impl Fn() -> S + Sync,
    work: impl Fn(&mut S, J) -> Result<R> + Sync,
    collect: impl FnMut(R) -> Result<()> + Send,
) -> Result<()> {
    pool(threads, 3 * threads as u64, next, state, work, collect)
}

/// Calls `work` with each number below `count`, on `threads` threads, in any order.
pub(crate) fn each(threads: usize, count: usize, work: impl Fn(usize) -> Result<()> + Sync) -> Result<()> {
    let mut numbers = 0..count;
    // The results are empty, so any number of them may wait for a slow one.
    pool(threads.min(count), u64::MAX, |()| Ok(numbers.next()), || (), |(), number| work(number), Ok)
}

fn pool<J: Send, S, R: Send>(
    threads: usize,
    most_ahead: u64,
    mut next: impl FnMut(&mut S) -> Result<Option<J>> + Send,
    state: impl Fn() -> S + Sync,
    work: impl Fn(&mut S, J) -> Result<R> + Sync,
    mut collect: impl FnMut(R) -> Result<()> + Send,
) -> Result<()> {
    if threads <= 1 {
        return caught(|| {
            let mut state = state();
            while let Some(job) = next(&mut state)? {
                collect(work(&mut state, job)?)?;
            }
            Ok(())
        });
    }
    let input = Mutex::new(Input { next, handed_out: 0, finished: false });
    let empty = Output { waiting: BTreeMap::new(), collected: 0, collecting: false, failed: None };
    let (output, collect) = (Mutex::new(empty), Mutex::new(collect));
    let progress = Condvar::new();
    // Jobs before a failed one have already been handed out, so the first failure is known when they are done.
    let some_failed = AtomicBool::new(false);
    let give_up = |error: Error| {
        lock(&output).failed.get_or_insert(error);
        progress.notify_all();
    };
    let run = || -> Result<()> {
        let mut state = state();
        loop {
            let (number, job) = {
                let mut input = lock(&input);
                let mut output = lock(&output);
                while output.failed.is_none() && input.handed_out - output.collected >= most_ahead {
                    output = progress.wait(output).unwrap_or_else(PoisonError::into_inner);
                }
                if input.finished || output.failed.is_some() || some_failed.load(Ordering::Relaxed) {
                    return Ok(());
                }
                drop(output);
                let number = input.handed_out;
                input.handed_out += 1;
                match caught(|| (input.next)(&mut state)) {
                    Ok(Some(job)) => (number, Ok(job)),
                    Ok(None) => {
                        input.finished = true;
                        return Ok(());
                    }
                    Err(error) => {
                        input.finished = true;
                        (number, Err(error))
                    }
                }
            };
            let result = job.and_then(|job| caught(|| work(&mut state, job)));
            some_failed.fetch_or(result.is_err(), Ordering::Relaxed);
            let mut now = lock(&output);
            now.waiting.insert(number, result);
            if now.collecting {
                continue;
            }
            now.collecting = true;
            // Collecting may take long: nobody waits for it, except for the memory of what waits.
            while let Some((result, has_failed)) = now.take() {
                drop(now);
                let outcome = match result {
                    Ok(result) if !has_failed => caught(|| lock(&collect)(result)),
                    Ok(_) => Ok(()),
                    Err(error) => Err(error),
                };
                now = lock(&output);
                now.collected += 1;
                if let Err(error) = outcome {
                    now.failed.get_or_insert(error);
                }
                progress.notify_all();
            }
            now.collecting = false;
        }
    };
    let run = || caught(run).unwrap_or_else(&give_up);
    std::thread::scope(|scope| {
        for _ in 1..threads {
            if let Err(cause) = std::thread::Builder::new().spawn_scoped(scope, run) {
                give_up(no_thread(cause));
                break;
            }
        }
        run();
    });
    let output = output.into_inner().unwrap_or_else(PoisonError::into_inner);
    output.failed.map_or(Ok(()), Err)
}

/// The error for a thread that cannot be started.
pub(crate) fn no_thread(cause: std::io::Error) -> Error {
    Error::Thread { cause }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::AtomicUsize;

    /// The function that panics.
    #[derive(Debug, Clone, Copy, PartialEq)]
    enum Place {
        State,
        Next,
        Work,
        Collect,
    }

    fn squares(threads: usize, fail_at: Option<u64>) -> (Vec<u64>, bool) {
        let mut jobs = 0..200u64;
        let mut results = Vec::new();
        let outcome = ordered(
            threads,
            |()| Ok(jobs.next()),
            || (),
            |(), job| {
                if job % 7 == 0 {
                    std::thread::yield_now();
                }
                if Some(job) == fail_at { Err(Error::Interrupted) } else { Ok(job * job) }
            },
            |square| {
                results.push(square);
                Ok(())
            },
        );
        (results, outcome.is_err())
    }

    #[test]
    fn results_come_in_order_and_an_error_ends_it_where_it_happened() {
        for threads in [1, 2, 7] {
            assert_eq!(squares(threads, None), ((0..200).map(|n| n * n).collect(), false));
            assert_eq!(squares(threads, Some(50)), ((0..50).map(|n| n * n).collect(), true));
        }
    }

    #[test]
    fn collecting_holds_nobody_up_and_few_results_wait() {
        for threads in [2, 5] {
            let handed_out = AtomicUsize::new(0);
            let most = 3 * threads;
            let mut first = true;
            let next = |(): &mut ()| {
                let is_left = handed_out.load(Ordering::Relaxed) < 100;
                Ok(is_left.then(|| handed_out.fetch_add(1, Ordering::Relaxed)))
            };
            let collect = |job: usize| {
                // The first result is collected until the others have been handed all jobs that they may have.
                while first && handed_out.load(Ordering::Relaxed) < most {
                    std::thread::yield_now();
                }
                first = false;
                assert!(handed_out.load(Ordering::Relaxed) <= job + most, "{threads} threads, job {job}");
                Ok(())
            };
            ordered(threads, next, || (), |(), job| Ok(job), collect).unwrap();
            assert_eq!(handed_out.load(Ordering::Relaxed), 100);
        }
    }

    fn panicking(threads: usize, place: Place, at: u64) -> (Vec<u64>, Result<()>) {
        let mut jobs = 0..200u64;
        let mut results = Vec::new();
        let states = AtomicUsize::new(0);
        let outcome = ordered(
            threads,
            |()| {
                assert!(place != Place::Next || jobs.start != at, "no job {at}");
                Ok(jobs.next())
            },
            || {
                let before = states.fetch_add(1, Ordering::Relaxed);
                assert!(place != Place::State || before + 1 < threads, "no state {}", before + 1);
            },
            |(), job| {
                assert!(place != Place::Work || job != at, "no work {job}");
                Ok(job)
            },
            |job| {
                assert!(place != Place::Collect || job != at, "no room for {job}");
                results.push(job);
                Ok(())
            },
        );
        (results, outcome)
    }

    #[test]
    fn a_panic_anywhere_is_an_error_with_its_message_and_nobody_waits_for_ever() {
        for threads in [1, 2, 3, 8] {
            for (place, message) in
                [(Place::Next, "no job "), (Place::Work, "no work "), (Place::Collect, "no room for ")]
            {
                for at in [0, 1, 100, 199] {
                    let (results, outcome) = panicking(threads, place, at);
                    let Err(Error::Panicked { message: said }) = outcome else { panic!("{outcome:?}") };
                    assert_eq!(said, format!("{message}{at}"), "{threads} threads");
                    assert!(results.iter().copied().eq(0..at), "{threads} threads, {place:?} {at}");
                }
            }
            let (_, outcome) = panicking(threads, Place::State, 0);
            let Err(error) = outcome else { panic!("{outcome:?}") };
            assert_eq!(
                error.to_string(),
                format!("a bug in lookalike: no state {threads}; please report it"),
                "{threads} threads"
            );
        }
    }

    #[test]
    fn each_number_is_worked_on_once_and_a_panic_is_an_error() {
        for threads in [1, 2, 5] {
            for count in [0, 1, 3, 1_000] {
                let done: Vec<AtomicUsize> = (0..count).map(|_| AtomicUsize::new(0)).collect();
                each(threads, count, |number| {
                    done[number].fetch_add(1, Ordering::Relaxed);
                    Ok(())
                })
                .unwrap();
                assert!(done.iter().all(|times| times.load(Ordering::Relaxed) == 1));
            }
            let outcome = each(threads, 100, |number| {
                assert_ne!(number, 42, "not that one");
                Ok(())
            });
            let Err(Error::Panicked { message }) = outcome else { panic!("{outcome:?}") };
            assert!(message.contains("not that one"));
        }
    }
}
