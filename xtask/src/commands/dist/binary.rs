//! The program with its manual pages, completions and licences, as one archive.

use super::super::python;
use super::{GLIBC, TARGET, VERSION, cannot, copy, replace_folder, with_tools};
use crate::step;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The shells that completions are made for, and the names of their files.
const SHELLS: [(&str, &str); 3] =
    [("bash", "lookalike.bash"), ("zsh", "_lookalike"), ("fish", "lookalike.fish")];

/// The text files that are part of a release.
const TEXTS: [&str; 4] = ["README.md", "CHANGELOG.md", "LICENSE-APACHE", "LICENSE-MIT"];

/// Builds the program, packs it, and runs it in a folder that contains only the C library.
pub(super) fn make(tools: &Path, folder: &Path) -> Result<PathBuf, String> {
    let program = build(tools)?;
    let stem = format!("lookalike-{VERSION}-{TARGET}");
    let unpacked = folder.join(&stem);
    copy(&program, &unpacked.join("bin/lookalike"))?;
    let mut pages = Command::new(&program);
    step::run("manual pages", pages.arg("man").arg(unpacked.join("share/man/man1")))?;
    for (shell, file) in SHELLS {
        let name = format!("completions for {shell}");
        let completions = step::run_for_output(&name, Command::new(&program).args(["completions", shell]))?;
        let file = unpacked.join("share/completions").join(file);
        std::fs::create_dir_all(unpacked.join("share/completions"))
            .and_then(|()| std::fs::write(&file, completions))
            .map_err(|cause| cannot("write", &file, &cause))?;
    }
    for text in TEXTS {
        copy(&step::root().join(text), &unpacked.join(text))?;
    }
    let archive = folder.join(format!("{stem}.tar.gz"));
    let mut tar = Command::new("tar");
    // These options give the same bytes on every machine and at every time.
    tar.args([
        "--sort=name",
        "--owner=0",
        "--group=0",
        "--numeric-owner",
        "--mtime=@0",
        "--mode=u=rwX,go=rX",
        "--gzip",
    ]);
    tar.env("GZIP", "-n")
        .arg("--create")
        .arg("--file")
        .arg(&archive)
        .arg("--directory")
        .arg(folder)
        .arg(&stem);
    step::run("the archive", &mut tar)?;
    let tried = try_out(&archive, &stem, &folder.join("root"));
    std::fs::remove_dir_all(&unpacked).map_err(|cause| cannot("remove", &unpacked, &cause))?;
    tried.map(|()| archive)
}

fn build(tools: &Path) -> Result<PathBuf, String> {
    let mut build = Command::new(python::program(tools, "cargo-zigbuild"));
    build.args(["zigbuild", "--locked", "--profile", "dist", "--package", "lookalike-cli", "--target"]);
    build.arg(format!("{TARGET}.{GLIBC}"));
    with_tools(tools, &mut build)?;
    step::run("the program", &mut build)?;
    Ok(step::build_folder().join(TARGET).join("dist/lookalike"))
}

/// Unpacks the archive into a root folder that contains only the C library and the demo besides, and runs the program
/// there.
fn try_out(archive: &Path, stem: &str, root: &Path) -> Result<(), String> {
    replace_folder(root)?;
    let mut tar = Command::new("tar");
    step::run("a bare root", tar.arg("--extract").arg("--file").arg(archive).arg("--directory").arg(root))?;
    let program = root.join(stem).join("bin/lookalike");
    let needed = step::run_for_output("what the program needs", Command::new("ldd").arg(&program))?;
    for library in needed.split_whitespace().filter(|word| word.starts_with('/')) {
        copy(Path::new(library), &root.join(library.trim_start_matches('/')))?;
    }
    copy(&step::root().join("demo/articles.jsonl"), &root.join("articles.jsonl"))?;
    std::fs::create_dir_all(root.join("tmp")).map_err(|cause| cannot("create", root, &cause))?;
    let mut dedup = Command::new("unshare");
    dedup.args(["--map-root-user", "--root"]).arg(root).arg(format!("/{stem}/bin/lookalike"));
    dedup.args(["dedup", "/articles.jsonl", "--output", "/out"]).env_clear().env("PATH", "/usr/bin:/bin");
    step::run("the program in a bare root", &mut dedup)?;
    let report = root.join("out/report.json");
    let written = std::fs::read_to_string(&report).map_err(|cause| cannot("read", &report, &cause))?;
    if !written.contains(&format!("\"lookalike\": \"{VERSION}\"")) {
        return Err(format!("{} does not have the version {VERSION}", report.display()));
    }
    std::fs::remove_dir_all(root).map_err(|cause| cannot("remove", root, &cause))
}
