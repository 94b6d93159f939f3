//! The project's own commands: `cargo xtask test`.
fn main() {}
