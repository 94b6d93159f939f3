//! Writes the figures of `docs/concepts` into a folder.
//!
//! `cargo run -p lookalike-figures --example concepts -- docs/concepts/figures`

#[path = "concepts/mod.rs"]
mod concepts;

use std::error::Error;
use std::path::PathBuf;

fn main() -> Result<(), Box<dyn Error>> {
    let folder = PathBuf::from(std::env::args().nth(1).unwrap_or_else(|| "docs/concepts/figures".to_owned()));
    std::fs::create_dir_all(&folder)?;
    for (name, svg) in concepts::drawings()? {
        std::fs::write(folder.join(name), svg.standalone())?;
    }
    Ok(())
}
