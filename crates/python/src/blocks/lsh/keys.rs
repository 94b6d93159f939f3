//! The keys of an `LSH` by their numbers: 16 bytes for each, in the order of insertion.

use pyo3::prelude::*;

/// The least number of removed keys that are swept out.
const SWEEP_AT: usize = 64;

/// Keys by ascending number. A removed key leaves a gap; gaps are closed when they are more than a quarter.
#[derive(Default)]
pub(super) struct Keys {
    entries: Vec<(u64, Option<Py<PyAny>>)>,
    gaps: usize,
}

impl Keys {
    fn find(&self, number: u64) -> Result<usize, usize> {
        self.entries.binary_search_by_key(&number, |(number, _)| *number)
    }

    pub(super) fn get(&self, number: u64) -> Option<&Py<PyAny>> {
        self.entries[self.find(number).ok()?].1.as_ref()
    }

    /// Adds a key with a new number. Numbers come in ascending order, or nearly so, if several threads insert.
    pub(super) fn insert(&mut self, number: u64, key: Py<PyAny>) {
        let place = self.find(number).unwrap_or_else(|place| place);
        if self.entries.capacity() == self.entries.len() {
            self.entries.reserve_exact((self.entries.len() / 16).max(8));
        }
        self.entries.insert(place, (number, Some(key)));
    }

    pub(super) fn remove(&mut self, number: u64) -> Option<Py<PyAny>> {
        let place = self.find(number).ok()?;
        let key = self.entries[place].1.take()?;
        self.gaps += 1;
        if self.gaps >= SWEEP_AT && self.gaps > self.entries.len() / 4 {
            self.entries.retain(|(_, key)| key.is_some());
            self.entries.shrink_to_fit();
            self.gaps = 0;
        }
        Some(key)
    }

    /// The numbers of all keys, ascending.
    pub(super) fn numbers(&self) -> impl Iterator<Item = u64> + '_ {
        self.entries.iter().filter(|(_, key)| key.is_some()).map(|(number, _)| *number)
    }

    /// The keys, in the order of their numbers.
    pub(super) fn present(&self) -> impl Iterator<Item = &Py<PyAny>> {
        self.entries.iter().filter_map(|(_, key)| key.as_ref())
    }

    pub(super) fn size_in_bytes(&self) -> usize {
        self.entries.capacity() * size_of::<(u64, Option<Py<PyAny>>)>()
    }
}
