//! Prefix trees for `MinHashLSHForest`.

use lookalike::index::LshForest;
use lookalike::minhash::{Family, Signature};
use numpy::PyArray1;
use pyo3::prelude::*;
use pyo3::types::PyList;

use super::slots;
use crate::errors::{Raise, setting};

/// Documents by number, in the order in which they came. Those that were not indexed yet are not found.
#[pyclass(module = "lookalike._native")]
pub(crate) struct CompatForest {
    forest: LshForest<u32>,
    used: usize,
    indexed: u32,
    waiting: Vec<Signature>,
}

impl CompatForest {
    /// The slots that the trees use.
    fn signature(&self, hashvalues: &Bound<'_, PyAny>) -> PyResult<Signature> {
        let mut slots = Vec::new();
        slots::read(hashvalues, hashvalues.len()?, &mut slots)?;
        if slots.len() < self.used {
            return Err(setting(format_args!(
                "{} hash values, expected at least {}",
                slots.len(),
                self.used
            )));
        }
        slots.truncate(self.used);
        // Whatever they were made by, here they are only compared with each other.
        Signature::from_slots(Family::MultiplyShift, 0, slots).or_raise()
    }
}

#[pymethods]
impl CompatForest {
    #[new]
    fn new(trees: usize, depth: usize) -> PyResult<Self> {
        let forest = LshForest::new(trees, depth).or_raise()?;
        Ok(Self { forest, used: trees * depth, indexed: 0, waiting: Vec::new() })
    }

    /// Adds a document; it is found after the next `index`.
    fn add(&mut self, hashvalues: &Bound<'_, PyAny>) -> PyResult<()> {
        self.waiting.push(self.signature(hashvalues)?);
        Ok(())
    }

    fn index(&mut self, py: Python<'_>) -> PyResult<()> {
        py.detach(|| -> lookalike::Result<()> {
            for signature in self.waiting.drain(..) {
                self.forest.insert(self.indexed, &signature)?;
                self.indexed += 1;
            }
            self.forest.sort();
            Ok(())
        })
        .or_raise()
    }

    /// The names of the first `k` documents that the search meets.
    fn query<'py>(
        &self,
        hashvalues: &Bound<'py, PyAny>,
        k: usize,
        names: &Bound<'py, PyList>,
    ) -> PyResult<Bound<'py, PyList>> {
        let signature = self.signature(hashvalues)?;
        let found = PyList::empty(names.py());
        for number in names.py().detach(|| self.forest.first_k(&signature, k)).or_raise()? {
            found.append(names.get_item(number as usize)?)?;
        }
        Ok(found)
    }

    /// The hash values of a document, as far as the trees use them.
    fn hashvalues<'py>(&self, py: Python<'py>, number: u32) -> PyResult<Bound<'py, PyArray1<u64>>> {
        let waiting = || Some(self.waiting.get(number.checked_sub(self.indexed)? as usize)?.slots().to_vec());
        let slots = match self.forest.get(&number) {
            Some(signature) => Some(signature.slots().to_vec()),
            None => waiting(),
        };
        slots
            .map(|slots| PyArray1::from_vec(py, slots))
            .ok_or_else(|| setting(format_args!("document {number} of {}", self.__len__())))
    }

    /// How many documents can be found.
    fn indexed(&self) -> u32 {
        self.indexed
    }

    fn __len__(&self) -> usize {
        self.indexed as usize + self.waiting.len()
    }
}
