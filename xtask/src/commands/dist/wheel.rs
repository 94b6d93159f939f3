//! The wheel of the Python package.

use super::super::python;
use super::{MANYLINUX, cannot, copy, name, replace_folder, with_tools};
use crate::step;
use std::path::{Path, PathBuf};
use std::process::Command;

/// A program that the installed package must be able to run.
const TRIED: &str = "\
import lookalike
text = 'the quick brown fox jumps over the lazy dog ' * 5
kept, result = lookalike.dedup([text, text + 'again', 'something else altogether, and long enough'])
assert len(kept) == 2 and len(result.removed) == 1, result
print('lookalike', lookalike.__version__)
";

/// Builds the wheel, checks which systems it is for, and uses it in a fresh environment.
pub(super) fn make(tools: &Path, folder: &Path) -> Result<PathBuf, String> {
    let made = folder.join("wheel");
    replace_folder(&made)?;
    let mut build = Command::new(python::program(tools, "maturin"));
    build.args(["build", "--locked", "--profile", "dist", "--zig", "--compatibility", MANYLINUX, "--out"]);
    with_tools(tools, build.arg(&made))?;
    step::run("the wheel", &mut build)?;
    let wheel = python::only_wheel(&made)?;
    let part = folder.join(name(&wheel));
    copy(&wheel, &part)?;
    std::fs::remove_dir_all(&made).map_err(|cause| cannot("remove", &made, &cause))?;

    let mut audit = Command::new(python::program(tools, "auditwheel"));
    with_tools(tools, audit.arg("show").arg(&part))?;
    let audited = step::run_for_output("auditwheel", &mut audit)?;
    // The name of the wheel, which has the tag too, comes first.
    let found = audited.split_once("platform tag").map_or("", |(_, found)| found);
    if !["manylinux_2_17", MANYLINUX].iter().any(|tag| found.contains(tag)) {
        return Err(format!("the wheel is not for {MANYLINUX}:\n{audited}"));
    }
    let environment = folder.join("environment");
    python::make_environment(&environment)?;
    let mut pip = Command::new(python::program(&environment, "python"));
    pip.args(["-m", "pip", "install", "--quiet", "--disable-pip-version-check"]).arg(&part);
    step::run("the wheel, installed", &mut pip)?;
    let mut tried = Command::new(python::program(&environment, "python"));
    tried.args(["-c", TRIED]).current_dir(folder).env_remove("PYTHONPATH");
    step::run("the wheel, used", &mut tried)?;
    let mut command = Command::new(python::program(&environment, "lookalike"));
    step::run("the command in the wheel", command.arg("--version"))?;
    std::fs::remove_dir_all(&environment).map_err(|cause| cannot("remove", &environment, &cause))?;
    Ok(part)
}
