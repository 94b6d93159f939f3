//! `MinHash.update` and `MinHash.jaccard`, one at a time, as quickly as Python can call anything.
//!
//! The class is written in Python, with its state in plain attributes, which programs read and replace as they do with
//! datasketch. Its two busiest methods are replaced here by methods of C: no frame of Python is made, and the values
//! are read where they are. They take the usual case, which is arrays of the scheme's integers in order. For everything else
//! they call the methods that were there before, which are the definition.

use std::ffi::{CStr, CString};
use std::panic::{AssertUnwindSafe, catch_unwind};

use lookalike::minhash::given::{Affine32, Affine64, GivenPermutations, Mersenne};
use lookalike::sha1;
use numpy::{PyArray1, PyArray2, PyUntypedArrayMethods};
use pyo3::ffi;
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyBytes, PyDict, PyFloat, PyInt, PyTuple, PyType};

use super::minhash::ArrayScheme;
use crate::arrays::{self, Number};
use crate::errors::{self, Raise};

/// The answer in the usual case, and none in any other.
type Quick = for<'py> fn(&Bound<'py, PyAny>, &Bound<'py, PyAny>) -> PyResult<Option<Bound<'py, PyAny>>>;

/// Replaces `update` and `jaccard` of a class; the methods it has become `_plain_update` and `_plain_jaccard`.
#[pyfunction]
pub(crate) fn compat_quicken(class: &Bound<'_, PyType>) -> PyResult<()> {
    replace(class, c"update", "(self, b)", update_method)?;
    replace(class, c"jaccard", "(self, other)", jaccard_method)
}

fn replace(
    class: &Bound<'_, PyType>,
    name: &'static CStr,
    signature: &str,
    method: ffi::PyCFunctionWithKeywords,
) -> PyResult<()> {
    let written = name.to_string_lossy();
    let plain = class.getattr(&*written)?;
    let doc: Option<String> = plain.getattr("__doc__")?.extract()?;
    let doc = format!("{written}{signature}\n--\n\n{}", doc.unwrap_or_default());
    let definition = ffi::PyMethodDef {
        ml_name: name.as_ptr(),
        ml_meth: ffi::PyMethodDefPointer { PyCFunctionWithKeywords: method },
        ml_flags: ffi::METH_VARARGS | ffi::METH_KEYWORDS,
        // For as long as the class, which is never taken down.
        ml_doc: CString::new(doc)?.into_raw(),
    };
    let definition = Box::leak(Box::new(definition));
    // SAFETY: the class is a class, and the definition is whole and stays.
    let descriptor = unsafe {
        Bound::from_owned_ptr_or_err(class.py(), ffi::PyDescr_NewMethod(class.as_type_ptr(), definition))
    }?;
    class.setattr(&*written, descriptor)?;
    class.setattr(format!("_plain_{written}"), plain)
}

/// Answers quickly or by the plain method.
///
/// # Safety
///
/// The arguments are what the interpreter hands to a method: an object, a tuple, and a dict or null.
unsafe fn call(
    slf: *mut ffi::PyObject,
    arguments: *mut ffi::PyObject,
    keywords: *mut ffi::PyObject,
    quick: Quick,
    plain: &str,
) -> *mut ffi::PyObject {
    Python::attach(|py| {
        let work = || -> PyResult<Bound<'_, PyAny>> {
            // SAFETY: as the caller promises.
            let (slf, arguments, keywords) = unsafe {
                (
                    Bound::from_borrowed_ptr(py, slf),
                    Bound::from_borrowed_ptr(py, arguments).cast_into_unchecked::<PyTuple>(),
                    Bound::from_borrowed_ptr_or_opt(py, keywords)
                        .map(|keywords| keywords.cast_into_unchecked::<PyDict>()),
                )
            };
            if keywords.is_none()
                && arguments.len() == 1
                && let Some(answer) = quick(&slf, &arguments.get_item(0)?)?
            {
                return Ok(answer);
            }
            slf.getattr(plain)?.call(arguments, keywords.as_ref())
        };
        let outcome =
            catch_unwind(AssertUnwindSafe(work)).unwrap_or_else(|panic| Err(errors::panicked(&*panic)));
        match outcome {
            Ok(answer) => answer.into_ptr(),
            Err(error) => {
                error.restore(py);
                std::ptr::null_mut()
            }
        }
    })
}

unsafe extern "C" fn update_method(
    slf: *mut ffi::PyObject,
    arguments: *mut ffi::PyObject,
    keywords: *mut ffi::PyObject,
) -> *mut ffi::PyObject {
    // SAFETY: the interpreter calls it.
    unsafe { call(slf, arguments, keywords, update, "_plain_update") }
}

unsafe extern "C" fn jaccard_method(
    slf: *mut ffi::PyObject,
    arguments: *mut ffi::PyObject,
    keywords: *mut ffi::PyObject,
) -> *mut ffi::PyObject {
    // SAFETY: the interpreter calls it.
    unsafe { call(slf, arguments, keywords, jaccard, "_plain_jaccard") }
}

/// The hash functions of elements that are known: 32 and 64 bits of SHA-1.
fn known_functions(py: Python<'_>) -> PyResult<&[Py<PyAny>; 2]> {
    static KNOWN: PyOnceLock<[Py<PyAny>; 2]> = PyOnceLock::new();
    KNOWN.get_or_try_init(py, || {
        let module = py.import("lookalike.compat.datasketch.hashfunc")?;
        Ok([module.getattr("sha1_hash32")?.unbind(), module.getattr("sha1_hash64")?.unbind()])
    })
}

fn update<'py>(slf: &Bound<'py, PyAny>, item: &Bound<'py, PyAny>) -> PyResult<Option<Bound<'py, PyAny>>> {
    let py = slf.py();
    let scheme = slf.getattr(intern!(py, "scheme"))?;
    // The same names again and again: they are mostly the same objects.
    let is = |name: &Bound<'py, _>| -> PyResult<bool> { Ok(scheme.is(name) || scheme.eq(name)?) };
    if is(intern!(py, "affine32"))? {
        update_of::<Affine32>(slf, item)
    } else if is(intern!(py, "affine64"))? {
        update_of::<Affine64>(slf, item)
    } else if is(intern!(py, "legacy"))? {
        update_of::<Mersenne>(slf, item)
    } else {
        Ok(None)
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
    // A new array, as datasketch makes one: who has taken the old one keeps it as it is.
    let mut minima = arrays::read(hashvalues, <[S::Word]>::to_vec)?;
    arrays::read(permutations, |parameters| {
        let (a, b) = parameters.split_at(parameters.len() / 2);
        GivenPermutations::<S>::new(a, b)?.update(&[hash], &mut minima)
    })?
    .or_raise()?;
    slf.setattr(intern!(py, "hashvalues"), PyArray1::from_vec(py, minima))?;
    Ok(Some(py.None().into_bound(py)))
}

fn jaccard<'py>(slf: &Bound<'py, PyAny>, other: &Bound<'py, PyAny>) -> PyResult<Option<Bound<'py, PyAny>>> {
    let py = slf.py();
    let (Some(theirs), ours) =
        (other.getattr_opt(intern!(py, "scheme"))?, slf.getattr(intern!(py, "scheme"))?)
    else {
        return Ok(None);
    };
    if !ours.is(&theirs) && !ours.eq(&theirs)? {
        return Ok(None);
    }
    let (ours, theirs) = (slf.getattr(intern!(py, "seed"))?, other.getattr(intern!(py, "seed"))?);
    let numbers = || ours.is_exact_instance_of::<PyInt>() && theirs.is_exact_instance_of::<PyInt>();
    if !ours.is(&theirs) && !(numbers() && ours.eq(&theirs)?) {
        return Ok(None);
    }
    let name = intern!(py, "hashvalues");
    let (ours, theirs) = (slf.getattr(name)?, other.getattr(name)?);
    let equal = match equal_values::<u32>(&ours, &theirs)? {
        None => equal_values::<u64>(&ours, &theirs)?,
        some => some,
    };
    Ok(equal.map(|(equal, all)| PyFloat::new(py, equal as f64 / all as f64).into_any()))
}

/// How many values are equal, of how many.
fn equal_values<W: Number + PartialEq>(
    ours: &Bound<'_, PyAny>,
    theirs: &Bound<'_, PyAny>,
) -> PyResult<Option<(usize, usize)>> {
    let (Ok(ours), Ok(theirs)) = (ours.cast::<PyArray1<W>>(), theirs.cast::<PyArray1<W>>()) else {
        return Ok(None);
    };
    if ours.len() != theirs.len() || ours.len() == 0 {
        return Ok(None);
    }
    arrays::read(ours, |ours| {
        arrays::read(theirs, |theirs| {
            let equal = ours.iter().zip(theirs).filter(|(ours, theirs)| ours == theirs).count();
            Some((equal, ours.len()))
        })
    })?
}
