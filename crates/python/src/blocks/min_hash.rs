//! `MinHash`: sets -> signatures.

use super::arguments::{Elements, Text, in_chunks, length_hint, size, whole};
use super::family::{self, AnyHasher};
use super::shingler::Shingler;
use super::shingling::Shingling;
use super::signature::Signature;
use super::signatures::Signatures;
use lookalike::minhash::EMPTY_SLOT;
use lookalike::shingling::ShingleBuffer;
use pyo3::prelude::*;
use pyo3::types::PyDict;

/// A buffer that is larger than this after a long text is shrunk to this many bytes.
const KEPT_TEXT_BYTES: usize = 1 << 20;

/// Makes signatures of sets. The fraction of slots in which two of them agree estimates the Jaccard similarity of the
/// sets.
///
/// `family` is `"fast-sketch"` (the fastest, and the most accurate for small sets), `"multiply-shift"` (the classic)
/// or `"universal"` (the textbook; biased for numbers that are not hashes, such as consecutive ones). `shingler` cuts
/// texts into shingles: a `Shingler`, or a str such as `"words:5"`.
///
/// >>> from lookalike import MinHash
/// >>> hasher = MinHash(num_hashes=128, shingler="words:2")
/// >>> a = hasher.sketch("to be or not to be, that is the question")
/// >>> b = hasher.sketch("to be or not to be: that was the question")
/// >>> a.jaccard(b)  # exactly: 6/10
/// 0.6328125
/// >>> hasher.sketch({"apple", "pear"}) == hasher.sketch(["pear", "apple", b"pear"])
/// True
#[pyclass(module = "lookalike", frozen)]
pub(crate) struct MinHash {
    family: String,
    seed: u64,
    shingler: Shingler,
    hasher: AnyHasher,
}

impl MinHash {
    /// Appends the slots of a set.
    fn append(&self, elements: &[u64], slots: &mut Vec<u64>) {
        let start = slots.len();
        slots.resize(start + self.hasher.num_hashes(), EMPTY_SLOT);
        self.hasher
            .sketch_into(elements, &mut slots[start..])
            .expect("there is a slot for each hash function");
    }

    fn append_text(&self, text: &Text, buffer: &mut ShingleBuffer, slots: &mut Vec<u64>) {
        self.append(self.shingler.inner.hashes(text, buffer), slots);
        if text.as_ref().len() > KEPT_TEXT_BYTES {
            buffer.shrink_to(KEPT_TEXT_BYTES);
        }
    }

    fn append_any(&self, elements: &Elements, buffer: &mut ShingleBuffer, slots: &mut Vec<u64>) {
        match elements {
            Elements::Text(text) => self.append_text(text, buffer, slots),
            Elements::Hashes(hashes) => self.append(hashes, slots),
        }
    }

    fn room(&self, values: &Bound<'_, PyAny>) -> Vec<u64> {
        Vec::with_capacity(length_hint(values).saturating_mul(self.hasher.num_hashes()).min(1 << 24))
    }
}

#[pymethods]
impl MinHash {
    #[new]
    #[pyo3(signature = (num_hashes=128, seed=1, family="fast-sketch", shingler=None))]
    fn new(
        #[pyo3(from_py_with = size)] num_hashes: usize,
        #[pyo3(from_py_with = whole)] seed: u64,
        family: &str,
        shingler: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Self> {
        Ok(Self {
            hasher: family::hasher(family, num_hashes, seed)?,
            family: family.into(),
            seed,
            shingler: Shingler::from_argument(shingler)?,
        })
    }

    /// The signature of a set. The set is a text (its shingles), a uint64 array of hashes, or an iterable of str,
    /// bytes and ints (an int is used as a hash).
    fn sketch(&self, py: Python<'_>, elements: Elements) -> PyResult<Signature> {
        let mut slots = Vec::with_capacity(self.hasher.num_hashes());
        py.detach(|| self.append_any(&elements, &mut ShingleBuffer::default(), &mut slots));
        let (family, seed) = (self.hasher.family(), self.hasher.seed());
        let signature = lookalike::minhash::Signature::from_slots(family, seed, slots);
        let shingling = match elements {
            Elements::Text(_) => Shingling::of_texts(&self.shingler),
            Elements::Hashes(_) => Shingling::default(),
        };
        Ok(Signature { inner: crate::errors::Raise::or_raise(signature)?, shingling })
    }

    /// The signatures of several texts. Other Python threads can run meanwhile.
    fn sketch_texts(&self, texts: &Bound<'_, PyAny>) -> PyResult<Signatures> {
        let (mut slots, mut buffer) = (self.room(texts), ShingleBuffer::default());
        in_chunks(
            texts,
            Text::at,
            |text| text.as_ref().len(),
            |chunk| chunk.iter().for_each(|text| self.append_text(text, &mut buffer, &mut slots)),
        )?;
        Ok(Signatures::of(&*self.hasher, Shingling::of_texts(&self.shingler), slots))
    }

    /// The signatures of several sets, each given as for `sketch`.
    fn sketch_many(&self, sets: &Bound<'_, PyAny>) -> PyResult<Signatures> {
        let (mut slots, mut buffer) = (self.room(sets), ShingleBuffer::default());
        let mut shingling = Shingling::default();
        in_chunks(
            sets,
            |_, set| set.extract(),
            Elements::size,
            |chunk| {
                if chunk.iter().any(|set| matches!(set, Elements::Text(_))) {
                    shingling = Shingling::of_texts(&self.shingler);
                }
                chunk.iter().for_each(|set| self.append_any(set, &mut buffer, &mut slots));
            },
        )?;
        Ok(Signatures::of(&*self.hasher, shingling, slots))
    }

    /// The number of hash functions.
    #[getter]
    fn num_hashes(&self) -> usize {
        self.hasher.num_hashes()
    }

    /// The seed of the hash functions.
    #[getter]
    fn seed(&self) -> u64 {
        self.seed
    }

    /// The family of hash functions.
    #[getter]
    fn family(&self) -> &str {
        &self.family
    }

    /// The shingler, which cuts texts into shingles.
    #[getter]
    fn shingler(&self) -> Shingler {
        self.shingler.clone()
    }

    fn __eq__(&self, other: &Self) -> bool {
        (self.num_hashes(), self.seed, &self.family, &self.shingler)
            == (other.num_hashes(), other.seed, &other.family, &other.shingler)
    }

    fn __hash__(&self) -> u64 {
        lookalike::hashing::mix64(self.seed ^ self.num_hashes() as u64)
    }

    fn __repr__(&self) -> String {
        format!(
            "MinHash(num_hashes={}, seed={}, family='{}', shingler={})",
            self.num_hashes(),
            self.seed,
            self.family,
            self.shingler.written()
        )
    }

    fn __getnewargs_ex__<'py>(&self, py: Python<'py>) -> ((usize, u64, &str, Shingler), Bound<'py, PyDict>) {
        ((self.num_hashes(), self.seed, &self.family, self.shingler.clone()), PyDict::new(py))
    }
}
