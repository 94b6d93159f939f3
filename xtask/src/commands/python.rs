//! The Python package. Its wheel is built, installed into a fresh virtual environment together with everything that
//! its tests need, and tested there in the form in which users get it.

use super::spark;
use crate::step;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The folder of the tests, which also run the code in the documentation.
const TESTS: &str = "python/tests";
/// What builds the wheel.
const MATURIN: &str = "maturin>=1.16,<2";
/// The folder of the wheel, in that of the environments.
const WHEELS: &str = "wheels";
/// The folder of the benchmarks.
const BENCHMARKS: &str = "python/benchmarks";

/// Builds, installs and tests the package; `full`: on Apache Spark with all tests. Returns the number of tests that passed.
pub(super) fn test(full: bool) -> Result<u64, String> {
    let environment = install("test")?;
    let folder = folder();
    let program = |name: &str| in_environment(&environment, name);
    // The tests run outside the repository root, so that Python finds the installed package.
    let mut mypy = program("mypy");
    mypy.arg("--config-file").arg(step::root().join("pyproject.toml")).args(["-p", "lookalike"]);
    step::run("types of the package", mypy.current_dir(&folder))?;
    let tests = step::root().join(TESTS);
    let mut pytest = program("python");
    pytest.args(["-m", "pytest", "--quiet", "--color=no", "-p", "no:cacheprovider"]).arg(tests);
    let passed = step::run_tests("tests of the package", pytest.current_dir(&folder))?;
    Ok(passed + spark::test(&folder.join(WHEELS), full)?)
}

/// The benchmarks of the package, on the texts of `elife-bench` if they exist, otherwise on the demo.
pub(super) fn bench() -> Result<(), String> {
    let build = ["build", "--release", "--package", "lookalike-cli"];
    step::run("the command to compare with", &mut step::cargo(build))?;
    let command = step::build_folder().join("release/lookalike");
    let data = std::env::var_os("LOOKALIKE_DATA").map(PathBuf::from);
    let data = data.unwrap_or_else(|| step::root().join("../shared/data"));
    let real = data.join("elife-bench/docs.jsonl.zst");
    let texts = if real.exists() { real } else { step::root().join("demo/articles.jsonl") };
    let environment = install("bench")?;
    for (name, arguments) in
        [("dedup", vec![&texts, &command]), ("blocks", vec![&texts]), ("compat", Vec::new())]
    {
        let script = step::root().join(BENCHMARKS).join(name).with_extension("py");
        let mut python = in_environment(&environment, "python");
        step::run(&format!("{BENCHMARKS}/{name}.py"), python.arg(script).args(arguments))?;
    }
    Ok(())
}

/// The folder for the environment and the wheel.
fn folder() -> PathBuf {
    step::build_folder().join("python")
}

/// Creates a fresh environment with a newly built wheel and the packages of the extra `needs`.
fn install(needs: &str) -> Result<PathBuf, String> {
    let (environment, wheels) = (folder().join("environment"), folder().join(WHEELS));
    for stale in [&environment, &wheels] {
        if stale.exists() {
            std::fs::remove_dir_all(stale)
                .map_err(|cause| format!("cannot remove {}: {cause}", stale.display()))?;
        }
    }
    make_environment(&environment)?;
    let pip = || {
        let mut pip = in_environment(&environment, "python");
        pip.args(["-m", "pip", "install", "--quiet", "--disable-pip-version-check"]);
        pip
    };
    step::run("maturin", pip().arg(MATURIN))?;
    let build = ["build", "--release", "--quiet", "--out"];
    step::run("the wheel", in_environment(&environment, "maturin").args(build).arg(&wheels))?;
    let wheel = format!("{}[{needs}]", only_wheel(&wheels)?.display());
    step::run(&format!("the wheel, installed for `{needs}`"), pip().arg(wheel))?;
    Ok(environment)
}

/// Builds the wheel with an environment that is kept; the folder that it is in.
pub(super) fn build_wheel() -> Result<PathBuf, String> {
    let wheels = folder().join(WHEELS);
    if wheels.exists() {
        std::fs::remove_dir_all(&wheels)
            .map_err(|cause| format!("cannot remove {}: {cause}", wheels.display()))?;
    }
    let environment = environment("maturin", &[MATURIN])?;
    let build = ["build", "--release", "--quiet", "--out"];
    step::run("the wheel", in_environment(&environment, "maturin").args(build).arg(&wheels))?;
    Ok(wheels)
}

/// An environment of this name with these packages. An existing one is used unchanged.
pub(super) fn environment(name: &str, packages: &[&str]) -> Result<PathBuf, String> {
    let environment = folder().join(name);
    let done = environment.join("installed");
    if done.exists() {
        return Ok(environment);
    }
    make_environment(&environment)?;
    let mut pip = in_environment(&environment, "python");
    pip.args(["-m", "pip", "install", "--quiet", "--disable-pip-version-check"]).args(packages);
    step::run(&format!("{} from the package index", packages.join(", ")), &mut pip)?;
    std::fs::write(&done, "").map_err(|cause| format!("cannot write {}: {cause}", done.display()))?;
    Ok(environment)
}

pub(super) fn make_environment(environment: &Path) -> Result<(), String> {
    let interpreter = std::env::var("LOOKALIKE_PYTHON").unwrap_or_else(|_| "python3".into());
    let mut make = Command::new(&interpreter);
    make.args(["-m", "venv", "--clear"]).arg(environment);
    step::run("a fresh virtual environment", &mut make).map_err(|error| {
        format!("{error}\nPython 3.9 or later is needed; set LOOKALIKE_PYTHON to choose the interpreter")
    })
}

/// The path of a program in an environment.
pub(super) fn program(environment: &Path, name: &str) -> PathBuf {
    environment.join(if cfg!(windows) { "Scripts" } else { "bin" }).join(name)
}

/// A command that runs a program of the environment.
fn in_environment(environment: &Path, name: &str) -> Command {
    let mut command = Command::new(program(environment, name));
    command.current_dir(step::root()).env("VIRTUAL_ENV", environment).env_remove("PYTHONPATH");
    command
}

/// The only wheel in the folder.
pub(super) fn only_wheel(folder: &Path) -> Result<PathBuf, String> {
    let cannot_read = |cause| format!("cannot read {}: {cause}", folder.display());
    let entries = std::fs::read_dir(folder).map_err(cannot_read)?;
    let files = entries.map(|entry| entry.map(|entry| entry.path())).collect::<Result<Vec<_>, _>>();
    let mut wheels = files.map_err(cannot_read)?;
    wheels.retain(|file| file.extension().is_some_and(|end| end == "whl"));
    match wheels.as_slice() {
        [wheel] => Ok(wheel.clone()),
        others => Err(format!("{} contains {} wheels instead of one", folder.display(), others.len())),
    }
}
