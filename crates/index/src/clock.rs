//! What time it is: asked of the system, or chosen by tests.

use std::fmt::Debug;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{SystemTime, UNIX_EPOCH};

/// A time in milliseconds since 1970, in UTC.
pub type Millis = u64;

/// Says what time it is.
pub trait Clock: Debug + Send + Sync {
    /// The time, in milliseconds since 1970.
    fn now(&self) -> Millis;
}

/// The clock of the machine.
#[derive(Debug, Clone, Copy, Default)]
pub struct SystemClock;

impl Clock for SystemClock {
    fn now(&self) -> Millis {
        let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        u64::try_from(since.as_millis()).unwrap_or(u64::MAX - 1)
    }
}

/// A clock that shows what it is told, for tests.
#[derive(Debug, Default)]
pub struct ManualClock(AtomicU64);

impl ManualClock {
    /// A clock that shows this time.
    #[must_use]
    pub fn at(now: Millis) -> Self {
        Self(AtomicU64::new(now))
    }

    /// Shows another time from now on.
    pub fn set(&self, now: Millis) {
        self.0.store(now, Ordering::SeqCst);
    }
}

impl Clock for ManualClock {
    fn now(&self) -> Millis {
        self.0.load(Ordering::SeqCst)
    }
}
