//! Arrow tables in and out, by the Arrow PyCapsule interface: the memory is shared, not copied.

use crate::errors::setting;
use arrow_array::builder::LargeStringBuilder;
use arrow_array::ffi_stream::{FFI_ArrowArrayStream, RecordBatchStreamReader};
use arrow_array::{ArrayRef, BooleanArray, RecordBatch, RecordBatchIterator, RecordBatchReader};
use arrow_schema::{ArrowError, DataType, Field, Schema, SchemaRef};
use numpy::{PyReadonlyArray1, PyUntypedArrayMethods};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyCapsule, PyList, PyString};
use std::ffi::CStr;
use std::sync::Arc;

/// What the interface calls a stream of batches.
const STREAM: &CStr = c"arrow_array_stream";

/// Rows in memory, as Arrow batches. Any Arrow library can read it through `__arrow_c_stream__`.
#[pyclass(frozen, module = "lookalike._native")]
#[derive(Debug)]
pub(crate) struct ArrowTable {
    pub(crate) schema: SchemaRef,
    pub(crate) batches: Vec<RecordBatch>,
}

#[pymethods]
impl ArrowTable {
    /// The table that an object with `__arrow_c_stream__` hands out.
    #[staticmethod]
    fn from_stream(source: &Bound<'_, PyAny>) -> PyResult<Self> {
        let capsule = source.call_method0("__arrow_c_stream__")?;
        let capsule = capsule.cast::<PyCapsule>()?;
        let pointer = capsule.pointer_checked(Some(STREAM)).map_err(|_| {
            PyTypeError::new_err("__arrow_c_stream__ did not return a capsule named arrow_array_stream")
        })?;
        // SAFETY: a capsule of this name holds a valid stream, by the definition of the interface. `from_raw` takes it
        // over and leaves a released one behind, which the capsule's own destructor allows for.
        let stream = unsafe { FFI_ArrowArrayStream::from_raw(pointer.as_ptr().cast()) };
        let reader = RecordBatchStreamReader::try_new(stream).map_err(|error| not_a_table(&error))?;
        let schema = reader.schema();
        // Batches are made by the other side, which may need the interpreter: it takes it when it does.
        let batches = source.py().detach(|| reader.collect::<Result<Vec<_>, _>>());
        Ok(Self { schema, batches: batches.map_err(|error| not_a_table(&error))? })
    }

    /// A table of one column `text` with these strings; `None` becomes null.
    #[staticmethod]
    fn from_strings(texts: &Bound<'_, PyList>) -> PyResult<Self> {
        let mut batches = Vec::new();
        let schema: SchemaRef = Arc::new(Schema::new(vec![Field::new("text", DataType::LargeUtf8, true)]));
        let mut builder = LargeStringBuilder::new();
        let mut rows = 0;
        for (at, text) in texts.iter().enumerate() {
            if text.is_none() {
                builder.append_null();
            } else {
                let text = text.cast::<PyString>().map_err(|_| not_a_string(&text, at))?;
                let encoded = text.encode_utf8()?;
                let text = std::str::from_utf8(encoded.as_bytes()).expect("the interpreter encodes as UTF-8");
                builder.append_value(text);
            }
            rows += 1;
            if rows == ROWS {
                batches.push(of_text(&schema, &mut builder)?);
                rows = 0;
                texts.py().check_signals()?;
            }
        }
        batches.push(of_text(&schema, &mut builder)?);
        Ok(Self { schema, batches })
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
    fn filter(&self, mask: PyReadonlyArray1<'_, bool>) -> PyResult<Self> {
        if mask.len() != self.__len__() {
            return Err(setting(format!("a mask of {} for {} rows", mask.len(), self.__len__())));
        }
        let mask = mask.as_slice()?;
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

    /// The table as a stream, for any Arrow library. A `requested_schema` is not followed, as the interface allows.
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

/// Rows of a batch made from a list.
const ROWS: usize = 1 << 14;

fn of_text(schema: &SchemaRef, builder: &mut LargeStringBuilder) -> PyResult<RecordBatch> {
    let column: ArrayRef = Arc::new(builder.finish());
    RecordBatch::try_new(Arc::clone(schema), vec![column]).map_err(|error| not_a_table(&error))
}

fn not_a_string(value: &Bound<'_, PyAny>, at: usize) -> PyErr {
    let kind = value.get_type().name().map_or_else(|_| "?".to_owned(), |name| name.to_string());
    PyTypeError::new_err(format!("item {at} is of type {kind}, and a text must be a str"))
}

fn not_a_table(error: &ArrowError) -> PyErr {
    PyTypeError::new_err(format!("the Arrow stream cannot be read as a table: {error}"))
}
