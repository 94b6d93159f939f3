//! The documents of an `LSH`: their keys, numbers and signatures, under one lock.

use super::super::shingling::Shingling;
use super::super::signature::Signature;
use super::keys::Keys;
use super::{CHUNK, Lsh, State};
use crate::errors::{self, Raise};
use lookalike::banding::Banding;
use lookalike::index::{LshIndex, Match};
use pyo3::prelude::*;
use pyo3::types::PyDict;
use std::sync::{PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};

impl Lsh {
    pub(super) fn empty(py: Python<'_>, threshold: f64, num_hashes: usize, banding: Banding) -> Self {
        let index = LshIndex::new(banding);
        let state =
            State { index, keys: Keys::default(), next: 0, changes: 0, shingling: Shingling::default() };
        let (numbers, state) = (PyDict::new(py).unbind(), RwLock::new(state));
        Self { threshold, num_hashes, banding, numbers, state }
    }

    /// Takes the lock. The caller must have released the interpreter.
    pub(super) fn read(&self) -> RwLockReadGuard<'_, State> {
        self.state.read().unwrap_or_else(PoisonError::into_inner)
    }

    fn write(&self) -> RwLockWriteGuard<'_, State> {
        self.state.write().unwrap_or_else(PoisonError::into_inner)
    }

    /// Queries the index without the interpreter.
    pub(super) fn ask<T: Send>(
        &self,
        py: Python<'_>,
        question: impl FnOnce(&LshIndex<u64>) -> T + Send,
    ) -> T {
        py.detach(|| question(&self.read().index))
    }

    /// The keys of documents that are still in the index.
    pub(super) fn keys_of(
        &self,
        py: Python<'_>,
        numbers: impl IntoIterator<Item = u64> + Send,
    ) -> Vec<Option<Py<PyAny>>> {
        py.detach(|| {
            let state = self.read();
            // Counting a reference needs the interpreter. This thread waits for it while it holds only this read
            // lock, and no thread that has the interpreter ever waits for the lock.
            Python::attach(|py| {
                numbers
                    .into_iter()
                    .map(|number| state.keys.get(number).map(|key| key.clone_ref(py)))
                    .collect()
            })
        })
    }

    pub(super) fn named(&self, py: Python<'_>, matches: Vec<Match<u64>>) -> Vec<(Py<PyAny>, f64)> {
        let numbers: Vec<u64> = matches.iter().map(|found| found.id).collect();
        let keys = self.keys_of(py, numbers);
        keys.into_iter().zip(matches).filter_map(|(key, found)| Some((key?, found.similarity))).collect()
    }

    pub(super) fn check(&self, py: Python<'_>, signature: &Signature) -> PyResult<()> {
        let Signature { inner: signature, shingling } = signature;
        if signature.num_hashes() == self.num_hashes {
            return py.detach(|| self.read().shingling.clone()).check(shingling);
        }
        Err(lookalike::Error::Incompatible {
            what: "number of hashes",
            left: self.num_hashes.to_string(),
            right: signature.num_hashes().to_string(),
        })
        .or_raise()
    }

    /// The number of a key, if it is in the index.
    pub(super) fn number(&self, key: &Bound<'_, PyAny>) -> PyResult<Option<u64>> {
        self.numbers.bind(key.py()).get_item(key)?.map(|number| number.extract()).transpose()
    }

    /// Inserts all documents, or none of them after an error.
    pub(super) fn insert_all(&self, documents: &[(Bound<'_, PyAny>, Signature)]) -> PyResult<()> {
        let mut inserted = Vec::new();
        for chunk in documents.chunks(CHUNK) {
            let done = self.insert_chunk(chunk, &mut inserted);
            if let Some((key, _)) = chunk.first()
                && let Err(error) = done.and_then(|()| key.py().check_signals())
            {
                for key in inserted {
                    self.take_out(key)?;
                }
                return Err(error);
            }
        }
        Ok(())
    }

    /// Inserts documents until one cannot be inserted, and records which ones were.
    fn insert_chunk<'a, 'py>(
        &self,
        chunk: &'a [(Bound<'py, PyAny>, Signature)],
        inserted: &mut Vec<&'a Bound<'py, PyAny>>,
    ) -> PyResult<()> {
        for (key, signature) in chunk {
            let py = key.py();
            self.check(py, signature)?;
            let number = py.detach(|| {
                let mut state = self.write();
                state.next += 1;
                state.next - 1
            });
            // `setdefault` is atomic: if several threads insert the same key, the number of the first one is kept.
            let there: u64 = self.numbers.bind(py).call_method1("setdefault", (key, number))?.extract()?;
            if there != number {
                return Err(errors::setting(format_args!(
                    "key {} is already in the index; remove it first",
                    key.repr()?
                )));
            }
            let owned = key.clone().unbind();
            let done = py.detach(|| {
                let mut state = self.write();
                state.index.insert(number, &signature.inner)?;
                state.keys.insert(number, owned);
                state.changes += 1;
                state.shingling = state.shingling.or(&signature.shingling);
                Ok::<_, lookalike::Error>(())
            });
            if done.is_err() {
                self.numbers.bind(py).del_item(key)?;
            }
            done.or_raise()?;
            // Another thread may have removed the key before its document was in the index.
            if self.number(key)? != Some(number) {
                self.forget(py, number);
                continue;
            }
            inserted.push(key);
        }
        Ok(())
    }

    /// Removes a document, if it is in the index.
    pub(super) fn take_out(&self, key: &Bound<'_, PyAny>) -> PyResult<bool> {
        let py = key.py();
        let taken = self.numbers.bind(py).call_method1("pop", (key, py.None()))?;
        let Some(number) = taken.extract::<Option<u64>>()? else { return Ok(false) };
        self.forget(py, number);
        Ok(true)
    }

    /// Removes a document by its number.
    fn forget(&self, py: Python<'_>, number: u64) {
        // The key is dropped after the lock is released, because dropping it can run Python code.
        let _key = py.detach(|| {
            let mut state = self.write();
            state.index.remove(&number);
            state.changes += 1;
            state.keys.remove(number)
        });
    }
}
