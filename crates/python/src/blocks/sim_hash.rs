//! `SimHash`: texts and weighted features -> fingerprints.

use super::arguments::{Elements, Text, in_chunks, narrow, weights_of, whole};
use super::named::Named;
use super::shingler::Shingler;
use crate::errors::{self, Raise};
use lookalike::shingling::{ShingleBuffer, ShingleSet, SortBuffer};
use lookalike::simhash::{AngleEstimate, FingerprintBits, SimHasher};
use numpy::IntoPyArray;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList, PyMapping};

/// A hasher of any width.
#[derive(Clone)]
enum AnyHasher {
    B16(SimHasher<u16>),
    B32(SimHasher<u32>),
    B64(SimHasher<u64>),
    B128(SimHasher<u128>),
}

/// Runs an expression with the hasher, for any width.
macro_rules! with_hasher {
    ($any:expr, $hasher:ident => $result:expr) => {
        match $any {
            AnyHasher::B16($hasher) => $result,
            AnyHasher::B32($hasher) => $result,
            AnyHasher::B64($hasher) => $result,
            AnyHasher::B128($hasher) => $result,
        }
    };
}

/// Makes fingerprints of 16, 32, 64 or 128 bits. The number of bits in which two differ estimates the angle between the
/// vectors of their features.
///
/// `shingler` cuts texts into shingles: a `Shingler`, or a str such as `"words:5"`. Each distinct shingle of a text
/// has weight 1.
///
/// >>> from lookalike import SimHash
/// >>> hasher = SimHash(shingler="characters:5")
/// >>> a = hasher.fingerprint("the quick brown fox jumps over the lazy dog")
/// >>> b = hasher.fingerprint("the quick brown fox jumped over the lazy dog")
/// >>> SimHash.distance(a, b)
/// 13
/// >>> round(hasher.estimate(a, b).cosine, 2)
/// 0.8
#[pyclass(module = "lookalike", frozen)]
pub(crate) struct SimHash {
    bits: u32,
    seed: u64,
    shingler: Shingler,
    hasher: AnyHasher,
}

/// Working memory of one call.
#[derive(Default)]
struct Buffers {
    shingles: ShingleBuffer,
    set: Vec<u64>,
    sorting: SortBuffer,
}

impl SimHash {
    /// The fingerprint of the distinct shingles of a text.
    fn of_text(&self, text: &Text, buffers: &mut Buffers) -> u128 {
        buffers.set.clear();
        buffers.set.extend_from_slice(self.shingler.inner.hashes(text, &mut buffers.shingles));
        ShingleSet::sort_hashes(&mut buffers.set, &mut buffers.sorting);
        self.of_features(&buffers.set)
    }

    fn of_features(&self, features: &[u64]) -> u128 {
        with_hasher!(&self.hasher, hasher => hasher.fingerprint(features).bits().widen())
    }

    fn check(&self, fingerprint: u128) -> PyResult<u128> {
        check_width(fingerprint, self.bits)
    }
}

/// Checks that a fingerprint has at most `bits` bits.
pub(super) fn check_width(fingerprint: u128, bits: u32) -> PyResult<u128> {
    if bits < 128 && fingerprint >> bits != 0 {
        return Err(errors::setting(format_args!("fingerprint {fingerprint} has more than {bits} bits")));
    }
    Ok(fingerprint)
}

/// A fingerprint of up to 128 bits.
#[derive(Clone, Copy)]
pub(super) struct Wide(pub(super) u128);

impl<'a, 'py> FromPyObject<'a, 'py> for Wide {
    type Error = PyErr;

    fn extract(value: Borrowed<'a, 'py, PyAny>) -> PyResult<Self> {
        if let Ok(narrow) = value.extract::<u64>() {
            return Ok(Self(narrow.into()));
        }
        value.extract().map(Self).map_err(|error| {
            if error.is_instance_of::<pyo3::exceptions::PyOverflowError>(value.py()) {
                errors::setting(format_args!("{} is not a fingerprint of at most 128 bits", &*value))
            } else {
                error
            }
        })
    }
}

#[pymethods]
impl SimHash {
    #[new]
    #[pyo3(signature = (bits=64, shingler=None, *, seed=1))]
    fn new(
        #[pyo3(from_py_with = narrow)] bits: u32,
        shingler: Option<&Bound<'_, PyAny>>,
        #[pyo3(from_py_with = whole)] seed: u64,
    ) -> PyResult<Self> {
        let hasher = match bits {
            16 => AnyHasher::B16(SimHasher::with_width(seed)),
            32 => AnyHasher::B32(SimHasher::with_width(seed)),
            64 => AnyHasher::B64(SimHasher::with_width(seed)),
            128 => AnyHasher::B128(SimHasher::with_width(seed)),
            other => {
                return Err(errors::setting(format_args!("bits = {other} is not one of 16, 32, 64, 128")));
            }
        };
        Ok(Self { bits, seed, shingler: Shingler::from_argument(shingler)?, hasher })
    }

    /// The fingerprint of a text (its distinct shingles), of an iterable of features (str, bytes, ints, or a uint64
    /// array; repeats count), or of a dict of features with weights (which may be negative).
    fn fingerprint(&self, py: Python<'_>, features: &Bound<'_, PyAny>) -> PyResult<u128> {
        if features.is_instance_of::<PyMapping>() {
            let weights = weights_of(features)?;
            return with_hasher!(&self.hasher, hasher => {
                Ok(py.detach(|| hasher.fingerprint_weighted(&weights)).or_raise()?.bits().widen())
            });
        }
        let features: Elements = features.extract()?;
        Ok(py.detach(|| match &features {
            Elements::Text(text) => self.of_text(text, &mut Buffers::default()),
            Elements::Hashes(hashes) => self.of_features(hashes),
        }))
    }

    /// The fingerprints of several texts: a uint64 array, or an array of Python ints for 128 bits. Other Python
    /// threads can run meanwhile.
    fn fingerprints<'py>(&self, py: Python<'py>, texts: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        let (mut fingerprints, mut buffers) = (Vec::new(), Buffers::default());
        in_chunks(
            texts,
            Text::at,
            |text| text.as_ref().len(),
            |chunk| fingerprints.extend(chunk.iter().map(|text| self.of_text(text, &mut buffers))),
        )?;
        if self.bits == 128 {
            let wide = PyList::new(py, fingerprints)?;
            return py.import("numpy")?.call_method1("array", (wide, "object"));
        }
        let narrow: Vec<u64> = fingerprints.into_iter().map(|wide| wide as u64).collect();
        Ok(narrow.into_pyarray(py).into_any())
    }

    /// The number of bits in which two fingerprints differ.
    #[staticmethod]
    fn distance(a: Wide, b: Wide) -> u32 {
        (a.0 ^ b.0).count_ones()
    }

    /// The angle between the feature vectors of two documents, as their fingerprints estimate it, with standard
    /// errors.
    fn estimate<'py>(&self, py: Python<'py>, a: Wide, b: Wide) -> PyResult<Bound<'py, PyAny>> {
        let distance = (self.check(a.0)? ^ self.check(b.0)?).count_ones();
        let AngleEstimate { distance, angle, angle_standard_error, cosine, cosine_standard_error } =
            AngleEstimate::from_distance(distance, self.bits).or_raise()?;
        Named::AngleEstimate.of(py, (distance, angle, angle_standard_error, cosine, cosine_standard_error))
    }

    /// The number of bits of a fingerprint.
    #[getter]
    fn bits(&self) -> u32 {
        self.bits
    }

    /// The seed of the hash functions.
    #[getter]
    fn seed(&self) -> u64 {
        self.seed
    }

    /// The shingler, which cuts texts into shingles.
    #[getter]
    fn shingler(&self) -> Shingler {
        self.shingler.clone()
    }

    fn __eq__(&self, other: &Self) -> bool {
        (self.bits, self.seed, &self.shingler) == (other.bits, other.seed, &other.shingler)
    }

    fn __hash__(&self) -> u64 {
        lookalike::hashing::mix64(self.seed ^ u64::from(self.bits))
    }

    fn __repr__(&self) -> String {
        format!("SimHash(bits={}, shingler={}, seed={})", self.bits, self.shingler.written(), self.seed)
    }

    fn __getnewargs_ex__<'py>(&self, py: Python<'py>) -> PyResult<((u32, Shingler), Bound<'py, PyDict>)> {
        let keywords = PyDict::new(py);
        keywords.set_item("seed", self.seed)?;
        Ok(((self.bits, self.shingler.clone()), keywords))
    }
}
