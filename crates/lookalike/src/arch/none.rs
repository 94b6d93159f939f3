//! For architectures without sets of instructions beyond those that every CPU has.

use super::Task;

/// The type of such sets. It has no value.
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
    /// This can never be called, because the type has no value.
    pub(super) unsafe fn run<T: Task>(self, _: T) -> T::Output {
        match self {}
    }
}
