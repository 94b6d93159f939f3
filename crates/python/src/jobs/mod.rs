//! Whole jobs: dedup, pairs, clusters, query, plan, compare, records; and their pages.
//!
//! The Python side turns its input into paths or an [`ArrowTable`](crate::table::ArrowTable), and turns the answer
//! back into the type of the input.

mod answers;
mod comparison;
mod decisions;
mod examples;
mod input;
mod pages;
mod plan;
mod records;

pub(crate) use input::{Documents, Options};

use pyo3::prelude::*;

/// Adds the functions to the module.
pub(crate) fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_function(wrap_pyfunction!(input::default_settings, module)?)?;
    module.add_function(wrap_pyfunction!(input::is_index, module)?)?;
    module.add_function(wrap_pyfunction!(input::preset_names, module)?)?;
    module.add_function(wrap_pyfunction!(input::parse_size, module)?)?;
    module.add_function(wrap_pyfunction!(decisions::decide, module)?)?;
    module.add_function(wrap_pyfunction!(decisions::dedup, module)?)?;
    module.add_function(wrap_pyfunction!(decisions::read_output, module)?)?;
    module.add_function(wrap_pyfunction!(answers::pairs, module)?)?;
    module.add_function(wrap_pyfunction!(answers::clusters, module)?)?;
    module.add_function(wrap_pyfunction!(answers::query, module)?)?;
    module.add_function(wrap_pyfunction!(comparison::compare, module)?)?;
    module.add_function(wrap_pyfunction!(comparison::compare_page, module)?)?;
    module.add_function(wrap_pyfunction!(comparison::compare_values, module)?)?;
    module.add_function(wrap_pyfunction!(pages::page_of_folder, module)?)?;
    module.add_function(wrap_pyfunction!(pages::page_of_memory, module)?)?;
    module.add_function(wrap_pyfunction!(pages::write_page, module)?)?;
    module.add_function(wrap_pyfunction!(plan::plan, module)?)?;
    module.add_function(wrap_pyfunction!(records::records_found, module)?)?;
    module.add_function(wrap_pyfunction!(records::records_written, module)?)?;
    module.add_function(wrap_pyfunction!(records::record_model, module)?)?;
    module.add_function(wrap_pyfunction!(plan::chances, module)?)?;
    module.add_function(wrap_pyfunction!(plan::curve_svg, module)?)?;
    module.add_function(wrap_pyfunction!(plan::histogram_svg, module)?)
}
