//! `cargo xtask tables`: generates the Unicode tables of the library from pinned data.

use crate::step;

/// The path of the generated table of classes and case folding.
const TABLES: &str = "crates/lookalike/src/unicode/tables.rs";

/// Generates the tables: first classes and case folding, then the table of simple characters, which is computed from
/// them.
pub(crate) fn run() -> Result<(), String> {
    let mut generator =
        step::cargo(["run", "--quiet", "--locked", "--manifest-path", "xtask/tables/Cargo.toml"]);
    let tables = step::run_for_output("classes and case folding", &mut generator)?;
    std::fs::write(step::root().join(TABLES), tables).map_err(|cause| format!("{TABLES}: {cause}"))?;
    let mut simple = step::cargo(["test", "--quiet", "-p", "lookalike", "--lib", "simple_classes"]);
    step::run("simple characters", simple.env("UPDATE_TABLES", "1"))
}
