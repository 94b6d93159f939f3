//! `Signatures`: many signatures of one kind, in one table.

use super::arguments::{Reduced, whole};
use super::shingling::Shingling;
use super::signature::Signature;
use super::{family, views};
use crate::arrays;
use crate::errors::{self, Raise};
use lookalike::minhash::{self, Family, MinHasher};
use numpy::{PyArray2, PyUntypedArrayMethods};
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::{PySlice, PyType};

/// Signatures of one family, seed and length, as made by `MinHash.sketch_texts` and `sketch_many`. Immutable.
///
/// It behaves like a list of `Signature`, and its `slots` are a table with one row per signature.
///
/// >>> from lookalike import MinHash
/// >>> signatures = MinHash().sketch_texts(["a rose is a rose", "is a rose a rose?"])
/// >>> len(signatures), signatures.slots.shape
/// (2, (2, 128))
/// >>> signatures[0].jaccard(signatures[-1])
/// 0.0
#[pyclass(module = "lookalike", frozen, eq)]
pub(crate) struct Signatures {
    shingling: Shingling,
    family: Family,
    seed: u64,
    num_hashes: usize,
    slots: Vec<u64>,
}

/// The parts from which a pickle restores them: slots, seed, family and shingling.
type Parts<'py> = (Bound<'py, PyArray2<u64>>, u64, &'static str, Option<String>);

/// Two values are equal if all their signatures are equal.
impl PartialEq for Signatures {
    fn eq(&self, other: &Self) -> bool {
        (self.family, self.seed, self.num_hashes, &self.slots)
            == (other.family, other.seed, other.num_hashes, &other.slots)
    }
}

impl Eq for Signatures {}

impl Signatures {
    /// Signatures that a hasher made. `slots` has a complete row for each signature.
    pub(super) fn of(hasher: &dyn MinHasher, shingling: Shingling, slots: Vec<u64>) -> Self {
        Self {
            shingling,
            family: hasher.family(),
            seed: hasher.seed(),
            num_hashes: hasher.num_hashes(),
            slots,
        }
    }

    pub(super) fn len(&self) -> usize {
        self.slots.len() / self.num_hashes
    }

    /// Iterates over the signatures. `order` is `iter` or `reversed`.
    fn one_by_one<'py>(slf: &Bound<'py, Self>, order: &str) -> PyResult<Bound<'py, PyAny>> {
        let builtins = slf.py().import("builtins")?;
        let positions =
            builtins.call_method1(order, (builtins.call_method1("range", (slf.get().len(),))?,))?;
        builtins.call_method1("map", (slf.getattr("__getitem__")?, positions))
    }

    fn row(&self, at: usize) -> &[u64] {
        &self.slots[at * self.num_hashes..][..self.num_hashes]
    }

    /// The signature at an existing position.
    pub(super) fn signature(&self, at: usize) -> PyResult<Signature> {
        let inner =
            minhash::Signature::from_slots(self.family, self.seed, self.row(at).to_vec()).or_raise()?;
        Ok(Signature { inner, shingling: self.shingling.clone() })
    }
}

#[pymethods]
impl Signatures {
    /// Makes signatures from a table of slots (uint64, one row per signature) that was stored elsewhere. If they are
    /// signatures of texts, `shingling` says how these were cut: a `Shingler`, or a str such as `"words:5"`.
    #[classmethod]
    #[pyo3(signature = (slots, seed=1, family="fast-sketch", shingling=None))]
    fn from_slots(
        _: &Bound<'_, PyType>,
        slots: &Bound<'_, PyAny>,
        #[pyo3(from_py_with = whole)] seed: u64,
        family: &str,
        shingling: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Self> {
        let table = slots.cast::<PyArray2<u64>>().map_err(|_| {
            PyTypeError::new_err("slots must be a NumPy array of uint64 with one row per signature")
        })?;
        let (family, num_hashes) = (family::named(family)?, table.shape()[1]);
        if !(1..=minhash::MAX_HASHES).contains(&num_hashes) {
            return Err(errors::setting(format_args!(
                "the rows have {num_hashes} slots, but a signature has 1 to {}",
                minhash::MAX_HASHES
            )));
        }
        let (slots, shingling) =
            (arrays::read(table, <[u64]>::to_vec)?, Shingling::from_argument(shingling)?);
        Ok(Self { shingling, family, seed, num_hashes, slots })
    }

    /// All slots, one row per signature. It is a read-only view, without a copy.
    #[getter]
    fn slots<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyArray2<u64>>> {
        views::table(slf, slf.get().num_hashes, |signatures| &signatures.slots)
    }

    /// The family of hash functions.
    #[getter]
    fn family(&self) -> &'static str {
        family::name(self.family)
    }

    /// The seed of the hash functions.
    #[getter]
    fn seed(&self) -> u64 {
        self.seed
    }

    /// The number of hash functions.
    #[getter]
    fn num_hashes(&self) -> usize {
        self.num_hashes
    }

    /// How the texts were normalised and cut into shingles; `None` if the elements were given directly.
    #[getter]
    fn shingling(&self) -> Option<&str> {
        self.shingling.written()
    }

    fn __len__(&self) -> usize {
        self.len()
    }

    fn __getitem__<'py>(slf: &Bound<'py, Self>, index: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        let (py, signatures) = (slf.py(), slf.get());
        if let Ok(slice) = index.cast::<PySlice>() {
            let rows = views::positions(slice, signatures.len())?;
            let slots = rows.into_iter().flat_map(|at| signatures.row(at)).copied().collect();
            let Self { family, seed, num_hashes, .. } = *signatures;
            let shingling = signatures.shingling.clone();
            return Ok(Bound::new(py, Self { shingling, family, seed, num_hashes, slots })?.into_any());
        }
        let at = views::position(index.extract()?, signatures.len())?;
        Ok(Bound::new(py, signatures.signature(at)?)?.into_any())
    }

    fn __iter__<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        Self::one_by_one(slf, "iter")
    }

    fn __reversed__<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        Self::one_by_one(slf, "reversed")
    }

    #[pyo3(signature = (dtype=None, copy=None))]
    fn __array__<'py>(
        slf: &Bound<'py, Self>,
        dtype: Option<&Bound<'py, PyAny>>,
        copy: Option<bool>,
    ) -> PyResult<Bound<'py, PyAny>> {
        views::as_array(Self::slots(slf)?.into_any(), dtype, copy)
    }

    fn __repr__(&self) -> String {
        format!(
            "<Signatures {} of {}, {} hashes, seed {}>",
            self.len(),
            family::name(self.family),
            self.num_hashes,
            self.seed
        )
    }

    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> PyResult<Reduced<'py, Parts<'py>>> {
        let Self { seed, family, ref shingling, .. } = *slf.get();
        let shingling = shingling.written().map(str::to_owned);
        Ok((
            slf.get_type().getattr("from_slots")?,
            (Self::slots(slf)?, seed, family::name(family), shingling),
        ))
    }
}

/// Signatures from a batch or any iterable of single ones.
pub(super) fn signatures_of(value: &Bound<'_, PyAny>) -> PyResult<Vec<Signature>> {
    if let Ok(batch) = value.cast::<Signatures>() {
        return (0..batch.get().len()).map(|at| batch.get().signature(at)).collect();
    }
    value
        .try_iter()?
        .map(|item| {
            let item = item?;
            let signature = item.cast::<Signature>().map_err(|_| {
                PyTypeError::new_err(format!(
                    "expected a Signature, not {}",
                    super::arguments::type_name(&item)
                ))
            })?;
            Ok(signature.get().clone())
        })
        .collect()
}
