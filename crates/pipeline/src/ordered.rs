//! Work on many threads, results in order.
//!
//! Jobs are handed out one after the other, worked on by whoever is free, and their results are taken in the order of
//! the jobs. So what is written does not depend on the number of threads. Handing out waits when results are far
//! behind, which bounds memory.

use crate::Result;
use std::collections::BTreeMap;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

struct Input<N> {
    next: N,
    handed_out: u64,
    finished: bool,
}

struct Output<R, C> {
    collect: C,
    waiting: BTreeMap<u64, R>,
    collected: u64,
    failed: Option<crate::Error>,
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Runs `work` on every job that `next` hands out to the state of whoever does it, on `threads` threads with a state
/// each, and hands the results to `collect` in order. The first error (in the order of jobs, if several happen) ends it.
pub(crate) fn ordered<J: Send, S, R: Send>(
    threads: usize,
    mut next: impl FnMut(&mut S) -> Result<Option<J>> + Send,
    state: impl Fn() -> S + Sync,
    work: impl Fn(&mut S, J) -> Result<R> + Sync,
    mut collect: impl FnMut(R) -> Result<()> + Send,
) -> Result<()> {
    if threads <= 1 {
        let mut state = state();
        while let Some(job) = next(&mut state)? {
            collect(work(&mut state, job)?)?;
        }
        return Ok(());
    }
    let most_ahead = 3 * threads as u64;
    let input = Mutex::new(Input { next, handed_out: 0, finished: false });
    let output = Mutex::new(Output { collect, waiting: BTreeMap::new(), collected: 0, failed: None });
    let progress = Condvar::new();
    let run = || {
        let mut state = state();
        loop {
            let (number, job) = {
                let mut input = lock(&input);
                let mut output = lock(&output);
                while output.failed.is_none() && input.handed_out >= output.collected + most_ahead {
                    output = progress.wait(output).unwrap_or_else(PoisonError::into_inner);
                }
                if input.finished || output.failed.is_some() {
                    return;
                }
                drop(output);
                let number = input.handed_out;
                input.handed_out += 1;
                match (input.next)(&mut state) {
                    Ok(Some(job)) => (number, Ok(job)),
                    Ok(None) => {
                        input.finished = true;
                        return;
                    }
                    Err(error) => {
                        input.finished = true;
                        (number, Err(error))
                    }
                }
            };
            let result = job.and_then(|job| work(&mut state, job));
            let mut output = lock(&output);
            output.waiting.insert(number, result);
            let Output { collect, waiting, collected, failed } = &mut *output;
            while let Some(result) = waiting.remove(collected) {
                *collected += 1;
                if failed.is_none()
                    && let Err(error) = result.and_then(&mut *collect)
                {
                    *failed = Some(error);
                }
            }
            progress.notify_all();
        }
    };
    std::thread::scope(|scope| {
        for _ in 1..threads {
            scope.spawn(run);
        }
        run();
    });
    let output = output.into_inner().unwrap_or_else(PoisonError::into_inner);
    output.failed.map_or(Ok(()), Err)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Error;

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
}
