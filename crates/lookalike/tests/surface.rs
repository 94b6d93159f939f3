//! Compares the public API of the crate with the committed listing, `docs/surface.txt`, so that a change of the API
//! is seen in review.
//!
//! In this crate `pub` means public API (the lint `unreachable_pub`). So the listing is every `pub` declaration in
//! the sources, with the variants of enums and the methods of traits. To write it again, run
//! `UPDATE_SURFACE=1 cargo test -p lookalike surface`.

#![allow(clippy::disallowed_methods, clippy::unwrap_used, reason = "it only reads the sources")]

use std::fmt::Write;
use std::path::{Path, PathBuf};

#[test]
fn the_public_surface_is_the_committed_one() {
    let root = std::env::var("CARGO_MANIFEST_DIR").unwrap();
    let root = Path::new(&root);
    let mut files = Vec::new();
    sources(&root.join("src"), &mut files);
    files.sort();
    let mut listing = String::new();
    for file in files {
        let text = std::fs::read_to_string(&file).unwrap();
        let declarations = declarations(&text);
        if !declarations.is_empty() {
            let name = file.strip_prefix(root).unwrap().display().to_string();
            writeln!(listing, "{}", name.replace('\\', "/")).unwrap();
            declarations.iter().for_each(|declaration| writeln!(listing, "    {declaration}").unwrap());
        }
    }
    let committed = root.join("docs/surface.txt");
    if std::env::var_os("UPDATE_SURFACE").is_some() {
        std::fs::write(&committed, &listing).unwrap();
    }
    let expected = std::fs::read_to_string(&committed).unwrap_or_default();
    let difference = expected.lines().zip(listing.lines()).find(|(a, b)| a != b);
    assert!(
        expected == listing,
        "the public surface has changed, first here: {difference:?}; look at it, then run this with UPDATE_SURFACE=1"
    );
}

#[test]
fn the_root_has_the_names_of_the_flow_and_few_others() {
    let text = std::fs::read_to_string(std::env::var("CARGO_MANIFEST_DIR").unwrap() + "/src/lib.rs").unwrap();
    let names: usize = declarations(&text)
        .iter()
        .filter(|declaration| declaration.starts_with("pub use"))
        .map(|declaration| declaration.matches(',').count() + 1)
        .sum();
    assert!((20..=30).contains(&names), "{names}");
}

fn sources(folder: &Path, files: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_stem().unwrap().to_string_lossy().into_owned();
        if name == "tests" || name.ends_with("_tests") || name == "statistics" {
            continue;
        }
        if path.is_dir() {
            sources(&path, files);
        } else {
            files.push(path);
        }
    }
}

/// The `pub` declarations of a file, each in one line, without bodies.
fn declarations(text: &str) -> Vec<String> {
    let text = text.split("#[cfg(test)]\nmod tests {").next().unwrap_or(text);
    let mut found = Vec::new();
    let mut lines = text.lines().peekable();
    // Inside an enum or a trait, variants and methods are public without `pub`.
    let mut open = None;
    let mut hidden = "";
    while let Some(line) = lines.next() {
        let declaration = line.trim();
        if declaration == "#[doc(hidden)]" {
            hidden = "(hidden) ";
            continue;
        }
        if let Some(indent) = open
            && line.len() - line.trim_start().len() == indent
            && declaration == "}"
        {
            open = None;
        }
        let is_member = open.is_some_and(|indent| line.len() - line.trim_start().len() == indent + 4)
            && (declaration.starts_with("fn ")
                || declaration.starts_with("type ")
                || declaration.starts_with("const ")
                || declaration.starts_with(char::is_uppercase));
        if !declaration.starts_with("pub ") && !is_member {
            if !declaration.starts_with('#') && !declaration.starts_with("///") {
                hidden = "";
            }
            continue;
        }
        let indent = line.len() - line.trim_start().len();
        if declaration.starts_with("pub enum") || declaration.starts_with("pub trait") {
            open = Some(indent);
        }
        let mut whole = declaration.to_owned();
        let is_over = |whole: &str| {
            whole.ends_with([';', '{', '}'])
                || whole.ends_with(',') && !whole.contains('(') && !whole.contains("use")
                || whole.ends_with(',') && whole.matches('(').count() == whole.matches(')').count()
        };
        while !is_over(&whole) {
            let Some(next) = lines.next() else { break };
            whole.push(' ');
            whole.push_str(next.trim());
        }
        found.push(format!("{hidden}{}", whole.trim_end_matches([' ', '{', ';', ','])));
        hidden = "";
    }
    found
}
