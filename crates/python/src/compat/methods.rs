//! `MinHash.update` and `MinHash.jaccard` for single calls, as fast as Python can call a function.
//!
//! The class is written in Python, with its state in plain attributes, which programs read and replace as they do
//! with datasketch. Its two busiest methods are replaced here by C methods: they create no Python frame, and read the
//! values without a copy. They handle the usual case, which is contiguous arrays of the scheme's integers. In all
//! other cases they call the original methods, which are the definition.

use std::ffi::{CStr, CString, c_int};
use std::panic::{AssertUnwindSafe, catch_unwind};

use lookalike::compat::given::{Affine32, Affine64, GivenPermutations, Mersenne};
use lookalike::compat::sha1;
use numpy::{PyArray1, PyArray2, PyUntypedArrayMethods};
use pyo3::ffi;
use pyo3::gc::{PyTraverseError, PyVisit};
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyBytes, PyDict, PyFloat, PyString, PyTuple, PyType};

use super::minhash::{ArrayScheme, unknown};
use crate::arrays;
use crate::errors::{self, Raise};

/// The known schemes.
#[derive(Debug, Clone, Copy)]
enum Known {
    Affine32,
    Affine64,
    Legacy,
}

/// The scheme and the seed of sketches. Two sketches of the same kind can be compared.
///
/// Sketches share this object, so comparing its address is usually enough.
#[pyclass(module = "lookalike._native", frozen)]
pub(crate) struct CompatKind {
    known: Option<Known>,
    scheme: Py<PyAny>,
    seed: Py<PyAny>,
}

#[pymethods]
impl CompatKind {
    #[new]
    fn new(scheme: &Bound<'_, PyAny>, seed: Py<PyAny>) -> PyResult<Self> {
        let known = match scheme.cast::<PyString>() {
            Ok(name) if name == "affine32" => Some(Known::Affine32),
            Ok(name) if name == "affine64" => Some(Known::Affine64),
            Ok(name) if name == "legacy" => Some(Known::Legacy),
            Ok(name) => return Err(unknown(&name.to_string_lossy())),
            // The scheme is not set yet.
            Err(_) => None,
        };
        Ok(Self { known, scheme: scheme.clone().unbind(), seed })
    }

    #[getter]
    fn scheme(&self, py: Python<'_>) -> Py<PyAny> {
        self.scheme.clone_ref(py)
    }

    #[getter]
    fn seed(&self, py: Python<'_>) -> Py<PyAny> {
        self.seed.clone_ref(py)
    }

    fn __traverse__(&self, visit: PyVisit<'_>) -> Result<(), PyTraverseError> {
        visit.call(&self.scheme)?;
        visit.call(&self.seed)
    }
}

/// A function that answers in the usual case, and returns `None` in all others.
type Quick = for<'py> fn(&Bound<'py, PyAny>, &Bound<'py, PyAny>) -> PyResult<Option<Bound<'py, PyAny>>>;

/// A C method that receives a pointer to its arguments, and the names of the keyword arguments, which come last.
type Method = unsafe extern "C" fn(
    *mut ffi::PyObject,
    *const *mut ffi::PyObject,
    ffi::Py_ssize_t,
    *mut ffi::PyObject,
) -> *mut ffi::PyObject;

/// The flags of such a method. Every interpreter from 3.7 on supports them; the stable interface has them from 3.10
/// on.
const FLAGS: c_int = 0x0080 | ffi::METH_KEYWORDS;

/// Replaces `update` and `jaccard` of a class. Its original methods become `_plain_update` and `_plain_jaccard`.
#[pyfunction]
pub(crate) fn compat_quicken(class: &Bound<'_, PyType>) -> PyResult<()> {
    replace(class, c"update", "(self, b)", update_method)?;
    replace(class, c"jaccard", "(self, other)", jaccard_method)
}

fn replace(class: &Bound<'_, PyType>, name: &'static CStr, signature: &str, method: Method) -> PyResult<()> {
    let written = name.to_string_lossy();
    let plain = class.getattr(&*written)?;
    let doc: Option<String> = plain.getattr("__doc__")?.extract()?;
    let doc = format!("{written}{signature}\n--\n\n{}", doc.unwrap_or_default());
    let definition = ffi::PyMethodDef {
        ml_name: name.as_ptr(),
        ml_meth: ffi::PyMethodDefPointer {
            // SAFETY: the interpreter never calls it with the type that is written here: the flags give its true
            // type.
            PyCFunctionWithKeywords: unsafe {
                std::mem::transmute::<Method, ffi::PyCFunctionWithKeywords>(method)
            },
        },
        ml_flags: FLAGS,
        // This is never freed, like the class itself.
        ml_doc: CString::new(doc)?.into_raw(),
    };
    let definition = Box::leak(Box::new(definition));
    // SAFETY: the class is a class, and the definition is complete and never freed.
    let descriptor = unsafe {
        Bound::from_owned_ptr_or_err(class.py(), ffi::PyDescr_NewMethod(class.as_type_ptr(), definition))
    }?;
    class.setattr(&*written, descriptor)?;
    class.setattr(format!("_plain_{written}"), plain)
}

/// Answers with the quick function, or with the plain method.
///
/// # Safety
///
/// The arguments must be those that the interpreter passes to a method: an object; a pointer to its arguments; the
/// number of positional ones; and a tuple with the names of the keyword arguments that follow them, or null.
unsafe fn call(
    slf: *mut ffi::PyObject,
    arguments: *const *mut ffi::PyObject,
    unnamed: ffi::Py_ssize_t,
    names: *mut ffi::PyObject,
    quick: Quick,
    plain: &str,
) -> *mut ffi::PyObject {
    // SAFETY: a caller of a C method is attached to the interpreter.
    let py = unsafe { Python::assume_attached() };
    let work = || -> PyResult<Bound<'_, PyAny>> {
        // SAFETY: as the caller promises.
        let slf = unsafe { Bound::from_borrowed_ptr(py, slf) };
        if names.is_null() && unnamed == 1 {
            // SAFETY: there is one argument.
            let argument = unsafe { Bound::from_borrowed_ptr(py, *arguments) };
            if let Some(answer) = quick(&slf, &argument)? {
                return Ok(answer);
            }
        }
        // SAFETY: as above, and `names` is a tuple of strings, or null.
        let names = unsafe { Bound::from_borrowed_ptr_or_opt(py, names) };
        let names = names.map_or_else(|| Ok(PyTuple::empty(py)), Bound::cast_into::<PyTuple>)?;
        // SAFETY: there are `unnamed` positional arguments, and one argument for each name; no other index is used
        // below.
        let argument = |at: usize| unsafe { Bound::from_borrowed_ptr(py, *arguments.add(at)) };
        let keywords = PyDict::new(py);
        for (at, name) in names.iter().enumerate() {
            keywords.set_item(name, argument(unnamed as usize + at))?;
        }
        let unnamed = PyTuple::new(py, (0..unnamed as usize).map(argument))?;
        slf.getattr(plain)?.call(unnamed, Some(&keywords))
    };
    let outcome = catch_unwind(AssertUnwindSafe(work)).unwrap_or_else(|panic| Err(errors::panicked(&*panic)));
    match outcome {
        Ok(answer) => answer.into_ptr(),
        Err(error) => {
            error.restore(py);
            std::ptr::null_mut()
        }
    }
}

unsafe extern "C" fn update_method(
    slf: *mut ffi::PyObject,
    arguments: *const *mut ffi::PyObject,
    unnamed: ffi::Py_ssize_t,
    names: *mut ffi::PyObject,
) -> *mut ffi::PyObject {
    // SAFETY: the interpreter calls it.
    unsafe { call(slf, arguments, unnamed, names, update, "_plain_update") }
}

unsafe extern "C" fn jaccard_method(
    slf: *mut ffi::PyObject,
    arguments: *const *mut ffi::PyObject,
    unnamed: ffi::Py_ssize_t,
    names: *mut ffi::PyObject,
) -> *mut ffi::PyObject {
    // SAFETY: the interpreter calls it.
    unsafe { call(slf, arguments, unnamed, names, jaccard, "_plain_jaccard") }
}

/// The known hash functions for elements: 32 and 64 bits of SHA-1.
fn known_functions(py: Python<'_>) -> PyResult<&[Py<PyAny>; 2]> {
    static KNOWN: PyOnceLock<[Py<PyAny>; 2]> = PyOnceLock::new();
    KNOWN.get_or_try_init(py, || {
        let module = py.import("lookalike.compat.datasketch.hashfunc")?;
        Ok([module.getattr("sha1_hash32")?.unbind(), module.getattr("sha1_hash64")?.unbind()])
    })
}

fn update<'py>(slf: &Bound<'py, PyAny>, item: &Bound<'py, PyAny>) -> PyResult<Option<Bound<'py, PyAny>>> {
    let kind = slf.getattr(intern!(slf.py(), "_kind"))?;
    match kind.cast::<CompatKind>().ok().and_then(|kind| kind.get().known) {
        Some(Known::Affine32) => update_of::<Affine32>(slf, item),
        Some(Known::Affine64) => update_of::<Affine64>(slf, item),
        Some(Known::Legacy) => update_of::<Mersenne>(slf, item),
        None => Ok(None),
    }
}

fn update_of<'py, S: ArrayScheme>(
    slf: &Bound<'py, PyAny>,
    item: &Bound<'py, PyAny>,
) -> PyResult<Option<Bound<'py, PyAny>>> {
    let py = slf.py();
    let hashfunc = slf.getattr(intern!(py, "hashfunc"))?;
    let [narrow, wide] = known_functions(py)?;
    let is_wide = hashfunc.is(wide);
    if !is_wide && !hashfunc.is(narrow) || is_wide && size_of::<S::Word>() < 8 {
        return Ok(None);
    }
    let Ok(item) = item.cast::<PyBytes>() else { return Ok(None) };
    let (permutations, hashvalues) =
        (slf.getattr(intern!(py, "permutations"))?, slf.getattr(intern!(py, "hashvalues"))?);
    let (Ok(permutations), Ok(hashvalues)) =
        (permutations.cast::<PyArray2<S::Word>>(), hashvalues.cast::<PyArray1<S::Word>>())
    else {
        return Ok(None);
    };
    if permutations.shape() != [2, hashvalues.len()]
        || !arrays::is_in_order(permutations)
        || !arrays::is_in_order(hashvalues)
    {
        return Ok(None);
    }
    let hash = S::word(sha1::hash(item.as_bytes()), is_wide);
    let mut minima = arrays::read(hashvalues, <[S::Word]>::to_vec)?;
    arrays::read(permutations, |parameters| {
        let (a, b) = parameters.split_at(parameters.len() / 2);
        GivenPermutations::<S>::new(a, b)?.update(&[hash], &mut minima)
    })?
    .or_raise()?;
    // A new array is made, as in datasketch, so that code that holds the old array sees no change.
    slf.setattr(intern!(py, "hashvalues"), PyArray1::from_slice(py, &minima))?;
    Ok(Some(py.None().into_bound(py)))
}

fn jaccard<'py>(slf: &Bound<'py, PyAny>, other: &Bound<'py, PyAny>) -> PyResult<Option<Bound<'py, PyAny>>> {
    let py = slf.py();
    let (kind, values) = (intern!(py, "_kind"), intern!(py, "hashvalues"));
    let Some(theirs) = other.getattr_opt(kind)? else { return Ok(None) };
    if !slf.getattr(kind)?.is(&theirs) {
        return Ok(None);
    }
    let (ours, theirs) = (slf.getattr(values)?, other.getattr(values)?);
    let equal = match (arrays::plain::<u32>(&ours), arrays::plain::<u32>(&theirs)) {
        (Some(ours), Some(theirs)) => equal_values(ours, theirs),
        _ => match (arrays::plain::<u64>(&ours), arrays::plain::<u64>(&theirs)) {
            (Some(ours), Some(theirs)) => equal_values(ours, theirs),
            _ => None,
        },
    };
    Ok(equal.map(|equal| PyFloat::new(py, equal).into_any()))
}

/// The share of equal values.
fn equal_values<W: PartialEq>(ours: &[W], theirs: &[W]) -> Option<f64> {
    if ours.len() != theirs.len() || ours.is_empty() {
        return None;
    }
    // The count has 32 bits, so that as many values as possible are compared at once.
    let equal: u32 = ours.iter().zip(theirs).map(|(ours, theirs)| u32::from(ours == theirs)).sum();
    Some(f64::from(equal) / ours.len() as f64)
}
