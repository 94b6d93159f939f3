//! `LSH`: keys and signatures -> which documents are similar, in memory.
//!
//! The index identifies documents by numbers, which count insertions. The keys, which can be any hashable objects,
//! are stored separately, in a dict and by number. No Python code runs while the lock is held, and a thread that
//! waits for the lock has released the interpreter. Therefore no two threads can wait for each other.

mod documents;
mod keys;
mod stored;

use super::arguments::{Pair, Reduced, Whole, size};
use super::bbit_min_hash::BBitMinHash;
use super::file;
use super::s_curve::SCurve;
use super::shingling::Shingling;
use super::signature::Signature;
use super::signatures::signatures_of;
use crate::errors::{self, Raise};
use keys::Keys;
use lookalike::banding::{Banding, plan};
use lookalike::index::LshIndex;
use pyo3::exceptions::PyKeyError;
use pyo3::gc::{PyTraverseError, PyVisit};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyType};
use std::path::PathBuf;
use std::sync::RwLock;

/// The number of signatures that are inserted between two checks for signals.
const CHUNK: usize = 4096;

/// The memory of a Python int in the dict of keys: 28 bytes, in an allocation of 32.
const SIZE_OF_NUMBER: usize = 32;

/// An index by bands. It finds the documents that are similar to a given one, and all similar pairs.
///
/// If `bands` and `rows` are left out, they are planned so that a pair of similarity `threshold` shares a band with
/// probability `recall` or more. A key can be any hashable object. Answers are sorted and do not depend on the order
/// of insertion, with one exception: of documents with equal similarity, the one inserted first comes first.
///
/// Of each slot of a signature 16 bits are kept, with which different slots agree by chance with probability 2^-16.
/// With 128 hashes and 21 bands a document takes less than 600 bytes, and `nbytes` says how many all of them take.
///
/// >>> from lookalike import LSH, MinHash
/// >>> hasher, index = MinHash(shingler="words:2"), LSH(threshold=0.5)
/// >>> index.insert("hamlet", hasher.sketch("to be or not to be, that is the question"))
/// >>> index.insert("rose", hasher.sketch("a rose is a rose is a rose"))
/// >>> index.query(hasher.sketch("To be or not to be: that is the question!"))
/// [('hamlet', 1.0)]
/// >>> "rose" in index, len(index)
/// (True, 2)
#[pyclass(module = "lookalike", name = "LSH", frozen)]
pub(crate) struct Lsh {
    threshold: f64,
    num_hashes: usize,
    banding: Banding,
    numbers: Py<PyDict>,
    state: RwLock<State>,
}

/// The content of a pickle: the index and the keys.
type Parts<'py> = (Bound<'py, PyBytes>, Vec<Py<PyAny>>);

struct State {
    index: LshIndex<u64>,
    keys: Keys,
    /// The number of the next document.
    next: u64,
    /// The number of insertions and removals so far.
    changes: u64,
    /// The shingling of the documents. It is known from the first document that has one.
    shingling: Shingling,
}

#[pymethods]
impl Lsh {
    #[new]
    #[pyo3(signature = (threshold=0.8, num_hashes=128, *, recall=0.99, bands=None, rows=None))]
    fn new(
        py: Python<'_>,
        threshold: f64,
        #[pyo3(from_py_with = size)] num_hashes: usize,
        recall: f64,
        bands: Option<Whole>,
        rows: Option<Whole>,
    ) -> PyResult<Self> {
        // This checks the threshold and the number of hashes, even if bands and rows are given.
        plan::by_notes_rule(num_hashes, threshold).or_raise()?;
        let banding = match (bands, rows) {
            (None, None) => plan::by_recall(num_hashes, threshold, recall).or_raise()?.banding,
            (Some(bands), Some(rows)) => Banding::new(bands.size(), rows.size()).or_raise()?,
            _ => return Err(errors::setting("give both bands and rows, or neither")),
        };
        if banding.num_hashes() > num_hashes {
            return Err(errors::setting(format_args!(
                "{} bands of {} rows need {} hashes, but num_hashes = {num_hashes}",
                banding.bands(),
                banding.rows(),
                banding.num_hashes()
            )));
        }
        Ok(Self::empty(py, threshold, num_hashes, banding))
    }

    /// Adds a document. A key that is already in the index is an error; `remove` it first.
    fn insert(&self, key: Bound<'_, PyAny>, signature: &Signature) -> PyResult<()> {
        self.insert_all(&[(key, signature.clone())])
    }

    /// Adds documents: as many keys as signatures (`Signatures` or an iterable). After an error, none of them is
    /// added.
    fn insert_many(&self, keys: &Bound<'_, PyAny>, signatures: &Bound<'_, PyAny>) -> PyResult<()> {
        let keys: Vec<Bound<'_, PyAny>> = keys.try_iter()?.collect::<PyResult<_>>()?;
        let signatures = signatures_of(signatures)?;
        if keys.len() != signatures.len() {
            return Err(errors::setting(format_args!(
                "there are {} keys, but {} signatures",
                keys.len(),
                signatures.len()
            )));
        }
        let documents: Vec<_> = keys.into_iter().zip(signatures).collect();
        self.insert_all(&documents)
    }

    /// Removes a document. A key that is not in the index is a `KeyError`.
    fn remove(&self, key: &Bound<'_, PyAny>) -> PyResult<()> {
        if self.take_out(key)? { Ok(()) } else { Err(PyKeyError::new_err(key.clone().unbind())) }
    }

    /// What the index keeps of the signature of a key: 16 bits of each slot. A key that is not in the index is a
    /// `KeyError`.
    fn get(&self, key: &Bound<'_, PyAny>) -> PyResult<BBitMinHash> {
        let number = self.number(key)?;
        let found = number.and_then(|number| self.ask(key.py(), |index| index.get(&number)));
        let shingling = key.py().detach(|| self.read().shingling.clone());
        found
            .map(|inner| BBitMinHash { inner, shingling })
            .ok_or_else(|| PyKeyError::new_err(key.clone().unbind()))
    }

    /// The keys, in the order of insertion.
    fn keys(&self, py: Python<'_>) -> Vec<Py<PyAny>> {
        let numbers: Vec<u64> = py.detach(|| self.read().keys.numbers().collect());
        self.keys_of(py, numbers).into_iter().flatten().collect()
    }

    /// The keys of the documents that share a band with a signature, in the order of insertion.
    fn candidates(&self, py: Python<'_>, signature: &Signature) -> PyResult<Vec<Py<PyAny>>> {
        self.check(py, signature)?;
        let numbers = self.ask(py, |index| index.candidates(&signature.inner)).or_raise()?;
        Ok(self.keys_of(py, numbers).into_iter().flatten().collect())
    }

    /// The candidates whose estimated similarity is at least `threshold` (that of the index if left out), as tuples
    /// (key, similarity), most similar first.
    #[pyo3(signature = (signature, threshold=None))]
    fn query(
        &self,
        py: Python<'_>,
        signature: &Signature,
        threshold: Option<f64>,
    ) -> PyResult<Vec<(Py<PyAny>, f64)>> {
        self.check(py, signature)?;
        let threshold = threshold.unwrap_or(self.threshold);
        let matches = self.ask(py, |index| index.query(&signature.inner, threshold)).or_raise()?;
        Ok(self.named(py, matches))
    }

    /// The `k` candidates with the highest estimated similarity, as tuples (key, similarity), most similar first.
    /// Only documents that share a band are considered, so there may be fewer than `k`.
    fn top_k(
        &self,
        py: Python<'_>,
        signature: &Signature,
        #[pyo3(from_py_with = size)] k: usize,
    ) -> PyResult<Vec<(Py<PyAny>, f64)>> {
        self.check(py, signature)?;
        let matches = self.ask(py, |index| index.top_k(&signature.inner, k)).or_raise()?;
        Ok(self.named(py, matches))
    }

    /// All pairs of keys that share a band, each once. A band shared by m documents makes m (m - 1) / 2 pairs.
    fn candidate_pairs(&self, py: Python<'_>) -> Vec<(Py<PyAny>, Py<PyAny>)> {
        let pairs = self.ask(py, LshIndex::candidate_pairs);
        let numbers: Vec<u64> = pairs.into_iter().flat_map(|(a, b)| [a, b]).collect();
        let keys = self.keys_of(py, numbers);
        let mut keys = keys.into_iter();
        let mut pairs = Vec::with_capacity(keys.len() / 2);
        while let (Some(a), Some(b)) = (keys.next(), keys.next()) {
            pairs.extend(a.zip(b));
        }
        pairs
    }

    /// The candidate pairs whose estimated similarity is at least `threshold` (that of the index if left out), as
    /// tuples (key, key, similarity).
    #[pyo3(signature = (threshold=None))]
    fn similar_pairs(&self, py: Python<'_>, threshold: Option<f64>) -> PyResult<Vec<Pair<Py<PyAny>, f64>>> {
        let threshold = threshold.unwrap_or(self.threshold);
        let pairs = self.ask(py, |index| index.similar_pairs(threshold)).or_raise()?;
        let numbers: Vec<u64> = pairs.iter().flat_map(|pair| [pair.a, pair.b]).collect();
        let mut keys = self.keys_of(py, numbers).into_iter();
        let mut named = Vec::with_capacity(pairs.len());
        for pair in pairs {
            let both = keys.next().flatten().zip(keys.next().flatten());
            named.extend(both.map(|(a, b)| (a, b, pair.similarity)));
        }
        Ok(named)
    }

    /// The least similarity of the answers of `query` and `similar_pairs`.
    #[getter]
    fn threshold(&self) -> f64 {
        self.threshold
    }

    /// The number of hashes of the signatures.
    #[getter]
    fn num_hashes(&self) -> usize {
        self.num_hashes
    }

    /// How the texts of the signatures were normalised and cut into shingles; `None` until a signature of a text is
    /// inserted. After that, a signature of a text that was cut in another way is an `IncompatibleError`.
    #[getter]
    fn shingling(&self, py: Python<'_>) -> Option<String> {
        py.detach(|| self.read().shingling.written().map(str::to_owned))
    }

    /// The number of bands.
    #[getter]
    fn bands(&self) -> usize {
        self.banding.bands()
    }

    /// The number of rows in each band.
    #[getter]
    fn rows(&self) -> usize {
        self.banding.rows()
    }

    /// The probability that a pair is found, as a function of its similarity.
    #[getter]
    fn curve(&self) -> SCurve {
        SCurve::of(self.banding)
    }

    /// The memory of the index in bytes: the signatures, the tables, and the dict of keys, but not the keys themselves.
    #[getter]
    fn nbytes(&self, py: Python<'_>) -> PyResult<usize> {
        let dict: usize = self.numbers.bind(py).call_method0("__sizeof__")?.extract()?;
        let native = py.detach(|| {
            let state = self.read();
            state.index.size_in_bytes() + state.keys.size_in_bytes() + state.index.len() * SIZE_OF_NUMBER
        });
        Ok(size_of::<Self>() + dict + native)
    }

    fn __len__(&self, py: Python<'_>) -> usize {
        self.ask(py, LshIndex::len)
    }

    fn __contains__(&self, key: &Bound<'_, PyAny>) -> PyResult<bool> {
        Ok(self.number(key)?.is_some())
    }

    fn __repr__(&self, py: Python<'_>) -> String {
        let (bands, rows) = (self.bands(), self.rows());
        let documents = self.__len__(py);
        format!("<LSH of {documents} documents, {bands} bands of {rows} rows, threshold {}>", self.threshold)
    }

    /// Writes the index to a file. The file is written completely or not at all. Keys must be str, int or bytes;
    /// other keys are a `TypeError`.
    fn save(&self, py: Python<'_>, path: PathBuf) -> PyResult<()> {
        file::write(py, &path, &self.file_bytes(py)?)
    }

    /// Reads an index that `save` wrote. A file that is damaged or incomplete is a `DamagedError`.
    #[classmethod]
    fn load(class: &Bound<'_, PyType>, path: PathBuf) -> PyResult<Self> {
        Self::from_file_bytes(class.py(), &file::read(class.py(), &path)?)
    }

    /// Restores an index from a pickle.
    #[classmethod]
    fn _restore(class: &Bound<'_, PyType>, data: &[u8], keys: Vec<Bound<'_, PyAny>>) -> PyResult<Self> {
        Self::from_pickle_bytes(class.py(), data, keys)
    }

    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> PyResult<Reduced<'py, Parts<'py>>> {
        let (bytes, keys) = slf.get().pickle_bytes(slf.py())?;
        Ok((slf.get_type().getattr("_restore")?, (PyBytes::new(slf.py(), &bytes), keys)))
    }

    fn __traverse__(&self, visit: PyVisit<'_>) -> Result<(), PyTraverseError> {
        visit.call(&self.numbers)?;
        // If another thread is using it, it is not garbage.
        if let Ok(state) = self.state.try_read() {
            for key in state.keys.present() {
                visit.call(key)?;
            }
        }
        Ok(())
    }

    fn __clear__(&self) {
        let keys = self.state.try_write().map(|mut state| std::mem::take(&mut state.keys));
        drop(keys);
    }
}
