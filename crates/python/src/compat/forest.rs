//! Prefix trees for `MinHashLSHForest`.

use std::sync::{Mutex, MutexGuard, PoisonError};

use lookalike::index::LshForest;
use lookalike::minhash::{Family, Signature};
use numpy::PyArray1;
use pyo3::prelude::*;
use pyo3::sync::MutexExt;
use pyo3::types::PyList;

use super::slots;
use crate::errors::{Raise, setting};

/// Documents, numbered in the order in which they were added. A document is found only after it was indexed.
///
/// Threads that use the forest at the same time wait for each other. No Python code is called and no Python object is
/// created while the forest is locked: that could call the forest again.
#[pyclass(module = "lookalike._native", frozen)]
pub(crate) struct CompatForest {
    inner: Mutex<Inner>,
    used: usize,
}

struct Inner {
    forest: LshForest<u32>,
    indexed: u32,
    waiting: Vec<Signature>,
}

impl Inner {
    fn slots(&self, number: u32) -> Option<Vec<u64>> {
        match number.checked_sub(self.indexed) {
            None => self.forest.get(&number).map(|signature| signature.slots().to_vec()),
            Some(place) => self.waiting.get(place as usize).map(|signature| signature.slots().to_vec()),
        }
    }
}

impl CompatForest {
    /// The slots that the trees use.
    fn signature(&self, hashvalues: &Bound<'_, PyAny>) -> PyResult<Signature> {
        let mut slots = slots::read(hashvalues, hashvalues.len()?)?;
        if slots.len() < self.used {
            return Err(setting(format_args!(
                "there are {} hash values, but at least {} are needed",
                slots.len(),
                self.used
            )));
        }
        slots.truncate(self.used);
        // The family does not matter here: the signatures are only compared with each other.
        Signature::from_slots(Family::MultiplyShift, 0, slots).or_raise()
    }

    /// Locks the forest. The forest is consistent after every step, so it can be used even if a thread panicked.
    fn lock(&self, py: Python<'_>) -> MutexGuard<'_, Inner> {
        self.inner.lock_py_attached(py).unwrap_or_else(PoisonError::into_inner)
    }
}

#[pymethods]
impl CompatForest {
    #[new]
    fn new(trees: usize, depth: usize) -> PyResult<Self> {
        let forest = LshForest::new(trees, depth).or_raise()?;
        let inner = Inner { forest, indexed: 0, waiting: Vec::new() };
        Ok(Self { inner: Mutex::new(inner), used: trees * depth })
    }

    /// Adds a document. It is found after the next `index`.
    fn add(&self, hashvalues: &Bound<'_, PyAny>) -> PyResult<()> {
        let signature = self.signature(hashvalues)?;
        self.lock(hashvalues.py()).waiting.push(signature);
        Ok(())
    }

    fn index(&self, py: Python<'_>) -> PyResult<()> {
        let mut inner = self.lock(py);
        let inner = &mut *inner;
        py.detach(|| -> lookalike::Result<()> {
            for signature in inner.waiting.drain(..) {
                inner.forest.insert(inner.indexed, &signature)?;
                inner.indexed += 1;
            }
            inner.forest.sort();
            Ok(())
        })
        .or_raise()
    }

    /// The names of the first `k` documents that the search finds.
    fn query<'py>(
        &self,
        hashvalues: &Bound<'py, PyAny>,
        k: usize,
        names: &Bound<'py, PyList>,
    ) -> PyResult<Bound<'py, PyList>> {
        let signature = self.signature(hashvalues)?;
        let numbers = self.lock(names.py()).forest.first_k(&signature, k).or_raise()?;
        let found: Vec<_> =
            numbers.into_iter().map(|number| names.get_item(number as usize)).collect::<PyResult<_>>()?;
        PyList::new(names.py(), found)
    }

    /// The hash values of a document that the trees use.
    fn hashvalues<'py>(&self, py: Python<'py>, number: u32) -> PyResult<Bound<'py, PyArray1<u64>>> {
        let slots = self.lock(py).slots(number);
        slots
            .map(|slots| PyArray1::from_vec(py, slots))
            .ok_or_else(|| setting(format_args!("there is no document {number}")))
    }

    /// The number of documents that are indexed and can be found.
    fn indexed(&self, py: Python<'_>) -> u32 {
        self.lock(py).indexed
    }

    fn __len__(&self, py: Python<'_>) -> usize {
        let inner = self.lock(py);
        inner.indexed as usize + inner.waiting.len()
    }
}
