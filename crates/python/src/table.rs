//! Arrow tables from and to Python, with the Arrow PyCapsule interface. The memory is shared, not copied.

use crate::arrays;
use crate::errors::{damaged, setting};
use arrow_array::builder::{ArrayBuilder, LargeBinaryBuilder};
use arrow_array::ffi::{FFI_ArrowArray, FFI_ArrowSchema, from_ffi};
use arrow_array::ffi_stream::{FFI_ArrowArrayStream, RecordBatchStreamReader};
use arrow_array::{
    Array, ArrayRef, BooleanArray, LargeBinaryArray, LargeStringArray, NullArray, RecordBatch,
    RecordBatchIterator, RecordBatchReader, StructArray,
};
use arrow_schema::{ArrowError, DataType, Field, Schema, SchemaRef};
use numpy::ndarray::Ix1;
use numpy::{PyArray1, PyUntypedArrayMethods};
use pyo3::exceptions::{PyKeyboardInterrupt, PyRuntimeError, PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyCapsule, PyList, PyString};
use std::ffi::CStr;
use std::sync::Arc;

/// The name of a capsule with a stream of batches.
const STREAM: &CStr = c"arrow_array_stream";
/// The name of a capsule with a schema.
const SCHEMA: &CStr = c"arrow_schema";
/// The name of a capsule with an array.
const ARRAY: &CStr = c"arrow_array";

/// Rows in memory, as Arrow batches. Any Arrow library can read it through `__arrow_c_stream__`.
#[pyclass(frozen, module = "lookalike._native")]
#[derive(Debug)]
pub(crate) struct ArrowTable {
    pub(crate) schema: SchemaRef,
    pub(crate) batches: Vec<RecordBatch>,
}

#[pymethods]
impl ArrowTable {
    /// The table of an object that has `__arrow_c_stream__`.
    #[staticmethod]
    fn from_stream(source: &Bound<'_, PyAny>) -> PyResult<Self> {
        let capsule = source.call_method0("__arrow_c_stream__")?;
        let capsule = capsule.cast::<PyCapsule>()?;
        let pointer = capsule.pointer_checked(Some(STREAM)).map_err(|_| {
            PyTypeError::new_err("__arrow_c_stream__ did not return a capsule named arrow_array_stream")
        })?;
        // SAFETY: a capsule of this name holds a valid stream, by the definition of the interface. `from_raw` takes it
        // over and leaves a released stream behind, which the destructor of the capsule expects.
        let stream = unsafe { FFI_ArrowArrayStream::from_raw(pointer.as_ptr().cast()) };
        let reader = RecordBatchStreamReader::try_new(stream).map_err(|error| not_a_table(&error))?;
        let schema = reader.schema();
        // The other library makes the batches. If it needs the interpreter, it acquires it itself.
        let read = source.py().detach(|| reader.map(|batch| batch.and_then(checked)).collect());
        match read {
            Ok(batches) => Ok(Self { schema, batches }),
            Err(error) => {
                source.py().check_signals()?;
                Err(cannot_read(&error))
            }
        }
    }

    /// The table of an object that has `__arrow_c_array__`: an array of structs.
    #[staticmethod]
    fn from_array(source: &Bound<'_, PyAny>) -> PyResult<Self> {
        let (schema, array): (Bound<'_, PyAny>, Bound<'_, PyAny>) =
            source.call_method0("__arrow_c_array__")?.extract()?;
        let (schema, array) = (schema.cast_into::<PyCapsule>()?, array.cast_into::<PyCapsule>()?);
        let other =
            |_| PyTypeError::new_err("__arrow_c_array__ did not return capsules of a schema and an array");
        let schema = schema.pointer_checked(Some(SCHEMA)).map_err(other)?;
        let array = array.pointer_checked(Some(ARRAY)).map_err(other)?;
        // SAFETY: capsules of these names hold a valid schema and a valid array, by the definition of the interface. The
        // array is taken over, and a released array is left behind, which the destructor of the capsule expects.
        let data = unsafe {
            let array = FFI_ArrowArray::from_raw(array.as_ptr().cast());
            let schema = schema.as_ptr().cast::<FFI_ArrowSchema>();
            from_ffi(array, &*schema).map_err(|error| not_a_table(&error))?
        };
        if !matches!(data.data_type(), DataType::Struct(_)) {
            return Err(PyTypeError::new_err(format!(
                "an Arrow array of {} is not a table; it must be an array of structs",
                data.data_type()
            )));
        }
        if data.null_count() > 0 {
            return Err(PyTypeError::new_err(
                "the Arrow array has rows that are null as a whole; fill or drop them",
            ));
        }
        let batch = RecordBatch::from(StructArray::from(data));
        let batch = checked(batch).map_err(|error| cannot_read(&error))?;
        Ok(Self { schema: batch.schema(), batches: vec![batch] })
    }

    /// A table with one column of these strings. `None` becomes null. A string with a lone surrogate is not valid
    /// UTF-8.
    #[staticmethod]
    #[pyo3(signature = (texts, name="text"))]
    fn from_strings(texts: &Bound<'_, PyList>, name: &str) -> PyResult<Self> {
        let mut columns = Vec::new();
        let mut builder = LargeBinaryBuilder::new();
        let mut is_text = true;
        for (at, text) in texts.iter().enumerate() {
            if text.is_none() {
                builder.append_null();
            } else {
                let text = text.cast::<PyString>().map_err(|_| not_a_string(&text, at))?;
                let encoded = text.encode_utf8().or_else(|_| {
                    is_text = false;
                    let bytes = text.call_method1("encode", ("utf-8", "surrogatepass"))?;
                    PyResult::Ok(bytes.cast_into::<PyBytes>()?)
                })?;
                builder.append_value(encoded.as_bytes());
            }
            if builder.len() == ROWS {
                columns.push(builder.finish());
                texts.py().check_signals()?;
            }
        }
        columns.push(builder.finish());
        // If a string has a lone surrogate, the column has bytes, and rows that are not UTF-8 are bad records.
        let kind = if is_text { DataType::LargeUtf8 } else { DataType::LargeBinary };
        let schema: SchemaRef = Arc::new(Schema::new(vec![Field::new(name, kind, true)]));
        let batch = |bytes: LargeBinaryArray| {
            let column: ArrayRef = if is_text {
                let (offsets, values, nulls) = bytes.into_parts();
                // SAFETY: the interpreter has encoded every value as UTF-8.
                Arc::new(unsafe { LargeStringArray::new_unchecked(offsets, values, nulls) })
            } else {
                Arc::new(bytes)
            };
            RecordBatch::try_new(Arc::clone(&schema), vec![column]).map_err(|error| not_a_table(&error))
        };
        let batches = columns.into_iter().map(batch).collect::<PyResult<_>>()?;
        Ok(Self { schema, batches })
    }

    /// A table with columns of strings. `None` becomes null. All columns must be of the same length.
    #[staticmethod]
    fn from_columns(names: Vec<String>, columns: Vec<Vec<Option<String>>>) -> PyResult<Self> {
        let fields = names.iter().map(|name| Field::new(name, DataType::LargeUtf8, true));
        let schema: SchemaRef = Arc::new(Schema::new(fields.collect::<Vec<_>>()));
        if names.is_empty() {
            return Ok(Self { schema, batches: Vec::new() });
        }
        let arrays = columns.into_iter().map(|column| Arc::new(LargeStringArray::from(column)) as ArrayRef);
        let batch = RecordBatch::try_new(Arc::clone(&schema), arrays.collect());
        Ok(Self { schema, batches: vec![batch.map_err(|error| not_a_table(&error))?] })
    }

    /// The names of the columns.
    #[getter]
    fn column_names(&self) -> Vec<&str> {
        self.schema.fields().iter().map(|field| field.name().as_str()).collect()
    }

    fn __len__(&self) -> usize {
        self.batches.iter().map(RecordBatch::num_rows).sum()
    }

    fn __repr__(&self) -> String {
        format!("ArrowTable({} rows of {})", self.__len__(), self.column_names().join(", "))
    }

    /// The rows where `mask` is true.
    fn filter(&self, mask: &Bound<'_, PyAny>) -> PyResult<Self> {
        let mask = mask
            .cast::<PyArray1<bool>>()
            .map_err(|_| PyTypeError::new_err("the mask must be a one-dimensional NumPy array of bool"))?;
        if mask.len() != self.__len__() {
            return Err(setting(format!("{} values in the mask for {} rows", mask.len(), self.__len__())));
        }
        // The values are read as bytes; every byte that is not 0 is true.
        let mask = arrays::values::<u8, Ix1>(&mask.call_method1("view", ("uint8",))?)?;
        let mask: Vec<bool> = mask.into_iter().map(|byte| byte != 0).collect();
        let mut from = 0;
        let mut batches = Vec::with_capacity(self.batches.len());
        for batch in &self.batches {
            let kept = BooleanArray::from(mask[from..from + batch.num_rows()].to_vec());
            from += batch.num_rows();
            let filtered = arrow_select::filter::filter_record_batch(batch, &kept);
            batches.push(filtered.map_err(|error| PyValueError::new_err(error.to_string()))?);
        }
        Ok(Self { schema: Arc::clone(&self.schema), batches })
    }

    /// The table with further columns of these names, in which all values are null.
    fn with_nulls(&self, names: Vec<String>) -> PyResult<Self> {
        let fields = self.schema.fields().iter().cloned();
        let nulls = names.iter().map(|name| Arc::new(Field::new(name, DataType::Null, true)));
        let schema: SchemaRef = Arc::new(Schema::new(fields.chain(nulls).collect::<Vec<_>>()));
        let widened = |batch: &RecordBatch| {
            let null: ArrayRef = Arc::new(NullArray::new(batch.num_rows()));
            let more = names.iter().map(|_| Arc::clone(&null));
            let columns = batch.columns().iter().cloned().chain(more).collect();
            RecordBatch::try_new(Arc::clone(&schema), columns)
        };
        let batches = self.batches.iter().map(widened).collect::<Result<Vec<_>, _>>();
        Ok(Self { batches: batches.map_err(|error| not_a_table(&error))?, schema })
    }

    /// The table as a stream, for any Arrow library. A `requested_schema` is ignored, as the interface allows.
    #[pyo3(signature = (requested_schema=None))]
    fn __arrow_c_stream__<'py>(
        &self,
        py: Python<'py>,
        requested_schema: Option<Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyCapsule>> {
        let _ = requested_schema;
        let batches: Vec<_> = self.batches.iter().cloned().map(Ok::<_, ArrowError>).collect();
        let reader = RecordBatchIterator::new(batches, Arc::clone(&self.schema));
        PyCapsule::new_with_value(py, FFI_ArrowArrayStream::new(Box::new(reader)), STREAM)
    }
}

/// The number of rows in a batch that is made from a list.
const ROWS: usize = 1 << 14;

fn not_a_string(value: &Bound<'_, PyAny>, at: usize) -> PyErr {
    let kind = value.get_type().name().map_or_else(|_| "?".to_owned(), |name| name.to_string());
    PyTypeError::new_err(format!("item {at} is of type {kind}, but a text must be a str"))
}

/// Checks that the values of a batch are valid for their types. Other libraries may pass strings that are not UTF-8,
/// or offsets outside the data. All later code relies on this check.
fn checked(batch: RecordBatch) -> Result<RecordBatch, ArrowError> {
    batch.columns().iter().try_for_each(|column| column.to_data().validate_full())?;
    Ok(batch)
}

/// The exception for a stream that failed, or that is not valid.
fn cannot_read(error: &ArrowError) -> PyErr {
    match error {
        ArrowError::InvalidArgumentError(cause) => damaged(format!("the Arrow table is not valid: {cause}")),
        // The stream has only a message for errors on its side.
        ArrowError::CDataInterface(cause) if cause.contains("KeyboardInterrupt") => {
            PyKeyboardInterrupt::new_err(())
        }
        other => PyRuntimeError::new_err(format!("the Arrow stream failed: {other}")),
    }
}

fn not_a_table(error: &ArrowError) -> PyErr {
    PyTypeError::new_err(format!("the Arrow stream cannot be read as a table: {error}"))
}
