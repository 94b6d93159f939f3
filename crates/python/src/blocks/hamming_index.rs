//! `HammingIndex`: fingerprints -> all fingerprints within a few bits of a query. None is missed.

use super::arguments::{Pair, Reduced, Whole, narrow};
use super::sim_hash::{Wide, check_width};
use crate::arrays;
use crate::errors::{self, Raise};
use lookalike::hamming::{self, HammingConfig};
use lookalike::simhash::FingerprintBits;
use numpy::{IntoPyArray, PyArray1};
use pyo3::gc::{PyTraverseError, PyVisit};
use pyo3::prelude::*;
use pyo3::types::{PyList, PyTuple, PyType};

/// The number of queries between two checks for signals.
const CHUNK: usize = 1024;

enum AnyIndex {
    B16(hamming::HammingIndex<u16>),
    B32(hamming::HammingIndex<u32>),
    B64(hamming::HammingIndex<u64>),
    B128(hamming::HammingIndex<u128>),
}

/// Runs an expression with the index, for any width.
macro_rules! with_index {
    ($any:expr, $index:ident => $result:expr) => {
        match $any {
            AnyIndex::B16($index) => $result,
            AnyIndex::B32($index) => $result,
            AnyIndex::B64($index) => $result,
            AnyIndex::B128($index) => $result,
        }
    };
}

/// Finds all fingerprints within `distance` bits of a query, and all pairs within `distance` bits. It is exact, and
/// uses tables of permuted bits.
///
/// `fingerprints` is a uint64 array or an iterable of ints, of 16, 32, 64 or 128 `bits`. Answers name them by `ids`,
/// one for each, or else by their position. An index does not change; to add fingerprints, build a new one.
///
/// >>> from lookalike import HammingIndex
/// >>> index = HammingIndex([0b1111, 0b1110, 0xffff0000], ids=["a", "b", "c"])
/// >>> index.query(0b0111)
/// [('a', 1), ('b', 2)]
/// >>> index.pairs()
/// [('a', 'b', 1)]
#[pyclass(module = "lookalike", frozen)]
pub(crate) struct HammingIndex {
    distance: u32,
    bits: u32,
    ids: Option<Py<PyTuple>>,
    index: AnyIndex,
}

/// The parts from which a pickle restores it: fingerprints, distance, bits, ids.
type Parts<'py> = (Bound<'py, PyAny>, u32, u32, Option<Py<PyTuple>>);

fn build<B: FingerprintBits>(
    py: Python<'_>,
    fingerprints: &[u128],
    distance: u32,
) -> PyResult<hamming::HammingIndex<B>> {
    py.detach(|| {
        let fingerprints: Vec<B> = fingerprints.iter().map(|&wide| B::truncate(wide)).collect();
        hamming::HammingIndex::build(&fingerprints, &HammingConfig::default().with_max_distance(distance))
    })
    .or_raise()
}

/// Fingerprints from an array or an iterable of ints, all of at most `bits` bits.
fn fingerprints_of(value: &Bound<'_, PyAny>, bits: u32) -> PyResult<Vec<u128>> {
    if let Ok(array) = value.cast::<PyArray1<u64>>() {
        let narrow = arrays::read(array, <[u64]>::to_vec)?;
        return narrow.into_iter().map(|narrow| check_width(narrow.into(), bits)).collect();
    }
    value.try_iter()?.map(|item| check_width(item?.extract::<Wide>()?.0, bits)).collect()
}

impl HammingIndex {
    /// The id of a position.
    fn id<'py>(&self, py: Python<'py>, position: u32) -> PyResult<Bound<'py, PyAny>> {
        match &self.ids {
            Some(ids) => ids.bind(py).get_item(position as usize),
            None => Ok(position.into_pyobject(py)?.into_any()),
        }
    }

    fn named<'py>(
        &self,
        py: Python<'py>,
        matches: Vec<hamming::Match>,
    ) -> PyResult<Vec<(Bound<'py, PyAny>, u32)>> {
        matches.into_iter().map(|found| Ok((self.id(py, found.position)?, found.distance))).collect()
    }

    fn distance_or_own(&self, distance: Option<Whole>) -> u32 {
        distance.map_or(self.distance, Whole::narrow)
    }

    fn search(&self, query: u128, k: u32) -> lookalike::Result<Vec<hamming::Match>> {
        with_index!(&self.index, index => index.query(FingerprintBits::truncate(query), k))
    }

    /// All fingerprints, in the order in which they were given.
    fn all(&self) -> Vec<u128> {
        with_index!(&self.index, index => {
            let groups = index.groups();
            let mut all = vec![0; groups.len()];
            for (group, value) in groups.values().iter().enumerate() {
                for &position in groups.positions(group) {
                    all[position as usize] = value.widen();
                }
            }
            all
        })
    }
}

#[pymethods]
impl HammingIndex {
    #[new]
    #[pyo3(signature = (fingerprints, distance=3, *, bits=64, ids=None))]
    fn new(
        py: Python<'_>,
        fingerprints: &Bound<'_, PyAny>,
        #[pyo3(from_py_with = narrow)] distance: u32,
        #[pyo3(from_py_with = narrow)] bits: u32,
        ids: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Self> {
        if ![16, 32, 64, 128].contains(&bits) {
            return Err(errors::setting(format_args!("bits = {bits} is not one of 16, 32, 64, 128")));
        }
        let fingerprints = fingerprints_of(fingerprints, bits)?;
        let ids =
            ids.map(|ids| PyTuple::new(py, ids.try_iter()?.collect::<PyResult<Vec<_>>>()?)).transpose()?;
        if let Some(ids) = &ids
            && ids.len() != fingerprints.len()
        {
            return Err(errors::setting(format_args!(
                "there are {} ids, but {} fingerprints",
                ids.len(),
                fingerprints.len()
            )));
        }
        let index = match bits {
            16 => AnyIndex::B16(build(py, &fingerprints, distance)?),
            32 => AnyIndex::B32(build(py, &fingerprints, distance)?),
            64 => AnyIndex::B64(build(py, &fingerprints, distance)?),
            _ => AnyIndex::B128(build(py, &fingerprints, distance)?),
        };
        Ok(Self { distance, bits, ids: ids.map(Bound::unbind), index })
    }

    /// The fingerprints within `distance` bits (at most that of the index), as tuples (id, distance), nearest first.
    #[pyo3(signature = (fingerprint, distance=None))]
    fn query<'py>(
        &self,
        py: Python<'py>,
        fingerprint: Wide,
        distance: Option<Whole>,
    ) -> PyResult<Vec<(Bound<'py, PyAny>, u32)>> {
        let (query, k) = (check_width(fingerprint.0, self.bits)?, self.distance_or_own(distance));
        self.named(py, py.detach(|| self.search(query, k)).or_raise()?)
    }

    /// The answer to each of several queries. Other Python threads can run meanwhile.
    #[pyo3(signature = (fingerprints, distance=None))]
    fn query_many<'py>(
        &self,
        py: Python<'py>,
        fingerprints: &Bound<'py, PyAny>,
        distance: Option<Whole>,
    ) -> PyResult<Bound<'py, PyList>> {
        let (queries, k) = (fingerprints_of(fingerprints, self.bits)?, self.distance_or_own(distance));
        let answers = PyList::empty(py);
        for chunk in queries.chunks(CHUNK) {
            let found = py.detach(|| {
                chunk.iter().map(|&query| self.search(query, k)).collect::<lookalike::Result<Vec<_>>>()
            });
            for matches in found.or_raise()? {
                answers.append(self.named(py, matches)?)?;
            }
            py.check_signals()?;
        }
        Ok(answers)
    }

    /// All pairs within `distance` bits (that of the index if left out), as tuples (id, id, distance), sorted by
    /// position.
    #[pyo3(signature = (distance=None))]
    fn pairs<'py>(
        &self,
        py: Python<'py>,
        distance: Option<Whole>,
    ) -> PyResult<Vec<Pair<Bound<'py, PyAny>, u32>>> {
        let k = self.distance_or_own(distance);
        let pairs = py.detach(|| with_index!(&self.index, index => index.all_pairs(k))).or_raise()?;
        pairs
            .into_iter()
            .map(|pair| Ok((self.id(py, pair.a)?, self.id(py, pair.b)?, pair.distance)))
            .collect()
    }

    /// The largest distance that a query can ask for.
    #[getter]
    fn distance(&self) -> u32 {
        self.distance
    }

    /// The number of bits of a fingerprint.
    #[getter]
    fn bits(&self) -> u32 {
        self.bits
    }

    /// The size of the index in memory, in bytes.
    #[getter]
    fn nbytes(&self) -> u64 {
        with_index!(&self.index, index => index.bytes())
    }

    fn __len__(&self) -> usize {
        with_index!(&self.index, index => index.len())
    }

    fn __repr__(&self) -> String {
        format!(
            "<HammingIndex of {} fingerprints of {} bits, distance {}>",
            self.__len__(),
            self.bits,
            self.distance
        )
    }

    /// Restores an index from a pickle.
    #[classmethod]
    #[pyo3(signature = (fingerprints, distance, bits, ids))]
    fn _restore(
        class: &Bound<'_, PyType>,
        fingerprints: &Bound<'_, PyAny>,
        #[pyo3(from_py_with = narrow)] distance: u32,
        #[pyo3(from_py_with = narrow)] bits: u32,
        ids: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Self> {
        Self::new(class.py(), fingerprints, distance, bits, ids)
    }

    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> PyResult<Reduced<'py, Parts<'py>>> {
        let (py, index) = (slf.py(), slf.get());
        let all = py.detach(|| index.all());
        let fingerprints = if index.bits <= 64 {
            all.into_iter().map(|wide| wide as u64).collect::<Vec<_>>().into_pyarray(py).into_any()
        } else {
            PyList::new(py, all)?.into_any()
        };
        let ids = index.ids.as_ref().map(|ids| ids.clone_ref(py));
        Ok((slf.get_type().getattr("_restore")?, (fingerprints, index.distance, index.bits, ids)))
    }

    fn __traverse__(&self, visit: PyVisit<'_>) -> Result<(), PyTraverseError> {
        self.ids.as_ref().map_or(Ok(()), |ids| visit.call(ids))
    }
}
