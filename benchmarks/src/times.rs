//! How long many short calls take.

use std::hint::black_box;
use std::time::Instant;

/// The times of calls, in microseconds.
#[derive(Debug, Clone, Default)]
pub struct Times {
    micros: Vec<f64>,
}

impl Times {
    /// Runs a call and remembers how long it took.
    pub fn time<R>(&mut self, call: impl FnOnce() -> R) -> R {
        let start = Instant::now();
        let result = black_box(call());
        self.micros.push(start.elapsed().as_secs_f64() * 1e6);
        result
    }

    /// Half of the calls took no longer than this.
    #[must_use]
    pub fn median(&self) -> f64 {
        self.share(0.5)
    }

    /// 99 in 100 calls took no longer than this.
    #[must_use]
    pub fn late(&self) -> f64 {
        self.share(0.99)
    }

    fn share(&self, share: f64) -> f64 {
        let mut sorted = self.micros.clone();
        sorted.sort_unstable_by(f64::total_cmp);
        sorted.get((sorted.len() as f64 * share) as usize).copied().unwrap_or(f64::NAN)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_of_the_sorted_times() {
        let times = Times { micros: (0..1_000).rev().map(f64::from).collect() };
        assert_eq!((times.median(), times.late()), (500.0, 990.0));
        assert!(Times::default().median().is_nan());
    }
}
