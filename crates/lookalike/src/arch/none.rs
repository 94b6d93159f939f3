//! No sets of instructions beyond what every CPU of the architecture has.

use super::Task;

/// There is none.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) enum Set {}

impl Set {
    pub(super) const ALL: [Self; 0] = [];

    pub(super) const fn name(self) -> &'static str {
        match self {}
    }

    pub(super) fn is_available(self) -> bool {
        match self {}
    }

    /// # Safety
    ///
    /// There is nothing to run.
    pub(super) unsafe fn run<T: Task>(self, _: T) -> T::Output {
        match self {}
    }
}
