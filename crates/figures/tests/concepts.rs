//! The figures of `docs/concepts` are what the library draws.
#![allow(clippy::unwrap_used, reason = "tests may")]

#[path = "../examples/concepts/mod.rs"]
mod concepts;

use std::collections::BTreeSet;
use std::path::PathBuf;

fn pages() -> PathBuf {
    PathBuf::from(std::env::var("CARGO_MANIFEST_DIR").unwrap()).join("../../docs/concepts")
}

#[test]
fn the_files_are_what_the_example_writes() {
    let mut names = BTreeSet::new();
    for (name, svg) in concepts::drawings().unwrap() {
        let drawn = svg.standalone();
        let stored = std::fs::read_to_string(pages().join("figures").join(name)).unwrap_or_default();
        assert!(
            drawn == stored,
            "{name} is not what is drawn: cargo run -p lookalike-figures --example concepts -- docs/concepts/figures"
        );
        assert!(drawn.len() < 60_000, "{name} has {} bytes", drawn.len());
        assert!(!drawn.contains("NaN") && !drawn.contains("inf\""), "{name}");
        assert!(names.insert(name.to_owned()), "{name} is drawn twice");
    }
    let stored = std::fs::read_dir(pages().join("figures")).unwrap();
    let stored: BTreeSet<String> =
        stored.map(|file| file.unwrap().file_name().into_string().unwrap()).collect();
    assert_eq!(stored, names);
}

/// The pages, with their paths.
fn markdown() -> Vec<(PathBuf, String)> {
    let files = std::fs::read_dir(pages()).unwrap().map(|file| file.unwrap().path());
    let pages = files.filter(|path| path.extension().is_some_and(|extension| extension == "md"));
    pages.map(|path| (path.clone(), std::fs::read_to_string(path).unwrap())).collect()
}

/// What stands between `](` and `)` in a page.
fn links(page: &str) -> Vec<&str> {
    page.split("](").skip(1).filter_map(|rest| rest.split_once(')')).map(|(link, _)| link).collect()
}

#[test]
fn every_figure_is_in_a_page_and_every_link_leads_somewhere() {
    let mut shown = BTreeSet::new();
    for (path, page) in markdown() {
        for link in links(&page).into_iter().filter(|link| !link.starts_with("http")) {
            let target = link.split('#').next().unwrap();
            assert!(target.is_empty() || pages().join(target).exists(), "{}: {link}", path.display());
            shown.extend(link.strip_prefix("figures/").map(str::to_owned));
        }
    }
    let drawn: BTreeSet<String> =
        concepts::drawings().unwrap().iter().map(|(name, _)| (*name).to_owned()).collect();
    assert_eq!(shown, drawn);
}

#[test]
fn every_test_that_a_page_names_is_one() {
    let literature =
        PathBuf::from(std::env::var("CARGO_MANIFEST_DIR").unwrap()).join("../lookalike/tests/literature");
    let mut named = 0;
    for (path, page) in markdown() {
        for name in page.split('`').filter(|name| name.starts_with("note_")) {
            let (module, test) = name.rsplit_once("::").unwrap();
            let file = literature.join(module.replace("::", "/")).with_extension("rs");
            let source = std::fs::read_to_string(&file).unwrap_or_default();
            assert!(source.contains(&format!("fn {test}()")), "{}: {name}", path.display());
            named += 1;
        }
    }
    assert!(named > 40, "{named}");
}
